//! The report for people.

use std::fmt::{self, Write as _};

use aris_audit::markdown::{cell, code, line};
use aris_claims::Status;

use super::{Details, Row};

impl Details {
    /// The whole report.
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
            "# Paper claim audit\n\n**Verdict**: {verdict} (`{reason}`)\n\n{}\n",
            line(summary)
        )?;
        writeln!(
            out,
            "| part | bound | waived | unbound |\n|---|---|---|---|"
        )?;
        let parts = [
            ("abstract", self.coverage.r#abstract),
            ("tables", self.coverage.tables),
            ("text", self.coverage.text),
        ];
        for (name, part) in parts {
            writeln!(
                out,
                "| {name} | {} | {} | {} |",
                part.bound, part.waived, part.unbound
            )?;
        }
        if self.proposed > 0 {
            writeln!(
                out,
                "\n{} proposed bindings wait for somebody to confirm them; they do not count.",
                self.proposed
            )?;
        }
        if !self.findings.is_empty() {
            out.push_str("\n## Noticed\n\n");
            for finding in &self.findings {
                writeln!(
                    out,
                    "- `{}` {}: {}; {}",
                    finding.id,
                    cell(&finding.place()),
                    line(&finding.message),
                    finding.action
                )?;
            }
        }
        for (status, title) in [
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
        ] {
            let rows = self.claims.iter().filter(|row| row.status == status);
            section(out, title, &rows.collect::<Vec<_>>())?;
        }
        self.list(out, Status::Unbound, "Numbers that nothing binds")?;
        self.list(out, Status::Waived, "Numbers that need no evidence")?;
        let held: Vec<&Row> = self
            .claims
            .iter()
            .filter(|row| row.status.holds())
            .collect();
        if !held.is_empty() {
            out.push_str("\n## Bindings that hold\n\n| place | paper | data | binding |\n|---|---|---|---|\n");
            for row in held {
                let shown = row.shown.as_deref().unwrap_or(&row.text);
                let value = row.value.as_deref().unwrap_or("");
                writeln!(
                    out,
                    "| {} | {} | {} | {} |",
                    cell(&row.location),
                    cell(shown),
                    cell(value),
                    cell(&row.id)
                )?;
            }
        }
        Ok(())
    }

    fn list(&self, out: &mut String, status: Status, title: &str) -> fmt::Result {
        let rows: Vec<&Row> = self
            .claims
            .iter()
            .filter(|row| row.status == status)
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\n## {title}\n\n| place | number | text | why |\n|---|---|---|---|"
        )?;
        for row in rows {
            let why = row.reason.clone().unwrap_or_else(|| {
                row.kind
                    .map_or_else(String::new, |kind| kind.word().to_owned())
            });
            let shown = row.shown.as_deref().unwrap_or("");
            writeln!(
                out,
                "| {} | {} | {} | {} |",
                cell(&row.location),
                cell(shown),
                cell(&row.text),
                cell(&why)
            )?;
        }
        Ok(())
    }
}

fn section(out: &mut String, title: &str, rows: &[&Row]) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## {title}")?;
    for row in rows {
        writeln!(
            out,
            "\n### {}\n\n- **Paper**: {} {}",
            cell(&row.id),
            cell(&row.location),
            code(&row.text)
        )?;
        writeln!(out, "- {}", line(&row.detail))?;
        if let Some(query) = &row.query {
            writeln!(out, "- **Query**: {}", code(query))?;
        }
        for file in &row.evidence {
            writeln!(out, "- **Data**: {}", cell(&file.path))?;
        }
        if let Some(binding) = &row.binding {
            writeln!(out, "- **Binding**: {}", cell(binding))?;
        }
    }
    Ok(())
}
