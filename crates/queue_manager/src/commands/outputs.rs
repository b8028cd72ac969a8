//! `outputs`: lists the declared files that jobs wrote. `fetch` calls it on a server.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome};
use aris_queue::state::{Queue, State};
use aris_runs::Ledger;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cli::QueueArgs;
use crate::commands::{CommandResult, jobs_of, look};
use crate::error::Error;
use crate::report;

/// Files that jobs wrote.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Outputs {
    /// Number of jobs that were checked: the completed or the named ones.
    pub(crate) jobs: usize,
    /// Their files, by job.
    pub(crate) files: Vec<OutputFile>,
    /// Declared outputs that do not exist: the job and the pattern.
    pub(crate) missing: Vec<MissingOutput>,
}

/// A file, or a folder that cannot be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct OutputFile {
    /// The job.
    pub(crate) job: String,
    /// Its path, absolute.
    pub(crate) path: String,
    /// Its path relative to the job's working directory; absent for a file outside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) relative: Option<String>,
    /// Bytes.
    pub(crate) size: u64,
    /// Modification time: seconds since 1970, and nanoseconds.
    pub(crate) modified: (i64, i64),
    /// Record of the run that last wrote this path, if the project has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<String>,
    /// Why `fetch` cannot copy it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// A declared output that does not exist.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MissingOutput {
    /// The job.
    pub(crate) job: String,
    /// The pattern, as declared.
    pub(crate) pattern: String,
}

pub(crate) fn outputs(args: &QueueArgs, jobs: &[String], context: &Context) -> CommandResult {
    let queue = look(args, context)?.queue;
    let mut found = Outputs::default();
    let mut by_folder: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for job in selected(&queue, jobs)? {
        found.jobs += 1;
        let before = found.files.len();
        let cwd = add(&queue, job, context, &mut found);
        let files = before..found.files.len();
        by_folder.entry(cwd).or_default().extend(files);
    }
    add_records(&by_folder, &mut found.files)?;
    let unread = |file: &OutputFile| file.problem.is_some();
    let lacks = !found.missing.is_empty() || found.files.iter().any(unread);
    Ok(Outcome::found(found, lacks).shown(report::id::OUTPUTS, report::outputs))
}

/// Completed jobs, or those with the given ids or patterns in any state.
fn selected(queue: &Queue, wanted: &[String]) -> Result<BTreeSet<u32>, Error> {
    if wanted.is_empty() {
        let completed = |job: &u32| queue.state(*job) == State::Completed;
        return Ok((0..queue.len()).filter(completed).collect());
    }
    let jobs = wanted.iter().map(|name| jobs_of(queue, name));
    Ok(jobs
        .collect::<Result<Vec<_>, _>>()?
        .concat()
        .into_iter()
        .collect())
}

/// Adds the files of a job; gives its working directory.
fn add(queue: &Queue, job: u32, context: &Context, found: &mut Outputs) -> PathBuf {
    let spec = queue.job(job);
    let (cwd, outputs) = queue.declared(job);
    let cwd = aris_fs::lexical(&context.absolute(&cwd));
    let file = |path: PathBuf| {
        let data = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        // `../up.txt` is outside the working directory.
        let path = aris_fs::lexical(&path);
        let relative = path.strip_prefix(&cwd).ok();
        let problem = "its name is not UTF-8: rename it, or copy it yourself";
        Some(OutputFile {
            record: None,
            problem: path.to_str().is_none().then(|| problem.to_owned()),
            job: spec.id.to_string(),
            relative: relative.map(|path| path.display().to_string()),
            path: path.display().to_string(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
        })
    };
    for pattern in outputs {
        let before = found.files.len();
        for path in aris_attempt::output_files(&cwd, pattern) {
            // For a folder, all files below it; links to folders are not followed.
            if !path.is_dir() {
                found.files.extend(file(path));
                continue;
            }
            match aris_fs::walk_sorted(&path, &mut |_| true) {
                Ok(inside) => {
                    let inside = inside.into_iter().map(|entry| entry.path);
                    found.files.extend(inside.filter_map(&file));
                }
                Err(error) => found.files.push(OutputFile {
                    job: spec.id.to_string(),
                    path: path.display().to_string(),
                    problem: Some(error.to_string()),
                    ..OutputFile::default()
                }),
            }
        }
        if found.files.len() == before {
            found.missing.push(MissingOutput {
                job: spec.id.to_string(),
                pattern: pattern.to_string(),
            });
        }
    }
    cwd
}

/// Sets the record of the run that wrote each file. `by_folder` has the indices of files by the working directory of their job.
fn add_records(
    by_folder: &BTreeMap<PathBuf, Vec<usize>>,
    files: &mut [OutputFile],
) -> Result<(), Error> {
    for (cwd, places) in by_folder {
        let ledger = Ledger::for_runs_in(cwd);
        let name = |at: &usize| Some((*at, ledger.name(Path::new(&files.get(*at)?.path))));
        let names: Vec<(usize, String)> = places.iter().filter_map(name).collect();
        let paths = names.iter().map(|(_, name)| name.as_str()).collect();
        let lines = ledger.find(&BTreeSet::new(), &paths)?;
        let lines = lines.iter();
        let last = lines.map(|line| (line.path.as_str(), line.run.as_str()));
        let last: BTreeMap<&str, &str> = last.collect();
        for (at, name) in &names {
            if let (Some(file), Some(run)) = (files.get_mut(*at), last.get(name.as_str())) {
                file.record = Some(ledger.record(run).display().to_string());
            }
        }
    }
    Ok(())
}
