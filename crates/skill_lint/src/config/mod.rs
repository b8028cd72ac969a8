//! The settings of a run: configuration file and command line together.

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

/// What the configuration says about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It does not run.
    Off,
    /// It runs, with this severity.
    On(Severity),
}

/// Lowest severity that gives exit 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// This severity and higher ones.
    At(Severity),
    /// No severity.
    Never,
}

/// How much `--run` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum RunLevel {
    /// `--help` only.
    Help,
    /// Also an unknown flag.
    Flags,
    /// Also the declared samples.
    All,
}

/// The settings of a run: the keys of `skill-lint.toml`, and values from elsewhere.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The configuration file, when one was read.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The command line.
    #[serde(skip)]
    pub cli: Cli,
    /// `PATH` of the caller, for finding interpreters.
    #[serde(skip)]
    pub search_path: Option<String>,
    /// Which rules run.
    #[serde(deserialize_with = "file::parsed")]
    pub profile: Profile,
    /// Lowest severity that gives exit 10.
    #[serde(deserialize_with = "file::parsed")]
    pub fail_on: FailOn,
    /// Paths to leave out, in `.gitignore` syntax.
    pub exclude: Vec<Spanned<String>>,
    /// `[rules.SRnnn]`: severity and limits.
    pub rules: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<Setting>>>,
    /// Which frontmatter keys are allowed.
    pub frontmatter: Frontmatter,
    /// Folders that skills share.
    pub shared: Shared,
    /// How skills find helpers.
    pub integration: Integration,
    /// How programs are run.
    pub run: Run,
    /// Findings that are known and accepted.
    #[serde(deserialize_with = "file::allowed")]
    pub allow: Vec<Allow>,
}

/// The value of one key of `[rules.SRnnn]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a string or a whole number from 0 on")]
pub enum Setting {
    /// A limit of the rule.
    Number(u64),
    /// The value of `severity`.
    Word(String),
}

/// `[frontmatter]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Frontmatter {
    /// Extra keys that SR011 does not report.
    pub extra_keys: Vec<String>,
}

/// `[shared]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Shared {
    /// Folders that links may lead into (SR111), relative to the root.
    pub dirs: Vec<Spanned<String>>,
}

/// `[integration]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Integration {
    /// The contract document, relative to the root. Without it the default names are searched.
    pub contract: Option<String>,
    /// Developer utilities that may be called by a repository path (SR501): patterns with `*`.
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
    /// Path relative to the root, or a pattern in `.gitignore` syntax.
    #[serde(deserialize_with = "file::pattern")]
    pub path: String,
    /// Why the findings are accepted.
    #[serde(default)]
    pub reason: String,
    /// Last day on which the entry applies.
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
    /// `PATH` of the caller. Without one: the POSIX default (`confstr(_CS_PATH)`) and `/usr/local/bin`.
    pub fn path(&self) -> &str {
        let path = self.search_path.as_deref();
        path.unwrap_or("/usr/local/bin:/usr/bin:/bin")
    }

    /// How long a started program may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.run.timeout_s.map_or(5, NonZeroU64::get))
    }

    /// Number of worker threads, at least 1.
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

    /// The value of `[rules.SRnnn] severity`.
    pub fn level(&self, rule: &str) -> Option<Level> {
        match self.setting(rule, "severity")? {
            Setting::Word(word) => word.parse().ok(),
            Setting::Number(_) => None,
        }
    }

    /// A limit of a rule: the configured value, else the catalogue's default. The catalogue must have the pair.
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
