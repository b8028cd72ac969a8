//! `group`: sorts comments that were fetched before into groups.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_review::{Gate, Thread};

use serde::de::DeserializeOwned;
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
    /// The reviews as GitHub gives them, a list: they hold the findings that no comment has
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

/// The list in a file; an empty one if no file is given.
fn given<T: DeserializeOwned>(file: Option<&Path>, context: &Context) -> Result<Vec<T>, Error> {
    file.map_or(Ok(Vec::new()), |file| read(&context.absolute(file)))
}

/// The pull request that all comments say they are of.
///
/// **Source**: GitHub, "List review comments on a pull request": `pull_request_url`.
fn number(comments: &[Value]) -> Option<u64> {
    let of = |comment: &Value| {
        let url = comment.get("pull_request_url")?.as_str()?;
        url.rsplit('/').next()?.parse::<u64>().ok()
    };
    let first = of(comments.first()?)?;
    let all = comments.iter().all(|comment| of(comment) == Some(first));
    all.then_some(first)
}

pub(crate) fn run(args: &GroupArgs, context: &Context) -> Result<Fetched, Error> {
    let comments: Vec<Value> = read(&context.absolute(&args.comments))?;
    let threads: Vec<Thread> = given(args.threads.as_deref(), context)?;
    let reviews: Vec<Value> = given(args.reviews.as_deref(), context)?;
    let mut groups = Fetched {
        pr: number(&comments),
        ..Fetched::default()
    };
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
