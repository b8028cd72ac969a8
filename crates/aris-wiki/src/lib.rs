//! The pages of a research wiki as data: frontmatter and sections, the identity of papers, and the edges between pages.
//!
//! The format is that of *the reference*, the original ARIS script `research_wiki.py`. Writing changes only the bytes of the fields and
//! parts that are set: [`page::Page`] is a page, [`summary::Summary`] its short fields, [`identity::Identity`] the identity of a paper,
//! [`edges::Edges`] the graph. No input or output.

#![warn(missing_docs)]

pub mod edges;
pub mod identity;
pub mod node;
pub mod page;
pub mod papers;
pub mod summary;
