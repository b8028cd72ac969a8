//! The commands, one file each.

pub(crate) mod accounting;
pub(crate) mod control;
pub(crate) mod explain;
pub(crate) mod fetch;
pub(crate) mod follow;
mod import;
pub(crate) mod live;
pub(crate) mod logs;
pub(crate) mod metrics;
pub(crate) mod outputs;
pub(crate) mod preflight;
pub(crate) mod record;
mod records;
pub(crate) mod remote;
pub(crate) mod run;
mod shares;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod summary;
pub(crate) mod there;
pub(crate) mod used_by;
mod writers;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use aris_attempt::{Pattern, Standing, format};
use aris_cli::{Context, Shown};
use aris_contract::ErrorKind;
use aris_fs::EntryKind;
use aris_queue::judge;
use aris_queue::manifest::Engine;
use aris_queue::state::{Event, Queue, State};
use jiff::Timestamp;

use crate::cli::QueueArgs;
use crate::error::Error;
use crate::load::{self, Current};
use crate::lock;
use crate::log_file::LogFile;
use crate::manager;
use crate::place::Place;

/// The result of a command.
pub(crate) type CommandResult = Result<Shown, Error>;

/// A queue that is read without being changed.
pub(crate) struct Look {
    pub(crate) place: Place,
    pub(crate) manifest: PathBuf,
    pub(crate) queue: Queue,
}

/// Most folders below the working directory that are searched for a queue.
const FOLDERS: usize = 2_000;

/// The state file that the flags name; without a flag `queue_state.json` in this folder, else that of the only queue below it.
pub(crate) fn state_file(args: &QueueArgs, context: &Context) -> Result<PathBuf, Error> {
    if let Some(state) = &args.state {
        return Ok(context.absolute(state));
    }
    let here = context.absolute(Path::new("queue_state.json"));
    if here.exists() || Place::of(&here, None).queue.is_dir() {
        return Ok(here);
    }
    let mut found = queues_below(context.cwd());
    match found.len() {
        0 => Err(Error::no_queue(here)),
        1 => Ok(found.remove(0)),
        _ => {
            let cwd = context.cwd();
            let states = found.iter();
            let states = states.map(|state| aris_fs::display_relative(state, cwd));
            Err(Error::told(
                ErrorKind::Usage,
                format!(
                    "several queues are below {}: {}",
                    cwd.display(),
                    states.collect::<Vec<_>>().join(", ")
                ),
                "name one with --state",
            ))
        }
    }
}

/// State files of the queues in and below a folder, nearest first.
fn queues_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([folder.to_path_buf()]);
    let mut left = FOLDERS;
    while let Some(folder) = folders.pop_front() {
        for entry in aris_fs::list_sorted(&folder).unwrap_or_default() {
            if entry.kind != EntryKind::Folder {
                continue;
            }
            let name = entry.name.to_string_lossy();
            let queue = name
                .strip_prefix('.')
                .and_then(|name| name.strip_suffix(".queue"));
            match queue {
                Some(stem) if Place::is_queue(&entry.path) => {
                    found.push(folder.join(format!("{stem}.json")));
                }
                None if !name.starts_with('.') && left > 0 => {
                    left -= 1;
                    folders.push_back(entry.path);
                }
                _ => {}
            }
        }
    }
    found
}

/// The place of the queue that the flags name. **Errors**: [`Error::no_queue`].
pub(crate) fn place(args: &QueueArgs, context: &Context) -> Result<Place, Error> {
    let state = state_file(args, context)?;
    let place = Place::of(&state, None);
    let parts = lock::parts(&place);
    if !state.exists() && !place.queue.is_dir() {
        return Err(Error::no_queue(state));
    }
    let logs = load::here(&place, &parts, &parts.logs);
    // An older version did not record where the queue was, so logs that were moved cannot be found.
    if parts.logs.is_empty() || place.logs.is_dir() && !logs.is_dir() {
        return Ok(place);
    }
    Ok(Place::of(&state, Some(logs)))
}

/// The queue as its journal, its attempts and its state file have it now.
pub(crate) fn look(args: &QueueArgs, context: &Context) -> Result<Look, Error> {
    look_at(place(args, context)?, context.now())
}

/// The same for a place that is known already.
pub(crate) fn look_at(place: Place, now: Timestamp) -> Result<Look, Error> {
    let Current { manifest, path, .. } = load::own(&place)?;
    let mut queue = load::look(&place, manifest, now)?;
    // Only the state file has what an engine last said, and that nothing is known of a job.
    if (queue.manifest().engine != Engine::Local || queue.active().next().is_some())
        && let Ok(state) = load::state(&place)
    {
        for row in &state.jobs {
            let Some(job) = queue.find(&row.id) else {
                continue;
            };
            if let Some(says) = &row.engine_says {
                queue.engine_says(job, says);
            }
            if row.state == Some(State::Unknown) && row.attempts == queue.run(job).attempt() {
                queue.seen_nothing(job);
            }
        }
    }
    // That a command runs is in its attempt's folder, not in the journal. So is its end, until a manager reads it.
    let adopts = queue.manifest().engine == Engine::Local && lock::holder(&place, now).is_none();
    let active: Vec<u32> = queue.active().collect();
    for job in active {
        let spec = queue.job(job);
        let run = queue.run(job);
        let folder = format::folder(&place.queue, &spec.id, run.attempt());
        match aris_attempt::standing(&folder) {
            Ok(stands @ Standing::Running { .. }) => {
                if let Some((pid, since)) = stands.running() {
                    queue.seen_running(job, pid, since);
                }
            }
            Ok(Standing::Ended(exit)) if adopts => {
                let boot = aris_attempt::boot_id();
                let verdict = manager::verdict(&queue, job, &folder, &boot, &exit);
                let ended = Event::Ended {
                    id: spec.id.to_string(),
                    attempt: run.attempt(),
                    retry_in_ms: judge::retry_in_ms(&verdict, &spec.settings.retry, run.spent),
                    verdict,
                };
                let done = queue.apply(&ended, now, manager::now_ms(), 0);
                done.map_err(Error::illegal(&folder))?;
            }
            _ => {}
        }
    }
    Ok(Look {
        place,
        manifest: path,
        queue,
    })
}

/// The job with this id. **Errors**: [`Error::no_job`].
pub(crate) fn job(queue: &Queue, id: &str) -> Result<u32, Error> {
    let ids = queue.manifest().jobs.iter().map(|job| &*job.id);
    queue.find(id).ok_or_else(|| Error::no_job(id, ids))
}

/// The jobs that a name selects: the one with this id, else those that match it as a pattern with `*` and `?`. **Errors**:
/// [`Error::no_job`].
pub(crate) fn jobs_of(queue: &Queue, name: &str) -> Result<Vec<u32>, Error> {
    if let Some(job) = queue.find(name) {
        return Ok(vec![job]);
    }
    let pattern = pattern(name);
    let fits = |job: &u32| {
        let pattern = pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.matches(queue.job(*job).id.as_bytes()))
    };
    let jobs: Vec<u32> = (0..queue.len()).filter(fits).collect();
    if jobs.is_empty() {
        return job(queue, name).map(|job| vec![job]);
    }
    Ok(jobs)
}

/// A name as a pattern, if it has wildcards.
pub(crate) fn pattern(name: &str) -> Option<Pattern> {
    Pattern::new(name).filter(|_| name.contains(['*', '?']))
}

/// The end of a log as text: at most `lines` lines of its last 64 KiB.
pub(crate) fn tail(path: &Path, lines: usize) -> Option<String> {
    Some(LogFile::open(path)?.tail(lines))
}
