//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use serde_json::{Map, Value, json};

/// Errors of `skill_lint`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A flag has a value that it does not accept.
    #[error("{0}")]
    Usage(String),
    /// A program of the sandbox, or an interpreter, could not be started or watched.
    #[error(transparent)]
    Process(#[from] ProcError),
    /// There is no sandbox to run programs in.
    #[error("--run starts nothing that is not sandboxed: {0}")]
    Unconfined(String),
    /// The sandbox ended before the program began.
    #[error("the sandbox did not start {program}: {said}")]
    NotStarted {
        /// The program that was to run.
        program: String,
        /// First line of stderr.
        said: String,
    },
    /// A PATH does not exist.
    #[error("{} does not exist", .0.display())]
    Absent(PathBuf),
    /// A PATH is a file.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The tree has nothing to check.
    #[error("no SKILL.md and no plugin manifest under {}", .0.display())]
    Empty(PathBuf),
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
    /// A repair failed or would not be safe.
    #[error("{path}: {message}")]
    Fix {
        /// The file.
        path: String,
        /// Why.
        message: String,
    },
    /// Reading or writing a file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage(_) => ErrorKind::Usage,
            Self::Process(error) => error.kind(),
            Self::Absent(_) => ErrorKind::NotFound,
            Self::NotAFolder(_) | Self::Empty(_) | Self::Config { .. } | Self::Baseline { .. } => {
                ErrorKind::Validation
            }
            Self::Unconfined(_) | Self::NotStarted { .. } | Self::Fix { .. } => {
                ErrorKind::Precondition
            }
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Usage(_) => {
                "skill_lint --help lists the options, skill_lint --list-rules the rules"
            }
            Self::Process(error) => return error.hint(),
            Self::Unconfined(_) => {
                "install bubblewrap (bwrap), or say --unsandboxed for skills that you trust as your own"
            }
            Self::NotStarted { .. } => "run without --run to leave out the dynamic rules",
            Self::Absent(_) => "name an existing repository, skills tree or skill",
            Self::NotAFolder(_) => "name the folder that holds the SKILL.md",
            Self::Empty(_) => {
                "name the folder that holds the skills, or give --allow-empty if there need not be any"
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
            Self::Absent(path)
            | Self::NotAFolder(path)
            | Self::Empty(path)
            | Self::Baseline { path, .. } => json!({"path": path.display().to_string()}),
            Self::Config {
                path, line, col, ..
            } => json!({"path": path.display().to_string(), "line": line, "col": col}),
            Self::Fix { path, .. } => json!({"path": path}),
            Self::Fs(error) => return error.details(),
            Self::Usage(_) | Self::Process(_) | Self::Unconfined(_) | Self::NotStarted { .. } => {
                return Map::new();
            }
        };
        details.as_object().cloned().unwrap_or_default()
    }
}
