//! Papers as data: bibliographies, names, titles and the facts that can be compared without a network.
//!
//! | module | does |
//! |---|---|
//! | [`bib`] | reads BibTeX and biblatex files with positions, and continues after a bad entry |
//! | [`facts`] | finds errors and doubts about an entry, without a network |
//! | [`latex`] | turns the LaTeX of a field into Unicode text |
//! | [`names`] | splits author lists and names, and compares two names |
//! | [`records`] | merges and ranks sources' records of papers, and writes bibliography entries |
//! | [`titles`] | normalises titles and grades how well two of them match |
//! | [`venues`] | compares two names of venues, and finds the kind of a venue |
//!
//! Pure: no disk, no network, no clock. Nothing here decides whether a citation is right. It reports what the texts contain and
//! how two descriptions of a work differ.

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
