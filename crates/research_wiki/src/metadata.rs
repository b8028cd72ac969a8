//! Descriptions of papers, from arXiv or from a file.

use std::path::Path;

use aris_cli::Context;
use aris_contract::artifact::papers::Paper;
use aris_contract::ids::ArxivId;
use aris_online::{OnlineArgs, Progress};
use aris_sources::{HttpError, arxiv, hosts};

use crate::error::Error;

/// The result of asking for several papers.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    /// The papers that were described.
    pub(crate) papers: Vec<Paper>,
    /// The papers that were not asked for or got no answer, or that the file does not describe. A requested paper in neither list does
    /// not exist.
    pub(crate) unanswered: Vec<ArxivId>,
    /// Why they got no answer.
    pub(crate) stopped: Option<HttpError>,
}

/// Asks arXiv for `ids`, as many per request as arXiv allows.
pub(crate) fn from_arxiv(
    context: &Context,
    online: &OnlineArgs,
    ids: &[ArxivId],
) -> Result<Fetched, Error> {
    let progress = Progress::new(context, Some(ids.len().div_ceil(arxiv::BATCH) as u64));
    let (hosts, name) = (&[&hosts::ARXIV], "research_wiki");
    let client = aris_online::client(context, online, hosts, name, &progress)?;
    let mut fetched = Fetched::default();
    for (number, batch) in ids.chunks(arxiv::BATCH).enumerate() {
        match arxiv::by_id(&client, batch) {
            Ok(papers) => fetched.papers.extend(papers),
            Err(error) => {
                let rest = ids.get(number * arxiv::BATCH..).unwrap_or_default();
                fetched.unanswered = rest.to_vec();
                fetched.stopped = Some(error);
                break;
            }
        }
        progress.step();
    }
    progress.finish();
    Ok(fetched)
}

/// Largest file of descriptions, in bytes: 64 MiB, tens of thousands of papers.
const LIMIT: u64 = 64 << 20;

/// Reads the records of a file.
pub(crate) fn from_file(path: &Path) -> Result<Vec<Paper>, Error> {
    let bytes = aris_fs::read(path, LIMIT)?;
    let hint = "the file holds records like those of arxiv_fetch --json";
    let records = aris_online::read_records(path, &bytes);
    records.map_err(|(line, why)| Error::metadata(path, line, &why, hint))
}
