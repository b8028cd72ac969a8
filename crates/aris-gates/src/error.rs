//! What can go wrong in both helpers.

use std::path::PathBuf;

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_review::HttpError;
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// An error of flags, folder, git or GitHub.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// An input is not the JSON that it should be.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
        /// What to give instead.
        hint: &'static str,
    },
    /// The folder is in no git worktree.
    #[error("{} is no git worktree", path.display())]
    Worktree {
        /// The folder.
        path: PathBuf,
    },
    /// No branch is checked out.
    #[error("no branch is checked out in {}", path.display())]
    NoBranch {
        /// The worktree.
        path: PathBuf,
    },
    /// Somebody else writes into the pull request for too long.
    #[error("another call writes to {pull}")]
    Busy {
        /// The pull request.
        pull: String,
    },
    /// The pull request is not open any more.
    #[error("{pull} is {state}: nothing is looked at and nothing is posted")]
    NotOpen {
        /// The pull request.
        pull: String,
        /// What it is.
        state: &'static str,
    },
    /// The branch under review has, or can have, a part in what must be the caller's own.
    #[error("{} {what}: nothing is read there and nothing is written", path.display())]
    OfBranch {
        /// The file, link or submodule.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// git did not do what it was told.
    #[error("git {what}: {said}")]
    Git {
        /// The command.
        what: String,
        /// Its words.
        said: String,
    },
    /// A program cannot be run.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// GitHub's interface cannot be asked as it was wanted.
    #[error(transparent)]
    Base(#[from] HttpError),
    /// A product cannot be written as JSON.
    #[error("the product cannot be written as JSON")]
    Written(#[source] serde_json::Error),
    /// Rules were asked for by the gate that has none.
    #[error("the review gate has no rules")]
    NoRules,
    /// A document, or what it is checked against, cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for GateError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Json { .. } => ErrorKind::Validation,
            Self::NoRules => ErrorKind::Usage,
            Self::Disk(error) => error.kind(),
            Self::Worktree { .. }
            | Self::NoBranch { .. }
            | Self::NotOpen { .. }
            | Self::Busy { .. }
            | Self::OfBranch { .. }
            | Self::Git { .. } => ErrorKind::Precondition,
            Self::Base(error) => error.kind(),
            Self::Written(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Json { hint, .. } => hint,
            Self::Worktree { .. } => {
                "name the folder in which git worktree add or git clone put the report"
            }
            Self::NoBranch { .. } => "check out the branch of the pull request",
            Self::Busy { .. } => "call again when it is done",
            Self::NotOpen { .. } => "open it again, or name the pull request that is open",
            Self::OfBranch { .. } => {
                "answers of agents, files of the gates and configurations must not come with the pull request: take it out of the branch (git rm -r --cached), or name a folder outside of the worktree with --output"
            }
            Self::Git { .. } => "put right what git says, then call again",
            Self::NoRules => "use --engine agent, or --gate claims",
            Self::Written(_) => return None,
            Self::Disk(error) => return error.hint(),
            Self::Base(error) => return error.hint(),
            Self::Proc(error) => return error.hint(),
            Self::Fs(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = match self {
            Self::Json { source, .. } => source.details(),
            Self::Fs(error) => error.details(),
            Self::Disk(error) => error.details(),
            _ => Map::new(),
        };
        if let Self::Json { path, .. }
        | Self::Worktree { path }
        | Self::NoBranch { path }
        | Self::OfBranch { path, .. } = self
        {
            details.insert(String::from("path"), path.display().to_string().into());
        }
        details
    }
}
