//! The layout rules on small trees.

use crate::testing::{findings, folder, lint_folder, places, skill_md};

/// The findings of `rules` in one skill `s`, whose SKILL.md has this body; paths are relative to the skill.
fn in_skill(rules: &[&str], body: &str, files: &[(&str, &str)]) -> Vec<String> {
    let text = skill_md("s", body);
    let mut all = vec![("s/SKILL.md".to_owned(), text.as_str())];
    all.extend(
        files
            .iter()
            .map(|(path, text)| (format!("s/{path}"), *text)),
    );
    let all: Vec<(&str, &str)> = all
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    places(rules, &all)
        .into_iter()
        .map(|place| place.replace(" s/", " "))
        .collect()
}

const NONE: [&str; 0] = [];

#[test]
fn bodies_over_500_lines_are_counted() {
    let fits = "x\n".repeat(499) + "x";
    assert_eq!(in_skill(&["SR101"], &fits, &[]), NONE);
    let text = skill_md("s", &format!("{fits}\nx"));
    let found = findings(&["SR101"], &[("s/SKILL.md", &text)]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].count, Some(501));
}

#[test]
fn resources_and_scripts_must_be_led_to() {
    let script = "#!/usr/bin/env python3\n";
    assert_eq!(
        in_skill(
            &["SR106", "SR108"],
            "Read references/a.md and run `scripts/run.py`.",
            &[
                ("references/a.md", "see b.md and scripts/deep.py"),
                ("references/b.md", ""),
                ("references/c.md", ""),
                ("scripts/run.py", script),
                ("scripts/deep.py", script),
                ("scripts/lost.py", script),
                ("scripts/lib/inner.py", script),
            ]
        ),
        ["SR106 references/c.md:1:1", "SR108 scripts/lost.py:1:1",]
    );
}

#[test]
fn links_lead_to_files_of_the_skill() {
    let text = skill_md(
        "s",
        "[a](references/a.md) [b](../t/SKILL.md) [c](no.md) [d](../shared/x.md)\n[e](references/A.md)",
    );
    let found = findings(
        &["SR11"],
        &[
            ("s/SKILL.md", &text),
            (
                "s/references/a.md",
                "[up](../SKILL.md) [root](references/a.md) `[x](no.md)`",
            ),
            ("s/assets/t.md", "[t](made-later.md)"),
            ("t/SKILL.md", &skill_md("t", "")),
            ("shared/x.md", ""),
        ],
    );
    let places: Vec<_> = found
        .iter()
        .filter(|found| matches!(found.rule, "SR110" | "SR111"))
        .map(|found| (found.rule, found.line, found.col))
        .collect();
    assert_eq!(
        places,
        [
            ("SR111", 5, 22),
            ("SR110", 5, 41),
            ("SR111", 5, 52),
            ("SR110", 6, 1)
        ]
    );
    assert!(
        found
            .iter()
            .any(|found| found.message.contains("case counts"))
    );
}

#[test]
fn shared_directories_may_be_linked_to() {
    let folder = folder(&[
        ("s/SKILL.md", &skill_md("s", "[d](../shared/x.md)")),
        ("shared/x.md", ""),
    ]);
    let config = crate::config::Config {
        cli: crate::Cli {
            rule: vec!["SR111".to_owned()],
            ..crate::Cli::default()
        },
        shared: crate::config::Shared {
            dirs: vec![serde_spanned::Spanned::new(0..0, "shared".to_owned())],
        },
        ..crate::config::Config::default()
    };
    assert!(lint_folder(folder.path(), &config).is_empty());
}

#[test]
fn large_assets_inner_skills_and_papers_are_found() {
    let large = "x".repeat(512_001);
    let exact = "x".repeat(512_000);
    assert_eq!(
        in_skill(
            &["SR113", "SR114"],
            "",
            &[
                ("assets/large.txt", &large),
                ("assets/exact.txt", &exact),
                ("references/large.txt", &large),
                ("inner/deep/SKILL.md", &skill_md("deep", "")),
                ("README.md", ""),
                ("docs/README.md", ""),
            ]
        ),
        [
            "SR113 assets/large.txt:1:1",
            "SR114 inner/deep/SKILL.md:1:1",
        ]
    );
}

#[test]
fn links_that_a_host_does_not_follow_are_found() {
    let folder = folder(&[("real.md", &skill_md("s", "")), ("s/a.txt", "")]);
    let link = |target: &str, at: &str| {
        std::os::unix::fs::symlink(target, folder.path().join(at)).expect("link");
    };
    link("../real.md", "s/SKILL.md");
    link("nowhere", "s/dead");
    link("a.txt", "s/alive");
    let config = crate::config::Config {
        cli: crate::Cli {
            rule: vec!["SR118".to_owned()],
            ..crate::Cli::default()
        },
        ..crate::config::Config::default()
    };
    let found: Vec<String> = lint_folder(folder.path(), &config)
        .iter()
        .map(|found| found.path.clone())
        .collect();
    assert_eq!(found, ["s/SKILL.md", "s/dead"]);
}

#[test]
fn fences_that_never_close_are_found() {
    assert_eq!(
        in_skill(
            &["SR119"],
            "```\nx\n```\n```\ny\n",
            &[("references/a.md", "~~~~\n```\n~~~\n")]
        ),
        ["SR119 SKILL.md:8:1", "SR119 references/a.md:1:1"]
    );
}
