//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_online::SavedError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `arxiv_fetch`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A query without a word.
    #[error("the query is empty")]
    Empty,
    /// `id:` before something that is no identifier.
    #[error("{0}")]
    Id(String),
    /// arXiv says that there is no such paper.
    #[error("arXiv has no {what} of {id}")]
    Absent {
        /// PDF or source.
        what: &'static str,
        /// The paper.
        id: String,
    },
    /// Something lies where the file would go, and it is not that file.
    #[error("{} exists and is not {what}", path.display())]
    Other {
        /// The place.
        path: PathBuf,
        /// What was expected.
        what: &'static str,
    },
    /// The source cannot be unpacked.
    #[error("cannot unpack {}: {why}", path.display())]
    Unpack {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A saved answer.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// No answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::Id(_) => ErrorKind::Usage,
            Self::Absent { .. } => ErrorKind::NotFound,
            Self::Other { .. } | Self::Unpack { .. } => ErrorKind::Validation,
            Self::Saved(error) => error.kind(),
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => Some(String::from("give words to search for")),
            Self::Id(_) => Some(String::from(
                "identifiers look like 2301.07041 or cs/0601001",
            )),
            Self::Absent { .. } => Some(String::from("search for the paper's title first")),
            Self::Other { .. } => Some(String::from("move it away, or name another --dir")),
            Self::Unpack { .. } => Some(String::from("the archive is kept; look at it by hand")),
            Self::Saved(error) => error.hint(),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Http(error) => error.details(),
            Self::Saved(error) => error.details(),
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
