//! The experiment queue as data: what a manifest says, in which state each job is and why, and which job to start next.
//!
//! This crate starts no process, reads no clock and prints nothing. Runners, engines and the manager's loop are in other crates and use
//! these types.

#![warn(missing_docs)]

pub mod grid;
pub mod journal;
pub mod judge;
pub mod manifest;
pub mod problem;
pub mod reserved;
pub mod schedule;
pub mod shell;
pub mod state;
pub mod tree;
mod words;
