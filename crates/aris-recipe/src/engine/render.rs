//! Fills inputs and context into what a step says.

use serde_json::{Map, Value};

use super::lenses::Lens;
use super::machine::Machine;
use super::state::State;
use crate::model::Step;
use crate::template::Template;

impl Machine {
    /// The filled-in arguments of a step, for one of its lenses where it has some.
    pub fn rendered(&self, step: &Step, state: &State, lens: Option<&Lens>) -> Map<String, Value> {
        let scope = state.scope(&Value::Null);
        let arguments = step.with.iter().map(|(key, node)| {
            let plain = |part: &str| match lens {
                Some(lens) => lens.fill(part, key.text == "cmd"),
                None => part.to_owned(),
            };
            let fill = |text: &str| Template::parse(text).render_with(&scope, &plain);
            (key.text.clone(), filled(node.to_json(), &fill))
        });
        arguments.collect()
    }

    /// The filled-in arguments of each call of a step: of one call, or of one for each lens.
    pub fn calls(&self, step: &Step, state: &State) -> Vec<Map<String, Value>> {
        match self.lenses(step, state) {
            Ok(lenses) => {
                let calls = lenses.iter();
                calls
                    .map(|lens| self.rendered(step, state, Some(lens)))
                    .collect()
            }
            Err(_) => vec![self.rendered(step, state, None)],
        }
    }

    /// The filled-in message of a step.
    pub fn message(&self, step: &Step, state: &State) -> Option<String> {
        let scope = state.scope(&Value::Null);
        let message = step.message.as_ref()?;
        Some(Template::parse(&message.text).render(&scope))
    }
}

/// A value with all its texts filled in, those in lists and mappings too.
fn filled(value: Value, fill: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(fill(&text)),
        Value::Array(items) => items.into_iter().map(|item| filled(item, fill)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(
                fields
                    .map(|(key, value)| (key, filled(value, fill)))
                    .collect(),
            )
        }
        other => other,
    }
}
