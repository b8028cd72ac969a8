//! Slurm as a batch system: which commands are called, and what their answers mean.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::text::shell_line;

use crate::programs::{Access, Answer};
use crate::refusal::{is_done, meaning, no_accounting, none_known, over_already, said_no};
use crate::rows::{self, Listed, Row, SACCT_FORMAT, SQUEUE_FORMAT};
use crate::wave::{
    BatchSystem, Cause, Config, Found, Says, Silent, SubmitError, Task, Unclear, Wave, tasks,
};
use crate::{submission, task};

/// Most attempts in a wave. **Source**: queue design §10: waves of min(`MaxArraySize`, 1000).
const WAVE: u32 = 1000;

/// Most arrays in one `squeue` call, or tasks in one `sacct` or `scancel` call.
const BATCH: usize = 500;

/// A Slurm cluster, through the commands on this machine, for one run.
#[derive(Debug)]
pub struct SlurmEngine {
    access: Access,
    unclear: Unclear,
    /// This cluster's name; `None` until [`BatchSystem::config`] was called.
    cluster: Option<String>,
}

/// The answer of `sacct`.
enum Accounts {
    Rows(Vec<Row>),
    /// This cluster keeps no accounting.
    None,
    Silent(String),
}

impl SlurmEngine {
    /// Calls no command yet.
    pub fn new(access: Access) -> Self {
        Self {
            access,
            unclear: Unclear::default(),
            cluster: None,
        }
    }

    fn prepared(&self, wave: &Wave) -> Result<(Vec<String>, String), SubmitError> {
        task::check_token(&wave.token)?;
        let run = task::check_run(&wave.run)?;
        if wave.attempts.is_empty() {
            return Err(SubmitError::Rejected(String::from("a wave of no attempts")));
        }
        if let Some(word) = submission::no_option(wave.options.extra()) {
            return Err(SubmitError::Rejected(format!(
                "slurm.extra: {word:?} is no option of sbatch of the form --name=value or -x, or one that replaces the job's command"
            )));
        }
        let script = submission::script(&self.access.task_program, run, &wave.token);
        Ok((submission::arguments(wave, &wave.run), script))
    }

    /// What a failed submission means.
    fn refused(&mut self, wave: &Wave, said: String) -> SubmitError {
        let error = meaning(said);
        match &error {
            SubmitError::Unknown(said) if said_no(said) => {}
            SubmitError::Unknown(_) | SubmitError::Unclear(_) => self.unclear.lost(&wave.token),
            _ => {}
        }
        error
    }

    fn lost(&mut self, wave: &Wave, said: String) -> SubmitError {
        self.unclear.lost(&wave.token);
        SubmitError::Unclear(said)
    }

    /// Rows of `squeue` for this further argument; none when `squeue` knows none of the jobs.
    fn squeue(&self, word: &str) -> Result<Vec<Row>, Silent> {
        let words = ["-h", "-r", "-t", "all", "-o", SQUEUE_FORMAT, word];
        match self.access.call("squeue", &words, None) {
            Answer::Bad(said) if none_known(&said) => Ok(Vec::new()),
            answer => answer.good().map(|text| rows::squeue(&text)),
        }
    }

    /// Whether a cluster is another than this machine's; false while the name of this machine's is not known.
    fn is_elsewhere(&self, cluster: &str) -> bool {
        self.cluster.as_deref().is_some_and(|own| own != cluster)
    }

    fn scancel(&self, words: &[&str]) -> Result<(), Silent> {
        // Without `--verbose`, scancel prints no message when it fails for a task that is just ending (measured with 22.05.8).
        let words = [&["--verbose"], words].concat();
        match self.access.call("scancel", &words, None) {
            Answer::Bad(said) if over_already(&said) => Ok(()),
            answer => answer.good().map(drop),
        }
    }

    fn update(&self, job: &str, what: &str) -> Result<(), Silent> {
        let job = format!("JobId={job}");
        match self.access.call("scontrol", &["update", &job, what], None) {
            Answer::Bad(said) if is_done(&said) => Ok(()),
            answer => answer.good().map(drop),
        }
    }

    fn sacct(&self, words: &[&str]) -> Accounts {
        let words = [&["-X", "-n", "-P", "-o", SACCT_FORMAT], words].concat();
        match self.access.call("sacct", &words, None) {
            Answer::Bad(said) if no_accounting(&said) => Accounts::None,
            answer => match answer.good() {
                Ok(text) => Accounts::Rows(rows::sacct(&text)),
                Err(Silent(said)) => Accounts::Silent(said),
            },
        }
    }
}

