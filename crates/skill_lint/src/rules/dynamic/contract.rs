//! The contract file of a compiled helper, as far as running the helper can confirm it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::help::{ExitCodes, Help};

/// What a contract file promises. A malformed file promises nothing: that is a finding of the static rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contract {
    pub(super) name: String,
    /// Long flags of the program itself.
    flags: BTreeSet<String>,
    /// Long flags of its subcommands, which the program's own help need not list.
    command_flags: BTreeSet<String>,
    exits: BTreeSet<u16>,
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
        let list = |value: &Value, name: &str| {
            value
                .get(name)
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default()
        };
        let long = |value: &Value| -> BTreeSet<String> {
            list(value, "flags")
                .iter()
                .filter_map(|flag| Some(flag.get("long")?.as_str()?.to_owned()))
                .collect()
        };
        let promise = |sample: &Value| {
            let args = sample.get("args")?.as_array()?;
            Some(Promise {
                args: args
                    .iter()
                    .map(|arg| arg.as_str().map(str::to_owned))
                    .collect::<Option<_>>()?,
                exits: list(sample, "exit")
                    .iter()
                    .filter_map(Value::as_i64)
                    .collect(),
            })
        };
        Some(Self {
            name: value.get("name")?.as_str()?.to_owned(),
            flags: long(&value),
            command_flags: list(&value, "commands").iter().flat_map(long).collect(),
            exits: list(&value, "exit")
                .iter()
                .filter_map(|exit| u16::try_from(exit.get("code")?.as_u64()?).ok())
                .collect(),
            samples: list(&value, "samples").iter().filter_map(promise).collect(),
        })
    }

    /// What contract and help say differently: for each the word to look for in the contract file, and the message.
    pub(super) fn disagreements(&self, help: &Help) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for flag in self.flags.difference(&help.mentioned) {
            found.push((
                format!("\"{flag}\""),
                format!("flag {flag} is in the contract and not in --help"),
            ));
        }
        for flag in &help.declared {
            if !self.flags.contains(flag) && !self.command_flags.contains(flag) {
                found.push((
                    String::from("\"flags\""),
                    format!("flag {flag} is in --help and not in the contract"),
                ));
            }
        }
        let exit_word = String::from("\"exit\"");
        if help.exits.is_empty() {
            if !self.exits.is_empty() {
                found.push((
                    exit_word,
                    String::from("the exit codes of the contract are not in --help"),
                ));
            }
            return found;
        }
        for code in self
            .exits
            .iter()
            .filter(|code| !help.exits.contains(**code))
        {
            found.push((
                exit_word.clone(),
                format!("exit code {code} is in the contract and not in --help"),
            ));
        }
        let promised = ExitCodes::from_numbers(self.exits.iter().copied());
        for code in help.exits.named().filter(|code| !promised.contains(*code)) {
            found.push((
                exit_word.clone(),
                format!("exit code {code} is in --help and not in the contract"),
            ));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str = r#"{"name": "tool", "flags": [{"long": "--json"}, {"long": "--help"}],
        "commands": [{"name": "sub", "flags": [{"long": "--deep"}]}],
        "exit": [{"code": 0}, {"code": 10}],
        "samples": [{"args": ["--json", "a b"], "exit": [0, 10]}, {"args": [1]}, {"args": []}]}"#;

    #[test]
    fn agreement_is_silent_and_each_difference_is_named_once() {
        let contract = Contract::of(CONTRACT).expect("contract");
        let messages = |text: &str| -> Vec<String> {
            contract
                .disagreements(&Help::of(text))
                .into_iter()
                .map(|(_, message)| message)
                .collect()
        };
        let agreeing = "Options:\n  --json  a\n  --help  b\nExit codes:\n  0  x\n  10  y\n";
        assert_eq!(messages(agreeing), Vec::<String>::new());
        assert_eq!(
            messages(&format!("  --deep  of a command\n{agreeing}")),
            Vec::<String>::new()
        );
        assert_eq!(
            messages(&agreeing.replace("  10  y", "  10+  y")),
            Vec::<String>::new()
        );
        for (from, to, expected) in [
            (
                "--json",
                "--text",
                &[
                    "flag --json is in the contract and not in --help",
                    "flag --text is in --help and not in the contract",
                ][..],
            ),
            (
                "  10  y",
                "  3  y",
                &[
                    "exit code 10 is in the contract and not in --help",
                    "exit code 3 is in --help and not in the contract",
                ],
            ),
            (
                "Exit codes:",
                "Results:",
                &["the exit codes of the contract are not in --help"],
            ),
        ] {
            assert_eq!(messages(&agreeing.replace(from, to)), expected);
        }
    }

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
