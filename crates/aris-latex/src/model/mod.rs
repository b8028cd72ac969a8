//! The public types.

pub(crate) mod block;
pub(crate) mod document;
pub(crate) mod include;
pub(crate) mod place;
pub(crate) mod reference;
pub(crate) mod structure;
pub(crate) mod table;
