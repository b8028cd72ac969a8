//! Runs the program: the input is a paper, its data and its claims.toml; artifact, exit code and messages are checked.
//!
//! Written from the specification only. `papers`, `faults` and `proposals` also serve `cargo xtask bench claims`, which names another program
//! and another folder of papers in `PAPER_CLAIM_AUDIT_BINARY` and `PAPER_CLAIM_AUDIT_PAPERS`, and prints their lines that begin with `| `.

#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    clippy::string_slice,
    reason = "tests prepare files directly, read two variables of the bench, and cut ASCII text"
)]

mod bind;
mod data;
mod documented;
mod faults;
mod functions;
mod hostile;
mod invented;
mod labelled;
mod messages;
mod numbers;
mod oracle;
mod outside;
mod page;
mod papers;
mod proposals;
mod subject;
mod support;
mod tables;
mod verdicts;
mod writing;
