//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_gates::GateError;
use aris_review::{HttpError, Trouble};
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// Errors of `resolve_claims_review`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Flags, folder, git or GitHub.
    #[error(transparent)]
    Gate(#[from] GateError),
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
    /// The branch of a pull request lies with somebody else.
    #[error("{pull} comes from {from}, and this worktree is of {ours}")]
    Fork {
        /// The pull request.
        pull: String,
        /// The repository that its branch lies in.
        from: String,
        /// Ours.
        ours: String,
    },
    /// It is not clear which pull request is meant.
    #[error("{} holds {found} of classification_map_N.json", path.display())]
    WhichPull {
        /// The output folder.
        path: PathBuf,
        /// How many there are.
        found: &'static str,
    },
    /// The service that the pull request lies on was asked and did not say what there is to settle.
    #[error("the review is not resolved: {0}")]
    Away(Trouble),
}

impl From<FsError> for Error {
    fn from(error: FsError) -> Self {
        Self::Gate(error.into())
    }
}

impl From<DiskError> for Error {
    fn from(error: DiskError) -> Self {
        Self::Gate(error.into())
    }
}

impl From<HttpError> for Error {
    fn from(error: HttpError) -> Self {
        Self::Gate(error.into())
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Config { .. } => ErrorKind::Validation,
            Self::NoBase { .. }
            | Self::OtherBranch { .. }
            | Self::ManyPulls { .. }
            | Self::Fork { .. }
            | Self::Unchanged { .. } => ErrorKind::Precondition,
            Self::File { .. } | Self::NotEditable { .. } => ErrorKind::Usage,
            Self::NoEntry { .. } | Self::WhichPull { .. } => ErrorKind::NotFound,
            Self::Away(_) => ErrorKind::Unavailable,
            Self::Gate(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Config { .. } => {
                "for example claims_review: {validation_command: make check, validation_timeout: 120}"
            }
            Self::NoBase { .. } => {
                "run fetch of this helper first, which keeps the name of that branch, or git fetch the branch; or give what is to be run with --command and --command-timeout"
            }
            Self::OtherBranch { wanted, .. } => return Some(format!("git switch {wanted}")),
            Self::File { .. } => {
                "name the edited files relative to the worktree, or leave the comment with --status skipped --reason"
            }
            Self::Unchanged { .. } => {
                "edit the files first, or say --status skipped --reason with the reason"
            }
            Self::NoEntry { .. } => "take a number that plan lists",
            Self::NotEditable { .. } => "only entries that plan lists are edited",
            Self::ManyPulls { .. } => "name the one that is meant with --pr",
            Self::Fork { .. } => {
                "name your own pull request, or say --allow-fork where the comments on this one are yours to settle"
            }
            Self::WhichPull { .. } => {
                "run fetch and merge first, or name the pull request with --pr"
            }
            Self::Away(_) => {
                "call again when it answers; where the token is not accepted, gh auth login or GH_TOKEN, and on GitLab GITLAB_TOKEN"
            }
            Self::Gate(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Config { path, .. }
            | Self::NoBase { path }
            | Self::OtherBranch { path, .. }
            | Self::NoEntry { path, .. }
            | Self::WhichPull { path, .. } => {
                let path = Value::from(path.display().to_string());
                Map::from_iter([(String::from("path"), path)])
            }
            Self::Gate(error) => error.details(),
            _ => Map::new(),
        }
    }
}
