//! `merge`: one list out of several.

use std::path::PathBuf;

use aris_cli::Context;
use aris_review::Findings;

use crate::error::Error;
use crate::report::Merged;

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// Lists of findings, in the order in which they count
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Write the list there, too
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &MergeArgs, context: &Context) -> Result<Merged, Error> {
    let mut all = Findings::default();
    for input in &args.inputs {
        all.append(super::findings(input, context)?);
    }
    let merged = Merged::of(all);
    if let Some(out) = &args.out {
        let mut text = serde_json::to_string_pretty(&merged).map_err(Error::Written)?;
        text.push('\n');
        aris_fs::write_atomic(&context.absolute(out), text.as_bytes())?;
    }
    Ok(merged)
}
