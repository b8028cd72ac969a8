//! SR6.

use super::{Case, Files, body, case, check, files};

const PLUGIN: &str = ".claude-plugin/plugin.json";
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";

pub(crate) fn cases() -> Vec<Case> {
    let skill = body("Body.");
    let one = |path: &'static str, text: &str| -> Files { files([(path, text)]) };
    let plugin = |text: &str| one(PLUGIN, text);
    let good = || plugin(r#"{"name": "p"}"#);
    let market = |plugins: &str| {
        let text = format!(r#"{{"name": "m", "owner": {{"name": "o"}}, "plugins": [{plugins}]}}"#);
        files([(MARKETPLACE, &text), ("p/skills/a/SKILL.md", &skill)])
    };
    let entry = r#"{"name": "p", "source": "./p"}"#;
    let versions = |version: &str| {
        let mut files = market(r#"{"name": "p", "source": "./p", "version": "1.0.0"}"#);
        let manifest = format!(r#"{{"name": "p", "version": "{version}"}}"#);
        files.push(("p/.claude-plugin/plugin.json", manifest.into_bytes()));
        files
    };
    let hook = |command: &str| {
        let hooks = format!(
            r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
        );
        files([
            (PLUGIN, r#"{"name": "p"}"#),
            ("hooks/hooks.json", &hooks),
            ("x.sh", "echo\n"),
        ])
    };
    let named = |name: &str| {
        one(
            MARKETPLACE,
            &format!(r#"{{"name": "{name}", "owner": {{"name": "o"}}, "plugins": []}}"#),
        )
    };
    let codex = |colour: &str| {
        let yaml = format!("interface:\n  brand_color: \"{colour}\"\n");
        files([("a/SKILL.md", &skill), ("a/agents/openai.yaml", &yaml)])
    };
    let mut outside = market(entry);
    outside.push(("other/a/SKILL.md", skill.clone().into_bytes()));
    vec![
        case(
            "SR601",
            ".claude-plugin/plugin.json:1:1",
            plugin("[]"),
            good(),
        ),
        case(
            "SR602",
            ".claude-plugin/plugin.json:1:10",
            plugin(r#"{"name": "p q"}"#),
            good(),
        ),
        case(
            "SR603",
            ".claude-plugin/plugin.json:1:27",
            plugin(r#"{"name": "p", "keywords": "x"}"#),
            plugin(r#"{"name": "p", "keywords": ["x"]}"#),
        ),
        case(
            "SR604",
            ".claude-plugin/plugin.json:1:25",
            plugin(r#"{"name": "p", "agents": "./none.md"}"#),
            good(),
        ),
        case(
            "SR605",
            ".claude-plugin/marketplace.json:1:1",
            one(MARKETPLACE, "[]"),
            market(entry),
        ),
        case(
            "SR606",
            ".claude-plugin/marketplace.json:1:75",
            market(r#"{"name": "p", "source": "../p"}"#),
            market(entry),
        ),
        case(
            "SR607",
            ".claude-plugin/marketplace.json:1:93",
            market(r#"{"name": "p", "source": "./p", "skills": ["./none"]}"#),
            market(r#"{"name": "p", "source": "./p", "skills": ["./skills"]}"#),
        ),
        case(
            "SR608",
            ".claude-plugin/marketplace.json:1:93",
            versions("2.0.0"),
            versions("1.0.0"),
        ),
        case(
            "SR609",
            ".claude-plugin/skills:1:1",
            files([
                (PLUGIN, r#"{"name": "p"}"#),
                (".claude-plugin/skills/a/SKILL.md", &skill),
            ]),
            files([(PLUGIN, r#"{"name": "p"}"#), ("skills/a/SKILL.md", &skill)]),
        ),
        case(
            "SR610",
            "marketplace.json:1:1",
            one("marketplace.json", "{}"),
            market(entry),
        ),
        case(
            "SR611",
            "hooks/hooks.json:1:63",
            hook("${CLAUDE_PLUGIN_ROOT}/x.sh"),
            hook("sh ${CLAUDE_PLUGIN_ROOT}/x.sh"),
        ),
        case(
            "SR612",
            ".claude-plugin/marketplace.json:1:10",
            named("agent-skills"),
            named("my-skills"),
        ),
        case(
            "SR614",
            "a/agents/openai.yaml:2:16",
            codex("red"),
            codex("#AA00FF"),
        ),
    ]
}

#[test]
fn rules_about_manifests() {
    check(&cases());
}
