//! Each rule on small trees: where it reports, and where it does not.

use super::resolver::{PRELUDE, chain};
use crate::finding::Finding;
use crate::fix::Change;
use crate::testing::{findings, places, skill_md};

const SKILL: &str = "skills/a/SKILL.md";
const CONTRACT: &str = "skills/shared-references/integration-contract.md";

/// Line at which the body of a SKILL.md begins.
const BODY: usize = 5;

/// Findings of a rule in a SKILL.md with this body, as line of the body and column.
fn in_body(rule: &str, body: &str) -> Vec<(usize, usize)> {
    let found = findings(&[rule], &[(SKILL, &skill_md("a", body))]);
    (found.iter())
        .map(|found| (found.line + 1 - BODY, found.col))
        .collect()
}

fn fence(code: &str) -> String {
    format!("```sh\n{code}\n```")
}

fn older(variable: &str, path: &str) -> String {
    [PRELUDE.join("\n"), chain(variable, path).join("\n")].join("\n")
}

/// The text of a file after the repairs of these findings.
fn repaired(text: &str, findings: &[Finding]) -> String {
    let fixes = findings.iter().filter_map(|found| found.fix.as_ref());
    let mut edits: Vec<_> = fixes
        .filter_map(|fix| match &fix.change {
            Change::Replace(range, new) => Some((range.clone(), new)),
            _ => None,
        })
        .collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        text.replace_range(range, new);
    }
    text
}

#[test]
fn repository_paths_in_shell_fences() {
    for (body, expected) in [
        ("```\nx\n  python3 tools/a.py\n```", &[(3, 3)][..]),
        ("> ```bash\n> é; bash ./tools/a.sh\n> ```", &[(2, 6)]),
        ("```json\npython3 tools/a.py\n```", &[]),
        ("python3 tools/a.py", &[]),
        ("```\npython3 \"$TOOL\"\n```", &[]),
    ] {
        assert_eq!(in_body("SR501", body), expected, "{body}");
    }
    let page = fence("python3 tools/a.py");
    for (path, expected) in [
        ("skills/a/references/b.md", true),
        ("skills/shared-references/b.md", true),
        (CONTRACT, false),
        ("skills/shared-references/wiki-helper-resolution.md", false),
        ("docs/b.md", false),
    ] {
        let found = places(&["SR501"], &[(SKILL, &skill_md("a", "x")), (path, &page)]);
        assert_eq!(!found.is_empty(), expected, "{path}: {found:?}");
    }
}

#[test]
fn older_blocks_are_whole() {
    let whole = older("TOOL", "tools/a.py");
    assert_eq!(in_body("SR502", &fence(&whole)), []);
    let cut = whole.replace(
        "[ -f \"$TOOL\" ] || TOOL=\"\"",
        "[ -f \"$TOOL\" ] || exit 1",
    );
    assert_eq!(in_body("SR502", &fence(&cut)), [(6, 1)]);
    let found = findings(&["SR502"], &[(SKILL, &skill_md("a", &fence(&cut)))]);
    assert_eq!(
        found[0].message,
        "line 4 of this resolver's chain is not the template's"
    );
}

