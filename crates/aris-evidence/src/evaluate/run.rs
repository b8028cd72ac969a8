//! Answers questions that share files, in a database of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Row};

use super::load::{Loaded, load};
use super::plan::{Plan, Task};
use super::source::Source;
use super::{Answer, Question};
use crate::QueryErrorKind::{Memory, NotFinite, Refused, Syntax, TimeOut};
use crate::files::FileFacts;
use crate::settings::VALUE_BYTES;
use crate::sql::functions::{Failure, Slot, register};
use crate::sql::permission::{Shared, Watch, configure, restrict, with};
use crate::sql::sql_error;
use crate::{Limits, QueryError, Value};

/// Longest value that a query may make beyond those in the data. SQLite handles one of this size in much less than a query's
/// time.
const MADE_BYTES: usize = 1 << 20;
/// SQLite instructions between two checks of the clock: about a tenth of a millisecond.
const STEPS: i32 = 1_000;

/// The answers and files of a task.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) answers: Vec<(usize, Result<Answer, QueryError>)>,
    pub(crate) files: BTreeMap<String, Result<FileFacts, QueryError>>,
}

/// Reads the files of a task and answers its questions.
pub(crate) fn run(task: &Task<'_>, limits: &Limits) -> Done {
    let mut session = Session::new(task, limits).map_err(|error| sql_error(&error));
    let questions = task.questions.iter();
    let answers = questions.map(|(place, question, plan)| {
        let answer = match &mut session {
            Ok(session) => session.answer(question, plan),
            Err(error) => Err(error.clone()),
        };
        (*place, answer)
    });
    Done {
        answers: answers.collect(),
        files: session.map_or_else(|_| BTreeMap::new(), |session| session.loaded.files),
    }
}

/// A database with the data of a task.
struct Session<'a> {
    connection: Connection,
    loaded: Loaded,
    watch: Shared<Watch>,
    slot: Slot,
    task: &'a Task<'a>,
    limits: &'a Limits,
}

impl<'a> Session<'a> {
    fn new(task: &'a Task<'a>, limits: &'a Limits) -> rusqlite::Result<Self> {
        // The empty name opens a temporary database, which stays in memory while its cache is large enough.
        let mut connection = Connection::open("")?;
        let loaded = load(&connection, task, limits)?;
        let slot = Slot::default();
        register(&connection, &slot, limits.bytes / size_of::<f64>())?;
        configure(&connection, (loaded.longest + MADE_BYTES).min(VALUE_BYTES))?;
        let plans = task.questions.iter().map(|(_, _, plan)| plan);
        let views: BTreeMap<_, _> = plans.flat_map(|plan| &plan.views).collect();
        let mut watch = Watch::default();
        for (name, ddl) in views {
            connection.execute_batch(ddl)?;
            watch.knows(name);
        }
        task.tables.keys().for_each(|name| watch.knows(name));
        let watch = Arc::new(Mutex::new(watch));
        restrict(&mut connection, &watch)?;
        Ok(Self {
            connection,
            loaded,
            watch,
            slot,
            task,
            limits,
        })
    }

    fn answer(&mut self, question: &Question, plan: &Plan) -> Result<Answer, QueryError> {
        let sources = self.sources(plan);
        let files: BTreeSet<&String> = sources.iter().map(|source| &source.file.name).collect();
        for (name, reads) in &plan.reads {
            let table = self.task.tables.get(name.as_str());
            for source in table.iter().flat_map(|(table, _)| &table.sources) {
                self.loaded.check(source, reads)?;
            }
        }
        self.slot.begin();
        let deadline = Instant::now() + self.limits.time;
        let late = move || Instant::now() >= deadline;
        let begun = self.connection.progress_handler(STEPS, Some(late));
        let rows = match begun {
            Ok(()) => self.rows(question, plan),
            Err(error) => Err(sql_error(&error)),
        };
        // The handler of one question must not interrupt the preparation of the next.
        let ended = self.connection.progress_handler(0, None::<fn() -> bool>);
        let rows = rows?;
        ended.map_err(|error| sql_error(&error))?;
        Ok(Answer {
            columns: plan.columns.clone(),
            rows,
            files: files.into_iter().cloned().collect(),
        })
    }

