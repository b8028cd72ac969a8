//! Inputs, versions and rules for the executor.

use super::super::findings::Findings;
use super::super::scope::Scope;
use crate::model::Ingredient;

/// Version of the reference when no manifest names the installed one. **Source**: the version whose rules these are.
const REFERENCE_VERSION: &str = "0.9.0";
/// Tools that the rules for the executor must name. **Source**: the reference.
const FORBIDDEN_TOOLS: [&str; 10] = [
    "Read",
    "Grep",
    "Glob",
    "Edit",
    "Write",
    "Bash",
    "Agent",
    "WebFetch",
    "WebSearch",
    "NotebookEdit",
];
/// How descriptions of inputs that programs set begin. **Source**: the reference.
const INTERNAL_BEGINNINGS: [&str; 5] =
    ["set to ", "set by ", "set when ", "used by ", "passed by "];
/// What stands in them. **Source**: the reference.
const INTERNAL_PARTS: [&str; 3] = ["upstream orchestrat", "already claimed", "batch orchestrat"];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    version(scope, out);
    for ingredient in &scope.recipe.ingredients {
        input(scope, ingredient, out);
    }
    let rules = scope
        .recipe
        .kitchen_rules
        .iter()
        .map(|rule| rule.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    let missing: Vec<&str> = FORBIDDEN_TOOLS
        .into_iter()
        .filter(|tool| !rules.contains(tool))
        .collect();
    if !scope.recipe.kitchen_rules.is_empty() && !missing.is_empty() {
        let message = format!(
            "kitchen_rules do not name every tool that the executor must not use; missing: {}",
            missing.join(", ")
        );
        out.file("weak-constraint-text", 0, message);
    }
}

fn version(scope: &Scope<'_>, out: &mut Findings) {
    let manifest = scope.data.manifest.as_ref();
    let installed = manifest
        .and_then(|manifest| manifest.package_version.as_deref())
        .unwrap_or(REFERENCE_VERSION);
    let (line, message) = match &scope.recipe.version {
        None => (
            0,
            format!(
                "the recipe does not say by autoskillit_version which version it is for; {installed} is installed"
            ),
        ),
        Some(version) => match (numbers(&version.text), numbers(installed)) {
            (None, _) => (
                version.line,
                format!("`{}` is no version; {installed} is installed", version.text),
            ),
            (Some(own), Some(now)) if own < now => (
                version.line,
                format!(
                    "the recipe is for version {}, and {installed} is installed",
                    version.text
                ),
            ),
            _ => return,
        },
    };
    out.file("outdated-recipe-version", line, message);
}

/// The numbers of a version without zeros at the end; `None` when it is none. What follows them (`rc1`, `.dev0`) is left out.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim();
    let version = version.strip_prefix('v').unwrap_or(version);
    let end = version
        .find(|sign: char| !(sign.is_ascii_digit() || sign == '.'))
        .unwrap_or(version.len());
    let head = version.get(..end)?.trim_end_matches('.');
    let mut numbers: Vec<u64> = head
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}

fn input(scope: &Scope<'_>, ingredient: &Ingredient, out: &mut Findings) {
    let name = &ingredient.name;
    let described = ingredient.description.to_lowercase();
    let internal = INTERNAL_BEGINNINGS
        .iter()
        .any(|beginning| described.starts_with(beginning))
        || INTERNAL_PARTS.iter().any(|part| {
            described.match_indices(part).any(|(at, _)| {
                let before = described
                    .get(..at)
                    .and_then(|before| before.chars().next_back());
                !before.is_some_and(char::is_alphanumeric)
            })
        });
    if internal && !ingredient.hidden {
        let message = format!(
            "input `{}` is set by programs, as its description says, and is not hidden",
            name.text
        );
        out.file("pipeline-internal-not-hidden", name.line, message)
            .field = Some(format!("ingredients.{}", name.text));
    }
    if ingredient.required && ingredient.default.is_none() && !ingredient.hidden {
        let message = format!(
            "input `{}` is required and has no default, so that people are asked before anything runs",
            name.text
        );
        out.file("required-ingredient-no-default", name.line, message)
            .field = Some(format!("ingredients.{}", name.text));
    }
    let named = scope.recipe.name == "research" && name.text == "output_mode";
    if named && !matches!(ingredient.default.as_deref(), Some("pr" | "local")) {
        let message = "the default of output_mode must be pr or local";
        out.file("research-output-mode-enum", name.line, message)
            .field = Some(String::from("ingredients.output_mode"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
