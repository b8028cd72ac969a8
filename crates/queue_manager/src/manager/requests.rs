//! Requests of people to a queue. Each is a file, so that it works over network file systems and while no manager runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_queue::state::{Event, Queue, State};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::error::Error;
use crate::load;
use crate::place::Place;

/// Most bytes of a request; enough for a million ids.
const LIMIT: u64 = 256 << 20;

/// How long an answer is kept that nobody reads.
const ANSWER_KEPT: Duration = Duration::from_mins(1);

/// A request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Start no new jobs.
    Pause,
    /// Start jobs again.
    Resume,
    /// Limit the jobs with cards that run at once; `None`: as the manifest says.
    MaxParallel(Option<u32>),
    /// Change the manifest.
    Change(Change),
    /// Do this with these jobs.
    #[serde(untagged)]
    Jobs(BTreeMap<Verb, Vec<String>>),
}

/// What can be done with jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verb {
    /// Cancel them.
    Cancel,
    /// Retry them, except those that completed with their current command.
    Retry,
    /// Retry them, completed or not.
    Again,
    /// Hold them back.
    Hold,
    /// Release them.
    Release,
}

impl Verb {
    /// The command's name, and the word for a job after it.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Cancel => ("cancel", "cancelled"),
            Self::Retry | Self::Again => ("retry", "tried again"),
            Self::Hold => ("hold", "held"),
            Self::Release => ("release", "released"),
        }
    }

    /// Whether it can be done with the job in its state. A blocked job can be held or cancelled, because it may run later.
    pub(crate) fn fits(self, queue: &Queue, job: u32) -> bool {
        let (state, held) = (queue.state(job), queue.run(job).held);
        let blocked = state == State::Blocked;
        match self {
            Self::Cancel => blocked || !state.is_final() && state != State::Cancelling,
            Self::Retry | Self::Again => state.is_final() && !blocked || state == State::Backoff,
            Self::Hold => {
                blocked && !held || matches!(state, State::Waiting | State::Ready | State::Backoff)
            }
            Self::Release => state == State::Hold || blocked && held,
        }
    }

    /// Whether the job is already in the wanted state.
    fn is_done(self, queue: &Queue, job: u32) -> bool {
        let state = queue.state(job);
        match self {
            Self::Cancel => matches!(state, State::Cancelled | State::Cancelling),
            Self::Retry | Self::Again => matches!(state, State::Waiting | State::Ready),
            Self::Release => !queue.run(job).held && (!state.is_final() || state == State::Blocked),
            Self::Hold => matches!(state, State::Hold | State::Blocked),
        }
    }

    fn event(self, id: String) -> Event {
        match self {
            Self::Cancel => Event::Cancel { id },
            Self::Retry | Self::Again => Event::Retry { id },
            Self::Hold => Event::Hold { id, held: true },
            Self::Release => Event::Hold { id, held: false },
        }
    }
}

/// Writes a request for the manager. Its name begins with the time, so that requests are in order.
pub(crate) fn leave(place: &Place, request: &Request, time: Timestamp) -> Result<PathBuf, Error> {
    let folder = place.requests();
    aris_fs::create_dir(&folder)?;
    let name = format!("{:020}-{}.json", time.as_nanosecond(), std::process::id());
    let path = folder.join(name);
    let bytes = serde_json::to_vec(request).unwrap_or_default();
    aris_fs::write_atomic(&path, &bytes)?;
    Ok(path)
}

/// Writes the answer to a request: the lines about what was refused. Called before the request is removed.
pub(crate) fn answer(path: &Path, refused: &[String]) {
    if refused.is_empty() {
        return;
    }
    let bytes = serde_json::to_vec(refused).unwrap_or_default();
    // If this fails, the state file still shows the result.
    aris_fs::replace_unsynced(&answer_to(path), &bytes).unwrap_or_default();
}

