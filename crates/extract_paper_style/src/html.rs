//! An HTML page as pieces of a paper: its headings, paragraphs, figures and tables.
//!
//! Text outside of paragraphs (of `<div>`, of `<br>`, bare) is a paragraph where it reads like one; what else stands there is menus
//! and labels.

use html5gum::{DefaultEmitter, Token, Tokenizer};

use crate::outline::{self, Piece};
use crate::profile::{Basis, CitationStyle, Profile};
use crate::prose::Opaque;
use crate::role::Role;

/// Elements whose content is no text of the paper.
const SKIPPED: [&str; 14] = [
    "script", "style", "head", "nav", "footer", "aside", "svg", "template", "noscript", "button",
    "select", "textarea", "option", "form",
];

/// Elements that end what stands before them.
const PARTS: [&str; 13] = [
    "div", "section", "article", "main", "body", "header", "ul", "ol", "dl", "center", "hr", "td",
    "pre",
];

/// Words that text outside of paragraphs has at least to be one, or fewer when it ends like a sentence.
const BARE: (usize, usize) = (8, 3);

/// Measures a page.
pub(crate) fn profile(page: &str) -> Profile {
    outline::profile(Basis::Html, &pieces(page), CitationStyle::Unknown)
}

/// What is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// Outside of every paragraph.
    #[default]
    Bare,
    /// In a figure or a table, outside of its caption.
    Float,
    Text,
    Heading(u8),
    Caption,
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    /// Pieces; headings with their level.
    found: Vec<(u8, Piece)>,
    place: Place,
    text: String,
    opaque: Vec<Opaque>,
    /// Where the float in progress stands in `found`.
    float: Option<usize>,
    /// Whether a line just ended: a second end begins a paragraph.
    broken: bool,
}

fn pieces(page: &str) -> Vec<Piece> {
    let mut emitter = DefaultEmitter::default();
    // Scripts and styles hold no elements.
    emitter.naively_switch_states(true);
    let mut reader = Reader::default();
    let mut skipped = None;
    for Ok(token) in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Token::EndTag(tag) if skipped.as_ref() == Some(&tag.name) => skipped = None,
            _ if skipped.is_some() => {}
            Token::String(text) => reader.read(&String::from_utf8_lossy(&text)),
            Token::EndTag(tag) => reader.tag(&String::from_utf8_lossy(&tag.name), true),
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                if name == "math" {
                    let range = reader.text.len()..reader.text.len() + 1;
                    let is_word = true;
                    reader.text.push('x');
                    reader.opaque.push(Opaque { range, is_word });
                } else {
                    reader.tag(&name, false);
                }
                if name == "math" || SKIPPED.contains(&name.as_ref()) {
                    skipped = Some(tag.name);
                }
            }
            _ => {}
        }
    }
    reader.finish();
    leveled(reader.found)
}

impl Reader {
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
                self.place = if closes {
                    Place::Bare
                } else {
                    Place::Heading(level)
                };
            }
            ("figure", false) => {
                self.finish();
                (self.place, self.float) = (Place::Float, Some(self.found.len()));
                self.found.push((0, Piece::Figure(None)));
            }
            ("table", false) => match self.float.and_then(|at| self.found.get_mut(at)) {
                Some((_, piece)) => {
                    if let Piece::Figure(caption) = piece {
                        *piece = Piece::Table(caption.take());
                    }
                }
                None => self.found.push((0, Piece::Table(None))),
            },
            ("figure", true) => {
                self.finish();
                (self.place, self.float) = (Place::Bare, None);
            }
            ("figcaption" | "caption", _) => {
                self.finish();
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

    /// Ends what is being read.
    fn finish(&mut self) {
        let (text, opaque) = (
            std::mem::take(&mut self.text),
            std::mem::take(&mut self.opaque),
        );
        let bare = text.trim();
        let words = bare.split_whitespace().count();
        let wide = bare.chars().filter(|letter| *letter >= '\u{2e80}').count();
        let ends = bare.ends_with(['.', '!', '?', ':', '。']);
        let reads = words + wide >= BARE.0 || ends && words >= BARE.1;
        match self.place {
            _ if bare.is_empty() => {}
            Place::Bare if !reads => {}
            Place::Float => {}
            Place::Text | Place::Bare => self.found.push((0, Piece::Text { text, opaque })),
            Place::Heading(level) => {
                let is_number =
                    |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ' ');
                let title = bare.trim_start_matches(is_number);
                let heading = Piece::Heading {
                    level,
                    title: title.to_owned(),
                    numbered: title.len() < bare.len(),
                };
                self.found.push((level, heading));
            }
            Place::Caption => {
                let float = self.float.and_then(|at| self.found.get_mut(at));
                if let Some((_, Piece::Figure(caption) | Piece::Table(caption))) = float {
                    *caption = Some(text);
                }
            }
        }
    }
}

/// The pieces with their headings counted from the sections' level: the first that occurs at least twice. The abstract is a section
/// whatever its heading looks like; what stands above the sections is the title.
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
                "<form>We do it.</form><button>We do it.</button>",
                (0, 0, 0),
            ),
        ] {
            assert_eq!(measured(page), expected, "{page}");
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
