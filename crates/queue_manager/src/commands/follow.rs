//! `remote HOST --run RUN -- logs JOB --follow`: follows the log of a job on a server.

use std::thread::park_timeout;
use std::time::Duration;

use aris_cli::{Context, Outcome};
use aris_contract::{ErrorKind, Failure as _};

use crate::cli::RemoteArgs;
use crate::commands::CommandResult;
use crate::commands::logs::Log;
use crate::commands::there::{Remote, There, data_of, printable};
use crate::log_file::Lines;
use crate::report;

/// Longest pause between two calls while the log does not grow.
const SELDOM: Duration = Duration::from_secs(5);

/// Longest pause between two tries to reach a server.
const PATIENT: Duration = Duration::from_mins(1);

/// If a command of `remote` follows a log: its words without the flag for following.
pub(crate) fn follows(command: &[String]) -> Option<Vec<String>> {
    let flag = |word: &String| word == "--follow" || word == "-f";
    let end = command.iter().position(|word| word == "--");
    let is_logs = command.first().is_some_and(|word| word == "logs");
    let (flags, names) = command.split_at(end.unwrap_or(command.len()));
    let others = flags.iter().filter(|word| !flag(word));
    let follows = is_logs && flags.iter().any(flag);
    follows.then(|| others.chain(names).cloned().collect())
}

/// The result after following. The lines were printed already; with JSON, the same command without following gives the data.
fn told(there: &There<'_>, words: &[String], context: &Context) -> CommandResult {
    let mut call: Vec<&str> = words.iter().map(String::as_str).collect();
    call.insert(1, "--json");
    let answer = context.json().then(|| there.data(&call)).transpose()?;
    let remote = Remote {
        host: there.host.to_owned(),
        run: there.run.to_owned(),
        answer,
        text: None,
    };
    Ok(Outcome::done(remote).shown(report::id::REMOTE, report::remote))
}

/// Prints what a job on a server writes until nothing more can come. If the connection breaks, it tries again; the job continues meanwhile.
pub(crate) fn follow(args: &RemoteArgs, words: &[String], context: &Context) -> CommandResult {
    let there = There::new(&args.ssh, &args.run, context)?;
    let one = words.iter().any(|word| word.starts_with("--attempt"));
    let mut at: Option<(u32, u64)> = None;
    let mut lines = Lines::default();
    let (mut quiet, mut away) = (Duration::ZERO, Duration::ZERO);
    loop {
        let mut call = words.to_vec();
        let mut more = vec![String::from("--json")];
        match at {
            Some((_, from)) if one => more.push(format!("--from={from}")),
            Some((attempt, from)) => {
                more.extend([format!("--from={from}"), format!("--attempt={attempt}")]);
            }
            // A job that has not started has no log yet.
            None => more.push(String::from("--or-wait")),
        }
        call.splice(1..1, more);
        let answer = match there.call(call) {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                if away.is_zero() {
                    context.warn(&format!("{error}; the job still runs; trying again"));
                }
                away = (away * 2).clamp(Duration::from_secs(1), PATIENT);
                park_timeout(away);
                continue;
            }
            other => other?,
        };
        away = Duration::ZERO;
        let look: Log = data_of(there.host, &answer)?;
        for line in lines.push(look.text.as_bytes()) {
            context.line(&printable(&line));
        }
        let (mut next, mut attempt) = (look.next, look.attempt);
        if look.over {
            if let Some(line) = lines.end() {
                context.line(&printable(&line));
            }
            if one || look.last <= attempt {
                return told(&there, words, context);
            }
            (attempt, next) = (attempt + 1, 0);
            context.note(&format!("attempt {attempt}"));
        }
        let moved = at != Some((attempt, next));
        at = Some((attempt, next));
        quiet = if moved {
            Duration::from_millis(500)
        } else {
            (quiet * 2).clamp(Duration::from_secs(1), SELDOM)
        };
        park_timeout(quiet);
    }
}
