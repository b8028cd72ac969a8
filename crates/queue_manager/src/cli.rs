//! Commands and flags. Without a command, the reference's flags run a queue.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use aris_queue::manifest::Engine;
use clap::{Args, Subcommand};

use crate::commands::metrics::Wanted;
use crate::error::Error;

/// Arguments of `queue_manager`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without it the queue of --manifest is run
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Manifest of the queue to run
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rest: RunFlags,
    /// Run the attempt in this folder; the manager itself calls this
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) attempt: Option<PathBuf>,
    /// Serve the one request of another machine on standard input; the manager there calls this
    #[arg(long, hide = true)]
    pub(crate) agent: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a queue, or continue one, until every job has ended
    Run(RunArgs),
    /// Run a queue in the background
    Start(RunArgs),
    /// List what would prevent a run; changes nothing
    #[command(visible_alias = "check")]
    Preflight(RunArgs),
    /// Print the progress of a queue
    Status {
        #[command(flatten)]
        queue: QueueArgs,
        /// List every job
        #[arg(long)]
        jobs: bool,
        /// The same as the command watch
        #[arg(long, conflicts_with = "jobs")]
        watch: bool,
    },
    /// Follow a queue until it ends: drawn in place on a terminal, else a line for each change
    Watch {
        #[command(flatten)]
        queue: QueueArgs,
        /// Longest time between two updates; changes are shown immediately
        #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "1")]
        interval: Duration,
    },
    /// Print why a job is in its state, with the evidence
    #[command(visible_alias = "why")]
    Explain(JobArgs),
    /// Print the end of a job's log, or follow it
    Logs(LogsArgs),
    /// Cancel jobs: end those that run, keep the others from starting
    Cancel(SelectArgs),
    /// Run again the jobs that ended without completing
    Retry(RetryArgs),
    /// Keep jobs from starting until they are released
    Hold(SelectArgs),
    /// Release jobs that were held
    Release(SelectArgs),
    /// Start no new jobs; running jobs continue
    Pause(QueueArgs),
    /// Start jobs again after a pause
    #[command(visible_alias = "resume-jobs")]
    Resume(QueueArgs),
    /// Change how many jobs run at once
    Set {
        #[command(flatten)]
        queue: QueueArgs,
        /// Jobs with GPUs at once, in a queue without GPUs all jobs; 0: as the manifest says
        #[arg(long, value_name = "N")]
        max_parallel: u32,
    },
    /// Check a queue whose manager died, or take over a state file of the original ARIS `queue_manager.py`; starts nothing
    Adopt {
        #[command(flatten)]
        queue: QueueArgs,
        /// Manifest, for a state file of the original ARIS `queue_manager.py`
        #[arg(long, value_name = "FILE")]
        manifest: Option<PathBuf>,
    },
    /// Apply a changed manifest, while the queue runs or not, and print the differences
    Reload {
        #[command(flatten)]
        queue: QueueArgs,
        /// Manifest to apply [default: that of the last run]
        #[arg(long, value_name = "FILE")]
        manifest: Option<PathBuf>,
    },
    /// Add jobs to a queue, while it runs or not
    Add(AddArgs),
    /// Change jobs of a queue; a running attempt continues, the next one uses the change
    Edit(EditArgs),
    /// Remove jobs from a queue
    Remove(SelectArgs),
    /// Print the results of a queue, as Markdown
    Report(ReportArgs),
    /// Copy this program and a manifest to a server, and start the queue there
    Deploy(DeployArgs),
    /// Run one of these commands for a queue on a server
    Remote(RemoteArgs),
    /// List the files that jobs wrote: their declared outputs
    Outputs {
        #[command(flatten)]
        queue: QueueArgs,
        /// Ids, or patterns with * and ? [default: all completed jobs]
        jobs: Vec<String>,
    },
    /// Copy the outputs of a queue from a server
    Fetch(FetchArgs),
    /// Run a command without a queue and record it like a job, or import what another tool recorded
    Record(RecordArgs),
    /// List the numbers in papers that rest on the files of a job
    UsedBy {
        /// The job
        job: String,
    },
}

/// Arguments of `run`, `start` and `preflight`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Manifest of the queue, JSON or YAML [default: that of the last run of --state]
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rest: RunFlags,
    /// Leave the terminal's session; for start
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

