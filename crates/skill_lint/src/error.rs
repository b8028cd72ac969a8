//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value, json};

use crate::sandbox::SandboxError;

/// Errors of `skill_lint`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A flag's value is none that it takes.
    #[error("{0}")]
    Usage(String),
    /// Programs of the tree were to run, and there is no sandbox for them.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A PATH does not exist.
    #[error("{} does not exist", path.display())]
    Absent {
        /// The path.
        path: PathBuf,
    },
    /// A PATH is a file.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// There is nothing to look at.
    #[error("no SKILL.md and no plugin manifest under {}", path.display())]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The configuration is wrong.
    #[error("{}:{line}:{col}: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// Line from 1.
        line: usize,
        /// Column from 1.
        col: usize,
        /// What is wrong.
        message: String,
    },
    /// The baseline is wrong.
    #[error("{}: not a baseline", path.display())]
    Baseline {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: serde_json::Error,
    },
    /// A repair would not be safe.
    #[error("{path}: {message}")]
    Fix {
        /// The file.
        path: String,
        /// Why.
        message: String,
    },
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage(_) => ErrorKind::Usage,
            Self::Sandbox(error) => error.kind(),
            Self::Absent { .. } => ErrorKind::NotFound,
            Self::NotAFolder { .. }
            | Self::Empty { .. }
            | Self::Config { .. }
            | Self::Baseline { .. } => ErrorKind::Validation,
            Self::Fix { .. } => ErrorKind::Precondition,
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Usage(_) => "see --help and --list-rules",
            Self::Sandbox(error) => return error.hint(),
            Self::Absent { .. } => "name an existing repository, skills tree or skill",
            Self::NotAFolder { .. } => "name the folder that holds the SKILL.md",
            Self::Empty { .. } => {
                "name the folder that holds the skills, or give --allow-empty when none is right"
            }
            Self::Config { .. } => "mend the configuration, or run with --no-config",
            Self::Baseline { .. } => "write it anew with --write-baseline",
            Self::Fix { .. } => "mend it by hand",
            Self::Fs(error) => return error.hint(),
        };
        Some(text.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let details = match self {
            Self::Absent { path }
            | Self::NotAFolder { path }
            | Self::Empty { path }
            | Self::Baseline { path, .. } => json!({"path": path.display().to_string()}),
            Self::Config {
                path, line, col, ..
            } => json!({"path": path.display().to_string(), "line": line, "col": col}),
            Self::Fix { path, .. } => json!({"path": path}),
            Self::Fs(error) => return error.details(),
            Self::Sandbox(error) => return error.details(),
            Self::Usage(_) => return Map::new(),
        };
        details.as_object().cloned().unwrap_or_default()
    }
}
