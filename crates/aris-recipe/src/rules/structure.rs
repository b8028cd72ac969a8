//! Parts of a recipe and of its steps: what is missing, what is of the wrong type, what leads nowhere.

use std::collections::BTreeSet;

use super::findings::Findings;
use super::scope::{Facts, Scope, captures};
use crate::expression::Namespace;
use crate::model::{ESCALATE, Kind, OnResult, Step, Target};
use aris_yaml::Node;

const DISCRIMINATORS: [&str; 4] = ["tool", "action", "python", "constant"];
/// Routes that are one name.
const ROUTES: [&str; 5] = [
    "on_success",
    "on_failure",
    "on_context_limit",
    "on_exhausted",
    "on_skip",
];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let recipe = scope.recipe;
    if recipe.name.is_empty() {
        out.file("missing-name", 0, "the recipe has no name");
    }
    if recipe.steps.is_empty() {
        out.file("no-steps", 0, "the recipe has no steps");
    }
    if recipe
        .kitchen_rules
        .iter()
        .all(|rule| rule.text.trim().is_empty())
    {
        let message =
            "the recipe has no kitchen_rules: list what whoever executes it must and must not do";
        out.file("missing-kitchen-rules", 0, message);
    }
    let mut captured: BTreeSet<&str> = BTreeSet::new();
    for (_, facts) in scope.steps() {
        let step = facts.step;
        if step.sub_recipe.is_some() {
            placeholder(scope, step, out);
        } else {
            discriminator(step, out);
            action(step, out);
            numbers(step, out);
            results(step, out);
            capture(step, out);
            reads(scope, facts, &captured, out);
        }
        routes(scope, step, out);
        captured.extend(captures(step).map(|capture| capture.variable.text.as_str()));
    }
}

/// Discriminators that a step has, null ones left out.
fn discriminators(step: &Step) -> Vec<&'static str> {
    DISCRIMINATORS
        .into_iter()
        .filter(|key| step.node.get(key).is_some_and(|node| !node.is_null()))
        .collect()
}

fn placeholder(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    let others = discriminators(step);
    if !others.is_empty() {
        let message = format!(
            "a step with sub_recipe is a placeholder and has no {}",
            others.join(", ")
        );
        out.step("sub-recipe-exclusive", step, message);
    }
    match &step.gate {
        None => {
            let message =
                "the placeholder has no gate: name the input that switches the sub-recipe on";
            out.step("sub-recipe-missing-gate", step, message);
        }
        Some(gate) if !scope.inputs.contains(gate.text.as_str()) => {
            let message = format!("gate `{}` is no input of this recipe", gate.text);
            out.text("sub-recipe-unknown-gate", step, "gate", gate, message);
        }
        Some(_) => {}
    }
    if step.on_success.is_none() {
        let message =
            "the placeholder has no on_success: where does control go after the sub-recipe?";
        out.step("sub-recipe-missing-success", step, message);
    }
}

fn discriminator(step: &Step, out: &mut Findings) {
    let found = discriminators(step);
    match found.as_slice() {
        [] => {
            let message = "the step does nothing: it needs one of tool, action, python, constant";
            out.step("no-discriminator", step, message);
        }
        [one] => {
            let node = step.node.get(one);
            if let Some(node) = node.filter(|node| *one != "constant" && node.text().is_none()) {
                let message = format!("`{one}` is {}, not a name", node.noun());
                out.field("no-discriminator", step, *one, node.line, message);
            }
        }
        several => {
            let message = format!(
                "the step has {}; it can do one thing only",
                several.join(" and ")
            );
            out.step("multiple-discriminators", step, message);
        }
    }
    if let Some(python) = step
        .python
        .as_ref()
        .filter(|python| !python.text.contains('.'))
    {
        let message = format!("`{}` is no callable; write module.function", python.text);
        out.text("python-not-dotted", step, "python", python, message);
    }
}

