//! Repairs as data, and how they are made.

mod apply;

use std::ops::Range;

pub use apply::{Fixed, Plan, Seen, seen};

/// A repair: edits that are made together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The edits.
    pub edits: Vec<Edit>,
}

/// One change. Paths are relative to the root of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// Puts `text` in the place of bytes of the file's text ([`aris_skills::Text::raw`], without a byte order mark).
    Replace {
        /// The file.
        path: String,
        /// Start and end in bytes.
        start: usize,
        /// Start and end in bytes.
        end: usize,
        /// The new text.
        text: String,
    },
    /// Gives the file a new text as a whole.
    Rewrite {
        /// The file.
        path: String,
        /// The new text.
        text: String,
    },
    /// Removes the byte order mark.
    RemoveBom {
        /// The file.
        path: String,
    },
    /// Sets the execute bits that go with the read bits.
    MakeExecutable {
        /// The file.
        path: String,
    },
    /// Gives a file another path; folders above it are created.
    Rename {
        /// The old path.
        from: String,
        /// The new path; nothing may be there.
        to: String,
    },
}

impl Fix {
    /// A repair of several edits.
    pub fn of(edits: Vec<Edit>) -> Self {
        Self { edits }
    }

    /// Replaces bytes of a file's text.
    pub fn replace(path: &str, range: Range<usize>, text: impl Into<String>) -> Self {
        Self::of(vec![Edit::Replace {
            path: path.to_owned(),
            start: range.start,
            end: range.end,
            text: text.into(),
        }])
    }

    /// Replaces a file's text.
    pub fn rewrite(path: &str, text: impl Into<String>) -> Self {
        Self::of(vec![Edit::Rewrite {
            path: path.to_owned(),
            text: text.into(),
        }])
    }

    /// Removes a byte order mark.
    pub fn remove_bom(path: &str) -> Self {
        Self::of(vec![Edit::RemoveBom {
            path: path.to_owned(),
        }])
    }

    /// Sets the execute bit.
    pub fn make_executable(path: &str) -> Self {
        Self::of(vec![Edit::MakeExecutable {
            path: path.to_owned(),
        }])
    }

    /// Renames or moves a file.
    pub fn rename(from: &str, to: &str) -> Self {
        Self::of(vec![Edit::Rename {
            from: from.to_owned(),
            to: to.to_owned(),
        }])
    }
}
