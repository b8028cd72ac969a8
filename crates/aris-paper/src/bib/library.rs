//! The bibliographies of a document as one set of entries.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bibliography, Entry, Index, Resolved, read_after};

/// `.bib` files of TeX distributions that contain only macros. Papers name them without shipping them.
///
/// **Source**: CTAN, package `IEEEtran` (`IEEEabrv.bib`, `IEEEfull.bib`)
const DISTRIBUTED: [&str; 2] = ["ieeeabrv", "ieeefull"];

/// Whether a bibliography of this name, with or without `.bib`, is part of the TeX distribution and contains only macros.
pub fn is_distributed(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    DISTRIBUTED.contains(&name.strip_suffix(".bib").unwrap_or(&name))
}

/// One bibliography file.
#[derive(Debug)]
pub struct BibFile {
    /// Its path, as findings name it.
    pub path: String,
    /// Its content.
    pub read: Bibliography,
}

impl BibFile {
    /// Reads a file. Macros of the `earlier` files are defined in it.
    pub fn read(path: String, text: &str, earlier: &[Self]) -> Self {
        let macros = earlier.iter().flat_map(|file| &file.read.macros);
        let read = read_after(text, macros);
        Self { path, read }
    }
}

/// Index of an entry: its file, and its position there. Sorts in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loc {
    file: usize,
    entry: usize,
}

/// All entries of a list of files, by key.
#[derive(Debug)]
pub struct Library<'a> {
    /// `None` for those that do not count.
    files: Vec<Option<&'a BibFile>>,
    index: Index<'a>,
    /// Whether keys that differ in case are two keys, as for biber; to BibTeX they are one.
    cased: bool,
    /// Entries by key in lower case, in file order; commented ones last.
    by_key: BTreeMap<String, Vec<Loc>>,
    /// Entries by biblatex's additional keys (`ids`).
    by_alias: BTreeMap<String, Loc>,
}

impl<'a> Library<'a> {
    /// Indexes the entries of these files. Of equal keys the first counts.
    pub fn new(files: &'a [BibFile]) -> Self {
        Self::among(files, |_| true)
    }

    /// The same for some of the files, given by their number.
    pub fn among(files: &'a [BibFile], is_meant: impl Fn(usize) -> bool) -> Self {
        let numbered = files.iter().enumerate();
        let files = numbered.map(|(number, file)| is_meant(number).then_some(file));
        let files: Vec<Option<&BibFile>> = files.collect();
        let meant = || {
            files
                .iter()
                .enumerate()
                .filter_map(|(number, file)| Some((number, (*file)?)))
        };
        let mut by_key: BTreeMap<String, Vec<Loc>> = BTreeMap::new();
        let mut by_alias = BTreeMap::new();
        for commented in [false, true] {
            for (file, bib) in meant() {
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
            index: Index::new(meant().map(|(_, file)| &file.read)),
            files,
            cased: false,
            by_key,
            by_alias,
        }
    }

    /// Says whether keys that differ in case are two keys.
    #[must_use]
    pub fn cased(self, cased: bool) -> Self {
        Self { cased, ..self }
    }

    /// Whether two keys are one.
    pub fn is_same_key(&self, one: &str, two: &str) -> bool {
        one == two || !self.cased && one.eq_ignore_ascii_case(two)
    }

    /// The entry that a citation of exactly this key refers to.
    pub fn find(&self, key: &str) -> Option<Loc> {
        let exact = |loc: &&Loc| self.entry(**loc).is_some_and(|entry| entry.key == key);
        let same = self.by_key.get(&key.to_ascii_lowercase());
        same.and_then(|all| all.iter().find(exact))
            .or_else(|| self.by_alias.get(key))
            .copied()
    }

    /// The first entry with this key when case is ignored; for keys that [`Self::find`] does not find.
    pub fn find_other_case(&self, key: &str) -> Option<Loc> {
        self.by_key.get(&key.to_ascii_lowercase())?.first().copied()
    }

    /// The entries of each key that are not commented.
    pub fn groups(&self) -> impl Iterator<Item = Vec<Loc>> {
        self.by_key.values().flat_map(|all| {
            let mut groups: BTreeMap<&str, Vec<Loc>> = BTreeMap::new();
            for loc in all {
                if let Some(entry) = self.entry(*loc).filter(|entry| !entry.commented) {
                    let key = if self.cased { entry.key.as_str() } else { "" };
                    groups.entry(key).or_default().push(*loc);
                }
            }
            groups.into_values()
        })
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &'a BibFile> {
        self.files.iter().copied().flatten()
    }

    /// Every entry that is not commented, in file order.
    pub fn all(&self) -> Vec<Loc> {
        let mut all: Vec<Loc> = self.groups().flatten().collect();
        all.sort();
        all
    }

    /// The entry at `loc`; `None` when `loc` comes from another library.
    pub fn entry(&self, loc: Loc) -> Option<&'a Entry> {
        (*self.files.get(loc.file)?)?.read.entries.get(loc.entry)
    }

    /// The path of the file that contains an entry.
    pub fn path(&self, loc: Loc) -> &'a str {
        let file = self.files.get(loc.file).copied().flatten();
        file.map_or("", |file| file.path.as_str())
    }

    /// An entry with what it inherits.
    pub fn resolve(&self, entry: &'a Entry) -> Resolved<'a> {
        self.index.resolve(entry)
    }

    /// The path of the file that contains a field: the entry's own file, or that of the entry it is inherited from.
    pub fn file_of(&self, loc: Loc, resolved: &Resolved<'a>, field: &str) -> &'a str {
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

    /// The entries that `\nocite{*}` prints: the first entry of each key, without `xdata` and `set`.
    pub fn printed(&self) -> Vec<Loc> {
        let prints = |loc: &Loc| {
            self.entry(*loc).is_some_and(|entry| {
                !matches!(entry.kind.as_str(), "xdata" | "set")
                    && self.find(&entry.key) == Some(*loc)
            })
        };
        self.all().into_iter().filter(prints).collect()
    }

    /// Entries that are neither cited nor parents of cited ones, in file order.
    pub fn unused(&self, cited: &BTreeSet<Loc>) -> Vec<Loc> {
        let mut used: BTreeSet<String> = BTreeSet::new();
        for entry in cited.iter().filter_map(|loc| self.entry(*loc)) {
            used.insert(entry.key.to_ascii_lowercase());
            let parents = self.resolve(entry).inherited;
            used.extend(
                parents
                    .iter()
                    .map(|parent| parent.from.to_ascii_lowercase()),
            );
        }
        let key = |loc: &Loc| self.entry(*loc).map(|entry| entry.key.to_ascii_lowercase());
        let all = self.all().into_iter();
        all.filter(|loc| key(loc).is_some_and(|key| !used.contains(&key)))
            .collect()
    }

    /// Keys similar to this one, for a hint: different only in case, punctuation, or at most two letters.
    pub fn near(&self, key: &str) -> Vec<&'a str> {
        /// Most keys that are searched: each is compared, and a hint is not worth more work.
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
            .filter_map(|all| self.entry(*all.first()?))
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
