//! A tree of agent skills as data: which folders are skills, which files belong to them, and the content of these files.
//!
//! Also reads the table of helpers in such a tree.
//!
//! Only reads: no rules, no printing, no processes. A [`Tree`] is cheap (names, sizes, modes). A [`Skill`] holds the text of
//! one skill's files; load, use and drop one at a time, so that memory does not grow with the tree.
//!
//! The linter's documentation uses some words in an exact sense: lines, body, fences, instruction files, resources, entry
//! points, mentions and relative links. Each is defined at the item that implements it.

#![warn(missing_docs)]

pub mod binary;
mod entry_point;
pub mod file;
pub mod frontmatter;
pub mod git;
pub mod helpers;
pub mod markdown;
pub mod mention;
pub mod names;
pub mod pattern;
pub mod script;
pub mod skill;
pub mod text;
pub mod tree;

pub use file::SourceFile;
pub use frontmatter::{Frontmatter, Value, Yaml};
pub use skill::Skill;
pub use text::Text;
pub use tree::{EntryKind, FileEntry, Tree, WalkOptions};
