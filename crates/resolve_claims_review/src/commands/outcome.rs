//! `outcome`: derives the tokens from escalations and the number of edits.

use std::path::PathBuf;

use aris_cli::Context;
use aris_review::{Tokens, read_strategies};

use crate::Error;
use crate::folder::HINT;

/// Arguments of `outcome`.
#[derive(Debug, clap::Args)]
pub(crate) struct OutcomeArgs {
    /// The escalation records
    #[arg(long, value_name = "FILE")]
    escalations: PathBuf,
    /// How many edits were made
    #[arg(long, value_name = "N", default_value_t = 0)]
    fixes_applied: usize,
}

pub(crate) fn run(args: &OutcomeArgs, context: &Context) -> Result<Tokens, Error> {
    let path = context.absolute(&args.escalations);
    let bytes = aris_fs::read(&path, aris_fs::READ_LIMIT)?;
    let strategies = read_strategies(&bytes);
    let strategies = strategies.map_err(|wrong| Error::json(&path, &wrong, HINT))?;
    Ok(Tokens::of(strategies, args.fixes_applied))
}
