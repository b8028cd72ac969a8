//! The JSON Schema of kinds of keys that are made of others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use strum::VariantNames as _;

use super::ingredient::{IngredientFile, Inputs};
use super::kinds::Whole;
use super::route::{BranchFile, ByFieldFile, Results};
use super::state::{Class, Classes, TierFile, Tiers};
use super::step::{StepFile, Steps};

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
