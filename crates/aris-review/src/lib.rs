//! The logic of the two gates around a research pull request: what a finding is, which findings are merged, which verdict follows, how a
//! review is posted once, which comments have to be settled, what an agent's answer must contain, and what follows from the settlement.
//!
//! A verdict is always derived, never stored and edited. Raw findings are append-only; deduplication is a view of them. Text from a pull
//! request is data and never an instruction.
//!
//! This crate does not judge: rules (`aris-claims`, `aris-statements`) or agents say whether a claim has evidence. Only the module of
//! [`Forge`] starts processes (git and `gh`) and uses the network; nothing here touches files.

#![warn(missing_docs)]

mod anchor;
mod claim;
mod classification;
mod diff;
mod diff_path;
mod edit;
mod finding;
mod findings;
mod forge;
mod group;
mod label;
mod listed;
mod marker;
mod merge;
mod outcome;
mod posting;
mod profile;
mod pull;
mod quote;
mod request;
mod review;
mod section;
mod signal;
mod text;
mod verdict;

pub use anchor::anchor;
pub use aris_http::HttpError;
pub use claim::{Claim, ClaimType};
pub use classification::{Classification, Decision, Entry, Quoted, plan, read_answer};
pub use diff::{Diff, DiffFile, Hidden, NewLine, OldLine, Size};
pub use edit::{Edit, Suggestion};
pub use finding::{Also, Finding, Severity, Source};
pub use findings::{Findings, Rejected};
pub use forge::{
    Counted, Forge, GitHub, GitLab, Place, Record, Remotes, State, Thread, Token, Trouble,
    Withdrawn, api_of,
};
pub use group::{Grouped, Grouping, Groups, Skipped};
pub use label::{Label, label, severity};
pub use listed::{answer, is_listed};
pub use marker::{Looked, is_by, is_trusted};
pub use merge::{Duplicate, Merged};
pub use outcome::{Settlement, Tokens, read_strategies};
pub use posting::{Posted, post};
pub use profile::{Gate, Group, Profile};
pub use pull::{Kind as ForgeKind, Pull, Repository};
pub use quote::Files;
pub use request::{ANSWER, AgentAnswer, AgentRequest, Kind, REQUEST, read_claims};
pub use review::Review;
pub use section::{Reports, Section, SectionLine};
pub use signal::Signal;
pub use text::{one_line, place, quiet};
pub use verdict::{Buckets, Counts, Event, Verdict, judge};
