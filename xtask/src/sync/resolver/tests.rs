use super::*;
use crate::verify::tree::Tree;

#[test]
fn blocks_are_renewed_and_everything_else_stays() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    let before = "text\n  ```sh\n  # aris-resolver v2: TOOL tool\n  old\n  # aris-resolver end\n  sh \"$TOOL\" x\n  ```\nend";
    let owner = renewed(&workspace, "skills/tool-skill/SKILL.md", before).expect("renewed");
    assert!(
        owner.starts_with("text\n  ```sh\n  # aris-resolver v2: TOOL tool\n  TOOL=\"\"\n"),
        "{owner}"
    );
    assert!(
        owner.ends_with("\n  # aris-resolver end\n  sh \"$TOOL\" x\n  ```\nend"),
        "{owner}"
    );
    assert!(
        owner.contains("${CLAUDE_SKILL_DIR}") && !owner.contains("old"),
        "{owner}"
    );
    assert_eq!(
        renewed(&workspace, "skills/tool-skill/SKILL.md", &owner).expect("again"),
        owner
    );
    // Layer 0 is for the owner, and for SKILL.md: hosts replace the variable nowhere else.
    for other in ["skills/other/SKILL.md", "skills/tool-skill/references/x.md"] {
        let text = renewed(&workspace, other, before).expect("renewed");
        assert!(!text.contains("CLAUDE_SKILL_DIR"), "{other}: {text}");
    }
}

#[test]
fn broken_markers_are_named_with_their_line() {
    let tree = Tree::new();
    for (text, line, what) in [
        ("a\n# aris-resolver end\n", 2, "without a beginning"),
        ("# aris-resolver v2: TOOL tool\nx\n", 1, "not closed"),
        (
            "# aris-resolver v2: TOOL tool\nx\n```\n# aris-resolver end\n",
            1,
            "not closed",
        ),
        (
            "# aris-resolver v2: TOOL nothing\n# aris-resolver end\n",
            1,
            "not in the helper table",
        ),
        (
            "# aris-resolver v2: tool tool\n# aris-resolver end\n",
            1,
            "shell variable",
        ),
        (
            "# aris-resolver v2: TOOL\n# aris-resolver end\n",
            1,
            "write `",
        ),
        (
            "# aris-resolver v1: TOOL tool\n# aris-resolver end\n",
            1,
            "not a resolver marker",
        ),
    ] {
        let stale = renewed(&tree.workspace(), "skills/x/SKILL.md", text).expect_err(text);
        assert_eq!(stale.line, line, "{text}");
        assert!(stale.what.contains(what), "{}", stale.what);
    }
}
