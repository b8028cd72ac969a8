//! Bounded reads of regular files.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;

use crate::error::FsError;
use crate::fault;

/// Default limit for reading a whole file: 256 MiB. A larger `.bib`, `.tex` or JSON file is a mistake.
pub const READ_LIMIT: u64 = 256 << 20;

/// A regular file that is open for reading, with its metadata at that moment.
#[derive(Debug)]
pub struct Regular {
    path: PathBuf,
    file: File,
    metadata: Metadata,
}

/// Opens a regular file. Links are followed; a FIFO, socket, device or directory is refused without ever blocking.
///
/// **Errors**: [`FsError::NotFound`], [`FsError::NotRegular`], [`FsError::Read`].
pub fn open(path: &Path) -> Result<Regular, FsError> {
    // Checked before opening, because opening some devices has side effects, and checked again on the open file, because the
    // name may belong to another file by then.
    regular(
        path,
        &std::fs::metadata(path).map_err(|error| FsError::read("read", path, error))?,
    )?;
    // A FIFO that replaced the file between the two checks must not block the open.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
        .map_err(|error| FsError::read("read", path, error))?;
    let metadata = file
        .metadata()
        .map_err(|error| FsError::read("read", path, error))?;
    regular(path, &metadata)?;
    Ok(Regular {
        path: path.to_path_buf(),
        file,
        metadata,
    })
}

/// Whether links are followed when a file is opened for writing in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// For a file that the user named.
    Followed,
    /// For a file that this program keeps under a fixed name: a link there could lead to any of the user's files.
    Refused,
}

