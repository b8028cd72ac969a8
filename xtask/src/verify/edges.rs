//! Who may import whom, and how manifests are written.
//!
//! Helpers never import helpers; shared libraries never import helpers, nor the command line; only `aris-http` reaches the
//! network. Versions stand once, in the workspace's manifest. **Source**: the map in `crates/README.md`.

use toml_edit::{Document, Item, TableLike};

use crate::fault::Fault;
use crate::verify::{Add as _, Findings, line_of};
use crate::workspace::Workspace;

/// Dependencies that only the named crates may have.
const ONLY: [(&str, &[&str]); 7] = [
    ("ureq", &["aris-http"]),
    ("aris-http", &["aris-review", "aris-sources", "exa_search"]),
    (
        "clap",
        &["aris", "aris-cli", "aris-gates", "aris-online", "xtask"],
    ),
    ("clap_complete", &["aris"]),
    ("clap_mangen", &["aris"]),
    ("indicatif", &["aris-online"]),
    ("terminal_size", &["aris-cli"]),
];

/// What the lowest libraries may use of ours; every other library may use any library but `aris-cli`.
const LOWEST: [(&str, &[&str]); 4] = [
    ("aris-contract", &[]),
    ("aris-fs", &["aris-contract"]),
    ("aris-proc", &["aris-contract"]),
    ("aris-cli", &["aris-contract", "aris-fs"]),
];

/// Keys of `[package]` that come from the workspace.
const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    let members = workspace
        .crates()?
        .into_iter()
        .map(|name| format!("crates/{name}"));
    for folder in members.chain([String::from("xtask"), String::from("tests")]) {
        let path = format!("{folder}/Cargo.toml");
        if !workspace.at(&path).is_file() {
            continue;
        }
        let text = aris_fs::read_text(&workspace.at(&path))?;
        match Document::parse(text.as_str()) {
            Ok(manifest) => member(workspace, &folder, &path, &text, &manifest, &mut findings),
            Err(error) => findings.add(path, 0, error.message(), "correct the manifest"),
        }
    }
    Ok(findings)
}

fn member(
    workspace: &Workspace,
    folder: &str,
    path: &str,
    text: &str,
    manifest: &Document<&str>,
    findings: &mut Findings,
) {
    let root = manifest.as_item();
    let mut found = |needle: &str, message: String, hint: &str| {
        findings.add(path, line_of(text, needle), message, hint);
    };
    if !is_true(root.get("lints").and_then(|lints| lints.get("workspace"))) {
        found(
            "[lints]",
            String::from("does not take the workspace's lints"),
            "[lints] workspace = true",
        );
    }
    for key in INHERITED {
        if !is_true(
            root.get("package")
                .and_then(|package| package.get(key))
                .and_then(|value| value.get("workspace")),
        ) {
            found(
                key,
                format!("{key} does not come from the workspace"),
                &format!("{key}.workspace = true"),
            );
        }
    }
    let name = folder.rsplit('/').next().unwrap_or(folder);
    if folder.starts_with("crates/") {
        let package = root
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(Item::as_str);
        if package != Some(name) {
            found(
                "name",
                format!("the package is not called {name}"),
                "folder and package have one name",
            );
        }
    }
    if workspace.row(name).is_some() {
        if root
            .get("lib")
            .and_then(|lib| lib.get("doctest"))
            .and_then(Item::as_bool)
            != Some(false)
        {
            found(
                "[lib]",
                String::from("doctests are on"),
                "[lib] doctest = false: an empty test executable less",
            );
        }
        let bins = root.get("bin").and_then(Item::as_array_of_tables);
        let good = |bin: &toml_edit::Table| {
            bin.get("name").and_then(Item::as_str) == Some(name)
                && bin.get("test").and_then(Item::as_bool) == Some(false)
                && bin.get("doc").and_then(Item::as_bool) == Some(false)
        };
        if !bins.is_some_and(|bins| bins.len() == 1 && bins.iter().all(good)) {
            let message =
                format!("needs one [[bin]] called {name} with test = false and doc = false");
            found("[[bin]]", message, "see an existing helper");
        }
    }
    for (table, dev) in tables(root) {
        for (dependency, value) in table.iter() {
            let needle = format!("\n{dependency}");
            let line = text.find(&needle).map_or(0, |at| {
                text.get(..=at).map_or(0, |head| head.lines().count() + 1)
            });
            let mut found = |message: String, hint: &str| {
                findings.add(path, line, message, hint);
            };
            // The multi-call binary's helpers are generated, path and all.
            let registered = name == "aris" && workspace.row(dependency).is_some();
            if !is_true(value.get("workspace")) && !registered {
                let hint =
                    "put the version into [workspace.dependencies] and write name.workspace = true";
                found(
                    format!("{dependency} does not come from the workspace"),
                    hint,
                );
            }
            if let Some(message) = forbidden(workspace, name, dependency, dev) {
                found(message, "see who may import whom in crates/README.md");
            }
        }
    }
}