/// Reads and removes the answer to a request that was carried out; empty if nothing was refused, or if it cannot be read.
pub(crate) fn take_answer(path: &Path) -> Vec<String> {
    let path = answer_to(path);
    let answer = aris_fs::read(&path, LIMIT).ok();
    aris_fs::remove_file(&path).unwrap_or_default();
    let answer = answer.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    answer.unwrap_or_default()
}

fn answer_to(path: &Path) -> PathBuf {
    path.with_extension("answer")
}

/// Removes answers that nobody has read.
pub(crate) fn sweep_answers(place: &Place) {
    for entry in aris_fs::list_sorted(&place.requests()).unwrap_or_default() {
        let old = entry.path.metadata().and_then(|data| data.modified());
        let old = old.ok().and_then(|time| time.elapsed().ok());
        if entry.path.extension().is_some_and(|end| end == "answer")
            && old.is_some_and(|age| age > ANSWER_KEPT)
        {
            aris_fs::remove_file(&entry.path).unwrap_or_default();
        }
    }
}

/// The pending requests, oldest first; for one that cannot be read, what is wrong with it.
pub(crate) fn waiting(place: &Place) -> Vec<(PathBuf, Result<Request, String>)> {
    let read = |path: &Path| {
        let bytes = aris_fs::read(path, LIMIT).map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    let entries = aris_fs::list_sorted(&place.requests()).unwrap_or_default();
    let entries = entries.into_iter().filter(|entry| {
        let name = entry.name.to_string_lossy();
        name.ends_with(".json") && name.starts_with(|first: char| first.is_ascii_digit())
    });
    let requests = entries.map(|entry| (read(&entry.path), entry.path));
    requests.map(|(request, path)| (path, request)).collect()
}

/// Whether the job completed with its current command, so that a retry would only repeat the work.
pub(crate) fn is_repeat(queue: &Queue, job: u32) -> bool {
    let cmd = &queue.job(job).cmd;
    let ran = queue.run(job).last().command.as_deref();
    queue.state(job) == State::Completed && ran.is_none_or(|ran| ran == load::command_digest(cmd))
}

/// Why `retry` leaves such a job out.
pub(crate) fn repeat(id: &str) -> String {
    format!("{id} is completed; --again runs it once more")
}

/// The events for a request in the current queue, and what is refused. If a job is already in the wanted state, there is neither.
pub(crate) fn events(request: Request, queue: &Queue) -> (Vec<Event>, Vec<String>) {
    let (mut events, mut refused) = (Vec::new(), Vec::new());
    match request {
        Request::Jobs(wanted) => {
            let mut known = BTreeSet::new();
            let each = |(verb, ids): (Verb, Vec<String>)| ids.into_iter().map(move |id| (verb, id));
            let all = wanted.into_iter().flat_map(each);
            for (verb, id) in all.filter(|(_, id)| known.insert(id.clone())) {
                match queue.find(&id) {
                    // It may have completed since the request was made.
                    Some(job) if verb == Verb::Retry && is_repeat(queue, job) => {
                        refused.push(repeat(&id));
                    }
                    Some(job) if verb.fits(queue, job) => events.push(verb.event(id)),
                    Some(job) if verb.is_done(queue, job) => {}
                    Some(job) => {
                        let (state, done) = (queue.state(job).word(), verb.words().1);
                        refused.push(format!("{id:?} is {state} and cannot be {done}"));
                    }
                    None => refused.push(format!("no job has the id {id:?}")),
                }
            }
        }
        Request::Pause if !queue.paused() => events.push(Event::Pause { paused: true }),
        Request::Resume if queue.paused() => events.push(Event::Pause { paused: false }),
        // A change of the manifest is no event: the manager loads its queue again.
        Request::Pause | Request::Resume | Request::Change(_) => {}
        Request::MaxParallel(jobs) => events.push(Event::MaxParallel { jobs }),
    }
    (events, refused)
}
