//! Numbers in a paper against the raw results behind them.
#![warn(missing_docs)]

pub mod audit;
mod claim;
mod context;
mod count;
pub mod decimal;
mod delta;
mod describe;
mod engine;
pub mod evidence;
mod fit;
mod judge;
mod languages;
pub mod latex;
mod lexicon;
mod mention;
pub mod number;
pub mod passage;
pub mod pins;
mod report;
mod scope;
pub mod score;
mod series;
mod setting;
mod table;
pub mod units;
mod value_index;
mod words;

pub use audit::audit_paper;
pub use claim::Kind;
pub use evidence::{Evidence, EvidenceError, EvidenceReader};
pub use pins::Pins;
pub use report::{Claim, ClaimPlace, ClaimReport, Reference, Status};

/// Judges every number of a LaTeX document.
pub fn audit(document: &aris_latex::Document, evidence: &Evidence, pins: &Pins) -> ClaimReport {
    let paper = latex::paper(document);
    audit_paper(&paper, evidence, pins, &latex::Places(document))
}
