//! Which route a step takes.

use super::outcome::{Outcome, OutcomeStatus};
use super::state::State;
use crate::model::{DONE, Kind, OnResult, Step};
use crate::value::Scope;
use aris_yaml::Text;

/// A route as taken.
pub(super) struct Taken {
    pub(super) edge: String,
    /// `None` where the recipe does not say.
    pub(super) route: Option<String>,
    pub(super) notes: Vec<String>,
}

impl Taken {
    pub(super) fn new(edge: &str, route: Option<&str>) -> Self {
        Self {
            edge: edge.to_owned(),
            route: route.map(str::to_owned),
            notes: Vec::new(),
        }
    }
}

/// The route after an execution.
pub(super) fn route(state: &State, step: &Step, status: OutcomeStatus, outcome: &Outcome) -> Taken {
    let text = |route: &Option<Text>| route.as_ref().map(|route| route.text.clone());
    let failure = text(&step.on_failure);
    match status {
        OutcomeStatus::Exhausted | OutcomeStatus::Stale => {
            Taken::new("exhausted", Some(step.exhausted_route()))
        }
        OutcomeStatus::ContextLimit => match text(&step.on_context_limit) {
            Some(route) => Taken::new("context_limit", Some(&route)),
            None => Taken::new("failure", failure.as_deref()),
        },
        OutcomeStatus::Failure => Taken::new("failure", failure.as_deref()),
        OutcomeStatus::Success => match (&step.on_result, step.kind()) {
            // Something that is none of these does nothing, and nobody knows what follows.
            (_, Kind::UnknownAction(_) | Kind::SubRecipe(_) | Kind::Nothing) => {
                let mut taken = Taken::new("success", None);
                taken.notes.push(String::from("unknown_action"));
                taken
            }
            (Some(on_result), _) => by_result(state, on_result, outcome, failure.as_deref()),
            (None, _) => {
                let route = text(&step.on_success);
                Taken::new("success", Some(route.as_deref().unwrap_or(DONE)))
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
    let scope = Scope {
        inputs: &state.inputs,
        context: &state.context,
        result: &result,
    };
    let mut notes = Vec::new();
    let found = match on_result {
        OnResult::List(branches) => branches.iter().enumerate().find_map(|(at, branch)| {
            let holds = branch.is_default()
                || branch.when.as_ref().is_some_and(|when| match &when.parsed {
                    Ok(condition) => condition.holds(&scope, &mut notes),
                    Err(error) => {
                        notes.push(format!("bad_condition: {}: {error}", when.text.text));
                        false
                    }
                });
            let edge = if branch.is_default() {
                String::from("default")
            } else {
                format!("result[{at}]")
            };
            holds.then(|| (edge, branch.route.as_ref().map(|route| route.text.clone())))
        }),
        OnResult::Field { field, routes } => {
            let field = field.as_ref().map_or("", |field| field.text.trim());
            let text = result.get(field).map(crate::value::to_text);
            let text = text.unwrap_or_default();
            routes
                .iter()
                .find(|(key, _)| key.text == text)
                .map(|(key, route)| (format!("result[{}]", key.text), Some(route.text.clone())))
        }
    };
    let (edge, route) =
        found.unwrap_or_else(|| (String::from("no_match"), failure.map(str::to_owned)));
    Taken { edge, route, notes }
}
