//! Which papers a page of the wiki is about: the identifiers in its header, and nowhere else. A page mentions other papers, too.

use std::collections::BTreeSet;

use aris_contract::ids::ArxivId;

use crate::grammar::Named;
use crate::scanner::scan;

/// Bytes at the start of a page in which its header must end.
pub(crate) const HEADER: u64 = 256 << 10;

/// Fields whose value is an identifier.
const IDENTIFIER: [&str; 5] = ["arxiv", "arxiv_id", "arxiv_ids", "arxivid", "eprint"];

/// Fields whose value may announce one.
const ANNOUNCING: [&str; 7] = [
    "doi",
    "dois",
    "external_ids",
    "identifiers",
    "ids",
    "url",
    "urls",
];

/// Words for no identifier.
const NOTHING: [&str; 7] = ["", "null", "~", "none", "n/a", "[]", "{}"];

/// What a page says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// The papers it is about, without version.
    pub(crate) ids: BTreeSet<ArxivId>,
    /// Lines that should name a paper and do not: line from 1, and why.
    pub(crate) faults: Vec<(u64, String)>,
}

impl Page {
    /// Reads the header at the start of `bytes`. A page without header is about no known paper.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let mut page = Self::default();
        let text = String::from_utf8_lossy(bytes);
        let mut lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
        if lines
            .next()
            .is_none_or(|(_, line)| line.trim_end() != "---")
        {
            return page;
        }
        let mut field = String::new();
        for (number, line) in lines {
            if line.trim_end() == "---" {
                return page;
            }
            let value = match key(line) {
                Some((key, value)) => {
                    field = key;
                    value
                }
                None => line,
            };
            page.take(number, &field, value);
        }
        page.faults
            .push((1, String::from("the header has no end: no second ---")));
        page
    }

    fn take(&mut self, number: u64, field: &str, value: &str) {
        let identifier = IDENTIFIER.contains(&field);
        if !identifier && !ANNOUNCING.contains(&field) {
            return;
        }
        // What stands behind ` #` is a comment of YAML.
        let value = value.split_once(" #").map_or(value, |(value, _)| value);
        let mut named = false;
        let line = format!("{field}: {}", value.trim_start());
        scan(line.as_bytes(), |hit, _| match hit.id {
            Named::Id(id) if identifier || hit.announced => {
                named = true;
                self.ids.insert(id);
            }
            Named::Id(_) => {}
            Named::Impossible { why, .. } => {
                named = true;
                self.faults.push((number, why));
            }
        });
        let rest = value.trim_matches([' ', '\t', '-', '"', '\'', ',']);
        if identifier && !named && !NOTHING.contains(&rest.to_ascii_lowercase().as_str()) {
            let why = ArxivId::parse(rest).map_or_else(
                |error| error.to_string(),
                |_| String::from("an arXiv identifier that does not stand alone"),
            );
            self.faults.push((number, why));
        }
    }
}

/// Key, in lower case and without its indentation, and value of a line `key: value`.
fn key(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key
        .trim()
        .trim_start_matches("- ")
        .trim_matches(['"', '\'']);
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let separated = value.is_empty() || value.starts_with([' ', '\t', '\r', '"', '\'']);
    (separated && !key.is_empty() && key.chars().all(word))
        .then(|| (key.to_ascii_lowercase(), value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(header: &str) -> (Vec<String>, usize) {
        let page =
            Page::read(format!("---\n{header}\n---\n# Title\narXiv:2402.00002\n").as_bytes());
        let ids = page.ids.iter().map(ToString::to_string).collect();
        (ids, page.faults.len())
    }

    #[test]
    fn headers() {
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
            ("url: https://arxiv.org/abs/2401.00001", &["2401.00001"], 0),
            ("url: https://example.org/2401.00001", &[], 0),
            ("arxiv: null  # was 2401.00001", &[], 0),
            ("arxiv: \"\"", &[], 0),
            ("title: \"A comment on arXiv:2401.00001\"", &[], 0),
            ("tags: [\"arXiv:2401.00001\"]", &[], 0),
            ("arxiv: to be found", &[], 1),
            ("arxiv: 2401.1234", &[], 1),
            ("arxiv: \"arXiv:2413.00001\"", &[], 1),
        ];
        for (header, wanted, faults) in cases {
            let (found, faulty) = ids(header);
            assert_eq!(found, *wanted, "{header}");
            assert_eq!(faulty, *faults, "{header}");
        }
    }

    #[test]
    fn only_a_header_counts() {
        assert_eq!(Page::read(b"arxiv: 2401.00001\n"), Page::default());
        assert_eq!(Page::read(b""), Page::default());
        let open = Page::read(b"---\narxiv: 2401.00001\n");
        assert_eq!((open.ids.len(), open.faults.len()), (1, 1));
        assert_eq!(
            Page::read(b"\xEF\xBB\xBF---\r\narxiv: 2401.00001\r\n---\r\n")
                .ids
                .len(),
            1
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut page = b"---\narxiv: ".to_vec();
            page.extend(bytes);
            Page::read(&page);
        }
    }
}
