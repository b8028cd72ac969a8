//! Flags.

use std::path::PathBuf;

use aris_online::OnlineArgs;

/// Arguments of `check_source_facts`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// Ask the sources; without it, recorded answers are checked and no source is asked
    #[arg(long, conflicts_with_all = ["offline", "answers"])]
    pub live: bool,
    /// Folder with newer recordings, one file for each fact, named like the fact; a fact without a file keeps its built-in recording
    #[arg(long, value_name = "DIR")]
    pub answers: Option<PathBuf>,
    /// Network
    #[command(flatten)]
    pub online: OnlineArgs,
}
