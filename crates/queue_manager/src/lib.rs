//! `queue_manager`: runs a queue of experiments unattended, on the cards of this machine, on a Slurm cluster or on the workers of a
//! `HyperQueue` server.
//!
//! **Input**: a manifest ([`aris_queue::manifest`]) in JSON or YAML, which may have grids. **Output**: `queue_state.json`, in the format of
//! the reference's manager; a log for each attempt; `summary.md`. Beside the state file is `.queue_state.queue/` with the journal and the
//! records of each attempt; these are authoritative. **Exit**: 0 all jobs completed, or the manager was stopped and jobs continue; 10 the
//! queue has ended and some jobs did not complete; 2 usage; 3 no such queue, job or file; 4 manifest, state file or journal invalid; 5
//! another manager runs the queue, nothing can be written, or something is missing on this machine; 6 `--deadline` passed; 7 a server or a
//! service does not answer.
//!
//! Each attempt has a runner process of its own (`--attempt`, [`aris_attempt`]), so the manager may be killed at any moment, and the next
//! one finds the attempts again.

mod change;
mod cli;
mod commands;
mod error;
mod explain;
mod load;
mod lock;
mod log_file;
mod manager;
mod place;
mod report;
mod reserved;
mod results;
mod snapshot;
mod watch;

use std::process::ExitCode;

use aris_cli::{CommandSpec, Context, Network, Outcome, Sample, Shown, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
use cli::Command;
use commands::remote::Served;
use commands::{control, live};
pub use error::Error;
use manager::{Request, Verb};
pub use place::Owner;
use report::id;

/// The hidden flag by which a manager starts the runner of an attempt.
pub const ATTEMPT: &str = "--attempt";

/// Examples, at least one for each command.
const EXAMPLES: &[&str] = &[
    "queue_manager --manifest manifest.json --state queue_state.json --log-dir logs  # run or continue a queue, called like the original ARIS queue_manager.py",
    "queue_manager run --manifest manifest.json --deadline 3600  # run a queue for an hour at most; its jobs continue after that",
    "queue_manager start --manifest manifest.json  # run a queue in the background",
    "queue_manager preflight --manifest manifest.json  # list what would prevent a run",
    "queue_manager status --state queue_state.json --json  # print the progress as JSON",
    "queue_manager watch --state queue_state.json  # follow a queue until it ends",
    "queue_manager explain s42_N64 --state queue_state.json  # print why a job is not running",
    "queue_manager logs s42_N64 --attempt 1 --limit 20  # print the end of the log of the first attempt",
    "queue_manager logs s42_N64 --follow  # follow the log of a job, over its attempts, until it ends",
    "queue_manager cancel 's42_*'  # end jobs by pattern",
    "queue_manager retry --failed  # try all failed jobs again",
    "queue_manager retry --failed --start  # try all failed jobs again, and start a manager when none runs",
    "queue_manager reload --state queue_state.json  # apply the changed manifest and print the differences",
    "queue_manager add s43_N64 --cmd 'python run.py --seed 43' --set gpus=1  # add a job, also while the queue runs",
    "queue_manager add --from more_seeds.yaml  # add the jobs of a grid, each to the phase of the same name",
    "queue_manager edit 's42_*' --set time_limit=4:00:00  # change the time limit, from the next attempt on",
    "queue_manager remove 's42_*'  # remove jobs",
    "queue_manager hold --phase distill  # hold a phase back",
    "queue_manager release --all  # release all held jobs",
    "queue_manager pause  # start nothing new",
    "queue_manager resume  # start again",
    "queue_manager set --max-parallel 4  # run at most four jobs with GPUs at once",
    "queue_manager adopt --manifest manifest.json --state queue_state.json  # take over a state file of the original ARIS queue_manager.py",
    "queue_manager report -o summary.md --html report.html  # write a report, and an HTML page with a timeline for each GPU",
    "queue_manager report --metrics 'eval.json#acc' --csv acc.csv --html report.html  # tabulate and plot what the jobs measured against the grid's parameters",
    "queue_manager deploy gpu-server --manifest manifest.json --run grid-1  # copy this program and the manifest to a server and start the queue there",
    "queue_manager remote gpu-server --run grid-1 -- explain s42_N64  # run any command for the queue on the server",
    "queue_manager remote gpu-server --run grid-1 -- logs s42_N64 --follow  # follow the log of a job on the server",
    "queue_manager outputs 's42_*'  # list the files that jobs wrote",
    "queue_manager fetch gpu-server --run grid-1 --output results  # copy the outputs of all completed jobs from the server",
    "queue_manager record --name eval --expected-output eval.json -- python eval.py --seed 1  # run a command by hand and record what made eval.json",
    "queue_manager record --import mlruns  # import the runs that MLflow recorded",
    "queue_manager record --slurm 1262 --expected-output 'results/*.csv'  # record a job of Slurm that ran without a queue, and its files",
    "queue_manager used-by s42_N64  # list the numbers in papers that rest on the files of a job",
];

/// Inputs of commands.
const MANIFEST: &str = "a manifest, JSON or YAML";
const STATE: &str = "the state file of a queue";
const RUN: &str = "a server and the name of a run";

/// Exit codes with their meaning; an empty text stands for the usual meaning.
type Exits = &'static [(u8, &'static str)];

