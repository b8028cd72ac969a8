//! Cited keys and numbers against the bibliography, and the bibliography against itself and what is known of the works.
//!
//! **Source**: citation gates, §8.5.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::ids::{ArxivId, Doi};
use aris_paper::bib::{self, Entry, Index, ProblemKind, Resolved};
use aris_paper::{facts, titles};
use aris_review::Severity;

use super::{Check, EXTERNAL, Sources};
use crate::papers::Known;
use crate::prose::{Place, Prose};

/// One bibliography file.
#[derive(Debug)]
pub struct Bibliography {
    /// Its path, as findings name it.
    pub path: String,
    /// What it holds.
    pub read: bib::Bibliography,
}

/// The bibliographies of a check, in the order in which they count.
pub type Bibliographies = Vec<Bibliography>;

pub(super) fn check(documents: &[Prose], sources: &Sources<'_>, out: &mut Check) {
    numbers(documents, out);
    let items: BTreeSet<&str> = documents
        .iter()
        .flat_map(|prose| &prose.references.items)
        .map(|item| item.key.as_str())
        .collect();
    let cited: BTreeSet<&str> = documents
        .iter()
        .flat_map(|prose| &prose.references.cited)
        .map(|cited| cited.key.as_str())
        .collect();
    let library = Library::new(sources.bibliographies.map_or(&[], Vec::as_slice));
    if sources.bibliographies.is_none() && items.is_empty() {
        if !cited.is_empty() {
            out.not_checked("cite-key-missing", "no bibliography was given or found");
        }
        for rule in ["bib-entry-unused", "bib-duplicate", "bib-entry-incomplete"] {
            out.not_checked(rule, "no bibliography was given or found");
        }
    } else {
        for key in documents.iter().flat_map(|prose| &prose.references.cited) {
            if !library.keys.contains_key(key.key.as_str()) && !items.contains(key.key.as_str()) {
                let near = library.nearest(&key.key);
                let hint = near.map_or_else(
                    || String::from("add the entry, or cite another one"),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("key `{}` is in no bibliography; {hint}", key.key);
                out.at(
                    "cite-key-missing",
                    Severity::Critical,
                    EXTERNAL,
                    &key.place,
                    message,
                );
            }
        }
    }
    unused(documents, &library, &cited, out);
    library.duplicates(out);
    library.incomplete(out);
    papers(&library, &cited, sources, out);
    notes(&library, &cited, sources, out);
}

/// `[7]` without an entry 7.
fn numbers(documents: &[Prose], out: &mut Check) {
    for prose in documents {
        let references = &prose.references;
        if references.cited_numbers.is_empty() {
            continue;
        }
        if references.listed_numbers.is_empty() {
            out.not_checked(
                "citation-number-missing",
                "the document has no numbered list of references",
            );
            continue;
        }
        for (number, place) in &references.cited_numbers {
            if references.listed_numbers.binary_search(number).is_err() {
                let message = format!(
                    "[{number}] has no entry in the list of references, which ends at {}",
                    references.listed_numbers.last().copied().unwrap_or(0)
                );
                out.at(
                    "citation-number-missing",
                    Severity::Critical,
                    EXTERNAL,
                    place,
                    message,
                );
            }
        }
    }
}

/// The entries of all files; of equal keys the first counts.
struct Library<'b> {
    files: &'b [Bibliography],
    index: Index<'b>,
    keys: BTreeMap<&'b str, (&'b Bibliography, &'b Entry)>,
}

impl<'b> Library<'b> {
    fn new(files: &'b [Bibliography]) -> Self {
        let mut keys = BTreeMap::new();
        for file in files {
            for entry in file
                .read
                .entries
                .iter()
                .filter(|entry| !entry.key.is_empty())
            {
                keys.entry(entry.key.as_str()).or_insert((file, entry));
            }
        }
        Self {
            files,
            index: Index::new(files.iter().map(|file| &file.read)),
            keys,
        }
    }

