//! What a script offers to its caller: help, JSON, exit 2, an offline mode; what it needs; how it writes (SR214–SR219, SR223).

use std::collections::BTreeSet;

use aris_skills::names;
use aris_skills::script::ScriptKind;

use crate::code::javascript::Kind;
use crate::code::python::Deed;
use crate::code::{Code, Hit, javascript, shell};

/// Programs that many machines lack. **Source**: those that skills call most and that no base system has.
const OPTIONAL: &[&str] = &[
    "jq",
    "yq",
    "gh",
    "glab",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "rg",
    "fd",
    "fzf",
    "ffmpeg",
    "pandoc",
    "aws",
    "gcloud",
    "az",
    "shellcheck",
    "tmux",
];

/// What the rules about the interface find in an entry point.
pub(crate) fn hits(path: &str, kind: ScriptKind, source: &str, code: &Code<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if let Code::Python(python) = code
        && python.reads_argv
        && !python.has_parser()
    {
        hits.push(Hit::new(
            "SR214",
            0,
            "sys.argv is read without an argument parser",
        ));
    }
    let passes_on = matches!(code, Code::Shell(script) if passes_arguments_on(script));
    if !passes_on {
        if !offers_help(kind, source, code) {
            hits.push(Hit::new("SR215", 0, "no --help"));
        }
        if !["--json", "\"json\"", "-Json"]
            .iter()
            .any(|word| source.contains(word))
        {
            hits.push(Hit::new("SR216", 0, "no --json"));
        }
        if !can_exit_2(source, code) {
            hits.push(Hit::new(
                "SR217",
                0,
                "no way to leave with 2 on wrong usage",
            ));
        }
    }
    if let Code::Shell(script) = code {
        hits.extend(unchecked_tools(script));
    }
    if is_verifier(path) && fetches(code) && !source.contains("--offline") {
        hits.push(Hit::new("SR219", 0, "fetches and has no --offline"));
    }
    hits.extend(replaced_in_place(code));
    hits
}

/// Whether a script replaces itself by another program and gives it all its arguments.
fn passes_arguments_on(script: &shell::Script<'_>) -> bool {
    script.commands.iter().any(|command| {
        let mut words = command.words.iter().map(|word| script.raw(word));
        words.next() == Some("exec") && words.any(|word| word == "\"$@\"")
    })
}

fn offers_help(kind: ScriptKind, source: &str, code: &Code<'_>) -> bool {
    if source.contains("--help") {
        return true;
    }
    match (kind, code) {
        (_, Code::Python(python)) => python.has_parser(),
        (ScriptKind::Js | ScriptKind::Ts, _) => ["commander", "yargs", "cac", "meow"]
            .iter()
            .any(|name| has_word(source, name)),
        (ScriptKind::Ps1, _) => source
            .as_bytes()
            .windows(9)
            .any(|window| window.eq_ignore_ascii_case(b".synopsis")),
        _ => false,
    }
}

/// Whether a text holds a word that no letter, digit, `_` or `-` touches.
fn has_word(source: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    source.match_indices(word).any(|(at, _)| {
        let before = source.get(..at).unwrap_or_default();
        let after = source.get(at + word.len()..).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part)
    })
}

/// Whether the script can leave with 2, or with a constant or variable whose value is not known here.
fn can_exit_2(source: &str, code: &Code<'_>) -> bool {
    if source.contains("EX_USAGE") || source.contains("EXIT_USAGE") {
        return true;
    }
    let forms: &[&str] = match code {
        Code::Python(python) if python.parser_exits_2() => return true,
        Code::Python(_) => &["exit(2", "SystemExit(2", "return 2", "code=2"],
        Code::JavaScript(_) => &["exit(2", "exitCode = 2", "exitCode=2", "return 2"],
        // `exit "$code"`: the value comes from elsewhere.
        Code::Shell(_) => &[
            "exit 2", "return 2", "exit $", "exit \"$", "die 2", "usage 2",
        ],
        Code::PowerShell(_) => &[
            "exit 2",
            "Exit 2",
            "exit $",
            "Exit $",
            "ExitCode = 2",
            "exit(2",
        ],
        Code::Other => &["exit 2", "exit(2", "exit! 2"],
    };
    forms.iter().any(|form| {
        source.match_indices(form).any(|(at, _)| {
            let after = source.as_bytes().get(at + form.len());
            !form.ends_with('2') || !after.is_some_and(u8::is_ascii_digit)
        })
    })
}

