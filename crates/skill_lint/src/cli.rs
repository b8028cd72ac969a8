//! Flags.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::config::{FailOn, RunLevel};
use crate::profile::Profile;
use crate::report::Format;

/// What `--fix` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FixMode {
    /// It shows what would be done.
    DryRun,
    /// It repairs.
    Apply,
}

/// Arguments of `skill_lint`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Cli {
    /// Repository, skills tree or skill
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Also write the report to FILE; .json, .sarif or .txt decides the format
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which rules apply [default: recommended]
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<Profile>,
    /// Only these rules, comma-separated; SR2 stands for all that begin with it
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub rule: Vec<String>,
    /// Without these rules, comma-separated
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Lowest severity that gives exit 10: error, warn, info or never [default: error]
    #[arg(long, value_name = "SEVERITY", value_parser = |text: &str| text.parse::<FailOn>())]
    pub fail_on: Option<FailOn>,
    /// Start the scripts, confined by bubblewrap: =help (default), =flags also with an unknown flag, =all also declared samples
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "help",
        hide_possible_values = true
    )]
    pub run: Option<RunLevel>,
    /// Let --run start the scripts with your rights, without a sandbox
    #[arg(long, requires = "run")]
    pub unsandboxed: bool,
    /// Let installed interpreters parse scripts without running them
    #[arg(long)]
    pub syntax: bool,
    /// Repair what can be repaired mechanically; =dry-run shows the changes as a diff
    #[arg(
        long,
        value_name = "MODE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "apply",
        hide_possible_values = true
    )]
    pub fix: Option<FixMode>,
    /// Hide the findings recorded in FILE
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Record the current findings in FILE
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Configuration [default: skill-lint.toml in PATH or above it]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long)]
    pub no_config: bool,
    /// Report suppressed findings, too
    #[arg(long)]
    pub no_suppress: bool,
    /// Also check files that git ignores
    #[arg(long)]
    pub no_ignore: bool,
    /// Exit with 0, not 4, where there is no skill
    #[arg(long)]
    pub allow_empty: bool,
    /// Print the catalogue of rules
    #[arg(long, conflicts_with = "explain")]
    pub list_rules: bool,
    /// Print one rule at length
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

/// The command line, and what a run takes from its environment. Filled by the program and by `xtask`.
#[derive(Clone, Debug)]
pub struct Options {
    /// The command line. The configuration, then the defaults, fill in what it leaves open.
    pub cli: Cli,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Today, in UTC.
    pub today: jiff::civil::Date,
    /// `PATH`, to find interpreters.
    pub search_path: Option<String>,
}
