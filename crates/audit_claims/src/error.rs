//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_gates::GateError;
use aris_review::HttpError;
use aris_statements::disk::DiskError;
use serde_json::{Map, Value};

/// Errors of `audit_claims`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Rules were asked for by the gate that has none.
    #[error("the review gate has no rules")]
    NoRules,
    /// Flags, folder, git or GitHub.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// A document, or what it is checked against, cannot be read.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl From<FsError> for Error {
    fn from(error: FsError) -> Self {
        Self::Gate(error.into())
    }
}

impl From<HttpError> for Error {
    fn from(error: HttpError) -> Self {
        Self::Gate(error.into())
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoRules => ErrorKind::Usage,
            Self::Gate(error) => error.kind(),
            Self::Disk(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoRules => Some(String::from("use --engine agent, or --gate claims")),
            Self::Gate(error) => error.hint(),
            Self::Disk(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::NoRules => Map::new(),
            Self::Gate(error) => error.details(),
            Self::Disk(error) => error.details(),
        }
    }
}
