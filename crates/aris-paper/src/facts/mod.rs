//! Faults of a reference that need no data base: impossible dates and identifiers, placeholder names, and identifiers that
//! contradict the rest of the entry.
//!
//! Kinds of [`Fact`] that prove an error ([`FactKind::proves_error`]) hold whatever a data base would answer; the others need a
//! check. Nothing here is evidence that a work exists.

mod arxiv;
mod dates;
mod doi;
mod pages;
mod people;
mod publishers;
mod venue_codes;

use crate::bib::{Field, Place, Resolved};

/// The month of the check; later months are in the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    /// Year, four digits.
    pub year: u16,
    /// Month, 1–12.
    pub month: u8,
}

/// A fault or a doubt about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its kind.
    pub kind: FactKind,
    /// The field it is about (lower case).
    pub field: String,
    /// The place of the field.
    pub place: Place,
    /// The field's value, shortened.
    pub quote: String,
    /// What is wrong; a message for people.
    pub message: String,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $proved:ident, $action:expr;)*) => {
        /// The kinds of fact.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
        #[strum(serialize_all = "snake_case")]
        pub enum FactKind { $($(#[$doc])* $kind,)* }

        impl FactKind {
            /// The stable name used in reports.
            pub fn id(self) -> &'static str {
                self.into()
            }

            /// Whether the entry is certainly wrong; the other kinds are reasons to check.
            pub fn proves_error(self) -> bool {
                match self { $(Self::$kind => $proved,)* }
            }

            /// What to do about it.
            pub fn action(self) -> &'static str {
                match self { $(Self::$kind => $action,)* }
            }
        }
    };
}

const PROVED: bool = true;
const DOUBTFUL: bool = false;

const FIND_ON_ARXIV: &str =
    "look the paper up on arXiv and write its identifier; drop the entry if there is none";
const CORRECT_YEAR_OR_ID: &str = "look the paper up and correct the year or the identifier";
const KEEP_ONE: &str = "keep the identifier of the work that is meant";
const WRITE_DOI: &str = "write the work's DOI, or drop the field";
const OPEN_DOI: &str = "open the DOI and correct what differs; the DOI may belong to another work";
const CORRECT_YEAR: &str = "look the work up and correct the year";
const NAME_AUTHORS: &str =
    "look the work up and name its authors; drop the entry if it does not exist";

kinds! {
    /// An arXiv identifier that the numbering scheme excludes.
    ArxivIdImpossible, PROVED, FIND_ON_ARXIV;
    /// An arXiv identifier from a month in the future.
    ArxivIdInFuture, PROVED, FIND_ON_ARXIV;
    /// `XXXX.XXXXX`.
    ArxivIdPlaceholder, PROVED, FIND_ON_ARXIV;
    /// The cited year is before the arXiv identifier, and the entry names no other place of publication.
    ArxivIdNewerThanYear, PROVED, CORRECT_YEAR_OR_ID;
    /// The cited year of a published work is before its arXiv identifier. Late deposits exist.
    ArxivIdAfterPublication, DOUBTFUL, CORRECT_YEAR_OR_ID;
    /// Marked as an arXiv identifier but not of its form.
    ArxivIdMalformed, DOUBTFUL, FIND_ON_ARXIV;
    /// Two fields name different arXiv papers.
    ArxivIdsContradict, DOUBTFUL, KEEP_ONE;
    /// A DOI with an invalid prefix or suffix.
    DoiMalformed, PROVED, WRITE_DOI;
    /// The `doi` field contains something else.
    DoiNotADoi, DOUBTFUL, WRITE_DOI;
    /// A template's example DOI.
    DoiPlaceholder, PROVED, WRITE_DOI;
    /// Two fields name different DOIs.
    DoisContradict, DOUBTFUL, KEEP_ONE;
    /// The DOI's publisher is not the one in the entry.
    DoiPublisherMismatch, DOUBTFUL, OPEN_DOI;
    /// The DOI carries the code of another venue.
    DoiVenueMismatch, DOUBTFUL, OPEN_DOI;
    /// The DOI carries another year.
    DoiYearMismatch, DOUBTFUL, OPEN_DOI;
    /// The DOI is a publisher's internal number and does not resolve.
    DoiUnregistered, DOUBTFUL, "write the registered DOI if there is one, or drop the field";
    /// A year after next year.
    YearInFuture, PROVED, CORRECT_YEAR;
    /// Next year.
    YearNext, DOUBTFUL, CORRECT_YEAR;
    /// Before 1400.
    YearTooEarly, DOUBTFUL, CORRECT_YEAR;
    /// The value contains no year.
    YearUnreadable, DOUBTFUL, CORRECT_YEAR;
    /// There is no such month.
    MonthImpossible, DOUBTFUL, "correct the month";
    /// A placeholder instead of a name.
    PlaceholderAuthor, PROVED, NAME_AUTHORS;
    /// Only `others`.
    NoNamedAuthor, PROVED, NAME_AUTHORS;
    /// `Anonymous`.
    AnonymousAuthor, DOUBTFUL, NAME_AUTHORS;
    /// A list that ends in a literal "et al.".
    LiteralEtAl, DOUBTFUL, NAME_AUTHORS;
    /// A placeholder instead of a title.
    PlaceholderTitle, PROVED, "write the title, or drop the entry";
    /// The last page is before the first.
    PagesReversed, DOUBTFUL, "correct the page range";
}

