//! Instruction files of the hosts: which get a block, which lose it, and the bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aris_audit::Digest;
use aris_contract::artifact::install::{Block, INSTALL_MANIFEST, INSTALLED_TOOLS};

use crate::block::{self, Before, BlockKind, KINDS, Put, Take};
use crate::error::Error;
use crate::project::{Project, Shape};
use crate::report::{Change, Left, What};
use crate::step::{Action, Edit, Inputs};

/// Bytes of an instruction file; hosts cut them at far less.
const LIMIT: u64 = 16 << 20;

/// An instruction file as it is found.
enum Document {
    Absent(PathBuf),
    Text {
        file: PathBuf,
        text: Vec<u8>,
        modified: Option<u128>,
    },
    Unusable(String),
}

/// Edits of one run, in order.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    pub(crate) edits: Vec<Edit>,
    pub(crate) changes: Vec<Change>,
    pub(crate) left: Vec<Left>,
    /// What the edits so far will leave in a file: two names may lead to one.
    pending: BTreeMap<PathBuf, Vec<u8>>,
}

/// Edits that bring the blocks of the chosen hosts in, and those of former hosts out. The blocks that are there then go into the
/// plan's record.
pub(crate) fn edits(inputs: &Inputs<'_>, blocks: &mut Vec<Block>) -> Documents {
    let Inputs {
        project,
        choices,
        records,
        cli,
        ..
    } = *inputs;
    let known = records.blocks();
    let lines = body(inputs);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut all = Documents::default();
    for kind in &KINDS {
        let known = of_kind(&known, kind);
        if cli.no_doc || project.is_home {
            blocks.extend(known.last().map(|block| (*block).clone()));
            continue;
        }
        if !choices.hosts.contains(&kind.host) {
            all.take(project, kind, &known);
            continue;
        }
        let (file, seen, put) = match all.document(project, kind) {
            Document::Unusable(reason) => {
                all.leave(kind, reason);
                continue;
            }
            Document::Absent(_) if !kind.is_made => continue,
            Document::Absent(file) => (file, None, block::put(kind, None, &lines, &known)),
            Document::Text {
                file,
                text,
                modified,
            } => {
                let before = Before {
                    text: &text,
                    modified,
                };
                let put = block::put(kind, Some(before), &lines, &known);
                (file, Some(Digest::of(&text).to_string()), put)
            }
        };
        match put {
            Put::Keep(block) => blocks.push(block),
            Put::Leave(reason) => {
                all.leave(kind, reason.to_owned());
                blocks.extend(known.last().map(|block| (*block).clone()));
            }
            Put::Write(bytes, block) => {
                blocks.push(block);
                all.pending.insert(file.clone(), bytes.clone());
                all.edit(
                    kind,
                    Edit {
                        file,
                        seen,
                        action: Action::Write(bytes, None),
                    },
                );
            }
        }
    }
    all
}

/// Edits that take all known blocks out, the last one first: they may lie in one file.
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
        let (file, text, modified) = match self.document(project, kind) {
            Document::Absent(_) => return,
            Document::Unusable(reason) => return self.leave(kind, reason),
            Document::Text {
                file,
                text,
                modified,
            } => (file, text, modified),
        };
        let action = match block::take(
            kind,
            Before {
                text: &text,
                modified,
            },
            known,
        ) {
            Take::Nothing => return,
            Take::Leave(reason) => return self.leave(kind, reason.to_owned()),
            Take::Remove => Action::Remove,
            Take::SetTime(time) => Action::SetTime(moment(time)),
            Take::Write(bytes, time) => {
                self.pending.insert(file.clone(), bytes.clone());
                Action::Write(bytes, time.map(moment))
            }
        };
        let seen = Some(Digest::of(&text).to_string());
        self.edit(kind, Edit { file, seen, action });
    }

    /// The file of a kind; with what an earlier edit of the same run will leave in it.
    fn document(&self, project: &Project, kind: &BlockKind) -> Document {
        let path = project.at(kind.path);
        let file = match project.shape(kind.path) {
            Shape::Absent => return Document::Absent(path),
            Shape::File => path,
            // A link to another instruction file of the project is common; one that leads out is not followed.
            Shape::Link(_) => match fs::canonicalize(&path) {
                Ok(real) if real.starts_with(&project.root) => real,
                _ => {
                    return Document::Unusable(String::from(
                        "a link that leaves the project, or leads to nothing",
                    ));
                }
            },
            other => return Document::Unusable(format!("{}, not a file", other.describe())),
        };
        let modified = modified(&file);
        if let Some(text) = self.pending.get(&file) {
            return Document::Text {
                file,
                text: text.clone(),
                modified,
            };
        }
        match aris_fs::read(&file, LIMIT) {
            Ok(text) => Document::Text {
                file,
                text,
                modified,
            },
            Err(error) => Document::Unusable(error.to_string()),
        }
    }

    fn edit(&mut self, kind: &BlockKind, edit: Edit) {
        self.edits.push(edit);
        self.changes.push(Change {
            what: What::EditBlock,
            path: kind.path.to_owned(),
            kept_as: None,
        });
    }

    fn leave(&mut self, kind: &BlockKind, reason: String) {
        self.left.push(Left {
            path: kind.path.to_owned(),
            reason,
        });
    }
}

/// Makes one edit, if the file still is what the plan saw (compare and swap).
pub(crate) fn apply(edit: &Edit) -> Result<(), Error> {
    let changed = || Error::Changed {
        path: edit.file.clone(),
    };
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

fn moment(nanoseconds: u128) -> SystemTime {
    let whole = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(0);
    let rest = u32::try_from(nanoseconds % 1_000_000_000).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::new(whole, rest)
}

fn of_kind<'a>(known: &[&'a Block], kind: &BlockKind) -> Vec<&'a Block> {
    known
        .iter()
        .copied()
        .filter(|block| block.path == kind.path)
        .collect()
}

/// Lines between the markers. Without paths of the machine, so that a committed file is right everywhere.
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
