//! One artifact, read strictly: its fields with their places, and everything that keeps it from being an audit.
//!
//! Pure: bytes in, values out. All that is wrong is reported, not only the first thing.

use std::collections::BTreeMap;

use aris_audit::Digest;
use aris_contract::artifact::audit::{Audit, REQUIRED_FIELDS, Verdict};
use aris_contract::json::{self, Limits};
use aris_latex::SourceFile;
use serde_json::{Map, Value};

use crate::finding::{Finding, FindingId};
use crate::places::Places;
use crate::policy::AuditRule;
use crate::text::short;

/// What the audits themselves may write: that of a hundred thousand result files has 19 MB.
pub(crate) const LIMITS: Limits = Limits::ARTIFACT;

const REWRITE: &str = "run the audit again so that it writes the artifact anew";

/// What could be read of an artifact.
#[derive(Debug)]
pub(crate) struct Artifact {
    /// The verdict as written; empty when there is none.
    pub verdict_text: String,
    /// The verdict, when it is one of the six.
    pub verdict: Option<Verdict>,
    /// Inputs in the order of their keys.
    pub inputs: Vec<RecordedInput>,
    /// The typed artifact, when every field is there with its type.
    pub audit: Option<Audit>,
    /// The text, for quoting.
    pub text: SourceFile,
    /// Where the keys stand.
    pub places: Places,
}

/// One entry of `audited_input_hashes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordedInput {
    /// The path as written.
    pub name: String,
    /// The digest, when it is one.
    pub digest: Option<Digest>,
}

impl Artifact {
    /// Reads the artifact of `rule`; `file` is what people call it.
    pub(crate) fn read(bytes: &[u8], rule: &AuditRule, file: &str) -> (Self, Vec<Finding>) {
        let mut artifact = Self::default();
        let mut findings = Vec::new();
        let value = match json::value(bytes, LIMITS) {
            Ok(value) => value,
            Err(error) => {
                let start = bytes.get(..LIMITS.bytes.min(bytes.len()));
                let text = lossy(file, start.unwrap_or_default());
                findings.push(
                    Finding::new(
                        FindingId::SchemaInvalid,
                        format!("{file} is not JSON that every reader understands alike: {error}"),
                        REWRITE,
                    )
                    .file(file)
                    .at(Some((error.line, error.column)), &text)
                    .issue(format!("schema_invalid:cannot_parse_json:{error}")),
                );
                return (artifact, findings);
            }
        };
        artifact.text = lossy(file, bytes);
        artifact.places = Places::of(&artifact.text.text);
        let Value::Object(fields) = &value else {
            findings.push(
                Finding::new(
                    FindingId::SchemaInvalid,
                    format!("{file} is {}, not an object", kind(&value)),
                    REWRITE,
                )
                .file(file)
                .at(Some((1, 1)), &artifact.text)
                .issue(format!(
                    "schema_invalid:top_level_is_{}",
                    kind(&value).replace(' ', "_")
                )),
            );
            return (artifact, findings);
        };
        artifact.verdict(fields, file, &mut findings);
        artifact.skill(fields, rule, file, &mut findings);
        // An audit that nobody demands and that says that it does not apply needs no reviewer, and then it has nothing more to show.
        if !rule.mandatory && artifact.verdict == Some(Verdict::NotApplicable) && nobody(fields) {
            return (artifact, findings);
        }
        artifact.fields(fields, file, &mut findings);
        artifact.hashes(fields, file, &mut findings);
        match serde_json::from_value(value) {
            Ok(audit) => artifact.audit = Some(audit),
            // Whatever the checks above do not know is still no audit.
            Err(error) if findings.is_empty() => findings.push(
                Finding::new(
                    FindingId::SchemaInvalid,
                    format!("{file} is no audit: {error}"),
                    REWRITE,
                )
                .file(file),
            ),
            Err(_) => {}
        }
        (artifact, findings)
    }

    /// The place of a field.
    pub(crate) fn place(&self, field: &str) -> Option<(usize, usize)> {
        self.places.key(field)
    }

    fn fields(&self, fields: &Map<String, Value>, file: &str, findings: &mut Vec<Finding>) {
        for name in REQUIRED_FIELDS {
            match fields.get(name) {
                None => findings.push(
                    Finding::new(
                        FindingId::SchemaInvalid,
                        format!("field {name} is missing"),
                        REWRITE,
                    )
                    .file(file)
                    .evidence("missing", name)
                    .issue(format!("missing_field:{name}")),
                ),
                // The verdict has its own finding.
                Some(_) if name == "verdict" => {}
                Some(Value::Object(_)) if name == "audited_input_hashes" => {}
                Some(value) if name == "audited_input_hashes" => {
                    findings.push(
                        self.wrong_type(name, "an object", value, file)
                            .issue("audited_input_hashes_not_dict"),
                    );
                }
                Some(Value::String(_)) => {}
                Some(value) => findings.push(self.wrong_type(name, "a string", value, file)),
            }
        }
        for name in ["schema", "producer"] {
            if let Some(value) = fields
                .get(name)
                .filter(|value| !value.is_string() && !value.is_null())
            {
                findings.push(self.wrong_type(name, "a string", value, file));
            }
        }
        if let Some(Value::String(model)) = fields.get("reviewer_model")
            && model.trim().is_empty()
        {
            findings.push(
                Finding::new(
                    FindingId::SchemaInvalid,
                    "reviewer_model is empty: the audit names no reviewer",
                    REWRITE,
                )
                .file(file)
                .at(self.place("reviewer_model"), &self.text)
                .issue("empty_field:reviewer_model"),
            );
        }
    }

