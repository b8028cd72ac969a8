//! The lines of a journal.

use std::fmt::Write as _;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::JournalError;
use crate::state::Event;
use crc32fast::hash as crc32;

/// Bytes of `,"crc":"89abcdef"}`.
const TAIL: usize = 18;

/// An event as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// From 1, without gaps.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// What.
    pub event: Event,
}

#[derive(Serialize)]
struct Line<'a> {
    seq: u64,
    time: Timestamp,
    event: &'a Event,
}

/// Adds the line of an event.
pub(super) fn write(to: &mut String, seq: u64, time: Timestamp, event: &Event) {
    if let Ok(text) = serde_json::to_string(&Line { seq, time, event }) {
        let body = text.strip_suffix('}').unwrap_or(&text);
        let crc = crc32(body.as_bytes());
        // Writing to a String cannot fail.
        writeln!(to, "{body},\"crc\":\"{crc:08x}\"}}").unwrap_or_default();
    }
}

/// The entries, and the number of bytes up to the end of the last good line.
pub(super) fn entries(path: &Path, bytes: &[u8]) -> Result<(Vec<Entry>, u64), JournalError> {
    let mut entries: Vec<Entry> = Vec::new();
    let (mut good, mut at) = (0, 0);
    let mut bad: Option<(usize, String)> = None;
    let damaged = |line, why| {
        Err(JournalError::Damaged {
            path: path.to_path_buf(),
            line,
            why,
        })
    };
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        at += line.len();
        match (entry(line), bad.take()) {
            // A line that is right after one that is not: the file was not torn but changed.
            (Ok(_), Some((line, why))) => return damaged(line, why),
            (Ok(entry), None) => {
                let expected = entries.last().map_or(entry.seq, |entry| entry.seq + 1);
                if entry.seq != expected {
                    return damaged(
                        number,
                        format!("it is number {}, not {expected}", entry.seq),
                    );
                }
                entries.push(entry);
                good = at;
            }
            (Err(why), before) => bad = before.or(Some((number, why))),
        }
    }
    Ok((entries, good as u64))
}

fn entry(line: &[u8]) -> Result<Entry, String> {
    let line = line
        .strip_suffix(b"\n")
        .ok_or_else(|| String::from("it has no end"))?;
    let (body, tail) = line
        .split_at_checked(line.len().saturating_sub(TAIL))
        .ok_or_else(|| String::from("too short"))?;
    let stated = tail
        .strip_prefix(b",\"crc\":\"")
        .and_then(|rest| rest.strip_suffix(b"\"}"))
        .and_then(|hex| std::str::from_utf8(hex).ok())
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
        .ok_or_else(|| String::from("it has no checksum"))?;
    if crc32(body) != stated {
        return Err(String::from("its checksum is wrong"));
    }
    // The checksum is one more key that nobody asks for.
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _read = entries(Path::new("j"), &bytes);
        }
    }
}
