//! The rules that run, and the severity of each, from profile, configuration and command line.

use crate::catalogue::{self, Severity};
use crate::config::{Config, Level};

/// The severity with which each rule runs.
#[derive(Clone, Debug)]
pub struct Selection {
    /// By position in [`catalogue::all`]; `None` for a rule that does not run.
    severities: Vec<Option<Severity>>,
}

impl Selection {
    /// The rules of a configuration. Rules that need `--run` or `--syntax` run only with that flag.
    pub fn of(config: &Config) -> Self {
        let severities = catalogue::all()
            .iter()
            .map(|rule| {
                let level = config.level(rule.id);
                let named =
                    |names: &[String]| names.iter().any(|name| catalogue::is_named(rule.id, name));
                let asked = named(&config.cli.rule);
                let on = if config.cli.rule.is_empty() {
                    rule.is_in(config.profile) || matches!(level, Some(Level::On(_)))
                } else {
                    asked
                };
                let off = named(&config.cli.skip)
                    || matches!(level, Some(Level::Off) if !asked)
                    || (catalogue::family(rule.id) == "dynamic" && config.cli.run.is_none())
                    || (rule.id == "SR212" && !config.cli.syntax);
                let severity = match level {
                    Some(Level::On(severity)) => severity,
                    _ => rule.severity_in(config.profile),
                };
                (on && !off).then_some(severity)
            })
            .collect();
        Self { severities }
    }

    /// The severity of a rule; `None` when it does not run.
    pub fn severity(&self, id: &str) -> Option<Severity> {
        *self.severities.get(catalogue::position(id)?)?
    }

    /// Ids of the rules that run.
    pub fn ids(&self) -> Vec<&'static str> {
        let chosen = catalogue::all().iter().zip(&self.severities);
        let chosen = chosen.filter(|(_, severity)| severity.is_some());
        chosen.map(|(rule, _)| rule.id).collect()
    }
}