    fn wrong_type(&self, name: &str, expected: &str, value: &Value, file: &str) -> Finding {
        Finding::new(
            FindingId::SchemaInvalid,
            format!("field {name} is {}, not {expected}", kind(value)),
            REWRITE,
        )
        .file(file)
        .at(self.place(name), &self.text)
        .evidence("expected", expected)
        .evidence("found", kind(value))
        .issue(format!("wrong_type:{name}"))
    }

    fn verdict(&mut self, fields: &Map<String, Value>, file: &str, findings: &mut Vec<Finding>) {
        let Some(value) = fields.get("verdict") else {
            return;
        };
        let written = value
            .as_str()
            .map_or_else(|| value.to_string(), ToOwned::to_owned);
        self.verdict_text = short(&written);
        self.verdict = Verdict::ALL
            .into_iter()
            .find(|verdict| value.as_str() == Some(verdict.word()));
        if self.verdict.is_none() {
            let all = Verdict::ALL.map(Verdict::word).join(", ");
            findings.push(
                Finding::new(
                    FindingId::InvalidVerdict,
                    format!("verdict {:?} is none of the six", short(&written)),
                    REWRITE,
                )
                .file(file)
                .at(self.place("verdict"), &self.text)
                .evidence("expected", all)
                .evidence("found", short(&written))
                .issue(format!("invalid_verdict:{}", short(&written))),
            );
        }
    }

    fn skill(
        &self,
        fields: &Map<String, Value>,
        rule: &AuditRule,
        file: &str,
        findings: &mut Vec<Finding>,
    ) {
        let Some(Value::String(skill)) = fields.get("audit_skill") else {
            return;
        };
        if *skill != rule.skill {
            findings.push(
                Finding::new(
                    FindingId::WrongAuditSkill,
                    format!(
                        "{file} was written by {:?}, not by {}",
                        short(skill),
                        rule.skill
                    ),
                    REWRITE,
                )
                .file(file)
                .at(self.place("audit_skill"), &self.text)
                .evidence("expected", &rule.skill)
                .evidence("found", short(skill))
                .issue(format!(
                    "wrong_audit_skill:{}_vs_{}",
                    short(skill),
                    rule.skill
                )),
            );
        }
    }

    fn hashes(&mut self, fields: &Map<String, Value>, file: &str, findings: &mut Vec<Finding>) {
        let Some(Value::Object(hashes)) = fields.get("audited_input_hashes") else {
            return;
        };
        // Sorted, so that the report does not depend on the order in the artifact.
        let sorted: BTreeMap<&String, &Value> = hashes.iter().collect();
        for (name, value) in sorted {
            let digest = value.as_str().and_then(Digest::parse);
            if digest.is_none() {
                let found = value.as_str().map_or_else(|| kind(value).to_owned(), short);
                findings.push(
                    Finding::new(
                        FindingId::SchemaInvalid,
                        format!("the hash of {:?} is no SHA-256 digest", short(name)),
                        REWRITE,
                    )
                    .file(file)
                    .at(self.places.inner("audited_input_hashes", name), &self.text)
                    .evidence(
                        "expected",
                        "64 hex digits, with or without sha256: in front",
                    )
                    .evidence("found", found)
                    .issue(format!("invalid_hash:{}", short(name))),
                );
            }
            self.inputs.push(RecordedInput {
                name: name.clone(),
                digest,
            });
        }
        let looked = self.verdict.is_none_or(Verdict::claims_to_have_looked);
        if hashes.is_empty() && looked {
            findings.push(
                Finding::new(
                    FindingId::NoAuditedInputs,
                    format!("the audit says {} and hashed no file: nothing shows that it looked at anything", self.verdict_text),
                    "run the audit again; it must hash every file that it read",
                )
                .file(file)
                .at(self.place("audited_input_hashes"), &self.text)
                .issue("no_audited_inputs"),
            );
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

/// Whether an artifact names no reviewer.
fn nobody(fields: &Map<String, Value>) -> bool {
    const WORDS: [&str; 4] = ["", "none", "n/a", "not_applicable"];
    match fields.get("reviewer_model") {
        None | Some(Value::Null) => true,
        Some(Value::String(model)) => WORDS.contains(&model.trim().to_lowercase().as_str()),
        Some(_) => false,
    }
}

/// Bytes as text that can be quoted by line; what is not UTF-8 is replaced.
pub(crate) fn lossy(file: &str, bytes: &[u8]) -> SourceFile {
    SourceFile::new(file, String::from_utf8_lossy(bytes).into())
}

/// What a value is, with its article.
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
        /// What the checks let through is what the type accepts, and the other way round.
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