fn action(step: &Step, out: &mut Findings) {
    let silent = step
        .message
        .as_ref()
        .is_none_or(|message| message.text.trim().is_empty());
    match step.kind() {
        Kind::Stop if silent => {
            let message = "the stop step has no message: say why the run ends here";
            out.step("stop-missing-message", step, message);
        }
        Kind::Confirm => {
            if silent {
                let message = "the confirm step has no message: what is the person asked?";
                out.step("confirm-missing-message", step, message);
            }
            if step.on_success.is_none() {
                let message = "the confirm step has no on_success: where does yes lead?";
                out.step("confirm-missing-success", step, message);
            }
            if step.on_failure.is_none() {
                let message = "the confirm step has no on_failure: where does no lead?";
                out.step("confirm-missing-failure", step, message);
            }
        }
        Kind::UnknownAction(action) => {
            let message = format!("there is no action `{action}`, only route, stop and confirm");
            out.step("no-discriminator", step, message).field = Some(String::from("action"));
        }
        _ => {}
    }
}

fn numbers(step: &Step, out: &mut Findings) {
    for (rule, key, least, null_is_absent) in [
        ("bad-retries", "retries", 0, false),
        ("bad-retries", "max_visits", 1, false),
        ("bad-stale-threshold", "stale_threshold", 1, true),
        ("bad-idle-output-timeout", "idle_output_timeout", 0, true),
    ] {
        let node = step.node.get(key);
        let Some(node) = node.filter(|node| !(null_is_absent && node.is_null())) else {
            continue;
        };
        let fits = node
            .integer()
            .is_some_and(|number| number >= least && u32::try_from(number).is_ok());
        if !fits {
            let found = node
                .text()
                .map_or_else(|| node.noun().to_owned(), |text| format!("`{text}`"));
            let message = format!("{key} is {found}, not a whole number from {least}");
            out.field(rule, step, key, node.line, message);
        }
    }
}

fn results(step: &Step, out: &mut Findings) {
    let Some(node) = step.node.get("on_result").filter(|node| !node.is_null()) else {
        return;
    };
    if let Some(success) = &step.on_success {
        let message =
            "the step has on_result and on_success; after a success only one of them can decide";
        out.text("result-and-success", step, "on_success", success, message);
    }
    let mut empty = |rule, field: String, node: &Node, message: &str| {
        out.field(rule, step, field, node.line, message);
    };
    match &step.on_result {
        None => {
            let message = "on_result is neither a list of branches nor a field with routes";
            empty(
                "result-routes-empty",
                String::from("on_result"),
                node,
                message,
            );
        }
        Some(OnResult::List(branches)) => {
            if branches.is_empty() {
                let message = "on_result has no branches";
                empty(
                    "result-routes-empty",
                    String::from("on_result"),
                    node,
                    message,
                );
            }
            for (at, (branch, node)) in branches.iter().zip(node.items()).enumerate() {
                if branch
                    .route
                    .as_ref()
                    .is_none_or(|route| route.text.trim().is_empty())
                {
                    let message = "the branch leads nowhere: it has no route";
                    empty(
                        "result-route-empty",
                        format!("on_result[{at}]"),
                        node,
                        message,
                    );
                }
            }
        }
        Some(OnResult::Field { field, routes }) => {
            if field
                .as_ref()
                .is_none_or(|field| field.text.trim().is_empty())
            {
                let message = "on_result does not say which field of the result decides";
                empty(
                    "result-field-empty",
                    String::from("on_result.field"),
                    node,
                    message,
                );
            }
            let listed = node.get("routes").map(Node::entries).unwrap_or_default();
            if routes.is_empty() && listed.is_empty() {
                let message = "on_result has no routes";
                empty(
                    "result-routes-empty",
                    String::from("on_result.routes"),
                    node,
                    message,
                );
            }
            for (key, node) in listed {
                if node.text().is_none_or(|route| route.trim().is_empty()) {
                    let message = "the value leads nowhere: it has no route";
                    let field = format!("on_result.routes.{}", key.text);
                    empty("result-route-empty", field, node, message);
                }
            }
        }
    }
}

