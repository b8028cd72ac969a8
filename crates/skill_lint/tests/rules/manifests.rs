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

/// `rule severity line:column` of each finding of SR6, and the message.
fn found(files: &Files) -> Vec<String> {
    let project = super::project(files);
    let run = aris_testkit::Helper::at(env!("CARGO_BIN_EXE_skill_lint"));
    let run = run.call(project.path());
    let args = ["--json", "--rule", "SR6", "--fail-on", "never", "."];
    let data = run.args(args).run().expect_code(0).data();
    let found = data.as_array().expect("a list").iter();
    let word = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    found
        .map(|one| {
            let (rule, severity) = (word(&one["rule"]), word(&one["severity"]));
            let message = word(&one["message"]);
            format!("{rule} {severity} {}:{} {message}", one["line"], one["col"])
        })
        .collect()
}

#[test]
fn hooks_that_no_host_runs_are_named() {
    for (hooks, expected) in [
        (
            r#"{"hooks": {"PreTolUse": []}}"#,
            "SR611 error 1:25 `PreTolUse` is not known; did you mean `PreToolUse`?",
        ),
        (
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "comand", "command": "x"}]}]}}"#,
            "SR611 error 1:41 `hooks.Stop.0.hooks.0.type` is `comand`; did you mean `command`?",
        ),
        (
            r#"{"hooks": {"Stop": {"x": 1}}}"#,
            "SR611 error 1:20 `hooks.Stop` is an object, not an array",
        ),
        (
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}"#,
            "SR611 error 1:32 `hooks.Stop.0.hooks.0` has no `command`",
        ),
        (
            r#"{"PreToolUse": []}"#,
            "SR611 error 1:1 the file has no `hooks`",
        ),
        (
            r#"{"hooks": {"Stop": [{"matcher": "Ba(sh", "hooks": []}]}}"#,
            "SR611 error 1:33 `hooks.Stop.0.matcher` is not a pattern",
        ),
        (
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "x", "timeout": "ten"}]}]}}"#,
            "SR611 error 1:72 `hooks.Stop.0.hooks.0.timeout` is a string, not a number",
        ),
    ] {
        let files = files([(PLUGIN, r#"{"name": "p"}"#), ("hooks/hooks.json", hooks)]);
        assert_eq!(found(&files), [expected], "{hooks}");
    }
    // Unknown events and kinds are not faults.
    let good = r#"{"hooks": {"MoonRise": [{"matcher": "*", "hooks": [{"type": "wasm"}, {"type": "prompt", "prompt": "x"}]}]}}"#;
    let files = files([(PLUGIN, r#"{"name": "p"}"#), ("hooks/hooks.json", good)]);
    assert_eq!(found(&files), [""; 0]);
}

#[test]
fn mistaken_fields_of_plugins_and_sources_are_named() {
    let plugin = files([(PLUGIN, r#"{"name": "p", "skils": "./skills/", "icon": 1}"#)]);
    assert_eq!(
        found(&plugin),
        ["SR603 warn 1:24 `skils` is not known; did you mean `skills`?"]
    );
    for (source, expected) in [
        (
            r#"{"source": "githb", "repo": "o/r"}"#,
            &["SR606 error 1:86 `plugins.0.source.source` is `githb`; did you mean `github`?"][..],
        ),
        (
            r#"{"source": "github"}"#,
            &["SR606 error 1:75 `plugins.0.source` has no `repo`"],
        ),
        (r#"{"source": "github", "repo": "o/r"}"#, &[]),
        (r#"{"source": "s3", "bucket": "b"}"#, &[]),
        (
            "3",
            &["SR606 error 1:75 `plugins.0.source` is a number, not a string or an object"],
        ),
    ] {
        let text = format!(
            r#"{{"name": "m", "owner": {{"name": "o"}}, "plugins": [{{"name": "p", "source": {source}}}]}}"#
        );
        assert_eq!(found(&files([(MARKETPLACE, &text)])), expected, "{source}");
    }
}