/// All facts about an entry, in the order of this module's checks.
pub fn facts(entry: &Resolved<'_>, now: Month) -> Vec<Fact> {
    let mut found = Vec::new();
    people::check(entry, &mut found);
    dates::check(entry, now, &mut found);
    arxiv::check(entry, now, &mut found);
    doi::check(entry, &mut found);
    pages::check(entry, &mut found);
    found
}

/// The arXiv papers in the fields that identify the entry, without duplicates and versions.
pub use arxiv::identifiers as arxiv_ids;
/// The DOIs in the fields that identify the entry, without duplicates.
pub use doi::identifiers as dois;

fn fact(kind: FactKind, field: &Field, message: String) -> Fact {
    const QUOTE: usize = 160;
    let mut quote: String = field.raw.chars().take(QUOTE).collect();
    if quote.len() < field.raw.len() {
        quote.push('…');
    }
    Fact {
        kind,
        field: field.name.clone(),
        place: field.place,
        quote,
        message,
    }
}

/// The values that fields contain, without duplicates.
fn each_once<T: PartialEq>(named: Vec<(&Field, T)>) -> Vec<T> {
    let mut all = Vec::new();
    for (_, one) in named {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// The journal or book in which the work appeared.
fn venue<'a>(entry: &Resolved<'a>) -> Option<&'a Field> {
    ["journal", "journaltitle", "booktitle"]
        .into_iter()
        .find_map(|name| entry.field(name))
}

/// The entry's year, with its field.
fn year<'a>(entry: &Resolved<'a>) -> Option<(u16, &'a Field)> {
    ["year", "date"].into_iter().find_map(|name| {
        let field = entry.field(name)?;
        Some((crate::bib::year_of(&field.text)?, field))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bib;

    /// Ids of the facts about the last entry of a text, checked in November 2026.
    pub(super) fn kinds(text: &str) -> Vec<&'static str> {
        let read = bib::read(text);
        let index = bib::Index::new([&read]);
        let entry = read
            .entries
            .last()
            .unwrap_or_else(|| panic!("no entry in {text}"));
        facts(
            &index.resolve(entry),
            Month {
                year: 2026,
                month: 11,
            },
        )
        .iter()
        .map(|fact| fact.kind.id())
        .collect()
    }

    #[test]
    fn a_sound_entry_has_none() {
        let text = "@article{k, author = {Knuth, Donald E.}, title = {Literate Programming}, journal = {The Computer \
                    Journal}, year = 1984, volume = 27, number = 2, pages = {97--111}, doi = {10.1093/comjnl/27.2.97}}";
        assert_eq!(kinds(text), Vec::<&str>::new());
    }
}
