//! `schema`: the fields of a figure.

use std::io::{self, Write};

use serde::Serialize;

/// A figure with boxes, a frame and a label, without positions.
const EXAMPLE: &str = include_str!("example.json");

/// The fields of a figure.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fields {
    /// With `--example`: a figure to begin with, as its file holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<&'static str>,
    /// A JSON schema, draft 2020-12.
    json_schema: serde_json::Value,
}

impl Fields {
    /// Writes the form for people.
    pub(crate) fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.example {
            Some(example) => out.write_all(example.as_bytes()),
            None => out.write_all(aris_figure::field_table().as_bytes()),
        }
    }
}

pub(crate) fn run(example: bool) -> Fields {
    Fields {
        example: example.then_some(EXAMPLE),
        json_schema: aris_figure::json_schema(),
    }
}
