//! The family over trees.

use crate::testing::{places, skill_md};

const NONE: [&str; 0] = [];

#[test]
fn deep_skills_are_found_unless_a_manifest_lists_them() {
    let one = skill_md("one", "");
    let two = skill_md("two", "");
    let three = skill_md("three", "");
    let files = [
        ("skills/one/SKILL.md", one.as_str()),
        ("skills/office/two/SKILL.md", two.as_str()),
        ("skills/listed/three/SKILL.md", three.as_str()),
    ];
    let manifest = (
        ".claude-plugin/plugin.json",
        "{\"name\": \"p\", \"skills\": [\"./skills/listed/\"]}",
    );
    assert_eq!(
        places(&["SR701"], &[files[0], files[1], files[2], manifest]),
        ["SR701 skills/office/two/SKILL.md:1:1"]
    );
}

#[test]
fn files_that_an_installer_leaves_behind_are_found_where_they_are_mentioned() {
    let body = "Read `references/_notes.md`,\nREADME.md and metadata.json.";
    assert_eq!(
        places(
            &["SR703"],
            &[
                ("s/SKILL.md", &skill_md("s", body)),
                ("s/references/_notes.md", ""),
                ("s/README.md", ""),
                ("README.md", ""),
            ]
        ),
        ["SR703 s/SKILL.md:5:18", "SR703 s/SKILL.md:6:1"]
    );
}

#[test]
fn features_of_one_host_need_a_word_in_compatibility() {
    let text = |fields: &str, body: &str| {
        format!("---\nname: s\ndescription: Use when asked.\n{fields}---\n{body}\n")
    };
    for (fields, body, expected) in [
        ("context: fork\n", "", vec!["SR704 s/SKILL.md:4:1"]),
        ("hooks:\n  a: b\n", "", vec!["SR704 s/SKILL.md:4:1"]),
        ("", "now: !`date`", vec!["SR704 s/SKILL.md:5:6"]),
        ("", "```!\ndate\n```", vec!["SR704 s/SKILL.md:5:1"]),
        ("", "really!`date` and `!x`", vec![]),
        (
            "compatibility: made for Claude Code\ncontext: fork\n",
            "!`date`",
            vec![],
        ),
    ] {
        assert_eq!(
            places(&["SR704"], &[("s/SKILL.md", &text(fields, body))]),
            expected,
            "{fields}{body}"
        );
    }
}

#[test]
fn paths_that_differ_in_case_or_are_refused_are_found() {
    let files = [
        ("a/X.md", ""),
        ("a/x.md", ""),
        ("A/x.md", ""),
        ("b/x.md", ""),
        ("docs/aux.txt", ""),
        ("docs/con/a.md", ""),
        ("docs/con/b.md", ""),
        ("docs/why?.md", ""),
    ];
    assert_eq!(
        places(&["SR705", "SR706"], &files),
        [
            "SR705 A/x.md:1:1",
            "SR705 a/X.md:1:1",
            "SR705 a/x.md:1:1",
            "SR706 docs/aux.txt:1:1",
            "SR706 docs/con:1:1",
            "SR706 docs/why?.md:1:1",
        ]
    );
    assert_eq!(
        places(&["SR7"], &[("s/SKILL.md", &skill_md("s", "x"))]),
        NONE
    );
}
