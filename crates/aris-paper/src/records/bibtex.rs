//! A bibliography entry out of a record: what the source said, escaped, and nothing else.

use std::fmt::Write as _;

use aris_contract::artifact::papers::{Kind, Paper};
use aris_contract::text::is_hidden;

use crate::{names, titles};

/// The entry, with `key` as its key, ending with a line feed.
pub fn bibtex(paper: &Paper, key: &str) -> String {
    let (kind, venue) = entry(paper);
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
            _ => person(&author.name),
        })
        .collect();
    if paper.authors_cut && !authors.is_empty() {
        authors.push(String::from("others"));
    }
    put("author", Some(authors.join(" and ")));
    // Braces keep the capitals that a style would take away.
    put("title", Some(format!("{{{}}}", escaped(&paper.title))));
    put(venue, paper.venue.as_deref().map(escaped));
    put("year", paper.year.map(|year| year.to_string()));
    let published = paper
        .ids
        .doi
        .iter()
        .find(|doi| !doi.folded().starts_with("10.48550/"));
    put(
        "doi",
        published
            .or(paper.ids.doi.first())
            .map(|doi| doi.as_str().to_owned()),
    );
    if let Some(arxiv) = &paper.ids.arxiv {
        put("eprint", Some(arxiv.without_version().to_string()));
        put("archiveprefix", Some(String::from("arXiv")));
    }
    if paper.ids.doi.is_empty() && paper.ids.arxiv.is_none() {
        put("url", paper.links.page.clone());
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

/// A key in the usual form: first author's family name, year, first word of the title that carries meaning. ASCII letters and digits.
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

/// The entry type, and the field its venue goes into.
fn entry(paper: &Paper) -> (&'static str, &'static str) {
    match paper.kind {
        Some(Kind::Article) => ("article", "journal"),
        Some(Kind::Proceedings) => ("inproceedings", "booktitle"),
        Some(Kind::Book) => ("book", "publisher"),
        Some(Kind::Chapter) => ("incollection", "booktitle"),
        Some(Kind::Thesis) => ("phdthesis", "school"),
        Some(Kind::Report) => ("techreport", "institution"),
        Some(Kind::Preprint | Kind::Dataset | Kind::Other) | None => ("misc", "howpublished"),
    }
}

/// A name that BibTeX reads as it is meant. "and" or a comma in a group's name would part it.
fn person(name: &str) -> String {
    let text = escaped(name);
    let parts = text
        .split_whitespace()
        .any(|word| word.eq_ignore_ascii_case("and"));
    if parts || text.contains(',') {
        format!("{{{text}}}")
    } else {
        text
    }
}

/// Text in which every character stands for itself: LaTeX's ten special characters escaped. Unicode stays.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\textbackslash{}"),
            // An escaped brace would still count when BibTeX looks for the end of the value.
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
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
    use aris_contract::ids::{ArxivId, Doi};

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

    proptest::proptest! {
        #[test]
        fn any_title_reads_back_whole(title in "[ -~éß王]{1,40}") {
            let paper = Paper { title: title.clone(), year: Some(2020), ..Paper::default() };
            let read = bib::read(&bibtex(&paper, "k"));
            proptest::prop_assert!(read.problems.is_empty());
            let text = read.entries[0].text("title").unwrap_or_default();
            // LaTeX reads runs of blanks as one, and two hyphens or quotation marks as typographic ones.
            proptest::prop_assert_eq!(titles::key(text), titles::key(&escaped_as_read(&title)));
        }
    }

    fn escaped_as_read(title: &str) -> String {
        crate::latex::to_text(&escaped(title))
    }
}