/// Opens a regular file for writing; never blocks on a FIFO in its place. Errors name the `action`.
///
/// **Errors**: [`FsError::Write`], [`FsError::NotRegular`].
pub(crate) fn open_for_writing(
    path: &Path,
    action: &'static str,
    links: Links,
    options: &mut OpenOptions,
) -> Result<(File, Metadata), FsError> {
    let failed = |error| FsError::write(action, path, error);
    let flags = match links {
        Links::Followed => OFlags::NONBLOCK,
        Links::Refused => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    fault::point();
    let file = options
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    regular(path, &metadata)?;
    Ok((file, metadata))
}

/// **Errors**: [`FsError::NotRegular`], with the kind of the file.
pub(crate) fn regular(path: &Path, metadata: &Metadata) -> Result<(), FsError> {
    let kind = metadata.file_type();
    let found = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    let path = path.to_path_buf();
    Err(FsError::NotRegular { path, found })
}

impl Regular {
    /// The path by which the file was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size, times and identity when it was opened.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// Reads the whole file, which must not be longer than `limit` bytes.
    pub fn read_all(self, limit: u64) -> Result<Vec<u8>, FsError> {
        // A file that is too long is not read at all.
        let expected = self.metadata.len();
        if expected > limit {
            let path = self.path;
            return Err(FsError::TooLarge { path, limit });
        }
        bounded(self.file, &self.path, expected, limit)
    }

    /// Reads at most `limit` bytes from byte `at` on; nothing if the file ends before `at`.
    pub fn read_from(mut self, at: u64, limit: u64) -> Result<Vec<u8>, FsError> {
        let mut bytes = Vec::new();
        self.file
            .seek(SeekFrom::Start(at))
            .and_then(|_| self.file.take(limit).read_to_end(&mut bytes))
            .map_err(|error| FsError::read("read", &self.path, error))?;
        Ok(bytes)
    }

    /// Reads the first `bytes` bytes, or fewer if the file is shorter.
    pub fn head(self, bytes: u64) -> Result<Vec<u8>, FsError> {
        self.read_from(0, bytes)
    }

    /// Reads the file in pieces of at most `buffer.len()` bytes and passes each to `each`.
    pub fn stream(self, buffer: &mut [u8], mut each: impl FnMut(&[u8])) -> Result<(), FsError> {
        self.stream_while(buffer, |piece| {
            each(piece);
            true
        })
    }

    /// Like [`Regular::stream`], until `each` returns `false`.
    pub fn stream_while(
        mut self,
        buffer: &mut [u8],
        mut each: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), FsError> {
        loop {
            match self.file.read(buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    if !each(buffer.get(..count).unwrap_or_default()) {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(FsError::read("read", &self.path, error)),
            }
        }
    }
}

/// Whether the file exists, is not empty, and does not contain `mark` (case is ignored) in its first 4 KiB: then others wrote it.
///
/// **Errors**: the file exists but cannot be read.
pub fn is_foreign(path: &Path, mark: &str) -> Result<bool, FsError> {
    let head = match open(path) {
        Ok(file) => file.head(4096)?,
        Err(error) if error.is_not_found() => return Ok(false),
        Err(error) => return Err(error),
    };
    let mark = mark.as_bytes();
    let found = head
        .windows(mark.len())
        .any(|window| window.eq_ignore_ascii_case(mark));
    Ok(!head.is_empty() && !found)
}

/// Reads a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    open(path)?.read_all(limit)
}

/// Like [`read`], for a file that people edit: many editors empty a file before they write it, so an empty file is read again for up
/// to 200 milliseconds.
pub fn read_settled(path: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    for _ in 0..10 {
        let bytes = read(path, limit)?;
        if !bytes.is_empty() {
            return Ok(bytes);
        }
        std::thread::sleep(SETTLES / 10);
    }
    read(path, limit)
}

/// Longest time for which a file is empty while an editor saves it.
const SETTLES: Duration = Duration::from_millis(200);

/// Like [`read`], but also reads a pipe that the caller opened for this process: `/dev/fd/63`, as in the shell's `<(…)`.
///
/// A named FIFO is refused: opening it could block forever.
pub fn read_given(path: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    let given = ["/dev/fd", "/proc/self/fd"]
        .iter()
        .any(|folder| path.starts_with(folder));
    let is_pipe = |metadata: Metadata| metadata.file_type().is_fifo();
    if !given || !std::fs::metadata(path).is_ok_and(is_pipe) {
        return read(path, limit);
    }
    let pipe = File::open(path).map_err(|error| FsError::read("read", path, error))?;
    bounded(pipe, path, 0, limit)
}

/// Reads an open file to its end. `expected` is its probable length; more than `limit` bytes are an error.
pub(crate) fn bounded(
    file: File,
    path: &Path,
    expected: u64,
    limit: u64,
) -> Result<Vec<u8>, FsError> {
    let room = usize::try_from(expected.min(limit)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(room.saturating_add(1));
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| FsError::read("read", path, error))?;
    if bytes.len() as u64 > limit {
        let path = path.to_path_buf();
        return Err(FsError::TooLarge { path, limit });
    }
    Ok(bytes)
}

/// Like [`read`], but `None` when the path does not exist. A dangling link is an error: [`FsError::NotRegular`].
pub fn read_optional(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FsError> {
    match read(path, limit) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_not_found() && !leads_nowhere(path) => Ok(None),
        Err(error) if error.is_not_found() => Err(FsError::NotRegular {
            path: path.to_path_buf(),
            found: "a link that leads to nothing",
        }),
        Err(error) => Err(error),
    }
}

/// Whether the path does not exist because it, or a folder above it, is a dangling link.
pub fn leads_nowhere(path: &Path) -> bool {
    let nearest = path
        .ancestors()
        .find_map(|path| Some((path, path.symlink_metadata().ok()?)));
    nearest.is_some_and(|(path, metadata)| metadata.is_symlink() && !path.exists())
}

/// Reads a regular UTF-8 file of at most [`READ_LIMIT`] bytes.
pub fn read_text(path: &Path) -> Result<String, FsError> {
    String::from_utf8(read(path, READ_LIMIT)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..offset).unwrap_or_default();
        FsError::NotUtf8 {
            path: path.to_path_buf(),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            offset,
        }
    })
}
