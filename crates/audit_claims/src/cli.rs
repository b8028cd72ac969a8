//! The command line.

use clap::{Args, Subcommand};

use crate::commands::{check, extract, merge, post, prepare, run, verdict};

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
    /// Audit a pull request: diff, claims, evidence, verdict, review
    Run(Box<run::RunArgs>),
    /// Write the prompts for agents about a diff
    Prepare(Box<prepare::PrepareArgs>),
    /// Find the claims of a document or a diff by rules
    Extract(Box<extract::ExtractArgs>),
    /// Check documents against bibliography, results and plan by rules
    Check(Box<check::CheckArgs>),
    /// Merge lists of findings, each place once
    Merge(merge::MergeArgs),
    /// Derive the verdict from findings
    Verdict(verdict::VerdictArgs),
    /// Derive the verdict and post it as a review
    Post(Box<post::PostArgs>),
}
