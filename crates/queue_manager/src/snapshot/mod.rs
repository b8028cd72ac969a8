//! `queue_state.json`: the state of the queue for people, `jq` and older readers. A manager never reads it back if it has a journal.
//!
//! It has the reference's keys and its six status words, and our own keys in addition. **Source**: queue design §3.

mod import;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use aris_attempt::cards::CardId;
use aris_contract::time::stamp;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::load;
use aris_queue::problem::{Invalid, Problem};
use aris_queue::state::{Queue, Reason, State};

pub(crate) use import::{Taken, import};

/// Schema id of [`Snapshot`].
pub(crate) use aris_contract::schema::id::QUEUE_STATE as SCHEMA;

/// The state of a queue at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Snapshot")]
pub(crate) struct Snapshot<Jobs = Vec<JobRow>> {
    /// Schema id; absent in files of the reference.
    #[serde(default)]
    pub schema: String,
    /// Number of the journal's last event.
    #[serde(default)]
    pub seq: u64,
    /// Facts about the queue.
    pub meta: Meta,
    /// Notices for people: cards that cannot be seen, a full disk.
    #[serde(default)]
    pub notices: Vec<String>,
    /// Phases, in the manifest's order.
    pub phases: Vec<PhaseRow>,
    /// Jobs, in the manifest's order.
    pub jobs: Jobs,
}

/// Facts about the queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Meta {
    /// Project of the manifest.
    #[serde(default)]
    pub project: String,
    /// When the queue was first begun, UTC.
    pub started: Option<String>,
    /// Path of the manifest.
    #[serde(default)]
    pub manifest_path: String,
    /// When this was written, UTC.
    pub updated: Option<String>,
    /// Process id of the manager that wrote this.
    pub manager_pid: Option<u32>,
    /// Its host.
    pub manager_host: Option<String>,
    /// Whether a person paused the queue: no new job starts.
    #[serde(default)]
    pub paused: bool,
    /// Whether every job is final.
    #[serde(default)]
    pub over: bool,
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PhaseRow {
    /// Its name.
    pub name: String,
    /// Names of the phases that it depends on.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub depends_on: Value,
    /// `pending`, `running`, `completed`, or `stuck`: all its jobs ended, and not all completed.
    pub status: String,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct JobRow {
    /// Its id, as in the manifest.
    pub id: String,
    /// Its phase.
    #[serde(default)]
    pub phase: String,
    /// Its command, as in the manifest.
    #[serde(default)]
    pub cmd: String,
    /// Its declared outputs: a glob, a list of globs, or null.
    #[serde(default)]
    pub expected_output: Value,
    /// Its status in the reference's words: `pending running completed failed_oom failed_other stuck`.
    pub status: String,
    /// The first of its cards.
    pub gpu: Option<CardId>,
    /// Always null: no job runs in a screen session.
    pub screen_name: Option<String>,
    /// Process id of the command.
    pub pid: Option<i64>,
    /// Number of the last attempt.
    #[serde(default)]
    pub attempts: u32,
    /// When the last attempt started, UTC.
    pub started: Option<String>,
    /// When the last attempt ended, UTC.
    pub completed: Option<String>,
    /// What happened.
    pub error: Option<String>,
    /// Its state in our own words.
    pub state: Option<State>,
    /// Why.
    pub reason: Option<Reason>,
    /// Exit status of the last attempt.
    pub exit_code: Option<i32>,
    /// Signal that ended the last attempt.
    pub signal: Option<i32>,
    /// What a person should look at although it completed.
    pub warning: Option<String>,
    /// Milliseconds that the last attempt ran.
    pub ran_ms: Option<u64>,
    /// Cards of the last attempt.
    #[serde(default)]
    pub gpus: Vec<CardId>,
    /// The engine's name for the last attempt.
    pub engine_ref: Option<String>,
    /// What the engine last said about it.
    pub engine_says: Option<String>,
    /// Log of the last attempt.
    pub log: Option<String>,
    /// When each attempt was begun, UTC.
    #[serde(default)]
    pub started_attempts: Vec<String>,
    /// When the next attempt is due, UTC; in the state `backoff` only.
    pub retry_at: Option<String>,
}

/// The content of the state file. Rows of jobs are made one at a time, to save memory. `meta` must have the fields that are not known from
/// the queue.
pub(crate) fn text(queue: &Queue, seq: u64, meta: Meta, notices: &[String]) -> Vec<u8> {
    // Serializing these types cannot fail.
    let mut text =
        serde_json::to_vec(&whole(queue, seq, meta, notices, Rows(queue))).unwrap_or_default();
    text.push(b'\n');
    text
}

/// The state of a queue as its journal has it; the rest is that of `file`.
pub(crate) fn of(queue: &Queue, file: Snapshot) -> Snapshot {
    let jobs = (0..queue.len()).map(|job| row(queue, job)).collect();
    whole(queue, file.seq, file.meta, &file.notices, jobs)
}

fn whole<Jobs>(
    queue: &Queue,
    seq: u64,
    meta: Meta,
    notices: &[String],
    jobs: Jobs,
) -> Snapshot<Jobs> {
    Snapshot {
        schema: SCHEMA.to_owned(),
        seq,
        meta: Meta {
            project: queue.manifest().project.clone(),
            started: queue.began().map(stamp),
            paused: queue.paused(),
            over: queue.open_jobs() == 0,
            ..meta
        },
        notices: notices.to_vec(),
        phases: phases(queue),
        jobs,
    }
}

struct Rows<'a>(&'a Queue);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((0..self.0.len()).map(|job| row(self.0, job)))
    }
}

