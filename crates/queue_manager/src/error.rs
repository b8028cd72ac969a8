//! What can go wrong.

use std::io;
use std::path::{Path, PathBuf};

use aris_attempt::AttemptError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_queue::journal::JournalError;
use aris_queue::problem::{Invalid, nearest};
use aris_queue::state::Illegal;
use aris_remote::{AgentError, RemoteError};
use serde_json::{Map, Value};

use crate::place::Owner;

/// Errors of `queue_manager`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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
    /// The queue's folder is no longer where the manager took it.
    #[error(
        "{} was moved or removed while this manager ran the queue: it has stopped, and starts and writes nothing more; jobs that run go on",
        .0.display()
    )]
    Moved(PathBuf),
    /// The system refused something.
    #[error("cannot {action}")]
    System {
        /// What was to be done.
        action: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// Something that one place tells.
    #[error("{message}")]
    Told {
        /// Its class.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
        /// The file or folder that it is about.
        path: Option<PathBuf>,
    },
    /// A server cannot be asked.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A request of another machine was not served.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The command of `record` cannot be run.
    #[error(transparent)]
    Command(ProcError),
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

impl Error {
    /// An error of this class with what to do about it; an empty hint is none.
    pub(crate) fn told(
        kind: ErrorKind,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Told {
            kind,
            message: message.into(),
            hint: Some(hint.into()).filter(|hint| !hint.is_empty()),
            path: None,
        }
    }

    /// The call leaves open what is meant.
    pub(crate) fn unclear(message: impl Into<String>) -> Self {
        Self::told(ErrorKind::Usage, message, "")
    }

    /// It cannot be done here and now; the text says why.
    pub(crate) fn precondition(message: impl Into<String>) -> Self {
        Self::told(ErrorKind::Precondition, message, "")
    }

    /// A service gave no answer.
    pub(crate) fn silent(message: impl Into<String>) -> Self {
        Self::told(ErrorKind::Unavailable, message, "")
    }

    /// For `map_err`: the system refused this.
    pub(crate) fn system<E: Into<io::Error>>(action: &'static str) -> impl Fn(E) -> Self + Copy {
        move |source| {
            let source = source.into();
            Self::System { action, source }
        }
    }

    /// For `map_err`: the journal of this queue does not fit.
    pub(crate) fn illegal(path: &Path) -> impl FnOnce(Illegal) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Illegal { path, source }
    }

    /// The same, about this file or folder.
    pub(crate) fn about(mut self, about: impl Into<PathBuf>) -> Self {
        if let Self::Told { path, .. } = &mut self {
            *path = Some(about.into());
        }
        self
    }

    /// Neither a command nor a manifest was given.
    pub(crate) fn nothing() -> Self {
        let hint = "queue_manager run --manifest manifest.json, or queue_manager --help";
        let message = "no command, and no --manifest to run";
        Self::told(ErrorKind::Usage, message, hint)
    }

    /// No queue has this state file.
    pub(crate) fn no_queue(path: PathBuf) -> Self {
        let message = format!("there is no queue at {}", path.display());
        let hint = "name the state file of a queue with --state, or start one with run --manifest";
        Self::told(ErrorKind::NotFound, message, hint).about(path)
    }

    /// No phase has this name.
    pub(crate) fn no_phase<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let hint = near(name, known, "status lists all");
        Self::told(
            ErrorKind::NotFound,
            format!("there is no phase {name:?}"),
            hint,
        )
    }

    /// No job has this id.
    pub(crate) fn no_job<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let hint = near(id, known, "status --jobs lists all");
        Self::told(ErrorKind::NotFound, format!("no job matches {id:?}"), hint)
    }

    /// The job has no such log.
    pub(crate) fn no_log(id: &str, attempt: u32) -> Self {
        let message = match attempt {
            0 => format!("job {id:?} has not started"),
            _ => format!("job {id:?} has no log of attempt {attempt}"),
        };
        let hint = "status --jobs lists the jobs and their attempts";
        Self::told(ErrorKind::NotFound, message, hint)
    }

    /// The page or the table could not be made.
    pub(crate) fn no_page(why: impl std::fmt::Display) -> Self {
        let message = format!("the report could not be made: {why}");
        Self::told(ErrorKind::Internal, message, "")
    }
}

/// The nearest name, and where all of them stand.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>, all: &str) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("did you mean {near:?}? {all}"))
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Fs(error) => error.kind(),
            Self::Invalid(error) => error.kind(),
            Self::Journal(error) => error.kind(),
            Self::Illegal { .. } => ErrorKind::Validation,
            Self::Attempt(error) => error.kind(),
            Self::Taken { .. } | Self::Moved(_) | Self::System { .. } => ErrorKind::Precondition,
            Self::Command(error) => error.kind(),
            Self::Remote(error) => error.kind(),
            Self::Agent(error) => error.kind(),
            Self::Told { kind, .. } | Self::There { kind, .. } => *kind,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Fs(error) => return error.hint(),
            Self::Invalid(error) => return error.hint(),
            Self::Journal(error) => return error.hint(),
            Self::Attempt(error) => return error.hint(),
            Self::Command(error) => return error.hint(),
            Self::Remote(error) => return error.hint(),
            Self::Told { hint, .. } => return hint.clone(),
            Self::Illegal { .. } => {
                "the state file belongs to another manifest, or the journal was changed; give --state another name for a new queue"
            }
            Self::Taken { .. } => {
                "ask it with status, cancel, pause …; a second manager is never needed"
            }
            Self::Moved(_) => {
                "in its new place, queue_manager status reports its jobs, and start continues it"
            }
            Self::System { .. } | Self::Agent(_) | Self::There { .. } => return None,
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Invalid(error) => error.details(),
            Self::Journal(error) => error.details(),
            Self::Taken { path, .. }
            | Self::Moved(path)
            | Self::Told {
                path: Some(path), ..
            }
            | Self::Illegal { path, .. } => {
                let path = Value::from(path.display().to_string());
                Map::from_iter([(String::from("path"), path)])
            }
            _ => Map::new(),
        }
    }
}
