//! Code spans and links outside fences, found by a `CommonMark` parser.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::{Document, Fence, Link, Span};
use crate::text::Text;

/// Adds the spans and links outside `fences` to `document`.
pub(super) fn read(text: &Text, first: usize, fences: &[Fence], document: &mut Document) {
    let from = text.start(first);
    let body = without(text, from, fences);
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut events = Parser::new_ext(&body, options).into_offset_iter();
    let definitions = events.reference_definitions().iter();
    let mut links: Vec<(usize, String)> = definitions
        .map(|(_, definition)| (definition.span.start, definition.dest.to_string()))
        .collect();
    let mut cursor = Cursor::default();
    for (event, range) in &mut events {
        match event {
            Event::Code(_) => {
                let range = from + range.start..from + range.end;
                let written = text.raw().get(range.clone()).unwrap_or_default();
                let (line, col) = cursor.place(text, range.start);
                document.spans.push(Span {
                    line,
                    col,
                    text: written.trim_matches('`').replace('\n', " "),
                    range,
                });
            }
            Event::Start(
                Tag::Link {
                    link_type: LinkType::Inline,
                    dest_url,
                    ..
                }
                | Tag::Image {
                    link_type: LinkType::Inline,
                    dest_url,
                    ..
                },
            ) => links.push((range.start, dest_url.to_string())),
            _ => {}
        }
    }
    links.sort_by_key(|(at, _)| *at);
    let mut cursor = Cursor::default();
    document.links.extend(links.into_iter().map(|(at, target)| {
        let (line, col) = cursor.place(text, from + at);
        Link { target, line, col }
    }));
}

/// The text from a byte on, with the fences blanked, so that the parser does not make its own decision about them.
fn without(text: &Text, from: usize, fences: &[Fence]) -> String {
    let raw = text.raw();
    let mut body = String::with_capacity(raw.len().saturating_sub(from));
    let mut at = from;
    for fence in fences {
        let lines: Range<usize> = text.start(fence.open)..text.start(fence.last + 1);
        body.push_str(raw.get(at..lines.start).unwrap_or_default());
        let code = raw.get(lines.clone()).unwrap_or_default();
        body.extend(
            code.bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
        );
        at = lines.end;
    }
    body.push_str(raw.get(at..).unwrap_or_default());
    body
}

/// Computes places of offsets. For ascending offsets each character is counted only once.
#[derive(Default)]
struct Cursor {
    offset: usize,
    line: usize,
    col: usize,
}

impl Cursor {
    fn place(&mut self, text: &Text, offset: usize) -> (usize, usize) {
        if self.line > 0 && offset >= self.offset && offset < text.start(self.line + 1) {
            let between = text.raw().get(self.offset..offset).unwrap_or_default();
            self.col += between.chars().count();
        } else {
            (self.line, self.col) = text.place(offset);
        }
        self.offset = offset;
        (self.line, self.col)
    }
}
