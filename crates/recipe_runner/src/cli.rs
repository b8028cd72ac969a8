//! Commands and flags.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_recipe::Profile;
use clap::{Args, Subcommand};

use crate::data::DataArgs;

/// Arguments of `recipe_runner`.
#[derive(Debug, Args)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report everything that is wrong with a recipe
    Validate(ValidateArgs),
    /// Print where control can go in a recipe
    Graph(GraphArgs),
}

/// Which recipe, and how it is read.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecipeArgs {
    /// The recipe
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How a recipe is read.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Folder to look for sub-recipes in, after `sub-recipes` beside the recipe
    #[arg(long, value_name = "DIR")]
    pub(crate) sub_recipes_dir: Vec<PathBuf>,
    /// What replaces the placeholder of the folder for temporary files, `{{TEMP}}` or `{{AUTOSKILLIT_TEMP}}`
    #[arg(long, value_name = "PATH", default_value = ".aris/temp")]
    pub(crate) temp_dir: String,
}

/// Whether placeholders are replaced first.
#[derive(Clone, Debug, Args)]
pub(crate) struct ComposeArgs {
    /// Replace placeholders by their sub-recipes first
    #[arg(long)]
    pub(crate) compose: bool,
    /// Value of an input that a gate looks at
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = pair, requires = "compose")]
    pub(crate) set: Vec<(String, String)>,
}

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Which rules apply: core, compat or strict
    #[arg(long, default_value = "core", value_parser = profile)]
    pub(crate) profile: Profile,
}

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,
    /// Language of what is printed without --json
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: Format,
}

/// Languages of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// The data product
    Json,
    /// A flowchart of Mermaid
    Mermaid,
    /// A digraph of Graphviz
    Dot,
}

/// Pairs as a map; of two values of one name the last counts.
pub(crate) fn map(pairs: &[(String, String)]) -> BTreeMap<String, String> {
    pairs.iter().cloned().collect()
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err(String::from("write name=value")),
    }
}

fn profile(text: &str) -> Result<Profile, String> {
    match text {
        "core" => Ok(Profile::Core),
        "compat" => Ok(Profile::Compat),
        "strict" => Ok(Profile::Strict),
        _ => Err(String::from("one of core, compat, strict")),
    }
}
