//! The command line.

use clap::{Args, Subcommand};

use crate::commands::{apply, fetch, finish, group, merge, outcome, plan, validate};

/// Arguments of `resolve_claims_review`.
#[derive(Debug, Args)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Get the comments of the open pull request, by group, and write what agents are asked about them
    Fetch(Box<fetch::FetchArgs>),
    /// Sort comments into groups
    Group(group::GroupArgs),
    /// Merge the agents' answers into one classification
    Merge(Box<merge::MergeArgs>),
    /// List the comments that an edit settles, in their order
    Plan(plan::PlanArgs),
    /// Commit an edit that settles a comment, or record why there is none
    Apply(Box<apply::ApplyArgs>),
    /// Run the check command of the report; after three failures the report counts as failed
    Validate(Box<validate::ValidateArgs>),
    /// Reply to every comment, close settled threads, list what a person or a new run must still settle
    Finish(Box<finish::FinishArgs>),
    /// Derive whether an experiment must be run again
    Outcome(outcome::OutcomeArgs),
}
