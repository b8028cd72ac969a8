//! Numbers of a paper that are bound to data: what `claims.toml` says, where it stands in the paper, and whether the two agree.
//!
//! Which value a number means is a judgement. Authors make it once and write it down as a binding; this crate calculates ever
//! after. It never guesses: what nobody bound is listed and neither accused nor acquitted.
//!
//! Pure but for [`project`], which finds a paper's files, for [`runs`], which looks into the project's ledger, and for the data, which
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
