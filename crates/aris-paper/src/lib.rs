//! Papers as data: bibliographies, names, titles and the facts that can be compared without a network.
//!
//! | module | does |
//! |---|---|
//! | [`bib`] | reads BibTeX and biblatex files with positions, and goes on after a bad entry |
//! | [`facts`] | finds what proves an entry wrong, or makes it doubtful, without a network |
//! | [`latex`] | turns the LaTeX of a field into Unicode text |
//! | [`names`] | splits author lists and names, and compares two names |
//! | [`records`] | merges and ranks what sources say of papers, and writes a bibliography entry |
//! | [`titles`] | normalises titles and grades how well two of them match |
//! | [`venues`] | tells whether two names of a venue can mean the same, and what a venue is |
//!
//! Pure: no disk, no network, no clock. Nothing here decides whether a citation is right; it says what
//! stands where, and how two descriptions of a work differ.

#![warn(missing_docs)]

mod braces;

pub mod bib;
pub mod facts;
pub mod latex;
pub mod names;
pub mod records;
mod tables;
pub mod titles;
pub mod venues;
