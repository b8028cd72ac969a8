//! What a step says once inputs and context are filled in.

use serde_json::{Map, Value};

use super::machine::Machine;
use super::state::State;
use crate::model::Step;
use crate::template::Template;
use crate::value::Scope;

impl Machine {
    /// The arguments of a step with everything filled in.
    pub fn rendered(&self, step: &Step, state: &State) -> Map<String, Value> {
        let scope = Scope {
            inputs: &state.inputs,
            context: &state.context,
            result: &Value::Null,
        };
        step.with
            .iter()
            .map(|(key, node)| {
                let value = match node.to_json() {
                    Value::String(text) => Value::from(Template::parse(&text).render(&scope)),
                    other => other,
                };
                (key.text.clone(), value)
            })
            .collect()
    }

    /// The message of a step with everything filled in.
    pub fn message(&self, step: &Step, state: &State) -> Option<String> {
        let scope = Scope {
            inputs: &state.inputs,
            context: &state.context,
            result: &Value::Null,
        };
        let message = step.message.as_ref()?;
        Some(Template::parse(&message.text).render(&scope))
    }
}
