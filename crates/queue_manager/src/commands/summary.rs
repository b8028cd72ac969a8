//! `report`: the results of a queue, for people.

use std::collections::BTreeMap;
use std::io::Write;
use std::iter;
use std::path::{Path, PathBuf};

use crate::results::{self, JobFacts, Phase, Report, ResultFiles, Tail};
use crate::snapshot;
use aris_attempt::Standing;
use aris_cli::{Context, Outcome};
use aris_fs::{Form, real};
use aris_queue::state::{Queue, Reason, State};
use jiff::Timestamp;

use crate::cli::ReportArgs;
use crate::commands::{CommandResult, Look, look, metrics, tail};
use crate::error::Error;
use crate::lock;
use crate::manager::folder;
use crate::place::Place;
use crate::report;
use crate::reserved;

/// Most failures whose log is read, and most lines of each.
const TAILS: usize = 200;
const LINES: usize = 20;
/// Most completed jobs whose exit records are read for their outputs.
const RESULTS: usize = 500;
pub(crate) fn report(args: &ReportArgs, context: &Context) -> CommandResult {
    let look = look(&args.queue, context)?;
    if look.queue.began().is_none() {
        return Err(Error::no_queue(look.place.state));
    }
    let mut taken = Vec::new();
    let mut target = |path: &Option<PathBuf>, form| -> Result<Option<PathBuf>, Error> {
        let Some(path) = path.as_ref().map(|path| context.absolute(path)) else {
            return Ok(None);
        };
        let path = free(path, &look, &taken, context)?;
        aris_fs::check_output(&path, form, &[])?;
        taken.push(real(&path));
        Ok(Some(path))
    };
    let csv = target(&args.csv, Form::Begins(&[b"id,phase,state"]))?;
    let md = target(&args.md, Form::Begins(&[b"# Experiment Queue Summary"]))?;
    let html = target(&args.html, Form::PAGE)?;
    let mut found = of(&look, context.now());
    if !args.metrics.is_empty() {
        found.metrics = Some(metrics::of(&look, &args.metrics, context));
    }
    if let (Some(path), Some(metrics)) = (&csv, &found.metrics) {
        let text = metrics.csv().map_err(Error::no_page)?;
        aris_fs::write_output(path, &text)?;
    }
    if let Some(path) = &md {
        let text = results::summary(&found);
        aris_fs::write_output(path, text.as_bytes())?;
    }
    if let Some(path) = &html {
        let page = results::page(&found).map_err(Error::no_page)?;
        aris_fs::write_output(path, page.as_bytes())?;
    }
    let counts = &found.counts;
    let over = counts.running + counts.waiting == 0;
    let not_all = over && counts.completed < counts.jobs;
    let text =
        |found: &Report, out: &mut dyn Write| out.write_all(results::summary(found).as_bytes());
    Ok(Outcome::found(found, not_all).shown(report::id::REPORT, text))
}

/// Checks that a report may be written to this path: it is no file of the queue or of its jobs, and not in `taken`.
fn free(
    path: PathBuf,
    look: &Look,
    taken: &[PathBuf],
    context: &Context,
) -> Result<PathBuf, Error> {
    let (manifest, queue) = (look.queue.manifest(), &look.queue);
    let what = if taken.contains(&real(&path)) {
        String::from("another part of this report")
    } else {
        let own = &look.manifest;
        match reserved::owner(
            &path,
            &look.place,
            own,
            manifest,
            Some(queue),
            false,
            context,
        ) {
            Some(what) => what,
            None => return Ok(path),
        }
    };
    Err(Error::unclear(format!(
        "{} is {what}, which a report would replace: give it another name; nothing was written",
        path.display()
    )))
}

/// Writes `summary.md` beside the state file of a queue that has ended; gives its path. If that fails, it only warns, because the journal
/// has everything.
pub(crate) fn leave(place: Place, queue: Queue, context: &Context) -> Option<String> {
    let path = place.beside("summary.md");
    let manifest = lock::parts(&place).manifest.into();
    let look = Look {
        place,
        manifest,
        queue,
    };
    let text = results::summary(&of(&look, context.now()));
    let written = free(path, &look, &[], context).and_then(|path| {
        aris_fs::write_atomic(&path, text.as_bytes())?;
        Ok(path.display().to_string())
    });
    let failed = |error| context.warn(&format!("no summary was written: {error}"));
    written.map_err(failed).ok()
}

fn of(look: &Look, now: Timestamp) -> Report {
    let (queue, manifest) = (&look.queue, look.queue.manifest());
    let mut tails = TAILS;
    let mut report = Report {
        project: manifest.project.clone(),
        manifest: look.manifest.display().to_string(),
        // If nothing runs, the report has the time of the last event, so that repeated reports are equal.
        made: match (queue.active().next(), queue.last_event()) {
            (None, Some(last)) => last,
            _ => now,
        },
        started: queue.began(),
        results: results(look),
        ..Report::default()
    };
    let phases = manifest.phases.iter().map(|phase| Phase {
        name: phase.name.clone(),
        ..Phase::default()
    });
    report.phases.extend(phases);
    for job in 0..queue.len() {
        let row = snapshot::row(queue, job);
        let state = queue.state(job);
        if let Some(warning) = row.warning {
            report.warnings.push(format!("{}: {warning}", row.id));
        }
        let failed = matches!(state, State::Failed | State::Cancelled | State::Lost);
        let log = row.log.as_deref().filter(|_| failed && tails > 0);
        tails -= usize::from(log.is_some());
        let attempts = queue.run(job).attempts.iter();
        report.jobs.push(JobFacts {
            id: row.id,
            phase: manifest.jobs[job as usize].phase as usize,
            state,
            reason: row.reason.map(Reason::word),
            why: row.error,
            attempts: attempts.filter(|it| !it.withdrawn).cloned().collect(),
            tail: log.and_then(|log| last_lines(log.as_ref())),
        });
    }
    report.counted()
}

fn last_lines(log: &Path) -> Option<Tail> {
    let text = tail(log, LINES + 1)?;
    let mut lines: Vec<String> = text.lines().map(seen).collect();
    let cut = lines.len() > LINES;
    if cut {
        lines.remove(0);
    }
    (!lines.is_empty()).then_some(Tail { lines, cut })
}

/// A line as a terminal shows it: without text that a carriage return overwrote; of a long line, the end.
fn seen(line: &str) -> String {
    const CHARACTERS: usize = 400;
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line);
    match line.chars().count().saturating_sub(CHARACTERS) {
        0 => line.to_owned(),
        more => iter::once('…').chain(line.chars().skip(more)).collect(),
    }
}

/// Number of files that completed jobs wrote, for each declared pattern.
fn results(look: &Look) -> Vec<ResultFiles> {
    let queue = &look.queue;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let completed = (0..queue.len())
        .filter(|job| queue.state(*job) == State::Completed && !queue.job(*job).outputs.is_empty());
    for job in completed.take(RESULTS) {
        let folder = folder(&look.place, queue, job);
        if let Ok(Standing::Ended(exit)) = aris_attempt::standing(&folder) {
            for output in exit.outputs {
                *found.entry(output.pattern).or_default() += output.matches;
            }
        }
    }
    let found = found.into_iter();
    let found = found.map(|(pattern, files)| ResultFiles { pattern, files });
    found.collect()
}
