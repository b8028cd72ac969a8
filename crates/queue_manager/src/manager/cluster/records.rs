//! What became of attempts, from the records in their folders, and from Slurm where there is none.

use aris_attempt::Standing;
use aris_queue::attempt::{CANCEL, EndedByUs, Exit};
use aris_queue::engine::Seen;
use aris_queue::state::{Life, Outcome, Reason, Verdict};

use super::super::adopt::withdraw;
use super::super::{Cards, Manager};
use super::{Cluster, EXPLAINED, LOOK, UNLISTED, ended_word, reason_of};
use crate::error::Error;

impl Manager<'_> {
    pub(super) fn look_at_records(&mut self, cluster: &mut Cluster) -> Result<(), Error> {
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

    pub(super) fn ended_there(
        &mut self,
        cluster: &mut Cluster,
        job: u32,
        exit: &Exit,
    ) -> Result<(), Error> {
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
    pub(super) fn gone_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
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
    pub(super) fn unclaimed_there(&mut self, cluster: &mut Cluster, job: u32) -> Result<(), Error> {
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
}
