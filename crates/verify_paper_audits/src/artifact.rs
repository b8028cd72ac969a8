//! Parses one artifact strictly: its fields with their positions, and everything that makes it invalid.
//!
//! Pure: bytes in, values out. All errors are reported, not only the first.

use std::collections::BTreeMap;

use aris_audit::Digest;
use aris_contract::artifact::audit::{Audit, REQUIRED_FIELDS, Verdict};
use aris_contract::json::{self, JsonError, Limits};
use aris_latex::SourceFile;
use serde_json::{Map, Value};

use crate::finding::{Finding, FindingId};
use crate::places::Places;
use crate::policy::AuditRule;
use crate::text::short;

/// The same limits as for writing audits: that of a hundred thousand result files has 19 MB.
pub(crate) const LIMITS: Limits = Limits::ARTIFACT;

const REWRITE: &str = "run the audit again so that it writes the artifact anew";

/// The readable parts of an artifact.
#[derive(Debug)]
pub(crate) struct Artifact {
    /// The verdict as written; empty when there is none.
    pub verdict_text: String,
    /// The verdict, if it is one of the six.
    pub verdict: Option<Verdict>,
    /// Inputs, sorted by key.
    pub inputs: Vec<RecordedInput>,
    /// The typed artifact, if all fields are present with the right types.
    pub audit: Option<Audit>,
    /// The text, for quoting.
    pub text: SourceFile,
    /// Positions of the keys.
    pub places: Places,
}

/// One entry of `audited_input_hashes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedInput {
    /// The path as written.
    pub name: String,
    /// The digest, if it is valid.
    pub digest: Option<Digest>,
}

impl Artifact {
    /// Parses the artifact of `rule`; `file` is its name for messages.
    pub(crate) fn read(bytes: &[u8], rule: &AuditRule, file: &str) -> (Self, Vec<Finding>) {
        let start = bytes.get(..LIMITS.bytes.min(bytes.len()));
        let mut artifact = Self {
            text: lossy(file, start.unwrap_or_default()),
            ..Self::default()
        };
        let mut findings = Vec::new();
        let value = match json::value(bytes, LIMITS) {
            Ok(value) => value,
            Err(error) => {
                let message = format!("{file} is not valid JSON, or has a key twice: {error}");
                let place = Some((error.line, error.column));
                let finding = artifact.wrong(FindingId::SchemaInvalid, message, place);
                findings.push(finding.issue(format!("schema_invalid:cannot_parse_json:{error}")));
                return (artifact, findings);
            }
        };
        artifact.places = Places::of(&artifact.text.text);
        let Value::Object(fields) = &value else {
            let found = kind(&value);
            let message = format!("{file} is {found}, not an object");
            let finding = artifact.wrong(FindingId::SchemaInvalid, message, Some((1, 1)));
            let found = found.replace(' ', "_");
            findings.push(finding.issue(format!("schema_invalid:top_level_is_{found}")));
            return (artifact, findings);
        };
        artifact.verdict(fields, &mut findings);
        findings.extend(artifact.skill(fields, rule));
        // An optional audit that says that it does not apply needs no reviewer and no further fields.
        if !rule.mandatory && artifact.verdict == Some(Verdict::NotApplicable) && nobody(fields) {
            return (artifact, findings);
        }
        artifact.fields(fields, &mut findings);
        artifact.hashes(fields, &mut findings);
        match serde_json::from_value(value) {
            Ok(audit) => artifact.audit = Some(audit),
            // The type rejects something that the checks above do not know.
            Err(error) if findings.is_empty() => {
                let why = JsonError::from(error).message;
                let message = format!("{file} is no audit: {why}");
                findings.push(artifact.wrong(FindingId::SchemaInvalid, message, None));
            }
            Err(_) => {}
        }
        (artifact, findings)
    }

    /// Line and column of a field.
    pub(crate) fn place(&self, field: &str) -> Option<(usize, usize)> {
        self.places.key(field)
    }

    /// Attaches a finding to the artifact, with the position and the line of a field.
    pub(crate) fn at_field(&self, finding: Finding, field: &str) -> Finding {
        self.at(finding, self.place(field))
    }

    /// Attaches a finding to the artifact, with the line at `place`.
    pub(crate) fn at(&self, finding: Finding, place: Option<(usize, usize)>) -> Finding {
        let finding = finding.file(self.text.path.clone());
        finding.at(place, &self.text)
    }

    fn wrong(
        &self,
        id: FindingId,
        message: impl Into<String>,
        place: Option<(usize, usize)>,
    ) -> Finding {
        self.at(Finding::new(id, message, REWRITE), place)
    }

