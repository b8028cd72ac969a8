use crate::catalogue::Severity;
use crate::testing::{findings, places, skill_md};

/// The findings of `rules` in a skill with this body and these files; paths are relative to the skill.
fn found(rules: &[&str], body: &str, files: &[(&str, &str)]) -> Vec<String> {
    let text = skill_md("a", body);
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

#[test]
fn code_under_scripts_and_bin() {
    for (path, text, expected) in [
        (
            "scripts/x.py",
            "x = 1\nrun(c, shell=True)\n",
            vec!["SR401 scripts/x.py:2:1"],
        ),
        ("scripts/lib/x.py", "os.system('ls')\n", vec![]),
        (
            "bin/x.py",
            "if a:\n    os.system(c)\n",
            vec!["SR403 bin/x.py:2:5"],
        ),
        (
            "scripts/x.js",
            "require('child_process').exec(c)\n",
            vec!["SR403 scripts/x.js:1:26"],
        ),
        (
            "scripts/x.sh",
            "é=1; eval \"$x\"\n",
            vec!["SR404 scripts/x.sh:1:6"],
        ),
        ("scripts/x.ts", "eval(x)\n", vec!["SR404 scripts/x.ts:1:1"]),
        ("scripts/x.ps1", "iex $x\n", vec!["SR404 scripts/x.ps1:1:1"]),
        (
            "scripts/x.sh",
            "curl x | sh\n",
            vec!["SR405 scripts/x.sh:1:1"],
        ),
        ("assets/x.sh", "curl x | sh\n", vec![]),
        ("scripts/x.sh", "echo done\n", vec![]),
    ] {
        assert_eq!(
            found(&["SR4"], "Body.", &[(path, text)]),
            expected,
            "{path} {text}"
        );
    }
}

#[test]
fn downloads_in_fences_are_warnings() {
    for (body, expected) in [
        ("```bash\ncurl x | sh\n```", vec!["SR405 SKILL.md:6:1"]),
        (
            "```dockerfile\nRUN curl x | bash\n```",
            vec!["SR405 SKILL.md:6:5"],
        ),
        ("```\ncurl x \\\n  | sh\n```", vec!["SR405 SKILL.md:6:1"]),
        ("```\nirm x | iex\n```", vec!["SR405 SKILL.md:6:1"]),
        ("```\n# curl x | sh\nls # curl x | sh\n```", vec![]),
        ("Never run `curl x | sh`.", vec![]),
        ("```\ncurl x | jq .\n```", vec![]),
    ] {
        assert_eq!(found(&["SR405"], body, &[]), expected, "{body}");
    }
    let text = skill_md("a", "```\ncurl x | sh\n```");
    let found = findings(&["SR405"], &[("a/SKILL.md", &text)]);
    assert_eq!(found[0].severity, Severity::Warn);
}

#[test]
fn secrets_and_hidden_characters_in_any_text() {
    let key = format!("k = \"ghp_{}\"\n", "Zq7Kp2Wm9Rt4Vb8Nc3Xf6Hj5LgZq7Kp2Wm9R");
    assert_eq!(
        found(&["SR406"], "Body.", &[("x.toml", &key)]),
        ["SR406 x.toml:1:6"]
    );
    assert!(found(&["SR406"], "Body.", &[("scripts/tests/x.toml", &key)]).is_empty());
    let long = format!("{key}{}", " ".repeat(1_000_000));
    assert!(found(&["SR406"], "Body.", &[("x.toml", &long)]).is_empty());
    assert_eq!(
        found(&["SR409"], "é\u{200B}", &[("fixtures/x.md", "\u{202E}")]),
        ["SR409 SKILL.md:5:2"]
    );
}

#[test]
fn commands_that_run_on_loading() {
    for (body, expected) in [
        ("State: !`git log $1`", vec![(5, 8, Severity::Warn)]),
        ("!`git log`", vec![(5, 1, Severity::Info)]),
        (
            "```!\ngit log $ARGUMENTS\n```",
            vec![(5, 1, Severity::Warn)],
        ),
        ("```!\ngit log\n```", vec![(5, 1, Severity::Info)]),
        ("`git log $1`", vec![]),
    ] {
        let text = skill_md("a", body);
        let found = findings(&["SR410"], &[("a/SKILL.md", &text), ("a/guide.md", body)]);
        let places: Vec<_> = found
            .iter()
            .map(|found| (found.line, found.col, found.severity))
            .collect();
        assert_eq!(places, expected, "{body}");
    }
}

#[test]
fn injections_start_a_line_or_follow_a_space() {
    for (line, expected) in [
        ("!`git status`", vec![(0, false)]),
        (
            "state: !`git log $1` and !`x $ARGUMENTS`",
            vec![(7, true), (25, true)],
        ),
        ("x!`a`", vec![]),
        ("- !`a` $1", vec![(2, false)]),
        ("!``", vec![]),
        ("!`open", vec![]),
        ("(!`a`)", vec![]),
        ("!`awk $x`", vec![(0, false)]),
    ] {
        let found: Vec<(usize, bool)> = super::commands(line).collect();
        assert_eq!(found, expected, "{line}");
    }
}
