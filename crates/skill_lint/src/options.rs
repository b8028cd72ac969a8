//! What a caller asks for: the command line as data, for the program and for `xtask`.

use std::path::PathBuf;

use crate::config::{FailOn, RunLevel};
use crate::profile::Profile;
use crate::report::Format;

/// Where the configuration comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ConfigFrom {
    /// `skill-lint.toml` in PATH or above it.
    #[default]
    Search,
    /// This file.
    File(PathBuf),
    /// None.
    Nowhere,
}

/// Whether to repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixMode {
    /// No.
    #[default]
    No,
    /// Show what would be done.
    DryRun,
    /// Do it.
    Apply,
}

impl std::str::FromStr for FixMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "apply" => Ok(Self::Apply),
            "dry-run" => Ok(Self::DryRun),
            _ => Err(format!("`{text}` is none of apply, dry-run")),
        }
    }
}

/// What a caller asks for. What is `None` comes from the configuration, else from the defaults.
#[derive(Clone, Debug)]
pub struct Options {
    /// Repositories, skills trees or skills; relative ones against `cwd`.
    pub paths: Vec<PathBuf>,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// Today, in UTC.
    pub today: jiff::civil::Date,
    /// `PATH`, to find interpreters.
    pub search_path: Option<String>,
    /// Which rules run.
    pub profile: Option<Profile>,
    /// Only these, by id or prefix.
    pub only: Vec<String>,
    /// Without these.
    pub skip: Vec<String>,
    /// From which severity on the run fails.
    pub fail_on: Option<FailOn>,
    /// How much is run.
    pub run: Option<RunLevel>,
    /// Whether programs may run with the rights of the user.
    pub unsandboxed: bool,
    /// Whether installed interpreters may parse scripts.
    pub syntax: bool,
    /// Whether to repair.
    pub fix: FixMode,
    /// Findings to hide.
    pub baseline: Option<PathBuf>,
    /// Where the configuration comes from.
    pub config: ConfigFrom,
    /// Report suppressed findings as if nothing hid them.
    pub no_suppress: bool,
    /// Also look at files that git ignores.
    pub no_ignore: bool,
    /// A tree without any skill is clean.
    pub allow_empty: bool,
    /// Workers; as many as there are processors when `None`.
    pub threads: Option<usize>,
    /// How stdout is written.
    pub format: Format,
}

impl Options {
    /// Plain options for these paths.
    pub fn new(paths: Vec<PathBuf>, cwd: PathBuf, today: jiff::civil::Date) -> Self {
        Self {
            paths,
            cwd,
            today,
            search_path: None,
            profile: None,
            only: Vec::new(),
            skip: Vec::new(),
            fail_on: None,
            run: None,
            unsandboxed: false,
            syntax: false,
            fix: FixMode::No,
            baseline: None,
            config: ConfigFrom::Search,
            no_suppress: false,
            no_ignore: false,
            allow_empty: false,
            threads: None,
            format: Format::Text,
        }
    }
}
