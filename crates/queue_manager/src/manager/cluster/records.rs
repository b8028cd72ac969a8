//! Ends of attempts, from the records in their folders, or from the batch system if there is none.

use std::time::Duration;

use aris_attempt::Standing;
use aris_attempt::format::{CANCEL, EndedByUs, Ending, Exit};
use aris_queue::judge::CONTINUE;
use aris_queue::manifest::Engine;
use aris_queue::state::{Life, Outcome, Reason, Verdict};
use aris_slurm::{Cause, Says, told_after};

use super::super::ends::{withdraw, withdrew};
use super::super::{Cards, Manager};
use super::{Cluster, EXPLAINED, LOOK, UNLISTED, reason_of};
use crate::error::Error;

impl Manager<'_> {
    pub(in super::super) fn look_at_records(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
        for job in self.queue.active().collect::<Vec<u32>>() {
            match aris_attempt::standing(&self.folder(job)) {
                Ok(Standing::Ended(exit)) => self.ended_there(cluster, job, &exit)?,
                Ok(stands @ Standing::Running { .. }) => {
                    cluster.gone.remove(&job);
                    if self.queue.run(job).life != Life::Running {
                        self.runs(job, &stands);
                    }
                }
                Ok(Standing::Lost { claim, start }) => {
                    if start.is_none() && withdrew(&self.folder(job), claim.as_ref()) {
                        cluster.forget(job);
                        self.withdrawn(job, "an earlier manager withdrew it", false)?;
                    } else {
                        self.gone_there(cluster, job)?;
                    }
                }
                Ok(Standing::Unclaimed) => self.unclaimed_there(cluster, job)?,
                Err(error) => self.notice("attempts", Some(error.to_string())),
            }
        }
        Ok(())
    }

    pub(super) fn ended_there(
        &mut self,
        cluster: &mut Cluster,
        job: u32,
        exit: &Exit,
    ) -> Result<(), Error> {
        let asked = self.folder(job).join(CANCEL).exists();
        if exit.ended_by_us == EndedByUs::Cancelled && !asked {
            return self.ended_by_cluster(cluster, job, exit);
        }
        cluster.forget(job);
        self.ended(job, exit)
    }

    /// The batch system told the runner to end, which nobody asked this queue for. Only the batch system knows why, and reports it some
    /// time later.
    fn ended_by_cluster(
        &mut self,
        cluster: &mut Cluster,
        job: u32,
        exit: &Exit,
    ) -> Result<(), Error> {
        let now = Cards::now();
        let since = *cluster.gone.entry(job).or_insert(now);
        let verdict = match cluster.said.get(&job) {
            Some((Says::Ended(cause, word), _)) => {
                let limit = self.limit_was_near(job, exit);
                ended_by(cluster.engine.name(), *cause, word, limit)
            }
            Some((Says::NotListed, _)) if now >= since + EXPLAINED => {
                let name = cluster.engine.name();
                let why = format!("ended by {name}, and {name} no longer knows why");
                Verdict::failed(Reason::Preempted, why)
            }
            _ => {
                self.ask_soon(cluster);
                return Ok(());
            }
        };
        cluster.forget(job);
        self.conclude(job, verdict)
    }

    /// Evidence that an attempt was told to end because of a time limit, if the batch system does not say so.
    fn limit_was_near(&self, job: u32, exit: &Exit) -> Option<String> {
        let settings = &self.queue.job(job).settings;
        if exit.ending == Ending::Code(CONTINUE) && settings.continues() {
            return Some(String::from(
                "it exited with 75 to continue in its next attempt",
            ));
        }
        let slurm = self.queue.manifest().engine == Engine::Slurm;
        let least = slurm.then(|| told_after(&settings.slurm)).flatten()?;
        let ran = Duration::from_millis(exit.ran_ms);
        let time = settings.slurm.time.as_deref()?;
        (ran >= least).then(|| format!("it ran {} s of slurm.time {time}", ran.as_secs()))
    }

    /// Its runner is dead and left no exit record.
    pub(super) fn gone_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
        let now = Cards::now();
        let since = *cluster.gone.entry(job).or_insert(now);
        let waited = now >= since + EXPLAINED;
        let over = match cluster.said.get(&job).map(|(seen, _)| seen) {
            // The state COMPLETED without an exit record does not mean that the job completed.
            Some(Says::Ended(cause, word)) if reason_of(*cause) != Reason::Lost => {
                let name = cluster.engine.name();
                let text = format!("{name} says {word}, and its runner left no exit record");
                let verdict = Verdict::failed(reason_of(*cause), text);
                cluster.forget(job);
                return self.conclude(job, verdict);
            }
            Some(Says::Ended(..)) => true,
            Some(Says::NotListed) => waited,
            // The batch system has no submission for it, so no reason will be reported.
            None => waited && !cluster.refs.contains_key(&job),
            // A batch system needs some time to notice a dead node (`SlurmdTimeout`), so the absence of an end proves nothing.
            Some(_) => false,
        };
        if over {
            cluster.forget(job);
            return self.lost(job);
        }
        self.queue.seen_nothing(job);
        self.ask_soon(cluster);
        Ok(())
    }

    /// Asks the batch system soon, unless it does not answer: then the pauses grow.
    fn ask_soon(&self, cluster: &mut Cluster) {
        if !self.notices.contains_key("batch system") {
            cluster.next_ask = cluster.next_ask.min(Cards::now() + LOOK.1);
        }
    }

    /// No runner has claimed the attempt yet. If the batch system says that none will, this process claims it.
    pub(super) fn unclaimed_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
        let now = Cards::now();
        let (cause, word, due) = match cluster.said.get(&job) {
            Some((Says::Ended(cause, word), _)) => (*cause, word.clone(), true),
            Some((Says::NotListed, since)) => {
                let word = String::from("nothing of it any more");
                (Cause::Untold, word, now >= *since + UNLISTED)
            }
            _ => return Ok(()),
        };
        let folder = self.folder(job);
        if !due || !withdraw(&folder) {
            return Ok(());
        }
        cluster.forget(job);
        let says = format!("{} says {word}", cluster.engine.name());
        let mut verdict = match reason_of(cause) {
            Reason::Lost => {
                let why = says + ", and no runner ever came; it will not run";
                Verdict::failed(Reason::NodeFail, why)
            }
            reason => Verdict::failed(reason, says + " before any runner came"),
        };
        // Somebody cancelled it by hand.
        if cause == Cause::Cancelled || self.queue.run(job).life == Life::Cancelling {
            verdict.outcome = Outcome::Cancelled;
            verdict.reason = Some(Reason::Cancelled);
        }
        self.conclude(job, verdict)
    }
}

