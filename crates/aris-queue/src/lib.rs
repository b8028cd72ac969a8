//! The experiment queue as data: what a manifest says, which states a job goes through, why, and what is to be done next.
//!
//! No process is started here, no clock read, nothing printed. Runners, engines and the manager's loop live elsewhere and
//! meet in these types.

#![warn(missing_docs)]

pub mod grid;
pub mod journal;
pub mod judge;
pub mod manifest;
pub mod problem;
pub mod schedule;
pub mod shell;
pub mod state;
pub mod tree;
mod words;
