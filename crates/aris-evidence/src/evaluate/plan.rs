//! Finds out which tables and columns a question reads, from the headers of the files alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rusqlite::Connection;

use super::Question;
use super::source::Source;
use crate::QueryError;
use crate::QueryErrorKind::{NoSuchFile, Refused};
use crate::files::{DataFile, NO_FILE, Project, nearest};
use crate::settings::{COLUMNS, SQL_BYTES, VALUE_BYTES, View};
use crate::sql::functions::{Slot, register};
use crate::sql::guard::{Guarded, guarded};
use crate::sql::permission::{Shared, Watch, configure, restrict, with};
use crate::sql::{located, quoted, sql_error, words};

/// The column with the file's name.
pub(crate) const PATH: &str = "_path";
/// Start of SQLite's message about an unknown table.
const NO_TABLE: &str = "no such table: ";

/// Questions that share files, answered in one database.
#[derive(Default)]
pub(crate) struct Task<'p> {
    /// The questions, each with its index.
    pub(crate) questions: Vec<(usize, &'p Question, &'p Plan)>,
    /// The tables by name, with the columns that are read.
    pub(crate) tables: BTreeMap<&'p str, (&'p Table, BTreeSet<&'p str>)>,
    /// Size of the files together.
    pub(crate) bytes: u64,
}

/// A table of the questions.
#[derive(Debug)]
pub(crate) struct Table {
    /// The name that the questions use.
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    pub(crate) sources: Vec<Arc<Source>>,
    /// Whether the last column is [`PATH`].
    pub(crate) has_path: bool,
}

impl Table {
    /// The `create table` statement with these columns.
    pub(crate) fn ddl(&self, columns: &[String]) -> String {
        let columns: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        format!(
            "create table {} ({})",
            quoted(&self.name),
            columns.join(", ")
        )
    }
}

/// The tables, columns and views that a question reads.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Names of the result columns.
    pub(crate) columns: Vec<String>,
    /// The query with the checks added.
    pub(crate) guarded: String,
    /// Names of tables, and the columns of each that are read.
    pub(crate) reads: BTreeMap<String, BTreeSet<String>>,
    /// The views that it may use, with the statements that create them.
    pub(crate) views: BTreeMap<String, String>,
}

/// Plans questions in a database with empty tables.
pub(crate) struct Planner<'p> {
    project: &'p Project<'p>,
    connection: Connection,
    watch: Shared<Watch>,
    sources: BTreeMap<(String, Option<String>), Result<Arc<Source>, QueryError>>,
    tables: BTreeMap<String, Result<Arc<Table>, QueryError>>,
    views: BTreeMap<String, Known<'p>>,
    hints: usize,
}

/// A view, the words of its SQL, and its SQL with the checks added.
struct Known<'p> {
    view: &'p View,
    words: BTreeSet<String>,
    guarded: Result<Guarded, QueryError>,
}

impl<'p> Planner<'p> {
    pub(crate) fn new(project: &'p Project<'p>) -> rusqlite::Result<Self> {
        let mut connection = Connection::open_in_memory()?;
        let watch = Shared::default();
        configure(&connection, VALUE_BYTES)?;
        register(&connection, &Slot::default(), 0)?;
        let mut views = BTreeMap::new();
        for view in &project.settings.views {
            let sql = format!("create view {} as {}", quoted(&view.name), view.sql);
            let made = connection.prepare(&sql);
            let made = made.and_then(|mut statement| statement.raw_execute());
            let guarded = made.map(|_| guarded(&view.sql)).map_err(|error| {
                let mut error = sql_error(&error);
                error.message = format!("view `{}`: {}", view.name, error.message);
                error
            });
            with(&watch, |watch: &mut Watch| watch.knows(&view.name));
            let words = words(&view.sql);
            let known = Known {
                view,
                words,
                guarded,
            };
            views.insert(view.name.to_ascii_lowercase(), known);
        }
        restrict(&mut connection, &watch)?;
        Ok(Self {
            project,
            connection,
            watch,
            sources: BTreeMap::new(),
            tables: BTreeMap::new(),
            views,
            hints: 0,
        })
    }

    /// The tables that were made.
    pub(crate) fn into_tables(self) -> BTreeMap<String, Arc<Table>> {
        let made = self.tables.into_iter();
        made.filter_map(|(name, table)| Some((name, table.ok()?)))
            .collect()
    }

