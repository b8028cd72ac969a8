//! What can go wrong.

use aris_contract::text::counted;
use aris_contract::{ErrorKind, Failure};
use serde_json::{Map, Value, json};

use crate::report::{Looked, Unseen};

/// Errors of `overleaf_audit`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The given folder does not exist.
    #[error("folder {0} does not exist")]
    Absent(String),
    /// The given path is not a folder.
    #[error("{0} is not a folder")]
    NoFolder(String),
    /// No leak was found, but not everything could be searched.
    #[error(
        "no leak was found, but {} could not be looked at; the first is {}",
        counted(unseen.len(), "place"), unseen.first().map(|Unseen { place, why, .. }| format!("{place}: {why}")).unwrap_or_default()
    )]
    Incomplete {
        /// What was not searched.
        unseen: Vec<Unseen>,
        /// What was searched.
        looked: Looked,
    },
}

/// The advice if there is no such folder.
const OTHER: &str = "name the folder of the paper or of the repository";

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Absent(_) => ErrorKind::NotFound,
            Self::NoFolder(_) => ErrorKind::Validation,
            Self::Incomplete { .. } => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Absent(_) | Self::NoFolder(_) => Some(OTHER.to_owned()),
            Self::Incomplete { unseen, .. } => unseen.iter().find_map(|unseen| unseen.hint.clone()),
        }
    }

    fn details(&self) -> Map<String, Value> {
        let Self::Incomplete { unseen, looked } = self else {
            return Map::new();
        };
        let details = [("unseen", json!(unseen)), ("looked", json!(looked))];
        Map::from_iter(details.map(|(name, value)| (name.to_owned(), value)))
    }
}
