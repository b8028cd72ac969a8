//! What a rule is, and the table of all of them.

mod document;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use document::document;
use serde::{Deserialize, Deserializer, Serialize};

use crate::profile::Profile;

/// How bad a finding is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    clap::ValueEnum,
    strum::Display,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
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
    /// Its word on the command line and in reports.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Whether two tools must agree on a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, strum::Display)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Certainty {
    /// The definition is exact: a disagreement between two tools is a bug in one of them.
    #[default]
    Exact,
    /// A guess that is usually right.
    Heuristic,
}

/// One rule, as `rules.toml` describes it.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// `SR` and three digits; the first digit names the family.
    #[serde(deserialize_with = "text")]
    pub id: Words,
    /// How bad, unless the profile or the configuration says otherwise.
    pub severity: Severity,
    /// Whether it is exact.
    #[serde(default)]
    pub certainty: Certainty,
    /// Profiles that run the rule; `all` always does.
    pub profiles: Vec<Profile>,
    /// Severities in single profiles, where they differ from `severity`.
    #[serde(default, rename = "in")]
    pub in_profile: BTreeMap<Profile, Severity>,
    /// A few words, lower case, no full stop.
    #[serde(deserialize_with = "text")]
    pub title: Words,
    /// What is found, in one or more sentences.
    #[serde(deserialize_with = "text")]
    pub why: Words,
    /// What to do about it. A finding without a hint of its own shows this.
    #[serde(deserialize_with = "text")]
    pub fix: Words,
    /// Short names of the sources ([`SOURCES`]) with the section to look up (`SRP §1`).
    #[serde(deserialize_with = "text")]
    pub sources: Words,
    /// When such a finding is not a fault.
    #[serde(default = "never", deserialize_with = "text")]
    pub unless: Words,
    /// Whether `--fix` can repair such findings.
    #[serde(default)]
    pub repairs: bool,
    /// Limits that the configuration can change, with their defaults.
    #[serde(default)]
    pub limits: BTreeMap<String, u64>,
}

/// A text of the table. Without this alias serde's derive would try to borrow the `&'static str` from the input.
pub type Words = &'static str;

/// A text of the table with its lines joined. Leaked on purpose: the table lives as long as the program.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    Ok(String::deserialize(from)?.replace('\n', " ").leak())
}

fn never() -> &'static str {
    "none known"
}

/// Short names of sources: the Agent Skills specification; Anthropic's packaging check and upload rules; Claude Code's
/// documentation; loaders or documentation of Codex CLI, Gemini CLI and Cursor; the skill resource protocol; the integration
/// contract; other linters; ours.
pub const SOURCES: [&str; 10] = [
    "SPEC", "ANT", "CC", "CDX", "GEM", "CUR", "SRP", "INT", "PEER", "OWN",
];

impl Rule {
    /// Whether a profile has the rule.
    pub fn is_in(&self, profile: Profile) -> bool {
        profile == Profile::All || self.profiles.contains(&profile)
    }

    /// Its severity in a profile.
    pub fn severity_in(&self, profile: Profile) -> Severity {
        let severity = self.in_profile.get(&profile).copied();
        let severity = severity.unwrap_or(self.severity);
        if profile == Profile::Recommended && self.certainty == Certainty::Heuristic {
            severity.min(Severity::Warn)
        } else {
            severity
        }
    }

    /// The source names that occur in [`Rule::sources`].
    pub fn source_names(&self) -> impl Iterator<Item = &'static str> {
        let words = self.sources.split(|c: char| !c.is_ascii_alphanumeric());
        words.filter(|word| SOURCES.contains(word))
    }
}

/// Families in the order of their digits, with what they are about.
const FAMILIES: [(&str, &str, &str); 9] = [
    ("SR0", "frontmatter", "what hosts read before anything else"),
    ("SR1", "layout", "files, links, resources"),
    ("SR2", "scripts", "the text of scripts and binaries"),
    (
        "SR3",
        "dynamic",
        "what scripts do when they are started; only with `--run`",
    ),
    ("SR4", "security", "what must not be shipped"),
    (
        "SR5",
        "integration",
        "how skills find helpers and rely on each other",
    ),
    ("SR6", "manifests", "plugins and marketplaces"),
    (
        "SR7",
        "portability",
        "other hosts, installers and file systems",
    ),
    ("SR9", "own", "suppressions and unreadable files"),
];

/// Whether `name` is this rule's id or a prefix of it (`SR2`).
pub fn is_named(rule: &str, name: &str) -> bool {
    name.len() > 2 && rule.starts_with(name)
}

/// The family of a rule id.
pub fn family(id: &str) -> &'static str {
    let mut families = FAMILIES.iter();
    let found = families.find(|(prefix, ..)| id.starts_with(prefix));
    found.map_or("own", |(_, name, _)| name)
}

#[derive(Deserialize)]
struct Table {
    retired: Vec<String>,
    rule: Vec<Rule>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "a part of the program, read by every test"
    )]
    let mut table: Table =
        toml_edit::de::from_str(include_str!("../rules.toml")).expect("the table of rules");
    table.rule.sort_by_key(|rule| rule.id);
    table
});

/// All rules, by id.
pub fn all() -> &'static [Rule] {
    &TABLE.rule
}

/// The error message for a name that names no rule.
pub fn unknown(name: &str) -> String {
    if TABLE.retired.iter().any(|id| id == name) {
        format!("`{name}` is no rule any more; leave it out")
    } else {
        format!("`{name}` is no rule")
    }
}

/// Position of a rule in [`all`].
pub fn position(id: &str) -> Option<usize> {
    all().binary_search_by(|rule| rule.id.cmp(id)).ok()
}

/// A rule by its id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().get(position(id)?)
}

/// Whether `name` is the id of a rule or a prefix of one, for instance `SR2`.
pub fn is_known(name: &str) -> bool {
    all().iter().any(|rule| is_named(rule.id, name))
}

#[cfg(test)]
mod tests;
