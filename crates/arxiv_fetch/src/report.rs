//! The output of a run.

use std::io::{self, Write};

use aris_cli::{Product, Style};

use serde::Serialize;

/// Schema id of records.
pub(crate) const PAPERS: &str = "aris.arxiv_fetch.papers/v1";

/// Schema id of [`File`].
pub(crate) const FILE: &str = "aris.arxiv_fetch.file/v1";

/// A file that is there. The first four fields are those of the reference.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct File {
    /// The paper, with its version when one was asked for.
    pub id: String,
    /// Where it is, as the folder was named.
    pub path: String,
    /// Its size.
    pub size_kb: u64,
    /// Whether it was there already.
    pub skipped: bool,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Digest of a file that arrived just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Bytes that an earlier, broken download had brought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_bytes: Option<u64>,
    /// The folder of an unpacked source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpacked: Option<String>,
    /// Files in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Entries of the archive that are no plain files inside it (links, devices, paths that lead out) and were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Product for File {
    fn schema(&self) -> &'static str {
        FILE
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        writeln!(out)
    }
}
