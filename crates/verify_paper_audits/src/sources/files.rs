//! The `.tex` files of a paper and their texts, each file opened once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_fs::EntryKind;
use aris_latex::Loaded;

use super::describe;
use crate::ledger::{Ledger, NoDigest};
use crate::paper::{Paper, Unusable};

/// Bytes of one `.tex` file. The largest on arXiv are generated tables of a few MB.
const FILE_LIMIT: u64 = 16 << 20;
/// Bytes of all `.tex` files that are read to find the root, as [`aris_latex::MAX_TOTAL_BYTES`].
const TOTAL_LIMIT: usize = aris_latex::MAX_TOTAL_BYTES;
/// Folder entries that are looked at to find `.tex` files.
const ENTRY_LIMIT: usize = 200_000;
/// Depth of folders below the paper.
const DEPTH_LIMIT: usize = 32;

/// The `.tex` files below the paper, sorted; hidden folders and unreadable ones are passed over.
pub(super) fn tex_files(paper: &Paper) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![(paper.dir.clone(), 0_usize)];
    let mut entries = 0_usize;
    while let Some((folder, depth)) = open.pop() {
        for entry in aris_fs::list_sorted(&folder).unwrap_or_default() {
            entries += 1;
            if entries > ENTRY_LIMIT {
                return found.into_iter().collect();
            }
            let name = entry.name.to_string_lossy();
            let tex = Path::new(&entry.name)
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("tex"));
            match entry.kind {
                EntryKind::Folder if !name.starts_with('.') && depth < DEPTH_LIMIT => {
                    open.push((entry.path, depth + 1));
                }
                EntryKind::File if tex => {
                    found.insert(entry.path);
                }
                EntryKind::Link if tex => found.extend(paper.resolve(&folder, &name).ok()),
                EntryKind::Folder | EntryKind::File | EntryKind::Link | EntryKind::Special => {}
            }
        }
    }
    found.into_iter().collect()
}

/// Hands out texts, each file opened once.
pub(super) struct Files<'a> {
    paper: &'a Paper,
    ledger: &'a mut Ledger,
    texts: BTreeMap<PathBuf, Result<Arc<str>, NoDigest>>,
    total: usize,
}

impl<'a> Files<'a> {
    pub(super) fn new(paper: &'a Paper, ledger: &'a mut Ledger) -> Self {
        Self {
            paper,
            ledger,
            texts: BTreeMap::new(),
            total: 0,
        }
    }

    /// What TeX would find at a path that the paper asks for.
    pub(super) fn load(&mut self, path: &str) -> Loaded {
        match self.paper.resolve(&self.paper.dir, path) {
            // TeX finds a file of another spelling exactly where the system does.
            Ok(real)
            | Err(Unusable::Case {
                real: Some(real), ..
            }) => self.loaded(&real),
            Err(Unusable::Gone | Unusable::Case { real: None, .. }) => Loaded::Absent,
            Err(unusable) => Loaded::Unreadable(describe(&unusable)),
        }
    }

    fn loaded(&mut self, real: &Path) -> Loaded {
        match self.text(real) {
            Ok(text) => Loaded::Text(text),
            // TeX would try the next candidate for a folder, and so must the reader.
            Err(NoDigest::Gone | NoDigest::NotRegular("a directory")) => Loaded::Absent,
            Err(NoDigest::NotRegular(found)) => Loaded::Unreadable(format!("it is {found}")),
            Err(NoDigest::Unreadable(reason)) => Loaded::Unreadable(reason),
        }
    }

    /// The text of a file.
    pub(super) fn text(&mut self, real: &Path) -> Result<Arc<str>, NoDigest> {
        if let Some(known) = self.texts.get(real) {
            return known.clone();
        }
        let text = if self.total > TOTAL_LIMIT {
            Err(NoDigest::Unreadable(format!(
                "the sources have more than {TOTAL_LIMIT} bytes"
            )))
        } else {
            self.ledger.read(real, FILE_LIMIT).and_then(|bytes| {
                self.total += bytes.len();
                aris_audit::source_text(&bytes).map_err(NoDigest::Unreadable)
            })
        };
        self.texts.insert(real.to_path_buf(), text.clone());
        text
    }
}
