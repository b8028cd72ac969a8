//! The SQL of questions: what it may do, and what is calculated differently from SQLite.

pub(crate) mod functions;
pub(crate) mod guard;
pub(crate) mod permission;
mod rows;
mod tokens;

pub use rows::rows_query;

pub(crate) use tokens::{compared, words};

/// A name as SQL writes it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