/// Why `name` may not depend on `dependency`.
fn forbidden(workspace: &Workspace, name: &str, dependency: &str, dev: bool) -> Option<String> {
    let is_helper = |name: &str| workspace.is_helper(name);
    // The linter of skills is also the one of this tree.
    let verifies = name == "xtask" && dependency == "skill_lint";
    if is_helper(dependency) && name != "aris" && !verifies {
        let why = if is_helper(name) {
            "a helper never imports a helper"
        } else {
            "only the multi-call binary may"
        };
        return Some(format!("{name} imports the helper {dependency}: {why}"));
    }
    if dev {
        return None;
    }
    if let Some((_, who)) = ONLY.iter().find(|(only, _)| *only == dependency)
        && !who.contains(&name)
        // Arguments of a helper are a clap type.
        && !(dependency == "clap" && is_helper(name))
    {
        return Some(format!(
            "only {} may depend on {dependency}",
            who.join(", ")
        ));
    }
    if let Some((_, may)) = LOWEST.iter().find(|(lowest, _)| *lowest == name)
        && dependency.starts_with("aris-")
        && !may.contains(&dependency)
    {
        return Some(format!("{name} stands below {dependency}"));
    }
    if dependency == "aris-cli"
        && !is_helper(name)
        && !["aris", "aris-gates", "aris-online"].contains(&name)
    {
        return Some(String::from("a library knows nothing of the command line"));
    }
    if dependency == "aris-testkit" {
        return Some(String::from("aris-testkit is for tests only"));
    }
    None
}

/// All tables of dependencies, those for one target included, and whether they are for tests.
fn tables(root: &Item) -> Vec<(&dyn TableLike, bool)> {
    let mut found = Vec::new();
    let targets = root.get("target").and_then(Item::as_table_like);
    let targets = targets
        .into_iter()
        .flat_map(|targets| targets.iter().map(|(_, item)| item));
    for part in std::iter::once(root).chain(targets) {
        for (key, dev) in [
            ("dependencies", false),
            ("build-dependencies", false),
            ("dev-dependencies", true),
        ] {
            found.extend(
                part.get(key)
                    .and_then(Item::as_table_like)
                    .map(|table| (table, dev)),
            );
        }
    }
    found
}

fn is_true(item: Option<&Item>) -> bool {
    item.and_then(Item::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    const TOOL: &str = "crates/tool/Cargo.toml";
    const LIBRARY: &str = "crates/aris-contract/Cargo.toml";

    #[test]
    fn edges_that_break_the_direction_are_found() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.append(TOOL, "ureq.workspace = true\naris-testkit.workspace = true\n\n[dev-dependencies]\ntool.workspace = true\n");
        tree.append(LIBRARY, "aris-cli.workspace = true\n\n[target.'cfg(unix)'.dependencies]\nureq.workspace = true\n");
        let findings = check(&tree.workspace()).expect("read");
        for (path, line, text) in [
            (TOOL, 23, "only aris-http may depend on ureq"),
            (TOOL, 24, "for tests only"),
            (TOOL, 27, "a helper never imports a helper"),
            (LIBRARY, 14, "aris-contract stands below aris-cli"),
            (LIBRARY, 17, "only aris-http may depend on ureq"),
        ] {
            assert_found(&findings, path, line, text);
        }
        assert_eq!(findings.len(), 5, "{findings:#?}");
    }

    #[test]
    fn manifests_take_versions_lints_and_metadata_from_the_workspace() {
        let tree = Tree::new();
        tree.replace(
            LIBRARY,
            "serde.workspace = true",
            "serde = \"1\"\nother = { path = \"../other\" }",
        );
        tree.replace(TOOL, "[lints]\nworkspace = true", "");
        tree.replace(TOOL, "license.workspace = true", "license = \"MIT\"");
        tree.replace(TOOL, "doctest = false", "doctest = true");
        tree.replace(TOOL, "test = false\ndoc", "doc");
        tree.replace(
            TOOL,
            "[package]\nname = \"tool\"",
            "[package]\nname = \"tools\"",
        );
        let findings = check(&tree.workspace()).expect("read");
        for (path, line, text) in [
            (LIBRARY, 13, "serde does not come from the workspace"),
            (LIBRARY, 14, "other does not come from the workspace"),
            (TOOL, 0, "does not take the workspace's lints"),
            (TOOL, 6, "license does not come from the workspace"),
            (TOOL, 11, "doctests are on"),
            (TOOL, 14, "needs one [[bin]] called tool"),
            (TOOL, 2, "the package is not called tool"),
        ] {
            assert_found(&findings, path, line, text);
        }
        tree.write(TOOL, "[package\n");
        assert!(
            check(&tree.workspace())
                .expect("read")
                .iter()
                .any(|finding| finding.path == TOOL)
        );
    }
}
