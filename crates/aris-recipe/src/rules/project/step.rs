//! Tests on a step: its own keys, and the steps around it.

use std::collections::{BTreeMap, BTreeSet};

use aris_yaml::{Text, typed::Many};
use serde::Deserialize;

use super::skill::SkillTest;
use super::{Pattern, is};
use crate::expression::{Expression, Namespace};
use crate::model::{AGENT_TOOL, COMMAND_TOOL, Kind, Step};
use crate::rules::scope::{Scope, argument, captured_field, nearest_step, reach};

/// A test; all parts that are given must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StepTest {
    name: Many<String>,
    /// Beginnings of its name.
    starts: Many<String>,
    tool: Many<String>,
    python: Many<String>,
    /// The skill that it calls.
    skill: Many<String>,
    /// Parts of an agent's skill command.
    calls: Many<String>,
    /// Parts of a command.
    cmd: Many<String>,
    note: Many<String>,
    /// The text of the skill that it calls.
    skill_text: Option<SkillTest>,
    /// Arguments, each with the pattern that it matches.
    with: BTreeMap<String, Pattern>,
    /// Arguments that it does not have.
    without: Many<String>,
    /// Arguments that equal the named argument of the step that the whole test is about.
    same: BTreeMap<String, String>,
    /// An argument that reads an input.
    reads_input: Many<String>,
    /// An argument that reads what was captured from a field of a result.
    reads_field: Option<ReadsField>,
    /// An argument reads what a step before this one has removed.
    reads_removed: Option<Removed>,
    /// Whether it must be an agent step that captures nothing.
    captures_nothing: bool,
    /// A field of the result.
    captures: Many<String>,
    captures_as: Many<String>,
    captures_list: Many<String>,
    /// Routes that it has, and routes that it does not have.
    has: Many<String>,
    lacks: Many<String>,
    retried: Option<bool>,
    /// One of these holds.
    any: Many<Self>,
    /// None of these holds.
    none: Many<Self>,
    /// A step before it; the nearest one is found.
    before: Option<Box<Before>>,
    /// It can be reached from the entry without passing such a step.
    unguarded_by: Option<Box<Self>>,
    /// The same, if no step is skipped.
    unguarded_without_skips_by: Option<Box<Self>>,
    after_failure: Option<Box<AfterFailure>>,
    /// Values of a field that have no branch of their own, in the list form.
    results: Option<Results>,
    /// Where a value leads.
    leads: Option<Leads>,
    default_other_than: Option<String>,
    failure_other_than: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct ReadsField {
    with: String,
    field: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Removed {
    /// The tool that removes it.
    by: String,
    /// Fields of results that name what it removes.
    fields: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Before {
    hops: Option<usize>,
    is: StepTest,
}

#[derive(Clone, Debug, Deserialize)]
struct AfterFailure {
    reaches: StepTest,
    without: StepTest,
}

#[derive(Clone, Debug, Deserialize)]
struct Results {
    field: String,
    need: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Leads {
    on: String,
    to: String,
}

impl StepTest {
    /// What the test found, empty where there is nothing to name; `None` where it does not hold.
    pub(super) fn holds(&self, scope: &Scope<'_>, at: usize) -> Option<Vec<String>> {
        self.holds_for(scope, at, at)
    }

    /// The same for a part of a test; `judged` is the step that the whole test is about.
    fn holds_for(&self, scope: &Scope<'_>, at: usize, judged: usize) -> Option<Vec<String>> {
        if !(self.is_itself(scope, at, judged) && self.routes(scope.step(at))) {
            return None;
        }
        let step = scope.step(at);
        let one = |test: &Self| test.holds_for(scope, at, judged).is_some();
        let unguarded = |guard: &Option<Box<Self>>, skips| {
            guard.as_ref().is_none_or(|guard| {
                let guards = |at: usize| guard.holds_for(scope, at, judged).is_some();
                let edges = scope.graph.successors(scope.facts.len(), skips);
                reach(&edges, &[0], guards).contains(&at)
            })
        };
        let others = |routes: Vec<Option<&Text>>, wanted: &String| {
            let routes = routes.into_iter().flatten().map(|route| route.text.clone());
            routes.filter(|route| route != wanted).collect()
        };
        let whole = (self.any.0.is_empty() || self.any.0.iter().any(one))
            && !self.none.0.iter().any(one)
            && unguarded(&self.unguarded_by, true)
            && unguarded(&self.unguarded_without_skips_by, false);
        let open = step
            .branches()
            .iter()
            .filter(|branch| branch.when.is_none());
        let open = open.map(|branch| branch.route.as_ref()).collect();
        let (default, failure) = (&self.default_other_than, &self.failure_other_than);
        let parts = [
            self.before.as_ref().map(|one| one.found(scope, at)),
            self.after_failure
                .as_ref()
                .map(|one| one.found(scope, step)),
            self.results.as_ref().map(|one| one.missing(step)),
            default.as_ref().map(|wanted| others(open, wanted)),
            failure
                .as_ref()
                .map(|wanted| others(vec![step.on_failure.as_ref()], wanted)),
            self.reads_field.as_ref().map(|one| one.found(scope, at)),
            self.reads_removed.as_ref().map(|one| one.found(scope, at)),
            self.skill_text
                .as_ref()
                .map(|one| one.found(scope, at).unwrap_or_default()),
        ];
        let named: Vec<Vec<String>> = parts.into_iter().flatten().collect();
        (whole && named.iter().all(|names| !names.is_empty())).then(|| named.concat())
    }

    /// Whether the step's own keys pass.
    fn is_itself(&self, scope: &Scope<'_>, at: usize, judged: usize) -> bool {
        let step = scope.step(at);
        let facts = &scope.facts[at];
        let has_tool = |tool: &str| step.tool.as_deref() == Some(tool);
        let of = |key: &str, tool: &str| {
            let text = argument(step, key).filter(|_| has_tool(tool));
            text.unwrap_or_default()
        };
        let (command, cmd) = (of("skill_command", AGENT_TOOL), of("cmd", COMMAND_TOOL));
        let (python, note) = (step.python.as_deref(), step.note.as_deref());
        let note = note.unwrap_or_default();
        let skill = facts.skill.map(|skill| skill.name);
        let has_argument = |key: &str| step.with.iter().any(|(known, _)| known.text == key);
        let reads_input = |key: &str| {
            let mut reads = facts.reads(Namespace::Inputs);
            reads.any(|(known, _)| known.text == key)
        };
        let trimmed = |step, key: &str| argument(step, key).map(str::trim);
        let result_field = |field: &str| step.capture.iter().any(|capture| capture.reads(field));
        let list = |name: &str| {
            let mut captures = step.capture_list.iter();
            captures.any(|capture| capture.variable.text == name)
        };
        some(&self.name, |name| step.name == name)
            && some(&self.starts, |name| step.name.starts_with(name))
            && some(&self.tool, has_tool)
            && some(&self.python, |wanted| python == Some(wanted))
            && some(&self.skill, |name| skill == Some(name))
            && some(&self.calls, |part| command.contains(part))
            && some(&self.cmd, |part| cmd.contains(part))
            && some(&self.note, |part| note.contains(part))
            && self.with.iter().all(|(key, pattern)| {
                argument(step, key).is_some_and(|value| pattern.0.is_match(value))
            })
            && some(&self.without, |key| !has_argument(key))
            && some(&self.reads_input, reads_input)
            && self.same.iter().all(|(key, other)| {
                let own = trimmed(step, key);
                own.is_some() && own == trimmed(scope.step(judged), other)
            })
            && !(self.captures_nothing && (step.kind() != Kind::Agent || !step.capture.is_empty()))
            && some(&self.captures, result_field)
            && some(&self.captures_as, |name| step.captures_as(name))
            && some(&self.captures_list, list)
    }

    fn routes(&self, step: &Step) -> bool {
        let has = |field: &str| match field {
            "on_result" => step.on_result.is_some(),
            field => step.routes().iter().any(|way| way.field == field),
        };
        some(&self.has, has)
            && some(&self.lacks, |field| !has(field))
            && is(self.retried.as_ref(), &(step.retries() > 0))
            && self.leads.as_ref().is_none_or(|leads| leads.hold(step))
    }
}

/// Whether one of the texts fits, or there are none.
fn some(texts: &Many<String>, fits: impl Fn(&str) -> bool) -> bool {
    texts.0.is_empty() || texts.0.iter().any(|text| fits(text))
}

impl ReadsField {
    fn found(&self, scope: &Scope<'_>, at: usize) -> Vec<String> {
        let reads = scope.facts[at].reads(Namespace::Context);
        let names = reads.filter(|(key, _)| key.text == self.with);
        let comes_from = |name: &str| {
            let before = scope.facts.iter().take(at).rev();
            let mut captures = before.flat_map(|facts| facts.step.capture.iter().rev());
            let capture = captures.find(|capture| capture.variable.text == name)?;
            let mut references = capture.template.references();
            references.find(|reference| reference.is(Namespace::Result, &self.field))
        };
        let found = names.filter(|(_, reference)| comes_from(reference.name()).is_some());
        found.map(|(_, reference)| reference.to_string()).collect()
    }
}

impl Removed {
    fn found(&self, scope: &Scope<'_>, at: usize) -> Vec<String> {
        let mut found = Vec::new();
        for (_, reference) in scope.facts[at].reads(Namespace::Context) {
            let name = reference.name();
            // Of several captures the last one in the file counts.
            let producers = scope.producers.get(name).into_iter().flatten().rev();
            let mut own = producers.flat_map(|at| scope.step(*at).capture.iter().rev());
            let own = own.find(|capture| capture.variable.text == name);
            let field = own.and_then(captured_field);
            if !field.is_some_and(|field| self.fields.iter().any(|one| one == field)) {
                continue;
            }
            let renews = |step: usize| {
                let mut captures = scope.step(step).capture.iter();
                captures.any(|capture| capture.variable.text == name)
            };
            for (remover, facts) in scope.steps().filter(|(remover, _)| *remover != at) {
                if facts.step.tool.as_deref() != Some(&self.by) {
                    continue;
                }
                let after = facts.step.on_success.as_ref();
                let after = after.and_then(|route| scope.recipe.position(&route.text));
                if after.is_some_and(|after| scope.reach(&[after], renews).contains(&at)) {
                    found.push(format!("{reference}, which {}", scope.step(remover).name));
                }
            }
        }
        found
    }
}

impl Before {
    fn found(&self, scope: &Scope<'_>, at: usize) -> Vec<String> {
        let wanted = |at: usize| self.is.holds(scope, at).is_some();
        let found = nearest_step(&scope.predecessors, at, self.hops, wanted);
        let name = found.map(|at| scope.step(at).name.clone());
        name.into_iter().collect()
    }
}

impl AfterFailure {
    fn found(&self, scope: &Scope<'_>, step: &Step) -> Vec<String> {
        let failure = step.on_failure.as_deref();
        let failure = failure.and_then(|route| scope.recipe.position(route));
        let begin: Vec<usize> = failure.into_iter().collect();
        let looks = |at: usize| self.without.holds(scope, at).is_some();
        let reached = reach(&scope.successors, &begin, looks).into_iter();
        let wanted = reached.filter(|at| self.reaches.holds(scope, *at).is_some());
        wanted.map(|at| scope.step(at).name.clone()).collect()
    }
}

impl Results {
    fn missing(&self, step: &Step) -> Vec<String> {
        let conditions = step.conditions();
        let routed = conditions.flat_map(|(_, _, expression)| self.values(expression));
        let routed: BTreeSet<&str> = routed.collect();
        let listed = !step.branches().is_empty() && step.by_field().is_none();
        let needed = self.need.iter().filter(|_| listed);
        let missing = needed.filter(|value| !routed.contains(value.as_str()));
        missing.cloned().collect()
    }

    /// Values that a condition compares the field with.
    fn values<'e>(&self, expression: &'e Expression) -> Vec<&'e str> {
        if let Expression::Or(parts) | Expression::And(parts) = expression {
            return parts.iter().flat_map(|part| self.values(part)).collect();
        }
        let compared = expression.equality();
        let compared = compared.filter(|(one, _)| one.is(Namespace::Result, &self.field));
        compared.map(|(_, value)| value).into_iter().collect()
    }
}

impl Leads {
    fn hold(&self, step: &Step) -> bool {
        step.branches().iter().any(|branch| {
            let asks = match (&branch.value, &branch.when) {
                (Some(value), _) => value.text == self.on,
                (None, when) => when
                    .as_ref()
                    .is_some_and(|when| when.text.contains(&self.on)),
            };
            asks && branch.route.as_deref() == Some(&self.to)
        })
    }
}
