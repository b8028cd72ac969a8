//! One file for each command.

pub(crate) mod apply;
pub(crate) mod fetch;
pub(crate) mod finish;
pub(crate) mod group;
pub(crate) mod merge;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod validate;
