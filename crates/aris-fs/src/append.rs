//! Appends one line to a log, completely or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::error::FsError;
use crate::fault;
use crate::read::{self, Links};

/// The action that errors name.
const APPEND: &str = "append to";

/// Appends `line` and a line feed to the log at `path`, creating it, and makes it durable.
///
/// Writers exclude each other with a lock on the log itself. An incomplete last line (without line feed) of a killed writer is cut off
/// first, so that it does not damage the new one; but a complete JSON record that lacks only its line feed gets one. `line` must not
/// contain a line feed.
pub fn append_line(path: &Path, line: &str) -> Result<(), FsError> {
    let failed = |error| FsError::write(APPEND, path, error);
    let options = &mut OpenOptions::new();
    options.read(true).append(true).create(true);
    let (mut log, _) = read::open_for_writing(path, APPEND, Links::Followed, options)?;
    log.lock().map_err(failed)?;
    cut_torn_line(&mut log).map_err(failed)?;
    fault::point();
    log.write_all(format!("{line}\n").as_bytes())
        .map_err(failed)?;
    fault::point();
    log.sync_data().map_err(failed)
}

/// Appends `text` to the file at `path` with a single write, creates it if absent, and makes the text durable. Nothing is cut off,
/// because people and other programs write to such files as well.
pub fn append_text(path: &Path, text: &str) -> Result<(), FsError> {
    append(path, text, true)
}

/// Like [`append_text`], but not durable: for text that may be lost in a power failure.
pub fn append_unsynced(path: &Path, text: &str) -> Result<(), FsError> {
    append(path, text, false)
}

fn append(path: &Path, text: &str, durable: bool) -> Result<(), FsError> {
    let failed = |error| FsError::write(APPEND, path, error);
    let options = &mut OpenOptions::new();
    options.append(true).create(true);
    let (mut file, _) = read::open_for_writing(path, APPEND, Links::Followed, options)?;
    fault::point();
    file.write_all(text.as_bytes()).map_err(failed)?;
    if durable {
        fault::point();
        file.sync_data().map_err(failed)?;
    }
    Ok(())
}

fn cut_torn_line(log: &mut File) -> io::Result<()> {
    let full = log.seek(SeekFrom::End(0))?;
    let (end, last) = unended(log, full)?;
    if end < full {
        fault::point();
        if is_record(&last) {
            log.write_all(b"\n")?;
        } else {
            log.set_len(end)?;
        }
    }
    Ok(())
}

/// The bytes after the last line feed of a log of `full` bytes, and the offset at which they begin.
fn unended(log: &mut File, full: u64) -> io::Result<(u64, Vec<u8>)> {
    let start = start_of_line(log, full)?;
    let mut last = Vec::new();
    log.seek(SeekFrom::Start(start))?;
    // Our records are never longer.
    log.take((full - start).min(64 << 20))
        .read_to_end(&mut last)?;
    Ok((start, last))
}

/// Whether a line without its line feed is a complete record, which is a JSON object.
#[must_use]
pub fn is_record(line: &[u8]) -> bool {
    let read = serde_json::from_slice::<serde_json::Value>(line);
    read.is_ok_and(|record| record.is_object())
}

/// Start of the line that ends at byte `end`. Reads backwards from there.
fn start_of_line(log: &mut File, mut end: u64) -> io::Result<u64> {
    let mut block = [0_u8; 4096];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let wanted = usize::try_from(end - start).unwrap_or(block.len());
        let piece = block.get_mut(..wanted).unwrap_or_default();
        log.seek(SeekFrom::Start(start))?;
        log.read_exact(piece)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// The last complete line of the log at `path`, without its line feed; `None` when there is none.
///
/// Reads from the end, so that the cost does not grow with the log.
pub fn last_line(path: &Path) -> Result<Option<String>, FsError> {
    let failed = |error| FsError::read("read", path, error);
    let mut log = match read::open(path) {
        Ok(log) => log.into_file(),
        Err(error) if error.is_not_found() => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut line = Vec::new();
    let read = (|| {
        let full = log.seek(SeekFrom::End(0))?;
        // After the last line feed there may be nothing, an incomplete line, or a record that lacks only its line feed.
        let (start, last) = unended(&mut log, full)?;
        if is_record(&last) {
            line = last;
            return Ok(true);
        }
        let Some(end) = start.checked_sub(1) else {
            return Ok(false);
        };
        let start = start_of_line(&mut log, end)?;
        log.seek(SeekFrom::Start(start))?;
        (&log).take(end - start).read_to_end(&mut line)?;
        Ok(true)
    })();
    let found = read.map_err(failed)?;
    Ok(found.then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_cut_off() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("log");
        for (before, after) in [
            (String::new(), "new\n".to_owned()),
            ("whole\n".to_owned(), "whole\nnew\n".to_owned()),
            ("whole\nto".to_owned(), "whole\nnew\n".to_owned()),
            ("torn".to_owned(), "new\n".to_owned()),
            (
                "{\"whole\": 1}".to_owned(),
                "{\"whole\": 1}\nnew\n".to_owned(),
            ),
            ("{\"torn\": 1".to_owned(), "new\n".to_owned()),
            (
                format!("whole\n{}", "t".repeat(10_000)),
                "whole\nnew\n".to_owned(),
            ),
        ] {
            std::fs::write(&path, before).expect("write");
            append_line(&path, "new").expect("appended");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), after);
        }
    }

    #[test]
    fn the_last_line_is_the_last_whole_one() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("log");
        assert_eq!(last_line(&path).expect("absent"), None);
        let long = "x".repeat(9000);
        for (text, expected) in [
            ("", None),
            ("torn", None),
            ("a\n", Some("a")),
            ("a\nb\ntorn", Some("b")),
            ("a\n{\"whole\": 1}", Some("{\"whole\": 1}")),
            ("a\n{\"torn\": 1", Some("a")),
            (&format!("a\n{long}\n{long}"), Some(long.as_str())),
        ] {
            std::fs::write(&path, text).expect("write");
            assert_eq!(last_line(&path).expect("read").as_deref(), expected);
        }
    }

    #[test]
    fn lines_of_many_writers_stay_whole() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("log");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..10 {
                        append_line(path, &format!("{writer}:{line}:{}", "x".repeat(3000)))
                            .expect("appended");
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).expect("read");
        assert_eq!(text.lines().count(), 80);
        assert!(text.lines().all(|line| line.len() == 3004));
    }
}
