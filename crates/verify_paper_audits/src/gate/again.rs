//! Repeats, offline, the audits that programs can make, and compares them with their artifacts.

use aris_audit::PaperFiles;
use aris_citations::{Finding as Cited, Severity, examine, verdict};
use aris_claims::Details;
use aris_claims::bindings::FILE_NAME;
use aris_claims::project::{Options, Project};
use aris_contract::artifact::audit::{Audit, Verdict};
use aris_contract::failure::ErrorBody;
use aris_contract::time;
use aris_latex::Document;
use aris_paper::facts::Month;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::{CLAIMS, Case, Gate, runs};
use crate::finding::{Finding, FindingId};
use crate::sources::Sources;
use crate::text::short;
use crate::trace;

const CITATIONS: &str = "citation-audit";

/// The document, or why it cannot be read.
pub(super) type Read = Result<Document, Box<aris_audit::Obstacle>>;

/// The result of a repeated audit.
struct Again<'a> {
    verdict: Verdict,
    reason: &'a str,
    /// The first fault that it finds.
    first: Option<String>,
    /// Another difference, if the verdict is the same.
    differs: Option<String>,
}

/// Repeats the citation audit. If a program made it, everything must agree; a reviewer must not pass what the files show to be wrong.
///
/// The answers of sources are taken from the artifact: the gate uses no network.
pub(super) fn citations(
    cases: &mut [Case],
    files: &mut PaperFiles,
    document: &Read,
    now: Timestamp,
) {
    let Some((case, audit)) = find(cases, CITATIONS) else {
        return;
    };
    let paper = aris_citations::Paper::read(files, document);
    let examined = examine(&paper, month(&audit, now));
    let mut findings = examined.findings.clone();
    aris_citations::sort(&mut findings);
    let mut findings = aris_citations::capped(findings);
    let recorded = audit.details.get("findings").and_then(Value::as_array);
    let recorded = recorded.into_iter().flatten();
    let (looked_up, own): (Vec<&Value>, Vec<&Value>) =
        recorded.partition(|found| looked_up(found).is_some());
    let asked = audit.details.get("look_ups").is_some_and(|by| by != "none");
    let keys = examined.cited.iter().map(|cited| cited.key.as_str());
    let rows = audit.details.get("per_entry").and_then(Value::as_array);
    let rows: Vec<&Value> = rows.into_iter().flatten().collect();
    let same_keys = keys.eq(rows.iter().map(|row| row["key"].as_str().unwrap_or("")));
    let kept = rows.iter().all(|row| row["verdict"] == "KEEP");
    let same = |(ours, theirs): (&Cited, &&Value)| {
        serde_json::to_value(ours).is_ok_and(|ours| ours == **theirs)
    };
    let same_findings = findings.len() == own.len() && findings.iter().zip(&own).all(same);
    let differs = if !same_findings {
        let (ours, theirs) = (findings.len(), own.len());
        format!("it has {ours} findings from the files, and the artifact {theirs}, or others")
    } else if !same_keys {
        String::from("the keys it finds cited are others")
    } else if !asked && !looked_up.is_empty() {
        String::from("the artifact has answers of sources, and says that nobody was asked")
    } else {
        String::new()
    };
    let differs = Some(differs).filter(|differs| !differs.is_empty());
    let mut grave = findings.iter();
    let first = grave.find(|found| found.severity != Severity::Info);
    let first = first.map(|found| format!("{}: {}", found.place(), found.message));
    findings.extend(looked_up.into_iter().filter_map(looked_up_finding));
    let (verdict, reason) = verdict::decide(&findings, examined.cites, asked && same_keys && kept);
    let error = short(first.as_deref().unwrap_or_default());
    let again = Again {
        verdict,
        reason,
        first,
        differs,
    };
    let found = again.judge(case, &audit, || {
        (
            format!("the files show an error: {error}"),
            "correct the entry or the citation; `citation_audit` lists all that the files show",
        )
    });
    case.findings.extend(found);
}

