use aris_skills::Text;
use aris_skills::frontmatter::Frontmatter;
use proptest::prelude::*;

use super::{Surroundings, check};
use crate::config::Config;
use crate::finding::{Finding, Sink};
use crate::fix::{Change, Fix};
use crate::profile::Profile;
use crate::selection::Selection;

fn findings(source: &str) -> Vec<Finding> {
    let text = Text::new(source.as_bytes());
    let frontmatter = Frontmatter::of(&text);
    let around = Surroundings {
        directory: "pdf",
        is_clone: false,
        extra_keys: &["categories".to_owned()],
    };
    let selection = Selection::of(&Config {
        profile: Profile::All,
        ..Config::default()
    });
    let mut sink = Sink::new(&selection, None);
    check("SKILL.md", &text, frontmatter.as_ref(), &around, &mut sink);
    sink.into_parts().0
}

fn edit(found: &Finding) -> Option<(std::ops::Range<usize>, String)> {
    match found.fix.as_ref().map(|Fix { change, .. }| change)? {
        Change::Replace(range, new) => Some((range.clone(), new.clone())),
        _ => None,
    }
}

fn rules(source: &str) -> Vec<(&'static str, usize, usize)> {
    let mut rules: Vec<_> = findings(source)
        .iter()
        .map(|found| (found.rule, found.line, found.col))
        .collect();
    rules.sort_unstable();
    rules
}

/// Findings of a clean frontmatter with these lines added.
fn added(lines: &str) -> Vec<(&'static str, usize, usize)> {
    rules(&format!(
        "---\nname: pdf\ndescription: Reads PDF. Use when asked.\n{lines}\n---\n"
    ))
}

#[test]
fn a_clean_frontmatter_has_no_findings() {
    assert_eq!(added("license: MIT"), []);
    assert_eq!(added("metadata:\n  version: \"1.0\""), []);
    assert_eq!(added("categories: a"), []);
    assert_eq!(added("compatibility: needs git"), []);
}

#[test]
fn the_block_must_be_opened_closed_and_a_mapping() {
    for (source, expected) in [
        ("# x\n", ("SR001", 1, 1)),
        ("---\nname: pdf\n", ("SR001", 1, 1)),
        ("\n---\nname: pdf\n---\n", ("SR001", 1, 1)),
        ("", ("SR001", 1, 1)),
        ("---\na: b: c\n---\n", ("SR003", 2, 5)),
        ("---\na: 1\na: 2\n---\n", ("SR003", 3, 1)),
        ("---\nm:\n  a: 1\n  a: 2\n---\n", ("SR003", 4, 3)),
        ("---\n- a\n---\n", ("SR003", 2, 1)),
        ("---\n---\n", ("SR003", 1, 1)),
    ] {
        assert_eq!(rules(source), [expected], "{source}");
    }
}

/// YAML that parsers of the libyaml family read is not reported; YAML that all parsers refuse is.
#[test]
fn only_what_all_parsers_refuse_is_a_fault() {
    for (lines, expected) in [
        ("license: \"a\nb\"", vec![]),
        ("license: \"a\n\tb\"", vec![]),
        ("license: \"a\"#b", vec![]),
        ("license: [-]", vec![]),
        ("license: \"\\ud83d\"", vec![]),
        ("license:\n\ta: b", vec![("SR003", 5, 2)]),
        ("license: [a] [b]", vec![("SR003", 4, 14)]),
        ("license: @a", vec![("SR003", 4, 10)]),
        ("license: \"a\" b", vec![("SR003", 4, 14)]),
    ] {
        assert_eq!(added(lines), expected, "{lines:?}");
    }
}

