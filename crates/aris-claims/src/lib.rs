//! Numbers in a paper against the raw results behind them.
//!
//! [`audit()`] reads the visible text of a LaTeX document number by number, decides which of them are claims, and finds for
//! each claim the value in the results that its words mean: the row and column heads of a cell, the method, dataset and
//! measure of a sentence, the setting beside a number. The number then shows that value, or it does not.
//!
//! ```
//! use aris_claims::{EvidenceReader, Pins, Status};
//! use aris_latex::{Document, Loaded};
//! let text = r"\begin{document}Our accuracy is 84.7\%, averaged over two seeds.\end{document}";
//! let mut files = |path: &str| match path {
//!     "main.tex" => Loaded::Text(text.into()),
//!     _ => Loaded::Absent,
//! };
//! let document = Document::read("main.tex", &mut files)?;
//! let mut reader = EvidenceReader::default();
//! reader.add("results/ours/seed_0.json", br#"{"accuracy": 0.846}"#)?;
//! reader.add("results/ours/seed_1.json", br#"{"accuracy": 0.848}"#)?;
//! let report = aris_claims::audit(&document, &reader.finish(), &Pins::default());
//! assert_eq!(report.claims[0].status, Status::ExactMatch);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Three rules bind every judgement. *Absence of evidence is never evidence*: a claim that no value fits is missing its
//! evidence, and is called wrong only where the words single out a quantity that shows otherwise. *Exact decimals*: 84.7
//! stands for 84.65 to 84.75, both included. *No order*: the files may come in any order, the report is the same.
//!
//! The crate is pure: no disk, no network, no clock. Only [`latex`] knows LaTeX; numbers, units, results and judgement
//! work on [`passage::Paper`], which a reader of another markup can fill. Weights and thresholds are constants with their
//! reason beside them, set on a labelled corpus (`tests/fixtures/claims`) on which the corpus test holds them.
#![warn(missing_docs)]

mod acronym;
mod aggregation;
mod attribution;
pub mod audit;
mod axis_change;
mod bounds;
mod cell;
mod claim;
mod clause;
mod column;
mod comparison;
mod context;
mod contrary;
mod count;
pub mod decimal;
mod delta;
mod describe;
pub mod design;
mod efficiency;
mod elsewhere;
mod engine;
pub mod evidence;
mod fallback;
mod fit;
mod judge;
mod languages;
pub mod latex;
mod lexicon;
mod mention;
pub mod number;
mod outcome;
mod own;
mod pair;
mod parallel;
pub mod passage;
mod pinned;
pub mod pins;
pub mod quantity;
mod report;
mod resolve;
mod restraint;
mod scope;
pub mod score;
mod series;
mod setting;
mod table;
mod targets;
mod text;
pub mod units;
mod value_index;
mod vocabulary;
mod words;
mod zero;

pub use audit::audit_paper;
pub use claim::Kind;
pub use evidence::{Evidence, EvidenceError, EvidenceReader};
pub use pins::Pins;
pub use report::{Claim, ClaimPlace, ClaimReport, Reference, Status};
pub use targets::Explained;

/// Judges every number of a LaTeX document.
pub fn audit(document: &aris_latex::Document, evidence: &Evidence, pins: &Pins) -> ClaimReport {
    let paper = latex::paper(document);
    audit_paper(&paper, evidence, pins, &latex::Places(document))
}
