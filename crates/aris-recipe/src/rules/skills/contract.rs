//! Rules for what steps give to skills and take from them, as the contracts in the manifest say.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::super::data::SkillContract;
use super::super::scope::{captured_field, nearest_step};
use super::super::skill_name::Called;
use crate::expression::{Namespace, Reference};
use crate::finding::{Finding, Severity};
use crate::near::nearest;
use crate::rules::{Findings, Id, Scope};

/// Most steps from a skill to a push that count as one path. **Source**: the reference.
const PUSH_HOPS: usize = 6;
/// Kinds of inputs that are paths.
const PATHS: [&str; 2] = ["file_path", "directory_path"];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    if scope.data.manifest.is_none() {
        return;
    }
    let mut faults: BTreeMap<&str, Vec<Fault>> = BTreeMap::new();
    let mut captured: BTreeSet<&str> = BTreeSet::new();
    for (at, facts) in scope.steps() {
        if let Some(skill) = &facts.skill {
            if let Some(contract) = facts.contract {
                let call = Call {
                    scope,
                    at,
                    skill,
                    contract,
                };
                call.given(&captured, out);
                call.taken(out);
                call.handed_on(out);
                call.writes(out);
                let name = skill.name;
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

/// A step that calls a skill with a contract.
struct Call<'a> {
    scope: &'a Scope<'a>,
    at: usize,
    skill: &'a Called<'a>,
    contract: &'a SkillContract,
}

impl Call<'_> {
    fn tell<'o>(&self, rule: Id, what: &str, out: &'o mut Findings) -> &'o mut Finding {
        let message = format!("skill `{}` {what}", self.skill.name);
        out.step(rule, self.scope.step(self.at), message)
    }

    fn given(&self, captured: &BTreeSet<&str>, out: &mut Findings) {
        let (scope, skill, contract) = (self.scope, self.skill, self.contract);
        let facts = &scope.facts[self.at];
        let context = facts.reads(Namespace::Context);
        let referred = context.chain(facts.reads(Namespace::Inputs));
        let referred: BTreeSet<&str> = referred.map(|(_, one)| one.name()).collect();
        let at_hand = |name: &str| captured.contains(name) || scope.inputs.contains(name);
        let required = contract.inputs.iter().filter(|input| input.required);
        let required = required.map(|input| input.name.as_str());
        let missing = required.filter(|name| !referred.contains(name));
        let is_declared = |name: &String| contract.inputs.iter().any(|input| input.name == *name);
        if skill.has_prose() {
            for name in missing.filter(|name| at_hand(name)) {
                let what = format!(
                    "requires `{name}`, which is at hand, and the command describes it in prose; write ${{{{ context.{name} }}}}"
                );
                self.tell(Id::ShadowedRequiredInput, &what, out);
            }
        } else if skill.referred().iter().all(is_declared) {
            for name in missing {
                let advice = if at_hand(name) {
                    format!("it is at hand: write ${{{{ context.{name} }}}}")
                } else {
                    String::from("no earlier step captures it and no input has its name")
                };
                let what = format!("requires `{name}` and does not get it; {advice}");
                self.tell(Id::MissingIngredient, &what, out);
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
                let what = format!("is better with `{name}`; add {name}=${{{{ context.{name} }}}}");
                self.tell(Id::MissingRecommendedInput, &what, out);
            }
        }
    }

    fn taken(&self, out: &mut Findings) {
        let (step, contract) = (self.scope.step(self.at), self.contract);
        let names = contract.output_names();
        for capture in step.captures() {
            let field = captured_field(capture);
            let Some(field) = field.filter(|field| contract.output(field).is_none()) else {
                continue;
            };
            let near = nearest(field, names.iter().copied());
            let what = format!("has no output `{field}`{near}");
            self.tell(Id::UndeclaredCaptureKey, &what, out)
                .place(&capture.field, capture.variable.line);
        }
        if !names.is_empty() && step.captures().next().is_none() {
            let names = names.join(", ");
            let what = format!("gives {names} and the step captures nothing");
            self.tell(Id::ImplicitHandoff, &what, out);
        }
        let is_bound = step.skip_when_false.is_none() && step.on_context_limit.is_none();
        if contract.write_behavior.as_deref() == Some("always") && is_bound {
            let what = "always writes; without on_context_limit what it wrote is lost when the agent's context is full";
            self.tell(Id::FileWritingSkillMissingContextLimit, what, out);
        }
    }

    /// Reports a skill that gives nothing and is followed by one that could take paths.
    fn handed_on(&self, out: &mut Findings) {
        let scope = self.scope;
        if !self.contract.outputs.is_empty() {
            return;
        }
        for next in &scope.successors[self.at] {
            let facts = &scope.facts[*next];
            let Some((consumer, takes)) = facts.skill.zip(facts.contract) else {
                continue;
            };
            let inputs = takes.inputs.iter();
            let paths =
                inputs.filter(|input| !input.required && PATHS.contains(&input.kind.as_str()));
            let mut unwired: Vec<&str> = paths.map(|input| input.name.as_str()).collect();
            unwired.retain(|name| !consumer.command.contains(&format!("context.{name}")));
            if !unwired.is_empty() {
                let what = format!(
                    "gives nothing, and `{}` in step `{}` could take {}; if it reads what the first one wrote, give that an output \
                     and capture it",
                    consumer.name,
                    scope.step(*next).name,
                    unwired.join(", ")
                );
                self.tell(Id::UncapturedHandoffConsumer, &what, out);
            }
        }
    }

    /// Reports a skill that may write nothing, and from which the run pushes without a gate.
    fn writes(&self, out: &mut Findings) {
        let (scope, contract) = (self.scope, self.contract);
        if contract.write_behavior.as_deref() != Some("conditional") {
            return;
        }
        let is_output = |one: &Reference| {
            one.namespace == Namespace::Result && contract.output(one.name()).is_some()
        };
        let gated = scope.step(self.at).asks().any(is_output);
        let pushes = |at: usize| scope.step(at).tool.as_deref() == Some("push_to_remote");
        let push = nearest_step(&scope.successors, self.at, Some(PUSH_HOPS), pushes);
        let Some(push) = push.filter(|_| !gated) else {
            return;
        };
        let advice = match contract.output_names().join(", ").as_str() {
            "" => String::from("give the skill an output that tells, and route by it"),
            names => format!("route by one of its outputs ({names}) with on_result"),
        };
        let push = &scope.step(push).name;
        let what = format!("may write nothing, and step `{push}` pushes all the same; {advice}");
        self.tell(Id::ConditionalSkillUngatedPush, &what, out);
    }
}

/// A fault in a contract itself; it is reported at every step that calls the skill.
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
            let why = last_line(&error);
            let message =
                format!("`{pattern}` in write_expected_when is no regular expression: {why}");
            fault(behavior, Error, &message);
        }
    }
    faults
}

/// The last line of an error about a regular expression, which says what is wrong; the lines before show the pattern.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
