//! How an event changes a queue.

use jiff::Timestamp;

use super::{Attempt, Event, Imported, Life, Outcome, Queue, Reason, Run, Spent, State, Verdict};

/// An event that cannot happen in the job's state: a bug, or a journal of another queue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("job {id:?} is {state} and cannot {event}")]
pub struct Illegal {
    /// The job.
    pub id: String,
    /// Its state.
    pub state: &'static str,
    /// What the event would have done.
    pub event: &'static str,
}

impl Queue {
    /// Applies an event. `time` is when it happened, and `now` is on the clock of [`Queue::tick`]. `late_ms` is how long ago it happened:
    /// after a restart of the manager, a pause before a retry is not started anew.
    ///
    /// **Errors**: [`Illegal`]; then nothing has changed.
    pub fn apply(
        &mut self,
        event: &Event,
        time: Timestamp,
        now: u64,
        late_ms: u64,
    ) -> Result<(), Illegal> {
        match event {
            Event::Began { .. } => {
                self.began.get_or_insert(time);
            }
            Event::Pause { paused } => self.paused = *paused,
            Event::MaxParallel { jobs } => self.max_parallel = *jobs,
            Event::Submitted { token, number } => {
                self.submissions.insert(token.clone(), number.clone());
                for job in &self.active {
                    let run = &mut self.runs[*job as usize];
                    let name = run.last().engine_ref.as_deref();
                    let wave = name.and_then(|name| name.rsplit_once('#'));
                    if run.life == Life::Starting && wave.is_some_and(|(wave, _)| wave == token) {
                        run.life = Life::Queued;
                    }
                }
            }
            Event::Start { id, .. }
            | Event::Withdrawn { id, .. }
            | Event::Ended { id, .. }
            | Event::Refused { id, .. }
            | Event::Cancel { id }
            | Event::Retry { id }
            | Event::Hold { id, .. }
            | Event::Imported { id, .. }
            | Event::Removed { id } => match self.find(id) {
                Some(job) => {
                    let state = self.state(job);
                    let run = &mut self.runs[job as usize];
                    let before = run.life;
                    apply_to(run, state, event, time, now, late_ms)?;
                    if let Life::Backoff(at) = before {
                        self.backoff.remove(&(at, job));
                    }
                    if let Life::Backoff(at) = run.life {
                        self.backoff.insert((at, job));
                    }
                    self.settle(job);
                }
                // The manifest no longer has this job; whoever loads the journal reports it.
                None => {
                    self.removed.insert(id.clone());
                }
            },
        }
        self.last_event = Some(time);
        Ok(())
    }
}

/// Most attempts of an imported job that are kept.
const IMPORTED: u32 = 100;

