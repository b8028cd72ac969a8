//! What the document cites, key by key, and whether each key leads anywhere.

use std::collections::{BTreeMap, BTreeSet};

use aris_latex::{Document, Place, Position};

use crate::finding::{Finding, Severity};
use crate::library::{Library, Loc};

/// Characters of a source line that are quoted.
pub(crate) const QUOTE: usize = 160;

/// One cited key.
pub(crate) struct Cited {
    pub(crate) key: String,
    /// Where it is cited, in reading order; empty when only `\nocite{*}` does.
    pub(crate) uses: Vec<Use>,
    /// Where its entry stands.
    pub(crate) target: Target,
}

/// One citation.
pub(crate) struct Use {
    pub(crate) position: Position,
    pub(crate) command: String,
    /// Where that is in the document, to quote it.
    pub(crate) place: Place,
}

/// What a key leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An entry of a bibliography.
    Entry(Loc),
    /// A `\bibitem`.
    Item(Position),
    /// Nothing.
    Nowhere,
}

/// Collects the cited keys in order of their first citation, with everything that `\nocite{*}` adds at the end.
pub(crate) fn collect(document: &Document, library: &Library<'_>) -> Vec<Cited> {
    let mut order: BTreeMap<&str, usize> = BTreeMap::new();
    let mut cited: Vec<Cited> = Vec::new();
    let items: BTreeMap<&str, Position> = document
        .bibitems
        .iter()
        .rev()
        .map(|item| (item.key.as_str(), document.position(item.place)))
        .collect();
    for citation in document
        .citations
        .iter()
        .filter(|citation| citation.key != "*")
    {
        let place = Use {
            position: document.position(citation.place),
            command: citation.command.clone(),
            place: citation.place,
        };
        let index = *order.entry(citation.key.as_str()).or_insert_with(|| {
            let key = citation.key.clone();
            let target = match (library.find(&key), items.get(key.as_str())) {
                (Some(loc), _) => Target::Entry(loc),
                (None, Some(position)) => Target::Item(position.clone()),
                (None, None) => Target::Nowhere,
            };
            cited.push(Cited {
                key,
                uses: Vec::new(),
                target,
            });
            cited.len() - 1
        });
        if let Some(cited) = cited.get_mut(index) {
            cited.uses.push(place);
        }
    }
    if document.nocite_all {
        let known: BTreeSet<Loc> = cited.iter().filter_map(Cited::loc).collect();
        for loc in library.all() {
            if let Some(entry) = library.entry(loc).filter(|_| !known.contains(&loc)) {
                // Parents of others are not printed for their own sake.
                if !matches!(entry.kind.as_str(), "xdata" | "set")
                    && library.find(&entry.key) == Some(loc)
                {
                    cited.push(Cited {
                        key: entry.key.clone(),
                        uses: Vec::new(),
                        target: Target::Entry(loc),
                    });
                }
            }
        }
    }
    cited
}

impl Cited {
    pub(crate) fn loc(&self) -> Option<Loc> {
        match self.target {
            Target::Entry(loc) => Some(loc),
            Target::Item(_) | Target::Nowhere => None,
        }
    }
}

/// Reports keys that lead nowhere. `whole` says that every bibliography was read, so that absence means something.
pub(crate) fn check(
    document: &Document,
    cited: &[Cited],
    library: &Library<'_>,
    whole: bool,
) -> Vec<Finding> {
    /// Hints cost a pass over all keys each.
    const MAX_HINTS: usize = 100;
    let mut findings = Vec::new();
    let mut hints = 0;
    for cited in cited.iter().filter(|cited| cited.target == Target::Nowhere) {
        let Some(first) = cited.uses.first() else {
            continue;
        };
        let finding = if cited.key.contains('\\') || cited.key.contains('#') {
            Finding::new(
                "unresolved_citation",
                Severity::Warn,
                format!(
                    "the key `{}` holds a macro that is not resolved here",
                    cited.key
                ),
                "write the key itself so that it can be audited",
            )
        } else if let Some(entry) = library
            .find_other_case(&cited.key)
            .and_then(|loc| library.entry(loc))
        {
            // BibTeX finds it, biber does not.
            Finding::new(
                "key_case_mismatch",
                Severity::Warn,
                format!(
                    "`{}` is cited, the bibliography has `{}`",
                    cited.key, entry.key
                ),
                format!("write `{}` in the citation", entry.key),
            )
        } else if whole {
            hints += 1;
            let near = if hints <= MAX_HINTS {
                library.near(&cited.key)
            } else {
                Vec::new()
            };
            let action = if near.is_empty() {
                String::from("add the entry to the bibliography, or correct the key")
            } else {
                format!(
                    "add the entry, or correct the key: did you mean `{}`?",
                    near.join("` or `")
                )
            };
            let often = match cited.uses.len() {
                1 => String::from("once"),
                count => format!("{count} times"),
            };
            let message = format!("`{}` is in no bibliography; cited {often}", cited.key);
            Finding::new("undefined_key", Severity::Fail, message, action)
        } else {
            continue;
        };
        findings.push(
            finding
                .key(&cited.key)
                .position(&first.position)
                .quote(document.quote(first.place, QUOTE)),
        );
    }
    findings
}
