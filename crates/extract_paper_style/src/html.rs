//! An HTML page as pieces of a paper: its headings, paragraphs, figures and tables.
//!
//! Text outside of paragraphs (of `<div>`, of `<br>`, bare) is a paragraph where it reads like one; what else stands there is menus
//! and labels.

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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside of every paragraph.
    Bare,
    /// In a figure or a table, outside of its caption.
    Float,
    Text,
    Heading(u8),
    Caption,
}

#[derive(Default)]
struct Buffer {
    text: String,
    opaque: Vec<Opaque>,
}

fn pieces(page: &str) -> Vec<Piece> {
    let mut found: Vec<(u8, Piece)> = Vec::new();
    let mut place = Place::Bare;
    // Whether a line just ended: a second end begins a paragraph.
    let mut broken = false;
    let mut buffer = Buffer::default();
    // Where the float in progress stands in `found`.
    let mut float: Option<usize> = None;
    let mut rest = page;
    while let Some(open) = rest.find('<') {
        let (text, after) = rest.split_at_checked(open).unwrap_or((rest, ""));
        broken &= text.trim().is_empty();
        if place != Place::Float {
            decode(text, &mut buffer.text);
        }
        let Some((tag, next)) = tag(after) else {
            break;
        };
        rest = next;
        match (tag.name.as_str(), tag.closes) {
            (name, false) if SKIPPED.contains(&name) => rest = past(rest, name),
            ("math", false) => {
                let start = buffer.text.len();
                buffer.text.push('x');
                let range = start..buffer.text.len();
                buffer.opaque.push(Opaque {
                    range,
                    is_word: true,
                });
                rest = past(rest, "math");
            }
            ("p" | "li" | "dd" | "blockquote", closes) if float.is_none() => {
                finish(&mut buffer, place, &mut found, float);
                place = if closes { Place::Bare } else { Place::Text };
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", closes) => {
                finish(&mut buffer, place, &mut found, float);
                let level = tag.name.as_bytes().get(1).map_or(6, |digit| digit - b'0');
                place = if closes {
                    Place::Bare
                } else {
                    Place::Heading(level)
                };
            }
            ("figure", false) => {
                finish(&mut buffer, place, &mut found, float);
                place = Place::Float;
                float = Some(found.len());
                found.push((0, Piece::Figure(None)));
            }
            ("table", false) => match float.and_then(|at| found.get_mut(at)) {
                Some((_, piece)) => {
                    if let Piece::Figure(caption) = piece {
                        *piece = Piece::Table(caption.take());
                    }
                }
                None => found.push((0, Piece::Table(None))),
            },
            ("figure", true) => {
                finish(&mut buffer, place, &mut found, float);
                (place, float) = (Place::Bare, None);
            }
            ("figcaption" | "caption", closes) => {
                finish(&mut buffer, place, &mut found, float);
                place = match (closes, float) {
                    (false, _) => Place::Caption,
                    (true, Some(_)) => Place::Float,
                    (true, None) => Place::Bare,
                };
            }
            ("br", false) => {
                if broken && place == Place::Bare {
                    finish(&mut buffer, place, &mut found, float);
                }
                broken = true;
                buffer.text.push(' ');
            }
            (name, _) if PARTS.contains(&name) => {
                if place == Place::Bare {
                    finish(&mut buffer, place, &mut found, float);
                }
                buffer.text.push(' ');
            }
            _ => {}
        }
    }
    if place != Place::Float {
        decode(rest.split('<').next().unwrap_or_default(), &mut buffer.text);
    }
    finish(&mut buffer, place, &mut found, float);
    leveled(found)
}

