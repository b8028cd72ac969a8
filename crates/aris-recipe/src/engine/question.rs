//! What a routing step needs to know from a result that comes from outside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::outcome::{Outcome, OutcomeStatus};
use super::state::State;
use crate::expression::{Expression, Namespace, Operand};
use crate::model::{Branch, Kind, Step};
use crate::value::to_text;

/// The answer that none of the values applies that branches name.
const NONE: &str = "none_of_these";

/// The branches that the context does not decide, and the fields of the result that they read. Its text lists the branches.
#[derive(Debug)]
pub struct Question<'s> {
    step: &'s Step,
    branches: Vec<&'s Branch>,
    /// Where the step leads when none of them holds.
    otherwise: Option<&'s str>,
    /// Fields, each with the values that branches name; empty where the answers cannot be listed.
    fields: BTreeMap<&'s str, BTreeSet<&'s str>>,
}

impl<'s> Question<'s> {
    /// `None` where the step needs no result.
    pub fn of(step: &'s Step, state: &State) -> Option<Self> {
        let scope = state.scope(&Value::Null);
        let mut known = |operand: &Operand| match operand {
            Operand::Reference(reference) if reference.namespace == Namespace::Result => None,
            operand => Some(operand.text(&scope).into_owned()),
        };
        let on_result = step.on_result.as_ref();
        let on_result = on_result.filter(|_| step.kind() == Kind::Route);
        let mut question = Self {
            step,
            branches: Vec::new(),
            otherwise: None,
            fields: BTreeMap::new(),
        };
        for branch in on_result.into_iter().flat_map(|it| &it.branches) {
            let condition = branch.condition();
            let held = condition.map(|it| it.outcome(&mut known, &mut Vec::new()));
            if branch.is_default() || held == Some(Some(true)) {
                question.otherwise = branch.route.as_deref();
                break;
            }
            if held == Some(None) {
                question.branches.push(branch);
            }
        }
        question.read_fields();
        (!question.branches.is_empty()).then_some(question)
    }

    /// Lists the fields, if the step does nothing with the result but compare it with texts: only then is any other answer known to be
    /// wrong.
    fn read_fields(&mut self) {
        let of_result = |condition: &Expression| {
            let mut references = condition.references().into_iter();
            references.any(|one| one.namespace == Namespace::Result)
        };
        let mut conditions = self.step.conditions().map(|(_, _, condition)| condition);
        if !conditions.all(|condition| condition.is_choice() || !of_result(condition)) {
            return;
        }
        let conditions = self.branches.iter().filter_map(|branch| branch.condition());
        for leaf in conditions.flat_map(|condition| condition.leaves()) {
            if let Some((field, _, text)) = leaf.comparison() {
                self.fields.entry(field.name()).or_default().insert(text);
            }
        }
    }

    /// Whether all answers can be listed, so that any other one is known to be wrong.
    pub fn is_closed(&self) -> bool {
        !self.fields.is_empty()
    }

    /// The fields that an answer gives, where all answers can be listed.
    pub fn fields(&self) -> impl Iterator<Item = &'s str> {
        self.fields.keys().copied()
    }

    /// The outcome that counts: an answer without a field, or with a value that no branch names, is a failure of the step.
    pub fn judged(&self, outcome: Outcome) -> Outcome {
        if !outcome.is_success(self.step) {
            return outcome;
        }
        let result = outcome.main_result();
        let wrong = self.fields.iter().find_map(|(name, values)| {
            let value = result.get(*name).filter(|value| !value.is_null());
            let value = value.map(|value| to_text(value).into_owned());
            let listed = values.iter().copied();
            let listed: Vec<&str> = listed.chain(self.otherwise.map(|_| NONE)).collect();
            match value {
                Some(value) if listed.contains(&value.as_str()) => None,
                Some(value) if !value.is_empty() => Some(format!(
                    "{name} is {value:?}, not one of {}",
                    listed.join(", ")
                )),
                _ => Some(format!("the answer has no {name}")),
            }
        });
        wrong.map_or(outcome, |why| Outcome::noted(OutcomeStatus::Failure, why))
    }
}

impl fmt::Display for Question<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for branch in &self.branches {
            let when = branch.when.as_ref().map(|when| when.text.text.as_str());
            let when = when.unwrap_or_default();
            match self.step.by_field() {
                Some(field) => write!(out, "{} = {when}", field.text)?,
                None => out.write_str(when)?,
            }
            writeln!(out, " -> {}", branch.route.as_deref().unwrap_or_default())?;
        }
        let fields = self.fields.keys();
        let none: Vec<String> = fields.map(|name| format!("{name} = {NONE}")).collect();
        match self.otherwise {
            Some(otherwise) if self.is_closed() => {
                writeln!(out, "{} -> {otherwise}", none.join(", "))
            }
            _ => Ok(()),
        }
    }
}
