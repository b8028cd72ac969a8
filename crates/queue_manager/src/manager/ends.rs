//! Ends of attempts, and their consequences.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use aris_attempt::format::{Claim, EndedByUs};
use aris_attempt::{Seen, Standing, format};
use aris_contract::text::counted;
use aris_queue::judge;
use aris_queue::state::{Event, Life, Outcome, Queue, Reason, Run, Verdict};

use super::hooks::Call;
use super::{Cards, Manager};
use crate::error::Error;

/// How many runners in a row may die before they claim their attempt until the job counts as one that cannot be started.
const FAILED_STARTS: u32 = 3;

/// The verdict from the exit record in the `folder` of a job's attempt; `boot` is the current boot of this machine.
pub(crate) fn verdict(
    queue: &Queue,
    job: u32,
    folder: &Path,
    boot: &str,
    exit: &format::Exit,
) -> Verdict {
    let run = queue.run(job);
    let cancelling = run.life == Life::Cancelling;
    // Its runner was told to end, and nobody asked this queue for that. A machine that shuts down tells all processes to end.
    if exit.ended_by_us == EndedByUs::Cancelled
        && !cancelling
        && !folder.join(format::CANCEL).exists()
    {
        if run.last().boot.as_deref().is_some_and(|then| then != boot) {
            let why = "its runner was told to end, nobody asked this queue for that, and the machine has been started anew since";
            return Verdict::failed(Reason::NodeFail, why);
        }
        let why = "its runner was told to end by somebody other than this queue";
        return Verdict::failed(Reason::Signal, why);
    }
    let settings = &queue.job(job).settings;
    let mut verdict = judge::judge(exit, settings.done_when, settings.continues());
    // A job that failed by itself after a person cancelled it is not retried.
    if cancelling && verdict.outcome == Outcome::Failed {
        verdict.outcome = Outcome::Cancelled;
        verdict.reason = Some(Reason::Cancelled);
    }
    verdict
}

