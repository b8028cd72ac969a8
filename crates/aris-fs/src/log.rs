//! A log that stays open: many lines per sync.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::FsError;
use crate::fault;
use crate::read::{self, Links};
use crate::write;

/// An append-only file, kept open by its only writer. The caller ensures that there is only one.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    length: u64,
}

impl Log {
    /// Largest log that can be opened, in bytes: 4 GiB, the size after some two thousand nights of a large queue.
    pub const LIMIT: u64 = 4 << 30;

    /// Opens or creates the log durably, and returns its content. A link or anything but a regular file is refused.
    /// **Errors**: [`FsError::Write`], [`FsError::TooLarge`].
    pub fn open(path: &Path) -> Result<(Self, Vec<u8>), FsError> {
        let options = &mut OpenOptions::new();
        options.read(true).append(true).create(true);
        let (file, metadata) = read::open_for_writing(path, "open", Links::Refused, options)
            .map_err(|error| error.in_the_way("open"))?;
        if metadata.len() > Self::LIMIT {
            return Err(FsError::TooLarge {
                path: path.to_path_buf(),
                limit: Self::LIMIT,
            });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        (&file)
            .take(Self::LIMIT)
            .read_to_end(&mut bytes)
            .map_err(|error| FsError::write("open", path, error))?;
        write::sync_dir(path.parent().unwrap_or(Path::new("/")))?;
        Ok((
            Self {
                file,
                path: path.to_path_buf(),
                length: bytes.len() as u64,
            },
            bytes,
        ))
    }

    /// Appends `bytes` and makes them durable.
    ///
    /// **Errors**: [`FsError::Write`]; the log then has its old length, so that the append can be tried again.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), FsError> {
        fault::point();
        let written = self.file.write_all(bytes).and_then(|()| {
            fault::point();
            self.file.sync_data()
        });
        if let Err(error) = written {
            // If it cannot be cut now, the next one who opens the log cuts the incomplete line.
            self.file.set_len(self.length).unwrap_or_default();
            return Err(FsError::write("append to", &self.path, error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Cuts the log to its first `length` bytes, durably.
    pub fn cut(&mut self, length: u64) -> Result<(), FsError> {
        fault::point();
        self.file
            .set_len(length)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| FsError::write("cut", &self.path, error))?;
        self.length = length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_grows_and_is_cut() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("log");
        let (mut log, found) = Log::open(&path).expect("created");
        assert!(found.is_empty());
        log.append(b"one\ntw").expect("appended");
        log.cut(4).expect("cut");
        log.append(b"two\n").expect("appended");
        assert_eq!(Log::open(&path).expect("opened").1, b"one\ntwo\n");
    }

    #[test]
    fn a_link_is_never_written_through() {
        let folder = tempfile::tempdir().expect("temp");
        let (path, other) = (folder.path().join("log"), folder.path().join("other"));
        std::fs::write(&other, "precious\n").expect("write");
        std::os::unix::fs::symlink(&other, &path).expect("link");
        assert!(Log::open(&path).is_err());
        assert!(Log::open(folder.path()).is_err());
        assert_eq!(std::fs::read(&other).expect("read"), b"precious\n");
    }
}
