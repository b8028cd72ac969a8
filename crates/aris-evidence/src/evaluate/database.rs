//! Tables of SQLite files. Their rows are copied, so that no SQL stored in the file is ever executed.

use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::QueryError;
use crate::QueryErrorKind::{NoSuchFile, Unreadable};
use crate::read::Each;
use crate::read::cell::Cell;
use crate::settings::VALUE_BYTES;
use crate::sql::{quoted, sql_error};

/// Characters with a special meaning in a database URI.
const SPECIAL: &AsciiSet = &CONTROLS.add(b' ').add(b'?').add(b'#').add(b'%');

/// The columns of a table. **Errors**: not a database, no such table, or a view or virtual table.
pub(crate) fn columns(path: &Path, table: &str) -> Result<Vec<String>, QueryError> {
    let connection = open(path)?;
    let (mut known, mut is_table) = (Vec::new(), false);
    let select = "select name, sql from sqlite_schema where type in ('table', 'view') order by 1";
    let mut statement = connection.prepare(select).map_err(broken)?;
    let mut rows = statement.query([]).map_err(broken)?;
    while let Some(row) = rows.next().map_err(broken)? {
        let (name, sql): (String, String) =
            (row.get(0).map_err(broken)?, row.get(1).unwrap_or_default());
        let plain = sql
            .split_ascii_whitespace()
            .nth(1)
            .is_some_and(|word| word.eq_ignore_ascii_case("table"));
        is_table |= plain && name.eq_ignore_ascii_case(table);
        if plain {
            known.push(name);
        }
    }
    if !is_table {
        let known = known.join(", ");
        let message = format!(
            "no table `{table}` in this database; write its name, `#` and one of its tables: {known}"
        );
        return Err(QueryError::new(NoSuchFile, message));
    }
    let select = format!("select * from {}", quoted(table));
    let statement = connection.prepare(&select).map_err(broken)?;
    Ok(statement.column_names().map(str::to_owned).collect())
}

/// Passes the rows of a table to `each`. The line of a row is its number. **Errors**: among others, more content than a file of
/// this size can hold.
pub(crate) fn rows(
    path: &Path,
    table: &str,
    columns: &[&String],
    each: Each<'_>,
) -> Result<(), QueryError> {
    let connection = open(path)?;
    let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    // Without wanted columns, the rows still count.
    let names = if names.is_empty() {
        String::from("null")
    } else {
        names.join(", ")
    };
    let select = format!("select {names} from {}", quoted(table));
    let mut statement = connection.prepare(&select).map_err(broken)?;
    let mut rows = statement.query([]).map_err(broken)?;
    let (mut number, mut held) = (0u32, 0);
    while let Some(row) = rows.next().map_err(broken)? {
        number = number.saturating_add(1);
        held += 1;
        let mut cells = Vec::with_capacity(columns.len());
        for at in 0..columns.len() {
            cells.push(match row.get_ref(at).map_err(broken)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(number) => Cell::Integer(number),
                ValueRef::Real(real) if real.is_finite() => Cell::Real(real),
                ValueRef::Real(real) => Cell::Text(real.to_string().into()),
                ValueRef::Text(text) => {
                    held += text.len() as u64;
                    Cell::Text(String::from_utf8_lossy(text))
                }
                ValueRef::Blob(_) => Cell::Broken("this is a blob, neither number nor text"),
            });
        }
        // UTF-16 text of the file may grow by half in UTF-8.
        if held / 2 > size {
            let message = "the database is broken: its tables hold more than the file";
            return Err(QueryError::malformed(message));
        }
        each(number, &cells)?;
    }
    Ok(())
}

/// Opens a database as immutable. **Errors**: among others, files beside it show unfinished changes.
fn open(path: &Path) -> Result<Connection, QueryError> {
    let sides = [
        (
            "-wal",
            "the database has changes in a -wal file beside it; close what uses it, or run `pragma wal_checkpoint(truncate)`",
        ),
        (
            "-journal",
            "the database has a -journal file beside it: a change was broken off and is not taken back yet; close what uses it, and open it once with sqlite3",
        ),
    ];
    for (ending, why) in sides {
        let mut side = path.as_os_str().to_owned();
        side.push(ending);
        if std::fs::metadata(&side).is_ok_and(|side| side.len() > 0) {
            return Err(QueryError::new(Unreadable, why));
        }
    }
    let Some(name) = path.to_str() else {
        let message = "the path is not UTF-8; rename the file";
        return Err(QueryError::new(Unreadable, message));
    };
    let name = utf8_percent_encode(name, SPECIAL);
    let address = format!("file:{name}?immutable=1&mode=ro");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(address, flags).map_err(broken)?;
    let length = i32::try_from(VALUE_BYTES).unwrap_or(i32::MAX);
    connection
        .set_limit(Limit::SQLITE_LIMIT_LENGTH, length)
        .map_err(broken)?;
    connection
        .execute_batch("pragma trusted_schema = off; pragma cell_size_check = on")
        .map_err(broken)?;
    Ok(connection)
}

fn broken(error: rusqlite::Error) -> QueryError {
    let wrong = sql_error(&error);
    QueryError::malformed(format!("cannot read the database: {}", wrong.message))
}
