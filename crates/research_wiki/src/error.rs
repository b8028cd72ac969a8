//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

use crate::page::DamagedMarkers;

/// Errors of `research_wiki`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no wiki.
    #[error("{} is not an initialized wiki (papers/ missing)", root.display())]
    NoWiki {
        /// Where it should be.
        root: PathBuf,
    },
    /// A page is to be changed that is not text.
    #[error("{} cannot be changed: {why}", path.display())]
    Page {
        /// The page.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The markers of a page's generated part do not match.
    #[error("{}: {problem}", path.display())]
    Markers {
        /// The page.
        path: PathBuf,
        /// Where.
        problem: DamagedMarkers,
    },
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoWiki { .. } => ErrorKind::NotFound,
            Self::Page { .. } | Self::Markers { .. } => ErrorKind::Validation,
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoWiki { root } => {
                Some(format!("make one: research_wiki init {}", root.display()))
            }
            Self::Page { .. } => Some(String::from(
                "convert the page to UTF-8 text; nothing was changed",
            )),
            Self::Markers { .. } => Some(String::from(
                "remove the marker line, or put its counterpart back; nothing was changed",
            )),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
