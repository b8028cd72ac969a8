//! Logs of jobs, which may be large and still growing; read from the end.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Bytes at the end of a log in which the last lines are looked for.
const WINDOW: u64 = 64 << 10;

/// An open log.
pub(crate) struct LogFile {
    file: File,
}

impl LogFile {
    /// Opens a log; `None`: it does not exist, or is no regular file.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file: File = rustix::fs::open(path, flags, Mode::empty()).ok()?.into();
        let is_file = file.metadata().ok()?.is_file();
        is_file.then_some(Self { file })
    }

    /// Its current length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    /// The bytes from `at` on, at most one window. Empty if they cannot be read; the caller may try again.
    pub(crate) fn from(&self, at: u64) -> Vec<u8> {
        let left = self.length().saturating_sub(at).min(WINDOW);
        let (mut file, mut bytes) = (&self.file, Vec::new());
        if file.seek(SeekFrom::Start(at)).is_ok() {
            // What was read before an error is used.
            file.take(left).read_to_end(&mut bytes).unwrap_or_default();
        }
        bytes
    }

    /// Offset of the last lines: at most `lines` lines, within the last 64 KiB.
    pub(crate) fn last(&self, lines: usize) -> u64 {
        let start = self.length().saturating_sub(WINDOW);
        let bytes = self.from(start);
        let body = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let backwards = (0..body.len()).rev();
        let mut breaks = backwards.filter(|at| body.get(*at) == Some(&b'\n'));
        let from = match lines.checked_sub(1) {
            None => bytes.len(),
            Some(before) => breaks.nth(before).map_or(0, |at| at + 1),
        };
        start + from as u64
    }

    /// The last lines as text: at most `lines` lines, within the last 64 KiB. Bytes that are not UTF-8 are replaced.
    pub(crate) fn tail(&self, lines: usize) -> String {
        let bytes = self.from(self.last(lines));
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        lines.join("\n")
    }
}

/// Splits a growing text into lines. A carriage return also ends a line, so that progress bars are shown as they advance.
#[derive(Default)]
pub(crate) struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// The lines that this piece completes. A line is empty only if a newline follows another newline.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for byte in piece {
            match byte {
                b'\r' if self.rest.is_empty() => {}
                b'\r' => lines.extend(self.end()),
                b'\n' => lines.push(self.end().unwrap_or_default()),
                byte => self.rest.push(*byte),
            }
        }
        lines
    }

    /// The incomplete rest.
    pub(crate) fn end(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.rest);
        (!rest.is_empty()).then(|| String::from_utf8_lossy(&rest).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_log_is_read() {
        let folder = tempfile::tempdir().expect("temp");
        let path = folder.path().join("log");
        assert!(LogFile::open(&path).is_none() && LogFile::open(folder.path()).is_none());
        let lines: Vec<String> = (0..20_000).map(|line| format!("line {line}\n")).collect();
        let text = lines.concat();
        aris_fs::write_atomic(&path, text.as_bytes()).expect("written");
        let log = LogFile::open(&path).expect("there");
        assert_eq!(log.tail(2), "line 19998\nline 19999");
        let end = text.len() as u64;
        assert_eq!((log.last(0), log.last(1)), (end, end - 11));
        assert!(log.from(end).is_empty());
        assert_eq!(log.from(end - 6), b"19999\n");
        assert!(log.tail(usize::MAX).len() <= 64 << 10);
        aris_fs::write_atomic(&path, b"a\nb").expect("written");
        let log = LogFile::open(&path).expect("there");
        assert_eq!((log.tail(1).as_str(), log.tail(9).as_str()), ("b", "a\nb"));
    }

    #[test]
    fn pieces_come_together_to_lines() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"a\n\nb"), ["a", ""]);
        assert_eq!(lines.push(b"c\r10%\r20%"), ["bc", "10%"]);
        assert_eq!(lines.end().as_deref(), Some("20%"));
        assert_eq!(lines.end(), None);
        assert_eq!(
            lines.push("é".as_bytes().get(..1).expect("a byte")),
            [""; 0]
        );
        assert_eq!(lines.push(&[0xA9, b'\n']), ["é"]);
    }
}
