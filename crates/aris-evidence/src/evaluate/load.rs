//! Loads files into the tables of a database. Reads each file once, and keeps only the columns that are needed.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement, ToSql};

use super::plan::{PATH, Task};
use super::source::Source;
use crate::files::{FileFacts, Hash};
use crate::read::cell::Cell;
use crate::settings::ROWS;
use crate::sql::{compared, quoted, sql_error};
use crate::{Limits, QueryError};

/// Most databases in use at the same time.
pub(crate) const WORKERS: usize = 2;
/// Bytes of pages that a database keeps in memory. The rest is in a nameless file that vanishes with the process.
const CACHE_BYTES: usize = 64 << 20;

/// Fewest questions with a condition on a column for which an index on it pays off.
const ASKED: usize = 8;
/// Most indexes of one table.
const INDEXES: usize = 3;
/// Most rows of a task for which indexes are made; for more they take too much memory.
const INDEXED_ROWS: u64 = 1_000_000;

/// The result of filling the tables of a task.
#[derive(Default)]
pub(crate) struct Loaded {
    /// The files that were read.
    pub(crate) files: BTreeMap<String, Result<FileFacts, QueryError>>,
    /// Files, or tables of databases, that could not be read, with their errors.
    failed: BTreeMap<(String, Option<String>), QueryError>,
    /// Columns with a value that cannot be read: the file, the column in lower case, and the error.
    broken: BTreeMap<(String, String), QueryError>,
    /// Bytes of the longest text.
    pub(crate) longest: usize,
    rows: u64,
}

/// A destination for the rows of a file: the index of a table, and the source of each of its columns.
type Sink = (usize, Vec<From>);

#[derive(Clone, Copy)]
enum From {
    Column(usize),
    Path,
    Nothing,
}

/// Makes and fills the tables of a task. **Errors**: only those of the database; errors of a file are in [`Loaded::files`].
pub(crate) fn load(
    connection: &Connection,
    task: &Task<'_>,
    limits: &Limits,
) -> rusqlite::Result<Loaded> {
    // The limit is per process and can only be lowered, so it must allow for all workers together.
    let heap = WORKERS * (CACHE_BYTES + limits.bytes);
    let cache = CACHE_BYTES >> 10;
    connection.execute_batch(&format!(
        "pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive; pragma page_size = 16384;
         pragma cache_size = -{cache}; pragma temp_store = memory; pragma hard_heap_limit = {heap}; begin"
    ))?;
    let mut inserts = Vec::new();
    let mut sources: BTreeMap<_, (&Source, Vec<Sink>)> = BTreeMap::new();
    for (table, reads) in task.tables.values() {
        let is_read = |name: &&String| reads.contains(name.as_str());
        let mut columns: Vec<String> = table.columns.iter().filter(is_read).cloned().collect();
        if columns.is_empty() {
            // The rows count even if none of their columns is read.
            columns.extend(table.columns.first().cloned());
        }
        connection.execute_batch(&table.ddl(&columns))?;
        for source in &table.sources {
            let lower = |name: &String| name.to_ascii_lowercase();
            let places = source.layout.columns.iter().enumerate();
            let places: BTreeMap<String, usize> =
                places.map(|(at, name)| (lower(name), at)).collect();
            let from = |column: &String| match places.get(&lower(column)) {
                _ if table.has_path && column == PATH => From::Path,
                Some(at) => From::Column(*at),
                None => From::Nothing,
            };
            let key = (&source.file.name, &source.table);
            let (_, sinks) = sources.entry(key).or_insert_with(|| (source, Vec::new()));
            sinks.push((inserts.len(), columns.iter().map(from).collect()));
        }
        let values = vec!["?"; columns.len()].join(", ");
        let insert = format!("insert into {} values ({values})", quoted(&table.name));
        inserts.push(connection.prepare(&insert)?);
    }
    let mut loaded = Loaded::default();
    for (source, sinks) in sources.into_values() {
        let facts = loaded.fill(source, &sinks, &mut inserts);
        let facts = facts.map_err(|error| {
            let error = error.within(&source.file.name);
            let key = (source.file.name.clone(), source.table.clone());
            loaded.failed.insert(key, error.clone());
            error
        });
        // Two tables of a database are one file.
        match (loaded.files.get_mut(&source.file.name), facts) {
            (Some(Ok(known)), Ok(facts)) => {
                known.rows = known.rows.zip(facts.rows).map(|(one, other)| one + other);
            }
            (Some(Err(_)), _) => {}
            (_, facts) => drop(loaded.files.insert(source.file.name.clone(), facts)),
        }
    }
    drop(inserts);
    if loaded.rows <= INDEXED_ROWS {
        index(connection, task)?;
    }
    connection.execute_batch("commit")?;
    Ok(loaded)
}

