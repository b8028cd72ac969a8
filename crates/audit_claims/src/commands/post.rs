//! `post`: merges findings, derives the verdict, and posts the review.

use std::path::PathBuf;

use aris_cli::{Context, Shown};
use aris_gates::{FolderArgs, ForgeArgs};
use aris_review::{Looked, Pull};

use crate::Error;
use crate::audit::{Target, VerdictFlags, anchored, published};
use crate::report::Judged;
use crate::source::{kept_claims, kept_diff};

/// Arguments of `post`.
#[derive(Debug, clap::Args)]
pub(crate) struct PostArgs {
    /// Address of the pull request
    #[arg(value_name = "PR_URL")]
    pull: Pull,
    /// The findings: a list, or what `audit_claims check`, `run` or `merge` prints with --json
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// The diff that positions are checked against [default: `diff_N.txt` in the output folder, else that of the pull request]
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    /// Post everything, also comments that are already there
    #[arg(long)]
    repost: bool,
    /// The list is complete: close the threads of findings that are not in it
    #[arg(long)]
    complete: bool,
    #[command(flatten)]
    flags: VerdictFlags,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

pub(crate) fn run(args: &PostArgs, context: &Context) -> Result<Shown, Error> {
    let folder = args.folder.folder(context, |profile| profile.marker)?;
    let mut all = super::findings(&args.findings, context)?;
    let number = args.pull.number;
    let repository = &args.pull.repository;
    let forge = args.forge.way(context, context.cwd(), repository)?;
    let kept = kept_diff(&folder, args.diff.as_deref(), number, context)?;
    let asked = || {
        forge.reach()?;
        let record = forge.record(&args.pull)?;
        forge.diff(&args.pull, &record)
    };
    // A finding is recognized by the text of its line, which is in the diff.
    match kept.map_or_else(asked, Ok) {
        Ok(diff) => all = anchored(all, &diff, &kept_claims(&folder, number)?),
        Err(trouble) => context.warn(&format!(
            "the diff is not known, so the lines of the findings were not checked: {trouble}"
        )),
    }
    let target = Target {
        forge: &*forge,
        pull: &args.pull,
        gate: args.folder.gate,
        again: args.repost,
        head: None,
        looked: Looked {
            rules: args.complete,
            agents: args.complete,
        },
        unseen: None,
    };
    let judged = published(Judged::of(all), &target, &args.flags, &folder, context)?;
    Ok(args.flags.outcome(judged))
}
