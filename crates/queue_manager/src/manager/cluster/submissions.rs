//! Waves handed over.

use std::collections::BTreeMap;

use aris_contract::hex::hex;
use aris_queue::attempt::{self};
use aris_queue::engine::{Engine as _, EngineError, SubmitError, Wave};
use aris_queue::schedule;
use aris_queue::state::{Reason, Verdict};
use sha2::{Digest as _, Sha256};

use super::super::adopt::withdraw;
use super::super::spec::log_of;
use super::super::{AGAIN, Cards, Manager};
use super::{ASK, Cluster, SILENCE, WINDOW, name};
use crate::error::Error;

impl Manager<'_> {
    pub(super) fn submit_waves(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
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
    pub(super) fn submit(
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
                self.not_before = Cards::now() + AGAIN;
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
    pub(super) fn token(&self) -> String {
        let digest = Sha256::digest(self.place().queue.as_os_str().as_encoded_bytes());
        let queue = hex(digest.iter().take(4));
        format!("aq-{}-{}", queue, self.journal.seq() + 1)
    }

    pub(super) fn prepare_there(&self, job: u32) -> Result<(), aris_attempt::AttemptError> {
        let (id, number) = (self.id(job), self.queue.run(job).attempt);
        let log = log_of(self.place(), &id, number);
        let spec = self
            .common
            .spec(self.queue.manifest(), job, number, log.clone(), None, &[]);
        let folder = attempt::folder(&self.place().queue, &id, number);
        aris_attempt::prepare(&folder, &spec)?;
        super::super::spec::link_log(self.place(), &id, &log);
        Ok(())
    }
}
