//! The manager: the process that starts jobs, notices their ends, and records both.
//!
//! **Order of writing**: an event is written to the journal and synced before it is carried out. If a manager dies in between, the next one
//! finds out from the attempts' folders what happened. Attempts have runner processes of their own, so a manager may be killed at any
//! moment.

mod adopt;
mod asked;
mod cards;
pub(crate) mod cluster;
mod ends;
mod hooks;
mod machine;
mod open;
mod requests;
mod signals;
pub(crate) mod spec;
mod starts;
mod wait;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_attempt::cards::CardId;
use aris_attempt::{Runner, SWEEP, Standing, Waiting, Watch, format};
use aris_cli::Context;
use aris_contract::text::counted;
use aris_contract::{ErrorKind, Failure as _};
use aris_queue::journal::Journal;
use aris_queue::manifest::{Engine, Manifest};
use aris_queue::schedule::{self, Slots};
use aris_queue::state::{Life, Queue};

use crate::cli::RunFlags;
use crate::error::Error;
use crate::explain;
use crate::load::{self, Current};
use crate::lock::{self, Held};
use crate::place::{Owner, Place};
use crate::reserved;
use crate::snapshot;
pub(crate) use cards::{Cards, Stage, check_cards};
use cluster::Cluster;
pub(crate) use ends::verdict;
pub(crate) use machine::machine;
use spec::Common;

pub(crate) use requests::{Request, Verb, is_repeat, leave, repeat, take_answer};
pub(crate) use signals::Signals;
pub(crate) use wait::{drain, renames_into};

/// Least time between two snapshots. **Source**: queue design §9.
const SNAPSHOT_EVERY: Duration = Duration::from_secs(1);
/// Pause after a failure that may be temporary: a full disk, too many processes.
const AGAIN: Duration = Duration::from_secs(1);

/// Pause between two checks of jobs that are being ended.
const ENDING: Duration = Duration::from_secs(2);

/// Options of a run.
pub(crate) struct Options {
    /// The user's manifest; `None`: that of the last run.
    pub(crate) manifest: Option<PathBuf>,
    pub(crate) place: Place,
    /// The other flags; the path of the log is absolute.
    pub(crate) flags: RunFlags,
    /// Whether this process takes the queue only to carry out its own request; then the answer says what was refused and changed.
    pub(crate) answers: bool,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) queue: Queue,
    /// Number of jobs that still run, if the manager was asked to stop.
    pub(crate) detached: Option<u32>,
}

/// A queue that this process runs.
pub(crate) struct Manager<'a> {
    context: &'a Context,
    options: &'a Options,
    queue: Queue,
    journal: Journal,
    watch: Watch,
    runner: Runner,
    /// A runner started ahead for the next attempt of the job that will most likely start next.
    spare: Option<Spare>,
    common: Common,
    cards: Cards,
    signals: Signals,
    requests: OwnedFd,
    /// Whether to look for requests although no event was reported.
    asked: bool,
    /// Requests that were carried out and are not in the state file yet.
    answered: Vec<Answered>,
    /// Requests that were answered and whose files cannot be removed.
    stuck_requests: BTreeSet<PathBuf>,
    slots: Slots,
    machine: schedule::Machine,
    boot: String,
    owner: Owner,
    notices: BTreeMap<&'static str, String>,
    /// Why nothing starts until a person says so, as last said.
    kept_back: Option<String>,
    /// No job is started before this time.
    not_before: Duration,
    dirty: bool,
    /// What the current state file says about itself; `None`: there is none that could be read.
    written: Option<snapshot::Meta>,
    last_snapshot: Option<Duration>,
    /// How long the last writing of the state file took.
    snapshot_cost: Duration,
    last_sweep: Duration,
    failed_starts: BTreeMap<u32, u32>,
    /// Since when each job lacks nothing but cards.
    short: schedule::Short,
    /// By job: the most memory of a card that it was seen using, in MiB.
    peaks: BTreeMap<u32, u64>,
    held: Held,
    next_beat: Duration,
    hooks: hooks::Hooks,
    /// Whether something has ended since `on_end` was last called, or since this manager began.
    any_end: bool,
    /// Whether `max_failures` is reached, and attempts that a batch system has not started must still be taken back.
    too_many_failed: bool,
    /// The user's manifest.
    manifest: PathBuf,
    /// Whether the queue's own manifest was changed, so that the queue must be loaded again.
    reloads: bool,
}

