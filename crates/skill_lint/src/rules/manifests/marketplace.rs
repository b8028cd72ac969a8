//! `.claude-plugin/marketplace.json`: SR605 to SR608 and SR612.
//!
//! **Source**: Claude Code documentation of marketplaces (fields, plugin entries, path rules).

use std::collections::BTreeSet;
use std::iter;

use aris_skills::names::join;
use serde_json::Value;

use super::manifest::{MARKETPLACE, Manifest, Problem};
use super::places::{Places, below, resolve};
use super::plugin;

/// An entry whose plugin is in the tree.
pub(super) struct LocalEntry {
    /// JSON pointer to the entry.
    at: String,
    /// Folder of the plugin.
    pub(super) root: String,
}

/// Checks the file of the marketplace at `root` alone. Returns the entries whose plugins are in the tree.
pub(super) fn check(
    marketplace: &Manifest,
    root: &str,
    places: &Places<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<LocalEntry> {
    problems.extend(marketplace.faults(&MARKETPLACE, |at, by| {
        if by.ends_with("/not") {
            "SR612"
        } else if at.starts_with("/plugins/") {
            "SR606"
        } else {
            "SR605"
        }
    }));
    let plugin_root = marketplace.value.pointer("/metadata/pluginRoot");
    let plugin_root = plugin_root.and_then(Value::as_str);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut local = Vec::new();
    let entries = marketplace.value.get("plugins").and_then(Value::as_array);
    for (number, entry) in entries.into_iter().flatten().enumerate() {
        let at = format!("/plugins/{number}");
        if let Some(name) = entry.get("name").and_then(Value::as_str)
            && !names.insert(name)
        {
            let message = format!("a second plugin entry is called `{name}`");
            problems.push(marketplace.problem("SR606", &format!("{at}/name"), message));
        }
        let Some(path) = entry.get("source").and_then(Value::as_str) else {
            continue;
        };
        match source(path, root, plugin_root, places) {
            Ok(root) => {
                problems.extend(plugin::skills(marketplace, &at, &root, places));
                local.push(LocalEntry { at, root });
            }
            Err(fault) => {
                let message = format!("source `{path}` {fault}");
                problems.push(marketplace.problem("SR606", &format!("{at}/source"), message));
            }
        }
    }
    local
}

/// The folder of the plugin whose path an entry gives.
fn source(
    path: &str,
    root: &str,
    plugin_root: Option<&str>,
    places: &Places<'_>,
) -> Result<String, &'static str> {
    if path.split('/').any(|part| part == "..") {
        return Err("has `..`");
    }
    let base = plugin_root.and_then(|folder| below(root, folder));
    let is_bare = !path.is_empty() && !path.starts_with(['.', '/']) && !path.contains("://");
    let candidates = match (resolve(root, path), base) {
        (Ok(found), None) => vec![found],
        (Ok(found), Some(base)) => iter::once(found).chain(below(&base, path)).collect(),
        (Err(_), Some(base)) if is_bare => vec![join(&base, path)],
        (Err(_), _) => return Err("does not start with `./`"),
    };
    let found = candidates.into_iter().find(|found| places.is_folder(found));
    found.ok_or("names no directory")
}

/// Compares the version of an entry with that in its plugin's manifest (SR608).
pub(super) fn version(
    marketplace: &Manifest,
    local: &LocalEntry,
    manifest: &Manifest,
) -> Option<Problem> {
    let at = format!("{}/version", local.at);
    let ours = marketplace.value.pointer(&at)?.as_str()?;
    let theirs = manifest.value.get("version")?.as_str()?;
    let message = format!("version `{ours}` here, `{theirs}` in the plugin's manifest, which wins");
    (ours != theirs).then(|| marketplace.problem("SR608", &at, message))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{messages, of, sample};
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
        let mut problems = Vec::new();
        check(&of(text), "", &Places(&sample(FILES)), &mut problems);
        messages(&problems)
    }

    #[test]
    fn a_marketplace_has_name_owner_and_plugins() {
        for (text, expected) in [
            (r#"{"name":"m","owner":{"name":"o"},"plugins":[]}"#, &[][..]),
            ("[]", &["SR605 the file is an array, not an object"]),
            (
                r"{}",
                &[
                    "SR605 the file has no `name`",
                    "SR605 the file has no `owner`",
                    "SR605 the file has no `plugins`",
                ],
            ),
            (
                r#"{"name":" ","owner":{"name":1},"plugins":{}}"#,
                &[
                    "SR605 `name` is not a name with text",
                    "SR605 `owner.name` is a number, not a string",
                    "SR605 `plugins` is an object, not an array",
                ],
            ),
            (
                r#"{"name":"agent-skills","owner":{"name":"o"},"plugins":[]}"#,
                &["SR612 `name` is not free to use: it is reserved for official marketplaces"],
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
            (r#"{"source":"./"}"#, Some("`plugins.0` has no `name`")),
            (
                r#"{"name":" ","source":"./"}"#,
                Some("`plugins.0.name` is not a name with text"),
            ),
            (r#"{"name":"x"}"#, Some("`plugins.0` has no `source`")),
            (
                r#"{"name":"x","source":3}"#,
                Some("`plugins.0.source` is a number, not a string or an object"),
            ),
            (
                r#"{"name":"x","source":{}}"#,
                Some("`plugins.0.source` has no `source`"),
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
            let message = found.first().map(|found| found.split_at(6).1);
            assert_eq!(message, expected, "{text}");
            assert!(found.len() <= 1, "{found:?}");
        }
        let with_root = r#"{"name":"m","owner":{"name":"o"},"metadata":{"pluginRoot":"./plugins"},
            "plugins":[{"name":"x","source":"a"},{"name":"y","source":"./a"},{"name":"z","source":"./plugins/b"},{"name":"w","source":"c"}]}"#;
        assert_eq!(checked(with_root), ["SR606 source `c` names no directory"]);
    }

    #[test]
    fn versions_agree() {
        let text = r#"{"name":"m","owner":{"name":"o"},"plugins":[{"name":"x","source":"./plugins/a","version":"1.0.0"}]}"#;
        let json = of(text);
        let local = check(&json, "", &Places(&sample(FILES)), &mut Vec::new());
        for (manifest, differs) in [
            (r#"{"version":"1.0.0"}"#, false),
            (r#"{"version":"1.0.1"}"#, true),
            (r"{}", false),
        ] {
            let problem = version(&json, &local[0], &of(manifest));
            assert_eq!(problem.is_some(), differs, "{manifest}");
        }
    }
}
