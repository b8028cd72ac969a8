//! One file for each subcommand.

pub(crate) mod cancel;
pub(crate) mod graph;
pub(crate) mod logs;
pub(crate) mod protocol;
pub(crate) mod run;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod validate;
