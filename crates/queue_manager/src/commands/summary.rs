//! `report`: what a queue came to, for people.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::results::{self, AttemptFacts, Facts, JobFacts, ResultFiles, Tail};
use crate::snapshot;
use aris_attempt::Standing;
use aris_attempt::format;
use aris_cli::{Context, Outcome};
use aris_fs::real;
use aris_queue::journal::{Entry, Journal};
use aris_queue::state::{Event, Imported, Outcome as End, Queue, Reason, State};
use jiff::Timestamp;

use crate::cli::ReportArgs;
use crate::commands::Data;
use crate::commands::{Look, look, metrics, tail};
use crate::error::Error;
use crate::lock;
use crate::place::Place;

/// Failures whose log is read, and lines of each.
const TAILS: usize = 200;
const LINES: usize = 20;
/// Completed jobs whose records are read for what they wrote.
const RESULTS: usize = 500;
/// Attempts of a job that were made under another manager and are shown, at most.
const IMPORTED: u32 = 100;

pub(crate) fn report(args: &ReportArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let look = look(&args.queue, context)?;
    let entries = Journal::read(&look.place.queue)?;
    if entries.is_empty() {
        return Err(Error::no_queue(look.place.state));
    }
    let target = |path: &Option<PathBuf>| {
        let path = path.as_ref().map(|path| context.absolute(path));
        path.map(|path| free(path, &look)).transpose()
    };
    let (csv, md, html) = (target(&args.csv)?, target(&args.md)?, target(&args.html)?);
    let facts = facts(&look, &entries, context.now());
    let mut found = results::Report::of(&facts);
    if !args.metrics.is_empty() {
        found.metrics = Some(metrics::of(&look, &args.metrics, context));
    }
    if let (Some(path), Some(metrics)) = (&csv, &found.metrics) {
        let text = metrics.csv().map_err(Error::no_page)?;
        aris_fs::write_atomic(path, &text)?;
    }
    if let Some(path) = &md {
        let text = results::summary(&found);
        aris_fs::write_atomic(path, text.as_bytes())?;
    }
    if let Some(path) = &html {
        let page = results::page(&found, &facts).map_err(Error::no_page)?;
        aris_fs::write_atomic(path, page.as_bytes())?;
    }
    let counts = &found.counts;
    let over = counts.running + counts.waiting == 0;
    let not_all = over && counts.completed < counts.jobs;
    Ok(Outcome::found(Data::Report(Box::new(found)), not_all))
}

/// A place for a report that is no file of the queue.
fn free(path: PathBuf, look: &Look) -> Result<PathBuf, Error> {
    let (place, target) = (&look.place, real(&path));
    let own = [&place.state, &look.manifest].map(|own| real(own));
    if own.contains(&target) || target.starts_with(real(&place.queue)) {
        return Err(Error::Unclear(format!(
            "{} is a file of the queue, which a report would replace: give it another name; nothing was written",
            path.display()
        )));
    }
    Ok(path)
}

/// Leaves `summary.md` beside the state file of a queue that is over; gives its path. A file that cannot be written is said on stderr
/// only: the journal has it all.
pub(crate) fn leave(place: Place, queue: Queue, context: &Context) -> Option<String> {
    let path = place.summary();
    let manifest = lock::parts(&place).manifest.into();
    let look = Look {
        place,
        manifest,
        queue,
    };
    let written = Journal::read(&look.place.queue)
        .map_err(Error::from)
        .and_then(|entries| {
            let found = results::Report::of(&facts(&look, &entries, context.now()));
            let text = results::summary(&found);
            Ok(aris_fs::write_atomic(&path, text.as_bytes())?)
        });
    match written {
        Ok(()) => Some(path.display().to_string()),
        Err(error) => {
            context.warn(&format!("no summary was written: {error}"));
            None
        }
    }
}

fn facts(look: &Look, entries: &[Entry], now: Timestamp) -> Facts {
    let (queue, manifest) = (&look.queue, look.queue.manifest());
    let mut attempts = attempts(queue, entries);
    let mut tails = TAILS;
    let mut warnings = Vec::new();
    let jobs = (0..queue.len())
        .map(|job| {
            let row = snapshot::row(queue, job);
            let state = queue.state(job);
            if let Some(warning) = row.warning {
                warnings.push(format!("{}: {warning}", row.id));
            }
            let failed = matches!(state, State::Failed | State::Cancelled | State::Lost);
            let log = row.log.as_deref().filter(|_| failed && tails > 0);
            tails -= usize::from(log.is_some());
            JobFacts {
                id: row.id,
                phase: manifest.jobs[job as usize].phase as usize,
                state,
                reason: row.reason.map(|reason| reason.word().to_owned()),
                why: row.error,
                attempts: attempts.remove(&job).unwrap_or_default(),
                tail: log.and_then(|log| last_lines(log.as_ref())),
            }
        })
        .collect();
    // Of a queue in which nothing happens the same is said whenever it is asked.
    let still = queue.active().next().is_none();
    let last = entries.last().map(|entry| entry.time);
    Facts {
        project: manifest.project.clone(),
        manifest: look.manifest.display().to_string(),
        now: last.filter(|_| still).unwrap_or(now),
        started: queue.began(),
        phases: manifest
            .phases
            .iter()
            .map(|phase| phase.name.clone())
            .collect(),
        jobs,
        results: results(look),
        warnings,
    }
}

