//! The manifest's keys as JSON Schema, for editors and other programs.

use std::borrow::Cow;

use aris_testkit::check_schema;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::file::{Cards, Common, Factor, Memory, Parent, Positive, Seconds};
use super::slurm::{Extra, Gres};
use crate::typed::Many;

/// The own keys of a level and those that all levels share; the reader takes them from one map.
#[derive(JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false, "patternProperties" = {"^x_": true}))]
pub(crate) struct Level<T> {
    #[serde(flatten)]
    _own: T,
    #[serde(flatten)]
    _common: Common,
}

/// A text, or what stands for one.
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
            {"type": "string", "pattern": "^[0-9]+$"}
        ]
    }
    Memory: "Memory" {
        "description": "A number with its unit, as in 16 GiB.",
        "type": "string",
        "pattern": "^ *[0-9.]+ *(M|MiB|MB|G|GiB|GB|T|TiB|TB)$"
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

impl<T: JsonSchema> JsonSchema for Many<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Many_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({"anyOf": [one, {"type": "array", "items": one}]})
    }
}

#[test]
fn schemas_are_current() {
    check_schema::<Level<super::TopKeys>>(super::SCHEMA);
}
