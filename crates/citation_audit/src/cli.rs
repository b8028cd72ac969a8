//! Flags.

use std::path::PathBuf;

use jiff::civil::Date;

/// Arguments of `citation_audit`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// Folder of the paper [default: ./paper if it exists, else .]
    #[arg(value_name = "PAPER")]
    pub paper: Option<PathBuf>,
    /// Root document relative to the paper folder [default: found by \documentclass]
    #[arg(long, value_name = "FILE", value_parser = aris_audit::root_name)]
    pub root: Option<String>,
    /// List entries that nothing cites; they never change the verdict
    #[arg(long)]
    pub uncited: bool,
    /// Judge dates as on this day [default: today]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = date)]
    pub as_of: Option<Date>,
    /// Also ask arXiv, Crossref and others whether the cited works exist and are described right
    #[arg(long, conflicts_with = "offline")]
    pub live: bool,
    /// Instead of --live: use only answers kept in the cache, without the network; works that are not there stay inconclusive
    #[arg(long)]
    pub offline: bool,
}

fn date(text: &str) -> Result<Date, &'static str> {
    let wrong = "not a date; write it like 2026-05-01";
    text.parse().ok().ok_or(wrong)
}
