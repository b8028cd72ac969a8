//! Metrics of completed jobs, read from their declared outputs.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::results::{MetricRow, Metrics, Missing};
use aris_attempt::Pattern;
use aris_cli::Context;
use aris_queue::manifest::Job;
use aris_queue::state::{Queue, State};
use aris_queue::tree::{self, Kind, Node};
use serde_json::{Number, Value};

use super::Look;
use super::writers::Writers;
use crate::load;

/// Most bytes of an output that is read for a metric.
const LIMIT: u64 = 64 << 20;

/// A requested metric: `FILE#KEY`.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    text: String,
    /// Name or path of the output; may have `*` and `?`.
    file: String,
    pattern: Pattern,
    /// Its place in the output: keys, separated by points.
    key: String,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('#');
        let parts = parts.filter(|(file, key)| !file.is_empty() && !key.is_empty());
        let wanted = parts.and_then(|(file, key)| {
            Some(Self {
                text: text.to_owned(),
                file: file.to_owned(),
                pattern: Pattern::new(file)?,
                key: key.to_owned(),
            })
        });
        let how = "write FILE#KEY, for example 'eval.json#acc' or '*.json#test.acc'";
        wanted.ok_or_else(|| how.to_owned())
    }
}

impl Wanted {
    /// Whether it means this output of a job that ran in `folder`.
    fn is(&self, path: &Path, folder: &Path) -> bool {
        let relative = path.strip_prefix(folder).unwrap_or(path);
        let name = path.file_name().unwrap_or_default();
        let names = [relative.as_os_str(), name].map(OsStr::as_encoded_bytes);
        names.iter().any(|name| self.pattern.matches(name))
    }
}

/// The table of all jobs' metrics.
pub(crate) fn of(look: &Look, wanted: &[Wanted], context: &Context) -> Metrics {
    let manifest = look.queue.manifest();
    let mut table = Metrics {
        metrics: wanted.iter().map(|wanted| wanted.text.clone()).collect(),
        ..Metrics::default()
    };
    let all = (0..).zip(&manifest.jobs);
    let measured: Vec<_> = all
        .map(|(at, job)| measured(&look.queue, at, job))
        .collect();
    for (name, _) in measured.iter().copied().flatten().flatten() {
        if !table.parameters.iter().any(|known| **known == **name) {
            table.parameters.push(name.to_string());
        }
    }
    let mut missing: BTreeMap<(usize, String), (usize, String)> = BTreeMap::new();
    let files = (0..look.queue.len()).map(|at| {
        let (folder, outputs) = look.queue.declared(at);
        let folder = aris_fs::lexical(&context.absolute(&folder));
        let outputs = outputs.iter();
        let outputs = outputs.filter(|_| look.queue.run(at).attempt() > 0);
        let files = outputs.flat_map(|pattern| aris_attempt::output_files(&folder, pattern));
        let files = files.map(|path| aris_fs::lexical(&path));
        let meant = |path: &PathBuf| wanted.iter().any(|wanted| wanted.is(path, &folder));
        let files = files.filter(meant).collect();
        (folder, files)
    });
    let files: Vec<(PathBuf, Vec<PathBuf>)> = files.collect();
    let writers = Writers::of(look, &files, &context.absolute(&manifest.cwd));
    for (at, job) in (0..).zip(&manifest.jobs) {
        let state = look.queue.state(at);
        let (folder, files) = &files[at as usize];
        let mut values = Vec::new();
        for (number, wanted) in wanted.iter().enumerate() {
            let found = match state {
                State::Completed if measured[at as usize].is_none() => Err(String::from(
                    "the job ran with another command than the manifest has now, and with which parameters is not known",
                )),
                State::Completed => file(wanted, folder, files)
                    .and_then(|path| writers.check(at, path).map(|()| path))
                    .and_then(|path| value(wanted, path)),
                other => Err(format!("the job is {}", other.word())),
            };
            let found = found.map_err(|why| {
                let known = missing.entry((number, why));
                known.or_insert_with(|| (0, job.id.to_string())).0 += 1;
            });
            values.push(found.ok());
        }
        let params = measured[at as usize].unwrap_or_default();
        if params.is_empty() && values.iter().all(Option::is_none) {
            continue;
        }
        let parameter = |name: &String| {
            let found = params.iter().find(|(known, _)| **known == **name);
            found.map(|(_, value)| value.to_string())
        };
        table.rows.push(MetricRow {
            id: job.id.to_string(),
            phase: manifest.phases[job.phase as usize].name.clone(),
            state: state.word(),
            parameters: table.parameters.iter().map(parameter).collect(),
            values,
        });
    }
    let missing = missing.into_iter();
    table.missing = missing
        .map(|((number, why), (jobs, first))| Missing {
            metric: wanted[number].text.clone(),
            why,
            jobs,
            first,
        })
        .collect();
    table
}

