//! Computes what an install changes, from the wanted entries, the records and the disk. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use aris_contract::artifact::install::{
    Content, Entry, EntryKind, INSTALL_MANIFEST, INSTALLED_TOOLS, InstallManifest, InstallMode,
    Origin,
};
use aris_contract::schema;
use aris_skills::names::folder as parent;

use crate::cli::Cli;
use crate::compare::{Match, compare};
use crate::documents;
use crate::error::Error;
use crate::older;
use crate::project::{Project, Shape};
use crate::records::{Records, STAGE};
use crate::report::{Log, What};
use crate::step::{Inputs, Plan, Step, Was};
use crate::wanted::{From, Wanted};

/// Folder for edited files that an update replaced, relative to the project.
pub(crate) const KEPT: &str = ".aris/kept";

/// Makes the plan.
pub(crate) fn plan(inputs: &Inputs<'_>, wanted: BTreeMap<String, Wanted>) -> Result<Plan, Error> {
    let (project, source, choices) = (inputs.project, inputs.source, inputs.choices);
    let records = inputs.records;
    let mut plan = Plan {
        wanted,
        folders: Vec::new(),
        obsolete: Vec::new(),
        stages: BTreeSet::new(),
        steps: Vec::new(),
        given: BTreeMap::new(),
        manifest: InstallManifest {
            schema: schema::id::INSTALL_MANIFEST.to_owned(),
            helper_version: env!("CARGO_PKG_VERSION").to_owned(),
            repo_root: source.text.clone(),
            source_version: source.version.clone(),
            project_root: project.text.clone(),
            generated: inputs.now.to_owned(),
            mode: choices.mode,
            hosts: choices.hosts.iter().copied().collect(),
            skills: choices.skills.clone(),
            entries: Vec::new(),
            folders: Vec::new(),
            blocks: Vec::new(),
        },
        log: Log::default(),
    };
    let mut owned: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for (path, entries) in records.entries() {
        owned.insert(path.to_owned(), entries.into_iter().cloned().collect());
    }
    // Links to an older install that a killed run had not made yet, or that somebody removed.
    for known in owned.values().flatten() {
        if let (Origin::Older, Content::Link { target }) = (known.origin, &known.content)
            && !plan.wanted.contains_key(&known.path)
            && Path::new(target).exists()
            && project.shape(&known.path) == Shape::Absent
        {
            plan.want_older(known.path.clone(), known.kind, &known.name, target);
        }
    }
    older::take_over(inputs, &mut plan, &mut owned)?;
    let mut linked = older::unite_references(inputs, &mut plan, &mut owned)?;
    if tools_folder(inputs, &mut plan, &mut owned)? {
        linked.push(INSTALLED_TOOLS.to_owned());
    }
    let is_in = |path: &str, folder: &String| {
        path.strip_prefix(folder.as_str())
            .is_some_and(|rest| rest.starts_with('/'))
    };

    for path in plan.wanted.keys().cloned().collect::<Vec<_>>() {
        let recorded = owned.remove(&path).unwrap_or_default();
        let is_new = linked.iter().any(|folder| is_in(&path, folder));
        plan.place(inputs, &path, &recorded, is_new)?;
    }
    for (path, recorded) in owned {
        plan.retire(project, &path, &recorded)?;
    }
    older::nested(inputs, &mut plan);
    let edits = documents::edits(inputs, &mut plan.manifest.blocks);
    plan.steps.extend(edits.edits.into_iter().map(Step::Edit));
    plan.log.append(edits.log);
    plan.find_folders(project, records, |path| {
        linked
            .iter()
            .any(|folder| path == folder || is_in(path, folder))
    });
    plan.manifest.entries.sort_by(|a, b| a.path.cmp(&b.path));
    plan.keep_record(records);
    Ok(plan)
}

/// Whether `--adopt-existing` names an entry.
fn adopts(cli: &Cli, name: &str) -> bool {
    let mut names = cli.adopt_existing.iter();
    names.any(|adopted| adopted == name || adopted == "all")
}

impl Plan {
    /// The content that this plan replaces, as recorded or as seen.
    pub(crate) fn replaced(&self) -> Vec<(String, Content)> {
        let known = self.steps.iter().filter_map(|step| match step {
            Step::Replace {
                path,
                was: Was::Known(content),
            } => Some((path.clone(), content.clone())),
            _ => None,
        });
        known.collect()
    }

