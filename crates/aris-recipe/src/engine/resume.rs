//! Where a run is taken up again.

use serde::Serialize;

use super::machine::Machine;
use super::state::{State, Status};
use crate::expression::Namespace;
use crate::model::{Kind, Recipe, Step};
use crate::value::to_text;

/// The tiers of a recipe that states none: number, variable, and the step that the public recipes go on with.
const DEFAULT_TIERS: [(i64, &str); 4] = [
    (4, "claims_needs_rerun"),
    (3, "audit_verdict"),
    (2, "pr_url"),
    (1, "worktree_path"),
];

/// What a resumption rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The run is over.
    Terminal,
    /// The journal and its cursor.
    Journal,
    /// A variable that a tier names.
    Tier,
    /// Nothing: the entry.
    Entry,
}

impl Basis {
    /// As printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Journal => "journal",
            Self::Tier => "tier",
            Self::Entry => "entry",
        }
    }
}

/// Where a run is taken up again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Resumption {
    /// What it rests on.
    pub basis: Basis,
    /// The tier, where it is one.
    pub tier: Option<i64>,
    /// The step; null when the run is over.
    pub step: Option<String>,
}

impl Machine {
    /// Where a state is to be taken up again. A state without a journal is put at that step; one with a journal stays as it is.
    ///
    /// `None` when the recipe has no steps.
    pub fn resume(&self, state: &mut State) -> Option<Resumption> {
        if matches!(state.status, Status::Completed | Status::Escalated) {
            return Some(Resumption {
                basis: Basis::Terminal,
                tier: None,
                step: None,
            });
        }
        if !state.journal.is_empty() {
            return Some(Resumption {
                basis: Basis::Journal,
                tier: None,
                step: state.cursor.clone(),
            });
        }
        let found = tiers(&self.recipe).into_iter().find(|(_, variable, _)| {
            state
                .context
                .get(variable)
                .is_some_and(|value| !to_text(value).trim().is_empty())
        });
        let resumption = match found {
            Some((tier, _, start)) => Resumption {
                basis: Basis::Tier,
                tier: Some(tier),
                step: Some(start),
            },
            None => Resumption {
                basis: Basis::Entry,
                tier: None,
                step: Some(self.recipe.entry()?.name.clone()),
            },
        };
        if let Some(step) = &resumption.step {
            self.begin(state, step);
        }
        Some(resumption)
    }
}

/// Number, variable and first step of each tier, highest first. A tier whose step is not in the recipe is left out.
fn tiers(recipe: &Recipe) -> Vec<(i64, String, String)> {
    let mut all: Vec<(i64, String, String)> = if recipe.resume.is_empty() {
        DEFAULT_TIERS
            .into_iter()
            .filter_map(|(tier, variable)| {
                Some((tier, variable.to_owned(), default_start(recipe, variable)?))
            })
            .collect()
    } else {
        recipe
            .resume
            .iter()
            .filter_map(|tier| {
                Some((
                    tier.tier?,
                    tier.present.text.clone(),
                    tier.start.text.clone(),
                ))
            })
            .collect()
    };
    all.retain(|(_, _, start)| recipe.step(start).is_some());
    all.sort_by_key(|(tier, _, _)| std::cmp::Reverse(*tier));
    all
}

/// The first routing step that tests the variable, else where success leads from the step that captures it.
fn default_start(recipe: &Recipe, variable: &str) -> Option<String> {
    let tests = |step: &&Step| {
        let conditions = step.conditions().into_iter();
        let mut reads = conditions.flat_map(|(_, _, condition)| condition.references());
        let tested = reads.any(|one| one.namespace == Namespace::Context && one.name() == variable);
        tested && step.kind() == Kind::Route
    };
    if let Some(step) = recipe.steps.iter().find(tests) {
        return Some(step.name.clone());
    }
    let captures = |step: &&Step| {
        step.captures()
            .any(|capture| capture.variable.text == variable)
    };
    let producer = recipe.steps.iter().find(captures)?;
    producer.on_success.as_ref().map(|route| route.text.clone())
}