/// Ends what is being read.
fn finish(buffer: &mut Buffer, place: Place, found: &mut Vec<(u8, Piece)>, float: Option<usize>) {
    let Buffer { text, opaque } = std::mem::take(buffer);
    if text.trim().is_empty() {
        return;
    }
    match place {
        Place::Float => {}
        Place::Text => found.push((0, Piece::Text { text, opaque })),
        Place::Bare => {
            let words = text.split_whitespace().count();
            let letters = text.chars().filter(|letter| *letter >= '\u{2e80}').count();
            let ends = text.trim_end().ends_with(['.', '!', '?', ':', '。']);
            if words + letters >= BARE.0 || ends && words >= BARE.1 {
                found.push((0, Piece::Text { text, opaque }));
            }
        }
        Place::Heading(level) => {
            let bare = text.trim();
            let title = bare.trim_start_matches(|letter: char| {
                letter.is_ascii_digit() || matches!(letter, '.' | ' ')
            });
            let numbered = title.len() < bare.len();
            let title = title.to_owned();
            found.push((
                level,
                Piece::Heading {
                    level,
                    title,
                    numbered,
                },
            ));
        }
        Place::Caption => {
            if let Some((_, Piece::Figure(caption) | Piece::Table(caption))) =
                float.and_then(|at| found.get_mut(at))
            {
                *caption = Some(text);
            }
        }
    }
}

/// The pieces with their headings counted from the sections' level: the first that occurs at least twice.
fn leveled(found: Vec<(u8, Piece)>) -> Vec<Piece> {
    let count = |level: u8| found.iter().filter(|(own, _)| *own == level).count();
    let top = (1..=6).find(|level| count(*level) >= 2).unwrap_or(1);
    let mut pieces = Vec::with_capacity(found.len());
    for (own, piece) in found {
        match piece {
            Piece::Heading {
                title, numbered, ..
            } => {
                // The abstract is a section whatever its heading looks like; what stands above the sections is the title.
                let level = if Role::of(&title) == (Role::Abstract, true) {
                    1
                } else if own < top {
                    continue;
                } else {
                    own - top + 1
                };
                pieces.push(Piece::Heading {
                    level,
                    title,
                    numbered,
                });
            }
            other => pieces.push(other),
        }
    }
    pieces
}

struct Tag {
    /// Lower case.
    name: String,
    closes: bool,
}

/// Longest name of an element that matters here.
const NAME: usize = 16;

/// The tag or comment that `text` begins with, and what follows it; `None` when it never ends.
fn tag(text: &str) -> Option<(Tag, &str)> {
    if text.starts_with("<!--") {
        let end = text.find("-->")?;
        return Some((
            Tag {
                name: String::new(),
                closes: false,
            },
            text.get(end + 3..)?,
        ));
    }
    let inside = text.strip_prefix('<')?;
    let closes = inside.starts_with('/');
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let letters = inside.bytes().take(NAME);
    let length = letters.take_while(u8::is_ascii_alphanumeric).count();
    let name = inside.get(..length)?.to_ascii_lowercase();
    if name.is_empty() {
        // A lone `<`.
        return Some((Tag { name, closes }, inside));
    }
    let mut quote = None;
    for (at, byte) in inside.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some((Tag { name, closes }, inside.get(at + 1..)?)),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// What follows the end tag of `name`; nothing when there is none.
fn past<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        let Some(after) = rest.get(at + 2..) else {
            return "";
        };
        let own = after
            .get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name));
        if own {
            let end = after.find('>').map_or(after.len(), |end| end + 1);
            return after.get(end..).unwrap_or_default();
        }
        rest = after;
    }
    ""
}

/// Appends text with its entities read; one that is not known is a space.
fn decode(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        let window = rest.get(..rest.floor_char_boundary(NAME.min(rest.len())));
        let Some(end) = window.and_then(|window| window.find(';')) else {
            out.push('&');
            continue;
        };
        let name = rest.get(..end).unwrap_or_default();
        let number =
            name.strip_prefix('#')
                .and_then(|digits| match digits.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => digits.parse().ok(),
                });
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "rsquo" | "apos" => '\'',
            _ => number.and_then(char::from_u32).unwrap_or(' '),
        });
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
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
