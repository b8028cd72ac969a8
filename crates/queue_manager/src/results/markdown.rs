//! `summary.md`: the report for agents, and for people at a terminal.
//!
//! **Shape**: the headings and bold fields of the report in the reference's experiment-queue skill come first, in its order, so that
//! programs which read those find them. Failures, blocked jobs and warnings follow.

use std::fmt::{self, Write as _};

use super::words::{card_time, one_line, time};
use super::{Counts, Metrics, Report};
use aris_contract::text::counted;

/// Most jobs in each list; the JSON report has all.
const LISTED: usize = 50;

/// Most lines of a log.
const LINES: usize = 15;

/// The head of the table of phases.
const PHASES: &str = "| Phase | Jobs | Success | OOM retries | Other retries | Duration | Per job (min / median / max) |
| --- | --- | --- | --- | --- | --- | --- |";

/// The text of `summary.md`.
pub(crate) fn summary(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    write(&mut text, report).unwrap_or_default();
    text
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out, "# Experiment Queue Summary\n")?;
    writeln!(out, "**Project**: {}", escaped(&report.project))?;
    if let Some(started) = report.started {
        writeln!(out, "**Started**: {}", time(started))?;
    }
    match report.ended {
        Some(ended) => writeln!(out, "**Completed**: {}", time(ended))?,
        None => writeln!(out, "**Completed**: not yet ({})", time(report.made))?,
    }
    if let Some(wall) = report.wall_clock() {
        writeln!(out, "**Total wall-clock**: {wall}")?;
    }
    writeln!(out, "**Jobs**: {}", jobs(&report.counts))?;
    if report.cards.cards > 0 {
        let cards = counted(report.cards.cards, "card");
        let [busy, lost] = [report.cards.busy_s, report.cards.fruitless_s].map(card_time);
        let what = "in attempts that did not complete";
        writeln!(out, "**GPU time**: {busy} on {cards}, of it {lost} {what}")?;
    }

    writeln!(out, "\n## Phases\n{PHASES}")?;
    for phase in &report.phases {
        let (name, counts) = (escaped(&phase.name), &phase.counts);
        let (oom, other) = (phase.oom_retries, phase.other_retries);
        let (wall, each) = (phase.wall(), phase.each());
        write!(out, "| {name} | {} | {} ", counts.jobs, counts.completed)?;
        writeln!(out, "| {oom} | {other} | {wall} | {each} |")?;
    }
    if !report.results.is_empty() {
        let results = report.result_groups();
        let lines = results.iter().map(|result| {
            let files = counted(result.files, "file");
            format!("{files} in {}", code(&result.pattern))
        });
        list(out, "Results Files", lines, "pattern")?;
    }
    if let Some(metrics) = &report.metrics {
        table(out, metrics)?;
    }
    failures(out, report)?;
    let blocked = report.blocked.iter().map(|job| {
        let cause = job.cause.as_deref();
        let cause = cause.unwrap_or("waits for a job that did not complete");
        format!("{}: {}", code(&job.id), escaped(cause))
    });
    list(out, "Blocked", blocked, "job")?;
    let warnings = report.warnings.iter().map(|warning| escaped(warning));
    list(out, "Warnings", warnings, "warning")
}

/// A section with the first of these lines; nothing if there are no lines.
fn list(
    out: &mut String,
    heading: &str,
    lines: impl ExactSizeIterator<Item = String>,
    noun: &str,
) -> fmt::Result {
    let all = lines.len();
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "\n## {heading}")?;
    for line in lines.take(LISTED) {
        writeln!(out, "- {line}")?;
    }
    left(out, all, noun)
}

fn table(out: &mut String, metrics: &Metrics) -> fmt::Result {
    let (columns, rows) = metrics.cells();
    let line = |out: &mut String, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        writeln!(out, "| {} |", cells.join(" | "))
    };
    writeln!(out, "\n## Metrics")?;
    line(out, &columns)?;
    writeln!(out, "|{}", " --- |".repeat(columns.len()))?;
    for row in rows.iter().take(LISTED) {
        line(out, row)?;
    }
    left(out, rows.len(), "job")?;
    for missing in &metrics.missing {
        let (metric, first) = (code(&missing.metric), code(&missing.first));
        let (jobs, why) = (counted(missing.jobs, "job"), escaped(&missing.why));
        writeln!(out, "\n{metric}: no value for {jobs}, {first} first: {why}")?;
    }
    Ok(())
}

fn failures(out: &mut String, report: &Report) -> fmt::Result {
    if report.failures.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Not completed")?;
    for job in report.failures.iter().take(LISTED) {
        let reason = job.reason.unwrap_or(job.state);
        let (id, attempts) = (code(&job.id), counted(job.attempts, "attempt"));
        write!(out, "\n### {id}\n\n**{reason}** after {attempts}")?;
        match &job.error {
            Some(error) => writeln!(out, ": {}", escaped(error))?,
            None => writeln!(out)?,
        }
        if let Some(log) = &job.log {
            writeln!(out, "\nLog: {}", code(log))?;
        }
        if let Some(tail) = job.tail.as_ref().filter(|tail| !tail.lines.is_empty()) {
            writeln!(out)?;
            let from = tail.lines.len().saturating_sub(LINES);
            for line in tail.lines.iter().skip(from) {
                // Indented code, so that no line of a log can end the block.
                writeln!(out, "    {}", one_line(line))?;
            }
        }
    }
    left(out, report.failures.len(), "job")
}

/// `40 completed, 2 OOM-retried then completed, 0 stuck`, and the other numbers that are not 0.
fn jobs(counts: &Counts) -> String {
    let mut text = format!(
        "{} completed, {} OOM-retried then completed, {} stuck",
        counts.completed,
        counts.completed_after_oom,
        counts.failed + counts.blocked
    );
    for (number, word) in [
        (counts.failed, "failed"),
        (counts.blocked, "blocked"),
        (counts.running, "running"),
        (counts.waiting, "waiting"),
    ] {
        if number > 0 {
            write!(text, ", {number} {word}").unwrap_or_default();
        }
    }
    text
}

fn left(out: &mut String, all: usize, noun: &str) -> fmt::Result {
    match all.checked_sub(LISTED) {
        None | Some(0) => Ok(()),
        Some(left) => writeln!(out, "\n{} more: see the JSON report.", counted(left, noun)),
    }
}

/// A text without special meaning in Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in one_line(text).chars() {
        if matches!(char, '\\' | '`' | '*' | '_' | '|' | '<' | '[' | ']' | '#') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// A text as code, between more backticks than it contains in a row.
fn code(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|char| char != '`').map(str::len).max();
    let ticks = "`".repeat(longest.unwrap_or(0) + 1);
    if text.contains('`') {
        format!("{ticks} {text} {ticks}")
    } else {
        format!("{ticks}{text}{ticks}")
    }
}
