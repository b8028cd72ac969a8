//! A queue in memory: the manifest, the life of each job, and what follows from both, updated with each event.
//!
//! An event takes logarithmic time in the number of jobs, plus the time for the jobs that it makes ready or blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use aris_attempt::cards::CardId;
use jiff::Timestamp;

use super::dependencies::Dependencies;
use super::ready::Ready;
use super::{Group, Life, Outcome, Reason, Run, State};
use crate::manifest::{Job, Manifest};

/// The state of a queue.
#[derive(Debug, Default)]
pub struct Queue {
    pub(super) manifest: Manifest,
    pub(super) runs: Vec<Run>,
    index: BTreeMap<Box<str>, u32>,
    pub(super) dependencies: Dependencies,
    pub(super) ready: Ready,
    /// When each retry is due, on the clock of [`Queue::tick`], and its job.
    pub(super) backoff: BTreeSet<(u64, u32)>,
    /// Jobs that have a running attempt.
    pub(super) active: BTreeSet<u32>,
    pub(super) paused: bool,
    pub(super) max_parallel: Option<u32>,
    pub(super) began: Option<Timestamp>,
    pub(super) last_event: Option<Timestamp>,
    pub(super) removed: BTreeSet<String>,
    /// The engine's number of each submitted wave, by token.
    pub(super) submissions: BTreeMap<String, String>,
    wants_cards: bool,
    shares_cards: bool,
}

/// What the running attempts use.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// Jobs with cards.
    pub(crate) with_cards: u32,
    /// Jobs without.
    pub(crate) without_cards: u32,
    /// Jobs of each phase.
    pub(crate) phases: Vec<u32>,
    /// Cards in use: the sum of memory that the jobs on it asked for; `None`: a job has the card to itself.
    pub(crate) cards: BTreeMap<CardId, Option<u64>>,
    /// CPUs that the jobs asked for.
    pub(crate) cpus: u32,
    /// MiB of main memory that the jobs asked for.
    pub(crate) mem_mib: u64,
}

impl Usage {
    /// Adds a job of this group on these cards.
    pub(crate) fn add(&mut self, group: Group, cards: &[CardId]) {
        self.phases[group.phase as usize] += 1;
        self.cpus = self.cpus.saturating_add(group.cpus.unwrap_or(0));
        self.mem_mib = self.mem_mib.saturating_add(group.mem_mib.unwrap_or(0));
        if group.gpus == 0 {
            self.without_cards += 1;
            return;
        }
        self.with_cards += 1;
        for card in cards {
            let asked = self.cards.entry(*card).or_insert(Some(0));
            *asked = asked.zip(group.gpu_mem_mib).map(|(sum, more)| sum + more);
        }
    }
}

impl Queue {
    /// A queue without any events.
    pub fn new(manifest: Manifest) -> Self {
        let count = manifest.jobs.len();
        let index = (0..).zip(&manifest.jobs);
        let index = index.map(|(at, job)| (job.id.clone(), at));
        let shares = |job: &Job| job.settings.gpu_mem_mib.is_some();
        let mut queue = Self {
            index: index.collect(),
            dependencies: Dependencies::of(&manifest),
            runs: vec![Run::default(); count],
            wants_cards: manifest.wants_cards(),
            shares_cards: manifest.jobs.iter().any(shares),
            manifest,
            ..Self::default()
        };
        for job in 0..queue.len() {
            queue.settle(job);
        }
        queue
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A job of the manifest.
    pub fn job(&self, job: u32) -> &Job {
        &self.manifest.jobs[job as usize]
    }

    /// Number of jobs.
    pub fn len(&self) -> u32 {
        u32::try_from(self.runs.len()).unwrap_or(u32::MAX)
    }

    /// Whether there is no job.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The job of that id.
    pub fn find(&self, id: &str) -> Option<u32> {
        self.index.get(id).copied()
    }

    /// The life of a job, which must be an index of this queue.
    pub fn run(&self, job: u32) -> &Run {
        &self.runs[job as usize]
    }

    /// The outputs of a job, and the folder to which they are relative: what its last attempt declared, else what the manifest says. A
    /// change of the manifest concerns the next attempt.
    pub fn declared(&self, job: u32) -> (PathBuf, &[Box<str>]) {
        let (run, spec) = (self.run(job), self.job(job));
        let terms = Some(run.last()).filter(|last| last.number > run.before);
        let terms = terms.and_then(|last| last.terms.as_deref());
        match terms.and_then(|terms| Some((&terms.cwd, terms.outputs.as_ref()?))) {
            Some((Some(own), outputs)) => (self.manifest.cwd.join(own), outputs),
            Some((None, outputs)) => (self.manifest.cwd.clone(), outputs),
            None => (self.manifest.cwd_of(spec), &spec.outputs),
        }
    }

    /// The state of a job.
    pub fn state(&self, job: u32) -> State {
        let run = self.run(job);
        match run.life {
            Life::Idle if self.dependencies.is_blocked(job) => State::Blocked,
            Life::Idle | Life::Backoff(_) if run.held => State::Hold,
            Life::Idle if self.dependencies.is_open(job) => State::Waiting,
            Life::Idle => State::Ready,
            Life::Starting if run.last().engine_ref.is_some() => State::Submitting,
            Life::Starting => State::Starting,
            Life::Queued => State::Queued,
            Life::Running => State::Running,
            Life::Unknown => State::Unknown,
            Life::Cancelling => State::Cancelling,
            Life::Backoff(_) => State::Backoff,
            Life::Over(Outcome::Completed) => State::Completed,
            Life::Over(Outcome::Failed) => State::Failed,
            Life::Over(Outcome::Cancelled) => State::Cancelled,
            Life::Over(Outcome::Lost) => State::Lost,
        }
    }

    /// Why a job is in its state; `None` for states without a reason.
    pub fn reason(&self, job: u32) -> Option<Reason> {
        match self.state(job) {
            State::Blocked => Some(Reason::Dependency),
            State::Cancelled => Some(Reason::Cancelled),
            State::Backoff | State::Failed | State::Lost | State::Completed => {
                self.run(job).verdict()?.reason
            }
            _ => None,
        }
    }

    /// Jobs that have a running attempt, in ascending order.
    pub fn active(&self) -> impl Iterator<Item = u32> + '_ {
        self.active.iter().copied()
    }

