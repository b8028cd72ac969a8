//! A tree of agent skills as data: which folders are skills, which files belong to them, and what the files say.
//!
//! Also the table of helpers that lies in such a tree.
//!
//! Reading only: no rules, no printing, no processes. A [`Tree`] is cheap (names, sizes, modes); a [`Skill`] holds the text of one
//! skill's files and is loaded, used and dropped one at a time, so that memory does not grow with the tree.
//!
//! Words mean here what the linter's documentation says: lines, body, fences, instruction files, resources, entry points,
//! mentions and relative links each have one exact definition, given at the item that implements it.

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
