//! The data products.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use serde::Serialize;

use crate::commands::cancel::{self, Cancelled};
use crate::commands::graph::{self, GraphData};
use crate::commands::logs::{self, Log};
use crate::commands::protocol::{self, Completed, Next};
use crate::commands::run::{self, Resumed, Run};
use crate::commands::status::{self, Standing};
use crate::commands::timeline::{self, Timeline};
use crate::commands::validate::{self, Validation};

/// Schema id of what an attempt prints: nothing.
const ATTEMPT_SCHEMA: &str = "aris.recipe_runner.attempt/v1";

/// Schema id of [`FirstRecipe`].
pub(crate) const EXAMPLE_SCHEMA: &str = "aris.recipe_runner.example/v1";

/// A recipe to begin with.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FirstRecipe {
    /// Its text, YAML.
    recipe: &'static str,
}

impl FirstRecipe {
    pub(crate) const fn here() -> Self {
        Self {
            recipe: include_str!("example.yaml"),
        }
    }
}

/// Schema id of [`RecipeSchema`].
pub(crate) const SCHEMA_SCHEMA: &str = "aris.recipe_runner.recipe_schema/v1";
/// The JSON Schema of recipes, as it is published.
const PUBLISHED: &str = include_str!("../../../schemas/aris.recipe_runner.recipe.v1.json");

/// What recipes may hold, for editors.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecipeSchema {
    /// The JSON Schema of recipes.
    schema: serde_json::Value,
}

impl RecipeSchema {
    pub(crate) fn published() -> Self {
        Self {
            schema: serde_json::from_str(PUBLISHED).unwrap_or_default(),
        }
    }
}

/// The data product of a subcommand.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Of `validate`.
    Validation(Validation),
    /// Of `graph`.
    Graph(GraphData),
    /// Of `run`.
    Run(Run),
    /// Of `resume`.
    Resumed(Resumed),
    /// Of `next`.
    Next(Next),
    /// Of `complete`.
    Completed(Completed),
    /// Of `status`.
    Standing(Standing),
    /// Of `logs`.
    Log(Log),
    /// Of `timeline`.
    Timeline(Timeline),
    /// Of `cancel`.
    Cancelled(Cancelled),
    /// Of `--example`.
    Example(FirstRecipe),
    /// Of `--schema`.
    Schema(RecipeSchema),
    /// Of an attempt, which speaks through its files.
    Attempt,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        match self {
            Self::Validation(_) => validate::SCHEMA,
            Self::Graph(_) => graph::SCHEMA,
            Self::Run(_) => run::RUN_SCHEMA,
            Self::Resumed(_) => run::RESUME_SCHEMA,
            Self::Next(_) => protocol::NEXT_SCHEMA,
            Self::Completed(_) => protocol::COMPLETE_SCHEMA,
            Self::Standing(_) => status::SCHEMA,
            Self::Log(_) => logs::SCHEMA,
            Self::Timeline(_) => timeline::SCHEMA,
            Self::Cancelled(_) => cancel::SCHEMA,
            Self::Example(_) => EXAMPLE_SCHEMA,
            Self::Schema(_) => SCHEMA_SCHEMA,
            Self::Attempt => ATTEMPT_SCHEMA,
        }
    }

    fn is_raw(&self) -> bool {
        matches!(self, Self::Log(_))
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match self {
            Self::Validation(data) => data.render(out),
            Self::Graph(data) => data.render(out),
            Self::Run(data) => data.render(out),
            Self::Resumed(data) => data.render(out),
            Self::Next(data) => data.render(out),
            Self::Completed(data) => data.render(out),
            Self::Standing(data) => data.render(out),
            Self::Log(data) => data.render(out),
            Self::Timeline(data) => data.render(out),
            Self::Cancelled(data) => data.render(out),
            Self::Example(data) => out.write_all(data.recipe.as_bytes()),
            Self::Schema(_) => out.write_all(PUBLISHED.as_bytes()),
            Self::Attempt => Ok(()),
        }
    }
}
