//! `logs`: prints the end of a job's log, or follows it.

use std::path::PathBuf;
use std::time::Duration;

use aris_cli::{Context, Outcome};
use aris_queue::state::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cli::LogsArgs;
use crate::commands::{CommandResult, job, look, tail};
use crate::error::Error;
use crate::load;
use crate::lock;
use crate::log_file::{Lines, LogFile};
use crate::place::Place;
use crate::watch::Wake;

/// Longest pause between two checks: a change on another machine causes no event here.
const AT_LATEST: Duration = Duration::from_secs(5);

/// The end of a log.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Log {
    /// The job.
    pub(crate) id: String,
    /// Number of the attempt.
    pub(crate) attempt: u32,
    /// The file.
    pub(crate) path: String,
    /// Its last lines, or what follows the given byte; bytes that are not UTF-8 are replaced.
    pub(crate) text: String,
    /// The byte after what was printed, at which to continue.
    pub(crate) next: u64,
    /// Number of the job's last attempt.
    pub(crate) last: u32,
    /// Whether nothing more follows: the attempt has ended, and all of its log was printed.
    pub(crate) over: bool,
    /// Whether it was already printed, line by line.
    #[serde(skip)]
    pub(crate) told: bool,
}

pub(crate) fn logs(args: &LogsArgs, context: &Context) -> CommandResult {
    let look = look(&args.job.queue, context)?;
    let id = args.job.job.as_str();
    let run = look.queue.run(job(&look.queue, id)?);
    let attempt = args.attempt.unwrap_or(run.attempt());
    let mut attempts = run.attempts.iter();
    let known = attempts.find(|it| it.number == attempt);
    // An attempt that has not begun has none.
    let path = known.and_then(|it| it.log.as_deref());
    let path = PathBuf::from(path.unwrap_or_default());
    if args.follow {
        return follow(args, &look.place, (attempt, path), context);
    }
    // Before the log: what is written before an end is then read after it.
    let stand = Stand::of(args, &look.place, context)?;
    let (text, next, whole) = match LogFile::open(&path) {
        Some(log) => {
            let last = || args.or_wait.then(|| log.last(args.lines));
            match args.from.or_else(last) {
                Some(from) => {
                    let piece = whole_characters(log.from(from));
                    let next = from + piece.len() as u64;
                    let text = String::from_utf8_lossy(&piece).into_owned();
                    (text, next, next >= log.length())
                }
                None => (log.tail(args.lines), log.length(), true),
            }
        }
        None if args.from.is_some() || (args.or_wait && (stand.active || stand.more)) => {
            (String::new(), args.from.unwrap_or(0), true)
        }
        None => return Err(Error::no_log(id, attempt, stand.attempt)),
    };
    Ok(Outcome::done(Log {
        id: id.to_owned(),
        attempt,
        path: path.display().to_string(),
        text,
        next,
        last: stand.attempt,
        over: whole && (stand.attempt > attempt || (!stand.active && !stand.more)),
        told: false,
    })
    .boxed())
}

/// The piece without an incomplete character at its end.
fn whole_characters(mut piece: Vec<u8>) -> Vec<u8> {
    if let Err(error) = str::from_utf8(&piece)
        && error.error_len().is_none()
        && error.valid_up_to() > 0
    {
        piece.truncate(error.valid_up_to());
    }
    piece
}

/// What is known of a job's attempts.
struct Stand {
    /// Number of the last attempt.
    attempt: u32,
    /// Its log.
    log: PathBuf,
    /// Whether the last attempt may still write.
    active: bool,
    /// Whether another attempt may follow without a person asking for it.
    more: bool,
}

impl Stand {
    fn of(args: &LogsArgs, place: &Place, context: &Context) -> Result<Self, Error> {
        let id = args.job.job.as_str();
        if lock::holder(place, context.now()).is_some() {
            let state = load::state(place)?;
            if let Some(row) = state.jobs.iter().find(|row| row.id == id) {
                return Ok(Self {
                    attempt: row.attempts,
                    log: row.log.clone().unwrap_or_default().into(),
                    active: row.status == "running",
                    more: !matches!(row.status.as_str(), "completed" | "stuck"),
                });
            }
        }
        // No manager writes the state, so the attempts themselves are checked.
        let look = look(&args.job.queue, context)?;
        let at = job(&look.queue, id)?;
        let active = matches!(look.queue.state(at), State::Running | State::Cancelling);
        let last = look.queue.run(at).last();
        Ok(Self {
            attempt: last.number,
            log: last.log.as_deref().unwrap_or_default().into(),
            active,
            more: active,
        })
    }
}

/// Prints what a job writes until nothing more can follow, or the user ends it.
fn follow(
    args: &LogsArgs,
    place: &Place,
    (mut attempt, mut path): (u32, PathBuf),
    context: &Context,
) -> CommandResult {
    let id = args.job.job.as_str();
    let mut wake = Wake::new(place.folder())?;
    let mut open: Option<LogFile> = None;
    let (mut at, mut lines) = (0, Lines::default());
    // Later attempts are printed from their beginning.
    let mut first = Some(args.lines);
    loop {
        // Before the log: what is written before an end is then read after it.
        let stand = Stand::of(args, place, context)?;
        if open.is_none() && attempt > 0 {
            if stand.attempt == attempt {
                path.clone_from(&stand.log);
            }
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
            for line in lines.push(&piece) {
                context.raw_line(&line);
            }
        }
        let over = stand.attempt > attempt || !stand.active;
        if over && let Some(rest) = lines.end() {
            context.raw_line(&rest);
        }
        if stand.attempt > attempt && args.attempt.is_none() {
            attempt = stand.attempt;
            (open, first) = (None, None);
            context.note(&format!("{id} #{attempt}"));
            continue;
        }
        let this = args.attempt.is_some() && over && attempt <= stand.attempt;
        if this || !stand.more || !wake.wait(AT_LATEST) {
            let text =
                tail(&path, args.lines).ok_or_else(|| Error::no_log(id, attempt, stand.attempt))?;
            return Ok(Outcome::done(Log {
                id: id.to_owned(),
                attempt,
                path: path.display().to_string(),
                text,
                next: at,
                last: stand.attempt,
                over,
                told: true,
            })
            .boxed());
        }
    }
}
