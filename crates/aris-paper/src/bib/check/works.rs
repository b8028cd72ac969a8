//! Two keys for one work.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Weight};
use crate::bib::{Library, Loc, Resolved};
use crate::{facts, names, titles};

/// Fewest letters and digits of a title that identifies a work. "Introduction" has twelve.
const MIN_TITLE: usize = 15;

/// Reports cited entries that describe a work already cited under another key: the same DOI, the same arXiv paper, or the same
/// title and first author.
pub(super) fn check(library: &Library<'_>, cited: &BTreeSet<Loc>) -> Vec<Finding> {
    let mut first_by: BTreeMap<String, Loc> = BTreeMap::new();
    let mut findings = Vec::new();
    for loc in cited.iter().copied() {
        let Some(entry) = library.entry(loc) else {
            continue;
        };
        let resolved = library.resolve(entry);
        let mut told = BTreeSet::new();
        for (label, shown) in identities(&resolved) {
            let first = *first_by.entry(label).or_insert(loc);
            let Some(other) = library.entry(first) else {
                continue;
            };
            // `entries` reports entries with the same key.
            if library.is_same_key(&other.key, &entry.key)
                || !told.insert(first)
                || are_parts(&resolved, &library.resolve(other))
            {
                continue;
            }
            let message = format!(
                "`{}` and `{}` ({}:{}) have the same {shown}",
                entry.key,
                other.key,
                library.path(first),
                other.key_place
            );
            findings.push(
                Finding::new(
                    "duplicate_work",
                    Weight::Doubt,
                    message,
                    "cite one of the two everywhere, or tell them apart",
                )
                .key(&entry.key)
                .at(library.path(loc), entry.key_place)
                .quote(entry.text("title").unwrap_or_default()),
            );
        }
    }
    findings
}

/// Identities of a work: a label that two entries of the same work share, and its kind for messages. What an entry inherits
/// identifies its parent.
fn identities(resolved: &Resolved<'_>) -> Vec<(String, &'static str)> {
    let own = Resolved {
        entry: resolved.entry,
        inherited: Vec::new(),
        dangling: Vec::new(),
    };
    let mut labels = Vec::new();
    labels.extend(
        facts::dois(&own)
            .iter()
            .map(|doi| (format!("doi {}", doi.folded()), "DOI")),
    );
    labels.extend(
        facts::arxiv_ids(&own)
            .iter()
            .map(|id| (format!("arxiv {id}"), "arXiv identifier")),
    );
    let author = ["author", "editor"]
        .into_iter()
        .find_map(|name| resolved.field(name));
    let first = author.and_then(|field| names::parse_list(&field.raw).names.into_iter().next());
    if let (Some(title), Some(first)) = (own.text("title"), first) {
        let key = titles::key(title);
        let family = titles::key(&first.last);
        if key.chars().count() >= MIN_TITLE && !family.is_empty() {
            labels.push((format!("title {key} {family}"), "title and first author"));
        }
    }
    labels
}

/// Whether two entries are volumes, editions, versions or chapters of one work. These are rightly cited separately.
fn are_parts(one: &Resolved<'_>, two: &Resolved<'_>) -> bool {
    let book = |entry: &Resolved<'_>| {
        matches!(
            entry.entry.kind.as_str(),
            "book"
                | "inbook"
                | "incollection"
                | "manual"
                | "collection"
                | "proceedings"
                | "software"
                | "softwareversion"
                | "dataset"
                | "misc"
                | "online"
        )
    };
    book(one)
        && book(two)
        && [
            "volume", "edition", "version", "chapter", "pages", "part", "number",
        ]
        .into_iter()
        .any(|name| matches!((one.text(name), two.text(name)), (Some(a), Some(b)) if a != b))
}
