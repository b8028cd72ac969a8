//! What steps give to skills and take from them, against the contracts in the manifest.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use regex::Regex;

use super::super::data::{Manifest, SkillContract, SkillInput};
use super::super::findings::Findings;
use super::super::scope::{Facts, Scope, captured_field};
use super::super::skill_name::Called;
use crate::expression::Namespace;
use crate::finding::Severity;
use crate::model::Step;
use crate::near::nearest;
use crate::rules::Id;

/// Steps between a skill and a push that count as one way. **Source**: the reference.
const PUSH_HOPS: usize = 6;
/// Kinds of inputs that are paths.
const PATHS: [&str; 2] = ["file_path", "directory_path"];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let Some(manifest) = &scope.data.manifest else {
        return;
    };
    let mut faults: BTreeMap<&str, Vec<Fault>> = BTreeMap::new();
    let mut captured: BTreeSet<&str> = BTreeSet::new();
    for (at, facts) in scope.steps() {
        if let Some(skill) = &facts.skill {
            if let Some((name, contract)) = manifest.skills.get_key_value(skill.name) {
                given(scope, facts, skill, contract, &captured, out);
                taken(facts.step, skill, contract, out);
                handed_on(scope, manifest, at, skill, contract, out);
                writes(scope, at, skill, contract, out);
                let faults = faults.entry(name).or_insert_with(|| of_contract(contract));
                for (rule, severity, message) in faults {
                    let message = format!("contract of skill `{name}`: {message}");
                    out.step(*rule, facts.step, message).severity = *severity;
                }
            } else if facts.step.captures().next().is_some() {
                let message = format!(
                    "the manifest has no contract of skill `{}`, so its outputs cannot be checked",
                    skill.name
                );
                out.step(Id::UndeclaredCaptureKey, facts.step, message);
            }
        }
        captured.extend(facts.step.captures().map(|capture| &*capture.variable));
    }
}

fn given(
    scope: &Scope<'_>,
    facts: &Facts<'_>,
    skill: &Called<'_>,
    contract: &SkillContract,
    captured: &BTreeSet<&str>,
    out: &mut Findings,
) {
    let step = facts.step;
    let referred: BTreeSet<&str> = facts
        .reads(Namespace::Context)
        .chain(facts.reads(Namespace::Inputs))
        .map(|(_, reference)| reference.name())
        .collect();
    let at_hand = |input: &SkillInput| {
        captured.contains(input.name.as_str()) || scope.inputs.contains(input.name.as_str())
    };
    let inputs = contract.inputs.iter();
    let missing = inputs.filter(|input| input.required && !referred.contains(input.name.as_str()));
    let is_declared = |name: &String| contract.inputs.iter().any(|input| input.name == *name);
    if skill.has_prose() {
        for name in missing
            .filter(|input| at_hand(input))
            .map(|input| &input.name)
        {
            let message = format!(
                "skill `{}` requires `{name}`, which is at hand, and the command describes it in prose; write ${{{{ context.{name} }}}}",
                skill.name
            );
            out.step(Id::ShadowedRequiredInput, step, message);
        }
    } else if skill.referred().iter().all(is_declared) {
        for input in missing {
            let name = &input.name;
            let advice = if at_hand(input) {
                format!("it is at hand: write ${{{{ context.{name} }}}}")
            } else {
                String::from("no earlier step captures it and no input has its name")
            };
            let message = format!(
                "skill `{}` requires `{name}` and does not get it; {advice}",
                skill.name
            );
            out.step(Id::MissingIngredient, step, message);
        }
    }
    for input in &contract.inputs {
        let name = &input.name;
        let mut words = skill.command.split_whitespace();
        let assigned = words.any(|word| {
            let rest = word.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.starts_with('='))
        });
        if input.recommended && !input.required && !assigned {
            let message = format!(
                "skill `{}` is better with `{name}`; add {name}=${{{{ context.{name} }}}}",
                skill.name
            );
            out.step(Id::MissingRecommendedInput, step, message);
        }
    }
}

fn taken(step: &Step, skill: &Called<'_>, contract: &SkillContract, out: &mut Findings) {
    for capture in step.captures() {
        let Some(field) = captured_field(capture) else {
            continue;
        };
        if contract.output(field).is_none() {
            let near = nearest(field, contract.output_names().into_iter());
            let message = format!("skill `{}` has no output `{field}`{near}", skill.name);
            out.step(Id::UndeclaredCaptureKey, step, message)
                .place(&capture.field, capture.variable.line);
        }
    }
    if !contract.outputs.is_empty() && step.captures().next().is_none() {
        let message = format!(
            "skill `{}` gives {} and the step captures nothing",
            skill.name,
            contract.output_names().join(", ")
        );
        out.step(Id::ImplicitHandoff, step, message);
    }
    if contract.write_behavior.as_deref() == Some("always")
        && step.skip_when_false.is_none()
        && step.on_context_limit.is_none()
    {
        let message = format!(
            "skill `{}` always writes; without on_context_limit what it wrote is lost when the agent's context is full",
            skill.name
        );
        out.step(Id::FileWritingSkillMissingContextLimit, step, message);
    }
}

