//! `run`: the whole gate on one pull request.

use std::path::PathBuf;

use aris_cli::{Context, Outcome};
use aris_review::{Findings, Gate, Pull, Section};
use clap::ValueEnum;
use serde_json::Value;

use crate::agents::{Open, ask};
use crate::audit::{Target, VerdictFlags, anchored, judged, published};
use crate::error::Error;
use crate::folder::{Folder, FolderArgs};
use crate::outside::{GitHubArgs, worktree};
use crate::report::Report;
use crate::source::{ReportArgs, fetch};

/// Who looks for claims and evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Agents, through requests and answers
    Agent,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The git worktree with the report
    worktree: PathBuf,
    /// The branch that the pull request goes to
    base: String,
    /// Where the pull request is
    #[arg(value_name = "PR_URL")]
    pull: Pull,
    /// Who looks for claims and evidence
    #[arg(long, default_value = "agent")]
    engine: Engine,
    /// Folder of the agents' answers; default: answers in the output folder
    #[arg(long, value_name = "DIR")]
    agent_dir: Option<PathBuf>,
    /// Post also what is there already
    #[arg(long)]
    repost: bool,
    #[command(flatten)]
    flags: VerdictFlags,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    github: GitHubArgs,
}

pub(crate) fn run(args: &RunArgs, context: &Context) -> Result<Outcome<Report>, Error> {
    let worktree = worktree(&args.worktree, context)?;
    let folder = args.folder.folder(context);
    let github = args.github.way(context, &worktree)?;
    let diff = match fetch(&github, &args.pull, &folder)? {
        Ok(diff) => diff,
        Err(trouble) => {
            let mut judged = judged(Findings::default());
            judged.degrade(&trouble.to_string(), args.flags.degraded_verdict);
            return Ok(args.flags.outcome(judged));
        }
    };
    let sections = args.reports.sections(&diff);
    let all = found(args, &sections, &diff, &folder, context)?;
    let target = Target {
        github: &github,
        pull: &args.pull,
        gate: args.folder.gate,
        again: args.repost,
    };
    let judged = published(judged(all), &target, &args.flags, &folder, context)?;
    Ok(args.flags.outcome(judged))
}

/// Everything that was found, where the diff can carry it. What nobody looked at is a finding, too.
fn found(
    args: &RunArgs,
    sections: &[Section],
    diff: &[u8],
    folder: &Folder,
    context: &Context,
) -> Result<Findings, Error> {
    let answers = match &args.agent_dir {
        Some(path) => context.absolute(path),
        None => folder.at("answers"),
    };
    let asking = ask(args.folder.gate, sections, diff, &answers)?;
    asking.write(folder)?;
    let number = args.pull.number;
    if args.folder.gate == Gate::Claims {
        folder.write_json(&format!("claims_{number}.json"), &asking.claims)?;
    }
    let mut all = asking.findings;
    all.findings.extend(asking.open.iter().map(Open::finding));
    let all = anchored(all, diff, &asking.claims);
    folder.write_json(&format!("findings_{number}.json"), &raw(&all)?)?;
    Ok(all)
}

/// The list as it can be read again: findings, and behind them what was none.
fn raw(all: &Findings) -> Result<Vec<Value>, Error> {
    let findings = all.findings.iter().map(serde_json::to_value);
    let rejected = all.rejected.iter().map(|entry| Ok(entry.finding.clone()));
    findings
        .chain(rejected)
        .collect::<Result<_, _>>()
        .map_err(Error::Written)
}
