//! Submissions of waves.

use std::time::Duration;

use aris_contract::hex::hex;
use aris_contract::text::counted;
use aris_queue::schedule;
use aris_queue::state::{Reason, State, Verdict};
use aris_slurm::{Silent, SubmitError, Wave};
use sha2::{Digest as _, Sha256};

use super::super::ends::withdraw;
use super::super::starts::missing;
use super::super::{AGAIN, Cards, Manager};
use super::{ASK, Cluster, Pending, SILENCE, WINDOW, check_config, class, name};
use crate::error::Error;

/// How often an unknown refusal counts as temporary. **Source**: queue design §10.
const UNKNOWN_TRIES: u32 = 3;
/// Pause between two tries of a wave for which the account has no room, while no job of this queue ends.
const FULL: Duration = Duration::from_secs(30);

impl Manager<'_> {
    fn with_system(&self, cluster: &Cluster) -> u32 {
        self.open_by_wave(cluster).values().sum()
    }

    /// Submits waves again that were not accepted.
    pub(super) fn submit_again(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        let now = Cards::now();
        let there = self.with_system(cluster);
        for mut wave in std::mem::take(&mut cluster.pending) {
            let room = wave.full_with.is_some_and(|then| there < then);
            if self.queue.paused() && wave.next <= now {
                wave.next = now + SILENCE.0;
            }
            if cluster.unclear.contains(&wave.wave.token) || (now < wave.next && !room) {
                cluster.pending.push(wave);
                continue;
            }
            // Jobs that were cancelled meanwhile are left out.
            wave.jobs.retain(|job| {
                let ours = self.wave_of(*job);
                self.queue.run(*job).life.is_active()
                    && ours.is_some_and(|(token, _)| token == wave.wave.token)
            });
            if !wave.jobs.is_empty() {
                self.hand_over(cluster, wave)?;
            }
        }
        if cluster.pending.iter().all(|wave| wave.full_with.is_none()) {
            self.notice("account limit", None);
        }
        if cluster.pending.is_empty() {
            // The waves were accepted, or refused for good; both are reported elsewhere.
            self.dirty |= self.notices.remove("refusal").is_some();
        }
        Ok(())
    }

    pub(super) fn submit_waves(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        if Cards::now() < self.not_before || self.journal.is_pending() || !self.queue.has_ready() {
            return Ok(());
        }
        // If one wave finds no room, another does not either.
        if cluster.pending.iter().any(|wave| wave.full_with.is_some()) {
            return Ok(());
        }
        let most = match &cluster.config {
            Some(config) => config.wave,
            None => match cluster.engine.config() {
                Ok(config) => {
                    check_config(&config)?;
                    cluster.config.insert(config).wave
                }
                Err(error) => {
                    self.not_heard(cluster, &error);
                    self.not_before = cluster.next_ask;
                    return Ok(());
                }
            },
        };
        let window = cluster.window.unwrap_or(WINDOW);
        let room = window.saturating_sub(self.with_system(cluster));
        let share = self.share_left(cluster);
        let room = match share.filter(|_| !cluster.engine.bounds_waves()) {
            Some(share) => room.min(share),
            None => room,
        };
        let chosen = schedule::choose_for_engine(&self.queue, room);
        let mut ready = Vec::new();
        for job in chosen {
            if let Some(path) = self.common.missing(self.queue.manifest(), job) {
                self.refuse(job, missing(&path))?;
                continue;
            }
            let engine = self.queue.manifest().engine;
            let class = class(self.queue.job(job), engine, &self.place().queue);
            let priority = self.queue.job(job).settings.priority;
            ready.push((priority, class, job));
        }
        let mut waves = self.waves(ready);
        self.rank(cluster, &mut waves);
        for (_, class, jobs) in waves {
            for chunk in jobs.chunks(most.max(1) as usize) {
                if self.share_left(cluster) == Some(0)
                    || !self.begin_wave(cluster, &class, chunk)?
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Begins the attempts of a wave and submits it. `false`: no more waves should be submitted now.
    fn begin_wave(
        &mut self,
        cluster: &mut Cluster,
        class: &Wave,
        jobs: &[u32],
    ) -> Result<bool, Error> {
        let token = self.token();
        let starts = (0..).zip(jobs).map(|(index, job)| {
            let (job, cards) = (*job, Vec::new());
            self.start_event(&schedule::Start { job, cards }, Some(name(&token, index)))
        });
        if !self.begun(&starts.collect::<Vec<_>>())? {
            return Ok(false);
        }
        for job in jobs {
            if let Err(error) = self.prepare(*job, None, &[]) {
                self.notice("start", Some(error.to_string()));
                self.not_before = Cards::now() + AGAIN;
                self.untaken(jobs, &error.to_string())?;
                return Ok(false);
            }
        }
        let wave = Pending {
            wave: Wave {
                token,
                ..class.clone()
            },
            jobs: jobs.to_vec(),
            next: Duration::ZERO,
            full_with: None,
            last: None,
        };
        self.hand_over(cluster, wave)
    }

    /// Submits a wave whose attempts are prepared. `false`: no more waves should be submitted now.
    fn hand_over(&mut self, cluster: &mut Cluster, mut pending: Pending) -> Result<bool, Error> {
        let own = u32::try_from(pending.jobs.len()).unwrap_or(u32::MAX);
        let others = self.with_system(cluster);
        let left = self.share_left(cluster);
        let left = left.filter(|_| cluster.engine.bounds_waves());
        let throttle = left.map(|left| left.clamp(1, own.max(1)));
        let token = pending.wave.token.clone();
        cluster.nice.insert(token.clone(), pending.wave.nice);
        pending.wave.attempts = pending.jobs.iter().map(|job| self.folder(*job)).collect();
        pending.wave.throttle = throttle.filter(|most| *most < own);
        let now = Cards::now();
        // Set before the answer: if it is lost, the wave may use its whole share.
        cluster.throttles.remove(&token);
        let throttle = throttle.map(|most| (token.clone(), most));
        cluster.throttles.extend(throttle);
        // After a refusal: the notice's key and text, the pause before the next try, and whether other waves may be submitted meanwhile.
        let (about, text, pause, more) = match cluster.engine.submit(&pending.wave) {
            Ok(tasks) => {
                self.say(&format!("{} submitted as {token}", counted(own, "job")));
                cluster.next_ask = now + ASK.0;
                // There was room for this wave, so there may be for more.
                if let Some(window) = &mut cluster.window
                    && others.saturating_add(own) >= *window
                {
                    *window = others.saturating_add(own).saturating_mul(2);
                }
                for job in &pending.jobs {
                    cluster.refusals.remove(job);
                }
                self.found(cluster, &token, &tasks)?;
                return Ok(true);
            }
            Err(SubmitError::Rejected(why)) => {
                self.rejected(cluster, &pending.jobs, &why)?;
                return Ok(true);
            }
            Err(SubmitError::Full(why)) => {
                let text = format!("the account's limit, jobs wait: {why}");
                let fewer = own / 2;
                cluster.window = Some(others.saturating_add(fewer).max(1));
                cluster.refused(&pending.jobs, &why);
                if fewer > 0 {
                    self.notice("account limit", Some(text));
                    // The first half keeps its attempts; those of the second half are withdrawn.
                    let rest = pending.jobs.split_off(fewer as usize);
                    self.untaken(&rest, &why)?;
                    self.tell_of_refusal(cluster, &rest, "when those before it have been taken");
                    return self.hand_over(cluster, pending);
                }
                pending.full_with = Some(others);
                ("account limit", text, FULL, false)
            }
            Err(SubmitError::Closed(why)) => {
                cluster.refused(&pending.jobs, &why);
                let text = format!("the partition is closed, jobs wait: {why}");
                ("refusal", text, FULL, true)
            }
            Err(SubmitError::Unavailable(why)) => {
                cluster.config = None;
                self.not_heard(cluster, &Silent(why));
                self.not_before = cluster.next_ask;
                pending.next = cluster.next_ask;
                cluster.pending.push(pending);
                return Ok(false);
            }
            Err(SubmitError::Unknown(why)) => {
                let times = cluster.refused(&pending.jobs, &why);
                let is_last = times >= UNKNOWN_TRIES;
                let is_unclear = cluster.engine.is_unclear(&token);
                if is_last && !is_unclear {
                    self.rejected(cluster, &pending.jobs, &why)?;
                    return Ok(true);
                }
                if is_unclear {
                    pending.last = is_last.then(|| why.clone());
                    cluster.unclear.insert(token);
                    cluster.next_ask = cluster.next_ask.min(now + SILENCE.0);
                }
                let text = format!("not known here, it is tried again: {why}");
                ("refusal", text, SILENCE.0 * times, true)
            }
            Err(SubmitError::Unclear(why)) => {
                let text = format!("whether {token} was submitted is not known: {why}");
                cluster.unclear.insert(token);
                cluster.next_ask = now + SILENCE.0;
                ("batch system", text, SILENCE.0, false)
            }
        };
        self.notice(about, Some(text));
        pending.next = now + pause;
        if about != "batch system" {
            let limit = pending
                .full_with
                .map(|_| ", or when a job of this queue has left it");
            let again = self.moment(pause) + limit.unwrap_or_default();
            self.tell_of_refusal(cluster, &pending.jobs, &again);
        }
        cluster.pending.push(pending);
        Ok(more)
    }

    /// Refuses jobs that the batch system will never accept.
    pub(super) fn rejected(
        &mut self,
        cluster: &mut Cluster,
        jobs: &[u32],
        why: &str,
    ) -> Result<(), Error> {
        self.untaken(jobs, why)?;
        for job in jobs {
            cluster.refusals.remove(job);
            // Not if a runner has its attempt, or a person cancelled it.
            if self.queue.state(*job) == State::Ready {
                self.refuse(*job, Verdict::failed(Reason::EngineRejected, why))?;
            }
        }
        Ok(())
    }

    /// Withdraws the attempts of a wave that was not accepted: their folders are removed, and their numbers can be used again.
    pub(super) fn untaken(&mut self, jobs: &[u32], why: &str) -> Result<(), Error> {
        for job in jobs {
            let folder = self.folder(*job);
            // Claimed first: only this proves that no runner has it.
            if withdraw(&folder) {
                let log = aris_attempt::log_of(&folder);
                // Removed before it is recorded: a number that is used again must not have a claim.
                let number_free = aris_fs::remove_tree(&self.place().queue, &folder).is_ok();
                if let Some(log) = log.filter(|_| number_free) {
                    // If it stays, the next attempt has another one.
                    aris_fs::remove_file(&log).unwrap_or_default();
                }
                self.withdrawn(*job, why, number_free)?;
            }
        }
        Ok(())
    }

    /// Records for the state file that these jobs were refused, and when they are submitted again.
    fn tell_of_refusal(&mut self, cluster: &Cluster, jobs: &[u32], again: &str) {
        let name = cluster.engine.name();
        for job in jobs {
            if let Some((why, times)) = cluster.refusals.get(job) {
                let text = format!("{name} refused it (try {times}): {why}; next try {again}");
                self.queue.engine_says(*job, &text);
                self.dirty = true;
            }
        }
    }

    /// `at` and the time of day in UTC.
    fn moment(&self, from_now: Duration) -> String {
        let from_now = jiff::SignedDuration::try_from(from_now).unwrap_or_default();
        let moment = self.context.now().saturating_add(from_now);
        let moment = aris_contract::time::stamp(moment.unwrap_or_default());
        format!("at {moment}")
    }

    /// `aq-<queue>-<number>`: made from this queue's folder and the number of the journal's next line, so that each token is unique.
    pub(super) fn token(&self) -> String {
        let digest = Sha256::digest(self.place().queue.as_os_str().as_encoded_bytes());
        let queue = hex(digest.iter().take(4));
        format!("aq-{}-{}", queue, self.journal.seq() + 1)
    }
}
