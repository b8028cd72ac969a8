//! Faults of a list of references that the files alone show: keys without an entry, one key for two entries, two keys for one
//! work, syntax errors, missing fields, and facts that contradict an entry.
//!
//! Nothing here checks whether a work exists: that needs a data base.

mod entries;
mod works;

use std::collections::BTreeSet;

use super::{Library, Loc, Place};

pub use entries::entries;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A proven error.
    Error,
    /// Something to check.
    Doubt,
    /// A remark.
    Note,
}

/// A fault with its place and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind; the word is stable.
    pub id: &'static str,
    /// Its severity.
    pub weight: Weight,
    /// The key it is about; empty when it is about a file.
    pub key: String,
    /// The bibliography; empty when it is about a citation.
    pub file: String,
    /// Line, from 1; 0 when it is about a citation.
    pub line: usize,
    /// Column, from 1, in characters; 0 when it is about a citation.
    pub column: usize,
    /// The text at that place, shortened.
    pub quote: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub action: String,
    /// The key to write instead of the cited one; only where there is a single candidate.
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

/// What a cited key refers to.
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
    /// Looks a key up: first among entries, then among items.
    pub fn of(key: &str, library: &Library<'_>, items: &BTreeSet<&str>) -> Self {
        match library.find(key) {
            Some(loc) => Self::Entry(loc),
            None if items.contains(key) => Self::Item,
            None => Self::Nowhere,
        }
    }
}

/// Findings for keys without an entry, each given with its number of citations. `whole` says that every bibliography was read,
/// so that a missing key is certain. The caller adds the place of the citation.
pub fn keys<'k>(
    library: &Library<'_>,
    nowhere: impl IntoIterator<Item = (&'k str, usize)>,
    whole: bool,
) -> Vec<Finding> {
    /// Most hints in one run; each needs a pass over all keys.
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
            // BibTeX ignores case here; biber does not.
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
