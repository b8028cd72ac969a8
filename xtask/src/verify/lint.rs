//! Our own skills under the linter's strictest profile, with everything it can run: help, usage errors and declared samples of
//! every launcher, in its sandbox.
//!
//! A copy is linted, with the helpers' binaries beside their launchers as `install-skills` puts them, so that the answer does not
//! depend on what was placed in the tree before.

use std::path::Path;

use aris_fs::EntryKind;
use serde::Deserialize;

use crate::cargo::{self, Contracts};
use crate::fault::Fault;
use crate::verify::Finding;
use crate::workspace::Workspace;

/// What of the root belongs to the skills: themselves, and the manifests that name them.
const PARTS: [&str; 5] = [
    ".agents",
    ".claude-plugin",
    ".codex-plugin",
    "skill-lint.toml",
    "skills",
];

/// Bytes of a report.
const ANSWER: usize = 64 << 20;

/// A debug build of a helper.
const LARGE: u64 = 512 << 20;

pub(super) fn check(workspace: &Workspace, _: &Contracts) -> Result<Vec<Finding>, Fault> {
    let staged = tempfile::tempdir()
        .map_err(|error| Fault::new(format!("cannot make a temporary folder: {error}")))?;
    // The sandbox may run as another user than the one that made the folder.
    let root = staged.path().join("tree");
    for part in PARTS {
        copy(&workspace.at(part), &root.join(part))?;
    }
    place(workspace, &root)?;
    // They are ours, and not every machine has bubblewrap.
    let words = [
        "--profile",
        "project",
        "--fail-on",
        "warn",
        "--run=all",
        "--unsandboxed",
        "--syntax",
    ];
    let report = report(workspace, &root, &words)?;
    let open = report
        .data
        .into_iter()
        .filter(|item| item.severity != "info");
    let mut findings: Vec<Finding> = open
        .map(|item| {
            let message = format!("{} {}", item.rule, item.message);
            Finding::new(item.path, item.line, message, item.hint)
        })
        .collect();
    // What was not run was not checked.
    findings.extend(report.meta.skipped.into_iter().map(|skipped| {
        let message = format!("was not checked: {}", skipped.reason);
        Finding::new(skipped.path, 0, message, "install what is missing")
    }));
    Ok(findings)
}

/// What of the linter's answer is read.
#[derive(Deserialize)]
struct Report {
    data: Vec<Item>,
    meta: Meta,
}

#[derive(Deserialize)]
struct Item {
    rule: String,
    severity: String,
    path: String,
    #[serde(default)]
    line: usize,
    message: String,
    hint: String,
}

#[derive(Deserialize)]
struct Meta {
    skipped: Vec<Skipped>,
}

#[derive(Deserialize)]
struct Skipped {
    path: String,
    reason: String,
}

/// Lints a folder with the debug build of the linter.
fn report(workspace: &Workspace, root: &Path, words: &[&str]) -> Result<Report, Fault> {
    let program = cargo::target_folder(workspace)?.join("debug/skill_lint");
    let done = aris_proc::command(program, root)
        .args(words)
        .args(["--json", "."])
        .capture_limit(ANSWER)
        .run(cargo::BUILD)?;
    serde_json::from_slice(&done.stdout.bytes).map_err(|error| {
        let said = done.stderr.text();
        Fault::new(format!(
            "skill_lint gave no report ({error}): {}",
            cargo::first_error(&said)
        ))
    })
}

/// Puts each helper's debug build beside its launcher.
fn place(workspace: &Workspace, root: &Path) -> Result<(), Fault> {
    let triple = cargo::host_triple(workspace)?;
    let built = cargo::target_folder(workspace)?.join("debug");
    for row in &workspace.rows {
        let folder = root.join(row.scripts()).join("bin");
        aris_fs::create_dir(&folder)?;
        let bytes = aris_fs::read(&built.join(&row.name), LARGE)?;
        let binary = folder.join(format!("{}-{triple}", row.name));
        aris_fs::write_atomic_with_mode(&binary, &bytes, 0o755)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Fault> {
    if from.is_file() {
        return Ok(aris_fs::copy_atomic(from, to)?);
    }
    if !from.is_dir() {
        return Ok(());
    }
    aris_fs::create_dir(to)?;
    // Binaries that were placed here may be of another state of the sources.
    let enter = |folder: &Path| !folder.ends_with("scripts/bin");
    for entry in aris_fs::walk_sorted(from, &mut |folder| enter(&folder.path))? {
        let target = to.join(entry.path.strip_prefix(from).unwrap_or(&entry.path));
        match entry.kind {
            EntryKind::Folder if enter(&entry.path) => aris_fs::create_dir(&target)?,
            EntryKind::File => aris_fs::copy_atomic(&entry.path, &target)?,
            _ => {}
        }
    }
    Ok(())
}
