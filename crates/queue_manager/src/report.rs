//! The commands' results in their form for people.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::text::counted;

use crate::commands::control::Asked;
use crate::commands::explain::Explanation;
use crate::commands::fetch::{Brought, Fetched};
use crate::commands::logs::Log;
use crate::commands::outputs::{MissingOutput, Outputs};
use crate::commands::preflight::Preflight;
use crate::commands::record::Recorded;
use crate::commands::remote::Served;
use crate::commands::run::Ran;
use crate::commands::start::Started;
use crate::commands::status::Status;
use crate::commands::there::Remote;
use crate::commands::used_by::UsedBy;
use crate::results::words::tallied;

/// Schema ids of the results.
pub(crate) mod id {
    pub(crate) const RUN: &str = "aris.queue_manager.run/v1";
    pub(crate) const STARTED: &str = "aris.queue_manager.started/v1";
    pub(crate) const STATUS: &str = "aris.queue_manager.status/v1";
    pub(crate) const EXPLANATION: &str = "aris.queue_manager.explanation/v1";
    pub(crate) const LOG: &str = "aris.queue_manager.log/v1";
    pub(crate) const ASKED: &str = "aris.queue_manager.asked/v1";
    pub(crate) const PREFLIGHT: &str = "aris.queue_manager.preflight/v1";
    pub(crate) const REPORT: &str = "aris.queue_manager.report/v1";
    pub(crate) const REMOTE: &str = "aris.queue_manager.remote/v1";
    pub(crate) const OUTPUTS: &str = "aris.queue_manager.outputs/v1";
    pub(crate) const FETCHED: &str = "aris.queue_manager.fetched/v1";
    pub(crate) const RECORDED: &str = "aris.queue_manager.recorded/v1";
    pub(crate) const USED_BY: &str = "aris.queue_manager.used_by/v1";
}

impl Product for Log {
    fn schema(&self) -> &'static str {
        id::LOG
    }

    fn is_raw(&self) -> bool {
        true
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        if self.told {
            return Ok(());
        }
        writeln!(out, "{}", self.text)
    }
}

impl Product for Served {
    fn schema(&self) -> &'static str {
        id::REMOTE
    }

    fn is_raw(&self) -> bool {
        true
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        out.write_all(&self.0)
    }
}

pub(crate) fn started(started: &Started, out: &mut dyn Write) -> io::Result<()> {
    let (pid, state, log) = (started.pid, &started.state, &started.log);
    writeln!(
        out,
        "manager {pid} runs the queue; state {state}, log {log}"
    )?;
    for line in &started.changes {
        writeln!(out, "manifest: {line}")?;
    }
    let mut kept_back = started.kept_back.iter();
    kept_back.try_for_each(|why| writeln!(out, "queue: {why}"))
}

pub(crate) fn explanation(found: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let reason = found.reason.map(|reason| format!(" ({reason})"));
    let reason = reason.unwrap_or_default();
    writeln!(out, "{}: {}{reason}", found.id, found.state)?;
    for fact in &found.facts {
        match fact.evidence.as_str() {
            "" => writeln!(out, "- {}", fact.text)?,
            evidence => writeln!(out, "- {} [{evidence}]", fact.text)?,
        }
    }
    match &found.records {
        Some(records) => writeln!(out, "records: {records}"),
        None => Ok(()),
    }
}

pub(crate) fn remote(remote: &Remote, out: &mut dyn Write) -> io::Result<()> {
    match remote.text.as_deref() {
        Some(text) if text.ends_with('\n') => write!(out, "{text}"),
        Some(text) if !text.is_empty() => writeln!(out, "{text}"),
        _ => Ok(()),
    }
}

pub(crate) fn asked(asked: &Asked, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}", asked.request, asked.summary())?;
    let mut lines = asked.refused.iter().chain(&asked.notes);
    lines.try_for_each(|line| writeln!(out, "{line}"))
}

pub(crate) fn preflight(found: &Preflight, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}", found.project, counted(found.jobs, "job"))?;
    for phase in &found.phases {
        writeln!(out, "phase\t{}\t{}", phase.name, phase.jobs)?;
    }
    let mut checks = found.checks.iter();
    checks.try_for_each(|check| {
        let (verdict, subject) = (check.verdict, check.subject);
        writeln!(out, "{verdict}\t{subject}\t{}", check.detail)
    })
}

pub(crate) fn run(ran: &Ran, out: &mut dyn Write) -> io::Result<()> {
    if ran.counts.is_empty() {
        writeln!(out, "the queue has no jobs")?;
    } else {
        // Skills recognize the end of a queue by these words.
        let over = if ran.detached.is_none() {
            "All jobs done: "
        } else {
            ""
        };
        writeln!(out, "{over}{}", tallied(&ran.counts, ", "))?;
    }
    if let Some(detached) = ran.detached {
        let jobs = counted(detached, "job");
        let again = "queue_manager run continues the queue";
        return writeln!(out, "the manager stopped; {jobs} still running; {again}");
    }
    for job in &ran.failed {
        let (reason, error) = (job.reason.unwrap_or("-"), or_dash(job.error.as_ref()));
        writeln!(out, "{}\t{}\t{reason}\t{error}", job.id, job.state)?;
    }
    match &ran.summary {
        Some(path) => writeln!(out, "summary: {path}"),
        None => Ok(()),
    }
}

