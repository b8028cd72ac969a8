//! What can go wrong.

use std::path::PathBuf;

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_review::HttpError;
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// Errors of `resolve_claims_review`.
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
    /// The configuration cannot be read.
    #[error("{}: {what}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// The file is one of the branch under review, and the branch it goes to is not known.
    #[error("{} is part of the repository, and the branch that the pull request goes to is not known here", path.display())]
    NoBase {
        /// The file.
        path: PathBuf,
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
    /// Another branch is checked out than the one whose review is settled.
    #[error("{} has branch {found} checked out, and the review is of {wanted}", path.display())]
    OtherBranch {
        /// The worktree.
        path: PathBuf,
        /// What is checked out.
        found: String,
        /// What the review is of.
        wanted: String,
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
    /// A file that an edit must not touch.
    #[error("{name} cannot be committed: {why}")]
    File {
        /// The file as it was named.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// An edit that changed nothing.
    #[error("nothing has changed in {files}")]
    Unchanged {
        /// The files.
        files: String,
    },
    /// A comment that is in no classification.
    #[error("comment {id} is not in {}", path.display())]
    NoEntry {
        /// The comment.
        id: u64,
        /// The classification.
        path: PathBuf,
    },
    /// A comment that no edit settles.
    #[error("comment {id} is not settled by an edit: it is {what}")]
    NotEditable {
        /// The comment.
        id: u64,
        /// What it is.
        what: String,
    },
    /// Several open pull requests come from one branch.
    #[error("several open pull requests come from {branch}: {numbers:?}")]
    ManyPulls {
        /// The branch.
        branch: String,
        /// Their numbers.
        numbers: Vec<u64>,
    },
    /// It is not clear which pull request is meant.
    #[error("{} holds {found} of classification_map_N.json", path.display())]
    WhichPull {
        /// The output folder.
        path: PathBuf,
        /// How many there are.
        found: &'static str,
    },
    /// GitHub's own interface cannot be asked as it was wanted.
    #[error(transparent)]
    Base(#[from] HttpError),
    /// A product cannot be written as JSON.
    #[error("the product cannot be written as JSON")]
    Written(#[source] serde_json::Error),
    /// Results or a plan cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Json { .. } | Self::Config { .. } => ErrorKind::Validation,
            Self::NoBase { .. }
            | Self::Worktree { .. }
            | Self::NoBranch { .. }
            | Self::OtherBranch { .. }
            | Self::Git { .. }
            | Self::ManyPulls { .. }
            | Self::Unchanged { .. } => ErrorKind::Precondition,
            Self::File { .. } | Self::NotEditable { .. } => ErrorKind::Usage,
            Self::NoEntry { .. } | Self::WhichPull { .. } => ErrorKind::NotFound,
            Self::Base(error) => error.kind(),
            Self::Written(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Disk(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Json { .. } => {
                "give the file as the command before wrote it; one that is empty or cut is made again by fetch"
            }
            Self::Written(_) => return None,
            Self::Config { .. } => {
                "for example claims_review: {validation_command: make check, validation_timeout: 120}"
            }
            Self::NoBase { .. } => {
                "git fetch that branch, or give what is to be run with --command"
            }
            Self::Worktree { .. } => {
                "name the folder in which git worktree add or git clone put the report"
            }
            Self::NoBranch { .. } => "check out the branch of the pull request",
            Self::OtherBranch { wanted, .. } => return Some(format!("git switch {wanted}")),
            Self::Git { .. } => "put right what git says, then call again",
            Self::File { .. } => {
                "name the edited files relative to the worktree, or leave the comment with --status skipped --reason"
            }
            Self::Unchanged { .. } => {
                "edit the files first, or say --status skipped --reason with the reason"
            }
            Self::NoEntry { .. } => "take a number that plan lists",
            Self::NotEditable { .. } => "only entries that plan lists are edited",
            Self::ManyPulls { .. } => "name the one that is meant with --pr",
            Self::WhichPull { .. } => {
                "run fetch and merge first, or name the pull request with --pr"
            }
            Self::Base(error) => return error.hint(),
            Self::Proc(error) => return error.hint(),
            Self::Disk(error) => return error.hint(),
            Self::Fs(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let of = |path: &PathBuf| {
            Map::from_iter([(
                String::from("path"),
                Value::from(path.display().to_string()),
            )])
        };
        match self {
            Self::Json { path, source } => {
                let mut details = source.details();
                details.extend(of(path));
                details
            }
            Self::Config { path, .. }
            | Self::NoBase { path }
            | Self::Worktree { path }
            | Self::NoBranch { path }
            | Self::OtherBranch { path, .. }
            | Self::NoEntry { path, .. }
            | Self::WhichPull { path, .. } => of(path),
            Self::Disk(error) => error.details(),
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
