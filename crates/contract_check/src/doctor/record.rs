//! The installer's records: `.aris/install.json`, and `.aris/installed-skills.txt`, which old skills read.

use std::path::{Path, PathBuf};

use aris_contract::artifact::install::{
    CANONICAL_SKILLS, CLAUDE_SKILLS, INSTALL_MANIFEST, INSTALLED_SKILLS, INSTALLED_TOOLS,
    InstallManifest, InstallMode,
};
use aris_contract::artifact::record::{self, CODEX_SKILLS, Problem, Reference};
use serde::Serialize;

use super::finding::{Findings, Id, Severity};
use crate::project::Project;

/// Which installer's record exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Installation {
    /// No readable record.
    None,
    /// Only the record that the reference's installer writes.
    Reference,
    /// The full record.
    Full,
}

impl Installation {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::None => "none recorded: install_aris was not run here",
            Self::Reference => {
                "recorded in .aris/installed-skills.txt only: edited files cannot be told from installed ones"
            }
            Self::Full => "recorded in .aris/install.json",
        }
    }
}

/// The records of one project.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) full: Option<InstallManifest>,
    pub(crate) reference: Option<Reference>,
}

impl Record {
    /// Reads both records, and reports their faults.
    pub(crate) fn read(project: &Project, findings: &mut Findings) -> Self {
        let record = Self {
            full: read(project, INSTALL_MANIFEST, record::manifest, findings),
            reference: read(project, INSTALLED_SKILLS, record::reference, findings),
        };
        let codex = read(project, CODEX_SKILLS, record::reference, findings);
        let references = [
            (INSTALLED_SKILLS, &record.reference),
            (CODEX_SKILLS, &codex),
        ];
        for (file, reference) in references {
            if matches!(reference, Some(found) if found.has_carriage_returns) {
                let message =
                    "has carriage returns, which become part of the path that skills read";
                let found = findings.add(Id::ManifestInvalid, file, message);
                found.hint("run install_aris in the project again");
            }
        }
        record.check(project, findings);
        record
    }

    pub(crate) fn installation(&self) -> Installation {
        match (&self.full, &self.reference) {
            (Some(_), _) => Installation::Full,
            (None, Some(_)) => Installation::Reference,
            (None, None) => Installation::None,
        }
    }

    /// The source of the skills according to the records.
    pub(crate) fn repo_root(&self) -> Option<PathBuf> {
        let full = self.full.as_ref().map(|full| &full.repo_root);
        let reference = self
            .reference
            .as_ref()
            .map(|reference| &reference.repo_root);
        full.or(reference).map(PathBuf::from)
    }

    fn check(&self, project: &Project, findings: &mut Findings) {
        let full = self.full.as_ref();
        let full = full.map(|full| (&full.repo_root, Some(&full.project_root)));
        let reference = self.reference.as_ref();
        let reference = reference.map(|found| (&found.repo_root, found.project_root.as_ref()));
        let roots = [(INSTALL_MANIFEST, full), (INSTALLED_SKILLS, reference)];
        for (file, roots) in &roots {
            let Some((repo_root, project_root)) = roots else {
                continue;
            };
            if !Path::new(repo_root).join("skills").is_dir() {
                let message = format!(
                    "the skills came from {repo_root}, and there is no folder skills in it now"
                );
                let found = findings.add(Id::RepoRootGone, file, message);
                // Copies work without their source.
                if matches!(&self.full, Some(full) if full.mode == InstallMode::Copy) {
                    found.severity = Severity::Warning;
                }
            }
            let root = &project.root;
            let here = root.canonicalize().unwrap_or_else(|_| root.clone());
            if let Some(there) = project_root
                && Path::new(there).canonicalize().ok().as_ref() != Some(&here)
            {
                let message = format!("is the record of {there}, not of this project");
                findings.add(Id::ManifestForeign, file, message);
            }
        }
        if let [(_, Some((first, _))), (_, Some((second, _)))] = &roots
            && first != second
        {
            let message = format!("says repo_root {second}, and {INSTALL_MANIFEST} says {first}");
            findings.add(Id::ManifestsDisagree, INSTALLED_SKILLS, message);
        }
        let version = env!("CARGO_PKG_VERSION");
        if let Some(full) = &self.full
            && full.helper_version != version
        {
            let then = &full.helper_version;
            let message = format!("was written by version {then}, and this is version {version}");
            let found = findings.add(Id::VersionMismatch, INSTALL_MANIFEST, message);
            found.hint("run install_aris --update in the project");
        }
        if self.full.is_none() && self.reference.is_none() {
            for place in [INSTALLED_TOOLS, CANONICAL_SKILLS, CLAUDE_SKILLS] {
                let folder = project.root.join(place);
                let ours = "review-tracing shared-references save_trace save_trace.sh";
                let mut ours = ours.split(' ').map(|name| folder.join(name));
                if ours.any(|path| path.symlink_metadata().is_ok()) {
                    let message = "holds files of this suite that no install record lists";
                    findings.add(Id::ManifestMissing, place, message);
                }
            }
        }
    }
}

fn read<T>(
    project: &Project,
    file: &str,
    parse: impl FnOnce(&[u8]) -> Result<T, Problem>,
    findings: &mut Findings,
) -> Option<T> {
    let bytes = aris_fs::read_optional(&project.root.join(file), record::LIMITS.bytes as u64);
    let parsed = bytes.map_err(|error| error.to_string()).and_then(|bytes| {
        let said = |Problem { line, reason }| format!("line {line}: {reason}");
        bytes.map(|bytes| parse(&bytes).map_err(said)).transpose()
    });
    parsed.unwrap_or_else(|why| {
        findings.add(Id::ManifestInvalid, file, why);
        None
    })
}
