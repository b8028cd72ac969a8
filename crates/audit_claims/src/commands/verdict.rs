//! `verdict`: derives the verdict from findings.

use std::path::PathBuf;

use aris_cli::{Context, Outcome, Shown};

use crate::Error;
use crate::formats::FormatArgs;
use crate::report::Judged;

/// Arguments of `verdict`.
#[derive(Debug, clap::Args)]
pub(crate) struct VerdictArgs {
    /// The findings: a list, or what `audit_claims check`, `run` or `merge` prints with --json
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// Exit with 10 unless the verdict is approved
    #[arg(long)]
    exit_signal: bool,
    #[command(flatten)]
    form: FormatArgs,
}

pub(crate) fn run(args: &VerdictArgs, context: &Context) -> Result<Shown, Error> {
    let judged = Judged::of(super::findings(&args.findings, context)?);
    let found = args.exit_signal && !judged.is_approved();
    Ok(args.form.shown(Outcome::found(judged, found)))
}
