//! The dynamic rules on real scripts in a real sandbox.

#![expect(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::path::Path;

use std::num::NonZeroU64;

use crate::config::Run;
use crate::config::{Config, RunLevel};
use crate::finding::Skipped;
use crate::lint::{self, Found};
use crate::profile::Profile;
use crate::selection::Selection;
use crate::testing::{folder, skill_md};
use crate::{Cli, Error, Options};

fn run_in(root: &Path, level: RunLevel, timeout_s: u64) -> Found {
    let config = Config {
        profile: Profile::All,
        cli: Cli {
            rule: vec![String::from("SR3")],
            run: Some(level),
            unsandboxed: true,
            threads: Some(4),
            ..Cli::default()
        },
        search_path: std::env::var("PATH").ok(),
        run: Run {
            timeout_s: NonZeroU64::new(timeout_s),
        },
        ..Config::default()
    };
    let tree = aris_skills::Tree::walk(root, &aris_skills::WalkOptions::default()).expect("walk");
    lint::tree(&tree, &config, &Selection::of(&config)).expect("ran")
}

/// The findings for these files beside a SKILL.md: `SR301 path:line message`.
fn found(level: RunLevel, files: &[(&str, &str)]) -> Vec<String> {
    let text = skill_md("a", "Body.");
    let mut all = vec![("skills/a/SKILL.md", text.as_str())];
    all.extend(files);
    let folder = folder(&all);
    lines(run_in(folder.path(), level, 10))
}

fn lines(found: Found) -> Vec<String> {
    assert_eq!(found.skipped, Vec::<Skipped>::new());
    let mut lines: Vec<String> = found
        .findings
        .iter()
        .map(|one| {
            format!(
                "{} {}:{} {}",
                one.rule,
                one.path.trim_start_matches("skills/a/"),
                one.line,
                one.message
            )
        })
        .collect();
    lines.sort();
    lines
}

const GOOD: &str = r#"#!/bin/sh
# Count words.
# Usage: good [--json] FILE
# Exit: 0 counted; 2 usage
# Examples: good README.md
# Lint-sample: --json SKILL.md
set -u
case "${1:-}" in
-h | --help)
  echo 'Usage: good [--json] FILE'
  echo 'Examples:'
  echo '  good README.md'
  ;;
--json) printf '{"data": [%s], "meta": {"schema": "a/v1", "count": 1}}\n' "$(wc -l <"$2")" ;;
*) echo "good: unknown flag" >&2; exit 2 ;;
esac
"#;

#[test]
fn a_good_script_is_silent_at_every_level_and_nothing_is_left() {
    for level in [RunLevel::Help, RunLevel::Flags, RunLevel::All] {
        assert_eq!(
            found(level, &[("skills/a/scripts/good.sh", GOOD)]),
            Vec::<String>::new()
        );
    }
}

#[test]
fn nothing_runs_without_being_asked_to() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[
        ("a/SKILL.md", &text),
        ("a/scripts/x.sh", "#!/bin/sh\nexit 1\n"),
    ]);
    let config = Config {
        profile: Profile::All,
        cli: Cli {
            unsandboxed: true,
            ..Cli::default()
        },
        ..Config::default()
    };
    let tree =
        aris_skills::Tree::walk(folder.path(), &aris_skills::WalkOptions::default()).expect("walk");
    let found = lint::tree(&tree, &config, &Selection::of(&config)).expect("ran");
    assert!(
        found
            .findings
            .iter()
            .all(|one| !one.rule.starts_with("SR3"))
    );
    assert!(found.sandbox.is_none());
}