const MISSING: (u8, &str) = (3, "");
const INVALID: (u8, &str) = (4, "");
const REFUSED: (u8, &str) = (5, "");
const SILENT: (u8, &str) = (7, "");
const LATE: (u8, &str) = (6, "");
const NOT_ALL: (u8, &str) = (10, "the queue has ended, and some jobs did not complete");
const SOME: (u8, &str) = (10, "some of it was refused");
const CLEAR: (u8, &str) = (0, "nothing prevents a run");
const UNCLEAR: (u8, &str) = (10, "something prevents a run");
const FOUND: (u8, &str) = (10, "as the help of the command says");
const LACKS: (u8, &str) = (10, "a declared output is missing or cannot be fetched");
const LEFT: (u8, &str) = (10, "an output is missing, or a file could not be copied");
const CHANGED: &str = "the command failed, or a recorded file has changed since";
const UNAUDITED: (u8, &str) = (5, "no paper of the project has been audited");

/// What exit code 0 means for `run` and for the program without a command.
const OK: &str = "every job is completed, or the manager was stopped and the jobs continue";

/// For commands that do what is asked, or fail.
const PLAIN: Exits = &[MISSING, INVALID, REFUSED];

/// For requests to a queue.
const ASKED: Exits = &[MISSING, INVALID, REFUSED, SOME];

/// For commands that report on a whole queue.
const OVER: Exits = &[MISSING, INVALID, REFUSED, NOT_ALL];

const RAN: Exits = &[(0, OK), MISSING, INVALID, REFUSED, LATE, NOT_ALL];
const LOOKED: Exits = &[CLEAR, MISSING, INVALID, REFUSED, UNCLEAR];
const DEPLOYED: Exits = &[MISSING, INVALID, REFUSED, SILENT];
const ANSWERED: Exits = &[MISSING, INVALID, REFUSED, LATE, SILENT, FOUND];
const LISTED: Exits = &[MISSING, INVALID, REFUSED, LACKS];
const FETCHED: Exits = &[MISSING, INVALID, REFUSED, SILENT, LEFT];
const RECORDED: Exits = &[MISSING, INVALID, REFUSED, SILENT, (10, CHANGED)];
const USED: Exits = &[MISSING, INVALID, UNAUDITED];

