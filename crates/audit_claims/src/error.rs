//! What can go wrong.

use std::path::PathBuf;

use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
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
    /// The base URL of GitHub's interface cannot be used.
    #[error("{message}")]
    Base {
        /// What is wrong with it.
        message: String,
        /// What to do about it.
        hint: Option<String>,
        /// Whose fault it is.
        kind: ErrorKind,
    },
    /// A LaTeX document is beyond the limits of the reader.
    #[error(transparent)]
    Latex(aris_latex::Error),
    /// A result file is not what its name promises.
    #[error(transparent)]
    Results(aris_claims::EvidenceError),
    /// A plan cannot be used.
    #[error("{}: {message}", path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A papers cache is none.
    #[error("{}: {source}", path.display())]
    Papers {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: serde_json::Error,
    },
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
            Self::Json { .. }
            | Self::Latex(_)
            | Self::Results(_)
            | Self::Plan { .. }
            | Self::Papers { .. } => ErrorKind::Validation,
            Self::Worktree { .. } => ErrorKind::Precondition,
            Self::NoRules => ErrorKind::Usage,
            Self::Base { kind, .. } => *kind,
            Self::Written(_) => ErrorKind::Internal,
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
            Self::Base { hint, .. } => hint.clone(),
            Self::Latex(_) => Some(String::from(
                "give the part that is to be checked as a file of its own",
            )),
            Self::Results(_) => Some(String::from(
                "correct the file, or leave it out of --results",
            )),
            Self::Plan { .. } => Some(String::from(
                "give replicates, systems, metrics or thresholds in JSON, YAML or front matter, or say \"R = 3\"",
            )),
            Self::Papers { .. } => Some(String::from("give what verify_papers --json prints")),
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
            Self::Worktree { path } | Self::Plan { path, .. } | Self::Papers { path, .. } => {
                Map::from_iter([(
                    String::from("path"),
                    Value::from(path.display().to_string()),
                )])
            }
            Self::NoRules
            | Self::Base { .. }
            | Self::Latex(_)
            | Self::Results(_)
            | Self::Written(_) => Map::new(),
            Self::Fs(error) => error.details(),
        }
    }
}
