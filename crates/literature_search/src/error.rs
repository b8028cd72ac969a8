//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::HttpError;
use serde_json::{Map, Value, json};

use crate::report::Asked;

/// Errors of `literature_search`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A query without a word.
    #[error("the query is empty")]
    Empty,
    /// Nothing was found, and not all sources have answered.
    #[error(
        "no source had a paper, and not all have answered: {}",
        failures(asked)
    )]
    NoneContributed {
        /// How each source fared.
        asked: Vec<Asked>,
    },
    /// A file without records.
    #[error("{}:{line}: {why}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// No client can be made.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn failures(asked: &[Asked]) -> String {
    let failed: Vec<String> = asked
        .iter()
        .filter_map(|asked| {
            asked
                .why
                .as_ref()
                .map(|why| format!("{} ({why})", asked.source))
        })
        .collect();
    failed.join("; ")
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty => ErrorKind::Usage,
            Self::NoneContributed { .. } => ErrorKind::Unavailable,
            Self::Records { .. } => ErrorKind::Validation,
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => Some(String::from("give words to search for")),
            Self::NoneContributed { .. } => Some(String::from(
                "nothing follows about the papers; allow more time with --deadline, or name other --sources",
            )),
            Self::Records { .. } => Some(String::from(
                "give what a fetcher prints with --jsonl or --json",
            )),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::NoneContributed { asked } => {
                Map::from_iter([(String::from("sources"), json!(asked))])
            }
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
            Self::Empty | Self::Records { .. } => Map::new(),
        }
    }
}
