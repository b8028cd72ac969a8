//! SR5.

use aris_testkit::{Helper, Project, stories};
use proptest::prelude::*;

use super::{Case, Files, body, case, check, named, tree};

const CONTRACT: &str = "shared-references/integration-contract.md";

/// The older resolver template for the helper `h.py`.
const OLDER: &str = r#"cd "$(git rev-parse --show-toplevel 2>/dev/null || pwd)" || exit 1
if [ -z "${ARIS_REPO:-}" ] && [ -f .aris/installed-skills.txt ]; then
ARIS_REPO=$(awk -F'\t' '$1=="repo_root"{print $2; exit}' .aris/installed-skills.txt 2>/dev/null) || true
fi
TOOL=".aris/tools/h.py"
[ -f "$TOOL" ] || TOOL="tools/h.py"
[ -f "$TOOL" ] || { [ -n "${ARIS_REPO:-}" ] && TOOL="$ARIS_REPO/tools/h.py"; }
[ -f "$TOOL" ] || TOOL=""
"#;

fn fence(code: &str) -> String {
    body(&format!("```sh\n{}\n```", code.trim_end()))
}

fn table(rows: &str) -> String {
    format!("| Helper | Policy |\n|---|---|\n{rows}\n")
}

/// A skill with this code in a fence, and a policy table with these rows.
fn with_table(code: &str, rows: &str) -> Files {
    tree(fence(code), [(CONTRACT, &table(rows)), ("tools/h.py", "x")])
}

pub(crate) fn cases() -> Vec<Case> {
    let with = |text: &str| tree(body(text), []);
    let shell = |code: &str| tree(fence(code), []);
    let row = "| `h.py` | B |";
    let integration = |artifact: &str| {
        let text = format!(
            "| Integration | Predicate | Helper | Artifact | Checklist | Backfill | Verifier |\n|-|-|-|-|-|-|-|\n| x | a | b | {artifact} | d | e | f |\n"
        );
        tree(body("x"), [(CONTRACT, &text)])
    };
    let helper = aris_contract::helpers::find("save_trace").expect("a helper");
    let block = aris_launch::find_block("a", &[(&helper.owner, helper.names())]);
    let find = |block: &str| shell(&format!("# aris-find: save_trace\n{block}# aris-find end"));
    vec![
        case(
            "SR501",
            "a/SKILL.md:6:1",
            shell("python3 tools/h.py"),
            shell("python3 \"$TOOL\""),
        ),
        case(
            "SR502",
            "a/SKILL.md:10:1",
            shell(&OLDER.replace("TOOL=\"\"", "exit 1")),
            shell(OLDER),
        ),
        case(
            "SR503",
            "a/SKILL.md:10:1",
            with_table(OLDER, "| `g.py` | B |"),
            with_table(OLDER, row),
        ),
        case(
            "SR504",
            "shared-references/integration-contract.md:3:12",
            with_table(OLDER, "| `h.py` | maybe |"),
            with_table(OLDER, row),
        ),
        case(
            "SR506",
            "shared-references/integration-contract.md:3:15",
            integration("TBD"),
            integration("n/a (why)"),
        ),
        case(
            "SR507",
            "shared-references/integration-contract.md:4:4",
            with_table(OLDER, &format!("{row}\n| `gone.py` | B |")),
            with_table(OLDER, row),
        ),
        case(
            "SR512",
            "a/SKILL.md:6:5",
            shell("sh \"$CLAUDE_SKILL_DIR/x\""),
            shell("sh \"${CLAUDE_SKILL_DIR}/x\""),
        ),
        case(
            "SR513",
            "a/SKILL.md:5:1",
            with("${CLAUDE_ROOT}"),
            with("${CLAUDE_EFFORT}"),
        ),
        case(
            "SR515",
            "a/SKILL.md:6:13",
            shell("awk '{print $2}'"),
            shell("awk '{print \\$2}'"),
        ),
        case(
            "SR518",
            "a/SKILL.md:6:1",
            find(&block.replace("return", "exit")),
            find(&block),
        ),
    ]
}

#[test]
fn rules_about_integrations() {
    check(&cases());
}

