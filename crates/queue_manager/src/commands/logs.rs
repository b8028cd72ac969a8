//! `logs`: the end of a job's log, and what comes after it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_cli::{Context, Outcome};
use aris_queue::state::State;
use serde::Serialize;

use crate::cli::LogsArgs;
use crate::commands::{job, look, snapshot, tail};
use crate::error::Error;
use crate::lock;
use crate::log_file::{Lines, LogFile};
use crate::manager::spec::log_of;
use crate::place::Place;
use crate::report::Data;
use crate::watch::Wake;

/// How late something is found of which the system does not tell: what is written on another machine.
const AT_LATEST: Duration = Duration::from_secs(5);

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
    /// It was printed already, line by line.
    #[serde(skip)]
    pub(crate) told: bool,
}

pub(crate) fn logs(args: &LogsArgs, context: &Context) -> Result<Outcome<Data>, Error> {
    let look = look(&args.job.queue, context)?;
    let id = args.job.job.as_str();
    let run = look.queue.run(job(&look.queue, id)?);
    let attempt = args.attempt.unwrap_or(run.attempt);
    // The journal knows the last one's; logs may lie elsewhere since then.
    let path = match run.log.as_deref() {
        Some(log) if attempt == run.attempt => log.into(),
        _ => log_of(&look.place, id, attempt),
    };
    if args.follow {
        return follow(args, &look.place, (attempt, path), context);
    }
    let text = tail(&path, args.lines).ok_or_else(|| Error::NoLog {
        id: id.to_owned(),
        attempt,
    })?;
    Ok(Outcome::done(Data::Log(Log {
        id: id.to_owned(),
        attempt,
        path: path.display().to_string(),
        text,
        told: false,
    })))
}

/// Where a job stands, as far as its logs are concerned.
struct Stand {
    /// Number of the last attempt.
    attempt: u32,
    /// Whether that one may still write.
    active: bool,
    /// Whether another may come without a person asking for it.
    more: bool,
}

impl Stand {
    fn of(args: &LogsArgs, place: &Place, context: &Context) -> Result<Self, Error> {
        let id = args.job.job.as_str();
        if lock::holder(place, context.now()).is_some() {
            let state = snapshot(place)?;
            if let Some(row) = state.jobs.iter().find(|row| row.id == id) {
                return Ok(Self {
                    attempt: row.attempts,
                    active: row.status == "running",
                    more: !matches!(row.status.as_str(), "completed" | "stuck"),
                });
            }
        }
        // Nobody writes the state: what runs is asked itself.
        let look = look(&args.job.queue, context)?;
        let at = job(&look.queue, id)?;
        let active = matches!(look.queue.state(at), State::Running | State::Cancelling);
        Ok(Self {
            attempt: look.queue.run(at).attempt,
            active,
            more: active,
        })
    }
}

/// Prints what a job writes until nothing more can come, or a person has seen enough.
fn follow(
    args: &LogsArgs,
    place: &Place,
    (mut attempt, mut path): (u32, PathBuf),
    context: &Context,
) -> Result<Outcome<Data>, Error> {
    let id = args.job.job.as_str();
    let mut wake = Wake::new(place.state.parent().unwrap_or(Path::new("/")))?;
    let mut open: Option<LogFile> = None;
    let (mut at, mut lines) = (0, Lines::default());
    // Of what comes later everything is printed.
    let mut first = Some(args.lines);
    loop {
        // Asked first: what is written before an end is read after it.
        let stand = Stand::of(args, place, context)?;
        if open.is_none() && attempt > 0 {
            open = LogFile::open(&path);
            if let Some(log) = &open {
                wake.growth_of(&path);
                at = first.take().map_or(0, |lines| log.last(lines));
            }
        }
        while let Some(log) = &open {
            let piece = log.from(at);
            if piece.is_empty() {
                break;
            }
            at += piece.len() as u64;
            lines
                .push(&piece)
                .iter()
                .for_each(|line| context.line(line));
        }
        let over = stand.attempt > attempt || !stand.active;
        if over && let Some(rest) = lines.end() {
            context.line(&rest);
        }
        if stand.attempt > attempt && args.attempt.is_none() {
            attempt = stand.attempt;
            path = log_of(place, id, attempt);
            (open, first) = (None, None);
            context.note(&format!("{id} #{attempt}"));
            continue;
        }
        let this = args.attempt.is_some() && over && attempt <= stand.attempt;
        if this || !stand.more || !wake.wait(AT_LATEST) {
            let text = tail(&path, args.lines).ok_or_else(|| Error::NoLog {
                id: id.to_owned(),
                attempt,
            })?;
            return Ok(Outcome::done(Data::Log(Log {
                id: id.to_owned(),
                attempt,
                path: path.display().to_string(),
                text,
                told: true,
            })));
        }
    }
}