/// The finding for a reviewer's verdict that contradicts the files.
fn contradicted(case: &Case, audit: &Audit, what: &str, fix: &str) -> Finding {
    let said = audit.verdict.word();
    let message = format!("the audit says {said}, and {what}");
    let finding = Finding::new(FindingId::VerdictContradicted, message, fix);
    let finding = finding.issue(format!("verdict_contradicted:{said}"));
    case.artifact.at_field(finding, "verdict")
}

/// Id and severity of a finding that requires an answer from a source.
fn looked_up(found: &Value) -> Option<(&'static str, Severity)> {
    let id = found.get("id")?.as_str()?;
    let (id, _) = aris_citations::looked_up(id)?;
    let severity = match found.get("severity")?.as_str()? {
        "info" => Severity::Info,
        "warn" => Severity::Warn,
        "question" => Severity::Question,
        _ => Severity::Fail,
    };
    Some((id, severity))
}

fn looked_up_finding(found: &Value) -> Option<Cited> {
    let (id, severity) = looked_up(found)?;
    Some(Cited::new(id, severity, "", ""))
}

/// The month by which the audit judged dates: from the day that it was given, else from the day when it was made; never in the future.
fn month(audit: &Audit, now: Timestamp) -> Month {
    let today = now.to_zoned(TimeZone::UTC).date();
    let made = time::parse_utc(&audit.generated_at);
    let made = made.map(|made| made.to_zoned(TimeZone::UTC).date());
    let told = audit.details.get("as_of").and_then(Value::as_str);
    let told = told.and_then(|day| day.parse().ok());
    let day = told.or(made).unwrap_or(today).min(today);
    Month {
        year: u16::try_from(day.year()).unwrap_or(0),
        month: u8::try_from(day.month()).unwrap_or(1),
    }
}

/// Opens the bindings and results of a paper with the options of its claim audit. Repeats that audit if a program made it, or if a
/// reviewer passed a paper that has bindings. Also looks up the runs behind the data, and counts the bound numbers if the policy has a
/// minimum.
pub(super) fn claims(
    gate: Gate<'_>,
    cases: &mut [Case],
    files: &mut PaperFiles,
    document: Read,
    sources: &mut Sources,
) -> Option<Project> {
    let program = find(cases, CLAIMS).map(|(_, audit)| audit);
    let program = program.filter(|audit| trace::is_program(&audit.reviewer_model));
    let folder = files.folder.clone();
    let mut options = program.as_ref().map_or_else(Options::default, |audit| {
        Details::options(&audit.details, &folder)
    });
    // Bindings beside the root document are the paper's; an audit with other bindings says nothing about them.
    let root = document.as_ref().map_or("", |document| &document.root);
    let own = folder.join(root).with_file_name(FILE_NAME);
    let named = options.claims.as_ref();
    if named.is_some_and(|path| own.exists() || !files.allows(path)) {
        options.claims = None;
    }
    let mut project = match Project::of(files.clone(), document, &options) {
        Ok(project) => project,
        Err(error) => {
            let error = ErrorBody::of(&error);
            let why = error.message;
            let message = format!("which raw results there are cannot be known: {why}");
            let fix = "correct the bindings; without a claims.toml the results are those of results/ and outputs/";
            let finding = Finding::new(FindingId::IncludeUnresolved, message, fix);
            let issue = format!("{}:claims.toml", finding.id.word());
            sources.findings.push(finding.issue(issue));
            return None;
        }
    };
    project.list_evidence();
    let Some((case, audit)) = find(cases, CLAIMS) else {
        return Some(project);
    };
    let by_program_or_bound = program.is_some() || project.has_claims;
    if !by_program_or_bound && !gate.policy.min_bound.asks() {
        return Some(project);
    }
    let real = |name: &String| folder.join(name).canonicalize();
    let evidence = project.evidence.iter();
    let evidence = evidence.filter_map(|name| project.settings.root.join(name).canonicalize().ok());
    let stamps = project.files.ledger.stamps(evidence);
    let held = project.audit();
    runs::look(&project, &held, gate, sources);
    let digests = project.files.digests.iter();
    let digests = digests.filter_map(|(name, digest)| Some((real(name).ok()?, *digest)));
    let digests: std::collections::BTreeMap<_, _> = digests.collect();
    let ledger = &mut project.files.ledger;
    ledger.adopt(stamps, |path| digests.get(path).copied());
    let details = Details::new(&project, &held);
    sources.coverage = Some(details.coverage);
    if !by_program_or_bound {
        return Some(project);
    }
    let (verdict, reason) = details.decide();
    let differs = serde_json::to_value(&details).ok();
    let differs = differs.and_then(|ours| difference(&ours, &audit.details, &mut String::new()));
    let mut rows = details.claims.iter();
    let first = rows.find(|row| row.needs_attention());
    let again = Again {
        verdict,
        reason,
        first: first.map(|row| format!("{}: {}", row.location, row.detail)),
        differs: differs.map(|place| format!("details differ at {place}")),
    };
    let found = again.judge(case, &audit, || {
        let (name, summary) = (project.claims_name(), details.summary());
        (
            format!("the bindings in {name} say FAIL: {summary}"),
            "correct the paper, its data or its bindings; `paper_claim_audit show` lists what differs",
        )
    });
    case.findings.extend(found);
    files.ledger.clone_from(&project.files.ledger);
    Some(project)
}

