//! `.claude-plugin/marketplace.json`: SR605 to SR608 and SR612.
//!
//! **Source**: Claude Code documentation of marketplaces (fields, plugin entries, reserved names, path rules) and the JSON schema
//! published for the file.

use std::collections::BTreeSet;

use super::json::Json;
use super::places::{Places, below, join, resolve};
use super::plugin;
use super::problem::Problem;

/// Names that only a marketplace published by Anthropic may have. **Source**: documentation of marketplaces, August 2026.
const RESERVED: &[&str] = &[
    "agent-skills",
    "anthropic-agent-skills",
    "anthropic-marketplace",
    "anthropic-plugin-directory",
    "anthropic-plugins",
    "claude-code-marketplace",
    "claude-code-plugins",
    "claude-community",
    "claude-for-financial-services",
    "claude-for-legal",
    "claude-plugin-directory",
    "claude-plugins-community",
    "claude-plugins-official",
    "claude-tag-plugins",
    "financial-services-plugins",
    "first-party-plugins",
    "healthcare",
    "knowledge-work-plugins",
    "life-sciences",
];

/// An entry whose plugin lies in the tree.
pub(super) struct LocalEntry<'a> {
    pub(super) entry: &'a Json,
    /// Folder of the plugin.
    pub(super) root: String,
}

/// Checks the file of the marketplace at `root` by itself; gives the entries whose plugins lie in the tree.
pub(super) fn check<'a>(
    marketplace: &'a Json,
    root: &str,
    places: &Places,
    problems: &mut Vec<Problem>,
) -> Vec<LocalEntry<'a>> {
    shape(marketplace, problems);
    let plugin_root = (marketplace.get("metadata"))
        .and_then(|metadata| metadata.get("pluginRoot"))
        .and_then(Json::as_str);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut local = Vec::new();
    for entry in marketplace.get("plugins").map_or(&[][..], Json::items) {
        let name = entry.get("name");
        let wrong = match name.and_then(Json::as_name) {
            Some(text) if names.insert(text) => None,
            Some(text) => Some(format!("a second plugin entry is called `{text}`")),
            None if name.is_none() => Some("the plugin entry has no name".to_owned()),
            None => Some("the plugin entry's name is not a string with text".to_owned()),
        };
        if let Some(message) = wrong {
            let offset = name.unwrap_or(entry).offset;
            problems.push(Problem::new("SR606", offset, message));
        }
        match source(entry, root, plugin_root, places) {
            Ok(Some(root)) => {
                plugin::skills(entry, &root, places, problems);
                local.push(LocalEntry { entry, root });
            }
            Ok(None) => {}
            Err((offset, message)) => problems.push(Problem::new("SR606", offset, message)),
        }
    }
    local
}

fn shape(marketplace: &Json, problems: &mut Vec<Problem>) {
    const RULE: &str = "SR605";
    if !marketplace.is_object() {
        let message = format!("the marketplace is {}, not an object", marketplace.kind());
        problems.push(Problem::new(RULE, marketplace.offset, message));
        return;
    }
    let mut wrong = |field: &str, value: Option<&Json>, what: &str| {
        let (offset, is) = match value {
            Some(value) if value.as_str().is_some_and(|text| text.trim().is_empty()) => {
                (value.offset, "blank")
            }
            Some(value) => (value.offset, value.kind()),
            None => (marketplace.offset, "missing"),
        };
        let message = format!("`{field}` is {is}, not {what}");
        problems.push(Problem::new(RULE, offset, message));
    };
    let name = marketplace.get("name");
    let reserved = name
        .and_then(Json::as_str)
        .filter(|name| RESERVED.contains(name));
    if name.and_then(Json::as_name).is_none() {
        wrong("name", name, "a string");
    }
    match marketplace.get("owner") {
        Some(owner) if owner.is_object() => {
            let name = owner.get("name");
            if name.and_then(Json::as_name).is_none() {
                wrong("owner.name", name.or(Some(owner)), "a string");
            }
        }
        owner => wrong("owner", owner, "an object"),
    }
    let plugins = marketplace.get("plugins");
    if !plugins.is_some_and(Json::is_array) {
        wrong("plugins", plugins, "an array");
    }
    if let (Some(reserved), Some(name)) = (reserved, name) {
        let message = format!("the marketplace name `{reserved}` is reserved for official use");
        problems.push(Problem::new("SR612", name.offset, message));
    }
}