#[test]
fn each_level_runs_what_it_says_and_no_more() {
    // A script that fails each call in a different way, so that the findings show which calls were made.
    let script = "#!/usr/bin/env bash\n# Lint-sample: sample\nprintf '\\033[1m%s\\n' \"$1\" >\"$PWD/x\"\ncase $1 in --help) echo 'Usage: Examples: x' ;; -h) exit 3 ;; sample) echo no ;; *) exit 4 ;; esac\n";
    let help = [
        "SR302 scripts/x.sh:1 the text of --help lacks an Examples section",
        "SR308 scripts/x.sh:1 --help left files behind: ./x",
    ];
    let mut flags = help.to_vec();
    flags.insert(
        1,
        "SR303 scripts/x.sh:1 an unknown flag ends with exit 4, not 2",
    );
    let mut all = flags.clone();
    all.insert(
        2,
        "SR306 scripts/x.sh:2 the declared sample: stdout is not JSON (line 1, column 2)",
    );
    let files = [("skills/a/scripts/x.sh", script)];
    assert_eq!(found(RunLevel::Help, &files), help);
    assert_eq!(found(RunLevel::Flags, &files), flags);
    assert_eq!(found(RunLevel::All, &files), all);
}

#[test]
fn python_and_node_run_without_leaving_compiled_files() {
    let text = skill_md("a", "Run `python3 scripts/x.py`.");
    let folder = folder(&[
        ("skills/a/SKILL.md", &text),
        ("skills/a/scripts/own.py", "VALUE = 1\n"),
        (
            "skills/a/scripts/x.py",
            "import own\nimport no_such_module_anywhere\n",
        ),
        (
            "skills/a/scripts/y.py",
            "import own\nimport argparse\nargparse.ArgumentParser(epilog='Examples: x').parse_args()\n",
        ),
    ]);
    std::fs::write(
        folder.path().join("skills/a/scripts/y.py"),
        "#!/usr/bin/env python3\nimport own, argparse\nargparse.ArgumentParser(epilog='Examples:\\n  y', formatter_class=argparse.RawTextHelpFormatter).parse_args()\n",
    )
    .expect("file");
    assert_eq!(
        lines(run_in(folder.path(), RunLevel::Flags, 20)),
        [
            "SR301 scripts/x.py:1 --help ends with exit 1: ModuleNotFoundError: No module named 'no_such_module_anywhere'",
            "SR303 scripts/x.py:1 an unknown flag ends with exit 1, not 2: ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        ]
    );
    assert!(!folder.path().join("skills/a/scripts/__pycache__").exists());
}

#[test]
fn one_that_hangs_is_said_to_hang_and_does_not_hold_the_others() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[
        ("skills/a/SKILL.md", &text),
        ("skills/a/scripts/good.sh", GOOD),
        (
            "skills/a/scripts/hangs.sh",
            "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n",
        ),
    ]);
    let lines = lines(run_in(folder.path(), RunLevel::Help, 1));
    assert_eq!(
        lines,
        ["SR309 scripts/hangs.sh:1 --help gave no answer within 1 s"]
    );
}

#[test]
fn a_missing_interpreter_is_no_finding() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[
        ("skills/a/SKILL.md", &text),
        ("skills/a/scripts/x.ts", "#!/usr/bin/env -S deno run\n"),
    ]);
    let mut config = Config {
        profile: Profile::All,
        cli: Cli {
            rule: vec![String::from("SR3")],
            run: Some(RunLevel::Help),
            unsandboxed: true,
            ..Cli::default()
        },
        search_path: Some(String::from("/usr/bin:/bin")),
        ..Config::default()
    };
    if Path::new("/usr/bin/deno").exists() {
        return;
    }
    let tree =
        aris_skills::Tree::walk(folder.path(), &aris_skills::WalkOptions::default()).expect("walk");
    let found = lint::tree(&tree, &config, &Selection::of(&config)).expect("ran");
    assert!(found.findings.is_empty());
    assert_eq!(found.skipped.len(), 1);
    assert_eq!(found.skipped[0].path, "skills/a/scripts/x.ts");
    assert!(
        found.skipped[0].reason.starts_with("deno is not installed"),
        "{:?}",
        found.skipped
    );
    // Without the first rule, the next one reports what is skipped.
    config.cli.skip = vec![String::from("SR301")];
    assert_eq!(
        lint::tree(&tree, &config, &Selection::of(&config))
            .expect("ran")
            .skipped[0]
            .rule,
        "SR302"
    );
    config.cli.skip = vec![String::from("SR3")];
    assert!(
        lint::tree(&tree, &config, &Selection::of(&config))
            .expect("ran")
            .sandbox
            .is_none()
    );
}

