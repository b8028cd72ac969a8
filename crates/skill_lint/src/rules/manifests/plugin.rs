//! `.claude-plugin/plugin.json`: SR602 to SR604, and SR607 for its skills.
//!
//! **Source**: Claude Code documentation of plugins (manifest fields, path rules).

use std::collections::BTreeSet;

use aris_skills::names;
use serde_json::Value;

use super::manifest::{Manifest, PLUGIN, Problem};
use super::places::{Places, resolve};
use crate::rules::frontmatter::is_kebab;

/// Fields that name files or folders of the plugin; `skills` has its own rule.
const PATHS: &str = "agents commands experimental/monitors experimental/themes hooks lspServers mcpServers monitors outputStyles \
    themes";

/// Checks the manifest of the plugin at `root`.
pub(super) fn check(manifest: &Manifest, root: &str, places: &Places<'_>) -> Vec<Problem> {
    let mut problems = manifest.faults(&PLUGIN, |at, by| match at {
        "" if by == "/type" => "SR601",
        "" | "/name" => "SR602",
        _ => "SR603",
    });
    let name = manifest.value.get("name").and_then(Value::as_str);
    if let Some(name) = name
        && !is_kebab(name)
        && problems.iter().all(|problem| problem.rule != "SR602")
    {
        let message = format!("the plugin's name `{name}` is not kebab-case");
        problems.push(Problem {
            mild: true,
            ..manifest.problem("SR602", "/name", message)
        });
    }
    for field in PATHS.split(' ') {
        for (at, path) in path_values(&manifest.value, &format!("/{field}")) {
            // A server may also be a bundle on the network.
            if path.starts_with("https://") && field == "mcpServers" {
                continue;
            }
            let says = match resolve(root, path) {
                Err(fault) => fault,
                Ok(found) if !places.exists(&found) => "does not exist",
                Ok(_) => continue,
            };
            let field = field.rsplit('/').next().unwrap_or(field);
            let message = format!("`{field}` path `{path}` {says}");
            problems.push(manifest.problem("SR604", &at, message));
        }
    }
    problems.extend(skills(manifest, "", root, places));
    problems
}

/// The paths at a JSON pointer, with their pointers: the field itself, its items, and the `source` of each entry of `commands`.
fn path_values<'v>(value: &'v Value, pointer: &str) -> Vec<(String, &'v str)> {
    let field = value.pointer(pointer).unwrap_or(&Value::Null);
    let items = field.as_array().into_iter().flatten().enumerate();
    let items = items.map(|(at, item)| (format!("{pointer}/{at}"), item));
    let entries = field.as_object().into_iter().flatten();
    let entries = entries.filter(|_| pointer == "/commands");
    let sources = entries
        .filter_map(|(key, entry)| Some((format!("{pointer}/{key}/source"), entry.get("source")?)));
    let all = std::iter::once((pointer.to_owned(), field))
        .chain(items)
        .chain(sources);
    all.filter_map(|(at, value)| Some((at, value.as_str()?)))
        .collect()
}

/// Adds the paths that a manifest lists as skills; the plugin or marketplace is at `root`.
pub(super) fn listed(root: &str, manifest: &Value, found: &mut BTreeSet<String>) {
    let mut add = |root: &str, at: &str| {
        let paths = path_values(manifest, at).into_iter();
        found.extend(paths.filter_map(|(_, path)| names::resolve(root, path)));
    };
    add(root, "/skills");
    let entries = manifest.get("plugins").and_then(Value::as_array);
    for (number, entry) in entries.into_iter().flatten().enumerate() {
        let source = entry.get("source").and_then(Value::as_str);
        if let Some(root) = source.and_then(|source| names::resolve(root, source)) {
            add(&root, &format!("/plugins/{number}/skills"));
        }
    }
}

