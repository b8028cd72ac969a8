//! What goes to a batch system and what it says, as values.

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

    /// Whether it can be told how many attempts of a wave may run at once.
    fn bounds_waves(&self) -> bool;

    /// What its configuration says.
    ///
    /// **Errors**: [`Silent`].
    fn config(&mut self) -> Result<Config, Silent>;

    /// What the wave's jobs ask it for, in the words of its commands.
    fn asks(&self, wave: &Wave) -> String;

    /// Asks whether it would take the wave, without submitting it; gives its own words.
    ///
    /// **Errors**: as [`BatchSystem::submit`], but never [`SubmitError::Unclear`]: nothing was to be taken.
    fn test(&mut self, wave: &Wave) -> Result<String, SubmitError>;

    /// Hands a wave over; its tasks in the wave's order.
    ///
    /// **Errors**: [`SubmitError`], each with another consequence.
    fn submit(&mut self, wave: &Wave) -> Result<Vec<Task>, SubmitError>;

    /// Whether a submission that was refused in words that nobody knows may have been taken all the same.
    fn is_unclear(&self, token: &str) -> bool;

    /// Looks for a submission whose answer was lost.
    ///
    /// Not there only when everybody who could know has answered, 30 s or more after the answer was lost (after the first question, for one
    /// that an earlier process lost).
    ///
    /// **Errors**: also [`Silent`] when the run has no table for the token: then it was never submitted.
    fn find(&mut self, token: &str) -> Result<Found, Silent>;

    /// What is said of each task, in the same order.
    ///
    /// **Errors**: [`Silent`].
    fn observe(&mut self, refs: &[Task]) -> Result<Vec<Says>, Silent>;

    /// Takes tasks out that wait, and ends those that run.
    ///
    /// The caller leaves its request in the attempts' folders first (`aris_attempt::cancel`): a runner cannot tell who sent the signal, and an
    /// exit record that says *cancelled* without a request beside it was ended by the batch system.
    ///
    /// **Errors**: [`Silent`].
    fn cancel(&mut self, refs: &[Task]) -> Result<(), Silent>;

    /// Changes how many tasks of a wave may run at once; `None`: all of them.
    ///
    /// **Errors**: [`Silent`]; a wave that is over is none.
    fn throttle(&self, job: &str, tasks: Option<u32>) -> Result<(), Silent>;

    /// Changes [`Wave::nice`] of a wave that was taken; nothing where waves have none.
    ///
    /// **Errors**: [`Silent`]; a wave that is over is none.
    fn put_back(&self, _job: &str, _nice: u32) -> Result<(), Silent> {
        Ok(())
    }
}

/// What the configuration of a batch system says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Attempts that one wave may have.
    pub wave: u32,
    /// Other clusters of its federation, which may run what is submitted here; empty: there are none.
    pub siblings: Vec<String>,
}

/// Attempts that are submitted together: one table, one command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wave {
    /// The name of this submission: unique in the run, `[a-z0-9-]` only. A submission whose answer was lost is found by it.
    pub token: String,
    /// The run's folder, where the table and the attempts are.
    pub run: PathBuf,
    /// Folders of the attempts, each with its `spec.json`; dense, the index is the array's.
    pub attempts: Vec<PathBuf>,
    /// Cards for each attempt.
    pub gpus: u32,
    /// Processors for each attempt; `None`: nobody says.
    pub cpus: Option<u32>,
    /// MiB of main memory for each attempt; `None`: nobody says.
    pub mem_mib: Option<u64>,
    /// Milliseconds an attempt may run; `None`: what the batch system allows.
    pub time_limit_ms: Option<u64>,
    /// Attempts of this wave that may run at once; `None`: as many as there are.
    pub throttle: Option<u32>,
    /// What Slurm takes off its priority, so that waves of more important jobs go first.
    pub nice: u32,
    /// The manifest's options for Slurm.
    pub options: Slurm,
}

/// What a batch system calls one attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// The number of the array, or of the job that holds the wave.
    pub job: String,
    /// Index in the wave.
    pub index: u32,
    /// The submission's token: numbers are used again.
    pub token: String,
}

/// What a batch system says of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// It waits, for this reason.
    Queued(String),
    /// It runs on this node.
    Running(String),
    /// It is believed to be over: why, as far as that is told, and the batch system's word for it.
    Ended(Cause, String),
    /// It is not listed: that says nothing.
    NotListed,
}

/// Why a batch system believes an attempt to be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its node failed.
    Node,
    /// Its place was taken away.
    Preempted,
    /// The memory that it was given ran out.
    Memory,
    /// The time that it was given ran out.
    Time,
    /// Somebody took it out or ended it.
    Cancelled,
    /// Its program left, well or not, or nobody says why.
    Untold,
}

/// Whether a submission is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is, as these tasks, in the wave's order.
    Here(Vec<Task>),
    /// Everyone who could know answered, and it is not.
    NotThere,
    /// Somebody who could know did not answer.
    CannotTell(String),
}

/// Submissions whose answer was lost, and when, as far as this process knows.
#[derive(Debug, Default)]
pub(crate) struct Unclear(BTreeMap<String, Instant>);

impl Unclear {
    pub(crate) fn lost(&mut self, token: &str) {
        self.0.insert(String::from(token), Instant::now());
    }

    pub(crate) fn has(&self, token: &str) -> bool {
        self.0.contains_key(token)
    }

    /// What the search for a submission of so many attempts came to: the number it was found under; what was heard of somebody who could
    /// know and did not answer.
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

/// Why a submission did not go through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// It was not taken and never will be as it is.
    #[error("refused: {0}")]
    Rejected(String),
    /// Sbatch failed in words that are not known here, or named no job: it may be a passing trouble, and the caller looks for the job first.
    #[error("refused: {0}")]
    Unknown(String),
    /// The partition is closed for now: nothing was taken, and later it may be.
    #[error("the partition is closed: {0}")]
    Closed(String),
    /// The account may have no more jobs at once: nothing was taken, and later it may be.
    #[error("the account's limit: {0}")]
    Full(String),
    /// Nobody knows whether it took it, because the connection broke in between: look for the token before anything else.
    #[error("the answer is missing: {0}")]
    Unclear(String),
    /// Nobody was reached: nothing was taken.
    #[error("cannot be reached: {0}")]
    Unavailable(String),
}

/// The batch system was not reached, did not answer in time, or answered what nobody understands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Silent(pub String);