/// A skill that gives nothing, followed by one that would take paths.
fn handed_on(
    scope: &Scope<'_>,
    manifest: &Manifest,
    at: usize,
    skill: &Called<'_>,
    contract: &SkillContract,
    out: &mut Findings,
) {
    if !contract.outputs.is_empty() {
        return;
    }
    for next in &scope.successors[at] {
        let Some(consumer) = &scope.facts[*next].skill else {
            continue;
        };
        let Some(takes) = manifest.skills.get(consumer.name) else {
            continue;
        };
        let inputs = takes.inputs.iter();
        let unwired: Vec<&str> = inputs
            .filter(|input| !input.required && PATHS.contains(&input.kind.as_str()))
            .map(|input| input.name.as_str())
            .filter(|name| !consumer.command.contains(&format!("context.{name}")))
            .collect();
        if !unwired.is_empty() {
            let message = format!(
                "skill `{}` gives nothing, and `{}` in step `{}` could take {}; if it reads what the first one wrote, give that an output \
                 and capture it",
                skill.name,
                consumer.name,
                scope.step(*next).name,
                unwired.join(", ")
            );
            out.step(Id::UncapturedHandoffConsumer, scope.step(at), message);
        }
    }
}

/// A skill that may write nothing, on an ungated way to a push.
fn writes(
    scope: &Scope<'_>,
    at: usize,
    skill: &Called<'_>,
    contract: &SkillContract,
    out: &mut Findings,
) {
    if contract.write_behavior.as_deref() != Some("conditional") {
        return;
    }
    let step = scope.step(at);
    let gated = step.asks().any(|reference| {
        reference.namespace == Namespace::Result && contract.output(reference.name()).is_some()
    });
    let Some(push) = push_behind(scope, at).filter(|_| !gated) else {
        return;
    };
    let names = contract.output_names();
    let advice = if names.is_empty() {
        String::from("give the skill an output that tells, and route by it")
    } else {
        format!(
            "route by one of its outputs ({}) with on_result",
            names.join(", ")
        )
    };
    let message = format!(
        "skill `{}` may write nothing, and step `{}` pushes all the same; {advice}",
        skill.name,
        scope.step(push).name
    );
    out.step(Id::ConditionalSkillUngatedPush, step, message);
}

/// The nearest push.
fn push_behind(scope: &Scope<'_>, from: usize) -> Option<usize> {
    let mut seen = BTreeSet::from([from]);
    let mut open = VecDeque::from([(from, 0)]);
    while let Some((at, hops)) = open.pop_front() {
        if scope.step(at).tool.as_deref() == Some("push_to_remote") {
            return Some(at);
        }
        if hops < PUSH_HOPS {
            let fresh = scope.successors[at]
                .iter()
                .filter(|next| seen.insert(**next));
            open.extend(fresh.map(|next| (*next, hops + 1)));
        }
    }
    None
}

/// What is wrong with a contract itself; told at every step that calls the skill.
type Fault = (Id, Severity, String);

fn of_contract(contract: &SkillContract) -> Vec<Fault> {
    use Severity::{Error, Warning};
    let mut faults = Vec::new();
    let mut fault = |rule, severity, message: &str| {
        faults.push((rule, severity, message.to_owned()));
    };
    let patterns = &contract.output_patterns;
    let examples = &contract.pattern_examples;
    let mut outputs = contract.outputs.iter();
    if patterns.is_empty() && outputs.any(|output| output.kind == "file_path") {
        let message = "it gives files and has no expected_output_patterns";
        fault(Id::MissingOutputPatterns, Warning, message);
    }
    if !patterns.is_empty() && examples.is_empty() {
        let message = "it has expected_output_patterns and no pattern_examples";
        fault(Id::MissingPatternExamples, Warning, message);
    }
    for pattern in patterns {
        let problem = match Regex::new(pattern) {
            Err(error) => format!("is no regular expression: {}", last_line(&error)),
            Ok(regex) if examples.is_empty() || examples.iter().any(|one| regex.is_match(one)) => {
                continue;
            }
            Ok(_) => String::from("matches none of the pattern_examples"),
        };
        let message = format!("pattern `{pattern}` {problem}");
        fault(Id::PatternExamplesMatch, Error, &message);
    }
    let conditions = &contract.write_expected_when;
    let behavior = Id::WriteBehaviorConsistency;
    match contract.write_behavior.as_deref() {
        Some("conditional") if conditions.is_empty() => {
            let message = "write_behavior is conditional and write_expected_when says no condition";
            fault(behavior, Error, message);
        }
        Some("always") if !conditions.is_empty() => {
            let message = "write_behavior is always and write_expected_when says a condition";
            fault(behavior, Warning, message);
        }
        None | Some("always" | "conditional") => {}
        Some(other) => {
            let message = format!("write_behavior is `{other}`; there is always and conditional");
            fault(behavior, Error, &message);
        }
    }
    for pattern in conditions {
        if let Err(error) = Regex::new(pattern) {
            let message = format!(
                "`{pattern}` in write_expected_when is no regular expression: {}",
                last_line(&error)
            );
            fault(behavior, Error, &message);
        }
    }
    faults
}

/// The sentence at the end of what the parser of regular expressions says; before it the pattern is drawn.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
