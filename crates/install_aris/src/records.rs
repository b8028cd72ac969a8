//! Records of earlier runs: the manifest, the journal of a killed run, and the reference's own manifests.
//!
//! Records are untrusted input: anyone who can write into the project can write them. So every path in them is checked, and
//! what they claim is compared with the disk before anything is removed.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::artifact::install::{
    Block, Content, Entry, INSTALL_MANIFEST, INSTALLED_SKILLS, InstallManifest,
};
use aris_contract::artifact::record::{self, CODEX_SKILLS, Problem, Reference};
use aris_skills::names::{file_name as base, folder as parent};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::project::{JOURNAL, Project, Shape};

/// Name of the stage folders, each beside the place that its content goes to.
pub(crate) const STAGE: &str = ".aris-stage";

/// Beginning of a journal. A file with another beginning is not a journal of this program.
const JOURNAL_BEGIN: &[u8] = b"{\"tool\":\"install_aris\"";

/// All records of a project.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Records {
    /// `.aris/install.json`.
    pub(crate) manifest: Option<InstallManifest>,
    /// Plans of runs that were killed or failed.
    pub(crate) unfinished: Vec<InstallManifest>,
    /// Their stage folders.
    pub(crate) stages: BTreeSet<String>,
    /// Content that belonged to the user before an unfinished run took it: see [`Intent::given`].
    pub(crate) given: BTreeMap<String, Option<String>>,
    /// Content that such a run replaces: see [`Intent::replaced`].
    pub(crate) replaced: Vec<(String, Content)>,
    /// Whether there is a journal.
    pub(crate) has_journal: bool,
    /// Manifests of the reference's installers, with their paths, unless they are only this program's records in the
    /// reference's format.
    pub(crate) reference: Vec<(&'static str, Reference)>,
    /// Whether this program's records in the reference's format exist and are readable for old skills. `awk` reads a carriage
    /// return as part of the path.
    pub(crate) views_are_current: bool,
}

/// First line of a journal.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) tool: String,
    pub(crate) host: String,
    pub(crate) pid: u32,
    pub(crate) started_at: String,
}

/// A later line of a journal: the plan of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Intent {
    pub(crate) stages: BTreeSet<String>,
    pub(crate) manifest: InstallManifest,
    /// Paths whose content belongs to the user until the run ends. The value is the text of a link that is adopted or replaced,
    /// or `None` for an adopted copy.
    #[serde(default)]
    pub(crate) given: BTreeMap<String, Option<String>>,
    /// Replaced content, as recorded or seen. For an older install this is its only record.
    #[serde(default)]
    pub(crate) replaced: Vec<(String, Content)>,
}

impl Records {
    /// Reads and checks all records.
    pub(crate) fn read(project: &Project) -> Result<Self, Error> {
        let mut records = Self::default();
        if let Some(text) = optional(project, INSTALL_MANIFEST)? {
            let manifest = record::manifest(&text);
            records.manifest = Some(manifest.map_err(damaged(project, INSTALL_MANIFEST))?);
        }
        let path = project.at(JOURNAL);
        if !matches!(project.shape(JOURNAL), Shape::Absent | Shape::File) {
            return Err(Error::Journal(path));
        }
        if let Some(text) = optional(project, JOURNAL)? {
            // A kill may have cut the first line short.
            let mut lines = text.split(|byte| *byte == b'\n');
            let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
            if !first.starts_with(JOURNAL_BEGIN) && !JOURNAL_BEGIN.starts_with(first) {
                return Err(Error::Journal(path));
            }
            records.has_journal = true;
            for line in aris_fs::journal_lines(&path)? {
                // The first line names the holder and is no intent. A cut line was never followed by a change.
                let Ok(intent) = serde_json::from_str::<Intent>(&line) else {
                    continue;
                };
                let given = intent.given.keys().find(|path| !record::is_ours(path));
                let given = given.map(|path| format!("{path:?} is no place of this program"));
                let stage = intent.stages.iter().find(|stage| !is_stage(stage));
                let stage = stage.map(|stage| format!("{stage:?} is no folder of this program"));
                let problem = record::problem_of(&intent.manifest).or(given).or(stage);
                if let Some(reason) = problem {
                    let line = 1;
                    return Err(Error::Damaged { path, line, reason });
                }
                records.stages.extend(intent.stages);
                records.replaced.extend(intent.replaced);
                for (path, before) in intent.given {
                    records.given.entry(path).or_insert(before);
                }
                records.unfinished.push(intent.manifest);
            }
        }
        if let Some(manifest) = &records.manifest {
            let recorded = |path: &String| manifest.entries.iter().any(|entry| entry.path == *path);
            records.given.retain(|path, _| !recorded(path));
        }
        records.views_are_current = true;
        for path in [INSTALLED_SKILLS, CODEX_SKILLS] {
            let own = records.manifest.as_ref();
            let is_needed =
                own.is_some_and(|own| path == INSTALLED_SKILLS || record::needs_codex(own));
            let Some(text) = optional(project, path)? else {
                records.views_are_current &= !is_needed;
                continue;
            };
            let reference = record::reference(&text).map_err(damaged(project, path))?;
            records.views_are_current &= !reference.has_carriage_returns;
            if !records.all().any(|own| is_view_of(path, &reference, own)) {
                records.reference.push((path, reference));
            }
        }
        Ok(records)
    }

