//! The files in `schemas/`: whether they match the Rust types, and whether values match them.

use std::fs;
use std::path::PathBuf;

use aris_contract::schema::file_name;
use schemars::JsonSchema;
use serde_json::Value;

use crate::golden::check_golden;
use crate::workspace_root;

/// Panics unless the schema file `id` equals the schema that `T` derives. With `UPDATE_SCHEMAS=1` writes the file instead.
///
/// Each crate calls this from its test `schemas_are_current`, which `cargo xtask schemas` runs.
#[track_caller]
pub fn check_schema<T: JsonSchema>(id: &str) {
    let mut schema = schemars::schema_for!(T);
    schema.insert(String::from("$id"), id.into());
    let text = format!("{:#}\n", schema.as_value());
    check_golden(&path(id), &text, "UPDATE_SCHEMAS", "`cargo xtask schemas`");
}

/// Panics unless `value` follows the schema `id`, with the addition that lists are never null. `what` names the value in the
/// message.
#[track_caller]
pub fn assert_valid(id: &str, value: &Value, what: &str) {
    let path = path(id);
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{what}: {}: {error}", path.display()));
    let mut schema: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    forbid_null_lists(&mut schema);
    let validator = jsonschema::validator_for(&schema)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{what} is not {id}: {}",
        errors.join("; ")
    );
}

/// Panics unless `value` follows a published schema, in the draft that the schema names. `what` names the value in the message.
#[track_caller]
pub fn assert_follows(schema: &Value, value: &Value, what: &str) {
    let validator =
        jsonschema::validator_for(schema).unwrap_or_else(|error| panic!("the schema: {error}"));
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{what} is not what its schema says: {}",
        errors.join("; ")
    );
}

/// Whether `value` follows the schema `id`, by a complete validator.
pub fn follows(id: &str, value: &Value) -> bool {
    let path = path(id);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    jsonschema::draft202012::is_valid(&schema, value)
}

fn path(id: &str) -> PathBuf {
    workspace_root().join("schemas").join(file_name(id))
}

/// Removes `null` from every `"type": ["array", "null"]`: an empty list must be `[]`.
fn forbid_null_lists(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type")
                && types.iter().any(|kind| kind == "array")
            {
                types.retain(|kind| kind != "null");
            }
            map.values_mut().for_each(forbid_null_lists);
        }
        Value::Array(list) => list.iter_mut().for_each(forbid_null_lists),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use aris_contract::schema::id;

    use super::*;

    #[test]
    fn a_null_list_is_noticed() {
        let mut schema = serde_json::json!({"properties": {"a": {"type": ["array", "null"]}}});
        forbid_null_lists(&mut schema);
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        assert!(validator.is_valid(&serde_json::json!({"a": []})));
        assert!(!validator.is_valid(&serde_json::json!({"a": null})));
    }

    #[test]
    #[should_panic(expected = "the thing is not aris.save_trace.run/v1")]
    fn a_value_of_another_shape_is_noticed() {
        assert_valid(id::TRACE_RUN, &Value::from(1), "the thing");
    }
}
