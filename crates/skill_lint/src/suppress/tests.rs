use aris_skills::{Tree, WalkOptions};

use super::*;
use crate::testing::folder;

fn found(path: &str, source: &str) -> Vec<(usize, Vec<String>, Scope, String)> {
    directives(path, &Text::new(source.as_bytes()), None)
        .into_iter()
        .map(|found| (found.place.0, found.rules, found.scope, found.reason))
        .collect()
}

#[test]
fn directives_by_kind_of_file() {
    let one = |line: usize, scope: Scope| {
        vec![(line, vec![String::from("SR110")], scope, String::from("r"))]
    };
    for (path, source, expected) in [
        (
            "a.md",
            "<!-- skill-lint: allow SR110 reason=\"r\" -->\n\n\nx\n",
            one(1, Scope::Lines(4, 4)),
        ),
        (
            "a.md",
            "x\n<!-- skill-lint: allow-file SR110 reason=\"r\" -->",
            one(2, Scope::File),
        ),
        (
            "a.md",
            "```\n<!-- skill-lint: allow SR110 reason=\"r\" -->\n```\n",
            vec![],
        ),
        (
            "a.md",
            "`<!-- skill-lint: allow SR110 reason=\"r\" -->`\n",
            vec![],
        ),
        ("a.md", "# skill-lint: allow SR110 reason=\"r\"\n", vec![]),
        (
            "a.sh",
            "# skill-lint: allow SR110 reason=\"r\"\nx\n",
            one(1, Scope::Lines(1, 2)),
        ),
        (
            "a.js",
            "x // skill-lint: allow SR110 reason=\"r\"\n",
            one(1, Scope::Lines(1, 2)),
        ),
        ("a.sh", "echo 'skill-lint: allow SR110'\n", vec![]),
    ] {
        assert_eq!(found(path, source), expected, "{source:?}");
    }
    let two = found("a.sh", "#skill-lint: allow SR110, SR2\n");
    assert_eq!(
        (two[0].1.as_slice(), two[0].3.as_str()),
        (&["SR110".to_owned(), "SR2".to_owned()][..], "")
    );
}

#[test]
fn suppressions_hide_and_are_judged() {
    let skill = "---\nname: a\ndescription: d\n---\n<!-- skill-lint: allow SR110 reason=\"made later\" -->\n[x](no.md)\n<!-- skill-lint: allow SR110 -->\n[y](nor.md)\n<!-- skill-lint: allow SR119 reason=\"x\" -->\n<!-- skill-lint: allow SR999 reason=\"x\" -->\nend\n";
    let folder = folder(&[("a/SKILL.md", skill)]);
    let tree = Tree::walk(folder.path(), &WalkOptions::default()).expect("walk");
    let allow = |rule: &str, path: &str, until: Option<&str>, line: usize| Allow {
        rule: rule.to_owned(),
        path: path.to_owned(),
        reason: String::from("known"),
        until: until.map(|date| date.parse().expect("date")),
        line,
    };
    let config = Config {
        profile: Profile::All,
        allow: vec![
            allow("SR110", "a/**", None, 3),
            allow("SR110", "b/SKILL.md", None, 8),
            allow("SR110", "a/SKILL.md", Some("2020-01-01"), 13),
        ],
        cli: crate::Cli {
            rule: ["SR110", "SR119", "SR9"].map(String::from).to_vec(),
            ..crate::Cli::default()
        },
        ..Config::default()
    };
    let selection = Selection::of(&config);
    let mut found = crate::lint::tree(&tree, &config, &selection).expect("no sandbox is needed");
    let links: Vec<usize> = found.findings.iter().map(|finding| finding.line).collect();
    assert_eq!(links, [6, 8]);
    let mut sink = Sink::new(&selection, None);
    let today = "2026-11-20".parse().expect("date");
    apply(
        &mut found.findings,
        &found.directives,
        &config,
        folder.path(),
        today,
        &mut sink,
        &selection,
    );
    let hidden = found.findings.iter().map(|one| one.suppressed.as_ref());
    let by: Vec<Option<By>> = hidden.map(|hidden| Some(hidden?.by)).collect();
    assert_eq!(by, [Some(By::Inline), Some(By::Config)]);
    let own: Vec<(&str, usize)> = sink
        .into_parts()
        .0
        .iter()
        .map(|found| (found.rule, found.line))
        .collect();
    assert_eq!(
        own,
        [
            ("SR901", 7),
            ("SR902", 9),
            ("SR903", 10),
            ("SR902", 8),
            ("SR904", 13)
        ]
    );
}
