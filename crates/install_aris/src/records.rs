//! What is known about earlier runs: the manifest, the journal of one that was killed, and the reference's own manifests.
//!
//! Records are input like any other: whoever can write into the project can write them. So every path in them is checked, and
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

/// Name of the folders in which things are made ready, beside the place they go to.
pub(crate) const STAGE: &str = ".aris-stage";

/// Begin of a journal; a file that begins otherwise is not ours.
const JOURNAL_BEGIN: &[u8] = b"{\"tool\":\"install_aris\"";

/// All records of a project.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Records {
    /// `.aris/install.json`.
    pub(crate) manifest: Option<InstallManifest>,
    /// Plans of runs that did not end.
    pub(crate) unfinished: Vec<InstallManifest>,
    /// Their folders for things made ready.
    pub(crate) stages: BTreeSet<String>,
    /// What was the user's before a run that did not end took it: see [`Intent::given`].
    pub(crate) given: BTreeMap<String, Option<String>>,
    /// What such a run replaces: see [`Intent::replaced`].
    pub(crate) replaced: Vec<(String, Content)>,
    /// Whether there is a journal.
    pub(crate) has_journal: bool,
    /// Manifests of the reference's installers with their path, where they are not only our own in its format.
    pub(crate) reference: Vec<(&'static str, Reference)>,
    /// Whether our own in its format are there, and as old skills read them: `awk` takes a carriage return for a part of the path.
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

/// A later line of a journal: what will be there when the run is through.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Intent {
    pub(crate) stages: BTreeSet<String>,
    pub(crate) manifest: InstallManifest,
    /// Paths with what is the user's until the run is through: the text of a link that is adopted or replaced, or nothing where a
    /// copy is adopted.
    #[serde(default)]
    pub(crate) given: BTreeMap<String, Option<String>>,
    /// What is replaced, as it was recorded or seen: of an older install no other record says it.
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
            // The first line may be torn; then it is the begin of a begin.
            let mut lines = text.split(|byte| *byte == b'\n');
            let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
            if !first.starts_with(JOURNAL_BEGIN) && !JOURNAL_BEGIN.starts_with(first) {
                return Err(Error::Journal(path));
            }
            records.has_journal = true;
            for line in aris_fs::journal_lines(&path)? {
                // The first line says who; a torn one was followed by no change.
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

    /// The manifest and the plans of runs that did not end.
    pub(crate) fn all(&self) -> impl Iterator<Item = &InstallManifest> {
        self.manifest.iter().chain(&self.unfinished)
    }

    /// Entries of our own records by path, the newest last.
    pub(crate) fn entries(&self) -> BTreeMap<&str, Vec<&Entry>> {
        let mut entries: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in self.all().flat_map(|manifest| &manifest.entries) {
            entries.entry(&entry.path).or_default().push(entry);
        }
        entries
    }

    /// Folders that were made, or were about to be.
    pub(crate) fn folders(&self) -> BTreeSet<String> {
        self.all()
            .flat_map(|manifest| manifest.folders.iter().cloned())
            .collect()
    }

    /// Blocks that were put into instruction files, or were about to be.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        self.all().flat_map(|manifest| &manifest.blocks).collect()
    }

    /// Whether there is nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.manifest.is_none() && !self.has_journal && self.reference.is_empty()
    }

    /// Whether nothing was installed here before the run that the journal is of.
    pub(crate) fn is_empty_but_for_the_journal(&self) -> bool {
        self.manifest.is_none() && self.unfinished.is_empty() && self.reference.is_empty()
    }

    /// Where an old manifest says the skills came from.
    pub(crate) fn repo_root(&self) -> Option<&str> {
        let own = self.all().last().map(|manifest| &manifest.repo_root);
        let old = self.reference.first().map(|(_, old)| &old.repo_root);
        own.or(old).map(String::as_str)
    }
}

/// Whether a record in the reference's format says nothing that `own` does not say.
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

/// The bytes of a record; a link is refused, because what is written there later must not go through it.
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
