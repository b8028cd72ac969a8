//! Why the gate gave no answer.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use aris_contract::artifact::audit::AssuranceError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use serde_json::{Map, Value};

use crate::policy::PolicyError;

/// Everything that keeps the gate from writing a report. What is wrong with a paper is in the report, never here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The paper directory is absent or not a directory.
    #[error("{} is not a directory", path.display())]
    NoPaper {
        /// The path.
        path: PathBuf,
    },
    /// `assurance.txt` says neither draft nor submission.
    #[error("{}: {source}", path.display())]
    Assurance {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: AssuranceError,
    },
    /// The policy file is absent.
    #[error("the policy file {} does not exist", path.display())]
    NoPolicy {
        /// The path.
        path: PathBuf,
    },
    /// The policy file is not a policy.
    #[error("{}: the policy is invalid", path.display())]
    Policy {
        /// The path.
        path: PathBuf,
        /// What is wrong, and where.
        source: PolicyError,
    },
    /// What is read besides the paper is there and cannot be read.
    #[error("{what} cannot be read")]
    Read {
        /// What it is.
        what: &'static str,
        /// The class of the error.
        kind: ErrorKind,
        /// Why.
        source: FsError,
    },
    /// An audit by a reviewer cannot be asked for or written down.
    #[error("{message}")]
    Judged {
        /// The class of the error.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// An output would replace a file that was judged, or another output.
    #[error("{} would be overwritten: it is {what}", path.display())]
    Overwrite {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The place of the report leads out of the project through a link that lies in the paper.
    #[error("{} is a link that leads out of the paper, to {}", path.display(), to.display())]
    Astray {
        /// The place of the report.
        path: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// An output cannot be written.
    #[error("{what} cannot be written")]
    Write {
        /// Which output.
        what: &'static str,
        /// Why.
        source: FsError,
    },
    /// An output cannot be composed.
    #[error("{what} cannot be composed: {reason}")]
    Compose {
        /// Which output.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// `SOURCE_DATE_EPOCH` is not a number of seconds.
    #[error("SOURCE_DATE_EPOCH is {found:?}, not a number of seconds since 1970")]
    Epoch {
        /// What it is.
        found: String,
    },
    /// The signing program could not be run.
    #[error("the statement is written and not signed")]
    Sign(#[source] ProcError),
    /// The signing program refused.
    #[error("the statement is written and not signed: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
}

impl Error {
    /// `made`, or why that output cannot be composed.
    pub(crate) fn compose<T>(what: &'static str, made: Result<T, impl Display>) -> Result<T, Self> {
        made.map_err(|error| Self::Compose {
            what,
            reason: error.to_string(),
        })
    }

    pub(crate) fn judged(kind: ErrorKind, message: String, hint: String) -> Self {
        Self::Judged {
            kind,
            message,
            hint,
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Judged { kind, .. } | Self::Read { kind, .. } => *kind,
            Self::NoPaper { path } if path.exists() && !path.is_dir() => ErrorKind::Validation,
            Self::NoPaper { .. } | Self::NoPolicy { .. } => ErrorKind::NotFound,
            Self::Assurance { .. }
            | Self::Overwrite { .. }
            | Self::Astray { .. }
            | Self::Epoch { .. } => ErrorKind::Usage,
            Self::Policy { .. } => ErrorKind::Validation,
            Self::Write { source, .. } => source.kind(),
            Self::Sign(_) | Self::Refused { .. } => ErrorKind::Precondition,
            Self::Compose { .. } => ErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoPaper { .. } => "name the directory that holds the paper's root document",
            Self::Assurance { path, .. } => {
                let path = path.display();
                return Some(format!(
                    "write draft or submission into {path}, or pass --assurance"
                ));
            }
            Self::Judged { hint, .. } => hint,
            Self::NoPolicy { .. } => "leave --policy out for the built-in policy",
            Self::Policy { .. } => "compare with skills/paper-writing/assets/audit-policy.json",
            Self::Overwrite { .. } => "name another output file",
            Self::Astray { .. } => "remove the link; the report can go elsewhere with --output",
            Self::Write { source, .. } => {
                let elsewhere = "write the report elsewhere with --output";
                let hint = source.hint().map(|hint| format!("{hint}; or {elsewhere}"));
                return hint.or_else(|| Some(elsewhere.to_owned()));
            }
            Self::Compose { .. } => "",
            Self::Epoch { .. } => {
                "unset it, or set it to the time of the last commit: git log -1 --format=%ct"
            }
            Self::Refused { .. } => "check the key with: ssh-keygen -y -f KEY",
            Self::Read { source, .. } => return source.hint(),
            Self::Sign(error) => return error.hint(),
        };
        Some(hint.to_owned()).filter(|hint| !hint.is_empty())
    }

    fn details(&self) -> Map<String, Value> {
        let of_path = |path: &Path| {
            let path = Value::from(path.display().to_string());
            Map::from_iter([(String::from("path"), path)])
        };
        match self {
            Self::NoPaper { path }
            | Self::Assurance { path, .. }
            | Self::NoPolicy { path }
            | Self::Overwrite { path, .. }
            | Self::Astray { path, .. } => of_path(path),
            Self::Policy { path, source } => {
                let mut details = of_path(path);
                details.insert(String::from("line"), Value::from(source.line));
                details.insert(String::from("column"), Value::from(source.column));
                details
            }
            Self::Read { source, .. } | Self::Write { source, .. } => source.details(),
            Self::Judged { .. }
            | Self::Compose { .. }
            | Self::Epoch { .. }
            | Self::Sign(_)
            | Self::Refused { .. } => Map::new(),
        }
    }
}
