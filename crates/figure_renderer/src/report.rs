//! The data products, one for each subcommand.

use std::io::{self, Write};

use aris_cli::{Outcome, Product, Style};
use aris_figure::Problem;
use serde::{Serialize, Serializer};

use crate::commands::schema::Fields;

/// Schema id of [`Rendered`].
pub(crate) const RENDERED: &str = "aris.figure_renderer.rendered/v1";
/// Schema id of [`Checked`].
pub(crate) const CHECKED: &str = "aris.figure_renderer.checked/v1";
/// Schema id of [`Fields`].
pub(crate) const FIELDS: &str = "aris.figure_renderer.fields/v1";
/// Schema id of [`LaidOut`].
pub(crate) const LAID_OUT: &str = "aris.figure_renderer.laid_out/v1";
/// Schema id of [`Watched`].
pub(crate) const WATCHED: &str = "aris.figure_renderer.watched/v1";

/// What a subcommand gave.
#[derive(Debug)]
pub struct Report(Given);

#[derive(Debug)]
pub(crate) enum Given {
    Rendered(Rendered),
    Checked(Checked),
    Fields(Fields),
    LaidOut(LaidOut),
    Watched(Watched),
}

/// One problem of a figure.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ProblemRow {
    /// Its kind.
    code: &'static str,
    /// Line of the file, from 1.
    line: usize,
    /// Column in characters, from 1.
    column: usize,
    /// JSON pointer to the value.
    pointer: String,
    message: String,
    /// The way out.
    fix: String,
}

impl ProblemRow {
    pub(crate) fn of(problem: &Problem) -> Self {
        Self {
            code: problem.code.name(),
            line: problem.line,
            column: problem.column,
            pointer: problem.pointer.clone(),
            message: problem.message.clone(),
            fix: problem.fix.clone(),
        }
    }
}

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
    /// Whether nodes were placed by the layout.
    pub(crate) laid_out: bool,
    /// In the order of the file.
    pub(crate) problems: Vec<ProblemRow>,
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
    pub(crate) problems: Vec<ProblemRow>,
    /// The same for people.
    #[serde(skip)]
    pub(crate) lines: Vec<String>,
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

/// How often a figure was drawn.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Watched {
    pub(crate) changes: u64,
    /// Changes after which the file was no figure.
    pub(crate) failures: u64,
}

impl Report {
    /// The outcome of a subcommand as that of the helper.
    pub(crate) fn of(outcome: Outcome<Given>) -> Outcome<Self> {
        Outcome {
            data: Self(outcome.data),
            signal: outcome.signal,
        }
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Given::Rendered(data) => data.serialize(serializer),
            Given::Checked(data) => data.serialize(serializer),
            Given::Fields(data) => data.serialize(serializer),
            Given::LaidOut(data) => data.serialize(serializer),
            Given::Watched(data) => data.serialize(serializer),
        }
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        match &self.0 {
            Given::Rendered(_) => RENDERED,
            Given::Checked(_) => CHECKED,
            Given::Fields(_) => FIELDS,
            Given::LaidOut(_) => LAID_OUT,
            Given::Watched(_) => WATCHED,
        }
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match &self.0 {
            Given::Rendered(data) => data
                .pictures
                .iter()
                .try_for_each(|picture| writeln!(out, "{}", picture.path)),
            Given::Checked(data) if data.lines.is_empty() => {
                writeln!(out, "{}: nothing found", data.path)
            }
            Given::Checked(data) => data
                .lines
                .iter()
                .try_for_each(|line| writeln!(out, "{line}")),
            Given::Fields(data) => match &data.example {
                Some(example) => out.write_all(example.as_bytes()),
                None => out.write_all(aris_figure::field_table().as_bytes()),
            },
            Given::LaidOut(data) => match &data.path {
                Some(path) => writeln!(out, "{path}"),
                None => out.write_all(data.text.as_bytes()),
            },
            Given::Watched(_) => Ok(()),
        }
    }
}
