//! Removes what the records list and the disk confirms, one by one (rules S1 to S3, S8). Everything else stays and is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::artifact::install::{
    Content, Entry, INSTALL_MANIFEST, INSTALLED_SKILLS, INSTALLED_TOOLS, Origin,
};
use aris_contract::artifact::record::{CODEX_SKILLS, PLACES};
use aris_fs::EntryKind as OnDisk;

use crate::apply;
use crate::compare::{Match, compare};
use crate::documents;
use crate::error::Error;
use crate::project::{Project, Shape};
use crate::records::{Intent, Records};
use crate::report::{Log, What};
use crate::step::Edit;

/// The plan of an uninstall.
#[derive(Debug, Default)]
pub(crate) struct Removal {
    /// Paths whose content is confirmed, completely or in part.
    entries: Vec<(String, Content)>,
    /// The user's links, with their text, that an unfinished run took.
    links: Vec<(String, String)>,
    edits: Vec<Edit>,
    /// Record files, which are removed last.
    files: Vec<String>,
    /// Folders that this program created, inner ones last.
    folders: BTreeSet<String>,
    pub(crate) log: Log,
}

/// Plans what is removed.
pub(crate) fn plan(project: &Project, records: &Records) -> Result<Removal, Error> {
    let mut removal = Removal {
        folders: records.folders(),
        ..Removal::default()
    };
    let mut known: BTreeMap<String, Vec<Content>> = BTreeMap::new();
    let mut theirs: BTreeMap<&str, &Content> = BTreeMap::new();
    for entry in records.all().flat_map(|manifest| &manifest.entries) {
        // A whole skill that only the older install has. Entries below a skill's folder were put there by this program.
        let is_skill = PLACES.iter().any(|place| {
            let name = entry.path.strip_prefix(place);
            name.is_some_and(|name| name.matches('/').count() == 1)
        });
        if entry.origin == Origin::Older && is_skill {
            theirs.insert(&entry.path, &entry.content);
        }
        let contents = known.entry(entry.path.clone()).or_default();
        if !contents.contains(&entry.content) {
            contents.push(entry.content.clone());
        }
    }
    for (path, reference) in &records.reference {
        removal.files.push((*path).to_owned());
        for Entry { path, content, .. } in &reference.entries {
            known.entry(path.clone()).or_default().push(content.clone());
        }
        let target = format!("{}/tools", reference.repo_root);
        let tools = known.entry(INSTALLED_TOOLS.to_owned()).or_default();
        tools.push(Content::Link { target });
    }
    for (path, contents) in known {
        if let Some(content) = theirs.get(path.as_str())
            && matches!(compare(project, &path, content)?, Match::Same)
        {
            let reason = "was there before this install, and is not of it";
            removal.log.leave(&path, reason);
            continue;
        }
        match records.given.get(&path) {
            None => removal.decide(project, path, &contents)?,
            Some(Some(link)) if project.shape(&path) != Shape::Link(link.into()) => {
                removal.decide(project, path.clone(), &contents)?;
                removal.links.push((path, link.clone()));
            }
            // An unfinished run had not touched it yet.
            Some(_) => {}
        }
    }
    let edits = documents::removals(project, &records.blocks());
    removal.edits = edits.edits;
    removal.log.append(edits.log);
    if records.all().next().is_some() {
        let records = [INSTALLED_SKILLS, CODEX_SKILLS, INSTALL_MANIFEST];
        removal.files.extend(records.map(String::from));
    }
    removal.files.sort();
    removal.files.dedup();
    // `install.json` is removed last, because it is authoritative.
    removal.files.sort_by_key(|file| file == INSTALL_MANIFEST);
    for file in &removal.files {
        if project.shape(file) != Shape::Absent {
            removal.log.change(What::Record, file);
        }
    }
    Ok(removal)
}

