//! The data files of a paper's project as SQL tables: read-only, exact, with limits.
//!
//! A quoted path in a query is a table: `select avg(acc) from "results/main.csv"`. CSV, TSV, JSON Lines and JSON lists of objects
//! have their own columns. Every other JSON, YAML or TOML file is one row with its content as JSON text in the column `doc`. A
//! glob is the union of its files; `"runs.sqlite#log"` is a table of a database. Every table also has the column `_path` with the
//! file's name, unless the file has a column of that name.
//!
//! [`evaluate`] answers many questions and reads each file once. SQLite calculates in a private database that exists during the
//! call. What cannot be calculated exactly is an error with file and line: texts and `NaN` where numbers are needed, infinite
//! results, unreadable files. A file that cannot be read is an error only of the questions that need it.
//!
//! A text that is a number counts as a number in arithmetic, in numeric functions and in `<`, `<=`, `>` and `>=` with a number.
//! Any other text there is an error; `NaN` and infinities are errors also in other comparisons, in `min` and `max` and in
//! `order by`. Queries are refused if they could give another answer tomorrow (random numbers, the present time), if they write
//! or read anything but data, and if they use `natural join`, which would join by `_path`.
//!
//! This crate does not decide what a number means, writes nothing, and does not guess formats, units or headers.

#![warn(missing_docs)]

mod error;
mod evaluate;
mod files;
mod read;
mod settings;
mod sql;

pub use error::{QueryError, QueryErrorKind};
pub use evaluate::{Answer, Evaluation, Question, evaluate};
pub use files::{FileFacts, check_glob, digests, list};
pub use read::{Table, read_table};
pub use settings::{FileSetting, Format, Header, Limits, Settings, View};
pub use sql::rows_query;

/// A value of a table or of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number, always finite.
    Real(f64),
    /// A text.
    Text(String),
}
