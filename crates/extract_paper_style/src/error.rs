//! What can go wrong.

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `extract_paper_style`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The paper is not measured, for a reason that this program names.
    #[error("{what}")]
    Refused {
        /// The kind of reason, which decides the exit code.
        kind: ErrorKind,
        /// The place, and what is wrong there.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// The document cannot be read.
    #[error(transparent)]
    Latex(#[from] aris_latex::Error),
    /// The profile cannot be written as JSON.
    #[error("the profile cannot be written")]
    Json(#[from] serde_json::Error),
    /// A program failed.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// A server did not answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// A file could not be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Error {
    pub(crate) const fn refused(kind: ErrorKind, what: String, hint: &'static str) -> Self {
        Self::Refused { kind, what, hint }
    }

    /// `--source` is not a path, an identifier or an address.
    pub(crate) const fn usage(what: String, hint: &'static str) -> Self {
        Self::refused(ErrorKind::Usage, what, hint)
    }

    /// There is no such paper.
    pub(crate) const fn absent(what: String, hint: &'static str) -> Self {
        Self::refused(ErrorKind::NotFound, what, hint)
    }

    /// The input at `place` cannot be measured.
    pub(crate) fn paper(place: &str, why: &str, hint: &'static str) -> Self {
        Self::refused(ErrorKind::Validation, format!("{place}: {why}"), hint)
    }

    /// The input at `place` is not a paper.
    pub(crate) fn no_paper(place: &str, why: &str) -> Self {
        let hint = "name LaTeX sources, a PDF or an HTML page of the paper";
        Self::paper(place, why, hint)
    }

    /// The source is on Overleaf, which is not asked.
    pub(crate) fn overleaf() -> Self {
        let what = "projects on Overleaf are private and are not read from there";
        let hint =
            "clone the project with the skill overleaf-sync, then name the folder of the clone";
        Self::refused(ErrorKind::Validation, what.to_owned(), hint)
    }

    /// `pdftotext` of poppler is not installed; `why` says what was found instead.
    pub(crate) fn no_poppler(why: &str) -> Self {
        let what = format!("a PDF is read by pdftotext of poppler, {why}");
        let hint = "name the paper's arXiv identifier or LaTeX sources, which tell more than a PDF; or install poppler: `apt install poppler-utils` (Debian, Ubuntu), `brew install poppler` (macOS), `conda install -c conda-forge poppler`";
        Self::refused(ErrorKind::Precondition, what, hint)
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { kind, .. } => *kind,
            Self::Latex(_) => ErrorKind::Validation,
            Self::Json(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { hint, .. } => Some((*hint).to_owned()),
            Self::Latex(_) => Some(String::from("look for files that include each other")),
            Self::Json(_) => None,
            Self::Proc(error) => error.hint(),
            Self::Http(error) => error.hint(),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
