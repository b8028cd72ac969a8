//! An open folder: reads and writes stay inside of it, even if somebody puts links in the way meanwhile.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::error::FsError;
use crate::fault;
use crate::read;

/// An open folder. Names are looked up relative to it, and links are not followed.
#[derive(Debug)]
pub struct Inside {
    folder: OwnedFd,
    /// The path, for messages.
    path: PathBuf,
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

impl Inside {
    /// Opens a folder; links in `path` are followed.
    pub fn open(path: &Path) -> Result<Self, FsError> {
        let folder = rustix::fs::open(path, FOLDER, Mode::empty())
            .map_err(|error| FsError::read("open", path, error.into()))?;
        Ok(Self {
            folder,
            path: path.to_path_buf(),
        })
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder in this one.
    ///
    /// **Errors**: [`FsError::Escapes`] for a link.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> Result<Self, FsError> {
        let name = Path::new(name.as_ref());
        let path = self.path.join(name);
        match rustix::fs::openat(&self.folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(folder) => Ok(Self { folder, path }),
            Err(_) if self.is_link(name) => Err(self.escapes(path)),
            Err(error) => Err(FsError::read("open", &path, error.into())),
        }
    }

    /// Like [`Inside::folder`], but creates the folder if it is absent.
    pub fn create_folder(&self, name: impl AsRef<OsStr>) -> Result<Self, FsError> {
        let name = Path::new(name.as_ref());
        fault::point();
        match rustix::fs::mkdirat(&self.folder, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => {
                let path = self.path.join(name);
                return Err(FsError::write("create", &path, error.into()));
            }
        }
        self.folder(name).map_err(|error| match error {
            // The name belongs to a file.
            FsError::NotFound { path } | FsError::NotFolder { path } => {
                FsError::write("create", &path, Errno::NOTDIR.into())
            }
            other => other,
        })
    }

    /// Waits for an exclusive lock on the folder, which is held until this value is dropped.
    pub fn lock(&self) -> Result<(), FsError> {
        rustix::fs::flock(&self.folder, FlockOperation::LockExclusive)
            .map_err(|error| FsError::write("lock", &self.path, error.into()))
    }

    /// The content of a file below this folder; `None` if it is absent.
    ///
    /// **Errors**: [`FsError::Escapes`] for a path that leaves the folder or contains a link; [`FsError::NotRegular`] for a folder and
    /// the like; [`FsError::TooLarge`].
    pub fn read(&self, relative: &Path, limit: u64) -> Result<Option<Vec<u8>>, FsError> {
        let mut names = Vec::new();
        for part in relative.components() {
            match part {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                _ => return Err(self.escapes(relative.to_path_buf())),
            }
        }
        let Some((name, folders)) = names.split_last() else {
            return Ok(None);
        };
        let mut inner: Option<Self> = None;
        for folder in folders {
            match inner.as_ref().unwrap_or(self).folder(folder) {
                Ok(folder) => inner = Some(folder),
                Err(error) if error.is_not_found() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        inner
            .as_ref()
            .unwrap_or(self)
            .read_name(Path::new(name), limit)
    }

    fn read_name(&self, name: &Path, limit: u64) -> Result<Option<Vec<u8>>, FsError> {
        let path = self.path.join(name);
        let failed = |error: std::io::Error| FsError::read("read", &path, error);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(_) if self.is_link(name) => return Err(self.escapes(path)),
            Err(error) => return Err(failed(error.into())),
        };
        let metadata = file.metadata().map_err(failed)?;
        read::regular(&path, &metadata)?;
        read::bounded(file, &path, metadata.len(), limit).map(Some)
    }

    /// Replaces or creates a file in this folder, completely or not at all. The mode of an existing file is kept; a link is replaced,
    /// not followed. The caller must have [`Inside::lock`]ed the folder: the leftovers of killed writers are overwritten.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FsError> {
        let path = self.path.join(name);
        let failed = |error: std::io::Error| FsError::write("write", &path, error);
        let at = |error: Errno| failed(error.into());
        let temporary = format!(".{name}.aris-tmp");
        let old = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        let old = old.filter(|old| FileType::from_raw_mode(old.st_mode) == FileType::RegularFile);
        fault::point();
        match rustix::fs::unlinkat(&self.folder, &temporary, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(at(error)),
        }
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = rustix::fs::openat(&self.folder, &temporary, flags, mode).map_err(at)?;
        if let Some(old) = old {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(old.st_mode)).map_err(at)?;
        }
        let mut file = File::from(file);
        fault::point();
        let written = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(failed)
            .and_then(|()| {
                fault::point();
                rustix::fs::renameat(&self.folder, &temporary, &self.folder, name).map_err(at)
            });
        if let Err(error) = written {
            rustix::fs::unlinkat(&self.folder, &temporary, AtFlags::empty()).unwrap_or_default();
            return Err(error);
        }
        fault::point();
        match rustix::fs::fsync(&self.folder) {
            // Some network file systems cannot sync a folder; the rename itself has happened.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(error) => Err(at(error)),
        }
    }

    fn is_link(&self, name: &Path) -> bool {
        let found = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
    }

    fn escapes(&self, path: PathBuf) -> FsError {
        let root = self.path.clone();
        FsError::Escapes { path, root }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_read_and_written_stays_inside() {
        let temp = tempfile::tempdir().expect("temp");
        let (root, out) = (temp.path().join("root"), temp.path().join("out"));
        fs::create_dir_all(root.join("a/b")).expect("folders");
        fs::create_dir(&out).expect("folder");
        fs::write(out.join("x"), "secret").expect("written");
        fs::write(root.join("a/b/x"), "mine").expect("written");
        symlink(&out, root.join("way")).expect("link");
        symlink(out.join("x"), root.join("a/link")).expect("link");
        let inside = Inside::open(&root).expect("open");
        let read = |path: &str| inside.read(Path::new(path), 100);
        assert_eq!(read("a/b/x").expect("read").as_deref(), Some(&b"mine"[..]));
        assert!(read("none").expect("read").is_none() && read("none/x").expect("read").is_none());
        for path in ["way/x", "a/link", "../out/x", "/etc/passwd"] {
            assert!(matches!(read(path), Err(FsError::Escapes { .. })), "{path}");
        }
        assert!(matches!(read("a"), Err(FsError::NotRegular { .. })));
        assert!(matches!(
            inside.read(Path::new("a/b/x"), 3),
            Err(FsError::TooLarge { .. })
        ));
        assert!(inside.create_folder("way").is_err());
        // An open folder stays the same when a link takes its name.
        let held = inside.create_folder("new").expect("created");
        fs::rename(root.join("new"), root.join("moved")).expect("moved");
        symlink(&out, root.join("new")).expect("link");
        held.lock().expect("locked");
        held.write("y", b"one").expect("written");
        held.write("y", b"two").expect("written again");
        assert_eq!(fs::read(root.join("moved/y")).expect("read"), b"two");
        // A link is replaced.
        inside
            .folder("a")
            .and_then(|folder| folder.write("link", b"mine"))
            .expect("written");
        assert_eq!(fs::read(out.join("x")).expect("read"), b"secret");
        assert_eq!(fs::read_dir(&out).expect("folder").count(), 1);
        assert_eq!(fs::read_dir(root.join("moved")).expect("folder").count(), 1);
    }
}
