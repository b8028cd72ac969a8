//! Folders that plugin manifests name as skills, so that a host finds them however deep they lie.

use std::collections::BTreeSet;

use aris_skills::Tree;
use aris_skills::names::{folder, has_end, resolve};
use serde_json::Value;

use crate::rules::manifests::{MARKETPLACE, PLUGIN, path_values};

/// Paths, relative to the tree's root, that a `plugin.json` or `marketplace.json` lists under `skills`.
///
/// A manifest that cannot be read lists nothing; other rules say what is wrong with it.
pub(super) fn skill_paths(tree: &Tree) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in &tree.files {
        if !has_end(&file.path, PLUGIN) && !has_end(&file.path, MARKETPLACE) {
            continue;
        }
        let manifest = tree
            .read(&file.path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        if let Some(manifest) = manifest {
            listed(folder(folder(&file.path)), &manifest, &mut found);
        }
    }
    found
}

/// The paths that one manifest, in the plugin or marketplace at `root`, lists.
fn listed(root: &str, manifest: &Value, found: &mut BTreeSet<String>) {
    let mut add = |root: &str, at: &str| {
        let paths = path_values(manifest, at).into_iter();
        found.extend(paths.filter_map(|(_, path)| resolve(root, path)));
    };
    add(root, "/skills");
    let entries = manifest.get("plugins").and_then(Value::as_array);
    for (number, entry) in entries.into_iter().flatten().enumerate() {
        let source = entry.get("source").and_then(Value::as_str);
        if let Some(root) = source.and_then(|source| resolve(root, source)) {
            add(&root, &format!("/plugins/{number}/skills"));
        }
    }
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
