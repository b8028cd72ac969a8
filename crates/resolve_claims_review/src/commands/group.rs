//! `group`: comments that were fetched before, by group.

use std::path::PathBuf;

use aris_cli::Context;
use aris_review::{Gate, Thread};

use serde_json::Value;

use super::fetch::{TrustArgs, sort};
use crate::Error;
use crate::folder::{Fetched, read};

/// Arguments of `group`.
#[derive(Debug, clap::Args)]
pub(crate) struct GroupArgs {
    /// The comments as GitHub gives them, a list
    #[arg(long, value_name = "FILE")]
    comments: PathBuf,
    /// The reviews as GitHub gives them, a list: findings that no comment carries stand in them
    #[arg(long, value_name = "FILE")]
    reviews: Option<PathBuf>,
    /// The review threads, a list
    #[arg(long, value_name = "FILE")]
    threads: Option<PathBuf>,
    /// claims: are the claims of the report supported; review: is the research itself sound
    #[arg(long, default_value = "claims", value_name = "claims|review", value_parser = |text: &str| text.parse::<Gate>())]
    gate: Gate,
    #[command(flatten)]
    trust: TrustArgs,
}

pub(crate) fn run(args: &GroupArgs, context: &Context) -> Result<Fetched, Error> {
    let comments: Vec<Value> = read(&context.absolute(&args.comments))?;
    let threads: Vec<Thread> = match &args.threads {
        Some(path) => read(&context.absolute(path))?,
        None => Vec::new(),
    };
    let reviews: Vec<Value> = match &args.reviews {
        Some(path) => read(&context.absolute(path))?,
        None => Vec::new(),
    };
    let mut groups = Fetched::default();
    // Nobody is logged in here: threads say which comments are one's own.
    let grouping = args.trust.grouping(args.gate, Some(""));
    sort(
        &mut groups,
        grouping,
        (&comments, &reviews),
        threads,
        context,
    );
    Ok(groups)
}
