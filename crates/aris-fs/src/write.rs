//! Durable, all-or-nothing writes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::FsError;
use crate::fault;
use crate::read::{self, Links};

/// Mode of a new file before the umask, as usual.
const NEW_FILE: u32 = 0o666;

/// Replaces or creates `path`. Whatever happens in between, the file has either the old or the new content, completely; when the function
/// returns, the new content survives a power failure.
///
/// Links are followed, the mode of an existing file is kept, and the leftovers of killed writers are removed. The folder must exist.
///
/// **Errors**: [`FsError::Write`], and [`FsError::NotRegular`] for a FIFO, socket or device; the target is then unchanged.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    replace(path, bytes, None, &|| true).map(drop)
}

/// Like [`write_atomic`], for a file that a user names: creates missing folders.
///
/// **Errors**: as [`write_atomic`].
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    if let Some(folder) = path.parent() {
        create_dir(folder)?;
    }
    write_atomic(path, bytes)
}

/// Like [`write_atomic`], but only if `still` returns `true` just before the last step. Returns its result; if `false`, nothing changed.
pub fn write_atomic_if(
    path: &Path,
    bytes: &[u8],
    still: &dyn Fn() -> bool,
) -> Result<bool, FsError> {
    replace(path, bytes, None, still)
}

/// Like [`write_atomic`], but only if the file holds `expected`, even if somebody replaces it at this very moment. Returns whether it did;
/// if not, the newest content that somebody else wrote is in place.
pub fn write_atomic_over(path: &Path, bytes: &[u8], expected: &[u8]) -> Result<bool, FsError> {
    let failed = |error| FsError::write("write", path, error);
    let target = resolve(path).map_err(failed)?;
    let (folder, name) = split(&target)?;
    let mode = fs::symlink_metadata(&target)
        .map_err(failed)?
        .permissions()
        .mode()
        & 0o7777;
    if !holds(&target, expected) {
        return Ok(false);
    }
    let temporary = durable(folder, name, bytes).map_err(failed)?;
    temporary
        .as_file()
        .set_permissions(Permissions::from_mode(mode))
        .map_err(failed)?;
    // After each exchange the displaced content has the temporary file's name, and is removed with it at the end.
    let temporary = temporary.into_temp_path();
    // Making the new file durable takes milliseconds. A save within that time is noticed here, before anybody can read the new content and
    // overwrite the save; after this check, the race lasts microseconds.
    if !holds(&target, expected) {
        return Ok(false);
    }
    crate::place::exchange(&temporary, &target)?;
    let mut put = bytes.to_vec();
    let mut displaced = fs::read(&temporary).map_err(failed)?;
    let mut taken = displaced == expected;
    if taken {
        // A program that had opened the old file may still write into it; usually it is done by the end of this sync.
        sync_entries(folder).map_err(failed)?;
        displaced = fs::read(&temporary).map_err(failed)?;
        taken = displaced == expected;
    }
    if !taken {
        loop {
            crate::place::exchange(&temporary, &target)?;
            let now = fs::read(&temporary).map_err(failed)?;
            if now == put {
                break;
            }
            // Somebody else has written newer content meanwhile, which must stay.
            put = std::mem::replace(&mut displaced, now);
        }
        sync_entries(folder).map_err(failed)?;
    }
    Ok(taken)
}

/// Like [`write_atomic`], but sets the file's mode to `mode` (for instance 0o755).
pub fn write_atomic_with_mode(path: &Path, bytes: &[u8], mode: u32) -> Result<(), FsError> {
    replace(path, bytes, Some(mode), &|| true).map(drop)
}

/// Like [`write_atomic`], but creates the folder, and leaves a file that [`holds`] this content already untouched, with its times.
pub fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    if let Some(folder) = path.parent() {
        create_dir(folder)?;
    }
    if holds(path, bytes) {
        return Ok(());
    }
    write_atomic(path, bytes)
}

/// Whether a file has exactly this content; `false` when it cannot be read.
pub fn holds(path: &Path, bytes: &[u8]) -> bool {
    read::read_optional(path, bytes.len() as u64).is_ok_and(|there| there.as_deref() == Some(bytes))
}

