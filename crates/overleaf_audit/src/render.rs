//! Renders a report as text for people and as SARIF for code scanning.

use std::collections::BTreeSet;
use std::io::{self, Write};

use aris_cli::sarif::{Sarif, uri};
use aris_cli::{Product, Style};
use aris_contract::text::counted;
use serde_json::{Value, json};

use crate::report::Part::{self, FileName, Git, History, Home, WorkingTree};
use crate::report::{Leak, Report, SCHEMA, Unseen};
use crate::token::Token;

/// The page where tokens are revoked. **Source**: Overleaf's documentation of its git integration.
const REVOKE: &str = "https://www.overleaf.com/user/settings";

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        if self.sarif {
            serde_json::to_writer_pretty(&mut *out, &document(self))?;
            return writeln!(out);
        }
        for leak in &self.leaks {
            let word = if leak.is_error() {
                style.bad("leak")
            } else {
                style.doubtful("warning")
            };
            let line = leak.line.map(|line| format!(":{line}")).unwrap_or_default();
            let (place, said, part) = (&leak.place, leak.message(), leak.part.said().0);
            writeln!(out, "{place}{line}: {word}: {said} [{part}]")?;
        }
        for Unseen { place, why, .. } in &self.unseen {
            let word = style.doubtful("not looked at");
            writeln!(out, "{place}: {word}: {why}")?;
        }
        let looked = &self.looked;
        let files = counted(looked.files, "file");
        let objects = counted(looked.objects, "object");
        let (count, known) = (looked.repositories, looked.known);
        let ending = if count == 1 { "y" } else { "ies" };
        let seen = format!(
            "{files} and {count} repositor{ending} searched; {objects}, {known} of them already searched by an earlier run"
        );
        if self.errors == 0 {
            return writeln!(out, "Audit clean: no Overleaf token leaked ({seen})");
        }
        let tokens: BTreeSet<&Token> = self.leaks.iter().map(|leak| &leak.token).collect();
        let places = counted(self.errors, "place");
        let tokens = counted(tokens.len(), "token");
        writeln!(out, "Audit failed: {tokens} in {places} ({seen})")?;
        let then = "what was pushed or copied cannot be called back. Then:";
        writeln!(out, "First revoke each token at {REVOKE}: {then}")?;
        let parts: BTreeSet<Part> = self.leaks.iter().map(|leak| leak.part).collect();
        for part in parts {
            let (word, way_out) = part.said();
            writeln!(out, "  {word}: {way_out}")?;
        }
        Ok(())
    }
}

/// The SARIF document.
fn document(report: &Report) -> Value {
    let rules = [WorkingTree, FileName, Git, History, Home].map(|part| {
        let (word, way_out) = part.said();
        let short = json!({"text": format!("Overleaf token ({word})")});
        json!({"id": word, "shortDescription": short, "help": {"text": way_out}})
    });
    let notice = |unseen: &Unseen| json!({"level": "error", "message": {"text": unseen.said()}});
    let sarif = Sarif {
        rules: rules.to_vec(),
        results: report.leaks.iter().map(result).collect(),
        notifications: report.unseen.iter().map(notice).collect(),
        incomplete: !report.unseen.is_empty(),
    };
    sarif.document(&crate::SPEC)
}

fn result(leak: &Leak) -> Value {
    let path = leak.object.as_ref().and_then(|object| object.path.as_ref());
    let mut physical = json!({"artifactLocation": {"uri": uri(path.unwrap_or(&leak.place))}});
    if let Some(line) = leak.line {
        physical["region"] = json!({"startLine": line});
    }
    let object = leak.object.as_ref().map_or("", |object| object.id.as_str());
    json!({
        "ruleId": leak.part.said().0,
        "level": if leak.is_error() { "error" } else { "warning" },
        "message": {"text": leak.message()},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {
            "overleafToken/v1": format!("{}:{}:{object}:{}", leak.part.said().0, leak.place, leak.token.fingerprint),
        },
    })
}
