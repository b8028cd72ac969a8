//! Plans in several parts, which are worked off one after the other.

use super::super::findings::Findings;
use super::super::scope::Scope;
use super::commands;
use crate::model::{OnResult, Step};

/// Skills that may give a plan in several parts. **Source**: the reference.
const PLANNERS: [&str; 2] = ["/autoskillit:make-plan", "/autoskillit:rectify"];
/// How the parts are named in notes. **Source**: the reference.
const PARTS: &str = "*_part_*.md";
/// What a rule about one part after the other says. **Source**: the reference.
const SEQUENTIAL: [&str; 3] = [
    "SEQUENTIAL EXECUTION",
    "full cycle",
    "Never run verify for all parts",
];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let recipe = scope.recipe;
    let planners: Vec<&Step> = recipe
        .steps
        .iter()
        .filter(|step| PLANNERS.iter().any(|planner| commands(step, planner)))
        .collect();
    let Some(first) = planners.first() else {
        return;
    };
    for step in &planners {
        if !step
            .capture_list
            .iter()
            .any(|capture| capture.variable.text == "plan_parts")
        {
            let message = "the step plans, and does not capture the parts as a list; add capture_list: {plan_parts: …}";
            out.step("multipart-plan-parts-not-captured", step, message);
        }
    }
    let plan = recipe.step("plan");
    let says = |step: &&Step| {
        step.note
            .as_ref()
            .is_some_and(|note| note.text.contains(PARTS))
    };
    if !planners.iter().chain(plan.as_ref()).any(says) {
        let message = format!("no note says how the parts of a plan are found ({PARTS})");
        out.step("multipart-glob-note", plan.unwrap_or(first), message);
    }
    let rules = recipe
        .kitchen_rules
        .iter()
        .map(|rule| rule.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    if !SEQUENTIAL.iter().any(|phrase| rules.contains(phrase)) {
        let message = "kitchen_rules do not say that one part is finished before the next begins (SEQUENTIAL EXECUTION)";
        out.file("multipart-sequential-kitchen-rule", 0, message);
    }
    let Some((step, results)) = recipe
        .step("next_or_done")
        .and_then(|step| Some((step, step.on_result.as_ref()?)))
    else {
        return;
    };
    let back = match results {
        OnResult::Field { routes, .. } => routes
            .iter()
            .any(|(key, route)| key.text == "more_parts" && route.text == "verify"),
        OnResult::List(branches) => branches.iter().any(|branch| {
            let asks = branch
                .when
                .as_ref()
                .is_some_and(|when| when.text.text.contains("more_parts"));
            asks && branch
                .route
                .as_ref()
                .is_some_and(|route| route.text == "verify")
        }),
    };
    if !back {
        out.step(
            "multipart-route-back",
            step,
            "more_parts does not lead back to verify",
        );
    }
}
