//! The SQL of questions: what is allowed, and what is calculated differently from SQLite.

use rusqlite::{Error, ErrorCode};

use crate::QueryError;
use crate::QueryErrorKind::{
    Malformed, Memory, NotFinite, Refused, Syntax, TimeOut, TooLarge, Unreadable,
};
use crate::read::cell::after;

pub(crate) mod functions;
pub(crate) mod guard;
pub(crate) mod permission;
mod rows;
mod tokens;

pub use rows::rows_query;

pub(crate) use tokens::{compared, words};

/// A name quoted for SQL.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// SQLite's error for a query, with line and column.
pub(crate) fn located(error: &Error, sql: &str) -> QueryError {
    let wrong = sql_error(error);
    let Error::SqlInputError { offset, .. } = error else {
        return wrong;
    };
    let offset = usize::try_from(*offset).ok();
    let Some(before) = offset.and_then(|offset| sql.get(..offset)) else {
        return wrong;
    };
    let (line, column) = after(before);
    wrong.at(line, column)
}

/// SQLite's error, without a place.
pub(crate) fn sql_error(error: &Error) -> QueryError {
    let (code, message) = match error {
        Error::SqlInputError { error, msg, .. } => (error.code, msg.clone()),
        Error::SqliteFailure(error, Some(message)) => (error.code, message.clone()),
        Error::SqliteFailure(error, None) => (error.code, error.to_string()),
        Error::MultipleStatement => {
            return QueryError::new(Refused, "a question is one statement, not several");
        }
        other => return QueryError::new(Syntax, other.to_string()),
    };
    let kind = match code {
        ErrorCode::OperationInterrupted => TimeOut,
        ErrorCode::OutOfMemory => Memory,
        ErrorCode::TooBig => TooLarge,
        ErrorCode::DiskFull | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => Unreadable,
        _ if message == "integer overflow" => NotFinite,
        _ if message == "malformed JSON" => Malformed,
        _ => Syntax,
    };
    QueryError::new(kind, message)
}
