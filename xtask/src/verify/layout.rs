//! Checks the files at the top level, and the files that each row of the helper table requires.

use aris_fs::EntryKind;

use crate::fault::Fault;
use crate::verify::{Add as _, Findings};
use crate::workspace::{TABLE, Workspace};

/// Files and folders that must exist.
const REQUIRED: [&str; 7] = [
    "Cargo.toml",
    "README.md",
    "crates",
    "schemas",
    "skills",
    "tests",
    "xtask",
];

/// Files and folders that tools, hosts and readers expect at the top level.
const ALLOWED: &[&str] = &[
    ".agents",
    ".cargo",
    ".ci",
    ".claude-plugin",
    ".codex-plugin",
    ".git",
    ".gitattributes",
    ".github",
    ".gitignore",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "action.yml",
    "clippy.toml",
    "deny.toml",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "target",
    "tools",
];

/// Crates that are neither a shared library nor in the table: the multi-call binary.
const OTHER_CRATES: [&str; 1] = ["aris"];

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    for name in REQUIRED {
        if !workspace.at(name).exists() {
            findings.add(
                name,
                0,
                "does not exist",
                "the workspace needs it at the top level",
            );
        }
    }
    for entry in aris_fs::list_sorted(&workspace.root)? {
        let name = entry.name.to_string_lossy();
        if !REQUIRED.contains(&name.as_ref()) && !ALLOWED.contains(&name.as_ref()) {
            let hint = "move it below crates, skills, schemas, tests or xtask";
            findings.add(name.as_ref(), 0, "does not belong at the top level", hint);
        }
        if entry.kind == EntryKind::Link {
            findings.add(name.as_ref(), 0, "is a link", "put the file itself there");
        }
    }
    for row in &workspace.rows {
        let (name, owner, scripts) = (&row.name, &row.owner, row.scripts());
        for (path, hint) in [
            (
                format!("crates/{name}/Cargo.toml"),
                "every row of the helper table is a crate",
            ),
            (
                format!("crates/{name}/src/main.rs"),
                "every helper has a binary",
            ),
            (
                format!("crates/{name}/src/lib.rs"),
                "every helper is a library with a five-line main",
            ),
            (
                format!("skills/{owner}/SKILL.md"),
                "the owner of a helper is a skill",
            ),
            (format!("{scripts}/{name}"), "run cargo xtask sync"),
            (
                format!("{scripts}/{name}.contract.json"),
                "run cargo xtask sync",
            ),
        ] {
            if !workspace.at(&path).is_file() {
                findings.add(
                    path,
                    0,
                    format!("does not exist, and {TABLE} has a row {name}"),
                    hint,
                );
            }
        }
    }
    for name in workspace.crates()? {
        if !name.starts_with("aris-")
            && !OTHER_CRATES.contains(&name.as_str())
            && !workspace.is_helper(&name)
        {
            let hint = format!("add a row to {TABLE}, or call a shared library aris-*");
            findings.add(
                format!("crates/{name}"),
                0,
                "is not in the helper table",
                hint,
            );
        }
    }
    findings.extend(strays(workspace)?);
    Ok(findings)
}

/// Launchers and contracts that belong to no row.
fn strays(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    let skills = workspace.at("skills");
    if !skills.is_dir() {
        return Ok(findings);
    }
    for skill in aris_fs::list_sorted(&skills)? {
        let scripts = skill.path.join("scripts");
        if !scripts.is_dir() {
            continue;
        }
        let owner = skill.name.to_string_lossy();
        for entry in aris_fs::list_sorted(&scripts)? {
            let file = entry.name.to_string_lossy();
            let Some(helper) = file.strip_suffix(".contract.json") else {
                continue;
            };
            if workspace.row(helper).is_none_or(|row| row.owner != owner) {
                let path = format!("skills/{owner}/scripts/{file}");
                let hint = "delete it with its launcher, or name this skill as the owner in the helper table";
                findings.add(
                    path,
                    0,
                    format!("{helper} does not belong to this skill"),
                    hint,
                );
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Tree, assert_found};

    #[test]
    fn the_top_level_and_every_row_are_complete() {
        let tree = Tree::new();
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        tree.write("notes.txt", "");
        tree.write("crates/stray/Cargo.toml", "");
        tree.write("skills/tool-skill/scripts/gone.contract.json", "{}");
        tree.remove("crates/tool/src/main.rs");
        tree.remove("skills/tool-skill/SKILL.md");
        tree.remove("skills/tool-skill/scripts/tool");
        tree.remove("README.md");
        let findings = check(&tree.workspace()).expect("read");
        for (path, text) in [
            ("notes.txt", "does not belong"),
            ("README.md", "does not exist"),
            ("crates/stray", "not in the helper table"),
            ("crates/tool/src/main.rs", "does not exist"),
            ("skills/tool-skill/SKILL.md", "does not exist"),
            ("skills/tool-skill/scripts/tool", "does not exist"),
            (
                "skills/tool-skill/scripts/gone.contract.json",
                "does not belong to this skill",
            ),
        ] {
            assert_found(&findings, path, 0, text);
        }
        assert_eq!(findings.len(), 7, "{findings:#?}");
    }
}
