//! Commands and flags. The reference's flags run a queue without any command.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

/// Arguments of `queue_manager`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without it the queue of --manifest is run
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: OptionalRun,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a queue, or go on with one, until every job is over
    Run(RunArgs),
    /// Run one attempt; called by the manager itself
    #[command(hide = true)]
    Attempt(AttemptArgs),
}

/// The flags of the reference.
#[derive(Debug, Args)]
pub(crate) struct OptionalRun {
    /// Manifest of the queue to run
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rest: RunFlags,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Manifest of the queue, JSON or YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    #[command(flatten)]
    pub(crate) rest: RunFlags,
}

/// How a queue is run.
#[derive(Debug, Args)]
pub(crate) struct RunFlags {
    /// State file; default: queue_state.json beside the manifest
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Folder of the jobs' logs; default: logs beside the state file
    #[arg(long, value_name = "DIR")]
    pub(crate) log_dir: Option<PathBuf>,
    /// File that gets the lines of stderr as well
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Seconds after which everything is looked at again at the latest; ends are seen at once in any case
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) poll: Option<Duration>,
    /// Leave with 6 after so many seconds; jobs go on
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) max_wait: Option<Duration>,
}

/// Arguments of `attempt`.
#[derive(Debug, Args)]
pub(crate) struct AttemptArgs {
    /// The attempt's folder
    pub(crate) folder: PathBuf,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_error| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|error| format!("{text:?}: {error}"))
}