/// What a manager keeps when it loads its queue again.
struct Kept {
    held: Held,
    signals: Signals,
    answered: Vec<Answered>,
    spare: Option<Spare>,
    hooks: hooks::Hooks,
    any_end: bool,
}

/// The folder of an attempt, and a runner that waits to begin it.
type Spare = (PathBuf, Waiting);

/// The file of a request that was carried out, and what was refused.
type Answered = (PathBuf, Vec<String>);

/// Runs a queue until every job has ended, or the manager is asked to stop.
///
/// An error that ends it is also written to the log, because nobody sees the output of a detached manager.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Ended, Error> {
    let began = Cards::now();
    let current = current(options, Stage::Beginning(context), context);
    // Without a manifest it is not known to whom a file belongs that is there already.
    let may_log = |log: &&PathBuf| current.is_ok() || !log.exists();
    let log = options.flags.log.as_ref().filter(may_log);
    let ran = current.and_then(|current| run_queue(current, options, context, began));
    if let (Err(error), Some(log)) = (&ran, log)
        // The path of the log may now be in another queue, or the log may not be written there.
        && !matches!(error, Error::Moved(_))
        && error.kind() != ErrorKind::Usage
    {
        let line = format!("the manager ends: {error}").replace('\n', " ");
        aris_fs::append_line(log, &line).unwrap_or_default();
    }
    ran
}

fn run_queue(
    current: Current,
    options: &Options,
    context: &Context,
    began: Duration,
) -> Result<Ended, Error> {
    // An existing queue is opened first: if jobs are running, the error should say that they prevent a change of the engine.
    if !Place::is_queue(&options.place.queue) {
        cluster::installed(current.manifest.engine, context)?;
    }
    take_up(current, options, context, began)
}

/// The manifest that a run would use, checked.
pub(crate) fn current(
    options: &Options,
    stage: Stage<'_>,
    context: &Context,
) -> Result<Current, Error> {
    let (place, given) = (&options.place, options.manifest.as_deref());
    let mut current = load::user(place, given, context)?.on(place, options.flags.engine)?;
    if let Stage::Beginning(_) = stage {
        load::check_folder(place, &current.manifest)?;
    }
    load::same_queue(place, &current, context)?;
    if let Some(log) = &options.flags.log {
        reserved::log(log, place, &current, context)?;
    }
    let able = |manifest: &Manifest| check(manifest).and_then(|()| check_cards(manifest, stage));
    let notices = able(&current.manifest).or_else(|error| {
        if !Place::is_queue(&place.queue) {
            return Err(error);
        }
        let queue = load::look(place, current.manifest.clone(), context.now())?;
        able(&load::left(&current.manifest, &queue))
    })?;
    current.notices.extend(notices);
    Ok(current)
}

/// Loads a queue and runs it, again whenever its manifest was changed.
fn take_up(
    mut current: Current,
    options: &Options,
    context: &Context,
    began: Duration,
) -> Result<Ended, Error> {
    let mut kept = None;
    loop {
        // A manifest that was changed during the run was checked before it was accepted, so it does not end the manager.
        let first = kept.is_none() && !options.answers;
        let mut manager = Manager::open(current, kept, options, context)?;
        if first {
            cluster::installed(manager.queue.manifest().engine, context)?;
        }
        let mut cluster = manager.adopt_all()?;
        if let (Some(cluster), true) = (&mut cluster, first) {
            cluster.check()?;
        }
        let detached = if options.answers {
            manager.take_requests(cluster.as_mut())?;
            manager.journal.sync()?;
            manager.write_state();
            None
        } else {
            manager.work(cluster, began)?
        };
        if !manager.reloads {
            manager.hooks.finish();
            return Ok(Ended {
                queue: manager.queue,
                detached,
            });
        }
        kept = Some(Kept {
            held: manager.held,
            signals: manager.signals,
            answered: manager.answered,
            spare: manager.spare,
            hooks: manager.hooks,
            any_end: manager.any_end,
        });
        current = load::own(&options.place)?;
    }
}

