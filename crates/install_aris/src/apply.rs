//! Applies a plan. Each change is checked against the disk again immediately before it is made (rule S11). New content is
//! staged beside its place and put there with one rename. The record is written last.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_contract::artifact::install::{
    Content, Entry, INSTALL_MANIFEST, INSTALLED_SKILLS, InstallManifest, TreeFile,
};
use aris_contract::artifact::record::{self, CODEX_SKILLS};
use aris_skills::names::{file_name as base, folder as parent};

use crate::compare::{Match, compare};
use crate::documents;
use crate::error::Error;
use crate::plan::free_name;
use crate::project::{Project, Shape};
use crate::records::STAGE;
use crate::source;
use crate::step::{Plan, Step, Was};
use crate::wanted::{From, Wanted};

/// Modes of installed files.
const EXECUTABLE: u32 = 0o755;
const PLAIN: u32 = 0o644;

/// Prefix of an entry in a stage that may be incomplete. No skill or tool has a name that begins so.
const UNREADY: char = '+';

/// Makes all changes except the record. Afterwards the stage folders hold what was replaced.
pub(crate) fn apply(project: &Project, source_root: &Path, plan: &Plan) -> Result<(), Error> {
    // An older install's record moves last: until then it tells what may be replaced.
    let order = |step: &&Step| match step {
        Step::Remove { .. } => 0,
        Step::Move { .. } => 2,
        _ => 1,
    };
    let work = Work {
        project,
        source_root,
        plan,
        copied: RefCell::default(),
    };
    let steps = |wanted: i32| plan.steps.iter().filter(move |step| order(step) == wanted);
    for step in steps(0) {
        make(&work, step)?;
    }
    for folder in plan.folders.iter().chain(&plan.stages) {
        aris_fs::create_folder(&project.at(folder))?;
    }
    for step in steps(1).chain(steps(2)) {
        make(&work, step)?;
    }
    for folder in plan.obsolete.iter().rev() {
        aris_fs::remove_empty_folder(&project.at(folder))?;
    }
    Ok(())
}

/// Writes the records: first those in the reference's format, then `install.json`, which is authoritative.
pub(crate) fn record(project: &Project, manifest: &InstallManifest) -> Result<(), Error> {
    let text = record::in_reference_format(manifest);
    aris_fs::write_atomic(&project.at(INSTALLED_SKILLS), text.as_bytes())?;
    if record::needs_codex(manifest) {
        let text = record::for_codex(manifest);
        aris_fs::write_atomic(&project.at(CODEX_SKILLS), text.as_bytes())?;
    } else {
        aris_fs::remove_file(&project.at(CODEX_SKILLS))?;
    }
    let text = format!("{}\n", serde_json::to_string_pretty(manifest)?);
    aris_fs::write_atomic(&project.at(INSTALL_MANIFEST), text.as_bytes())?;
    Ok(())
}

/// Removes the stage folders and temporary files of killed writers. In a stage, content that is `known` is removed; anything
/// else is a user's edit made during the run, and is moved to a kept place. Returns these places.
pub(crate) fn sweep<'a>(
    project: &Project,
    stages: impl IntoIterator<Item = &'a String>,
    known: &[(String, Content)],
    now: &str,
) -> Result<Vec<String>, Error> {
    let mut kept = Vec::new();
    for stage in stages {
        if project.shape(stage) != Shape::Folder {
            continue;
        }
        for found in aris_fs::list_sorted(&project.at(stage))? {
            let Some(name) = found.name.to_str() else {
                continue;
            };
            let path = format!("{stage}/{name}");
            // It is incomplete and was never in its place, so it has no edits.
            if name.starts_with(UNREADY) || is_known(project, &path, known)? {
                match project.shape(&path) {
                    Shape::Folder => aris_fs::remove_tree(&project.root, &found.path)?,
                    _ => aris_fs::remove_file(&found.path)?,
                }
                continue;
            }
            let to = free_name(project, name, now, |_| false);
            aris_fs::create_dir(&project.at(parent(&to)))?;
            aris_fs::rename_new(&found.path, &project.at(&to))?;
            kept.push(to);
        }
        aris_fs::remove_empty_folder(&project.at(stage))?;
    }
    for record in [INSTALL_MANIFEST, INSTALLED_SKILLS, CODEX_SKILLS] {
        if project.shape(parent(record)) == Shape::Folder {
            aris_fs::sweep_dead(&project.at(record))?;
        }
    }
    for kind in &crate::block::KINDS {
        aris_fs::sweep_dead(&project.at(kind.path))?;
    }
    Ok(kept)
}