    /// Adds a wanted entry.
    pub(crate) fn want(&mut self, entry: Entry, from: From) {
        let wanted = Wanted {
            leads_to: None,
            from,
            entry,
        };
        self.wanted.insert(wanted.entry.path.clone(), wanted);
    }

    /// Adds a link to something that only an older install has.
    pub(crate) fn want_older(&mut self, path: String, kind: EntryKind, name: &str, target: &str) {
        let entry = Entry {
            path,
            kind,
            name: name.to_owned(),
            origin: Origin::Older,
            content: Content::Link {
                target: target.to_owned(),
            },
        };
        self.want(entry, From::Link);
    }

    /// Plans the change for one wanted path.
    fn place(
        &mut self,
        inputs: &Inputs<'_>,
        path: &str,
        recorded: &[Entry],
        is_new: bool,
    ) -> Result<(), Error> {
        let Inputs { project, cli, .. } = *inputs;
        let Some(Wanted {
            entry, leads_to, ..
        }) = self.wanted.get(path)
        else {
            return Ok(());
        };
        let entry = entry.clone();
        let is_right = |link: &Path| {
            leads_to
                .as_ref()
                .is_some_and(|to| fs::canonicalize(project.at(path)).is_ok_and(|real| real == *to))
                && link.to_str().is_some()
        };
        // When the mode changes to copy, this program's own link becomes a copy.
        let wants_link = matches!(entry.content, Content::Link { .. });
        let before = inputs.records.manifest.as_ref();
        let was_copy = before.is_some_and(|manifest| manifest.mode == InstallMode::Copy);
        let may_stay = wants_link || recorded.is_empty() || was_copy;
        let found = if is_new {
            Match::Absent
        } else {
            compare(project, path, &entry.content)?
        };
        let (found, entry) = match found {
            // A link with the same target is as good; it keeps its text.
            Match::Other(Shape::Link(link)) if !is_new && may_stay && is_right(&link) => {
                let target = link.to_string_lossy().into_owned();
                let content = Content::Link { target };
                (Match::Same, Entry { content, ..entry })
            }
            found => (found, entry),
        };
        let is_owned = recorded.iter().any(|known| match &known.content {
            Content::Link { .. } => found != Match::Same || known.content == entry.content,
            Content::File { .. } | Content::Tree { .. } => true,
        });
        match found {
            Match::Same if is_owned => self.manifest.entries.push(entry),
            Match::Same if adopts(cli, &entry.name) => {
                self.log.change(What::Adopt, path);
                let link = match &entry.content {
                    Content::Link { target } => Some(target.clone()),
                    Content::File { .. } | Content::Tree { .. } => None,
                };
                self.given.insert(path.to_owned(), link);
                self.manifest.entries.push(entry);
            }
            Match::Same => self.log.leave(
                path,
                format!(
                    "is there already and right; it is yours, unless you pass --adopt-existing {}",
                    entry.name
                ),
            ),
            Match::Absent => {
                let mut known = before.iter().flat_map(|manifest| &manifest.entries);
                let is_known = known.any(|known| known.path == path);
                let what = if is_known { What::Repair } else { What::Create };
                self.log.change(what, path);
                let path = path.to_owned();
                self.steps.push(Step::Create { path });
                self.manifest.entries.push(entry);
            }
            Match::Partial | Match::Edited(_) | Match::Other(_) => {
                let mut edited = None;
                for known in recorded.iter().rev() {
                    match compare(project, path, &known.content)? {
                        state @ (Match::Same | Match::Partial) => {
                            let repairs = state == Match::Partial && known.content == entry.content;
                            let what = if repairs { What::Repair } else { What::Replace };
                            self.log.change(what, path);
                            self.replace(path, Was::Known(known.content.clone()));
                            self.manifest.entries.push(entry);
                            return Ok(());
                        }
                        Match::Edited(files) => {
                            edited.get_or_insert((known, files));
                        }
                        Match::Absent | Match::Other(_) => {}
                    }
                }
                match edited {
                    Some((known, files)) if !cli.update && !cli.check => {
                        let what = if files.is_empty() {
                            String::new()
                        } else {
                            format!(" ({})", files.join(", "))
                        };
                        let newer = if known.content == entry.content {
                            ""
                        } else {
                            ", and the source has a newer one"
                        };
                        self.log.leave(
                            path,
                            format!(
                                "edited{what}{newer}; --update replaces it and keeps your copy in {KEPT}"
                            ),
                        );
                        self.manifest.entries.push(known.clone());
                    }
                    Some(_) => {
                        let kept = self.kept_name(project, &entry.name, inputs.now);
                        self.log.keep(What::Replace, path, &kept);
                        self.replace(path, Was::Edited { kept });
                        self.manifest.entries.push(entry);
                    }
                    None => self.foreign(inputs, path, entry),
                }
            }
        }
        Ok(())
    }

