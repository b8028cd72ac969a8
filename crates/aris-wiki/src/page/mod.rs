//! A page of the wiki: frontmatter, sections, and the parts that a program wrote between markers.
//!
//! A page is stored as its text. Parsing finds byte ranges in it, and writing replaces exactly the ranges of our fields and parts; every
//! other byte stays. Every text is a valid page: text that is neither field nor section is prose.

mod front;
mod lines;
pub mod scalar;
mod sections;
mod set;

use std::ops::Range;

use aris_contract::text::is_hidden;
use front::{Field, Front};
pub use sections::Section;

/// Heading of the section that lists the edges.
pub const CONNECTIONS: &str = "Connections";

/// The reference's placeholder for that section.
pub const CONNECTIONS_PLACEHOLDER: &str =
    "_Edges are recorded in `graph/edges.jsonl`; summarize here for human readers._";

/// The reference's placeholders for text that is still to be written. Longer text that begins like one was written by a person.
const PLACEHOLDERS: [&str; 2] = ["_TODO._", "_TODO: fill in after reading._"];

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    text: String,
    /// The text that was read from the disk, if the page was.
    origin: Option<String>,
    front: Front,
    sections: Vec<Section>,
}

/// The result of filling a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The section was empty or absent, and now has the text.
    Written,
    /// It already has this text.
    Same,
    /// It has other text that somebody wrote; that stays.
    Kept,
}

/// The start or end marker of a generated part lacks its counterpart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: the marker of a generated part has no counterpart")]
pub struct DamagedMarkers {
    /// Line of the marker, from 1.
    pub line: usize,
}

impl Page {
    /// Parses a page; every text is a page.
    pub fn parse(text: String) -> Self {
        let front = Front::find(&text).unwrap_or_default();
        let sections = sections::find(&text, front.end);
        Self {
            text,
            origin: None,
            front,
            sections,
        }
    }

    /// Parses the text of a file; [`Page::origin`] keeps it.
    pub fn read(text: String) -> Self {
        Self {
            origin: Some(text.clone()),
            ..Self::parse(text)
        }
    }

    /// The text of the file when it was read; `None` for a page that was not read from a file.
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text below the frontmatter.
    pub fn below_front(&self) -> &str {
        self.slice(&(self.front.end..self.text.len()))
    }

    /// Whether there is frontmatter.
    pub fn has_front(&self) -> bool {
        self.front.end > 0
    }

    /// Whether the page begins with frontmatter that is not closed.
    pub fn has_open_front(&self) -> bool {
        let first = self.text.trim_start_matches('\u{feff}').lines().next();
        !self.has_front() && first.is_some_and(|line| line.trim_end() == "---")
    }

    /// Names of fields whose value opens a bracket or quote that is never closed: YAML parsers reject such a page.
    pub fn open_fields(&self) -> impl Iterator<Item = &str> {
        let fields = self.front.fields.iter();
        let open = fields.filter(|field| {
            let rest = field.value.start..field.block.end;
            scalar::is_open(self.slice(&field.value), self.slice(&rest))
        });
        open.map(|field| field.key.as_str())
    }

