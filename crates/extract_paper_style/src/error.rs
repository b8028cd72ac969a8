//! What can go wrong.

use std::path::PathBuf;
use std::time::Duration;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_latex::RootError;
use aris_proc::ProcError;
use aris_sources::HttpError;
use serde_json::{Map, Value};

use crate::pdf::LIMIT;

/// Errors of `extract_paper_style`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `--source` names nothing.
    #[error("--source is empty")]
    Empty,
    /// An identifier that cannot exist.
    #[error("{0}")]
    Id(String),
    /// An address of another kind.
    #[error("addresses that begin with {scheme}: are not read")]
    Scheme {
        /// What it begins with.
        scheme: String,
    },
    /// An address that may not be asked.
    #[error("the address is not asked: {why}")]
    Address {
        /// Why.
        why: &'static str,
    },
    /// Overleaf.
    #[error("projects on Overleaf are private and are not read from there")]
    Overleaf,
    /// There is nothing of that name.
    #[error("{}: no such file or folder, and no arXiv identifier or address either", path.display())]
    Absent {
        /// The path that was looked for.
        path: PathBuf,
    },
    /// arXiv or the server says that there is nothing.
    #[error("{what} does not exist")]
    NotThere {
        /// The paper or address.
        what: String,
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
    /// What came is no paper.
    #[error("{place}: {why}")]
    NoPaper {
        /// Where it is.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// A PDF that cannot be read.
    #[error("{place}: it cannot be read as a PDF: {why}")]
    Pdf {
        /// Where it is.
        place: String,
        /// What the reader says.
        why: String,
    },
    /// A PDF that asks for a password.
    #[error("{place}: the PDF asks for a password")]
    Locked {
        /// Where it is.
        place: String,
    },
    /// A PDF with more text than any paper has.
    #[error("{place}: the PDF has more than {} MiB of text", LIMIT >> 20)]
    LongPdf {
        /// Where it is.
        place: String,
    },
    /// A PDF that took too long.
    #[error("{place}: reading the PDF takes longer than {} s", limit.as_secs())]
    SlowPdf {
        /// Where it is.
        place: String,
        /// The time it had.
        limit: Duration,
    },
    /// A PDF without text.
    #[error("{place}: the PDF holds no text, as a scan does")]
    Scan {
        /// Where it is.
        place: String,
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

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::Id(_) | Self::Scheme { .. } | Self::Address { .. } => {
                ErrorKind::Usage
            }
            Self::Absent { .. } | Self::NotThere { .. } => ErrorKind::NotFound,
            Self::Overleaf
            | Self::Root { .. }
            | Self::Latex(_)
            | Self::NoPaper { .. }
            | Self::Pdf { .. }
            | Self::Locked { .. }
            | Self::LongPdf { .. }
            | Self::Scan { .. } => ErrorKind::Validation,
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
            Self::Empty => "name a folder, a .tex or .pdf file, an arXiv identifier or an address",
            Self::Id(_) => "identifiers look like 2501.12345 or cs/0601001",
            Self::Scheme { .. } => "download the paper and name the file",
            Self::Address { .. } => {
                "give an address that begins with https:// and holds no password"
            }
            Self::Overleaf => {
                "clone the project with the skill overleaf-sync, then name the folder of the clone"
            }
            Self::Absent { .. } => "check the path; arXiv identifiers look like arxiv:2501.12345",
            Self::NotThere { .. } => "check the identifier or address",
            Self::Root { source, .. } => match source {
                RootError::None => "name the .tex file that holds the text",
                RootError::Several { .. } => "name one of these files instead of the folder",
            },
            Self::Latex(_) => "look for files that include each other",
            Self::NoPaper { .. } => "name LaTeX sources, a PDF or an HTML page of the paper",
            Self::Pdf { .. } => {
                "open it in a viewer; if it is protected or damaged, name the LaTeX sources"
            }
            Self::Locked { .. } => {
                "save it without the password, or name the paper's LaTeX sources or arXiv identifier"
            }
            Self::LongPdf { .. } => "name one paper",
            Self::SlowPdf { .. } => {
                "open it in a viewer; if it is no ordinary paper, name the LaTeX sources or arXiv identifier"
            }
            Self::Scan { .. } => {
                "run a text recognition such as ocrmypdf on it, or name the paper's LaTeX sources or arXiv identifier"
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
