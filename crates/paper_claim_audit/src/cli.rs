//! Flags.

use std::path::PathBuf;

/// Arguments of `paper_claim_audit`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// Folder of the paper
    #[arg(value_name = "PAPER-DIR")]
    pub paper: PathBuf,
    /// Root document relative to the paper folder; default: found by \documentclass
    #[arg(long, value_name = "FILE")]
    pub root: Option<String>,
    /// Folder or file with raw results, besides those found; may be repeated
    #[arg(long, value_name = "DIR")]
    pub results: Vec<PathBuf>,
    /// Pins: what a number means; default: claims.toml in the paper folder, if it is there
    #[arg(long, value_name = "FILE")]
    pub claims: Option<PathBuf>,
    /// Write proposals for pins, as comments, for claims that no or several values fit
    #[arg(long, value_name = "FILE")]
    pub suggest_pins: Option<PathBuf>,
}
