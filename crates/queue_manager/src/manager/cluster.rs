//! A queue whose jobs run on a Slurm cluster.
//!
//! Records in the attempts' folders are the truth; what Slurm says only explains why one is missing. *Not listed* never ends a job
//! by itself: an attempt without a claim is first claimed here, so that it can never run, and an attempt with one must have been silent.
//! **Source**: queue design §10.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use aris_attempt::Standing;
use aris_queue::attempt::{CANCEL, EndedByUs, Exit};
use aris_queue::engine::{
    Engine as _, EngineError, EngineRef, Found, Limits, Seen, SubmitError, Wave,
};
use aris_queue::state::{Event, Life, Outcome, Reason, Verdict};
use aris_queue::{attempt, schedule};
use aris_slurm::{Access, SlurmEngine};
use sha2::{Digest as _, Sha256};

use super::adopt::withdraw;
use super::{Cards, Manager, this_program};
use crate::error::Error;

/// Between two looks at the folders of attempts: few of them, and many.
const LOOK: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));
/// Attempts that are few.
const FEW: usize = 200;
/// Between two questions while something changes, and while nothing does. **Source**: queue design §10.
const ASK: (Duration, Duration) = (Duration::from_secs(15), Duration::from_mins(1));
/// After an answer that did not come: at first, and at most.
const SILENCE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(5));
/// How long Slurm may not list an attempt that nobody has claimed before it counts as one that will not come.
const UNLISTED: Duration = Duration::from_mins(1);
/// How long Slurm's reason is waited for when a runner is gone.
const EXPLAINED: Duration = Duration::from_secs(30);
/// Attempts with the cluster at once, when it does not say how many it takes.
const WINDOW: u32 = 5000;

/// What is known about the cluster's part of the queue.
pub(super) struct Cluster {
    engine: SlurmEngine,
    limits: Option<Limits>,
    refs: BTreeMap<u32, EngineRef>,
    /// Submissions whose answer was lost.
    unclear: BTreeSet<String>,
    /// What Slurm last said of an attempt that is not over for us, and since when it says so.
    said: BTreeMap<u32, (Seen, Duration)>,
    /// Since when runners are gone that left no exit record.
    gone: BTreeMap<u32, Duration>,
    next_look: Duration,
    next_ask: Duration,
    interval: Duration,
    silence: Duration,
}

impl Cluster {
    pub(super) fn open(manager: &Manager<'_>) -> Result<Self, Error> {
        let (program, words) = this_program(manager.context)?;
        if !words.is_empty() {
            return Err(Error::Precondition(String::from(
                "engine: slurm needs the program queue_manager itself, not the multi-call binary: its tasks are started by it",
            )));
        }
        Ok(Self {
            engine: SlurmEngine::new(Access {
                commands: None,
                environment: std::env::vars_os().collect(),
                task_program: vec![program.display().to_string()],
                run: manager.place().queue.clone(),
            }),
            limits: None,
            refs: BTreeMap::new(),
            unclear: BTreeSet::new(),
            said: BTreeMap::new(),
            gone: BTreeMap::new(),
            next_look: Duration::ZERO,
            next_ask: Duration::ZERO,
            interval: ASK.0,
            silence: SILENCE.0,
        })
    }

    /// The moment when something is due.
    pub(super) fn next(&self) -> Duration {
        self.next_look.min(self.next_ask)
    }

    fn forget(&mut self, job: u32) {
        self.refs.remove(&job);
        self.said.remove(&job);
        self.gone.remove(&job);
    }
}

/// `<token>#<index>`, as the journal has it.
fn name(token: &str, index: u32) -> String {
    format!("{token}#{index}")
}

fn parsed(name: &str) -> Option<(&str, u32)> {
    let (token, index) = name.rsplit_once('#')?;
    Some((token, index.parse().ok()?))
}

