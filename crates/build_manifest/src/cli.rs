//! Flags. `--config` and `--output` are those of the reference's script.

use std::path::PathBuf;

/// Arguments of `build_manifest`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// Specification of the grids, YAML or JSON
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
    /// Manifest to write; default: check the specification and count its jobs
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write more than 100,000 jobs
    #[arg(long)]
    pub yes: bool,
}
