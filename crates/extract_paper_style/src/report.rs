//! The data product.

use std::io::{self, Write};

use aris_cli::{Product, Style};
use serde::Serialize;

use crate::source::SourceType;

/// Schema id of [`Report`].
pub(crate) const SCHEMA: &str = "aris.extract_paper_style.result/v1";

/// Where the profile is.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// Absolute path of the folder with the three files below.
    pub(crate) cache_dir: String,
    /// Whether the profile was there already, whole and of the same content.
    pub(crate) unchanged: bool,
    pub(crate) source_type: SourceType,
    /// SHA-256 of what was measured.
    pub(crate) content_sha256: String,
    /// Absolute path of `source_manifest.json`.
    pub(crate) manifest: String,
    /// Absolute path of `style_profile.md`, the form for writers.
    pub(crate) profile: String,
    /// Absolute path of `style_profile.json`, the same for programs.
    pub(crate) profile_json: String,
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        writeln!(out, "{}", self.cache_dir)
    }
}
