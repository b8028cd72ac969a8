//! Verifies that a cited work exists and is described correctly.
//!
//! | module | does |
//! |---|---|
//! | [`authors`] | compares the cited authors with those of a record: same, missing, invented, other order |
//! | [`engine`] | asks the sources: identifiers first and in batches, titles last, nothing twice |
//! | [`fix`] | proposes corrected fields of a bibliography as a patch |
//! | [`reference`](mod@reference) | the contents of an entry, and faults that are visible without asking a source |
//! | [`report`] | the results for each reference |
//! | [`sources`] | the sources as the engine needs them, and the real ones |
//!
//! Existence and description are separate questions. A work *exists* if a record of it was found; *not found* requires an answer from
//! every applicable source; if a source did not answer, the question is *inconclusive*. An identifier that leads to another work is the
//! worst fault of a description: such a reference is never verified.

#![warn(missing_docs)]

pub mod authors;
pub mod engine;
pub mod fix;
mod judge;
pub mod reference;
pub mod report;
pub mod sources;
mod thresholds;
mod title;

pub use engine::{Options, verify};
pub use reference::Reference;
pub use report::{Checked, Existence, Severity, Status};
pub use sources::{Online, Silence, Sources};
