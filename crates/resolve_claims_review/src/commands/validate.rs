//! `validate`: runs the check of the report after the edits. One call is one attempt.

use std::time::Duration;

use aris_cli::{Context, Outcome, Shown};
use aris_contract::Signal;
use aris_gates::{Folder, Worktree};
use aris_proc::End;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::config::Config;
use crate::folder::{WorkArgs, fetched_or_none, groups, lock, read_if_there};
use crate::report::{VALIDATED, Validated, Validity};

/// Attempts before a validation has failed for good. **Source**: citation gates, §6.5.
const ATTEMPTS: u32 = 3;

/// Longest output that is passed on, in characters; the end of it is kept.
const TAIL: usize = 4000;

/// Arguments of `validate`.
#[derive(Debug, clap::Args)]
pub(crate) struct ValidateArgs {
    /// What to run with sh in the worktree [default: `validation_command` of .aris/config.yaml, which is read from the branch that the pull
    /// request goes to where git knows it; without one nothing runs]
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Seconds that the command may take [default: `validation_timeout` of .aris/config.yaml, or 120]
    #[arg(long = "command-timeout", alias = "timeout", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    #[command(flatten)]
    work: WorkArgs,
}

/// The attempts so far, `validation_{pr}.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Attempts {
    pub(crate) status: Option<Validity>,
    pub(crate) attempts: u32,
}

impl Attempts {
    pub(crate) fn read(folder: &Folder, pr: u64) -> Result<Self, Error> {
        Ok(read_if_there(&folder.at(&name(pr)))?.unwrap_or_default())
    }
}

/// Environment variables with tokens of GitHub and GitLab.
const TOKENS: [&str; 5] = [
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
];

fn name(pr: u64) -> String {
    format!("validation_{pr}.json")
}

pub(crate) fn run(args: &ValidateArgs, context: &Context) -> Result<Shown, Error> {
    let work = &args.work;
    let folder = work.folder.folder(context, |profile| profile.resolve)?;
    // A report may be checked before a pull request is fetched; `pr` is 0 then.
    let pr = fetched_or_none(&folder, work.pr)?;
    let config = if args.command.is_some() && args.timeout.is_some() {
        Config::default()
    } else {
        let fetched = groups(&folder, pr)?;
        let (project, fetched) = match &work.worktree {
            // With --worktree, use what a call in that worktree would use.
            Some(path) => {
                let there = Worktree::of(&context.absolute(path))?.path;
                let usual = work.folder.usual(&there, |profile| profile.resolve)?;
                let theirs = groups(&usual, fetched_or_none(&usual, work.pr)?);
                let fetched = fetched.map_or_else(|| theirs, |groups| Ok(Some(groups)))?;
                (there, fetched)
            }
            None => (context.cwd().to_path_buf(), fetched),
        };
        let base = fetched.and_then(|groups| groups.base);
        Config::read(&project, work.folder.gate, base.as_deref())?
    };
    let _lock = lock(&folder)?;
    let mut so_far = Attempts::read(&folder, pr)?;
    let Some(command) = args.command.clone().or(config.validation_command) else {
        so_far.status = Some(Validity::Skipped);
        folder.write_json(&name(pr), &so_far)?;
        let (status, attempts) = (Validity::Skipped, so_far.attempts);
        return Ok(outcome(status, attempts, None, String::new()));
    };
    if so_far.status == Some(Validity::Fail) {
        let why = "three attempts have failed, and the check is not run again: a person has to repair the report";
        let why = why.to_owned();
        return Ok(outcome(Validity::Fail, so_far.attempts, None, why));
    }
    if so_far.status == Some(Validity::Pass) {
        // An edit after a success is new work.
        so_far.attempts = 0;
    }
    let fetched = groups(&folder, pr)?.and_then(|groups| groups.worktree);
    let worktree = work.worktree(fetched.as_deref(), context)?;
    let timeout = Duration::from_secs(args.timeout.or(config.validation_timeout).unwrap_or(120));
    // Count the attempt before the command runs, so that a killed call counts too.
    so_far.attempts += 1;
    let retry = (so_far.attempts < ATTEMPTS).then_some(Validity::Retry);
    so_far.status = retry.or(Some(Validity::Fail));
    folder.write_json(&name(pr), &so_far)?;
    let run = || {
        // The user chooses the command, but it runs files of the branch under review, such as tests or a Makefile: give it no tokens.
        let command = aris_proc::command("sh", &worktree.path).args(["-c", &command]);
        let command = TOKENS.iter().fold(command, aris_proc::Command::env_remove);
        command.run(timeout)
    };
    let done = context.apart(run)?;
    if done.success() {
        so_far.status = Some(Validity::Pass);
        folder.write_json(&name(pr), &so_far)?;
    }
    let (code, end) = match done.end {
        End::Exited(code) => (Some(code), format!("the command exited with {code}")),
        End::Signalled(signal) => (None, format!("the command was ended by signal {signal}")),
        End::TimedOut => {
            let seconds = timeout.as_secs();
            (None, format!("the command was ended after {seconds} s"))
        }
    };
    let printed = format!("{}{}", done.stdout.text(), done.stderr.text());
    let output = format!("{}\n{end}", printed.trim_end());
    let status = so_far.status.unwrap_or(Validity::Fail);
    Ok(outcome(status, so_far.attempts, code, tail(&output)))
}

fn outcome(status: Validity, attempts: u32, code: Option<i32>, output: String) -> Shown {
    let data = Validated {
        status,
        attempts,
        code,
        output,
    };
    let signal = match status {
        Validity::Skipped | Validity::Pass => None,
        Validity::Retry => Some(Signal::FINDINGS),
        Validity::Fail => Some(Signal::BLOCK),
    };
    Outcome { data, signal }.shown(VALIDATED, Validated::render)
}

/// The last `TAIL` characters of an output.
fn tail(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(TAIL);
    text.chars().skip(skip).collect()
}
