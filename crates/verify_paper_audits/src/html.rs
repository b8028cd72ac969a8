//! The report as one self-contained page: no script, no external resource, everything escaped.

use askama::Template;

use crate::finding::{Finding, Severity};
use crate::report::{AuditRow, GateResult, Report, Status};
use crate::reported::Reported;
use crate::text::clean;

/// Findings of one group that are written out; the JSON report has all of them.
const SHOWN: usize = 200;
/// Judged files that are listed; the JSON report has all of them.
const FILES: usize = 2_000;
/// Hex digits of a digest in the evidence of a finding: as many as `git` shows at its longest short form, twice over.
const DIGITS: usize = 16;

/// The page.
pub(crate) fn page(report: &Report) -> askama::Result<String> {
    let mut groups = vec![group(report, None)];
    groups.extend(report.audits.iter().map(|row| group(report, Some(row))));
    groups.retain(|group| !group.findings.is_empty() || !group.reported.is_empty());
    let (tone, headline) = match report.result {
        GateResult::NoBlocker if report.counts.warn > 0 => {
            ("warn", String::from("No blocker found, with warnings"))
        }
        GateResult::NoBlocker => ("ok", String::from("No blocker found")),
        GateResult::DraftWithoutBlockers => ("ok", String::from("Draft without blockers")),
        GateResult::DraftIncomplete => (
            "warn",
            format!("Draft with {} still to run", count(report.not_run, "audit")),
        ),
        GateResult::Blocked => (
            "block",
            format!("Blocked by {}", count(report.counts.block, "finding")),
        ),
        GateResult::DraftWithBlockers => (
            "warn",
            format!("Draft with {}", count(report.counts.block, "blocker")),
        ),
    };
    let page = Page {
        tone,
        headline,
        lead: lead(report),
        paper: clean(&report.paper_dir),
        name: name(&report.paper_dir),
        assurance: report.assurance.word(),
        root: report.root_document.as_deref().map(clean),
        generated_at: &report.generated_at,
        day: report
            .generated_at
            .get(..16)
            .unwrap_or(&report.generated_at)
            .replace('T', " "),
        version: &report.verifier_version,
        policy: &report.policy.sha256,
        policy_source: clean(&report.policy.source),
        weakened: report
            .policy
            .weakened
            .iter()
            .map(|name| clean(name))
            .collect(),
        rows: report.audits.iter().map(row).collect(),
        groups,
        files: report.files.iter().take(FILES).map(file).collect(),
        files_total: report.files.len(),
        files_left: report.files.len().saturating_sub(FILES),
        traces: report.traces.iter().map(trace).collect(),
        steps: steps(report),
        rerun: clean(&report.rerun),
    };
    page.render()
}

/// The last two parts of the paper's path: the folder alone is mostly called `paper`.
fn name(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    clean(
        &parts
            .get(parts.len().saturating_sub(2)..)
            .unwrap_or_default()
            .join("/"),
    )
}

/// The commands that clear what blocks, each once, in the order of the findings.
fn steps(report: &Report) -> Vec<Step> {
    let mut steps: Vec<(&str, usize)> = Vec::new();
    let blocking = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Block);
    for command in blocking.filter_map(|finding| finding.command.as_deref()) {
        match steps.iter_mut().find(|(known, _)| *known == command) {
            Some((_, clears)) => *clears += 1,
            None => steps.push((command, 1)),
        }
    }
    let step = |(command, clears)| Step {
        command: clean(command),
        why: format!("for {}", count(clears, "finding")),
    };
    // In a draft an audit that was not run is no finding, and still what to do next.
    let waiting = report
        .audits
        .iter()
        .filter(|row| row.status == Status::MissingDraftOk && row.mandatory)
        .filter_map(|row| row.rerun.as_deref())
        .map(|command| Step {
            command: clean(command),
            why: String::from("not run yet"),
        });
    steps.into_iter().map(step).chain(waiting).collect()
}

fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
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

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    tone: &'static str,
    headline: String,
    lead: &'static str,
    paper: String,
    name: String,
    assurance: &'static str,
    root: Option<String>,
    generated_at: &'a str,
    day: String,
    version: &'a str,
    policy: &'a str,
    policy_source: String,
    weakened: Vec<String>,
    rows: Vec<Row>,
    groups: Vec<Group>,
    files: Vec<File>,
    files_total: usize,
    files_left: usize,
    traces: Vec<TraceRow>,
    steps: Vec<Step>,
    rerun: String,
}

/// A command, and what it is for.
struct Step {
    command: String,
    why: String,
}

struct Row {
    audit: String,
    artifact: String,
    tone: &'static str,
    mark: &'static str,
    status: &'static str,
    verdict: String,
    /// Parts behind which a line may break.
    reviewer: Vec<String>,
    inputs: usize,
    present: bool,
    found: String,
    anchor: Option<String>,
}

struct Group {
    anchor: String,
    title: String,
    summary: String,
    counts: String,
    findings: Vec<Item>,
    left: usize,
    reported: Vec<Entry>,
    reported_left: usize,
}

/// What an audit itself reports.
struct Entry {
    tone: &'static str,
    weight: String,
    id: String,
    place: String,
    message: String,
    quote: String,
    action: String,
}

struct Item {
    tone: &'static str,
    weight: &'static str,
    id: &'static str,
    place: String,
    message: String,
    lines: Vec<Line>,
    evidence: Vec<(String, String)>,
    fix: String,
    command: Option<String>,
}

struct Line {
    number: usize,
    text: String,
    meant: bool,
}

struct File {
    path: String,
    digest: String,
    roles: String,
}

struct TraceRow {
    audit: String,
    path: String,
    record: String,
    chain: &'static str,
    head: String,
}

fn row(row: &AuditRow) -> Row {
    let (tone, mark, status) = match row.status {
        Status::Ok if row.findings.warn > 0 => ("warn", "!", "in order, with warnings"),
        Status::Ok => ("ok", "✓", "in order"),
        Status::Stale => ("block", "✕", "stale"),
        Status::BlockingVerdict => ("block", "✕", "blocking verdict"),
        Status::HasIssues => ("block", "✕", "has issues"),
        Status::SchemaInvalid => ("block", "✕", "not an audit"),
        Status::Missing => ("block", "✕", "missing"),
        Status::MissingDraftOk if row.mandatory => ("none", "·", "not run yet"),
        Status::MissingDraftOk => ("none", "·", "optional, not run"),
    };
    let found = counts(row.findings.block, row.findings.warn, row.findings.info);
    let anchor =
        (!found.is_empty() || !row.reported.is_empty()).then(|| format!("of-{}", row.audit));
    Row {
        audit: row.audit.clone(),
        artifact: row.artifact.clone(),
        tone,
        mark,
        status,
        verdict: clean(&row.verdict).replace('_', " "),
        reviewer: clean(&row.reviewer_model)
            .split_inclusive('/')
            .map(ToOwned::to_owned)
            .collect(),
        inputs: row.inputs,
        present: row.present(),
        found: if found.is_empty() {
            String::from("–")
        } else {
            found
        },
        anchor,
    }
}

fn counts(block: usize, warn: usize, info: usize) -> String {
    let parts = [(block, "blocking"), (warn, "doubtful"), (info, "noted")];
    let parts = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number}\u{a0}{word}"));
    parts.collect::<Vec<_>>().join(", ")
}

