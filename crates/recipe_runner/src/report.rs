//! The data products that no subcommand makes.

use std::io;

use aris_cli::{Outcome, Shown};
use serde::Serialize;

/// The output of an attempt: nothing, because its results are in files.
pub(crate) fn attempt() -> Shown {
    Outcome::done(()).shown("aris.recipe_runner.attempt/v1", |(), _| io::Result::Ok(()))
}

/// Schema id of [`FirstRecipe`].
pub(crate) const EXAMPLE_SCHEMA: &str = "aris.recipe_runner.example/v1";

/// A recipe to begin with.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct FirstRecipe {
    /// Its text, YAML.
    recipe: &'static str,
}

pub(crate) fn example() -> Shown {
    let first = FirstRecipe {
        recipe: include_str!("example.yaml"),
    };
    Outcome::done(first).shown(EXAMPLE_SCHEMA, |first, out| {
        out.write_all(first.recipe.as_bytes())
    })
}

/// Schema id of [`RecipeSchema`].
pub(crate) const SCHEMA_SCHEMA: &str = "aris.recipe_runner.recipe_schema/v1";
/// The published JSON Schema of recipes.
const PUBLISHED: &str = include_str!("../../../schemas/aris.recipe_runner.recipe.v1.json");

/// What recipes may hold, for editors.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct RecipeSchema {
    /// The JSON Schema of recipes.
    schema: serde_json::Value,
}

pub(crate) fn schema() -> Shown {
    let published = RecipeSchema {
        schema: serde_json::from_str(PUBLISHED).unwrap_or_default(),
    };
    Outcome::done(published).shown(SCHEMA_SCHEMA, |_, out| out.write_all(PUBLISHED.as_bytes()))
}
