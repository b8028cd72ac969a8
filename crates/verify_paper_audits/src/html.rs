//! The report as one self-contained page: no script, no external resource, everything escaped.

use aris_contract::text::counted;
use askama::Template;

use crate::finding::{Finding, Severity};
use crate::report::{AuditRow, Counts, GateResult, JudgedFile, Report, Status};
use crate::reported::Reported;
use crate::text::clean;

/// Most findings shown in a group; the JSON report has all of them.
const SHOWN: usize = 200;
/// Most judged files listed; the JSON report has all of them.
const FILES: usize = 2_000;
/// Hex digits shown of a digest.
const DIGITS: usize = 16;

/// The HTML page of a report.
pub(crate) fn page(report: &Report) -> askama::Result<String> {
    let groups = std::iter::once(None).chain(report.audits.iter().map(Some));
    let groups = groups.map(|row| Group::of(report, row));
    let is_listed = |group: &Group<'_>| {
        let reports = group.row.is_some_and(|row| !row.reported.is_empty());
        reports || !group.findings.is_empty()
    };
    let (tone, headline) = headline(report);
    let page = Page {
        report,
        tone,
        headline,
        groups: groups.filter(is_listed).collect(),
    };
    page.render()
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    tone: &'static str,
    headline: String,
    groups: Vec<Group<'a>>,
}

/// One audit, or the paper as a whole, with its findings.
struct Group<'a> {
    row: Option<&'a AuditRow>,
    counts: Counts,
    findings: Vec<&'a Finding>,
    left: usize,
}

impl<'a> Group<'a> {
    fn of(report: &'a Report, row: Option<&'a AuditRow>) -> Self {
        let audit = row.map(|row| row.audit.as_str());
        let mut findings: Vec<&Finding> = report.findings_of(audit).collect();
        let counts = Counts::of(findings.iter().copied());
        let left = findings.len().saturating_sub(SHOWN);
        findings.truncate(SHOWN);
        Self {
            row,
            counts,
            findings,
            left,
        }
    }

    fn name(&self) -> &str {
        self.row.map_or("paper", |row| &row.audit)
    }

    fn title(&self) -> &str {
        self.row.map_or("The paper as a whole", |row| &row.audit)
    }

    /// The audit's summary, unless a blocking verdict quotes it already.
    fn summary(&self) -> Option<&'a str> {
        let summary = self.row?.summary.as_str();
        let said = summary.trim_end_matches('.');
        let mut findings = self.findings.iter();
        let quoted = findings.any(|found| found.message.contains(said));
        (!quoted).then_some(summary)
    }

    fn reported(&self) -> &'a [Reported] {
        self.row.map_or(&[], |row| &row.reported)
    }

    fn reported_left(&self) -> usize {
        self.row.map_or(0, |row| row.reported_left)
    }
}

fn headline(report: &Report) -> (&'static str, String) {
    let blocking = report.counts.block;
    match report.result {
        GateResult::NoBlocker if report.counts.warn > 0 => {
            ("warn", String::from("No blocker found, with warnings"))
        }
        GateResult::NoBlocker => ("ok", String::from("No blocker found")),
        GateResult::DraftWithoutBlockers => ("ok", String::from("Draft without blockers")),
        GateResult::DraftIncomplete => {
            let waiting = counted(report.not_run, "audit");
            ("warn", format!("Draft with {waiting} still to run"))
        }
        GateResult::Blocked => {
            let found = counted(blocking, "finding");
            ("block", format!("Blocked by {found}"))
        }
        GateResult::DraftWithBlockers => {
            let found = counted(blocking, "blocker");
            ("warn", format!("Draft with {found}"))
        }
    }
}

