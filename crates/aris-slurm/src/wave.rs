//! What is handed to a batch system, and what it answers.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use aris_queue::manifest::Slurm;

/// How long after a lost answer a submission may still appear. **Source**: queue design §10: 30 s.
const APPEARS: Duration = Duration::from_secs(30);

/// A batch system, through the commands on this machine, for one run.
pub trait BatchSystem: Debug {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// Whether it can limit how many attempts of a wave run at once.
    fn bounds_waves(&self) -> bool;

    /// Reads its configuration.
    ///
    /// **Errors**: [`Silent`].
    fn config(&mut self) -> Result<Config, Silent>;

    /// What the wave's tasks ask for, as arguments of its command, for people.
    fn asks(&self, wave: &Wave) -> String;

    /// Asks whether it would accept the wave, without submitting it. Gives its answer in its own words.
    ///
    /// **Errors**: as [`BatchSystem::submit`], but never [`SubmitError::Unclear`]: nothing is submitted.
    fn test(&mut self, wave: &Wave) -> Result<String, SubmitError>;

    /// Submits a wave; gives its tasks in the wave's order.
    ///
    /// **Errors**: [`SubmitError`] says whether the wave may have been accepted.
    fn submit(&mut self, wave: &Wave) -> Result<Vec<Task>, SubmitError>;

    /// Whether a submission that ended in an error may have been accepted all the same.
    fn is_unclear(&self, token: &str) -> bool;

    /// Looks for a submission whose answer was lost.
    ///
    /// It is [`Found::NotThere`] only when all sources have answered, and 30 s have passed since the answer was lost; for a submission of
    /// an earlier process, 30 s since the first call.
    ///
    /// **Errors**: [`Silent`], also when the run has no table for the token: then it was never submitted.
    fn find(&mut self, token: &str) -> Result<Found, Silent>;

    /// What it says of each task, in the same order.
    ///
    /// **Errors**: [`Silent`].
    fn observe(&mut self, refs: &[Task]) -> Result<Vec<Says>, Silent>;

    /// Removes waiting tasks from its queue, and ends running ones.
    ///
    /// The caller first leaves its request in the attempts' folders (`aris_attempt::cancel`): a runner cannot tell who sent a signal, and
    /// an exit record that says *cancelled* without a request beside it counts as ended by the batch system.
    ///
    /// **Errors**: [`Silent`].
    fn cancel(&mut self, refs: &[Task]) -> Result<(), Silent>;

    /// Changes how many tasks of a wave may run at once; `None`: all of them.
    ///
    /// **Errors**: [`Silent`]; that a wave is over is no error.
    fn throttle(&self, job: &str, tasks: Option<u32>) -> Result<(), Silent>;

    /// Changes [`Wave::nice`] of a submitted wave; does nothing where the batch system has no such value.
    ///
    /// **Errors**: [`Silent`]; that a wave is over is no error.
    fn put_back(&self, _job: &str, _nice: u32) -> Result<(), Silent> {
        Ok(())
    }
}

/// What the configuration of a batch system says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Most attempts in one wave.
    pub wave: u32,
    /// Other clusters of its federation, which may run what is submitted here; empty if it is in none.
    pub siblings: Vec<String>,
}

/// Attempts that are submitted together, with one table and one command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wave {
    /// The name of this submission: unique in the run, `[a-z0-9-]` only. It finds a submission whose answer was lost.
    pub token: String,
    /// The run's folder, where the table and the attempts are.
    pub run: PathBuf,
    /// Folders of the attempts, each with its `spec.json`; the position is the array index.
    pub attempts: Vec<PathBuf>,
    /// Cards for each attempt.
    pub gpus: u32,
    /// CPUs for each attempt; `None`: the batch system's default.
    pub cpus: Option<u32>,
    /// MiB of main memory for each attempt; `None`: the batch system's default.
    pub mem_mib: Option<u64>,
    /// Milliseconds that an attempt may run; `None`: as long as the batch system allows.
    pub time_limit_ms: Option<u64>,
    /// Most attempts of this wave that run at once; `None`: no limit.
    pub throttle: Option<u32>,
    /// Slurm's `--nice`, subtracted from the priority, so that waves of more important jobs start first.
    pub nice: u32,
    /// The manifest's options for Slurm.
    pub options: Slurm,
}

