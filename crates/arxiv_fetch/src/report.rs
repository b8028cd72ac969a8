//! What a run prints.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_online::Papers;
use serde::Serialize;
use serde_json::{Map, Value};

/// Schema id of records.
pub(crate) const PAPERS: &str = "aris.arxiv_fetch.papers/v1";

/// Schema id of [`File`].
pub(crate) const FILE: &str = "aris.arxiv_fetch.file/v1";

/// The data product: records, or a file.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Records.
    Papers(Papers),
    /// A downloaded file.
    File(File),
}

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

impl Product for Report {
    fn schema(&self) -> &'static str {
        match self {
            Self::Papers(papers) => papers.schema(),
            Self::File(_) => FILE,
        }
    }

    fn count(&self) -> Option<usize> {
        match self {
            Self::Papers(papers) => papers.count(),
            Self::File(_) => None,
        }
    }

    fn meta(&self) -> Map<String, Value> {
        match self {
            Self::Papers(papers) => papers.meta(),
            Self::File(_) => Map::new(),
        }
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        match self {
            Self::Papers(papers) => papers.render(out, style),
            Self::File(file) => {
                serde_json::to_writer(&mut *out, file)?;
                writeln!(out)
            }
        }
    }
}
