//! The events about traces in the project's log.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_contract::artifact::trace::{Event, ResponseMeta};
use aris_contract::json::Limits;
use aris_fs::{EntryKind, FsError};
use jiff::Timestamp;

use super::{CHAIN, EVENT, EVENTS, FOLDER, PENDING};

/// The events of traces, in the order of the log. Lines of other programs are skipped. **Errors**: the log exists but cannot be read.
fn all(project: &Path) -> Result<Vec<Event>, FsError> {
    let log = aris_fs::read_optional(&project.join(EVENTS), Limits::ARTIFACT.bytes as u64)?;
    let log = log.unwrap_or_default();
    // Other programs write events of other kinds to this log.
    let lines = log.split(|byte| *byte == b'\n');
    let texts = lines.filter_map(|line| std::str::from_utf8(line).ok());
    let events = texts.filter(|line| line.contains(EVENT));
    let events = events.filter_map(|line| serde_json::from_str(line).ok());
    Ok(events.collect())
}

/// Ids of all runs of a skill that were ever recorded, even if they no longer exist.
pub(super) fn runs(project: &Path, skill: &str) -> BTreeSet<String> {
    let folder = format!("{FOLDER}/{skill}/");
    let id = |event: Event| {
        let id = event.trace_path.strip_prefix(&folder)?;
        Some(id.trim_end_matches('/').to_owned())
    };
    let events = all(project).unwrap_or_default();
    events.into_iter().filter_map(id).collect()
}

/// An answer of a thread in another run.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// Path of the other run relative to the project, with a final `/`.
    pub trace_path: String,
    /// Time of the answer.
    pub at: Timestamp,
    /// Whether it counts as later than an answer with the same time: by the order of the log, else by the names of the runs.
    pub follows: bool,
    /// Whether it was recorded with a chain.
    pub chained: bool,
}

/// The answers (status `ok`) of a thread in runs other than that in `folder`: from the log and from the runs beside it, so that a damaged
/// or missing log does not hide existing answers.
pub fn elsewhere(project: &Path, folder: &Path, thread: &str) -> Vec<Elsewhere> {
    let shown = |folder: &Path| format!("{}/", aris_fs::display_relative(folder, project));
    let here = shown(folder);
    // An unreadable log breaks the chain anyway.
    let mut events = all(project).unwrap_or_default();
    events.retain(|event| event.thread_id.trim() == thread && event.status == "ok");
    let ours = events.iter().rposition(|event| event.trace_path == here);
    let logged = events.into_iter().enumerate().map(|(at, event)| {
        let follows = ours.is_none_or(|ours| at > ours);
        let (path, chained) = (event.trace_path, event.chain.is_some());
        (path, event.timestamp, follows, chained)
    });
    let mut answers: Vec<_> = logged.filter(|(path, ..)| *path != here).collect();
    for run in runs_beside(folder) {
        let path = shown(&run);
        if path != here && !answers.iter().any(|(known, ..)| *known == path) {
            let times = answered_in(&run, thread).into_iter();
            let (follows, chained) = (path > here, run.join(CHAIN).exists());
            answers.extend(times.map(|time| (path.clone(), time, follows, chained)));
        }
    }
    let timed = |(trace_path, at, follows, chained): (String, String, bool, bool)| {
        Some(Elsewhere {
            trace_path,
            at: at.trim().parse().ok()?,
            follows,
            chained,
        })
    };
    answers.into_iter().filter_map(timed).collect()
}

/// The runs of the same skill as the run in `folder`, including it.
fn runs_beside(folder: &Path) -> Vec<PathBuf> {
    let skill = folder.parent();
    let Some(skill) = skill.filter(|skill| skill.parent().is_some_and(|all| all.ends_with(FOLDER)))
    else {
        return Vec::new();
    };
    let entries = aris_fs::list_sorted(skill).unwrap_or_default().into_iter();
    let folders = entries.filter(|entry| entry.kind == EntryKind::Folder);
    folders.map(|entry| entry.path).collect()
}

/// The times at which a thread answered in a run, from the run's records.
fn answered_in(run: &Path, thread: &str) -> Vec<String> {
    let pending = aris_fs::read_optional(&run.join(PENDING), 4096);
    let pending = pending.ok().flatten().unwrap_or_default();
    let mut times = Vec::new();
    for entry in aris_fs::list_sorted(run).unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        let Some(prefix) = name.strip_suffix(".meta.json") else {
            continue;
        };
        let bytes = aris_fs::read(&entry.path, Limits::ARTIFACT.bytes as u64);
        let meta = bytes
            .ok()
            .and_then(|bytes| serde_json::from_slice::<ResponseMeta>(&bytes).ok());
        if let Some(meta) =
            meta.filter(|meta| meta.thread_id.trim() == thread && meta.status == "ok")
            && prefix.as_bytes() != pending
        {
            times.push(meta.timestamp);
        }
    }
    times
}

/// The events of the run in `folder`; none if the run is not in `project`'s folder of traces.
///
/// **Errors**: as of [`all`].
pub(super) fn of_run(project: &Path, folder: &Path) -> Result<Vec<Event>, FsError> {
    if !folder
        .strip_prefix(project)
        .is_ok_and(|folder| folder.starts_with(FOLDER))
    {
        return Ok(Vec::new());
    }
    let name = format!("{}/", aris_fs::display_relative(folder, project));
    let mut events = all(project)?;
    events.retain(|event| event.trace_path == name);
    Ok(events)
}