    /// Jobs that are not final.
    pub fn open_jobs(&self) -> u32 {
        self.dependencies.open_jobs
    }

    /// Jobs that are completed.
    pub fn completed_jobs(&self) -> u32 {
        self.dependencies.completed_jobs
    }

    /// Whether a person paused the queue.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Most jobs with cards that may run at once: what a person set last, else the manifest.
    pub fn max_parallel(&self) -> Option<u32> {
        self.max_parallel.or(self.manifest.max_parallel)
    }

    /// When the queue was first begun, or when its first attempt began if that is earlier, as in an imported queue.
    pub fn began(&self) -> Option<Timestamp> {
        let attempts = self.runs.iter().flat_map(|run| &run.attempts);
        let first = attempts.filter_map(|attempt| attempt.begun).min();
        let began = self.began?;
        Some(first.map_or(began, |first| first.min(began)))
    }

    /// When the last event happened.
    pub fn last_event(&self) -> Option<Timestamp> {
        self.last_event
    }

    /// Ids that events name and the manifest does not have.
    pub fn removed(&self) -> impl Iterator<Item = &str> {
        self.removed.iter().map(String::as_str)
    }

    /// The engine's number of the wave with this token.
    pub fn submission(&self, token: &str) -> Option<&str> {
        self.submissions.get(token).map(String::as_str)
    }

    /// Whether any job needs a card.
    pub fn wants_cards(&self) -> bool {
        self.wants_cards
    }

    /// Whether any job shares its cards.
    pub(crate) fn shares_cards(&self) -> bool {
        self.shares_cards
    }

    /// What the running attempts use.
    pub(crate) fn usage(&self) -> Usage {
        let mut usage = Usage {
            phases: vec![0; self.manifest.phases.len()],
            ..Usage::default()
        };
        for job in &self.active {
            let last = self.run(*job).last();
            usage.add(Group::taken(self.job(*job), last), &last.cards);
        }
        usage
    }

    pub(crate) fn ready_groups(&self) -> &Ready {
        &self.ready
    }

    /// Whether any job is ready and the queue is not paused.
    pub fn has_ready(&self) -> bool {
        !self.paused && !self.ready.is_empty()
    }

    /// When the next retry is due, on the clock of [`Queue::tick`].
    pub fn next_retry(&self) -> Option<u64> {
        self.backoff.first().map(|(at, _)| *at)
    }

    /// Makes jobs ready whose pause is over; gives whether there were any. `now` is in milliseconds of a monotonic clock.
    pub fn tick(&mut self, now: u64) -> bool {
        let mut any = false;
        while let Some((at, job)) = self.backoff.first().copied()
            && at <= now
        {
            self.backoff.remove(&(at, job));
            self.runs[job as usize].life = Life::Idle;
            self.settle(job);
            any = true;
        }
        any
    }

    /// The attempt's command was seen running. This is no event: it can be read again in the attempt's folder.
    pub fn seen_running(&mut self, job: u32, pid: Option<i32>, started: Timestamp) {
        let run = &mut self.runs[job as usize];
        if matches!(run.life, Life::Starting | Life::Queued | Life::Unknown) {
            run.life = Life::Running;
        }
        if let Some(last) = run.attempts.last_mut() {
            (last.pid, last.started) = (pid, Some(started));
        }
    }

    /// The engine reported something new about the job. This is no event: the engine is asked again after a restart.
    pub fn engine_says(&mut self, job: u32, text: &str) {
        self.runs[job as usize].engine_says = Some(text.into());
    }

    /// Nothing is known of the attempt. This is no event: the engine is asked again after a restart.
    pub fn seen_nothing(&mut self, job: u32) {
        let run = &mut self.runs[job as usize];
        if run.life.is_active() && run.life != Life::Cancelling {
            run.life = Life::Unknown;
        }
    }

    /// Updates everything that depends on a job's life: the active jobs, its children, and the ready jobs.
    pub(super) fn settle(&mut self, job: u32) {
        if self.run(job).life.is_active() {
            self.active.insert(job);
        } else {
            self.active.remove(&job);
        }
        let mut touched = self.dependencies.set(job, &self.runs);
        touched.push(job);
        for job in touched {
            let run = &self.runs[job as usize];
            let ready = run.life == Life::Idle
                && !run.held
                && !self.dependencies.is_blocked(job)
                && !self.dependencies.is_open(job);
            if ready {
                self.ready.insert(job, &self.manifest);
            } else {
                self.ready.remove(job, &self.manifest);
            }
        }
    }
}