/// Creates `path` with this content, completely or not at all.
///
/// Returns `false` and changes nothing when the path exists already. The folder is not synced: the caller does that once for several
/// files, or appends to a synced journal afterwards.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<bool, FsError> {
    let (folder, name) = split(path)?;
    let temporary =
        durable(folder, name, bytes).map_err(|error| FsError::write("write", path, error))?;
    fault::point();
    match temporary.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(FsError::write("create", path, error.error)),
    }
}

/// Copies a regular file with its mode, as atomically as [`write_atomic`].
pub fn copy_atomic(from: &Path, to: &Path) -> Result<(), FsError> {
    let source = read::open(from)?;
    let mode = source.metadata().permissions().mode() & 0o7777;
    let bytes = source.read_all(read::READ_LIMIT)?;
    replace(to, &bytes, Some(mode), &|| true).map(drop)
}

/// Creates a folder and its missing parents.
pub fn create_dir(path: &Path) -> Result<(), FsError> {
    if path.is_dir() {
        return Ok(());
    }
    fault::point();
    fs::create_dir_all(path).map_err(|error| FsError::write("create", path, error))
}

/// Writes a small file that must survive the death of this process but not a power failure. Links are not followed: otherwise somebody who
/// can put a link into the folder could choose which of the user's files is overwritten.
///
/// A file with a second name (a hard link) is replaced, so that the second name keeps its content.
///
/// **Errors**: [`FsError::Write`]; [`FsError::NotRegular`] for a device or FIFO, on which it never blocks.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let failed = |error| FsError::write("write", path, error);
    // Not truncated on opening: the kind of the file must be checked first.
    let options = &mut OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let (mut file, metadata) = read::open_for_writing(path, "write", Links::Refused, options)?;
    if metadata.nlink() > 1 {
        return replace_unsynced(path, bytes);
    }
    if metadata.len() > 0 {
        file.set_len(0).map_err(failed)?;
    }
    file.write_all(bytes).map_err(failed)
}

/// Replaces the content of `path`, completely or not at all for readers and when killed, but without waiting for the disk: a power failure
/// may damage the file. For content that can be produced again, such as a cache.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let (folder, name) = split(path)?;
    let placed = filled(folder, name, bytes).and_then(|temporary| {
        fault::point();
        temporary.persist(path).map_err(|error| error.error)
    });
    placed
        .map(drop)
        .map_err(|error| FsError::write("write", path, error))
}

