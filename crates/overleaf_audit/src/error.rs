//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use serde_json::{Map, Value};

use crate::report::{Looked, Unseen};

/// Errors of `overleaf_audit`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was named is no folder.
    #[error("{what}")]
    Root {
        /// Whether it is absent or something else.
        kind: ErrorKind,
        /// What is wrong with it.
        what: String,
    },
    /// No leak was found, but not everything was looked at.
    #[error(
        "no leak was found, but {} places could not be looked at; the first is {}: {}",
        unseen.len(), first(unseen).0, first(unseen).1
    )]
    Incomplete {
        /// What was not looked at.
        unseen: Vec<Unseen>,
        /// What was.
        looked: Looked,
    },
}

fn first(unseen: &[Unseen]) -> (&str, &str) {
    unseen
        .first()
        .map_or(("", ""), |unseen| (&unseen.place, &unseen.why))
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Root { kind, .. } => *kind,
            Self::Incomplete { .. } => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Root { .. } => Some(String::from(
                "name the folder of the paper or of the repository",
            )),
            Self::Incomplete { unseen, .. } => unseen.iter().find_map(|unseen| unseen.hint.clone()),
        }
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        if let Self::Incomplete { unseen, looked } = self {
            let put = |value: Result<Value, _>| value.unwrap_or_default();
            details.insert(String::from("unseen"), put(serde_json::to_value(unseen)));
            details.insert(String::from("looked"), put(serde_json::to_value(looked)));
        }
        details
    }
}
