//! Errors of this program.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use aris_attempt::AttemptError;
use aris_contract::failure::Told;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_queue::problem::{Invalid, nearest};
use aris_queue::state::Illegal;
use serde_json::{Map, Value};

use crate::place::Owner;

/// Errors of `queue_manager`: the message, and variants for cases that callers distinguish.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An error that no caller distinguishes, or one of a library.
    #[error(transparent)]
    Told(#[from] Told),
    /// The journal contains an event that is impossible.
    #[error("{told}")]
    Illegal {
        /// The message.
        told: Told,
        /// The event.
        source: Illegal,
    },
    /// Another manager runs the queue.
    #[error(transparent)]
    Taken(Told),
    /// The queue's folder was moved or removed while this manager ran it.
    #[error(transparent)]
    Moved(Told),
}

/// Converts errors of libraries, whose messages are complete.
macro_rules! of_libraries {
    ($($error:ty)*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::Told(Told::of(&error))
            }
        })*
    };
}

of_libraries!(AttemptError FsError Invalid ProcError);

impl Error {
    /// An error of this kind with a hint; an empty hint means none.
    pub(crate) fn told(kind: ErrorKind, message: impl Into<String>, hint: &str) -> Self {
        Self::Told(Told::new(kind, message, hint))
    }

    /// The call does not say clearly what is meant.
    pub(crate) fn unclear(message: impl Into<String>) -> Self {
        Self::told(ErrorKind::Usage, message, "")
    }

    /// It cannot be done now; the message says why.
    pub(crate) fn precondition(message: impl Into<String>) -> Self {
        Self::told(ErrorKind::Precondition, message, "")
    }

    /// A service did not answer.
    pub(crate) fn silent(message: impl Into<String>) -> Self {
        Self::told(ErrorKind::Unavailable, message, "")
    }

    /// For `map_err`: the system refused to do `action`.
    pub(crate) fn system<E: Display>(action: &'static str) -> impl Fn(E) -> Self + Copy {
        move |cause| Self::precondition(format!("cannot {action}: {cause}"))
    }

    /// For `map_err`: the journal of this queue has an impossible event.
    pub(crate) fn illegal(path: &Path) -> impl FnOnce(Illegal) -> Self {
        let path = path.to_path_buf();
        move |source| {
            let message = format!("the journal of {} does not fit: {source}", path.display());
            let hint = "the state file belongs to another manifest, or the journal was changed; give --state another name for a new queue";
            let told = at(&path, Told::new(ErrorKind::Validation, message, hint));
            Self::Illegal { told, source }
        }
    }

    /// `owner` runs the queue of this state file.
    pub(crate) fn taken(path: &Path, owner: &Owner) -> Self {
        let message = format!("the queue {} is run by {owner}", path.display());
        let hint = "control that queue with status, cancel, pause …; it needs no second manager";
        Self::Taken(at(path, Told::new(ErrorKind::Precondition, message, hint)))
    }

    /// The queue is no longer in this folder.
    pub(crate) fn moved(path: &Path) -> Self {
        let message = format!(
            "{} was moved or removed while this manager ran the queue: it has stopped, and starts and writes nothing more; jobs that run go on",
            path.display()
        );
        let hint =
            "in its new place, queue_manager status reports its jobs, and start continues it";
        Self::Moved(at(path, Told::new(ErrorKind::Precondition, message, hint)))
    }

    /// The message of any variant.
    fn inner(&self) -> &Told {
        match self {
            Self::Told(told)
            | Self::Illegal { told, .. }
            | Self::Taken(told)
            | Self::Moved(told) => told,
        }
    }

    /// Adds this file or folder to the details.
    pub(crate) fn about(self, path: impl AsRef<Path>) -> Self {
        match self {
            Self::Told(told) => Self::Told(at(path.as_ref(), told)),
            other => other,
        }
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
        let hint = &near(name, known, "status lists all");
        Self::told(
            ErrorKind::NotFound,
            format!("there is no phase {name:?}"),
            hint,
        )
    }

    /// No job has this id.
    pub(crate) fn no_job<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let hint = &near(id, known, "status --jobs lists all");
        Self::told(ErrorKind::NotFound, format!("no job matches {id:?}"), hint)
    }

    /// The job has no such log.
    pub(crate) fn no_log(id: &str, attempt: u32, last: u32) -> Self {
        let message = match last {
            0 => format!("job {id:?} has not started"),
            _ => format!("job {id:?} has no log of attempt {attempt}"),
        };
        let hint = "status --jobs lists the jobs and their attempts";
        Self::told(ErrorKind::NotFound, message, hint)
    }

    /// The HTML page or the table could not be made.
    pub(crate) fn no_page(why: impl Display) -> Self {
        let message = format!("the report could not be made: {why}");
        Self::told(ErrorKind::Internal, message, "")
    }
}

/// Adds this file or folder to the details.
fn at(path: &Path, told: Told) -> Told {
    told.with("path", path.display().to_string())
}

/// A hint with the most similar name, and where all names are listed.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>, all: &str) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("did you mean {near:?}? {all}"))
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        self.inner().kind()
    }

    fn hint(&self) -> Option<String> {
        self.inner().hint()
    }

    fn details(&self) -> Map<String, Value> {
        self.inner().details()
    }
}
