//! JSON Schema 2020-12, as far as the schemas of our artifacts use it. A keyword that is not known here is a problem of its own:
//! nothing passes because nobody looked.

use serde_json::{Map, Value};

/// Schemas of the artifacts in the table of integrations.
const SCHEMAS: [(&str, &str); 2] = [
    (
        "aris.verify_paper_audits.audit/v1",
        include_str!("../../../schemas/aris.verify_paper_audits.audit.v1.json"),
    ),
    (
        "aris.verify_paper_audits.report/v1",
        include_str!("../../../schemas/aris.verify_paper_audits.report.v1.json"),
    ),
];

/// Nested references and values that are followed; strict JSON is not deeper.
const DEPTH: usize = 256;

/// What is wrong with `value` under the schema `id`, each with its JSON pointer. `Err` when the schema itself cannot be used.
pub(crate) fn problems(id: &str, value: &Value) -> Result<Vec<String>, String> {
    let (_, text) = SCHEMAS
        .iter()
        .find(|(known, _)| *known == id)
        .ok_or_else(|| format!("the schema {id} is not compiled in"))?;
    let schema: Value =
        serde_json::from_str(text).map_err(|error| format!("the schema {id}: {error}"))?;
    let mut problems = Vec::new();
    Check { root: &schema }.value(&schema, value, "", DEPTH, &mut problems);
    Ok(problems)
}

struct Check<'a> {
    root: &'a Value,
}

impl Check<'_> {
    fn holds(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let mut problems = Vec::new();
        self.value(schema, value, "", depth, &mut problems);
        problems.is_empty()
    }

    fn value(
        &self,
        schema: &Value,
        value: &Value,
        at: &str,
        depth: usize,
        problems: &mut Vec<String>,
    ) {
        let mut wrong = |what: String| {
            let place = if at.is_empty() { "the document" } else { at };
            problems.push(format!("{place} {what}"));
        };
        let keywords = match schema {
            Value::Bool(true) => return,
            Value::Object(keywords) if depth > 0 => keywords,
            _ => return wrong(String::from("is not allowed")),
        };
        for (keyword, rule) in keywords {
            match (keyword.as_str(), rule, value) {
                ("type", ..) => {
                    if !is_of_type(rule, value) {
                        wrong(format!("is not of type {}", words(rule)));
                    }
                }
                ("const", ..) => {
                    if rule != value {
                        wrong(format!("is not {rule}"));
                    }
                }
                ("enum", Value::Array(allowed), _) => {
                    if !allowed.contains(value) {
                        wrong(format!("is none of {}", words(rule)));
                    }
                }
                ("minimum", Value::Number(least), Value::Number(number)) => {
                    if number.as_f64() < least.as_f64() {
                        wrong(format!("is below {least}"));
                    }
                }
                ("maximum", Value::Number(most), Value::Number(number)) => {
                    if number.as_f64() > most.as_f64() {
                        wrong(format!("is above {most}"));
                    }
                }
                ("minLength", Value::Number(least), Value::String(text)) => {
                    if (text.chars().count() as u64) < least.as_u64().unwrap_or(u64::MAX) {
                        wrong(format!("is shorter than {least}"));
                    }
                }
                ("minItems", Value::Number(least), Value::Array(items)) => {
                    if (items.len() as u64) < least.as_u64().unwrap_or(u64::MAX) {
                        wrong(format!("has fewer elements than {least}"));
                    }
                }
                ("required", Value::Array(names), Value::Object(object)) => {
                    for name in names.iter().filter_map(Value::as_str) {
                        if !object.contains_key(name) {
                            wrong(format!("lacks {name}"));
                        }
                    }
                }
                ("oneOf" | "anyOf", Value::Array(choices), _) => {
                    let held = choices
                        .iter()
                        .filter(|choice| self.holds(choice, value, depth - 1))
                        .count();
                    if held == 0 || (keyword == "oneOf" && held > 1) {
                        wrong(match allowed(choices) {
                            Some(words) => format!("is none of {words}"),
                            None => format!("has {held} of the allowed shapes"),
                        });
                    }
                }
                // A rule of the right kind for a value of another kind holds; `type` speaks about that.
                ("minimum" | "maximum" | "minLength" | "minItems", Value::Number(_), _)
                // Annotations.
                | ("title" | "description" | "default" | "format" | "$schema" | "$id" | "$defs", ..)
                // References, fields and elements follow below, with places of their own.
                | ("$ref", Value::String(_), _)
                | ("properties", Value::Object(_), _)
                | ("items" | "additionalProperties", Value::Object(_) | Value::Bool(_), _)
                | ("required", Value::Array(_), _) => {}
                _ => wrong(format!("cannot be checked: the schema says {keyword}")),
            }
        }
        self.inside(keywords, value, at, depth, problems);
    }

    /// The keywords that lead to other schemas: references, fields, elements.
    fn inside(
        &self,
        keywords: &Map<String, Value>,
        value: &Value,
        at: &str,
        depth: usize,
        problems: &mut Vec<String>,
    ) {
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            let target = reference
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer));
            match target {
                Some(target) => self.value(target, value, at, depth - 1, problems),
                None => problems.push(format!(
                    "{at} cannot be checked: the schema refers to {reference}"
                )),
            }
        }
        if let (Some(items), Value::Array(elements)) = (keywords.get("items"), value) {
            for (index, element) in elements.iter().enumerate() {
                self.value(
                    items,
                    element,
                    &format!("{at}/{index}"),
                    depth - 1,
                    problems,
                );
            }
        }
        if let Value::Object(object) = value {
            let properties = keywords.get("properties").and_then(Value::as_object);
            for (name, field) in object {
                let own = properties.and_then(|properties| properties.get(name));
                if let Some(schema) = own.or_else(|| keywords.get("additionalProperties")) {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    self.value(schema, field, &format!("{at}/{name}"), depth - 1, problems);
                }
            }
        }
    }
}