/// The folder of an entry's plugin; `None` when the plugin comes from elsewhere.
fn source(
    entry: &Json,
    root: &str,
    plugin_root: Option<&str>,
    places: &Places,
) -> Result<Option<String>, (usize, String)> {
    let Some(source) = entry.get("source") else {
        return Err((entry.offset, "the plugin entry has no source".to_owned()));
    };
    let fault = |message: String| Err((source.offset, message));
    let Some(path) = source.as_str() else {
        if source.get("source").and_then(Json::as_name).is_some() {
            return Ok(None);
        }
        let what = source.kind();
        return fault(format!(
            "the plugin entry's source is {what}, neither a path nor an object with `source`"
        ));
    };
    if path.split('/').any(|part| part == "..") {
        return fault(format!("source `{path}` has `..`"));
    }
    let base = plugin_root.and_then(|folder| below(root, folder));
    let is_bare = !path.is_empty() && !path.starts_with(['.', '/']) && !path.contains("://");
    let candidates = match (resolve(root, path), base) {
        (Ok(found), None) => vec![found],
        (Ok(found), Some(base)) => [Some(found), below(&base, path)]
            .into_iter()
            .flatten()
            .collect(),
        (Err(_), Some(base)) if is_bare => vec![join(&base, path)],
        (Err(_), _) => return fault(format!("source `{path}` does not start with `./`")),
    };
    match candidates.into_iter().find(|found| places.is_folder(found)) {
        Some(found) => Ok(Some(found)),
        None => fault(format!("source `{path}` names no directory")),
    }
}