    /// Plans one question. **Errors**: all that can be found without reading the data.
    pub(crate) fn plan(&mut self, sql: &str) -> Result<Plan, QueryError> {
        if sql.len() > SQL_BYTES {
            let message = format!("the query has more than {SQL_BYTES} bytes");
            return Err(QueryError::too_large(message));
        }
        loop {
            with(&self.watch, |watch| {
                watch.reads.clear();
                watch.refused = None;
            });
            let wrong = match self.columns(sql) {
                Ok(columns) => return self.planned(sql, columns?),
                Err(wrong) => located(&wrong, sql),
            };
            if let Some(reason) = with(&self.watch, |watch| watch.refused.take()) {
                return Err(QueryError::new(Refused, reason));
            }
            match wrong.message.strip_prefix(NO_TABLE) {
                Some(name) => self.add(name)?,
                None => return Err(self.explained(wrong, sql)),
            }
        }
    }

    /// The names of a query's result columns. **Errors**: outer, SQLite cannot prepare it; inner, it is not a question.
    fn columns(&self, sql: &str) -> rusqlite::Result<Result<Vec<String>, QueryError>> {
        let statement = self.connection.prepare(sql)?;
        let columns: Vec<_> = statement.column_names().map(str::to_owned).collect();
        let refused = |message: &str| Ok(Err(QueryError::new(Refused, message)));
        if columns.is_empty() || !statement.readonly() || statement.is_explain() != 0 {
            return refused("a question is one `select`");
        }
        if statement.parameter_count() > 0 {
            return refused("a question has no parameters; write the value");
        }
        Ok(Ok(columns))
    }

    fn planned(&self, sql: &str, columns: Vec<String>) -> Result<Plan, QueryError> {
        let reads = with(&self.watch, |watch| std::mem::take(&mut watch.reads));
        let (own, mut names) = (guarded(sql), words(sql));
        let (mut refused, mut views) = (own.refused, BTreeMap::new());
        let mut texts = sql.to_owned();
        for known in self.used(sql) {
            let name = quoted(&known.view.name);
            // The checks would change the names of the result columns, so the names are given. A view that cannot be prepared is
            // not used.
            let select = format!("select * from {name}");
            let prepared = self.connection.prepare(&select);
            if let (Ok(statement), Ok(guarded)) = (prepared, &known.guarded) {
                let columns: Vec<_> = statement.column_names().map(quoted).collect();
                let columns = columns.join(", ");
                let ddl = format!("create view {name} ({columns}) as {}", guarded.sql);
                views.insert(known.view.name.clone(), ddl);
                refused = refused.or(guarded.refused);
                texts.push_str(&known.view.sql);
                names.extend(known.words.iter().cloned());
            }
        }
        if let Some(message) = refused {
            return Err(QueryError::new(Refused, message));
        }
        // SQL ignores the case of names, but file names that differ in case are different files.
        let written =
            |name: &str| texts.contains(name) || texts.contains(&name.replace('"', "\"\""));
        let mut needed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        // SQLite does not report the columns that `using` joins by, nor tables of which it reads no column.
        let named = with(&self.watch, |watch| watch.named(&names));
        for name in named.into_iter().chain(reads.keys().cloned()) {
            let Some(Ok(table)) = self.tables.get(&name) else {
                continue;
            };
            if !written(&name) {
                let message = format!("a file is written in other letters than its name, `{name}`");
                return Err(QueryError::new(NoSuchFile, message));
            }
            let mut read = reads.get(&name).cloned().unwrap_or_default();
            if names.contains("using") {
                read.extend(table.columns.iter().cloned());
            }
            needed.insert(name, read);
        }
        Ok(Plan {
            columns,
            guarded: own.sql,
            reads: needed,
            views,
        })
    }

