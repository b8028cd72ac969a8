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
//! The manager decides from these files alone. Without a claim, and if no runner can still write one, the attempt was not started. With a
//! claim and a held lock, or while the command's process exists, it is running. With an exit record, it is over. With a claim, a free lock
//! and no exit record, it is lost. An attempt of an earlier boot without an exit record is lost as well, so only the exit record must
//! survive a power cut.

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

/// The folder of all attempts, in the queue's folder.
pub const ATTEMPTS: &str = "a";
/// What to run: [`Spec`].
pub const SPEC: &str = "spec.json";
/// Which runner has the attempt: [`Claim`].
pub const CLAIM: &str = "claim.json";
/// That the command runs: [`Start`].
pub const START: &str = "start.json";
/// How the attempt ended: [`Exit`].
pub const EXIT: &str = "exit.json";
/// The runner's lock.
pub const ALIVE: &str = "alive";
/// The lock of the runner and of all processes of the job.
pub const TREE: &str = "tree";
/// The file that the runner touches as a heartbeat.
pub const HEARTBEAT_FILE: &str = "hb";
/// The request to end the attempt; its content is free text for people.
pub const CANCEL: &str = "cancel";

/// Milliseconds between two heartbeats. **Source**: queue design, node failure: 10 s.
pub const HEARTBEAT_MS: u64 = 10_000;

/// Most characters of an id in the name of its folder; the digest after them makes the name unique.
const SLUG_READABLE: usize = 100;

/// The name of a job in file names: its id with unsafe characters replaced by `_`, then `-` and 12 hex digits of the id's SHA-256.
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

/// The folder of attempt `attempt` of the job `id` in the queue folder `queue`: `a/<hh>/<slug>/<n>`. `hh`, the last two hex digits of the
/// slug, keeps folders small in queues of 100,000 jobs.
pub fn folder(queue: &Path, id: &str, attempt: u32) -> PathBuf {
    let slug = slug(id);
    let spread = slug.get(slug.len() - 2..).unwrap_or_default().to_owned();
    let job = queue.join(ATTEMPTS).join(spread).join(slug);
    job.join(attempt.to_string())
}

/// `spec.json`: all that a runner needs; it reads nothing else of the queue.
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
    /// Shell lines that run before the command, under `set -e`: the hook of conda, its activation, the manifest's `setup`. If one fails,
    /// the attempt ends as [`Ending::StartFailed`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Working directory, absolute. If it is missing, the attempt ends as [`Ending::StartFailed`].
    #[schemars(with = "String")]
    pub cwd: PathBuf,
    /// Environment variables, in addition to the runner's own. `CUDA_VISIBLE_DEVICES` and `CUDA_DEVICE_ORDER` are among them if cards were
    /// given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Globs of files that the attempt should write; relative ones are resolved against `cwd`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Milliseconds to wait for missing outputs after exit status 0, because network file systems show files late.
    pub output_wait_ms: u64,
    /// Milliseconds the command may run, on a clock that counts while the machine sleeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// The signal that the job gets before its time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// Milliseconds between SIGTERM and SIGKILL.
    pub kill_grace_ms: u64,
    /// Milliseconds that child processes may run after the command has exited; [`LEFT_ALONE`]: without limit.
    pub linger_ms: u64,
    /// Texts that mean that a GPU's memory ran out. They are searched as bytes in this attempt's part of the log, if the command failed or
    /// outputs are missing.
    #[serde(default)]
    pub oom_patterns: Vec<String>,
    /// The log, absolute; opened for appending. Its folder exists.
    #[schemars(with = "String")]
    pub log: PathBuf,
    /// Lock files of the cards that were given: held until all processes of the job are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub leases: Vec<PathBuf>,
    /// The folder for the record of the run, `<project>/.aris/runs`; absent: no record is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ledger: Option<PathBuf>,
    /// How many cards `CUDA_VISIBLE_DEVICES` must list when the command starts; checked where the batch system sets it (Slurm). 0: not
    /// checked.
    #[serde(default)]
    pub cards: u32,
}

/// A value of [`Spec::linger_ms`]: processes that outlive a command that exited by itself are not part of the job. Those that outlive a
/// command that was killed by a signal are.
pub const LEFT_ALONE: u64 = u64::MAX;

/// A signal to those programs of a job that handle it, so that they save their work before the time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// Number of the signal.
    pub signal: i32,
    /// How many milliseconds before the time limit.
    pub before_ms: u64,
}

/// What an attempt runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A text that is passed as one argument to `bash -c`, or to `sh -c` where there is no bash.
    Shell(String),
    /// A program and its arguments, without a shell. With `setup` lines, a shell runs these and then replaces itself by the program.
    Argv(Vec<String>),
}

impl Command {
    /// The command as a line of shell.
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
    /// When it was claimed.
    #[schemars(with = "String")]
    pub time: Timestamp,
}

/// A process. Its start time distinguishes it from a later one with the same id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessId {
    /// Process id.
    pub pid: i32,
    /// `/proc/sys/kernel/random/boot_id`; empty if it cannot be read.
    pub boot_id: String,
    /// Field 22 of `/proc/<pid>/stat`: clock ticks from boot to start; 0 if it cannot be read.
    pub start_ticks: u64,
}

/// `start.json`: the command runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// Schema id.
    pub schema: String,
    /// The command's first process.
    pub process: ProcessId,
    /// Process group of the command.
    pub pgid: i32,
    /// When it started.
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// Length of the log before this attempt wrote to it, in bytes.
    pub log_offset: u64,
}

/// `exit.json`: how the attempt ended. It holds facts only; the manager judges them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exit {
    /// Schema id.
    pub schema: String,
    /// How the command's first process ended.
    pub ending: Ending,
    /// Whether the runner ended it, and why.
    #[serde(default)]
    pub ended_by_us: EndedByUs,
    /// A text that means that a GPU's memory ran out; looked for only if the command failed or outputs are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom: Option<OomText>,
    /// Whether the control group's `oom_kill` counter rose; `None`: there is no counter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oom_kill: Option<bool>,
    /// One for each of the spec's `outputs`, in their order.
    #[serde(default)]
    pub outputs: Vec<OutputSeen>,
    /// Processes of the job that were still running after `linger` and were ended.
    #[serde(default)]
    pub left_behind: u32,
    /// When the command started; `None`: it did not start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub started: Option<Timestamp>,
    /// When its first process ended.
    #[schemars(with = "String")]
    pub ended: Timestamp,
    /// Milliseconds between the two, on a monotonic clock.
    pub ran_ms: u64,
    /// Length of the log before this attempt wrote to it, in bytes.
    #[serde(default)]
    pub log_offset: u64,
    /// Why there is no record of the run in the project, or what the record leaves out; `None`: there was no problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_problem: Option<String>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It exited with this status, 0 to 255.
    Code(i32),
    /// The number of the signal that ended it.
    Signal(i32),
    /// It never ran: what failed (working directory, setup line, shell, cards), with the path and the cause.
    StartFailed(String),
}

impl Default for Ending {
    /// The value before anything has run.
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
    /// Somebody cancelled the attempt.
    Cancelled,
}

/// A text in a log that says that a GPU's memory ran out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OomText {
    /// The pattern that was found.
    pub pattern: String,
    /// Byte offset in the log.
    pub offset: u64,
}

/// What was found for one declared output after the command had ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputSeen {
    /// The glob.
    pub pattern: String,
    /// Number of files that match.
    pub matches: u64,
    /// Number of these that are new, or differ in inode, size or modification time from before the start.
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
