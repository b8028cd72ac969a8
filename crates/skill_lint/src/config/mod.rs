//! What a run is told: the configuration file and the command line together.

pub mod file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_spanned::Spanned;

use crate::catalogue::{self, Severity};
use crate::cli::Cli;
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

/// What a run is told: the keys of `skill-lint.toml`, and beside them what comes from elsewhere.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The configuration file that was read.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The command line.
    #[serde(skip)]
    pub cli: Cli,
    /// `PATH` of the caller, to find interpreters.
    #[serde(skip)]
    pub search_path: Option<String>,
    /// Which rules run.
    #[serde(deserialize_with = "file::parsed")]
    pub profile: Profile,
    /// From which severity on the exit code is 10.
    #[serde(deserialize_with = "file::parsed")]
    pub fail_on: FailOn,
    /// Paths that are left out, as lines of a `.gitignore`.
    pub exclude: Vec<Spanned<String>>,
    /// What `[rules.SRnnn]` says: level and numbers.
    pub rules: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<Setting>>>,
    /// What may stand in a frontmatter.
    pub frontmatter: Frontmatter,
    /// What skills share.
    pub shared: Shared,
    /// How skills find helpers.
    pub integration: Integration,
    /// How programs are run.
    pub run: Run,
    /// Known and accepted findings.
    #[serde(deserialize_with = "file::allowed")]
    pub allow: Vec<Allow>,
}

/// What `[rules.SRnnn]` says of one key.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a string or a whole number from 0 on")]
pub enum Setting {
    /// One of the rule's numbers.
    Number(u64),
    /// `severity`.
    Word(String),
}

/// `[frontmatter]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Frontmatter {
    /// Keys that are no fault (SR011).
    pub extra_keys: Vec<String>,
}

/// `[shared]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Shared {
    /// Directories that links may lead into (SR111), relative to the root.
    pub dirs: Vec<Spanned<String>>,
}

/// `[integration]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Integration {
    /// The contract document, relative to the root; the default name is looked for when there is none.
    pub contract: Option<String>,
    /// Names of developer utilities that may be called by a repository path (SR501), with `*`.
    pub developer_tools: Vec<String>,
}

/// `[run]`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Seconds that a started program may take.
    pub timeout_s: Option<NonZeroU64>,
}

/// An entry `[[allow]]`: findings that are known and accepted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// Rule id or prefix.
    #[serde(deserialize_with = "file::rule_name")]
    pub rule: String,
    /// Path relative to the root, or a pattern as in a `.gitignore`.
    #[serde(deserialize_with = "file::pattern")]
    pub path: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// Last day on which it holds.
    #[serde(default, deserialize_with = "file::day")]
    pub until: Option<jiff::civil::Date>,
    /// Its line in the configuration.
    #[serde(skip)]
    pub line: usize,
}

impl Default for FailOn {
    fn default() -> Self {
        Self::At(Severity::Error)
    }
}

impl Default for Integration {
    fn default() -> Self {
        let tools =
            "install_* smart_update* convert_* generate_* lint_* meta_opt/* watchdog* *_setup.sh";
        Self {
            contract: None,
            developer_tools: tools.split(' ').map(str::to_owned).collect(),
        }
    }
}

impl Config {
    /// `PATH` of the caller; without one where POSIX's `confstr(_CS_PATH)` and local programs are.
    pub fn path(&self) -> &str {
        let path = self.search_path.as_deref();
        path.unwrap_or("/usr/local/bin:/usr/bin:/bin")
    }

    /// How long a started program may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.run.timeout_s.map_or(5, NonZeroU64::get))
    }

    /// Workers.
    pub fn threads(&self) -> usize {
        let threads = self.cli.threads;
        threads.map_or_else(aris_fs::processors, usize::from).max(1)
    }

    /// Directories that skills share.
    pub fn shared_dirs(&self) -> impl Iterator<Item = &str> {
        self.shared.dirs.iter().map(|dir| dir.get_ref().as_str())
    }

    fn setting(&self, rule: &str, key: &str) -> Option<&Setting> {
        Some(self.rules.get(rule)?.get(key)?.get_ref())
    }

    /// What `[rules.SRnnn] severity` says about a rule.
    pub fn level(&self, rule: &str) -> Option<Level> {
        match self.setting(rule, "severity")? {
            Setting::Word(word) => word.parse().ok(),
            Setting::Number(_) => None,
        }
    }

    /// A number of a rule: the configuration's, else the default in the catalogue. The pair must stand in the catalogue.
    pub fn limit(&self, rule: &str, key: &str) -> u64 {
        if let Some(Setting::Number(number)) = self.setting(rule, key) {
            return *number;
        }
        let number = catalogue::find(rule).and_then(|rule| rule.limits.get(key));
        debug_assert!(
            number.is_some(),
            "{rule} has no number `{key}` in the catalogue"
        );
        number.copied().unwrap_or(u64::MAX)
    }
}
