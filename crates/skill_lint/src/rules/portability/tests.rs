//! The portability rules on small trees.

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