/// Applies an event to the job that it names. `state` is for messages.
fn apply_to(
    run: &mut Run,
    state: State,
    event: &Event,
    time: Timestamp,
    now: u64,
    late_ms: u64,
) -> Result<(), Illegal> {
    let legal = |legal: bool, id: &str, event: &'static str| {
        legal.then_some(()).ok_or_else(|| Illegal {
            id: id.to_owned(),
            state: state.word(),
            event,
        })
    };
    match event {
        Event::Start {
            id,
            attempt,
            cards,
            log,
            command,
            boot,
            engine_ref,
            terms,
        } => {
            let idle = matches!(run.life, Life::Idle | Life::Backoff(_));
            legal(idle && *attempt == run.attempt() + 1, id, "start")?;
            // Not that of a start that was refused before.
            run.refused = None;
            if let Some(verdict) = run.verdict() {
                let completed = verdict.outcome == Outcome::Completed;
                let word = verdict.reason.map_or("failed", Reason::word);
                run.last_end = Some(if completed { "completed" } else { word });
            }
            (run.life, run.engine_says) = (Life::Starting, None);
            run.attempts.push(Attempt {
                number: *attempt,
                cards: cards.clone(),
                begun: Some(time),
                started: Some(time),
                engine_ref: engine_ref.as_deref().map(Into::into),
                log: Some(log.as_str().into()),
                command: Some(command.as_str().into()),
                boot: Some(boot.as_str().into()),
                terms: terms.clone(),
                ..Attempt::default()
            });
        }
        Event::Withdrawn {
            id,
            attempt,
            number_free,
            ..
        } => {
            let current = run.life.is_active() && *attempt == run.attempt();
            legal(current, id, "be withdrawn")?;
            run.engine_says = None;
            run.life = if run.life == Life::Cancelling {
                Life::Over(Outcome::Cancelled)
            } else {
                Life::Idle
            };
            if *number_free {
                run.attempts.pop();
            } else if let Some(last) = run.attempts.last_mut() {
                last.withdrawn = true;
            }
        }
        Event::Ended {
            id,
            attempt,
            verdict,
            retry_in_ms,
        } => {
            legal(run.life.is_active() && *attempt == run.attempt(), id, "end")?;
            run.retry_at = retry_in_ms.and_then(|pause| {
                let pause = jiff::SignedDuration::from_millis(i64::try_from(pause).ok()?);
                time.checked_add(pause).ok()
            });
            run.spent.add(verdict.reason);
            run.life = match retry_in_ms.filter(|_| verdict.outcome != Outcome::Completed) {
                Some(pause) => Life::Backoff(now + pause.saturating_sub(late_ms)),
                None => Life::Over(verdict.outcome),
            };
            if let Some(last) = run.attempts.last_mut() {
                // An engine may start an attempt long after it was submitted.
                last.started = verdict.started.or(last.started);
                last.ended = Some(time);
                last.verdict = Some(Box::new(verdict.clone()));
            }
        }
        Event::Refused { id, verdict } => {
            let waits = !run.life.is_active() && !run.life.is_over();
            legal(waits, id, "be refused")?;
            run.life = Life::Over(Outcome::Failed);
            run.refused = Some(Box::new(verdict.clone()));
        }
        Event::Cancel { id } => {
            legal(!run.life.is_over(), id, "be cancelled")?;
            run.life = if run.life.is_active() {
                Life::Cancelling
            } else {
                Life::Over(Outcome::Cancelled)
            };
        }
        Event::Retry { id } => {
            let waits = matches!(run.life, Life::Backoff(_));
            legal(run.life.is_over() || waits, id, "be tried again")?;
            run.life = Life::Idle;
            run.spent = Spent::default();
            run.held = false;
        }
        Event::Hold { id, held } => {
            legal(!run.life.is_over() && !run.life.is_active(), id, "be held")?;
            run.held = *held;
        }
        // A running job is cancelled, and [`Event::Ended`] follows.
        Event::Removed { .. } if run.life.is_active() => {}
        Event::Removed { .. } => {
            let before = run.attempt();
            let attempts = std::mem::take(&mut run.attempts);
            *run = Run {
                attempts,
                before,
                ..Run::default()
            };
        }
        Event::Imported {
            id,
            state,
            attempts,
            cards,
            started,
            ended,
        } => {
            let untouched = run.life == Life::Idle && run.attempts.is_empty();
            legal(untouched, id, "be imported")?;
            // The reference retries only jobs that ran out of memory.
            let text = "it ran out of memory, as the state file says that was taken over";
            let oom = Verdict::failed(Reason::GpuOom, text);
            let verdict = match state {
                Imported::Completed => Verdict::completed(None),
                Imported::Stuck => {
                    let text = "not completed in the state file that was taken over";
                    Verdict::failed(Reason::Imported, text)
                }
                Imported::Running => {
                    let text = format!(
                        "it was running when its state file was taken over, and may still run: look for its screen session EQ_{id} and its process, and only then retry it by its name"
                    );
                    let outcome = Outcome::Lost;
                    let verdict = Verdict::failed(Reason::Imported, text);
                    Verdict { outcome, ..verdict }
                }
                Imported::OutOfMemory => {
                    run.spent.oom = *attempts;
                    oom.clone()
                }
            };
            if *state != Imported::OutOfMemory {
                run.life = Life::Over(verdict.outcome);
            }
            let first = attempts.saturating_sub(IMPORTED).max(1);
            let before = (first..=*attempts).map(|number| Attempt {
                number,
                verdict: Some(Box::new(oom.clone())),
                ..Attempt::default()
            });
            run.attempts = before.collect();
            match run.attempts.last_mut() {
                Some(last) => {
                    last.cards.clone_from(cards);
                    (last.begun, last.started, last.ended) = (*started, *started, *ended);
                    last.verdict = Some(Box::new(verdict));
                }
                None => run.refused = Some(Box::new(verdict)),
            }
        }
        Event::Began { .. }
        | Event::Pause { .. }
        | Event::MaxParallel { .. }
        | Event::Submitted { .. } => {}
    }
    Ok(())
}
