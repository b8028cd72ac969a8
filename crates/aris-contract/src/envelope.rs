//! The JSON document that a helper prints with `--json`.
//!
//! Success: `{"data": …, "meta": {"schema", "helper", "version", "count"?}}`. Failure:
//! `{"error": {"code", "message", "hint"?, "details"}}`. Nothing in an envelope depends on the time of the run, so that
//! the same input gives the same bytes.
//!
//! **Source**: the skill resource protocol §4.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::ErrorBody;

/// A success envelope around a data product.
#[derive(Debug, Serialize)]
pub struct Success<'a, T: ?Sized> {
    /// The data product.
    pub data: &'a T,
    /// What the data is and who made it.
    pub meta: Meta<'a>,
}

/// What the data of an envelope is and who made it.
#[derive(Debug, Serialize)]
pub struct Meta<'a> {
    /// Schema id of `data`, `aris.<helper>.<name>/v1`.
    pub schema: &'a str,
    /// Canonical name of the helper.
    pub helper: &'a str,
    /// Version of the helper, without the commit.
    pub version: &'a str,
    /// Number of elements, when `data` is a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Further entries from the helper; usually none.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// An error envelope.
#[derive(Debug, Serialize)]
pub struct Error {
    /// What went wrong.
    pub error: ErrorBody,
}
