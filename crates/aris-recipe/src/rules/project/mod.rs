//! Rules of one project for its own tools and skills. They are data: a file says when each of them fires.

mod skill;
mod step;

use aris_yaml::{Keys, Problem};
use regex::Regex;
use serde::Deserialize;

use super::scope::argument_line;
use super::table::Need;
use crate::finding::{Finding, Severity};
use crate::model::Ingredient;
use crate::rules::{Findings, RULES, Scope};

use step::StepTest;

/// A regular expression.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Regex::new(&text).map(Self).map_err(|error| {
            let said = error.to_string();
            let reason = said.lines().last().unwrap_or_default();
            format!("must be a regular expression, not {text:?}: {reason}")
        })
    }
}

/// A rule of a project. It fires where its test holds.
#[derive(Clone, Debug, Deserialize)]
pub struct ProjectRule {
    /// Its id.
    pub rule: String,
    /// How much it weighs.
    pub severity: Severity,
    /// Data without which it is skipped.
    #[serde(default)]
    pub(super) data: Vec<Need>,
    /// The message; `{found}` is replaced by what the test found, or by the name of the input.
    says: String,
    /// Whether it is reported at the first step only.
    #[serde(default)]
    once: bool,
    /// The argument or key at which it is reported.
    at: Option<String>,
    /// Some step of the recipe must pass this.
    needs: Option<StepTest>,
    /// No step of the recipe may pass this.
    unless: Option<StepTest>,
    step: Option<StepTest>,
    ingredient: Option<IngredientTest>,
    kitchen_rules: Option<RulesTest>,
    /// The recipe names no version, or one before this.
    version_before: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
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

/// Texts that the rules for the executor must contain.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RulesTest {
    All(Vec<String>),
    Some(Vec<String>),
}

impl ProjectRule {
    /// Reads a list of rules.
    ///
    /// **Errors**: no YAML, or something that is no rule.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, Vec<Problem>> {
        aris_yaml::typed(text, Keys::Known)
    }

    fn tell<'o>(
        &self,
        number: usize,
        line: u32,
        found: &str,
        out: &'o mut Findings,
    ) -> &'o mut Finding {
        let message = self.says.replace("{found}", found);
        let finding = Finding::about_file(self.rule.clone(), self.severity, message);
        out.tell(RULES.len() + number, finding.at(line))
    }

    fn steps(&self, number: usize, scope: &Scope<'_>, out: &mut Findings) {
        let Some(test) = &self.step else {
            return;
        };
        let steps = scope.steps();
        let found = steps.filter_map(|(at, facts)| Some((facts.step, test.holds(scope, at)?)));
        for (step, found) in found.take(if self.once { 1 } else { usize::MAX }) {
            let finding = self.tell(number, step.line, &found.join(", "), out);
            finding.step.clone_from(&step.name);
            let Some(field) = &self.at else {
                continue;
            };
            let mut ways = step.routes().into_iter();
            let way = ways.find(|way| way.field == *field);
            let line = match field.strip_prefix("with.") {
                Some(key) => argument_line(step, key),
                None => way.map_or(step.line, |way| way.to.line),
            };
            finding.place(field, line);
        }
    }

    fn ingredients(&self, number: usize, scope: &Scope<'_>, out: &mut Findings) {
        let Some(test) = &self.ingredient else {
            return;
        };
        if !is(test.recipe.as_ref(), &scope.recipe.name) {
            return;
        }
        let inputs = scope.recipe.ingredients.iter();
        for input in inputs.filter(|input| test.holds(input)) {
            let name = &input.name;
            let finding = self.tell(number, name.line, name, out);
            finding.field = Some(format!("ingredients.{}", name.text));
        }
    }

    fn kitchen_rules(&self, number: usize, scope: &Scope<'_>, out: &mut Findings) {
        let rules = scope.recipe.kitchen_rules.iter();
        let rules: Vec<&str> = rules.map(|rule| rule.text.as_str()).collect();
        let rules = rules.join(" ");
        let absent = |text: &&String| !rules.contains(text.as_str());
        let missing: Vec<String> = match &self.kitchen_rules {
            Some(RulesTest::All(texts)) if !rules.is_empty() => {
                texts.iter().filter(absent).cloned().collect()
            }
            Some(RulesTest::Some(texts)) if texts.iter().all(|text| absent(&text)) => texts.clone(),
            _ => return,
        };
        if !missing.is_empty() {
            self.tell(number, 0, &missing.join(", "), out);
        }
    }

    fn version(&self, number: usize, scope: &Scope<'_>, out: &mut Findings) {
        let Some(wanted) = &self.version_before else {
            return;
        };
        let given = scope.recipe.version();
        let (line, text) = given.map_or((0, "none"), |text| (text.line, text.text.as_str()));
        if numbers(text).is_none_or(|own| Some(own) < numbers(wanted)) {
            self.tell(number, line, text, out);
        }
    }
}

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (number, rule) in scope.data.rules.iter().enumerate() {
        let passes = |test: &StepTest| scope.steps().any(|(at, _)| test.holds(scope, at).is_some());
        if !rule.needs.as_ref().is_none_or(passes) || rule.unless.as_ref().is_some_and(passes) {
            continue;
        }
        rule.steps(number, scope, out);
        rule.ingredients(number, scope, out);
        rule.kitchen_rules(number, scope, out);
        rule.version(number, scope, out);
    }
}

/// The numbers of a version, without zeros at the end; `None` when it is not a version. What follows the numbers (`rc1`, `.dev0`) is
/// ignored.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim().trim_start_matches('v');
    let end = version.find(|sign: char| !(sign.is_ascii_digit() || sign == '.'));
    let head = version.get(..end.unwrap_or(version.len()))?;
    let parts = head.trim_end_matches('.').split('.');
    let mut numbers: Vec<u64> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}

/// Whether a value is the wanted one, if there is one.
fn is<T: PartialEq>(wanted: Option<&T>, found: &T) -> bool {
    wanted.is_none_or(|wanted| wanted == found)
}

impl IngredientTest {
    fn holds(&self, input: &Ingredient) -> bool {
        let default = input.default.clone().unwrap_or_default();
        let (others, pattern) = (&self.default_other_than, &self.description);
        is(self.name.as_ref(), &input.name.text)
            && is(self.hidden.as_ref(), &input.hidden)
            && is(self.required.as_ref(), &input.required)
            && is(self.has_default.as_ref(), &input.default.is_some())
            && !others.iter().flatten().any(|other| *other == default)
            && pattern.iter().all(|one| one.0.is_match(&input.description))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_cannot_be_read_is_refused() {
        for (text, part) in [
            ("- {rule: x, says: x}", "an item needs severity"),
            (
                "- {rule: x, severity: error, says: x, step: {tol: x}}",
                "did you mean \"tool\"?",
            ),
            (
                "- {rule: x, severity: error, says: x, step: {with: {a: '('}}}",
                "unclosed group",
            ),
        ] {
            let [problem] = &ProjectRule::parse_all(text).unwrap_err()[..] else {
                panic!("{text}");
            };
            let told = format!("{} {:?}", problem.message, problem.hint).replace("\\\"", "\"");
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        for (older, newer) in [
            ("0.8.0", "0.9.0"),
            ("0.9", "0.9.1"),
            ("0.9.0", "0.10"),
            ("0.9rc1", "1"),
        ] {
            assert!(numbers(older) < numbers(newer), "{older} {newer}");
        }
        assert_eq!(numbers("0.9"), numbers("v0.9.0"));
        for odd in ["", "latest", "1..2", "."] {
            assert_eq!(numbers(odd), None, "{odd}");
        }
    }
}
