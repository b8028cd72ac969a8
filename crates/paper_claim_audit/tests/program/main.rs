//! The program from outside: a paper, its data and its claims.toml in, artifact, exit code and messages out.
//!
//! Written from the specification alone. `papers`, `faults` and `proposals` also serve `cargo xtask bench claims`, which names another program
//! and another folder of papers by `PAPER_CLAIM_AUDIT_BINARY` and `PAPER_CLAIM_AUDIT_PAPERS` and shows their lines that begin with `| `.

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