    /// The key that differs by one letter, or only in case; the first by name.
    fn nearest(&self, key: &str) -> Option<&'b str> {
        self.keys
            .keys()
            .copied()
            .find(|known| known.eq_ignore_ascii_case(key))
            .or_else(|| self.keys.keys().copied().find(|known| one_edit(known, key)))
    }

    fn entries(&self) -> impl Iterator<Item = (&'b Bibliography, &'b Entry)> {
        self.files.iter().flat_map(|file| {
            let entries = file.read.entries.iter();
            entries.map(move |entry| (file, entry))
        })
    }

    fn duplicates(&self, out: &mut Check) {
        for file in self.files {
            for problem in &file.read.problems {
                if let ProblemKind::DuplicateKey { first } = problem.kind {
                    let message = format!(
                        "key `{}` is used before, on line {}",
                        problem.key, first.line
                    );
                    let place = place(file, problem.place.line);
                    out.at(
                        "bib-duplicate",
                        Severity::Warning,
                        EXTERNAL,
                        &place,
                        message,
                    );
                }
            }
        }
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for (file, entry) in self.entries() {
            let work = Work::of(&self.index.resolve(entry));
            let mut same: Option<(&str, &str)> = None;
            for (what, name) in work.names() {
                match seen.get(&name) {
                    Some(first) if *first != entry.key => same = same.or(Some((what, first))),
                    Some(_) => {}
                    None => {
                        seen.insert(name, &entry.key);
                    }
                }
            }
            if let Some((what, first)) = same {
                let message = format!(
                    "entry `{}` has the same {what} as `{first}`; keep one of them",
                    entry.key
                );
                let place = place(file, entry.key_place.line);
                out.at(
                    "bib-duplicate",
                    Severity::Warning,
                    EXTERNAL,
                    &place,
                    message,
                );
            }
        }
    }

    /// Fields behind a syntax error are lost, not missing.
    fn incomplete(&self, out: &mut Check) {
        for (file, entry) in self.entries().filter(|(_, entry)| entry.complete) {
            let missing: Vec<String> = bib::missing(&self.index.resolve(entry))
                .iter()
                .map(|requirement| requirement.any_of.join(" or "))
                .collect();
            if !missing.is_empty() {
                let message = format!(
                    "entry `{}` (@{}) lacks {}",
                    entry.key,
                    entry.kind,
                    missing.join(", ")
                );
                let place = place(file, entry.key_place.line);
                out.at(
                    "bib-entry-incomplete",
                    Severity::Warning,
                    EXTERNAL,
                    &place,
                    message,
                );
            }
        }
    }
}

fn place(file: &Bibliography, line: usize) -> Place {
    Place {
        file: file.path.clone(),
        line,
        column: 1,
    }
}

/// What an entry's work goes by.
struct Work {
    arxiv: Vec<ArxivId>,
    dois: Vec<Doi>,
    title: String,
}

impl Work {
    fn of(entry: &Resolved<'_>) -> Self {
        Self {
            arxiv: facts::arxiv_ids(entry),
            dois: facts::dois(entry),
            title: entry.text("title").unwrap_or_default().to_owned(),
        }
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let arxiv = self
            .arxiv
            .iter()
            .map(|id| ("arXiv identifier", format!("arxiv {}", id.as_str())));
        let dois = self
            .dois
            .iter()
            .map(|doi| ("DOI", format!("doi {}", doi.as_str().to_ascii_lowercase())));
        let title = titles::key(&self.title);
        let title = (!title.is_empty()).then(|| ("title", format!("title {title}")));
        arxiv.chain(dois).chain(title).collect()
    }
}

/// Entries that no whole document cites; nothing is said from excerpts.
fn unused(documents: &[Prose], library: &Library<'_>, cited: &BTreeSet<&str>, out: &mut Check) {
    if library.files.is_empty() || documents.iter().any(|prose| prose.references.all_cited) {
        return;
    }
    if documents.iter().any(|prose| !prose.whole) {
        out.not_checked("bib-entry-unused", "only parts of the documents are known");
        return;
    }
    // What a cited entry takes fields from is used, too.
    let mut used: BTreeSet<String> = BTreeSet::new();
    for key in cited {
        let mut queue = vec![(*key).to_owned()];
        while let Some(key) = queue.pop() {
            if !used.insert(key.clone()) {
                continue;
            }
            if let Some((_, entry)) = library.keys.get(key.as_str()) {
                for parents in ["crossref", "xdata"] {
                    let parents = entry.text(parents).unwrap_or_default().split(',');
                    queue.extend(parents.map(|parent| parent.trim().to_owned()));
                }
            }
        }
    }
    for (file, entry) in library.keys.values() {
        if !used.contains(&entry.key) && !entry.commented {
            let message = format!("entry `{}` is cited nowhere", entry.key);
            let place = place(file, entry.key_place.line);
            out.at(
                "bib-entry-unused",
                Severity::Info,
                EXTERNAL,
                &place,
                message,
            );
        }
    }
}

