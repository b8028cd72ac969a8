//! Whether a file still holds what a job wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_queue::state::{Queue, State};
use aris_runs::Ledger;
use jiff::Timestamp;

use super::Look;

/// Files of the jobs of a queue, and who wrote them.
pub(super) struct Writers<'a> {
    queue: &'a Queue,
    /// The jobs that declare each file.
    declared: BTreeMap<&'a Path, BTreeSet<u32>>,
    /// For each file, its entries by this queue in the project's ledger, oldest first.
    written: BTreeMap<&'a Path, Vec<Written>>,
}

/// The content of a file after a run of a job, which the queue may no longer have.
struct Written {
    job: String,
    sha256: String,
    began: Option<Timestamp>,
    ended: Option<Timestamp>,
}

impl<'a> Writers<'a> {
    /// `files` has those of each job; `cwd` is the queue's working directory.
    pub(super) fn of(look: &'a Look, files: &'a [(PathBuf, Vec<PathBuf>)], cwd: &Path) -> Self {
        let mut declared: BTreeMap<&Path, BTreeSet<u32>> = BTreeMap::new();
        for (job, (_, files)) in (0..).zip(files) {
            for file in files {
                declared.entry(file).or_default().insert(job);
            }
        }
        let ledger = Ledger::for_runs_in(cwd);
        let names = declared.keys().map(|path| (ledger.name(path), *path));
        let names: BTreeMap<String, &Path> = names.collect();
        let paths = names.keys().map(String::as_str).collect();
        let own = ledger.name(&look.place.queue);
        let mut written: BTreeMap<&Path, Vec<Written>> = BTreeMap::new();
        // If the ledger cannot be read, times decide.
        for line in ledger.find(&BTreeSet::new(), &paths).unwrap_or_default() {
            let run = ledger.read(&line.run).ok().map(|record| record.run);
            let run = run.filter(|run| run.queue == own);
            if let (Some(path), Some(run)) = (names.get(&line.path), run) {
                let time = |text: Option<String>| text?.parse().ok();
                written.entry(path).or_default().push(Written {
                    job: run.job,
                    sha256: line.sha256,
                    began: time(run.started),
                    ended: time(run.ended),
                });
            }
        }
        Self {
            queue: &look.queue,
            declared,
            written,
        }
    }

    /// Whether the file holds what this completed job wrote. **Errors**: why it may not.
    pub(super) fn check(&self, job: u32, path: &Path) -> Result<(), String> {
        let Some(all) = self.written.get(path) else {
            return self.by_times(job, path);
        };
        // What a completed job left has no record if another was writing the file when its digest was taken.
        self.no_other(job, path, |other| {
            let id = &*self.queue.job(other).id;
            self.queue.state(other) == State::Completed && all.iter().all(|one| one.job != id)
        })?;
        let id = &*self.queue.job(job).id;
        let Some(own) = all.iter().rfind(|one| one.job == id) else {
            return Err(String::from(
                "another job wrote the file, and this one did not",
            ));
        };
        let now = aris_runs::file_digest(path, || {}).map_err(|error| error.to_string())?;
        let mut others = all.iter().rev().filter(|one| one.job != id);
        let other = if now.0 == own.sha256 {
            // If two ran at the same time, each may have read the other's content.
            others.find(|one| one.ended > own.began && one.began < own.ended)
        } else {
            let last = others.find(|one| one.sha256 == now.0);
            let changed = || String::from("the file has changed since the job ended");
            Some(last.ok_or_else(changed)?)
        };
        other.map_or(Ok(()), |other| {
            let id = &other.job;
            Err(format!(
                "job {id:?} wrote the same file, later or at the same time"
            ))
        })
    }

    /// Checks that no other job that declares the file, and that `counts`, ran after the start of this one.
    fn no_other(&self, job: u32, path: &Path, counts: impl Fn(u32) -> bool) -> Result<(), String> {
        let last = self.queue.run(job).last();
        let mut others = self.declared.get(path).into_iter().flatten();
        let other = others.find(|other| {
            let mut attempts = self.queue.run(**other).attempts.iter();
            let later = attempts
                .any(|one| !one.withdrawn && one.ended.is_none_or(|end| Some(end) > last.started));
            **other != job && later && counts(**other)
        });
        other.map_or(Ok(()), |other| {
            let id = &self.queue.job(*other).id;
            Err(format!(
                "job {id:?} declares the same file and ran later or at the same time"
            ))
        })
    }

    /// The same without records of runs.
    fn by_times(&self, job: u32, path: &Path) -> Result<(), String> {
        self.no_other(job, path, |_| true)?;
        let last = self.queue.run(job).last();
        let changed = path.metadata().and_then(|data| data.modified()).ok();
        let changed = changed.and_then(|time| Timestamp::try_from(time).ok());
        // An imported job has no command, and only whole seconds.
        let ended = last.ended.filter(|_| last.command.is_some());
        if ended.is_some_and(|ended| changed > Some(ended)) {
            let what = "the file is newer than the end of the job";
            return Err(format!("{what}, and no record of a run says who wrote it"));
        }
        Ok(())
    }
}
