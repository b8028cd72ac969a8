//! The manager: one process that starts what may start, sees what ends, and writes down both.
//!
//! **Order of writing**: an intent goes into the journal and is synced, then it is carried out. Whatever a dead manager left between the
//! two is found out from the attempts' folders. Jobs belong to their runners; this process may be killed at any moment.

mod cards;
mod requests;
mod signals;
pub(crate) mod spec;

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_attempt::cards::lease::{DEFAULT_LEASES, LEASES_VARIABLE, Lease};
use aris_attempt::{Runner, Seen, Standing, Watch};
use aris_cli::Context;
use aris_fs::Lock;
use aris_queue::journal::{Journal, JournalError};
use aris_queue::manifest::Manifest;
use aris_queue::schedule::{self, Slots, Start};
use aris_queue::state::{Event, Life, Outcome, Queue, Reason, State, Verdict};
use aris_queue::{attempt, judge, snapshot};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

use crate::error::Error;
use crate::load;
use crate::lock::{self, Owner};
use crate::place::Place;
use cards::Cards;
use signals::Signals;
use spec::Common;

pub(crate) use requests::{Request, leave};

/// Snapshots follow each other no faster. **Source**: queue design §9: every 2 s at most.
const SNAPSHOT_EVERY: Duration = Duration::from_secs(1);
/// After something failed that may work later: a full disk, too many processes.
const AGAIN: Duration = Duration::from_secs(1);
/// Attempts begun in one turn of the loop, so that ends are seen between them.
const BATCH: usize = 32;
/// Runners that may die before they claim their attempt, one after the other, before the job counts as one that cannot be started.
const FAILED_STARTS: u32 = 3;
/// Marks an attempt that a manager withdrew, with its process number.
const WITHDRAWN: &str = "withdrawn";

/// How a run is to go.
pub(crate) struct Options {
    pub(crate) manifest: PathBuf,
    pub(crate) place: Place,
    /// Seconds between sweeps, at most.
    pub(crate) poll: Option<Duration>,
    /// After which the manager leaves, jobs or not.
    pub(crate) max_wait: Option<Duration>,
    /// Also gets the lines of stderr.
    pub(crate) log: Option<PathBuf>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Jobs by state, those that have any.
    pub(crate) counts: BTreeMap<&'static str, u32>,
    /// Jobs that run on, because the manager was asked to go.
    pub(crate) detached: Option<u32>,
    pub(crate) snapshot: snapshot::Snapshot,
}

/// A queue at work.
pub(crate) struct Manager<'a> {
    context: &'a Context,
    options: &'a Options,
    queue: Queue,
    journal: Journal,
    watch: Watch,
    runner: Runner,
    common: Common,
    cards: Cards,
    signals: Signals,
    requests: OwnedFd,
    slots: Slots,
    boot: String,
    owner: Owner,
    notices: BTreeMap<&'static str, String>,
    /// Nothing is started before this moment.
    not_before: Duration,
    dirty: bool,
    last_snapshot: Option<Duration>,
    last_sweep: Duration,
    failed_starts: BTreeMap<u32, u32>,
    _lock: Lock,
}

/// Runs a queue until every job is over, or somebody wants the manager to go.
pub(crate) fn run(options: &Options, context: &Context) -> Result<Ended, Error> {
    let manifest = load::manifest(&options.manifest)?;
    check(&manifest)?;
    let mut manager = Manager::open(manifest, options, context)?;
    manager.adopt_all()?;
    manager.work()
}

/// What no machine could run.
pub(crate) fn check(manifest: &Manifest) -> Result<(), Error> {
    let Some(cards) = &manifest.cards else {
        return Ok(());
    };
    let wide = manifest
        .jobs
        .iter()
        .find(|job| job.settings.gpus as usize > cards.len());
    match wide {
        None => Ok(()),
        Some(job) => Err(Error::Precondition(format!(
            "job {:?} needs {} cards, and gpus lists {}",
            job.id,
            job.settings.gpus,
            cards.len()
        ))),
    }
}

