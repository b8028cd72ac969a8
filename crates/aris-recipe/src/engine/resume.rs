//! Where a run is resumed.

use serde::Serialize;

use super::machine::Machine;
use super::state::{State, Status};
use crate::expression::Namespace;
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
}

impl Machine {
    /// Finds where to resume a run. A state without a journal is started there; one with a journal is not changed.
    ///
    /// `None` when the recipe has no steps.
    pub fn resume(&self, state: &mut State) -> Option<Resumption> {
        let at = |basis, tier, step| Resumption { basis, tier, step };
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
        let mut tiers = tiers(&self.recipe).into_iter();
        let (basis, tier, step) = match tiers.find(|(_, variable, _)| is_there(variable)) {
            Some((tier, _, start)) => (Basis::Tier, Some(tier), start),
            None => (Basis::Entry, None, self.recipe.entry()?.name.clone()),
        };
        self.begin(state, &step);
        Some(at(basis, tier, Some(step)))
    }
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
