//! The JSON Schema of recipes: what the kinds of keys are there, and what the keys of one mapping demand of each other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use strum::VariantNames as _;

use super::ingredient::{IngredientFile, Inputs};
use super::kinds::{
    Anything, Arguments, Cache, Captures, Dotted, Lenses, Route, Truth, Whole, Word, Words,
};
use super::route::{BranchFile, ByFieldFile, Results, Routes};
use super::state::{Class, Classes, TierFile, TierNumber, Tiers};
use super::step::{StepFile, Steps};

macro_rules! schema {
    ($($type:ty: $name:literal $schema:tt)*) => {
        $(impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        })*
    };
}

schema! {
    Word: "Text" {"type": ["string", "number", "boolean"]}
    Route: "Route" {"type": "string", "pattern": "\\S"}
    Dotted: "Callable" {"type": "string", "pattern": "\\."}
    Words: "Texts" {"type": "array", "items": {"type": ["string", "number", "boolean"]}}
    Truth: "Truth" {"enum": [true, false, "yes", "no", "on", "off"]}
    Anything: "Anything" {}
    Arguments: "Arguments" {"type": "object"}
    Captures: "Captures" {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
    Lenses: "Lenses" {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": ["string", "number", "boolean"]}}]}
    }
    Cache: "Cache" {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]}
    Routes: "Routes" {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string", "pattern": "\\S"}}
    TierNumber: "TierNumber" {"type": "integer"}
}

impl<const LEAST: u32> JsonSchema for Whole<LEAST> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{LEAST}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": LEAST, "maximum": u32::MAX})
    }
}

macro_rules! made_of {
    ($($type:ty: $name:literal, $generator:ident => $schema:expr;)*) => {
        $(impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        })*
    };
}

made_of! {
    Steps: "Steps", generator => {
        let mut steps = <BTreeMap<String, StepFile>>::json_schema(generator);
        steps.insert(String::from("minProperties"), json!(1));
        steps
    };
    Inputs: "Ingredients", generator => <BTreeMap<String, IngredientFile>>::json_schema(generator);
    Tiers: "Tiers", generator => <Vec<TierFile>>::json_schema(generator);
    Classes: "Classes", _generator =>
        json_schema!({"type": "object", "additionalProperties": {"enum": Class::VARIANTS}});
    Results: "Results", generator => {
        let branch = generator.subschema_for::<BranchFile>();
        let by_field = generator.subschema_for::<ByFieldFile>();
        json_schema!({"anyOf": [{"type": "array", "minItems": 1, "items": branch}, by_field]})
    };
}
