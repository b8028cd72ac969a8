use aris_skills::{Tree, WalkOptions};

use std::num::NonZeroU64;

use crate::Cli;
use crate::config::Config;
use crate::config::Run;
use crate::fix::{Change, Fix};
use crate::lint;
use crate::profile::Profile;
use crate::selection::Selection;
use crate::testing::{findings, folder, places, skill_md};

/// The findings of `rules` in a skill with these files beside its SKILL.md; paths are relative to the skill.
fn found(rules: &[&str], files: &[(&str, &str)]) -> Vec<String> {
    let text = skill_md("a", "Run `bash scripts/x.sh`.");
    let paths: Vec<String> = files.iter().map(|(path, _)| format!("a/{path}")).collect();
    let mut all = vec![("a/SKILL.md", text.as_str())];
    all.extend(
        paths
            .iter()
            .map(String::as_str)
            .zip(files.iter().map(|(_, text)| *text)),
    );
    places(rules, &all)
        .into_iter()
        .map(|place| place.replace(" a/", " "))
        .collect()
}

fn fix(rule: &str, path: &str, text: &str) -> Fix {
    let skill = skill_md("a", "Run `bash scripts/x.sh`.");
    let file = format!("a/{path}");
    let found = findings(&[rule], &[("a/SKILL.md", &skill), (&file, text)]);
    let mut fixes: Vec<Fix> = found.into_iter().filter_map(|found| found.fix).collect();
    assert_eq!(fixes.len(), 1, "{text}");
    fixes.remove(0)
}

