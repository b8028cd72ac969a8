//! The journal: the history of a queue, one line for each event, append-only.
//!
//! ```text
//! {"seq":7,"time":"2026-11-20T17:00:00.123Z","event":{"start":{…}},"crc":"89abcdef"}
//! ```
//!
//! The checksum covers the line up to `,"crc"`. An incomplete end, left by a killed writer or a power cut, is removed. A damaged line
//! before a good one means that somebody else wrote into the file; reading it is then an error. One sync makes many lines durable.
//! **Source**: queue design §9.

use std::path::Path;

use aris_contract::failure::Told;
use aris_fs::{FsError, Log};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::problem::{Invalid, Problem};
use crate::state::Event;

/// The file's name in the queue's folder.
pub const FILE: &str = "journal.jsonl";

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<E = Event> {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// When it happened.
    pub time: Timestamp,
    /// What happened.
    pub event: E,
}

/// The journal of a queue, open for appending. Only one process may have it open: the manager, which holds the queue's lock.
#[derive(Debug)]
pub struct Journal {
    log: Log,
    next: u64,
    pending: String,
}

/// The result of [`Journal::open`].
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub journal: Journal,
    /// The events that it holds.
    pub entries: Vec<Entry>,
    /// Bytes of an incomplete end that were removed.
    pub torn: u64,
}

impl Journal {
    /// Opens the journal in the queue's folder, or creates it.
    pub fn open(folder: &Path) -> Result<Opened, Told> {
        let path = folder.join(FILE);
        let (mut log, bytes) = Log::open(&path)?;
        let (entries, good) = entries(&path, &bytes)?;
        let torn = bytes.len() as u64 - good;
        if torn > 0 {
            log.cut(good)?;
        }
        Ok(Opened {
            journal: Self {
                log,
                next: entries.last().map_or(0, |last| last.seq) + 1,
                pending: String::new(),
            },
            entries,
            torn,
        })
    }

    /// Reads the journal without opening it for writing, up to an incomplete end. Gives nothing when there is no journal.
    pub fn read(folder: &Path) -> Result<Vec<Entry>, Told> {
        let path = folder.join(FILE);
        let bytes = aris_fs::read_optional(&path, Log::LIMIT)?.unwrap_or_default();
        Ok(entries(&path, &bytes)?.0)
    }

    /// Adds an event in memory. The next [`Journal::sync`] writes it to the file, durably.
    pub fn push(&mut self, event: &Event, time: Timestamp) {
        let seq = self.next;
        // Serializing these types cannot fail.
        let text = serde_json::to_string(&Entry { seq, time, event }).unwrap_or_default();
        aris_fs::seal(&mut self.pending, &text);
        self.next += 1;
    }

    /// Writes all added events to the file, durably.
    ///
    /// **Errors**: the disk fails; then the file is unchanged, and a later call tries again.
    pub fn sync(&mut self) -> Result<(), FsError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.log.append(self.pending.as_bytes())?;
        self.pending.clear();
        Ok(())
    }

    /// Adds events and writes them durably, together with those added before.
    ///
    /// **Errors**: the disk fails; then these events are discarded.
    pub fn commit(&mut self, events: &[Event], time: Timestamp) -> Result<(), FsError> {
        let before = (self.next, self.pending.len());
        for event in events {
            self.push(event, time);
        }
        self.sync().inspect_err(|_| self.withdraw(before))
    }

    fn withdraw(&mut self, (next, length): (u64, usize)) {
        self.pending.truncate(length);
        self.next = next;
    }

    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        self.next - 1
    }

    /// Whether events were added since the last [`Journal::sync`].
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }
}

