//! SR3: scripts are started in the sandbox.

use super::{Case, Files, body, case, check, tree};

/// A script without findings. The cases replace `HELP`, `SHORT`, `OTHER` and `SAMPLE`.
const SCRIPT: &str = r#"#!/bin/bash
# Lint-sample: --json SKILL.md
case "${1:-}" in
--help) HELP ;;
-h) SHORT ;;
--json) SAMPLE ;;
--version) VERSION ;;
*) OTHER ;;
esac
"#;

const HELP: &str =
    "printf 'Usage: x\\n  --json  JSON\\nExit codes:\\n  0  done\\nExamples:\\n  x\\n'";
const SAMPLE: &str = r#"echo '{"data": [1], "meta": {"schema": "a/v1", "count": 1}}'"#;
const VERSION: &str = "echo x 1.2.3";

fn script(part: &str, code: &str) -> String {
    let mut script = SCRIPT.to_owned();
    for (name, usual) in [
        ("HELP", HELP),
        ("SHORT", HELP),
        ("SAMPLE", SAMPLE),
        ("VERSION", VERSION),
        ("OTHER", "exit 2"),
    ] {
        script = script.replacen(
            &format!(") {name} ;;"),
            &format!(") {} ;;", if name == part { code } else { usual }),
            1,
        );
    }
    script
}

fn of(part: &str, code: &str) -> Files {
    tree(body("Body."), [("a/scripts/x.sh*", &script(part, code))])
}

pub(crate) fn cases() -> Vec<Case> {
    let good = || of("", "");
    let run = |rule: &'static str, at: &'static str, bad: Files, good: Files| Case {
        flags: &["--run=all", "--unsandboxed"],
        ..case(rule, at, bad, good)
    };
    let at = "a/scripts/x.sh:1:1";
    let stays = format!("{HELP}; exec sleep 60");
    vec![
        run("SR301", at, of("HELP", "exit 1"), good()),
        run("SR302", at, of("HELP", "echo 'Usage: x'"), good()),
        run("SR303", at, of("OTHER", "exit 1"), good()),
        run(
            "SR306",
            "a/scripts/x.sh:2:1",
            of("SAMPLE", "echo '{\"data\": null}'"),
            good(),
        ),
        run(
            "SR308",
            at,
            of("HELP", &format!("{HELP}; touch left")),
            good(),
        ),
        Case {
            flags: &["--run", "--unsandboxed", "--config", "skill-lint.toml"],
            ..run("SR309", at, slow(&stays), slow(HELP))
        },
    ]
}

/// A tree whose configuration gives scripts one second.
fn slow(help: &str) -> Files {
    let mut files = of("HELP", help);
    files.push(("skill-lint.toml", b"[run]\ntimeout_s = 1\n".to_vec()));
    files
}

#[test]
fn rules_about_what_scripts_do() {
    check(&cases());
}