/// Checks the `skills` of a manifest or marketplace entry at a JSON pointer; its plugin is at `root` (SR607).
pub(super) fn skills(
    manifest: &Manifest,
    holder: &str,
    root: &str,
    places: &Places<'_>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, path) in path_values(&manifest.value, &format!("{holder}/skills")) {
        let says = match resolve(root, path) {
            Err(fault) => fault,
            Ok(found) if !places.has_skill_at(&found) => {
                "holds neither SKILL.md nor a directory with one"
            }
            Ok(_) => continue,
        };
        let message = format!("skills path `{path}` {says}");
        problems.push(manifest.problem("SR607", &at, message));
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{messages, of, sample};
    use super::*;

    fn checked(text: &str) -> Vec<String> {
        let tree = sample(&[
            "p/skills/a/SKILL.md",
            "p/x.md",
            "p/hooks.json",
            "q/SKILL.md",
        ]);
        messages(&check(&of(text), "p", &Places(&tree)))
    }

    #[test]
    fn both_manifests_list_skills_below_their_root() {
        for (root, manifest, expected) in [
            ("", json!({"skills": "./skills/a"}), vec!["skills/a"]),
            ("p", json!({"skills": ["./x", "../../y", 1]}), vec!["p/x"]),
            (
                "",
                json!({"plugins": [{"source": "./p", "skills": ["./a"]}, {"source": {"github": "x"}, "skills": ["./b"]}]}),
                vec!["p/a"],
            ),
            ("", json!([]), vec![]),
        ] {
            let mut found = BTreeSet::new();
            listed(root, &manifest, &mut found);
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn names_are_words_with_hyphens() {
        for (text, expected) in [
            (r#"{"name": "a-b2"}"#, None),
            (r"{}", Some("SR602 the file has no `name`")),
            (
                r#"{"name": 1}"#,
                Some("SR602 `name` is a number, not a string"),
            ),
            (
                r#"{"name": " "}"#,
                Some("SR602 `name` is not a name without white space"),
            ),
            (
                r#"{"name": "a b"}"#,
                Some("SR602 `name` is not a name without white space"),
            ),
            (
                r#"{"name": "A_b"}"#,
                Some("SR602 the plugin's name `A_b` is not kebab-case"),
            ),
        ] {
            assert_eq!(
                checked(text).first().map(String::as_str),
                expected,
                "{text}"
            );
        }
        let mild = check(&of(r#"{"name": "A"}"#), "", &Places(&sample(&[])));
        assert!(mild[0].mild);
    }

    #[test]
    fn fields_have_the_types_that_hosts_demand() {
        for (field, problem) in [
            (r#""keywords": ["a"]"#, None),
            (
                r#""keywords": "a""#,
                Some("`keywords` is a string, not an array"),
            ),
            (
                r#""keywords": [1]"#,
                Some("`keywords.0` is a number, not a string"),
            ),
            (r#""author": {"name": "x"}"#, None),
            (
                r#""author": "x""#,
                Some("`author` is a string, not an object"),
            ),
            (r#""author": {}"#, Some("`author` has no `name`")),
            (
                r#""version": 1.0"#,
                Some("`version` is a number, not a string"),
            ),
            (r#""hooks": {}"#, None),
            (
                r#""hooks": null"#,
                Some("`hooks` is null, not a string or an array or an object"),
            ),
            (r#""newer": 1"#, None),
        ] {
            let text = format!(r#"{{"name": "a", {field}}}"#);
            let found = checked(&text);
            let message = found.first().map(|found| found.split_at(6).1);
            assert_eq!(message, problem, "{text}");
        }
    }

    #[test]
    fn paths_are_in_the_plugin() {
        for (field, problem) in [
            (r#""commands": "./x.md""#, None),
            (
                r#""commands": ["./x.md", "./y.md"]"#,
                Some("`commands` path `./y.md` does not exist"),
            ),
            (
                r#""commands": {"a": {"source": "x.md"}}"#,
                Some("`commands` path `x.md` does not start with `./`"),
            ),
            (r#""commands": {"a": {"content": "x"}}"#, None),
            (r#""hooks": ["./hooks.json", {}]"#, None),
            (
                r#""agents": "./../x.md""#,
                Some("`agents` path `./../x.md` leaves the plugin"),
            ),
            (r#""mcpServers": "https://example.org/x.mcpb""#, None),
            (
                r#""experimental": {"themes": "./themes"}"#,
                Some("`themes` path `./themes` does not exist"),
            ),
            (r#""skills": "./skills""#, None),
            (
                r#""skills": ["./skills/a", "./"]"#,
                Some("skills path `./` holds neither SKILL.md nor a directory with one"),
            ),
            (
                r#""skills": "skills""#,
                Some("skills path `skills` does not start with `./`"),
            ),
            (
                r#""skills": "./../q""#,
                Some("skills path `./../q` leaves the plugin"),
            ),
        ] {
            let text = format!(r#"{{"name": "a", {field}}}"#);
            let found = checked(&text);
            let message = found.first().map(|found| found.split_at(6).1);
            assert_eq!(message, problem, "{text}");
            assert!(found.len() <= 1, "{found:?}");
        }
    }
}