/// The name of one attempt in a batch system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// The number of the array, or of the job that holds the wave.
    pub job: String,
    /// Index in the wave.
    pub index: u32,
    /// The submission's token: batch systems reuse job numbers.
    pub token: String,
}

/// What a batch system says of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// It waits, for this reason.
    Queued(String),
    /// It runs on this node.
    Running(String),
    /// It seems to be over: why, as far as that is known, and the batch system's word for it.
    Ended(Cause, String),
    /// It is not listed, from which nothing follows.
    NotListed,
}

/// Why an attempt is over, according to the batch system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its node failed.
    Node,
    /// It was preempted.
    Preempted,
    /// It exceeded its memory.
    Memory,
    /// It exceeded its time.
    Time,
    /// Somebody cancelled it.
    Cancelled,
    /// Its program exited, with any code, or no cause is given.
    Untold,
}

/// Whether a submission is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is, as these tasks, in the wave's order.
    Here(Vec<Task>),
    /// All sources answered, and none has it.
    NotThere,
    /// A source did not answer, or it may still appear: why.
    CannotTell(String),
}

/// Tokens of submissions whose answer was lost, and when this process noticed.
#[derive(Debug, Default)]
pub(crate) struct Unclear(BTreeMap<String, Instant>);

impl Unclear {
    pub(crate) fn lost(&mut self, token: &str) {
        self.0.insert(String::from(token), Instant::now());
    }

    pub(crate) fn has(&self, token: &str) -> bool {
        self.0.contains_key(token)
    }

    /// The result of a search for a submission of `count` attempts. `found` is its job number; `silent` is why a source did not answer.
    pub(crate) fn searched(
        &mut self,
        token: &str,
        found: Option<String>,
        count: usize,
        silent: Option<String>,
    ) -> Found {
        let now = Instant::now();
        let lost = *self.0.entry(String::from(token)).or_insert(now);
        let answer = match (found, silent) {
            (Some(job), _) => Found::Here(tasks(&job, token, count)),
            (None, Some(said)) => return Found::CannotTell(said),
            (None, None) if lost.elapsed() < APPEARS => {
                return Found::CannotTell(format!(
                    "it may still appear within {} s",
                    APPEARS.as_secs()
                ));
            }
            (None, None) => Found::NotThere,
        };
        self.0.remove(token);
        answer
    }
}

pub(crate) fn tasks(job: &str, token: &str, count: usize) -> Vec<Task> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    (0..count)
        .map(|index| Task {
            job: String::from(job),
            index,
            token: String::from(token),
        })
        .collect()
}

/// Why a submission failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// It was refused, and would be refused again.
    #[error("refused: {0}")]
    Rejected(String),
    /// It failed with an unknown message, or named no job. The cause may pass, and the caller looks for the job before it tries again.
    #[error("refused: {0}")]
    Unknown(String),
    /// The partition is closed for now: nothing was accepted, and a later try may work.
    #[error("the partition is closed: {0}")]
    Closed(String),
    /// The account has as many jobs as it may: nothing was accepted, and a later try may work.
    #[error("the account's limit: {0}")]
    Full(String),
    /// The connection broke before the answer, so it may have been accepted: look for the token before anything else.
    #[error("the answer is missing: {0}")]
    Unclear(String),
    /// The batch system was not reached: nothing was accepted.
    #[error("cannot be reached: {0}")]
    Unavailable(String),
}

/// The batch system was not reached, did not answer in time, or gave an answer that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Silent(pub String);