fn group(report: &Report, row: Option<&AuditRow>) -> Group {
    let skill = row.map(|row| row.audit.as_str());
    let all: Vec<&Finding> = report.findings_of(skill).collect();
    let totals = crate::report::Counts::of(all.iter().copied());
    // A blocking verdict quotes the summary already.
    let said = |summary: &str| {
        all.iter()
            .any(|finding| clean(&finding.message).contains(summary.trim_end_matches('.')))
    };
    Group {
        anchor: format!("of-{}", skill.unwrap_or("paper")),
        title: skill.unwrap_or("The paper as a whole").to_owned(),
        summary: row
            .map(|row| clean(&row.summary))
            .filter(|summary| !said(summary))
            .unwrap_or_default(),
        counts: counts(totals.block, totals.warn, totals.info),
        left: all.len().saturating_sub(SHOWN),
        findings: all.into_iter().take(SHOWN).map(item).collect(),
        reported: row
            .into_iter()
            .flat_map(|row| &row.reported)
            .map(entry)
            .collect(),
        reported_left: row.map_or(0, |row| row.reported_left),
    }
}

fn entry(reported: &Reported) -> Entry {
    Entry {
        tone: match reported.severity.as_str() {
            _ if reported.weighs() => "block",
            "warn" => "warn",
            _ => "info",
        },
        weight: clean(&reported.severity),
        id: clean(&reported.id),
        place: clean(&reported.place()),
        message: sentence(&clean(&reported.message)),
        quote: clean(&reported.quote),
        action: sentence(&clean(&reported.action)),
    }
}

fn item(finding: &Finding) -> Item {
    let (tone, weight) = match finding.severity {
        Severity::Block => ("block", "Blocks"),
        Severity::Warn => ("warn", "Doubtful"),
        Severity::Info => ("info", "Noted"),
    };
    Item {
        tone,
        weight,
        id: finding.id.word(),
        place: clean(&finding.place()),
        message: sentence(&clean(&finding.message)),
        lines: finding
            .context
            .iter()
            .map(|line| Line {
                number: line.line,
                text: clean(&line.text),
                meant: Some(line.line) == finding.line,
            })
            .collect(),
        evidence: finding
            .evidence
            .iter()
            .map(|(name, value)| (name.replace('_', " "), digest(&clean(value))))
            .collect(),
        fix: sentence(&clean(&finding.fix)),
        command: finding.command.as_deref().map(clean),
    }
}

/// A digest by its beginning, which is enough for a look; the JSON report has all of it. Anything else stays.
fn digest(text: &str) -> String {
    match text
        .strip_prefix("sha256:")
        .and_then(|hex| hex.get(..DIGITS))
    {
        Some(beginning) => format!("sha256:{beginning}…"),
        None => text.to_owned(),
    }
}

/// A message as a sentence: full stop, and a capital unless it begins with a name from the paper.
fn sentence(message: &str) -> String {
    let first = message.split(' ').next().unwrap_or("");
    let word = first.chars().all(|c| c.is_ascii_lowercase());
    let mut characters = message.chars();
    let begin = match characters.next() {
        Some(c) if word => c.to_uppercase().collect::<String>(),
        Some(c) => c.to_string(),
        None => return String::new(),
    };
    let end = if message.ends_with(['.', '!', '?', '…']) {
        ""
    } else {
        "."
    };
    format!("{begin}{}{end}", characters.as_str())
}

fn file(file: &crate::report::JudgedFile) -> File {
    let roles = serde_json::to_value(&file.roles).ok();
    let roles = roles
        .as_ref()
        .and_then(|value| value.as_array())
        .cloned()
        .unwrap_or_default();
    File {
        path: clean(&file.path),
        digest: file.sha256.trim_start_matches("sha256:").to_owned(),
        roles: roles
            .iter()
            .filter_map(|role| role.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn trace(trace: &crate::trace::TraceSummary) -> TraceRow {
    TraceRow {
        audit: trace.audit.clone(),
        path: clean(&trace.path),
        record: trace
            .record
            .as_deref()
            .map_or_else(|| String::from("none fits"), clean),
        chain: trace.chain,
        head: trace
            .head
            .as_deref()
            .unwrap_or("")
            .trim_start_matches("sha256:")
            .to_owned(),
    }
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