/// SR218: the first call of each optional program that is never asked for.
fn unchecked_tools(script: &shell::Script<'_>) -> Vec<Hit> {
    let mut asked = BTreeSet::new();
    let mut asks_for_any = false;
    for command in &script.commands {
        let Some((name, arguments)) = script.called(command) else {
            continue;
        };
        if matches!(name.as_str(), "command" | "which" | "type" | "hash") {
            for word in arguments {
                match script.literal(word) {
                    Some(word) => {
                        asked.insert(word.into_owned());
                    }
                    // A loop or a function asks for several by name.
                    None => asks_for_any = true,
                }
            }
        }
    }
    if asks_for_any {
        return Vec::new();
    }
    let mut hits: Vec<Hit> = Vec::new();
    for command in &script.commands {
        let Some((name, _)) = script.called(command) else {
            continue;
        };
        if OPTIONAL.contains(&name.as_str()) && asked.insert(name.clone()) {
            let at = command.words.first().map_or(0, |word| word.range.start);
            hits.push(Hit::new(
                "SR218",
                at,
                format!("{name} is called without `command -v {name}`"),
            ));
        }
    }
    hits
}

/// Whether the tool's name says that it verifies.
fn is_verifier(path: &str) -> bool {
    let stem = names::stem(path);
    ["check-", "check_", "verify-", "verify_"]
        .iter()
        .any(|start| stem.starts_with(start))
}

fn fetches(code: &Code<'_>) -> bool {
    match code {
        Code::Shell(script) => script.commands.iter().any(|command| {
            let called = script.called(command);
            called.is_some_and(|(name, _)| matches!(name.as_str(), "curl" | "wget"))
        }),
        Code::Python(python) => python.fetches(),
        Code::JavaScript(script) => javascript_fetches(script),
        Code::PowerShell(code) => ["irm", "iwr", "Invoke-RestMethod", "Invoke-WebRequest"]
            .iter()
            .any(|word| has_word(code, word)),
        Code::Other => false,
    }
}

fn javascript_fetches(script: &javascript::Script<'_>) -> bool {
    (0..script.tokens.len()).any(|at| match script.kind(at) {
        Some(Kind::Name) => script.is(at, "fetch") && script.is(at + 1, "("),
        Some(Kind::Text) => matches!(
            script.string(at),
            Some(
                "http"
                    | "https"
                    | "node:http"
                    | "node:https"
                    | "axios"
                    | "node-fetch"
                    | "undici"
                    | "got"
            )
        ),
        _ => false,
    })
}

/// SR223: the first write to a file that the caller names, in a script that renames nothing.
fn replaced_in_place(code: &Code<'_>) -> Option<Hit> {
    match code {
        Code::Python(python) if !python.renames => python
            .found
            .iter()
            .find(|found| found.deed == Deed::WritesArgument)
            .map(|found| {
                Hit::new(
                    "SR223",
                    found.at,
                    format!("{}() replaces a file of the caller in place", found.name),
                )
            }),
        Code::Shell(script) => {
            let calls = |program: &str| {
                script.commands.iter().any(|command| {
                    script
                        .called(command)
                        .is_some_and(|(name, _)| name == program)
                })
            };
            if calls("mv") || calls("mktemp") {
                return None;
            }
            let given = given(script);
            let outputs = script.commands.iter().flat_map(|command| &command.outputs);
            outputs
                .filter(|word| {
                    variable(script.raw(word))
                        .is_some_and(|name| is_position(name) || given.contains(name))
                })
                .map(|word| {
                    Hit::new(
                        "SR223",
                        word.range.start,
                        "a file of the caller is replaced in place",
                    )
                })
                .next()
        }
        _ => None,
    }
}

