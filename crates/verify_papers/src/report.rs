//! The report.

use std::io::{self, Write};

use aris_cli::{Product, Stream, Style};
use aris_contract::text::counted;
use aris_verify::{Checked, Status};
use serde::Serialize;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.verify_papers.report/v1";

/// What was found, in the reference's shape with more fields for each paper.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// `PASS`: every paper was decided, and the share of unverified ones is at most the threshold. `WARN`: look at the papers.
    /// `BLOCKED`: nothing to check. `ERROR`: nothing could be checked, because every paper lacks title and identifier.
    pub(crate) verdict: &'static str,
    /// Share of unverified papers among those that were decided, 0 to 1.
    pub(crate) hallucination_rate: f64,
    /// Share of papers for which a source did not answer, 0 to 1.
    pub(crate) pending_rate: f64,
    /// `high_hallucination_rate`, `transient_failures_present`, `malformed_inputs_present`, `input_unreadable`.
    pub(crate) warnings: Vec<&'static str>,
    /// The papers in the order of the input.
    pub(crate) papers: Vec<Checked>,
    /// Path of the patch, when one was requested and an entry needs a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patch: Option<String>,
    /// Number of entries that the patch corrects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patched_entries: Option<usize>,
    /// The file that the result was written to.
    #[serde(skip)]
    pub(crate) filed: Option<String>,
    /// Whether each paper has been printed already.
    #[serde(skip)]
    pub(crate) streamed: bool,
}

impl Report {
    /// Computes rates and verdict.
    ///
    /// **Source**: the reference's `verify_papers.py`, `compute_verdict`.
    pub(crate) fn new(papers: Vec<Checked>, threshold: f64) -> Self {
        let count = |status: Status| papers.iter().filter(|one| one.status == status).count();
        let (unverified, pending, errors) = (
            count(Status::Unverified),
            count(Status::VerifyPending),
            count(Status::Error),
        );
        let decided = count(Status::Verified) + unverified;
        let rate = ratio(unverified, decided);
        let mut warnings = Vec::new();
        if papers.is_empty() {
            warnings.push("no_papers_in_input");
        }
        if rate > threshold {
            warnings.push("high_hallucination_rate");
        }
        if pending > 0 {
            warnings.push("transient_failures_present");
        }
        if errors > 0 {
            warnings.push("malformed_inputs_present");
        }
        let verdict = if papers.is_empty() {
            "BLOCKED"
        } else if errors > 0 && decided == 0 && pending == 0 {
            "ERROR"
        } else if warnings.is_empty() {
            "PASS"
        } else {
            "WARN"
        };
        Self {
            verdict,
            hallucination_rate: rounded(rate),
            pending_rate: rounded(ratio(pending, papers.len())),
            warnings,
            papers,
            patch: None,
            patched_entries: None,
            filed: None,
            streamed: false,
        }
    }
}

impl Report {
    /// The report for an input that cannot be read.
    pub(crate) fn blocked() -> Self {
        Self {
            warnings: vec!["input_unreadable"],
            ..Self::new(Vec::new(), 1.0)
        }
    }

    /// Papers for which a source did not answer.
    pub(crate) fn pending(&self) -> usize {
        let pending = |paper: &&Checked| paper.status == Status::VerifyPending;
        self.papers.iter().filter(pending).count()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a list has fewer papers than 2^52"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Rounds to four decimals, as the reference does.
fn rounded(ratio: f64) -> f64 {
    (ratio * 10_000.0).round() / 10_000.0
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn stream(&self) -> Stream {
        if self.filed.is_some() || self.streamed {
            Stream::Stderr
        } else {
            Stream::Stdout
        }
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        if self.stream() == Stream::Stdout {
            serde_json::to_writer_pretty(&mut *out, self)?;
            return writeln!(out);
        }
        for paper in &self.papers {
            let word = match paper.status {
                Status::Verified if paper.findings.is_empty() => continue,
                Status::Verified => style.doubtful("described otherwise"),
                Status::Unverified => style.bad("unverified"),
                Status::VerifyPending => style.doubtful("pending"),
                Status::Error => style.bad("error"),
            };
            let reason = paper.reason.as_deref().unwrap_or_default();
            writeln!(out, "{}: {word} {reason}", paper.id)?;
            for finding in &paper.findings {
                writeln!(out, "  {} [{}]", finding.message, finding.id)?;
            }
        }
        let place = self.filed.as_ref().map(|path| format!(": {path}"));
        writeln!(
            out,
            "{} ({}){}",
            self.verdict,
            counted(self.papers.len(), "paper"),
            place.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;
    use aris_verify::Existence;

    use super::*;

    fn paper(status: Status) -> Checked {
        Checked {
            id: String::from("p"),
            status,
            method: None,
            confidence: None,
            reason: None,
            identifiers: std::collections::BTreeMap::default(),
            existence: Existence::Inconclusive,
            metadata: Vec::new(),
            findings: Vec::new(),
            retracted: false,
            evidence: Vec::new(),
            record: None,
        }
    }

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(SCHEMA);
    }

    #[test]
    fn the_reference_s_verdicts() {
        use Status::{Error, Unverified, Verified, VerifyPending};
        let cases: [(&[Status], &str, f64, f64); 6] = [
            (&[], "BLOCKED", 0.0, 0.0),
            (&[Verified, Verified], "PASS", 0.0, 0.0),
            (
                &[Verified, Verified, Verified, Verified, Unverified],
                "PASS",
                0.2,
                0.0,
            ),
            (&[Verified, Verified, Unverified], "WARN", 0.3333, 0.0),
            (&[Verified, VerifyPending], "WARN", 0.0, 0.5),
            (&[Error], "ERROR", 0.0, 0.0),
        ];
        for (statuses, verdict, rate, pending) in cases {
            let report = Report::new(statuses.iter().copied().map(paper).collect(), 0.2);
            assert_eq!(report.verdict, verdict, "{statuses:?}");
            assert!(
                (report.hallucination_rate - rate).abs() < 1e-9,
                "{statuses:?}"
            );
            assert!((report.pending_rate - pending).abs() < 1e-9, "{statuses:?}");
        }
    }
}
