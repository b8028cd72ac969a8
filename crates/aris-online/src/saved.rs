//! Answers that somebody saved in a file.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_sources::{Doubt, Response};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Why a file brings no answer.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It holds something else.
    #[error("{}: {why}", path.display())]
    NoAnswer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// It is absent, not a plain file, too large or unreadable.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for SavedError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoAnswer { .. } => ErrorKind::Validation,
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoAnswer { wanted, .. } => Some(format!("name {wanted}")),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::NoAnswer { .. } => Map::new(),
            Self::Fs(error) => error.details(),
        }
    }
}

/// What `read` makes of the answer in `file`, of at most `limit` bytes. It counts as fetched when the file was last changed, so that
/// reading it again gives the same records. `wanted` says what the file should be: `a saved answer of …`.
pub fn saved<T>(
    context: &Context,
    file: &Path,
    limit: u64,
    wanted: &'static str,
    read: impl FnOnce(&Response) -> Result<T, Doubt>,
) -> Result<T, SavedError> {
    let path = context.absolute(file);
    let file = aris_fs::open(&path)?;
    let modified = file.metadata().modified().ok();
    let response = Response {
        status: 200,
        media_type: String::new(),
        fetched_at: modified
            .and_then(|time| Timestamp::try_from(time).ok())
            .unwrap_or_else(|| context.now()),
        body: file.read_all(limit)?,
        allowance: None,
        cached: true,
        url: String::new(),
    };
    read(&response).map_err(|doubt| {
        let (Doubt::Malformed(why) | Doubt::NotAnAnswer(why)) = doubt;
        SavedError::NoAnswer { path, why, wanted }
    })
}
