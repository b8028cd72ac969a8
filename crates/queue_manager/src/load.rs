//! A queue from its files: the manifest, and what the journal says happened.

use std::path::Path;

use aris_contract::hex::hex;
use aris_queue::grid::Plan;
use aris_queue::journal::{Journal, Past};
use aris_queue::manifest::{self, Manifest};
use aris_queue::problem::Invalid;
use aris_queue::state::{Event, Life, Queue};
use aris_queue::{snapshot, tree};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::lock::Parts;
use crate::place::Place;

/// A queue that is ready to go on.
pub(crate) struct Loaded {
    pub(crate) queue: Queue,
    pub(crate) journal: Journal,
    /// What a person should know about how it was found.
    pub(crate) notices: Vec<String>,
    /// Events that were replayed.
    pub(crate) replayed: u64,
    /// How the manifest differs from what ran.
    pub(crate) changes: Vec<String>,
    /// Attempts under way of jobs that the manifest no longer has: id and number.
    pub(crate) removed: Vec<(String, u32)>,
}

/// Reads a manifest; grids in it are expanded first.
pub(crate) fn manifest(path: &Path) -> Result<Manifest, Error> {
    let text = aris_fs::read_text(path)?;
    let invalid = |problems| Invalid::new(path, problems);
    let root = tree::read(&text).map_err(|problem| invalid(vec![problem]))?;
    if manifest::has_grid(&root) {
        let plan = Plan::read(&root).map_err(invalid)?;
        return Ok(manifest::parse(path, &plan.text())?);
    }
    Ok(manifest::read(&root).map_err(invalid)?)
}

/// Opens a queue for its manager, which holds its lock. `now` is the clock of the queue, `wall` the time of day.
pub(crate) fn open(
    place: &Place,
    manifest: Manifest,
    now: u64,
    wall: Timestamp,
) -> Result<Loaded, Error> {
    let opened = Journal::open(&place.queue)?;
    let mut loaded = Loaded {
        queue: Queue::new(manifest),
        journal: opened.journal,
        notices: Vec::new(),
        replayed: opened.past.entries.len() as u64,
        changes: Vec::new(),
        removed: Vec::new(),
    };
    if opened.torn > 0 {
        loaded.notices.push(format!(
            "the journal ended in {} bytes of a line that was never finished; they were cut off",
            opened.torn
        ));
    }
    if opened.past.is_empty() {
        loaded.import(place, now, wall)?;
        return Ok(loaded);
    }
    loaded.removed = replay(&mut loaded.queue, opened.past, place, now, wall)?;
    loaded.compare();
    Ok(loaded)
}

/// Replays a journal that somebody else may be writing.
pub(crate) fn look(
    place: &Place,
    manifest: Manifest,
    now: u64,
    wall: Timestamp,
) -> Result<Queue, Error> {
    let past = Journal::past(&place.queue)?;
    let mut queue = Queue::new(manifest);
    replay(&mut queue, past, place, now, wall)?;
    Ok(queue)
}

/// Gives the attempts that were begun, not ended, and belong to no job of the manifest.
fn replay(
    queue: &mut Queue,
    past: Past,
    place: &Place,
    now: u64,
    wall: Timestamp,
) -> Result<Vec<(String, u32)>, Error> {
    let mut removed = match past.checkpoint {
        Some(state) => queue.restore(state, now, wall),
        None => Vec::new(),
    };
    for entry in &past.entries {
        // A clock that was set back does not lengthen a pause.
        let late = wall.duration_since(entry.time).as_millis().max(0);
        let late = u64::try_from(late).unwrap_or(u64::MAX);
        let done = queue.apply(&entry.event, entry.time, now, late);
        done.map_err(|source| Error::Illegal {
            path: place.queue.clone(),
            source,
        })?;
        match &entry.event {
            Event::Start { id, attempt, .. } if queue.find(id).is_none() => {
                removed.push((id.clone(), *attempt));
            }
            Event::Ended { id, .. } | Event::Withdrawn { id, .. } | Event::Removed { id } => {
                removed.retain(|(known, _)| known != id);
            }
            _ => {}
        }
    }
    queue.tick(now);
    Ok(removed)
}

/// The digest by which a changed command is noticed: 16 hex digits of SHA-256.
pub(crate) fn command_digest(command: &str) -> String {
    hex(Sha256::digest(command).iter().take(8))
}

/// SHA-256 of a manifest, in hex.
pub(crate) fn digest(path: &Path) -> Result<String, Error> {
    let bytes = aris_fs::read(path, aris_fs::READ_LIMIT)?;
    Ok(hex(&Sha256::digest(&bytes)))
}

/// Whether the manifest is that of the last run, for those who want nothing else.
///
/// **Errors**: [`Error::Changed`].
pub(crate) fn unchanged(
    loaded: &Loaded,
    manifest: &Path,
    now: &Parts,
    before: &Parts,
) -> Result<(), Error> {
    let what = match loaded.changes.as_slice() {
        [] if before.manifest_sha256.is_empty() => return Ok(()),
        [] if before.manifest_sha256 == now.manifest_sha256 => return Ok(()),
        [] => String::from("its text differs, in nothing that has run"),
        changes => changes.join("; "),
    };
    Err(Error::Changed {
        path: manifest.to_path_buf(),
        what,
    })
}

impl Loaded {
    /// A state file without a journal: the reference's, or ours whose folder is gone.
    fn import(&mut self, place: &Place, now: u64, wall: Timestamp) -> Result<(), Error> {
        let Some(bytes) = aris_fs::read_optional(&place.state, aris_fs::READ_LIMIT)? else {
            return Ok(());
        };
        let text = String::from_utf8_lossy(&bytes);
        let (events, notices) = snapshot::import(&place.state, &text, &self.queue)?;
        for event in &events {
            self.queue
                .apply(event, wall, now, 0)
                .map_err(|source| Error::Illegal {
                    path: place.state.clone(),
                    source,
                })?;
            self.journal.push(event, wall);
        }
        if !events.is_empty() {
            self.notices.push(format!(
                "{} jobs were taken over as {} says",
                events.len(),
                place.state.display()
            ));
        }
        self.notices.extend(notices);
        Ok(())
    }

    /// Tells what changed in the manifest since the jobs ran.
    fn compare(&mut self) {
        let mut changed = Vec::new();
        for job in 0..self.queue.len() {
            let run = self.queue.run(job);
            let spec = &self.queue.manifest().jobs[job as usize];
            let other = run
                .command
                .as_deref()
                .is_some_and(|command| command != command_digest(&spec.cmd));
            if other && (run.life == Life::Completed || run.life.is_active()) {
                changed.push(spec.id.to_string());
            }
        }
        if let Some(first) = changed.first() {
            self.changes.push(format!(
                "the manifest has another command for {first:?}{} than the one that ran; retry runs the new one",
                more(changed.len())
            ));
        }
        let gone: Vec<&str> = self.queue.removed().collect();
        if let Some(first) = gone.first() {
            let notice = format!(
                "{first:?}{} ran and stands no longer in the manifest",
                more(gone.len())
            );
            self.changes.push(notice);
        }
    }
}

fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    }
}
