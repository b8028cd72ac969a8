//! Folders that plugin manifests name as skills, so that a host finds them however deep they lie.

use std::collections::BTreeSet;

use aris_skills::{Tree, names};
use serde_json::Value;

/// Paths, relative to the tree's root, that a `plugin.json` or `marketplace.json` lists under `skills`.
///
/// A manifest that cannot be read lists nothing; other rules say what is wrong with it.
pub(super) fn skill_paths(tree: &Tree) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in &tree.files {
        let folder = names::folder(&file.path);
        let is_manifest = names::file_name(folder) == ".claude-plugin"
            && matches!(
                names::file_name(&file.path),
                "plugin.json" | "marketplace.json"
            );
        if !is_manifest {
            continue;
        }
        let manifest = tree
            .read(&file.path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        if let Some(manifest) = manifest {
            listed(names::folder(folder), &manifest, &mut found);
        }
    }
    found
}

/// The paths that one manifest, in the plugin or marketplace at `root`, lists.
fn listed(root: &str, manifest: &Value, found: &mut BTreeSet<String>) {
    add(root, manifest.get("skills"), found);
    let entries = manifest.get("plugins").and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        let source = entry.get("source").and_then(Value::as_str);
        if let Some(root) = source.and_then(|source| names::resolve(root, source)) {
            add(&root, entry.get("skills"), found);
        }
    }
}

fn add(root: &str, skills: Option<&Value>, found: &mut BTreeSet<String>) {
    let paths = match skills {
        Some(Value::String(path)) => vec![path.as_str()],
        Some(Value::Array(paths)) => paths.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    found.extend(
        paths
            .into_iter()
            .filter_map(|path| names::resolve(root, path)),
    );
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::listed;

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
            assert_eq!(
                found.iter().map(String::as_str).collect::<Vec<_>>(),
                expected
            );
        }
    }
}
