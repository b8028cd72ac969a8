//! The data product: where the audit went and what it says in short.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Product, Style};
use aris_contract::artifact::audit::Verdict;
use serde::Serialize;

use crate::details::Row;
use crate::finding::Finding;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.report/v1";

/// The data product.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The verdict that the artifact holds.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) verdict: Verdict,
    /// Its short reason.
    pub(crate) reason_code: &'static str,
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
    /// Number of claims.
    pub(crate) total_claims: usize,
    /// Claims per status.
    pub(crate) counts: BTreeMap<String, usize>,
    /// What could not be read.
    pub(crate) findings: Vec<Finding>,
    /// Claims that do not simply match, in reading order.
    pub(crate) claims: Vec<Row>,
    /// The proposals for pins, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggested_pins: Option<String>,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for finding in &self.findings {
            writeln!(
                out,
                "{}: {}: {} [{}]",
                self.place(finding),
                style.bad("blocked"),
                finding.message,
                finding.id
            )?;
            writeln!(out, "  {}", finding.action)?;
        }
        for row in &self.claims {
            let word = if row.status.is_mismatch() {
                style.bad("error")
            } else {
                style.doubtful("warning")
            };
            writeln!(
                out,
                "{}: {word}: {} [{}]",
                row.id,
                row.detail,
                row.status.name()
            )?;
            if !row.fix.is_empty() {
                writeln!(out, "  {}", row.fix)?;
            }
        }
        writeln!(
            out,
            "{} ({}): {}",
            self.verdict.word(),
            self.reason_code,
            self.summary
        )?;
        if let Some(path) = &self.suggested_pins {
            writeln!(out, "proposals for pins: {path}")?;
        }
        let kept = if self.unchanged { " (unchanged)" } else { "" };
        writeln!(out, "{}{kept}", self.artifact)
    }
}

impl Report {
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