#[test]
fn names_are_judged() {
    let long = "a".repeat(65);
    for (name, expected) in [
        ("name:", vec![("SR004", 2, 1)]),
        ("name: \"  \"", vec![("SR004", 2, 1)]),
        ("name: 12", vec![("SR005", 2, 7)]),
        ("name: Pdf", vec![("SR005", 2, 7), ("SR006", 2, 7)]),
        ("name: other", vec![("SR006", 2, 7)]),
        ("name: \" pdf \"", vec![]),
        ("name: claude-x", vec![("SR006", 2, 7), ("SR015", 2, 7)]),
        (long.as_str(), vec![]),
    ] {
        let line = if name == long {
            format!("name: {long}")
        } else {
            name.to_owned()
        };
        let expected = if name == long {
            vec![("SR005", 2, 7), ("SR006", 2, 7)]
        } else {
            expected
        };
        let source = format!("---\n{line}\ndescription: Use when asked.\n---\n");
        assert_eq!(rules(&source), expected, "{line}");
    }
    assert_eq!(
        rules("---\ndescription: Use when asked.\n---\n"),
        [("SR004", 1, 1)]
    );
}

#[test]
fn descriptions_are_judged() {
    let exact = "when ".repeat(204) + "when";
    assert_eq!(exact.chars().count(), 1024);
    for (description, expected) in [
        ("description:".to_owned(), vec![("SR007", 3, 1)]),
        ("description: ' '".to_owned(), vec![("SR007", 3, 1)]),
        ("description: 5".to_owned(), vec![("SR007", 3, 1)]),
        ("license: MIT".to_owned(), vec![("SR007", 1, 1)]),
        (format!("description: {exact}"), vec![]),
        (format!("description: {exact}e"), vec![("SR008", 3, 1)]),
        (
            format!("description: {exact}\nwhen_to_use: {}", "x".repeat(512)),
            vec![("SR012", 4, 1)],
        ),
        (
            format!("description: {exact}\nwhen_to_use: {}", "x".repeat(513)),
            vec![("SR009", 3, 1), ("SR012", 4, 1)],
        ),
        (
            "description: Use when a -> b".to_owned(),
            vec![("SR014", 3, 1)],
        ),
        ("description: I can help when asked.".to_owned(), vec![]),
    ] {
        let source = format!("---\nname: pdf\n{description}\n---\n");
        assert_eq!(rules(&source), expected, "{description}");
    }
}

#[test]
fn other_keys_are_judged() {
    let long = format!("compatibility: {}", "x".repeat(501));
    let exact = format!("compatibility: {}", "x".repeat(500));
    for (lines, expected) in [
        ("compatibility:", vec![("SR010", 4, 1)]),
        ("compatibility: ' '", vec![("SR010", 4, 1)]),
        (long.as_str(), vec![("SR010", 4, 1)]),
        (exact.as_str(), vec![]),
        ("version: 1", vec![("SR011", 4, 1)]),
        ("7: x", vec![("SR011", 4, 1)]),
        ("model: opus", vec![("SR012", 4, 1)]),
        (
            "user-invocable: maybe",
            vec![("SR012", 4, 1), ("SR013", 4, 1)],
        ),
        ("user-invocable: On", vec![("SR012", 4, 1)]),
        ("background: 1", vec![("SR012", 4, 1)]),
        ("background:", vec![("SR012", 4, 1), ("SR013", 4, 1)]),
        ("effort: huge", vec![("SR012", 4, 1), ("SR013", 4, 1)]),
        ("context: fork", vec![("SR012", 4, 1)]),
        ("shell: zsh", vec![("SR012", 4, 1), ("SR013", 4, 1)]),
        ("metadata: x", vec![("SR013", 4, 1)]),
        ("metadata:", vec![("SR013", 4, 1)]),
        ("metadata:\n  version: 1.0", vec![("SR021", 5, 3)]),
        ("metadata:\n  a:\n    b: c", vec![("SR021", 5, 3)]),
        ("allowed-tools: [Read]", vec![("SR020", 4, 16)]),
        (
            "metadata:\n  a: \"x\"\n  b: {c: d}",
            vec![("SR020", 6, 6), ("SR021", 6, 3)],
        ),
    ] {
        assert_eq!(added(lines), expected, "{lines}");
    }
}

