//! Workflow commands of GitHub Actions.
//!
//! **Source**: GitHub's documentation of workflow commands: `%`, CR and LF are escaped in the message, `:` and `,` too in
//! properties; a step shows ten annotations of each kind, so the worst come first and the last line has the total.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::Report;
use crate::catalogue::Severity;
use crate::finding::Finding;

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut items: Vec<&Finding> = report.open().collect();
    items.sort_by_key(|item| Reverse(item.severity));
    for item in &items {
        let command = match item.severity {
            Severity::Error => "error",
            Severity::Warn => "warning",
            Severity::Info => "notice",
        };
        writeln!(
            out,
            "::{command} file={},line={},col={},title={}::{}",
            property(&item.shown_path(&report.roots)),
            item.line,
            item.col,
            property(item.rule),
            message(&format!("{}. {}", item.message, item.hint))
        )?;
    }
    writeln!(
        out,
        "::notice title=skill_lint::{}",
        message(&report.summary())
    )
}

fn message(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
