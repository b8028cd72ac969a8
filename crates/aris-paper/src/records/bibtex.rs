//! Writes a record as a bibliography entry: only what the source says, escaped.

use std::fmt::Write as _;

use aris_contract::artifact::papers::{Kind, Paper};
use aris_contract::ids::Doi;
use aris_contract::text::is_hidden;
use percent_encoding::AsciiSet;

use crate::{names, titles};

/// The entry with this key, ending with a line feed.
pub fn bibtex(paper: &Paper, key: &str) -> String {
    let (kind, venue) = entry(paper.kind);
    let mut fields: Vec<(&str, String)> = Vec::new();
    let mut put = |name: &'static str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            fields.push((name, value));
        }
    };
    let mut authors: Vec<String> = paper
        .authors
        .iter()
        .map(|author| match (&author.family, &author.given) {
            (Some(family), Some(given)) => format!("{}, {}", escaped(family), escaped(given)),
            (Some(family), None) => person(family, family.contains(' ')),
            _ => person(&author.name, false),
        })
        .collect();
    if paper.authors_cut && !authors.is_empty() {
        authors.push(String::from("others"));
    }
    put("author", Some(authors.join(" and ")));
    // Braces keep capitals that a style would lower.
    put("title", Some(format!("{{{}}}", escaped(&paper.title))));
    put(venue, paper.venue.as_deref().map(escaped));
    put("year", paper.year.map(|year| year.to_string()));
    let published = paper
        .ids
        .doi
        .iter()
        .find(|doi| !doi.folded().starts_with("10.48550/"));
    let doi = published.or(paper.ids.doi.first()).map(Doi::as_str);
    // A DOI with a character that would end its field goes into `url`, where the character can be percent-encoded.
    let plain = doi.filter(|doi| !doi.contains(|sign| is_hidden(sign) || "{}\\".contains(sign)));
    put("doi", plain.map(str::to_owned));
    if let Some(arxiv) = &paper.ids.arxiv {
        put("eprint", Some(arxiv.without_version().to_string()));
        put("archiveprefix", Some(String::from("arXiv")));
    }
    if plain.is_none() && paper.ids.arxiv.is_none() {
        let resolver = doi.map(|doi| format!("https://doi.org/{}", in_path(doi)));
        let page = resolver.as_ref().or(paper.links.page.as_ref());
        put("url", page.map(|page| address(page)));
    }
    let mut text = String::new();
    // Writing to a String cannot fail.
    writeln!(text, "@{kind}{{{key},").unwrap_or_default();
    for (name, value) in fields {
        writeln!(text, "  {name} = {{{value}}},").unwrap_or_default();
    }
    text.push_str("}\n");
    text
}

/// A key in the usual form, in ASCII letters and digits: first author's family name, year, first significant word of the title.
pub fn key(paper: &Paper) -> String {
    const COMMON: [&str; 10] = [
        "a", "an", "and", "for", "in", "of", "on", "the", "to", "with",
    ];
    let family = paper.authors.first().map(|author| {
        author
            .family
            .clone()
            .unwrap_or_else(|| names::parse(&author.name).last)
    });
    let ascii = |text: &str| -> String {
        titles::fold(text)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect()
    };
    let mut key = ascii(&family.unwrap_or_default());
    if let Some(year) = paper.year {
        key.push_str(&year.to_string());
    }
    let word = titles::normalise(&paper.title)
        .split(' ')
        .find(|word| !COMMON.contains(word) && !ascii(word).is_empty())
        .map(ascii)
        .unwrap_or_default();
    key.push_str(&word);
    if key.is_empty() {
        key.push_str("paper");
    }
    key
}

/// Entry types, with their fields for the venue.
const ENTRIES: [(Kind, &str, &str); 6] = [
    (Kind::Article, "article", "journal"),
    (Kind::Proceedings, "inproceedings", "booktitle"),
    (Kind::Book, "book", "publisher"),
    (Kind::Chapter, "incollection", "booktitle"),
    (Kind::Thesis, "phdthesis", "school"),
    (Kind::Report, "techreport", "institution"),
];

/// The entry type of papers of a kind, and its field for the venue.
pub fn entry(kind: Option<Kind>) -> (&'static str, &'static str) {
    let known = ENTRIES.iter().find(|(known, ..)| kind == Some(*known));
    known.map_or(("misc", "howpublished"), |(_, name, field)| (name, field))
}

/// The kind of paper that has this entry type.
pub fn kind(entry: &str) -> Option<Kind> {
    let known = ENTRIES.iter().find(|(_, name, _)| *name == entry);
    known.map(|(kind, ..)| *kind)
}

/// A name that BibTeX parses as intended. In a group's name, "and" or a comma would split it; a `whole` name has no given name.
fn person(name: &str, whole: bool) -> String {
    let text = escaped(name);
    let parts = text
        .split_whitespace()
        .any(|word| word.eq_ignore_ascii_case("and"));
    if whole || parts || text.contains(',') {
        format!("{{{text}}}")
    } else {
        text
    }
}

/// An address that cannot end its field. Characters that an address cannot contain are percent-encoded. None is escaped with a
/// backslash: styles print this field literally, and the backslash would become part of the address.
fn address(text: &str) -> String {
    const SIGNS: &AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    let visible: String = text.chars().filter(|sign| !is_hidden(*sign)).collect();
    percent_encoding::utf8_percent_encode(&visible, SIGNS).to_string()
}

