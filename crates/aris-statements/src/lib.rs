//! Statements in prose and their sources: a rule engine that needs no model.
//!
//! Reads a LaTeX or Markdown document, or excerpts of it from a diff, into sentences with places ([`prose`],
//! [`prose::sentence`]). A sentence has features ([`feature`]); their weighted sum is the likelihood that it is a claim
//! ([`score`]), and their combination decides the type of claim ([`statement`]). [`rules`] check claims against citations,
//! bibliographies, tables of results and plans. A number is compared only with the data that a binding names
//! ([`rules::BoundNumber`]). `aris-paper` checks the references.
//!
//! ```
//! use aris_latex::Loaded;
//! use aris_review::ClaimType;
//! use aris_statements::{prose::Prose, statement::statements};
//! let text = "## Introduction\n\nLoss grows with depth [3]. Does it? We thank all raters.\n";
//! let prose = Prose::read("report.md", text, &mut |_: &str| Loaded::Absent)?;
//! let kinds: Vec<_> = statements(&prose).iter().map(|s| s.claim_type()).collect();
//! assert_eq!(kinds, [Some(ClaimType::External), None, None]);
//! # Ok::<(), aris_latex::Error>(())
//! ```
//!
//! Pure except for [`disk`], which reads files: no network, no clock. The order of documents and results does not change the
//! findings. A rule that could not check something reports it ([`rules::NotChecked`]). English only, like `assets/words.txt`.
#![warn(missing_docs)]

pub mod disk;
pub mod feature;
mod numbers;
pub mod observe;
pub mod papers;
pub mod plan;
pub mod prose;
pub mod results;
pub mod rules;
pub mod score;
pub mod statement;
mod words;