/// Whether this program put the staged content in its place once, or was about to.
fn is_known(project: &Project, path: &str, known: &[(String, Content)]) -> Result<bool, Error> {
    // On systems that cannot exchange two paths, one of them has this name for a moment.
    let name = base(path).trim_end_matches(".old");
    for (_, content) in known.iter().filter(|(path, _)| base(path) == name) {
        if compare(project, path, content)?.is_ours() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// State of one run of [`apply`].
struct Work<'a> {
    project: &'a Project,
    source_root: &'a Path,
    plan: &'a Plan,
    /// The programs copied so far, by digest: path in the stage, and final path.
    copied: RefCell<BTreeMap<String, [PathBuf; 2]>>,
}

fn make(work: &Work<'_>, step: &Step) -> Result<(), Error> {
    let (project, plan) = (work.project, work.plan);
    match step {
        Step::Remove { path, content } => remove(project, path, content),
        Step::Create { path } => {
            let wanted = wanted(plan, project, path)?;
            if let Content::Link { target } = &wanted.entry.content {
                return Ok(aris_fs::create_link(Path::new(target), &project.at(path))?);
            }
            let ready = make_ready(work, path, wanted)?;
            Ok(aris_fs::rename_new(&ready, &project.at(path))?)
        }
        Step::Replace { path, was } => {
            let changed = || Error::changed(project.at(path));
            if !is_as_planned(project, path, was)? {
                return Err(changed());
            }
            let ready = make_ready(work, path, wanted(plan, project, path)?)?;
            // An edited entry must not pass through the stage, which is swept.
            if let Was::Edited { kept } = was {
                aris_fs::rename_new(&project.at(path), &project.at(kept))?;
                return Ok(aris_fs::rename_new(&ready, &project.at(path))?);
            }
            let aside = format!("{}/{STAGE}/{}", parent(path), base(path));
            aris_fs::rename_new(&ready, &project.at(&aside))?;
            aris_fs::exchange(&project.at(&aside), &project.at(path))?;
            // Somebody may have changed it while the new content was staged.
            if !is_as_planned(project, &aside, was)? {
                aris_fs::exchange(&project.at(&aside), &project.at(path))?;
                return Err(changed());
            }
            Ok(())
        }
        Step::Move { from, to } => Ok(aris_fs::rename_new(&project.at(from), &project.at(to))?),
        Step::Edit(edit) => documents::apply(edit),
    }
}

fn wanted<'a>(plan: &'a Plan, project: &Project, path: &str) -> Result<&'a Wanted, Error> {
    let wanted = plan.wanted.get(path);
    wanted.ok_or_else(|| Error::changed(project.at(path)))
}

/// Whether the content to be replaced is still what the plan saw.
fn is_as_planned(project: &Project, path: &str, was: &Was) -> Result<bool, Error> {
    Ok(match was {
        Was::Known(content) => compare(project, path, content)?.is_ours(),
        Was::Edited { .. } => matches!(project.shape(path), Shape::File | Shape::Folder),
    })
}

