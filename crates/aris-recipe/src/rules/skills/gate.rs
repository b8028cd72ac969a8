//! Rules for gates: steps that route by what an agent or a program wrote. They check where an unexpected text, a value without a branch, or
//! a failure leads.
//!
//! A route *holds* when the run cannot end well after it without passing the gate again: it leads to failed ends and to people, or in a
//! loop back to the gate.

use super::super::scope::{Values, comparisons, reach};
use crate::expression::{Comparison, Expression, Namespace, Operand, Reference};
use crate::finding::Severity;
use crate::model::{Kind, Step, Target, Via, Written};
use crate::rules::routing::ends_unwritten;
use crate::rules::{Findings, Id, Scope};
use aris_yaml::Text;

/// A text that no recipe names.
const UNEXPECTED: &str = "\u{0}";

pub(super) fn check(scope: &Scope<'_>, ends: &Ends, at: usize, out: &mut Findings) {
    let step = scope.step(at);
    // Another rule reports that the field is missing.
    if step.by_field().is_some_and(|field| field.trim().is_empty()) {
        return;
    }
    let mut asked: Vec<(&Reference, Vec<String>)> = Vec::new();
    for (_, _, expression) in step.conditions() {
        for (reference, comparison, literal) in comparisons(expression) {
            let values = told_apart(comparison, literal);
            match asked.iter_mut().find(|(known, _)| *known == reference) {
                Some((_, literals)) => literals.extend(values),
                None => asked.push((reference, values)),
            }
        }
    }
    // Add fields of an agent's answer that are only tested for truth. For other variables and programs such a test asks whether something
    // is there.
    for reference in step.asks().filter(|_| step.kind() == Kind::Agent) {
        let own = reference.namespace == Namespace::Result;
        if own && !asked.iter().any(|(known, _)| *known == reference) {
            asked.push((reference, Vec::new()));
        }
    }
    for (reference, literals) in asked {
        let name = reference.name();
        let producers = scope.producers.get(name).cloned().unwrap_or_default();
        let writers = match reference.namespace {
            Namespace::Result => vec![at],
            Namespace::Context => producers,
            Namespace::Inputs => continue,
        };
        let values = scope.values(at, reference);
        let gate = Gate {
            scope,
            ends,
            at,
            reference,
            literals,
        };
        for writer in writers {
            let found = gate.unexpected(writer, values.as_ref(), out);
            let failed = gate.failure(writer, out);
            if found || failed {
                return;
            }
        }
    }
}

/// Values that a comparison tells apart: the literal, and for an ordering also a number below and one above it.
fn told_apart(comparison: Comparison, literal: &str) -> Vec<String> {
    let mut values = vec![literal.to_owned()];
    if !matches!(comparison, Comparison::Equal | Comparison::NotEqual)
        && let Ok(number) = literal.trim().parse::<f64>()
    {
        values.extend([number - 1.0, number + 1.0].map(|beside| beside.to_string()));
    }
    values
}

/// One step that routes by one reference.
struct Gate<'a> {
    scope: &'a Scope<'a>,
    ends: &'a Ends,
    at: usize,
    reference: &'a Reference,
    /// What the conditions compare it with.
    literals: Vec<String>,
}