/// Takes a queue that no manager runs, reads the state of its attempts, carries out pending requests, writes everything down, and gives the
/// queue back.
pub(crate) fn settle(options: &Options, context: &Context) -> Result<Ended, Error> {
    let current = match &options.manifest {
        Some(manifest) => load::user(&options.place, Some(manifest), context)?,
        None => load::own(&options.place)?,
    };
    take_up(current, options, context, Cards::now())
}

/// Checks what can never be run.
pub(crate) fn check(manifest: &Manifest) -> Result<(), Error> {
    if manifest.engine != Engine::Local {
        return cluster::check(manifest);
    }
    machine::check(manifest)?;
    let Some(cards) = &manifest.cards else {
        return Ok(());
    };
    let mut jobs = manifest.jobs.iter();
    match jobs.find(|job| job.settings.gpus as usize > cards.len()) {
        None => Ok(()),
        Some(job) => {
            let (id, needed) = (&job.id, counted(job.settings.gpus, "card"));
            let text = format!(
                "job {id:?} needs {needed}, and gpus lists {} cards",
                cards.len()
            );
            Err(Error::precondition(text))
        }
    }
}

impl<'a> Manager<'a> {
    fn place(&self) -> &'a Place {
        &self.options.place
    }

    fn id(&self, job: u32) -> String {
        self.queue.job(job).id.to_string()
    }

    fn folder(&self, job: u32) -> PathBuf {
        folder(self.place(), &self.queue, job)
    }

    fn ours(&self) -> BTreeSet<CardId> {
        cards_of(&self.queue)
    }

    /// Works until every job has ended, or the manager is asked to stop; then gives the number of jobs that still run.
    fn work(
        &mut self,
        mut cluster: Option<Cluster>,
        began: Duration,
    ) -> Result<Option<u32>, Error> {
        let mut detached = None;
        loop {
            let now = Cards::now();
            if !self.held.is_there() {
                return Err(Error::moved(&self.place().queue));
            }
            self.dirty |= self.queue.tick(now_ms());
            if now >= self.next_beat {
                self.next_beat = now + lock::BEAT;
                self.held.beat();
            }
            let told = self.watch.seen();
            self.see(told)?;
            if now >= self.last_sweep + self.sweep_interval() {
                self.last_sweep = now;
                // Requests from other machines cause no event here.
                self.asked = true;
                let told = self.watch.sweep();
                self.see(told)?;
                self.look_again()?;
            }
            let ours = self.ours();
            if self.cards.look(&ours) {
                let problem = self.cards.problem();
                self.notice("cards", problem);
                self.note_peaks();
            }
            if self.asked || drain(&self.requests) {
                self.take_requests(cluster.as_mut())?;
            }
            if self.reloads {
                break;
            }
            let more = match &mut cluster {
                // The journal is synced together with the starts.
                None => self.start_jobs()?,
                Some(cluster) => {
                    self.sync();
                    self.turn_cluster(cluster)?;
                    false
                }
            };
            self.sync();
            let idle = self.queue.active().next().is_none();
            if idle {
                self.tell_what_keeps_back();
            }
            let over = self.queue.open_jobs() == 0 && idle;
            if over {
                self.tell_of_end();
            }
            if over || self.signals.came() {
                if !over {
                    detached = u32::try_from(self.queue.active().count()).ok();
                }
                break;
            }
            if let Some(limit) = self.options.flags.max_wait
                && now >= began + limit
            {
                self.write_state();
                let (open, seconds) = (counted(self.queue.open_jobs(), "job"), limit.as_secs());
                let active = self.queue.active().count();
                let message =
                    format!("after {seconds} s {open} had not ended; {active} still running");
                let hint = explain::kept_back(&self.queue)
                    .unwrap_or_else(|| String::from("run again with the same flags to continue"));
                return Err(Error::told(ErrorKind::Timeout, message, &hint));
            }
            self.write_state_if_due();
            if !more {
                self.wait(cluster.as_ref().map(Cluster::next))?;
            }
        }
        self.journal.sync()?;
        self.write_state();
        Ok(detached)
    }

    /// Says, when it begins, why nothing starts until a person says so.
    fn tell_what_keeps_back(&mut self) {
        if self.options.flags.max_wait.is_some() {
            // The wait ends, and the error says why.
            return;
        }
        let now = explain::kept_back(&self.queue);
        if let Some(why) = now.as_ref().filter(|_| now != self.kept_back) {
            self.say(&format!("queue: {why}"));
        }
        self.kept_back = now;
    }

    /// Checks attempts of which nothing is known, and those whose runner is dead: only the manager can end these.
    fn look_again(&mut self) -> Result<(), Error> {
        if self.queue.manifest().engine != Engine::Local {
            // The engine's turn checks its attempts.
            return Ok(());
        }
        for job in self.queue.active().collect::<Vec<u32>>() {
            let grace = Duration::from_millis(self.queue.job(job).settings.kill_grace_ms);
            let folder = self.folder(job);
            let late = self.left(job) == Some(Duration::ZERO);
            if late || self.queue.run(job).life == Life::Cancelling {
                if late && is_orphan(&folder) {
                    self.ask_to_end(&folder, "its time limit is over");
                }
                aris_attempt::end_orphan(&folder, grace);
            }
        }
        let unknown = self.queue.active();
        let unknown = unknown.filter(|job| self.queue.run(*job).life == Life::Unknown);
        for job in unknown.collect::<Vec<u32>>() {
            self.watch.remove(u64::from(job));
            self.adopt(job)?;
        }
        Ok(())
    }

    /// How much of its time limit a running job has left.
    fn left(&self, job: u32) -> Option<Duration> {
        let limit = self.queue.job(job).settings.time_limit_ms;
        let run = self.queue.run(job);
        let (limit, started) = limit.zip(run.last().started)?;
        let ran = self.context.now().duration_since(started);
        let ran = Duration::try_from(ran).unwrap_or_default();
        (run.life == Life::Running).then(|| Duration::from_millis(limit).saturating_sub(ran))
    }

    fn sweep_interval(&self) -> Duration {
        // If the runner of such a job is dead, only this manager can end the job.
        let ending = |job: u32| {
            self.queue.run(job).life == Life::Cancelling || self.left(job) == Some(Duration::ZERO)
        };
        let own = if self.queue.active().any(ending) {
            ENDING
        } else {
            SWEEP
        };
        let poll = self.options.flags.poll;
        poll.map_or(own, |poll| poll.min(own).max(Duration::from_millis(100)))
    }
}

