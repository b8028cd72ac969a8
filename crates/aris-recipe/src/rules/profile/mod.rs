//! The rules of one project for its own tools and skills, which only its profile has. Most are data: a table says what fires, and this reads it
//! and looks. Code are those that follow variables, and those on versions, contract cards and the texts of skills.

mod cards;
mod published;
mod removed;
mod skill_text;
mod step;
mod version;

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use super::findings::Findings;
use super::scope::{Scope, argument_line};
use super::table::{Id, RULES};
use crate::finding::Severity;
use crate::model::{Ingredient, Step};

use step::{Found, StepTest};

/// The table.
const TABLE: &str = include_str!("autoskillit.yaml");

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| read(TABLE).unwrap_or_default());

fn read(text: &str) -> Result<Vec<Entry>, String> {
    let tree = aris_yaml::read(text).map_err(|wrong| wrong.message)?;
    serde_json::from_value(tree.unwrap_or_default().to_json()).map_err(|error| error.to_string())
}

/// One or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Many<T> {
    One(T),
    Several(Vec<T>),
}

impl<T> Many<T> {
    fn all(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// A regular expression.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(text: String) -> Result<Self, regex::Error> {
        Regex::new(&text).map(Self)
    }
}

/// The id of a rule of the table of all rules.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Known(Id);

impl TryFrom<String> for Known {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let at = RULES.iter().position(|rule| rule.id == text);
        let id = at.and_then(|at| Id::ALL.get(at).copied());
        id.map(Self)
            .ok_or_else(|| format!("there is no rule {text}"))
    }
}

/// One line of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: Known,
    says: String,
    /// It is a warning, where the rule is an error.
    #[serde(default)]
    warning: bool,
    /// It is told at the first step only.
    #[serde(default)]
    once: bool,
    at: Option<String>,
    needs: Option<StepTest>,
    unless: Option<StepTest>,
    step: Option<StepTest>,
    ingredient: Option<IngredientTest>,
    kitchen_rules: Option<RulesTest>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IngredientTest {
    /// Name of the recipe.
    recipe: Option<String>,
    name: Option<String>,
    hidden: Option<bool>,
    required: Option<bool>,
    has_default: Option<bool>,
    default_other_than: Option<Vec<String>>,
    description: Option<Pattern>,
}

/// What the rules for the executor must name.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RulesTest {
    All(Vec<String>),
    Some(Vec<String>),
}

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    version::check(scope, out);
    removed::check(scope, out);
    published::check(scope, out);
    skill_text::check(scope, out);
    cards::check(scope, out);
    for entry in ENTRIES.iter() {
        let passes = |test: &StepTest| scope.steps().any(|(at, _)| test.holds(scope, at).is_some());
        if !entry.needs.as_ref().is_none_or(passes) || entry.unless.as_ref().is_some_and(passes) {
            continue;
        }
        entry.steps(scope, out);
        entry.ingredients(scope, out);
        entry.rules(scope, out);
    }
}

impl Entry {
    fn steps(&self, scope: &Scope<'_>, out: &mut Findings) {
        let Some(test) = &self.step else {
            return;
        };
        let found = scope
            .steps()
            .filter_map(|(at, facts)| Some((facts.step, test.holds(scope, at)?)));
        for (step, Found(found)) in found.take(if self.once { 1 } else { usize::MAX }) {
            let message = self.says.replace("{found}", &found.join(", "));
            let finding = match &self.at {
                None => out.step(self.rule.0, step, message),
                Some(field) => {
                    let line = match field.strip_prefix("with.") {
                        Some(key) => argument_line(step, key),
                        None => step
                            .routes()
                            .iter()
                            .find(|(name, _)| name == field)
                            .map_or(step.line, |(_, route)| route.line),
                    };
                    out.field(self.rule.0, step, field, line, message)
                }
            };
            if self.warning {
                finding.severity = Severity::Warning;
            }
        }
    }

    fn ingredients(&self, scope: &Scope<'_>, out: &mut Findings) {
        let Some(test) = &self.ingredient else {
            return;
        };
        if test
            .recipe
            .as_ref()
            .is_some_and(|name| *name != scope.recipe.name)
        {
            return;
        }
        for input in scope
            .recipe
            .ingredients
            .iter()
            .filter(|input| test.holds(input))
        {
            let name = &input.name;
            let message = self.says.replace("{name}", &name.text);
            out.file(self.rule.0, name.line, message).field =
                Some(format!("ingredients.{}", name.text));
        }
    }

    fn rules(&self, scope: &Scope<'_>, out: &mut Findings) {
        let rules: Vec<&str> = scope
            .recipe
            .kitchen_rules
            .iter()
            .map(|rule| rule.text.as_str())
            .collect();
        let rules = rules.join(" ");
        let missing: Vec<&str> = match &self.kitchen_rules {
            Some(RulesTest::All(texts)) if !rules.is_empty() => texts
                .iter()
                .map(String::as_str)
                .filter(|text| !rules.contains(text))
                .collect(),
            Some(RulesTest::Some(texts))
                if !texts.iter().any(|text| rules.contains(text.as_str())) =>
            {
                texts.iter().map(String::as_str).collect()
            }
            _ => return,
        };
        if !missing.is_empty() {
            let message = self.says.replace("{found}", &missing.join(", "));
            out.file(self.rule.0, 0, message);
        }
    }
}

impl IngredientTest {
    fn holds(&self, input: &Ingredient) -> bool {
        let is = |wanted: Option<bool>, found: bool| wanted.is_none_or(|wanted| wanted == found);
        let default = input.default.as_deref().unwrap_or_default();
        self.name
            .as_ref()
            .is_none_or(|name| *name == input.name.text)
            && is(self.hidden, input.hidden)
            && is(self.required, input.required)
            && is(self.has_default, input.default.is_some())
            && self
                .default_other_than
                .as_ref()
                .is_none_or(|others| !others.iter().any(|other| other == default))
            && self
                .description
                .as_ref()
                .is_none_or(|pattern| pattern.0.is_match(&input.description))
    }
}

fn has_tool(step: &Step, tool: &str) -> bool {
    step.tool.as_ref().is_some_and(|own| own.text == tool)
}

/// Places of the steps that call a tool.
fn with_tool(scope: &Scope<'_>, tool: &str) -> Vec<usize> {
    scope
        .steps()
        .filter(|(_, facts)| has_tool(facts.step, tool))
        .map(|(at, _)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read_and_names_rules_that_there_are() {
        assert!(read(TABLE).unwrap().len() > 25);
        for (text, part) in [
            ("- {rule: absent, says: x}", "there is no rule absent"),
            (
                "- {rule: push-before-audit, says: x, step: {tol: x}}",
                "unknown field `tol`",
            ),
            (
                "- {rule: push-before-audit, says: x, step: {with: {a: '('}}}",
                "regex parse error",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
