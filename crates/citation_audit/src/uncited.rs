//! Entries that are never cited.

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::{Document, Position};
use aris_paper::bib::{Library, Loc};
use serde::Serialize;

/// An entry that the bibliography has and the document does not cite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Uncited {
    pub(crate) key: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    /// `prune`, or `check` when a comment in the sources names the key.
    pub(crate) suggestion: &'static str,
    pub(crate) note: String,
}

/// Lists the uncited entries in file order. Parents of cited entries count as cited.
pub(crate) fn list(
    document: &Document,
    library: &Library<'_>,
    cited: &BTreeMap<Loc, usize>,
) -> Vec<Uncited> {
    let remarks = remarks(document);
    let cited: BTreeSet<Loc> = cited.keys().copied().collect();
    library
        .unused(&cited)
        .into_iter()
        .filter_map(|loc| Some((loc, library.entry(loc)?)))
        .map(|(loc, entry)| {
            let remark = remarks.get(entry.key.as_str());
            Uncited {
                key: entry.key.clone(),
                file: library.path(loc).to_owned(),
                line: entry.key_place.line,
                suggestion: if remark.is_some() { "check" } else { "prune" },
                note: match remark {
                    Some(position) => format!(
                        "a comment at {}:{} names the key",
                        position.path, position.line
                    ),
                    None => String::from("no comment in the sources names the key"),
                },
            }
        })
        .collect()
}

/// The words of all comments, each with the place of its first occurrence.
fn remarks(document: &Document) -> BTreeMap<&str, Position> {
    let mut words = BTreeMap::new();
    for file in &document.files {
        for (number, line) in file.text.lines().enumerate() {
            let Some(comment) = comment(line) else {
                continue;
            };
            for word in comment.split(|c: char| {
                c.is_whitespace() || matches!(c, '{' | '}' | ',' | ';' | '(' | ')' | '[' | ']')
            }) {
                let position = || Position {
                    path: file.path.clone(),
                    line: number + 1,
                    column: 1,
                };
                words
                    .entry(word.trim_end_matches(['.', ':', '?', '!']))
                    .or_insert_with(position);
            }
        }
    }
    words
}

/// The text after the first `%` that is not escaped.
fn comment(line: &str) -> Option<&str> {
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'%' if !escaped => return line.get(at + 1..),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}
