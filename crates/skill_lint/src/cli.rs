//! Flags.

use std::path::PathBuf;

use crate::config::{FailOn, RunLevel};
use crate::options::FixMode;
use crate::profile::Profile;
use crate::report::Format;

/// Arguments of `skill_lint`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// Repository, skills tree or skill
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// Output format.
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = |text: &str| text.parse::<Format>(),
        help = "text (default), json, sarif or github"
    )]
    pub format: Option<Format>,
    /// Also write the report to FILE; .json, .sarif or .txt decides the format
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which rules run.
    #[arg(
        long,
        value_name = "PROFILE",
        value_parser = |text: &str| text.parse::<Profile>(),
        help = "portable, recommended (default), project or all"
    )]
    pub profile: Option<Profile>,
    /// Only these rules; SR2 names a family
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub rule: Vec<String>,
    /// Without these rules
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Lowest severity that gives exit 10.
    #[arg(
        long,
        value_name = "SEVERITY",
        value_parser = |text: &str| text.parse::<FailOn>(),
        help = "Lowest severity that gives exit 10: error (default), warn, info or never"
    )]
    pub fail_on: Option<FailOn>,
    /// Start the scripts.
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "help",
        value_parser = |text: &str| text.parse::<RunLevel>(),
        help = "Start the scripts, confined by bubblewrap: =help (default), =flags also with odd flags, =all also declared samples"
    )]
    pub run: Option<RunLevel>,
    /// Let --run start the scripts with your rights, without a sandbox
    #[arg(long, requires = "run")]
    pub unsandboxed: bool,
    /// Let installed interpreters parse scripts without running them
    #[arg(long)]
    pub syntax: bool,
    /// Repair.
    #[arg(
        long,
        value_name = "MODE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "apply",
        value_parser = |text: &str| text.parse::<FixMode>(),
        help = "Repair what can be repaired mechanically; =dry-run shows the changes as a diff"
    )]
    pub fix: Option<FixMode>,
    /// Hide the findings recorded in FILE
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Record the present findings in FILE
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Configuration; default: skill-lint.toml in PATH or above it
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long)]
    pub no_config: bool,
    /// Report suppressed findings as if nothing hid them
    #[arg(long)]
    pub no_suppress: bool,
    /// Also look at files that git ignores
    #[arg(long)]
    pub no_ignore: bool,
    /// A tree without any skill is clean, not invalid
    #[arg(long)]
    pub allow_empty: bool,
    /// Print the catalogue of rules
    #[arg(long, conflicts_with = "explain")]
    pub list_rules: bool,
    /// Print one rule at length
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,
    /// Workers; default: one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}
