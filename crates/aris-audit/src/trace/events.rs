//! What the project's log of events knows about traces.

use std::collections::BTreeSet;
use std::path::Path;

use aris_contract::artifact::trace::Event;
use aris_contract::json::Limits;
use jiff::Timestamp;

use super::{EVENT, EVENTS, FOLDER};

/// The events of traces, in the order of the log; none where the log cannot be read. Lines of other programs are skipped.
fn all(project: &Path) -> Vec<Event> {
    let log = aris_fs::read_optional(&project.join(EVENTS), Limits::ARTIFACT.bytes as u64);
    let log = log.ok().flatten().unwrap_or_default();
    // Other programs log here, too, and much more than traces.
    let lines = log.split(|byte| *byte == b'\n');
    let texts = lines.filter_map(|line| std::str::from_utf8(line).ok());
    texts
        .filter(|line| line.contains(EVENT))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Ids of the runs of a skill that were ever recorded, whether they are still there or not.
pub(super) fn runs(project: &Path, skill: &str) -> BTreeSet<String> {
    let folder = format!("{FOLDER}/{skill}/");
    let id = |event: Event| {
        let id = event.trace_path.strip_prefix(&folder)?;
        Some(id.trim_end_matches('/').to_owned())
    };
    all(project).into_iter().filter_map(id).collect()
}

/// Where a conversation went on: `trace_path` and time of each answer (status `ok`) of the thread that another run than that in `folder` has.
pub fn elsewhere(project: &Path, folder: &Path, thread: &str) -> Vec<(String, Timestamp)> {
    let here = format!("{}/", aris_fs::display_relative(folder, project));
    let mut events = all(project);
    events.retain(|event| event.thread_id == thread && event.trace_path != here);
    let answers = events.into_iter().filter(|event| event.status == "ok");
    answers
        .filter_map(|event| Some((event.trace_path, event.timestamp.parse().ok()?)))
        .collect()
}

/// The events of the run in `folder`; none for a run that does not lie where `project` keeps its traces.
pub(super) fn of_run(project: &Path, folder: &Path) -> Vec<Event> {
    let Ok(relative) = folder.strip_prefix(project) else {
        return Vec::new();
    };
    if !relative.starts_with(FOLDER) {
        return Vec::new();
    }
    let name = format!("{}/", aris_fs::display_relative(folder, project));
    let mut events = all(project);
    events.retain(|event| event.trace_path == name);
    events
}