/// A DOI as the path of an address. Its own `#` or `?` would end the path, and a `%` would begin an escape.
///
/// **Source**: DOI Handbook §2.5.2.4 and RFC 3986 §2.4
fn in_path(doi: &str) -> String {
    const SIGNS: &AsciiSet = &AsciiSet::EMPTY.add(b'%').add(b'#').add(b'?');
    percent_encoding::utf8_percent_encode(doi, SIGNS).to_string()
}

/// Text in which every character is literal: LaTeX's ten special characters are escaped. Unicode stays.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\textbackslash{}"),
            // BibTeX counts an escaped brace when it searches the end of the value.
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            // After a closing bracket, readers of damaged files may take it for the next entry.
            '@' if out.trim_end().ends_with(['}', ')']) => out.push_str("{@}"),
            '&' | '%' | '$' | '#' | '_' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\t' => out.push(' '),
            hidden if is_hidden(hidden) => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::papers::{Author, Identifiers};
    use aris_contract::ids::ArxivId;

    use super::*;
    use crate::bib;

    fn sample() -> Paper {
        Paper {
            title: String::from("R&D at 100% {of} the_cost \\ ~^$5"),
            authors: vec![
                Author {
                    name: String::from("Laurens van der Maaten"),
                    family: Some(String::from("van der Maaten")),
                    given: Some(String::from("Laurens")),
                    orcid: None,
                },
                Author::named("Müller Stiftung and Söhne"),
            ],
            authors_cut: true,
            year: Some(2020),
            venue: Some(String::from("J. Test")),
            kind: Some(Kind::Article),
            ids: Identifiers {
                arxiv: ArxivId::parse("2001.00001v2").ok(),
                doi: Doi::parse("10.1000/x_y").into_iter().collect(),
                ..Identifiers::default()
            },
            ..Paper::default()
        }
    }

    #[test]
    fn an_entry_reads_back_as_what_the_record_says() {
        let paper = sample();
        let text = bibtex(&paper, &key(&paper));
        let read = bib::read(&text);
        assert!(read.problems.is_empty(), "{:?}\n{text}", read.problems);
        let entry = &read.entries[0];
        assert_eq!(entry.key, "vandermaaten2020r");
        assert_eq!(
            entry.text("title"),
            Some("R&D at 100% {of} the_cost \\ ~^$5")
        );
        assert_eq!(entry.text("eprint"), Some("2001.00001"));
        assert_eq!(
            entry.field("doi").map(bib::Field::verbatim).as_deref(),
            Some("10.1000/x_y")
        );
        let raw = text
            .lines()
            .find(|line| line.contains("author"))
            .expect("authors");
        let list = names::parse_list(
            raw.split_once("= {")
                .expect("value")
                .1
                .trim_end_matches("},"),
        );
        assert!(list.others);
        assert_eq!(list.names[0].von, "van der");
        assert_eq!(list.names[1].last, "Müller Stiftung and Söhne");
    }

    /// The closing brace of the value must not look like the key of an entry inside it.
    #[test]
    fn a_title_that_ends_like_the_head_of_an_entry_is_a_title() {
        let paper = Paper {
            title: String::from("\\@a("),
            ..Paper::default()
        };
        assert_eq!(bib::read(&bibtex(&paper, "k")).problems, []);
    }

    proptest::proptest! {
        #[test]
        fn any_title_reads_back_whole(title in "[ -~éß王]{1,40}") {
            let paper = Paper { title: title.clone(), year: Some(2020), ..Paper::default() };
            let read = bib::read(&bibtex(&paper, "k"));
            proptest::prop_assert!(read.problems.is_empty());
            let text = read.entries[0].text("title").unwrap_or_default();
            // LaTeX reads runs of blanks as one, and two hyphens or quotation marks as typographic characters.
            proptest::prop_assert_eq!(titles::key(text), titles::key(&escaped_as_read(&title)));
        }
    }

    #[test]
    fn identifiers_and_addresses_stay_in_their_fields() {
        let sici = "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2";
        for (doi, page, field, wanted) in [
            (sici, "", "doi", sici),
            ("10.1000/a_b%c#d&e~f", "", "doi", "10.1000/a_b%c#d&e~f"),
            (
                "10.1000/a},note={x",
                "",
                "url",
                "https://doi.org/10.1000/a%7D,note=%7Bx",
            ),
            (
                "10.1000/a}b#c%41d?e",
                "",
                "url",
                "https://doi.org/10.1000/a%7Db%23c%2541d%3Fe",
            ),
            (
                "",
                "https://a.org/{x}?q=a%20b\\y",
                "url",
                "https://a.org/%7Bx%7D?q=a%20b%5Cy",
            ),
            (
                "",
                "https://a.org/} @misc{evil, note={x}",
                "url",
                "https://a.org/%7D%20@misc%7Bevil,%20note=%7Bx%7D",
            ),
        ] {
            let mut paper = Paper {
                title: String::from("T"),
                ..Paper::default()
            };
            paper.ids.doi.extend(Doi::parse(doi));
            paper.links.page = Some(page.to_owned());
            let text = bibtex(&paper, "k");
            let read = bib::read(&text);
            assert!(
                read.problems.is_empty() && read.entries.len() == 1,
                "{text}"
            );
            let entry = &read.entries[0];
            let names: Vec<&str> = entry
                .fields
                .iter()
                .map(|field| field.name.as_str())
                .collect();
            assert_eq!(names, ["title", field], "{text}");
            let verbatim = entry.field(field).map(bib::Field::verbatim);
            assert_eq!(verbatim.as_deref(), Some(wanted), "{text}");
        }
    }

    fn escaped_as_read(title: &str) -> String {
        crate::latex::to_text(&escaped(title))
    }
}
