//! The demo's temporary project: skills installed, example copied.

use std::path::{Path, PathBuf};

use aris_fs::{EntryKind, FsError};

use super::{Step, step};
use crate::fault::Fault;
use crate::workspace::Workspace;

/// The example, below the root of the workspace.
const EXAMPLE: &str = "skills/paper-writing/assets/example";

/// A project with the skills in it.
pub(super) struct Project {
    root: PathBuf,
    example: PathBuf,
}

impl Project {
    /// Makes the project and installs the skills; it stays for the user to look at.
    pub(super) fn create(workspace: &Workspace) -> Result<Self, Fault> {
        let temp = tempfile::Builder::new()
            .prefix("aris-demo-")
            .tempdir()
            .map_err(|error| Fault::new(format!("cannot make a temporary folder: {error}")))?;
        let project = Self {
            root: temp.keep(),
            example: workspace.at(EXAMPLE),
        };
        project.install(workspace)?;
        copy(&project.example.join("results"), &project.at("results"))?;
        copy(&project.example.join("reviews"), &project.at("reviews"))?;
        copy(&project.example.join("paper"), &project.at("paper"))?;
        Ok(project)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Copies one of the example's versions over the paper.
    pub(super) fn copy_example(&self, version: &str) -> Result<(), Fault> {
        Ok(copy(&self.example.join(version), &self.at("paper"))?)
    }

    /// Runs a helper the way a skill does: by the path the installer gave it, through `sh`.
    pub(super) fn run(&self, name: &str, args: &[&str], codes: &[i32]) -> Result<Step, Fault> {
        let shown = format!("sh .aris/tools/{name} {}", args.join(" "));
        let command = aris_proc::command("sh", &self.root)
            .arg(format!(".aris/tools/{name}"))
            .args(args);
        step(command, &shown, codes)
    }

    /// Installs the skills as a user does, for every host.
    fn install(&self, workspace: &Workspace) -> Result<(), Fault> {
        let installer = "skills/install-aris/scripts/install_aris";
        let command = aris_proc::command("sh", &workspace.root)
            .arg(installer)
            .arg(&self.root)
            .args(["--host", "claude,codex,cursor,gemini"])
            // Only what the demo runs is built.
            .arg("--allow-missing-binaries");
        let shown = format!(
            "sh {installer} {} --host claude,codex,cursor,gemini --allow-missing-binaries",
            self.root.display()
        );
        step(command, &shown, &[0])?;
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), FsError> {
    aris_fs::create_dir(to)?;
    for entry in aris_fs::walk_sorted(from, &mut |_| true)? {
        let target = to.join(entry.path.strip_prefix(from).unwrap_or(&entry.path));
        match entry.kind {
            EntryKind::Folder => aris_fs::create_dir(&target)?,
            EntryKind::File => aris_fs::copy_atomic(&entry.path, &target)?,
            EntryKind::Link | EntryKind::Special => {}
        }
    }
    Ok(())
}
