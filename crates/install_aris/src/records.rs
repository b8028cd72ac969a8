//! What is known about earlier runs: the manifest, the journal of one that was killed, and the reference's own manifests.
//!
//! Records are input like any other: whoever can write into the project can write them. So every path in them is checked, and
//! what they claim is compared with the disk before anything is removed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use aris_contract::artifact::install::{
    Block, CANONICAL_SKILLS, CLAUDE_SKILLS, Content, Entry, EntryKind, Host, INSTALL_MANIFEST,
    INSTALLED_SKILLS, INSTALLED_TOOLS, InstallManifest, LINKED_SKILLS, Origin,
};
use aris_contract::{json, schema};
use serde::{Deserialize, Serialize};

use crate::block;
use crate::error::Error;
use crate::project::{JOURNAL, Project, Shape, base, is_safe_name, parent};

/// The manifest of the reference's installer for Codex.
pub(crate) const CODEX_SKILLS: &str = ".aris/installed-skills-codex.txt";

/// Where skills are.
pub(crate) const PLACES: [&str; 2] = [CANONICAL_SKILLS, CLAUDE_SKILLS];

/// Name of the folders in which things are made ready, beside the place they go to.
pub(crate) const STAGE: &str = ".aris-stage";

/// Begin of a journal; a file that begins otherwise is not ours.
const JOURNAL_BEGIN: &[u8] = b"{\"tool\":\"install_aris\"";

/// A manifest of a thousand skills with a hundred files each has some 15 MB.
const LIMITS: json::Limits = json::Limits {
    bytes: 64 << 20,
    depth: 16,
};

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
    /// Whether there is a journal.
    pub(crate) has_journal: bool,
    /// Manifests of the reference's installers, where they are not only our own in its format.
    pub(crate) reference: Vec<Reference>,
    /// Whether our own in its format are there, and as old skills read them: `awk` takes a carriage return for a part of the path.
    pub(crate) views_are_current: bool,
}

/// A manifest in the reference's format.
#[derive(Debug, PartialEq)]
pub(crate) struct Reference {
    /// Its path, relative to the project.
    pub(crate) path: &'static str,
    /// The source it was installed from.
    pub(crate) repo_root: String,
    /// Its rows as entries.
    pub(crate) entries: Vec<Entry>,
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
}

