//! Checks the section "One surface" of CONTRIBUTING.md for every helper and subcommand.

use serde_json::Value;

use super::{Subject, for_every_helper};

/// Hidden spellings that still work, with the current ones.
const OLDER: [(&str, &str); 16] = [
    ("--out", "--output"),
    ("--out-dir", "--output"),
    ("--json-out", "--output"),
    ("--dir", "--output"),
    ("--md", "--output"),
    ("--site", "--html"),
    ("--paper", "the argument PAPER"),
    ("--workspace", "--project"),
    ("--timeout", "--deadline"),
    ("--max-wait", "--deadline"),
    ("--max", "--limit"),
    ("--lines", "--limit"),
    ("--jsonl", "--format jsonl"),
    ("--bibtex", "--format bibtex"),
    ("--graphml", "--format graphml"),
    ("--sarif", "--format sarif"),
];

/// Flags whose values are written, or name a path that need not exist.
const WRITTEN: [&str; 9] = [
    "-o",
    "--output",
    "--html",
    "--state",
    "--log",
    "--log-dir",
    "--fix-bib",
    "--attest",
    "--record",
];

#[test]
fn flags_and_commands_have_the_names_that_all_helpers_use() {
    for_every_helper(|subject| {
        for command in subject.contract.commands() {
            assert!(!command.contains('_'), "{command} is not in kebab-case");
        }
        let flags = subject.contract.flags();
        for (command, flag) in &flags {
            if let Some((_, now)) = OLDER.iter().find(|(old, _)| old == flag) {
                panic!("{command:?} shows {flag}; it is {now}");
            }
        }
        let commands = subject.contract.commands().into_iter().map(Some);
        for command in std::iter::once(None).chain(commands) {
            let has = |name: &str| flags.contains(&(command, name));
            assert!(has("--json"), "{command:?} has no --json");
            assert!(has("--format"), "{command:?} has no --format");
            if has("--output") {
                let run = subject.helper.call("/").args(command).args(["-h"]).run();
                let shown = run.stdout().contains("-o, --output");
                assert!(shown, "{command:?} has no -o for --output");
            }
        }
        for name in subject.contract.arguments() {
            assert!(
                !name.starts_with("PAPER-"),
                "the paper's folder is PAPER, not {name}"
            );
        }
    });
}

#[test]
fn a_deadline_of_nothing_is_refused_in_words_that_are_true() {
    for_every_helper(|subject| {
        for (command, flag) in subject.contract.flags() {
            if flag != "--deadline" {
                continue;
            }
            let call = subject.helper.call("/").args(command);
            let run = call.args(["--deadline", "0"]).run();
            // If the value 0 is allowed, the call fails for another reason.
            if run.stderr().contains("invalid value '0'") {
                let true_words = ["above 0", "0 is not in 1.."];
                let said = true_words.iter().any(|words| run.stderr().contains(words));
                assert!(said, "{command:?}: {run}");
            }
        }
    });
}

#[test]
fn format_json_is_json() {
    for_every_helper(|subject| {
        for call in subject.cases.calls {
            if subject.cases.format_is_of_a_file(call) || call.args.contains(&"--") {
                continue;
            }
            let project = (subject.cases.project)();
            let short = subject.run(&project, call, &["--json"]);
            let project = (subject.cases.project)();
            let long = subject.run(&project, call, &["--format", "json"]);
            assert_eq!(long.code(), call.code, "{}: {long}", call.what);
            let (short, long) = (short.envelope(), long.envelope());
            let kind = |value: &Value| {
                (
                    value["meta"]["schema"].clone(),
                    value["error"]["code"].clone(),
                )
            };
            assert_eq!(kind(&short), kind(&long), "{}", call.what);
        }
    });
}

#[test]
fn an_input_that_does_not_exist_is_exit_three() {
    for_every_helper(|subject| {
        let mut failed = Vec::new();
        for call in subject.cases.calls.iter().filter(|call| call.code == 0) {
            for (at, arg) in call.args.iter().enumerate() {
                if !is_input(subject, call.args, at) {
                    continue;
                }
                let mut args = call.args.to_vec();
                let absent = format!("absent-{arg}");
                args[at] = &absent;
                let project = (subject.cases.project)();
                let run = super::kept::own(subject.helper.call(project.path()), project.path())
                    .args(&args)
                    .run();
                if run.code() != 3 {
                    failed.push(format!("{args:?}: {run}"));
                }
            }
        }
        assert!(failed.is_empty(), "{}", failed.join("\n"));
    });
}

/// Whether an argument is the path of an input in the project.
fn is_input(subject: &Subject, args: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| args[before]);
    let is_command = at == 0 && subject.contract.commands().contains(&args[0]);
    let is_written = before.is_some_and(|flag| WRITTEN.contains(&flag));
    let is_own = args[..at].contains(&"--");
    let project = (subject.cases.project)();
    !is_command && !is_written && !is_own && args[at] != "." && project.at(args[at]).exists()
}