    /// The views that a query names, and the views that those name.
    fn used(&self, sql: &str) -> Vec<&Known<'p>> {
        let mut used: BTreeMap<&str, &Known<'p>> = BTreeMap::new();
        let mut open = words(sql);
        while let Some(word) = open.pop_first() {
            if let Some((name, view)) = self.views.get_key_value(&word)
                && used.insert(name, view).is_none()
            {
                open.extend(view.words.iter().cloned());
            }
        }
        used.into_values().collect()
    }

    /// Makes the table that a query lacks. **Errors**: there is no such file, or it cannot be read.
    fn add(&mut self, missing: &str) -> Result<(), QueryError> {
        // In views, SQLite puts the name of the database before that of the table.
        let mut name = missing;
        if let Some(short) = missing.strip_prefix("main.")
            && self.project.resolve(missing).is_err()
        {
            name = short;
        }
        if let Some(Known {
            guarded: Err(wrong),
            ..
        }) = self.views.get(&name.to_ascii_lowercase())
        {
            return Err(wrong.clone());
        }
        if !self.tables.contains_key(name) {
            let made = self.make(name).map_err(|error| self.hinted(error, name));
            let added = made.as_ref().map(|_| ()).map_err(Clone::clone);
            self.tables.insert(name.to_owned(), made);
            return added;
        }
        // If that table exists, something else is missing.
        let known = self.tables.get(name);
        let known = known.and_then(|table| table.as_ref().err().cloned());
        Err(known.unwrap_or_else(|| QueryError::new(NoSuchFile, format!("{NO_FILE} `{missing}`"))))
    }

    fn hinted(&mut self, mut error: QueryError, name: &str) -> QueryError {
        /// Most hints per call: each hint compares all file names of the project.
        const HINTS: usize = 20;
        if error.kind != NoSuchFile || error.message != NO_FILE {
            return error;
        }
        self.hints += 1;
        let view = nearest(
            name,
            self.views.values().map(|known| known.view.name.as_str()),
        );
        let file = || self.project.near(name).filter(|_| self.hints <= HINTS);
        error.message = format!("{NO_FILE} `{name}`");
        if let Some(near) = view.or_else(file) {
            error.message = format!("{}; did you mean `{near}`?", error.message);
        }
        error
    }

    fn make(&mut self, name: &str) -> Result<Arc<Table>, QueryError> {
        let target = self.project.resolve(name)?;
        let mut sources = Vec::new();
        for file in target.files {
            sources.push(self.source(file, target.table.clone())?);
        }
        let mut columns: Vec<String> = Vec::new();
        let mut seen = BTreeSet::new();
        for column in sources.iter().flat_map(|source| &source.layout.columns) {
            if seen.insert(column.to_ascii_lowercase()) {
                columns.push(column.clone());
            }
        }
        let has_path = seen.insert(PATH.to_owned());
        columns.extend(has_path.then(|| PATH.to_owned()));
        if columns.len() > COLUMNS + 1 {
            let message = format!("the files of `{name}` have more than {COLUMNS} columns");
            return Err(QueryError::too_large(message));
        }
        let table = Table {
            name: name.to_owned(),
            columns,
            sources,
            has_path,
        };
        with(&self.watch, |watch| watch.open = true);
        let made = self.connection.execute_batch(&table.ddl(&table.columns));
        with(&self.watch, |watch| {
            watch.open = false;
            watch.knows(name);
        });
        made.map_err(|error| sql_error(&error))?;
        Ok(Arc::new(table))
    }

    fn source(&mut self, file: DataFile, table: Option<String>) -> Result<Arc<Source>, QueryError> {
        let setting = self.project.setting(&file.name);
        let made = self
            .sources
            .entry((file.name.clone(), table.clone()))
            .or_insert_with(|| {
                let name = file.name.clone();
                let source = Source::plan(file, table, setting.clone());
                source.map(Arc::new).map_err(|error| error.within(&name))
            });
        made.clone()
    }

    /// A syntax error, with a suggestion if possible.
    fn explained(&self, mut error: QueryError, sql: &str) -> QueryError {
        if error.message == "no such function: log" {
            // Its base differs between languages.
            error.message.push_str("; write ln(), log10() or log2()");
        }
        if let Some(column) = error.message.strip_prefix("no such column: ") {
            let (column, quotes) = match column.split_once(" - ") {
                Some((column, _)) => (column.trim_matches('"'), true),
                None => (column, false),
            };
            let short = column.rsplit('.').next().unwrap_or(column);
            let tables = self.tables.values().flatten();
            let tables = tables.filter(|table| sql.contains(&table.name));
            let columns = tables.flat_map(|table| &table.columns).map(String::as_str);
            let hint = match nearest(short, columns) {
                Some(near) => format!("; did you mean `{near}`?"),
                None if quotes => String::from("; write text in single quotes"),
                None => String::new(),
            };
            error.message = format!("no such column `{column}`{hint}");
        }
        error
    }
}
