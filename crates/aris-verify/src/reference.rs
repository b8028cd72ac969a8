//! A reference: an entry of a bibliography, or a candidate from a search.

use aris_contract::ids::{ArxivId, Doi};
use aris_paper::bib::{Entry, Field, Resolved, year_of};
use aris_paper::facts::{self, Fact, Month};
use aris_paper::names::{self, Name};

/// A reference as its author wrote it.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// Its key or id, for reports.
    pub key: String,
    /// Title as plain text; empty when there is none.
    pub title: String,
    /// Authors in order.
    pub authors: Vec<Name>,
    /// Whether the list says that it is cut: `and others`, "et al.".
    pub others: bool,
    /// Year.
    pub year: Option<u16>,
    /// Journal or proceedings; empty when there is none.
    pub venue: String,
    /// DOIs that a registry can be asked for. arXiv's own DOIs are in `arxiv`.
    pub dois: Vec<Doi>,
    /// arXiv papers, without version.
    pub arxiv: Vec<ArxivId>,
    /// Whether the sources list works of its kind: papers, not web pages, software or manuals.
    pub listed_kind: bool,
    /// For records found by title: the share of common words among the words of the longer title that is required; `None` for the usual
    /// comparison of words, letters, numbers and authors.
    pub title_overlap: Option<f64>,
    /// Faults that are visible without asking a source.
    pub facts: Vec<Fact>,
}

/// Prefix under which a publisher numbers works without registering them; asking for such DOIs is useless.
const UNREGISTERED: &str = "10.5555";

/// Entry types of papers, which the sources list.
const PAPERS: [&str; 7] = [
    "article",
    "conference",
    "inbook",
    "incollection",
    "inproceedings",
    "paper",
    "proceedings",
];

impl Reference {
    /// Reads an entry; `now` is the month by which dates are judged.
    pub fn of(entry: &Resolved<'_>, now: Month) -> Self {
        let text = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| entry.text(name))
                .unwrap_or_default()
                .to_owned()
        };
        let author = ["author", "editor"]
            .into_iter()
            .find_map(|name| entry.field(name));
        let mut list = author
            .map(|field| names::parse_list(&field.raw))
            .unwrap_or_default();
        list.others |= drop_et_al(&mut list.names);
        let mut reference = Self {
            key: entry.entry.key.clone(),
            title: text(&["title"]),
            authors: list.names,
            others: list.others,
            year: ["year", "date"]
                .into_iter()
                .find_map(|name| year_of(entry.text(name)?)),
            venue: text(&["journal", "journaltitle", "booktitle"]),
            arxiv: facts::arxiv_ids(entry),
            facts: facts::facts(entry, now),
            ..Self::default()
        };
        for doi in facts::dois(entry) {
            match doi.arxiv() {
                Some(id) if !reference.arxiv.contains(&id) => reference.arxiv.push(id),
                Some(_) => {}
                None if doi.prefix() == UNREGISTERED => {}
                None => reference.dois.push(doi),
            }
        }
        reference.listed_kind = PAPERS.contains(&entry.entry.kind.as_str())
            || !reference.venue.is_empty()
            || !reference.arxiv.is_empty()
            || !reference.dois.is_empty();
        reference
    }

    /// Makes a reference from plain fields (`title`, `author` with ` and ` between names, `year`, `journal`, `doi`, `eprint`, …), which
    /// are text, not LaTeX.
    pub fn from_fields(key: &str, fields: &[(&str, &str)], now: Month) -> Self {
        let field = |(name, value): &(&str, &str)| Field {
            name: (*name).to_owned(),
            raw: (*value).to_owned(),
            text: value.trim().to_owned(),
            ..Field::default()
        };
        let entry = Entry {
            kind: String::from("paper"),
            key: key.to_owned(),
            fields: fields.iter().map(field).collect(),
            complete: true,
            ..Entry::default()
        };
        let resolved = Resolved {
            entry: &entry,
            inherited: Vec::new(),
            dangling: Vec::new(),
        };
        Self::of(&resolved, now)
    }

    /// Whether there is no title and no identifier to ask for.
    pub fn is_empty(&self) -> bool {
        self.title.trim().is_empty() && self.dois.is_empty() && self.arxiv.is_empty()
    }
}

/// Removes "et al." from the names of a list, because BibTeX reads it as part of a name; returns whether it was there.
fn drop_et_al(list: &mut Vec<Name>) -> bool {
    let before = list.len();
    let mut found = false;
    list.retain_mut(|name| {
        let shown = name.display();
        let words: Vec<&str> = shown.split_whitespace().collect();
        let is =
            |word: &str, wanted: &str| word.trim_matches([',', '.']).eq_ignore_ascii_case(wanted);
        let Some(at) = words
            .windows(2)
            .position(|pair| matches!(pair, [et, al] if is(et, "et") && is(al, "al")))
        else {
            return true;
        };
        found = true;
        let head = words.get(..at).unwrap_or_default().join(" ");
        *name = names::parse(head.trim_end_matches(','));
        !head.is_empty()
    });
    found || list.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Month = Month {
        year: 2026,
        month: 11,
    };

    #[test]
    fn an_arxiv_doi_is_an_arxiv_paper_and_internal_numbers_are_no_dois() {
        let made = Reference::from_fields(
            "k",
            &[
                ("title", "T"),
                ("doi", "10.48550/arXiv.1706.03762"),
                ("url", "https://doi.org/10.5555/3295222.3295349"),
            ],
            NOW,
        );
        assert_eq!(made.arxiv.len(), 1);
        assert_eq!(made.dois, []);
        assert!(made.listed_kind);
    }

    #[test]
    fn et_al_is_no_author() {
        for list in [
            "A. Vaswani and et al",
            "A. Vaswani and others",
            "A. Vaswani and et al.",
            "A. Vaswani et al.",
        ] {
            let made = Reference::from_fields("k", &[("author", list)], NOW);
            assert_eq!((made.authors.len(), made.others), (1, true), "{list}");
            assert_eq!(made.authors[0].last, "Vaswani", "{list}");
        }
        let made = Reference::from_fields("k", &[("author", "Ada Etalon and Alice Alberts")], NOW);
        assert_eq!((made.authors.len(), made.others), (2, false));
    }
}
