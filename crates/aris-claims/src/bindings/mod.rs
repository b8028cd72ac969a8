//! Bindings: the authors declare in `claims.toml` which query of the data gives which number of the paper.

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

/// The contents of `claims.toml`.
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
    /// Globs of the evidence. `None`: the folders `results` and `outputs` in and beside the paper.
    pub include: Option<Vec<String>>,
    /// Globs of files that are not evidence.
    pub exclude: Vec<String>,
    /// Settings of files that the default reading does not suit, each with the place of its path in `claims.toml`.
    pub files: Vec<(aris_evidence::FileSetting, Spot)>,
    /// Named queries that other queries use.
    pub views: Vec<aris_evidence::View>,
}

impl Claims {
    /// Files with bound numbers that are not LaTeX, relative to the paper folder. `folder` is the folder of `claims.toml`.
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
    /// `id`; else the name of the macro; else `claim-LINE`.
    pub id: String,
    /// Its place in `claims.toml`.
    pub at: Spot,
    /// Whether it is a suggestion that nobody has confirmed. Such a claim never counts.
    pub proposed: bool,
    /// The object that is bound.
    pub subject: Subject,
    /// `printf` format of the macro that `emit` writes.
    pub format: Option<String>,
}

/// The object that a claim binds.
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
        /// The query that returns whether it is true.
        sql: String,
    },
}

/// A query and how its value must agree with the number shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// The query.
    pub sql: String,
    /// How the value must agree.
    pub agreement: Agreement,
}

/// How a number shown agrees with a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Agreement {
    /// How the value compares with the number shown.
    pub relation: Relation,
    /// How the value was rounded to the digits shown.
    pub round: Rounding,
    /// Largest difference allowed, in the unit of the number shown.
    pub tolerance: Option<Decimal>,
}

/// How the value compares with the number shown: `p < 0.001` is `Less` and holds for the value 0.0004.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Relation {
    /// They are equal, up to rounding.
    #[default]
    #[serde(rename = "=")]
    Equal,
    /// The value is less.
    #[serde(rename = "<")]
    Less,
    /// The value is less or equal.
    #[serde(rename = "<=")]
    AtMost,
    /// The value is greater.
    #[serde(rename = ">")]
    Greater,
    /// The value is greater or equal.
    #[serde(rename = ">=")]
    AtLeast,
    /// They differ by at most the tolerance.
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
    /// `id`; else `LABEL`, with `#2` for the second number of a cell and `@2` for the second entry with the same label and cell.
    pub id: String,
    /// Its place in `claims.toml`.
    pub at: Spot,
    /// Whether it is a suggestion that nobody has confirmed. Such a binding never counts.
    pub proposed: bool,
    /// The `\label` of the table.
    pub label: String,
    /// Which number of each cell, from 1.
    pub cell: usize,
    /// The query. Its columns are row, column and value.
    pub sql: String,
    /// How values agree with the cells.
    pub agreement: Agreement,
    /// Row headings of the paper by their names in the data, where they differ.
    pub rows: BTreeMap<String, String>,
    /// Column headings of the paper by their names in the data, where they differ.
    pub columns: BTreeMap<String, String>,
}

/// One `[[waive]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiver {
    /// Its place in `claims.toml`.
    pub at: Spot,
    /// The numbers that need no evidence.
    pub subject: WaivedSubject,
    /// The authors' reason.
    pub reason: String,
}

/// The numbers that a waiver excuses.
#[derive(Debug, Clone, PartialEq)]
pub enum WaivedSubject {
    /// The marked numbers of a sentence, or all its numbers if none is marked.
    Sentence(Anchor),
    /// Every number of the table with this label.
    Table(String),
    /// Every number of a file.
    File(String),
    /// The number that a macro holds.
    Macro(String),
}

impl WaivedSubject {
    /// The text, label, path or name that the waiver gives.
    pub(crate) fn written(&self) -> &str {
        match self {
            Self::Sentence(anchor) => &anchor.text,
            Self::Table(name) | Self::File(name) | Self::Macro(name) => name,
        }
    }
}

/// Reads a word in the spelling of `claims.toml`, such as `about`.
pub fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    let word: StrDeserializer<'_, serde::de::value::Error> = StrDeserializer::new(word);
    T::deserialize(word).ok()
}