/// Names of variables that hold a positional argument: `out=$1`, `out="${2:-x}"`.
fn given<'a>(script: &shell::Script<'a>) -> BTreeSet<&'a str> {
    let words = script
        .commands
        .iter()
        .flat_map(|command| command.assignments.iter().chain(&command.words));
    words
        .filter_map(|word| script.raw(word).split_once('='))
        .filter(|(_, value)| {
            let value = value.trim_start_matches('"');
            let value = value.strip_prefix("${").or_else(|| value.strip_prefix('$'));
            value.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
        .map(|(name, _)| name)
        .collect()
}

/// The name in `$x`, `"$x"` and `"${x}"`.
fn variable(word: &str) -> Option<&str> {
    let name = word.trim_matches('"').strip_prefix('$')?;
    let name = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'))
        .unwrap_or(name);
    name.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_')
        .then_some(name)
}

/// `1` and the like. `0` is the script itself.
fn is_position(name: &str) -> bool {
    !name.is_empty() && name != "0" && name.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, source: &str) -> Vec<&'static str> {
        let kind = ScriptKind::of_extension(&names::extension(path)).unwrap();
        let code = Code::read(kind, source);
        hits(path, kind, source, &code)
            .iter()
            .map(|hit| hit.rule)
            .collect()
    }

    #[test]
    fn what_a_script_offers() {
        for (path, source, expected) in [
            ("x.py", "import argparse\np.add_argument('--json')", vec![]),
            (
                "x.py",
                "import sys\nprint(sys.argv)",
                vec!["SR214", "SR215", "SR216", "SR217"],
            ),
            (
                "x.py",
                "import docopt, sys\nsys.argv '--json'",
                vec!["SR217"],
            ),
            ("x.py", "'--help --json'\nsys.exit(2)", vec![]),
            ("x.py", "'--help --json'\nsys.exit(20)", vec!["SR217"]),
            ("x.sh", "echo --help --json; exit 2", vec![]),
            ("x.sh", "echo", vec!["SR215", "SR216", "SR217"]),
            ("x.sh", "exec python3 x.py \"$@\"", vec![]),
            ("x.sh", "exec python3 x.py", vec!["SR215", "SR216", "SR217"]),
            (
                "x.js",
                "import yargs from 'yargs'; '--json'; process.exit(2)",
                vec![],
            ),
            (
                "x.js",
                "const cache = 1; '--json'; process.exit(2)",
                vec!["SR215"],
            ),
            (
                "x.ps1",
                "<#\n.Synopsis\n#>\nparam([switch]$Json) # -Json\nexit 2",
                vec![],
            ),
        ] {
            assert_eq!(rules(path, source), expected, "{source}");
        }
    }

    #[test]
    fn tools_are_asked_for() {
        let base = "# --help --json\nexit 2\n";
        for (source, expected) in [
            ("jq . x; jq . y", vec!["SR218"]),
            ("command -v jq >/dev/null || exit 5\njq . x", vec![]),
            ("which jq && jq . x; gh pr list", vec!["SR218"]),
            (
                "for t in jq gh; do command -v \"$t\"; done; jq .; gh x",
                vec![],
            ),
            ("case $1 in jq) echo;; esac; echo jq", vec![]),
            ("x=$(curl a | jq .b)", vec!["SR218"]),
        ] {
            assert_eq!(
                rules("x.sh", &format!("{base}{source}")),
                expected,
                "{source}"
            );
        }
    }

    #[test]
    fn verifiers_have_an_offline_mode() {
        for (path, source, expected) in [
            (
                "verify-x.sh",
                "# --help --json\nexit 2\ncurl x",
                vec!["SR219"],
            ),
            (
                "verify-x.sh",
                "# --help --json --live\nexit 2\ncurl x",
                vec!["SR219"],
            ),
            (
                "verify-x.sh",
                "# --help --json --live --offline\nexit 2\ncurl x",
                vec![],
            ),
            ("get-x.sh", "# --help --json\nexit 2\ncurl x", vec![]),
            (
                "check_x.py",
                "import argparse, requests # --json",
                vec!["SR219"],
            ),
            ("check_x.py", "import argparse # --json", vec![]),
            (
                "check-x.js",
                "// --help --json\nawait fetch(u); process.exit(2)",
                vec!["SR219"],
            ),
        ] {
            assert_eq!(rules(path, source), expected, "{source}");
        }
    }

    #[test]
    fn files_of_the_caller_are_replaced_whole() {
        let base = "# --help --json\nexit 2\n";
        for (source, expected) in [
            ("echo x > \"$1\"", vec!["SR223"]),
            ("out=\"${2:-x}\"; echo > \"$out\"", vec!["SR223"]),
            ("echo x > \"$1.tmp\" && mv \"$1.tmp\" \"$1\"", vec![]),
            ("echo x > \"$1\"; mv a b", vec![]),
            ("echo x >> \"$1\"", vec![]),
            ("echo x > fixed; echo > /dev/null; echo >&2", vec![]),
        ] {
            assert_eq!(
                rules("x.sh", &format!("{base}{source}")),
                expected,
                "{source}"
            );
        }
        for (source, expected) in [
            (
                "import argparse\nopen(args.out, 'w') # --json",
                vec!["SR223"],
            ),
            (
                "import argparse, os\nopen(args.out, 'w') # --json\nos.replace(a, b)",
                vec![],
            ),
        ] {
            assert_eq!(rules("x.py", source), expected, "{source}");
        }
    }
}
