//! The data products, one for each subcommand.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_figure::Problem;
use serde::Serialize;

/// Schema id of [`Rendered`].
pub(crate) const RENDERED: &str = "aris.figure_renderer.rendered/v1";
/// Schema id of [`Checked`].
pub(crate) const CHECKED: &str = "aris.figure_renderer.checked/v1";
/// Schema id of [`Fields`](crate::commands::schema::Fields).
pub(crate) const FIELDS: &str = "aris.figure_renderer.fields/v1";
/// Schema id of [`LaidOut`].
pub(crate) const LAID_OUT: &str = "aris.figure_renderer.laid_out/v1";
/// Schema id of [`Watched`].
pub(crate) const WATCHED: &str = "aris.figure_renderer.watched/v1";

/// One picture.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Picture {
    /// As it was given, or beside the figure.
    pub(crate) path: String,
    pub(crate) format: &'static str,
    pub(crate) bytes: usize,
}

/// Pictures that were written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Rendered {
    pub(crate) pictures: Vec<Picture>,
    /// The picture that is for standard output.
    #[serde(skip)]
    pub(crate) stdout: Option<Vec<u8>>,
    /// Whether nodes were placed by the layout.
    pub(crate) laid_out: bool,
    /// In the order of the file.
    pub(crate) problems: Vec<Problem>,
}

impl Product for Rendered {
    fn schema(&self) -> &'static str {
        RENDERED
    }

    fn is_raw(&self) -> bool {
        self.stdout.is_some()
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        if let Some(picture) = &self.stdout {
            return out.write_all(picture);
        }
        self.pictures
            .iter()
            .try_for_each(|picture| writeln!(out, "{}", picture.path))
    }
}

/// What is wrong with a figure that can be drawn.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Checked {
    pub(crate) path: String,
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
    /// How many times edges cross each other; null where there are too many to compare.
    pub(crate) crossings: Option<usize>,
    /// How many corners edges have.
    pub(crate) bends: usize,
    /// Of the canvas.
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Millimetres that the figure is wide in print, where it was said.
    pub(crate) column_mm: Option<f64>,
    /// In the order of the file.
    pub(crate) problems: Vec<Problem>,
}

impl Checked {
    /// Writes the form for people.
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.problems.is_empty() {
            writeln!(out, "{}: nothing found", self.path)?;
        }
        self.problems
            .iter()
            .try_for_each(|problem| writeln!(out, "{}:{problem}", self.path))
    }
}

/// A figure with the places of the layout.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LaidOut {
    /// The file that it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Whether a place was missing.
    pub(crate) changed: bool,
    /// The figure.
    pub(crate) text: String,
}

impl LaidOut {
    /// Writes the form for people.
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.path {
            Some(path) => writeln!(out, "{path}"),
            None => out.write_all(self.text.as_bytes()),
        }
    }
}

/// How often a figure was drawn.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Watched {
    pub(crate) changes: u64,
    /// Changes after which the file was no figure.
    pub(crate) failures: u64,
}
