//! What a caller says about the data, and the limits.

use std::path::PathBuf;
use std::time::Duration;

/// Largest CSV or TSV file: it is read as a stream, so this bounds time, not memory.
pub(crate) const STREAM_BYTES: u64 = 4 << 30;
/// Largest JSON, YAML or TOML file: its text is held in memory.
pub(crate) const WHOLE_BYTES: u64 = 256 << 20;
/// Largest field of a table and largest `doc`: 16 MiB. SQL functions look at values as a whole, between two looks at the clock.
pub(crate) const VALUE_BYTES: usize = 16 << 20;
/// Most rows that are read for one question.
pub(crate) const ROWS: u64 = 50_000_000;
/// Most columns of a table. **Source**: SQLite's own limit is 2,000, and `_path` is one of them.
pub(crate) const COLUMNS: usize = 1_999;
/// Most files of one glob.
pub(crate) const GLOB_FILES: usize = 10_000;
/// Most entries that are looked at for one glob or list of patterns.
pub(crate) const ENTRIES: usize = 1_000_000;
/// Most questions of one call.
pub(crate) const QUESTIONS: usize = 100_000;
/// Longest SQL text of a question or a view in bytes; SQLite's parser is not made for more.
pub(crate) const SQL_BYTES: usize = 100_000;

/// Where data files lie, and what is said about them.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder, absolute, that paths in queries and `_path` are relative to.
    pub root: PathBuf,
    /// Real paths. A file counts only where it lies, links resolved, below one of them.
    pub allowed: Vec<PathBuf>,
    /// Globs of files and folders that no query may read and no list names.
    pub exclude: Vec<String>,
    /// Files that the default reading does not fit. Of several that match, the first counts.
    pub files: Vec<FileSetting>,
    /// Named queries that questions, and other views, may use as tables.
    pub views: Vec<View>,
}

/// How to read one file, or some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSetting {
    /// A path relative to the root, or a glob.
    pub path: String,
    /// By extension, then by content, when it is not said.
    pub format: Option<Format>,
    /// What the first line of CSV or TSV holds.
    pub header: Header,
    /// Words that mean that a cell of CSV or TSV is empty, like `NA`.
    pub na: Vec<String>,
}

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Fields between commas; between semicolons where the header has those and no comma. **Source**: RFC 4180.
    Csv,
    /// Fields between tabs, quoted as in CSV.
    Tsv,
    /// One JSON value in each line.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// JSON, with the liberties that [`aris_yaml::read_json`] takes.
    Json,
    /// YAML 1.2.
    Yaml,
    /// TOML 1.
    Toml,
    /// A database of SQLite 3.
    Sqlite,
}

/// What the first line of CSV or TSV holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Header {
    /// The names of the columns. A column without a name is called by its place, `c3`.
    #[default]
    First,
    /// Values already; the columns are `c1`, `c2`, ….
    None,
    /// The names of the columns but the first, which is `row_name`. **Source**: `write.table` of R.
    RowNames,
}

/// A named query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What questions call it.
    pub name: String,
    /// A `select`.
    pub sql: String,
}

/// What one query may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time of one query.
    pub time: Duration,
    /// Memory of one query in bytes, besides the data. SQLite keeps to one sum for all that runs in the process, and the sum can only be lowered:
    /// the smallest of a process counts.
    pub bytes: usize,
}

impl Default for Limits {
    /// 10 s and 256 MiB.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            bytes: 256 << 20,
        }
    }
}
