//! What can go wrong.

use std::time::Duration;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_latex::RootError;
use aris_proc::ProcError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

/// Errors of `extract_paper_style`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `--source` names nothing that can be looked for.
    #[error("{what}")]
    Usage {
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// There is nothing of that name.
    #[error("{what}")]
    Absent {
        /// What is not there.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// What is there cannot be measured.
    #[error("{what}")]
    Paper {
        /// Where it is, and what is wrong with it.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// No root document in a folder or an archive.
    #[error("{place}: {source}")]
    Root {
        /// The folder or archive.
        place: String,
        /// Why there is none.
        source: RootError,
    },
    /// The document cannot be read.
    #[error(transparent)]
    Latex(#[from] aris_latex::Error),
    /// A PDF that took too long.
    #[error("{place}: reading the PDF takes longer than {} s", limit.as_secs())]
    SlowPdf {
        /// Where it is.
        place: String,
        /// The time it had.
        limit: Duration,
    },
    /// No `pdftotext` of poppler.
    #[error("a PDF is read by pdftotext of poppler, {}", if *found { "and the pdftotext that is installed is another program" } else { "which is not installed" })]
    NoPoppler {
        /// Whether a program of that name is there.
        found: bool,
    },
    /// Nowhere to keep the profile.
    #[error("there is no folder for the cache: HOME is not set")]
    NoCache,
    /// The profile cannot be written as JSON.
    #[error("the profile cannot be written")]
    Json(#[from] serde_json::Error),
    /// A program.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// No answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The disk.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Error {
    /// What lies at `place` cannot be measured.
    pub(crate) fn paper(place: &str, why: &str, hint: &'static str) -> Self {
        let what = format!("{place}: {why}");
        Self::Paper { what, hint }
    }

    /// What lies at `place` is no paper.
    pub(crate) fn no_paper(place: &str, why: &str) -> Self {
        let hint = "name LaTeX sources, a PDF or an HTML page of the paper";
        Self::paper(place, why, hint)
    }

    /// Overleaf is not asked.
    pub(crate) fn overleaf() -> Self {
        Self::Paper {
            what: String::from("projects on Overleaf are private and are not read from there"),
            hint: "clone the project with the skill overleaf-sync, then name the folder of the clone",
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage { .. } => ErrorKind::Usage,
            Self::Absent { .. } => ErrorKind::NotFound,
            Self::Paper { .. } | Self::Root { .. } | Self::Latex(_) => ErrorKind::Validation,
            Self::SlowPdf { .. } => ErrorKind::Timeout,
            Self::NoCache | Self::NoPoppler { .. } => ErrorKind::Precondition,
            Self::Json(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Http(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Usage { hint, .. } | Self::Absent { hint, .. } | Self::Paper { hint, .. } => hint,
            Self::Root { source, .. } => match source {
                RootError::None => "name the .tex file that holds the text",
                RootError::Several { .. } => "name one of these files instead of the folder",
            },
            Self::Latex(_) => "look for files that include each other",
            Self::SlowPdf { .. } => {
                "open it in a viewer; if it is no ordinary paper, name the LaTeX sources or arXiv identifier"
            }
            Self::NoPoppler { .. } => {
                "name the paper's arXiv identifier or LaTeX sources, which tell more than a PDF; or install poppler: `apt install poppler-utils` (Debian, Ubuntu), `brew install poppler` (macOS), `conda install -c conda-forge poppler`"
            }
            Self::NoCache => "name a folder with --output",
            Self::Json(_) => return None,
            Self::Proc(error) => return error.hint(),
            Self::Http(error) => return error.hint(),
            Self::Fs(error) => return error.hint(),
        };
        Some(text.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Http(error) => error.details(),
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
