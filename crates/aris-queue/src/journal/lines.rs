//! The lines of a journal.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::JournalError;
use crate::state::Event;

/// An event as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<E = Event> {
    /// From 1, without gaps.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// What.
    pub event: E,
}

/// Adds the line of an event.
pub(super) fn write(to: &mut String, seq: u64, time: Timestamp, event: &Event) {
    if let Ok(text) = serde_json::to_string(&Entry { seq, time, event }) {
        aris_fs::seal(to, &text);
    }
}

/// The entries, and the number of bytes up to the end of the last good line.
pub(super) fn entries(path: &Path, bytes: &[u8]) -> Result<(Vec<Entry>, u64), JournalError> {
    let parse = |line: &[u8]| {
        let entry: Entry = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        Ok((entry.seq, entry))
    };
    let damaged = |line, why| JournalError::Damaged {
        path: path.to_path_buf(),
        line,
        why,
    };
    let (entries, good): (Vec<Entry>, u64) =
        aris_fs::sealed(bytes, parse).map_err(|wrong| damaged(wrong.line, wrong.why))?;
    match entries.first() {
        // What came before is gone, and with it what ran.
        Some(first) if first.seq != 1 => {
            Err(damaged(1, format!("it begins with event {}", first.seq)))
        }
        _ => Ok((entries, good)),
    }
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
