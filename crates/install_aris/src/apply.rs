//! Makes the changes of a plan: each is checked against the disk again just before it is made (rule S11), made ready beside its place
//! and put there by one rename; the record is written last.

use std::path::{Path, PathBuf};

use aris_contract::artifact::install::{
    Content, Entry, INSTALL_MANIFEST, INSTALLED_SKILLS, InstallManifest, TreeFile,
};

use crate::compare::{Match, compare};
use crate::documents;
use crate::error::Error;
use crate::plan::{Plan, Step, Was};
use crate::project::{Project, Shape, parent};
use crate::records::{STAGE, in_reference_format};
use crate::source;
use crate::wanted::{From, Wanted};

/// Modes of installed files.
const EXECUTABLE: u32 = 0o755;
const PLAIN: u32 = 0o644;

/// Makes everything but the record.
pub(crate) fn apply(project: &Project, source_root: &Path, plan: &Plan) -> Result<(), Error> {
    let (early, late): (Vec<&Step>, Vec<&Step>) = plan
        .steps
        .iter()
        .partition(|step| matches!(step, Step::Remove { .. }));
    for step in early {
        make(project, source_root, plan, step)?;
    }
    for folder in &plan.folders {
        aris_fs::create_folder(&project.at(folder))?;
    }
    for stage in &plan.stages {
        aris_fs::create_folder(&project.at(stage))?;
    }
    for step in late {
        make(project, source_root, plan, step)?;
    }
    for stage in &plan.stages {
        aris_fs::remove_tree(&project.root, &project.at(stage))?;
    }
    Ok(())
}

/// Writes the record: first for old skills, then the one that counts.
pub(crate) fn record(project: &Project, manifest: &InstallManifest) -> Result<(), Error> {
    let text = in_reference_format(manifest);
    aris_fs::write_atomic(&project.at(INSTALLED_SKILLS), text.as_bytes())?;
    let text = format!("{}\n", serde_json::to_string_pretty(manifest)?);
    aris_fs::write_atomic(&project.at(INSTALL_MANIFEST), text.as_bytes())?;
    Ok(())
}

/// Removes the folders in which a killed run made things ready.
pub(crate) fn sweep<'a>(
    project: &Project,
    stages: impl IntoIterator<Item = &'a String>,
) -> Result<(), Error> {
    for stage in stages {
        if project.shape(stage) == Shape::Folder {
            aris_fs::remove_tree(&project.root, &project.at(stage))?;
        }
    }
    for record in [INSTALL_MANIFEST, INSTALLED_SKILLS] {
        if project.shape(parent(record)) == Shape::Folder {
            aris_fs::sweep_dead(&project.at(record))?;
        }
    }
    for kind in &crate::block::KINDS {
        aris_fs::sweep_dead(&project.at(kind.path))?;
    }
    Ok(())
}

fn make(project: &Project, source_root: &Path, plan: &Plan, step: &Step) -> Result<(), Error> {
    match step {
        Step::Remove { path, content } => remove(project, path, content),
        Step::Create { path } => {
            let wanted = wanted(plan, project, path)?;
            if let Content::Link { target } = &wanted.entry.content {
                return Ok(aris_fs::create_link(Path::new(target), &project.at(path))?);
            }
            let ready = make_ready(project, source_root, path, wanted)?;
            Ok(aris_fs::rename_new(&ready, &project.at(path))?)
        }
        Step::Replace { path, was, kept } => {
            let is_as_planned = match was {
                Was::Recorded(content) => {
                    matches!(
                        compare(project, path, content)?,
                        Match::Same | Match::Partial
                    )
                }
                Was::Edited => matches!(project.shape(path), Shape::File | Shape::Folder),
                Was::Link(target) => project.shape(path) == Shape::Link(target.clone()),
            };
            if !is_as_planned {
                return Err(Error::Changed {
                    path: project.at(path),
                });
            }
            let ready = make_ready(project, source_root, path, wanted(plan, project, path)?)?;
            // What is edited must not pass through the folder that is thrown away.
            if let Some(kept) = kept {
                aris_fs::rename_new(&project.at(path), &project.at(kept))?;
                Ok(aris_fs::rename_new(&ready, &project.at(path))?)
            } else {
                Ok(aris_fs::exchange(&ready, &project.at(path))?)
            }
        }
        Step::Move { from, to } => Ok(aris_fs::rename_new(&project.at(from), &project.at(to))?),
        Step::Edit(edit) => documents::apply(edit),
    }
}

fn wanted<'a>(plan: &'a Plan, project: &Project, path: &str) -> Result<&'a Wanted, Error> {
    plan.wanted.get(path).ok_or_else(|| Error::Changed {
        path: project.at(path),
    })
}

/// Makes an entry ready beside its place. Gives where.
fn make_ready(
    project: &Project,
    source_root: &Path,
    path: &str,
    wanted: &Wanted,
) -> Result<PathBuf, Error> {
    let Entry { content, .. } = &wanted.entry;
    let name = path.rsplit('/').next().unwrap_or(path);
    let ready = project.at(&format!("{}/{STAGE}/{name}", parent(path)));
    match (&wanted.from, content) {
        (From::Link, Content::Link { target }) => aris_fs::create_link(Path::new(target), &ready)?,
        (From::Text(text), _) => aris_fs::create_file(&ready, text.as_bytes(), EXECUTABLE)?,
        (From::Folder(folder), Content::Tree { files }) => {
            copy(source_root, folder, files, &ready)?;
        }
        (From::Link | From::Folder(_), _) => {
            return Err(Error::Changed {
                path: project.at(path),
            });
        }
    }
    Ok(ready)
}

/// Copies the files of a plan; one that changed since is an error (rule S10: nor may one lead out of the source by now).
fn copy(root: &Path, from: &Path, files: &[TreeFile], to: &Path) -> Result<(), Error> {
    aris_fs::create_folder(to)?;
    let mut made = std::collections::BTreeSet::new();
    for file in files {
        let mut folder = parent(&file.path);
        let mut above = Vec::new();
        while !folder.is_empty() && made.insert(folder) {
            above.push(folder);
            folder = parent(folder);
        }
        for folder in above.iter().rev() {
            aris_fs::create_folder(&to.join(folder))?;
        }
        let path = from.join(&file.path);
        if !std::fs::canonicalize(&path).is_ok_and(|real| real.starts_with(root)) {
            return Err(Error::Changed { path });
        }
        let bytes = source::bytes(&path, &file.digest)?;
        let mode = if file.executable { EXECUTABLE } else { PLAIN };
        aris_fs::create_file(&to.join(&file.path), &bytes, mode)?;
    }
    Ok(())
}

/// Removes what is still as recorded. What the user changed or added meanwhile stays.
pub(crate) fn remove(project: &Project, path: &str, content: &Content) -> Result<(), Error> {
    let edited = match compare(project, path, content)? {
        Match::Same | Match::Partial => Vec::new(),
        Match::Edited(files) if matches!(content, Content::Tree { .. }) => files,
        Match::Absent => return Ok(()),
        Match::Edited(_) | Match::Other(_) => {
            return Err(Error::Changed {
                path: project.at(path),
            });
        }
    };
    let Content::Tree { files } = content else {
        return Ok(aris_fs::remove_file(&project.at(path))?);
    };
    let mut folders = std::collections::BTreeSet::from([path.to_owned()]);
    for file in files {
        let whole = format!("{path}/{}", file.path);
        let mut folder = parent(&whole);
        while folder.len() > path.len() {
            folders.insert(folder.to_owned());
            folder = parent(folder);
        }
        if !edited.contains(&file.path) && project.shape(&whole) == Shape::File {
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
