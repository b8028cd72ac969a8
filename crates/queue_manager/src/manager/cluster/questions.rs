//! Questions to the batch system, and what their answers change.

use aris_queue::state::{Event, Life};
use aris_slurm::{Found, Says, Silent, Task};

use super::super::{Cards, Manager};
use super::{ASK, Cluster, SILENCE};
use crate::error::Error;
use crate::results::words::more;

/// Slurm's reasons for waiting that do not go away by themselves.
///
/// **Source**: squeue(1), "JOB REASON CODES": a request beyond what the partition, the nodes or the account allow for one job, or a hold.
const NEVER: [&str; 12] = [
    "PartitionConfig",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "BadConstraints",
    "PerJob",
    "PerNode",
    "JobHeldUser",
    "JobHeldAdmin",
    "InvalidAccount",
    "InvalidQOS",
    "AccountNotAllowed",
    "QOSNotAllowed",
];

/// Key of the notice about such a job.
pub(super) const STUCK: &str = "stuck";

impl Manager<'_> {
    pub(super) fn ask_cluster(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        let jobs: Vec<u32> = cluster.refs.keys().copied().collect();
        let refs: Vec<Task> = cluster.refs.values().cloned().collect();
        let mut changed = !cluster.unclear.is_empty();
        if !refs.is_empty() {
            match cluster.engine.observe(&refs) {
                Ok(all) => {
                    let now = Cards::now();
                    for (job, seen) in jobs.into_iter().zip(all) {
                        let before = cluster.said.get(&job);
                        if before.is_none_or(|(before, _)| *before != seen) {
                            changed = true;
                            self.dirty = true;
                            self.queue.engine_says(job, &said(&seen));
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
                // The table is written before anything is submitted, so nothing was.
                self.not_submitted(cluster, &token)?;
                continue;
            }
            match cluster.engine.find(&token) {
                Ok(Found::Here(refs)) => self.found(cluster, &token, &refs)?,
                Ok(Found::NotThere) => self.not_submitted(cluster, &token)?,
                Ok(Found::CannotTell(why)) => {
                    let text = format!("whether {token} was submitted is not known yet: {why}");
                    self.notice("batch system", Some(text));
                }
                Err(error) => {
                    self.not_heard(cluster, &error);
                    return Ok(());
                }
            }
        }
        self.tell_of_stuck(cluster);
        cluster.interval = if changed {
            ASK.0
        } else {
            (cluster.interval * 2).min(ASK.1)
        };
        cluster.next_ask = Cards::now() + cluster.interval;
        Ok(())
    }

    /// Sets a notice about jobs that the batch system accepted and will not start as they are.
    pub(super) fn tell_of_stuck(&mut self, cluster: &Cluster) {
        let stuck = |why: &str| NEVER.iter().any(|word| why.contains(word));
        let said = cluster.said.iter();
        let mut jobs = said.filter_map(|(job, (says, _))| match says {
            // The record of its start may be read before Slurm reports the start.
            Says::Queued(why) if stuck(why) && self.queue.run(*job).life != Life::Running => {
                Some((*job, why.clone()))
            }
            _ => None,
        });
        let text = jobs.next().map(|(job, why)| {
            let more = more(jobs.count(), "more");
            let (id, name) = (self.id(job), cluster.engine.name());
            format!("{name} has job {id:?}{more} and does not start it as it is: {why}")
        });
        self.notice(STUCK, text);
    }

    pub(super) fn heard(&mut self, cluster: &mut Cluster) {
        cluster.silence = SILENCE.0;
        if cluster.unclear.is_empty() {
            self.notice("batch system", None);
        }
    }

    pub(super) fn not_heard(&mut self, cluster: &mut Cluster, error: &Silent) {
        let now = Cards::now();
        cluster.next_ask = now + cluster.silence;
        cluster.silence = (cluster.silence * 2).min(SILENCE.1);
        if !self.notices.contains_key("batch system") {
            let since = aris_contract::time::stamp(self.context.now());
            let name = cluster.engine.name();
            let text = format!("{name} unreachable since {since}: {error}");
            self.notice("batch system", Some(text));
        }
    }

    pub(super) fn of_token(&self, token: &str) -> Vec<(u32, u32)> {
        let jobs = self.queue.active().filter_map(|job| {
            let (own, index) = self.wave_of(job)?;
            (own == token).then_some((job, index))
        });
        jobs.collect()
    }

    pub(super) fn found(
        &mut self,
        cluster: &mut Cluster,
        token: &str,
        refs: &[Task],
    ) -> Result<(), Error> {
        cluster.unclear.remove(token);
        cluster.pending.retain(|wave| wave.wave.token != token);
        self.heard(cluster);
        if let Some(first) = refs.first() {
            self.happen(Event::Submitted {
                token: token.to_owned(),
                number: first.job.clone(),
            })?;
        }
        let of_token = self.of_token(token);
        // Tasks of jobs that were cancelled or taken back before Slurm's number was known.
        let is_ours = |one: &&Task| of_token.iter().any(|(_, index)| *index == one.index);
        let others = refs.iter().filter(|one| !is_ours(one));
        cluster.unwanted.extend(others.cloned());
        for (job, index) in of_token {
            if let Some(one) = refs.iter().find(|one| one.index == index) {
                cluster.refs.insert(job, one.clone());
            }
        }
        Ok(())
    }

    /// No source has the submission. Its attempts are claimed, so that a late copy runs nothing, and the jobs are submitted again.
    pub(super) fn not_submitted(
        &mut self,
        cluster: &mut Cluster,
        token: &str,
    ) -> Result<(), Error> {
        cluster.unclear.remove(token);
        let mut pending = cluster.pending.iter();
        if let Some(at) = pending.position(|wave| wave.wave.token == token) {
            if let Some(why) = cluster.pending[at].last.take() {
                let wave = cluster.pending.remove(at);
                return self.rejected(cluster, &wave.jobs, &why);
            }
            // It is submitted again unchanged.
            return Ok(());
        }
        let jobs = self.of_token(token).into_iter();
        let jobs: Vec<u32> = jobs.map(|(job, _)| job).collect();
        let why = format!("its submission never reached {}", cluster.engine.name());
        self.untaken(&jobs, &why)
    }
}

/// The batch system's answer, for people.
fn said(seen: &Says) -> String {
    match seen {
        Says::Queued(why) => format!("waiting: {why}"),
        Says::Running(nodes) => format!("running on {nodes}"),
        Says::Ended(_, word) => word.clone(),
        Says::NotListed => String::from("nothing of it"),
    }
}
