//! `logs`: the end of a job's log.

use aris_cli::{Context, Outcome};
use serde::Serialize;

use crate::cli::LogsArgs;
use crate::commands::{job, look, tail};
use crate::error::Error;
use crate::manager::spec::log_of;
use crate::report::Data;

/// The end of a log.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Log {
    /// The job.
    pub(crate) id: String,
    /// Number of the attempt.
    pub(crate) attempt: u32,
    /// The file.
    pub(crate) path: String,
    /// Its last lines; what is not UTF-8 is replaced.
    pub(crate) text: String,
}

pub(crate) fn logs(args: &LogsArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let look = look(&args.job.queue, context)?;
    let run = look.queue.run(job(&look.queue, &args.job.job)?);
    let attempt = args.attempt.unwrap_or(run.attempt);
    // The journal knows the last one's; logs may lie elsewhere since then.
    let path = match run.log.as_deref() {
        Some(log) if attempt == run.attempt => log.into(),
        _ => log_of(&look.place, &args.job.job, attempt),
    };
    let text = tail(&path, args.lines).ok_or_else(|| Error::NoLog {
        id: args.job.job.clone(),
        attempt,
    })?;
    Ok(Outcome::done(Data::Log(Log {
        id: args.job.job.clone(),
        attempt,
        path: path.display().to_string(),
        text,
    })))
}