impl<'a> Manager<'a> {
    fn open(manifest: Manifest, options: &'a Options, context: &'a Context) -> Result<Self, Error> {
        let place = &options.place;
        let boot = boot();
        let owner = Owner {
            pid: std::process::id(),
            host: host(),
            boot: boot.clone(),
            since: aris_contract::time::stamp(context.now()),
            manifest: options.manifest.display().to_string(),
            logs: place.logs.display().to_string(),
        };
        let signals = Signals::listen()?;
        let lock = lock::take(place, &owner)?;
        aris_fs::create_dir(&place.logs)?;
        aris_fs::create_dir(&place.requests())?;
        let common = Common::of(&manifest, context)?;
        let leases = context.env(LEASES_VARIABLE).unwrap_or(DEFAULT_LEASES);
        let cards = Cards::open(&manifest, Path::new(leases), manifest.wants_cards())?;
        let project = manifest.project.clone();
        let loaded = load::open(place, manifest, now_ms(), context.now())?;
        let mut manager = Self {
            context,
            options,
            queue: loaded.queue,
            journal: loaded.journal,
            watch: Watch::new()?,
            runner: runner(context)?,
            common,
            cards,
            signals,
            requests: watch_requests(place)?,
            slots: Slots {
                with_cards: 0,
                without_cards: 0,
            },
            boot: boot.clone(),
            owner: owner.clone(),
            notices: BTreeMap::new(),
            not_before: Duration::ZERO,
            dirty: true,
            last_snapshot: None,
            last_sweep: Cards::now(),
            failed_starts: BTreeMap::new(),
            _lock: lock,
        };
        for notice in &loaded.notices {
            manager.say(notice);
        }
        manager.happen(Event::Began {
            project,
            manifest: owner.manifest,
            boot,
            pid: owner.pid,
            host: owner.host,
        })?;
        // Nothing is done for a queue that cannot be written down.
        manager.journal.sync()?;
        for (id, number) in loaded.removed {
            manager.end_removed(id, number)?;
        }
        Ok(manager)
    }