/// Describes this helper.
pub static SPEC: Spec = Spec {
    name: "queue_manager",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Run a queue of experiments unattended, and say why anything in it is not running",
    input: "a manifest, JSON or YAML; for the other commands the state file of a queue",
    output: "jobs by state, or what the command asks for",
    stderr: "warnings, errors; of run one line for each start and each end of a job",
    commands: &[
        CommandSpec::new("run", MANIFEST, "the jobs by state", RAN),
        CommandSpec::new("start", MANIFEST, "the manager that was started", PLAIN),
        CommandSpec::new("preflight", MANIFEST, "what would prevent a run", LOOKED),
        CommandSpec::new("status", STATE, "the jobs by state", OVER),
        CommandSpec::new("watch", STATE, "the jobs by state, at each change", OVER),
        CommandSpec::new(
            "explain",
            STATE,
            "why the job is in its state, with the evidence",
            PLAIN,
        ),
        CommandSpec::new("logs", STATE, "the end of the job's log", PLAIN),
        CommandSpec::new("cancel", STATE, "what was done with each job", ASKED),
        CommandSpec::new("retry", STATE, "what was done with each job", ASKED),
        CommandSpec::new("hold", STATE, "what was done with each job", ASKED),
        CommandSpec::new("release", STATE, "what was done with each job", ASKED),
        CommandSpec::new("pause", STATE, "what was done", ASKED),
        CommandSpec::new("resume", STATE, "what was done", ASKED),
        CommandSpec::new("set", STATE, "what was done", ASKED),
        CommandSpec::new(
            "adopt",
            "a state file, or a manifest and a state file of another manager",
            "the jobs by state",
            PLAIN,
        ),
        CommandSpec::new(
            "reload",
            "the state file of a queue and its manifest",
            "what is different",
            ASKED,
        ),
        CommandSpec::new(
            "add",
            "the state file of a queue; a job, or a manifest with several",
            "the jobs that were added",
            ASKED,
        ),
        CommandSpec::new("edit", STATE, "what was done with each job", ASKED),
        CommandSpec::new("remove", STATE, "what was done with each job", ASKED),
        CommandSpec::new("report", STATE, "a report in Markdown", OVER),
        CommandSpec::new(
            "deploy",
            "a manifest and a server",
            "the name of the run",
            DEPLOYED,
        ),
        CommandSpec::new("remote", RUN, "what the command prints there", ANSWERED),
        CommandSpec::new("outputs", STATE, "the declared outputs of jobs", LISTED),
        CommandSpec::new("fetch", RUN, "the files that were copied", FETCHED),
        CommandSpec::new(
            "record",
            "a command, or what another tool recorded",
            "the command's own output; with --import or --slurm the records",
            RECORDED,
        ),
        CommandSpec::new(
            "used-by",
            "the audits of papers in the project",
            "the numbers that rest on files of the job",
            USED,
        ),
    ],
    examples: EXAMPLES,
    signals: &[(
        10,
        "the queue has ended, and some jobs did not complete; for other commands than run, status, watch and report see their help",
    )],
    ok: OK,
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Timeout,
        ErrorKind::Unavailable,
    ],
    schemas: &[
        id::RUN,
        id::STARTED,
        id::STATUS,
        id::EXPLANATION,
        id::LOG,
        id::ASKED,
        id::PREFLIGHT,
        id::REPORT,
        id::REMOTE,
        id::OUTPUTS,
        id::FETCHED,
        id::RECORDED,
        id::USED_BY,
    ],
    samples: &[
        Sample {
            args: &["--json"],
            exit: &[2],
        },
        Sample {
            args: &["status", "--state", "no-such-queue.json", "--json"],
            exit: &[3],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Runs the command that `cli` describes.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    if cli.agent {
        return commands::remote::agent(context);
    }
    if let Some(folder) = cli.attempt {
        // Only the multi-call binary gets here: `main` handles it otherwise.
        let folder = context.absolute(&folder);
        let code = aris_attempt::runner::serve(&folder);
        return if code == ExitCode::SUCCESS {
            // How the attempt ended is in its folder.
            Ok(Outcome::done(Served(Vec::new())).boxed())
        } else {
            let message = format!("the attempt in {} was not carried out", folder.display());
            Err(Error::precondition(message))
        };
    }
    match cli.command {
        Some(Command::Run(args)) => {
            if args.detached {
                // Fails only for the leader of a process group, which a process that `start` started is not.
                rustix::process::setsid().map_or_else(drop, drop);
            }
            commands::run::run(args.manifest, args.rest, context)
        }
        Some(Command::Start(args)) => commands::start::start(args, context),
        Some(Command::Preflight(args)) => commands::preflight::preflight(args, context),
        Some(Command::Status { queue, watch, .. }) if watch => {
            watch::watch(&queue, watch::INTERVAL, context)
        }
        Some(Command::Status { queue, jobs, .. }) => {
            commands::status::status(&queue, jobs, context)
        }
        Some(Command::Watch { queue, interval }) => watch::watch(&queue, interval, context),
        Some(Command::Explain(args)) => commands::explain::explain(&args, context),
        Some(Command::Logs(args)) => commands::logs::logs(&args, context),
        Some(Command::Cancel(args)) => control::jobs(Verb::Cancel, &args, context),
        Some(Command::Retry(args)) => control::retry(&args, context),
        Some(Command::Reload { queue, manifest }) => live::reload(&queue, manifest, context),
        Some(Command::Add(args)) => live::add(&args, context),
        Some(Command::Edit(args)) => live::edit(&args, context),
        Some(Command::Remove(args)) => live::remove(&args, context),
        Some(Command::Hold(args)) => control::jobs(Verb::Hold, &args, context),
        Some(Command::Release(args)) => control::jobs(Verb::Release, &args, context),
        Some(Command::Pause(args)) => control::plain("pause", Request::Pause, &args, context),
        Some(Command::Resume(args)) => control::plain("resume", Request::Resume, &args, context),
        Some(Command::Set {
            queue,
            max_parallel,
        }) => {
            let jobs = Some(max_parallel).filter(|jobs| *jobs > 0);
            control::plain("set", Request::MaxParallel(jobs), &queue, context)
        }
        Some(Command::Adopt { queue, manifest }) => control::adopt(&queue, manifest, context),
        Some(Command::Report(args)) => commands::summary::report(&args, context),
        Some(Command::Deploy(args)) => commands::remote::deploy(&args, context),
        Some(Command::Remote(args)) => commands::remote::remote(&args, context),
        Some(Command::Outputs { queue, jobs }) => {
            commands::outputs::outputs(&queue, &jobs, context)
        }
        Some(Command::Fetch(args)) => commands::fetch::fetch(&args, context),
        Some(Command::Record(args)) => commands::record::record(&args, context),
        Some(Command::UsedBy { job }) => commands::used_by::used_by(&job, context),
        None if cli.manifest.is_none() => Err(Error::nothing()),
        None => commands::run::run(cli.manifest, cli.rest, context),
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<commands::run::Ran>(id::RUN);
        check_schema::<commands::start::Started>(id::STARTED);
        check_schema::<commands::status::Status>(id::STATUS);
        check_schema::<commands::explain::Explanation>(id::EXPLANATION);
        check_schema::<commands::logs::Log>(id::LOG);
        check_schema::<control::Asked>(id::ASKED);
        check_schema::<commands::preflight::Preflight>(id::PREFLIGHT);
        check_schema::<results::Report>(id::REPORT);
        check_schema::<commands::there::Remote>(id::REMOTE);
        check_schema::<commands::outputs::Outputs>(id::OUTPUTS);
        check_schema::<commands::fetch::Fetched>(id::FETCHED);
        check_schema::<commands::record::Recorded>(id::RECORDED);
        check_schema::<commands::used_by::UsedBy>(id::USED_BY);
    }
}
