//! The pages of a research wiki as data: frontmatter and sections, what tells one paper from another, and the edges between pages.
//!
//! The format is the reference's. Reading and writing replace only the bytes that are ours: [`page::Page`] is a page, [`summary::Summary`]
//! its short fields, [`identity::Identity`] what a paper is recognised by, [`edges::Edges`] the graph. Pure: the disk is the caller's.

#![warn(missing_docs)]

pub mod edges;
pub mod identity;
pub mod node;
pub mod page;
pub mod papers;
pub mod summary;
