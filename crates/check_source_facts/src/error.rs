//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use serde_json::{Map, Value, json};

use crate::report::Checked;

/// Errors of `check_source_facts`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `--answers` is not a folder.
    #[error("{} is not a folder", path.display())]
    Folder {
        /// The path.
        path: PathBuf,
    },
    /// Some sources did not answer, and the others hold.
    #[error("{} of {} facts could not be asked for", silent(facts), facts.len())]
    Silent {
        /// All facts.
        facts: Vec<Checked>,
    },
    /// No client can be made.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn silent(facts: &[Checked]) -> usize {
    facts.iter().filter(|fact| fact.is_silent()).count()
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Folder { .. } => ErrorKind::NotFound,
            Self::Silent { .. } => ErrorKind::Unavailable,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Folder { .. } => Some(String::from("name a folder with recorded answers")),
            Self::Silent { .. } => Some(String::from(
                "nothing follows for these; run it again later",
            )),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Silent { facts } => Map::from_iter([(String::from("facts"), json!(facts))]),
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
            Self::Folder { .. } => Map::new(),
        }
    }
}
