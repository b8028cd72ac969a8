//! Why a question has no answer.

use std::fmt;

use aris_fs::FsError;
use aris_yaml::Problem;

use crate::files::NO_FILE;

/// Why a question has no answer, or a file no content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Kind of the error.
    pub kind: QueryErrorKind,
    /// What is wrong, and what to do about it, without the place.
    pub message: String,
    /// The file, relative to the root. `None` if the error is in the SQL; line and column are then those of the SQL.
    pub file: Option<String>,
    /// From 1; 0 if unknown.
    pub line: u32,
    /// From 1, in characters; 0 if unknown.
    pub column: u32,
}

/// The kinds of [`QueryError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueryErrorKind {
    /// The SQL is wrong, or a column does not exist.
    Syntax,
    /// A file, a table of a database or a view does not exist.
    NoSuchFile,
    /// The file cannot be read, or is not a regular file.
    Unreadable,
    /// The file does not follow its format.
    Malformed,
    /// The path leads out of the allowed folders.
    Outside,
    /// The SQL does something that a question must not do: write, attach a database, use the present time or random numbers.
    Refused,
    /// The query took too long.
    TimeOut,
    /// The query needed too much memory.
    Memory,
    /// A file, a table or an answer is larger than a limit.
    TooLarge,
    /// A text was found where a number is needed.
    NotNumber,
    /// `NaN` or an infinity in the data, or as a result.
    NotFinite,
}

impl QueryError {
    pub(crate) fn new(kind: QueryErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            file: None,
            line: 0,
            column: 0,
        }
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::Malformed, message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::TooLarge, message)
    }

    /// Adds the file, unless the error has one already.
    pub(crate) fn within(mut self, file: &str) -> Self {
        self.file.get_or_insert_with(|| file.to_owned());
        self
    }

    pub(crate) fn at(mut self, line: u32, column: u32) -> Self {
        (self.line, self.column) = (line, column);
        self
    }

    /// The error for a failed access to the file `name`.
    pub(crate) fn disk(error: &FsError, name: &str) -> Self {
        let (kind, message) = match error {
            FsError::NotFound { .. } => (QueryErrorKind::NoSuchFile, String::from(NO_FILE)),
            FsError::NotRegular { found, .. } => (
                QueryErrorKind::Unreadable,
                format!("this is {found}, not a regular file"),
            ),
            FsError::TooLarge { limit, .. } => (
                QueryErrorKind::TooLarge,
                format!(
                    "the file has more than {limit} bytes; split it, or put it into an SQLite file"
                ),
            ),
            FsError::Read { source, .. } => {
                (QueryErrorKind::Unreadable, format!("cannot read: {source}"))
            }
            other => (QueryErrorKind::Unreadable, other.to_string()),
        };
        Self::new(kind, message).within(name)
    }
}

impl From<Problem> for QueryError {
    fn from(wrong: Problem) -> Self {
        Self::malformed(wrong.message).at(wrong.line, wrong.column)
    }
}

impl fmt::Display for QueryError {
    /// The place, if known, and what is wrong: `results/a.csv, line 17: text ...`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), 0) => write!(out, "{file}: ")?,
            (Some(file), line) => write!(out, "{file}, line {line}: ")?,
            (None, 0) => {}
            (None, line) => write!(out, "SQL, line {line}, column {}: ", self.column)?,
        }
        out.write_str(&self.message)
    }
}

impl std::error::Error for QueryError {}
