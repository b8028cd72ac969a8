//! Records of papers: finding those of the same paper, merging, ranking, and writing bibliography entries.
//!
//! A preprint and its published form are one paper, with both identifiers.

mod bibtex;
mod merge;
mod rank;
mod same;

pub use bibtex::{bibtex, entry, key, kind};
pub use merge::{merge, merge_all};
pub use rank::rank;