    /// The manifest, and the plans of unfinished runs.
    pub(crate) fn all(&self) -> impl Iterator<Item = &InstallManifest> {
        self.manifest.iter().chain(&self.unfinished)
    }

    /// Entries of this program's records by path, the newest last.
    pub(crate) fn entries(&self) -> BTreeMap<&str, Vec<&Entry>> {
        let mut entries: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in self.all().flat_map(|manifest| &manifest.entries) {
            entries.entry(&entry.path).or_default().push(entry);
        }
        entries
    }

    /// Folders that were created or planned.
    pub(crate) fn folders(&self) -> BTreeSet<String> {
        self.all()
            .flat_map(|manifest| manifest.folders.iter().cloned())
            .collect()
    }

    /// Blocks that were put into instruction files or planned.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        self.all().flat_map(|manifest| &manifest.blocks).collect()
    }

    /// Whether nothing is recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.manifest.is_none() && !self.has_journal && self.reference.is_empty()
    }

    /// Whether nothing was installed here before the run that wrote the journal.
    pub(crate) fn is_empty_but_for_the_journal(&self) -> bool {
        self.manifest.is_none() && self.unfinished.is_empty() && self.reference.is_empty()
    }

    /// The source of the skills according to the records.
    pub(crate) fn repo_root(&self) -> Option<&str> {
        let own = self.all().last().map(|manifest| &manifest.repo_root);
        let old = self.reference.first().map(|(_, old)| &old.repo_root);
        own.or(old).map(String::as_str)
    }
}

/// Whether a record in the reference's format contains nothing that `own` does not.
fn is_view_of(path: &str, reference: &Reference, own: &InstallManifest) -> bool {
    let repo_root = match path {
        CODEX_SKILLS => record::codex_root(own),
        _ => own.repo_root.clone(),
    };
    let mut entries = reference.entries.iter();
    let is_known = |entry: &Entry| own.entries.iter().any(|known| known.path == entry.path);
    reference.repo_root == repo_root && entries.all(is_known)
}

fn damaged<'a>(project: &'a Project, record: &'a str) -> impl FnOnce(Problem) -> Error + 'a {
    move |Problem { line, reason }| Error::Damaged {
        path: project.at(record),
        line,
        reason,
    }
}

/// The bytes of a record. A link is refused, because a later write would follow it.
fn optional(project: &Project, relative: &str) -> Result<Option<Vec<u8>>, Error> {
    let path = project.at(relative);
    if std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
        return Err(Error::Parent {
            path,
            found: "a symbolic link",
        });
    }
    Ok(aris_fs::read_optional(&path, record::LIMITS.bytes as u64)?)
}

fn is_stage(path: &str) -> bool {
    base(path) == STAGE && record::is_own_folder(parent(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_this_program_are_emptied() {
        assert!(is_stage(".agents/skills/.aris-stage") && is_stage(".aris/.aris-stage"));
        assert!(
            !is_stage("src/.aris-stage")
                && !is_stage(".agents/skills")
                && !is_stage("../.aris-stage")
        );
    }
}
