//! The sources of records: requests, and parsers of their answers.
//!
//! One module per source: functions that send requests through a [`Client`], and `parse` functions that turn an answer into
//! records without network access. A body that is not an answer is a [`Doubt`]: it is requested again, and never means "nothing
//! found".

#![warn(missing_docs)]

mod answer;
pub mod arxiv;
pub mod crossref;
pub mod datacite;
pub mod dblp;
pub mod deepxiv;
mod error;
pub mod exa;
pub mod hosts;
pub mod json;
pub mod keep;
pub mod openalex;
mod plain;
pub mod semantic_scholar;
pub mod unpack;
pub mod web;

use aris_contract::artifact::papers::{Origin, Paper, Source};
use aris_contract::ids::ArxivId;
use jiff::Timestamp;

pub use answer::Answer;
pub use aris_http::{
    Allowance, Client, DEADLINE, Doubt, Downloaded, Event, Host, HttpError, Mode, Request,
    Response, Settings,
};
pub use error::FetchError;

/// A record with only its source.
fn record(source: Source, record: &str, retrieved_at: Timestamp) -> Paper {
    let origin = Origin {
        source,
        record: record.to_owned(),
        retrieved_at: aris_contract::time::stamp(retrieved_at),
    };
    Paper {
        origins: vec![origin],
        ..Paper::default()
    }
}

/// The paper of an arXiv URL, without its version.
fn arxiv_of(address: &str) -> Option<ArxivId> {
    let id = address
        .contains("arxiv.org/")
        .then(|| ArxivId::parse(address).ok())??;
    Some(id.without_version())
}

/// An ORCID without its URL.
fn orcid(url: &str) -> Option<String> {
    let id = url.rsplit('/').next().unwrap_or(url);
    let shaped = id.len() == 19
        && id.bytes().enumerate().all(|(at, byte)| match at {
            4 | 9 | 14 => byte == b'-',
            18 => byte.is_ascii_digit() || byte == b'X',
            _ => byte.is_ascii_digit(),
        });
    shaped.then(|| id.to_owned())
}