/// Attempts of each job, as the journal has them.
fn attempts(queue: &Queue, entries: &[Entry]) -> BTreeMap<u32, Vec<AttemptFacts>> {
    let mut all: BTreeMap<u32, Vec<AttemptFacts>> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Start {
                id,
                attempt,
                cards,
                log,
                ..
            } => {
                if let Some(job) = queue.find(id) {
                    all.entry(job).or_default().push(AttemptFacts {
                        number: *attempt,
                        cards: cards.clone(),
                        started: Some(entry.time),
                        log: Some(log.clone()),
                        ..AttemptFacts::default()
                    });
                }
            }
            Event::Imported {
                id,
                state,
                attempts,
                cards,
                started,
                ended,
            } => {
                let attempt = |number, end, reason: Option<Reason>| AttemptFacts {
                    number,
                    outcome: Some(end),
                    reason: reason.map(|reason| reason.word().to_owned()),
                    ..AttemptFacts::default()
                };
                // The reference tries nothing again but what ran out of memory.
                let first = attempts.saturating_sub(IMPORTED).max(1);
                let before = (first..*attempts)
                    .map(|number| attempt(number, End::Failed, Some(Reason::GpuOom)));
                let (end, reason) = match state {
                    Imported::Completed => (End::Completed, None),
                    Imported::Running => (End::Lost, Some(Reason::Imported)),
                    Imported::Stuck => (End::Failed, Some(Reason::Imported)),
                    Imported::OutOfMemory => (End::Failed, Some(Reason::GpuOom)),
                };
                let last = (*attempts > 0).then(|| AttemptFacts {
                    cards: cards.clone(),
                    started: *started,
                    ended: *ended,
                    ..attempt(*attempts, end, reason)
                });
                if let Some(job) = queue.find(id) {
                    all.entry(job).or_default().extend(before.chain(last));
                }
            }
            Event::Withdrawn { id, .. } => {
                if let Some(known) = queue.find(id).and_then(|job| all.get_mut(&job)) {
                    known.pop();
                }
            }
            Event::Ended { id, verdict, .. } => {
                let known = queue.find(id).and_then(|job| all.get_mut(&job));
                if let Some(last) = known.and_then(|known| known.last_mut()) {
                    // An engine lets an attempt wait before it starts it.
                    last.started = verdict.started.or(last.started);
                    last.ended = Some(entry.time);
                    last.outcome = Some(verdict.outcome);
                    last.reason = verdict.reason.map(|reason| Reason::word(reason).to_owned());
                }
            }
            _ => {}
        }
    }
    all
}

fn last_lines(log: &Path) -> Option<Tail> {
    let text = tail(log, LINES + 1)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let cut = lines.len() > LINES;
    if cut {
        lines.remove(0);
    }
    (!lines.is_empty()).then_some(Tail { lines, cut })
}

/// What completed jobs found of their declared outputs, by pattern.
fn results(look: &Look) -> Vec<ResultFiles> {
    let queue = &look.queue;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let completed = (0..queue.len()).filter(|job| {
        queue.state(*job) == State::Completed
            && !queue.manifest().jobs[*job as usize].outputs.is_empty()
    });
    for job in completed.take(RESULTS) {
        let id = &queue.manifest().jobs[job as usize].id;
        let folder = format::folder(&look.place.queue, id, queue.run(job).attempt);
        if let Ok(Standing::Ended(exit)) = aris_attempt::standing(&folder) {
            for output in exit.outputs {
                *found.entry(output.pattern).or_default() += output.matches;
            }
        }
    }
    found
        .into_iter()
        .map(|(pattern, files)| ResultFiles { pattern, files })
        .collect()
}

#[cfg(test)]
mod tests {
    use aris_queue::manifest;
    use aris_queue::state::Verdict;

    use super::*;

    #[test]
    fn what_an_engine_lets_wait_takes_no_time_on_cards() {
        let text = "phases: [{name: p, jobs: [{id: a, cmd: x}]}]";
        let queue = Queue::new(manifest::parse(Path::new("m"), text).expect("a manifest"));
        let at = |seconds| Timestamp::from_second(seconds).expect("a time");
        let mut verdict = Verdict::failed(Reason::Exit, "x");
        verdict.started = Some(at(3600));
        let events = [
            (
                0,
                Event::Start {
                    id: String::from("a"),
                    attempt: 1,
                    cards: vec![aris_attempt::cards::CardId::whole(0)],
                    log: String::new(),
                    command: String::new(),
                    boot: String::new(),
                    engine_ref: None,
                },
            ),
            (
                3660,
                Event::Ended {
                    id: String::from("a"),
                    attempt: 1,
                    verdict,
                    retry_in_ms: None,
                },
            ),
        ];
        let entries: Vec<Entry> = (1..)
            .zip(events)
            .map(|(seq, (seconds, event))| Entry {
                seq,
                time: at(seconds),
                event,
            })
            .collect();
        let found = attempts(&queue, &entries);
        assert_eq!(
            (found[&0][0].started, found[&0][0].ended),
            (Some(at(3600)), Some(at(3660)))
        );
    }
}