/// Code around other code, as in real fences.
const AROUND: [&str; 9] = [
    "(\n@\n)",
    "if false; then\n@\nfi",
    "if true; then\n@\nelse\n:\nfi",
    "f() {\n@\n}",
    "for i in 1 2; do\n@\ndone",
    "case /SK in\n\"$CLAUDE_SKILL_DIR\")\n@\n;;\n*) echo other;;\nesac",
    "X=$(\n@\n)\necho \"$X\"",
    "true &&\n{\n@\n}",
    "# first\n@",
];

/// Code with and without uses of the skill's directory.
const USES: [&str; 11] = [
    "printf '%s\\n' a \\\n  \"$CLAUDE_SKILL_DIR/x\"",
    "echo \"$CLAUDE_SKILL_DIR\" |\n  grep -c \"$CLAUDE_SKILL_DIR\"",
    "A=(\n  \"$CLAUDE_SKILL_DIR/x\"\n)\necho \"${A[0]}\"",
    "echo \"it's\n$CLAUDE_SKILL_DIR/x\"",
    "cat <<X\nk = $CLAUDE_SKILL_DIR/x\nX",
    "echo \"${CLAUDE_SKILL_DIR:-none}\" ${CLAUDE_SKILL_DIR:+set}",
    "env | grep -c \"^CLAUDE_SKILL_DIR=${CLAUDE_SKILL_DIR:-}\"",
    "CLAUDE_SKILL_DIR=\"${CLAUDE_SKILL_DIR:-.}/sub\"",
    "sh -c 'echo\n\"$CLAUDE_SKILL_DIR\"'",
    "set -u",
    "echo plain",
];

fn shell_code() -> impl Strategy<Value = String> {
    let uses = prop::sample::select(&USES[..]).prop_map(String::from);
    let block = uses.prop_recursive(3, 12, 3, |inner| {
        let inner = prop::collection::vec(inner, 1..3);
        (prop::sample::select(&AROUND[..]), inner)
            .prop_map(|(around, inner)| around.replace('@', &inner.join("\n")))
    });
    let first = prop::sample::select(&["", "#!/bin/bash\n", "\n"][..]);
    (first, prop::collection::vec(block, 1..4))
        .prop_map(|(first, blocks)| first.to_owned() + &blocks.join("\n"))
}

proptest! {
    #![proptest_config(stories(6))]
    #[test]
    fn a_fence_with_the_directory_does_what_was_meant(codes in prop::collection::vec(shell_code(), 8)) {
        let project = Project::bare();
        let page = |at: usize| format!("skills/s{at}/SKILL.md");
        for (at, code) in codes.iter().enumerate() {
            project.write(&page(at), named(&format!("s{at}"), &format!("```bash\n{code}\n```")));
        }
        let lint = || {
            let call = Helper::at(env!("CARGO_BIN_EXE_skill_lint")).call(project.path());
            call.args([".", "--no-config", "--rule", "SR512", "--fix", "--fail-on", "never"]).run().expect_code(0)
        };
        lint();
        let bash = |code: &str| {
            let run = Helper::at("/bin/bash").call(project.path()).args(["-c", code]).run();
            (run.code(), run.stdout().to_owned())
        };
        for (at, code) in codes.iter().enumerate() {
            let text = project.read(&page(at));
            let (_, fixed) = text.split_once("```bash\n").expect("a fence");
            let fixed = fixed.strip_suffix("\n```\n").expect("its end");
            if fixed == code {
                let elsewhere = code.contains("sh -c");
                prop_assert!(elsewhere || !code.contains("$CLAUDE_SKILL_DIR") && !code.contains("{CLAUDE_SKILL_DIR:"), "{}", code);
                continue;
            }
            let meant = format!("export CLAUDE_SKILL_DIR=/SK\n{code}");
            prop_assert_eq!(bash(&fixed.replace("${CLAUDE_SKILL_DIR}", "/SK")), bash(&meant), "{}", fixed);
            // On a host that replaces nothing, the repaired code behaves as before.
            prop_assert_eq!(bash(fixed), bash(code), "{}", fixed);
        }
        let before = project.snapshot();
        lint();
        prop_assert_eq!(project.snapshot(), before);
    }
}
