//! The JSON Schema of a specification's keys, for editors and other programs.

use std::borrow::Cow;

use aris_testkit::check_schema;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::Keys;
use crate::manifest::file::schema_tests::{Level, closed, schema};
use crate::manifest::file::{Common, Job as JobKeys, Phase as PhaseKeys, Top as TopKeys};

/// A value of an axis.
pub(super) struct Value;
/// The values of an axis.
pub(super) struct Values;
/// A text with a placeholder, or a list or map that holds one.
struct Placeholder;
/// The job of each cell.
pub(super) struct Template;

schema! {
    Value: "Value" {
        "description": "A scalar; a list of scalars is one value, as Python prints it.",
        "anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Printed"}}
        ]
    }
    Printed: "Printed" {
        "anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "items": {"$ref": "#/$defs/Printed"}}
        ]
    }
    Placeholder: "Placeholder" {
        "description": "${axis}, or what holds it: its type is known once the grid is expanded.",
        "anyOf": [
            {"type": "string", "pattern": "\\$\\{"},
            {"type": "array", "contains": {"$ref": "#/$defs/Placeholder"}},
            {"type": "object", "not": {"additionalProperties": {"not": {"$ref": "#/$defs/Placeholder"}}}}
        ]
    }
}

/// An item of a list that is one value.
struct Printed;

impl JsonSchema for Values {
    fn schema_name() -> Cow<'static, str> {
        "Values".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Printed>();
        let value = generator.subschema_for::<Value>();
        json_schema!({"anyOf": [
            {"type": ["string", "number", "boolean", "null"]},
            {"type": "array", "minItems": 1, "items": value}
        ]})
    }
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let placeholder = generator.subschema_for::<Placeholder>();
        let mut schema = Level::<JobKeys>::json_schema(generator);
        let keys = schema
            .get_mut("properties")
            .and_then(|keys| keys.as_object_mut());
        for (_, key) in keys.into_iter().flatten() {
            *key = json!({"anyOf": [key.take(), placeholder]});
        }
        schema
    }
}

#[derive(JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false, "patternProperties" = {"^x_": true}))]
struct Phase {
    #[serde(flatten)]
    _own: PhaseKeys,
    #[serde(flatten)]
    _common: Common,
    #[serde(flatten)]
    _grid: Keys,
}

#[derive(JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false, "patternProperties" = {"^x_": true}))]
struct Top {
    #[serde(flatten)]
    _own: TopKeys,
    #[serde(flatten)]
    _common: Common,
    #[serde(flatten)]
    _grid: Keys,
}

/// A specification of grids, or a manifest.
struct Specification;

impl JsonSchema for Specification {
    fn schema_name() -> Cow<'static, str> {
        "Specification".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Top::json_schema(generator);
        let phase = generator.subschema_for::<Phase>();
        let list = json!({"description": "Groups of jobs.", "type": "array", "minItems": 1, "items": phase});
        if let Some(phases) = schema.pointer_mut("/properties/phases") {
            *phases = list;
        }
        generator
            .definitions_mut()
            .remove(&*Level::<PhaseKeys>::schema_name());
        closed(schema, generator)
    }
}

#[test]
fn schemas_are_current() {
    check_schema::<Specification>("aris.build_manifest.grid/v1");
}
