//! SARIF 2.1.0.
//!
//! **Source**: the OASIS standard and GitHub's documentation of what code scanning reads.

use aris_contract::hex::hex;
use serde_json::{Value, json};

use crate::report::{Leak, Part, Report};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(crate) fn document(report: &Report) -> Value {
    let rules = Part::ALL.map(|part| {
        let (word, way_out) = part.said();
        json!({
            "id": word,
            "shortDescription": {"text": format!("Overleaf token ({word})")},
            "help": {"text": way_out},
        })
    });
    let unseen = report.unseen.iter().map(|unseen| {
        json!({
            "level": "error",
            "message": {"text": format!("{} was not looked at: {}", unseen.place, unseen.why)},
        })
    });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": crate::SPEC.name,
                "semanticVersion": crate::SPEC.version,
                "rules": rules,
            }},
            "results": report.leaks.iter().map(result).collect::<Vec<_>>(),
            "invocations": [{
                "executionSuccessful": report.unseen.is_empty(),
                "toolExecutionNotifications": unseen.collect::<Vec<_>>(),
            }],
        }],
    })
}

fn result(leak: &Leak) -> Value {
    let path = leak.object.as_ref().and_then(|object| object.path.as_ref());
    let mut physical = json!({
        "artifactLocation": {"uri": uri(path.unwrap_or(&leak.place))},
    });
    if let (Some(line), Some(fields)) = (leak.line, physical.as_object_mut()) {
        fields.insert(String::from("region"), json!({"startLine": line}));
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

/// A path as a relative or file URI.
fn uri(path: &str) -> String {
    let start = if path.starts_with('/') { "file://" } else { "" };
    let mut uri = String::from(start);
    for byte in path.trim_start_matches("./").bytes() {
        if byte.is_ascii_alphanumeric() || b"/.-_~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push('%');
            uri.push_str(&hex(&[byte]).to_ascii_uppercase());
        }
    }
    uri
}
