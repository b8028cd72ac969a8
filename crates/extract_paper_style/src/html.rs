//! An HTML page as pieces of a paper: its headings, paragraphs, figures and tables.
//!
//! Text outside of paragraphs (in `<div>`, after `<br>`, bare) is a paragraph if it reads like one; other such text is menus and
//! labels. A table holds data if it stands in a figure or has a caption or header cells; its cells are not text of the paper.
//! Another table with running text only lays out the page.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};

use crate::outline::{self, Piece};
use crate::pdf::headings::unlabelled;
use crate::pdf::page::caption_of;
use crate::profile::{Basis, CitationStyle, Profile};
use crate::prose::{Opaque, StandsFor};
use crate::role::Role;

/// Elements whose content is not text of the paper.
const SKIPPED: [&str; 14] = [
    "script", "style", "head", "nav", "footer", "aside", "svg", "template", "noscript", "button",
    "select", "textarea", "option", "form",
];

/// Elements that end bare text before them.
const PARTS: [&str; 13] = [
    "div", "section", "article", "main", "body", "header", "ul", "ol", "dl", "center", "hr", "td",
    "pre",
];

/// The class of tables that hold an equation, with its number in a cell of its own.
///
/// **Source**: `LaTeXML`, which makes arXiv's HTML; also for [`NOTES`].
const EQUATION: &str = "ltx_eqn_table";

/// Classes of footnotes and of the numbers of items, equations and floats, which are not running text.
const NOTES: [&str; 5] = [
    "ltx_note",
    "ltx_tag_item",
    "ltx_tag_equation",
    "ltx_tag_figure",
    "ltx_tag_table",
];

/// Fewest words of bare text that is a paragraph; the second number holds if it ends like a sentence.
const BARE: (usize, usize) = (8, 2);

/// Whether a text begins as pages do: with an element, a comment or a declaration.
pub(crate) fn is_page(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// Measures a page.
pub(crate) fn profile(page: &str) -> Profile {
    outline::profile(Basis::Html, &pieces(page), CitationStyle::Unknown)
}

/// The kind of text being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// Outside any paragraph.
    #[default]
    Bare,
    /// In a figure or a table, outside its caption.
    Float,
    Text,
    Heading(u8),
    Caption,
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    /// Pieces, each with its level: that of a heading, 0 for others.
    found: Vec<(u8, Piece)>,
    place: Place,
    text: String,
    opaque: Vec<Opaque>,
    /// Index in `found` of the open figure or data table.
    float: Option<usize>,
    /// Index in `found` of the open table, outside figures and as long as it holds no running text.
    table: Option<usize>,
    /// Whether a `<br>` came just before: a second one begins a paragraph.
    broken: bool,
}

fn pieces(page: &str) -> Vec<Piece> {
    let mut emitter = DefaultEmitter::default();
    // Reads scripts and styles as text, not as elements.
    emitter.naively_switch_states(true);
    let mut reader = Reader::default();
    // The element that is skipped, and how many elements of its name are open.
    let mut skipped: Option<(String, usize)> = None;
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::String(text) if skipped.is_none() => {
                reader.read(&String::from_utf8_lossy(&text));
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                match &mut skipped {
                    Some((open, 1)) if *open == name => skipped = None,
                    Some((open, depth)) if *open == name => *depth -= 1,
                    Some(_) => {}
                    None => reader.tag(&name, true),
                }
            }
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                match &mut skipped {
                    Some((open, depth)) if *open == name => *depth += 1,
                    None if reader.start(&name, &tag) => skipped = Some((name.into_owned(), 1)),
                    Some(_) | None => {}
                }
            }
            _ => {}
        }
    }
    reader.finish();
    number(&mut reader.found);
    leveled(reader.found)
}

