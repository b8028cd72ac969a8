//! Flags.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use aris_claims::bindings::{Relation, Rounding, from_word};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

/// Arguments of `paper_claim_audit`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without one the paper is audited
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Also write the paper with every number coloured by its status, as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Propose bindings for numbers that have none
    Suggest(SuggestArgs),
    /// Check one binding and append it to claims.toml
    Bind(Box<BindArgs>),
    /// Write \newcommand definitions for every bound macro
    Emit(EmitArgs),
    /// Show the paper with every number coloured by its status
    Show(ShowArgs),
    /// Print which data, and which run, a number comes from
    TraceBack(TraceArgs),
}

/// Which paper, and which data.
#[derive(Debug, Args)]
pub(crate) struct PaperArgs {
    /// Folder of the paper [default: ./paper if it exists, else .]
    #[arg(value_name = "PAPER")]
    pub(crate) paper: Option<PathBuf>,
    /// Bindings [default: claims.toml beside the root document]
    #[arg(long, value_name = "FILE")]
    pub(crate) claims: Option<PathBuf>,
    /// Root document relative to the paper folder [default: found by \documentclass]
    #[arg(long, value_name = "FILE", value_parser = aris_audit::root_name)]
    pub(crate) root: Option<String>,
    /// Folder or file with raw results, besides those that claims.toml names
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Vec<PathBuf>,
    /// Result files to ignore, as a glob relative to the data root (`root` in claims.toml, or the project)
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
}

/// Arguments of `suggest`.
#[derive(Debug, Args)]
pub(crate) struct SuggestArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Maximum number of proposals
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Append them to claims.toml as `proposed = true`
    #[arg(long)]
    pub(crate) write: bool,
}

/// Arguments of `bind`.
#[derive(Debug, Args)]
pub(crate) struct BindArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Source file with the sentence, relative to the folder of claims.toml
    #[arg(long = "in", value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// The sentence as the source has it, with [[ ]] around each number
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Which place is meant where the sentence occurs several times, from 1
    #[arg(long, value_name = "N", conflicts_with = "macro_name")]
    pub(crate) nth: Option<NonZeroUsize>,
    /// Macro that holds the number, instead of --in and --text
    #[arg(long = "macro", value_name = "NAME", conflicts_with_all = ["file", "text"])]
    pub(crate) macro_name: Option<String>,
    /// Query that gives the number; one for each mark, in their order
    #[arg(
        long,
        value_name = "SQL",
        required_unless_present = "holds",
        conflicts_with = "holds"
    )]
    pub(crate) value: Vec<String>,
    /// Query that gives true when the sentence is true; in place of --value
    #[arg(long, value_name = "SQL", conflicts_with = "macro_name")]
    pub(crate) holds: Option<String>,
    /// Name of the binding
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Relation of the value to the number in the paper [default: =]
    #[arg(long, value_name = "R", value_parser = word::<Relation>(["=", "<", "<=", ">", ">=", "about"]))]
    pub(crate) relation: Option<Relation>,
    /// Largest difference allowed
    #[arg(long, value_name = "X")]
    pub(crate) tolerance: Option<f64>,
    /// How the value is rounded [default: to the nearest]
    #[arg(long, value_name = "HOW", value_parser = word::<Rounding>(["down", "up", "truncate"]))]
    pub(crate) round: Option<Rounding>,
}

/// Arguments of `emit`.
#[derive(Debug, Args)]
pub(crate) struct EmitArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Write nothing; exit 10 when the file is not what would be written
    #[arg(long)]
    pub(crate) check: bool,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
    /// Write the page for co-authors here
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Arguments of `trace-back`.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Which number: id of its binding, its place in the paper as file and line, or a pattern of either with `*`
    #[arg(value_name = "ID|FILE:LINE")]
    pub(crate) number: String,
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
}

/// The parser for a word that is also used in `claims.toml`.
fn word<T: DeserializeOwned + Default + Clone + Send + Sync + 'static>(
    words: impl Into<PossibleValuesParser>,
) -> impl TypedValueParser<Value = T> {
    let words = words.into();
    words.map(|word| from_word(&word).unwrap_or_default())
}
