//! Where a skipped step leads.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Recipe, Step, Target};

/// How the target of a skip is found; the first way that applies counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum SkipReason {
    /// `on_skip` says so.
    Explicit,
    /// Where success leads.
    Success,
    /// All results lead there.
    Single,
    /// `on_context_limit` and a result lead there: the way on without the step's work.
    ContextLimit,
    /// The default route.
    Default,
    /// The first route that is not the failure route and does not lead back to the step.
    First,
    /// Nothing applies; the run halts there.
    #[strum(to_string = "none")]
    Nothing,
}

impl SkipReason {
    /// Whether the recipe leaves open where the skip leads.
    pub const fn is_guess(self) -> bool {
        !matches!(self, Self::Explicit | Self::Success | Self::Single)
    }
}

/// Where a skip leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The target; `None` when the run halts.
    pub target: Option<Target>,
    /// How it was found.
    pub how: SkipReason,
}

/// The skips of all skippable steps.
pub(super) fn all(recipe: &Recipe) -> BTreeMap<usize, Skip> {
    let steps = recipe.steps.iter().enumerate();
    let skippable = steps.filter(|(_, step)| step.skip_when_false.is_some());
    skippable.map(|(at, step)| (at, of(recipe, step))).collect()
}

fn of(recipe: &Recipe, step: &Step) -> Skip {
    let skip = |target, how| Skip { target, how };
    let found = |route: &str, how| skip(recipe.target(route), how);
    if let Some(route) = &step.on_skip {
        return found(&route.text, SkipReason::Explicit);
    }
    if let Some(route) = &step.on_success {
        return found(&route.text, SkipReason::Success);
    }
    let Some(results) = &step.on_result else {
        return skip(None, SkipReason::Nothing);
    };
    let written = results.routes().into_iter();
    let targets: Vec<&str> = written.map(|way| way.to.text.as_str()).collect();
    let distinct: BTreeSet<&str> = targets.iter().copied().collect();
    if let (Some(only), 1) = (distinct.first(), distinct.len()) {
        return found(only, SkipReason::Single);
    }
    if let Some(route) = &step.on_context_limit {
        let stops = recipe.step(&route.text).is_some_and(Step::is_stop);
        if distinct.contains(route.text.as_str()) && !stops {
            return found(&route.text, SkipReason::ContextLimit);
        }
    }
    let failure = step.on_failure.as_deref();
    let fits = |route: &str| Some(route) != failure && !comes_back(recipe, route, &step.name);
    let default = results.default_route().map(|route| &**route);
    if let Some(route) = default.filter(|route| fits(route)) {
        return found(route, SkipReason::Default);
    }
    let mut others = targets.into_iter();
    match others.find(|route| Some(*route) != default && fits(route)) {
        Some(route) => found(route, SkipReason::First),
        None => skip(None, SkipReason::Nothing),
    }
}

/// Whether a route leads back to a step, following success, else the default route, else the first route.
fn comes_back(recipe: &Recipe, route: &str, origin: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut at = route;
    while let Some(step) = recipe.step(at) {
        if step.name == origin {
            return true;
        }
        if !seen.insert(at) {
            return false;
        }
        let results = step.on_result.as_ref();
        let next = step.on_success.as_ref().or_else(|| {
            let results = results?;
            let first = || Some(results.routes().first()?.to);
            results.default_route().or_else(first)
        });
        let Some(next) = next else {
            return false;
        };
        at = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::model::parse;

    /// Recipes of the shapes that public recipes have, and where a person would go on.
    #[test]
    fn skips_lead_where_a_person_would_go() {
        let work = "tool: run_skill, skip_when_false: inputs.x";
        let cases = [
            (
                "explicit",
                format!("{work}, on_success: next, on_skip: other"),
                "other",
                SkipReason::Explicit,
            ),
            (
                "success",
                format!("{work}, on_success: next, on_failure: other"),
                "next",
                SkipReason::Success,
            ),
            (
                "single",
                format!(
                    "{work}, on_failure: stop, on_result: [{{when: result.a, route: next}}, {{route: next}}]"
                ),
                "next",
                SkipReason::Single,
            ),
            (
                "an advisory review names the way on as its context limit",
                format!(
                    "{work}, on_failure: other, on_context_limit: next, on_result: [{{when: result.v == a, route: other}}, {{route: next}}]"
                ),
                "next",
                SkipReason::ContextLimit,
            ),
            (
                "a claim whose default is its failure",
                format!(
                    "{work}, on_failure: stop, on_result: [{{when: result.claimed == true, route: next}}, {{route: stop}}]"
                ),
                "next",
                SkipReason::First,
            ),
            (
                "an audit whose default is the loop back, and whose context limit stops",
                format!(
                    "{work}, on_failure: stop, on_context_limit: stop, on_result: [{{when: result.v == GO, route: next}}, {{when: result.error, route: stop}}, {{route: again}}]"
                ),
                "next",
                SkipReason::First,
            ),
            (
                "the same with values and routes",
                format!(
                    "{work}, on_failure: stop, on_result: {{field: v, routes: {{GO: next, NO GO: again}}}}"
                ),
                "next",
                SkipReason::First,
            ),
            (
                "default",
                format!(
                    "{work}, on_failure: stop, on_result: [{{when: result.v, route: other}}, {{route: next}}]"
                ),
                "next",
                SkipReason::Default,
            ),
            (
                "nothing",
                format!(
                    "{work}, on_failure: stop, on_result: [{{when: result.v, route: stop}}, {{route: again}}]"
                ),
                "",
                SkipReason::Nothing,
            ),
        ];
        for (what, step, target, how) in cases {
            let recipe = parse(&format!(
                "steps:\n  s: {{{step}}}\n  again: {{tool: t, on_success: s}}\n  next: {{tool: t, on_success: done}}\n  \
                 other: {{tool: t, on_success: done}}\n  stop: {{action: stop, message: m}}\n"
            ))
            .unwrap();
            let skip = Graph::of(&recipe).skips.remove(&0).unwrap();
            let found = skip.target.as_ref().map_or("", Target::name);
            assert_eq!((found, skip.how), (target, how), "{what}");
        }
    }
}