    /// Something that no record lists, or that no longer matches its record. It is never overwritten (rules S1 to S4).
    fn foreign(&mut self, inputs: &Inputs<'_>, path: &str, entry: Entry) {
        let project = inputs.project;
        let shape = project.shape(path);
        let is_inside = leads_inside(project, path, &shape, &inputs.source.root);
        if let Shape::Link(target) = &shape
            && inputs.cli.replace_link.contains(&entry.name)
            && is_inside
            && let Some(text) = target.to_str()
        {
            let target = text.to_owned();
            self.given.insert(path.to_owned(), Some(target.clone()));
            self.log.change(What::Replace, path);
            self.replace(path, Was::Known(Content::Link { target }));
            self.manifest.entries.push(entry);
            return;
        }
        let reason = format!("{} that this program did not put there", shape.describe());
        let hint = if is_inside {
            format!("pass --replace-link {}, or move it away", entry.name)
        } else {
            format!("move {path} away and run again")
        };
        self.log.conflict(path, reason, hint);
    }

    /// Plans the change for a recorded path that is no longer wanted.
    fn retire(&mut self, project: &Project, path: &str, recorded: &[Entry]) -> Result<(), Error> {
        for known in recorded.iter().rev() {
            match compare(project, path, &known.content)? {
                // A link of an older install stays while its target exists.
                Match::Same if known.origin == Origin::Older && project.at(path).exists() => {
                    self.manifest.entries.push(known.clone());
                    return Ok(());
                }
                found if found.is_ours() => {
                    self.remove_first(path, known.content.clone());
                    return Ok(());
                }
                Match::Absent => return Ok(()),
                _ => {}
            }
        }
        let reason = "is no longer installed, and not as it was; it is yours now";
        self.log.leave(path, reason);
        Ok(())
    }

    /// Collects the folders to create, and the stage folders.
    fn find_folders(
        &mut self,
        project: &Project,
        records: &Records,
        is_in_link: impl Fn(&str) -> bool,
    ) {
        let mut needed = BTreeSet::from([String::from(".aris")]);
        let mut stages = BTreeSet::new();
        for step in &self.steps {
            let (path, kept) = match step {
                Step::Replace {
                    path,
                    was: Was::Edited { kept },
                } => (path, Some(kept)),
                Step::Create { path } | Step::Replace { path, .. } => (path, None),
                Step::Move { to, .. } => (to, None),
                Step::Remove { .. } | Step::Edit(_) => continue,
            };
            for path in std::iter::once(path).chain(kept) {
                let mut folder = parent(path);
                while !folder.is_empty() {
                    needed.insert(folder.to_owned());
                    folder = parent(folder);
                }
            }
            let is_link = |wanted: &Wanted| matches!(wanted.entry.content, Content::Link { .. });
            let is_direct =
                matches!(step, Step::Create { .. }) && self.wanted.get(path).is_some_and(is_link);
            if !is_direct && !matches!(step, Step::Move { .. }) {
                stages.insert(format!("{}/{STAGE}", parent(path)));
            }
        }
        for stage in &stages {
            if project.shape(stage) != Shape::Absent
                && !records.stages.contains(stage)
                && !is_in_link(stage)
            {
                let reason = "is in the way of the installer's own folder";
                let hint = format!("move {stage} away and run again");
                self.log.conflict(stage, reason, hint);
            }
        }
        let is_absent =
            |folder: &String| is_in_link(folder) || project.shape(folder) == Shape::Absent;
        self.folders = needed.into_iter().filter(is_absent).collect();
        let is_used = |folder: &String| {
            let inner = format!("{folder}/");
            let mut entries = self.manifest.entries.iter();
            folder.starts_with(".aris") || entries.any(|entry| entry.path.starts_with(&inner))
        };
        let (made, obsolete) = records
            .folders()
            .into_iter()
            .filter(|folder| project.shape(folder) == Shape::Folder)
            .chain(self.folders.iter().cloned())
            .partition::<BTreeSet<_>, _>(is_used);
        self.manifest.folders = made.into_iter().collect();
        self.obsolete = obsolete.into_iter().collect();
        self.stages = stages;
    }