/// Takes the numbers off the headings. `A` and `I` may also be words: they are numbers if another heading has `B` or `II`.
fn number(found: &mut [(u8, Piece)]) {
    let is_number =
        |title: &str, number: &str| first(title).trim_end_matches(['.', ':', ')']) == number;
    let next = |number: &str| {
        let mut pieces = found.iter().map(|(_, piece)| piece);
        pieces
            .any(|piece| matches!(piece, Piece::Heading { title, .. } if is_number(title, number)))
    };
    let (letters, romans) = (next("B"), next("II"));
    for (_, piece) in found {
        let Piece::Heading {
            title, numbered, ..
        } = piece
        else {
            continue;
        };
        let is_word = match first(title) {
            "A" => !letters,
            "I" => !romans,
            _ => false,
        };
        let bare = match unlabelled(title) {
            _ if is_word => title.as_str(),
            // `1.Introduction`
            same if same.len() == title.len() => {
                let rest = title.trim_start_matches(|letter: char| letter.is_ascii_digit());
                rest.strip_prefix('.').map_or(same, str::trim_start)
            }
            bare => bare,
        };
        if bare.len() < title.len() {
            (*title, *numbered) = (bare.to_owned(), true);
        }
    }
}

/// The first word of a title.
fn first(title: &str) -> &str {
    title.split_whitespace().next().unwrap_or_default()
}

impl Reader {
    /// Handles a start tag; returns whether the element is to be skipped.
    fn start(&mut self, name: &str, tag: &StartTag<()>) -> bool {
        let classes = tag.attributes.get(&b"class"[..]);
        let classes = classes.map(|classes| String::from_utf8_lossy(classes));
        let mut classes = classes
            .iter()
            .flat_map(|classes| classes.split_whitespace());
        if name == "math" {
            let range = self.text.len()..self.text.len() + 1;
            self.text.push('x');
            self.opaque.push(Opaque {
                range,
                stands_for: StandsFor::Word,
            });
            return true;
        }
        if SKIPPED.contains(&name) {
            return true;
        }
        if let Some(class) = classes.find(|class| *class == EQUATION || NOTES.contains(class)) {
            // An equation does not end its paragraph.
            return class != EQUATION;
        }
        self.tag(name, false);
        false
    }

    fn read(&mut self, text: &str) {
        self.broken &= text.trim().is_empty();
        if self.place != Place::Float {
            self.text.push_str(text);
        }
    }

    fn tag(&mut self, name: &str, closes: bool) {
        match (name, closes) {
            ("p" | "li" | "dd" | "blockquote", _) if self.float.is_none() => {
                self.finish();
                self.place = if closes { Place::Bare } else { Place::Text };
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", _) => {
                self.finish();
                let level = name.as_bytes().get(1).map_or(6, |digit| digit - b'0');
                let heading = Place::Heading(level);
                self.place = if closes { Place::Bare } else { heading };
            }
            ("figure", false) => {
                self.finish();
                (self.place, self.float) = (Place::Float, Some(self.found.len()));
                self.found.push((0, Piece::Figure(None)));
            }
            ("table", false) if self.float.is_none() => {
                self.finish();
                self.table = Some(self.found.len());
                self.found.push((0, Piece::Table(None)));
            }
            ("table", false) => {
                let float = self.float.and_then(|at| self.found.get_mut(at));
                if let Some((_, piece)) = float
                    && let Piece::Figure(caption) = piece
                {
                    *piece = Piece::Table(caption.take());
                }
            }
            ("th" | "thead", false) if self.float.is_none() && self.table.is_some() => {
                self.finish();
                (self.place, self.float) = (Place::Float, self.table);
            }
            ("table", true) => {
                let is_data = self.float.is_some() && self.float == self.table;
                if is_data || self.place == Place::Bare {
                    self.finish();
                }
                if is_data {
                    (self.place, self.float) = (Place::Bare, None);
                }
                self.table = None;
            }
            ("figure", true) => {
                self.finish();
                (self.place, self.float) = (Place::Bare, None);
            }
            ("figcaption" | "caption", _) => {
                self.finish();
                self.float = self.float.or(self.table);
                self.place = match (closes, self.float) {
                    (false, _) => Place::Caption,
                    (true, Some(_)) => Place::Float,
                    (true, None) => Place::Bare,
                };
            }
            ("br", false) => {
                if self.broken && self.place == Place::Bare {
                    self.finish();
                }
                self.broken = true;
                self.text.push(' ');
            }
            _ if PARTS.contains(&name) => {
                if self.place == Place::Bare {
                    self.finish();
                }
                self.text.push(' ');
            }
            _ => {}
        }
    }

