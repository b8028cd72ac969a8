//! The bibliographies of a paper as one set of entries.

use std::collections::BTreeMap;

use aris_paper::bib::{Entry, Index, Resolved};

use crate::paper::BibFile;

/// Where an entry stands: bibliography and entry within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Loc {
    file: usize,
    entry: usize,
}

/// All entries, by key.
pub(crate) struct Library<'a> {
    files: &'a [BibFile],
    index: Index<'a>,
    /// Entries by key in lower case, in file order; commented ones last.
    by_key: BTreeMap<String, Vec<Loc>>,
    /// Entries by biblatex's further keys (`ids`).
    by_alias: BTreeMap<String, Loc>,
}

impl<'a> Library<'a> {
    pub(crate) fn new(files: &'a [BibFile]) -> Self {
        let mut by_key: BTreeMap<String, Vec<Loc>> = BTreeMap::new();
        let mut by_alias = BTreeMap::new();
        for commented in [false, true] {
            for (file, bib) in files.iter().enumerate() {
                for (number, entry) in bib.read.entries.iter().enumerate() {
                    if entry.commented != commented || entry.key.is_empty() {
                        continue;
                    }
                    let loc = Loc {
                        file,
                        entry: number,
                    };
                    by_key
                        .entry(entry.key.to_ascii_lowercase())
                        .or_default()
                        .push(loc);
                    for alias in entry.text("ids").unwrap_or_default().split(',') {
                        by_alias.entry(alias.trim().to_owned()).or_insert(loc);
                    }
                }
            }
        }
        Self {
            files,
            index: Index::new(files.iter().map(|file| &file.read)),
            by_key,
            by_alias,
        }
    }

    /// The entry that a citation of this key means, letter by letter.
    pub(crate) fn find(&self, key: &str) -> Option<Loc> {
        let exact = |loc: &&Loc| self.entry(**loc).is_some_and(|entry| entry.key == key);
        let same = self.by_key.get(&key.to_ascii_lowercase());
        same.and_then(|all| all.iter().find(exact))
            .or_else(|| self.by_alias.get(key))
            .copied()
    }

    /// The entry whose key differs from this one in case only.
    pub(crate) fn find_other_case(&self, key: &str) -> Option<Loc> {
        self.by_key.get(&key.to_ascii_lowercase())?.first().copied()
    }

    /// Keys with all entries that bear them, in lower case; commented entries left out.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&str, Vec<Loc>)> {
        self.by_key.iter().map(|(key, all)| {
            let live = |loc: &Loc| self.entry(*loc).is_some_and(|entry| !entry.commented);
            (key.as_str(), all.iter().copied().filter(live).collect())
        })
    }

    /// Every entry that is not commented, in file order.
    pub(crate) fn all(&self) -> Vec<Loc> {
        let mut all: Vec<Loc> = self.groups().flat_map(|(_, locs)| locs).collect();
        all.sort();
        all
    }

    pub(crate) fn entry(&self, loc: Loc) -> Option<&'a Entry> {
        self.files.get(loc.file)?.read.entries.get(loc.entry)
    }

    pub(crate) fn path(&self, loc: Loc) -> &'a str {
        self.files
            .get(loc.file)
            .map_or("", |file| file.path.as_str())
    }

    pub(crate) fn resolve(&self, entry: &'a Entry) -> Resolved<'a> {
        self.index.resolve(entry)
    }

    /// The file of a field that an entry sees: its own, or the one of the entry it is inherited from.
    pub(crate) fn file_of(&self, loc: Loc, resolved: &Resolved<'a>, field: &str) -> &'a str {
        if resolved.entry.field(field).is_some() {
            return self.path(loc);
        }
        let from = resolved
            .inherited
            .iter()
            .find(|inherited| inherited.name == field || inherited.field.name == field);
        from.and_then(|inherited| self.find(inherited.from))
            .map_or(self.path(loc), |parent| self.path(parent))
    }

    /// Keys near to this one, for a hint: the same but for case, punctuation, or up to two letters.
    pub(crate) fn near(&self, key: &str) -> Vec<&'a str> {
        /// Keys are compared one by one; more than this is no longer a hint's worth of work.
        const MAX_KEYS: usize = 5000;
        if self.by_key.len() > MAX_KEYS {
            return Vec::new();
        }
        let plain = |text: &str| -> String {
            text.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect()
        };
        let wanted = plain(key);
        let mut near: Vec<(usize, &'a str)> = self
            .groups()
            .filter_map(|(_, all)| self.entry(*all.first()?))
            .filter(|entry| entry.key.len().abs_diff(key.len()) <= 4 && key.len() <= 80)
            .map(|entry| {
                (
                    strsim::levenshtein(&wanted, &plain(&entry.key)),
                    entry.key.as_str(),
                )
            })
            .filter(|(distance, _)| *distance <= 2 && *distance * 3 <= wanted.chars().count())
            .collect();
        near.sort_unstable();
        near.into_iter().take(3).map(|(_, key)| key).collect()
    }
}
