//! Checks dependencies between crates: allowed imports, the helpers' bans for cargo-deny, and the map.
//!
//! cargo-deny enforces the bans in `deny.toml`: helpers do not import helpers, and only `aris-http` uses the network. This file
//! checks what it cannot. **Source**: `crates/README.md`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::fault::Fault;
use crate::verify::{Add as _, Findings, line_of};
use crate::workspace::Workspace;

const DENY: &str = "deny.toml";
const MAP: &str = "crates/README.md";

/// The crates of this workspace that the lowest libraries may use; every other library may use any library except `aris-cli`.
const LOWEST: [(&str, &[&str]); 4] = [
    ("aris-contract", &[]),
    ("aris-fs", &["aris-contract"]),
    ("aris-proc", &["aris-contract"]),
    ("aris-cli", &["aris-contract", "aris-fs"]),
];

/// Crates that have a command line but are not helpers.
const COMMAND_LINE: [&str; 3] = ["aris", "aris-gates", "aris-online"];

/// The checked parts of a manifest, or of its part for some targets.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Manifest {
    dependencies: BTreeMap<String, serde_json::Value>,
    target: BTreeMap<String, Self>,
}

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    let crates = workspace.crates()?;
    let (deny, map) = (text(workspace, DENY)?, text(workspace, MAP)?);
    for name in &crates {
        let path = format!("crates/{name}/Cargo.toml");
        let text = text(workspace, &path)?;
        let manifest: Manifest = match toml_edit::de::from_str(&text) {
            Ok(manifest) => manifest,
            Err(error) => {
                findings.add(path, 0, error.message(), "correct the manifest");
                continue;
            }
        };
        for dependency in manifest
            .target
            .values()
            .chain([&manifest])
            .flat_map(|part| part.dependencies.keys())
        {
            if let Some(message) = forbidden(workspace, name, dependency) {
                let line = line_of(&text, &format!("{dependency}."));
                findings.add(
                    &path,
                    line,
                    message,
                    "see who may import whom in crates/README.md",
                );
            }
        }
        if !text.contains("[lints]\nworkspace = true") {
            let hint = "[lints] workspace = true";
            findings.add(&path, 0, "does not take the workspace's lints", hint);
        }
        if !map.contains(&format!("\n* `{name}`: ")) {
            let hint = format!("add a line beginning with * `{name}`:");
            findings.add(MAP, 0, format!("does not name the crate {name}"), hint);
        }
    }
    for (index, line) in map.lines().enumerate() {
        let name = line
            .strip_prefix("* `")
            .and_then(|rest| rest.split('`').next());
        if let Some(name) = name.filter(|name| !crates.iter().any(|known| known == name)) {
            let message = format!("crates/{name} does not exist");
            findings.add(
                MAP,
                index + 1,
                message,
                "remove the line or correct the name",
            );
        }
    }
    for name in workspace.rows.iter().map(|row| &row.name) {
        if !deny.contains(&format!("{{ crate = {name:?}, reason = ")) {
            let hint = format!(
                "{{ crate = {name:?}, reason = \"helpers do not import helpers\", wrappers = [\"aris\"] }},"
            );
            findings.add(DENY, 0, format!("does not ban the helper {name}"), hint);
        }
    }
    Ok(findings)
}

/// A file that the tree must have; empty if it is absent, which breaks every rule about it.
fn text(workspace: &Workspace, path: &str) -> Result<String, Fault> {
    let bytes = aris_fs::read_optional(&workspace.at(path), aris_fs::READ_LIMIT)?;
    Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}

/// Why `name` may not depend on `dependency`.
fn forbidden(workspace: &Workspace, name: &str, dependency: &str) -> Option<String> {
    let lowest = LOWEST.iter().find(|(lowest, _)| *lowest == name);
    if lowest.is_some_and(|(_, may)| dependency.starts_with("aris-") && !may.contains(&dependency))
    {
        return Some(format!("{name} stands below {dependency}"));
    }
    match dependency {
        "aris-cli" if !workspace.is_helper(name) && !COMMAND_LINE.contains(&name) => {
            Some(String::from("a library knows nothing of the command line"))
        }
        "aris-testkit" => Some(String::from("aris-testkit is for tests only")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Tree, assert_found};

    #[test]
    fn dependencies_bans_and_the_map_agree_with_the_crates() {
        let (tool, library) = ("crates/tool/Cargo.toml", "crates/aris-contract/Cargo.toml");
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.append(tool, "aris-testkit.workspace = true\n");
        tree.replace(tool, "[lints]\nworkspace = true", "");
        tree.append(
            library,
            "[target.'cfg(unix)'.dependencies]\naris-cli.workspace = true\n",
        );
        tree.replace(MAP, "* `tool`", "* `tools`");
        tree.write(DENY, "[bans]\n");
        let findings = check(&tree.workspace()).expect("read");
        for (path, text) in [
            (tool, "for tests only"),
            (tool, "does not take the workspace's lints"),
            (library, "aris-contract stands below aris-cli"),
            (MAP, "crates/tools does not exist"),
            (MAP, "does not name the crate tool"),
            (DENY, "does not ban the helper tool"),
        ] {
            let found = |finding: &&crate::verify::Finding| {
                finding.path == path && finding.message.contains(text)
            };
            let line = findings
                .iter()
                .find(found)
                .map_or(0, |finding| finding.line);
            assert_found(&findings, path, line, text);
        }
        assert_eq!(findings.len(), 6, "{findings:#?}");
        tree.write(tool, "[package\n");
        assert!(!check(&tree.workspace()).expect("read").is_empty());
    }
}
