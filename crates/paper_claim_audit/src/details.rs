//! The audit's own data, and the report for people.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use aris_audit::markdown::{cell, code, line};
use aris_claims::{Claim, Evidence, Reference, Status};
use serde::Serialize;

use crate::finding::Finding;

/// Schema id of [`Details`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.details/v1";

/// `details` of the artifact.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Details {
    /// Schema id.
    pub(crate) schema: &'static str,
    /// The root document, relative to the paper folder.
    pub(crate) root: String,
    /// The result files that were read.
    pub(crate) results: Vec<ResultRow>,
    /// Values in them that are no numbers: `NaN`, infinities.
    pub(crate) unusable_values: Vec<String>,
    /// Claims per status.
    pub(crate) counts: BTreeMap<String, usize>,
    /// Visible numbers that are no claims.
    pub(crate) not_claims: usize,
    /// What could not be read, then the claims that do not simply follow, in reading order.
    pub(crate) findings: Vec<Finding>,
    /// Pins that fit no number.
    pub(crate) unused_pins: Vec<String>,
    /// Every claim, in reading order.
    pub(crate) claims: Vec<Row>,
}

/// One result file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ResultRow {
    /// Path relative to the paper folder.
    pub(crate) path: String,
    /// Numbers in it.
    pub(crate) values: usize,
}

/// One claim.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row {
    /// `file:line:column`.
    pub(crate) id: String,
    /// Source file relative to the paper folder.
    pub(crate) file: String,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column, from 1, in characters.
    pub(crate) column: usize,
    /// The source line, shortened.
    pub(crate) quote: String,
    /// The number or word as the reader sees it.
    pub(crate) text: String,
    /// What it states.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) kind: aris_claims::Kind,
    /// The verdict on it.
    #[cfg_attr(test, schemars(with = "String"))]
    pub(crate) status: Status,
    /// The values it was compared with.
    pub(crate) evidence: Vec<ValueRow>,
    /// Other values that fit, or that explain the number.
    pub(crate) alternatives: Vec<ValueRow>,
    /// What the paper says and what the results say.
    pub(crate) detail: String,
    /// What to do; empty when there is nothing.
    pub(crate) fix: String,
}

/// One value of the results.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ValueRow {
    /// File and pointer, `*` where several runs differ.
    pub(crate) path: String,
    /// Line in the file; 0 for a derived value.
    pub(crate) line: u32,
    /// The value in the unit of the paper, exact.
    pub(crate) value: String,
    /// How it was derived; absent for a value as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) derived: Option<String>,
}

impl From<&Reference> for ValueRow {
    fn from(reference: &Reference) -> Self {
        Self {
            path: reference.path.clone(),
            line: reference.line,
            value: reference.value.to_string(),
            derived: reference.derived.clone(),
        }
    }
}

impl From<&Claim> for Row {
    fn from(claim: &Claim) -> Self {
        Self {
            id: claim.id.clone(),
            file: claim.place.file.clone(),
            line: claim.place.line,
            column: claim.place.column,
            quote: claim.quote.clone(),
            text: claim.text.clone(),
            kind: claim.kind,
            status: claim.status,
            evidence: claim.evidence.iter().map(ValueRow::from).collect(),
            alternatives: claim.alternatives.iter().map(ValueRow::from).collect(),
            detail: claim.detail.clone(),
            fix: claim.fix.clone(),
        }
    }
}

impl Details {
    /// What keeps the audit from being whole.
    pub(crate) fn obstacles(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_obstacle())
    }

    /// The result files of the evidence.
    pub(crate) fn files(evidence: &Evidence) -> Vec<ResultRow> {
        evidence
            .files
            .iter()
            .map(|file| ResultRow {
                path: file.path.clone(),
                values: file.values,
            })
            .collect()
    }

    /// The report for people.
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
            "# Paper claim audit\n\n**Verdict**: {verdict} (`{reason}`)\n\n{summary}\n\n| | |\n|---|---|"
        )?;
        writeln!(
            out,
            "| root document | {} |",
            cell(if self.root.is_empty() {
                "none found"
            } else {
                &self.root
            })
        )?;
        writeln!(out, "| result files | {} |", self.results.len())?;
        writeln!(out, "| claims | {} |", self.claims.len())?;
        for (status, count) in &self.counts {
            writeln!(out, "| {status} | {count} |")?;
        }
        writeln!(out, "| numbers that are no claims | {} |", self.not_claims)?;
        if self.obstacles().next().is_some() {
            out.push_str("\n## Could not be audited\n\n");
            for finding in self.obstacles() {
                writeln!(
                    out,
                    "- `{}` {}: {}; {}",
                    finding.id,
                    cell(&finding.place()),
                    cell(&finding.message),
                    finding.action
                )?;
            }
        }
        for (title, wanted) in [
            (
                "Contradicted",
                &Status::is_mismatch as &dyn Fn(Status) -> bool,
            ),
            ("Without clear evidence", &|status: Status| {
                !status.is_mismatch() && !status.is_match()
            }),
        ] {
            let rows: Vec<&Row> = self
                .claims
                .iter()
                .filter(|row| wanted(row.status))
                .collect();
            if rows.is_empty() {
                continue;
            }
            writeln!(out, "\n## {title}")?;
            for row in rows {
                writeln!(
                    out,
                    "\n### {} `{}`\n\n- {}\n- **Detail**: {}\n- **Fix**: {}",
                    row.id,
                    row.status.name(),
                    code(&row.quote),
                    line(&row.detail),
                    line(&row.fix)
                )?;
                for value in &row.evidence {
                    writeln!(
                        out,
                        "- **Evidence**: {} = {}",
                        line(&value.path),
                        value.value
                    )?;
                }
            }
        }
        if !self.unused_pins.is_empty() {
            out.push_str("\n## Pins that fit no number\n\n");
            for pin in &self.unused_pins {
                writeln!(out, "- {}", line(pin))?;
            }
        }
        if !self.unusable_values.is_empty() {
            out.push_str("\n## Values that are no numbers\n\n");
            for value in &self.unusable_values {
                writeln!(out, "- {}", line(value))?;
            }
        }
        out.push_str(
            "\n## All claims\n\n| place | paper | results | status |\n|---|---|---|---|\n",
        );
        for row in &self.claims {
            let evidence = row.evidence.first().map_or_else(String::new, |value| {
                format!("{} ({})", value.value, value.path)
            });
            writeln!(
                out,
                "| {} | {} | {} | {} |",
                cell(&row.id),
                cell(&row.text),
                cell(&evidence),
                row.status.name()
            )?;
        }
        Ok(())
    }
}
