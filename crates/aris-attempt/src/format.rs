//! One attempt of one job on disk: the folder, its files, and the records in them.
//!
//! ```text
//! <queue>/a/<hh>/<slug>/<n>/   one folder for each attempt, n from 1
//!     spec.json    what to run; written whole by the manager before the runner starts, never changed
//!     claim.json   created with O_EXCL by the runner as its first act: whoever fails to create it runs nothing
//!     start.json   written whole by the runner once the command runs
//!     exit.json    written whole by the runner as its last act, and synced when no manager lives that journals it
//!     alive        locked (flock) by the runner while it lives
//!     tree         locked by the runner and by every process of the job that keeps its files open
//!     hb           touched by the runner every HEARTBEAT, for file systems where locks are local
//!     cancel       created by the manager: the attempt is to be ended
//! ```
//!
//! The manager concludes from these files alone: no claim and nobody who could still write one → not started; claim and
//! held lock, or the command's process still there → running; exit record → over; claim, free lock, no exit record → lost. An attempt that was begun in an earlier boot
//! and has no exit record is lost, so neither claim nor start record needs to survive a power cut; how it ended does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_contract::hex::hex;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use aris_contract::schema::id::{
    QUEUE_ATTEMPT_CLAIM as CLAIM_SCHEMA, QUEUE_ATTEMPT_EXIT as EXIT_SCHEMA,
    QUEUE_ATTEMPT_SPEC as SPEC_SCHEMA, QUEUE_ATTEMPT_START as START_SCHEMA,
};

/// The folder of all attempts, below the one of the queue.
pub const ATTEMPTS: &str = "a";
/// What to run, [`Spec`].
pub const SPEC: &str = "spec.json";
/// Who runs it, [`Claim`].
pub const CLAIM: &str = "claim.json";
/// That it runs, [`Start`].
pub const START: &str = "start.json";
/// How it ended, [`Exit`].
pub const EXIT: &str = "exit.json";
/// The runner's lock.
pub const ALIVE: &str = "alive";
/// The lock of the runner and of the job's whole tree.
pub const TREE: &str = "tree";
/// The runner's heartbeat.
pub const HEARTBEAT_FILE: &str = "hb";
/// The request to end the attempt; its content is free text for people.
pub const CANCEL: &str = "cancel";

/// Milliseconds between two heartbeats. **Source**: queue design, node failure: 10 s.
pub const HEARTBEAT_MS: u64 = 10_000;

/// Bytes of an id that stand readable in the name of its folder; the digest behind them makes it unique.
const SLUG_READABLE: usize = 100;

/// The name of a job in file names: safe characters of its id, then `-` and 12 hex digits of the id's SHA-256.
/// **Shape**: at most 113 bytes of `[A-Za-z0-9._-]`, the first a letter, a digit or `_`.
pub fn slug(id: &str) -> String {
    let readable = id.chars().take(SLUG_READABLE).map(|char| match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '-' => char,
        _ => '_',
    });
    let mut slug: String = readable.collect();
    if slug.is_empty() || slug.starts_with(['.', '-']) {
        slug.replace_range(..slug.len().min(1), "_");
    }
    slug.push('-');
    slug.push_str(&hex(Sha256::digest(id).iter().take(6)));
    slug
}

/// The folder of attempt `attempt` of the job `id` in the queue folder `queue`: `a/<hh>/<slug>/<n>`, where `hh` are the last
/// two hex digits of the slug, so that no folder has 100,000 entries.
pub fn folder(queue: &Path, id: &str, attempt: u32) -> PathBuf {
    let slug = slug(id);
    let spread = slug.get(slug.len() - 2..).unwrap_or_default().to_owned();
    let job = queue.join(ATTEMPTS).join(spread).join(slug);
    job.join(attempt.to_string())
}

/// `spec.json`: everything a runner must know; it reads nothing else of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spec {
    /// Schema id.
    pub schema: String,
    /// The job, as the manifest writes it.
    pub id: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// What to run.
    pub command: Command,
    /// Lines for the shell before the command, under `set -e`: conda's hook, its activation, the manifest's `setup`. When one
    /// fails the attempt ends as [`Ending::StartFailed`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Working directory, absolute. Missing: [`Ending::StartFailed`].
    #[schemars(with = "String")]
    pub cwd: PathBuf,
    /// Variables beside those the runner has itself; `CUDA_VISIBLE_DEVICES` and `CUDA_DEVICE_ORDER` among them when cards are
    /// given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Globs of files that the attempt is to write; relative ones count from `cwd`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Milliseconds that outputs may be late after an exit with 0 (network file systems publish late).
    pub output_wait_ms: u64,
    /// Milliseconds the command may run, on a clock that counts while the machine sleeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// What the job is told before its time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// Milliseconds between SIGTERM and SIGKILL.
    pub kill_grace_ms: u64,
    /// Milliseconds that children may outlive the command; [`LEFT_ALONE`]: as long as they like.
    pub linger_ms: u64,
    /// Texts that mean GPU out of memory, searched as bytes in this attempt's part of the log, only when the command failed.
    #[serde(default)]
    pub oom_patterns: Vec<String>,
    /// The log, absolute; opened for append, its folder exists.
    #[schemars(with = "String")]
    pub log: PathBuf,
    /// Lock files of the cards given: held by the job's whole tree until it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub leases: Vec<PathBuf>,
    /// Where the record of the run is kept, `<project>/.aris/runs`; absent: nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ledger: Option<PathBuf>,
    /// Cards that `CUDA_VISIBLE_DEVICES` must list when the command starts; checked where somebody else sets it (Slurm). 0: no
    /// check.
    #[serde(default)]
    pub cards: u32,
}

