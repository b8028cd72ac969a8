//! Flags. The original script knew only the folder.

use std::path::PathBuf;

/// Arguments of `overleaf_audit`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// The folder to look through
    #[arg(default_value = ".")]
    pub root: PathBuf,
    /// Print SARIF 2.1.0, for code scanning
    #[arg(long, conflicts_with = "json")]
    pub sarif: bool,
    /// Exit with 1 instead of 10 when there is a leak, like the original script of ARIS
    #[arg(long)]
    pub compat: bool,
    /// Read all of git's objects again, and remember nothing
    #[arg(long)]
    pub no_cache: bool,
    /// Do not look at the credential files and shell histories of the home folder
    #[arg(long)]
    pub no_home: bool,
    /// Seconds that git may take for one repository
    #[arg(long = "command-timeout", aliases = ["deadline", "timeout"], value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub deadline: u64,
}
