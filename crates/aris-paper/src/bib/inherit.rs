//! Inheritance between entries: `crossref` and `xdata`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bibliography, Entry, Field};
use crate::tables::words;

/// Most entries that one entry inherits from. A longer chain is a mistake or an attack.
const MAX_ANCESTORS: usize = 16;

/// Most fields inherited from one entry. The longest exported entries have about sixty.
const MAX_FIELDS: usize = 300;

/// The entries of one or several files by key, for lookup and inheritance.
#[derive(Debug)]
pub struct Index<'a> {
    /// By key. Of equal keys the first entry counts.
    exact: BTreeMap<&'a str, &'a Entry>,
    /// By key in lower case, as BibTeX compares.
    entries: BTreeMap<String, &'a Entry>,
}

/// A field inherited from another entry.
#[derive(Debug, Clone)]
pub struct Inherited<'a> {
    /// The field's name in the inheriting entry.
    pub name: String,
    /// The field in the other entry.
    pub field: &'a Field,
    /// Key of the other entry.
    pub from: &'a str,
}

/// An entry with what it inherits.
#[derive(Debug, Clone)]
pub struct Resolved<'a> {
    /// The entry itself.
    pub entry: &'a Entry,
    /// Inherited fields, nearest ancestor first.
    pub inherited: Vec<Inherited<'a>>,
    /// Keys in `crossref` or `xdata` without an entry.
    pub dangling: Vec<String>,
}

impl<'a> Index<'a> {
    /// Indexes the entries of these files, in order.
    pub fn new(files: impl IntoIterator<Item = &'a Bibliography>) -> Self {
        let (mut exact, mut entries) = (BTreeMap::new(), BTreeMap::new());
        for entry in files.into_iter().flat_map(|file| &file.entries) {
            exact.entry(entry.key.as_str()).or_insert(entry);
            entries
                .entry(entry.key.to_ascii_lowercase())
                .or_insert(entry);
        }
        Self { exact, entries }
    }

    /// The first entry with this key, else the first with this key in another case.
    pub fn get(&self, key: &str) -> Option<&'a Entry> {
        let exact = self.exact.get(key);
        exact
            .or_else(|| self.entries.get(&key.to_ascii_lowercase()))
            .copied()
    }

    /// Resolves `xdata` and `crossref`. Renames fields as biblatex does (a collection's `title` becomes the `booktitle` of its
    /// parts). As in BibTeX, an entry's own fields are never replaced.
    pub fn resolve(&self, entry: &'a Entry) -> Resolved<'a> {
        let mut resolved = Resolved {
            entry,
            inherited: Vec::new(),
            dangling: Vec::new(),
        };
        let mut visited = BTreeSet::from([entry.key.to_ascii_lowercase()]);
        let mut queue: Vec<&'a Entry> = vec![entry];
        let mut next = 0;
        while let Some(heir) = queue.get(next).copied() {
            next += 1;
            for (name, by_data) in [("xdata", true), ("crossref", false)] {
                let Some(keys) = heir.text(name) else {
                    continue;
                };
                for key in keys.split(',').map(str::trim).filter(|key| !key.is_empty()) {
                    let Some(parent) = self.get(key) else {
                        resolved.dangling.push(key.to_owned());
                        continue;
                    };
                    if visited.len() >= MAX_ANCESTORS || !visited.insert(key.to_ascii_lowercase()) {
                        continue;
                    }
                    take_over(&mut resolved, parent, by_data);
                    queue.push(parent);
                }
            }
        }
        resolved
    }
}

impl<'a> Resolved<'a> {
    /// The field with this name (lower case): the entry's own, else the nearest inherited one.
    pub fn field(&self, name: &str) -> Option<&'a Field> {
        self.entry.field(name).or_else(|| {
            self.inherited
                .iter()
                .find(|inherited| inherited.name == name)
                .map(|inherited| inherited.field)
        })
    }

    /// The text of [`Self::field`].
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.field(name).map(|field| field.text.as_str())
    }
}

fn take_over<'a>(resolved: &mut Resolved<'a>, parent: &'a Entry, by_data: bool) {
    for field in parent
        .fields
        .iter()
        .take(MAX_FIELDS)
        .filter(|field| !field.is_empty())
    {
        let name = if by_data {
            if field.name == "xdata" {
                continue;
            }
            field.name.as_str()
        } else {
            if words("own fields").contains(&field.name.as_str()) {
                continue;
            }
            renamed(&parent.kind, &resolved.entry.kind, &field.name)
        };
        if resolved.field(name).is_none() {
            let name = name.to_owned();
            resolved.inherited.push(Inherited {
                name,
                field,
                from: &parent.key,
            });
        }
    }
}

/// The name that a parent's field has for the child.
///
/// **Source**: *The biblatex Package*, Appendix B
fn renamed<'a>(parent: &str, child: &str, name: &'a str) -> &'a str {
    let part = matches!(
        child,
        "inbook"
            | "incollection"
            | "inproceedings"
            | "conference"
            | "inreference"
            | "bookinbook"
            | "suppbook"
            | "suppcollection"
    );
    match (parent, name) {
        ("periodical", "title") if child == "article" => "journaltitle",
        ("mvbook" | "mvcollection" | "mvproceedings" | "mvreference", "title") => "maintitle",
        ("book" | "collection" | "proceedings" | "reference", "title") if part => "booktitle",
        ("book" | "collection" | "proceedings" | "reference", "subtitle") if part => "booksubtitle",
        _ => name,
    }
}
