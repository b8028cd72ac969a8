//! What can go wrong.

use std::io;
use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_figure::{PictureError, Problem};
use aris_fs::FsError;
use serde_json::{Map, Value, json};

/// Errors of `figure_renderer`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No subcommand was given.
    #[error("a command is missing")]
    NoCommand,
    /// The file is not a valid figure.
    #[error("{}:{}{}", path.display(), problems.first().map_or_else(String::new, said), more(problems.len()))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The reasons, at least one, in the order of the file.
        problems: Vec<Problem>,
    },
    /// The picture would be written over the figure, or over another picture.
    #[error("the picture {} would be written over {over}", path.display())]
    Over {
        /// The picture.
        path: PathBuf,
        /// What it would replace.
        over: &'static str,
    },
    /// Options contradict each other.
    #[error("{what}")]
    Contradiction {
        /// Which options, and why.
        what: String,
        /// What to write instead.
        hint: &'static str,
    },
    /// The extension of the picture is not a known kind.
    #[error("{}: a picture of this kind cannot be drawn", path.display())]
    Kind {
        /// The picture.
        path: PathBuf,
    },
    /// A picture cannot be drawn.
    #[error("{} cannot be drawn as {format}: {error}", path.display())]
    Picture {
        /// The figure.
        path: PathBuf,
        /// Kind of picture.
        format: &'static str,
        /// Why.
        error: PictureError,
    },
    /// Changes of the file cannot be watched.
    #[error("changes of {} cannot be watched", path.display())]
    Watch {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn said(problem: &Problem) -> String {
    let (line, column) = (problem.line, problem.column);
    format!("{line}:{column}: {}", problem.what())
}

fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        2 => String::from(" (and 1 more problem)"),
        _ => format!(" (and {} more problems)", count - 1),
    }
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { .. } | Self::Picture { .. } => ErrorKind::Validation,
            Self::NoCommand
            | Self::Over { .. }
            | Self::Contradiction { .. }
            | Self::Kind { .. } => ErrorKind::Usage,
            Self::Watch { .. } => ErrorKind::Precondition,
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoCommand => Some(String::from(
                "one of render, validate, schema, layout, watch; figure_renderer --example prints a figure that draws as it is",
            )),
            Self::Invalid { problems, .. } => problems.first().map(|problem| problem.fix.clone()),
            Self::Over { .. } => Some(String::from("name another file with --output")),
            Self::Contradiction { hint, .. } => Some(String::from(*hint)),
            Self::Kind { .. } => Some(String::from(
                "end the name in .svg, .pdf or .png, or choose one of these with --format",
            )),
            Self::Picture { error, .. } => match error {
                PictureError::Size { .. } => {
                    Some(String::from("choose a smaller --dpi or a smaller canvas"))
                }
                PictureError::Drawing(_) => None,
            },
            Self::Watch { .. } => Some(String::from(
                "watching needs Linux and a file system that reports changes; call render instead",
            )),
            Self::Fs(error) => error.hint(),
        }
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Invalid { path, problems } => {
                let path = path.display().to_string();
                let details = json!({"path": path, "problems": problems});
                details.as_object().cloned().unwrap_or_default()
            }
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
