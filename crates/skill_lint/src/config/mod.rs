//! What a run is told: the configuration file and the command line together.

pub mod file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::catalogue::{self, Severity};
use crate::profile::Profile;

/// What a configuration says about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It does not run.
    Off,
    /// It runs, with this severity.
    On(Severity),
}

/// From which severity on findings give exit 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// From this severity on.
    At(Severity),
    /// None does.
    Never,
}

/// How much `--run` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum RunLevel {
    /// `--help` only.
    Help,
    /// Also flags: `-h`, an unknown one, `--version`.
    Flags,
    /// Also the declared samples.
    All,
}

/// An entry `[[allow]]`: findings that are known and accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// Rule id or prefix.
    pub rule: String,
    /// Path relative to the root, or a pattern as in a `.gitignore`.
    pub path: String,
    /// Why.
    pub reason: String,
    /// Last day on which it holds.
    pub until: Option<jiff::civil::Date>,
    /// Its line in the configuration.
    pub line: usize,
}

/// What a run is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// The configuration file that was read.
    pub file: Option<PathBuf>,
    /// Which rules run.
    pub profile: Profile,
    /// Only these rules, by id or prefix; all of the profile when empty.
    pub only: Vec<String>,
    /// Without these.
    pub skip: Vec<String>,
    /// From which severity on the exit code is 10.
    pub fail_on: FailOn,
    /// Paths that are left out, as lines of a `.gitignore`.
    pub exclude: Vec<String>,
    /// What `[rules.SRnnn]` says: level and numbers.
    pub rules: BTreeMap<&'static str, RuleConfig>,
    /// Frontmatter keys that are no fault (SR011).
    pub extra_keys: Vec<String>,
    /// Directories that links may lead into (SR111), relative to the root.
    pub shared_dirs: Vec<String>,
    /// The contract document, relative to the root; the default name is looked for when there is none.
    pub contract: Option<String>,
    /// Names of developer utilities that may be called by a repository path (SR501), with `*`.
    pub developer_tools: Vec<String>,
    /// Seconds that a started program may take.
    pub timeout_s: u64,
    /// Known and accepted findings.
    pub allow: Vec<Allow>,
    /// How much is run.
    pub run: Option<RunLevel>,
    /// Whether programs may run with the rights of the user.
    pub unsandboxed: bool,
    /// Whether installed interpreters may parse scripts.
    pub syntax: bool,
    /// `PATH` of the caller, to find interpreters.
    pub search_path: Option<String>,
    /// Workers.
    pub threads: usize,
}

/// What `[rules.SRnnn]` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleConfig {
    /// `severity`.
    pub level: Option<Level>,
    /// Numbers by key.
    pub limits: BTreeMap<String, u64>,
}

impl Default for Config {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Self {
            file: None,
            profile: Profile::default(),
            only: Vec::new(),
            skip: Vec::new(),
            fail_on: FailOn::At(Severity::Error),
            exclude: Vec::new(),
            rules: BTreeMap::new(),
            extra_keys: Vec::new(),
            shared_dirs: Vec::new(),
            contract: None,
            developer_tools: words(&[
                "install_*",
                "smart_update*",
                "convert_*",
                "generate_*",
                "lint_*",
                "meta_opt/*",
                "watchdog*",
                "*_setup.sh",
            ]),
            timeout_s: 5,
            allow: Vec::new(),
            run: None,
            unsandboxed: false,
            syntax: false,
            search_path: None,
            threads: 1,
        }
    }
}

impl Config {
    /// `PATH` of the caller; without one where POSIX's `confstr(_CS_PATH)` and local programs are.
    pub fn path(&self) -> &str {
        let path = self.search_path.as_deref();
        path.unwrap_or("/usr/local/bin:/usr/bin:/bin")
    }

    /// What `[rules.SRnnn] severity` says about a rule.
    pub fn level(&self, rule: &str) -> Option<Level> {
        self.rules.get(rule)?.level
    }

    /// A number of a rule: the configuration's, else the default in the catalogue. The pair must stand in the catalogue.
    pub fn limit(&self, rule: &str, key: &str) -> u64 {
        let set = self.rules.get(rule).and_then(|rule| rule.limits.get(key));
        let default = || catalogue::find(rule)?.limits.get(key).copied();
        let number = set.copied().or_else(default);
        debug_assert!(
            number.is_some(),
            "{rule} has no number `{key}` in the catalogue"
        );
        number.unwrap_or(u64::MAX)
    }
}
