//! The contract file of a compiled helper, as far as running the helper can confirm it.

use serde_json::Value;

/// What a contract file promises. A malformed file promises nothing: that is a finding of the static rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contract {
    pub(super) name: String,
    pub(super) samples: Vec<Promise>,
}

/// One declared sample of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Promise {
    pub(super) args: Vec<String>,
    /// The exit codes it may leave with; empty when the contract does not say.
    pub(super) exits: Vec<i64>,
}

impl Contract {
    /// Reads a contract; `None` when it is not an object with a name.
    pub(super) fn of(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let samples = value.get("samples").and_then(Value::as_array);
        Some(Self {
            name: value.get("name")?.as_str()?.to_owned(),
            samples: samples.into_iter().flatten().filter_map(promise).collect(),
        })
    }
}

fn promise(sample: &Value) -> Option<Promise> {
    let args = sample.get("args")?.as_array()?.iter();
    let exits = sample.get("exit").and_then(Value::as_array);
    Some(Promise {
        args: args
            .map(|arg| arg.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        exits: exits
            .into_iter()
            .flatten()
            .filter_map(Value::as_i64)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str = r#"{"name": "tool",
        "samples": [{"args": ["--json", "a b"], "exit": [0, 10]}, {"args": [1]}, {"args": []}]}"#;

    #[test]
    fn samples_are_whole_or_left_out() {
        let contract = Contract::of(CONTRACT).expect("contract");
        let args: Vec<_> = contract
            .samples
            .iter()
            .map(|sample| (sample.args.join("|"), sample.exits.clone()))
            .collect();
        assert_eq!(
            args,
            [
                (String::from("--json|a b"), vec![0, 10]),
                (String::new(), vec![])
            ]
        );
        for text in ["", "[]", "{}", r#"{"name": 3}"#] {
            assert_eq!(Contract::of(text), None);
        }
    }
}
