//! The report as SARIF.

use aris_cli::sarif::{Sarif, uri};
use serde_json::{Value, json};

use super::{Report, tags};
use crate::catalogue::{self, Certainty, Rule, Severity};
use crate::finding::{Finding, Skipped};
use crate::suppress::By;

pub(super) fn document(report: &Report) -> Value {
    let rules = report.rules_run.iter().filter_map(|id| catalogue::find(id));
    let results = report.items.iter().map(|item| result(report, item));
    let notifications = report.skipped.iter().map(|Skipped { rule, path, reason }| {
        json!({
            "level": "note",
            "message": {"text": format!("{rule} did not look at {path}: {reason}")},
            "associatedRule": {"id": rule},
        })
    });
    Sarif {
        rules: rules.map(|rule| descriptor(report, rule)).collect(),
        results: results.collect(),
        notifications: notifications.collect(),
        incomplete: false,
    }
    .document(&crate::SPEC)
}

fn descriptor(report: &Report, rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": {"text": sentence(rule.title)},
        "fullDescription": {"text": plain(rule.why)},
        "help": {"text": plain(rule.fix), "markdown": rule.page()},
        "defaultConfiguration": {"level": level(rule.severity_in(report.profile))},
        "properties": {
            "tags": tags(rule),
            "precision": match rule.certainty {
                Certainty::Exact => "very-high",
                Certainty::Heuristic => "medium",
            },
        },
    })
}

fn result(report: &Report, item: &Finding) -> Value {
    let index = report.rules_run.iter().position(|id| *id == item.rule);
    let mut result = json!({
        "ruleId": item.rule,
        "level": level(item.severity),
        "message": {"text": format!("{}. {}", sentence(&item.message), sentence(&item.hint)).trim_end_matches([' ', '.']).to_owned() + "."},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&item.shown_path(&report.roots)), "uriBaseId": "SRCROOT"},
            "region": {"startLine": item.line, "startColumn": item.col},
        }}],
        "partialFingerprints": {"skillLint/v1": item.fingerprint},
        "suppressions": item.suppressed.iter().map(|hidden| json!({
            "kind": if hidden.by == By::Inline { "inSource" } else { "external" },
            "justification": hidden.reason,
        })).collect::<Vec<_>>(),
    });
    if let (Some(index), Some(map)) = (index, result.as_object_mut()) {
        map.insert(String::from("ruleIndex"), Value::from(index));
    }
    result
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}

/// The text with its first letter in upper case.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The text without Markdown's backticks.
fn plain(text: &str) -> String {
    text.replace('`', "")
}
