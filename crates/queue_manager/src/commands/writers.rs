//! Which of several jobs that declare the same file wrote its current content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_queue::state::Queue;
use aris_runs::Ledger;
use jiff::Timestamp;

use super::Look;

/// Files that more than one job of a queue declares, with these jobs.
pub(super) struct Writers<'a> {
    queue: &'a Queue,
    shared: BTreeMap<PathBuf, BTreeSet<u32>>,
    /// For each of these files, its entries in the project's ledger, oldest first.
    written: BTreeMap<PathBuf, Vec<Written>>,
}

/// The content of a file after a run of a job.
struct Written {
    job: u32,
    sha256: String,
    began: Option<Timestamp>,
    ended: Option<Timestamp>,
}

impl<'a> Writers<'a> {
    /// Finds the files that several jobs have. `files` has those of each job; `cwd` is the queue's working directory.
    pub(super) fn of(look: &'a Look, files: &[Vec<PathBuf>], cwd: &Path) -> Self {
        let queue = &look.queue;
        let mut shared: BTreeMap<PathBuf, BTreeSet<u32>> = BTreeMap::new();
        for (job, files) in (0..).zip(files) {
            for file in files {
                shared.entry(file.clone()).or_default().insert(job);
            }
        }
        shared.retain(|_, jobs| jobs.len() > 1);
        let ledger = Ledger::for_runs_in(cwd);
        let names: BTreeMap<String, &PathBuf> = shared
            .keys()
            .map(|path| (ledger.name(path), path))
            .collect();
        let paths = names.keys().map(String::as_str).collect();
        let own = ledger.name(&look.place.queue);
        let mut written: BTreeMap<PathBuf, Vec<Written>> = BTreeMap::new();
        // If the ledger cannot be read, the times of the attempts decide.
        for line in ledger.find(&BTreeSet::new(), &paths).unwrap_or_default() {
            let run = ledger.read(&line.run).ok().map(|record| record.run);
            let run = run.filter(|run| run.queue == own);
            if let (Some(path), Some(run)) = (names.get(&line.path), run)
                && let Some(job) = queue.find(&run.job)
            {
                let time = |text: Option<String>| text?.parse().ok();
                written.entry((*path).clone()).or_default().push(Written {
                    job,
                    sha256: line.sha256,
                    began: time(run.started),
                    ended: time(run.ended),
                });
            }
        }
        Self {
            queue,
            shared,
            written,
        }
    }

    /// Whether the file holds what this completed job wrote. **Errors**: why it may not.
    pub(super) fn check(&self, job: u32, path: &Path) -> Result<(), String> {
        let Some(jobs) = self.shared.get(path) else {
            return Ok(());
        };
        let other = match self.written.get(path) {
            Some(all) => {
                let Some(own) = all.iter().rfind(|one| one.job == job) else {
                    return Err(String::from(
                        "another job wrote the file, and this one did not",
                    ));
                };
                let now = aris_runs::file_digest(path, || {}).map_err(|error| error.to_string())?;
                // If two ran at the same time, each may have read the other's content.
                let mut others = all.iter().rev().filter(|one| one.job != job);
                if now.0 == own.sha256 {
                    others.find(|one| one.ended > own.began && one.began < own.ended)
                } else {
                    match others.next() {
                        None => {
                            return Err(String::from("the file has changed since the job ended"));
                        }
                        other => other,
                    }
                }
                .map(|one| one.job)
            }
            None => jobs.iter().copied().find(|other| {
                let began = self.queue.run(job).last().started;
                let mut attempts = self.queue.run(*other).attempts.iter();
                let later = attempts
                    .any(|one| !one.withdrawn && one.ended.is_none_or(|end| Some(end) > began));
                *other != job && later
            }),
        };
        match other {
            None => Ok(()),
            Some(other) => {
                let id = &self.queue.job(other).id;
                Err(format!(
                    "job {id:?} declares the same file and ran later or at the same time"
                ))
            }
        }
    }
}
