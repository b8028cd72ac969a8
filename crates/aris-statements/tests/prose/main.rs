//! The labelled sentences in `tests/fixtures/statements`: which are claims and of which type, the findings in clean documents,
//! and those in documents with seeded faults.
//!
//! The figures are printed as lines that begin with `| `; `cargo xtask bench claims` shows them. The rules were tuned on the
//! training half; the lower bounds apply to the other half too.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read the corpus directly")]
#![allow(clippy::string_slice, reason = "the corpus is known")]

mod detection;
mod documents;
mod faults;
mod interval;
mod sown;
