//! `logs`: the output of a step, also while it runs.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_cli::{Context, Outcome, Product, Style};
use aris_contract::ErrorKind;
use serde::Serialize;

use crate::attempt::{self, Left, Part, STDERR, STDOUT};
use crate::cli::LogsArgs;
use crate::commands::status::folder;
use crate::error::Error;
use crate::journal;
use crate::store::{self, ticket};

/// Schema id of [`Log`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.log/v1";
/// Most bytes that are read at once, and that an envelope has of a log.
const LIMIT: u64 = 16 << 20;
/// Time between two looks at a log that grows.
const AGAIN: Duration = Duration::from_millis(100);

/// What an attempt printed.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Log {
    /// The step.
    step: String,
    /// The attempt: the number of its entry in the journal, and its own.
    ticket: String,
    /// The file.
    path: String,
    /// Whether it still grows.
    at_work: bool,
    /// Its text, or the last 16 MiB of it; what is not UTF-8 is replaced.
    text: String,
    /// Bytes before `text`, where the log is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

/// Prints the log of the running step, or of the last attempt of a step.
pub(crate) fn run(args: &LogsArgs, context: &Context) -> Result<Outcome<Log>, Error> {
    let state_path = context.absolute(&args.state);
    let (state, _) = store::load(&state_path)?;
    let now = ticket(&state);
    let at_cursor = step_of(&folder(&state_path, &now))?;
    let (ticket, step) = match (&args.step, at_cursor) {
        (None, Some(step)) => (now, step),
        (wanted, _) => last(&state_path, wanted.as_deref())?,
    };
    let folder = chosen(&folder(&state_path, &ticket), &step, args.lens.as_deref())?;
    let path = folder.join(if args.stderr { STDERR } else { STDOUT });
    let mut at_work = matches!(attempt::left(&folder, None)?, Left::AtWork(_));
    let (mut at, mut rest) = (0, Vec::new());
    while args.follow || !context.json() {
        let piece = from(&path, at)?;
        at += piece.len() as u64;
        if let Some(end) = piece.iter().rposition(|byte| *byte == b'\n') {
            let (lines, begun) = piece.split_at(end);
            rest.extend_from_slice(lines);
            context.raw_line(&String::from_utf8_lossy(&rest));
            rest = begun.get(1..).unwrap_or_default().to_vec();
        } else {
            rest.extend_from_slice(&piece);
        }
        if piece.len() as u64 == LIMIT {
            continue;
        }
        if !args.follow || !at_work {
            break;
        }
        std::thread::park_timeout(AGAIN);
        // Looked up before the log is read, so that everything written before the end is printed.
        at_work = matches!(attempt::left(&folder, None)?, Left::AtWork(_));
    }
    if args.follow && !rest.is_empty() {
        rest.push(b'\n');
    }
    let mut left_out = 0;
    if context.json() {
        (left_out, rest) = end(&path)?;
    }
    let text = String::from_utf8_lossy(&rest).into_owned();
    Ok(Outcome::done(Log {
        step,
        ticket,
        path: path.display().to_string(),
        at_work,
        text,
        left_out: (left_out > 0).then_some(left_out),
    }))
}

/// The step of the attempts in a folder; `None` where there is none.
fn step_of(folder: &Path) -> Result<Option<String>, Error> {
    for part in attempt::parts(folder, None)? {
        if let Some(step) = attempt::step_of(&part.folder)? {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// The folder of a lens, or of the only attempt of a step.
fn chosen(folder: &Path, step: &str, wanted: Option<&str>) -> Result<PathBuf, Error> {
    let parts = attempt::parts(folder, None)?;
    let names = parts.iter().filter_map(|part| part.lens.as_deref());
    let names: Vec<&str> = names.collect();
    let is_wanted = |part: &&Part| part.lens.is_some() && part.lens.as_deref() == wanted;
    let found = match (wanted, parts.as_slice()) {
        (None, [one]) => Some(one),
        (_, parts) => parts.iter().find(is_wanted),
    };
    if let Some(part) = found {
        return Ok(part.folder.clone());
    }
    let reason = match wanted {
        None => format!("step {step} has several lenses, each with a log of its own"),
        Some(wanted) => format!("step {step} has no lens {wanted:?}"),
    };
    let hint = match names.join(", ").as_str() {
        "" => String::from("leave --lens out"),
        names => format!("add --lens with one of: {names}"),
    };
    Err(Error::input(reason, hint))
}

/// The last attempt, of one step or of all.
fn last(state: &Path, wanted: Option<&str>) -> Result<(String, String), Error> {
    let above = journal::attempts_of(state);
    let no_log = || {
        let what = wanted.map_or_else(|| String::from("any step"), |step| format!("step {step}"));
        let reason = format!("{} has no log of {what}", above.display());
        let hint = "recipe_runner status names the running step; only steps that executors carry out have a log";
        Error::refused_at(&above, ErrorKind::NotFound, reason, hint)
    };
    if !above.is_dir() {
        return Err(no_log());
    }
    let entries = aris_fs::list_sorted(&above)?;
    let tickets = entries.iter().filter_map(|entry| {
        let name = entry.name.to_str()?;
        let (seq, attempt) = name.split_once('.')?;
        Some(((seq.parse().ok()?, attempt.parse().ok()?), name.to_owned()))
    });
    let mut tickets: Vec<((u64, u32), String)> = tickets.collect();
    tickets.sort();
    for (_, ticket) in tickets.into_iter().rev() {
        let step = step_of(&above.join(&ticket))?;
        if let Some(step) = step.filter(|step| wanted.is_none_or(|wanted| wanted == step)) {
            return Ok((ticket, step));
        }
    }
    Err(no_log())
}

/// The bytes of a file from `at` on; empty where there is no file yet.
fn from(path: &Path, at: u64) -> Result<Vec<u8>, Error> {
    match aris_fs::open(path) {
        Ok(file) => Ok(file.read_from(at, LIMIT)?),
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The last bytes of a log, and how many bytes are before them.
pub(crate) fn end(path: &Path) -> Result<(u64, Vec<u8>), Error> {
    let length = aris_fs::open(path).map_or(0, |file| file.metadata().len());
    let before = length.saturating_sub(LIMIT);
    Ok((before, from(path, before)?))
}

impl Product for Log {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn is_raw(&self) -> bool {
        true
    }

    /// The last line, if it has no line break; the other lines were printed as they were read.
    fn render(&self, out: &mut dyn Write, _: Style) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }
}
