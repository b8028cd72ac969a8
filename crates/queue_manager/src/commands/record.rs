//! `record`: runs a command without a queue and records it like a job, or imports what other tools or Slurm recorded.

use std::collections::BTreeMap;
use std::path::Path;

use aris_attempt::Before;
use aris_cli::{Context, Outcome};
use aris_contract::text::counted;
use aris_proc::{End as Ended, Stdout};
use aris_runs::{End, Ledger, Look};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::RecordArgs;
use crate::commands::{CommandResult, accounting, import};
use crate::error::Error;
use crate::report;

/// What was recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Recorded {
    /// Folder of the project's ledger.
    pub(crate) ledger: String,
    /// The runs.
    pub(crate) runs: Vec<RecordedRun>,
    /// What was not imported, and why.
    pub(crate) refused: Vec<String>,
    /// Whether a command was run.
    #[serde(skip)]
    pub(crate) ran: bool,
}

/// One run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordedRun {
    /// Id of its record.
    pub(crate) id: String,
    /// Its name.
    pub(crate) job: String,
    /// How it ended.
    pub(crate) end: End,
    /// The same in words, with the exit status or signal.
    pub(crate) how: String,
    /// Number of files that it wrote.
    pub(crate) outputs: usize,
}

pub(crate) fn record(args: &RecordArgs, context: &Context) -> CommandResult {
    let ledger = Ledger::for_runs_in(context.cwd());
    let mut recorded = Recorded {
        ledger: ledger.folder().display().to_string(),
        runs: Vec::new(),
        refused: Vec::new(),
        ran: args.import.is_none() && args.slurm.is_none(),
    };
    if let Some(folder) = &args.import {
        let folder = context.absolute(folder);
        let found = import::runs(&folder, &ledger)?;
        recorded.refused = found.refused;
        for look in found.runs {
            recorded.keep(&look)?;
        }
    } else if let Some(job) = &args.slurm {
        let patterns = &args.expected_output;
        let (mut look, refused) = accounting::run(job, patterns, ledger, context.cwd())?;
        recorded.refused = refused;
        if let Some(name) = &args.name {
            look.run.job.clone_from(name);
        }
        recorded.keep(&look)?;
    } else {
        let look = run(args, ledger, context)?;
        recorded.keep(&look)?;
        let files = counted(look.wrote.len(), "file");
        let is_outside = |file: &&aris_runs::FileSeen| Path::new(&file.path).is_absolute();
        if let Some(file) = look.wrote.iter().find(is_outside) {
            let (path, project) = (&file.path, look.ledger.project().display());
            context.warn(&format!(
                "{path} is outside {project}, whose ledger has the record: `trace-back` of another project does not find it; record from that project"
            ));
        }
        context.note(&format!("recorded: {}, {files} written", look.run.words()));
    }
    let failed = |run: &RecordedRun| recorded.ran && run.end != End::Completed;
    let found = !recorded.refused.is_empty() || recorded.runs.iter().any(failed);
    Ok(Outcome::found(recorded, found).shown(report::id::RECORDED, report::recorded))
}

impl Recorded {
    fn keep(&mut self, look: &Look) -> Result<(), Error> {
        let run = &look.run;
        self.runs.push(RecordedRun {
            id: look.keep()?,
            job: run.job.clone(),
            end: run.end,
            how: run.how.clone(),
            outputs: look.wrote.len(),
        });
        Ok(())
    }
}

/// Runs the command with this process's standard streams.
fn run(args: &RecordArgs, ledger: Ledger, context: &Context) -> Result<Look, Error> {
    let (program, rest) = args.command.split_first().ok_or_else(Error::nothing)?;
    let cwd = context.cwd();
    let command = aris_runs::command_line(&args.command);
    let before = Before::look(&args.expected_output, cwd);
    ledger.prepare()?;
    let mut look = Look::now(ledger, cwd, &command, &BTreeMap::new());
    if let Some(interpreter) = aris_runs::interpreter(&command) {
        look.ask(&interpreter, cwd, &BTreeMap::new());
    }
    let stdout = if context.json() {
        Stdout::Stderr
    } else {
        Stdout::Same
    };
    let started = context.now();
    let call = aris_proc::command(program, cwd).args(rest);
    let ended = call.run_attached(stdout, None)?;
    look.outputs(&before.fresh(), || {});
    let run = &mut look.run;
    "record".clone_into(&mut run.origin);
    let name = Path::new(program).file_name().unwrap_or_default();
    let name = || name.to_string_lossy().into_owned();
    run.job = args.name.clone().unwrap_or_else(name);
    run.host = aris_attempt::host();
    run.started = Some(started.to_string());
    run.ended = Some(context.now().to_string());
    let end = match ended {
        Ended::Exited(0) => End::Completed,
        _ => End::Failed,
    };
    let how = match ended {
        Ended::Exited(code) => format!("exit {code}"),
        Ended::Signalled(signal) => format!("signal {signal}"),
        Ended::TimedOut => String::from("time limit"),
    };
    look.ended(end, how, &before.unwritten());
    Ok(look)
}
