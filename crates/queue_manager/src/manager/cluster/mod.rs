//! A queue whose jobs run on a Slurm cluster or on the workers of a `HyperQueue` server.
//!
//! The records in the attempts' folders decide; what the batch system says only explains why a record is missing. *Not listed* alone never
//! ends a job: an attempt without a claim is first claimed by this process, so that it can never run, and the runner of an attempt with a
//! claim must have been silent. **Source**: queue design §10.

mod balance;
mod questions;
mod records;
mod submissions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use aris_attempt::Standing;
use aris_cli::Context;
use aris_queue::manifest::{Engine, Job, Manifest, Positive, Slurm};
use aris_queue::state::{Life, Reason, Verdict};
use aris_slurm::{
    Access, BatchSystem, Cause, Config, HqEngine, Says, SlurmEngine, Task, Wave, other_clusters,
    set_by_the_queue,
};

use super::ends::{BY_A_PERSON, withdraw};
use super::machine::on_path;
use super::{Cards, Manager, this_program};
use crate::error::Error;
use questions::STUCK;

/// Pause between two checks of the attempts' folders: for few attempts, and for many.
const LOOK: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));
/// Most attempts that count as few.
const FEW: usize = 200;
/// Pause between two questions to the batch system: while something changes, and while nothing does. **Source**: queue design §10.
const ASK: (Duration, Duration) = (Duration::from_secs(15), Duration::from_mins(1));
/// Pause after a question without an answer: at first, and at most.
const SILENCE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(5));
/// How long an unclaimed attempt may be unlisted before it counts as one that will never start.
const UNLISTED: Duration = Duration::from_mins(1);
/// How long to wait for the batch system's reason when a runner is dead.
const EXPLAINED: Duration = Duration::from_secs(30);
/// Most attempts at the cluster at once, until a refusal shows a smaller limit.
const WINDOW: u32 = 5000;

/// What is known about the cluster's part of a queue.
pub(super) struct Cluster {
    engine: Box<dyn BatchSystem>,
    config: Option<Config>,
    refs: BTreeMap<u32, Task>,
    /// Tokens of submissions whose answer was lost.
    unclear: BTreeSet<String>,
    /// Waves that were not accepted and will be submitted again.
    pending: Vec<Pending>,
    /// The last refusal of each job, and how often it was repeated.
    refusals: BTreeMap<u32, (String, u32)>,
    /// Most attempts that the account may have there at once, as far as refusals show.
    window: Option<u32>,
    /// The limit of running tasks that was last set for each wave, by token.
    throttles: BTreeMap<String, u32>,
    /// The `nice` value that was last set for each wave, by token.
    nice: BTreeMap<String, u32>,
    /// The last state that the batch system reported for an attempt that has not ended, and since when.
    said: BTreeMap<u32, (Says, Duration)>,
    /// Since when the batch system's reason for an end is waited for.
    gone: BTreeMap<u32, Duration>,
    /// Tasks that a person cancelled, and that the batch system has not been told to end.
    unwanted: Vec<Task>,
    /// When the batch system may next be told anything.
    next_tell: Duration,
    next_look: Duration,
    next_ask: Duration,
    interval: Duration,
    silence: Duration,
}

/// A wave that was not accepted.
struct Pending {
    wave: Wave,
    /// The jobs of its attempts.
    jobs: Vec<u32>,
    /// When to submit it again; earlier if an attempt of the queue ends.
    next: Duration,
    /// Number of attempts at the batch system when it refused the wave because the account was full.
    full_with: Option<u32>,
    /// The message of its last try: if the batch system turns out not to have the wave, it is refused with this.
    last: Option<String>,
}

/// The batch system for a queue in this folder; `None`: its jobs run on this machine.
pub(crate) fn engine(
    engine: Engine,
    context: &Context,
    queue: &Path,
) -> Result<Option<Box<dyn BatchSystem>>, Error> {
    if engine == Engine::Local {
        return Ok(None);
    }
    let (program, words) = this_program(context)?;
    if !words.is_empty() {
        return Err(Error::precondition(
            "engine: slurm and engine: hq need the program queue_manager itself, not the multi-call binary: their tasks are started by it",
        ));
    }
    let access = Access {
        commands: None,
        environment: std::env::vars_os().collect(),
        task_program: vec![program.display().to_string()],
        run: queue.to_path_buf(),
    };
    Ok(Some(match engine {
        Engine::Hq => Box::new(HqEngine::new(access)),
        Engine::Local | Engine::Slurm => Box::new(SlurmEngine::new(access)),
    }))
}

/// Checks what Slurm is never asked to do. Calls no program.
pub(crate) fn check(manifest: &Manifest) -> Result<(), Error> {
    if manifest.engine != Engine::Slurm {
        return Ok(());
    }
    for job in &manifest.jobs {
        let (id, extra) = (&job.id, job.settings.slurm.extra());
        if let Some(word) = other_clusters(extra) {
            return Err(Error::precondition(format!(
                "slurm.extra of job {id:?} has {word:?}: jobs run on the cluster of this machine alone, without --clusters or -M"
            )));
        }
        if let Some(word) = set_by_the_queue(extra) {
            return Err(Error::precondition(format!(
                "slurm.extra of job {id:?} has {word:?}, which the queue sets itself; the job's own folder is cwd, its log is in the folder of logs"
            )));
        }
    }
    Ok(())
}