    fn fields(&self, fields: &Map<String, Value>, findings: &mut Vec<Finding>) {
        let wrong = |message, place| self.wrong(FindingId::SchemaInvalid, message, place);
        let wrong_type = |name: &str, expected: &str, value: &Value| {
            let found = kind(value);
            let message = format!("field {name} is {found}, not {expected}");
            wrong(message, self.place(name))
                .evidence("expected", expected)
                .evidence("found", found)
                .issue(format!("wrong_type:{name}"))
        };
        for name in REQUIRED_FIELDS {
            match fields.get(name) {
                None => {
                    let finding = wrong(format!("field {name} is missing"), None);
                    let finding = finding.evidence("missing", name);
                    findings.push(finding.issue(format!("missing_field:{name}")));
                }
                // An invalid verdict has its own finding.
                Some(_) if name == "verdict" => {}
                Some(Value::Object(_)) if name == "audited_input_hashes" => {}
                Some(value) if name == "audited_input_hashes" => {
                    let finding = wrong_type(name, "an object", value);
                    findings.push(finding.issue("audited_input_hashes_not_dict"));
                }
                Some(Value::String(_)) => {}
                Some(value) => findings.push(wrong_type(name, "a string", value)),
            }
        }
        for name in ["schema", "producer"] {
            let value = fields.get(name);
            if let Some(value) = value.filter(|value| !value.is_string() && !value.is_null()) {
                findings.push(wrong_type(name, "a string", value));
            }
        }
        if let Some(Value::String(model)) = fields.get("reviewer_model")
            && nobody(fields)
        {
            let what = match model.trim() {
                "" => String::from("empty"),
                model => format!("{model:?}"),
            };
            let message = format!("reviewer_model is {what}: the audit names no reviewer");
            let finding = wrong(message, self.place("reviewer_model"));
            findings.push(finding.issue("empty_field:reviewer_model"));
        }
    }

    fn verdict(&mut self, fields: &Map<String, Value>, findings: &mut Vec<Finding>) {
        let Some(value) = fields.get("verdict") else {
            return;
        };
        let written = value.as_str();
        let written = written.map_or_else(|| value.to_string(), ToOwned::to_owned);
        self.verdict_text = short(&written);
        let mut all = Verdict::ALL.into_iter();
        self.verdict = all.find(|verdict| value.as_str() == Some(verdict.word()));
        if self.verdict.is_none() {
            let message = format!("verdict {:?} is none of the six", self.verdict_text);
            let place = self.place("verdict");
            findings.push(
                self.wrong(FindingId::InvalidVerdict, message, place)
                    .evidence("expected", Verdict::ALL.map(Verdict::word).join(", "))
                    .evidence("found", &self.verdict_text)
                    .issue(format!("invalid_verdict:{}", self.verdict_text)),
            );
        }
    }

    fn skill(&self, fields: &Map<String, Value>, rule: &AuditRule) -> Option<Finding> {
        let found = fields.get("audit_skill")?.as_str()?;
        if found == rule.skill {
            return None;
        }
        let (file, found, skill) = (&self.text.path, short(found), &rule.skill);
        let message = format!("{file} was written by {found:?}, not by {skill}");
        let place = self.place("audit_skill");
        Some(
            self.wrong(FindingId::WrongAuditSkill, message, place)
                .issue(format!("wrong_audit_skill:{found}_vs_{skill}"))
                .evidence("expected", skill)
                .evidence("found", found),
        )
    }

    fn hashes(&mut self, fields: &Map<String, Value>, findings: &mut Vec<Finding>) {
        let Some(Value::Object(hashes)) = fields.get("audited_input_hashes") else {
            return;
        };
        // Sorted, so that the report does not depend on the order in the artifact.
        let sorted: BTreeMap<&String, &Value> = hashes.iter().collect();
        for (name, value) in sorted {
            let digest = value.as_str().and_then(Digest::parse);
            if digest.is_none() {
                let found = value.as_str().map_or_else(|| kind(value).to_owned(), short);
                let shown = short(name);
                let message = format!("the hash of {shown:?} is no SHA-256 digest");
                let place = self.places.inner("audited_input_hashes", name);
                let expected = "64 hex digits, with or without sha256: in front";
                findings.push(
                    self.wrong(FindingId::SchemaInvalid, message, place)
                        .evidence("expected", expected)
                        .evidence("found", found)
                        .issue(format!("invalid_hash:{shown}")),
                );
            }
            self.inputs.push(RecordedInput {
                name: name.clone(),
                digest,
            });
        }
        let looked = self.verdict.is_none_or(Verdict::claims_to_have_looked);
        if hashes.is_empty() && looked {
            let message = format!(
                "the audit says {} and hashed no file: nothing shows that it looked at anything",
                self.verdict_text
            );
            let fix = "run the audit again; it must hash every file that it read";
            let finding = Finding::new(FindingId::NoAuditedInputs, message, fix);
            findings.push(self.at_field(finding, "audited_input_hashes"));
        }
    }
}

impl Default for Artifact {
    fn default() -> Self {
        Self {
            verdict_text: String::new(),
            verdict: None,
            inputs: Vec::new(),
            audit: None,
            text: lossy("", b""),
            places: Places::default(),
        }
    }
}

