//! The audit: writes artifact, report and trace.
//!
//! | state | verdict | reason |
//! |---|---|---|
//! | there is no document, or an included source is missing | ERROR | id of the first finding |
//! | a bound number or statement differs from the data | FAIL | `claim_mismatch` |
//! | a binding has lost its place in the paper | FAIL | `binding_lost` |
//! | a binding's query gives no value | ERROR | `binding_error` |
//! | no number looks like a result, and nothing is bound | `NOT_APPLICABLE` | `no_numeric_claims` |
//! | numbers, no bindings, no results | BLOCKED | `no_raw_evidence` |
//! | numbers that nothing binds or waives | WARN | `unbound_claims` |
//! | text that was not read, arithmetic that does not hold, a waiver that fits nothing | WARN | id of the first finding |
//! | every number is bound or waived, and every binding holds | PASS | `all_numbers_match` |

use std::io::{self, Write};
use std::path::Path;

use aris_audit::Emission;
use aris_claims::{Audit, Status};
use aris_cli::{Context, Outcome, Style};
use aris_contract::artifact::audit::Verdict;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::artifact::{Details, Finding, Row, Severity};
use crate::cli::PaperArgs;
use crate::error::Error;
use crate::session::Session;
use crate::{Report, SPEC};

/// Schema id of [`AuditReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.report/v2";

/// Rows of one kind that are printed; the report has all of them.
const PRINTED: usize = 20;

/// What the audit answers on stdout.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AuditReport {
    /// The verdict that the artifact holds.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) verdict: Verdict,
    /// Its short reason.
    pub(crate) reason_code: String,
    /// One line for people.
    pub(crate) summary: String,
    /// Path of the artifact.
    pub(crate) artifact: String,
    /// Path of the report for people.
    pub(crate) markdown: String,
    /// The artifact's `trace_path`.
    pub(crate) trace_path: String,
    /// Whether an earlier artifact said the same and was kept.
    pub(crate) unchanged: bool,
    /// Number of entries in the artifact.
    pub(crate) total_claims: usize,
    /// Entries per status.
    pub(crate) counts: Map<String, Value>,
    /// What could not be read or was noticed beside the bindings.
    pub(crate) findings: Vec<Finding>,
    /// Entries that need attention, in reading order.
    pub(crate) claims: Vec<Row>,
}

pub(crate) fn run(args: &PaperArgs, context: &Context) -> Result<Outcome<Report>, Error> {
    let mut session = Session::open(args, context)?;
    let audit = session.audit();
    let details = Details::new(&session, &audit);
    let (verdict, reason) = decide(&session, &audit, &details);
    let summary = summary(verdict, &reason, &session, &audit, &details);
    let markdown = details.markdown(verdict.word(), &reason, &summary)?;
    let folder = session.files.folder.clone();
    let emission = Emission {
        helper: SPEC.name,
        version: SPEC.version,
        skill: "paper-claim-audit",
        stem: "PAPER_CLAIM_AUDIT",
        verdict,
        reason_code: &reason,
        summary: &summary,
        inputs: session.files.digests.clone(),
        details: &details,
        report: &markdown,
    };
    let emitted = aris_audit::emit(&folder, &emission, context.now())?;
    let claims = details.claims.into_iter().filter(Row::needs_attention);
    let report = AuditReport {
        verdict,
        reason_code: reason,
        summary,
        artifact: emitted.artifact.display().to_string(),
        markdown: emitted.report.display().to_string(),
        trace_path: emitted.trace_path,
        unchanged: emitted.unchanged,
        total_claims: details.total_claims,
        counts: details.counts,
        findings: details.findings,
        claims: claims.collect(),
    };
    let found = !matches!(verdict, Verdict::Pass | Verdict::NotApplicable);
    Ok(Outcome::found(Report::Audit(Box::new(report)), found))
}