    /// The sources that a question reads.
    fn sources(&self, plan: &Plan) -> Vec<&'a Source> {
        let tables = plan.reads.keys();
        let tables = tables.filter_map(|name| self.task.tables.get(name.as_str()));
        tables
            .flat_map(|(table, _)| &table.sources)
            .map(AsRef::as_ref)
            .collect()
    }

    fn rows(&self, question: &Question, plan: &Plan) -> Result<Vec<Vec<Value>>, QueryError> {
        let explained = |error| self.explained(&error, plan);
        // The query without checks was prepared earlier, so this error comes from the checks.
        let mut statement = self.connection.prepare(&plan.guarded).map_err(|error| {
            let message =
                "texts among numbers cannot be looked for in this query; write it in simpler parts";
            QueryError::new(Syntax, format!("{message} ({error})"))
        })?;
        let count = statement.column_count();
        let mut rows = statement.query([]).map_err(explained)?;
        let (mut found, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.next().map_err(explained)? {
            if found.len() >= question.most_rows {
                let message = format!("the query gives more than {} rows", question.most_rows);
                return Err(QueryError::too_large(message));
            }
            let values = (0..count).map(|at| value(row, at));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            bytes += size_of::<Vec<Value>>() + count * size_of::<Value>();
            let length = |value: &Value| match value {
                Value::Text(text) => text.len(),
                _ => 0,
            };
            bytes += values.iter().map(length).sum::<usize>();
            if bytes > self.limits.bytes {
                let message = format!("the answer needs more than {} bytes", self.limits.bytes);
                return Err(QueryError::new(Memory, message));
            }
            found.push(values);
        }
        Ok(found)
    }

    /// Why SQLite stopped: an error of one of our functions, a refusal, or its own reason.
    fn explained(&self, error: &Error, plan: &Plan) -> QueryError {
        if let Some(failure) = self.slot.take() {
            return self.placed(failure, plan);
        }
        if let Some(reason) = with(&self.watch, |watch| watch.refused.take()) {
            return QueryError::new(Refused, reason);
        }
        let mut error = sql_error(error);
        if error.kind == TimeOut {
            let seconds = self.limits.time.as_secs_f64();
            error.message = format!("the query takes longer than {seconds} s");
        } else if error.kind == Memory {
            let bytes = self.limits.bytes;
            error.message = format!("the query needs more than {bytes} bytes of memory");
        }
        error
    }

    /// The error of a function, with the place of the text that it refused, which is searched in the columns that the question
    /// reads.
    fn placed(&self, failure: Failure, plan: &Plan) -> QueryError {
        let Some(text) = failure.text else {
            return QueryError::new(failure.kind, failure.message);
        };
        let shown: String = text.chars().take(60).collect();
        let reads = plan.reads.values().flatten();
        let reads: BTreeSet<String> = reads.map(|name| name.to_ascii_lowercase()).collect();
        let is_read = |name: &str| reads.contains(&name.to_ascii_lowercase());
        let sources = self.sources(plan);
        for source in &sources {
            if let Some((line, column, name)) = source.place(&text, is_read) {
                let of = if name.is_empty() {
                    name
                } else {
                    format!(" in column {name}")
                };
                let message = format!("text `{shown}`{of}: {}", failure.message);
                let error = QueryError::new(failure.kind, message).at(line, column);
                return error.within(&source.file.name);
            }
        }
        let error = QueryError::new(failure.kind, format!("text `{shown}`: {}", failure.message));
        match sources.as_slice() {
            [source] => error.within(&source.file.name),
            _ => error,
        }
    }
}

/// A value of an answer. **Errors**: infinities and blobs.
fn value(row: &Row<'_>, at: usize) -> Result<Value, QueryError> {
    let wrong = |kind, what| {
        let message = format!("column {} of the result is {what}", at + 1);
        Err(QueryError::new(kind, message))
    };
    match row.get_ref(at).map_err(|error| sql_error(&error))? {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Integer(number)),
        ValueRef::Real(real) if real.is_finite() => Ok(Value::Real(real)),
        ValueRef::Real(_) => wrong(NotFinite, "infinite"),
        ValueRef::Text(text) => Ok(Value::Text(String::from_utf8_lossy(text).into_owned())),
        ValueRef::Blob(_) => wrong(Refused, "a blob; write hex()"),
    }
}