    fn place(&self) -> &'a Place {
        &self.options.place
    }

    fn say(&self, line: &str) {
        self.context.note(line);
        if let Some(log) = &self.options.log {
            // The journal is the record; this is for people.
            aris_fs::append_line(log, &line.replace('\n', " ")).unwrap_or_default();
        }
    }

    /// Sets or clears what a person should know now; says so once for each change.
    fn notice(&mut self, about: &'static str, text: Option<String>) {
        let before = self.notices.get(about);
        if before == text.as_ref() {
            return;
        }
        match text {
            Some(text) => {
                self.say(&format!("{about}: {text}"));
                self.notices.insert(about, text);
            }
            None => {
                self.say(&format!("{about}: all right again"));
                self.notices.remove(about);
            }
        }
        self.dirty = true;
    }

    /// Adds an event to the journal, not yet synced, and applies it.
    fn happen(&mut self, event: Event) -> Result<(), Error> {
        let time = self.context.now();
        let done = self.queue.apply(&event, time, now_ms(), 0);
        done.map_err(|source| Error::Illegal {
            path: self.place().queue.clone(),
            source,
        })?;
        self.journal.push(&event, time);
        self.dirty = true;
        Ok(())
    }

    fn id(&self, job: u32) -> String {
        self.queue.manifest().jobs[job as usize].id.to_string()
    }

    fn folder(&self, job: u32) -> PathBuf {
        attempt::folder(
            &self.place().queue,
            &self.queue.manifest().jobs[job as usize].id,
            self.queue.run(job).attempt,
        )
    }

    /// Cards on which jobs of this queue are.
    fn ours(&self) -> BTreeSet<u32> {
        self.queue
            .active()
            .flat_map(|job| self.queue.run(job).cards.iter().copied())
            .collect()
    }

    // ---- what a dead manager left ----

    fn adopt_all(&mut self) -> Result<(), Error> {
        let active: Vec<u32> = self.queue.active().collect();
        for job in active {
            self.adopt(job)?;
        }
        Ok(())
    }

    /// Finds out from its folder where an attempt stands that this process did not start.
    fn adopt(&mut self, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        let mut stands = self.watch.adopt(u64::from(job), &folder);
        if matches!(stands, Ok(Standing::Unclaimed)) {
            self.watch.remove(u64::from(job));
            if self.withdraw(&folder) {
                return self.happen(Event::Withdrawn {
                    id: self.id(job),
                    attempt: self.queue.run(job).attempt,
                    why: String::from("no runner had claimed it when its manager was gone"),
                });
            }
            stands = self.watch.adopt(u64::from(job), &folder);
        }
        match stands {
            Ok(Standing::Running { start, .. }) => {
                if let Some(start) = start {
                    self.queue
                        .seen_running(job, start.process.pid, start.time);
                }
                if self.queue.run(job).life == Life::Cancelling {
                    self.ask_to_end(&folder);
                }
                self.say(&format!("{} goes on", self.id(job)));
                Ok(())
            }
            Ok(Standing::Ended(exit)) => self.ended(job, &exit),
            Ok(Standing::Lost { claim, start }) => {
                let ours = claim.is_some_and(|claim| withdrawn_by(&folder) == Some(claim.runner.pid));
                if ours && start.is_none() {
                    return self.happen(Event::Withdrawn {
                        id: self.id(job),
                        attempt: self.queue.run(job).attempt,
                        why: String::from("an earlier manager withdrew it"),
                    });
                }
                self.lost(job)
            }
            Ok(Standing::Unclaimed) | Err(_) => {
                self.queue.seen_nothing(job);
                Ok(())
            }
        }
    }

    /// Makes sure that nobody runs an unclaimed attempt. `false`: somebody has it, or the disk refuses.
    fn withdraw(&self, folder: &Path) -> bool {
        let mark = folder.join(WITHDRAWN);
        let pid = std::process::id().to_string();
        aris_fs::create_dir(folder).is_ok()
            && aris_fs::replace_unsynced(&mark, pid.as_bytes()).is_ok()
            && aris_attempt::withdraw(folder).is_ok()
    }

    fn ask_to_end(&mut self, folder: &Path) {
        let asked = aris_attempt::cancel(folder, "cancelled by a person");
        self.notice("cancel", asked.err().map(|error| error.to_string()));
    }

    /// An attempt of a job that is no longer in the manifest.
    fn end_removed(&mut self, id: String, number: u32) -> Result<(), Error> {
        let folder = attempt::folder(&self.place().queue, &id, number);
        self.say(&format!("{id} is no longer in the manifest: it is ended"));
        self.ask_to_end(&folder);
        self.happen(Event::Removed { id })
    }

    // ---- ends ----

    fn ended(&mut self, job: u32, exit: &attempt::Exit) -> Result<(), Error> {
        let done_when = self.queue.manifest().jobs[job as usize].settings.done_when;
        let mut verdict = judge::judge(exit, done_when);
        // A job that a person wanted ended and that failed by itself meanwhile is not tried again.
        if self.queue.run(job).life == Life::Cancelling && verdict.outcome == Outcome::Failed {
            verdict.outcome = Outcome::Cancelled;
            verdict.reason = Some(Reason::Cancelled);
        }
        self.conclude(job, verdict)
    }

    fn lost(&mut self, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        let text = format!(
            "its runner is gone and left no exit record in {}: nobody knows how it ended; look at its log and outputs before you retry it",
            folder.display()
        );
        self.conclude(job, Verdict::failed(Reason::Lost, text))
    }

    fn conclude(&mut self, job: u32, verdict: Verdict) -> Result<(), Error> {
        let run = self.queue.run(job);
        let settings = &self.queue.manifest().jobs[job as usize].settings;
        let retry_in_ms = judge::retry_in_ms(&verdict, &settings.retry, run.spent);
        self.conclude_with(job, verdict, retry_in_ms)
    }

    fn conclude_with(
        &mut self,
        job: u32,
        verdict: Verdict,
        retry_in_ms: Option<u64>,
    ) -> Result<(), Error> {
        let run = self.queue.run(job);
        let (number, cards) = (run.attempt, run.cards.clone());
        let id = self.id(job);
        let after = retry_in_ms.map(|ms| format!("; again in {} s", ms.div_ceil(1000)));
        let what = match (&verdict.error, &verdict.warning) {
            (Some(error), _) => format!("{}: {error}", verdict.reason.map_or("failed", Reason::word)),
            (None, Some(warning)) => format!("completed: {warning}"),
            (None, None) => String::from("completed"),
        };
        self.say(&format!("{id} #{number} {what}{}", after.unwrap_or_default()));
        self.failed_starts.remove(&job);
        self.happen(Event::Ended {
            id,
            attempt: number,
            verdict,
            retry_in_ms,
        })?;
        self.cards.released(&cards, Cards::now());
        let ours = self.ours();
        for card in cards.iter().filter(|card| !ours.contains(card)) {
            self.cards.unshare(*card);
        }
        Ok(())
    }

    fn see(&mut self, told: Vec<(u64, Seen)>) -> Result<(), Error> {
        for (key, seen) in told {
            let Ok(job) = u32::try_from(key) else {
                continue;
            };
            if !self.queue.run(job).life.is_active() {
                continue;
            }
            match seen {
                Seen::Started(start) => {
                    self.failed_starts.remove(&job);
                    self.queue.seen_running(job, start.process.pid, start.time);
                    self.dirty = true;
                }
                Seen::Ended(exit) => self.ended(job, &exit)?,
                Seen::Left(Standing::Unclaimed) => self.not_claimed(job)?,
                Seen::Left(_) => self.lost(job)?,
                Seen::Unclear(error) => {
                    self.queue.seen_nothing(job);
                    self.notice("attempts", Some(error.to_string()));
                }
            }
        }
        Ok(())
    }

    /// A runner ended before it had claimed its attempt.
    fn not_claimed(&mut self, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        if !self.withdraw(&folder) {
            return self.adopt(job);
        }
        let count = self.failed_starts.get(&job).copied().unwrap_or(0) + 1;
        let why = aris_attempt::runner::complaint(&folder)
            .unwrap_or_else(|| String::from("its runner ended before it did anything"));
        let again = (count < FAILED_STARTS).then_some(1000 * u64::from(count));
        self.conclude_with(job, Verdict::failed(Reason::StartFailed, why), again)?;
        if again.is_some() {
            self.failed_starts.insert(job, count);
        }
        Ok(())
    }

    // ---- starts ----

    /// Starts what may start. Gives whether there may be more at once.
    fn start_jobs(&mut self) -> Result<bool, Error> {
        let now = Cards::now();
        if now < self.not_before || self.journal.is_pending() || !self.queue.has_ready() {
            return Ok(false);
        }
        let ours = self.ours();
        let views = self.cards.views(&ours, now);
        self.slots = schedule::slots(&self.queue, views.len(), processors());
        let mut starts = schedule::choose(&self.queue, now_ms(), &views, self.slots);
        let more = starts.len() > BATCH;
        starts.truncate(BATCH);
        let mark = self.journal.mark();
        let (mut begun, mut again) = (Vec::new(), more);
        let mut refused = Vec::new();
        for start in starts {
            if let Some(path) = self.common.missing(self.queue.manifest(), start.job) {
                refused.push((start.job, path));
                again = true;
                continue;
            }
            let settings = &self.queue.manifest().jobs[start.job as usize].settings;
            let shares = settings.gpu_mem_mib.is_some();
            match self.cards.lease(&start.cards, shares, now) {
                Ok(Some(leases)) => {
                    let event = self.start_event(&start);
                    self.journal.push(&event, self.context.now());
                    begun.push((start, event, leases));
                }
                Ok(None) => again = true,
                Err(error) => {
                    self.notice("leases", Some(error.to_string()));
                    self.not_before = now + AGAIN;
                }
            }
        }
        if let Err(error) = self.journal.sync() {
            // What cannot be written down is not done.
            self.journal.withdraw(mark);
            self.cannot_write(&error);
            return Ok(false);
        }
        for (start, event, leases) in begun {
            let applied = self.queue.apply(&event, self.context.now(), now_ms(), 0);
            applied.map_err(|source| Error::Illegal {
                path: self.place().queue.clone(),
                source,
            })?;
            self.dirty = true;
            self.launch(&start, &leases)?;
        }
        for (job, path) in refused {
            let text = format!("{path} is missing, and the job says that it must be there before it starts");
            self.say(&format!("{} precondition: {text}", self.id(job)));
            self.happen(Event::Refused {
                id: self.id(job),
                verdict: Verdict::failed(Reason::Precondition, text),
            })?;
        }
        Ok(again)
    }

    fn start_event(&self, start: &Start) -> Event {
        let spec = &self.queue.manifest().jobs[start.job as usize];
        let number = self.queue.run(start.job).attempt + 1;
        Event::Start {
            id: spec.id.to_string(),
            attempt: number,
            cards: start.cards.clone(),
            log: spec::log_of(self.place(), &spec.id, number)
                .display()
                .to_string(),
            command: load::command_digest(&spec.cmd),
            boot: self.boot.clone(),
            engine_ref: None,
        }
    }

    /// Carries out what the journal says.
    fn launch(&mut self, start: &Start, leases: &[Lease]) -> Result<(), Error> {
        let job = start.job;
        let (id, number, folder) = (self.id(job), self.queue.run(job).attempt, self.folder(job));
        if folder.join(attempt::CLAIM).exists() {
            // A journal that lost its end does not make anything run twice.
            return self.adopt(job);
        }
        let log = spec::log_of(self.place(), &id, number);
        let visible = self.cards.visible(&start.cards);
        let spec = self.common.spec(
            self.queue.manifest(),
            job,
            number,
            log.clone(),
            &visible,
            leases,
        );
        let launched = aris_attempt::prepare(&folder, &spec).and_then(|()| {
            spec::link_log(self.place(), &id, &log);
            self.watch
                .launch(u64::from(job), &self.runner, &folder, leases)
        });
        match launched {
            Ok(()) => {
                let on = if start.cards.is_empty() {
                    String::new()
                } else {
                    format!(" on card {visible}")
                };
                self.say(&format!("{id} #{number} started{on}"));
                Ok(())
            }
            // Nothing runs, and nobody else could start it.
            Err(error) => {
                self.notice("start", Some(error.to_string()));
                self.not_before = Cards::now() + AGAIN;
                self.happen(Event::Withdrawn {
                    id,
                    attempt: number,
                    why: error.to_string(),
                })
            }
        }
    }

    fn cannot_write(&mut self, error: &JournalError) {
        self.not_before = Cards::now() + AGAIN;
        self.notice(
            "journal",
            Some(format!("{error}; nothing new is started until it can be written")),
        );
    }

    // ---- requests ----

    fn take_requests(&mut self) -> Result<(), Error> {
        for (path, request) in requests::waiting(self.place()) {
            match request {
                Ok(request) => {
                    let (events, refused) = requests::events(request, &self.queue);
                    for line in refused {
                        self.say(&line);
                    }
                    for event in events {
                        self.request(event)?;
                    }
                }
                Err(why) => self.say(&format!("a request is thrown away: {why}")),
            }
            if let Err(error) = self.journal.sync() {
                // It stays, and is answered when it can be written down.
                self.cannot_write(&error);
                return Ok(());
            }
            aris_fs::remove_file(&path)?;
        }
        Ok(())
    }

    fn request(&mut self, event: Event) -> Result<(), Error> {
        let cancelled = match &event {
            Event::Cancel { id } => self.queue.find(id),
            _ => None,
        };
        self.happen(event)?;
        if let Some(job) = cancelled
            && self.queue.run(job).life == Life::Cancelling
        {
            let folder = self.folder(job);
            self.ask_to_end(&folder);
        }
        Ok(())
    }

    // ---- the loop ----

    fn work(&mut self) -> Result<Ended, Error> {
        let began = Cards::now();
        let mut detached = None;
        loop {
            let now = Cards::now();
            self.queue.tick(now_ms());
            let told = self.watch.seen();
            self.see(told)?;
            if now >= self.last_sweep + self.sweep_interval() {
                self.last_sweep = now;
                let told = self.watch.sweep();
                self.see(told)?;
                self.look_again()?;
            }
            let ours = self.ours();
            if let Some(problem) = self.cards.look(&ours) {
                self.notice("cards", problem);
            }
            self.take_requests()?;
            self.sync();
            let more = self.start_jobs()?;
            self.sync();
            let over = self.queue.open_jobs() == 0 && self.queue.active().next().is_none();
            if over || self.signals.came() {
                if !over {
                    detached = u32::try_from(self.queue.active().count()).ok();
                }
                break;
            }
            if let Some(limit) = self.options.max_wait
                && now >= began + limit
            {
                self.snapshot(true);
                return Err(Error::MaxWait {
                    open: self.queue.open_jobs(),
                    running: u32::try_from(self.queue.active().count()).unwrap_or(u32::MAX),
                    seconds: limit.as_secs(),
                });
            }
            self.snapshot(false);
            if !more {
                self.wait()?;
            }
        }
        self.journal.sync()?;
        let snapshot = self.snapshot(true);
        Ok(Ended {
            counts: counts(&self.queue),
            detached,
            snapshot,
        })
    }

    /// Attempts of which nothing was heard.
    fn look_again(&mut self) -> Result<(), Error> {
        let unknown: Vec<u32> = self
            .queue
            .active()
            .filter(|job| self.queue.run(*job).life == Life::Unknown)
            .collect();
        for job in unknown {
            self.watch.remove(u64::from(job));
            self.adopt(job)?;
        }
        Ok(())
    }

    fn sync(&mut self) {
        match self.journal.sync() {
            Ok(()) => {
                if self.notices.contains_key("journal") {
                    self.notice("journal", None);
                }
            }
            Err(error) => self.cannot_write(&error),
        }
    }

    fn sweep_interval(&self) -> Duration {
        let own = self.watch.sweep_interval();
        self.options.poll.map_or(own, |poll| poll.min(own).max(Duration::from_millis(100)))
    }

    /// Writes the state for people when it changed and the last time is long enough ago.
    fn snapshot(&mut self, now: bool) -> snapshot::Snapshot {
        let moment = Cards::now();
        let due = self
            .last_snapshot
            .is_none_or(|last| moment >= last + SNAPSHOT_EVERY);
        let meta = snapshot::Meta {
            manifest_path: self.owner.manifest.clone(),
            updated: Some(aris_contract::time::stamp(self.context.now())),
            manager_pid: Some(self.owner.pid),
            manager_host: Some(self.owner.host.clone()),
            ..snapshot::Meta::default()
        };
        let notices = self
            .notices
            .iter()
            .map(|(about, text)| format!("{about}: {text}"))
            .collect();
        if !now && !(self.dirty && due) {
            return snapshot::Snapshot {
                schema: String::new(),
                seq: 0,
                meta,
                notices,
                phases: Vec::new(),
                jobs: Vec::new(),
            };
        }
        self.last_snapshot = Some(moment);
        let snapshot = snapshot::of(&self.queue, self.journal.seq(), meta, notices);
        let mut text = serde_json::to_vec(&snapshot).unwrap_or_default();
        text.push(b'\n');
        match aris_fs::write_atomic(&self.place().state, &text) {
            Ok(()) => {
                self.dirty = false;
                if self.notices.contains_key("state") {
                    self.notice("state", None);
                }
            }
            Err(error) => self.notice("state", Some(error.to_string())),
        }
        snapshot
    }

    /// Sleeps until something happens or is due.
    fn wait(&mut self) -> Result<(), Error> {
        let now = Cards::now();
        let wants_cards = self.queue.has_ready() && self.queue.wants_cards();
        if wants_cards {
            self.cards.want(now);
        }
        let mut until = self.last_sweep + self.sweep_interval();
        let mut at_most = |moment: Duration| until = until.min(moment);
        if let Some(retry) = self.queue.next_retry() {
            at_most(Duration::from_millis(retry));
        }
        if self.dirty {
            at_most(self.last_snapshot.unwrap_or(now) + SNAPSHOT_EVERY);
        }
        if self.not_before > now {
            at_most(self.not_before);
        }
        if wants_cards && let Some(moment) = self.cards.next_look(now) {
            at_most(moment);
        }
        if let Some(limit) = self.options.max_wait {
            at_most(now + limit);
        }
        let rest = until.saturating_sub(now).max(Duration::from_millis(1));
        let timeout = Timespec {
            tv_sec: i64::try_from(rest.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(rest.subsec_nanos()),
        };
        let mut fds = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.requests, PollFlags::IN),
        ];
        let watch = self.watch.fd();
        fds.extend(watch.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let cards = self.cards.fd();
        fds.extend(cards.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                return Err(Error::System {
                    action: "wait for events",
                    source: error.into(),
                });
            }
        }
        drop(fds);
        drain(&self.requests);
        Ok(())
    }
}