/// The audit of a skill, if its artifact is readable.
fn find<'c>(cases: &'c mut [Case], skill: &str) -> Option<(&'c mut Case, Audit)> {
    let case = cases.iter_mut().find(|case| case.rule.skill == skill)?;
    let audit = case.artifact.audit.clone()?;
    Some((case, audit))
}

impl Again<'_> {
    /// A program's artifact must agree; a reviewer must not pass what fails. `what` returns the fault and how to fix it.
    fn judge(
        &self,
        case: &Case,
        audit: &Audit,
        what: impl FnOnce() -> (String, &'static str),
    ) -> Option<Finding> {
        if trace::is_program(&audit.reviewer_model) {
            return self.compare(case, audit);
        }
        let passes = self.verdict == Verdict::Fail && !audit.verdict.blocks();
        passes.then(|| {
            let (what, fix) = what();
            contradicted(case, audit, &what, fix)
        })
    }

    fn compare(&self, case: &Case, audit: &Audit) -> Option<Finding> {
        let (ours, theirs) = (self.verdict.word(), audit.verdict.word());
        // Another version of the program may report other details under other names, but its verdict must be the same.
        let version = audit.reviewer_model.rsplit('@').next();
        let same_version = version == Some(crate::SPEC.version);
        let same_reason = !same_version || self.reason == audit.reason_code;
        let message = if self.verdict != audit.verdict || !same_reason {
            let (reason, theirs_for) = (self.reason, short(&audit.reason_code));
            let first = self.first.as_deref();
            let first = first.map_or_else(String::new, |first| format!("; {}", short(first)));
            format!(
                "re-running the audit gives {ours} ({reason}), the artifact says {theirs} ({theirs_for}){first}"
            )
        } else {
            let differs = self.differs.as_ref().filter(|_| same_version)?;
            format!("re-running the audit gives a different result: {differs}")
        };
        let fix = "run the audit again; what it finds then is to be corrected in the paper";
        let finding = Finding::new(FindingId::AuditNotReproduced, message, fix)
            .evidence("expected", ours)
            .evidence("found", theirs)
            .issue(format!("audit_not_reproduced:{}", case.rule.artifact));
        Some(case.artifact.at_field(finding, "verdict"))
    }
}

/// JSON pointer to the first difference between two values.
fn difference(ours: &Value, theirs: &Value, at: &mut String) -> Option<String> {
    let length = at.len();
    let mut step = |key: &str, ours: Option<&Value>, theirs: Option<&Value>| {
        at.push('/');
        at.push_str(key);
        let found = match (ours, theirs) {
            (Some(ours), Some(theirs)) => difference(ours, theirs, at),
            _ => Some(short(at)),
        };
        at.truncate(length);
        found
    };
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let keys: std::collections::BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
            keys.into_iter()
                .find_map(|key| step(key, ours.get(key), theirs.get(key)))
        }
        (Value::Array(ours), Value::Array(theirs)) => (0..ours.len().max(theirs.len()))
            .find_map(|index| step(&index.to_string(), ours.get(index), theirs.get(index))),
        _ if ours == theirs => None,
        _ => Some(short(if at.is_empty() { "/" } else { at })),
    }
}
