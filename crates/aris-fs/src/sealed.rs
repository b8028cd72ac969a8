//! Lines of JSON with a number and a checksum, for a journal on a [`Log`](crate::Log).
//!
//! ```text
//! {"seq":7,…,"crc":"89abcdef"}
//! ```
//!
//! The checksum covers everything before `,"crc"`. An incomplete end that a killed writer or a power failure left (without line feed,
//! or with zero bytes) is not among the good lines. Any other damaged line means that somebody else wrote into the file; then the whole
//! file is an error.

use std::fmt::Write as _;

use crc32fast::hash as crc32;

/// Length of `,"crc":"89abcdef"}` in bytes.
const TAIL: usize = 18;

/// A damaged line that is not an incomplete end, or a line whose number does not follow the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

/// Appends a line for `object`: a JSON object on one line that begins with its number and has no key `crc`.
pub fn seal(to: &mut String, object: &str) {
    let body = object.strip_suffix('}').unwrap_or(object);
    let crc = crc32(body.as_bytes());
    // Writing to a String cannot fail.
    writeln!(to, "{body},\"crc\":\"{crc:08x}\"}}").unwrap_or_default();
}

/// The lines, and the offset of the end of the last good one. `parse` returns the number and the value of a line; its argument still
/// has the key `crc`. The numbers must not have gaps.
///
/// **Errors**: the first damaged line that is not an incomplete end.
pub fn sealed<T>(
    bytes: &[u8],
    parse: impl Fn(&[u8]) -> Result<(u64, T), String>,
) -> Result<(Vec<T>, u64), DamagedLine> {
    let mut found: Vec<T> = Vec::new();
    let mut expected: Option<u64> = None;
    let (mut good, mut at) = (0, 0);
    let mut bad: Option<DamagedLine> = None;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        at += text.len();
        match (checked(text).and_then(&parse), bad.take()) {
            (Ok(_), Some(bad)) => return Err(bad),
            (Ok((seq, value)), None) => {
                if let Some(expected) = expected.filter(|expected| *expected != seq) {
                    let why = format!("it is number {seq}, not {expected}");
                    return Err(DamagedLine { line, why });
                }
                expected = seq.checked_add(1);
                found.push(value);
                good = at;
            }
            (Err(why), before) => {
                let damaged = before.unwrap_or(DamagedLine { line, why });
                if text.ends_with(b"\n") && !text.contains(&0) {
                    return Err(damaged);
                }
                bad = Some(damaged);
            }
        }
    }
    Ok((found, good as u64))
}

fn checked(line: &[u8]) -> Result<&[u8], String> {
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
    Ok(line)
}
