//! `schema`: what a figure may hold.

use serde::Serialize;

/// The fields of a figure.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fields {
    /// A JSON schema, draft 2020-12.
    json_schema: serde_json::Value,
}

pub(crate) fn run() -> Fields {
    Fields {
        json_schema: aris_figure::json_schema(),
    }
}
