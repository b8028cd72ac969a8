//! Commands and flags.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use aris_recipe::Profile;
use aris_recipe::engine::OutcomeStatus;
use aris_recipe::engine::state::MAX_STEPS;
use clap::{Args, Subcommand};
use strum::VariantNames;

use crate::data::{ContractArgs, DataArgs};
use crate::error::Error;

/// Replaces the placeholder of the folder for temporary files by default.
pub(crate) const TEMP_DIR: &str = ".aris/temp";

/// Arguments of `recipe_runner`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    override_usage = "recipe_runner <COMMAND>\n  recipe_runner --example\n  recipe_runner --schema"
)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Print a recipe that runs as it is
    #[arg(long)]
    pub(crate) example: bool,
    /// Print the JSON Schema of recipes, for editors
    #[arg(long, conflicts_with = "example")]
    pub(crate) schema: bool,
    /// Carry out the attempt in this folder; the engine itself calls this
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) attempt: Option<PathBuf>,
    /// Do the work of the attempt in this folder; its runner calls this
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) work: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report everything that is wrong with a recipe
    Validate(ValidateArgs),
    /// Print the steps of a recipe and the routes between them
    Graph(GraphArgs),
    /// Run a recipe until it ends or needs an outcome from you
    Run(RunArgs),
    /// Continue a run; without outcomes or executors only print the step to resume from
    Resume(ResumeArgs),
    /// Print the step whose outcome is needed next
    Next(StateArgs),
    /// Record the outcome of the step that `next` printed
    Complete(CompleteArgs),
    /// Print the status of a run, also while it is running
    Status(StatusArgs),
    /// Print the output of the running step, or of the last attempt of a step
    Logs(LogsArgs),
    /// Write a page with the times and costs of all steps
    Timeline(TimelineArgs),
    /// End the running step; `resume` starts it again
    Cancel(StatusArgs),
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
    #[arg(long, value_name = "PATH", default_value = TEMP_DIR)]
    pub(crate) temp_dir: String,
}

/// Whether placeholders are replaced first.
#[derive(Clone, Debug, Args)]
pub(crate) struct ComposeArgs {
    /// Replace placeholders by their sub-recipes first
    #[arg(long)]
    pub(crate) compose: bool,
    /// Value of an input that decides whether a sub-recipe is used
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
    /// Rules that apply: core, compat or strict
    #[arg(long, default_value = "core", value_parser = word::<Profile>)]
    pub(crate) profile: Profile,
}

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
    #[command(flatten)]
    pub(crate) compose: ComposeArgs,
    /// Output format [default: the graph as JSON, without an envelope]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) recipe: RecipeArgs,
    /// Values of inputs; may be repeated
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = pair)]
    pub(crate) inputs: Vec<(String, String)>,
    /// Where the state of the run is kept; needed where steps are carried out, without it nothing is kept
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Set the state of an earlier run in that file aside
    #[arg(long, requires = "state")]
    pub(crate) new: bool,
    /// Maximum number of steps, repetitions included; a run with more ends with exit 12
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    pub(crate) max_steps: u64,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
    /// Run a recipe that has errors
    #[arg(long)]
    pub(crate) allow_invalid: bool,
    #[command(flatten)]
    pub(crate) contracts: ContractArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    /// The recipe, when it is no longer where the state says
    #[arg(long, value_name = "FILE")]
    pub(crate) recipe: Option<PathBuf>,
    /// Continue although the recipe was changed since the state was written
    #[arg(long)]
    pub(crate) accept_changed: bool,
    /// Maximum number of steps, repetitions included [default: as the run was started]
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Where outcomes come from.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourceArgs {
    /// Known outcomes of steps, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) outcomes: Option<PathBuf>,
    /// Execute steps of this kind: cmd
    #[arg(long, value_name = "KIND", requires = "state", value_parser = ["cmd"])]
    pub(crate) exec: Option<String>,
    /// Execute agent steps with this command; without a value the one in `.aris/config.yaml`
    #[arg(long, value_name = "COMMAND", requires = "state", num_args = 0..=1, default_missing_value = "")]
    pub(crate) agent: Option<String>,
    /// Command for steps whose tool is neither `run_cmd` nor an agent. It gets {"tool" or "python": NAME, "with": {…}} on standard input, and
    /// prints the result as a JSON object or as lines name=value
    #[arg(long, value_name = "COMMAND", requires = "state")]
    pub(crate) exec_tools: Option<String>,
    /// Parallel calls of a step that has `lenses` [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Carry out steps with `cache: true` also where an equal result is cached
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Seconds an agent session may take whose step has no timeout
    #[arg(long, value_name = "SECONDS", default_value_t = 7200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) agent_timeout: u32,
    /// Seconds a command may take whose step has no timeout
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) command_timeout: u32,
    /// Try an attempt again that was interrupted, as long as the step's retries allow; it may have done part of its work
    #[arg(long)]
    pub(crate) rerun_interrupted: bool,
}

