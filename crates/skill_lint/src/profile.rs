//! Which rules run, and how bad each is: profile, configuration and command line together.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::catalogue::{self, Certainty, Rule, Severity};
use crate::config::{Config, Level};

/// A choice of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// For a skill that goes to every host: SR0, SR1, SR4, SR7.
    Portable,
    /// For any repository; heuristics are warnings at most.
    #[default]
    Recommended,
    /// For this repository: everything that is not off.
    Project,
    /// Everything, with its plain severity.
    All,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Recommended, Self::Project, Self::All];

    /// Its word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Recommended => "recommended",
            Self::Project => "project",
            Self::All => "all",
        }
    }

    /// Whether the profile has the rule.
    pub fn has(self, rule: &Rule) -> bool {
        self == Self::All || rule.profiles.contains(&self)
    }

    /// The severity of a rule in this profile.
    pub fn severity(self, rule: &Rule) -> Severity {
        let severity = rule.in_profile.get(&self).copied().unwrap_or(rule.severity);
        if self == Self::Recommended && rule.certainty == Certainty::Heuristic {
            severity.min(Severity::Warn)
        } else {
            severity
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|profile| profile.word() == text);
        found.ok_or_else(|| {
            format!("`{text}` is no profile; choose portable, recommended, project or all")
        })
    }
}

/// The severity with which each rule runs.
#[derive(Clone, Debug)]
pub struct Selection {
    /// By position in [`catalogue::all`]; `None` for a rule that does not run.
    severities: Vec<Option<Severity>>,
}

impl Selection {
    /// The rules of a configuration. Rules that need `--run` or `--syntax` are left out without it.
    pub fn of(config: &Config) -> Self {
        let severities = catalogue::all()
            .iter()
            .map(|rule| {
                let level = config.level(rule.id);
                let asked = config.only.iter().any(|name| rule.is_named(name));
                let on = if config.only.is_empty() {
                    config.profile.has(rule) || matches!(level, Some(Level::On(_)))
                } else {
                    asked
                };
                let off = config.skip.iter().any(|name| rule.is_named(name))
                    || matches!(level, Some(Level::Off) if !asked)
                    || (rule.family() == "dynamic" && config.run.is_none())
                    || (rule.id == "SR212" && !config.syntax);
                let severity = match level {
                    Some(Level::On(severity)) => severity,
                    _ => config.profile.severity(rule),
                };
                (on && !off).then_some(severity)
            })
            .collect();
        Self { severities }
    }

    /// The severity of a rule that runs.
    pub fn severity(&self, id: &str) -> Option<Severity> {
        *self.severities.get(catalogue::position(id)?)?
    }

    /// Ids of the rules that run.
    pub fn ids(&self) -> Vec<&'static str> {
        let chosen = catalogue::all().iter().zip(&self.severities);
        chosen
            .filter(|(_, severity)| severity.is_some())
            .map(|(rule, _)| rule.id)
            .collect()
    }
}
