//! The audit: writes artifact, report and trace.

use std::io::{self, Write};
use std::path::Path;

use aris_audit::Emission;
use aris_claims::{Details, Finding, Row, Severity};
use aris_cli::{Context, Outcome, Product, Shown, Style};
use aris_contract::artifact::audit::Verdict;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::SPEC;
use crate::cli::PaperArgs;
use crate::error::Error;
use crate::{markdown, session};

/// Schema id of [`AuditReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.report/v2";

/// Most rows of one kind that are printed; the report has all of them.
const PRINTED: usize = 20;

/// What the audit answers on stdout.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct AuditReport {
    /// The verdict that the artifact holds.
    #[schemars(with = "String")]
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

pub(crate) fn run(
    args: &PaperArgs,
    html: Option<&Path>,
    context: &Context,
) -> Result<Shown, Error> {
    let mut project = session::open(args, context)?;
    let root = project.document.as_ref().ok();
    if let Some(choice) = root.and_then(|document| project.files.choice(&document.root)) {
        context.warn(&choice);
    }
    let audit = project.audit();
    let details = Details::new(&project, &audit);
    let (verdict, reason) = details.decide();
    let reason = reason.to_owned();
    let summary = details.summary();
    let markdown = markdown::report(&details, &summary)?;
    let folder = project.files.folder.clone();
    let emission = Emission {
        helper: SPEC.name,
        version: SPEC.version,
        skill: "paper-claim-audit",
        stem: "PAPER_CLAIM_AUDIT",
        verdict,
        reason_code: &reason,
        summary: &summary,
        inputs: project.files.digests.clone(),
        details: &details,
        report: &markdown,
    };
    let emitted = aris_audit::emit(&folder, &emission, context.now())?;
    if let Some(path) = html {
        let path = context.absolute(path);
        let verdict = (verdict.word(), &*reason);
        super::show::write_page(&path, &project, &audit, verdict, &summary, context)?;
    }
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
    Ok(Outcome::found(report, found).boxed())
}

impl Product for AuditReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for finding in &self.findings {
            let word = match finding.severity {
                Severity::Block => style.bad("blocked"),
                Severity::Warn => style.doubtful("warning"),
            };
            // A finding without a file is about the paper's folder.
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
        let more = self.claims.len().saturating_sub(PRINTED);
        if more > 0 {
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

/// A query on one line, cut to 160 characters.
fn shortened(query: &str) -> String {
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(160) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or("")),
        None => line,
    }
}
