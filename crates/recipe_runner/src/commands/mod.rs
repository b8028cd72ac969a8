//! One file for each subcommand.

pub(crate) mod graph;
pub(crate) mod protocol;
pub(crate) mod run;
pub(crate) mod validate;
