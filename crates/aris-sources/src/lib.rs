//! The sources of records: what they are asked, and how their answers are read.
//!
//! One module for each source: functions that ask through a [`Client`], and `parse` functions from an answer to
//! records, which need no network. An answer that is none is a [`Doubt`]: asked for again, never read as "nothing".

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

/// A record of which only its source is known yet.
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

/// The paper that an address of arXiv leads to, without its version.
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