fn phases(queue: &Queue) -> Vec<PhaseRow> {
    let phases = &queue.manifest().phases;
    let rows = phases.iter().map(|phase| {
        let parents = phase.after.iter().chain(&phase.matched);
        let parents = parents.filter_map(|at| phases.get(*at as usize));
        PhaseRow {
            name: phase.name.clone(),
            depends_on: parents.map(|phase| phase.name.as_str()).collect(),
            status: status_of(queue, phase.first..phase.end).to_owned(),
        }
    });
    rows.collect()
}

fn status_of(queue: &Queue, jobs: Range<u32>) -> &'static str {
    let words = jobs.map(|job| queue.state(job).status(queue.reason(job)));
    let words: BTreeSet<&str> = words.collect();
    let all = |good: &[&str]| words.iter().all(|word| good.contains(word));
    if all(&["completed"]) {
        "completed"
    } else if all(&["completed", "stuck"]) {
        "stuck"
    } else if all(&["pending"]) {
        "pending"
    } else {
        "running"
    }
}

/// The row of a job.
pub(crate) fn row(queue: &Queue, job: u32) -> JobRow {
    let (run, spec) = (queue.run(job), queue.job(job));
    let (last, phase) = (run.last(), queue.manifest().phase_of(job));
    let (state, reason) = (queue.state(job), queue.reason(job));
    let verdict = run.verdict();
    let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    let expected_output = match spec.outputs.as_slice() {
        [] => Value::Null,
        [one] => Value::from(&**one),
        many => many.iter().map(|one| Value::from(&**one)).collect(),
    };
    let error = match state {
        State::Blocked if run.held => {
            Some(blocked_by(queue, job) + "; held by the command hold; release lets it go")
        }
        State::Blocked => Some(blocked_by(queue, job)),
        _ => verdict.and_then(|verdict| verdict.error.clone()),
    };
    let begun = run.attempts.iter().filter_map(|attempt| attempt.begun);
    JobRow {
        id: spec.id.to_string(),
        phase: phase.map_or_else(String::new, |phase| phase.name.clone()),
        cmd: spec.cmd.to_string(),
        expected_output,
        status: state.status(reason).to_owned(),
        gpu: last.cards.first().copied(),
        screen_name: None,
        pid: last.pid.filter(|_| run.life.is_active()).map(i64::from),
        attempts: run.attempt(),
        started: last.started.map(stamp),
        completed: last.ended.map(stamp),
        error,
        state: Some(state),
        reason,
        exit_code: verdict.and_then(|verdict| verdict.exit_code),
        signal: verdict.and_then(|verdict| verdict.signal),
        warning: warning(queue, job),
        ran_ms: verdict.and_then(|verdict| verdict.ran_ms),
        gpus: last.cards.clone(),
        engine_ref: text(&last.engine_ref),
        engine_says: text(&run.engine_says),
        log: text(&last.log),
        started_attempts: begun.map(stamp).collect(),
        retry_at: run.retry_at.filter(|_| state == State::Backoff).map(stamp),
    }
}