/// Removes a file; an absent file is no error.
pub fn remove_file(path: &Path) -> Result<(), FsError> {
    fault::point();
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FsError::write("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Makes the entries of a folder durable.
pub fn sync_dir(folder: &Path) -> Result<(), FsError> {
    fault::point();
    sync_entries(folder).map_err(|error| FsError::write("sync", folder, error))
}

fn sync_entries(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|handle| handle.sync_all()) {
        // Some network file systems cannot sync a folder; the rename itself has happened.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

fn replace(
    path: &Path,
    bytes: &[u8],
    mode: Option<u32>,
    still: &dyn Fn() -> bool,
) -> Result<bool, FsError> {
    let target = resolve(path).map_err(|error| FsError::write("write", path, error))?;
    let (folder, name) = split(&target)?;
    let failed = |error| FsError::write("write", path, error);
    let existing = match fs::symlink_metadata(&target) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(in_the_way(path));
        }
        Ok(metadata) => {
            read::regular(path, &metadata)?;
            Some(metadata.permissions().mode() & 0o7777)
        }
        Err(_) => None,
    };
    sweep(folder, name);
    // Another process may remove the temporary file before it is locked; then write a new one.
    for attempt in 0.. {
        let temporary = durable(folder, name, bytes).map_err(failed)?;
        if let Some(mode) = mode.or(existing) {
            temporary
                .as_file()
                .set_permissions(Permissions::from_mode(mode))
                .map_err(failed)?;
        }
        if !still() {
            return Ok(false);
        }
        fault::point();
        match temporary.persist(&target) {
            Ok(_) => break,
            Err(error) if error.error.kind() == io::ErrorKind::NotFound && attempt < 8 => {}
            Err(error) => return Err(failed(error.error)),
        }
    }
    fault::point();
    sync_entries(folder).map_err(failed)?;
    Ok(true)
}

/// A locked temporary file in `folder` that contains `bytes`.
fn filled(folder: &Path, name: &OsStr, bytes: &[u8]) -> io::Result<NamedTempFile> {
    fault::point();
    let mut temporary = Builder::new()
        .prefix(&prefix(name))
        .suffix(SUFFIX)
        .permissions(Permissions::from_mode(NEW_FILE))
        .tempfile_in(folder)?;
    // The lock shows that the writer is alive; the system releases it when the writer dies.
    temporary.as_file().lock()?;
    fault::point();
    temporary.write_all(bytes)?;
    Ok(temporary)
}

/// Like [`filled`], but synced.
fn durable(folder: &Path, name: &OsStr, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let temporary = filled(folder, name, bytes)?;
    fault::point();
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Ending of the names of temporary files.
pub const SUFFIX: &str = ".aris-tmp";

fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    // Leave room for the random part and the suffix within the 255 bytes of a file name.
    prefix.push(if name.len() > 200 {
        OsStr::new("long")
    } else {
        name
    });
    prefix.push(".");
    prefix
}

/// Removes the temporary files of killed writers of `path`; those of living writers stay.
pub fn sweep_dead(path: &Path) -> Result<(), FsError> {
    let (folder, name) = split(path)?;
    sweep(folder, name);
    Ok(())
}

/// Removes the temporary files of killed writers anywhere in `folder`. The caller must hold a lock that keeps all other writers out.
///
/// Unlike [`sweep_dead`] it does not check whether a writer is alive: the system releases the locks of a killed process one after another,
/// so the folder's lock may be free while that of a temporary file is still held.
pub fn sweep_folder(folder: &Path) -> Result<(), FsError> {
    for entry in crate::list_sorted(folder)? {
        let name = entry.name.as_encoded_bytes();
        if name.starts_with(b".") && name.ends_with(SUFFIX.as_bytes()) {
            remove_file(&entry.path)?;
        }
    }
    Ok(())
}

/// Removes temporary files for the same target whose writers are dead.
fn sweep(folder: &Path, name: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let prefix = prefix(name);
    for entry in entries.flatten() {
        let found = entry.file_name();
        let found = found.as_encoded_bytes();
        if found.starts_with(prefix.as_encoded_bytes()) && found.ends_with(SUFFIX.as_bytes()) {
            let path = entry.path();
            if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
                // If another process removes it first, the result is the same.
                fs::remove_file(&path).unwrap_or_default();
            }
        }
    }
}

/// Resolves links to the file that a write must replace; the file itself need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(found) => Ok(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A file that appeared meanwhile is another writer's and not a link.
            if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
                // A dangling link: the write would create a file in a place that the caller did not check.
                return Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    "the path is a dangling link",
                ));
            }
            Ok(path.to_path_buf())
        }
        Err(error) => Err(error),
    }
}

/// The error for a directory in the place of the file: the data may be valid, but the disk prevents the write.
pub(crate) fn in_the_way(path: &Path) -> FsError {
    FsError::write("write", path, io::ErrorKind::IsADirectory.into())
}