/// What the papers cache says of the cited works.
fn papers(library: &Library<'_>, cited: &BTreeSet<&str>, sources: &Sources<'_>, out: &mut Check) {
    let Some(cache) = sources.papers else {
        for rule in ["bib-entry-unverified", "retracted-citation"] {
            out.not_checked(rule, "no papers cache was given");
        }
        return;
    };
    for (file, entry) in library.keys.values() {
        if !cited.contains(entry.key.as_str()) {
            continue;
        }
        let work = Work::of(&library.index.resolve(entry));
        let known = cache.of(&entry.key, &work.arxiv, &work.dois, &work.title);
        let key = &entry.key;
        let (rule, severity, message) = match known {
            Some(Known::Verified) => continue,
            Some(Known::Unverified) => (
                "bib-entry-unverified",
                Severity::Critical,
                format!("no source knows the work of `{key}`; look it up, and correct or drop it"),
            ),
            Some(Known::Retracted) => (
                "retracted-citation",
                Severity::Critical,
                format!(
                    "the work of `{key}` was retracted; cite the retraction with it, or drop it"
                ),
            ),
            Some(Known::VerifyPending) => (
                "bib-entry-unverified",
                Severity::Info,
                format!("a source did not answer for `{key}`; verify again later"),
            ),
            Some(Known::Error) => (
                "bib-entry-unverified",
                Severity::Warning,
                format!("`{key}` has neither title nor identifier to verify it by"),
            ),
            None => (
                "bib-entry-unverified",
                Severity::Warning,
                format!("`{key}` was never verified: the papers cache does not hold it"),
            ),
        };
        let place = place(file, entry.key_place.line);
        out.at(rule, severity, EXTERNAL, &place, message);
    }
}

/// Cited works of which no note says that they were read.
fn notes(library: &Library<'_>, cited: &BTreeSet<&str>, sources: &Sources<'_>, out: &mut Check) {
    let Some(notes) = sources.notes else {
        out.not_checked("citation-without-note", "no folder of notes was given");
        return;
    };
    for (file, entry) in library.keys.values() {
        if !cited.contains(entry.key.as_str()) {
            continue;
        }
        let work = Work::of(&library.index.resolve(entry));
        let key = entry.key.to_lowercase();
        let title = titles::key(&work.title);
        let read = notes.iter().any(|note| {
            *note == key
                || (!title.is_empty() && titles::key(note) == title)
                || work.arxiv.iter().any(|id| note.contains(id.as_str()))
        });
        if !read {
            let message = format!("no note says that `{}` was read", entry.key);
            let place = place(file, entry.key_place.line);
            out.at(
                "citation-without-note",
                Severity::Info,
                EXTERNAL,
                &place,
                message,
            );
        }
    }
}

/// Whether two words differ by one letter: another one, one more, one less, or two neighbours swapped.
fn one_edit(one: &str, two: &str) -> bool {
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    if one.len().abs_diff(two.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(&two).take_while(|(a, b)| a == b).count();
    let rest = |word: &[char], skip: usize| word.get(same + skip..).map(<[char]>::to_vec);
    let swapped = one.get(same) == two.get(same + 1) && one.get(same + 1) == two.get(same);
    rest(&one, 1) == rest(&two, 1)
        || rest(&one, 1).is_some() && rest(&one, 1) == rest(&two, 0)
        || rest(&two, 1).is_some() && rest(&one, 0) == rest(&two, 1)
        || swapped && rest(&one, 2) == rest(&two, 2)
}

#[cfg(test)]
mod tests {
    use super::one_edit;

    #[test]
    fn one_letter_more_less_or_other() {
        for (one, two, expected) in [
            ("smith2020", "smith2021", true),
            ("smith2020", "smth2020", true),
            ("smith2020", "smiith2020", true),
            ("smith2020", "smtih2020", true),
            ("smith2020", "jones2020", false),
            ("a", "", true),
        ] {
            assert_eq!(one_edit(one, two), expected, "{one} {two}");
        }
    }
}
