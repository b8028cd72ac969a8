//! The report as text for a terminal: one row per audit, then what blocks and how to clear it, then the conclusion.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::artifact::audit::Assurance;

use crate::finding::{Finding, FindingId, Severity};
use crate::report::{AuditRow, GateResult, Report, Status};
use crate::text::{clean, tallied};

/// Most findings shown; the report file has all of them.
const SHOWN: usize = 25;

/// Most lines quoted from an audit below its blocking verdict.
const QUOTED: usize = 8;

impl Product for Report {
    fn schema(&self) -> &'static str {
        crate::SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        table(self, out, style)
    }
}

fn table(report: &Report, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let (of, paper) = (style.bold("audits of"), clean(&report.paper_dir));
    let root = clean(report.root_document.as_deref().unwrap_or("none"));
    let level = report.assurance.word();
    writeln!(out, "{of} {paper} ({level}, root document {root})")?;
    let (mark, policy) = (style.doubtful("!"), clean(&report.policy.source));
    for name in &report.policy.weakened {
        writeln!(out, "  {mark} policy {policy} weakens {}", clean(name))?;
    }
    writeln!(out)?;
    rows(report, out, style)?;
    let heading = match report.assurance {
        Assurance::Submission => "blocks the submission",
        Assurance::Draft => "would block a submission",
    };
    list(report, Severity::Block, heading, out, style)?;
    list(report, Severity::Warn, "doubtful", out, style)?;
    noted(report, out, style)?;
    steps(report, out, style)?;
    writeln!(out)?;
    let conclusion = clean(&report.conclusion);
    let painted = match report.result {
        GateResult::NoBlocker | GateResult::DraftWithoutBlockers => style.good(&conclusion),
        GateResult::Blocked => style.bad(&conclusion),
        GateResult::DraftIncomplete | GateResult::DraftWithBlockers => style.doubtful(&conclusion),
    };
    writeln!(out, "{painted}")
}

/// One line for the informational findings about the whole paper, mostly about its runs.
fn noted(report: &Report, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let noted = report.findings_of(None);
    let noted = noted.filter(|finding| finding.severity == Severity::Info);
    let noted = tallied(noted.map(|finding| finding.id.word().to_owned()));
    if noted.is_empty() {
        return Ok(());
    }
    let line = format!("also found, not blocking: {noted}; the report has the details");
    writeln!(out, "\n{}", style.dim(&line))
}

/// The steps to do, in order.
fn steps(report: &Report, out: &mut dyn Write, style: Style) -> io::Result<()> {
    if report.steps.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", style.bold("what to do, in this order"))?;
    let shown = report.steps.iter().take(SHOWN);
    for (at, step) in shown.enumerate() {
        let text = clean(&step.text);
        let number = at + 1;
        match &step.command {
            Some(command) => writeln!(out, "  {number}. {}  {}", clean(command), style.dim(&text))?,
            None => writeln!(out, "  {number}. {text}")?,
        }
    }
    match report.steps.len().saturating_sub(SHOWN) {
        0 => {
            let (number, rerun) = (report.steps.len() + 1, clean(&report.rerun));
            writeln!(out, "  {number}. {rerun}")
        }
        more => writeln!(out, "  … and {more} more in the report"),
    }
}

fn rows(report: &Report, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let shown = |row: &AuditRow| clean(&row.verdict).chars().take(24).collect::<String>();
    let widest = |least: usize, width: &dyn Fn(&AuditRow) -> usize| {
        report.audits.iter().map(width).fold(least, usize::max)
    };
    let name = widest(5, &|row| row.audit.chars().count());
    let status = widest(6, &|row| row.status.word().len());
    let verdict = widest(7, &|row| shown(row).chars().count());
    let head = format!(
        "     {:name$}  {:status$}  {:verdict$}  findings",
        "audit", "status", "verdict"
    );
    writeln!(out, "{}", style.dim(&head))?;
    for row in &report.audits {
        let (mark, painted): (&str, fn(Style, &str) -> String) = match row.status {
            Status::MissingDraftOk => ("·", Style::dim),
            Status::Ok if row.findings.warn > 0 => ("!", Style::doubtful),
            Status::Ok => ("✓", Style::good),
            _ => ("✗", Style::bad),
        };
        let or_none = |text: String| Some(text).filter(|text| !text.is_empty());
        let or_none = |text| or_none(text).unwrap_or_else(|| String::from("–"));
        let (audit, state, shown) = (&row.audit, row.status.word(), or_none(shown(row)));
        let found = or_none(row.findings.listed(["block", "warn", "info"], ' '));
        let state = painted(style, &format!("{state:status$}"));
        let mark = painted(style, mark);
        writeln!(
            out,
            "  {mark}  {audit:name$}  {state}  {shown:verdict$}  {found}"
        )?;
    }
    Ok(())
}

fn list(
    report: &Report,
    severity: Severity,
    heading: &str,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let findings = report.findings.iter();
    let findings = findings.filter(|finding| finding.severity == severity);
    let findings: Vec<&Finding> = findings.collect();
    if findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", style.bold(heading))?;
    for finding in findings.iter().take(SHOWN) {
        let place = match finding.place() {
            place if place.is_empty() => String::from("the paper"),
            place => clean(&place),
        };
        let mark = match severity {
            Severity::Block => style.bad("✗"),
            _ => style.doubtful("!"),
        };
        let about = match &finding.audit {
            Some(audit) => format!("{} ({audit})", finding.id.word()),
            None => finding.id.word().to_owned(),
        };
        let (place, about) = (style.bold(&place), style.dim(&about));
        writeln!(
            out,
            "  {mark} {place}  {about}\n      {}",
            clean(&finding.message)
        )?;
        if finding.id == FindingId::BlockingVerdict {
            quoted(report, finding, out, style)?;
        }
        // Commands that clear blockers are listed together at the end, in the order in which they are run.
        let below = severity == Severity::Block && finding.command.is_some();
        if !below || finding.id.is_repaired() {
            writeln!(out, "      {} {}", style.dim("fix:"), clean(&finding.fix))?;
        }
    }
    if findings.len() > SHOWN {
        writeln!(out, "  … and {} more in the report", findings.len() - SHOWN)?;
    }
    Ok(())
}

/// The audit's own findings.
fn quoted(report: &Report, finding: &Finding, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let mut rows = report.audits.iter();
    let Some(row) = rows.find(|row| Some(&row.audit) == finding.audit.as_ref()) else {
        return Ok(());
    };
    let (reasons, count) = row.reasons();
    for entry in reasons.into_iter().take(QUOTED) {
        let place = clean(&entry.place());
        let gap = if place.is_empty() { "" } else { "  " };
        let (place, message) = (style.bold(&place), clean(&entry.message));
        writeln!(out, "        {place}{gap}{message}")?;
    }
    match count.saturating_sub(QUOTED) {
        0 => Ok(()),
        more => writeln!(out, "        … and {more} more in {}", row.artifact),
    }
}
