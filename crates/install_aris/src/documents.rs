//! The hosts' instruction files: which get a block, which lose it, and the edited bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use aris_audit::Digest;
use aris_contract::artifact::install::{Block, INSTALL_MANIFEST, INSTALLED_TOOLS};

use crate::block::{self, Before, BlockKind, KINDS};
use crate::error::Error;
use crate::project::{Project, Shape};
use crate::report::{Log, What};
use crate::step::{Action, Edit, Inputs};

/// Largest instruction file, in bytes. Hosts truncate these files far below this size.
const LIMIT: u64 = 16 << 20;

/// An instruction file as it is on the disk.
struct Document {
    file: PathBuf,
    /// `None` when the file does not exist.
    text: Option<Vec<u8>>,
    modified: Option<u128>,
}

impl Document {
    fn before(&self) -> Option<Before<'_>> {
        let text = self.text.as_deref()?;
        let modified = self.modified;
        Some(Before { text, modified })
    }
}

/// Edits of one run, in order.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    pub(crate) edits: Vec<Edit>,
    pub(crate) log: Log,
    /// Content that the edits so far will leave, by file: two instruction files can be links to one file.
    pending: BTreeMap<PathBuf, Vec<u8>>,
}

/// Edits that put the blocks of the chosen hosts in and take those of former hosts out. `blocks` receives the blocks that are
/// then present, for the plan's record.
pub(crate) fn edits(inputs: &Inputs<'_>, blocks: &mut Vec<Block>) -> Documents {
    let project = inputs.project;
    let known = inputs.records.blocks();
    let lines = body(inputs);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut all = Documents::default();
    for kind in &KINDS {
        let known = of_kind(&known, kind);
        if inputs.cli.no_doc || project.is_home {
            blocks.extend(known.last().map(|block| (*block).clone()));
            continue;
        }
        if !inputs.choices.hosts.contains(&kind.host) {
            all.take(project, kind, &known);
            continue;
        }
        let found = match all.document(project, kind) {
            Ok(found) if found.text.is_none() && !kind.is_made => continue,
            Ok(found) => found,
            Err(reason) => {
                all.log.leave(kind.path, reason);
                continue;
            }
        };
        match block::put(kind, found.before(), &lines, &known) {
            Ok((bytes, block)) => {
                blocks.push(block);
                if let Some(bytes) = bytes {
                    all.edit(kind, found, Action::Write(bytes, None));
                }
            }
            Err(reason) => {
                all.log.leave(kind.path, reason);
                blocks.extend(known.last().map(|block| (*block).clone()));
            }
        }
    }
    all
}

/// Edits that remove all known blocks, the last one first, because several blocks can be in one file.
pub(crate) fn removals(project: &Project, known: &[&Block]) -> Documents {
    let mut all = Documents::default();
    for kind in KINDS.iter().rev() {
        all.take(project, kind, &of_kind(known, kind));
    }
    all
}

impl Documents {
    fn take(&mut self, project: &Project, kind: &BlockKind, known: &[&Block]) {
        if known.is_empty() {
            return;
        }
        let found = match self.document(project, kind) {
            Ok(found) => found,
            Err(reason) => return self.log.leave(kind.path, reason),
        };
        let before = found.before();
        match before.map_or(Ok(None), |before| block::take(kind, before, known)) {
            Ok(Some(action)) => self.edit(kind, found, action),
            Ok(None) => {}
            Err(reason) => self.log.leave(kind.path, reason),
        }
    }

    /// The file of a kind, with the content that earlier edits of this run will leave in it.
    ///
    /// **Errors**: the reason why it cannot be used.
    fn document(&self, project: &Project, kind: &BlockKind) -> Result<Document, String> {
        let path = project.at(kind.path);
        let file = match project.shape(kind.path) {
            Shape::Absent => {
                let (file, text, modified) = (path, None, None);
                return Ok(Document {
                    file,
                    text,
                    modified,
                });
            }
            Shape::File => path,
            // A link to another instruction file of the project is common. A link that leads out of the project is not
            // followed.
            Shape::Link(_) => fs::canonicalize(&path)
                .ok()
                .filter(|real| real.starts_with(&project.root))
                .ok_or("a link that leaves the project, or leads to nothing")?,
            other => return Err(format!("{}, not a file", other.describe())),
        };
        let text = match self.pending.get(&file) {
            Some(text) => text.clone(),
            None => aris_fs::read(&file, LIMIT).map_err(|error| error.to_string())?,
        };
        Ok(Document {
            modified: modified(&file),
            text: Some(text),
            file,
        })
    }

    fn edit(&mut self, kind: &BlockKind, found: Document, action: Action) {
        let Document { file, text, .. } = found;
        if let Action::Write(bytes, _) = &action {
            self.pending.insert(file.clone(), bytes.clone());
        }
        let seen = text.map(|text| Digest::of(&text).to_string());
        self.edits.push(Edit { file, seen, action });
        self.log.change(What::EditBlock, kind.path);
    }
}

/// Makes one edit if the file is still what the plan saw (compare and swap).
pub(crate) fn apply(edit: &Edit) -> Result<(), Error> {
    let changed = || Error::changed(&edit.file);
    let is_as_seen = || {
        aris_fs::read_optional(&edit.file, LIMIT)
            .is_ok_and(|found| found.map(|text| Digest::of(&text).to_string()) == edit.seen)
    };
    if !is_as_seen() {
        return Err(changed());
    }
    match &edit.action {
        Action::Remove => aris_fs::remove_file(&edit.file)?,
        Action::SetTime(time) => aris_fs::set_modified(&edit.file, *time)?,
        Action::Write(bytes, _) if edit.seen.is_none() => {
            if !aris_fs::write_new(&edit.file, bytes)? {
                return Err(changed());
            }
        }
        Action::Write(bytes, time) => {
            if !aris_fs::write_atomic_if(&edit.file, bytes, &is_as_seen)? {
                return Err(changed());
            }
            if let Some(time) = time {
                aris_fs::set_modified(&edit.file, *time)?;
            }
        }
    }
    Ok(())
}

fn modified(file: &Path) -> Option<u128> {
    let time = fs::metadata(file).ok()?.modified().ok()?;
    Some(time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos())
}

fn of_kind<'a>(known: &[&'a Block], kind: &BlockKind) -> Vec<&'a Block> {
    let known = known.iter().copied();
    known.filter(|block| block.path == kind.path).collect()
}

/// The lines between the markers. They contain no paths of this machine, so a committed file is valid everywhere.
fn body(inputs: &Inputs<'_>) -> Vec<String> {
    let places = inputs.choices.places().join("` and `");
    let helpers = inputs.source.helpers.iter().flatten();
    let call = if helpers.into_iter().any(|row| row.name == "install_aris") {
        format!("sh {INSTALLED_TOOLS}/install_aris")
    } else {
        String::from("install_aris")
    };
    vec![
        String::from("## ARIS skills"),
        String::new(),
        format!("Installed in `{places}`; `{INSTALL_MANIFEST}` lists every file."),
        String::from(
            "Prefer these skills over global ones of the same name. Do not edit them in place: links lead into the shared",
        ),
        String::from("source, and an update replaces copies."),
        format!("Update: `{call} --update`. Remove: `{call} --uninstall`."),
    ]
}
