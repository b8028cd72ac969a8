//! Statements in prose and what backs them: a rule engine that needs no model.
//!
//! A document, LaTeX or Markdown, whole or as a diff shows it, is read into sentences with places ([`prose`],
//! [`prose::sentence`]).
//! What can be seen of a sentence are its features ([`feature`], [`observe`]); their weighted sum says how likely it is a
//! claim ([`score`]), their combination of what type ([`statement`]). [`rules`] hold claims against citations,
//! bibliographies, tables of results and plans. A number is accused only where a binding holds it to data ([`rules::BoundNumber`]);
//! references are judged by `aris-paper`.
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
//! Pure but for [`disk`], which reads files: no network, no clock. The order of documents and results changes no finding. What
//! a rule could not look at is said ([`rules::NotChecked`]); it is not taken for clean. English only: `assets/words.txt` is.
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