/// Flags of a run.
#[derive(Debug, Default, Args)]
pub(crate) struct RunFlags {
    /// State file.
    #[arg(
        long,
        value_name = "FILE",
        help = "State file [default: queue_state.json beside the manifest]"
    )]
    pub(crate) state: Option<PathBuf>,
    /// Where jobs run, instead of the manifest's engine: local, slurm or hq; the queue remembers it
    #[arg(long, value_name = "ENGINE", value_parser = engine)]
    pub(crate) engine: Option<Engine>,
    /// Folder of the jobs' logs [default: logs beside the state file]
    #[arg(long, value_name = "DIR")]
    pub(crate) log_dir: Option<PathBuf>,
    /// File to write the lines of stderr to as well
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Longest time between two checks of all jobs; the end of a job is noticed immediately
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) poll: Option<Duration>,
    /// Take the queue over from a manager on another machine that has been silent for a minute
    #[arg(long)]
    pub(crate) takeover: bool,
    /// Refuse a manifest that differs from that of the last run
    #[arg(long)]
    pub(crate) strict: bool,
    /// Stop the manager after this many seconds (of run: with exit 6); the jobs continue
    #[arg(long = "deadline", alias = "max-wait", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) max_wait: Option<Duration>,
}

/// The flag that names a queue.
#[derive(Clone, Debug, Args)]
pub(crate) struct QueueArgs {
    /// State file of the queue.
    #[arg(
        long,
        value_name = "FILE",
        help = "State file of the queue [default: queue_state.json here, else that of the one queue below this folder]"
    )]
    pub(crate) state: Option<PathBuf>,
}

/// The flags that name a job.
#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Id of the job
    pub(crate) job: String,
}

/// Arguments of `logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Number of the attempt [default: the last]
    #[arg(long, value_name = "N")]
    pub(crate) attempt: Option<u32>,
    /// Lines to print
    #[arg(
        long = "limit",
        alias = "lines",
        value_name = "N",
        default_value_t = 50
    )]
    pub(crate) lines: usize,
    /// Print new lines as they are written, over all attempts, until the job ends; with --attempt, until that attempt ends
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Byte of the log to begin at, instead of the last lines; at most 64 KiB are printed, and --json gives the next byte
    #[arg(long, value_name = "BYTE", conflicts_with_all = ["follow", "lines"])]
    pub(crate) from: Option<u64>,
    /// No error where the job has no log yet
    #[arg(long, hide = true)]
    pub(crate) or_wait: bool,
}

/// The flags that name jobs.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true).multiple(true))]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Ids, or patterns with * and ?
    #[arg(group = "which", conflicts_with_all = ["phase", "failed", "all"])]
    pub(crate) jobs: Vec<String>,
    /// Jobs of this phase
    #[arg(long, value_name = "NAME", group = "which")]
    pub(crate) phase: Option<String>,
    /// Jobs that failed or were lost
    #[arg(long, group = "which")]
    pub(crate) failed: bool,
    /// All jobs for which this is possible
    #[arg(long, group = "which")]
    pub(crate) all: bool,
}

/// Arguments of `retry`.
#[derive(Debug, Args)]
pub(crate) struct RetryArgs {
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// Run completed jobs again, too, if they are named here
    #[arg(long)]
    pub(crate) again: bool,
    /// Start a manager in the background when none runs the queue
    #[arg(long)]
    pub(crate) start: bool,
}

/// Arguments of `add`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Id of the new job
    #[arg(group = "what", requires = "cmd", value_name = "ID")]
    pub(crate) job: Option<String>,
    /// Its command
    #[arg(long, value_name = "TEXT", requires = "job")]
    pub(crate) cmd: Option<String>,
    /// Its phase [default: the only one]
    #[arg(long, value_name = "NAME", requires = "job")]
    pub(crate) phase: Option<String>,
    /// A key of the job and its value as in a manifest; may be given several times
    #[arg(long, value_name = "KEY=VALUE", requires = "job", value_parser = key_value)]
    pub(crate) set: Vec<(String, String)>,
    /// Manifest or grids whose jobs are added, each to the phase of the same name; missing phases are added
    #[arg(long, value_name = "FILE", group = "what")]
    pub(crate) from: Option<PathBuf>,
}

/// Arguments of `edit`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// Ids, or patterns with * and ?
    #[arg(required = true)]
    pub(crate) jobs: Vec<String>,
    /// Another command
    #[arg(long, value_name = "TEXT", group = "change")]
    pub(crate) cmd: Option<String>,
    /// A key of the jobs and its value.
    #[arg(
        long,
        value_name = "KEY=VALUE",
        group = "change",
        value_parser = key_value,
        help = "A key of the jobs and its value as in a manifest, such as time_limit=2:00:00; KEY=null takes the key out; may be given several times"
    )]
    pub(crate) set: Vec<(String, String)>,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) queue: QueueArgs,
    /// File to write the report to as well
    #[arg(long = "output", alias = "md", value_name = "FILE")]
    pub(crate) md: Option<PathBuf>,
    /// File to write the report to as an HTML page, with a timeline for each GPU
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// A metric of completed jobs, such as 'eval.json#test.acc': a declared output (JSON, JSON Lines, YAML, CSV) and a key in it; adds a table
    /// against the grid's parameters; may be given several times
    #[arg(long, value_name = "FILE#KEY")]
    pub(crate) metrics: Vec<Wanted>,
    /// File to write the table of metrics to, as CSV
    #[arg(long, value_name = "FILE", requires = "metrics")]
    pub(crate) csv: Option<PathBuf>,
}

