//! Reasons why the gate gave no answer.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use serde_json::{Map, Value};

/// Errors that keep the gate from writing a report. Faults of a paper are in the report, not here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Arguments, input or an output that cannot be used.
    #[error("{message}")]
    Unusable {
        /// The class of the error.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
        /// How to fix it; empty if unknown.
        hint: String,
        /// Machine-readable details: the file and the position in it.
        details: Map<String, Value>,
    },
    /// A file other than the paper exists but cannot be read.
    #[error("{what} cannot be read")]
    Read {
        /// What it is.
        what: &'static str,
        /// The class of the error.
        kind: ErrorKind,
        /// Why.
        source: FsError,
    },
    /// An output cannot be written.
    #[error("{what} cannot be written")]
    Write {
        /// Which output.
        what: &'static str,
        /// Why.
        source: FsError,
    },
    /// The signing program could not be run.
    #[error("the statement is written and not signed")]
    Sign(#[source] ProcError),
}

impl Error {
    pub(crate) fn new(
        kind: ErrorKind,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Unusable {
            kind,
            message: message.into(),
            hint: hint.into(),
            details: Map::new(),
        }
    }

    /// Adds a machine-readable detail.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Self::Unusable { details, .. } = &mut self {
            details.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Adds the path of a file or folder.
    pub(crate) fn at(self, path: &Path) -> Self {
        self.with("path", path.display().to_string())
    }

    /// The paper directory is absent or not a directory.
    pub(crate) fn no_paper(path: PathBuf) -> Self {
        let kind = if path.exists() {
            ErrorKind::Validation
        } else {
            ErrorKind::NotFound
        };
        let message = aris_fs::no_folder(&path);
        let hint = "name the folder that holds the paper's root document";
        Self::new(kind, message, hint).at(&path)
    }

    /// The place of the report leads out of the project, through a link in the paper.
    pub(crate) fn astray(path: &Path, to: &Path) -> Self {
        let (shown, to) = (path.display(), to.display());
        let message = format!("{shown} is a link that leads out of the paper, to {to}");
        let hint = "remove the link; the report can go elsewhere with --output";
        Self::new(ErrorKind::Usage, message, hint).at(path)
    }

    /// The result, or an error that says that this output cannot be composed.
    pub(crate) fn compose<T>(what: &str, made: Result<T, impl Display>) -> Result<T, Self> {
        made.map_err(|error| {
            let message = format!("{what} cannot be composed: {error}");
            Self::new(ErrorKind::Internal, message, "")
        })
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unusable { kind, .. } | Self::Read { kind, .. } => *kind,
            Self::Write { source, .. } => source.kind(),
            Self::Sign(_) => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unusable { hint, .. } => Some(hint.clone()).filter(|hint| !hint.is_empty()),
            Self::Write { source, .. } => {
                let elsewhere = "write the report elsewhere with --output";
                let hint = source.hint().map(|hint| format!("{hint}; or {elsewhere}"));
                hint.or_else(|| Some(elsewhere.to_owned()))
            }
            Self::Read { source, .. } => source.hint(),
            Self::Sign(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Unusable { details, .. } => details.clone(),
            Self::Read { source, .. } | Self::Write { source, .. } => source.details(),
            Self::Sign(_) => Map::new(),
        }
    }
}