fn replaced(fix: &Fix, text: &str) -> String {
    match &fix.change {
        Change::Replace(range, new) => {
            let mut text = text.to_owned();
            text.replace_range(range.clone(), new);
            text
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn first_lines() {
    let main = "if __name__ == \"__main__\":\n    main()\n";
    for (rules, path, text, expected) in [
        (
            ["SR201"],
            "scripts/x.sh",
            "echo\n",
            vec!["SR201 scripts/x.sh:1:1"],
        ),
        (["SR201"], "scripts/x.sh", "#!/bin/sh\n", vec![]),
        (
            ["SR201"],
            "scripts/y.py",
            main,
            vec!["SR201 scripts/y.py:1:1"],
        ),
        (["SR201"], "scripts/y.ps1", "echo\n", vec![]),
        // A library: no text calls it.
        (["SR201"], "scripts/y.sh", "echo\n", vec![]),
        (
            ["SR202"],
            "scripts/y.py*",
            "#!/usr/bin/env python\n",
            vec!["SR202 scripts/y.py:1:1"],
        ),
        (
            ["SR202"],
            "scripts/y.py*",
            "#!/usr/bin/env python3\n",
            vec![],
        ),
        (
            ["SR209"],
            "scripts/y.sh",
            "#!/bin/sh\n",
            vec!["SR209 scripts/y.sh:1:1"],
        ),
        (["SR209"], "scripts/y.sh*", "#!/bin/sh\n", vec![]),
        (["SR209"], "scripts/y.ps1", "#!/usr/bin/env pwsh\n", vec![]),
        (
            ["SR221"],
            "scripts/y.sh*",
            "#!/bin/sh\r\nx\r\n",
            vec!["SR221 scripts/y.sh:1:10"],
        ),
        (["SR221"], "scripts/y.sh*", "#!/bin/sh\nx\r\n", vec![]),
    ] {
        assert_eq!(
            found(&rules, &[(path, text)]),
            expected,
            "{rules:?} {path} {text}"
        );
    }
}

#[test]
fn first_lines_are_repaired() {
    for (rule, path, text, expected) in [
        (
            "SR201",
            "scripts/x.sh",
            "echo\n",
            "#!/usr/bin/env bash\necho\n",
        ),
        (
            "SR202",
            "scripts/y.py*",
            "#!/usr/bin/python\nx\n",
            "#!/usr/bin/env python3\nx\n",
        ),
        (
            "SR221",
            "scripts/y.sh*",
            "#!/bin/sh\r\nx\r\n",
            "#!/bin/sh\nx\n",
        ),
    ] {
        let edits = fix(rule, path, text);
        assert_eq!(replaced(&edits, text), expected, "{rule} {text}");
    }
    assert_eq!(
        fix("SR209", "scripts/y.sh", "#!/bin/sh\n"),
        Fix::of("a/scripts/y.sh", Change::MakeExecutable)
    );
}

#[test]
fn python_parses() {
    for (path, text, expected) in [
        ("scripts/y.py", "x = (\n", vec!["SR211 scripts/y.py:1:6"]),
        (
            "scripts/lib/y.py",
            "def f(:\n  pass\n",
            vec!["SR211 scripts/lib/y.py:1:7"],
        ),
        ("bin/y.py", "type A[T = int] = list[T]\n", vec![]),
        ("assets/y.py", "x = (\n", vec![]),
    ] {
        assert_eq!(found(&["SR211"], &[(path, text)]), expected, "{text}");
    }
}

#[test]
fn compiled_helpers() {
    // The magic number of ELF with nothing behind it: machine and symbols are unknown.
    let elf = "\u{7f}ELF\u{2}\u{1}";
    let contract = r#"{"schema": "aris.helper_contract.contract/v1", "name": "y", "version": "0.1.0", "usage": "y",
        "flags": [], "exit": [{"code": 0, "meaning": "done"}]}"#;
    let rules = ["SR224", "SR225"];
    let linux = "scripts/bin/y-x86_64-unknown-linux-musl*";
    for (files, expected) in [
        (
            vec![
                (linux, elf),
                ("scripts/y*", "#!/bin/sh\n"),
                ("scripts/y.contract.json", contract),
            ],
            vec![],
        ),
        (
            vec![(linux, elf), ("scripts/y.contract.json", contract)],
            vec!["SR225 scripts/bin/y-x86_64-unknown-linux-musl:1:1"],
        ),
        (
            vec![
                (linux, elf),
                ("scripts/y*", "#!/bin/sh\n"),
                ("scripts/y.contract.json", "{}"),
            ],
            vec!["SR224 scripts/y.contract.json:1:1"],
        ),
        (
            vec![
                ("scripts/bin/y-x86_64-apple-darwin*", elf),
                ("scripts/y*", "#!/bin/sh\n"),
                ("scripts/y.contract.json", contract),
            ],
            vec!["SR225 scripts/bin/y-x86_64-apple-darwin:1:1"],
        ),
        (
            vec![("scripts/y*", elf)],
            vec!["SR224 scripts/y:1:1", "SR225 scripts/y:1:1"],
        ),
        (
            vec![
                ("bin/y-x86_64-unknown-linux-gnu*", elf),
                ("bin/y*", "#!/bin/sh\n"),
                ("bin/y.contract.json", contract),
            ],
            vec![],
        ),
    ] {
        assert_eq!(found(&rules, &files), expected, "{files:?}");
    }
}

/// The findings of `--syntax`, and what it skipped, with the programs in `path`.
fn syntax(files: &[(&str, &str)], path: Option<String>) -> (Vec<String>, Vec<String>) {
    let text = skill_md("a", "Body.");
    let mut all = vec![("SKILL.md", text.as_str())];
    all.extend(files);
    let folder = folder(&all);
    let config = Config {
        profile: Profile::All,
        cli: Cli {
            rule: vec![String::from("SR212")],
            syntax: true,
            ..Cli::default()
        },
        search_path: path.map(|path| path.replace("HERE", &folder.path().to_string_lossy())),
        run: Run {
            timeout_s: NonZeroU64::new(60),
        },
        ..Config::default()
    };
    let tree = Tree::walk(folder.path(), &WalkOptions::default()).unwrap();
    let found = lint::tree(&tree, &config, &Selection::of(&config)).unwrap();
    let places = found.findings.iter().map(|found| {
        format!(
            "{} {}:{}:{} {}",
            found.rule, found.path, found.line, found.col, found.message
        )
    });
    let skipped = found.skipped.iter();
    (
        places.collect(),
        skipped
            .map(|skipped| format!("{} {} {}", skipped.rule, skipped.path, skipped.reason))
            .collect(),
    )
}

#[test]
fn bash_parses_without_running() {
    let (found, _) = syntax(
        &[
            ("scripts/good.sh", "touch made\nif true; then :; fi\n"),
            ("scripts/lib/bad.sh", "touch made\nif true; then\n  :\n"),
            ("scripts/-n.sh", "done\n"),
        ],
        None,
    );
    let found: Vec<&str> = found
        .iter()
        .filter_map(|found| found.split(" refused").next())
        .collect();
    assert_eq!(
        found,
        ["SR212 scripts/-n.sh:1:1", "SR212 scripts/lib/bad.sh:4:1"]
    );
}

#[test]
fn other_interpreters_are_asked_by_their_protocol() {
    let node =
        "#!/bin/sh\nprintf '%s:3\\nx\\n ^\\n\\nSyntaxError: bad word\\n' \"$2\" >&2\nexit 1\n";
    let pwsh = "#!/bin/sh\necho \"2:5:$(basename \"$SKILL_LINT_FILE\") is bad\"\nexit 1\n";
    let shellcheck = "#!/bin/sh\necho '{\"comments\":[{\"line\":2,\"column\":6,\"code\":2086,\"message\":\"Quote.\"}]}'\nexit 1\n";
    let (found, skipped) = syntax(
        &[
            ("scripts/x.js", "x"),
            ("scripts/x.ps1", "x"),
            ("scripts/x.sh*", "#!/bin/sh\necho $x\n"),
            ("tools/node*", node),
            ("tools/pwsh*", pwsh),
            ("tools/shellcheck*", shellcheck),
            ("tools/bash*", "#!/bin/sh\nexit 0\n"),
        ],
        Some(String::from("HERE/tools:/usr/bin:/bin")),
    );
    assert_eq!(
        found,
        [
            "SR212 scripts/x.js:3:2 refused by the interpreter: bad word",
            "SR212 scripts/x.ps1:2:5 refused by the interpreter: x.ps1 is bad",
        ]
    );
    assert!(skipped.is_empty(), "{skipped:?}");
}

#[test]
fn what_could_not_be_asked_is_no_finding_and_no_proof() {
    let files = [
        ("scripts/x.js", "const a = ;"),
        ("scripts/x.ps1", "{"),
        ("scripts/x.sh*", "#!/bin/sh\nif\n"),
        ("scripts/y.sh*", "#!/bin/zsh\nif\n"),
        ("broken/node*", "#!/bin/sh\nexit 9\n"),
    ];
    let (found, mut skipped) = syntax(&files, Some(String::from("HERE/none")));
    assert!(found.is_empty(), "{found:?}");
    skipped.sort();
    assert_eq!(
        skipped,
        [
            "SR212 scripts/x.js node is not installed",
            "SR212 scripts/x.ps1 pwsh is not installed",
            "SR212 scripts/x.sh bash is not installed",
            "SR212 scripts/y.sh written for a shell that is neither bash nor sh",
        ]
    );
    let (found, skipped) = syntax(
        &[files[0], files[4]],
        Some(String::from("HERE/broken:/bin")),
    );
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(
        skipped,
        ["SR212 scripts/x.js node gave no answer: no message"]
    );
}
