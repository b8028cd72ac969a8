//! The data product: paths of the audit's files and a summary.

use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Product, Style};
use aris_contract::artifact::audit::Verdict;
use serde::Serialize;

use crate::details::Counts;
use crate::uncited::Uncited;
use aris_citations::{Finding, Severity};

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.citation_audit.report/v1";

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
    /// Number of cited keys.
    pub(crate) total_entries: usize,
    /// How many things of each kind there are.
    pub(crate) counts: Counts,
    /// Heaviest first, then by place.
    pub(crate) findings: Vec<Finding>,
    /// Entries that nothing cites, with `--uncited`; empty where a bibliography is not fully read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uncited_entries: Option<Vec<Uncited>>,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for finding in self
            .findings
            .iter()
            .filter(|finding| finding.severity != Severity::Info)
        {
            let word = match finding.severity {
                Severity::Block => style.bad("blocked"),
                Severity::Fail => style.bad("error"),
                Severity::Question => style.doubtful("question"),
                Severity::Warn | Severity::Info => style.doubtful("warning"),
            };
            writeln!(
                out,
                "{}: {word}: {} [{}]",
                self.place(finding),
                finding.message,
                finding.id
            )?;
            writeln!(out, "  {}", finding.action)?;
        }
        for entry in self.uncited_entries.iter().flatten() {
            let Uncited {
                key, file, line, ..
            } = entry;
            writeln!(out, "{file}:{line}: uncited: nothing cites `{key}`")?;
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

impl Report {
    /// Where a finding is; without a file, the paper's folder.
    fn place(&self, finding: &Finding) -> String {
        if finding.file.is_empty() {
            let folder = Path::new(&self.artifact).parent();
            folder.map_or_else(String::new, |folder| folder.display().to_string())
        } else {
            finding.place()
        }
    }
}
