//! Which route a step takes.

use super::outcome::{Outcome, OutcomeStatus};
use super::state::State;
use crate::model::{DONE, Kind, OnResult, Step, Via};

/// The route that was taken.
pub(super) struct Taken {
    pub(super) via: Via,
    /// `None` where the recipe does not say.
    pub(super) route: Option<String>,
    pub(super) notes: Vec<String>,
}

impl Taken {
    pub(super) fn new(via: Via, route: Option<&str>) -> Self {
        Self {
            via,
            route: route.map(str::to_owned),
            notes: Vec::new(),
        }
    }
}

/// The route after an execution.
pub(super) fn route(state: &State, step: &Step, status: OutcomeStatus, outcome: &Outcome) -> Taken {
    let failure = step.on_failure.as_deref();
    match status {
        OutcomeStatus::Exhausted | OutcomeStatus::Stale => {
            Taken::new(Via::Exhausted, Some(step.exhausted_route()))
        }
        OutcomeStatus::ContextLimit if step.on_context_limit.is_some() => {
            Taken::new(Via::ContextLimit, step.on_context_limit.as_deref())
        }
        OutcomeStatus::ContextLimit | OutcomeStatus::Failure => Taken::new(Via::Failure, failure),
        OutcomeStatus::Success => match (&step.on_result, step.kind()) {
            // These kinds do nothing, so it is not known what follows.
            (_, Kind::UnknownAction(_) | Kind::SubRecipe(_) | Kind::Nothing) => {
                let mut taken = Taken::new(Via::Success, None);
                taken.notes.push(String::from("unknown_action"));
                taken
            }
            (Some(on_result), _) => by_result(state, on_result, outcome, failure),
            (None, _) => {
                let route = step.on_success.as_deref();
                Taken::new(Via::Success, route.or(Some(DONE)))
            }
        },
    }
}

fn by_result(
    state: &State,
    on_result: &OnResult,
    outcome: &Outcome,
    failure: Option<&str>,
) -> Taken {
    let result = outcome.main_result();
    let scope = state.scope(&result);
    let mut notes = Vec::new();
    let mut branches = on_result.branches.iter().enumerate();
    let found = branches.find_map(|(at, branch)| {
        let holds = branch.is_default()
            || branch.when.as_ref().is_some_and(|when| match &when.parsed {
                Ok(condition) => condition.holds(&scope, &mut notes),
                Err(error) => {
                    notes.push(format!("bad_condition: {}: {error}", when.text.text));
                    false
                }
            });
        holds.then(|| (branch.via(at), branch.route.as_deref()))
    });
    let (via, route) = found.unwrap_or((Via::NoMatch, failure));
    Taken {
        notes,
        ..Taken::new(via, route)
    }
}
