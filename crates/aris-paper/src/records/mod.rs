//! Records of papers: which ones describe the same paper, one record out of several, their order, and a bibliography entry.
//!
//! A preprint and its published form are one paper here, with both identifiers.

mod bibtex;
mod merge;
mod rank;
mod same;

pub use bibtex::{bibtex, key};
pub use merge::{merge, merge_all};
pub use rank::rank;
