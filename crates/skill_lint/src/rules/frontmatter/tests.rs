//! The frontmatter rules on small trees.

use crate::testing::{findings, places, skill_md};

#[test]
fn a_byte_order_mark_is_found_and_the_frontmatter_still_read() {
    let text = format!("\u{feff}{}", skill_md("a", ""));
    let found = findings(&["SR0"], &[("skills/a/SKILL.md", &text)]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, "SR019");
    assert!(found[0].fix.is_some());
}

#[test]
fn a_skill_file_in_other_case_is_found_where_there_is_no_right_one() {
    let text = skill_md("a", "");
    let found = places(
        &["SR002"],
        &[
            ("a/skill.md", &text),
            ("b/Skill.MD", &text),
            ("c/SKILL.md", &text),
            ("c/skill.md", &text),
            ("d/skills.md", &text),
        ],
    );
    assert_eq!(found, ["SR002 a/skill.md:1:1", "SR002 b/Skill.MD:1:1"]);
}

#[test]
fn a_name_used_twice_is_reported_on_all_but_the_first() {
    let text = skill_md("pdf", "");
    let found = places(
        &["SR018"],
        &[
            ("z/pdf/SKILL.md", &text),
            ("a-b/pdf/SKILL.md", &text),
            ("a/pdf/SKILL.md", &text),
            ("other/SKILL.md", &skill_md("other", "")),
        ],
    );
    assert_eq!(
        found,
        ["SR018 a/pdf/SKILL.md:2:7", "SR018 z/pdf/SKILL.md:2:7"]
    );
}
