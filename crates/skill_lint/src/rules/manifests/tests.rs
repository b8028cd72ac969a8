//! Each rule on small trees. The checks of single fields have tests in their own modules.

use aris_skills::{Text, Tree, WalkOptions};

use super::manifest::{Manifest, Problem};
use crate::catalogue::Severity;
use crate::testing::{findings, folder, places, skill_md};

const PLUGIN: &str = "p/.claude-plugin/plugin.json";
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

pub(super) fn of(text: &str) -> Manifest {
    Manifest::of_json(&Text::new(text.as_bytes())).expect("JSON")
}

/// A tree of these files. A path that ends in `*` gets the execute bit.
pub(super) fn sample(files: &[&str]) -> Tree {
    let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "")).collect();
    let folder = folder(&files);
    Tree::walk(folder.path(), &WalkOptions::default()).expect("walk")
}

/// Rule and message of each problem.
pub(super) fn messages(problems: &[Problem]) -> Vec<String> {
    let problems = problems.iter();
    problems
        .map(|problem| format!("{} {}", problem.rule, problem.message))
        .collect()
}

#[test]
fn manifests_are_json_objects() {
    for (text, expected) in [
        (r#"{"name": "p"}"#, &[][..]),
        (
            "{\n  \"name\": \"p\",\n}",
            &["SR601 p/.claude-plugin/plugin.json:3:1"],
        ),
        ("[]", &["SR601 p/.claude-plugin/plugin.json:1:1"]),
        ("", &["SR601 p/.claude-plugin/plugin.json:1:1"]),
        (
            "{\"name\": \"é p\", \"keywords\": \"x\", \"agents\": \"./a.md\"}",
            &[
                "SR602 p/.claude-plugin/plugin.json:1:10",
                "SR603 p/.claude-plugin/plugin.json:1:29",
                "SR604 p/.claude-plugin/plugin.json:1:44",
            ],
        ),
    ] {
        assert_eq!(places(&["SR6"], &[(PLUGIN, text)]), expected, "{text}");
    }
    let mild = findings(&["SR602"], &[(PLUGIN, r#"{"name": "A"}"#)]);
    assert_eq!(mild[0].severity, Severity::Warn);
}

#[test]
fn a_marketplace_and_its_plugins_agree() {
    let marketplace = r#"{
"name": "life-sciences",
"owner": {},
"plugins": [
{"name": "p", "source": "./p", "version": "1.0.0", "skills": ["./none"]},
{"name": "q", "source": "./q"}
]}"#;
    let skill = skill_md("a", "x");
    let files = [
        (MARKETPLACE, marketplace),
        (PLUGIN, r#"{"name": "p", "version": "2.0.0"}"#),
        ("p/skills/a/SKILL.md", skill.as_str()),
        ("other/a/SKILL.md", skill.as_str()),
    ];
    assert_eq!(
        places(&["SR6"], &files),
        [
            "SR612 .claude-plugin/marketplace.json:2:9",
            "SR605 .claude-plugin/marketplace.json:3:10",
            "SR608 .claude-plugin/marketplace.json:5:43",
            "SR607 .claude-plugin/marketplace.json:5:63",
            "SR606 .claude-plugin/marketplace.json:6:25",
        ]
    );
    // A marketplace that only points elsewhere lists none of the skills beside it.
    let elsewhere = r#"{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "p", "source": {"source": "github", "repo": "o/r"}}]}"#;
    let files = [
        (MARKETPLACE, elsewhere),
        ("other/a/SKILL.md", skill.as_str()),
    ];
    assert_eq!(places(&["SR6"], &files), Vec::<String>::new());
}

#[test]
fn components_and_marketplaces_in_the_wrong_folder() {
    let files = [
        (PLUGIN, r#"{"name": "p"}"#),
        ("p/.claude-plugin/skills/a/SKILL.md", "x"),
        ("p/.claude-plugin/.mcp.json", "{}"),
        ("p/.codex-plugin/hooks/hooks.json", "{}"),
        ("p/hooks/hooks.json", "{}"),
        ("marketplace.json", "{}"),
    ];
    assert_eq!(
        places(&["SR609", "SR610"], &files),
        [
            "SR610 marketplace.json:1:1",
            "SR609 p/.claude-plugin/.mcp.json:1:1",
            "SR609 p/.claude-plugin/skills:1:1",
            "SR609 p/.codex-plugin/hooks:1:1",
        ]
    );
    let found = findings(&["SR610"], &files);
    assert!(found[0].fix.is_some());
    let taken = [("marketplace.json", "{}"), (MARKETPLACE, "{}")];
    assert!(findings(&["SR610"], &taken)[0].fix.is_none());
}

#[test]
fn hooks_of_plugins_can_run() {
    let hook = |command: &str| {
        format!(
            "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [\n{{\"type\": \"command\", \"command\": \"{command}\"}}]}}]}}}}"
        )
    };
    for (text, expected) in [
        (hook("sh ${CLAUDE_PLUGIN_ROOT}/a.sh"), None),
        (hook("${CLAUDE_PLUGIN_ROOT}/b.sh"), None),
        (hook("${CLAUDE_PLUGIN_ROOT}/a.sh"), Some("2:32")),
        (hook("${CLAUDE_PLUGIN_ROOT}/c.sh"), Some("2:32")),
        ("{".to_owned(), Some("1:1")),
    ] {
        let files = [
            (PLUGIN, r#"{"name": "p"}"#),
            ("p/hooks/hooks.json", text.as_str()),
            ("p/a.sh", ""),
            ("p/b.sh*", ""),
        ];
        let expected: Vec<String> = (expected.iter())
            .map(|place| format!("SR611 p/hooks/hooks.json:{place}"))
            .collect();
        assert_eq!(places(&["SR611"], &files), expected, "{text}");
    }
    // In a folder that is not a plugin, `hooks.json` is a different kind of file.
    assert_eq!(
        places(&["SR611"], &[("x/hooks/hooks.json", "{")]),
        Vec::<String>::new()
    );
}

#[test]
fn codex_metadata_is_checked_in_its_skill() {
    let files = [
        ("s/a/SKILL.md", &*skill_md("a", "x")),
        ("s/a/agents/openai.yaml", "interface:\n  brand_color: red\n"),
        ("other/agents/openai.yaml", "interface: ["),
    ];
    assert_eq!(
        places(&["SR614"], &files),
        ["SR614 s/a/agents/openai.yaml:2:16"]
    );
}
