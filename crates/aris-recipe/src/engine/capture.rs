//! What a step stores in the context.

use serde_json::{Map, Value};

use super::outcome::Outcome;
use crate::engine::state::State;
use crate::expression::Scope;
use crate::model::{Capture, Class, Recipe, Step};
use crate::value::{items, to_text};

/// Variables to store, and notes for a reader.
#[derive(Debug, Default)]
pub(super) struct Captured {
    pub(super) values: Map<String, Value>,
    pub(super) notes: Vec<String>,
}

/// The captures of a success. With `partial`, as for a full context window, only those that `capture_partial` names, and only what is not
/// blank.
pub(super) fn of(
    recipe: &Recipe,
    step: &Step,
    state: &State,
    outcome: &Outcome,
    partial: bool,
) -> Captured {
    let mut captured = Captured::default();
    let wanted = |capture: &&Capture| !partial || step.captures_partly(capture);
    let main = outcome.main_result();
    for capture in step.capture.iter().filter(wanted) {
        let scope = state.scope(&main);
        let text = capture.template.render(&scope);
        let missing = is_missing(capture, &scope);
        captured.add(recipe, state, capture, Value::from(text), missing, partial);
    }
    let results = outcome.all_results();
    for capture in step.capture_list.iter().filter(wanted) {
        let mut items: Vec<String> = Vec::new();
        let mut missing = true;
        for result in &results {
            let scope = state.scope(result);
            missing &= is_missing(capture, &scope);
            extend(&mut items, &capture.template.value(&scope));
        }
        captured.add(recipe, state, capture, Value::from(items), missing, partial);
    }
    captured
}

fn is_missing(capture: &Capture, scope: &Scope<'_>) -> bool {
    capture.template.references().any(|reference| {
        let found = scope.find(reference.namespace, &reference.path);
        found.is_none_or(|found| found.is_null())
    })
}

/// Adds the items of a list, or the lines of a text: without blank ones, in order, each once.
fn extend(all: &mut Vec<String>, value: &Value) {
    for item in items(value, &['\n']) {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

impl Captured {
    /// Stores a variable as its class allows.
    fn add(
        &mut self,
        recipe: &Recipe,
        state: &State,
        capture: &Capture,
        value: Value,
        missing: bool,
        partial: bool,
    ) {
        let name = &capture.variable.text;
        let blank = to_text(&value).trim().is_empty();
        if partial && blank {
            return;
        }
        if missing {
            self.notes.push(format!("missing_capture: {name}"));
        }
        let before = self.values.get(name).or_else(|| state.context.get(name));
        let stored = match recipe.class(name) {
            class @ (Class::InitOnly | Class::Derived) => {
                self.notes.push(format!("refused: {name} is {class}"));
                return;
            }
            Class::InitPreserve => {
                let kept = before.filter(|before| !to_text(before).trim().is_empty());
                if let Some(kept) = kept {
                    if !blank && to_text(kept) != to_text(&value) {
                        self.notes.push(format!("preserved: {name}"));
                    }
                    return;
                }
                if blank {
                    return;
                }
                value
            }
            Class::Mutable => value,
            Class::AppendOnly => {
                let mut items = Vec::new();
                extend(&mut items, before.unwrap_or(&Value::Null));
                match &value {
                    Value::String(text) => extend(&mut items, &Value::from(vec![text.as_str()])),
                    list => extend(&mut items, list),
                }
                Value::from(items)
            }
        };
        self.values.insert(name.clone(), stored);
    }
}
