//! Whether a cited work exists, and whether it is described right.
//!
//! | module | does |
//! |---|---|
//! | [`authors`] | compares the cited authors with those of a record: same, missing, invented, other order |
//! | [`engine`] | asks the sources: identifiers first and in batches, titles last, nothing twice |
//! | [`fix`] | proposes corrected fields of a bibliography as a patch |
//! | [`reference`](mod@reference) | what an entry says, and what speaks against it without asking anybody |
//! | [`report`] | what is told about each reference |
//! | [`sources`] | what an engine needs of the outside, and the real one |
//!
//! Existence and description are two questions. A work *exists* when a record of it was found; *not found* needs every applicable
//! source to have answered; a source that did not answer makes the question *inconclusive*. An identifier that leads to another work is
//! the worst that can be said of a description: such a reference is never verified.

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
