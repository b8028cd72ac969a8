//! Puts finished files into place: links, renames that never overwrite, exchanges, empty folders, modes, times.
//!
//! Nothing here is synced: a caller that needs durability writes a record with [`write_atomic`](crate::write_atomic) afterwards.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::FsError;
use crate::fault;

/// Creates a symbolic link to `target` at `path`.
///
/// **Errors**: [`FsError::Write`], also when `path` exists already.
pub fn create_link(target: &Path, path: &Path) -> Result<(), FsError> {
    fault::point();
    symlink(target, path).map_err(|error| FsError::write("link", path, error))
}

/// Creates a file with this content and mode, without syncing it.
///
/// **Errors**: [`FsError::Write`], also when `path` exists already.
pub fn create_file(path: &Path, bytes: &[u8], mode: u32) -> Result<(), FsError> {
    let failed = |error| FsError::write("create", path, error);
    fault::point();
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .map_err(failed)?;
    fault::point();
    file.write_all(bytes).map_err(failed)?;
    // Ignores the umask: everybody who can read the project needs the installed files.
    file.set_permissions(fs::Permissions::from_mode(mode))
        .map_err(failed)
}

/// Creates one folder; its parent must exist.
///
/// **Errors**: [`FsError::Write`], also when `path` exists already.
pub fn create_folder(path: &Path) -> Result<(), FsError> {
    fault::point();
    fs::create_dir(path).map_err(|error| FsError::write("create", path, error))
}

/// Renames `from` to `to`, without overwriting.
///
/// **Errors**: [`FsError::Write`], also when `to` exists.
pub fn rename_new(from: &Path, to: &Path) -> Result<(), FsError> {
    let failed = |error| FsError::write("create", to, error);
    fault::point();
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(error) if is_unsupported(error) => {
            // Some network file systems do not support this rename; the check before it leaves a race of microseconds.
            if fs::symlink_metadata(to).is_ok() {
                return Err(failed(io::ErrorKind::AlreadyExists.into()));
            }
            fs::rename(from, to).map_err(failed)
        }
        Err(error) => Err(failed(error.into())),
    }
}

/// Exchanges `new` and `old`, atomically where the system can.
///
/// **Errors**: [`FsError::Write`]; both are then unchanged.
pub fn exchange(new: &Path, old: &Path) -> Result<(), FsError> {
    let failed = |error| FsError::write("replace", old, error);
    fault::point();
    match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
        Err(error) if is_unsupported(error) => {}
        other => return other.map_err(|error| failed(error.into())),
    }
    let aside = suffixed(new, ".old");
    fs::rename(old, &aside).map_err(failed)?;
    fault::point();
    if let Err(error) = fs::rename(new, old) {
        fs::rename(&aside, old).map_err(failed)?;
        return Err(failed(error));
    }
    fault::point();
    fs::rename(&aside, new).map_err(failed)
}

/// Removes a folder if it is empty. Returns whether it is gone.
pub fn remove_empty_folder(path: &Path) -> Result<bool, FsError> {
    fault::point();
    match fs::remove_dir(path) {
        Ok(()) => Ok(true),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => Ok(true),
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => Ok(false),
            _ => Err(FsError::write("remove", path, error)),
        },
    }
}

/// Sets the modification time of a file.
pub fn set_modified(path: &Path, time: SystemTime) -> Result<(), FsError> {
    fault::point();
    File::open(path)
        .and_then(|file| file.set_times(FileTimes::new().set_modified(time)))
        .map_err(|error| FsError::write("set the time of", path, error))
}

fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)
}

/// The path with `suffix` appended to its name.
pub(crate) fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn nothing_that_is_there_is_overwritten() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("mine"), "mine").expect("write");
        fs::create_dir(at("folder")).expect("folder");
        fs::write(at("new"), "new").expect("write");
        for there in ["mine", "folder"] {
            assert!(create_link(Path::new("x"), &at(there)).is_err());
            assert!(create_file(&at(there), b"x", 0o644).is_err());
            assert!(create_folder(&at(there)).is_err());
            assert!(rename_new(&at("new"), &at(there)).is_err());
        }
        assert_eq!(fs::read(at("mine")).expect("read"), b"mine");
        rename_new(&at("new"), &at("free")).expect("renamed");
        assert_eq!(fs::read(at("free")).expect("read"), b"new");
    }

    #[test]
    fn a_link_and_a_folder_change_places() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        create_link(Path::new("somewhere"), &at("link")).expect("link");
        fs::create_dir(at("tree")).expect("folder");
        create_file(&at("tree/x"), b"x", 0o755).expect("file");
        exchange(&at("tree"), &at("link")).expect("exchanged");
        assert_eq!(fs::read(at("link/x")).expect("read"), b"x");
        assert_eq!(
            fs::read_link(at("tree")).expect("link"),
            Path::new("somewhere")
        );
        assert!(exchange(&at("none"), &at("link")).is_err());
        assert!(at("link/x").exists());
    }

    #[test]
    fn only_empty_folders_go() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        create_folder(&at("a")).expect("folder");
        create_folder(&at("a/b")).expect("folder");
        assert!(!remove_empty_folder(&at("a")).expect("kept"));
        assert!(remove_empty_folder(&at("a/b")).expect("removed"));
        assert!(remove_empty_folder(&at("a/b")).expect("gone already"));
    }

    #[test]
    fn times_are_set_to_the_nanosecond() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("x");
        create_file(&path, b"x", 0o600).expect("file");
        let time = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
        set_modified(&path, time).expect("set");
        let metadata = fs::metadata(&path).expect("metadata");
        assert_eq!(metadata.modified().expect("time"), time);
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
}
