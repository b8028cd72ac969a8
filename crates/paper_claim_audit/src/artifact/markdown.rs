//! The report for people.

use aris_audit::markdown;
use aris_claims::{Covered, Status};
use askama::Template;

use super::{Details, Row};

#[derive(Template)]
#[template(path = "report.md")]
struct Report<'r> {
    verdict: &'r str,
    reason: &'r str,
    summary: &'r str,
    parts: [(&'static str, Covered); 3],
    details: &'r Details,
    /// Entries that need attention, by what is wrong with them.
    failing: Vec<Section<'r>>,
    /// Entries that nothing binds or that are waived.
    listed: Vec<Section<'r>>,
    held: Vec<&'r Row>,
}

/// A title, and entries below it.
struct Section<'r> {
    title: &'static str,
    rows: Vec<&'r Row>,
}

impl Details {
    /// The whole report.
    pub(crate) fn markdown(
        &self,
        verdict: &str,
        reason: &str,
        summary: &str,
    ) -> Result<String, askama::Error> {
        let section = |(status, title)| Section {
            title,
            rows: self
                .claims
                .iter()
                .filter(|row| row.status == status)
                .collect(),
        };
        let sections = |all: &[(Status, &'static str)]| {
            let sections = all.iter().copied().map(section);
            sections
                .filter(|section| !section.rows.is_empty())
                .collect()
        };
        let report = Report {
            verdict,
            reason,
            summary,
            parts: [
                ("abstract", self.coverage.r#abstract),
                ("tables", self.coverage.tables),
                ("text", self.coverage.text),
            ],
            details: self,
            failing: sections(&[
                (Status::NumberMismatch, "The paper and the data differ"),
                (
                    Status::ScopeOverclaim,
                    "Statements that the data do not bear out",
                ),
                (
                    Status::BindingLost,
                    "Bindings without their place in the paper",
                ),
                (Status::BindingError, "Bindings whose query gives no value"),
            ]),
            listed: sections(&[
                (Status::Unbound, "Numbers that nothing binds"),
                (Status::Waived, "Numbers that need no evidence"),
            ]),
            held: self
                .claims
                .iter()
                .filter(|row| row.status.holds())
                .collect(),
        };
        report.render()
    }
}