/// The verdict for an attempt whose runner was told to end by the batch system. `limit` is the evidence that a time limit was near.
fn ended_by(name: &str, cause: Cause, word: &str, limit: Option<String>) -> Verdict {
    let text = format!("ended by the cluster: {name} says {word}");
    match (reason_of(cause), cause, limit) {
        (Reason::Lost, Cause::Cancelled, _) => Verdict::failed(Reason::Cancelled, text),
        // The batch system reports the end of the script as the job's own. Slurm's signal before its time limit looks like this, and so
        // does a signal sent by hand.
        (Reason::Lost, _, Some(limit)) => {
            let why = format!("told to end before its time limit: {limit}; {name} says {word}");
            Verdict::failed(Reason::TimeLimit, why)
        }
        (Reason::Lost, _, None) => {
            let why = format!(
                "its runner was told to end by somebody other than this queue, most likely because the time limit of {name} was near; {name} says {word}"
            );
            Verdict::failed(Reason::Signal, why)
        }
        (reason, ..) => Verdict::failed(reason, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_decides_why_a_runner_was_told_to_end() {
        for (cause, outcome, reason) in [
            (Cause::Preempted, Outcome::Failed, Reason::Preempted),
            (Cause::Node, Outcome::Failed, Reason::NodeFail),
            (Cause::Time, Outcome::Failed, Reason::TimeLimit),
            (Cause::Cancelled, Outcome::Cancelled, Reason::Cancelled),
            (Cause::Untold, Outcome::Failed, Reason::Signal),
        ] {
            let verdict = |limit| ended_by("Slurm", cause, "x", limit);
            let ended = verdict(None);
            assert_eq!(
                (ended.outcome, ended.reason),
                (outcome, Some(reason)),
                "{cause:?}"
            );
            // A time limit that was near is the reason only if Slurm names no other.
            let near = match cause {
                Cause::Untold => Reason::TimeLimit,
                _ => reason,
            };
            let ended = verdict(Some(String::from("near")));
            assert_eq!(ended.reason, Some(near), "{cause:?}");
        }
    }
}