/// The parameters that belong to a job's outputs: those of its last attempt, not those of a manifest that has changed since. `None`: unknown.
fn measured<'a>(queue: &'a Queue, at: u32, job: &'a Job) -> Option<&'a [(Box<str>, Box<str>)]> {
    let last = queue.run(at).last();
    if queue.state(at) != State::Completed {
        return Some(&job.params);
    }
    match (&last.terms, &last.command) {
        (Some(terms), _) => Some(&terms.params),
        (None, Some(ran)) if **ran != *load::command_digest(&job.cmd) => None,
        (None, _) => Some(&job.params),
    }
}

/// The output that is meant. **Errors**: why there is none.
fn file<'f>(wanted: &Wanted, folder: &Path, files: &'f [PathBuf]) -> Result<&'f Path, String> {
    let mut meant: Vec<&'f PathBuf> = files.iter().collect();
    meant.retain(|path| wanted.is(path, folder));
    meant.dedup();
    match meant.as_slice() {
        [path] => Ok(path),
        [] => Err(format!("no declared output is called {}", wanted.file)),
        _ => Err(format!(
            "several declared outputs are called {}",
            wanted.file
        )),
    }
}

/// The value of a metric. **Errors**: why there is none.
fn value(wanted: &Wanted, path: &Path) -> Result<Value, String> {
    let bytes = aris_fs::read(path, LIMIT).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let node = match &*ending {
        "csv" | "tsv" => return column(&text, &wanted.key, &ending),
        // The last line has the latest value.
        "jsonl" => text.trim_end().lines().last().unwrap_or_default(),
        _ => &text,
    };
    let root = tree::read(node).map_err(|problem| problem.message)?;
    let found = at(&root, &wanted.key).ok_or_else(|| format!("it has no {}", wanted.key))?;
    let noun = || format!("{} is {}", wanted.key, found.noun());
    let text = found.written().ok_or_else(noun)?;
    match found.kind() {
        None | Some(Kind::Null) => Err(format!("{} is null", wanted.key)),
        Some(Kind::Bool(flag)) => Ok(Value::Bool(flag)),
        Some(Kind::Integer(_) | Kind::Float(_)) => Ok(scalar(text)),
        Some(Kind::Text(text)) => Ok(Value::from(text)),
    }
}

/// The node at a path of keys and indices; a key may itself contain points.
fn at<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    let below = |step: &str| {
        let item = || node.items().get(step.parse::<usize>().ok()?);
        node.get(step).or_else(item)
    };
    below(path).or_else(|| {
        path.match_indices('.').find_map(|(place, _)| {
            let (first, rest) = path.split_at(place);
            at(below(first)?, rest.trim_start_matches('.'))
        })
    })
}

/// The value of a column in the last row.
fn column(text: &str, key: &str, ending: &str) -> Result<Value, String> {
    let mut rows = csv::ReaderBuilder::new()
        .delimiter(if ending == "tsv" { b'\t' } else { b',' })
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let names = rows.headers().map_err(|error| error.to_string())?;
    let at: Vec<usize> = (0..names.len())
        .filter(|at| names.get(*at) == Some(key))
        .collect();
    let at = match at.as_slice() {
        [at] => *at,
        [] => return Err(format!("it has no column {key}")),
        // The column occurs twice, as in a joined table, so it is unknown which one is meant.
        _ => return Err(format!("the column {key} is given twice")),
    };
    let last = rows.records().last();
    let last = last.ok_or_else(|| String::from("it has no rows"))?;
    match last.map_err(|error| error.to_string())?.get(at) {
        None | Some("") => Err(format!("its last row has no {key}")),
        Some(value) => Ok(scalar(value)),
    }
}

fn scalar(text: &str) -> Value {
    serde_json::from_str::<Number>(text).map_or_else(|_| Value::from(text), Value::Number)
}
