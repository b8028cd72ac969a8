//! `plan`: lists the edits in their order.

use std::path::PathBuf;

use aris_cli::Context;
use aris_review::{Classification, Gate, plan};

use crate::Error;
use crate::folder::read;
use crate::report::{Planned, Work};

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    /// The classification
    #[arg(long, value_name = "FILE")]
    classification: PathBuf,
    /// claims: are the claims of the report supported; review: is the research itself sound
    #[arg(long, default_value = "claims", value_name = "claims|review", value_parser = |text: &str| text.parse::<Gate>())]
    gate: Gate,
}

pub(crate) fn run(args: &PlanArgs, context: &Context) -> Result<Planned, Error> {
    let mut map: Classification = read(&context.absolute(&args.classification))?;
    let order = plan(args.gate.profile(), &map);
    let work = order.into_iter();
    let work = work.filter_map(|id| map.remove(&id).map(|entry| Work { id, entry }));
    let work = work.collect();
    Ok(Planned { work })
}