    /// Ends the text being read and stores it.
    fn finish(&mut self) {
        let text = std::mem::take(&mut self.text);
        let opaque = std::mem::take(&mut self.opaque);
        let bare = text.trim();
        let words = bare.split_whitespace().count();
        let wide = bare.chars().filter(|letter| *letter >= '\u{2e80}').count();
        let ends = bare.ends_with(['.', '!', '?', ':', '。']);
        let reads = words + wide >= BARE.0 || ends && words >= BARE.1;
        match self.place {
            _ if bare.is_empty() => {}
            Place::Bare if !reads => {}
            Place::Float => {}
            Place::Text | Place::Bare => {
                if let Some(layout) = self.table.take() {
                    self.found.remove(layout);
                }
                self.found.push((0, Piece::Text { text, opaque }));
            }
            Place::Heading(level) => {
                let heading = Piece::Heading {
                    level,
                    title: bare.to_owned(),
                    numbered: false,
                };
                self.found.push((level, heading));
            }
            Place::Caption => {
                let float = self.float.and_then(|at| self.found.get_mut(at));
                if let Some((_, Piece::Figure(caption) | Piece::Table(caption))) = float {
                    let bare = caption_of(bare).map_or(bare, |(_, _, bare)| bare);
                    *caption = Some(bare.to_owned());
                }
            }
        }
    }
}