/// The version of an entry against that of its plugin's manifest (SR608).
pub(super) fn version(local: &LocalEntry<'_>, manifest: &Json) -> Option<Problem> {
    let version = local.entry.get("version")?;
    let ours = version.as_str()?;
    let theirs = manifest.get("version")?.as_str()?;
    let message = format!("version `{ours}` here, `{theirs}` in the plugin's manifest, which wins");
    (ours != theirs).then(|| Problem::new("SR608", version.offset, message))
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::super::places::sample;
    use super::super::problem::brief;
    use super::*;

    const FILES: &[&str] = &[
        "plugins/a/.claude-plugin/plugin.json",
        "plugins/a/skills/one/SKILL.md",
        "plugins/b/SKILL.md",
        "skills/two/SKILL.md",
        "skills/three/SKILL.md",
        "more/four/SKILL.md",
    ];

    fn checked(text: &str) -> Vec<String> {
        let json = parse(text).unwrap();
        let mut problems = Vec::new();
        check(&json, "", &sample(FILES), &mut problems);
        brief(&problems, text)
    }

    #[test]
    fn a_marketplace_has_name_owner_and_plugins() {
        for (text, expected) in [
            (r#"{"name":"m","owner":{"name":"o"},"plugins":[]}"#, &[][..]),
            (
                "[]",
                &["SR605 \"[]\" the marketplace is an array, not an object"],
            ),
            (
                r"{}",
                &[
                    "SR605 \"{}\" `name` is missing, not a string",
                    "SR605 \"{}\" `owner` is missing, not an object",
                    "SR605 \"{}\" `plugins` is missing, not an array",
                ],
            ),
            (
                r#"{"name":" ","owner":{"name":1},"plugins":{}}"#,
                &[
                    "SR605 \"\\\" \\\",\\\"owne\" `name` is blank, not a string",
                    "SR605 \"1},\\\"plugi\" `owner.name` is a number, not a string",
                    "SR605 \"{}}\" `plugins` is an object, not an array",
                ],
            ),
            (
                r#"{"name":"agent-skills","owner":{"name":"o"},"plugins":[]}"#,
                &[
                    "SR612 \"\\\"agent-sk\" the marketplace name `agent-skills` is reserved for official use",
                ],
            ),
        ] {
            assert_eq!(checked(text), expected, "{text}");
        }
    }

    #[test]
    fn entries_name_a_plugin_and_where_it_is() {
        for (entry, expected) in [
            (r#"{"name":"x","source":"./plugins/a"}"#, None),
            (r#"{"name":"x","source":"./"}"#, None),
            (r#"{"name":"x","source":"."}"#, None),
            (
                r#"{"name":"x","source":{"source":"github","repo":"o/r"}}"#,
                None,
            ),
            (r#"{"source":"./"}"#, Some("the plugin entry has no name")),
            (
                r#"{"name":" ","source":"./"}"#,
                Some("the plugin entry's name is not a string with text"),
            ),
            (r#"{"name":"x"}"#, Some("the plugin entry has no source")),
            (
                r#"{"name":"x","source":3}"#,
                Some(
                    "the plugin entry's source is a number, neither a path nor an object with `source`",
                ),
            ),
            (
                r#"{"name":"x","source":{}}"#,
                Some(
                    "the plugin entry's source is an object, neither a path nor an object with `source`",
                ),
            ),
            (
                r#"{"name":"x","source":"./../a"}"#,
                Some("source `./../a` has `..`"),
            ),
            (
                r#"{"name":"x","source":"plugins/a"}"#,
                Some("source `plugins/a` does not start with `./`"),
            ),
            (
                r#"{"name":"x","source":"./plugins/z"}"#,
                Some("source `./plugins/z` names no directory"),
            ),
            (
                r#"{"name":"x","source":"./skills/two/SKILL.md"}"#,
                Some("source `./skills/two/SKILL.md` names no directory"),
            ),
            (
                r#"{"name":"x","source":"./","skills":["./skills/two","./nothing"]}"#,
                Some("skills path `./nothing` holds neither SKILL.md nor a directory with one"),
            ),
            (
                r#"{"name":"x","source":"./"},{"name":"x","source":"./"}"#,
                Some("a second plugin entry is called `x`"),
            ),
        ] {
            let text = format!(r#"{{"name":"m","owner":{{"name":"o"}},"plugins":[{entry}]}}"#);
            let found = checked(&text);
            let message = found
                .first()
                .map(|found| found.rsplit("\" ").next().unwrap());
            assert_eq!(message, expected, "{text}");
            assert!(found.len() <= 1, "{found:?}");
        }
        let with_root = r#"{"name":"m","owner":{"name":"o"},"metadata":{"pluginRoot":"./plugins"},
            "plugins":[{"name":"x","source":"a"},{"name":"y","source":"./a"},{"name":"z","source":"./plugins/b"},{"name":"w","source":"c"}]}"#;
        assert_eq!(
            checked(with_root),
            ["SR606 \"\\\"c\\\"}]}\" source `c` names no directory"]
        );
    }

    #[test]
    fn versions_agree() {
        let text = r#"{"name":"m","owner":{"name":"o"},"plugins":[{"name":"x","source":"./plugins/a","version":"1.0.0"}]}"#;
        let json = parse(text).unwrap();
        let local = check(&json, "", &sample(FILES), &mut Vec::new());
        for (manifest, differs) in [
            (r#"{"version":"1.0.0"}"#, false),
            (r#"{"version":"1.0.1"}"#, true),
            (r"{}", false),
        ] {
            let problem = version(&local[0], &parse(manifest).unwrap());
            assert_eq!(problem.is_some(), differs, "{manifest}");
        }
    }
}