#[test]
fn generated_blocks_stay_as_generated() {
    let table =
        "[[helper]]\nname = \"count\"\naliases = [\"count.py\"]\nowner = \"a\"\npolicy = \"B\"\n";
    let table = ("skills/shared-references/helpers.toml", table);
    let block = |skill: &str| {
        let helpers = [("a", vec!["count", "count.py"])];
        let body = aris_launch::find_block(skill, &helpers);
        format!("# aris-find: count\n{body}# aris-find end")
    };
    let check = |code: &str| {
        let (text, other) = (skill_md("a", &fence(code)), skill_md("b", &fence(code)));
        let files = [
            (SKILL, text.as_str()),
            ("skills/b/SKILL.md", other.as_str()),
            table,
        ];
        places(&["SR518"], &files)
    };
    assert_eq!(check(&block("a")), ["SR518 skills/b/SKILL.md:6:1"]);
    assert_eq!(check(&block("b")), ["SR518 skills/a/SKILL.md:6:1"]);
    assert_eq!(check(&block("a").replace("return", "exit")).len(), 2);
    assert_eq!(check("# aris-find: count").len(), 2);
    assert_eq!(
        check("x\n  # aris-find end"),
        ["SR518 skills/a/SKILL.md:7:3", "SR518 skills/b/SKILL.md:7:3"]
    );
    // SR507 reports an unknown helper.
    assert_eq!(check("# aris-find: cuont\n# aris-find end"), [""; 0]);

    // Helpers of other suites are known too.
    let text = skill_md("a", &fence("# aris-find: save_trace\nold\n# aris-find end"));
    assert_eq!(places(&["SR518"], &[(SKILL, &text)]).len(), 1);

    for (code, good) in [
        (block("a").replace("return", "exit"), block("a")),
        (
            block("b")
                .replace('\n', "\n  ")
                .replacen("# aris", "  # aris", 1),
            block("a")
                .replace('\n', "\n  ")
                .replacen("# aris", "  # aris", 1),
        ),
    ] {
        let text = skill_md("a", &fence(&code)).replace('\n', "\r\n");
        let found = findings(&["SR518"], &[(SKILL, &text), table]);
        assert_eq!(found[0].skill.as_deref(), Some("a"));
        let new = repaired(&text, &found);
        assert_eq!(new, skill_md("a", &fence(&good)).replace('\n', "\r\n"));
        assert_eq!(places(&["SR518"], &[(SKILL, &new), table]), [""; 0]);
    }
}

#[test]
fn helpers_have_a_policy_and_exist() {
    let contract = "# C\n\n| Helper | Policy | Why |\n|---|---|---|\n| `a.py add` (`x`) | B (side) | y |\n|é `gone.py` | sometimes | y |\n";
    let code = format!(
        "{}\n{}",
        older("A", "tools/a.py"),
        chain("B", "tools/b.py").join("\n")
    );
    let text = skill_md("a", &fence(&code));
    let files = [
        (SKILL, text.as_str()),
        (CONTRACT, contract),
        ("tools/a.py", "x"),
    ];
    assert_eq!(
        places(&["SR503", "SR504", "SR507"], &files),
        [
            "SR503 skills/a/SKILL.md:14:1",
            "SR507 skills/a/SKILL.md:14:1",
            "SR507 skills/shared-references/integration-contract.md:6:5",
            "SR504 skills/shared-references/integration-contract.md:6:16",
        ]
    );
    // Without a contract no policy is required.
    let files = [
        (SKILL, text.as_str()),
        ("scripts/a.py", ""),
        ("x/tools/b.py", ""),
    ];
    assert_eq!(places(&["SR503", "SR507"], &files), Vec::<String>::new());
}

#[test]
fn a_contract_governs_its_folder() {
    let text = skill_md("x", &fence(&older("A", "tools/a.py")));
    let table = |helper: &str| format!("| Helper | Policy |\n|---|---|\n| `{helper}` | A |\n");
    let (here, above) = (table("b.py"), table("a.py"));
    let files = [
        ("skills/one/SKILL.md", text.as_str()),
        ("skills/codex/two/SKILL.md", text.as_str()),
        (CONTRACT, above.as_str()),
        (
            "skills/codex/shared-references/integration-contract.md",
            here.as_str(),
        ),
    ];
    assert_eq!(
        places(&["SR503"], &files),
        ["SR503 skills/codex/two/SKILL.md:10:1"]
    );
}