/// Refuses an engine whose program is not installed.
pub(crate) fn installed(engine: Engine, context: &Context) -> Result<(), Error> {
    let program = match engine {
        Engine::Local => return Ok(()),
        Engine::Slurm => "sbatch",
        Engine::Hq => "hq",
    };
    if on_path(program, context).is_some() {
        return Ok(());
    }
    let engine = engine.word();
    Err(Error::precondition(format!(
        "engine: {engine} needs the program {program}, which is not installed here, or not on the PATH"
    )))
}

/// Refuses a cluster whose configuration is not supported.
pub(crate) fn check_config(config: &Config) -> Result<(), Error> {
    if config.siblings.is_empty() {
        return Ok(());
    }
    let others = config.siblings.join(", ");
    Err(Error::precondition(format!(
        "this cluster is in a federation with {others}, which may run what is submitted here; that is not supported"
    )))
}

/// The classes of a queue's jobs: each as a wave with one attempt, which is only used for a test, with the ids of its jobs.
pub(crate) fn classes(manifest: &Manifest, queue: &Path) -> BTreeMap<Wave, Vec<String>> {
    let mut classes: BTreeMap<Wave, Vec<String>> = BTreeMap::new();
    for job in &manifest.jobs {
        let wave = Wave {
            token: String::from("aq-preflight"),
            attempts: vec![queue.join(aris_attempt::format::ATTEMPTS)],
            ..class(job, manifest.engine, queue)
        };
        classes.entry(wave).or_default().push(job.id.to_string());
    }
    classes
}

/// What all jobs of a wave have in common, as a wave without attempts.
fn class(job: &Job, engine: Engine, queue: &Path) -> Wave {
    let settings = &job.settings;
    Wave {
        token: String::new(),
        run: queue.to_path_buf(),
        attempts: Vec::new(),
        gpus: settings.gpus,
        cpus: settings.cpus.map(Positive::get),
        mem_mib: settings.mem_mib,
        time_limit_ms: settings.time_limit_ms,
        throttle: None,
        nice: 0,
        options: match engine {
            Engine::Slurm => settings.slurm.clone(),
            Engine::Local | Engine::Hq => Slurm::default(),
        },
    }
}

impl Cluster {
    /// `None`: the queue's jobs run on this machine.
    pub(super) fn open(manager: &Manager<'_>) -> Result<Option<Self>, Error> {
        let kind = manager.queue.manifest().engine;
        let engine = engine(kind, manager.context, &manager.place().queue)?;
        Ok(engine.map(|engine| Self {
            engine,
            config: None,
            refs: BTreeMap::new(),
            unclear: BTreeSet::new(),
            pending: Vec::new(),
            refusals: BTreeMap::new(),
            window: None,
            throttles: BTreeMap::new(),
            nice: BTreeMap::new(),
            said: BTreeMap::new(),
            gone: BTreeMap::new(),
            unwanted: Vec::new(),
            next_tell: Duration::ZERO,
            next_look: Duration::ZERO,
            next_ask: Duration::ZERO,
            interval: ASK.0,
            silence: SILENCE.0,
        }))
    }

    /// Checks the cluster's configuration. If the cluster does not answer, it is checked before the first submission.
    pub(super) fn check(&mut self) -> Result<(), Error> {
        self.config = self.engine.config().ok();
        self.config.as_ref().map_or(Ok(()), check_config)
    }

    /// When the next action is due.
    pub(super) fn next(&self) -> Duration {
        let waves = self.pending.iter();
        // Waves whose answer was lost wait until the batch system is asked about them.
        let waves = waves.filter(|wave| !self.unclear.contains(&wave.wave.token));
        let due = waves.map(|wave| wave.next);
        due.fold(self.next_look.min(self.next_ask), Duration::min)
    }

    /// Counts a refusal of these jobs; gives how often they were refused with this message in a row.
    fn refused(&mut self, jobs: &[u32], why: &str) -> u32 {
        let mut most = 0;
        for job in jobs {
            let (said, times) = self.refusals.entry(*job).or_default();
            // Messages that differ only in digits, such as a number or a time, count as equal.
            let words = |text: &str| text.replace(|char: char| char.is_ascii_digit(), "");
            let same = words(said) == words(why);
            *times = if same { *times + 1 } else { 1 };
            why.clone_into(said);
            most = most.max(*times);
        }
        most
    }

    fn forget(&mut self, job: u32) {
        self.refs.remove(&job);
        self.said.remove(&job);
        self.gone.remove(&job);
    }
}

/// An attempt's name in the journal, `<token>#<index>`.
fn name(token: &str, index: u32) -> String {
    format!("{token}#{index}")
}

fn parsed(name: &str) -> Option<(&str, u32)> {
    let (token, index) = name.rsplit_once('#')?;
    Some((token, index.parse().ok()?))
}

