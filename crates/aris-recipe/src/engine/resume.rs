//! Where a run is resumed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::machine::Machine;
use super::state::{State, Status};
use crate::expression::{Expression, Namespace, Reference};
use crate::model::{Kind, Recipe, Step};
use crate::value::to_text;

/// The tiers of a recipe that declares none: number and variable.
const DEFAULT_TIERS: [(i64, &str); 4] = [
    (4, "claims_needs_rerun"),
    (3, "audit_verdict"),
    (2, "pr_url"),
    (1, "worktree_path"),
];

/// What decides where a run is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Basis {
    /// The run is over.
    Terminal,
    /// The journal and its cursor.
    Journal,
    /// A variable that a tier names.
    Tier,
    /// Nothing: the run begins at the entry.
    Entry,
}

/// Where a run is resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Resumption {
    /// What decides it.
    pub basis: Basis,
    /// The tier, where it is one.
    pub tier: Option<i64>,
    /// The step; null when the run is over.
    pub step: Option<String>,
    /// What a state that somebody wrote says and cannot say, and which tiers were passed over for that; sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Machine {
    /// Finds where to resume a run. A state without a journal is started there; one with a journal is not changed.
    ///
    /// `None` when the recipe has no steps.
    pub fn resume(&self, state: &mut State) -> Option<Resumption> {
        let at = |basis, tier, step| Resumption {
            basis,
            tier,
            step,
            notes: Vec::new(),
        };
        if matches!(state.status, Status::Completed | Status::Escalated) {
            return Some(at(Basis::Terminal, None, None));
        }
        if !state.journal.is_empty() {
            return Some(at(Basis::Journal, None, state.cursor.clone()));
        }
        let is_there = |variable: &str| {
            let value = state.context.get(variable);
            value.is_some_and(|value| !to_text(value).trim().is_empty())
        };
        let tiers = tiers(&self.recipe);
        let places: Vec<&str> = tiers
            .iter()
            .map(|(_, variable, _)| variable.as_str())
            .collect();
        let mut notes = Vec::new();
        let mut usable = tiers.iter().filter(|(_, variable, _)| is_there(variable));
        let found = usable.find(|(tier, _, start)| {
            let passed = self.passed_by(start, &places);
            notes.extend(passed.iter().map(|(step, variable)| {
                format!("the run does not go on at {start} (tier {tier}): {variable} decides from there on, and only step {step}, which is before it, can say what it is")
            }));
            passed.is_none()
        });
        let (basis, tier, step) = match found {
            Some((tier, _, start)) => (Basis::Tier, Some(*tier), start.clone()),
            None => (Basis::Entry, None, self.recipe.entry()?.name.clone()),
        };
        let own = found.map(|(_, variable, _)| variable.as_str());
        for variable in self.decided_from(&step, &places) {
            if own != Some(variable.as_str()) && state.context.remove(&variable).is_some() {
                notes.push(format!(
                    "what the state says of {variable} is not used: it decides, and the run comes to the step that says what it is"
                ));
            }
        }
        self.begin(state, &step);
        Some(Resumption {
            notes,
            ..at(basis, tier, Some(step))
        })
    }

    /// A step before this one whose word decides from there on and cannot be taken from anybody else, and the variable that holds it.
    ///
    /// What an agent or a person says may be written down by whoever continues; what a program said counts only with the record of its
    /// attempt.
    fn passed_by(&self, start: &str, places: &[&str]) -> Option<(String, String)> {
        let from_here = self.reached_from(start);
        let steps = &self.recipe.steps;
        let is_program =
            |step: &&Step| !matches!(step.kind(), Kind::Agent | Kind::Confirm | Kind::Route);
        deciding(&from_here, places)
            .into_iter()
            .find_map(|variable| {
                if from_here.iter().any(|step| step.captures_as(variable)) {
                    return None;
                }
                let mut programs = steps.iter().filter(is_program);
                let step = programs.find(|step| step.captures_as(variable))?;
                Some((step.name.clone(), variable.to_owned()))
            })
    }

    /// Variables that decide from a step on, and that a step from there on says.
    fn decided_from(&self, start: &str, places: &[&str]) -> Vec<String> {
        let from_here = self.reached_from(start);
        let deciding = deciding(&from_here, places).into_iter();
        let said = deciding.filter(|name| from_here.iter().any(|step| step.captures_as(name)));
        said.map(str::to_owned).collect()
    }

    /// A step and all that can follow it.
    fn reached_from(&self, start: &str) -> Vec<&Step> {
        let steps = &self.recipe.steps;
        let successors = self.graph.successors(steps.len(), true);
        let mut reached = BTreeSet::new();
        let mut open: Vec<usize> = self.recipe.position(start).into_iter().collect();
        while let Some(at) = open.pop() {
            if reached.insert(at) {
                open.extend(successors.get(at).into_iter().flatten());
            }
        }
        let reached = reached.into_iter();
        reached.filter_map(|at| steps.get(at)).collect()
    }
}

/// Variables that routes of these steps are chosen by. Whether one is there at all is what tiers ask, too, of `places`: paths, branches and
/// addresses, which anybody can look up.
fn deciding<'r>(steps: &[&'r Step], places: &[&str]) -> BTreeSet<&'r str> {
    let conditions = steps.iter().flat_map(|step| step.conditions());
    let leaves = conditions.flat_map(|(_, _, condition)| condition.leaves());
    let asked = leaves.flat_map(|leaf| {
        let is_place = |name: &str| matches!(leaf, Expression::Truth(_)) && places.contains(&name);
        let references = leaf.references().into_iter();
        let of_context = references.filter(|one| one.namespace == Namespace::Context);
        of_context
            .map(Reference::name)
            .filter(move |name| !is_place(name))
    });
    asked.collect()
}

/// Number, variable and first step of each tier, highest first. A tier whose step is not in the recipe is left out.
fn tiers(recipe: &Recipe) -> Vec<(i64, String, String)> {
    let own = recipe.resume.iter().filter_map(|tier| {
        let (present, start) = (tier.present.text.clone(), tier.start.text.clone());
        Some((tier.tier?, present, start))
    });
    let default = DEFAULT_TIERS.into_iter().filter_map(|(tier, variable)| {
        Some((tier, variable.to_owned(), default_start(recipe, variable)?))
    });
    let default = default.filter(|_| recipe.resume.is_empty());
    let mut all: Vec<(i64, String, String)> = own.chain(default).collect();
    all.retain(|(_, _, start)| recipe.step(start).is_some());
    all.sort_by_key(|(tier, _, _)| std::cmp::Reverse(*tier));
    all
}

/// The step of a tier that is not declared: the first routing step that tests the variable, else where success leads from the step that
/// captures it.
fn default_start(recipe: &Recipe, variable: &str) -> Option<String> {
    let tests = |step: &&Step| {
        let mut asks = step.asks();
        step.kind() == Kind::Route && asks.any(|one| one.is(Namespace::Context, variable))
    };
    if let Some(step) = recipe.steps.iter().find(tests) {
        return Some(step.name.clone());
    }
    let mut steps = recipe.steps.iter();
    let producer = steps.find(|step| step.captures_as(variable))?;
    producer.on_success.as_ref().map(|route| route.text.clone())
}
