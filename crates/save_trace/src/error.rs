//! What can go wrong.

use std::io;
use std::path::PathBuf;

use aris_audit::trace::TraceError;
use aris_contract::json::JsonError;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `save_trace`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `ARIS_TRACE_MODE` is not a mode.
    #[error("ARIS_TRACE_MODE: {0}")]
    Mode(String),
    /// Both texts should come from standard input.
    #[error("only one of --prompt-file and --response-file can be standard input")]
    StdinTwice,
    /// Standard input cannot be read.
    #[error("cannot read standard input")]
    Stdin(#[source] io::Error),
    /// Standard input is larger than a trace may be.
    #[error("standard input has more than {} bytes", aris_audit::trace::TEXT_LIMIT)]
    StdinTooLarge,
    /// `--config` is not a JSON object.
    #[error("--config is not a JSON object")]
    Config(#[source] JsonError),
    /// `--project` is not a folder.
    #[error("{}", aris_fs::no_folder(path))]
    Project {
        /// The folder.
        path: PathBuf,
    },
    /// A named file cannot be read.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The record cannot be kept.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Mode(_) | Self::StdinTwice | Self::Config(_) => ErrorKind::Usage,
            Self::Stdin(_) => ErrorKind::Precondition,
            Self::StdinTooLarge => ErrorKind::Validation,
            Self::Project { path } if path.exists() => ErrorKind::Validation,
            Self::Project { .. } => ErrorKind::NotFound,
            Self::Fs(error) => error.kind(),
            Self::Trace(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Mode(_) => Some(String::from("set it to full, meta or off, or unset it")),
            Self::Config(_) => Some(String::from(
                "for example --config '{\"reasoning\": \"high\"}'",
            )),
            Self::Project { .. } => Some(String::from("name an existing folder")),
            Self::StdinTwice | Self::Stdin(_) | Self::StdinTooLarge => None,
            Self::Fs(error) => error.hint(),
            Self::Trace(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            Self::Trace(error) => error.details(),
            _ => Map::new(),
        }
    }
}
