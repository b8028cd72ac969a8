//! What is wrong with a list of references, as far as the files themselves show it: keys that lead nowhere, one key for two entries, two
//! keys for one work, syntax, fields that miss, facts that speak against an entry.
//!
//! Nobody is asked whether a work exists.

mod entries;
mod works;

use std::collections::BTreeSet;

use super::{Library, Loc, Place};

pub use entries::entries;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// An error that is proved.
    Error,
    /// Something to look at.
    Doubt,
    /// Worth knowing.
    Note,
}

/// Something wrong, with its place and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind it is; stable.
    pub id: &'static str,
    /// How much it weighs.
    pub weight: Weight,
    /// The key it is about; empty when it is about a file.
    pub key: String,
    /// The bibliography; empty when it is about a citation.
    pub file: String,
    /// Line, from 1; 0 when it is about a citation.
    pub line: usize,
    /// Column, from 1, in characters; 0 when it is about a citation.
    pub column: usize,
    /// What stands there, shortened.
    pub quote: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub action: String,
    /// The key to write in place of the one that is cited; only where there is no other.
    pub replacement: Option<String>,
}

impl Finding {
    fn new(
        id: &'static str,
        weight: Weight,
        message: impl Into<String>,
        action: impl Into<String>,
    ) -> Self {
        Self {
            id,
            weight,
            key: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            quote: String::new(),
            message: message.into(),
            action: action.into(),
            replacement: None,
        }
    }

    fn key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self
    }

    fn at(mut self, file: &str, place: Place) -> Self {
        file.clone_into(&mut self.file);
        (self.line, self.column) = (place.line, place.column);
        self
    }

    fn quote(mut self, quote: impl Into<String>) -> Self {
        self.quote = quote.into();
        self
    }
}

/// What a cited key leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An entry of a bibliography.
    Entry(Loc),
    /// A `\bibitem`.
    Item,
    /// Nothing.
    Nowhere,
}

impl Target {
    /// Looks a key up: entries before items.
    pub fn of(key: &str, library: &Library<'_>, items: &BTreeSet<&str>) -> Self {
        match library.find(key) {
            Some(loc) => Self::Entry(loc),
            None if items.contains(key) => Self::Item,
            None => Self::Nowhere,
        }
    }
}

/// What is wrong with keys that lead nowhere, given with how often each is cited. `whole` says that every bibliography was read, so that
/// absence means something. The place of the citation is the caller's to add.
pub fn keys<'k>(
    library: &Library<'_>,
    nowhere: impl IntoIterator<Item = (&'k str, usize)>,
    whole: bool,
) -> Vec<Finding> {
    /// Hints cost a pass over all keys each.
    const MAX_HINTS: usize = 100;
    let mut findings = Vec::new();
    let mut hints = 0;
    for (key, uses) in nowhere {
        let other_case = library
            .find_other_case(key)
            .and_then(|loc| library.entry(loc));
        let finding = if key.contains('\\') || key.contains('#') {
            Finding::new(
                "unresolved_citation",
                Weight::Doubt,
                format!("the key `{key}` holds a macro that is not resolved here"),
                "write the key itself so that it can be audited",
            )
        } else if let Some(entry) = other_case {
            // BibTeX finds it, biber does not.
            let mut finding = Finding::new(
                "key_case_mismatch",
                Weight::Doubt,
                format!("`{key}` is cited, the bibliography has `{}`", entry.key),
                format!("write `{}` in the citation", entry.key),
            );
            finding.replacement = Some(entry.key.clone());
            finding
        } else if whole {
            hints += 1;
            let near = if hints <= MAX_HINTS {
                library.near(key)
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
            let often = match uses {
                1 => String::from("once"),
                count => format!("{count} times"),
            };
            let message = format!("`{key}` is in no bibliography; cited {often}");
            let mut finding = Finding::new("undefined_key", Weight::Error, message, action);
            if let [only] = near.as_slice() {
                finding.replacement = Some((*only).to_owned());
            }
            finding
        } else {
            continue;
        };
        findings.push(finding.key(key));
    }
    findings
}