/// Verdict and reason code.
pub(crate) fn decide(session: &Session, audit: &Audit, details: &Details) -> (Verdict, String) {
    let any = |status| audit.count(status) > 0;
    let noticed = details.findings.first().map(|finding| finding.id.as_str());
    let has_data = audit.coverage.total().bound > 0 || !session.evidence.is_empty();
    let (verdict, reason) = if let Some(first) = details.obstacles().next() {
        (Verdict::Error, first.id.as_str())
    } else if any(Status::NumberMismatch) || any(Status::ScopeOverclaim) {
        (Verdict::Fail, "claim_mismatch")
    } else if any(Status::BindingLost) {
        (Verdict::Fail, "binding_lost")
    } else if any(Status::BindingError) {
        (Verdict::Error, "binding_error")
    } else if any(Status::Unbound) && !has_data {
        (Verdict::Blocked, "no_raw_evidence")
    } else if any(Status::Unbound) {
        (Verdict::Warn, "unbound_claims")
    } else if let Some(id) = noticed {
        (Verdict::Warn, id)
    } else if audit.entries.is_empty() {
        (Verdict::NotApplicable, "no_numeric_claims")
    } else {
        (Verdict::Pass, "all_numbers_match")
    };
    (verdict, reason.to_owned())
}

/// One line for people.
pub(crate) fn summary(
    verdict: Verdict,
    reason: &str,
    session: &Session,
    audit: &Audit,
    details: &Details,
) -> String {
    if let Some(first) = details.obstacles().next() {
        return format!("the paper cannot be audited as a whole: {}", first.message);
    }
    let coverage = &audit.coverage;
    let unbound = match coverage.total().unbound {
        1 => String::from("1 number"),
        count => format!("{count} numbers"),
    };
    let counted = Status::ALL.map(|status| (audit.count(status), status.word()));
    let counted = counted.iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> = counted
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let text = match verdict {
        Verdict::NotApplicable => {
            return String::from("the paper states no number that looks like a result");
        }
        Verdict::Blocked => {
            let todo = "put raw results under results/, or name them with --results";
            return format!("{unbound} and no result file: {todo}");
        }
        Verdict::Warn if reason == "unbound_claims" && !session.has_claims => format!(
            "none of {unbound} is bound: {} in the abstract, {} in tables, {} in the text; begin with `paper_claim_audit suggest`",
            coverage.r#abstract.unbound, coverage.tables.unbound, coverage.text.unbound
        ),
        _ => counted.join(", "),
    };
    match audit.proposed {
        0 => text,
        proposed => format!("{text}; {proposed} proposed bindings are not confirmed"),
    }
}

impl AuditReport {
    /// Writes the form for people.
    pub(crate) fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for finding in &self.findings {
            let word = match finding.severity {
                Severity::Block => style.bad("blocked"),
                Severity::Warn => style.doubtful("warning"),
            };
            // One about no file is about the paper's folder.
            let folder = Path::new(&self.artifact).parent().unwrap_or(Path::new(""));
            let place = match finding.file.as_str() {
                "" => folder.display().to_string(),
                _ => finding.place(),
            };
            let (message, id, action) = (&finding.message, &finding.id, &finding.action);
            writeln!(out, "{place}: {word}: {message} [{id}]\n  {action}")?;
        }
        for row in self.claims.iter().take(PRINTED) {
            let place = format!("{}:{}", row.location, row.column);
            let (status, detail, id) = (style.bad(row.status.word()), &row.detail, &row.id);
            let binding = row.binding.as_deref().unwrap_or("");
            let query = shortened(row.query.as_deref().unwrap_or(""));
            writeln!(
                out,
                "{place}: {status}: {detail} [{id}, {binding}]\n  {query}"
            )?;
        }
        if let Some(more) = self
            .claims
            .len()
            .checked_sub(PRINTED)
            .filter(|more| *more > 0)
        {
            writeln!(out, "… and {more} more, in {}", self.markdown)?;
        }
        let (verdict, reason) = (self.verdict.word(), &self.reason_code);
        let kept = if self.unchanged { " (unchanged)" } else { "" };
        writeln!(
            out,
            "{verdict} ({reason}): {}\n{}{kept}",
            self.summary, self.artifact
        )
    }
}

/// A query on one line, cut after 160 characters.
fn shortened(query: &str) -> String {
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(160) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or("")),
        None => line,
    }
}
