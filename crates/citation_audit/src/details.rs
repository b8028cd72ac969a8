//! The `details` of the artifact, and the report for people made of them.

use std::fmt::Write as _;

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::ledger::Row;
use crate::uncited::Uncited;

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
            info: count(Severity::Info),
            ..Self::default()
        }
    }
}

impl Details {
    /// The report, Markdown. The same details give the same bytes.
    pub(crate) fn markdown(&self, verdict: &str, reason: &str, summary: &str) -> String {
        let mut out = String::new();
        push(
            &mut out,
            format_args!(
                "# Citation audit\n\n**Verdict**: {verdict} (`{reason}`)\n\n{summary}\n\n"
            ),
        );
        push(&mut out, format_args!("| | |\n|---|---|\n"));
        let root = if self.root.is_empty() {
            "none found"
        } else {
            &self.root
        };
        push(
            &mut out,
            format_args!("| root document | {} |\n", cell(root)),
        );
        push(
            &mut out,
            format_args!(
                "| bibliographies | {} |\n",
                cell(&self.bibliographies.join(", "))
            ),
        );
        push(
            &mut out,
            format_args!("| citations | {} |\n", self.counts.citations),
        );
        push(
            &mut out,
            format_args!("| cited keys | {} |\n", self.total_entries),
        );
        push(
            &mut out,
            format_args!(
                "| existence not verified | {} |\n",
                self.counts.existence_inconclusive
            ),
        );
        for (severity, title) in [
            (Severity::Block, "Could not be audited"),
            (Severity::Fail, "Errors"),
            (Severity::Warn, "To look at"),
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
            push(&mut out, format_args!("\n## {title} ({})\n\n", found.len()));
            for finding in found {
                push(
                    &mut out,
                    format_args!(
                        "- **{}** {}: {}\n",
                        finding.id,
                        code(&finding.place()),
                        line(&finding.message)
                    ),
                );
                if !finding.quote.is_empty() {
                    push(
                        &mut out,
                        format_args!("  - there: {}\n", code(&finding.quote)),
                    );
                }
                push(
                    &mut out,
                    format_args!("  - to do: {}\n", line(&finding.action)),
                );
            }
        }
        if !self.per_entry.is_empty() {
            push(
                &mut out,
                format_args!(
                    "\n## Cited entries\n\n| key | verdict | existence | year | title | uses |\n|---|---|---|---|---|---|\n"
                ),
            );
            for row in &self.per_entry {
                let year = row.year.map(|year| year.to_string()).unwrap_or_default();
                push(
                    &mut out,
                    format_args!(
                        "| {} | {} | {} ({}) | {year} | {} | {} |\n",
                        cell(&row.key),
                        row.verdict,
                        row.existence,
                        row.reason,
                        cell(&row.title),
                        row.uses.len()
                    ),
                );
            }
        }
        if let Some(uncited) = &self.uncited_entries {
            push(
                &mut out,
                format_args!("\n## Uncited entries ({})\n\n", uncited.len()),
            );
            for entry in uncited {
                push(
                    &mut out,
                    format_args!(
                        "- {} {}: {} ({})\n",
                        code(&entry.key),
                        code(&format!("{}:{}", entry.file, entry.line)),
                        entry.suggestion,
                        line(&entry.note)
                    ),
                );
            }
        }
        out.push_str(
            "\n## Not checked\n\nNo source was asked: whether the cited works exist, and whether they say what the text \
             cites them for, is not known.\n",
        );
        out
    }
}

fn push(out: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    out.write_fmt(piece).unwrap_or_default();
}

/// One line of text.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text that cannot break a table.
fn cell(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('|', "\\|")
}

/// Text as code, whatever backticks it holds.
fn code(text: &str) -> String {
    let text = line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 {
        format!("{fence}{text}{fence}")
    } else {
        format!("{fence} {text} {fence}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(cell("a | b\n\\c"), "a \\| b \\\\c");
        assert_eq!(code("a `b` ``c``"), "``` a `b` ``c`` ```");
        assert_eq!(code("x"), "`x`");
    }
}