/// A name on one line: control characters are escaped.
fn printable(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_control() {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

fn or_dash(text: Option<&String>) -> &str {
    text.map_or("-", String::as_str)
}

pub(crate) fn outputs(found: &Outputs, out: &mut dyn Write) -> io::Result<()> {
    for file in &found.files {
        let path = printable(file.relative.as_ref().unwrap_or(&file.path));
        let problem = file.problem.iter().map(|problem| format!("; {problem}"));
        let problem: String = problem.collect();
        writeln!(out, "{}  {path}  {} bytes{problem}", file.job, file.size)?;
    }
    missing(&found.missing, out)?;
    let files = counted(found.files.len(), "file");
    writeln!(out, "{}: {files}", counted(found.jobs, "job"))
}

fn missing(missing: &[MissingOutput], out: &mut dyn Write) -> io::Result<()> {
    let mut lines = missing.iter();
    lines.try_for_each(|lacks| {
        let pattern = printable(&lacks.pattern);
        writeln!(out, "{}  {pattern} is missing", lacks.job)
    })
}

pub(crate) fn fetched(found: &Fetched, out: &mut dyn Write) -> io::Result<()> {
    for file in &found.files {
        if let Some(problem) = &file.problem {
            writeln!(out, "{}  {}: {problem}", file.job, printable(&file.path))?;
        }
    }
    missing(&found.missing, out)?;
    write!(out, "{}: ", counted(found.files.len(), "file"))?;
    for (outcome, word) in [
        (Brought::Fetched, "fetched"),
        (Brought::Unchanged, "unchanged"),
        (Brought::Kept, "kept"),
        (Brought::Failed, "failed"),
    ] {
        let files = found.files.iter().filter(|file| file.outcome == outcome);
        write!(out, "{} {word}, ", files.count())?;
    }
    writeln!(out, "in {}", found.folder)?;
    match found.runs {
        0 => Ok(()),
        runs => writeln!(
            out,
            "{} that wrote them recorded here",
            counted(runs, "run")
        ),
    }
}

pub(crate) fn recorded(found: &Recorded, out: &mut dyn Write) -> io::Result<()> {
    for refused in &found.refused {
        writeln!(out, "refused\t{refused}")?;
    }
    // Stdout was used by the command.
    for run in found.runs.iter().filter(|_| !found.ran) {
        let outputs = counted(run.outputs, "file");
        writeln!(out, "{}\t{}\t{outputs}\t{}", run.job, run.how, run.id)?;
    }
    Ok(())
}

pub(crate) fn used_by(found: &UsedBy, out: &mut dyn Write) -> io::Result<()> {
    for number in &found.numbers {
        writeln!(out, "{}", number.words())?;
    }
    let numbers = counted(found.numbers.len(), "number");
    let runs = counted(found.runs, "run");
    let audits = counted(found.audits.len(), "audit");
    writeln!(
        out,
        "{}: {numbers} in {runs}; {audits} of papers read",
        found.job
    )
}

pub(crate) fn status(found: &Status, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}", found.project, found.line())?;
    match &found.manager {
        // When the queue has ended, its manager may still be exiting.
        _ if found.over => writeln!(out, "ended")?,
        Some(manager) => writeln!(out, "run by {manager}")?,
        None => {
            let updated = found.updated.as_deref().unwrap_or("an unknown time");
            writeln!(out, "no manager is running; as of {updated}")?;
        }
    }
    if found.paused {
        writeln!(out, "paused: nothing new is started")?;
    }
    for notice in &found.notices {
        writeln!(out, "notice: {notice}")?;
    }
    for phase in &found.phases {
        let (name, status, ended) = (&phase.name, &phase.status, phase.ended());
        writeln!(out, "phase\t{name}\t{status}\t{ended}")?;
    }
    for job in &found.running {
        let (cards, time) = (job.cards(), job.time());
        let line = job.last_line.as_deref().unwrap_or("");
        writeln!(out, "running\t{}\tcard {cards}\t{time}\t{line}", job.id)?;
    }
    for job in &found.retries {
        let at = job.at.as_deref().unwrap_or("-");
        let reason = job.reason.unwrap_or("-");
        writeln!(out, "retry\t{}\t{reason}\tat {at}", job.id)?;
    }
    for job in found.all.as_ref().unwrap_or(&found.problems) {
        let (state, id, reason) = (job.state, &job.id, job.reason.unwrap_or("-"));
        let attempts = counted(job.attempts, "attempt");
        let error = or_dash(job.error.as_ref());
        writeln!(out, "{state}\t{id}\t{reason}\t{attempts}\t{error}")?;
    }
    Ok(())
}