    /// The names of all fields. Nested fields are `external_ids.arxiv`, also when they are written in braces on one line.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for field in &self.front.fields {
            match self.mapping(field) {
                None => keys.push(field.key.clone()),
                Some(pairs) => {
                    let below = pairs
                        .iter()
                        .map(|(name, _)| format!("{}.{name}", field.key));
                    keys.extend(below);
                }
            }
        }
        keys
    }

    /// A field as text; `None` when it is absent, empty or null.
    pub fn scalar(&self, key: &str) -> Option<String> {
        let Some(field) = self.front.field(key) else {
            let value = match self.front.field("node_id") {
                Some(_) => self.in_mapping(key),
                None => self
                    .in_mapping(key)
                    .or_else(|| front::loose(&self.text, key)),
            };
            return scalar::read(value?);
        };
        let value = self.slice(&field.value);
        if scalar::is_block(value) {
            let below = self.value(field).split_once('\n');
            return scalar::block(value, below.map_or("", |(_, below)| below));
        }
        scalar::read(value)
    }

    /// A value inside a mapping that is written on one line.
    fn in_mapping(&self, key: &str) -> Option<&str> {
        let (parent, child) = key.split_once('.')?;
        let mapping = self.mapping(self.front.field(parent)?)?;
        let (_, value) = mapping.into_iter().rfind(|(name, _)| *name == child)?;
        Some(value)
    }

    /// The value of a field with its comment and the lines below it.
    fn value(&self, field: &Field) -> &str {
        self.slice(&(field.value.start..field.block.end))
    }

    /// The pairs of a mapping that is written on one line: `{arxiv: 2401.00001, doi: null}`.
    fn mapping(&self, field: &Field) -> Option<Vec<(&str, &str)>> {
        scalar::flow_mapping(self.value(field))
    }

    /// The unchanged lines of a field at the margin; `None` for a nested field.
    pub fn lines_of(&self, key: &str) -> Option<&str> {
        let field = self.front.field(key)?;
        (!key.contains('.')).then(|| self.slice(&field.block))
    }

    /// The value of a field as written, including quotes and comment; `None` when it spans several lines.
    pub fn raw(&self, key: &str) -> Option<&str> {
        let value = match self.front.field(key) {
            Some(field) => self.value(field),
            None => self.in_mapping(key)?,
        };
        Some(value.trim()).filter(|value| !value.contains('\n'))
    }

    /// The comment after a field's value, on the same line.
    pub fn remark_of(&self, key: &str) -> Option<&str> {
        let field = self.front.field(key)?;
        let rest = self.slice(&(field.value.end..field.block.end));
        let rest = rest.lines().next()?.trim();
        rest.starts_with('#').then_some(rest)
    }

    /// Frontmatter lines that belong to no field that is read: comments, keys in quotes or with spaces, and all but the last of several
    /// fields with the same name.
    pub fn unread_front(&self) -> impl Iterator<Item = &str> {
        let front = &self.front;
        let rows = lines::lines(self.slice(&(0..front.close))).skip(1);
        rows.filter_map(|(content, whole)| {
            let fields = front.fields.iter();
            let mut of = fields
                .filter(|field| field.block.contains(&whole.start))
                .peekable();
            let is_read = |field: &Field| front.field(&field.key) == Some(field);
            let unread = of.peek().is_none() || of.any(|field| !is_read(field));
            let line = self.slice(&content);
            (unread && !line.trim().is_empty()).then_some(line)
        })
    }

    /// A field as a list: `[a, b]`, `- a` lines, or one value. Empty when it is absent.
    pub fn list(&self, key: &str) -> Vec<String> {
        let value = self.front.field(key).map_or("", |field| self.value(field));
        if let Some(items) = scalar::flow_list(value) {
            return items;
        }
        if let Some(one) = self.scalar(key) {
            return vec![one];
        }
        let items = value
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("- "));
        items.filter_map(scalar::read).collect()
    }

    /// Line number of a field, from 1.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        Some(self.line_at(self.front.field(key)?.block.start))
    }

    /// The sections in their order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The first section with this heading, at any level; case is ignored.
    pub fn section(&self, title: &str) -> Option<&Section> {
        let same = |section: &&Section| section.title.eq_ignore_ascii_case(title);
        self.sections.iter().find(same)
    }

    /// The text below the heading, trimmed.
    pub fn body(&self, section: &Section) -> &str {
        self.slice(&section.body).trim()
    }

    /// The text of the section called `title`; `None` when it is absent, empty, or a placeholder.
    pub fn prose(&self, title: &str) -> Option<&str> {
        let body = self.body(self.section(title)?);
        (!is_placeholder(body)).then_some(body)
    }

    /// The text between the frontmatter and the first heading.
    pub fn front_prose(&self) -> &str {
        let first = self.sections.first();
        let end = first.map_or(self.text.len(), |section| section.heading.start);
        self.slice(&(self.front.end..end)).trim()
    }

    /// The text of a section without the generated part called `name`.
    pub fn without_generated(&self, section: &Section, name: &str) -> String {
        let own = self.body(section);
        match (own.split_once(&begin(name)), own.split_once(&finish(name))) {
            (Some((before, _)), Some((_, after))) => format!("{}{}", before, after.trim_start()),
            _ => own.to_owned(),
        }
    }

    /// The generated part called `name`, without its markers; `None` when there is none.
    pub fn generated(&self, name: &str) -> Result<Option<&str>, DamagedMarkers> {
        Ok(self.marked(name)?.map(|inner| self.slice(&inner).trim()))
    }

    /// The range between the marker lines of the generated part called `name`.
    fn marked(&self, name: &str) -> Result<Option<Range<usize>>, DamagedMarkers> {
        let (from, rest) = (self.front.end, self.below_front());
        let (begin, finish) = (begin(name), finish(name));
        let mut start: Option<Range<usize>> = None;
        let mut found = None;
        for (content, whole) in lines::lines(rest) {
            let line = rest.get(content).unwrap_or_default().trim();
            let damaged = || self.damaged(from + whole.start);
            if line == begin {
                if start.is_some() || found.is_some() {
                    return Err(damaged());
                }
                start = Some(whole);
            } else if line == finish {
                let start = start.take().ok_or_else(damaged)?;
                found = Some(from + start.end..from + whole.start);
            }
        }
        match start {
            Some(open) => Err(self.damaged(from + open.start)),
            None => Ok(found),
        }
    }

    fn damaged(&self, at: usize) -> DamagedMarkers {
        let line = self.line_at(at);
        DamagedMarkers { line }
    }

    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn line_at(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        1 + before.bytes().filter(|byte| *byte == b'\n').count()
    }
}

fn begin(name: &str) -> String {
    format!("<!-- aris:{name} (generated, do not edit) -->")
}

fn finish(name: &str) -> String {
    format!("<!-- aris:{name} end -->")
}

/// Whether the text is empty or one of the reference's placeholders.
pub fn is_placeholder(body: &str) -> bool {
    let body = body.trim();
    body.is_empty() || body == CONNECTIONS_PLACEHOLDER || PLACEHOLDERS.contains(&body)
}

/// `text` on one line, with white space collapsed and without characters that terminals interpret.
pub fn one_line(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(visible).collect();
    words.join(" ")
}

/// `text` without characters that terminals interpret.
pub fn visible(text: &str) -> String {
    text.chars().filter(|sign| !is_hidden(*sign)).collect()
}

#[cfg(test)]
mod tests;
