//! The parts of a journal, and the checkpoint that stands for all but the last.

use std::path::{Path, PathBuf};

use aris_fs::Log;

use super::lines::{Entry, entries};
use super::{FILE, JournalError};
use crate::state::Checkpoint;
use crc32fast::hash as crc32;

/// The state of the queue at the end of the parts before, beside the journal.
pub const CHECKPOINT: &str = "checkpoint.json";

/// What happened before: a state, and the events after it.
#[derive(Debug, Default)]
pub struct Past {
    /// The state; `None`: of a queue of which nothing had happened.
    pub checkpoint: Option<Checkpoint>,
    /// The events since then.
    pub entries: Vec<Entry>,
}

impl Past {
    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        let before = self.checkpoint.as_ref().map_or(0, |state| state.seq);
        self.entries.last().map_or(before, |entry| entry.seq)
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.seq() == 0
    }
}

pub(super) fn part(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("journal.{number}.jsonl"))
}

/// Numbers of the parts before, ascending.
pub(super) fn parts(folder: &Path) -> Result<Vec<u32>, JournalError> {
    let entries = match aris_fs::list_sorted(folder) {
        Err(error) if error.is_not_found() => Vec::new(),
        other => other?,
    };
    let numbers = entries.iter().filter_map(|entry| {
        let name = entry.name.to_str()?;
        let number = name.strip_prefix("journal.")?.strip_suffix(".jsonl")?;
        number.parse().ok()
    });
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    Ok(numbers)
}

pub(super) fn read(path: &Path) -> Result<Vec<Entry>, JournalError> {
    let bytes = aris_fs::read_optional(path, Log::LIMIT)?.unwrap_or_default();
    Ok(entries(path, &bytes)?.0)
}

/// The checkpoint, when there is one that fits, with the events after it; else all events. `newest` is the part being written.
pub(super) fn past(folder: &Path, newest: Vec<Entry>) -> Result<Past, JournalError> {
    let Some(checkpoint) = checkpoint(folder)? else {
        return Ok(Past {
            checkpoint: None,
            entries: joined(folder, newest)?,
        });
    };
    let next = checkpoint.seq + 1;
    let mut entries = newest;
    if entries.first().is_none_or(|entry| entry.seq > next) {
        // The part before may have gone on after the checkpoint, when the next could not be begun.
        let mut before = match parts(folder)?.last() {
            None => Vec::new(),
            Some(last) => read(&part(folder, *last))?,
        };
        before.append(&mut entries);
        entries = before;
    }
    // What the checkpoint stands for: whoever wrote it died before the next part was begun.
    entries.retain(|entry| entry.seq > checkpoint.seq);
    contiguous(folder, &entries, next)?;
    Ok(Past {
        checkpoint: Some(checkpoint),
        entries,
    })
}

/// `None`: there is none, or it is damaged, and the parts before say the same.
fn checkpoint(folder: &Path) -> Result<Option<Checkpoint>, JournalError> {
    let bytes = aris_fs::read_optional(&folder.join(CHECKPOINT), Log::LIMIT)?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(text) = text else {
        return Ok(None);
    };
    let state = text
        .strip_prefix("{\"crc\":\"")
        .and_then(|rest| rest.split_once("\",\"state\":"))
        .and_then(|(crc, rest)| {
            let state = rest.strip_suffix("}\n")?;
            let stated = u32::from_str_radix(crc, 16).ok()?;
            (crc32(state.as_bytes()) == stated).then_some(state)
        });
    Ok(state.and_then(|state| serde_json::from_str(state).ok()))
}

/// The events of all parts.
pub(super) fn joined(folder: &Path, newest: Vec<Entry>) -> Result<Vec<Entry>, JournalError> {
    let mut all = Vec::new();
    for number in parts(folder)? {
        all.extend(read(&part(folder, number))?);
    }
    all.extend(newest);
    contiguous(folder, &all, 1)?;
    Ok(all)
}

fn contiguous(folder: &Path, entries: &[Entry], first: u64) -> Result<(), JournalError> {
    match (first..)
        .zip(entries)
        .find(|(seq, entry)| *seq != entry.seq)
    {
        None => Ok(()),
        Some((seq, entry)) => Err(JournalError::Damaged {
            path: folder.join(FILE),
            line: 1,
            why: format!(
                "a part is missing: event {} comes where {seq} should",
                entry.seq
            ),
        }),
    }
}
