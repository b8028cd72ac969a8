//! Keys: each once, each known.

use std::collections::BTreeSet;

use super::findings::Findings;
use super::scope::Scope;
use super::structure::nearest;
use crate::model::{STEP_KEYS, Step, TOP_LEVEL_KEYS};
use aris_yaml::{Node, Value};

/// Keys of a branch of the list form.
const BRANCH_KEYS: [&str; 2] = ["when", "route"];
/// Keys of other languages, and what is written here.
const ELSEWHERE: [(&[&str], &str); 4] = [
    (
        &["cmd", "command", "run", "script", "shell", "bash"],
        "write `tool: run_cmd` and `with: {cmd: ...}`",
    ),
    (
        &["prompt", "skill", "agent", "uses"],
        "write `tool: run_skill` and `with: {skill_command: ...}`",
    ),
    (
        &["next", "then", "goto", "depends_on", "needs"],
        "write `on_success: STEP`, and `on_failure: STEP`",
    ),
    (
        &["if", "when", "condition"],
        "write `on_result: [{when: ..., route: STEP}, {route: STEP}]`",
    ),
];
/// Keys of the field form.
const FIELD_KEYS: [&str; 2] = ["field", "routes"];

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let recipe = scope.recipe;
    for (key, _) in recipe.node.entries() {
        if !TOP_LEVEL_KEYS.contains(&key.text.as_str()) {
            let near = nearest(&key.text, TOP_LEVEL_KEYS.into_iter());
            let message = format!(
                "`{}` is no key of a recipe and does nothing{near}",
                key.text
            );
            out.file("unknown-top-level-key", key.line, message).field = Some(key.text.clone());
        }
    }
    for (name, node) in &recipe.odd_steps {
        let message = format!("step `{}` is {}, not a mapping", name.text, node.noun());
        let finding = out.file("step-not-mapping", name.line, message);
        finding.step.clone_from(&name.text);
    }
    // A composed recipe has the tree of its own file only; its steps bring theirs.
    for (key, node) in recipe
        .node
        .entries()
        .iter()
        .filter(|(key, _)| key.text != "steps")
    {
        repeated(node, &key.text, &mut |field, key, line| {
            let message = format!("the key `{key}` stands twice; only the last one counts");
            out.file("duplicate-key", line, message).field = Some(field);
        });
    }
    for (list, place) in [
        (Some(&recipe.node), ""),
        (recipe.node.get("steps"), "steps"),
    ] {
        let mut seen = BTreeSet::new();
        for (key, _) in list.map(Node::entries).unwrap_or_default() {
            if !seen.insert(&key.text) {
                let message = format!(
                    "the key `{}` stands twice; only the last one counts",
                    key.text
                );
                let finding = out.file("duplicate-key", key.line, message);
                if place == "steps" {
                    finding.step.clone_from(&key.text);
                } else {
                    finding.field = Some(key.text.clone());
                }
            }
        }
    }
    for (_, facts) in scope.steps() {
        step(facts.step, out);
    }
}

fn step(step: &Step, out: &mut Findings) {
    let mut unknown = |node: &Node, known: &[&str], place: &str| {
        for (key, _) in node.entries() {
            if !known.contains(&key.text.as_str()) {
                let elsewhere = ELSEWHERE
                    .iter()
                    .find(|(keys, _)| place.is_empty() && keys.contains(&key.text.as_str()));
                let near = match elsewhere {
                    Some((_, hint)) => format!("; {hint}"),
                    None => nearest(&key.text, known.iter().copied()),
                };
                let message = format!("`{}` is no key here and does nothing{near}", key.text);
                let field = if place.is_empty() {
                    key.text.clone()
                } else {
                    format!("{place}.{}", key.text)
                };
                out.text("unknown-step-key", step, field, key, message);
            }
        }
    };
    unknown(&step.node, &STEP_KEYS, "");
    if let Some(results) = step.node.get("on_result") {
        unknown(results, &FIELD_KEYS, "on_result");
        for (at, branch) in results.items().iter().enumerate() {
            unknown(branch, &BRANCH_KEYS, &format!("on_result[{at}]"));
        }
    }
    repeated(&step.node, "", &mut |field, key, line| {
        let message = format!("the key `{key}` stands twice; only the last one counts");
        out.field("duplicate-key", step, field, line, message);
    });
}

/// Keys that stand twice in one mapping, anywhere below a node. The tree is at most as deep as its reader allows.
fn repeated(node: &Node, place: &str, tell: &mut dyn FnMut(String, &str, u32)) {
    match &node.value {
        Value::Scalar { .. } => {}
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                repeated(item, &format!("{place}[{at}]"), tell);
            }
        }
        Value::Map(entries) => {
            let mut seen = BTreeSet::new();
            for (key, value) in entries {
                let place = if place.is_empty() {
                    key.text.clone()
                } else {
                    format!("{place}.{}", key.text)
                };
                repeated(value, &place, tell);
                if !seen.insert(&key.text) {
                    tell(place, &key.text, key.line);
                }
            }
        }
    }
}
