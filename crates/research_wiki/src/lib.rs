//! `research_wiki`: what was read, tried and claimed, kept from session to session.

pub mod edges;
pub mod error;
mod file;
pub mod identity;
pub mod node;
pub mod page;
pub mod search;
pub mod site;
pub mod slug;
pub mod summary;
mod text;
pub mod wiki;