impl Gate<'_> {
    /// A text that no condition names must not lead on, unless a failure of its writer leads there, too.
    fn unexpected(&self, writer: usize, values: Option<&Values<'_>>, out: &mut Findings) -> bool {
        let step = self.scope.step(self.at);
        let writer_step = self.scope.step(writer);
        let unnamed = |value: &&str| !self.literals.iter().any(|literal| literal == value);
        let stopped = self.stops_any_text(writer);
        let unknown = if stopped { "" } else { UNEXPECTED };
        let values_there = values.cloned().unwrap_or_else(|| Values::from([unknown]));
        for value in values_there.into_iter().filter(unnamed) {
            let Some((at, route)) = self.branch(value) else {
                continue;
            };
            let failure = writer_step.on_failure.as_deref();
            let as_failure = failure.is_none_or(|failure| failure == route.text);
            // Where all values are known, the default may be meant for the last one, unless another value has a branch that leads to the
            // same step.
            let beside = self.literals.iter().find(|literal| {
                let named = self.branch(literal);
                named.is_some_and(|(_, named)| named.text == route.text)
            });
            if as_failure
                || (values.is_some() && beside.is_none())
                || self.holds(&route.text, writer)
            {
                continue;
            }
            let message = if let (Some(_), Some(beside)) = (values, beside) {
                format!(
                    "`{}` can be `{value}`, which no branch names; it leads to `{}`, as `{beside}` does",
                    self.reference, route.text
                )
            } else if stopped {
                format!(
                    "an answer without `{}` leads to `{}`, as one that denies it does; let only a value that is named lead there, \
                     and the default where on_failure goes",
                    self.reference, route.text
                )
            } else {
                let absent = self.branch("");
                let absent = absent.is_some_and(|(_, absent)| absent.text == route.text);
                format!(
                    "every text of `{}` that no branch names leads to `{}`, also a misspelt{} one; list its values in a manifest \
                     (allowed_values), or name each of them and let the default go where on_failure goes",
                    self.reference,
                    route.text,
                    if absent { " or a missing" } else { "" }
                )
            };
            let finding = out.step(Id::OpenDefault, step, message);
            finding.place(format!("on_result[{at}]"), route.line);
            // A listed value may be meant to go there, and a program writes what its author chose; only an agent writes anything. A text
            // that is only tested for truth may be one for which any text is right, such as a path.
            if values.is_some()
                || writer_step.kind() != Kind::Agent
                || (self.literals.is_empty() && !stopped)
            {
                finding.severity = Severity::Info;
            }
            return true;
        }
        false
    }

    /// Where some value is stopped, a failure of the writer must not lead where another value goes on.
    fn failure(&self, writer: usize, out: &mut Findings) -> bool {
        let (mut goes_on, mut is_stopped) = (Vec::new(), false);
        let literals = self.literals.iter().map(String::as_str);
        let absent = self.stops_any_text(writer).then_some("");
        for value in literals.chain([UNEXPECTED]).chain(absent) {
            match self.branch(value) {
                Some((_, route)) if self.holds(&route.text, writer) => is_stopped = true,
                Some((_, route)) => goes_on.push(route.text.as_str()),
                None => {}
            }
        }
        if !is_stopped {
            return false;
        }
        let step = self.scope.step(writer);
        let vias = [Via::Failure, Via::Exhausted, Via::ContextLimit];
        let open = vias.into_iter().find_map(|via| {
            let mut ways = step.routes().into_iter();
            ways.find(|way| way.via == via && goes_on.contains(&&**way.to))
        });
        let Some(Written { field, to, .. }) = open else {
            return false;
        };
        let message = format!(
            "without a verdict the run continues at `{}`, as if `{}` had allowed it; let {field} stop it",
            to.text, self.reference
        );
        out.step(Id::OpenFailure, step, message)
            .place(field, to.line);
        true
    }

    /// Whether the text is only tested for truth, and every text is stopped. Then only an absent text has no branch.
    fn stops_any_text(&self, writer: usize) -> bool {
        let any = self.branch(UNEXPECTED);
        self.literals.is_empty() && any.is_some_and(|(_, route)| self.holds(&route.text, writer))
    }

    /// The first branch that this text of the reference is sure to take.
    fn branch(&self, text: &str) -> Option<(usize, &Text)> {
        let branches = self.scope.step(self.at).branches();
        let (at, branch) = branches.iter().enumerate().find(|(_, branch)| {
            let holds = |condition| self.outcome(condition, text) == Some(true);
            branch.is_default() || branch.condition().is_some_and(holds)
        })?;
        Some((at, branch.route.as_ref()?))
    }

    /// Whether a condition holds for this text; `None` where something else decides.
    fn outcome(&self, expression: &Expression, text: &str) -> Option<bool> {
        let mut known = |operand: &Operand| match operand {
            Operand::Literal(literal) => Some(literal.clone()),
            Operand::Reference(reference) => (reference == self.reference).then(|| text.to_owned()),
        };
        expression.outcome(&mut known, &mut Vec::new())
    }

    /// Whether no good end can be reached by a route without passing the gate, or its writer, again.
    fn holds(&self, route: &str, writer: usize) -> bool {
        let scope = self.scope;
        let Some(first) = scope.recipe.position(route) else {
            return scope.recipe.target(route) != Some(Target::Done);
        };
        let components = &scope.graph.components;
        let leads_back = components.same(first, self.at) || components.same(first, writer);
        if !leads_back || !self.ends.reached[first] {
            return !self.ends.reached[first];
        }
        // It stops at the first end: visiting all that can be reached, for each gate, takes minutes in a loop of thousands of steps.
        let mut seen = vec![false; scope.facts.len()];
        let mut open = vec![first];
        while let Some(at) = open.pop() {
            if at == self.at || at == writer || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if self.ends.here[at] {
                return false;
            }
            open.extend(&scope.successors[at]);
        }
        true
    }
}

/// Where a run can end without having failed.
pub(super) struct Ends {
    /// At this step.
    here: Vec<bool>,
    /// At this step or after it.
    reached: Vec<bool>,
}

impl Ends {
    pub(super) fn of(scope: &Scope<'_>) -> Self {
        let well = |step: &Step| {
            let mut ways = step.routes().into_iter();
            (step.is_stop() && !step.failed)
                || ends_unwritten(step)
                || ways.any(|way| scope.recipe.target(way.to) == Some(Target::Done))
        };
        let here: Vec<bool> = scope.steps().map(|(_, facts)| well(facts.step)).collect();
        let ends: Vec<usize> = (0..here.len()).filter(|at| here[*at]).collect();
        let mut reached = vec![false; here.len()];
        for at in reach(&scope.predecessors, &ends, |_| false) {
            reached[at] = true;
        }
        Self { here, reached }
    }
}
