//! Reads files as rows.

pub(crate) mod cell;
pub(crate) mod csv;
pub(crate) mod tree;

use std::collections::BTreeMap;
use std::path::Path;

use cell::{Cell, check_encoding};

use crate::settings::{COLUMNS, FileSetting, Format};
use crate::{QueryError, QueryErrorKind, Value};

/// Receives a row: its line and its cells.
pub(crate) type Each<'e> = &'e mut dyn FnMut(u32, &[Cell<'_>]) -> Result<(), QueryError>;

/// Bytes at the start of a file that are read to find its format; most headers are shorter.
pub(crate) const HEAD_BYTES: u64 = 64 << 10;

/// The content of one file as rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns, all different.
    pub columns: Vec<String>,
    /// The rows, with a value for each column. YAML, TOML, and JSON that is not a list of objects are one row, whose only column
    /// `doc` holds the file as JSON text.
    pub rows: Vec<Vec<Value>>,
    /// The line in which each row begins, from 1.
    pub lines: Vec<u32>,
}

/// Reads a file's `bytes` as rows. The format comes from `setting`, else from `name`, else from the content.
///
/// **Errors**: anything that prevents reading the whole file. The error names the file.
pub fn read_table(
    name: &str,
    bytes: &[u8],
    setting: Option<&FileSetting>,
) -> Result<Table, QueryError> {
    let other = FileSetting::default();
    let setting = setting.unwrap_or(&other);
    let read = || {
        let format = format(name, bytes, setting)?;
        let Some(layout) = Layout::of(format, setting, bytes, true)? else {
            return Ok(Table::default());
        };
        let wanted: Vec<usize> = (0..layout.columns.len()).collect();
        let mut table = Table::default();
        let mut each = |line, cells: &[Cell<'_>]| {
            let broken = |cell: &&Cell<'_>| matches!(cell, Cell::Broken(_));
            if let Some(Cell::Broken(why)) = cells.iter().find(broken) {
                return Err(QueryError::malformed(*why).at(line, 0));
            }
            table.rows.push(cells.iter().map(Cell::to_value).collect());
            table.lines.push(line);
            Ok(())
        };
        if layout.is_streamed() {
            let mut rows = csv::Rows::new(layout.separator, setting, &layout.columns, &wanted);
            rows.feed(bytes, &mut each)?;
            rows.finish(&mut each)?;
        } else {
            tree::rows(&layout, bytes, &wanted, &mut each)?;
        }
        table.columns = layout.columns;
        Ok(table)
    };
    read().map_err(|error: QueryError| error.within(name))
}

/// How a file is split into rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) format: Format,
    /// For CSV and TSV.
    pub(crate) separator: u8,
    pub(crate) columns: Vec<String>,
    /// Whether the file is one row with its content in `doc`.
    pub(crate) document: bool,
}

impl Layout {
    /// Finds the layout from the beginning of a file, or all of it. `None` if more is needed. **Errors**: among others, the file
    /// is a database, of which only the tables have a layout.
    pub(crate) fn of(
        format: Format,
        setting: &FileSetting,
        bytes: &[u8],
        complete: bool,
    ) -> Result<Option<Self>, QueryError> {
        let separator = match format {
            Format::Csv => csv::separator(bytes),
            Format::Tsv => b'\t',
            Format::Sqlite => {
                let message = "this is a database; name one of its tables after a `#`";
                return Err(QueryError::new(QueryErrorKind::NoSuchFile, message));
            }
            _ if complete => return tree::layout(format, bytes).map(Some),
            _ => return Ok(None),
        };
        let columns = csv::columns(separator, setting, bytes, complete)?;
        Ok(columns.map(|columns| Self {
            format,
            separator,
            columns,
            document: false,
        }))
    }

    pub(crate) fn of_database(columns: Vec<String>) -> Result<Self, QueryError> {
        check_columns(&columns)?;
        Ok(Self {
            format: Format::Sqlite,
            separator: 0,
            columns,
            document: false,
        })
    }

    /// Whether the file is read piece by piece.
    pub(crate) fn is_streamed(&self) -> bool {
        matches!(self.format, Format::Csv | Format::Tsv)
    }
}

/// The format of a file: the one in the setting, else by the extension, else by the first bytes.
pub(crate) fn format(name: &str, head: &[u8], setting: &FileSetting) -> Result<Format, QueryError> {
    if let Some(format) = setting.format {
        return Ok(format);
    }
    let extension = Path::new(name).extension();
    let extension = extension.and_then(|extension| extension.to_str());
    let known = match extension.unwrap_or_default().to_ascii_lowercase().as_str() {
        "csv" => Some(Format::Csv),
        "tsv" | "tab" => Some(Format::Tsv),
        "jsonl" | "ndjson" => Some(Format::JsonLines),
        "json" | "json5" => Some(Format::Json),
        "yaml" | "yml" => Some(Format::Yaml),
        "toml" => Some(Format::Toml),
        "sqlite" | "sqlite3" | "db" => Some(Format::Sqlite),
        _ => None,
    };
    if let Some(known) = known {
        return Ok(known);
    }
    check_encoding(head)?;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = head.trim_ascii_start();
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default().trim_ascii_end();
    if head.starts_with(b"SQLite format 3\0") {
        Ok(Format::Sqlite)
    } else if first.starts_with(b"{")
        && first.ends_with(b"}")
        && lines.any(|line| line.starts_with(b"{"))
    {
        Ok(Format::JsonLines)
    } else if first.starts_with(b"{") || first.starts_with(b"[") {
        Ok(Format::Json)
    } else if first.contains(&b'\t') {
        Ok(Format::Tsv)
    } else if first.contains(&b',') || first.contains(&b';') {
        Ok(Format::Csv)
    } else {
        Err(QueryError::malformed(
            "neither name nor content tell the format of this file; say format = \"csv\", or another, for it",
        ))
    }
}

/// **Errors**: two columns with one name (SQL ignores case), or too many columns.
fn check_columns(names: &[String]) -> Result<(), QueryError> {
    if names.len() > COLUMNS {
        let message = format!("{} columns; at most {COLUMNS} are read", names.len());
        return Err(QueryError::too_large(message));
    }
    let mut seen = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(before) = seen.insert(name.to_ascii_lowercase(), at) {
            return Err(QueryError::malformed(format!(
                "columns {} `{}` and {} `{name}` have one name (SQL takes upper and lower case for the same); rename one, or say header = \"none\"",
                before + 1,
                names.get(before).map_or("", String::as_str),
                at + 1,
            ))
            .at(1, 0));
        }
    }
    Ok(())
}
