//! What keeps the audit from being written at all.

use std::path::PathBuf;

use aris_audit::trace::TraceError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `paper_claim_audit`. What is wrong with a paper or its results is in its audit, never here.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The paper folder is not there.
    #[error("paper folder {} does not exist or is no folder", path.display())]
    Paper {
        /// The folder as given, absolute.
        path: PathBuf,
    },
    /// A `--results` that is not there.
    #[error("results {} do not exist", path.display())]
    Results {
        /// The path as given, absolute.
        path: PathBuf,
    },
    /// A `--results` that no gate would accept.
    #[error("results {} lie outside the project {}", path.display(), project.display())]
    Outside {
        /// The path as given, absolute.
        path: PathBuf,
        /// The project.
        project: PathBuf,
    },
    /// The file of pins is not there or cannot be read.
    #[error(transparent)]
    PinsRead(FsError),
    /// The file of pins is not one.
    #[error("{}: {message}", path.display())]
    Pins {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        message: String,
    },
    /// The proposals cannot be written.
    #[error(transparent)]
    Suggest(FsError),
    /// The proposals would replace something that is not proposals.
    #[error("{} would be overwritten: it holds more than proposals for pins", path.display())]
    Overwrite {
        /// The file.
        path: PathBuf,
    },
    /// The audit's data cannot be serialised.
    #[error("the audit's details cannot be written as JSON")]
    Details(#[source] serde_json::Error),
    /// Artifact, report or trace cannot be written.
    #[error(transparent)]
    Emit(#[from] TraceError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Paper { .. }
            | Self::Results { .. }
            | Self::Outside { .. }
            | Self::Overwrite { .. } => ErrorKind::Usage,
            Self::Pins { .. } => ErrorKind::Validation,
            Self::PinsRead(error) | Self::Suggest(error) => error.kind(),
            Self::Details(_) => ErrorKind::Internal,
            Self::Emit(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Paper { .. } => Some(String::from(
                "name the folder that holds the paper's LaTeX sources",
            )),
            Self::Results { .. } => Some(String::from("name a folder or file with raw results")),
            Self::Outside { .. } => Some(String::from(
                "copy or link the results into the project: the gate reads nothing outside it",
            )),
            Self::Pins { .. } => Some(String::from(
                "--suggest-pins writes a file of the right shape",
            )),
            Self::Overwrite { .. } => Some(String::from(
                "name a new file, and copy from it what is right",
            )),
            Self::PinsRead(error) | Self::Suggest(error) => error.hint(),
            Self::Details(_) => None,
            Self::Emit(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Paper { path }
            | Self::Results { path }
            | Self::Outside { path, .. }
            | Self::Overwrite { path }
            | Self::Pins { path, .. } => {
                Map::from_iter([(String::from("path"), path.display().to_string().into())])
            }
            Self::PinsRead(error) | Self::Suggest(error) => error.details(),
            Self::Emit(error) => error.details(),
            Self::Details(_) => Map::new(),
        }
    }
}
