//! `summary.md`: the report for an agent and for a person at a terminal.
//!
//! **Shape**: the headings and bold fields of the report in the reference's experiment-queue skill come first, in its order, so that
//! what reads those finds them; failures, blocked jobs and warnings follow.

use std::fmt::{self, Write as _};

use super::words::{card_time, duration, one_line, time};
use super::{Counts, Metrics, Report};
use aris_contract::text::counted;

/// Jobs of one list that are written out; the JSON report has all.
const LISTED: usize = 50;

/// Lines of a log that are shown.
const LINES: usize = 15;

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
    if let Some(started) = report.started {
        let end = report.ended.unwrap_or(report.made);
        let wall = super::words::seconds(started, end);
        writeln!(out, "**Total wall-clock**: {}", duration(wall))?;
    }
    writeln!(out, "**Jobs**: {}", jobs(&report.counts))?;
    if report.cards.cards > 0 {
        writeln!(
            out,
            "**GPU time**: {} on {}, of it {} in attempts that did not complete",
            card_time(report.cards.busy_s),
            counted(report.cards.cards, "card"),
            card_time(report.cards.fruitless_s)
        )?;
    }

    writeln!(
        out,
        "\n## Phases\n| Phase | Jobs | Success | OOM retries | Other retries | Duration | Per job (min / median / max) |\n| --- | --- | --- | --- | --- | --- | --- |"
    )?;
    for phase in &report.phases {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            escaped(&phase.name),
            phase.counts.jobs,
            phase.counts.completed,
            phase.oom_retries,
            phase.other_retries,
            phase.wall(),
            phase.each()
        )?;
    }
    if !report.results.is_empty() {
        writeln!(out, "\n## Results Files")?;
        let results = report.result_groups();
        for result in results.iter().take(LISTED) {
            writeln!(
                out,
                "- {} in {}",
                count_files(result.files),
                code(&result.pattern)
            )?;
        }
        left(out, results.len(), "pattern")?;
    }
    if let Some(metrics) = &report.metrics {
        table(out, metrics)?;
    }
    failures(out, report)?;
    if !report.blocked.is_empty() {
        writeln!(out, "\n## Blocked")?;
        for job in report.blocked.iter().take(LISTED) {
            let cause = job
                .cause
                .as_deref()
                .unwrap_or("waits for a job that did not complete");
            writeln!(out, "- {}: {}", code(&job.id), escaped(cause))?;
        }
        left(out, report.blocked.len(), "job")?;
    }
    if !report.warnings.is_empty() {
        writeln!(out, "\n## Warnings")?;
        for warning in report.warnings.iter().take(LISTED) {
            writeln!(out, "- {}", escaped(warning))?;
        }
        left(out, report.warnings.len(), "warning")?;
    }
    Ok(())
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
        writeln!(
            out,
            "\n{}: no value for {}, {} first: {}",
            code(&missing.metric),
            counted(missing.jobs, "job"),
            code(&missing.first),
            escaped(&missing.why)
        )?;
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
        writeln!(
            out,
            "\n### {}\n\n**{}** after {}{}",
            code(&job.id),
            reason,
            counted(job.attempts, "attempt"),
            job.error
                .as_deref()
                .map_or_else(String::new, |error| format!(": {}", escaped(error)))
        )?;
        if let Some(log) = &job.log {
            writeln!(out, "\nLog: {}", code(log))?;
        }
        if let Some(tail) = job.tail.as_ref().filter(|tail| !tail.lines.is_empty()) {
            writeln!(out)?;
            let from = tail.lines.len().saturating_sub(LINES);
            for line in tail.lines.iter().skip(from) {
                // Indented, so that no line of a log ends the block.
                writeln!(out, "    {}", one_line(line))?;
            }
        }
    }
    left(out, report.failures.len(), "job")
}

/// `40 completed, 2 OOM-retried then completed, 0 stuck`, and what else there is.
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

fn count_files(files: u64) -> String {
    counted(files, "file")
}

fn left(out: &mut String, all: usize, noun: &str) -> fmt::Result {
    match all.checked_sub(LISTED) {
        None | Some(0) => Ok(()),
        Some(left) => writeln!(out, "\n{} more: see the JSON report.", counted(left, noun)),
    }
}

/// A text without meaning for Markdown.
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

/// A text as code, between more backticks than it has in a row.
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
