//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use aris_contract::policy::Policy;
use clap::{Args, Subcommand};

/// Arguments of `contract_check`.
#[derive(Debug, Args)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Project folder [default: the git top level, else the working directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) project: Option<PathBuf>,
    /// Folder of the running skill, where a helper is looked for first [default: the one that the host names]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) skill_dir: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show which integrations apply here and whether their artifacts are valid
    Status(StatusArgs),
    /// Print the checklist of an integration, to tick by hand
    Checklist(ChecklistArgs),
    /// Print, or run, the commands that make missing artifacts
    Backfill(BackfillArgs),
    /// Show where a helper is found, layer by layer, and what its policy asks for
    Resolve(HelperArgs),
    /// Find a helper, run it, and apply its policy to the result
    Run(RunArgs),
    /// Check the installation
    Doctor,
}

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Integrations to look at [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Arguments that the skill was called with, for integrations that apply only with certain ones
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) arguments: Option<String>,
}

/// Arguments of `checklist`.
#[derive(Debug, Args)]
pub(crate) struct ChecklistArgs {
    /// Integration
    pub(crate) name: String,
}

/// Arguments of `backfill`.
#[derive(Debug, Args)]
pub(crate) struct BackfillArgs {
    /// Integration
    pub(crate) name: String,
    /// Value of a {name} in the commands; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Run the commands instead of printing them
    #[arg(long)]
    pub(crate) run: bool,
    /// Seconds that each command may take
    #[arg(long = "command-timeout", aliases = ["deadline", "timeout"], value_name = "SECONDS", value_parser = seconds, requires = "run")]
    pub(crate) deadline: Option<Duration>,
}

/// A helper, and how its caller treats it: the arguments of `resolve`.
#[derive(Debug, Args)]
pub(crate) struct HelperArgs {
    /// Helper, by its canonical or a legacy name
    pub(crate) helper: String,
    /// How the caller treats a failure, as the contract allows: A stop, B and E warn, C write the artifact itself, D1 take the next source, D2 leave the source out and note it [default: the helper's]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(crate) policy: Option<Policy>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) helper: HelperArgs,
    /// Seconds that the helper may take [default: no limit]
    #[arg(long = "command-timeout", aliases = ["deadline", "timeout"], value_name = "SECONDS", value_parser = seconds)]
    pub(crate) deadline: Option<Duration>,
    /// File to append one line of JSON with the outcome to
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// The helper's own arguments
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<OsString>,
}

fn policy(text: &str) -> Result<Policy, String> {
    let found = Policy::ALL
        .into_iter()
        .find(|policy| policy.letter() == text);
    found.ok_or_else(|| String::from("not a policy (A, B, C, D1, D2 or E)"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u32>().ok().filter(|seconds| *seconds > 0);
    let time = seconds.map(|seconds| Duration::from_secs(u64::from(seconds)));
    time.ok_or_else(|| String::from("not a whole number of seconds above 0"))
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(String::from("not NAME=VALUE")),
    }
}
