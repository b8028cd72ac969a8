//! SR0.

use super::{Case, Files, body, case, check, files, named, page, tree};

pub(crate) fn cases() -> Vec<Case> {
    let good = || tree(body("Body."), []);
    let bad = |text: &str| -> Files { tree(text, []) };
    let more = |lines: &str| -> Files { tree(page(lines, "Body."), []) };
    let described = |text: &str| {
        tree(
            format!("---\nname: a\ndescription: {text}\n---\nBody.\n"),
            [],
        )
    };
    let of_name = |name: &str| tree(named(name, "Body."), []);
    let skill = body("Body.");
    vec![
        case("SR001", "a/SKILL.md:1:1", bad("# No frontmatter\n"), good()),
        case(
            "SR002",
            "a/skill.md:1:1",
            files([("a/skill.md", &skill)]),
            good(),
        ),
        case(
            "SR003",
            "a/SKILL.md:4:11",
            more("license: a: b\n"),
            more("license: 'a: b'\n"),
        ),
        case(
            "SR004",
            "a/SKILL.md:1:1",
            bad("---\ndescription: Use when asked.\n---\n"),
            good(),
        ),
        case("SR005", "a/SKILL.md:2:7", of_name("A_b"), good()),
        case("SR006", "a/SKILL.md:2:7", of_name("b"), good()),
        case(
            "SR007",
            "a/SKILL.md:1:1",
            bad("---\nname: a\n---\n"),
            good(),
        ),
        case(
            "SR008",
            "a/SKILL.md:3:1",
            described(&"é".repeat(1025)),
            described(&"é".repeat(1024)),
        ),
        case(
            "SR009",
            "a/SKILL.md:3:1",
            more(&format!("when_to_use: {}\n", "x".repeat(1500))),
            more("when_to_use: always\n"),
        ),
        case(
            "SR010",
            "a/SKILL.md:4:1",
            more("compatibility: 7\n"),
            more("compatibility: git\n"),
        ),
        case(
            "SR011",
            "a/SKILL.md:4:1",
            more("flavour: sweet\n"),
            more("license: MIT\n"),
        ),
        case(
            "SR012",
            "a/SKILL.md:4:1",
            more("argument-hint: file\n"),
            more("license: MIT\n"),
        ),
        case(
            "SR013",
            "a/SKILL.md:4:1",
            more("context: spoon\n"),
            more("context: fork\n"),
        ),
        case(
            "SR014",
            "a/SKILL.md:3:1",
            described("Use when a <b> is open"),
            described("Use when b"),
        ),
        case(
            "SR015",
            "a/SKILL.md:2:7",
            of_name("claude-a"),
            of_name("a-b"),
        ),
        case(
            "SR018",
            "b/a/SKILL.md:2:7",
            files([("a/SKILL.md", &skill), ("b/a/SKILL.md", &skill)]),
            files([("a/SKILL.md", &skill), ("b/SKILL.md", &named("b", ""))]),
        ),
        case(
            "SR019",
            "a/SKILL.md:1:1",
            bad(&format!("\u{FEFF}{skill}")),
            good(),
        ),
        case(
            "SR020",
            "a/SKILL.md:4:16",
            more("argument-hint: [x]\n"),
            more("argument-hint: \"[x]\"\n"),
        ),
        case(
            "SR021",
            "a/SKILL.md:5:3",
            more("metadata:\n  version: 1.0\n"),
            more("metadata:\n  version: \"1.0\"\n"),
        ),
    ]
}

#[test]
fn rules_about_frontmatter() {
    check(&cases());
}
