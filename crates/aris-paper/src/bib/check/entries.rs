//! Faults of the entries themselves: syntax, duplicate keys, missing fields, and facts that contradict an entry.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Weight, works};
use crate::bib::{Entry, Library, Loc, ProblemKind, missing};
use crate::facts::{self, Fact, Month};

/// All findings about the entries. Facts, missing fields and duplicate works are checked only for cited entries: other entries
/// do not reach a reader, and a shared bibliography has many that one paper does not use.
///
/// `now` is the month against which dates are checked; without it no facts are checked. `distributed` allows macros from a file
/// of the TeX distribution ([`crate::bib::is_distributed`]).
pub fn entries(
    library: &Library<'_>,
    cited: &BTreeSet<Loc>,
    now: Option<Month>,
    distributed: bool,
) -> Vec<Finding> {
    let mut findings = syntax(library, cited, distributed);
    findings.append(&mut duplicate_keys(library, cited));
    for loc in cited.iter().copied() {
        findings.append(&mut one(library, loc, now));
    }
    findings.append(&mut works::check(library, cited));
    findings
}

fn syntax(library: &Library<'_>, cited: &BTreeSet<Loc>, distributed: bool) -> Vec<Finding> {
    let keys: BTreeSet<&str> = cited
        .iter()
        .filter_map(|loc| library.entry(*loc))
        .map(|entry| entry.key.as_str())
        .collect();
    let mut findings = Vec::new();
    for file in library.files() {
        for problem in &file.read.problems {
            let is_distributed = distributed && problem.message.contains("`IEEE");
            let weight = match problem.kind {
                // Checked below, across all files.
                ProblemKind::DuplicateKey => continue,
                ProblemKind::UnknownMacro if is_distributed => continue,
                kind if kind.is_error() || keys.contains(problem.key.as_str()) => Weight::Doubt,
                _ => Weight::Note,
            };
            let action = "correct the entry; BibTeX and biber read such places differently";
            let finding = Finding::new(problem.kind.id(), weight, problem.message.clone(), action);
            findings.push(finding.key(&problem.key).at(&file.path, problem.place));
        }
    }
    findings
}

fn duplicate_keys(library: &Library<'_>, cited: &BTreeSet<Loc>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for all in library.groups() {
        let Some((first, others)) = all.split_first() else {
            continue;
        };
        let Some(kept) = library.entry(*first) else {
            continue;
        };
        let is_cited = all.iter().any(|loc| cited.contains(loc));
        let content_kept = content(kept);
        for loc in others {
            let Some(entry) = library.entry(*loc) else {
                continue;
            };
            let same = content_kept == content(entry);
            let weight = match (is_cited, same) {
                (true, false) => Weight::Error,
                (true, true) => Weight::Doubt,
                (false, _) => Weight::Note,
            };
            let what = match kept.text("title") {
                _ if same => String::from("the same entry"),
                Some(title) => format!("another entry, \"{}\"", shortened(title)),
                None => format!("another entry, a @{} without title", kept.kind),
            };
            let message = format!(
                "key `{}` is used before, at {}:{}, for {what}",
                entry.key,
                library.path(*first),
                kept.key_place
            );
            let action = if same {
                "delete one of the two"
            } else {
                "give one of the two another key"
            };
            findings.push(
                Finding::new("duplicate_key", weight, message, action)
                    .key(&entry.key)
                    .at(library.path(*loc), entry.key_place)
                    .quote(entry.text("title").unwrap_or_default()),
            );
        }
    }
    findings
}

/// The beginning of a title, as long as a message shows it.
fn shortened(title: &str) -> String {
    const SHOWN: usize = 80;
    let mut letters = title.chars();
    let mut shown: String = letters.by_ref().take(SHOWN).collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// The content of an entry, for comparison regardless of order and markup.
fn content(entry: &Entry) -> (&str, BTreeMap<&str, &str>) {
    // Of two fields with the same name, the first counts.
    let mut fields = BTreeMap::new();
    for field in &entry.fields {
        fields
            .entry(field.name.as_str())
            .or_insert(field.text.as_str());
    }
    (entry.kind.as_str(), fields)
}

fn one(library: &Library<'_>, loc: Loc, now: Option<Month>) -> Vec<Finding> {
    let Some(entry) = library.entry(loc) else {
        return Vec::new();
    };
    let resolved = library.resolve(entry);
    let path = library.path(loc);
    let mut findings = Vec::new();
    for key in &resolved.dangling {
        let message = format!(
            "`{}` refers to `{key}`, which is in no bibliography",
            entry.key
        );
        let finding = Finding::new(
            "missing_parent",
            Weight::Doubt,
            message,
            "add the parent entry, or drop the field",
        );
        findings.push(finding.key(&entry.key).at(path, entry.key_place));
    }
    // After a syntax error the fields are lost, not missing. The error itself is reported.
    if entry.complete {
        for requirement in missing(&resolved) {
            let names = requirement.join("` or `");
            let message = format!("@{} needs `{names}`", entry.kind);
            let finding = Finding::new(
                "missing_field",
                Weight::Doubt,
                message,
                format!("add `{names}`"),
            );
            findings.push(
                finding
                    .key(&entry.key)
                    .at(path, entry.key_place)
                    .quote(entry.text("title").unwrap_or_default()),
            );
        }
    }
    for fact in now.into_iter().flat_map(|now| facts::facts(&resolved, now)) {
        let file = library.file_of(loc, &resolved, &fact.field);
        findings.push(of_fact(fact, &entry.key, file));
    }
    findings
}

fn of_fact(fact: Fact, key: &str, file: &str) -> Finding {
    let weight = if fact.kind.proves_error() {
        Weight::Error
    } else {
        Weight::Doubt
    };
    let quote = format!("{} = {{{}}}", fact.field, fact.quote);
    Finding::new(fact.kind.id(), weight, fact.message, fact.kind.action())
        .key(key)
        .at(file, fact.place)
        .quote(quote)
}