    /// If the record would only get a new date, it is not written again.
    fn keep_record(&mut self, records: &Records) {
        let is_same = records.manifest.as_ref().is_some_and(|old| {
            let same_time = InstallManifest {
                generated: old.generated.clone(),
                ..self.manifest.clone()
            };
            *old == same_time
        });
        let is_current = is_same
            && records.unfinished.is_empty()
            && records.reference.is_empty()
            && records.views_are_current;
        if !is_current && self.log.changes.is_empty() {
            self.log.change(What::Record, INSTALL_MANIFEST);
        }
    }

    /// Removes something before anything is created, because a link may be where a folder is needed.
    pub(crate) fn remove_first(&mut self, path: &str, content: Content) {
        self.log.change(What::Remove, path);
        let path = path.to_owned();
        self.steps.insert(0, Step::Remove { path, content });
    }

    fn replace(&mut self, path: &str, was: Was) {
        let path = path.to_owned();
        self.steps.push(Step::Replace { path, was });
    }

    /// Moves something of an older install away.
    pub(crate) fn archive(&mut self, path: &str, to: String) {
        self.log.keep(What::Archive, path, &to);
        let from = path.to_owned();
        self.steps.push(Step::Move { from, to });
    }

    /// A free name for an edited file: `<name>.local-<date>`, with a number if that day already has one.
    pub(crate) fn kept_name(&self, project: &Project, name: &str, now: &str) -> String {
        free_name(project, name, now, |path| {
            self.steps.iter().any(|step| match step {
                Step::Replace {
                    was: Was::Edited { kept },
                    ..
                } => kept == path,
                Step::Move { to, .. } => to == path,
                _ => false,
            })
        })
    }
}

/// A name below [`KEPT`] that is free on the disk and not taken by `is_planned`.
pub(crate) fn free_name(
    project: &Project,
    name: &str,
    now: &str,
    is_planned: impl Fn(&str) -> bool,
) -> String {
    let date = now.get(..10).unwrap_or(now);
    let base = format!("{KEPT}/{}.local-{date}", name.replace('/', "-"));
    let mut name = base.clone();
    let mut number = 2_u32;
    while is_planned(&name) || project.shape(&name) != Shape::Absent {
        name = format!("{base}-{number}");
        number += 1;
    }
    name
}

/// Plans the change of `.aris/tools`. Returns whether an older install's link is there and is removed; then everything below is
/// new.
fn tools_folder(
    inputs: &Inputs<'_>,
    plan: &mut Plan,
    owned: &mut BTreeMap<String, Vec<Entry>>,
) -> Result<bool, Error> {
    let wants_link = plan.wanted.contains_key(INSTALLED_TOOLS);
    let target = match inputs.project.shape(INSTALLED_TOOLS) {
        Shape::Absent => return Ok(false),
        Shape::Folder if !wants_link => return Ok(false),
        Shape::Link(target) if wants_link || owned.contains_key(INSTALLED_TOOLS) => {
            if wants_link {
                return Ok(false);
            }
            target
        }
        other => {
            plan.wanted
                .retain(|path, _| !path.starts_with(INSTALLED_TOOLS));
            let what = other.describe();
            if let Shape::Link(_) = other {
                let reason = format!("{what} of yours; it stays, and no tools are installed");
                plan.log.leave(INSTALLED_TOOLS, reason);
            } else {
                let reason = format!("{what} that this program did not put there");
                let hint = format!("move {INSTALLED_TOOLS} away and run again");
                plan.log.conflict(INSTALLED_TOOLS, reason, hint);
            }
            return Ok(false);
        }
    };
    // Tools that this source does not have stay available.
    if target.parent() != Some(&inputs.source.root) {
        older::spread_tools(plan, &target)?;
    }
    Ok(true)
}

/// Whether a link leads into the source. For a dangling link its text decides.
fn leads_inside(project: &Project, path: &str, shape: &Shape, root: &Path) -> bool {
    let Shape::Link(target) = shape else {
        return false;
    };
    match fs::canonicalize(project.at(path)) {
        Ok(real) => real.starts_with(root),
        Err(_) => aris_fs::lexical(&project.at(parent(path)).join(target)).starts_with(root),
    }
}
