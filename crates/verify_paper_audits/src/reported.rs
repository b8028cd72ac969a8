//! The audit's own findings, quoted from its artifact for people: which number or citation, where, and what to do.
//!
//! They are not judged: the verdict alone decides whether the audit blocks.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::short;

/// Most entries kept of one audit; the artifact has all of them.
const KEPT: usize = 200;

/// One entry of `details.findings` of an artifact, or one of `details.claims` that the audit holds something against.
///
/// **Source**: the convention that this project's audits follow; entries of other programs that lack a message are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub(crate) struct Reported {
    /// The audit's own id for this kind of finding.
    pub id: String,
    /// The audit's own weight, `fail`, `warn`, …
    pub severity: String,
    /// File relative to the paper; empty when it is about none.
    pub file: String,
    /// Line, from 1; 0 when it is about no place.
    pub line: usize,
    /// What stands there.
    pub quote: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub action: String,
}

/// One entry of `details.claims`, in `paper_claim_audit`'s format.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Claim {
    status: String,
    file: String,
    line: usize,
    text: String,
    detail: String,
    binding: Option<String>,
    evidence: Vec<Evidence>,
}

/// One file that the query of a binding reads.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Evidence {
    path: String,
}

impl Claim {
    /// The entry for a number that is wrong or whose binding fails; `None` for other numbers.
    fn reported(self) -> Option<Reported> {
        let severity = match self.status.as_str() {
            "number_mismatch" | "scope_overclaim" | "binding_lost" => "fail",
            "binding_error" => "error",
            _ => return None,
        };
        let binding = self.binding.map(|at| format!("the binding at {at}"));
        let first = self.evidence.first().map(|first| &first.path);
        let data = first.map(|path| match self.evidence.len() - 1 {
            0 => path.clone(),
            1 => format!("{path} and another file"),
            more => format!("{path} and {more} other files"),
        });
        let places: Vec<String> = binding.into_iter().chain(data).collect();
        let action = match places.as_slice() {
            [] => String::new(),
            some => format!("compare with {}", some.join(" and with ")),
        };
        Some(Reported {
            id: self.status,
            severity: severity.to_owned(),
            file: self.file,
            line: self.line,
            quote: self.text,
            message: self.detail,
            action,
        })
    }
}

/// The entries in an artifact's `details`, the weightiest first, otherwise in the artifact's order, and the number of entries
/// that were left out.
pub(crate) fn reported(details: &Value) -> (Vec<Reported>, usize) {
    let list = |name: &str| {
        let entries = details.get(name).and_then(Value::as_array);
        entries.into_iter().flatten()
    };
    let findings = list("findings").filter_map(|entry| Reported::deserialize(entry).ok());
    let claims = list("claims").filter_map(|entry| Claim::deserialize(entry).ok()?.reported());
    let all = findings.chain(claims);
    let all = all.filter(|entry| !entry.message.trim().is_empty());
    let all = all.map(|entry| Reported {
        id: short(&entry.id),
        severity: short(&entry.severity),
        file: short(&entry.file),
        line: entry.line,
        quote: short(&entry.quote),
        message: short(&entry.message),
        action: short(&entry.action),
    });
    let mut reported: Vec<Reported> = all.collect();
    reported.sort_by_key(Reported::rank);
    let left = reported.len().saturating_sub(KEPT);
    reported.truncate(KEPT);
    (reported, left)
}

impl Reported {
    /// `file:line`, as far as known.
    pub(crate) fn place(&self) -> String {
        match (self.file.is_empty(), self.line) {
            (true, _) => String::new(),
            (false, 0) => self.file.clone(),
            (false, line) => format!("{}:{line}", self.file),
        }
    }

    /// Whether the audit counts it among the reasons for its verdict.
    pub(crate) fn weighs(&self) -> bool {
        self.rank() == 0
    }

    fn rank(&self) -> u8 {
        match self.severity.as_str() {
            "block" | "fail" | "error" => 0,
            "warn" | "question" => 1,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_with_a_message_are_quoted_and_the_weighty_ones_come_first() {
        let details = json!({"findings": [
            {"id": "a", "severity": "info", "message": "third"},
            {"id": "b", "severity": "warn", "message": "second", "file": "x.tex", "line": 3},
            {"id": "c", "severity": "fail", "message": "first", "file": "x.tex"},
            {"id": "d", "severity": "fail"}, "text", null, {"message": 7},
        ]});
        let (found, left) = reported(&details);
        let shown: Vec<(String, &str)> = found
            .iter()
            .map(|entry| (entry.place(), entry.message.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("x.tex".to_owned(), "first"),
                ("x.tex:3".to_owned(), "second"),
                (String::new(), "third")
            ]
        );
        assert_eq!(left, 0);
    }

    #[test]
    fn numbers_that_differ_from_the_data_are_quoted() {
        let details = json!({"findings": [{"id": "text_not_read", "severity": "warn", "message": "seen"}], "claims": [
            {"status": "exact_match", "file": "a.tex", "line": 1, "detail": ""},
            {"status": "number_mismatch", "file": "a.tex", "line": 5, "text": "takes 1.063 ms", "detail": "the paper shows 1.063, the data give 1.174",
             "binding": "claims.toml:12", "evidence": [{"path": "results/a.json"}, {"path": "results/b.json"}]},
            {"status": "binding_error", "file": "a.tex", "line": 7, "detail": "no such file"},
            {"status": "unbound", "detail": "x"}, {"status": 3}, {"status": "binding_lost"},
        ]});
        let (found, _) = reported(&details);
        let weighs: Vec<(String, bool)> = found
            .iter()
            .map(|entry| (entry.place(), entry.weighs()))
            .collect();
        let expected = [("a.tex:5", true), ("a.tex:7", true), ("", false)];
        assert_eq!(
            weighs,
            expected.map(|(place, weighs)| (place.to_owned(), weighs))
        );
        assert_eq!(
            found[0].action,
            "compare with the binding at claims.toml:12 and with results/a.json and another file"
        );
    }

    #[test]
    fn whatever_stands_in_details_is_survived() {
        for details in [
            json!(null),
            json!([]),
            json!({"findings": {}}),
            json!({"findings": "x", "claims": "y"}),
        ] {
            assert!(reported(&details).0.is_empty());
        }
        let many: Vec<Value> = (0..500)
            .map(|n| json!({"message": n.to_string()}))
            .collect();
        let (found, left) = reported(&json!({"findings": many}));
        assert_eq!((found.len(), left), (KEPT, 300));
    }
}