/// The entries, and the offset of the end of the last good line.
fn entries(path: &Path, bytes: &[u8]) -> Result<(Vec<Entry>, u64), Invalid> {
    let parse = |line: &[u8]| {
        let entry: Entry = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        Ok((entry.seq, entry))
    };
    let damaged = |line: usize, why: String| {
        let hint = "restore the file from a copy; or move the queue's folder away to begin anew, which forgets what ran";
        let problem = Problem {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: 0,
            message: format!("not a line of a queue's journal: {why}"),
            hint: Some(hint.to_owned()),
        };
        Invalid::new(path, vec![problem])
    };
    let (entries, good): (Vec<Entry>, u64) =
        aris_fs::sealed(bytes, parse).map_err(|wrong| damaged(wrong.line, wrong.why))?;
    match entries.first() {
        // The beginning of the file is missing, so it is unknown which jobs ran.
        Some(first) if first.seq != 1 => {
            Err(damaged(1, format!("it begins with event {}", first.seq)))
        }
        _ => Ok((entries, good)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: &str) -> Event {
        Event::Cancel { id: id.to_owned() }
    }

    fn written(folder: &Path, ids: &[&str]) {
        let mut opened = Journal::open(folder).expect("opened");
        for id in ids {
            opened.journal.push(&event(id), Timestamp::UNIX_EPOCH);
        }
        opened.journal.sync().expect("synced");
    }

    #[test]
    fn what_was_synced_is_read_again_in_order() {
        let folder = tempfile::tempdir().expect("temp");
        written(folder.path(), &["a", "b\n\"ü"]);
        written(folder.path(), &["c"]);
        let found = Journal::read(folder.path()).expect("read");
        let seqs: Vec<u64> = found.iter().map(|entry| entry.seq).collect();
        assert_eq!(seqs, [1, 2, 3]);
        assert_eq!(found[1].event, event("b\n\"ü"));
    }

    #[test]
    fn what_was_not_synced_did_not_happen() {
        let folder = tempfile::tempdir().expect("temp");
        let mut opened = Journal::open(folder.path()).expect("opened");
        opened.journal.push(&event("a"), Timestamp::UNIX_EPOCH);
        let before = (opened.journal.next, opened.journal.pending.len());
        opened.journal.push(&event("b"), Timestamp::UNIX_EPOCH);
        opened.journal.withdraw(before);
        opened.journal.push(&event("c"), Timestamp::UNIX_EPOCH);
        opened.journal.sync().expect("synced");
        let found = Journal::read(folder.path()).expect("read");
        assert_eq!((found.len(), found[1].seq), (2, 2));
        assert_eq!(found[1].event, event("c"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test damages the file")]
    fn any_prefix_loads_and_a_damaged_middle_does_not() {
        let folder = tempfile::tempdir().expect("temp");
        written(folder.path(), &["a", "b", "c"]);
        let path = folder.path().join(FILE);
        let whole = std::fs::read(&path).expect("read");
        let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("write");
            let opened = Journal::open(folder.path()).expect("any prefix");
            let lines = ends.iter().filter(|end| **end < cut).count();
            assert_eq!(opened.entries.len(), lines);
            let kept = ends.get(lines.wrapping_sub(1)).map_or(0, |end| end + 1);
            assert_eq!(opened.torn, (cut - kept) as u64);
            assert_eq!(std::fs::read(&path).expect("read").len(), kept);
        }
        let mut damaged = whole.clone();
        damaged[ends[0] + 10] ^= 1;
        std::fs::write(&path, &damaged).expect("write");
        let error = Journal::open(folder.path()).expect_err("damaged");
        assert!(error.to_string().contains(":2: "), "{error}");
        assert_eq!(std::fs::read(&path).expect("read"), damaged);
        std::fs::write(&path, &whole[ends[0] + 1..]).expect("write");
        let error = Journal::open(folder.path()).expect_err("the beginning is gone");
        assert!(error.to_string().contains("begins with event 2"), "{error}");
        // A complete last line with a wrong checksum was changed by somebody; null bytes in it are what a power cut leaves.
        for (byte, torn) in [(b'x', false), (0, true)] {
            damaged.clone_from(&whole);
            damaged[ends[1] + 10] = byte;
            std::fs::write(&path, &damaged).expect("write");
            assert_eq!(Journal::open(folder.path()).is_ok(), torn);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _read = entries(Path::new("j"), &bytes);
        }
    }
}
