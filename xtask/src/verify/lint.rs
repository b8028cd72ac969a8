//! Lints our own skills with the linter's strictest profile and everything that it can run: help, usage errors and declared samples of
//! every launcher. They run unconfined, because the skills are trusted.
//!
//! A copy is linted, with the helpers' binaries beside their launchers as `install-skills` puts them, so that the result does not
//! depend on binaries in the tree.

use std::path::Path;

use aris_fs::EntryKind;
use skill_lint::catalogue::Severity;
use skill_lint::config::RunLevel;
use skill_lint::profile::Profile;
use skill_lint::{Cli, Options};

use crate::cargo::{self, Contracts};
use crate::fault::Fault;
use crate::verify::{Add as _, Findings};
use crate::workspace::{Workspace, today, variable};

/// The parts of the tree that belong to the skills: the skills, and the manifests that name them.
const PARTS: [&str; 5] = [
    ".agents",
    ".claude-plugin",
    ".codex-plugin",
    "skill-lint.toml",
    "skills",
];

/// Limit for reading a helper's debug build.
const LARGE: u64 = 512 << 20;

pub(super) fn check(workspace: &Workspace, _: &Contracts) -> Result<Findings, Fault> {
    let staged = tempfile::tempdir().map_err(Fault::from_error)?;
    // The sandbox may run as another user than the owner of the folder.
    let root = staged.path().join("tree");
    for part in PARTS {
        copy(&workspace.at(part), &root.join(part))?;
    }
    place(workspace, &root)?;
    let cli = Cli {
        paths: vec![".".into()],
        profile: Some(Profile::Project),
        run: Some(RunLevel::All),
        // The skills are trusted, and not every machine has bubblewrap.
        unsandboxed: true,
        syntax: true,
        ..Cli::default()
    };
    let report = skill_lint::lint(&Options {
        cli,
        cwd: root,
        today: today(),
        search_path: variable("PATH").map(|path| path.display().to_string()),
    })?;
    let mut findings = Findings::new();
    for item in report.open().filter(|item| item.severity != Severity::Info) {
        let message = format!("{} {}", item.rule, item.message);
        findings.add(&item.path, item.line, message, &item.hint);
    }
    // A step that was not run has not been checked.
    for skipped in &report.skipped {
        let message = format!("was not checked: {}", skipped.reason);
        findings.add(&skipped.path, 0, message, "install what is missing");
    }
    Ok(findings)
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
    // Binaries in the tree may be out of date.
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
