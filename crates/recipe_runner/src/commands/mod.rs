//! One file for each subcommand.

pub(crate) mod graph;
pub(crate) mod validate;
