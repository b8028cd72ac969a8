//! What the audits and their gate share: where a project begins, SHA-256 digests, review traces with their chain, how an answer
//! states a verdict, how a paper is read, and the one way in which a program writes an audit artifact.
//!
//! What it does not do: judge a paper, or decide what blocks; the audits do the one and the gate the other.

#![warn(missing_docs)]

mod artifact;
mod digest;
mod gitignore;
pub mod ledger;
pub mod markdown;
mod paper;
pub mod project;
pub mod trace;
pub mod verdict;

pub use artifact::{Emission, Emitted, emit, program_thread, says_the_same};
pub use digest::{Digest, digest_files};
pub use paper::{Obstacle, PaperFiles, missing_sources, root_name, source_text};
