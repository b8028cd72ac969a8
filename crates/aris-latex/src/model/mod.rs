//! The public types.

pub(crate) mod block;
pub(crate) mod document;
pub(crate) mod include;
pub(crate) mod parts;
pub(crate) mod place;
