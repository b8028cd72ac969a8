//! Repairs as data.

mod apply;

use std::ops::Range;

pub use apply::{Fixed, Plan, Seen, seen};

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The file, relative to the root of the tree.
    pub path: String,
    /// The change to the file.
    pub change: Change,
}

/// The change to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Replaces bytes of the file's text ([`aris_skills::Text::raw`], without a byte order mark).
    Replace(Range<usize>, String),
    /// Removes the byte order mark.
    RemoveBom,
    /// Sets the execute bit wherever the read bit is set.
    MakeExecutable,
    /// Renames the file to this path, which must not exist. Creates missing folders.
    Rename(String),
}

impl Fix {
    /// A repair of a file.
    pub fn of(path: &str, change: Change) -> Self {
        Self {
            path: path.to_owned(),
            change,
        }
    }

    /// Replaces bytes of a file's text.
    pub fn replace(path: &str, range: Range<usize>, text: impl Into<String>) -> Self {
        Self::of(path, Change::Replace(range, text.into()))
    }

    /// Renames or moves a file.
    pub fn rename(from: &str, to: &str) -> Self {
        Self::of(from, Change::Rename(to.to_owned()))
    }
}