impl Manager<'_> {
    /// The names of attempts that an earlier manager handed over.
    pub(super) fn adopt_cluster(&mut self, cluster: &mut Cluster) {
        for job in self.queue.active().collect::<Vec<u32>>() {
            let run = self.queue.run(job);
            let Some((token, index)) = run.engine_ref.as_deref().and_then(parsed) else {
                continue;
            };
            let token = token.to_owned();
            match self.queue.submission(&token) {
                Some(number) => {
                    let one = EngineRef {
                        job: number.to_owned(),
                        index,
                        token,
                    };
                    cluster.refs.insert(job, one);
                    self.queue.seen_queued(job);
                }
                None => {
                    cluster.unclear.insert(token);
                }
            }
        }
    }

    /// One turn: records, questions, submissions.
    pub(super) fn turn_cluster(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        let now = Cards::now();
        if now >= cluster.next_look {
            self.look_at_records(cluster)?;
            let few = self.queue.active().take(FEW + 1).count() <= FEW;
            cluster.next_look = Cards::now() + if few { LOOK.0 } else { LOOK.1 };
        }
        if now >= cluster.next_ask {
            self.ask_cluster(cluster)?;
        }
        self.submit_waves(cluster)
    }

    /// Records and questions, for somebody who starts nothing.
    pub(super) fn turn_cluster_once(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        self.look_at_records(cluster)
    }

    // ---- what became of attempts ----

    fn look_at_records(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        for job in self.queue.active().collect::<Vec<u32>>() {
            match aris_attempt::standing(&self.folder(job)) {
                Ok(Standing::Ended(exit)) => self.ended_there(cluster, job, &exit)?,
                Ok(Standing::Running { start, .. }) => {
                    cluster.gone.remove(&job);
                    if let Some(start) = start
                        && self.queue.run(job).life != Life::Running
                    {
                        self.queue.seen_running(job, start.process.pid, start.time);
                        self.dirty = true;
                    }
                }
                Ok(Standing::Lost { .. }) => self.gone_there(cluster, job)?,
                Ok(Standing::Unclaimed) => self.unclaimed_there(cluster, job)?,
                Err(error) => self.notice("attempts", Some(error.to_string())),
            }
        }
        Ok(())
    }

    fn ended_there(&mut self, cluster: &mut Cluster, job: u32, exit: &Exit) -> Result<(), Error> {
        let asked = self.folder(job).join(CANCEL).exists();
        let word = ended_word(cluster, job);
        cluster.forget(job);
        if exit.ended_by_us == EndedByUs::Cancelled && !asked {
            // The cluster ended it: nobody of ours asked for that.
            let reason = word.as_deref().map_or(Reason::Preempted, reason_of);
            let word = word.unwrap_or_else(|| String::from("no reason"));
            return self.conclude(
                job,
                Verdict::failed(reason, format!("ended by the cluster: {word}")),
            );
        }
        self.ended(job, exit)
    }

    /// Its runner is gone without an exit record.
    fn gone_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
        let now = Cards::now();
        let since = *cluster.gone.entry(job).or_insert(now);
        let word = ended_word(cluster, job);
        match word.as_deref().map(|word| (word, reason_of(word))) {
            // COMPLETED without a record is not completed.
            Some((word, reason)) if reason != Reason::Lost => {
                cluster.forget(job);
                let text = format!("Slurm says {word}, and its runner left no exit record");
                self.conclude(job, Verdict::failed(reason, text))
            }
            None if now < since + EXPLAINED => {
                cluster.next_ask = cluster.next_ask.min(now + LOOK.1);
                Ok(())
            }
            _ => {
                cluster.forget(job);
                self.lost(job)
            }
        }
    }

    /// No runner has come so far. When Slurm says that none will, this process claims the attempt first.
    fn unclaimed_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
        let now = Cards::now();
        let (word, due) = match cluster.said.get(&job) {
            Some((Seen::Ended(word), _)) => (word.clone(), true),
            Some((Seen::NotListed, since)) => (
                String::from("nothing of it any more"),
                now >= *since + UNLISTED,
            ),
            _ => return Ok(()),
        };
        let folder = self.folder(job);
        if !due || !withdraw(&folder) {
            return Ok(());
        }
        cluster.forget(job);
        let mut verdict = match reason_of(&word) {
            Reason::Lost => Verdict::failed(
                Reason::NodeFail,
                format!("Slurm says {word}, and no runner ever came; it will not run"),
            ),
            reason => Verdict::failed(reason, format!("Slurm says {word} before any runner came")),
        };
        if self.queue.run(job).life == Life::Cancelling {
            verdict.outcome = Outcome::Cancelled;
            verdict.reason = Some(Reason::Cancelled);
        }
        self.conclude(job, verdict)
    }

    // ---- questions ----

    fn ask_cluster(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        let jobs: Vec<u32> = cluster.refs.keys().copied().collect();
        let refs: Vec<EngineRef> = cluster.refs.values().cloned().collect();
        let mut changed = !cluster.unclear.is_empty();
        if !refs.is_empty() {
            match cluster.engine.observe(&refs) {
                Ok(all) => {
                    let now = Cards::now();
                    for (job, seen) in jobs.into_iter().zip(all) {
                        if matches!(seen, Seen::Queued(_)) {
                            self.queue.seen_queued(job);
                        }
                        let before = cluster.said.get(&job);
                        if before.is_none_or(|(before, _)| *before != seen) {
                            changed = true;
                            cluster.said.insert(job, (seen, now));
                        }
                    }
                    self.heard(cluster);
                }
                Err(error) => {
                    self.not_heard(cluster, &error);
                    return Ok(());
                }
            }
        }
        for token in cluster.unclear.clone() {
            let table = format!("slurm/{token}.table");
            if !self.place().queue.join(table).exists() {
                // It is written before anything is submitted.
                self.not_submitted(cluster, &token)?;
                continue;
            }
            match cluster.engine.find(&token) {
                Ok(Found::Here(refs)) => self.found(cluster, &token, &refs)?,
                Ok(Found::NotThere) => self.not_submitted(cluster, &token)?,
                Ok(Found::CannotTell(why)) => {
                    self.notice(
                        "slurm",
                        Some(format!(
                            "whether {token} was submitted is not known yet: {why}"
                        )),
                    );
                }
                Err(error) => {
                    self.not_heard(cluster, &error);
                    return Ok(());
                }
            }
        }
        cluster.interval = if changed {
            ASK.0
        } else {
            (cluster.interval * 2).min(ASK.1)
        };
        cluster.next_ask = Cards::now() + cluster.interval;
        Ok(())
    }

    fn heard(&mut self, cluster: &mut Cluster) {
        cluster.silence = SILENCE.0;
        if self.notices.contains_key("slurm") && cluster.unclear.is_empty() {
            self.notice("slurm", None);
        }
    }

    fn not_heard(&mut self, cluster: &mut Cluster, error: &EngineError) {
        let now = Cards::now();
        cluster.next_ask = now + cluster.silence;
        cluster.silence = (cluster.silence * 2).min(SILENCE.1);
        if !self.notices.contains_key("slurm") {
            let since = aris_contract::time::stamp(self.context.now());
            self.notice("slurm", Some(format!("unreachable since {since}: {error}")));
        }
    }

    fn of_token(&self, token: &str) -> Vec<(u32, u32)> {
        self.queue
            .active()
            .filter_map(|job| {
                let (own, index) = self.queue.run(job).engine_ref.as_deref().and_then(parsed)?;
                (own == token).then_some((job, index))
            })
            .collect()
    }

    fn found(
        &mut self,
        cluster: &mut Cluster,
        token: &str,
        refs: &[EngineRef],
    ) -> Result<(), Error> {
        cluster.unclear.remove(token);
        self.heard(cluster);
        if let Some(first) = refs.first() {
            self.happen(Event::Submitted {
                token: token.to_owned(),
                number: first.job.clone(),
            })?;
        }
        for (job, index) in self.of_token(token) {
            if let Some(one) = refs.iter().find(|one| one.index == index) {
                cluster.refs.insert(job, one.clone());
            }
            self.queue.seen_queued(job);
        }
        Ok(())
    }

    /// Everybody who could know says that it is not there: its attempts are claimed, so that a late copy runs nothing, and tried anew.
    fn not_submitted(&mut self, cluster: &mut Cluster, token: &str) -> Result<(), Error> {
        cluster.unclear.remove(token);
        for (job, _) in self.of_token(token) {
            if withdraw(&self.folder(job)) {
                self.withdrawn(job, "its submission never reached Slurm")?;
            }
        }
        Ok(())
    }

    fn withdrawn(&mut self, job: u32, why: &str) -> Result<(), Error> {
        self.happen(Event::Withdrawn {
            id: self.id(job),
            attempt: self.queue.run(job).attempt,
            why: why.to_owned(),
        })
    }

    // ---- submissions ----

    fn submit_waves(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        if Cards::now() < self.not_before || self.journal.is_pending() || !self.queue.has_ready() {
            return Ok(());
        }
        let limits = match cluster.limits {
            Some(limits) => limits,
            None => match cluster.engine.limits() {
                Ok(limits) => *cluster.limits.insert(limits),
                Err(error) => {
                    self.not_heard(cluster, &error);
                    self.not_before = cluster.next_ask;
                    return Ok(());
                }
            },
        };
        let active = u32::try_from(self.queue.active().count()).unwrap_or(u32::MAX);
        let room = limits.window.unwrap_or(WINDOW).saturating_sub(active);
        let chosen = schedule::choose_for_engine(&self.queue, room);
        let mut groups: BTreeMap<(u32, Option<u64>), Vec<u32>> = BTreeMap::new();
        for job in chosen {
            if let Some(path) = self.common.missing(self.queue.manifest(), job) {
                self.refuse(job, &path)?;
                continue;
            }
            let settings = &self.queue.manifest().jobs[job as usize].settings;
            let class = (settings.gpus, settings.time_limit_ms);
            groups.entry(class).or_default().push(job);
        }
        for ((gpus, time_limit_ms), jobs) in groups {
            for chunk in jobs.chunks(limits.wave.max(1) as usize) {
                if !self.submit(cluster, gpus, time_limit_ms, chunk)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Hands a wave over. `false`: nothing more is to be handed over now.
    fn submit(
        &mut self,
        cluster: &mut Cluster,
        gpus: u32,
        time_limit_ms: Option<u64>,
        jobs: &[u32],
    ) -> Result<bool, Error> {
        let mark = self.journal.mark();
        let token = self.token();
        let mut events = Vec::new();
        for (index, job) in (0..).zip(jobs) {
            let start = schedule::Start {
                job: *job,
                cards: Vec::new(),
            };
            let event = self.start_event(&start, Some(name(&token, index)));
            self.journal.push(&event, self.context.now());
            events.push(event);
        }
        if let Err(error) = self.journal.sync() {
            self.journal.withdraw(mark);
            self.cannot_write(&error);
            return Ok(false);
        }
        for event in &events {
            self.apply_synced(event)?;
        }
        let mut attempts = Vec::new();
        for job in jobs {
            if let Err(error) = self.prepare_there(*job) {
                self.notice("start", Some(error.to_string()));
                self.not_before = Cards::now() + super::AGAIN;
                for job in jobs {
                    self.withdrawn(*job, &error.to_string())?;
                }
                return Ok(false);
            }
            attempts.push(self.folder(*job));
        }
        let wave = Wave {
            token: token.clone(),
            run: self.place().queue.clone(),
            attempts,
            gpus,
            time_limit_ms,
            max_parallel: self.queue.max_parallel(),
            options: self.queue.manifest().slurm.clone(),
        };
        match cluster.engine.submit(&wave) {
            Ok(refs) => {
                self.say(&format!("{} jobs submitted as {token}", jobs.len()));
                cluster.next_ask = Cards::now() + ASK.0;
                self.found(cluster, &token, &refs)?;
                Ok(true)
            }
            Err(SubmitError::Rejected(why)) => {
                for job in jobs {
                    // Nothing was taken; claimed all the same, because nothing else proves it.
                    if withdraw(&self.folder(*job)) {
                        self.conclude(*job, Verdict::failed(Reason::EngineRejected, why.clone()))?;
                    }
                }
                Ok(true)
            }
            Err(SubmitError::Unavailable(why)) => {
                for job in jobs {
                    if withdraw(&self.folder(*job)) {
                        self.withdrawn(*job, &why)?;
                    }
                }
                cluster.limits = None;
                self.not_heard(cluster, &EngineError::Unavailable(why));
                self.not_before = cluster.next_ask;
                Ok(false)
            }
            Err(SubmitError::Unclear(why)) => {
                self.notice(
                    "slurm",
                    Some(format!("whether {token} was submitted is not known: {why}")),
                );
                cluster.unclear.insert(token);
                cluster.next_ask = Cards::now() + SILENCE.0;
                Ok(false)
            }
        }
    }

    /// `aq-<queue>-<number>`: of this queue's folder and of the journal's next line, so that no two are alike.
    fn token(&self) -> String {
        let digest = Sha256::digest(self.place().queue.as_os_str().as_encoded_bytes());
        let hex: Vec<String> = digest
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("aq-{}-{}", hex.concat(), self.journal.seq() + 1)
    }

    fn prepare_there(&self, job: u32) -> Result<(), aris_attempt::AttemptError> {
        let (id, number) = (self.id(job), self.queue.run(job).attempt);
        let log = super::spec::log_of(self.place(), &id, number);
        let spec = self
            .common
            .spec(self.queue.manifest(), job, number, log.clone(), None, &[]);
        let folder = attempt::folder(&self.place().queue, &id, number);
        aris_attempt::prepare(&folder, &spec)?;
        super::spec::link_log(self.place(), &id, &log);
        Ok(())
    }

    /// A person wants the end of an attempt; the request stands in its folder already, where its runner finds it within a heartbeat.
    ///
    /// One that has not come so far is claimed here: its task will start and leave at once. It is not taken out of Slurm's queue, because
    /// `scancel --state=PENDING <array>_<task>` takes out **all** waiting tasks of the array (measured with 22.05.8).
    pub(super) fn cancel_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        if matches!(aris_attempt::standing(&folder), Ok(Standing::Unclaimed)) && withdraw(&folder) {
            cluster.forget(job);
            return self.conclude(
                job,
                Verdict::failed(Reason::Cancelled, "cancelled before any runner came"),
            );
        }
        Ok(())
    }
}

fn ended_word(cluster: &Cluster, job: u32) -> Option<String> {
    match cluster.said.get(&job) {
        Some((Seen::Ended(word), _)) => Some(word.clone()),
        _ => None,
    }
}

/// What a state of Slurm means for an attempt that left no exit record. **Source**: squeue(1), job state codes.
fn reason_of(word: &str) -> Reason {
    match word.split([' ', '+']).next().unwrap_or_default() {
        "NODE_FAIL" | "BOOT_FAIL" => Reason::NodeFail,
        "PREEMPTED" => Reason::Preempted,
        "OUT_OF_MEMORY" => Reason::HostOom,
        "TIMEOUT" | "DEADLINE" => Reason::TimeLimit,
        _ => Reason::Lost,
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

    #[test]
    fn only_what_slurm_explains_is_more_than_lost() {
        for (word, reason) in [
            ("NODE_FAIL", Reason::NodeFail),
            ("PREEMPTED", Reason::Preempted),
            ("OUT_OF_MEMORY", Reason::HostOom),
            ("TIMEOUT", Reason::TimeLimit),
            ("COMPLETED", Reason::Lost),
            ("CANCELLED by 0", Reason::Lost),
            ("", Reason::Lost),
        ] {
            assert_eq!(reason_of(word), reason, "{word}");
        }
    }
}
