//! The data products.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_review::{
    Buckets, Counts, Duplicate, Event, Finding, Findings, Rejected, Verdict, judge, merge, one_line,
};
use serde::{Serialize, Serializer};

/// Schema id of [`Judged`].
pub(crate) const VERDICT: &str = "aris.audit_claims.verdict/v1";
/// Schema id of [`Merged`].
pub(crate) const MERGED: &str = "aris.audit_claims.merged/v1";

/// Characters of a message that are printed on its line.
const LINE: usize = 200;

/// What a command gives.
#[derive(Debug)]
pub enum Report {
    /// `verdict`.
    Judged(Box<Judged>),
    /// `merge`.
    Merged(Merged),
}

/// Findings, each place once.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Merged {
    findings: Vec<Finding>,
    duplicates: Vec<Duplicate>,
    rejected: Vec<Rejected>,
}

impl Merged {
    pub(crate) fn of(all: Findings) -> Self {
        let merged = merge(all.findings);
        Self {
            findings: merged.findings,
            duplicates: merged.duplicates,
            rejected: all.rejected,
        }
    }
}

/// The verdict and what it follows from.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Judged {
    verdict: Verdict,
    event: Event,
    counts: Counts,
    buckets: Buckets,
    findings: Vec<Finding>,
    duplicates: Vec<Duplicate>,
    rejected: Vec<Rejected>,
}

impl Judged {
    pub(crate) fn of(all: Findings) -> Self {
        let (total, unreadable) = (all.findings.len(), all.unreadable());
        let merged = merge(all.findings);
        let judged = judge(&merged.findings, unreadable);
        Self {
            verdict: judged.verdict,
            event: judged.verdict.event(),
            counts: judged.counts(total),
            buckets: judged.buckets,
            findings: merged.findings,
            duplicates: merged.duplicates,
            rejected: all.rejected,
        }
    }

    pub(crate) fn is_approved(&self) -> bool {
        self.verdict == Verdict::Approved
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Judged(data) => data.serialize(serializer),
            Self::Merged(data) => data.serialize(serializer),
        }
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        match self {
            Self::Judged(_) => VERDICT,
            Self::Merged(_) => MERGED,
        }
    }

    fn render(&self, out: &mut dyn Write, _: Style) -> io::Result<()> {
        match self {
            Self::Judged(data) => data.render(out),
            Self::Merged(data) => lines(out, &data.findings, &data.rejected),
        }
    }
}

impl Judged {
    /// The findings, then the token, which is always the last line.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        lines(out, &self.findings, &self.rejected)?;
        writeln!(out, "verdict = {}", self.verdict.word())
    }
}

/// One line for each finding, and for each entry that is none.
fn lines(out: &mut dyn Write, findings: &[Finding], rejected: &[Rejected]) -> io::Result<()> {
    for finding in findings {
        let line = finding
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        writeln!(
            out,
            "{}{line}: [{}] {}: {}",
            one_line(&finding.file, LINE),
            finding.severity.word(),
            finding.dimension,
            one_line(&finding.message, LINE)
        )?;
    }
    for entry in rejected {
        writeln!(
            out,
            "entry {} is no finding: {}",
            entry.index,
            one_line(&entry.reason, LINE)
        )?;
    }
    Ok(())
}
