//! Checks cited keys and numbers against the bibliography, and the bibliography against itself and the results of
//! `verify_papers`.
//!
//! Faults of keys and entries come from [`aris_paper::bib::check`], as in the citation audit.
//!
//! **Source**: citation gates, §8.5.

use std::collections::{BTreeMap, BTreeSet};

use aris_contract::ids::{ArxivId, Doi};
use aris_paper::bib::check::{self, Target, Weight};
use aris_paper::bib::{Library, Loc, is_distributed};
use aris_paper::{facts, titles};
use aris_review::{Edit, Severity};

use super::{Check, EXTERNAL, Sources};
use crate::papers::Known;
use crate::prose::mark::Source;
use crate::prose::{Place, Prose};
use crate::statement::Statement;

/// The rules about entries.
const ENTRIES: [&str; 5] = [
    "bib-entry-unused",
    "bib-duplicate",
    "bib-entry-incomplete",
    "bib-entry-doubtful",
    "bib-syntax",
];

pub(super) fn check(
    documents: &[Prose],
    statements: &[Vec<Statement>],
    sources: &Sources<'_>,
    out: &mut Check,
) {
    numbers(documents, out);
    for (prose, statements) in documents.iter().zip(statements) {
        unseen(prose, statements, out);
    }
    let all = || documents.iter().map(|prose| &prose.references);
    let items = all().flat_map(|one| one.items.keys());
    let items: BTreeSet<&str> = items.map(String::as_str).collect();
    let mut places: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for cited in all().flat_map(|one| &one.cited) {
        places.entry(&cited.key).or_default().push(&cited.place);
    }
    let library = Library::new(sources.bibliographies.unwrap_or_default());
    let library = library.cased(all().any(|one| one.cased));
    let target = |key: &str| Target::of(key, &library, &items);
    let mut cited: BTreeSet<Loc> = places
        .keys()
        .filter_map(|key| match target(key) {
            Target::Entry(loc) => Some(loc),
            Target::Item | Target::Nowhere => None,
        })
        .collect();
    let all_cited = all().any(|one| one.all_cited);
    if all_cited {
        cited.extend(library.printed());
    }
    let absent = "no bibliography was given or found";
    if sources.bibliographies.is_none() && items.is_empty() {
        if !places.is_empty() {
            out.not_checked(["cite-key-missing"], absent);
            let keys = all().flat_map(|one| &one.cited);
            let keys = keys.map(|cited| (cited.place.clone(), cited.key.clone()));
            out.unseen.extend(keys);
        }
    } else {
        let nowhere = places
            .iter()
            .filter(|(key, _)| target(key) == Target::Nowhere);
        let nowhere = nowhere.map(|(key, places)| (*key, places.len()));
        for finding in check::keys(&library, nowhere, true) {
            let message = format!("{}; {}", finding.message, finding.action);
            for place in places.get(finding.key.as_str()).into_iter().flatten() {
                let severity = severity(finding.weight);
                let place = (place.file.as_str(), place.line);
                let rule = "cite-key-missing";
                let added = out.add(rule, severity, EXTERNAL, place, message.clone());
                if let Some(key) = &finding.replacement {
                    added.edit = Some(Edit::new(&finding.key, key));
                }
            }
        }
    }
    if sources.bibliographies.is_none() {
        out.not_checked(ENTRIES, absent);
    } else {
        let asked = all().flat_map(|one| one.files.iter().flatten());
        let distributed = asked
            .filter_map(|path| path.rsplit('/').next())
            .any(is_distributed);
        entries(&library, &cited, sources, distributed, out);
        if !all_cited {
            unused(documents, &library, &cited, out);
        }
    }
    papers(&library, &cited, sources, out);
    notes(&library, &cited, sources, out);
}

fn severity(weight: Weight) -> Severity {
    match weight {
        Weight::Error => Severity::Critical,
        Weight::Doubt => Severity::Warning,
        Weight::Note => Severity::Info,
    }
}

/// Reports `[7]` when the list has no entry 7.
fn numbers(documents: &[Prose], out: &mut Check) {
    let rule = "citation-number-missing";
    for references in documents.iter().map(|prose| &prose.references) {
        let Some((last, _)) = references.listed.last_key_value() else {
            if !references.cited_numbers.is_empty() {
                out.not_checked([rule], "the document has no numbered list of references");
            }
            continue;
        };
        for (number, place) in &references.cited_numbers {
            if !references.listed.contains_key(number) {
                let message = format!(
                    "[{number}] has no entry in the list of references, which ends at {last}"
                );
                let place = (place.file.as_str(), place.line);
                out.add(rule, Severity::Critical, EXTERNAL, place, message);
            }
        }
    }
}

/// Claims that rest on numbers without a list, and on notes without a text.
fn unseen(prose: &Prose, statements: &[Statement], out: &mut Check) {
    let listed = &prose.references.listed;
    for statement in statements {
        if !statement.rests_on_source() {
            continue;
        }
        let sentence = &statement.sentence;
        let marks = prose.marks_of(sentence.passage);
        for mark in marks.get(sentence.marks.clone()).into_iter().flatten() {
            let said = match &mark.source {
                Source::Numbers(numbers) if listed.is_empty() => {
                    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                    format!("[{}]", numbers.join(", "))
                }
                Source::Footnote(text) if text.trim().is_empty() => "a footnote".to_owned(),
                _ => continue,
            };
            let place = prose.place(sentence.passage, mark.range.start);
            out.unseen.push((place, said));
        }
    }
}

