//! What a rule is, and the table of all of them.

mod document;

use std::fmt;
use std::sync::LazyLock;

pub use document::document;
use serde::Serialize;

use crate::profile::Profile;
use crate::rules;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Advice.
    Info,
    /// It costs the user something.
    Warn,
    /// It breaks loading or a hard rule.
    Error,
}

impl Severity {
    /// All, the mildest first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warn, Self::Error];

    /// Its word on the command line and in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.word())
    }
}

/// Whether two tools must agree on a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The definition is exact: a disagreement between two tools is a bug in one of them.
    Exact,
    /// A guess that is usually right.
    Heuristic,
}

/// Where a rule runs by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// In every profile that has its family.
    Recommended,
    /// In `project` and `all` only.
    Project,
    /// In `all` only, or where it is asked for.
    Off,
}

/// A number in a rule that a configuration can change.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Key in `[rules.SRnnn]`.
    pub key: &'static str,
    /// Value without a configuration.
    pub default: u64,
}

/// One rule. Write `Rule { id: "SR101", …, ..Rule::BASE }`.
#[derive(Debug)]
pub struct Rule {
    /// `SR` and three digits; the first digit is the family.
    pub id: &'static str,
    /// How bad, unless the profile or the configuration says otherwise.
    pub severity: Severity,
    /// Whether it is exact.
    pub certainty: Certainty,
    /// A few words, lower case, no full stop.
    pub title: &'static str,
    /// What is found, in one or more sentences.
    pub what: &'static str,
    /// What to do about it; the hint of a finding that has none of its own.
    pub hint: &'static str,
    /// Short names of the sources ([`SOURCES`]) with what one looks up there (`SRP §1`).
    pub source: &'static str,
    /// When a finding is no fault.
    pub false_positives: &'static str,
    /// Whether `--fix` can repair it.
    pub fixable: bool,
    /// Where it runs by default.
    pub scope: Scope,
    /// Numbers that a configuration can change.
    pub limits: &'static [Limit],
    /// Severities that a profile gives.
    pub in_profile: &'static [(Profile, Severity)],
}

/// Short names of sources: the Agent Skills specification; Anthropic's packaging check and upload rules; Claude Code's
/// documentation; loaders or documentation of Codex CLI, Gemini CLI and Cursor; the skill resource protocol; the integration
/// contract; other linters; ours.
pub const SOURCES: [&str; 10] = [
    "SPEC", "ANT", "CC", "CDX", "GEM", "CUR", "SRP", "INT", "PEER", "OWN",
];

impl Rule {
    /// Defaults for the fields that most rules share.
    pub const BASE: Self = Self {
        id: "",
        severity: Severity::Warn,
        certainty: Certainty::Exact,
        title: "",
        what: "",
        hint: "",
        source: "",
        false_positives: "none known",
        fixable: false,
        scope: Scope::Recommended,
        limits: &[],
        in_profile: &[],
    };

    /// Name of the family.
    pub fn family(&self) -> &'static str {
        family_name(self.id)
    }

    /// The sources among the words of [`Rule::source`].
    pub fn sources(&self) -> impl Iterator<Item = &'static str> {
        let words = self.source.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| SOURCES.contains(word))
    }

    /// Whether an id or a prefix of one (`SR2`) names this rule.
    pub fn is_named(&self, name: &str) -> bool {
        name.len() > 2 && self.id.starts_with(name)
    }
}

/// The family of a rule id.
pub fn family_name(id: &str) -> &'static str {
    match id.as_bytes().get(2) {
        Some(b'0') => "frontmatter",
        Some(b'1') => "layout",
        Some(b'2') => "scripts",
        Some(b'3') => "dynamic",
        Some(b'4') => "security",
        Some(b'5') => "integration",
        Some(b'6') => "manifests",
        Some(b'7') => "portability",
        _ => "own",
    }
}

static ALL: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut all: Vec<&Rule> = rules::TABLES.iter().copied().flatten().collect();
    all.sort_by_key(|rule| rule.id);
    all
});

/// All rules, by id.
pub fn all() -> &'static [&'static Rule] {
    &ALL
}

/// Position of a rule in [`all`].
pub fn position(id: &str) -> Option<usize> {
    ALL.binary_search_by(|rule| rule.id.cmp(id)).ok()
}

/// A rule by its id.
pub fn find(id: &str) -> Option<&'static Rule> {
    ALL.get(position(id)?).copied()
}

/// Whether `name` is the id of a rule or a prefix of one, for instance `SR2`.
pub fn is_known(name: &str) -> bool {
    ALL.iter().any(|rule| rule.is_named(name))
}

#[cfg(test)]
mod tests;