impl BatchSystem for SlurmEngine {
    fn name(&self) -> &'static str {
        "Slurm"
    }

    fn bounds_waves(&self) -> bool {
        true
    }

    fn asks(&self, wave: &Wave) -> String {
        shell_line(&submission::asks(wave))
    }

    fn test(&mut self, wave: &Wave) -> Result<String, SubmitError> {
        let (mut words, script) = self.prepared(wave)?;
        words.insert(0, String::from("--test-only"));
        match self.access.call("sbatch", &words, Some(&script)) {
            Answer::Good(said, _) => Ok(said),
            Answer::Bad(said) => Err(match meaning(said) {
                SubmitError::Unclear(said) => SubmitError::Unavailable(said),
                error => error,
            }),
            Answer::Broken(said) | Answer::Absent(said) => Err(SubmitError::Unavailable(said)),
        }
    }

    fn config(&mut self) -> Result<Config, Silent> {
        let show = |what| self.access.call("scontrol", &["show", what], None);
        let text = show("config").good()?;
        let size: Option<u32> = setting(&text, "MaxArraySize").and_then(|size| size.parse().ok());
        let siblings = match show("federation") {
            // Without accounting there is no federation, and the command fails.
            Answer::Bad(_) => String::new(),
            answer => answer.good()?,
        };
        let siblings = siblings.lines().filter_map(|line| {
            let name = line
                .trim()
                .strip_prefix("Sibling:")?
                .trim()
                .split(':')
                .next()?;
            Some(String::from(name))
        });
        let config = Config {
            // `MaxArraySize` is one more than the largest index; 0 switches arrays off.
            wave: size
                .ok_or_else(|| Silent(String::from("scontrol does not tell MaxArraySize")))?
                .clamp(1, WAVE),
            siblings: siblings.collect(),
        };
        self.cluster = setting(&text, "ClusterName").map(String::from);
        Ok(config)
    }

    fn submit(&mut self, wave: &Wave) -> Result<Vec<Task>, SubmitError> {
        let (words, script) = self.prepared(wave)?;
        task::write_table(&wave.run, &wave.token, &wave.attempts)?;
        match self.access.call("sbatch", &words, Some(&script)) {
            Answer::Good(printed, beside) => match submission::job(&printed) {
                Some((job, Some(cluster))) if self.is_elsewhere(&cluster) => {
                    let there = format!("--clusters={cluster}");
                    let ended = match self.scancel(&[&there, &job]) {
                        Ok(()) => String::from("it was cancelled there"),
                        Err(Silent(why)) => format!("it could not be cancelled there: {why}"),
                    };
                    Err(SubmitError::Rejected(format!(
                        "Slurm gave it to the cluster {cluster} as {job}; only the cluster of this machine can be used, and {ended}"
                    )))
                }
                Some((job, _)) => Ok(tasks(&job, &wave.token, wave.attempts.len())),
                None => {
                    // The job may exist all the same: a site's wrapper of sbatch prints what it likes.
                    self.unclear.lost(&wave.token);
                    let words = beside.split_whitespace().chain(printed.split_whitespace());
                    let said = match words.collect::<Vec<_>>().join(" ") {
                        none if none.is_empty() => String::from("said nothing"),
                        said => format!("said: {said}"),
                    };
                    let what = format!("sbatch ended with 0, named no job, and {said}");
                    Err(SubmitError::Unknown(what))
                }
            },
            Answer::Bad(said) => Err(self.refused(wave, said)),
            Answer::Broken(said) => Err(self.lost(wave, said)),
            Answer::Absent(said) => Err(SubmitError::Unavailable(said)),
        }
    }

    fn is_unclear(&self, token: &str) -> bool {
        self.unclear.has(token)
    }

    fn throttle(&self, job: &str, tasks: Option<u32>) -> Result<(), Silent> {
        // **Source**: scontrol(1): 0 means no limit.
        let most = tasks.map_or(0, |tasks| tasks.max(1));
        self.update(job, &format!("ArrayTaskThrottle={most}"))
    }

    fn put_back(&self, job: &str, nice: u32) -> Result<(), Silent> {
        self.update(job, &format!("Nice={nice}"))
    }

    /// Asks the controller and, where there is one, accounting.
    fn find(&mut self, token: &str) -> Result<Found, Silent> {
        let (count, days) = task::count_and_age(&self.access.run, token)?;
        let mut silent = None;
        let queued = self.squeue(&format!("--name={token}"))?;
        let mut found = first_job(&queued, token);
        if found.is_none() {
            // Relative, so that the time zones of this machine and of accounting do not matter.
            let since = format!("--starttime=now-{}days", days.saturating_add(1));
            match self.sacct(&[&format!("--name={token}"), &since]) {
                Accounts::Rows(rows) => found = first_job(&rows, token),
                Accounts::None => {}
                Accounts::Silent(said) => silent = Some(said),
            }
        }
        Ok(self.unclear.searched(token, found, count, silent))
    }

    /// Calls `squeue` once for up to 500 arrays, and `sacct` only for tasks that `squeue` no longer lists.
    fn observe(&mut self, refs: &[Task]) -> Result<Vec<Says>, Silent> {
        let jobs: BTreeSet<&str> = refs.iter().map(|one| one.job.as_str()).collect();
        let jobs: Vec<&str> = jobs.into_iter().collect();
        let mut queued = Vec::new();
        for jobs in jobs.chunks(BATCH) {
            queued.extend(self.squeue(&format!("--jobs={}", jobs.join(",")))?);
        }
        let queued = Listed::of(queued);
        let listed = |one: &Task| queued.row(&one.job, &one.token, one.index);
        let missing: Vec<String> = refs
            .iter()
            .filter(|one| listed(one).is_none())
            .map(|one| format!("{}_{}", one.job, one.index))
            .collect();
        let mut accounts = Vec::new();
        let mut silent = false;
        for tasks in missing.chunks(BATCH) {
            match self.sacct(&[&format!("--jobs={}", tasks.join(","))]) {
                Accounts::Rows(rows) => accounts.extend(rows),
                // Without accounting, the queue alone decides.
                Accounts::None => break,
                Accounts::Silent(_) => {
                    silent = true;
                    break;
                }
            }
        }
        let accounts = Listed::of(accounts);
        let mut logs = BTreeMap::new();
        let seen = refs.iter().map(|one| {
            let told = accounts.row(&one.job, &one.token, one.index);
            match (listed(one), told) {
                // The array is in the queue, this task is not, and accounting has no row of it: somebody cancelled it before it ran.
                //
                // **Source**, measured with 22.05.8: after `scancel 7_5` of a waiting task, neither list has a row of it.
                (None, None) if !silent && queued.lacks(&one.job, &one.token, one.index) => {
                    Says::Ended(Cause::Cancelled, String::from("CANCELLED"))
                }
                // A waiting task is in the queue. Accounting may still report an array's tasks as waiting after the controller has
                // forgotten them.
                (None, Some(row)) if matches!(row.says, Says::Queued(_)) => Says::NotListed,
                (row, told) => match row.or(told) {
                    None => Says::NotListed,
                    Some(row) => {
                        let log = || task::said(&self.access.run, &one.token);
                        explained(row, || logs.entry(&one.token).or_insert_with(log))
                    }
                },
            }
        });
        Ok(seen.collect())
    }

    /// Removes waiting tasks from the queue. For a running task it signals the runner alone, which ends its job in order and records it.
    ///
    /// **Source**, measured with 22.05.8: `scancel --state=PENDING 7_3` removes *all* waiting tasks of array 7; without `--state` it
    /// removes that one. A signal for a waiting task is refused after minutes. So each task is cancelled or signalled by the state in which
    /// `squeue` lists it. Slurm ends a task that starts in between: its runner receives SIGTERM and has `KillWait` seconds left.
    fn cancel(&mut self, refs: &[Task]) -> Result<(), Silent> {
        // Slurm reuses job numbers: only tasks of jobs with our name are ended.
        let names: BTreeSet<&str> = refs.iter().map(|one| one.token.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let queued = Listed::of(self.squeue(&format!("--name={}", names.join(",")))?);
        let mut waiting: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let mut running = BTreeSet::new();
        for one in refs {
            match queued.task(&one.job, &one.token, one.index) {
                Some(Says::Queued(_)) => waiting.entry(&one.job).or_default().push(one.index),
                Some(Says::Running(_)) => {
                    running.insert(format!("{}_{}", one.job, one.index));
                }
                _ => {}
            }
        }
        for (job, indices) in waiting {
            for list in submission::task_lists(job, indices) {
                self.scancel(&[&list])?;
            }
        }
        let running: Vec<&str> = running.iter().map(String::as_str).collect();
        for tasks in running.chunks(BATCH) {
            self.scancel(&[&["--batch", "--signal=TERM"], tasks].concat())?;
        }
        Ok(())
    }
}

/// What a row says. Where it gives no cause, the submission's log tells whether the task ran out of memory.
fn explained<'a>(row: &Row, log: impl FnOnce() -> &'a mut String) -> Says {
    let Says::Ended(Cause::Untold, word) = &row.says else {
        return row.says.clone();
    };
    match task::out_of_memory(log(), &row.raw) {
        Some(line) => Says::Ended(Cause::Memory, format!("{word} ({line})")),
        None => row.says.clone(),
    }
}

/// The first job with this name. If there are two, either will do: claims let only one of them run each attempt.
fn first_job(rows: &[Row], token: &str) -> Option<String> {
    let jobs = rows.iter().filter(|row| row.name == token);
    jobs.map(|row| &row.job)
        .min_by_key(|job| (job.len(), job.as_str()))
        .cloned()
}

/// The first word of a setting in the output of `scontrol show config`, such as `MaxArraySize            = 10001`.
fn setting<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then_some(value)
    })?;
    line.split_whitespace().next()
}