/// Reports faults of the entries.
fn entries(
    library: &Library<'_>,
    cited: &BTreeSet<Loc>,
    sources: &Sources<'_>,
    distributed: bool,
    out: &mut Check,
) {
    if sources.now.is_none() {
        out.not_checked(
            ["bib-entry-doubtful"],
            "nobody said by which date entries are judged",
        );
    }
    for finding in check::entries(library, cited, sources.now, distributed) {
        let rule = match finding.id {
            "duplicate_key" | "duplicate_work" => "bib-duplicate",
            "missing_field" | "missing_parent" => "bib-entry-incomplete",
            id if id.starts_with("bibtex_") => "bib-syntax",
            _ => "bib-entry-doubtful",
        };
        let about = match finding.key.as_str() {
            "" => String::new(),
            key if finding.message.contains(&format!("`{key}`")) => String::new(),
            key => format!("`{key}`: "),
        };
        let message = format!("{about}{}; {}", finding.message, finding.action);
        let place = (finding.file.as_str(), finding.line);
        out.add(rule, severity(finding.weight), EXTERNAL, place, message);
    }
}

/// Reports entries that no document cites. Skipped for excerpts, which may lack the citation.
fn unused(documents: &[Prose], library: &Library<'_>, cited: &BTreeSet<Loc>, out: &mut Check) {
    let rule = "bib-entry-unused";
    if documents.iter().any(|prose| !prose.whole) {
        out.not_checked([rule], "only parts of the documents are known");
        return;
    }
    for loc in library.unused(cited) {
        at_entry(rule, Severity::Info, library, loc, out, |key| {
            format!("entry `{key}` is cited nowhere")
        });
    }
}

fn at_entry(
    rule: &'static str,
    severity: Severity,
    library: &Library<'_>,
    loc: Loc,
    out: &mut Check,
    message: impl Fn(&str) -> String,
) {
    if let Some(entry) = library.entry(loc) {
        let place = (library.path(loc), entry.key_place.line);
        out.add(rule, severity, EXTERNAL, place, message(&entry.key));
    }
}

/// The identifiers of an entry's work.
struct Work<'l> {
    key: &'l str,
    arxiv: Vec<ArxivId>,
    dois: Vec<Doi>,
    title: &'l str,
}

impl<'l> Work<'l> {
    fn of(library: &Library<'l>, loc: Loc) -> Option<Self> {
        let entry = library.resolve(library.entry(loc)?);
        Some(Self {
            key: &entry.entry.key,
            arxiv: facts::arxiv_ids(&entry),
            dois: facts::dois(&entry),
            title: entry.text("title").unwrap_or_default(),
        })
    }
}

/// Reports what the papers cache says about the cited works.
fn papers(library: &Library<'_>, cited: &BTreeSet<Loc>, sources: &Sources<'_>, out: &mut Check) {
    let (unverified, retracted) = ("bib-entry-unverified", "retracted-citation");
    let Some(cache) = sources.papers else {
        out.not_checked([unverified, retracted], "no papers cache was given");
        return;
    };
    for loc in cited {
        let Some(work) = Work::of(library, *loc) else {
            continue;
        };
        let known = cache.of(work.key, &work.arxiv, &work.dois, work.title);
        let said = match known {
            Some(Known::Verified) => continue,
            Some(Known::Unverified) => {
                "no source knows the work; look it up, and correct or drop it"
            }
            Some(Known::Retracted) => {
                "the work was retracted; cite the retraction with it, or drop it"
            }
            Some(Known::VerifyPending) => "a source did not answer; verify again later",
            Some(Known::Error) => "there is neither title nor identifier to verify it by",
            None => "it was never verified: the papers cache does not hold it",
        };
        let (rule, severity) = match known {
            Some(Known::Retracted) => (retracted, Severity::Critical),
            Some(Known::Unverified) => (unverified, Severity::Critical),
            Some(Known::VerifyPending) => (unverified, Severity::Info),
            _ => (unverified, Severity::Warning),
        };
        at_entry(rule, severity, library, *loc, out, |key| {
            format!("`{key}`: {said}")
        });
    }
}

/// Reports cited works without a reading note.
fn notes(library: &Library<'_>, cited: &BTreeSet<Loc>, sources: &Sources<'_>, out: &mut Check) {
    let rule = "citation-without-note";
    let Some(notes) = sources.notes else {
        out.not_checked([rule], "no folder of notes was given");
        return;
    };
    for loc in cited {
        let Some(work) = Work::of(library, *loc) else {
            continue;
        };
        let (key, title) = (work.key.to_lowercase(), titles::key(work.title));
        let is_about = |note: &String| {
            *note == key
                || (!title.is_empty() && titles::key(note) == title)
                || work.arxiv.iter().any(|id| note.contains(id.as_str()))
        };
        if !notes.iter().any(is_about) {
            at_entry(rule, Severity::Info, library, *loc, out, |key| {
                format!("no note says that `{key}` was read")
            });
        }
    }
}
