//! The data product: where the record is.

use std::io::{self, Write};

use aris_audit::trace::Saved;
use aris_cli::{Product, Style};
use aris_contract::artifact::trace::TraceMode;
use serde::Serialize;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.save_trace.saved/v1";

/// The data product. Without a record (mode `off`) only `mode` is there.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    mode: TraceMode,
    /// Folder of the run relative to the project, with a final `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_number: Option<u64>,
    /// File prefix of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    /// Digest of the record's line in the run's chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    chain_digest: Option<String>,
}

impl Report {
    pub(crate) fn off() -> Self {
        Self {
            mode: TraceMode::Off,
            trace_path: None,
            run_id: None,
            call_number: None,
            prefix: None,
            chain_digest: None,
        }
    }

    pub(crate) fn saved(mode: TraceMode, saved: Saved) -> Self {
        Self {
            mode,
            trace_path: Some(saved.trace_path),
            run_id: Some(saved.run_id),
            call_number: Some(saved.call_number),
            prefix: Some(saved.prefix),
            chain_digest: Some(saved.chain_digest),
        }
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match &self.trace_path {
            Some(path) => writeln!(out, "{path}"),
            None => Ok(()),
        }
    }
}