fn split(path: &Path) -> Result<(&Path, &OsStr), FsError> {
    let name = path.file_name().ok_or_else(|| in_the_way(path))?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Ok((folder, name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, symlink};

    use aris_contract::failure::ErrorBody;
    use aris_contract::{ErrorKind, Failure as _};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("folder")
            .map(|entry| {
                entry
                    .expect("entry")
                    .file_name()
                    .into_string()
                    .expect("utf-8")
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_write_replaces_the_content_keeps_the_mode_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("report.json");
        write_atomic(&path, b"one").expect("created");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("mode");
        write_atomic(&path, b"two").expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"two");
        assert_eq!(
            fs::metadata(&path).expect("meta").permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(names(folder.path()), ["report.json"]);
    }

    #[test]
    fn a_link_is_written_through_and_a_dangling_one_is_refused() {
        let folder = tempfile::tempdir().expect("temp");
        let real = folder.path().join("real");
        let link = folder.path().join("link");
        fs::write(&real, b"old").expect("write");
        symlink(&real, &link).expect("link");
        write_atomic(&link, b"new").expect("written");
        assert_eq!(fs::read(&real).expect("read"), b"new");
        assert!(fs::symlink_metadata(&link).expect("meta").is_symlink());
        fs::remove_file(&real).expect("remove");
        assert!(write_atomic(&link, b"lost").is_err());
    }

    #[test]
    fn a_note_is_written_into_no_other_file_and_waits_for_nobody() {
        let folder = tempfile::tempdir().expect("temp");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("precious"), b"precious").expect("write");
        symlink(at("precious"), at("link")).expect("link");
        assert!(write_unsynced(&at("link"), b"x").is_err());
        symlink(at("nowhere"), at("dangling")).expect("link");
        assert!(write_unsynced(&at("dangling"), b"x").is_err() && !at("nowhere").exists());
        fs::hard_link(at("precious"), at("hard")).expect("hard link");
        write_unsynced(&at("hard"), b"note").expect("written");
        assert_eq!(fs::read(at("hard")).expect("read"), b"note");
        assert_eq!(fs::read(at("precious")).expect("read"), b"precious");
        write_unsynced(&at("hard"), b"no").expect("written");
        assert_eq!(fs::read(at("hard")).expect("read"), b"no");
        let fifo = at("fifo");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0)
            .expect("fifo");
        assert!(write_unsynced(&fifo, b"x").is_err());
        // A new file in place of the FIFO would leave its readers waiting forever.
        assert!(write_atomic(&fifo, b"x").is_err() && !holds(&fifo, b"x"));
        assert!(!fs::symlink_metadata(&fifo).expect("there").is_file());
        assert!(crate::append_unsynced(&fifo, "x").is_err());
        let journals = [
            crate::Journal::open(&fifo).map(drop),
            crate::Log::open(&fifo).map(drop),
        ];
        for journal in journals {
            let error = journal.expect_err("a FIFO");
            assert_eq!(error.kind(), ErrorKind::Precondition);
            assert!(ErrorBody::of(&error).message.ends_with(": it is a FIFO"));
        }
        let end = std::time::Instant::now();
        assert!(crate::Part::open(&fifo, end).is_err());
        assert!(crate::Part::open(&at("link"), end).is_err());
    }

    #[test]
    fn what_a_killed_writer_left_is_swept_and_a_living_writer_is_not() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("x");
        fs::write(folder.path().join(".x.dead.aris-tmp"), b"half").expect("write");
        let living = durable(folder.path(), OsStr::new("x"), b"being written").expect("filled");
        write_atomic(&path, b"whole").expect("written");
        assert!(living.path().exists());
        drop(living);
        assert_eq!(names(folder.path()), ["x"]);
    }

    #[test]
    fn a_new_file_never_takes_the_place_of_another() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("x");
        assert!(write_new(&path, b"first").expect("created"));
        assert!(!write_new(&path, b"second").expect("refused"));
        assert_eq!(fs::read(&path).expect("read"), b"first");
    }

    #[test]
    fn what_a_file_holds_already_is_not_written_again() {
        let temp = tempfile::tempdir().expect("temp");
        let path = temp.path().join("a/b/file");
        let file = || fs::metadata(&path).expect("file").ino();
        write_changed(&path, b"one").expect("write");
        let first = file();
        write_changed(&path, b"one").expect("the same");
        assert_eq!(file(), first);
        for other in [&b"on"[..], b"one more", b""] {
            assert!(!holds(&path, other));
            write_changed(&path, other).expect("write");
            assert!(holds(&path, other));
        }
        assert!(!holds(temp.path(), b"") && !holds(&path.join("none"), b""));
        assert!(write_changed(temp.path(), b"").is_err());
    }

    #[test]
    fn a_directory_and_an_absent_folder_are_errors_that_name_the_path() {
        let folder = tempfile::tempdir().expect("temp");
        let error = write_atomic(folder.path(), b"x").expect_err("refused");
        let message = ErrorBody::of(&error).message;
        assert!(message.contains("is a directory"), "{message}");
        assert_eq!(error.kind(), ErrorKind::Precondition);
        let error = write_atomic(&folder.path().join("no/such"), b"x")
            .expect_err("refused")
            .to_string();
        assert!(error.contains("no/such"), "{error}");
    }

    #[test]
    fn many_writers_leave_one_whole_content() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("x");
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write_atomic(path, &vec![b'a' + writer; 5000]).expect("written");
                    }
                });
            }
        });
        let content = fs::read(&path).expect("read");
        assert_eq!(content.len(), 5000);
        assert!(content.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(names(folder.path()), ["x"]);
    }
}
