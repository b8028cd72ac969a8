//! Prints findings in the formats of other tools.

use std::collections::BTreeSet;
use std::io::{self, Write};

use aris_cli::sarif::{Sarif, uri};
use aris_cli::{Outcome, Shown};
use aris_review::{Finding, Severity};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line for each
    #[default]
    Text,
    /// The same as --json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Reviewdog's rdjson
    Rdjson,
}

/// Flag of commands that print findings.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FormatArgs {
    /// How findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A product with findings.
pub(crate) trait Listed: Serialize {
    /// Its schema id.
    const SCHEMA: &str;

    /// The findings, one for each place.
    fn findings(&self) -> &[Finding];

    /// All findings, also those that were merged into others at the same place.
    fn all(&self) -> Vec<Finding> {
        self.findings().iter().flat_map(Finding::parts).collect()
    }

    /// What was not looked at, or could not be read.
    fn open(&self) -> Vec<String>;

    /// The form for people.
    fn lines(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl FormatArgs {
    /// A product in the chosen format.
    pub(crate) fn shown<D: Listed + 'static>(self, outcome: Outcome<D>) -> Shown {
        outcome.shown(D::SCHEMA, move |data, out| match self.format {
            Format::Text | Format::Json => data.lines(out),
            Format::Sarif => writeln!(out, "{}", sarif(&data.all(), &data.open())),
            Format::Rdjson => writeln!(out, "{}", rdjson(&data.all())),
        })
    }
}

fn sarif(findings: &[Finding], open: &[String]) -> Value {
    let rules: BTreeSet<&str> = findings.iter().map(rule).collect();
    let note = |text: &String| json!({"level": "warning", "message": {"text": text}});
    Sarif {
        rules: rules.iter().map(|rule| json!({"id": rule})).collect(),
        results: findings.iter().map(result).collect(),
        notifications: open.iter().map(note).collect(),
        incomplete: !open.is_empty(),
    }
    .document(&crate::SPEC)
}

fn result(finding: &Finding) -> Value {
    let file = json!({"uri": uri(&finding.file), "uriBaseId": "%SRCROOT%"});
    let mut result = json!({
        "ruleId": rule(finding),
        "level": match finding.severity {
            Severity::Critical => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        },
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {"artifactLocation": file}}],
        "partialFingerprints": {"auditClaims/v1": finding.fingerprint},
        "properties": {"dimension": finding.dimension, "requires_decision": finding.requires_decision},
    });
    let Some(line) = finding.line else {
        return result;
    };
    result["locations"][0]["physicalLocation"]["region"] = json!({"startLine": line});
    if let Some(suggestion) = &finding.suggestion {
        let end = suggestion.line.chars().count() + 1;
        result["fixes"] = json!([{"artifactChanges": [{"artifactLocation": file, "replacements": [{
            "deletedRegion": {"startLine": line, "startColumn": 1, "endLine": line, "endColumn": end},
            "insertedContent": {"text": suggestion.becomes},
        }]}]}]);
    }
    result
}

/// **Source**: reviewdog, "Reviewdog Diagnostic Format": a range without columns is of whole lines.
fn rdjson(findings: &[Finding]) -> Value {
    let diagnostics = findings.iter().map(|finding| {
        let mut location = json!({"path": finding.file});
        let mut suggestions = Vec::new();
        if let Some(line) = finding.line {
            location["range"] = json!({"start": {"line": line}, "end": {"line": line}});
            let edit = finding.suggestion.iter();
            suggestions
                .extend(edit.map(|edit| json!({"range": location["range"], "text": edit.becomes})));
        }
        json!({
            "message": finding.message,
            "location": location,
            "severity": match finding.severity {
                Severity::Critical => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Info => "INFO",
            },
            "code": {"value": rule(finding)},
            "suggestions": suggestions,
        })
    });
    json!({
        "source": {"name": crate::SPEC.name},
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    })
}

/// The rule of a finding; for a finding of an agent, its dimension.
fn rule(finding: &Finding) -> &str {
    finding.rule.as_deref().unwrap_or(&finding.dimension)
}
