//! The form for people.

use std::io::{self, Write};

use aris_cli::Style;
use aris_contract::text::is_hidden;

use super::Report;
use crate::catalogue::Severity;

/// `path:line:col: severity SR110 message`, with the hint below. Control characters from files are made visible.
pub(super) fn write(report: &Report, out: &mut dyn Write, style: Style) -> io::Result<()> {
    out.write_all(report.fixed.diff.as_bytes())?;
    let several = report.roots.len() > 1;
    for item in report.open() {
        let path = if several {
            item.shown_path(&report.roots)
        } else {
            item.path.clone()
        };
        let severity = match item.severity {
            Severity::Error => style.bad(item.severity.word()),
            Severity::Warn => style.doubtful(item.severity.word()),
            Severity::Info => style.dim(item.severity.word()),
        };
        writeln!(
            out,
            "{}:{}:{}: {severity} {} {}",
            visible(&path),
            item.line,
            item.col,
            style.bold(item.rule),
            visible(&item.message)
        )?;
        if !item.hint.is_empty() {
            writeln!(out, "    {}", visible(&item.hint))?;
        }
    }
    for skipped in &report.skipped {
        let what = if skipped.path.is_empty() {
            String::new()
        } else {
            format!(" {}:", visible(&skipped.path))
        };
        writeln!(
            out,
            "skipped: {}:{what} {}",
            skipped.rule,
            visible(&skipped.reason)
        )?;
    }
    Ok(())
}

/// Text on one line, in which no character can move the cursor or change the writing direction.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || c.is_control() || matches!(c, '\u{200B}' | '\u{2028}' | '\u{2029}') {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}