/// How to reach a server.
#[derive(Clone, Debug, Args)]
pub(crate) struct SshFlags {
    /// Server, as ssh knows it: a name of ~/.ssh/config, or user@host; several, comma-separated, share the queue's jobs
    pub(crate) host: String,
    /// Configuration file for ssh instead of the user's own
    #[arg(long, value_name = "FILE")]
    pub(crate) ssh_config: Option<PathBuf>,
    /// Program to call for ssh
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) ssh: Option<PathBuf>,
    /// This program built for the server's machine [default: the one that runs here]
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
}

impl SshFlags {
    /// These flags for each server alone.
    ///
    /// **Errors**: a server's name is empty, or given twice: its second share of the jobs would replace the first.
    pub(crate) fn each(&self) -> Result<Vec<Self>, Error> {
        let hosts: Vec<&str> = self.host.split(',').map(str::trim).collect();
        let mut seen = BTreeSet::new();
        let mut each = hosts.iter();
        if let Some(wrong) = each.find(|host| host.is_empty() || !seen.insert(**host)) {
            let what = match *wrong {
                "" => String::from("names no server, or an empty one"),
                twice => format!("names {twice} twice"),
            };
            return Err(Error::unclear(format!("{:?} {what}", self.host)));
        }
        let each = hosts.into_iter().map(|host| Self {
            host: host.to_owned(),
            ..self.clone()
        });
        Ok(each.collect())
    }
}

/// Arguments of `deploy`.
#[derive(Debug, Args)]
pub(crate) struct DeployArgs {
    #[command(flatten)]
    pub(crate) ssh: SshFlags,
    /// Manifest of the queue, JSON or YAML; its paths are the server's
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: PathBuf,
    /// Name of the run on the server [default: made from the name of the manifest's folder]
    #[arg(long, value_name = "NAME")]
    pub(crate) run: Option<String>,
}

/// Arguments of `remote`.
#[derive(Debug, Args)]
pub(crate) struct RemoteArgs {
    #[command(flatten)]
    pub(crate) ssh: SshFlags,
    /// Name of the run on the server, as deploy printed it
    #[arg(long, value_name = "NAME")]
    pub(crate) run: String,
    /// The command with its flags, after -- [default: status]
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Arguments of `fetch`.
#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    #[command(flatten)]
    pub(crate) ssh: SshFlags,
    /// Name of the run on the server, as deploy printed it
    #[arg(long, value_name = "NAME")]
    pub(crate) run: String,
    /// Ids, or patterns with * and ? [default: all completed jobs]
    pub(crate) jobs: Vec<String>,
    /// Folder for the files; they keep their paths below the server's working directory
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    /// Replace local files whose size or time differs
    #[arg(long)]
    pub(crate) overwrite: bool,
}

/// Arguments of `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// Name of the run [default: that of the program]
    #[arg(long, value_name = "NAME", value_parser = run_name)]
    pub(crate) name: Option<String>,
    /// File that the command writes, or pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) expected_output: Vec<String>,
    /// Import the runs that MLflow, Weights & Biases, Hydra or DVC recorded in and below this folder, or in this dvc.lock
    #[arg(long, value_name = "PATH", conflicts_with_all = ["name", "expected_output", "command"])]
    pub(crate) import: Option<PathBuf>,
    /// Record this job of Slurm, or this task of an array (`12_3`), from Slurm's accounting: the files of --expected-output, below the job's
    /// working directory, that were last changed while it ran
    #[arg(long, value_name = "JOB", conflicts_with_all = ["import", "command"], requires = "expected_output", value_parser = crate::commands::accounting::job_number)]
    pub(crate) slurm: Option<String>,
    /// The command with its arguments, after --
    #[arg(
        last = true,
        value_name = "COMMAND",
        required_unless_present_any = ["import", "slurm"]
    )]
    pub(crate) command: Vec<String>,
}

fn run_name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && !text.chars().any(char::is_control);
    let must_be = "a name is not empty and has no control characters";
    let name = is_name.then(|| text.to_owned());
    name.ok_or_else(|| must_be.to_owned())
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let (key, value) = parts.ok_or_else(|| format!("{text:?} is not KEY=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

fn engine(text: &str) -> Result<Engine, String> {
    let mut all = Engine::ALL.into_iter();
    all.find(|engine| engine.word() == text)
        .ok_or_else(|| format!("{text:?} is not local, slurm or hq"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok();
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| format!("{text:?} is not a number of seconds"))
}