impl Manager<'_> {
    pub(super) fn ended(&mut self, job: u32, exit: &format::Exit) -> Result<(), Error> {
        let verdict = verdict(&self.queue, job, &self.folder(job), &self.boot, exit);
        self.conclude(job, verdict)
    }

    pub(super) fn lost(&mut self, job: u32) -> Result<(), Error> {
        if self.queue.run(job).life == Life::Cancelling {
            let text = "cancelled; its runner was gone before";
            return self.conclude(job, Verdict::failed(Reason::Cancelled, text));
        }
        let folder = self.folder(job);
        if self.left(job) == Some(Duration::ZERO) && folder.join(format::CANCEL).exists() {
            let text = "its time limit is over; its runner was gone, and the queue ended it";
            return self.conclude(job, Verdict::failed(Reason::TimeLimit, text));
        }
        let name = folder.display();
        let text = format!(
            "its runner is gone and left no exit record in {name}: nobody knows how it ended; look at its log and outputs before you retry it"
        );
        let mut verdict = Verdict::failed(Reason::Lost, text);
        let unkept = aris_attempt::runner::record_lost(&folder).err();
        verdict.warning = unkept.map(|why| format!("the record of the run cannot be kept: {why}"));
        self.conclude(job, verdict)
    }

    pub(super) fn conclude(&mut self, job: u32, verdict: Verdict) -> Result<(), Error> {
        let run = self.queue.run(job);
        let settings = &self.queue.job(job).settings;
        let retry_in_ms = judge::retry_in_ms(&verdict, &settings.retry, run.spent);
        self.conclude_with(job, verdict, retry_in_ms)
    }

    pub(super) fn conclude_with(
        &mut self,
        job: u32,
        mut verdict: Verdict,
        retry_in_ms: Option<u64>,
    ) -> Result<(), Error> {
        verdict.card_peak_mib = self.peaks.remove(&job);
        let run = self.queue.run(job);
        let (number, cards) = (run.attempt(), run.last().cards.clone());
        let id = self.id(job);
        let after = retry_in_ms.map(|ms| format!("; again in {} s", ms.div_ceil(1000)));
        let what = match (&verdict.error, &verdict.warning) {
            (Some(error), warning) => {
                let reason = verdict.reason.map_or("failed", Reason::word);
                let warning = warning.iter().map(|warning| format!("; {warning}"));
                format!("{reason}: {error}{}", warning.collect::<String>())
            }
            (None, Some(warning)) => format!("completed: {warning}"),
            (None, None) => String::from("completed"),
        };
        let after = after.unwrap_or_default();
        self.say(&format!("{id} #{number} {what}{after}"));
        self.failed_starts.remove(&job);
        self.happen(Event::Ended {
            id,
            attempt: number,
            verdict,
            retry_in_ms,
        })?;
        self.cards.released(&cards, Cards::now());
        self.any_end = true;
        if has_failed(self.queue.run(job)) {
            self.tell_of_failure(job);
            self.stop_after_failures()?;
        }
        Ok(())
    }

    /// Calls the manifest's hook for a job that has failed.
    pub(super) fn tell_of_failure(&mut self, job: u32) {
        let Some(command) = self.queue.manifest().on_failure.clone() else {
            return;
        };
        let run = self.queue.run(job);
        let verdict = run.verdict();
        let reason = self.queue.reason(job).map_or("", Reason::word);
        let error = verdict.and_then(|verdict| verdict.error.clone());
        let log = run.last().log.as_deref().unwrap_or_default().to_owned();
        let env = vec![
            ("ARIS_JOB", self.id(job)),
            ("ARIS_REASON", reason.to_owned()),
            ("ARIS_ERROR", error.unwrap_or_default()),
            ("ARIS_LOG", log),
        ];
        self.call_hook("on_failure", command, env);
    }

    /// Calls the manifest's hook for the end of the queue, if something has ended since it was last called.
    pub(super) fn tell_of_end(&mut self) {
        if let Some(command) = self.queue.manifest().on_end.clone()
            && std::mem::take(&mut self.any_end)
        {
            let env = vec![
                ("ARIS_JOBS", self.queue.len().to_string()),
                ("ARIS_COMPLETED", self.queue.completed_jobs().to_string()),
            ];
            self.call_hook("on_end", command, env);
        }
    }

    fn call_hook(
        &mut self,
        key: &'static str,
        command: String,
        mut env: Vec<(&'static str, String)>,
    ) {
        let state = self.place().state.display().to_string();
        env.push(("ARIS_QUEUE_STATE", state));
        self.hooks.call(Call {
            key,
            command,
            cwd: self.common.cwd.clone(),
            env,
        });
    }

    /// If `max_failures` is reached, refuses all jobs that have not started; running jobs continue.
    pub(super) fn stop_after_failures(&mut self) -> Result<(), Error> {
        let most = self.queue.manifest().max_failures;
        if most.is_none_or(|most| self.failed() < most as usize) {
            return Ok(());
        }
        self.too_many_failed = true;
        let waits = |job: &u32| {
            !self.queue.state(*job).is_final() && !self.queue.run(*job).life.is_active()
        };
        self.not_started((0..self.queue.len()).filter(waits).collect())
    }

    /// Number of jobs that have failed, without those that were never started because of `max_failures`.
    fn failed(&self) -> usize {
        let failed = (0..self.queue.len()).filter(|job| {
            has_failed(self.queue.run(*job)) && self.queue.reason(*job) != Some(Reason::Cancelled)
        });
        failed.count()
    }

    /// Refuses these jobs, because `max_failures` is reached.
    pub(super) fn not_started(&mut self, waiting: Vec<u32>) -> Result<(), Error> {
        let (failed, most) = (
            counted(self.failed(), "job"),
            self.queue.manifest().max_failures,
        );
        let most = most.unwrap_or_default();
        if !waiting.is_empty() {
            let others = counted(waiting.len(), "job");
            self.say(&format!(
                "failed (max_failures: {most}): {failed}; not started: {others}"
            ));
        }
        for job in waiting {
            // A job that depends on an earlier one of these is blocked by now.
            if self.queue.state(job).is_final() {
                continue;
            }
            let text =
                format!("not started: {failed} of the queue had failed (max_failures: {most})");
            self.happen(Event::Refused {
                id: self.id(job),
                verdict: Verdict::failed(Reason::Cancelled, text),
            })?;
        }
        Ok(())
    }

    /// Records the cards' memory that running jobs use, as far as the last sample shows it.
    pub(super) fn note_peaks(&mut self) {
        let on_cards = |job: &u32| !self.queue.run(*job).last().cards.is_empty();
        let jobs = self.queue.active().filter(on_cards);
        let jobs: BTreeMap<i32, u32> = jobs
            .filter_map(|job| Some((self.queue.run(job).last().pid?, job)))
            .collect();
        for (pid, mib) in self.cards.used_by(&jobs.keys().copied().collect()) {
            let Some(job) = jobs.get(&pid) else {
                continue;
            };
            let each = mib.div_ceil(self.queue.run(*job).last().cards.len().max(1) as u64);
            let peak = self.peaks.entry(*job).or_default();
            *peak = each.max(*peak);
        }
    }

    pub(super) fn see(&mut self, told: Vec<(u64, Seen)>) -> Result<(), Error> {
        for (key, seen) in told {
            let Ok(job) = u32::try_from(key) else {
                continue;
            };
            if !self.queue.run(job).life.is_active() {
                continue;
            }
            match seen {
                Ok(stands @ Standing::Running { orphan, .. }) => {
                    self.failed_starts.remove(&job);
                    self.runs(job, &stands);
                    if orphan {
                        let id = self.id(job);
                        self.say(&format!(
                            "{id}: its runner was killed, and the job runs on; how it ends will not be known"
                        ));
                    }
                }
                Ok(Standing::Ended(exit)) => self.ended(job, &exit)?,
                Ok(Standing::Unclaimed) => self.not_claimed(job)?,
                Ok(Standing::Lost { .. }) => self.lost(job)?,
                Err(error) => {
                    self.queue.seen_nothing(job);
                    self.notice("attempts", Some(error.to_string()));
                }
            }
        }
        Ok(())
    }

    /// Takes over from the attempt's folder when its command started.
    pub(super) fn runs(&mut self, job: u32, stands: &Standing) {
        if let Some((pid, since)) = stands.running() {
            self.queue.seen_running(job, pid, since);
            self.dirty = true;
        }
    }

    /// A runner exited before it claimed its attempt.
    pub(super) fn not_claimed(&mut self, job: u32) -> Result<(), Error> {
        let folder = self.folder(job);
        if !withdraw(&folder) {
            return self.adopt(job);
        }
        if self.queue.run(job).life == Life::Cancelling {
            return self.withdrawn(job, "cancelled before its runner claimed it", false);
        }
        let count = self.failed_starts.get(&job).copied().unwrap_or(0) + 1;
        let why = aris_attempt::runner::complaint(&folder)
            // On a full disk, the file is empty.
            .filter(|why| !why.is_empty())
            .unwrap_or_else(|| String::from("its runner ended before it did anything"));
        let again = (count < FAILED_STARTS).then_some(1000 * u64::from(count));
        self.conclude_with(job, Verdict::failed(Reason::StartFailed, why), again)?;
        if again.is_some() {
            self.failed_starts.insert(job, count);
        }
        Ok(())
    }
}

