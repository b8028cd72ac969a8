//! Types of the JSON files that two helpers share. One file per kind of artifact.

pub mod audit;
pub mod block;
pub mod install;
pub mod papers;
pub mod record;
pub mod slug;
pub mod trace;

pub use slug::Slug;
