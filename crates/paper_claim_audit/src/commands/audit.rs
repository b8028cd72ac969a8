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
    let markdown = details.markdown(verdict.word(), &reason, &summary);
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
        details: serde_json::to_value(&details).map_err(Error::Details)?,
        report: &markdown,
    };
    let emitted = aris_audit::emit(&folder, &emission, context.now())?;
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
        claims: details
            .claims
            .into_iter()
            .filter(Row::needs_attention)
            .collect(),
    };
    let found = !matches!(verdict, Verdict::Pass | Verdict::NotApplicable);
    Ok(Outcome::found(Report::Audit(Box::new(report)), found))
}

/// Verdict and reason code.
pub(crate) fn decide(session: &Session, audit: &Audit, details: &Details) -> (Verdict, String) {
    let any = |status| audit.count(status) > 0;
    if let Some(first) = details.obstacles().next() {
        return (Verdict::Error, first.id.clone());
    }
    let noticed = details
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Warn);
    let (verdict, reason) = if any(Status::NumberMismatch) || any(Status::ScopeOverclaim) {
        (Verdict::Fail, "claim_mismatch")
    } else if any(Status::BindingLost) {
        (Verdict::Fail, "binding_lost")
    } else if any(Status::BindingError) {
        (Verdict::Error, "binding_error")
    } else if audit.entries.is_empty() && noticed.is_none() {
        (Verdict::NotApplicable, "no_numeric_claims")
    } else if any(Status::Unbound)
        && audit.coverage.total().bound == 0
        && session.evidence.is_empty()
    {
        (Verdict::Blocked, "no_raw_evidence")
    } else if any(Status::Unbound) {
        (Verdict::Warn, "unbound_claims")
    } else if let Some(finding) = noticed {
        (Verdict::Warn, finding.id.as_str())
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
    let total = audit.coverage.total();
    let numbers = |count: usize| format!("{count} number{}", if count == 1 { "" } else { "s" });
    match verdict {
        Verdict::NotApplicable => {
            return String::from("the paper states no number that looks like a result");
        }
        Verdict::Blocked => {
            return format!(
                "{} and no result file: put raw results under results/, or name them with --results",
                numbers(total.unbound)
            );
        }
        _ => {}
    }
    let mut parts = Vec::new();
    for status in Status::ALL {
        let count = audit.count(status);
        if count > 0 {
            parts.push(format!("{count} {}", status.word()));
        }
    }
    let mut text = parts.join(", ");
    if reason == "unbound_claims" && !session.has_claims {
        text = format!(
            "none of {} is bound: {} in the abstract, {} in tables, {} in the text; begin with `paper_claim_audit suggest`",
            numbers(total.unbound),
            audit.coverage.r#abstract.unbound,
            audit.coverage.tables.unbound,
            audit.coverage.text.unbound
        );
    }
    if audit.proposed > 0 {
        text.extend([
            "; ",
            &audit.proposed.to_string(),
            " proposed bindings are not confirmed",
        ]);
    }
    text
}

impl AuditReport {
    /// Writes the form for people.
    pub(crate) fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for finding in &self.findings {
            let word = match finding.severity {
                Severity::Block => style.bad("blocked"),
                Severity::Warn => style.doubtful("warning"),
            };
            writeln!(
                out,
                "{}: {word}: {} [{}]\n  {}",
                self.place(finding),
                finding.message,
                finding.id,
                finding.action
            )?;
        }
        for row in self.claims.iter().take(PRINTED) {
            let binding = row.binding.as_deref().unwrap_or("");
            writeln!(
                out,
                "{}:{}:{}: {}: {} [{}, {binding}]",
                row.file,
                row.line,
                row.column,
                style.bad(row.status.word()),
                row.detail,
                row.id
            )?;
            writeln!(out, "  {}", shortened(row.query.as_deref().unwrap_or("")))?;
        }
        if self.claims.len() > PRINTED {
            writeln!(
                out,
                "… and {} more, in {}",
                self.claims.len() - PRINTED,
                self.markdown
            )?;
        }
        writeln!(
            out,
            "{} ({}): {}",
            self.verdict.word(),
            self.reason_code,
            self.summary
        )?;
        let kept = if self.unchanged { " (unchanged)" } else { "" };
        writeln!(out, "{}{kept}", self.artifact)
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

impl AuditReport {
    /// Where a finding is; one about no file is about the paper's folder.
    fn place(&self, finding: &Finding) -> String {
        if finding.file.is_empty() {
            let folder = Path::new(&self.artifact).parent();
            folder.map_or_else(String::new, |folder| folder.display().to_string())
        } else {
            finding.place()
        }
    }
}