/// Most attempts that are taken back in one turn; each writes some files.
const TAKEN: usize = 200;

impl Manager<'_> {
    /// Token and index of a job's last attempt.
    pub(super) fn wave_of(&self, job: u32) -> Option<(&str, u32)> {
        parsed(self.queue.run(job).last().engine_ref.as_deref()?)
    }

    /// Adopts the attempts that an earlier manager submitted.
    pub(super) fn adopt_cluster(&mut self, cluster: &mut Cluster) {
        for job in self.queue.active().collect::<Vec<u32>>() {
            if self.queue.run(job).life == Life::Cancelling {
                // It is unknown whether an earlier manager made this request.
                self.ask_to_end(&self.folder(job), BY_A_PERSON);
            }
            let Some((token, index)) = self.wave_of(job) else {
                continue;
            };
            let (token, number) = (token.to_owned(), self.queue.submission(token));
            if let Some(job_there) = number.map(str::to_owned) {
                let one = Task {
                    job: job_there,
                    index,
                    token,
                };
                cluster.refs.insert(job, one);
            } else {
                cluster.unclear.insert(token);
            }
        }
    }

    /// One turn: reads records, asks the batch system, submits jobs.
    pub(super) fn turn_cluster(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        let now = Cards::now();
        if now >= cluster.next_look {
            self.look_at_records(cluster)?;
            self.take_back(cluster)?;
            let few = self.queue.active().take(FEW + 1).count() <= FEW;
            cluster.next_look = Cards::now() + if few { LOOK.0 } else { LOOK.1 };
        }
        if now >= cluster.next_ask {
            self.ask_cluster(cluster)?;
        }
        if self.notices.contains_key(STUCK) {
            // The job may have been released or cancelled since Slurm was last asked.
            self.tell_of_stuck(cluster);
        }
        self.tell_cluster(cluster);
        self.submit_again(cluster)?;
        self.submit_waves(cluster)?;
        self.balance(cluster);
        Ok(())
    }

    /// A person cancelled an attempt. The request is already in its folder, where its runner finds it within a heartbeat. An attempt that
    /// has not started is claimed here, so that it never runs. [`Manager::tell_cluster`] tells the batch system.
    pub(super) fn cancel_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        cluster.unwanted.extend(cluster.refs.get(&job).cloned());
        if matches!(aris_attempt::standing(&folder), Ok(Standing::Unclaimed)) && withdraw(&folder) {
            cluster.forget(job);
            let why = "cancelled before any runner came";
            return self.conclude(job, Verdict::failed(Reason::Cancelled, why));
        }
        Ok(())
    }

    /// Claims and cancels attempts that the batch system has not started, when the queue is paused or too many jobs have failed. Their
    /// numbers are not reused: a task of the earlier wave could claim an attempt that is submitted again under the same number.
    fn take_back(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        if !self.too_many_failed && !self.queue.paused() {
            return Ok(());
        }
        let mut taken = Vec::new();
        for job in self.queue.active().collect::<Vec<u32>>() {
            let folder = self.folder(job);
            let waits = || matches!(aris_attempt::standing(&folder), Ok(Standing::Unclaimed));
            if self.queue.run(job).life != Life::Cancelling && waits() && withdraw(&folder) {
                cluster.unwanted.extend(cluster.refs.get(&job).cloned());
                cluster.forget(job);
                self.withdrawn(job, "taken back: nothing new is started", false)?;
                taken.push(job);
            }
            // Few at a time keep a turn short. If this manager is killed, the next one recognizes a claim without a line in the journal.
            if taken.len() == TAKEN {
                break;
            }
        }
        if !taken.is_empty() {
            self.sync();
        }
        if self.too_many_failed {
            // Jobs that a person retries after this are started.
            self.too_many_failed = taken.len() == TAKEN;
            self.not_started(taken)?;
        }
        Ok(())
    }

    /// Tells the batch system which attempts are cancelled, so that runners read the request at once and waiting tasks leave its queue.
    /// Attempts are cancelled correctly even if this fails.
    pub(super) fn tell_cluster(&mut self, cluster: &mut Cluster) {
        if cluster.unwanted.is_empty() || Cards::now() < cluster.next_tell {
            return;
        }
        match cluster.engine.cancel(&cluster.unwanted) {
            Ok(()) => cluster.unwanted.clear(),
            Err(error) => {
                self.not_heard(cluster, &error);
                cluster.next_tell = cluster.next_ask;
            }
        }
    }
}

/// The reason for the end of an attempt that left no exit record.
fn reason_of(cause: Cause) -> Reason {
    match cause {
        Cause::Node => Reason::NodeFail,
        Cause::Preempted => Reason::Preempted,
        Cause::Memory => Reason::HostOom,
        Cause::Time => Reason::TimeLimit,
        Cause::Cancelled | Cause::Untold => Reason::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tasks_are_read_back() {
        assert_eq!(parsed(&name("aq-1-2", 7)), Some(("aq-1-2", 7)));
        assert_eq!(parsed("aq"), None);
    }
}