fn routes(scope: &Scope<'_>, step: &Step, out: &mut Findings) {
    for (field, route) in step.routes() {
        if field.starts_with("on_result") && route.text.trim().is_empty() {
            continue;
        }
        let known = match scope.recipe.target(&route.text) {
            Some(Target::Escalate) => field == "on_exhausted" || scope.recipe.may_escalate,
            Some(Target::Step(_) | Target::Done) => true,
            None => false,
        };
        if !known {
            let message = if route.text == ESCALATE {
                format!(
                    "only on_exhausted may lead to escalate, {field} may not (unless a step has that name)"
                )
            } else {
                let near = nearest(
                    &route.text,
                    scope.recipe.steps.iter().map(|step| step.name.as_str()),
                );
                format!(
                    "{field} leads to `{}`, and there is no such step{near}",
                    route.text
                )
            };
            out.text("unknown-route-target", step, field, route, message);
        }
    }
    for key in ROUTES {
        let node = step.node.get(key);
        if let Some(node) = node.filter(|node| !node.is_null() && node.text().is_none()) {
            let message = format!("{key} is {}, not the name of a step", node.noun());
            out.field("unknown-route-target", step, key, node.line, message);
        }
    }
}

/// Names that are compared with a misspelled one, so that thousands of mistakes among thousands of names do not take forever.
const COMPARED: usize = 500;

/// `; did you mean …?` when a known name is near.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    // Two slips of the keyboard in a name; more is another name.
    known
        .take(COMPARED)
        .filter(|name| name.len().abs_diff(word.len()) <= 2)
        .map(|name| (strsim::osa_distance(name, word), name))
        .filter(|(distance, name)| *distance <= 2 && *distance < name.chars().count())
        .min()
        .map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}

fn capture(step: &Step, out: &mut Findings) {
    if step.constant.is_some() {
        return;
    }
    for (key, list) in [
        ("capture", &step.capture),
        ("capture_list", &step.capture_list),
    ] {
        for capture in list {
            let field = format!("{key}.{}", capture.variable.text);
            let line = capture.value.line;
            let template = &capture.template;
            let foreign = template
                .references()
                .find(|reference| reference.namespace != Namespace::Result);
            if let Some(reference) = foreign {
                let message = format!("the capture reads `{reference}`; it can read result.* only");
                out.field("capture-wrong-namespace", step, field, line, message);
            } else if let Some((text, error)) = template.problems.first() {
                let message = format!(
                    "the capture reads `{}`, which is no field of the result: {error}",
                    text.trim()
                );
                out.field("capture-wrong-namespace", step, field, line, message);
            } else if template.references().next().is_none() {
                let message = format!(
                    "the capture reads nothing; write ${{{{ result.{} }}}}",
                    capture.variable.text
                );
                out.field("capture-no-result-ref", step, field, line, message);
            }
        }
    }
}

fn reads(scope: &Scope<'_>, facts: &Facts<'_>, captured: &BTreeSet<&str>, out: &mut Findings) {
    let step = facts.step;
    for (key, reference) in facts.reads(Namespace::Inputs) {
        let name = reference.name();
        if !scope.inputs.contains(name) {
            let near = nearest(name, scope.inputs.iter().copied());
            let message = format!("`{name}` is no input of this recipe{near}");
            out.field(
                "undeclared-input-ref",
                step,
                format!("with.{}", key.text),
                key.line,
                message,
            );
        }
    }
    for (key, reference) in facts.reads(Namespace::Context) {
        let name = reference.name();
        let allowed = captured.contains(name)
            || scope.recipe.elsewhere.contains(name)
            || step
                .optional_context_refs
                .iter()
                .any(|optional| optional.text == name);
        if !allowed {
            let later = scope.producers.contains_key(name);
            let message = if later {
                format!(
                    "`context.{name}` is captured by no earlier step of the file; if a loop brings it, list it in optional_context_refs"
                )
            } else {
                let near = nearest(name, scope.producers.keys().copied());
                format!("no step captures `context.{name}`{near}")
            };
            out.field(
                "undeclared-context-ref",
                step,
                format!("with.{}", key.text),
                key.line,
                message,
            );
        }
    }
}
