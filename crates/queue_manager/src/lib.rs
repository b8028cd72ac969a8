//! `queue_manager`: runs a queue of experiments unattended.

mod cli;
mod error;
mod load;
mod lock;
mod manager;
mod place;
mod report;

use std::path::Path;

use aris_cli::{Context, Example, Network, Outcome, Spec};
use aris_contract::{ErrorKind, Signal};
use aris_queue::state::State;

pub use cli::Cli;
use cli::{Command, RunFlags};
pub use error::Error;
use manager::Options;
use place::Place;
pub use report::Report;
use report::{Failed, Nothing, Ran};

/// The hidden command by which a manager starts the runner of an attempt.
pub const ATTEMPT: &str = "attempt";

/// Jobs that a run names in its report.
const NAMED: usize = 100;

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
    schemas: &["aris.queue_manager.run/v1"],
    samples: &[],
    network: Network::None,
};

/// Does what `cli` says.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    match cli.command {
        Some(Command::Run(args)) => run_queue(&args.manifest, args.rest, context),
        Some(Command::Attempt(args)) => {
            // What it left with says less than the attempt's folder.
            let _code = aris_attempt::runner::run(&context.absolute(&args.folder));
            Ok(Outcome::done(Report::Nothing(Nothing {})))
        }
        None => match cli.run.manifest {
            Some(manifest) => run_queue(&manifest, cli.run.rest, context),
            None => Err(Error::Nothing),
        },
    }
}

fn run_queue(manifest: &Path, flags: RunFlags, context: &Context) -> Result<Outcome<Report>, Error> {
    let manifest = context.absolute(manifest);
    let state = flags.state.map_or_else(
        || manifest.with_file_name("queue_state.json"),
        |state| context.absolute(&state),
    );
    let logs = flags.log_dir.map(|folder| context.absolute(&folder));
    let options = Options {
        place: Place::of(&state, logs),
        manifest,
        poll: flags.poll,
        max_wait: flags.max_wait,
        log: flags.log.map(|log| context.absolute(&log)),
    };
    let ended = manager::run(&options, context)?;
    let good = manager::all_completed(&ended.counts);
    let failed = ended
        .snapshot
        .jobs
        .iter()
        .filter(|job| {
            job.state
                .is_some_and(|state| state.is_final() && state != State::Completed)
        })
        .take(NAMED)
        .map(|job| Failed {
            id: job.id.clone(),
            state: job.state.map_or("", State::word).to_owned(),
            reason: job.reason.map(|reason| reason.word().to_owned()),
            error: job.error.clone(),
        })
        .collect();
    let signal = (ended.detached.is_none() && !good).then_some(Signal::FINDINGS);
    Ok(Outcome {
        data: Report::Ran(Ran {
            counts: ended.counts,
            state: state.display().to_string(),
            detached: ended.detached,
            failed,
        }),
        signal,
    })
}
