//! Reads lists of findings: a JSON array, or an object that contains one. Entries that are no findings are kept beside the findings, with
//! the reason.

use aris_contract::json::{self, JsonError, Limits};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::edit::Suggestion;
use crate::finding::{Also, Finding, Severity, Source};

/// An entry in a list of findings that is no finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rejected {
    /// Its place in the list, from 0.
    pub index: usize,
    /// Why it is no finding of this gate.
    pub reason: String,
    /// Whether it could not be understood; else it was understood, and is no finding by definition.
    pub unreadable: bool,
    /// The entry.
    pub finding: Value,
}

/// A list of findings that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The findings, in their order.
    pub findings: Vec<Finding>,
    /// The rest.
    pub rejected: Vec<Rejected>,
    /// What was not looked at, as the list says.
    pub problems: Vec<String>,
}

/// Longest dimension, in bytes. **Source**: ours; the longest one of the profiles has 18.
const DIMENSION: usize = 40;

impl Findings {
    /// Reads a document: an array, an object with the array under `findings`, or the envelope of a helper around such an object.
    ///
    /// **Errors**: JSON that is not strict, or none of these forms.
    pub fn read(bytes: &[u8]) -> Result<Self, JsonError> {
        Self::of(json::value(bytes, Limits::ARTIFACT)?).ok_or_else(|| JsonError {
            message: String::from(
                "this is neither a list of findings nor an object with such a list under \"findings\"",
            ),
            line: 1,
            column: 1,
        })
    }

    /// Takes the findings out of a JSON value; `None` when it has none of the forms that [`Self::read`] takes.
    pub fn of(mut value: Value) -> Option<Self> {
        let mut read = Self::default();
        let list = match &mut value {
            Value::Array(list) => std::mem::take(list),
            object => {
                let bare = object.get("findings").is_some();
                let place = if bare { "" } else { "/data" };
                let object = object.pointer_mut(place)?;
                read.problems = problems(object);
                read.rejected = rejected(object);
                match object.get_mut("findings").map(Value::take) {
                    Some(Value::Array(list)) => list,
                    _ => return None,
                }
            }
        };
        for (index, value) in list.into_iter().enumerate() {
            match finding(&value) {
                Ok(finding) => read.findings.push(finding),
                Err((reason, unreadable)) => read.rejected.push(Rejected {
                    index,
                    reason,
                    unreadable,
                    finding: value,
                }),
            }
        }
        Some(read)
    }

    /// Appends another list.
    pub fn append(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.rejected.append(&mut other.rejected);
        self.problems.append(&mut other.problems);
    }
}

/// The `problems` of a check, and the `reason` of a run that is `degraded`.
fn problems(object: &Value) -> Vec<String> {
    let sound = matches!(
        object.get("degraded"),
        None | Some(Value::Null | Value::Bool(false))
    );
    let reason = (!sound).then(|| object.get("reason").unwrap_or(&Value::Null));
    let unsaid = "it does not say what was not looked at";
    let said = |why: &Value| why.as_str().unwrap_or(unsaid).to_owned();
    let all = entries(object, "problems").iter().chain(reason);
    all.map(said).collect()
}

/// The entries of a list that may be absent. A value of another type counts as one entry, so that nothing is ignored.
fn entries<'v>(object: &'v Value, key: &str) -> &'v [Value] {
    match object.get(key) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(other) => std::slice::from_ref(other),
    }
}

/// The entries under `rejected`, which an earlier reading of the list wrote: they stay as unreadable as they were.
fn rejected(object: &Value) -> Vec<Rejected> {
    let read = |(index, entry): (usize, &Value)| {
        typed(entry).unwrap_or_else(|reason| Rejected {
            index,
            reason,
            unreadable: true,
            finding: entry.clone(),
        })
    };
    let entries = entries(object, "rejected").iter();
    entries.enumerate().map(read).collect()
}

/// A deficiency as an agent or another program states it.
#[derive(Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Finding")]
pub(crate) struct Given {
    /// Path in the repository, as it stands above the lines
    file: String,
    /// Number of the line in the file, from 1; null where the finding is about no line
    #[serde(default)]
    line: Option<i64>,
    /// What it is about
    dimension: String,
    /// How bad it is
    severity: Severity,
    /// What is wrong or missing, in a sentence
    #[serde(default, deserialize_with = "known")]
    #[schemars(with = "String")]
    message: Option<String>,
    /// true only when nobody but a person can tell what is right; null where that is not known, which counts as true
    #[serde(default = "nobody_has_to_decide")]
    requires_decision: Option<bool>,
    #[schemars(skip)]
    rule: Option<String>,
    #[schemars(skip)]
    source: Option<Source>,
    #[schemars(skip)]
    suggested_strategy: Option<String>,
    #[schemars(skip)]
    suggestion: Option<Suggestion>,
    #[schemars(skip)]
    also: Option<Vec<Also>>,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the type of the field: a missing field is an answer, null is none"
)]
fn nobody_has_to_decide() -> Option<bool> {
    Some(false)
}

/// For a field that may be absent and then has a default. `null` is refused, because it says that the value is unknown.
pub(crate) fn known<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from).map(Some)
}

