//! What can go wrong.

use std::path::PathBuf;

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_review::HttpError;
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// Errors of `audit_claims`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An input is not the JSON that it should be.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: JsonError,
    },
    /// The folder is in no git worktree.
    #[error("{} is no git worktree", path.display())]
    Worktree {
        /// The folder.
        path: PathBuf,
    },
    /// Rules were asked for by the gate that has none.
    #[error("the review gate has no rules")]
    NoRules,
    /// GitHub's own interface cannot be asked as it was wanted.
    #[error(transparent)]
    Base(#[from] HttpError),
    /// A document, or what it is checked against, cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A product cannot be written as JSON.
    #[error("the product cannot be written as JSON")]
    Written(#[source] serde_json::Error),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Json { .. } => ErrorKind::Validation,
            Self::Worktree { .. } => ErrorKind::Precondition,
            Self::NoRules => ErrorKind::Usage,
            Self::Base(error) => error.kind(),
            Self::Written(_) => ErrorKind::Internal,
            Self::Disk(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Json { .. } => Some(String::from(
                "give a list of findings, or an object with one under \"findings\"",
            )),
            Self::Worktree { .. } => Some(String::from(
                "name the folder in which git worktree add or git clone put the report",
            )),
            Self::NoRules => Some(String::from("use --engine agent, or --gate claims")),
            Self::Base(error) => error.hint(),
            Self::Disk(error) => error.hint(),
            Self::Written(_) => None,
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Json { path, source } => {
                let mut details = source.details();
                details.insert(String::from("path"), path.display().to_string().into());
                details
            }
            Self::Worktree { path } => Map::from_iter([(
                String::from("path"),
                Value::from(path.display().to_string()),
            )]),
            Self::NoRules | Self::Base(_) | Self::Written(_) => Map::new(),
            Self::Disk(error) => error.details(),
            Self::Fs(error) => error.details(),
        }
    }
}
