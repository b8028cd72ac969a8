//! Scripted outcomes: for each step, the outcomes of its attempts, one after the other.

use std::collections::BTreeMap;

use serde_json::Value;

use super::outcome::Outcome;

/// The name that means all other steps.
const DEFAULT: &str = "*";

/// A script, and how much of it is used.
#[derive(Clone, Debug, Default)]
pub struct Script {
    lists: BTreeMap<String, Vec<Outcome>>,
    used: BTreeMap<String, usize>,
    /// The outcome of everything else, any number of times.
    default: Option<Outcome>,
}

impl Script {
    /// Reads a script: a JSON object from step names to lists of outcomes. `"*"` is one outcome for every attempt of every step that
    /// has none left, or a list that is used up like the others.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Value::Object(entries) = value else {
            let wrong = "the outcomes must be an object, {\"STEP\": [OUTCOME, …]}";
            return Err(String::from(wrong));
        };
        let mut script = Self::default();
        for (step, value) in entries {
            let outcome = |value: Value, place: String| {
                serde_json::from_value::<Outcome>(value)
                    .map_err(|error| format!("{place}: {error}"))
            };
            match value {
                Value::Array(items) => {
                    let list = items.into_iter().enumerate();
                    let list = list.map(|(at, item)| outcome(item, format!("{step}[{at}]")));
                    let list = list.collect::<Result<_, _>>()?;
                    script.lists.insert(step, list);
                }
                other if step == DEFAULT => script.default = Some(outcome(other, step)?),
                _ => return Err(format!("{step}: a list of outcomes is needed")),
            }
        }
        Ok(script)
    }

    /// The next outcome of a step: its own, else the default, if `with_default` allows that.
    pub fn take(&mut self, step: &str, with_default: bool) -> Option<Outcome> {
        let own = self.next_of(step);
        if own.is_some() || !with_default {
            return own;
        }
        self.default.clone().or_else(|| self.next_of(DEFAULT))
    }

    /// Steps that the script names.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        let names = self.lists.keys().map(String::as_str);
        names.filter(|name| *name != DEFAULT)
    }

    fn next_of(&mut self, step: &str) -> Option<Outcome> {
        let used = self.used.entry(step.to_owned()).or_default();
        let outcome = self.lists.get(step)?.get(*used)?.clone();
        *used += 1;
        Some(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::outcome::OutcomeStatus;

    #[test]
    fn outcomes_are_used_in_order_and_the_default_never_ends() {
        let text =
            r#"{"*": {"status": "success"}, "a": [{"status": "stale"}, {"status": "failure"}]}"#;
        let mut script = Script::parse(text).unwrap();
        let mut take =
            |step: &str, default| script.take(step, default).map(|outcome| outcome.status);
        assert_eq!(take("a", true), Some(OutcomeStatus::Stale));
        assert_eq!(take("a", false), Some(OutcomeStatus::Failure));
        assert_eq!(take("a", true), Some(OutcomeStatus::Success));
        assert_eq!(take("a", false), None);
        assert_eq!(take("b", true), Some(OutcomeStatus::Success));
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, part) in [
            ("[", "line 1"),
            ("[]", "object"),
            (r#"{"a": {"status": "success"}}"#, "a: a list"),
            (r#"{"a": [{"status": "ok"}]}"#, "a[0]: unknown variant `ok`"),
            (
                r#"{"a": [{"status": "success", "resutl": {}}]}"#,
                "unknown field `resutl`",
            ),
            (r#"{"a": [{"status": "success", "result": 3}]}"#, "a[0]"),
        ] {
            let error = Script::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