impl Removal {
    fn decide(
        &mut self,
        project: &Project,
        path: String,
        contents: &[Content],
    ) -> Result<(), Error> {
        let mut edited = None;
        let mut found = Shape::Absent;
        for content in contents.iter().rev() {
            match compare(project, &path, content)? {
                Match::Same | Match::Partial => {
                    self.log.change(What::Remove, &path);
                    self.entries.push((path, content.clone()));
                    return Ok(());
                }
                Match::Absent => return Ok(()),
                Match::Edited(files) => {
                    edited.get_or_insert((content, files));
                }
                Match::Other(shape) => found = shape,
            }
        }
        match edited {
            Some((content @ Content::Tree { .. }, files)) => {
                let reason = format!("holds what is yours: {}", files.join(", "));
                self.log.leave(&path, reason);
                self.entries.push((path, content.clone()));
            }
            Some(_) => self.log.leave(&path, "was edited"),
            // The reference's manifest implies this link, but not every install has it.
            None if path == INSTALLED_TOOLS && found == Shape::Folder => {}
            None => {
                let reason = format!("is now {}", found.describe());
                self.log.leave(&path, reason);
            }
        }
        Ok(())
    }

    /// Makes the changes. Adds folders that are not empty to the report.
    pub(crate) fn apply(&mut self, project: &Project) -> Result<(), Error> {
        for (path, content) in &self.entries {
            apply::remove(project, path, content)?;
        }
        for (path, link) in &self.links {
            if project.shape(path) == Shape::Absent {
                aris_fs::create_link(Path::new(link), &project.at(path))?;
            }
        }
        for edit in &self.edits {
            documents::apply(edit)?;
        }
        // Remove folders while the record still lists them, except for `.aris`, which contains the record.
        let folders = self.folders.iter().rev();
        let (inner, outer): (Vec<_>, Vec<_>) = folders.partition(|folder| *folder != ".aris");
        let mut full = remove_folders(project, &inner)?;
        for file in &self.files {
            if project.shape(file) == Shape::File {
                aris_fs::remove_file(&project.at(file))?;
            }
        }
        full.extend(remove_folders(project, &outer)?);
        for folder in full {
            self.log.leave(&folder, "is not empty");
        }
        Ok(())
    }
}

/// Removes empty folders, inner ones first. Returns those that are not empty.
fn remove_folders(project: &Project, folders: &[&String]) -> Result<Vec<String>, Error> {
    let mut full = Vec::new();
    for folder in folders {
        if project.shape(folder) == Shape::Folder
            && !aris_fs::remove_empty_folder(&project.at(folder))?
        {
            full.push((*folder).clone());
        }
    }
    Ok(full)
}

/// Undoes a first install that failed, so that nothing incomplete stays.
pub(crate) fn roll_back(project: &Project, planned: Intent) -> Result<(), Error> {
    let records = Records {
        unfinished: vec![planned.manifest],
        given: planned.given,
        ..Records::default()
    };
    plan(project, &records)?.apply(project)
}

/// Removes cached copies of the helpers' binaries. Returns their number.
///
/// **Source**: the launchers cache them as `${XDG_CACHE_HOME:-$HOME/.cache}/aris/bin/<helper>-<version>-…`.
pub(crate) fn purge(context: &Context) -> Result<usize, Error> {
    let absolute = |name: &str| {
        let path = context.env(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let folder = cache.map(|cache| cache.join("aris/bin"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        return Ok(0);
    };
    let mut count = 0;
    for entry in aris_fs::list_sorted(&folder)? {
        let name = entry.name.to_string_lossy();
        let mut helpers = aris_contract::helpers::all().iter();
        let is_copy = helpers.any(|row| name.starts_with(&format!("{}-", row.name)));
        if entry.kind == OnDisk::File && is_copy {
            aris_fs::remove_file(&entry.path)?;
            count += 1;
        }
    }
    if aris_fs::remove_empty_folder(&folder)?
        && let Some(above) = folder.parent()
    {
        aris_fs::remove_empty_folder(above)?;
    }
    Ok(count)
}