/// Whether the artifact names no reviewer.
fn nobody(fields: &Map<String, Value>) -> bool {
    const WORDS: [&str; 4] = ["", "none", "n/a", "not_applicable"];
    match fields.get("reviewer_model") {
        None | Some(Value::Null) => true,
        Some(Value::String(model)) => WORDS.contains(&model.trim().to_lowercase().as_str()),
        Some(_) => false,
    }
}

/// Bytes as text that can be quoted by line; invalid UTF-8 is replaced.
pub(crate) fn lossy(file: &str, bytes: &[u8]) -> SourceFile {
    SourceFile::new(file, String::from_utf8_lossy(bytes).into())
}

/// The type of a value, with its article.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule() -> AuditRule {
        AuditRule {
            artifact: String::from("PROOF_AUDIT.json"),
            skill: String::from("proof-checker"),
            mandatory: true,
            independent_group: None,
            deterministic: vec![],
            rerun: None,
        }
    }

    fn whole() -> Value {
        json!({
            "audit_skill": "proof-checker", "verdict": "PASS", "reason_code": "r", "summary": "s",
            "audited_input_hashes": {"main.tex": "sha256:".to_owned() + &"a".repeat(64)},
            "trace_path": "t", "thread_id": "x", "reviewer_model": "m", "reviewer_reasoning": "high",
            "generated_at": "2026-11-20T00:00:00Z",
        })
    }

    fn issues(value: &Value) -> Vec<String> {
        let (_, findings) =
            Artifact::read(value.to_string().as_bytes(), &rule(), "PROOF_AUDIT.json");
        findings.into_iter().map(|finding| finding.issue).collect()
    }

    #[test]
    fn a_whole_artifact_has_no_issue_and_each_damage_has_its_own() {
        assert_eq!(issues(&whole()), Vec::<String>::new());
        for field in REQUIRED_FIELDS {
            let mut without = whole();
            without.as_object_mut().expect("object").remove(field);
            assert!(
                issues(&without).contains(&format!("missing_field:{field}")),
                "{field}"
            );
            let mut null = whole();
            null[field] = Value::Null;
            assert!(!issues(&null).is_empty(), "null {field}");
        }
        let cases = [
            ("verdict", json!("pass"), "invalid_verdict:pass"),
            ("verdict", json!(["PASS"]), "invalid_verdict:[\"PASS\"]"),
            (
                "audit_skill",
                json!("other"),
                "wrong_audit_skill:other_vs_proof-checker",
            ),
            (
                "audited_input_hashes",
                json!([]),
                "audited_input_hashes_not_dict",
            ),
            ("audited_input_hashes", json!({}), "no_audited_inputs"),
            (
                "audited_input_hashes",
                json!({"a": "abc"}),
                "invalid_hash:a",
            ),
            ("audited_input_hashes", json!({"a": null}), "invalid_hash:a"),
            ("summary", json!(1), "wrong_type:summary"),
            ("schema", json!(1), "wrong_type:schema"),
            ("reviewer_model", json!(" "), "empty_field:reviewer_model"),
        ];
        for (field, value, expected) in cases {
            let mut damaged = whole();
            damaged[field] = value;
            assert_eq!(issues(&damaged), [expected], "{field}");
        }
        assert_eq!(
            issues(&json!([whole()])),
            ["schema_invalid:top_level_is_a_list"]
        );
    }

    #[test]
    fn findings_name_line_and_column() {
        let text = serde_json::to_string_pretty(&whole())
            .expect("json")
            .replace("\"PASS\"", "\"pass\"");
        let (_, findings) = Artifact::read(text.as_bytes(), &rule(), "PROOF_AUDIT.json");
        assert_eq!((findings[0].line, findings[0].column), (Some(3), Some(3)));
        assert_eq!(findings[0].context[1].text, "  \"verdict\": \"pass\",");
    }

    proptest::proptest! {
        /// The checks accept exactly what the type accepts.
        #[test]
        fn the_checks_agree_with_the_type(field in 0_usize..14, choice in 0_usize..8) {
            let names = ["schema", "producer", "details", "other"];
            let name = REQUIRED_FIELDS.get(field).copied().unwrap_or_else(|| names[field - 10]);
            let values = [json!(null), json!(1), json!("PASS"), json!([]), json!({"a": "b"}), json!(true), json!("x"), json!({})];
            let mut value = whole();
            value[name] = values[choice].clone();
            let (artifact, findings) = Artifact::read(value.to_string().as_bytes(), &rule(), "f");
            let typed = serde_json::from_value::<Audit>(value).is_ok();
            proptest::prop_assert!(typed || !findings.is_empty());
            proptest::prop_assert_eq!(artifact.audit.is_some(), typed);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..120)) {
            drop(Artifact::read(&bytes, &rule(), "f"));
        }
    }
}
