//! The JSON Schema of a manifest's keys, for editors and other programs.

use std::borrow::Cow;

use aris_testkit::check_schema;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::slurm::{Extra, Gres};
use super::{Cards, Common, Factor, Memory, Parent, Positive, Seconds, Top};
use crate::manifest::SCHEMA;

/// The keys of a level together with those that all levels share, which the reader takes from the same map.
#[derive(JsonSchema)]
#[schemars(
    rename = "Level_for_{T}",
    extend("unevaluatedProperties" = false, "patternProperties" = {"^x_": true})
)]
pub(crate) struct Level<T> {
    #[serde(flatten)]
    _own: T,
    #[serde(flatten)]
    _common: Common,
}

/// A text, or a number, truth value or null that is read as text.
pub(crate) struct Scalar;

macro_rules! schema {
    ($($type:ty: $name:literal $schema:tt)*) => {
        $(impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        })*
    };
}
pub(crate) use schema;

schema! {
    Scalar: "Scalar" {"type": ["string", "number", "boolean", "null"]}
    Seconds: "Seconds" {
        "description": "Seconds, or H:MM:SS.",
        "anyOf": [
            {"type": "number", "minimum": 0, "maximum": 31_622_400},
            {"type": "string", "pattern": "^[0-9]+:[0-5][0-9]:[0-5][0-9]$"}
        ]
    }
    Positive: "Positive" {
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": 1_000_000},
            {"type": "string", "pattern": "^\\+?[0-9]+$"}
        ]
    }
    Memory: "Memory" {
        "description": "A number with its unit, as in 16 GiB.",
        "type": "string",
        "pattern": "^\\s*\\+?[0-9.]+\\s*(M|MiB|MB|G|GiB|GB|T|TiB|TB)\\s*$"
    }
    Factor: "Factor" {"type": "number", "minimum": 1, "maximum": 100}
    Cards: "Cards" {
        "description": "Numbers of cards as nvidia-smi shows them; \"1:0\" is the first slice of card 1 where it is divided (MIG).",
        "type": "array",
        "items": {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 1023},
                {"type": "string", "pattern": "^[0-9]{1,4}(:[0-9]{1,4})?$"}
            ]
        }
    }
    Gres: "Gres" {
        "description": "NAME, NAME:COUNT or NAME:TYPE:COUNT, as in gpu:a100:2; several in a list or with commas.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    }
    Extra: "Extra" {
        "description": "Further options of sbatch, each as --name=value.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    }
    Parent: "Parent" {
        "description": "A phase that another depends on.",
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "phase": {"type": "string"},
                    "match": {
                        "description": "Parameters that tie each job to the parent's of the same values.",
                        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
                    }
                },
                "required": ["phase"],
                "patternProperties": {"^x_": true},
                "additionalProperties": false
            }
        ]
    }
}

struct Manifest;

impl JsonSchema for Manifest {
    fn schema_name() -> Cow<'static, str> {
        "Manifest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let schema = Level::<Top>::json_schema(generator);
        closed(schema, generator)
    }
}

/// Adds to a schema what the reader does for all maps and texts: a map has no other keys than its own and those that begin with `x_`, and a
/// number or a truth value is read as text.
pub(crate) fn closed(mut schema: Schema, generator: &mut SchemaGenerator) -> Schema {
    for schema in generator.definitions_mut().values_mut() {
        close(schema);
    }
    if let Some(keys) = schema.get_mut("properties") {
        close(keys);
    }
    schema
}

fn close(schema: &mut Value) {
    if let Value::Array(items) = schema {
        items.iter_mut().for_each(close);
    }
    let Value::Object(map) = schema else {
        return;
    };
    for (_, value) in map.iter_mut().filter(|(key, _)| *key != "default") {
        close(value);
    }
    let free = !["enum", "const", "pattern", "format"]
        .iter()
        .any(|key| map.contains_key(*key));
    let types = match map.get("type") {
        Some(Value::String(one)) if one == "string" => Some(json!(["string", "number", "boolean"])),
        Some(many) if *many == json!(["string", "null"]) => {
            Some(json!(["string", "number", "boolean", "null"]))
        }
        _ => None,
    };
    if let Some(types) = types.filter(|_| free) {
        map.insert(String::from("type"), types);
    }
    let open = !["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| map.contains_key(*key));
    if open && map.get("properties").is_some_and(Value::is_object) && map.contains_key("type") {
        map.insert(String::from("patternProperties"), json!({"^x_": true}));
        map.insert(String::from("additionalProperties"), json!(false));
    }
}

#[test]
fn schemas_are_current() {
    check_schema::<Manifest>(SCHEMA);
}