/// The pieces, with heading levels counted from that of the sections: the first level with at least two headings. The abstract
/// always has level 1; headings above the sections are the paper's title and are dropped.
fn leveled(found: Vec<(u8, Piece)>) -> Vec<Piece> {
    let count = |level: u8| found.iter().filter(|(own, _)| *own == level).count();
    let top = (1..=6).find(|level| count(*level) >= 2).unwrap_or(1);
    let mut pieces = Vec::with_capacity(found.len());
    for (_, mut piece) in found {
        if let Piece::Heading { level, title, .. } = &mut piece {
            let is_abstract = Role::of(title) == (Role::Abstract, true);
            *level = if is_abstract {
                1
            } else {
                (*level + 1).saturating_sub(top)
            };
            if *level == 0 {
                continue;
            }
        }
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elements_of_a_page_become_sections() {
        let page = "<html><head><title>No words</title></head><body><script>if (a < b) no()</script><h1>The title of it</h1>\
            <h6>Abstract</h6><p>We do.</p><h2 class='a>b'>1 Introduction</h2><p>Let <math><mi>x</mi><mo>.</mo></math> be &lt; y&#46; Then &amp; so.</p>\
            <figure><img><figcaption>Three word caption</figcaption></figure><!-- <p>no</p> -->\
            <h2>2 Gadgets</h2><h3>2.1 Parts</h3><ul><li>One item.<li>Two.</ul><figure><table><tr><td>no</td></tr></table></figure>";
        let profile = profile(page);
        let sections: Vec<_> = profile
            .sections
            .iter()
            .map(|section| {
                (
                    section.role,
                    section.words,
                    section.subsections,
                    section.figures,
                    section.tables,
                    section.numbered,
                )
            })
            .collect();
        assert_eq!(
            sections,
            [
                (Role::Abstract, 2, 0, None, None, Some(false)),
                (Role::Introduction, 6, 0, Some(1), None, Some(true)),
                (Role::Body, 3, 1, None, Some(1), Some(true)),
            ]
        );
        assert_eq!(profile.figure_captions.map(|spread| spread.median), Some(3));
        assert_eq!(profile.sentences.map(|spread| spread.count), Some(5));
    }

    #[test]
    fn pages_without_paragraphs_are_read() {
        let measured = |page: &str| {
            let profile = profile(page);
            let paragraphs = profile
                .sections
                .iter()
                .filter_map(|section| section.paragraphs);
            let count: usize = paragraphs.sum();
            (profile.sections.len(), count, profile.words)
        };
        for (page, expected) in [
            (
                "<body><a>Home</a><div>We <b>do</b> it.</div><div>So do you all.<div>Log in</div></div></body>",
                (1, 2, 7),
            ),
            (
                "We do it all day long<br>and all night.<br><br>\nThey do not.",
                (1, 2, 12),
            ),
            (
                "<h2>Introduction</h2>We do it.<h2>Method</h2><div>You do it.</div>",
                (2, 2, 6),
            ),
            (
                "<table><tr><td>Old pages put their words into tables.<td>Menu</table>",
                (1, 1, 7),
            ),
            ("We do it all, and never close a paragraph", (1, 1, 9)),
            (
                "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 of some kind of page//EN\"><div>We do it.</div>",
                (1, 1, 3),
            ),
            (
                "<h2>Introduction</h2><div>It works.</div><div>It fails.</div><div>Log in</div>",
                (1, 2, 4),
            ),
            (
                "<form>We do it.</form><button>We do it.</button>",
                (0, 0, 0),
            ),
        ] {
            assert_eq!(measured(page), expected, "{page}");
        }
    }

    #[test]
    fn a_table_is_data_or_lays_out_the_page() {
        for (table, expected) in [
            ("<table><tr><td>0.91<td>0.87</table>", (Some(1), 3)),
            (
                "<table><tr><th>Name<td>The cell is a sentence.</table>",
                (Some(1), 3),
            ),
            (
                "<table><caption>What they say</caption><tr><td>The cell is good.</table>",
                (Some(1), 3),
            ),
            (
                "<table><tr><td>The cell is good.<td>So is this.</table>",
                (None, 10),
            ),
            (
                "<p>So we have<table class='ltx_equation ltx_eqn_table'><tr><td><math>y</math><td>(1)</table>and it ends.</p>",
                (None, 10),
            ),
            ("<table><tr><td><p>The cell is good.</p></table>", (None, 7)),
            (
                "<table><tr><td>The cell is good.<table><tr><th>a<td>It is one.</table></table>",
                (Some(1), 7),
            ),
        ] {
            let page = format!("<h2>Introduction</h2>{table}<p>We do it.</p>");
            let profile = profile(&page);
            let section = profile.sections.first().expect("a section");
            assert_eq!((section.tables, section.words), expected, "{table}");
        }
    }

    #[test]
    fn headings_are_numbered_in_many_ways() {
        let titles = |page: &str| -> Vec<(String, bool)> {
            let titles = pieces(page).into_iter().filter_map(|piece| match piece {
                Piece::Heading {
                    title, numbered, ..
                } => Some((title, numbered)),
                _ => None,
            });
            titles.collect()
        };
        for (headings, expected) in [
            (
                "1 Aims|2. Method|2.1 Parts|3) Ends",
                "+Aims|+Method|+Parts|+Ends",
            ),
            ("I. Aims|II. Method|Thanks", "+Aims|+Method|Thanks"),
            ("I Aims|II Method", "+Aims|+Method"),
            ("I Robot|Aims", "I Robot|Aims"),
            ("§1 Aims|§ Method", "+Aims|§ Method"),
            ("Aims|Appendix A Proofs|B Tables", "Aims|+Proofs|+Tables"),
            ("A New Method|Aims", "A New Method|Aims"),
            ("A Proofs|B Tables", "+Proofs|+Tables"),
            (
                "3D Vision|2024 in Review|1.Aims",
                "3D Vision|2024 in Review|+Aims",
            ),
        ] {
            let page = format!("<h2>{}</h2>", headings.replace('|', "</h2><h2>"));
            let wanted: Vec<_> = (expected.split('|'))
                .map(|title| match title.strip_prefix('+') {
                    Some(title) => (title.to_owned(), true),
                    None => (title.to_owned(), false),
                })
                .collect();
            assert_eq!(titles(&page), wanted, "{headings}");
        }
    }

    #[test]
    fn what_never_ends_is_read_once() {
        for unclosed in [
            "<",
            "<p",
            "<p>",
            "<!--",
            "<script>",
            "<math>",
            "</",
            "&",
            "<a href=\"",
            "<figure>",
            "<h2>",
        ] {
            let page = format!("<p>Words.</p>{}", unclosed.repeat(40_000));
            assert_eq!(profile(&page).words, 1, "{unclosed}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(<p>|</p>|<h2>|</h2>|<math>|<figure>|<table>|<!--|-->|[<>&;#\"'a-z é/]){0,80}") {
            drop(profile(&text));
        }
    }
}