/// Stages an entry beside its place, under a name that marks it as incomplete until it is whole. Returns its path.
fn make_ready(work: &Work<'_>, path: &str, wanted: &Wanted) -> Result<PathBuf, Error> {
    let project = work.project;
    let Entry { content, .. } = &wanted.entry;
    let ready = project.at(&format!("{}/{STAGE}/{UNREADY}{}", parent(path), base(path)));
    match (&wanted.from, content) {
        (From::Link, Content::Link { target }) => aris_fs::create_link(Path::new(target), &ready)?,
        (From::Text(text), _) => aris_fs::create_file(&ready, text.as_bytes(), EXECUTABLE)?,
        (From::File(from), Content::File { digest, executable }) => {
            let mode = if *executable { EXECUTABLE } else { PLAIN };
            aris_fs::create_file(&ready, &source::bytes(from, digest)?, mode)?;
        }
        (From::Folder(folder), Content::Tree { files }) => {
            copy(work, folder, files, [&ready, &project.at(path)])?;
        }
        (From::Link | From::Folder(_) | From::File(_), _) => {
            return Err(Error::changed(project.at(path)));
        }
    }
    Ok(ready)
}

/// Copies the files of a plan. A file that changed since, or that now leads out of the source (rule S10), is an error.
///
/// A release has the same program under the name of each helper. It is copied once; the other names become links to that copy.
fn copy(work: &Work<'_>, from: &Path, files: &[TreeFile], to: [&Path; 2]) -> Result<(), Error> {
    let [ready, place] = to;
    aris_fs::create_folder(ready)?;
    let mut made = std::collections::BTreeSet::new();
    for file in files {
        let mut folder = parent(&file.path);
        let mut above = Vec::new();
        while !folder.is_empty() && made.insert(folder) {
            above.push(folder);
            folder = parent(folder);
        }
        for folder in above.iter().rev() {
            aris_fs::create_folder(&ready.join(folder))?;
        }
        let path = from.join(&file.path);
        if !std::fs::canonicalize(&path).is_ok_and(|real| real.starts_with(work.source_root)) {
            return Err(Error::Changed(path));
        }
        let target = ready.join(&file.path);
        let is_program = file.executable && file.path.starts_with("scripts/bin/");
        let link = |first: &PathBuf| std::fs::hard_link(first, &target).is_ok();
        let mut copied = work.copied.borrow_mut();
        let mut first = copied.get(&file.digest).into_iter().flatten();
        if is_program && first.any(link) {
            continue;
        }
        let bytes = source::bytes(&path, &file.digest)?;
        let mode = if file.executable { EXECUTABLE } else { PLAIN };
        aris_fs::create_file(&target, &bytes, mode)?;
        if is_program {
            copied.insert(file.digest.clone(), [target, place.join(&file.path)]);
        }
    }
    Ok(())
}

/// Removes what is still as recorded. Changes and additions by the user stay.
pub(crate) fn remove(project: &Project, path: &str, content: &Content) -> Result<(), Error> {
    let Content::Tree { files } = content else {
        return match compare(project, path, content)? {
            Match::Same => Ok(aris_fs::remove_file(&project.at(path))?),
            Match::Absent => Ok(()),
            _ => Err(Error::changed(project.at(path))),
        };
    };
    let mut folders = std::collections::BTreeSet::from([path.to_owned()]);
    for file in files {
        let whole = format!("{path}/{}", file.path);
        let mut folder = parent(&whole);
        while folder.len() > path.len() {
            folders.insert(folder.to_owned());
            folder = parent(folder);
        }
        // Compare each file immediately before its removal: hashing all of them first would leave time for an edit.
        let content = Content::File {
            digest: file.digest.clone(),
            executable: file.executable,
        };
        if compare(project, &whole, &content)? == Match::Same {
            aris_fs::remove_file(&project.at(&whole))?;
        }
    }
    for folder in folders.iter().rev() {
        if project.shape(folder) == Shape::Folder {
            aris_fs::remove_empty_folder(&project.at(folder))?;
        }
    }
    Ok(())
}
