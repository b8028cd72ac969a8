//! What can be said against a reference without asking anybody: dates and identifiers that cannot be, names that
//! stand for nobody, and identifiers that contradict the rest of the entry.
//!
//! A [`Fact`] is about the entry as it stands. Kinds that prove an error ([`FactKind::proves_error`]) hold
//! whatever a data base would answer; the others deserve a look. Nothing here is evidence that a work exists.

mod arxiv;
mod dates;
mod doi;
mod pages;
mod people;
mod publishers;
mod venue_codes;

use crate::bib::{Field, Place, Resolved};

/// The month in which the reference is judged; later ones are the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    /// Year, four digits.
    pub year: u16,
    /// Month, 1–12.
    pub month: u8,
}

/// One thing that is wrong or doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub kind: FactKind,
    /// The field it is about (lower case).
    pub field: String,
    /// Where the field stands.
    pub place: Place,
    /// The field's value, shortened.
    pub quote: String,
    /// What is wrong, for people.
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

            /// Whether the entry is wrong whatever anybody else says; the others are reasons to look.
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
    /// An arXiv identifier that the scheme rules out.
    ArxivIdImpossible, PROVED, FIND_ON_ARXIV;
    /// An arXiv identifier of a month that has not come yet.
    ArxivIdInFuture, PROVED, FIND_ON_ARXIV;
    /// `XXXX.XXXXX`.
    ArxivIdPlaceholder, PROVED, FIND_ON_ARXIV;
    /// The cited year lies before the arXiv identifier, and nothing else is said to have published it.
    ArxivIdNewerThanYear, PROVED, CORRECT_YEAR_OR_ID;
    /// The cited year of a published work lies before its arXiv identifier: late deposits exist.
    ArxivIdAfterPublication, DOUBTFUL, CORRECT_YEAR_OR_ID;
    /// Announced as an arXiv identifier and not of its shape.
    ArxivIdMalformed, DOUBTFUL, FIND_ON_ARXIV;
    /// Two fields name different arXiv papers.
    ArxivIdsContradict, DOUBTFUL, KEEP_ONE;
    /// A DOI whose prefix or suffix cannot be one.
    DoiMalformed, PROVED, WRITE_DOI;
    /// The `doi` field holds something else.
    DoiNotADoi, DOUBTFUL, WRITE_DOI;
    /// A template's example DOI.
    DoiPlaceholder, PROVED, WRITE_DOI;
    /// Two fields name different DOIs.
    DoisContradict, DOUBTFUL, KEEP_ONE;
    /// The DOI's publisher is not the one the entry names.
    DoiPublisherMismatch, DOUBTFUL, OPEN_DOI;
    /// The DOI carries the code of another venue.
    DoiVenueMismatch, DOUBTFUL, OPEN_DOI;
    /// The DOI carries another year.
    DoiYearMismatch, DOUBTFUL, OPEN_DOI;
    /// The DOI is a publisher's internal number and resolves nowhere.
    DoiUnregistered, DOUBTFUL, "write the registered DOI if there is one, or drop the field";
    /// More than a year ahead.
    YearInFuture, PROVED, CORRECT_YEAR;
    /// Next year.
    YearNext, DOUBTFUL, CORRECT_YEAR;
    /// Before 1400.
    YearTooEarly, DOUBTFUL, CORRECT_YEAR;
    /// No year can be read in it.
    YearUnreadable, DOUBTFUL, CORRECT_YEAR;
    /// There is no such month.
    MonthImpossible, DOUBTFUL, "correct the month";
    /// A name that stands for nobody.
    PlaceholderAuthor, PROVED, NAME_AUTHORS;
    /// `others` and nobody else.
    NoNamedAuthor, PROVED, NAME_AUTHORS;
    /// `Anonymous`.
    AnonymousAuthor, DOUBTFUL, NAME_AUTHORS;
    /// A list cut with a literal "et al.".
    LiteralEtAl, DOUBTFUL, NAME_AUTHORS;
    /// A title that stands for a title.
    PlaceholderTitle, PROVED, "write the title, or drop the entry";
    /// The last page is before the first.
    PagesReversed, DOUBTFUL, "correct the page range";
}

/// All facts about an entry, in the order of this module's parts.
pub fn facts(entry: &Resolved<'_>, now: Month) -> Vec<Fact> {
    let mut found = Vec::new();
    people::check(entry, &mut found);
    dates::check(entry, now, &mut found);
    arxiv::check(entry, now, &mut found);
    doi::check(entry, &mut found);
    pages::check(entry, &mut found);
    found
}

/// The arXiv papers that an entry names in the fields that identify it, each once, versions dropped.
pub use arxiv::identifiers as arxiv_ids;
/// The DOIs that an entry names in the fields that identify it, each once.
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

/// What fields name, each once.
fn each_once<T: PartialEq>(named: Vec<(&Field, T)>) -> Vec<T> {
    let mut all = Vec::new();
    for (_, one) in named {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// Where the entry says that the work appeared: journal, book or series title.
fn venue<'a>(entry: &Resolved<'a>) -> Option<&'a Field> {
    ["journal", "journaltitle", "booktitle"]
        .into_iter()
        .find_map(|name| entry.field(name))
}

/// The year the entry gives, with its field.
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

    /// Ids of the facts about the last entry of a text, judged in November 2026.
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
