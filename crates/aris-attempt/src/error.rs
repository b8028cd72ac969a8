//! Errors of running, starting or inspecting an attempt.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use aris_contract::failure::Told;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;

/// An error about an attempt's folder, its runner or its cards. A job that fails is no such error: its exit record says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttemptError {
    /// The disk failed or refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A record in the folder cannot be parsed.
    #[error("{} line {}: {source}", path.display(), source.line())]
    Record {
        /// The record.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// Another runner has this attempt.
    #[error("another runner has the attempt {}", .0.display())]
    Taken(PathBuf),
    /// A card cannot be leased, or the system refused.
    #[error(transparent)]
    Told(#[from] Told),
}

impl AttemptError {
    /// For `map_err`: the record in this file cannot be parsed.
    pub(crate) fn record(path: &Path) -> impl FnOnce(serde_json::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Record { path, source }
    }

    /// For `map_err`: the system refused to do `action`, which is an infinitive.
    pub(crate) fn system<E: Into<io::Error>>(action: impl Display) -> impl FnOnce(E) -> Self {
        let action = format!("cannot {action}");
        move |cause| {
            let message = format!("{action}: {}", cause.into());
            Told::new(ErrorKind::Precondition, message, "").into()
        }
    }

    /// Somebody else holds the lease.
    pub(crate) fn leased(path: &Path) -> Self {
        let message = format!("the lease {} is held by another job", path.display());
        let hint = "wait for the job that holds it, or end it";
        Told::new(ErrorKind::Precondition, message, hint).into()
    }

    /// The folder of leases, or a lease in it, cannot be used. `problem` completes a sentence that begins with the path.
    pub(crate) fn lease_file(path: &Path, problem: &str) -> Self {
        let message = format!("{} {problem}", path.display());
        let hint =
            "name another folder in ARIS_QUEUE_LEASES, the same for every queue of this machine";
        Told::new(ErrorKind::Precondition, message, hint).into()
    }
}

impl Failure for AttemptError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Fs(error) => error.kind(),
            Self::Record { .. } => ErrorKind::Validation,
            Self::Taken(..) => ErrorKind::Precondition,
            Self::Told(told) => told.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Fs(error) => return error.hint(),
            Self::Record { .. } => {
                "the file was damaged or written by another version; move its folder away to run the job again"
            }
            Self::Taken(..) => "nothing is to be done: it runs once",
            Self::Told(told) => return told.hint(),
        };
        Some(hint.to_owned())
    }
}
