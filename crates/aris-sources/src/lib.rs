//! The sources of records: what they are asked, and how their answers are read.
//!
//! One module for each source: functions that ask through a [`Client`](aris_http::Client), and `parse` functions from an answer to
//! records, which need no network. An answer that is none is a [`Doubt`](aris_http::Doubt): asked for again, never read as "nothing".

#![warn(missing_docs)]

pub mod arxiv;
pub mod hosts;
mod keep;
mod plain;
