//! The data products.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use serde::Serialize;

use crate::commands::graph::{self, GraphData};
use crate::commands::validate::{self, Validation};

/// The data product of a subcommand.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Of `validate`.
    Validation(Validation),
    /// Of `graph`.
    Graph(GraphData),
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        match self {
            Self::Validation(_) => validate::SCHEMA,
            Self::Graph(_) => graph::SCHEMA,
        }
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match self {
            Self::Validation(data) => data.render(out),
            Self::Graph(data) => data.render(out),
        }
    }
}