fn has_failed(run: &Run) -> bool {
    let failed = [Outcome::Failed, Outcome::Lost].map(Life::Over);
    failed.contains(&run.life)
}

/// File that marks an attempt as withdrawn by a manager; it has the manager's process id.
const WITHDRAWN: &str = "withdrawn";
/// Why an attempt is ended, for people.
pub(super) const BY_A_PERSON: &str = "cancelled by a person";

/// Makes sure that an unclaimed attempt never runs. `false`: a runner has claimed it, or the disk failed.
pub(super) fn withdraw(folder: &Path) -> bool {
    let mark = folder.join(WITHDRAWN);
    let pid = std::process::id().to_string();
    aris_fs::create_dir(folder).is_ok()
        && aris_fs::replace_unsynced(&mark, pid.as_bytes()).is_ok()
        && aris_attempt::withdraw(folder).is_ok()
}

/// Whether this claim is that of a manager that withdrew the attempt.
pub(super) fn withdrew(folder: &Path, claim: Option<&Claim>) -> bool {
    let by = aris_fs::read(&folder.join(WITHDRAWN), 64).ok();
    let by = by.and_then(|bytes| String::from_utf8_lossy(&bytes).trim().parse().ok());
    claim.is_some_and(|claim| by == Some(claim.runner.pid))
}
