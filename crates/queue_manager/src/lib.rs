//! `queue_manager`: runs a queue of experiments unattended.

mod cli;
mod commands;
mod error;
mod load;
mod lock;
mod manager;
mod place;
mod report;

use aris_cli::{Context, Example, Network, Outcome, Spec};
use aris_contract::ErrorKind;

pub use cli::Cli;
use cli::Command;
use commands::control::{self, Verb};
pub use error::Error;
pub use lock::Owner;
use manager::Request;
pub use report::Report;
use report::{Data, id};

/// The hidden command by which a manager starts the runner of an attempt.
pub const ATTEMPT: &str = "attempt";

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "queue_manager",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Run a queue of experiments unattended",
    input: "a manifest, JSON or YAML",
    output: "the jobs by state",
    stderr: "one line for each start and each end, warnings, errors",
    examples: &[Example {
        command: "",
        line: "queue_manager --manifest manifest.json --state queue_state.json --log-dir logs",
        what: "run a queue, or go on with it",
    }],
    signals: &[(10, "every job is over, and some did not complete")],
    ok: "every job is completed, or the manager was asked to go and the jobs run on",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Timeout,
    ],
    schemas: &[
        id::RUN,
        id::STARTED,
        id::STATUS,
        id::EXPLANATION,
        id::LOG,
        id::ASKED,
        id::PREFLIGHT,
        id::SUMMARY,
    ],
    samples: &[],
    network: Network::None,
};

/// Does what `cli` says.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let Outcome { data, signal } = product(cli, context)?;
    Ok(Outcome {
        data: Report(data),
        signal,
    })
}

fn product(cli: Cli, context: &Context) -> Result<Outcome<Data>, Error> {
    match cli.command {
        Some(Command::Run(args)) => {
            if args.detached {
                // Fails only for the first process of a group, which this is not when it was started for it.
                rustix::process::setsid().map_or_else(drop, drop);
            }
            commands::run::run(&args.manifest, args.rest, context)
        }
        Some(Command::Start(args)) => commands::start::start(args, context),
        Some(Command::Preflight(args)) => commands::preflight::preflight(args, context),
        Some(Command::Status(args)) => commands::status::status(&args, context),
        Some(Command::Watch(args)) => commands::status::watch(&args, context),
        Some(Command::Explain(args)) => commands::explain::explain(&args, context),
        Some(Command::Logs(args)) => commands::logs::logs(&args, context),
        Some(Command::Cancel(args)) => control::jobs(Verb::Cancel, &args, context),
        Some(Command::Retry(args)) => control::jobs(Verb::Retry, &args, context),
        Some(Command::Hold(args)) => control::jobs(Verb::Hold, &args, context),
        Some(Command::Release(args)) => control::jobs(Verb::Release, &args, context),
        Some(Command::Pause(args)) => {
            control::ask("pause", Request::Pause, Vec::new(), &args, context)
        }
        Some(Command::Resume(args)) => {
            control::ask("resume", Request::Resume, Vec::new(), &args, context)
        }
        Some(Command::Set(args)) => {
            let jobs = Some(args.max_parallel).filter(|jobs| *jobs > 0);
            let request = Request::MaxParallel(jobs);
            control::ask("set", request, Vec::new(), &args.queue, context)
        }
        Some(Command::Adopt(args)) => control::adopt(&args.queue, args.manifest, context),
        Some(Command::Report(args)) => commands::summary::report(&args, context),
        None => match cli.run.manifest {
            Some(manifest) => commands::run::run(&manifest, cli.run.rest, context),
            None => Err(Error::Nothing),
        },
    }
}