/// The file after the repairs of one rule.
fn repaired(source: &str, rule: &str) -> String {
    let mut edits: Vec<_> = findings(source)
        .into_iter()
        .filter(|found| found.rule == rule)
        .filter_map(|found| edit(&found))
        .collect();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = source.to_owned();
    for (range, new) in edits {
        text.replace_range(range, &new);
    }
    text
}

#[test]
fn repairs_say_the_same_in_other_words() {
    for (rule, before, after) in [
        ("SR004", "description: x", "name: pdf\ndescription: x"),
        (
            "SR004",
            "name:\ndescription: x",
            "name: pdf\ndescription: x",
        ),
        ("SR004", "a: 1\nname: ''", "a: 1\nname: pdf"),
        ("SR004", "name: # later\na: 1", "name: # later\na: 1"),
        (
            "SR020",
            "argument-hint: [file] ",
            "argument-hint: \"[file]\" ",
        ),
        (
            "SR020",
            "allowed-tools: [Read, \"Bash(git *)\"]",
            "allowed-tools:\n  - Read\n  - \"Bash(git *)\"",
        ),
        ("SR020", "paths: []", "paths: []"),
        ("SR020", "paths: [a, # b\n  c]", "paths: [a, # b\n  c]"),
        ("SR020", "tags: [a, b]", "tags: [a, b]"),
        ("SR020", "tags:\n  - {a: b}", "tags:\n  - {a: b}"),
        (
            "SR020",
            "metadata: {\"a\": {\"b\": [1, two words]}, c: }",
            "metadata:\n  \"a\":\n    \"b\":\n      - 1\n      - two words\n  c:",
        ),
        (
            "SR020",
            "hooks:\n  - {a: 1, b: [x]}\n  - c",
            "hooks:\n  - a: 1\n    b:\n      - x\n  - c",
        ),
        (
            "SR021",
            "metadata:\n  version: 1.0\n  on: true",
            "metadata:\n  version: \"1.0\"\n  on: \"true\"",
        ),
        (
            "SR021",
            "metadata:\n  a: ~\n  b: [1]",
            "metadata:\n  a: ~\n  b: [1]",
        ),
    ] {
        let source = format!("---\n{before}\n---\nbody\n");
        let expected = format!("---\n{after}\n---\nbody\n");
        assert_eq!(repaired(&source, rule), expected, "{before}");
        assert_eq!(repaired(&expected, rule), expected, "twice: {before}");
    }
}

#[test]
fn repairs_keep_the_line_ends_of_the_file() {
    let source = "---\r\npaths: [a, b]\r\n---\r\n";
    assert_eq!(
        repaired(source, "SR020"),
        "---\r\npaths:\r\n  - a\r\n  - b\r\n---\r\n"
    );
    let source = "---\r\na: 1\r\n---\r\n";
    assert_eq!(
        repaired(source, "SR004"),
        "---\r\nname: pdf\r\na: 1\r\n---\r\n"
    );
}

proptest! {
    /// No frontmatter causes a panic, and every repair removes its own finding.
    #[test]
    fn repairs_remove_what_they_are_for(
        lines in proptest::collection::vec(
            "(name|description|metadata|paths|tags|  a|  - x|- y)?(:| ){0,2}(\\[|\\{|\"|'|a|1.0|true|, |: |#|&x |\\*x|\\]|\\}|é| ){0,8}",
            0..6,
        )
    ) {
        let source = format!("---\n{}\n---\nbody\n", lines.join("\n"));
        let places = |source: &str| -> usize {
            findings(source).iter().filter(|found| found.fixable).count()
        };
        for found in findings(&source) {
            if let Some((range, new)) = edit(&found) {
                let mut repaired = source.clone();
                repaired.replace_range(range, &new);
                prop_assert!(places(&repaired) < places(&source), "{source}{repaired}");
                prop_assert!(!rules(&repaired).iter().any(|(rule, ..)| *rule == "SR003"));
            }
        }
    }
}