/// Jobs by state.
pub(crate) fn counts(queue: &Queue) -> BTreeMap<&'static str, u32> {
    let mut counts = BTreeMap::new();
    for job in 0..queue.len() {
        *counts.entry(queue.state(job).word()).or_insert(0) += 1;
    }
    counts
}

/// Whether a state is one of those that keep a queue from being a success.
pub(crate) fn all_completed(counts: &BTreeMap<&'static str, u32>) -> bool {
    counts.keys().all(|word| *word == State::Completed.word())
}

fn withdrawn_by(folder: &Path) -> Option<i32> {
    let bytes = aris_fs::read(&folder.join(WITHDRAWN), 64).ok()?;
    String::from_utf8_lossy(&bytes).trim().parse().ok()
}

fn watch_requests(place: &Place) -> Result<OwnedFd, Error> {
    let failed = |error: rustix::io::Errno| Error::System {
        action: "watch for requests",
        source: error.into(),
    };
    let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
    let fd = inotify::init(flags).map_err(failed)?;
    inotify::add_watch(&fd, place.requests(), inotify::WatchFlags::MOVED_TO).map_err(failed)?;
    Ok(fd)
}

/// What it says does not matter: the folder is listed in any case.
fn drain(fd: &OwnedFd) {
    let mut buffer = [0_u8; 4096];
    while rustix::io::read(fd.as_fd(), &mut buffer).is_ok_and(|count| count > 0) {}
}

/// This program, as the runner of attempts.
fn runner(context: &Context) -> Result<Runner, Error> {
    let program = std::env::current_exe().map_err(|source| Error::System {
        action: "find this program",
        source,
    })?;
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    // Under another name this is the multi-call binary.
    let mut arguments = Vec::new();
    if !name.starts_with("queue_manager") {
        arguments.push("queue_manager".into());
    }
    arguments.push(crate::ATTEMPT.into());
    Ok(Runner {
        program: context.absolute(&program),
        arguments,
    })
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(Cards::now().as_millis()).unwrap_or(u64::MAX)
}

fn processors() -> u32 {
    std::thread::available_parallelism()
        .map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}

fn boot() -> String {
    aris_fs::read(Path::new("/proc/sys/kernel/random/boot_id"), 128)
        .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
        .unwrap_or_default()
}

fn host() -> String {
    let uname = rustix::system::uname();
    uname.nodename().to_string_lossy().into_owned()
}