/// The words of a choice between constants.
fn allowed(choices: &[Value]) -> Option<String> {
    let words: Option<Vec<String>> = choices
        .iter()
        .map(|choice| choice.get("const").map(ToString::to_string))
        .collect();
    words.map(|words| words.join(", "))
}

fn words(rule: &Value) -> String {
    match rule {
        Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_of_type(rule: &Value, value: &Value) -> bool {
    match rule {
        Value::Array(list) => list.iter().any(|rule| is_of_type(rule, value)),
        Value::String(name) => match name.as_str() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "number" => value.is_number(),
            // 1.0 is an integer for JSON Schema.
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aris_contract::integrations::{self, Form};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const AUDIT: &str = SCHEMAS[0].0;

    fn audit() -> Value {
        json!({
            "audit_skill": "proof-checker", "verdict": "PASS", "reason_code": "r", "summary": "s",
            "audited_input_hashes": {"main.tex": "sha256:00"}, "trace_path": "t", "thread_id": "i",
            "reviewer_model": "m", "reviewer_reasoning": "high", "generated_at": "2026-01-01T00:00:00Z",
            "details": {"a": [1, 2]},
        })
    }

    fn report() -> Value {
        let schema: Value = serde_json::from_str(SCHEMAS[1].1).expect("schema");
        sample(&schema, &schema)
    }

    /// A value that follows `schema`: every field, one element in every list.
    fn sample(root: &Value, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            return sample(
                root,
                root.pointer(reference.trim_start_matches('#'))
                    .expect("target"),
            );
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(first) = schema[choice].get(0) {
                return sample(root, first);
            }
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        let kind = schema["type"]
            .as_str()
            .or_else(|| schema["type"][0].as_str());
        match kind {
            Some("object") => {
                let mut object = Map::new();
                for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                    object.insert(name.clone(), sample(root, field));
                }
                Value::Object(object)
            }
            Some("array") => json!([sample(root, &schema["items"])]),
            Some("integer" | "number") => json!(1),
            Some("boolean") => json!(true),
            _ => json!("text"),
        }
    }

    #[test]
    fn every_schema_of_the_table_is_compiled_in() {
        let named: BTreeSet<&str> = integrations::all()
            .iter()
            .flat_map(|row| row.artifacts)
            .filter_map(|artifact| match artifact.form {
                Form::Schema(id) => Some(id),
                _ => None,
            })
            .collect();
        assert_eq!(named, SCHEMAS.iter().map(|(id, _)| *id).collect());
        assert!(problems("aris.other/v1", &json!({})).is_err());
    }

    #[test]
    fn problems_name_their_place() {
        assert_eq!(problems(AUDIT, &audit()), Ok(Vec::new()));
        assert_eq!(problems(SCHEMAS[1].0, &report()), Ok(Vec::new()));
        for (field, value, expected) in [
            (
                "verdict",
                json!("MAYBE"),
                "/verdict is none of \"PASS\", \"WARN\", \"FAIL\", \"NOT_APPLICABLE\", \"BLOCKED\", \"ERROR\"",
            ),
            ("summary", json!(null), "/summary is not of type string"),
            (
                "audited_input_hashes",
                json!({"a/b": 1}),
                "/audited_input_hashes/a~1b is not of type string",
            ),
        ] {
            let mut audit = audit();
            audit[field] = value;
            assert_eq!(problems(AUDIT, &audit), Ok(vec![expected.to_owned()]));
        }
        assert_eq!(
            problems(AUDIT, &json!([])),
            Ok(vec![String::from("the document is not of type object")])
        );
        let mut lacking = audit();
        lacking
            .as_object_mut()
            .expect("object")
            .shift_remove("verdict");
        assert_eq!(
            problems(AUDIT, &lacking),
            Ok(vec![String::from("the document lacks verdict")])
        );
    }

    #[test]
    fn a_keyword_that_is_not_known_never_passes() {
        let schema = json!({"pattern": "^a$"});
        assert!(!Check { root: &schema }.holds(&schema, &json!("a"), DEPTH));
        let endless = json!({"$ref": "#"});
        assert!(!Check { root: &endless }.holds(&endless, &json!("a"), DEPTH));
    }

    /// All places of a value.
    fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Array(list) => {
                for (index, element) in list.iter().enumerate() {
                    pointers(element, &format!("{at}/{index}"), found);
                }
            }
            Value::Object(object) => {
                for (name, field) in object {
                    pointers(
                        field,
                        &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                        found,
                    );
                }
            }
            _ => {}
        }
    }

    proptest! {
        /// One change anywhere in a valid document: the same answer as a complete validator.
        #[test]
        fn it_agrees_with_a_complete_validator(which in 0..2_usize, place in any::<prop::sample::Index>(), change in 0..9_usize) {
            let (id, _) = SCHEMAS[which];
            let mut value = if which == 0 { audit() } else { report() };
            let mut places = Vec::new();
            pointers(&value, "", &mut places);
            let target = value.pointer_mut(place.get::<String>(&places)).expect("a place");
            *target = match change {
                0 => json!(null),
                1 => json!("text"),
                2 => json!(-1),
                3 => json!(1.5),
                4 => json!([]),
                5 => json!({}),
                6 => json!([{"a": 1}]),
                7 => json!("PASS"),
                _ => json!(true),
            };
            let complete = aris_testkit::follows(id, &value);
            prop_assert_eq!(problems(id, &value).expect("known").is_empty(), complete, "{}", value);
        }
    }
}
