//! `run`: runs a queue until every job has ended.

use std::path::PathBuf;

use crate::snapshot;
use aris_cli::{Context, Outcome};
use aris_queue::state::{Reason, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

use crate::cli::{QueueArgs, RunFlags};
use crate::commands::{CommandResult, summary};
use crate::error::Error;
use crate::manager::{self, Ended, Options};
use crate::place::Place;
use crate::report;

/// Most jobs that the report of a run names.
const NAMED: usize = 100;

/// How a run ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Ran {
    /// Jobs by state; states without jobs are left out.
    pub(crate) counts: BTreeMap<&'static str, u32>,
    /// The state file.
    pub(crate) state: String,
    /// Number of jobs that still run after the manager was asked to stop; absent: the queue has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detached: Option<u32>,
    /// Jobs that did not complete, at most 100.
    pub(crate) failed: Vec<Failed>,
    /// Path of the summary for people, once the queue has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
}

/// A job that did not complete.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Failed {
    /// The job.
    pub(crate) id: String,
    /// Its state.
    pub(crate) state: &'static str,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    /// What happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// The options of a run from its flags.
///
/// **Errors**: no manifest is given, and there is no queue that has one.
pub(crate) fn options(
    manifest: Option<PathBuf>,
    mut flags: RunFlags,
    context: &Context,
) -> Result<Options, Error> {
    let absolute = |path: &PathBuf| context.absolute(path);
    let manifest = manifest.as_ref().map(absolute);
    let logs = flags.log_dir.as_ref().map(absolute);
    flags.log = flags.log.as_ref().map(absolute);
    let place = match (&manifest, &flags.state) {
        (Some(manifest), None) => Place::of(&manifest.with_file_name("queue_state.json"), logs),
        (Some(_), Some(state)) => Place::of(&context.absolute(state), logs),
        (None, _) => {
            let state = flags.state.take();
            let known = super::place(&QueueArgs { state }, context)?;
            let logs = logs.unwrap_or_else(|| known.logs.clone());
            Place { logs, ..known }
        }
    };
    Ok(Options {
        place,
        manifest,
        flags,
        answers: false,
    })
}

pub(crate) fn run(manifest: Option<PathBuf>, flags: RunFlags, context: &Context) -> CommandResult {
    let options = options(manifest, flags, context)?;
    let Ended { queue, detached } = manager::run(&options, context)?;
    let counts = manager::counts(&queue);
    let failed = (0..queue.len()).filter(|job| {
        let state = queue.state(*job);
        state.is_final() && state != State::Completed
    });
    let failed = failed.take(NAMED).map(|job| {
        let row = snapshot::row(&queue, job);
        Failed {
            id: row.id,
            state: queue.state(job).word(),
            reason: row.reason.map(Reason::word),
            error: row.error,
        }
    });
    let failed = failed.collect();
    let state = options.place.state.display().to_string();
    let good = queue.completed_jobs() == queue.len();
    let summary = match detached {
        Some(_) => None,
        None => summary::leave(options.place, queue, context),
    };
    let data = Ran {
        counts,
        state,
        detached,
        failed,
        summary,
    };
    Ok(Outcome::found(data, detached.is_none() && !good).shown(report::id::RUN, report::run))
}
