//! Plugin and marketplace manifests, which hosts read when this repository or a release of it is added as a plugin.
//!
//! There is one plugin with all skills, at the root. Name and text are defined here, the version in the workspace's manifest.
//! **Source**: the skill conventions §4, and published plugins for Codex, whose marketplaces refuse a local source that is the
//! root itself and accept it as a URL.

use serde_json::json;

use crate::fault::Fault;
use crate::sync::Plan;
use crate::workspace::Workspace;

/// Name of the plugin and of its marketplace. **Source**: kebab-case, and none of the names that hosts reserve.
const NAME: &str = "aris-helpers";
const TITLE: &str = "ARIS helpers";
const DESCRIPTION: &str = "Skills that check what research agents write: citations, numbers, review traces and the gate before a submission";
const LICENSE: &str = "MIT OR Apache-2.0";
const KEYWORDS: [&str; 5] = ["research", "paper", "audit", "latex", "reproducibility"];

/// Adds the four files.
pub(crate) fn plan(workspace: &Workspace, plan: &mut Plan) -> Result<(), Fault> {
    let version = workspace.version()?;
    let skills = workspace.folders_with("skills", "SKILL.md")?;
    let skills: Vec<String> = skills
        .iter()
        .map(|skill| format!("./skills/{skill}"))
        .collect();
    let author = json!({"name": TITLE});
    let plugin = json!({
        "name": NAME,
        "version": version,
        "description": DESCRIPTION,
        "author": author,
        "license": LICENSE,
        "keywords": KEYWORDS,
    });
    let marketplace = json!({
        "name": NAME,
        "owner": author,
        "metadata": {"description": DESCRIPTION, "version": version},
        "plugins": [{
            "name": NAME,
            "source": "./",
            "version": version,
            "description": DESCRIPTION,
            "license": LICENSE,
            "skills": skills,
        }],
    });
    let mut codex = plugin.clone();
    if let Some(fields) = codex.as_object_mut() {
        fields.insert(String::from("skills"), json!("./skills/"));
        fields.insert(
            String::from("interface"),
            json!({
                "displayName": TITLE,
                "shortDescription": "Audits of papers that a program can prove",
                "longDescription": DESCRIPTION,
                "developerName": TITLE,
                "category": "Research",
                "capabilities": ["Interactive", "Read", "Write"],
            }),
        );
    }
    let codex_marketplace = json!({
        "name": NAME,
        "interface": {"displayName": TITLE},
        "plugins": [{
            "name": NAME,
            "source": {"source": "url", "url": "./"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Research",
        }],
    });
    for (path, value) in [
        (".claude-plugin/plugin.json", plugin),
        (".claude-plugin/marketplace.json", marketplace),
        (".codex-plugin/plugin.json", codex),
        (".agents/plugins/marketplace.json", codex_marketplace),
    ] {
        plan.file(path, format!("{value:#}\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tests::Tree;
    use crate::verify::is_kebab;

    #[test]
    fn the_manifests_agree_and_name_what_is_there() {
        let tree = Tree::new();
        let workspace = tree.workspace();
        let mut made = Plan::default();
        plan(&workspace, &mut made).expect("generated");
        let values: Vec<Value> = made
            .outputs
            .iter()
            .map(|output| serde_json::from_str(&output.text).expect(&output.path))
            .collect();
        let [plugin, marketplace, codex, codex_marketplace] = &values[..] else {
            panic!("four manifests: {values:?}");
        };
        let entry = &marketplace["plugins"][0];
        for versioned in [plugin, codex, entry, &marketplace["metadata"]] {
            assert_eq!(versioned["version"], "1.0.0");
        }
        for named in [
            plugin,
            codex,
            marketplace,
            entry,
            codex_marketplace,
            &codex_marketplace["plugins"][0],
        ] {
            assert_eq!(named["name"], NAME);
        }
        assert!(is_kebab(NAME));
        // Folders without a SKILL.md are not skills.
        assert_eq!(entry["skills"], json!(["./skills/tool-skill"]));
        tree.write("Cargo.toml", "[workspace]\n");
        assert!(plan(&workspace, &mut Plan::default()).is_err());
    }
}