/// What a person should look at although a job completed.
pub(crate) fn warning(queue: &Queue, job: u32) -> Option<String> {
    let said = queue.run(job).verdict().and_then(|it| it.warning.clone());
    let other = queue.state(job) == State::Completed && load::is_other_command(queue, job);
    let other = other.then(|| load::OTHER_COMMAND.to_owned());
    match (said, other) {
        (Some(said), Some(other)) => Some(format!("{said}; {other}")),
        (said, other) => said.or(other),
    }
}

/// Names the first job in the chain of parents that blocks a job.
fn blocked_by(queue: &Queue, job: u32) -> String {
    let Some(parent) = crate::explain::culprit(queue, job) else {
        return String::from("something it depends on did not complete");
    };
    let (id, state) = (&queue.job(parent).id, queue.state(parent).word());
    format!("depends on {id:?} ({state})")
}

/// Reads a state file. **Errors**: what is wrong with it.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Snapshot, Invalid> {
    serde_json::from_slice(bytes).map_err(|error| not_a_state_file(path, &error, None))
}

fn not_a_state_file(path: &Path, error: &serde_json::Error, hint: Option<&str>) -> Invalid {
    let problem = Problem {
        line: u32::try_from(error.line()).unwrap_or(0),
        column: u32::try_from(error.column()).unwrap_or(0),
        message: format!("not a state file: {error}"),
        hint: hint.map(str::to_owned),
    };
    Invalid::new(path, vec![problem])
}

/// The `meta` of a state file; `None` if there is none, or it is something else. Its jobs are skipped.
pub(crate) fn meta_of(path: &Path) -> Option<Meta> {
    #[derive(Deserialize)]
    struct File {
        meta: Meta,
    }
    let bytes = aris_fs::read_optional(path, aris_fs::READ_LIMIT).ok()??;
    let file: File = serde_json::from_slice(&bytes).ok()?;
    Some(file.meta)
}

/// Reads a time in the format of state files.
pub(crate) fn moment(text: &str) -> Option<Timestamp> {
    aris_contract::time::parse_utc(text)
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;
    use aris_queue::manifest;

    fn queue() -> Queue {
        let text = "jobs: [{id: a, cmd: x}, {id: b, cmd: x, needs: a, expected_output: [p, q]}]";
        Queue::new(manifest::parse(Path::new("m"), text).expect("manifest"))
    }

    #[test]
    fn schemas_are_current() {
        check_schema::<Snapshot>(SCHEMA);
    }

    #[test]
    fn a_snapshot_has_the_references_keys_and_is_read_back() {
        let text = text(&queue(), 3, Meta::default(), &[String::from("n")]);
        let snapshot = parse(Path::new("s"), &text).expect("read");
        let mut again = serde_json::to_vec(&snapshot).expect("JSON");
        again.push(b'\n');
        assert_eq!(
            String::from_utf8_lossy(&again),
            String::from_utf8_lossy(&text)
        );
        assert_eq!((snapshot.seq, snapshot.jobs.len()), (3, 2));
        let value: Value = serde_json::from_slice(&text).expect("JSON");
        for key in [
            "id",
            "phase",
            "cmd",
            "expected_output",
            "status",
            "gpu",
            "screen_name",
            "pid",
            "attempts",
            "started",
            "completed",
            "error",
        ] {
            assert!(value["jobs"][0].get(key).is_some(), "{key}");
        }
        assert_eq!(
            value["jobs"][1]["expected_output"],
            serde_json::json!(["p", "q"])
        );
        assert_eq!(value["phases"][0]["status"], "pending");
    }
}
