//! Numbers of a paper that are bound to data: reads `claims.toml`, finds the bound numbers in the paper and checks that they
//! agree with the data.
//!
//! Only people can say which value a number means. Authors declare it once as a binding; from then on this crate checks it. It
//! never guesses: numbers without a binding are listed, but not judged.
//!
//! Pure except for [`project`], which finds a paper's files, [`runs`], which reads the project's ledger, and the data, which
//! `aris-evidence` reads.

#![warn(missing_docs)]

pub mod bindings;
mod check;
pub mod decimal;
pub mod details;
pub mod number;
mod paper;
pub mod project;
mod report;
pub mod runs;
pub mod stretches;
mod suggest;

pub use bindings::{Claims, Spot};
pub use check::{Request, audit, decimal as value_as_decimal, single, truth};
pub use details::{Details, Finding, Row, Severity};
pub use paper::{Kind, Part};
pub use report::{Audit, Coverage, Covered, Entry, FileUse, Note, Status};
pub use suggest::{Agreeing, Proposal, Suggestions, suggest};
