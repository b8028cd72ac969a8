//! `research_wiki`: what was read, tried and claimed, kept from session to session.

pub mod edges;
pub mod error;
mod file;
pub mod identity;
pub mod node;
pub mod page;
pub mod slug;
pub mod summary;
pub mod wiki;
