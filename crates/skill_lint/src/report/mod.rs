//! The result of a run, written as text, JSON, SARIF or workflow commands.

mod github;
mod page;
mod sarif;
#[cfg(test)]
mod tests;
mod text;

use std::io::{self, Write};

use aris_cli::{Product, Style};
use aris_contract::envelope::{Meta, Success};
use aris_contract::text::counted;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use page::{RULE_SCHEMA, RULES_SCHEMA};

use crate::catalogue::{self, Rule, Severity};
use crate::finding::{Finding, Skipped};
use crate::profile::Profile;

/// Schema id of the findings.
pub const SCHEMA: &str = "aris.skill_lint.findings/v1";

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One envelope.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// The report of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Findings, including suppressed ones: PATH by PATH, each sorted by path, line, rule and column.
    pub items: Vec<Finding>,
    /// Each PATH as given.
    pub roots: Vec<String>,
    /// Whether a finding that is not suppressed is at least as severe as `--fail-on`.
    pub failed: bool,
    /// Skills that were looked at.
    pub skills: usize,
    /// Files that were looked at.
    pub files: usize,
    /// Ids of the rules that ran.
    pub rules_run: Vec<&'static str>,
    /// What rules could not look at.
    pub skipped: Vec<Skipped>,
    /// The profile; of the first PATH when they differ.
    pub profile: Profile,
    /// The isolation of the started programs; null when none was started.
    pub sandbox: Option<Value>,
    /// What `--fix` did or would do.
    pub fixed: crate::fix::Fixed,
    /// How stdout is written.
    pub format: Format,
}

impl Report {
    /// Findings that nothing hides.
    pub fn open(&self) -> impl Iterator<Item = &Finding> {
        self.items.iter().filter(|item| item.suppressed.is_none())
    }

    fn number(&self, severity: Severity) -> usize {
        self.open().filter(|item| item.severity == severity).count()
    }

    /// One line for stderr.
    pub fn summary(&self) -> String {
        use std::fmt::Write as _;
        let hidden = self.items.len() - self.open().count();
        let mut line = format!(
            "{}, {}, {} in {}, {}",
            counted(self.number(Severity::Error), "error"),
            counted(self.number(Severity::Warn), "warning"),
            counted(self.number(Severity::Info), "info"),
            counted(self.skills, "skill"),
            counted(self.files, "file"),
        );
        let mut more = |count: usize, what: &str| {
            if count > 0 {
                write!(line, "; {count} {what}").unwrap_or_default();
            }
        };
        more(hidden, "suppressed");
        more(self.skipped.len(), "checks skipped");
        more(self.fixed.files.len(), "files repaired");
        line
    }

    /// The helper's own keys of the envelope's `meta`.
    fn meta(&self) -> Map<String, Value> {
        let meta = json!({
            "errors": self.number(Severity::Error),
            "warnings": self.number(Severity::Warn),
            "infos": self.number(Severity::Info),
            "suppressed": self.items.len() - self.open().count(),
            "skills": self.skills,
            "files": self.files,
            "rules_run": self.rules_run,
            "skipped": self.skipped,
            "profile": self.profile,
            "sandbox": self.sandbox,
            "fixed": self.fixed.files,
        });
        meta.as_object().cloned().unwrap_or_default()
    }

    /// Writes the report in a format, to stdout or into a file.
    pub fn write(&self, format: Format, out: &mut dyn Write, style: Style) -> io::Result<()> {
        match format {
            Format::Text => text::write(self, out, style),
            Format::Json => {
                let meta = Meta {
                    schema: SCHEMA,
                    helper: crate::SPEC.name,
                    version: crate::SPEC.version,
                    count: Some(self.items.len()),
                    more: self.meta(),
                };
                let data = &self.items;
                writeln!(out, "{}", serde_json::to_string(&Success { data, meta })?)
            }
            Format::Sarif => writeln!(out, "{:#}", sarif::document(self)),
            Format::Github => github::write(self, out),
        }
    }
}

/// What the helper prints.
#[derive(Debug)]
pub enum Answer {
    /// Findings.
    Findings(Box<Report>),
    /// The catalogue.
    Rules(&'static [Rule]),
    /// One rule at length.
    Rule(&'static Rule),
}

impl Serialize for Answer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Findings(report) => report.items.serialize(serializer),
            Self::Rules(rules) => rules.serialize(serializer),
            Self::Rule(rule) => rule.serialize(serializer),
        }
    }
}

impl Product for Answer {
    fn schema(&self) -> &'static str {
        match self {
            Self::Findings(_) => SCHEMA,
            Self::Rules(_) => RULES_SCHEMA,
            Self::Rule(_) => RULE_SCHEMA,
        }
    }

    fn count(&self) -> Option<usize> {
        match self {
            Self::Findings(report) => Some(report.items.len()),
            Self::Rules(rules) => Some(rules.len()),
            Self::Rule(_) => None,
        }
    }

    fn meta(&self) -> Map<String, Value> {
        match self {
            Self::Findings(report) => report.meta(),
            Self::Rules(_) | Self::Rule(_) => Map::new(),
        }
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        match self {
            Self::Findings(report) => report.write(report.format, out, style),
            Self::Rules(rules) => page::list(rules, out, style),
            Self::Rule(rule) => write!(out, "{}", rule.page()),
        }
    }
}

/// The tags of a rule in SARIF and on its page: sources and family.
pub(crate) fn tags(rule: &Rule) -> Vec<String> {
    let sources = rule.source_names().map(str::to_owned);
    std::iter::once(catalogue::family(rule.id).to_owned())
        .chain(sources)
        .collect()
}
