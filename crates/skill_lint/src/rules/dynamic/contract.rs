//! The contract file of a compiled helper, as far as a run of the helper can confirm it.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The samples of a contract file. A malformed file has none; the static rules report it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Contract {
    #[serde(rename = "name")]
    _name: String,
    #[serde(default, deserialize_with = "whole")]
    pub(super) samples: Vec<Promise>,
}

/// One declared sample of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Promise {
    pub(super) args: Vec<String>,
    /// The exit codes it may exit with; empty when the contract does not say.
    #[serde(default, rename = "exit")]
    pub(super) exits: Vec<i64>,
}

/// The samples that can be read. Anything that is not a list has none.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Promise>, D::Error> {
    let samples = Value::deserialize(from)?;
    let samples = samples.as_array().into_iter().flatten();
    Ok(samples
        .filter_map(|sample| Promise::deserialize(sample).ok())
        .collect())
}

impl Contract {
    /// Reads a contract; `None` when it is not an object with a name.
    pub(super) fn of(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
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