/// As [`Spec::linger_ms`]: what outlives a command that ended by itself is no part of the job. What a signal took the command from still is.
pub const LEFT_ALONE: u64 = u64::MAX;

/// A signal to the programs of a job that handle it, so that they save their work before the time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// Number of the signal.
    pub signal: i32,
    /// Milliseconds before the time limit.
    pub before_ms: u64,
}

/// What an attempt runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// One text for `bash -c` (`sh -c` where there is no bash), passed as one argument.
    Shell(String),
    /// A program and its arguments; no shell has a part in it. With `setup` lines the shell becomes the program at the end.
    Argv(Vec<String>),
}

impl Command {
    /// The command as a shell reads it.
    pub fn line(&self) -> String {
        match self {
            Self::Shell(text) => text.clone(),
            Self::Argv(words) => aris_runs::command_line(words),
        }
    }
}

/// `claim.json`: which runner owns this attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// Schema id.
    pub schema: String,
    /// The runner.
    pub runner: ProcessId,
    /// Host name, for people and for shared file systems.
    pub host: String,
    /// When.
    #[schemars(with = "String")]
    pub time: Timestamp,
}

/// A process, told apart from a later one with the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessId {
    /// Process number.
    pub pid: i32,
    /// `/proc/sys/kernel/random/boot_id`; empty where there is none.
    pub boot_id: String,
    /// Field 22 of `/proc/<pid>/stat`: clock ticks after the boot; 0 where there is none.
    pub start_ticks: u64,
}

/// `start.json`: the command runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// Schema id.
    pub schema: String,
    /// The command's first process.
    pub process: ProcessId,
    /// Its process group.
    pub pgid: i32,
    /// When.
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// Length of the log before this attempt wrote to it, in bytes.
    pub log_offset: u64,
}

/// `exit.json`: how the attempt ended. Facts only; what they mean is judged by the manager.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exit {
    /// Schema id.
    pub schema: String,
    /// How the command's first process ended.
    pub ending: Ending,
    /// Whether the runner ended it, and why.
    #[serde(default)]
    pub ended_by_us: EndedByUs,
    /// A text that means GPU out of memory; looked for only when the command failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom: Option<OomText>,
    /// Whether the control group's `oom_kill` counter rose; `None`: it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom_kill: Option<bool>,
    /// One for each of the spec's `outputs`, in their order.
    #[serde(default)]
    pub outputs: Vec<OutputSeen>,
    /// Processes of the job that were still there after `linger` and were ended.
    #[serde(default)]
    pub left_behind: u32,
    /// When the command started; `None`: it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    /// When its first process ended.
    #[schemars(with = "String")]
    pub ended: Timestamp,
    /// Milliseconds between the two, on a clock that nobody sets.
    pub ran_ms: u64,
    /// Length of the log before this attempt wrote to it, in bytes.
    #[serde(default)]
    pub log_offset: u64,
    /// Why the project has no record of the run, or one that leaves something out; `None`: nothing stood against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_problem: Option<String>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It exited with this status, 0 to 255.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It never ran; the text says what failed (working directory, setup line, shell, cards), with the path and the cause.
    StartFailed(String),
}

impl Default for Ending {
    /// Nothing has run so far.
    fn default() -> Self {
        Self::StartFailed(String::new())
    }
}

/// Whether the runner ended the command, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndedByUs {
    /// It did not.
    #[default]
    None,
    /// The time limit passed.
    TimeLimit,
    /// It was asked to.
    Cancelled,
}

/// Where a log says that a GPU's memory ran out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OomText {
    /// The pattern that was found.
    pub pattern: String,
    /// Byte offset in the log.
    pub offset: u64,
}

/// What was found of one declared output after the command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputSeen {
    /// The glob.
    pub pattern: String,
    /// Files that match.
    pub matches: u64,
    /// Files among them that are new or differ (inode, size, time of change) from before the start.
    pub fresh: u64,
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Spec>(SPEC_SCHEMA);
        check_schema::<Claim>(CLAIM_SCHEMA);
        check_schema::<Start>(START_SCHEMA);
        check_schema::<Exit>(EXIT_SCHEMA);
    }

    #[test]
    fn names_of_folders_say_which_job_they_belong_to() {
        assert_eq!(slug("s200_N64"), "s200_N64-d8dcef6f2c37");
        assert!(slug("x/y").starts_with("x_y-"));
        assert!(slug("").starts_with("_-"));
        assert_eq!(
            folder(Path::new("/q"), "s200_N64", 3),
            Path::new("/q/a/37/s200_N64-d8dcef6f2c37/3")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_id_leaves_its_folder(id in "\\PC{0,300}") {
            let slug = slug(&id);
            proptest::prop_assert!(slug.len() <= 113);
            proptest::prop_assert!(slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)));
            proptest::prop_assert!(!slug.starts_with(['.', '-']));
        }

        #[test]
        fn different_ids_have_different_folders(one in "[a-c/ .]{1,4}", other in "[a-c/ .]{1,4}") {
            proptest::prop_assert_eq!(one == other, slug(&one) == slug(&other));
        }
    }
}
