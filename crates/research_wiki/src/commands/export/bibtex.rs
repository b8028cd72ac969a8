//! The papers as a bibliography.

use std::collections::BTreeSet;

use aris_contract::artifact::papers::{Author, Identifiers, Kind as PaperKind, Paper};
use aris_contract::ids::{ArxivId, Doi};
use aris_paper::{records, venues};

use crate::error::Error;
use crate::paper::{ENTRY, NO_VENUE};
use crate::wiki::Wiki;
use aris_wiki::identity::plain_name;
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// One entry for each paper, in the order of the files. The key is the page's name; the entry type follows from the venue's name. Ideas,
/// experiments and claims cannot be cited and give no entry.
pub(crate) fn bibliography(wiki: &Wiki) -> Result<String, Error> {
    let mut out = String::new();
    let mut keys = BTreeSet::new();
    for summary in wiki.of_kind(Kind::Paper) {
        // The title in the summary may be cut, so the page is read.
        let page = wiki.page(summary.kind, summary.file)?;
        let title = page.scalar("title");
        let authors = page.list("authors");
        let kind = page.scalar(ENTRY).and_then(|entry| records::kind(&entry));
        let title = title.as_deref().unwrap_or(summary.title);
        let paper = record(summary, title, &authors, kind);
        let key = key(summary, &paper, &mut keys);
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&records::bibtex(&paper, &key));
    }
    Ok(out)
}

/// Whether a file looks like [`bibliography`]: only such lines, and each entry with its title in two pairs of braces.
pub(crate) fn is_export(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_entry = |line: &str| line.starts_with('@') && line.ends_with(',');
    let is_field = |line: &str| line.starts_with("  ") && line.ends_with("},");
    let ours = |line: &str| matches!(line, "" | "}") || is_entry(line) || is_field(line);
    let entries = text.lines().filter(|line| is_entry(line)).count();
    let titled = text.lines().filter(|line| line.starts_with("  title = {{"));
    text.lines().all(ours) && titled.count() == entries
}

fn record(page: &Summary, title: &str, authors: &[String], entry: Option<PaperKind>) -> Paper {
    let arxiv = ArxivId::parse(page.arxiv).ok();
    let doi = Doi::parse(page.doi).ok();
    // Where the page does not tell the type of the entry, the venue's name does.
    let venue = Some(page.venue).filter(|venue| !matches!(*venue, "" | NO_VENUE));
    let kind = entry.or_else(|| venue.and_then(venues::kind));
    let preprint = doi.is_none() && (venue.is_none() || kind == Some(PaperKind::Preprint));
    Paper {
        title: aris_wiki::page::one_line(title),
        authors: authors.iter().map(|name| author(name)).collect(),
        year: u16::try_from(page.year).ok().filter(|year| *year > 0),
        venue: venue.filter(|_| !preprint).map(str::to_owned),
        kind,
        ids: Identifiers {
            arxiv,
            doi: doi.into_iter().collect(),
            ..Identifiers::default()
        },
        ..Paper::default()
    }
}

/// An author of a page as a BibTeX name; an institution is put in braces.
fn author(name: &str) -> Author {
    let plain = plain_name(name);
    Author {
        name: plain.to_owned(),
        family: (plain != name).then(|| plain.to_owned()),
        ..Author::default()
    }
}

/// The page's name if it is a valid BibTeX key, else a key from author, year and title. A number makes it unique.
fn key(page: &Summary, paper: &Paper, keys: &mut BTreeSet<String>) -> String {
    let stem = page.stem();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let key = if !stem.is_empty() && stem.chars().all(plain) {
        stem.to_owned()
    } else {
        let key = records::key(paper);
        let named = key.starts_with(|c: char| c.is_ascii_alphabetic());
        if named { key } else { format!("paper{key}") }
    };
    // BibTeX compares keys case-insensitively.
    let mut unique = key.clone();
    let mut number = 1;
    while !keys.insert(unique.to_ascii_lowercase()) {
        number += 1;
        unique = format!("{key}-{number}");
    }
    unique
}
