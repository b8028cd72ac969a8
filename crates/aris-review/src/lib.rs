//! The two gates around a research pull request, as far as they have one right answer: what a finding is, which findings are one, and
//! what verdict follows from them.
//!
//! Verdicts are derived from findings, never stored and edited. Raw findings are append-only; deduplication is a view of them.
//!
//! What it does not do: judge. Whether a claim has evidence is said by rules (`aris-claims`) or by an agent.

#![warn(missing_docs)]

mod claim;
mod finding;
mod findings;
mod merge;
mod profile;
mod text;
mod verdict;

pub use claim::{Claim, ClaimType};
pub use finding::{Also, Finding, Severity, Source};
pub use findings::{Findings, Rejected};
pub use merge::{Duplicate, Merged, merge};
pub use profile::{Gate, Group, Profile, Strategy};
pub use text::one_line;
pub use verdict::{Buckets, Counts, Event, Judgement, Verdict, judge};
