//! The contract that a helper prints.

use aris_testkit::{Helper, assert_valid};
use serde_json::Value;

use super::for_every_helper;

/// `--print-contract`, parsed.
pub(crate) struct Contract {
    pub(crate) value: Value,
}

impl Contract {
    pub(crate) fn of(helper: &Helper) -> Self {
        let run = helper
            .call("/")
            .args(["--print-contract"])
            .run()
            .expect_code(0);
        assert_eq!(run.stderr(), "");
        Self {
            value: serde_json::from_str(run.stdout()).expect("a contract is JSON"),
        }
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.value[key]
            .as_str()
            .unwrap_or_else(|| panic!("contract has no text {key}"))
    }

    fn list(&self, key: &str) -> &[Value] {
        self.value[key]
            .as_array()
            .unwrap_or_else(|| panic!("contract has no list {key}"))
    }

    /// Names of the subcommands.
    pub(crate) fn commands(&self) -> Vec<&str> {
        self.list("commands")
            .iter()
            .filter_map(|command| command["name"].as_str())
            .collect()
    }

    /// Names of the arguments of the helper itself and of its subcommands.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        let below = self
            .list("commands")
            .iter()
            .flat_map(|command| command["arguments"].as_array().into_iter().flatten());
        let all = self.list("arguments").iter().chain(below);
        all.filter_map(|argument| argument["name"].as_str())
            .collect()
    }

    /// Exit codes of the helper, without duplicates, ascending.
    pub(crate) fn exits(&self) -> Vec<i32> {
        Self::codes(&self.value)
    }

    /// Exit codes of a call: those of its subcommand, if it has one.
    pub(crate) fn exits_of(&self, command: Option<&str>) -> Vec<i32> {
        let mut commands = self.list("commands").iter();
        let found = commands.find(|entry| command.is_some() && entry["name"].as_str() == command);
        Self::codes(found.unwrap_or(&self.value))
    }

    fn codes(entry: &Value) -> Vec<i32> {
        let codes = entry["exit"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|exit| i32::try_from(exit["code"].as_i64()?).ok());
        let mut codes: Vec<i32> = codes.collect();
        codes.dedup();
        codes
    }

    /// Exit codes about the data: 10 and above, and 1 where it has two meanings, as for a gate.
    pub(crate) fn signals(&self) -> Vec<i32> {
        let ones = self.list("exit").iter().filter(|exit| exit["code"] == 1);
        let is_gate = ones.count() > 1;
        self.exits()
            .into_iter()
            .filter(|code| *code >= 10 || (*code == 1 && is_gate))
            .collect()
    }

    pub(crate) fn schemas(&self) -> Vec<&str> {
        self.list("json_schemas")
            .iter()
            .filter_map(Value::as_str)
            .collect()
    }

    /// Whether the helper, or each of its subcommands, needs arguments.
    pub(crate) fn requires_something(&self) -> bool {
        let required = |entry: &Value| entry["required"] == true;
        !self.commands().is_empty()
            || self.list("arguments").iter().any(required)
            || self.list("flags").iter().any(required)
    }

    /// Long flags of the helper and of its subcommands.
    pub(crate) fn flags(&self) -> Vec<(Option<&str>, &str)> {
        let own = self.list("flags").iter().map(|flag| (None, flag));
        let below = self.list("commands").iter().flat_map(|command| {
            let flags = command["flags"].as_array().into_iter().flatten();
            flags.map(|flag| (command["name"].as_str(), flag))
        });
        own.chain(below)
            .filter_map(|(command, flag)| Some((command, flag["long"].as_str()?)))
            .collect()
    }
}

#[test]
fn contracts_satisfy_their_schema_and_agree_with_the_table() {
    for_every_helper(|subject| {
        let contract = &subject.contract;
        assert_valid(
            "aris.helper_contract.contract/v1",
            &contract.value,
            "contract",
        );
        let row = aris_contract::helpers::find(subject.cases.helper).expect("a row");
        assert_eq!(contract.text("name"), row.name);
        assert_eq!(contract.text("owner"), row.owner);
        assert_eq!(
            contract.value["policy"],
            serde_json::json!([row.policy.letter()])
        );
        let run = subject
            .helper
            .call("/")
            .args(["--version"])
            .run()
            .expect_code(0);
        let version = contract.text("version");
        let commit = run
            .stdout()
            .strip_prefix(&format!("{} {version} (", row.name))
            .and_then(|rest| rest.strip_suffix(")\n"));
        let commit =
            commit.unwrap_or_else(|| panic!("--version is not `name x.y.z (commit)`: {run}"));
        assert!(
            commit == "unknown"
                || (commit.len() == 12 && commit.bytes().all(|b| b.is_ascii_hexdigit())),
            "{run}"
        );
        assert_eq!(run.stderr(), "");
    });
}

#[test]
fn every_promised_exit_code_is_seen() {
    for_every_helper(|subject| {
        let calls = subject.cases.calls;
        for call in calls {
            let promised = subject.contract.exits_of(call.args.first().copied());
            assert!(
                promised.contains(&call.code),
                "{}: exit {} is not in the contract",
                call.what,
                call.code
            );
        }
        let mut wanted = vec![0];
        wanted.extend(subject.contract.signals());
        for code in wanted {
            assert!(
                calls.iter().any(|call| call.code == code),
                "no call exits with {code}"
            );
        }
        assert!(
            calls.iter().any(|call| (2..10).contains(&call.code)),
            "no call is an error"
        );
        if subject.cases.unwritable.is_empty() {
            for call in calls {
                let project = (subject.cases.project)();
                let before = project.snapshot();
                subject.run(&project, call, &[]).expect_code(call.code);
                let written = before.differences(&project.snapshot());
                assert!(
                    written.is_empty(),
                    "{}: no case has these unwritable: {written:?}",
                    call.what
                );
            }
        }
        for command in subject.contract.commands() {
            assert!(
                calls.iter().any(|call| call.args.first() == Some(&command)),
                "no call of {command}"
            );
        }
    });
}
