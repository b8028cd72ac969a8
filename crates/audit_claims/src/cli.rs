//! The command line.

use clap::{Args, Subcommand};

use crate::commands::{merge, verdict};

/// Arguments of `audit_claims`.
#[derive(Debug, Args)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make one list of findings out of several, each place once
    Merge(merge::MergeArgs),
    /// Derive the verdict from findings
    Verdict(verdict::VerdictArgs),
}
