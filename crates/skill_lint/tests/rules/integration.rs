//! SR5.

use super::{Case, Files, body, case, check, tree};

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
