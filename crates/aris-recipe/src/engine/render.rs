//! What a step says once inputs and context are filled in.

use serde_json::{Map, Value};

use super::lenses::Lens;
use super::machine::Machine;
use super::state::State;
use crate::model::Step;
use crate::template::Template;
use crate::value::Scope;

impl Machine {
    /// The arguments of a step with everything filled in, for one of its lenses where it has some.
    pub fn rendered(&self, step: &Step, state: &State, lens: Option<&Lens>) -> Map<String, Value> {
        let scope = Scope {
            inputs: &state.inputs,
            context: &state.context,
            result: &Value::Null,
        };
        step.with
            .iter()
            .map(|(key, node)| {
                let value = match node.to_json() {
                    Value::String(text) => {
                        let plain = |part: &str| match lens {
                            Some(lens) => lens.fill(part, key.text == "cmd"),
                            None => part.to_owned(),
                        };
                        Value::from(Template::parse(&text).render_with(&scope, &plain))
                    }
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