impl Records {
    /// Reads and checks all records.
    pub(crate) fn read(project: &Project) -> Result<Self, Error> {
        let mut records = Self::default();
        if let Some(text) = optional(project, INSTALL_MANIFEST)? {
            records.manifest = Some(manifest(&project.at(INSTALL_MANIFEST), &text)?);
        }
        let path = project.at(JOURNAL);
        if !matches!(project.shape(JOURNAL), Shape::Absent | Shape::File) {
            return Err(Error::Journal { path });
        }
        if let Some(text) = optional(project, JOURNAL)? {
            // The first line may be torn; then it is the begin of a begin.
            let mut lines = text
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty());
            let first = lines.next().unwrap_or_default();
            if !first.starts_with(JOURNAL_BEGIN) && !JOURNAL_BEGIN.starts_with(first) {
                return Err(Error::Journal { path });
            }
            records.has_journal = true;
            for line in aris_fs::journal_lines(&path)? {
                // The first line says who; a torn one was followed by no change.
                let Ok(intent) = serde_json::from_str::<Intent>(&line) else {
                    continue;
                };
                let given = intent.given.keys().find(|path| !is_ours(path));
                let problem = problem_of(&intent.manifest)
                    .or_else(|| given.map(|path| format!("{path:?} is no place of this program")));
                let problem = problem.or_else(|| {
                    let bad = intent.stages.iter().find(|stage| !is_stage(stage));
                    bad.map(|stage| format!("{stage:?} is no folder of this program"))
                });
                if let Some(reason) = problem {
                    return Err(Error::Damaged {
                        path,
                        line: 1,
                        reason,
                    });
                }
                records.stages.extend(intent.stages);
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
            let is_needed = records
                .manifest
                .as_ref()
                .is_some_and(|own| path == INSTALLED_SKILLS || needs_codex_record(own));
            let Some(text) = optional(project, path)? else {
                records.views_are_current &= !is_needed;
                continue;
            };
            records.views_are_current &= !text.contains(&b'\r');
            let reference = reference(project, path, &text)?;
            if !records.all().any(|own| reference.is_view_of(own)) {
                records.reference.push(reference);
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
        let own = self
            .all()
            .last()
            .map(|manifest| manifest.repo_root.as_str());
        own.or_else(|| {
            self.reference
                .first()
                .map(|reference| reference.repo_root.as_str())
        })
    }
}

impl Reference {
    /// Whether it says nothing that `own` does not say.
    fn is_view_of(&self, own: &InstallManifest) -> bool {
        let repo_root = match self.path {
            CODEX_SKILLS => codex_root(own),
            _ => own.repo_root.clone(),
        };
        self.repo_root == repo_root
            && self
                .entries
                .iter()
                .all(|entry| own.entries.iter().any(|known| known.path == entry.path))
    }
}

/// Whether skills are installed that ask the record for Codex.
pub(crate) fn needs_codex_record(manifest: &InstallManifest) -> bool {
    let is_kept =
        |entry: &Entry| entry.origin == Origin::Older && parent(&entry.path) == CANONICAL_SKILLS;
    manifest.hosts.contains(&Host::Codex) || manifest.entries.iter().any(is_kept)
}

/// What skills for Codex take for a repository. They look into its `tools/` before all other places, and only `.aris/tools` holds the
/// helpers of every source that is installed.
fn codex_root(manifest: &InstallManifest) -> String {
    format!("{}/.aris", manifest.project_root)
}

/// The record that skills for Codex read their `repo_root` from. It lists nothing: `.aris/install.json` does.
pub(crate) fn for_codex(manifest: &InstallManifest) -> String {
    head(&codex_root(manifest), manifest)
}

fn head(repo_root: &str, manifest: &InstallManifest) -> String {
    format!(
        "version\t1\nrepo_root\t{repo_root}\nproject_root\t{}\ngenerated\t{}\nkind\tname\tsource_rel\ttarget_rel\tmode\n",
        manifest.project_root, manifest.generated
    )
}

/// The manifest in the reference's format, for old skills and old installers. `.claude` comes first, because the reference's
/// uninstaller follows those links while the canonical ones are still there.
pub(crate) fn in_reference_format(manifest: &InstallManifest) -> String {
    let mut text = head(&manifest.repo_root, manifest);
    let rows = manifest
        .entries
        .iter()
        .filter(|entry| entry.kind != EntryKind::Tool && entry.origin == Origin::Source)
        // Not the files of references that are united.
        .filter(|entry| PLACES.contains(&parent(&entry.path)));
    let (claude, other): (Vec<_>, Vec<_>) =
        rows.partition(|entry| entry.path.starts_with(CLAUDE_SKILLS));
    for entry in claude.into_iter().chain(other) {
        let Entry {
            kind,
            name,
            path,
            content,
            ..
        } = entry;
        let mode = if matches!(content, Content::Link { .. }) {
            "symlink"
        } else {
            "copy"
        };
        for part in [
            kind.word(),
            "\t",
            name,
            "\tskills/",
            name,
            "\t",
            path,
            "\t",
            mode,
            "\n",
        ] {
            text.push_str(part);
        }
    }
    text
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
    Ok(aris_fs::read_optional(&path, LIMITS.bytes as u64)?)
}

fn manifest(path: &Path, text: &[u8]) -> Result<InstallManifest, Error> {
    let damaged = |line, reason| Error::Damaged {
        path: path.to_path_buf(),
        line,
        reason,
    };
    let manifest: InstallManifest =
        json::typed(text, LIMITS).map_err(|error| damaged(error.line, error.to_string()))?;
    match problem_of(&manifest) {
        None => Ok(manifest),
        Some(reason) => Err(damaged(1, reason)),
    }
}

/// What is wrong with a manifest that parses.
fn problem_of(manifest: &InstallManifest) -> Option<String> {
    if manifest.schema != schema::id::INSTALL_MANIFEST {
        return Some(format!(
            "schema is {:?}, not {:?}",
            manifest.schema,
            schema::id::INSTALL_MANIFEST
        ));
    }
    let entries = manifest.entries.iter();
    if let Some(bad) = entries.clone().find(|entry| !is_ours(&entry.path)) {
        return Some(format!("entry {:?} is no place of this program", bad.path));
    }
    for entry in entries {
        if let Content::Tree { files } = &entry.content
            && let Some(bad) = files.iter().find(|file| !is_below(&file.path))
        {
            return Some(format!("file {:?} leaves {}", bad.path, entry.path));
        }
    }
    let folders = manifest.folders.iter();
    if let Some(bad) = folders.clone().find(|folder| !is_own_folder(folder)) {
        return Some(format!("folder {bad:?} is none of this program"));
    }
    let unknown = |block: &&Block| {
        let ends = |text: &str| text.bytes().all(|b| matches!(b, b'\r' | b'\n'));
        block::kind_of(&block.path).is_none() || !ends(&block.before) || !ends(&block.after)
    };
    manifest
        .blocks
        .iter()
        .find(unknown)
        .map(|block| format!("block in {:?} is none of this program", block.path))
}

/// Whether an entry may be at this path.
fn is_ours(path: &str) -> bool {
    let skill = PLACES.contains(&parent(path));
    let name = base(path);
    let reference = PLACES.into_iter().any(|place| {
        let below = path.strip_prefix(place);
        let below = below.and_then(|rest| rest.strip_prefix("/shared-references/"));
        below.is_some_and(is_below)
    });
    let tool = [INSTALLED_TOOLS, LINKED_SKILLS].contains(&path)
        || path
            .strip_prefix(INSTALLED_TOOLS)
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(is_below);
    (skill && is_safe_name(name)) || reference || tool
}

/// Whether a folder may have been made by this program.
fn is_own_folder(path: &str) -> bool {
    [".aris", ".agents", ".claude"].into_iter().any(|top| {
        path == top
            || path
                .strip_prefix(top)
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(is_below)
    })
}

fn is_stage(path: &str) -> bool {
    path.rsplit('/').next() == Some(STAGE) && is_own_folder(parent(path))
}

/// Whether a relative path has plain parts only.
fn is_below(path: &str) -> bool {
    !path.is_empty()
        && !path.split('/').any(str::is_empty)
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        && !path.split('/').any(|part| part == "." || part == "..")
}

/// A manifest in the reference's format: rows of tab-separated columns, head first.
///
/// **Source**: the reference's installers, `write_manifest_tmp` and `load_manifest`.
fn reference(project: &Project, path: &'static str, text: &[u8]) -> Result<Reference, Error> {
    let damaged = |line, reason: String| Error::Damaged {
        path: project.at(path),
        line,
        reason,
    };
    let text = str::from_utf8(text).map_err(|error| {
        let before = text.get(..error.valid_up_to()).unwrap_or_default();
        damaged(
            1 + before.iter().filter(|b| **b == b'\n').count(),
            String::from("not UTF-8"),
        )
    })?;
    let (mut version, mut repo_root, mut in_body) = (None, None, false);
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns.as_slice() {
            ["kind", "name", "source_rel", "target_rel", "mode"] => in_body = true,
            [kind, name, from, to, mode] if in_body => {
                let kind = match *kind {
                    "skill" => EntryKind::Skill,
                    "support" => EntryKind::Support,
                    other => return Err(damaged(at + 1, format!("{other:?} is no kind"))),
                };
                let sound = is_safe_name(name)
                    && is_ours(to)
                    && to.ends_with(&format!("/{name}"))
                    && is_below(from);
                if !sound {
                    return Err(damaged(
                        at + 1,
                        String::from("the row names a path outside its place"),
                    ));
                }
                // A row says what was copied only by name: a copy without digests is the user's.
                let Some(root) = repo_root.filter(|_| *mode == "symlink") else {
                    continue;
                };
                entries.push(Entry {
                    path: String::from(*to),
                    kind,
                    name: String::from(*name),
                    origin: Origin::Older,
                    content: Content::Link {
                        target: format!("{root}/{from}"),
                    },
                });
            }
            ["version", value, ..] if version.is_none() => version = Some(*value),
            ["repo_root", value, ..] if repo_root.is_none() => repo_root = Some(*value),
            _ => {}
        }
    }
    if version != Some("1") {
        return Err(damaged(1, format!("version is {version:?}, not 1")));
    }
    match repo_root.filter(|root| root.starts_with('/')) {
        Some(root) => Ok(Reference {
            path,
            repo_root: String::from(root),
            entries,
        }),
        None => Err(damaged(
            1,
            String::from("no repo_root row with an absolute path"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn project() -> Project {
        Project {
            root: "/p".into(),
            text: String::from("/p"),
            is_home: false,
        }
    }

    fn read(text: &str) -> Result<Reference, Error> {
        reference(&project(), INSTALLED_SKILLS, text.as_bytes())
    }

    const HEAD: &str = "version\t1\nrepo_root\t/r\nproject_root\t/p\ngenerated\tx\nkind\tname\tsource_rel\ttarget_rel\tmode\n";

    #[test]
    fn the_reference_s_rows_are_links_into_its_root() {
        let found = read(&format!(
            "{HEAD}skill\tx\tskills/x\t.claude/skills/x\tsymlink\n"
        ))
        .expect("a manifest");
        assert_eq!(found.repo_root, "/r");
        assert_eq!(
            found.entries[0].content,
            Content::Link {
                target: String::from("/r/skills/x")
            }
        );
    }

    #[test]
    fn rows_that_leave_their_place_are_refused_with_their_line() {
        for row in [
            "skill\t../x\tskills/x\t.claude/skills/x\tsymlink",
            "skill\tx\tskills/x\t../../etc/x\tsymlink",
            "skill\tx\tskills/x\t/etc/x\tsymlink",
            "skill\tx\t../x\t.claude/skills/x\tsymlink",
            "skill\tx\tskills/x\t.claude/skills/y\tsymlink",
            "skill\tx\tskills/x\t.claude/settings/x\tsymlink",
            "file\tx\tskills/x\t.claude/skills/x\tsymlink",
        ] {
            match read(&format!("{HEAD}{row}\n")) {
                Err(Error::Damaged { line, .. }) => assert_eq!(line, 6, "{row}"),
                other => panic!("{row}: {other:?}"),
            }
        }
        for head in [
            "",
            "version\t2\nrepo_root\t/r\n",
            "version\t1\n",
            "version\t1\nrepo_root\trelative\n",
        ] {
            assert!(read(head).is_err(), "{head}");
        }
    }

    #[test]
    fn only_places_of_this_program_are_its_own() {
        for good in [
            ".agents/skills/x",
            ".claude/skills/x.y",
            ".aris/tools",
            ".aris/tools/a/b.py",
        ] {
            assert!(is_ours(good), "{good}");
        }
        for bad in [
            ".claude/x",
            ".claude/skills/x/y",
            ".claude/skills/..",
            ".aris/traces/x",
            ".aris/tools/../x",
            "/etc/passwd",
            ".aris/tools/",
            ".aris/tools//x",
            "skills/x",
            "",
        ] {
            assert!(!is_ours(bad), "{bad}");
        }
        assert!(is_stage(".agents/skills/.aris-stage") && is_stage(".aris/.aris-stage"));
        assert!(
            !is_stage("src/.aris-stage")
                && !is_stage(".agents/skills")
                && !is_stage("../.aris-stage")
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            reference(&project(), INSTALLED_SKILLS, &bytes).map(|_| ()).unwrap_or_default();
            manifest(Path::new("x"), &bytes).map(|_| ()).unwrap_or_default();
        }

        #[test]
        fn no_rows_make_the_reader_leave_the_project(cells in prop::collection::vec("[a-z./\\\\]{0,12}", 5)) {
            if let Ok(found) = read(&format!("{HEAD}{}\n", cells.join("\t"))) {
                prop_assert!(found.entries.iter().all(|entry| is_ours(&entry.path)));
            }
        }
    }
}