const CONTRACT: &str = r#"{
  "name": "tool",
  "flags": [
    {"long": "--help"},
    {"long": "--gone"}
  ],
  "exit": [{"code": 0}],
  "samples": [
    {"args": ["--json", "assets/a b"], "exit": [0]}
  ]
}"#;

#[test]
fn the_sample_of_a_contract_runs_in_a_copy() {
    let launcher = r#"#!/bin/sh
case "$1" in
-h | --help) printf 'Usage: tool\n  --help  help\n  --new  new\nExit codes:\n  0  ok\nExamples:\n  tool\n' ;;
--version) echo tool 1.2 ;;
--json) touch "$(dirname "$0")/made" "$PWD/scripts/made"; [ "${PWD##*/}" = a ] && printf '{"data": "%s", "meta": {"schema": "x"}}' "$(cat "$2")" ;;
*) exit 2 ;;
esac
"#;
    let files = [
        ("skills/a/scripts/tool", launcher),
        ("skills/a/scripts/tool.contract.json", CONTRACT),
        ("skills/a/assets/a b", "text"),
    ];
    assert_eq!(found(RunLevel::All, &files), Vec::<String>::new());
}

#[test]
fn a_launcher_without_its_binary_is_passed_over() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[
        ("skills/a/SKILL.md", &text),
        (
            "skills/a/scripts/tool",
            "#!/bin/sh\necho 'no usable binary' >&2\nexit 5\n",
        ),
        ("skills/a/scripts/tool.contract.json", CONTRACT),
    ]);
    let found = run_in(folder.path(), RunLevel::All, 10);
    assert!(found.findings.is_empty());
    assert_eq!(
        found.skipped[0].reason,
        "its launcher finds no binary for this machine"
    );
}

#[test]
fn a_binary_runs_as_it_is_and_one_for_another_system_does_not() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[("skills/a/SKILL.md", &text), ("skills/a/scripts/bin/", "")]);
    let bin = folder.path().join("skills/a/scripts/bin");
    std::fs::copy("/bin/false", bin.join("false")).expect("copy");
    // The head of a 64-bit Mach-O file for an unknown processor.
    let mut other = vec![0xCF, 0xFA, 0xED, 0xFE];
    other.resize(64, 0x7F);
    std::fs::write(bin.join("tool"), other).expect("file");
    let found = run_in(folder.path(), RunLevel::Help, 10);
    let skipped: Vec<_> = found
        .skipped
        .iter()
        .map(|one| (one.path.as_str(), one.reason.as_str()))
        .collect();
    assert_eq!(
        skipped,
        [("skills/a/scripts/bin/tool", "it is made for another system")]
    );
    // `false --help` prints its help and fails.
    assert!(
        found
            .findings
            .iter()
            .any(|one| one.rule == "SR301" && one.path.ends_with("bin/false")),
        "{:?}",
        found.findings
    );
}

fn options(root: &Path) -> Options {
    Options {
        cli: Cli {
            paths: vec![root.to_path_buf()],
            run: Some(RunLevel::Help),
            unsandboxed: true,
            ..Cli::default()
        },
        cwd: root.to_path_buf(),
        today: jiff::civil::date(2026, 1, 1),
        search_path: std::env::var("PATH").ok(),
    }
}

#[test]
fn without_a_sandbox_the_run_fails_and_is_not_clean() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[("a/SKILL.md", &text), ("a/scripts/good.sh", GOOD)]);
    let mut options = options(folder.path());
    options.search_path = Some(String::from("/no/such/folder"));
    assert!(matches!(crate::lint(&options), Err(Error::Process(_))));
}

#[test]
fn the_report_says_what_was_in_force() {
    let text = skill_md("a", "Body.");
    let folder = folder(&[("a/SKILL.md", &text), ("a/scripts/good.sh", GOOD)]);
    let sandbox = crate::lint(&options(folder.path()))
        .expect("ran")
        .sandbox
        .expect("in force");
    assert!(
        sandbox["by"].is_null() && sandbox["limits"]["timeout_s"] == 5,
        "{sandbox}"
    );
}
