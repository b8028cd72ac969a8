//! The catalogue, and one rule at length.

use std::io::{self, Write};

use aris_cli::Style;
use serde::Serialize;

use crate::catalogue::{self, Certainty, Rule, Scope, Severity};

/// Schema id of the catalogue.
pub const RULES_SCHEMA: &str = "aris.skill_lint.rules/v1";
/// Schema id of one rule.
pub const RULE_SCHEMA: &str = "aris.skill_lint.rule/v1";

/// A rule in the list of the catalogue.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RuleView {
    /// Rule id.
    pub id: &'static str,
    /// How bad, without a profile.
    pub severity: Severity,
    /// Whether it is exact.
    pub certainty: Certainty,
    /// A few words.
    pub title: &'static str,
    /// Short names of its sources.
    pub source: &'static str,
    /// Whether `--fix` can repair it.
    pub fixable: bool,
    /// Where it runs by default.
    pub profile: Scope,
}

/// A rule at length.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RulePage {
    /// What the list says.
    #[serde(flatten)]
    pub rule: RuleView,
    /// The family.
    pub family: &'static str,
    /// What is found.
    pub what: &'static str,
    /// What to do.
    pub hint: &'static str,
    /// When a finding is no fault.
    pub false_positives: &'static str,
    /// Numbers that a configuration can change.
    pub limits: Vec<LimitView>,
}

/// A number that a configuration can change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LimitView {
    /// Key in `[rules.SRnnn]`.
    pub key: &'static str,
    /// Value without a configuration.
    pub default: u64,
}

/// What `--list-rules` and `--explain` print.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Page {
    /// All rules.
    List(Vec<RuleView>),
    /// One rule.
    Rule(Box<RulePage>),
}

impl RuleView {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            severity: rule.severity,
            certainty: rule.certainty,
            title: rule.title,
            source: rule.source,
            fixable: rule.fixable,
            profile: rule.scope,
        }
    }
}

impl Rule {
    /// The rule at length, in Markdown.
    pub fn page(&self) -> String {
        format!("**{}** {}\n\n{}", self.id, self.title, self.body())
    }

    /// The same without id and title.
    pub fn body(&self) -> String {
        use std::fmt::Write as _;
        let mut page = format!("{}\n\n", self.what);
        let certainty = match self.certainty {
            Certainty::Exact => "exact",
            Certainty::Heuristic => "heuristic",
        };
        let scope = match self.scope {
            Scope::Recommended => "",
            Scope::Project => ", profile `project` only",
            Scope::Off => ", off unless asked for",
        };
        let fix = if self.fixable {
            ", `--fix` repairs it"
        } else {
            ""
        };
        let mut line = |name: &str, text: &str| {
            writeln!(page, "- {name}: {text}").unwrap_or_default();
        };
        line("What to do", self.hint);
        line(
            "Severity",
            &format!("{}, {certainty}{scope}{fix}", self.severity),
        );
        for (profile, severity) in self.in_profile {
            line("In profile", &format!("`{}`: {severity}", profile.word()));
        }
        for limit in self.limits {
            line("Number", &format!("`{}` = {}", limit.key, limit.default));
        }
        line("No fault when", self.false_positives);
        line("Source", self.source);
        page
    }
}

impl Page {
    /// The whole catalogue.
    pub fn list() -> Self {
        Self::List(
            catalogue::all()
                .iter()
                .map(|rule| RuleView::of(rule))
                .collect(),
        )
    }

    /// One rule.
    pub fn rule(rule: &Rule) -> Self {
        Self::Rule(Box::new(RulePage {
            rule: RuleView::of(rule),
            family: rule.family(),
            what: rule.what,
            hint: rule.hint,
            false_positives: rule.false_positives,
            limits: rule
                .limits
                .iter()
                .map(|limit| LimitView {
                    key: limit.key,
                    default: limit.default,
                })
                .collect(),
        }))
    }

    pub(super) fn schema(&self) -> &'static str {
        match self {
            Self::List(_) => RULES_SCHEMA,
            Self::Rule(_) => RULE_SCHEMA,
        }
    }

    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::List(rules) => Some(rules.len()),
            Self::Rule(_) => None,
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        match self {
            Self::List(rules) => {
                for rule in rules {
                    let exact = match rule.certainty {
                        Certainty::Exact => 'X',
                        Certainty::Heuristic => 'H',
                    };
                    let fix = if rule.fixable { 'F' } else { ' ' };
                    let id = style.bold(rule.id);
                    writeln!(
                        out,
                        "{id} {:<5} {exact} {fix} {}",
                        rule.severity, rule.title
                    )?;
                }
                Ok(())
            }
            Self::Rule(page) => match catalogue::find(page.rule.id) {
                Some(rule) => write!(out, "{}", rule.page()),
                None => Ok(()),
            },
        }
    }
}
