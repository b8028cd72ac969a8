//! The files of a skill: names, sizes, and what installers would leave out.
//!
//! **Source**: the layout and the budgets of the skill conventions, §2 and §3.2.

use aris_fs::{Entry, EntryKind};

use crate::fault::Fault;
use crate::verify::{Add as _, Findings, is_kebab};
use crate::workspace::Workspace;

/// Skills that hold what others share, and no SKILL.md.
pub(crate) const SHARED: &str = "shared-references";

/// Lines of a SKILL.md.
const LINES: usize = 500;

/// Bytes of one file in `assets/`.
const ASSET: usize = 500_000;

/// Lines from which a reference needs a list of contents.
const LONG_REFERENCE: usize = 300;

/// Files of these names are left out by installers.
const LEFT_OUT: [&str; 2] = ["README.md", "metadata.json"];

pub(crate) fn check(workspace: &Workspace) -> Result<Findings, Fault> {
    let mut findings = Findings::default();
    let skills = workspace.at("skills");
    if !skills.is_dir() {
        return Ok(findings);
    }
    for skill in aris_fs::list_sorted(&skills)? {
        let name = skill.name.to_string_lossy().into_owned();
        let path = format!("skills/{name}");
        if skill.kind != EntryKind::Folder {
            findings.add(
                path,
                0,
                "is not a folder",
                "skills holds one folder for each skill",
            );
            continue;
        }
        if !is_kebab(&name) || name.len() > 64 {
            let hint = "a skill's name is kebab-case and has at most 64 characters";
            findings.add(&path, 0, "is not a skill's name", hint);
        }
        let has_text = skill.path.join("SKILL.md").is_file();
        if has_text == (name == SHARED) {
            let message = if has_text {
                "must have no SKILL.md"
            } else {
                "has no SKILL.md"
            };
            findings.add(
                &path,
                0,
                message,
                format!("every skill but {SHARED} has one"),
            );
        }
        for entry in aris_fs::walk_sorted(&skill.path, &mut |folder| folder.name != "bin")? {
            file(workspace, &skill.path, &entry, &mut findings)?;
        }
    }
    Ok(findings)
}

fn file(
    workspace: &Workspace,
    skill: &std::path::Path,
    entry: &Entry,
    findings: &mut Findings,
) -> Result<(), Fault> {
    let path = aris_fs::display_relative(&entry.path, &workspace.root);
    let inside = aris_fs::display_relative(&entry.path, skill);
    let name = entry.name.to_string_lossy();
    let mut found = |line: usize, message: String, hint: &str| {
        findings.add(&path, line, message, hint);
    };
    if name.starts_with('_') || LEFT_OUT.contains(&name.as_ref()) {
        found(0, format!("installers leave {name} out"), "rename it");
    }
    match entry.kind {
        EntryKind::Folder => return Ok(()),
        EntryKind::Link | EntryKind::Special => {
            found(
                0,
                String::from("is not a regular file"),
                "a skill is copied: put the file itself there",
            );
            return Ok(());
        }
        EntryKind::File => {}
    }
    if name == "SKILL.md" && inside != "SKILL.md" {
        found(
            0,
            String::from("lies below another skill"),
            "some hosts would load it: move or rename it",
        );
    }
    let bytes = aris_fs::read(&entry.path, aris_fs::READ_LIMIT)?;
    if inside.starts_with("assets/") && bytes.len() > ASSET {
        found(
            0,
            format!("has {} bytes, more than {ASSET}", bytes.len()),
            "make it smaller",
        );
    }
    if !name.ends_with(".md") {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().count();
    if inside == "SKILL.md" && lines > LINES {
        found(
            LINES + 1,
            format!("has {lines} lines, more than {LINES}"),
            "move detail to references/",
        );
    }
    if inside.starts_with("references/") {
        let stem = name.trim_end_matches(".md");
        if !is_kebab(stem) {
            found(
                0,
                format!("{stem} is not kebab-case"),
                "rename the reference",
            );
        }
        let listed = text
            .lines()
            .take(40)
            .any(|line| line.starts_with('#') && line.to_lowercase().contains("contents"));
        if lines >= LONG_REFERENCE && !listed {
            found(
                1,
                format!("has {lines} lines and no contents"),
                "begin with a heading Contents and a list",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::tree::{Tree, assert_found};

    #[test]
    fn a_skill_holds_what_survives_copying() {
        let tree = Tree::new();
        tree.write(
            "skills/tool-skill/references/long.md",
            &format!("# X\n\n## Contents\n{}", "x\n".repeat(400)),
        );
        tree.write("skills/tool-skill/scripts/bin/_any", "");
        assert_eq!(check(&tree.workspace()).expect("read"), []);
        let long = "x\n".repeat(501);
        for (path, text) in [
            ("skills/tool-skill/SKILL.md", long.as_str()),
            ("skills/tool-skill/README.md", ""),
            ("skills/tool-skill/references/_private.md", ""),
            ("skills/tool-skill/references/Loud_Name.md", ""),
            ("skills/tool-skill/references/no-contents.md", long.as_str()),
            ("skills/tool-skill/inner/SKILL.md", ""),
            ("skills/tool-skill/assets/big.bin", &"x".repeat(ASSET + 1)),
            ("skills/Other/x", ""),
            ("skills/shared-references/SKILL.md", ""),
            ("skills/file", ""),
        ] {
            tree.write(path, text);
        }
        let findings = check(&tree.workspace()).expect("read");
        for (path, line, text) in [
            ("skills/tool-skill/SKILL.md", 501, "has 501 lines"),
            ("skills/tool-skill/README.md", 0, "leave README.md out"),
            (
                "skills/tool-skill/references/_private.md",
                0,
                "leave _private.md out",
            ),
            (
                "skills/tool-skill/references/Loud_Name.md",
                0,
                "not kebab-case",
            ),
            (
                "skills/tool-skill/references/no-contents.md",
                1,
                "no contents",
            ),
            ("skills/tool-skill/inner/SKILL.md", 0, "below another skill"),
            ("skills/tool-skill/assets/big.bin", 0, "has 500001 bytes"),
            ("skills/Other", 0, "not a skill's name"),
            ("skills/Other", 0, "has no SKILL.md"),
            ("skills/shared-references", 0, "must have no SKILL.md"),
            ("skills/file", 0, "is not a folder"),
        ] {
            assert_found(&findings, path, line, text);
        }
    }
}
