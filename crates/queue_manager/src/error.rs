//! What can go wrong.

use std::path::PathBuf;

use aris_attempt::AttemptError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_queue::journal::JournalError;
use aris_queue::problem::Invalid;
use aris_queue::state::Illegal;
use aris_remote::{AgentError, RemoteError};
use serde_json::{Map, Value};

use crate::place::Owner;

/// Errors of `queue_manager`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither a command nor a manifest was given.
    #[error("no command, and no --manifest to run")]
    Nothing,
    /// A file cannot be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The manifest or the state file has mistakes.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal says what cannot have happened.
    #[error("the journal of {} does not fit: {source}", path.display())]
    Illegal {
        /// The queue's folder.
        path: PathBuf,
        /// What does not fit.
        source: Illegal,
    },
    /// Attempts cannot be started or watched.
    #[error(transparent)]
    Attempt(#[from] AttemptError),
    /// Another manager has the queue.
    #[error("the queue {} is run by {owner}", path.display())]
    Taken {
        /// The state file.
        path: PathBuf,
        /// Who has it.
        owner: Box<Owner>,
    },
    /// A manager on another machine may have the queue.
    #[error(
        "the queue {} was taken by {owner}, which gave its last sign {seconds} s ago; from here its lock may not be seen",
        path.display()
    )]
    Elsewhere {
        /// The state file.
        path: PathBuf,
        /// Who has it.
        owner: Box<Owner>,
        /// Seconds since its last sign.
        seconds: u64,
    },
    /// The queue's folder is no longer where the manager took it.
    #[error(
        "{} was moved or removed while this manager ran the queue: it has stopped, and starts and writes nothing more; jobs that run go on",
        path.display()
    )]
    Moved {
        /// The queue's folder, as it was.
        path: PathBuf,
    },
    /// The manifest is not that of the last run, and was to be.
    #[error("{} is not what the queue was run with last: {what}", path.display())]
    Changed {
        /// The manifest.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Several queues are below the working directory.
    #[error("several queues are below {}: {}", folder.display(), states.join(", "))]
    ManyQueues {
        /// The working directory.
        folder: PathBuf,
        /// Their state files.
        states: Vec<String>,
    },
    /// No queue has this state file.
    #[error("there is no queue at {}", path.display())]
    NoQueue {
        /// The state file.
        path: PathBuf,
    },
    /// No job has this id.
    #[error("no job matches {pattern:?}")]
    NoJob {
        /// What was asked for.
        pattern: String,
        /// The nearest id.
        near: Option<String>,
    },
    /// No phase has this name.
    #[error("there is no phase {name:?}")]
    NoPhase {
        /// What was asked for.
        name: String,
        /// The nearest name.
        near: Option<String>,
    },
    /// The job has no such log.
    #[error("job {id:?} has no log of attempt {attempt}")]
    NoLog {
        /// The job.
        id: String,
        /// The attempt.
        attempt: u32,
    },
    /// The system refused something.
    #[error("cannot {action}")]
    System {
        /// What was to be done.
        action: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// The call leaves open what is meant.
    #[error("{0}")]
    Unclear(String),
    /// It cannot be done here and now; the text says why.
    #[error("{0}")]
    Precondition(String),
    /// The time the caller gave is over.
    #[error("{open} jobs were not over after {seconds} s; {running} go on running")]
    MaxWait {
        /// Jobs that are not final.
        open: u32,
        /// Jobs that run.
        running: u32,
        /// The time given.
        seconds: u64,
    },
    /// An attempt could not be carried out; its folder says why.
    #[error("the attempt in {} was not carried out", folder.display())]
    Attempted {
        /// The attempt's folder.
        folder: PathBuf,
    },
    /// The page or the table could not be made.
    #[error("the report could not be made: {0}")]
    Page(String),
    /// A server cannot be asked.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A request of another machine was not served.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The command of `record` cannot be run.
    #[error(transparent)]
    Command(ProcError),
    /// Nothing here was recorded by a tool that is known.
    #[error("{} holds no run of MLflow, Weights & Biases, Hydra or DVC", path.display())]
    NoRuns {
        /// The folder or file.
        path: PathBuf,
    },
    /// Which numbers stand on a run is known from audits.
    #[error("{} holds no audit of a paper: which numbers stand on the run is not known", project.display())]
    NoAudit {
        /// The project.
        project: PathBuf,
    },
    /// Slurm's accounting has no such job.
    #[error("Slurm's accounting has no job {job}")]
    NoSlurmJob {
        /// Its number.
        job: String,
    },
    /// A service gave no answer.
    #[error("{0}")]
    Silent(String),
    /// No project above has a ledger of runs.
    #[error("there is no ledger of runs, .aris/runs, in or above {}", path.display())]
    NoLedger {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The ledger has no run of this job.
    #[error("{} has no run of {job:?}", ledger.display())]
    NoRunOf {
        /// The job.
        job: String,
        /// The ledger.
        ledger: PathBuf,
    },
    /// A command failed on a server.
    #[error("on {host}: {said}")]
    There {
        /// The server.
        host: String,
        /// The class of the failure there.
        kind: ErrorKind,
        /// What was said there.
        said: String,
    },
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Nothing | Self::Unclear(_) | Self::ManyQueues { .. } => ErrorKind::Usage,
            Self::Page(_) => ErrorKind::Internal,
            Self::Fs(error) => error.kind(),
            Self::Invalid(error) => error.kind(),
            Self::Journal(error) => error.kind(),
            Self::Illegal { .. } | Self::Changed { .. } => ErrorKind::Validation,
            Self::Attempt(error) => error.kind(),
            Self::Taken { .. }
            | Self::Elsewhere { .. }
            | Self::Moved { .. }
            | Self::System { .. }
            | Self::Precondition(_)
            | Self::NoAudit { .. }
            | Self::Attempted { .. } => ErrorKind::Precondition,
            Self::NoQueue { .. }
            | Self::NoJob { .. }
            | Self::NoPhase { .. }
            | Self::NoLog { .. }
            | Self::NoRuns { .. }
            | Self::NoSlurmJob { .. }
            | Self::NoLedger { .. }
            | Self::NoRunOf { .. } => ErrorKind::NotFound,
            Self::Command(error) => error.kind(),
            Self::MaxWait { .. } => ErrorKind::Timeout,
            Self::Silent(_) => ErrorKind::Unavailable,
            Self::Remote(error) => error.kind(),
            Self::Agent(error) => error.kind(),
            Self::There { kind, .. } => *kind,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Nothing => Some(String::from(
                "queue_manager run --manifest manifest.json, or queue_manager --help",
            )),
            Self::Fs(error) => error.hint(),
            Self::Invalid(error) => error.hint(),
            Self::Journal(error) => error.hint(),
            Self::Illegal { .. } => Some(String::from(
                "the state file belongs to another manifest, or the journal was changed; give --state another name for a new queue",
            )),
            Self::Attempt(error) => error.hint(),
            Self::Taken { .. } => Some(String::from(
                "ask it with status, cancel, pause …; a second manager is never needed",
            )),
            Self::Elsewhere { .. } => Some(String::from(
                "look there whether it lives; when it does not, run with --takeover once it has been silent for 60 s",
            )),
            Self::Moved { .. } => Some(String::from(
                "where it is now, queue_manager status tells how its jobs are, and start goes on with it",
            )),
            Self::Changed { .. } => Some(String::from(
                "without --strict jobs that never ran take the new text, and those that ran need retry",
            )),
            Self::NoQueue { .. } => Some(String::from(
                "name the state file of a queue with --state, or start one with run --manifest",
            )),
            Self::ManyQueues { .. } => Some(String::from("name one with --state")),
            Self::NoJob { near, .. } => near
                .as_ref()
                .map(|near| format!("did you mean {near:?}? status --jobs lists all")),
            Self::NoPhase { near, .. } => near
                .as_ref()
                .map(|near| format!("did you mean {near:?}? status lists all")),
            Self::NoLog { .. } => {
                Some(String::from("status --jobs shows how many attempts it had"))
            }
            Self::NoLedger { .. } => Some(String::from(
                "runs of a queue and of `queue_manager record` leave one; go into the project",
            )),
            Self::NoRunOf { .. } => Some(String::from("the log `runs` in it lists them")),
            Self::NoRuns { .. } => Some(String::from(
                "name the folder mlruns, wandb or outputs, or a file dvc.lock",
            )),
            Self::NoAudit { .. } => Some(String::from("paper_claim_audit PAPER makes one")),
            Self::NoSlurmJob { .. } => Some(String::from(
                "sacct -u $USER -S now-7days lists the jobs of a week",
            )),
            Self::Command(error) => error.hint(),
            Self::Remote(error) => error.hint(),
            Self::System { .. }
            | Self::Precondition(_)
            | Self::Unclear(_)
            | Self::Attempted { .. }
            | Self::Page(_)
            | Self::Agent(_)
            | Self::Silent(_)
            | Self::There { .. } => None,
            Self::MaxWait { .. } => Some(String::from("run again with the same flags to go on")),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Invalid(error) => error.details(),
            Self::Journal(error) => error.details(),
            Self::Taken { path, .. }
            | Self::Elsewhere { path, .. }
            | Self::Moved { path }
            | Self::Changed { path, .. }
            | Self::NoQueue { path }
            | Self::NoRuns { path }
            | Self::NoLedger { path }
            | Self::Illegal { path, .. } => Map::from_iter([(
                String::from("path"),
                Value::from(path.display().to_string()),
            )]),
            _ => Map::new(),
        }
    }
}
