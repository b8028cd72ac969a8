//! Answers questions.

mod database;
mod load;
mod plan;
mod run;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use load::WORKERS;
use plan::{Plan, Planner, Table, Task};
use run::{Done, run};

use crate::files::{FileFacts, Project};
use crate::settings::QUESTIONS;
use crate::sql::sql_error;
use crate::{Limits, QueryError, Settings, Value};

/// A query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// One `select`.
    pub sql: String,
    /// An answer with more rows is an error.
    pub most_rows: usize,
}

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Names of the columns; may repeat.
    pub columns: Vec<String>,
    /// The rows, with a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// The files that the query reads: names relative to the root, sorted.
    pub files: Vec<String>,
}

/// The answers to many questions.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// One answer for each question, in the same order.
    pub answers: Vec<Result<Answer, QueryError>>,
    /// The files that were read, by their names relative to the root.
    pub files: BTreeMap<String, Result<FileFacts, QueryError>>,
}

/// Answers questions. Each file is read once; questions with the same text are answered once.
///
/// **Errors** are those of single questions and files; they do not affect the others.
pub fn evaluate(settings: &Settings, questions: &[Question], limits: &Limits) -> Evaluation {
    let project = Project::new(settings);
    let failed = |error: QueryError| Evaluation {
        answers: vec![Err(error); questions.len()],
        files: BTreeMap::new(),
    };
    if questions.len() > QUESTIONS {
        let message = format!("more than {QUESTIONS} questions at once");
        return failed(QueryError::too_large(message));
    }
    let mut planner = match Planner::new(&project) {
        Ok(planner) => planner,
        Err(error) => return failed(sql_error(&error)),
    };
    // Each distinct question and its index.
    let mut places: BTreeMap<&Question, usize> = BTreeMap::new();
    let mut plans = Vec::new();
    for question in questions {
        places.entry(question).or_insert_with(|| {
            plans.push((question, planner.plan(&question.sql)));
            plans.len() - 1
        });
    }
    let tables = planner.into_tables();
    let tasks = tasks(&plans, &tables);
    let (large, small): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|task| task.bytes > LARGE_BYTES);
    let mut done: Vec<Done> = large.iter().map(|task| run(task, limits)).collect();
    let workers = WORKERS.min(aris_fs::processors());
    done.extend(aris_fs::map_in_parallel(workers, &small, |task| {
        run(task, limits)
    }));
    let mut files = BTreeMap::new();
    let mut answers: BTreeMap<usize, Result<Answer, QueryError>> = BTreeMap::new();
    for done in done {
        answers.extend(done.answers);
        files.extend(done.files);
    }
    for (place, (_, plan)) in plans.into_iter().enumerate() {
        if let Err(error) = plan {
            answers.insert(place, Err(error));
        }
    }
    let answer = |question| {
        let place = places.get(question);
        place.and_then(|place| answers.get(place)).cloned()
    };
    Evaluation {
        answers: questions.iter().filter_map(answer).collect(),
        files,
    }
}

/// A task whose files have more bytes than this runs alone.
const LARGE_BYTES: u64 = 16 << 20;

/// Groups of questions with no file in common, each with the tables that it reads.
fn tasks<'p>(
    plans: &'p [(&'p Question, Result<Plan, QueryError>)],
    tables: &'p BTreeMap<String, Arc<Table>>,
) -> Vec<Task<'p>> {
    let mut groups = Groups::default();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, table) in tables {
        for source in &table.sources {
            let owner = *owners.entry(&source.file.name).or_insert(name);
            groups.join(owner, name);
        }
    }
    let asked = plans.iter().enumerate();
    let asked =
        asked.filter_map(|(place, (question, plan))| Some((place, *question, plan.as_ref().ok()?)));
    for (_, _, plan) in asked.clone() {
        for (one, other) in plan.reads.keys().zip(plan.reads.keys().skip(1)) {
            groups.join(one, other);
        }
    }
    let mut tasks: BTreeMap<Option<&str>, Task<'p>> = BTreeMap::new();
    for (place, question, plan) in asked {
        let group = plan.reads.keys().next().map(|name| groups.of(name));
        let task = tasks.entry(group).or_default();
        task.questions.push((place, question, plan));
        for (name, columns) in &plan.reads {
            if let Some(table) = tables.get(name) {
                let (_, read) = task
                    .tables
                    .entry(name)
                    .or_insert_with(|| (table, BTreeSet::new()));
                read.extend(columns.iter().map(String::as_str));
            }
        }
    }
    for task in tasks.values_mut() {
        let sources = task.tables.values().flat_map(|(table, _)| &table.sources);
        let sizes = sources.map(|source| (&source.file.name, source.stamp.bytes));
        task.bytes = sizes.collect::<BTreeMap<_, _>>().values().sum();
    }
    tasks.into_values().collect()
}

/// A union-find structure of names: maps each name, except the representative of its set, to another name of the set.
#[derive(Default)]
struct Groups<'n>(BTreeMap<&'n str, &'n str>);

impl<'n> Groups<'n> {
    fn of(&mut self, mut name: &'n str) -> &'n str {
        while let Some(next) = self.0.get(name).copied() {
            // Shortens the path, so that long chains stay cheap.
            if let Some(beyond) = self.0.get(next).copied() {
                self.0.insert(name, beyond);
            }
            name = next;
        }
        name
    }

    fn join(&mut self, one: &'n str, other: &'n str) {
        let (one, other) = (self.of(one), self.of(other));
        if one != other {
            self.0.insert(one.max(other), one.min(other));
        }
    }
}