fn lead(report: &Report) -> &'static str {
    match report.result {
        GateResult::NoBlocker => {
            "Every check that this program can make was made, and none gave a reason not to submit. That is not an acceptance: it says nothing about what no program can check."
        }
        GateResult::DraftWithoutBlockers => {
            "Every mandatory audit was run, and nothing that this program can prove would block a submission. That is not an acceptance."
        }
        GateResult::DraftIncomplete if report.audits.iter().all(|row| !row.present()) => {
            "No audit has been run, so that nothing is known about this paper yet. A draft may stay like that, a submission may not."
        }
        GateResult::DraftIncomplete => {
            "Nothing blocks a draft, and nothing in the audits that were run would block a submission. A submission needs the others too."
        }
        GateResult::Blocked => {
            "The audits do not carry this paper as it stands. Clear each finding below, then run the gate again."
        }
        GateResult::DraftWithBlockers => {
            "Nothing blocks a draft. The blockers below would block a submission; clear them before the assurance level is raised."
        }
    }
}

/// The last two parts of the paper's path, because the last one alone is usually `paper`.
fn name(report: &Report) -> String {
    let parts = report.paper_dir.split('/').filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let last = parts.get(parts.len().saturating_sub(2)..);
    clean(&last.unwrap_or_default().join("/"))
}

/// The report's date and time, to the minute.
fn day(report: &Report) -> String {
    let made = &report.generated_at;
    made.get(..16).unwrap_or(made).replace('T', " ")
}

/// Colour, symbol and words for an audit's state.
fn state(row: &AuditRow) -> (&'static str, &'static str, &'static str) {
    match row.status {
        Status::Ok if row.findings.warn > 0 => ("warn", "!", "in order, with warnings"),
        Status::Ok => ("ok", "✓", "in order"),
        Status::Stale => ("block", "✕", "stale"),
        Status::BlockingVerdict => ("block", "✕", "blocking verdict"),
        Status::HasIssues => ("block", "✕", "has issues"),
        Status::SchemaInvalid => ("block", "✕", "not an audit"),
        Status::Missing => ("block", "✕", "missing"),
        Status::MissingDraftOk if row.mandatory => ("none", "·", "not run yet"),
        Status::MissingDraftOk => ("none", "·", "optional, not run"),
    }
}

/// Colour and word for a finding.
fn weight(severity: Severity) -> (&'static str, &'static str) {
    match severity {
        Severity::Block => ("block", "Blocks"),
        Severity::Warn => ("warn", "Doubtful"),
        Severity::Info => ("info", "Noted"),
    }
}

fn tone(reported: &Reported) -> &'static str {
    match reported.severity.as_str() {
        _ if reported.weighs() => "block",
        "warn" => "warn",
        _ => "info",
    }
}

fn counts(counts: Counts) -> String {
    counts.listed(["blocking", "doubtful", "noted"], '\u{a0}')
}

/// The first digits of a digest; the JSON report has all of them. Other text is unchanged.
fn digest(text: &str) -> String {
    let hex = text
        .strip_prefix("sha256:")
        .and_then(|hex| hex.get(..DIGITS));
    hex.map_or_else(|| clean(text), |beginning| format!("sha256:{beginning}…"))
}

/// A message as a sentence: with a full stop, and a capital letter unless it begins with a name from the paper.
fn sentence(message: &str) -> String {
    let message = clean(message);
    let first = message.split(' ').next().unwrap_or("");
    let word = first.chars().all(|c| c.is_ascii_lowercase());
    let mut characters = message.chars();
    let begin = match characters.next() {
        Some(c) if word => c.to_uppercase().collect::<String>(),
        Some(c) => c.to_string(),
        None => return String::new(),
    };
    let ends = message.ends_with(['.', '!', '?', '…']);
    let stop = if ends { "" } else { "." };
    format!("{begin}{}{stop}", characters.as_str())
}

fn roles(file: &JudgedFile) -> String {
    let roles = file.roles.iter().map(ToString::to_string);
    roles.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_with_a_capital_unless_they_begin_with_a_name() {
        for (message, expected) in [
            ("the audit says FAIL", "The audit says FAIL."),
            ("main.tex changed", "main.tex changed."),
            ("PROOF_AUDIT.json is gone", "PROOF_AUDIT.json is gone."),
            ("the audit says FAIL: no.", "The audit says FAIL: no."),
            ("", ""),
        ] {
            assert_eq!(sentence(message), expected);
        }
    }
}
