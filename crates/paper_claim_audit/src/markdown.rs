//! The report for people.

use aris_audit::markdown;
use aris_claims::{Covered, Details, Row, Status};
use askama::Template;

#[derive(Template)]
#[template(path = "report.md")]
struct Report<'r> {
    verdict: &'r str,
    reason: &'r str,
    summary: &'r str,
    parts: [(&'static str, Covered); 3],
    details: &'r Details,
    /// Entries that need attention, grouped by what is wrong.
    failing: Vec<Section<'r>>,
    /// Entries that are unbound or waived.
    listed: Vec<Section<'r>>,
    held: Vec<&'r Row>,
}

/// A heading and its entries.
struct Section<'r> {
    title: &'static str,
    rows: Vec<&'r Row>,
}

/// The whole report as Markdown.
pub(crate) fn report(details: &Details, summary: &str) -> Result<String, askama::Error> {
    let (verdict, reason) = details.decide();
    let verdict = verdict.word();
    let rows = |is_it: &dyn Fn(Status) -> bool| {
        let rows = details.claims.iter();
        rows.filter(|row| is_it(row.status)).collect()
    };
    let section = |(status, title)| Section {
        title,
        rows: rows(&|other| other == status),
    };
    let sections = |all: &[(Status, &'static str)]| {
        let sections = all.iter().copied().map(section);
        let filled = sections.filter(|section| !section.rows.is_empty());
        filled.collect()
    };
    let report = Report {
        verdict,
        reason,
        summary,
        parts: [
            ("abstract", details.coverage.r#abstract),
            ("tables", details.coverage.tables),
            ("text", details.coverage.text),
        ],
        details,
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
            (Status::Undecided, "Numbers that may not be set"),
        ]),
        held: rows(&|status| status.holds()),
    };
    report.render()
}
