//! `merge`: merges several lists of findings into one.

use std::path::PathBuf;

use aris_cli::{Context, Outcome, Shown};
use aris_fs::Form;
use aris_review::{Findings, Merged};

use crate::Error;
use crate::formats::FormatArgs;

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// Lists of findings, or what `audit_claims check` prints with --json; findings at one place become one, which has the highest severity and lists the others
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// File for the list, which is printed, too
    #[arg(long, alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: FormatArgs,
}

pub(crate) fn run(args: &MergeArgs, context: &Context) -> Result<Shown, Error> {
    if let Some(out) = &args.output {
        // A merged list may be merged again in place: nothing of it is lost.
        let form = Form::Json(&["findings", "duplicates"]);
        aris_fs::check_output(&context.absolute(out), form, &[])?;
    }
    let mut all = Findings::default();
    for input in &args.inputs {
        all.append(super::findings(input, context)?);
    }
    let merged = Merged::of(all);
    if let Some(out) = &args.output {
        aris_fs::write_output(&context.absolute(out), &aris_gates::pretty(&merged)?)?;
    }
    Ok(args.form.shown(Outcome::done(merged)))
}
