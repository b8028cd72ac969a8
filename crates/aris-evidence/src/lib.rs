//! The data files of a paper's project as SQL tables: read only, exact, bounded.
//!
//! A quoted path in a query is a table: `select avg(acc) from "results/main.csv"`. CSV, TSV, JSON Lines and JSON lists of objects give their
//! columns, every other JSON, YAML and TOML file one row with its content as JSON text in `doc`; a glob is the union of its files;
//! `"runs.sqlite#log"` is a table of a database. Every table has the column `_path` besides, the file's name, unless the file has one.
//!
//! [`evaluate`] answers many questions and reads each file once. SQLite calculates, in a private database that lasts as long as the call. What
//! cannot be calculated exactly is an error that names file and line: texts and `NaN` where numbers are needed, infinite results, unreadable
//! files. A file that cannot be read is an error of the questions that need it, and of nothing else.
//!
//! A text that is a number counts as one in arithmetic, in functions on numbers and against a number in `<`, `<=`, `>` and `>=`; every other text
//! there is an error, and `NaN` and infinities also in other comparisons, in `min` and `max` and in `order by`. Refused is what gives another
//! answer tomorrow (chance, the present time), what writes or looks elsewhere, and `natural join`, which would join by `_path`.
//!
//! What it does not do: decide what a number means, write anything, or guess a format, a unit or a header.

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
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number, always finite.
    Real(f64),
    /// A text.
    Text(String),
}