#[test]
fn integrations_have_six_parts() {
    let header = "| Integration | Predicate | Helper | Artifact | Checklist | Backfill | Verifier |\n|-|-|-|-|-|-|-|\n";
    for (row, expected) in [
        ("| x | a | b | c | d | e | n/a (why) |", &[][..]),
        ("| x | a | b |  | TBD | e | f |", &["3:16", "3:18"]),
        ("| x | a | b | c | d | e |", &["3:26"]),
    ] {
        let page = format!("{header}{row}\n");
        let found = places(
            &["SR506"],
            &[(SKILL, &skill_md("a", "x")), (CONTRACT, &page)],
        );
        let expected: Vec<String> = (expected.iter())
            .map(|place| format!("SR506 {CONTRACT}:{place}"))
            .collect();
        assert_eq!(found, expected, "{row}");
    }
    let page = "| Integration | Predicate | Helper | Artifact | Checklist | Backfill |\n|-|-|-|-|-|-|\n| x | a | b | c | d | e |\n";
    let found = places(
        &["SR506"],
        &[(SKILL, &skill_md("a", "x")), (CONTRACT, page)],
    );
    assert_eq!(found, [format!("SR506 {CONTRACT}:1:3")]);
}

#[test]
fn the_directory_is_written_exactly() {
    for (body, expected) in [
        ("```sh\n[ -f \"$CLAUDE_SKILL_DIR/x\" ]\n```", &[(2, 7)][..]),
        ("> ```\n> é ${CLAUDE_SKILL_DIR:-}\n> ```", &[(2, 5)]),
        ("```sh\nsh \"${CLAUDE_SKILL_DIR}/x\"\n```", &[]),
        ("$CLAUDE_SKILL_DIR", &[]),
    ] {
        assert_eq!(in_body("SR512", body), expected, "{body}");
    }
    let text = skill_md("a", &fence("T=\"$CLAUDE_SKILL_DIR/x\"\ny")).replace('\n', "\r\n");
    let found = findings(&["SR512"], &[(SKILL, &text)]);
    let new = repaired(&text, &found);
    assert!(new.contains("```sh\r\n_aris_skill='${CLAUDE_SKILL_DIR}'\r\ncase "));
    assert!(new.contains(" esac\r\nT=\"$CLAUDE_SKILL_DIR/x\"\r\ny\r\n```"));
    assert!(places(&["SR512"], &[(SKILL, &new)]).is_empty());
    let text = skill_md(
        "a",
        "- x\n\n  ```sh\n  #!/bin/sh\n\n  y \"$CLAUDE_SKILL_DIR\"\n  ```",
    );
    let new = repaired(&text, &findings(&["SR512"], &[(SKILL, &text)]));
    assert!(new.contains("\n  #!/bin/sh\n  _aris_skill='${CLAUDE_SKILL_DIR}'\n  case "));
}

#[test]
fn a_directory_that_nobody_surely_sets_here_is_only_reported() {
    for body in [
        "```\ncat $CLAUDE_SKILL_DIR/x\n```",
        "```console\n$ cat $CLAUDE_SKILL_DIR/x\n```",
        "> ```sh\n> cat $CLAUDE_SKILL_DIR/x\n> ```",
        "```sh\nsh -c 'echo \"$CLAUDE_SKILL_DIR/x\"'\n```",
        "```sh\nssh host '\n  cat $CLAUDE_SKILL_DIR/x'\n```",
        "```sh\ncat > run.sh <<'E'\ncat $CLAUDE_SKILL_DIR/x\nE\n```",
    ] {
        let found = findings(&["SR512"], &[(SKILL, &skill_md("a", body))]);
        assert_eq!(found.len(), 1, "{body}");
        assert!(found[0].fix.is_none(), "{body}");
    }
}

#[test]
fn variables_and_arguments_of_the_host() {
    assert_eq!(
        in_body("SR513", "é ${CLAUDE_ROOT} ${CLAUDE_EFFORT}"),
        [(1, 3)]
    );
    for (body, expected) in [
        ("```\nawk '{print $2}'\n```", &[(2, 13)][..]),
        ("```!\ngit log $1\n```", &[]),
        ("costs $5", &[]),
        ("```\n\\$1 $12\n```", &[]),
    ] {
        assert_eq!(in_body("SR515", body), expected, "{body}");
    }
    // Only SKILL.md is rendered.
    let page = fence("awk '{print $2}'");
    let files = [
        (SKILL, &*skill_md("a", "x")),
        ("skills/a/references/b.md", &page),
    ];
    assert_eq!(places(&["SR515"], &files), Vec::<String>::new());
}