/// The folder of a job's last attempt.
pub(crate) fn folder(place: &Place, queue: &Queue, job: u32) -> PathBuf {
    let (id, attempt) = (&queue.job(job).id, queue.run(job).attempt());
    format::folder(&place.queue, id, attempt)
}

/// Whether the job of an attempt still runs although its runner is dead.
pub(crate) fn is_orphan(folder: &Path) -> bool {
    let stands = aris_attempt::standing(folder);
    matches!(stands, Ok(Standing::Running { orphan: true, .. }))
}

/// Number of jobs by state.
pub(crate) fn counts(queue: &Queue) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for job in 0..queue.len() {
        *counts.entry(queue.state(job).word()).or_insert(0) += 1;
    }
    counts
}

/// The path of this program, and the arguments that make it act as `queue_manager`.
pub(crate) fn this_program(context: &Context) -> Result<(PathBuf, Vec<OsString>), Error> {
    let program = std::env::current_exe().map_err(Error::system("find this program"))?;
    let own = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("queue_manager")
    };
    let mut called = std::env::args_os();
    let by_link = called.next().is_some_and(|name| own(Path::new(&name))) && !own(&program);
    let by_word = called.next().is_some_and(|word| word == "queue_manager");
    // The multi-call binary was called as `aris queue_manager`, or through a link with our name. A copy with any other name is this
    // program.
    let words = if by_link || by_word {
        vec![OsString::from("queue_manager")]
    } else {
        Vec::new()
    };
    Ok((context.absolute(&program), words))
}

/// Cards that the queue's running jobs use.
pub(crate) fn cards_of(queue: &Queue) -> BTreeSet<CardId> {
    let cards = queue.active().flat_map(|job| &queue.run(job).last().cards);
    cards.copied().collect()
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(Cards::now().as_millis()).unwrap_or(u64::MAX)
}
