//! A file that records the steps of a running operation: lock and journal in one.
//!
//! It exists while a process works, and after a process that was killed. Its lines then say which steps may be incomplete.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::error::FsError;
use crate::fault;
use crate::lock;
use crate::read::{self, Links};
use crate::write;

/// The action that errors name.
const OPEN: &str = "open journal";

/// An open journal. The lock ends with the process; [`Journal::finish`] removes the file.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens or creates the journal and locks it; a link or anything else that is not a regular file is refused.
    ///
    /// **Errors**: [`FsError::Locked`] when another process has it, [`FsError::Write`].
    pub fn open(path: &Path) -> Result<Self, FsError> {
        loop {
            let options = &mut OpenOptions::new();
            options.read(true).append(true).create(true);
            let (file, _) = read::open_for_writing(path, OPEN, Links::Refused, options)
                .map_err(|error| error.in_the_way(OPEN))?;
            lock::try_lock(&file, path, OPEN)?;
            // The previous holder may have removed the file between our open and lock: then this lock excludes nobody.
            if lock::is_current(&file, path) {
                let path = path.to_path_buf();
                return Ok(Self { file, path });
            }
        }
    }

    /// The complete lines; an incomplete last line of a killed writer is left out.
    pub fn lines(&mut self) -> Result<Vec<String>, FsError> {
        let failed = |error| FsError::read("read", &self.path, error);
        let mut text = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        (&self.file)
            .take(read::READ_LIMIT)
            .read_to_end(&mut text)
            .map_err(failed)?;
        Ok(whole_lines(&text))
    }

    /// Adds a line and makes it durable. `line` must not contain a line feed.
    pub fn append(&mut self, line: &str) -> Result<(), FsError> {
        let failed = |error| FsError::write("write", &self.path, error);
        // The leading line feed separates it from an incomplete line before it.
        let line = format!("\n{line}\n");
        fault::point();
        self.file.write_all(line.as_bytes()).map_err(failed)?;
        fault::point();
        self.file.sync_data().map_err(failed)?;
        write::sync_dir(self.path.parent().unwrap_or(Path::new("/")))
    }

    /// Removes the file, and with it the lock.
    pub fn finish(self) -> Result<(), FsError> {
        write::remove_file(&self.path)
    }
}

/// The lines of the journal at `path`, read without locking; empty when it is absent.
///
/// **Errors**: as [`read`](crate::read).
pub fn journal_lines(path: &Path) -> Result<Vec<String>, FsError> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(FsError::NotRegular {
            path: path.to_path_buf(),
            found: "a link",
        });
    }
    let text = read::read_optional(path, read::READ_LIMIT)?;
    Ok(whole_lines(&text.unwrap_or_default()))
}

fn whole_lines(text: &[u8]) -> Vec<String> {
    text.split_inclusive(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_suffix(b"\n"))
        .filter_map(|line| String::from_utf8(line.to_vec()).ok())
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_refused_and_torn_lines_are_left_out() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join(".journal");
        let mut first = Journal::open(&path).expect("free");
        assert!(matches!(Journal::open(&path), Err(FsError::Locked { .. })));
        first.append("one").expect("appended");
        first.file.write_all(b"torn").expect("written");
        drop(first);
        let mut second = Journal::open(&path).expect("free again");
        assert_eq!(second.lines().expect("lines"), ["one"]);
        second.append("two").expect("appended");
        assert_eq!(journal_lines(&path).expect("lines"), ["one", "torn", "two"]);
        second.finish().expect("removed");
        assert!(journal_lines(&path).expect("none").is_empty());
    }

    #[test]
    fn a_link_is_never_written_through() {
        let folder = tempfile::tempdir().expect("temp");
        let (path, other) = (folder.path().join("journal"), folder.path().join("other"));
        fs::write(&other, "precious\n").expect("write");
        std::os::unix::fs::symlink(&other, &path).expect("link");
        assert!(Journal::open(&path).is_err() && journal_lines(&path).is_err());
        assert_eq!(fs::read(&other).expect("read"), b"precious\n");
    }

    #[test]
    fn many_holders_take_turns() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("journal");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut turns = 0;
                    while turns < 50 {
                        let Ok(journal) = Journal::open(&path) else {
                            std::thread::yield_now();
                            continue;
                        };
                        let before = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        assert_eq!(before, 0, "two holders at once");
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        journal.finish().expect("removed");
                        turns += 1;
                    }
                });
            }
        });
    }
}