impl SourceArgs {
    /// Whether executors carry out steps.
    pub(crate) fn executes(&self) -> bool {
        self.exec.is_some() || self.agent.is_some() || self.exec_tools.is_some()
    }
}

/// How long to wait for another call that uses the run.
#[derive(Clone, Debug, Args)]
pub(crate) struct WaitArgs {
    /// Seconds to wait while another call uses the run
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) wait: u16,
}

/// Which run.
#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    /// The state of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The state of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
}

/// Arguments of `timeline`.
#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    /// The state of the run
    #[arg(value_name = "RUN", required_unless_present = "named")]
    run: Option<PathBuf>,
    /// The same, spelt as for the other commands
    #[arg(
        id = "named",
        long = "state",
        value_name = "FILE",
        conflicts_with = "run",
        hide = true
    )]
    named: Option<PathBuf>,
    /// File for the page [default: beside the state, with the ending .html]
    #[arg(
        long = "html",
        alias = "output",
        short_alias = 'o',
        value_name = "FILE"
    )]
    pub(crate) output: Option<PathBuf>,
}

impl TimelineArgs {
    /// The state of the run, from either spelling.
    pub(crate) fn state(&self) -> &Path {
        let given = self.run.as_deref().or(self.named.as_deref());
        given.unwrap_or(Path::new(""))
    }
}

/// Arguments of `logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// The state of the run
    #[arg(long, value_name = "FILE")]
    pub(crate) state: PathBuf,
    /// The step [default: the running one, else the last that ran]
    #[arg(long, value_name = "NAME")]
    pub(crate) step: Option<String>,
    /// The lens (one of the parallel calls) of that step
    #[arg(long, value_name = "NAME")]
    pub(crate) lens: Option<String>,
    /// Continue to print until the attempt has ended
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Print standard error instead, which is there when the attempt has ended
    #[arg(long)]
    pub(crate) stderr: bool,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    #[command(flatten)]
    pub(crate) state: StateArgs,
    /// The step
    #[arg(long, value_name = "NAME")]
    pub(crate) step: String,
    /// Its outcome: success, failure, `context_limit`, exhausted or stale
    #[arg(long, value_name = "STATUS", value_parser = word::<OutcomeStatus>)]
    pub(crate) status: OutcomeStatus,
    /// The result: a JSON object, or the final text of a session; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) result: Option<String>,
    /// The ticket that `next` printed; with it a repeated call never counts for a later visit of the step
    #[arg(long, value_name = "TICKET")]
    pub(crate) ticket: Option<String>,
}

/// Languages of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Steps and routes as data
    Json,
    /// A flowchart of Mermaid
    Mermaid,
    /// A digraph of Graphviz
    Dot,
}

/// Name and value pairs as a map.
///
/// **Errors**: a name has two values.
pub(crate) fn map(pairs: &[(String, String)]) -> Result<BTreeMap<String, String>, Error> {
    let mut all = BTreeMap::new();
    for (name, value) in pairs {
        let before = all.insert(name.clone(), value.clone());
        if let Some(before) = before.filter(|before| before != value) {
            let reason = format!("{name} has two values: {before:?} and {value:?}");
            return Err(Error::input(reason, "give one of them"));
        }
    }
    Ok(all)
}

pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err(String::from("write name=value")),
    }
}

/// Parses a word of a closed set.
fn word<T: FromStr + VariantNames>(text: &str) -> Result<T, String> {
    let known = text.parse().ok();
    known.ok_or_else(|| format!("one of {}", T::VARIANTS.join(", ")))
}
