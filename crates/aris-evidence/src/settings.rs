//! The caller's settings for the data, and the limits.

use std::path::PathBuf;
use std::time::Duration;

/// Largest CSV or TSV file. Such files are read as streams, so this limits time, not memory.
pub(crate) const STREAM_BYTES: u64 = 4 << 30;
/// Largest JSON, JSON Lines, YAML or TOML file. Its text is held in memory.
pub(crate) const WHOLE_BYTES: u64 = 256 << 20;
/// Largest field of a table and largest `doc`: 16 MiB. SQL functions process a whole value between two checks of the clock.
pub(crate) const VALUE_BYTES: usize = 16 << 20;
/// Most rows that are read for one question.
pub(crate) const ROWS: u64 = 50_000_000;
/// Most columns of a table. **Source**: SQLite's own limit is 2,000, and `_path` is one of them.
pub(crate) const COLUMNS: usize = 1_999;
/// Most files of one glob.
pub(crate) const GLOB_FILES: usize = 10_000;
/// Most files and folders that are visited for one glob.
pub(crate) const ENTRIES: usize = 1_000_000;
/// Most questions of one call.
pub(crate) const QUESTIONS: usize = 100_000;
/// Longest SQL text of a question or a view, in bytes. SQLite's parser is not made for longer texts.
pub(crate) const SQL_BYTES: usize = 100_000;

/// Where data files are, and how they are read.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The absolute folder that paths in queries and `_path` are relative to.
    pub root: PathBuf,
    /// Real paths. A file may be read only if its real path is below one of them.
    pub allowed: Vec<PathBuf>,
    /// Globs of files and folders that queries may not read and lists leave out.
    pub exclude: Vec<String>,
    /// Settings for files that the default reading does not suit. The first that matches a file applies.
    pub files: Vec<FileSetting>,
    /// Named queries that questions, and other views, may use as tables.
    pub views: Vec<View>,
}

/// How to read a file, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSetting {
    /// A path relative to the root, or a glob.
    pub path: String,
    /// `None`: by extension, else by content.
    pub format: Option<Format>,
    /// The content of the first line of CSV or TSV.
    pub header: Header,
    /// Words that mark an empty cell of CSV or TSV, such as `NA`.
    pub na: Vec<String>,
}

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Fields separated by commas, or by semicolons if the header has semicolons and no comma. **Source**: RFC 4180.
    Csv,
    /// Fields separated by tabs, quoted as in CSV.
    Tsv,
    /// One JSON object in each line.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// JSON, with the extensions that [`aris_yaml::read_json`] accepts.
    Json,
    /// YAML 1.2.
    Yaml,
    /// TOML 1.
    Toml,
    /// An SQLite 3 database.
    Sqlite,
}

/// The content of the first line of CSV or TSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Header {
    /// The names of the columns. A column without a name is named by its position, such as `c3`.
    #[default]
    First,
    /// Values; the columns are named `c1`, `c2`, ….
    None,
    /// The names of all columns except the first, which becomes `row_name`. **Source**: `write.table` of R.
    RowNames,
}

/// A named query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its name in questions.
    pub name: String,
    /// A `select`.
    pub sql: String,
}

/// Limits for one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest time of one query.
    pub time: Duration,
    /// Most memory of one query in bytes, besides the data. SQLite has one limit for the whole process, which can only be
    /// lowered, so the smallest value used in a process applies.
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
