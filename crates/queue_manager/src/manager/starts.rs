//! Starts of attempts: recorded in the journal first, then carried out.

use std::path::PathBuf;

use aris_attempt::cards::lease::Lease;
use aris_attempt::{AttemptError, Waiting, format};
use aris_fs::FsError;
use aris_queue::schedule::{self, Start};
use aris_queue::state::{Event, Reason, Terms, Verdict};

use super::cards::Given;
use super::{AGAIN, Cards, Manager, now_ms, spec};
use crate::error::Error;
use crate::explain::listed;
use crate::load;

/// Most attempts that are begun in one turn, so that ends are noticed in between.
const BATCH: usize = 32;

impl Manager<'_> {
    /// Starts the jobs that may start; gives whether more may start at once.
    pub(super) fn start_jobs(&mut self) -> Result<bool, Error> {
        let now = Cards::now();
        if now < self.not_before || !self.queue.has_ready() {
            self.short.clear();
            self.sync();
            return Ok(false);
        }
        let ours = self.ours();
        let views = self.cards.views(&ours, now);
        self.slots = schedule::slots(&self.queue, views.len(), self.machine);
        let mut starts =
            schedule::choose(&self.queue, now_ms(), &views, self.slots, &mut self.short);
        let more = starts.len() > BATCH;
        starts.truncate(BATCH);
        let (mut begun, mut events, mut again) = (Vec::new(), Vec::new(), more);
        let mut refused = Vec::new();
        for start in starts {
            if let Some(path) = self.common.missing(self.queue.manifest(), start.job) {
                refused.push((start.job, path));
                again = true;
                continue;
            }
            let settings = &self.queue.job(start.job).settings;
            let queue = self.options.place.queue.display().to_string();
            let sharer = settings.gpu_mem_mib.is_some().then_some(queue.as_str());
            match self.cards.lease(&start.cards, sharer, now) {
                Ok(Some(leases)) => match self.runner_for(start.job) {
                    Ok(runner) => {
                        events.push(self.start_event(&start, None));
                        begun.push((start, leases, runner));
                    }
                    Err(error) => {
                        self.notice("start", Some(error.to_string()));
                        self.not_before = now + AGAIN;
                    }
                },
                Ok(None) => again = true,
                Err(error) => {
                    self.notice("leases", Some(error.to_string()));
                    self.not_before = now + AGAIN;
                }
            }
        }
        if !self.begun(&events)? {
            for (_, _, runner) in begun {
                self.watch.dismiss(runner);
            }
            return Ok(false);
        }
        for (start, leases, runner) in begun {
            self.launch(&start, &leases, runner)?;
        }
        for (job, path) in refused {
            self.refuse(job, missing(&path))?;
        }
        if self.spare.is_none()
            && let Some(next) = schedule::next_jobs(&self.queue, 1).first()
        {
            let folder = self.next_folder(*next);
            // If it cannot be started now, that is tried again when it is needed.
            let runner = self.runner.start(&folder).ok();
            self.spare = runner.map(|runner| (folder, runner));
        }
        Ok(again)
    }

    /// A runner for the next attempt of a job: the spare one, or a new one that starts up while the journal is synced.
    fn runner_for(&mut self, job: u32) -> Result<Waiting, AttemptError> {
        let folder = self.next_folder(job);
        match self.spare.take() {
            Some((of, runner)) if of == folder => return Ok(runner),
            Some((_, other)) => self.watch.dismiss(other),
            None => {}
        }
        self.runner.start(&folder)
    }

    fn next_folder(&self, job: u32) -> PathBuf {
        let (id, next) = (&self.queue.job(job).id, self.queue.run(job).attempt() + 1);
        format::folder(&self.place().queue, id, next)
    }

    /// Writes start events to the journal, durably, with all earlier events, and applies them. `false`: the journal cannot be written, so
    /// nothing must be started.
    pub(super) fn begun(&mut self, starts: &[Event]) -> Result<bool, Error> {
        let time = self.context.now();
        if let Err(error) = self.journal.commit(starts, time) {
            self.cannot_write(&error);
            return Ok(false);
        }
        let mut starts = starts.iter();
        starts.try_for_each(|event| self.apply(event, time))?;
        Ok(true)
    }

    /// Writes the specification of the current attempt and creates its folders.
    pub(super) fn prepare(
        &self,
        job: u32,
        given: Option<&Given>,
        leases: &[Lease],
    ) -> Result<(), AttemptError> {
        let (id, folder) = (self.id(job), self.folder(job));
        let (common, queue) = (&self.common, &self.queue);
        let log = queue.run(job).last().log.as_deref().unwrap_or_default();
        let log = PathBuf::from(log);
        let spec = common.spec(queue, job, &folder, log.clone(), given, leases);
        aris_attempt::prepare(&folder, &spec)?;
        aris_fs::create_dir(&spec::run_folder(&folder, queue.run(job)))?;
        spec::link_log(self.place(), &id, &log);
        Ok(())
    }

    /// Makes a job final without an attempt.
    pub(super) fn refuse(&mut self, job: u32, verdict: Verdict) -> Result<(), Error> {
        let (id, reason) = (self.id(job), verdict.reason.map_or("failed", Reason::word));
        let text = verdict.error.as_deref().unwrap_or_default();
        self.say(&format!("{id} {reason}: {text}"));
        self.happen(Event::Refused { id, verdict })?;
        self.any_end = true;
        self.tell_of_failure(job);
        self.stop_after_failures()
    }

    pub(super) fn start_event(&self, start: &Start, engine_ref: Option<String>) -> Event {
        let spec = self.queue.job(start.job);
        let attempt = self.queue.run(start.job).attempt() + 1;
        let folder = self.next_folder(start.job);
        // The journal lost the start of an attempt that runs.
        let claimed = folder.join(format::CLAIM).exists();
        let known = aris_attempt::log_of(&folder).filter(|_| claimed);
        let log = known.unwrap_or_else(|| spec::new_log(self.place(), &spec.id, attempt));
        Event::Start {
            id: spec.id.to_string(),
            attempt,
            cards: start.cards.clone(),
            log: log.display().to_string(),
            command: load::command_digest(&spec.cmd),
            boot: self.boot.clone(),
            engine_ref,
            terms: Some(Box::new(Terms::of(spec))),
        }
    }

    /// Carries out a start that is in the journal.
    fn launch(&mut self, start: &Start, leases: &[Lease], runner: Waiting) -> Result<(), Error> {
        let job = start.job;
        let (id, folder) = (self.id(job), self.folder(job));
        if folder.join(format::CLAIM).exists() {
            // If the journal lost its end, no attempt runs twice.
            self.watch.dismiss(runner);
            return self.adopt(job);
        }
        let given = self.cards.given(&start.cards);
        let launched = match self.prepare(job, Some(&given), leases) {
            Ok(()) => self.watch.begin(u64::from(job), runner, &folder, leases),
            Err(error) => {
                self.watch.dismiss(runner);
                Err(error)
            }
        };
        match launched {
            Ok(()) => {
                let on = match start.cards.as_slice() {
                    [] => String::new(),
                    cards => format!(" on card {}", listed(cards, ",")),
                };
                let number = self.queue.run(job).attempt();
                self.say(&format!("{id} #{number} started{on}"));
                Ok(())
            }
            // Nothing runs, and no other process could start it.
            Err(error) => {
                self.notice("start", Some(error.to_string()));
                self.not_before = Cards::now() + AGAIN;
                self.withdrawn(job, &error.to_string(), false)
            }
        }
    }

    pub(super) fn cannot_write(&mut self, error: &FsError) {
        self.not_before = Cards::now() + AGAIN;
        let text = format!("{error}; nothing new is started until it can be written");
        self.notice("journal", Some(text));
    }
}

/// The verdict for a job whose precondition does not hold.
pub(super) fn missing(path: &str) -> Verdict {
    let text =
        format!("{path} is missing, and the job says that it must be there before it starts");
    Verdict::failed(Reason::Precondition, text)
}