/// One finding, or why it is none and whether it could not be read.
fn finding(value: &Value) -> Result<Finding, (String, bool)> {
    let given: Given = typed(value).map_err(|why| (why, true))?;
    let unreadable = |why: &str| Err((why.to_owned(), true));
    if given.file.is_empty() {
        return unreadable("it names no file");
    }
    if given.dimension == "experimental" {
        let why = "its dimension is experimental: claims about one's own experiments are their own evidence";
        return Err((why.to_owned(), false));
    }
    if !is_word(&given.dimension) {
        return unreadable("its dimension is no word of 1 to 40 letters, digits, - and _");
    }
    let line = given.line.and_then(|line| u32::try_from(line).ok());
    Ok(Finding {
        file: given.file,
        // A line that is absent, zero or negative is no line.
        line: line.filter(|line| *line > 0),
        dimension: given.dimension,
        severity: given.severity,
        message: given.message.unwrap_or_default(),
        requires_decision: given.requires_decision.unwrap_or(true),
        rule: given.rule,
        source: given.source,
        suggested_strategy: given.suggested_strategy,
        suggestion: given.suggestion,
        also: given.also.unwrap_or_default(),
        ..Finding::default()
    }
    .identified())
}

/// A JSON value as `T`. **Errors**: the field that is wrong, and why.
pub(crate) fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    let value = serde_path_to_error::deserialize(value);
    value.map_err(|error| {
        let place = error.path().to_string();
        let why = JsonError::from(error.into_inner()).message;
        let said = match place.as_str() {
            "." => why,
            _ => format!("{place}: {why}"),
        };
        crate::text::one_line(&said, 300)
    })
}

fn is_word(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=DIMENSION).contains(&text.len()) && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Findings {
        Findings::read(text.as_bytes()).expect("a list")
    }

    #[test]
    fn a_list_may_stand_alone_or_in_an_object() {
        let one =
            r#"{"file":"r.md","line":3,"dimension":"external","severity":"warning","message":"m"}"#;
        let alone = read(&format!("[{one}]"));
        assert_eq!(alone, read(&format!(r#"{{"findings":[{one}]}}"#)));
        assert_eq!(alone.findings.len(), 1);
        for bad in ["{}", "3", "\"x\"", r#"{"findings":{}}"#, "[", "[]]"] {
            assert!(Findings::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_that_is_none_is_no_position() {
        for (given, wanted) in [
            ("3", Some(3)),
            ("0", None),
            ("-4", None),
            ("null", None),
            ("99999999999", None),
        ] {
            let read = read(&format!(
                r#"[{{"file":"r.md","line":{given},"dimension":"external","severity":"info","message":"m"}}]"#
            ));
            assert_eq!(read.findings[0].line, wanted, "{given}");
        }
    }

    #[test]
    fn null_is_unknown_and_no_answer() {
        for (given, wanted) in [
            ("", Some(false)),
            (r#","requires_decision":false"#, Some(false)),
            (r#","requires_decision":null"#, Some(true)),
            (r#","requires_decision":"no""#, None),
        ] {
            let read = read(&format!(
                r#"[{{"file":"r.md","line":1,"dimension":"external","severity":"info","message":"m"{given}}}]"#
            ));
            let decision = read
                .findings
                .first()
                .map(|finding| finding.requires_decision);
            assert_eq!(decision, wanted, "{given}");
        }
        let severity =
            r#"[{"file":"r.md","line":1,"dimension":"external","severity":null,"message":"m"}]"#;
        assert!(read(severity).rejected[0].unreadable);
    }

    #[test]
    fn what_is_no_finding_is_kept_with_its_reason() {
        for (entry, reason, unreadable) in [
            ("3", "expected an object", true),
            (
                r#"{"line":1,"dimension":"external","severity":"info"}"#,
                "`file`",
                true,
            ),
            (
                r#"{"file":"a","dimension":"external","severity":"major"}"#,
                "major",
                true,
            ),
            (
                r#"{"file":"a","dimension":"experimental","severity":"info"}"#,
                "experimental",
                false,
            ),
            (
                r#"{"file":"a","dimension":"a b","severity":"info"}"#,
                "no word",
                true,
            ),
            (
                r#"{"file":"a","line":"3","dimension":"external","severity":"info"}"#,
                "line",
                true,
            ),
            (
                r#"{"file":["a"],"dimension":"external","severity":"info"}"#,
                "file",
                true,
            ),
        ] {
            let read = read(&format!("[{entry}]"));
            assert!(read.findings.is_empty(), "{entry}");
            let rejected = &read.rejected[0];
            assert!(
                rejected.reason.contains(reason),
                "{entry}: {}",
                rejected.reason
            );
            assert_eq!(rejected.unreadable, unreadable, "{entry}");
        }
    }

    #[test]
    fn a_fingerprint_is_computed_and_not_believed() {
        let read = read(
            r#"[{"file":"a","line":1,"dimension":"external","severity":"info","message":"m","fingerprint":"0000000000000000"}]"#,
        );
        let fingerprint = &read.findings[0].fingerprint;
        assert_eq!(fingerprint.len(), 16);
        assert_ne!(fingerprint, "0000000000000000");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            drop(Findings::read(&bytes));
        }

        #[test]
        fn what_is_written_is_read_again(
            line in proptest::option::of(1_u32..500), message in "\\PC{0,30}", decision in proptest::bool::ANY,
        ) {
            let mut finding = Finding::of_rule("r", Severity::Warning, "external", ("a.md", line), message);
            finding.requires_decision = decision;
            let text = serde_json::to_string(&[&finding]).expect("JSON");
            proptest::prop_assert_eq!(&read(&text).findings, &[finding]);
        }
    }
}
