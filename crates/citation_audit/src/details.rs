//! The `details` of the artifact, and the report in Markdown made of them.

use std::fmt::{self, Write as _};

use aris_audit::markdown::{cell, code, line};
use serde::Serialize;

use crate::ledger::Row;
use crate::uncited::Uncited;
use aris_citations::{Finding, Severity};

/// Schema id of [`Details`].
pub(crate) const SCHEMA: &str = "aris.citation_audit.details/v1";

/// What stands under `details` of `CITATION_AUDIT.json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Details {
    /// Schema id of this object.
    pub(crate) schema: &'static str,
    /// Root document; empty when none was found.
    pub(crate) root: String,
    /// Bibliographies that were read.
    pub(crate) bibliographies: Vec<String>,
    /// Day by which dates were judged, when it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_of: Option<String>,
    /// Who was asked whether the works exist: `none`, `cache` or `live`.
    pub(crate) look_ups: &'static str,
    /// Number of cited keys.
    pub(crate) total_entries: usize,
    /// How many things of each kind there are.
    pub(crate) counts: Counts,
    /// Heaviest first, then by place.
    pub(crate) findings: Vec<Finding>,
    /// In order of first citation.
    pub(crate) per_entry: Vec<Row>,
    /// Entries that nothing cites, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uncited_entries: Option<Vec<Uncited>>,
    /// `ok`, or `unavailable` when a bibliography could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uncited_entries_status: Option<&'static str>,
}

/// Numbers of things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Counts {
    /// Citations in the text, one for each key of each command.
    pub(crate) citations: usize,
    /// Entries in the bibliographies.
    pub(crate) bibliography_entries: usize,
    /// Findings of severity `block`.
    pub(crate) block: usize,
    /// Findings of severity `fail`.
    pub(crate) fail: usize,
    /// Findings of severity `warn`.
    pub(crate) warn: usize,
    /// Findings of severity `question`.
    pub(crate) question: usize,
    /// Findings of severity `info`.
    pub(crate) info: usize,
    /// Cited keys whose work no source has confirmed.
    pub(crate) existence_inconclusive: usize,
}

impl Counts {
    /// Counts the findings.
    pub(crate) fn of(findings: &[Finding]) -> Self {
        let count = |severity| {
            findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        Self {
            block: count(Severity::Block),
            fail: count(Severity::Fail),
            warn: count(Severity::Warn),
            question: count(Severity::Question),
            info: count(Severity::Info),
            ..Self::default()
        }
    }
}

impl Details {
    /// Whether sources were asked and have confirmed every cited work.
    pub(crate) fn all_verified(&self) -> bool {
        self.look_ups != "none" && self.per_entry.iter().all(|row| row.verdict == "KEEP")
    }

    /// The report in Markdown. Equal details give equal bytes.
    pub(crate) fn markdown(&self, verdict: &str, reason: &str, summary: &str) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        self.write(&mut out, verdict, reason, summary)
            .unwrap_or_default();
        out
    }

    fn write(&self, out: &mut String, verdict: &str, reason: &str, summary: &str) -> fmt::Result {
        writeln!(
            out,
            "# Citation audit\n\n**Verdict**: {verdict} (`{reason}`)\n\n{summary}\n\n| | |\n|---|---|"
        )?;
        let root = if self.root.is_empty() {
            "none found"
        } else {
            &self.root
        };
        writeln!(out, "| root document | {} |", cell(root))?;
        writeln!(
            out,
            "| bibliographies | {} |",
            cell(&self.bibliographies.join(", "))
        )?;
        writeln!(out, "| citations | {} |", self.counts.citations)?;
        writeln!(out, "| cited keys | {} |", self.total_entries)?;
        writeln!(
            out,
            "| existence not verified | {} |",
            self.counts.existence_inconclusive
        )?;
        for (severity, title) in [
            (Severity::Block, "Could not be audited"),
            (Severity::Fail, "Errors"),
            (Severity::Warn, "To look at"),
            (Severity::Question, "Questions: not known to be set"),
            (Severity::Info, "Notes"),
        ] {
            let found: Vec<&Finding> = self
                .findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .collect();
            if found.is_empty() {
                continue;
            }
            writeln!(out, "\n## {title} ({})\n", found.len())?;
            for finding in found {
                writeln!(
                    out,
                    "- **{}** {}: {}",
                    finding.id,
                    code(&finding.place()),
                    line(&finding.message)
                )?;
                if !finding.quote.is_empty() {
                    writeln!(out, "  - found: {}", code(&finding.quote))?;
                }
                writeln!(out, "  - fix: {}", line(&finding.action))?;
            }
        }
        if !self.per_entry.is_empty() {
            writeln!(
                out,
                "\n## Cited entries\n\n| key | verdict | existence | year | title | uses |\n|---|---|---|---|---|---|"
            )?;
            for row in &self.per_entry {
                let year = row.year.map(|year| year.to_string()).unwrap_or_default();
                writeln!(
                    out,
                    "| {} | {} | {} ({}) | {year} | {} | {} |",
                    cell(&row.key),
                    row.verdict,
                    row.existence,
                    row.reason,
                    cell(&row.title),
                    row.uses.len()
                )?;
            }
        }
        if let Some(uncited) = &self.uncited_entries {
            writeln!(out, "\n## Uncited entries ({})\n", uncited.len())?;
            for entry in uncited {
                writeln!(
                    out,
                    "- {} {}: {} ({})",
                    code(&entry.key),
                    code(&format!("{}:{}", entry.file, entry.line)),
                    entry.suggestion,
                    line(&entry.note)
                )?;
            }
        }
        out.push_str(if self.look_ups == "none" {
            "\n## Not checked\n\nNo source was asked: whether the cited works exist, and whether they say what the text cites them for, is \
             not known.\n"
        } else {
            "\n## Not checked\n\nWhether the cited works say what the text cites them for is not known.\n"
        });
        Ok(())
    }
}
