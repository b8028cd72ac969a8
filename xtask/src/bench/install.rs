//! Installing all skills of this tree, and looking after an installation, beside the `ln` and `cp` that a person would type.

use std::path::{Path, PathBuf};

use super::Binaries;
use super::measure::{Call, Figures, heading, pair, row};
use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// Limits in milliseconds. **Source**: the project's own promise to users.
const LIMIT_INSTALL_MS: f64 = 50.0;
const LIMIT_LOOK_MS: f64 = 30.0;

const RUNS: usize = 30;

/// A source with the programs of this machine, and a project that is made anew for each run.
pub(super) struct Place {
    temp: tempfile::TempDir,
    installer: PathBuf,
}

impl Place {
    pub(super) fn new(workspace: &Workspace, binaries: &Binaries) -> Result<Self, Fault> {
        let temp = tempfile::tempdir().map_err(Fault::from_error)?;
        let place = Self {
            temp,
            installer: binaries.path("install_aris"),
        };
        let skills = workspace.at("skills").display().to_string();
        place.run(
            "mkdir source && cp -R \"$0\" source/skills && rm -rf source/skills/*/scripts/bin",
            &skills,
        )?;
        let triple = cargo::host_triple(workspace)?;
        for helper in &workspace.rows {
            let binary = binaries.path(&helper.name).display().to_string();
            let folder = format!("source/skills/{}/scripts/bin", helper.owner);
            let script = format!(
                "mkdir -p {folder} && cp \"$0\" {folder}/{}-{triple}",
                helper.name
            );
            place.run(&script, &binary)?;
        }
        Ok(place)
    }

    /// The project's folder.
    pub(super) fn project(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    /// Runs a script with one argument beside source and project.
    fn run(&self, script: &str, argument: &str) -> Result<f64, Fault> {
        Call::new("sh", &["-ec", script, argument], self.temp.path()).once()
    }

    fn empty(&self) -> Result<(), Fault> {
        self.run("rm -rf project && mkdir project", "")?;
        Ok(())
    }

    fn installer(&self, args: &[&str]) -> Call {
        let all = [&["project", "--quiet"], args].concat();
        Call::new(&self.installer, &all, self.temp.path())
    }

    fn install(&self, mode: &str) -> Call {
        self.installer(&["--aris-repo", "source", "--mode", mode])
    }

    /// An installation in the mode.
    pub(super) fn installed(&self, mode: &str) -> Result<(), Fault> {
        self.empty()?;
        self.install(mode).once()?;
        Ok(())
    }
}

pub(super) fn run(workspace: &Workspace, binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "install_aris and contract_check: all skills, {RUNS} runs, min / median / max (limits {LIMIT_INSTALL_MS} ms, {LIMIT_LOOK_MS} ms)"
    ));
    let place = Place::new(workspace, binaries)?;
    let by_hand = "mkdir -p .agents/skills .claude/skills; ";
    for (mode, script) in [
        (
            "symlink",
            "ln -s ../../../source/skills/* .agents/skills; ln -s ../../../source/skills/* .claude/skills",
        ),
        (
            "copy",
            "cp -R ../source/skills/* .agents/skills; for s in .agents/skills/*; do ln -s ../../$s .claude/skills; done; sync -f .",
        ),
    ] {
        let theirs = Call::shell(&format!("{by_hand}{script}"), &place.project());
        let ours = place.install(mode);
        let (mut installing, mut linking) = (Figures::default(), Figures::default());
        place.installed(mode)?;
        for _ in 0..RUNS {
            place.empty()?;
            installing.push(ours.once()?);
            place.empty()?;
            linking.push(theirs.once()?);
        }
        row(&format!("install, {mode}"), installing.millis());
        row("  beside ln or cp, and sync", linking.millis());
        row("  limit / median", limit(LIMIT_INSTALL_MS, &installing));
        place.installed(mode)?;
        let looks: [(&str, PathBuf, &[&str]); 3] = [
            (
                "reconcile, nothing to do",
                place.installer.clone(),
                &["--reconcile", "--quiet"],
            ),
            ("doctor", binaries.path("contract_check"), &["doctor"]),
            ("status", binaries.path("contract_check"), &["status"]),
        ];
        for (name, program, args) in looks {
            let call = Call::new(program, args, &place.project());
            let (ours, theirs) = pair(&call, &Call::new("true", &[], Path::new("/")), RUNS)?;
            row(&format!("{name}, {mode}"), ours.millis());
            row("  beside true", theirs.millis());
            row("  limit / median", limit(LIMIT_LOOK_MS, &ours));
        }
    }
    Ok(())
}

fn limit(milliseconds: f64, figures: &Figures) -> String {
    format!("{:.1} x", milliseconds / (figures.median() * 1e3))
}
