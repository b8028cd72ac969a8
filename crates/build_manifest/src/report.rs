//! The result, and how it is printed.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::text::counted;
use schemars::JsonSchema;
use serde::Serialize;

/// Schema id of [`Built`].
pub(crate) const SCHEMA: &str = "aris.build_manifest.built/v1";

/// Schema id of [`Specification`].
pub(crate) const SPECIFICATION: &str = "aris.build_manifest.specification/v1";

/// Schema id of [`GridSchema`].
pub(crate) const GRID_SCHEMA: &str = "aris.build_manifest.grid_schema/v1";

/// Schema id of specifications.
pub(crate) const GRID: &str = "aris.build_manifest.grid/v1";

/// The JSON Schema of specifications, as it is published.
const PUBLISHED: &str = include_str!("../../../schemas/aris.build_manifest.grid.v1.json");

/// The result of a call.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// A specification was checked or expanded.
    Built(Built),
    /// `--example`.
    Specification(Specification),
    /// `--schema`.
    Schema(GridSchema),
}

/// What specifications may hold, for editors.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GridSchema {
    /// The JSON Schema of specifications.
    schema: serde_json::Value,
}

impl GridSchema {
    pub(crate) fn published() -> Self {
        let schema = serde_json::from_str(PUBLISHED).unwrap_or_default();
        Self { schema }
    }
}

/// A specification to begin with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Specification {
    /// Its text, YAML.
    pub(crate) example: &'static str,
}

/// A specification that was expanded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Built {
    /// Project as the manifest names it.
    pub(crate) project: String,
    /// Phases in the manifest's order.
    pub(crate) phases: Vec<Phase>,
    /// Jobs in all.
    pub(crate) jobs: u64,
    /// The manifest; absent when the specification was only checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Its SHA-256, `sha256:<64 hex digits>`.
    pub(crate) digest: String,
    /// Bytes of the manifest.
    pub(crate) bytes: u64,
    /// Whether the file was written; false when it was there already, the same to the byte, or was not asked for.
    pub(crate) written: bool,
}

/// One phase.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Phase {
    /// Its name.
    pub(crate) name: String,
    /// Its jobs.
    pub(crate) jobs: u64,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        match self {
            Self::Built(_) => SCHEMA,
            Self::Specification(_) => SPECIFICATION,
            Self::Schema(_) => GRID_SCHEMA,
        }
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match self {
            Self::Built(built) => built.render(out),
            Self::Specification(Specification { example }) => out.write_all(example.as_bytes()),
            Self::Schema(_) => out.write_all(PUBLISHED.as_bytes()),
        }
    }
}

impl Built {
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        let verb = self.path.as_ref().map_or("Checked", |_| "Built");
        let phases = counted(self.phases.len(), "phase");
        let jobs = counted(self.jobs, "total job");
        writeln!(out, "{verb} manifest with {phases}, {jobs}")?;
        for phase in &self.phases {
            writeln!(out, "  {}\t{}", phase.name, phase.jobs)?;
        }
        match &self.path {
            Some(path) if self.written => writeln!(out, "Saved to {path}"),
            Some(path) => writeln!(out, "{path} is up to date"),
            None => Ok(()),
        }
    }
}
