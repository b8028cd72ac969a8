//! The catalogue, and one rule at length.

use std::io::{self, Write};

use aris_cli::Style;

use crate::catalogue::{Certainty, Rule};

/// Schema id of the catalogue.
pub const RULES_SCHEMA: &str = "aris.skill_lint.rules/v1";
/// Schema id of one rule.
pub const RULE_SCHEMA: &str = "aris.skill_lint.rule/v1";

impl Rule {
    /// The rule at length, in Markdown.
    pub fn page(&self) -> String {
        format!("**{}** {}\n\n{}", self.id, self.title, self.body())
    }

    /// The same without id and title.
    pub fn body(&self) -> String {
        use std::fmt::Write as _;
        let mut page = format!("{}\n\n", self.why);
        let fix = if self.repairs {
            ", `--fix` repairs it"
        } else {
            ""
        };
        let mut line = |name: &str, text: &str| {
            writeln!(page, "- {name}: {text}").unwrap_or_default();
        };
        line("What to do", self.fix);
        line(
            "Severity",
            &format!("{}, {}{fix}", self.severity, self.certainty),
        );
        let profiles: Vec<&str> = self.profiles.iter().map(|profile| profile.word()).collect();
        line("Profiles", &profiles.join(", "));
        for (profile, severity) in &self.in_profile {
            line("In profile", &format!("`{}`: {severity}", profile.word()));
        }
        for (key, default) in &self.limits {
            line("Number", &format!("`{key}` = {default}"));
        }
        line("No fault when", self.unless);
        line("Source", self.sources);
        page
    }
}

/// One line for each rule.
pub(super) fn list(rules: &[Rule], out: &mut dyn Write, style: Style) -> io::Result<()> {
    for rule in rules {
        let exact = match rule.certainty {
            Certainty::Exact => 'X',
            Certainty::Heuristic => 'H',
        };
        let fix = if rule.repairs { 'F' } else { ' ' };
        let id = style.bold(rule.id);
        writeln!(
            out,
            "{id} {:<5} {exact} {fix} {}",
            rule.severity, rule.title
        )?;
    }
    Ok(())
}
