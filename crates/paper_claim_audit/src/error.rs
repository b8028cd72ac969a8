//! What keeps a command from doing its work at all. What is wrong with a paper or its data is in the audit, never here.

use std::path::PathBuf;

use aris_audit::trace::TraceError;
use aris_claims::project::ProjectError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `paper_claim_audit`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The paper folder is not there.
    #[error("paper folder {} does not exist or is not a folder", path.display())]
    Paper {
        /// The folder, absolute.
        path: PathBuf,
    },
    /// The file of `--root` is not there.
    #[error("root document {} does not exist", path.display())]
    Root {
        /// The file, absolute.
        path: PathBuf,
    },
    /// Bindings or results cannot be used.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// There is no document.
    #[error("{message}")]
    Document {
        /// Why.
        message: String,
        /// What to do.
        action: String,
    },
    /// The binding that is to be added is wrong.
    #[error("{message}")]
    Binding {
        /// Why.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// The value of a macro cannot be calculated or written.
    #[error("macro `\\{name}`: {message}")]
    Macro {
        /// Its name.
        name: String,
        /// Why.
        message: String,
    },
    /// A file that this program did not write would be lost.
    #[error("{} was not written by this program; it stays as it is", path.display())]
    Overwrite {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(FsError),
    /// The audit's data cannot be serialised.
    #[error("the audit's details cannot be written as JSON")]
    Details(#[source] serde_json::Error),
    /// The page cannot be made.
    #[error("the page cannot be made")]
    Page(#[source] askama::Error),
    /// Artifact, report or trace cannot be written.
    #[error(transparent)]
    Emit(#[from] TraceError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Paper { .. } | Self::Overwrite { .. } => ErrorKind::Usage,
            Self::Root { .. } => ErrorKind::NotFound,
            Self::Project(error) => error.kind(),
            Self::Document { .. } | Self::Binding { .. } | Self::Macro { .. } => {
                ErrorKind::Validation
            }
            Self::Write(error) => error.kind(),
            Self::Details(_) | Self::Page(_) => ErrorKind::Internal,
            Self::Emit(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Paper { .. } => Some(String::from(
                "name the folder that holds the paper's LaTeX sources",
            )),
            Self::Overwrite { .. } => Some(String::from("name a new file, or move this one away")),
            Self::Root { .. } => Some(String::from("--root is relative to the paper folder")),
            Self::Project(error) => error.hint(),
            Self::Document { action, .. } => Some(action.clone()),
            Self::Binding { hint, .. } => Some((*hint).to_owned()),
            Self::Macro { .. } => Some(String::from(
                "correct its `value` or `format` in claims.toml",
            )),
            Self::Write(error) => error.hint(),
            Self::Details(_) | Self::Page(_) => None,
            Self::Emit(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Paper { path } | Self::Root { path } | Self::Overwrite { path } => {
                Map::from_iter([(String::from("path"), path.display().to_string().into())])
            }
            Self::Project(error) => error.details(),
            Self::Write(error) => error.details(),
            Self::Emit(error) => error.details(),
            Self::Document { .. }
            | Self::Binding { .. }
            | Self::Macro { .. }
            | Self::Details(_)
            | Self::Page(_) => Map::new(),
        }
    }
}
