//! What code scanning reads.

use aris_cli::sarif::{Sarif, uri};
use serde_json::{Value, json};

use crate::report::{Leak, Part, Report};

pub(crate) fn document(report: &Report) -> Value {
    let rules = Part::ALL.map(|part| {
        let (word, way_out) = part.said();
        json!({
            "id": word,
            "shortDescription": {"text": format!("Overleaf token ({word})")},
            "help": {"text": way_out},
        })
    });
    let unseen = report
        .unseen
        .iter()
        .map(|unseen| json!({"level": "error", "message": {"text": unseen.said()}}));
    let sarif = Sarif {
        rules: rules.to_vec(),
        results: report.leaks.iter().map(result).collect(),
        notifications: unseen.collect(),
        incomplete: !report.unseen.is_empty(),
    };
    sarif.document(&crate::SPEC)
}

fn result(leak: &Leak) -> Value {
    let path = leak.object.as_ref().and_then(|object| object.path.as_ref());
    let mut physical = json!({
        "artifactLocation": {"uri": uri(path.unwrap_or(&leak.place))},
    });
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
