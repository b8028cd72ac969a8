//! The common part of the audits and their gate: where a project begins, SHA-256 digests, review traces with their chain, the
//! verdict in an answer, reading a paper, and writing an audit artifact by a program.
//!
//! It does not judge papers (the audits do) and does not decide what blocks (the gate does).

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
