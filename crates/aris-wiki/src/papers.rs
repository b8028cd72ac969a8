//! The papers that a page is about: only the arXiv identifiers in its frontmatter count, because the text mentions other papers,
//! too.

use std::collections::BTreeSet;

use aris_contract::ids::{ArxivId, ArxivIdError, arxiv_mentions};

use crate::identity::ALIASES;
use crate::page::Page;

/// Fields whose value is an arXiv identifier.
const IDENTIFIER: [&str; 5] = ["arxiv", "arxiv_id", "arxiv_ids", "arxivid", "eprint"];

/// Fields whose value may announce an identifier, as `arXiv:2401.00001` or an address.
const ANNOUNCING: [&str; 11] = [
    ALIASES,
    "doi",
    "dois",
    "external_ids",
    "identifiers",
    "ids",
    "url",
    "urls",
    "link",
    "pdf",
    "source",
];

/// Values that mean "no identifier".
const NOTHING: [&str; 3] = ["none", "n/a", "unknown"];

/// The papers named in a page's frontmatter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Papers {
    /// The papers that the page is about, without version, in the order in which they are found.
    pub ids: Vec<ArxivId>,
    /// Line numbers (from 1) of fields that should name a paper but do not, and why.
    pub faults: Vec<(usize, String)>,
}

impl Papers {
    /// Finds the identifiers of a page. A page without frontmatter has none.
    pub fn of(page: &Page) -> Self {
        let mut papers = Self::default();
        if page.has_open_front() {
            let why = String::from("the frontmatter has no end: no second ---");
            papers.faults.push((1, why));
        }
        let keys: BTreeSet<String> = page.keys().into_iter().collect();
        let readings: [(&[&str], Reading); 2] =
            [(&IDENTIFIER, identifiers), (&ANNOUNCING, announced)];
        for (fields, read) in readings {
            for key in &keys {
                let name = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
                if !fields.contains(&name.as_str()) {
                    continue;
                }
                for found in page.list(key).iter().flat_map(|value| read(value)) {
                    match found.map(|id| id.without_version()) {
                        Ok(id) if papers.ids.contains(&id) => {}
                        Ok(id) => papers.ids.push(id),
                        Err(error) => {
                            let line = page.line_of(key).unwrap_or(1);
                            papers.faults.push((line, error.to_string()));
                        }
                    }
                }
            }
        }
        papers
    }
}

/// A way of finding identifiers in a field's value.
type Reading = fn(&str) -> Vec<Result<ArxivId, ArxivIdError>>;

/// The identifiers that a text announces.
fn announced(value: &str) -> Vec<Result<ArxivId, ArxivIdError>> {
    let mentions = arxiv_mentions(value).into_iter();
    mentions.map(|mention| mention.id).collect()
}

/// The identifier that is the whole value, or the identifiers in it.
fn identifiers(value: &str) -> Vec<Result<ArxivId, ArxivIdError>> {
    let whole = ArxivId::parse(value);
    if whole.is_ok() {
        return vec![whole];
    }
    let parts = value.split(|sign: char| sign == ',' || sign == ';' || sign.is_whitespace());
    let ids: Vec<ArxivId> = parts.filter_map(|part| ArxivId::parse(part).ok()).collect();
    let nothing = NOTHING.contains(&value.to_ascii_lowercase().as_str());
    if ids.is_empty() && !nothing {
        return vec![whole];
    }
    ids.into_iter().map(Ok).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn papers(text: &str) -> (Vec<String>, usize) {
        let papers = Papers::of(&Page::parse(text.to_owned()));
        let ids = papers.ids.iter().map(ToString::to_string).collect();
        (ids, papers.faults.len())
    }

    #[test]
    fn only_the_frontmatter_counts() {
        let cases: &[(&str, &[&str], usize)] = &[
            (
                "external_ids:\n  arxiv: \"2401.00001\"\n  doi: null\n  s2: null",
                &["2401.00001"],
                0,
            ),
            (
                "external_ids:\n  arxiv: null\n  doi: \"10.48550/arXiv.2401.00001\"",
                &["2401.00001"],
                0,
            ),
            (
                "external_ids: {arxiv: '2401.00001v3', doi: null}",
                &["2401.00001"],
                0,
            ),
            ("arxiv_id: 2401.00001", &["2401.00001"], 0),
            ("ArXiv: 2401.00001", &["2401.00001"], 0),
            (
                "arxiv: arXiv:hep-th/9901001v2  # the first",
                &["hep-th/9901001"],
                0,
            ),
            (
                "arxiv:\n  - 2401.00001\n  - 2401.00003",
                &["2401.00001", "2401.00003"],
                0,
            ),
            (
                "arxiv_ids: [2401.00001, 2401.00003]",
                &["2401.00001", "2401.00003"],
                0,
            ),
            (
                "arxiv_ids: 2401.00001, 2401.00003",
                &["2401.00001", "2401.00003"],
                0,
            ),
            (
                "arxiv: 2401.00001\naliases: [\"arxiv:2401.00003\", \"doi:10.1/x\"]",
                &["2401.00001", "2401.00003"],
                0,
            ),
            ("url: https://arxiv.org/abs/2401.00001", &["2401.00001"], 0),
            ("url: https://example.org/2401.00001", &[], 0),
            ("arxiv: null  # was 2401.00001", &[], 0),
            ("arxiv: \"\"", &[], 0),
            ("arxiv: n/a", &[], 0),
            ("title: \"A comment on arXiv:2401.00001\"", &[], 0),
            ("tags: [\"arXiv:2401.00001\"]", &[], 0),
            ("arxiv: to be found", &[], 1),
            ("arxiv: 2401.1234", &[], 1),
            ("arxiv: \"arXiv:2413.00001\"", &[], 1),
        ];
        for (header, wanted, faults) in cases {
            let (found, faulty) =
                papers(&format!("---\n{header}\n---\n# Title\narXiv:2402.00002\n"));
            assert_eq!(found, *wanted, "{header}");
            assert_eq!(faulty, *faults, "{header}");
        }
        for (text, wanted) in [
            ("arxiv: 2401.00001\n", (vec![], 0)),
            ("", (vec![], 0)),
            ("---\narxiv: 2401.00001\n", (vec![], 1)),
            (
                "\u{feff}---\r\narxiv: 2401.00001\r\n---\r\n",
                (vec![String::from("2401.00001")], 0),
            ),
        ] {
            assert_eq!(papers(text), wanted, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,300}") {
            papers(&format!("---\narxiv: {text}"));
            papers(&format!("---\narxiv: {text}\n---\n"));
        }
    }
}
