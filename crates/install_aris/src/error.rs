//! What can go wrong.

use std::path::PathBuf;

use aris_contract::text::shell_line;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value, json};

/// Errors of `install_aris`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The project is not a folder.
    #[error("{}", aris_fs::no_folder(.0))]
    Project(PathBuf),
    /// `--user` without a home folder.
    #[error("--user: HOME names no folder")]
    Home,
    /// A path cannot be written into the manifest.
    #[error("the path {} cannot be recorded: it is not UTF-8, or has a tab or a line feed in it", .0.display())]
    Unrecordable(PathBuf),
    /// No usable source was found.
    #[error("no skills to install: {0}")]
    Source(String),
    /// `--skills` names a skill that the source does not have.
    #[error("the source has no skill {name:?}")]
    NoSkill {
        /// As it was named.
        name: String,
        /// The skill with the most similar name.
        near: String,
    },
    /// A file of the source, or a record, is damaged.
    #[error("{}:{line}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// `--reconcile`, `--update` or `--check` in a project without an install.
    #[error("nothing is installed in {}", .0.display())]
    NotInstalled(PathBuf),
    /// A folder that must belong to the project is a link, or is not a folder (rule S9).
    #[error("{} is {found}; refusing to install through it", path.display())]
    Parent {
        /// The path.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// Another installer has locked the project.
    #[error("another installer is running in this project ({owner}); its lock is {}", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
        /// Host and process, as far as known.
        owner: String,
        /// Whether `--clear-stale-lock` may help.
        stale: bool,
    },
    /// A foreign file has the journal's name.
    #[error("{} is not a journal of this program", .0.display())]
    Journal(PathBuf),
    /// Helpers have no program for this machine.
    #[error("no binary for this machine ({machine}) of {helpers}")]
    Binaries {
        /// System and architecture.
        machine: String,
        /// Helper names, joined.
        helpers: String,
        /// The source.
        root: PathBuf,
    },
    /// A path changed between plan and execution.
    #[error("{} changed while installing", .0.display())]
    Changed(PathBuf),
    /// Reading or writing a file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A record cannot be written as JSON.
    #[error("cannot encode the record")]
    Encode(#[from] serde_json::Error),
}

impl Error {
    pub(crate) fn changed(path: impl Into<PathBuf>) -> Self {
        Self::Changed(path.into())
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Project(path) if path.exists() => ErrorKind::Validation,
            Self::Project(_) | Self::Source(_) | Self::NotInstalled(_) => ErrorKind::NotFound,
            Self::NoSkill { .. } => ErrorKind::Usage,
            Self::Damaged { .. } => ErrorKind::Validation,
            Self::Home
            | Self::Unrecordable(_)
            | Self::Parent { .. }
            | Self::Busy { .. }
            | Self::Journal(_)
            | Self::Binaries { .. }
            | Self::Changed(_) => ErrorKind::Precondition,
            Self::Fs(error) => error.kind(),
            Self::Encode(_) => ErrorKind::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Project(_) => "name an existing folder",
            Self::Home => "set HOME, or name a project folder",
            Self::Unrecordable(_) => "rename the folder",
            Self::Source(_) => "name the folder that holds skills/ with --aris-repo PATH",
            Self::NoSkill { near, .. } if near.is_empty() => {
                "the skills are the folders in skills/ of the source"
            }
            Self::NoSkill { near, .. } => {
                return Some(format!(
                    "did you mean {near}? The skills are the folders in skills/ of the source"
                ));
            }
            Self::Damaged { .. } => {
                "restore the file from a backup, or move it away and install again; nothing was changed"
            }
            Self::NotInstalled(_) => "install first: install_aris [PROJECT] --aris-repo PATH",
            Self::Parent { path, .. } => {
                let path = path.display();
                return Some(format!(
                    "replace {path} by a folder of the project's own; nothing was changed"
                ));
            }
            Self::Busy { stale: true, .. } => {
                "when no installer is running, run again with --clear-stale-lock"
            }
            Self::Busy { .. } => "wait for it and run again",
            Self::Journal(path) => {
                return Some(format!("move {} away and run again", path.display()));
            }
            Self::Binaries { root, .. } => {
                let root = shell_line(&[root.display().to_string()]);
                return Some(format!(
                    "build them: cd {root} && cargo xtask install-skills; or install without them: --allow-missing-binaries"
                ));
            }
            Self::Changed(_) => "run again: the plan is made anew from what is there now",
            Self::Fs(error) => return error.hint(),
            Self::Encode(_) => return None,
        };
        Some(text.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let details = match self {
            Self::Damaged { path, line, .. } => {
                json!({"path": path.display().to_string(), "line": line})
            }
            Self::Project(path)
            | Self::Unrecordable(path)
            | Self::NotInstalled(path)
            | Self::Parent { path, .. }
            | Self::Busy { path, .. }
            | Self::Journal(path)
            | Self::Binaries { root: path, .. }
            | Self::Changed(path) => json!({"path": path.display().to_string()}),
            Self::Fs(error) => return error.details(),
            Self::Home | Self::Source(_) | Self::NoSkill { .. } | Self::Encode(_) => {
                return Map::new();
            }
        };
        details.as_object().cloned().unwrap_or_default()
    }
}
