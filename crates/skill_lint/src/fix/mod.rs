//! Repairs as data, and how they are made.

mod apply;

use std::ops::Range;

pub use apply::{Fixed, Plan, Seen, seen};

/// A repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The file, relative to the root of the tree.
    pub path: String,
    /// What becomes of it.
    pub change: Change,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Other text in the place of bytes of the file's text ([`aris_skills::Text::raw`], without a byte order mark).
    Replace(Range<usize>, String),
    /// No byte order mark.
    RemoveBom,
    /// The execute bits that go with the read bits.
    MakeExecutable,
    /// Another path, where nothing may be; folders above it are created.
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