/// Makes indexes on the columns that many questions have conditions on.
fn index(connection: &Connection, task: &Task<'_>) -> rusqlite::Result<()> {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for (_, question, _) in &task.questions {
        for name in compared(&question.sql) {
            *asked.entry(name).or_default() += 1;
        }
    }
    // Sorting for the indexes uses files and little memory.
    connection.execute_batch("pragma cache_size = -4096; pragma temp_store = file")?;
    for (table, reads) in task.tables.values() {
        let is_asked = |column: &&&str| {
            let count = asked.get(&column.to_ascii_lowercase());
            count.is_some_and(|count| *count >= ASKED)
        };
        for column in reads.iter().filter(is_asked).take(INDEXES) {
            let name = quoted(&format!("{}#{column}", table.name));
            let (table, column) = (quoted(&table.name), quoted(column));
            connection.execute_batch(&format!("create index {name} on {table} ({column})"))?;
        }
    }
    let cache = CACHE_BYTES >> 10;
    connection.execute_batch(&format!(
        "pragma cache_size = -{cache}; pragma temp_store = memory"
    ))
}

impl Loaded {
    /// **Errors**: the file, or one of the columns in `reads`, could not be read.
    pub(crate) fn check(
        &self,
        source: &Source,
        reads: &BTreeSet<String>,
    ) -> Result<(), QueryError> {
        if self.failed.is_empty() && self.broken.is_empty() {
            return Ok(());
        }
        let name = &source.file.name;
        let failed = self.failed.get(&(name.clone(), source.table.clone()));
        let broken = |column: &String| {
            self.broken
                .get(&(name.clone(), column.to_ascii_lowercase()))
        };
        failed
            .or_else(|| reads.iter().find_map(broken))
            .map_or(Ok(()), |error| Err(error.clone()))
    }

    fn fill(
        &mut self,
        source: &Source,
        sinks: &[Sink],
        inserts: &mut [Statement<'_>],
    ) -> Result<FileFacts, QueryError> {
        let wanted = sinks.iter().flat_map(|(_, cells)| cells);
        let wanted = wanted.filter_map(|from| match from {
            From::Column(at) => Some(*at),
            From::Path | From::Nothing => None,
        });
        let wanted: Vec<usize> = wanted.collect::<BTreeSet<_>>().into_iter().collect();
        let place = |from: &From| match from {
            From::Column(at) => wanted.binary_search(at).map_or(From::Nothing, From::Column),
            other => *other,
        };
        let place = |(table, cells): &Sink| (*table, cells.iter().map(place).collect());
        let sinks: Vec<Sink> = sinks.iter().map(place).collect();
        let path = Cell::Text(source.file.name.as_str().into());
        let (mut hash, mut rows) = (Hash::default(), 0);
        source.rows(&wanted, &mut |piece| hash.add(piece), &mut |line, cells| {
            for (cell, at) in cells.iter().zip(&wanted) {
                if let (Cell::Broken(why), Some(column)) = (cell, source.layout.columns.get(*at)) {
                    let key = (source.file.name.clone(), column.to_ascii_lowercase());
                    let error = QueryError::malformed(format!("{why} (column {column})"));
                    let error = error.at(line, 0).within(&source.file.name);
                    self.broken.entry(key).or_insert(error);
                }
            }
            rows += 1;
            self.rows += 1;
            if self.rows > ROWS {
                let message = format!("more than {ROWS} rows in the files of a question");
                return Err(QueryError::too_large(message));
            }
            for (table, from) in &sinks {
                let Some(insert) = inserts.get_mut(*table) else {
                    continue;
                };
                for (at, from) in from.iter().enumerate() {
                    let cell = match from {
                        From::Column(cell) => cells.get(*cell).unwrap_or(&Cell::Null),
                        From::Path => &path,
                        From::Nothing => &Cell::Null,
                    };
                    if let Cell::Text(text) = cell {
                        self.longest = self.longest.max(text.len());
                    }
                    insert
                        .raw_bind_parameter(at + 1, cell)
                        .map_err(|error| sql_error(&error))?;
                }
                insert.raw_execute().map_err(|error| sql_error(&error))?;
            }
            Ok(())
        })?;
        Ok(hash.facts(Some(rows)))
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Null | Cell::Broken(_) => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(*number),
            Cell::Real(real) => ValueRef::Real(*real),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
