//! Bindings: what the numbers of a paper mean, as its authors wrote it down in `claims.toml`.

mod anchor;
mod append;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::Position;
use serde::de::DeserializeOwned;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;

pub use anchor::Anchor;
pub(crate) use anchor::{Fits, Folded, Lost, is_tex, joined};
pub use append::{Draft, DraftSubject, append};
pub use read::{MAX_BYTES, Malformed};

/// Name of the file, beside the root document.
pub const FILE_NAME: &str = "claims.toml";

/// Everything that `claims.toml` says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// Where the data are and how they are read.
    pub data: Data,
    /// Bound numbers, macros and statements, in the order of the file.
    pub claims: Vec<Claim>,
    /// Bound tables, in the order of the file.
    pub tables: Vec<TableBinding>,
    /// Numbers that need no evidence, in the order of the file.
    pub waivers: Vec<Waiver>,
}

/// Where the data are and how they are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Data {
    /// Folder that data paths are relative to, itself relative to the folder of `claims.toml`.
    pub root: Option<(Spot, String)>,
    /// Globs of the evidence; none: the folders `results` and `outputs` in and beside the paper.
    pub include: Option<Vec<String>>,
    /// Globs that are no evidence.
    pub exclude: Vec<String>,
    /// Files that the default reading does not fit, each with the place of its path.
    pub files: Vec<(aris_evidence::FileSetting, Spot)>,
    /// Named queries that others use.
    pub views: Vec<aris_evidence::View>,
}

impl Claims {
    /// Files with bound numbers that are not LaTeX, relative to the paper folder; `folder` is that of `claims.toml`.
    pub(crate) fn plain_files(&self, folder: &str) -> BTreeSet<String> {
        let anchors = self.claims.iter().filter_map(|claim| match &claim.subject {
            Subject::Sentence { anchor, .. } | Subject::Statement { anchor, .. } => Some(anchor),
            Subject::Macro { .. } => None,
        });
        let plain = anchors.filter(|anchor| !is_tex(&anchor.file));
        plain.map(|anchor| joined(folder, &anchor.file)).collect()
    }
}

/// A place in `claims.toml`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Spot {
    pub(crate) fn position(self, path: &str) -> Position {
        Position {
            path: path.to_owned(),
            line: self.line,
            column: self.column,
        }
    }
}

/// One `[[claim]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// `id`; else the macro's name; else `claim-LINE`.
    pub id: String,
    /// Where it stands.
    pub at: Spot,
    /// A suggestion that nobody confirmed: it never counts.
    pub proposed: bool,
    /// What is bound.
    pub subject: Subject,
    /// `printf` format of the macro that `emit` writes.
    pub format: Option<String>,
}

/// What a claim binds.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// Numbers of a sentence: one value for each mark of the anchor.
    Sentence {
        /// The sentence.
        anchor: Anchor,
        /// The values in the order of the marks.
        values: Vec<Expected>,
    },
    /// The number that a macro holds.
    Macro {
        /// Name without backslash.
        name: String,
        /// Its value.
        value: Expected,
    },
    /// A statement that is true or false.
    Statement {
        /// The sentence.
        anchor: Anchor,
        /// The query that gives its truth.
        sql: String,
    },
}

/// A query and how its value must agree with the number shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The query.
    pub sql: String,
    /// The agreement.
    pub agreement: Agreement,
}

/// How a number shown agrees with a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Agreement {
    /// What the paper says of the number.
    pub relation: Relation,
    /// How the value is rounded to the digits shown.
    pub round: Rounding,
    /// Largest difference allowed, in the unit shown.
    pub tolerance: Option<Decimal>,
}

/// How the value stands to the number shown: `p < 0.001` holds for the value 0.0004.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Relation {
    /// They are the same.
    #[default]
    #[serde(rename = "=")]
    Equal,
    /// The value is smaller.
    #[serde(rename = "<")]
    Less,
    /// The value is smaller or the same.
    #[serde(rename = "<=")]
    AtMost,
    /// The value is larger.
    #[serde(rename = ">")]
    Greater,
    /// The value is larger or the same.
    #[serde(rename = ">=")]
    AtLeast,
    /// They differ by no more than the tolerance.
    #[serde(rename = "about")]
    About,
}

/// How a value is rounded to the digits shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// To the nearest; a half may go either way.
    #[default]
    Nearest,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
    /// Towards zero.
    Truncate,
}

/// One `[[table]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct TableBinding {
    /// `id`; else `LABEL`, with `#2` for the second number of a cell and `@2` for a second entry of one label.
    pub id: String,
    /// Where it stands.
    pub at: Spot,
    /// A suggestion that nobody confirmed: it never counts.
    pub proposed: bool,
    /// The `\label` of the table.
    pub label: String,
    /// Which number of a cell, from 1.
    pub cell: usize,
    /// The query: row, column, value.
    pub sql: String,
    /// How values agree with the cells.
    pub agreement: Agreement,
    /// Head of the row in the paper by its name in the data, where they differ.
    pub rows: BTreeMap<String, String>,
    /// Head of the column in the paper by its name in the data, where they differ.
    pub columns: BTreeMap<String, String>,
}

/// One `[[waive]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiver {
    /// Where it stands.
    pub at: Spot,
    /// What needs no evidence.
    pub subject: WaivedSubject,
    /// Why.
    pub reason: String,
}

/// What a waiver is about.
#[derive(Debug, Clone, PartialEq)]
pub enum WaivedSubject {
    /// The marked numbers of a sentence; all numbers of it when none is marked.
    Sentence(Anchor),
    /// Every number of the table with this label.
    Table(String),
    /// Every number of a file.
    File(String),
    /// The number that a macro holds.
    Macro(String),
}

impl WaivedSubject {
    /// What the waiver says stands in the paper.
    pub(crate) fn written(&self) -> &str {
        match self {
            Self::Sentence(anchor) => &anchor.text,
            Self::Table(name) | Self::File(name) | Self::Macro(name) => name,
        }
    }
}

/// Reads a word as `claims.toml` has it, such as `about`.
pub fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    let word: StrDeserializer<'_, serde::de::value::Error> = StrDeserializer::new(word);
    T::deserialize(word).ok()
}
