//! `prepare`: gets the diff, divides it into sections, and writes the requests to agents.
//!
//! Called again when there are answers, it writes the requests that follow from them: first for claims, then for their evidence.

use std::path::PathBuf;

use aris_cli::Context;
use aris_gates::{FolderArgs, ForgeArgs, Worktree};
use aris_review::{Diff, Pull};

use crate::Error;
use crate::agents::{AnswerArgs, ask};
use crate::report::Prepared;
use crate::source::{Changes, ReportArgs, fetch, given_diff, not_shown};

/// Arguments of `prepare`.
#[derive(Debug, clap::Args)]
pub(crate) struct PrepareArgs {
    /// Address of the pull request
    #[arg(
        value_name = "PR_URL",
        required_unless_present = "diff",
        conflicts_with = "diff"
    )]
    pull: Option<Pull>,
    /// A diff instead of a pull request
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    #[command(flatten)]
    answers: AnswerArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

pub(crate) fn run(args: &PrepareArgs, context: &Context) -> Result<Prepared, Error> {
    let folder = args.folder.folder(context, |profile| profile.marker)?;
    let answers = args.answers.folder(&folder, context)?;
    let reports = args.reports.reports();
    let mut prepared = Prepared {
        answers: answers.display().to_string(),
        ..Prepared::default()
    };
    let diff = match (&args.diff, &args.pull) {
        (Some(path), _) => {
            prepared.diff = Some(context.absolute(path).display().to_string());
            given_diff(path, context)?
        }
        (None, Some(pull)) => {
            let forge = args.forge.way(context, context.cwd(), &pull.repository)?;
            let worktree = Worktree::of(context.cwd()).ok();
            match fetch(&*forge, (pull, None), &reports, worktree.as_ref(), &folder) {
                Ok(Changes { diff, .. }) => {
                    let kept = folder.at(&format!("diff_{}.txt", pull.number));
                    prepared.diff = Some(kept.display().to_string());
                    diff
                }
                Err(Error::Trouble(trouble)) => {
                    prepared.degraded = true;
                    prepared.reason = Some(trouble.to_string());
                    return Ok(prepared);
                }
                Err(error) => return Err(error),
            }
        }
        (None, None) => Vec::new(),
    };
    let read = Diff::read(&diff);
    let sections = reports.sections(&read);
    let not_shown = not_shown(&reports, &read, args.folder.gate);
    prepared.not_shown = not_shown.into_iter().map(|open| open.file).collect();
    let asking = ask(args.folder.gate, &sections, &diff, &answers)?;
    prepared.sections = sections.len();
    prepared.requests = asking.write(&folder)?;
    Ok(prepared)
}
