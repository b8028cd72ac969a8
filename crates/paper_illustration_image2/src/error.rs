//! What can go wrong.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;
use serde_json::{Map, Value};

/// Errors of `paper_illustration_image2`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The workspace is not a folder.
    #[error("the workspace {} is not a folder", path.display())]
    Workspace {
        /// The folder.
        path: PathBuf,
    },
    /// A label that LaTeX would misread.
    #[error("the label {label:?} has characters that no label can have")]
    Label {
        /// The label.
        label: String,
    },
    /// The accepted image does not exist.
    #[error("{}: there is no such image", path.display())]
    NoImage {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The accepted image is outside the project.
    #[error("{} is outside the project {}", path.display(), workspace.display())]
    Outside {
        /// The image, links resolved.
        path: PathBuf,
        /// The workspace.
        workspace: PathBuf,
    },
    /// The result would be written outside the project.
    #[error("--output {} is no file below the project {}", path.display(), workspace.display())]
    OutputOutside {
        /// The file.
        path: PathBuf,
        /// The project.
        workspace: PathBuf,
    },
    /// The result would overwrite an image, a file of this program, or a file of somebody else.
    #[error("--output {} is an image, a file that this command reads or writes itself, or one that somebody else wrote", path.display())]
    OutputOver {
        /// The file.
        path: PathBuf,
    },
    /// There is a link where a folder or file of this program belongs.
    #[error("{} is a link, and may lead out of the workspace", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A caption in LaTeX that would break the document.
    #[error("--caption-tex, line {line}, column {column}: {why}")]
    Caption {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        why: String,
    },
    /// The image cannot be used.
    #[error("{}: {why}", path.display())]
    Image {
        /// The image.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The image has too few pixels for its printed width.
    #[error("{}: {width} pixels over {millimetres} mm are {dpi} dots per inch, fewer than {wanted}", path.display())]
    Coarse {
        /// The image.
        path: PathBuf,
        /// Its width in pixels.
        width: u32,
        /// Its printed width.
        millimetres: u32,
        /// The resulting dots per inch.
        dpi: u32,
        /// The fewest dots per inch that are accepted.
        wanted: u32,
    },
    /// The result cannot be written as JSON.
    #[error("the result cannot be written")]
    Json(#[from] serde_json::Error),
    /// A program failed.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// A file could not be read or written.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Label { .. }
            | Self::Caption { .. }
            | Self::OutputOutside { .. }
            | Self::OutputOver { .. } => ErrorKind::Usage,
            Self::Workspace { .. } | Self::NoImage { .. } => ErrorKind::NotFound,
            Self::Outside { .. } | Self::Link { .. } | Self::Image { .. } | Self::Coarse { .. } => {
                ErrorKind::Validation
            }
            Self::Json(_) => ErrorKind::Internal,
            Self::Proc(error) => error.kind(),
            Self::Fs(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Workspace { .. } => "name the folder of the paper with --project",
            Self::Label { .. } => "use letters, digits and : . _ - / +, as in fig:overview",
            Self::Link { .. } => "put the folder or file itself there",
            Self::Caption { .. } => {
                "close what is opened, write \\%, \\# and \\& for these characters, and leave no line blank; --caption takes plain text"
            }
            Self::NoImage { .. } => "name the accepted figures/ai_generated/figure_vN.png",
            Self::Outside { .. } => "copy it into figures/ai_generated, or say --outside",
            Self::OutputOutside { .. } | Self::OutputOver { .. } => {
                "name another file in the project, as figures/ai_generated/result.json; the result is also printed with --json"
            }
            Self::Image { .. } => {
                "name the image, such as figures/ai_generated/figure_v3.png; if it is damaged, make it again"
            }
            Self::Coarse { .. } => {
                "make a larger image, or say with --print-width how wide it is printed"
            }
            Self::Json(_) => return None,
            Self::Proc(error) => return error.hint(),
            Self::Fs(error) => return error.hint(),
        };
        Some(text.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Fs(error) => error.details(),
            _ => Map::new(),
        }
    }
}
