//! A page of the wiki: frontmatter, sections, and the parts that a program wrote between markers.
//!
//! A page is its text. Reading finds places in it, writing replaces the bytes of exactly the places that are ours; every other byte
//! stays, whatever a person wrote there. No text is refused: what is no field or section is prose.

mod front;
mod lines;
pub mod scalar;
mod sections;
mod set;

use std::ops::Range;

use aris_contract::text::is_hidden;
use front::{Field, Front};
pub use sections::Section;

/// Heading of the section that is made from the graph.
pub const CONNECTIONS: &str = "Connections";

/// What the reference writes into that section of a new page.
pub const CONNECTIONS_PLACEHOLDER: &str =
    "_Edges are recorded in `graph/edges.jsonl`; summarize here for human readers._";

/// What the reference writes where somebody is to write something. Anything else is a person's, also when it begins like this.
const PLACEHOLDERS: [&str; 2] = ["_TODO._", "_TODO: fill in after reading._"];

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    text: String,
    /// The bytes that it was read from, where it lies on the disk.
    origin: Option<String>,
    front: Front,
    sections: Vec<Section>,
}

/// What became of a section that was to be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// It was empty, or there was none.
    Written,
    /// It says that already.
    Same,
    /// Somebody wrote something else there, and that stays.
    Kept,
}

/// The markers of a generated part do not match: one is there without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: the marker of a generated part has no counterpart")]
pub struct DamagedMarkers {
    /// Line of the marker, from 1.
    pub line: usize,
}

impl Page {
    /// Reads a page; every text is one.
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

    /// Reads a page that lies on the disk with this text.
    pub fn read(text: String) -> Self {
        Self {
            origin: Some(text.clone()),
            ..Self::parse(text)
        }
    }

    /// The text that was on the disk when it was read; `None` for a page that was not read from there.
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

    /// Whether it begins as frontmatter does, and that has no end.
    pub fn has_open_front(&self) -> bool {
        let first = self.text.trim_start_matches('\u{feff}').lines().next();
        !self.has_front() && first.is_some_and(|line| line.trim_end() == "---")
    }

    /// Names of fields whose value opens a bracket or a quote that nothing closes, so that no reader of YAML reads the page.
    pub fn open_fields(&self) -> impl Iterator<Item = &str> {
        let fields = self.front.fields.iter();
        let open = fields.filter(|field| {
            let rest = field.value.start..field.block.end;
            scalar::is_open(self.slice(&field.value), self.slice(&rest))
        });
        open.map(|field| field.key.as_str())
    }

    /// All fields of the frontmatter by name, those below another as `external_ids.arxiv`, also where they stand on one line in braces.
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

    /// A value of a field that is written as a mapping on a line.
    fn in_mapping(&self, key: &str) -> Option<&str> {
        let (parent, child) = key.split_once('.')?;
        let mapping = self.mapping(self.front.field(parent)?)?;
        let (_, value) = mapping.into_iter().rfind(|(name, _)| *name == child)?;
        Some(value)
    }

    /// The value of a field with the comment behind it and the lines below it.
    fn value(&self, field: &Field) -> &str {
        self.slice(&(field.value.start..field.block.end))
    }

    /// The pairs of a field that is written as a mapping on a line, `{arxiv: 2401.00001, doi: null}`.
    fn mapping(&self, field: &Field) -> Option<Vec<(&str, &str)>> {
        scalar::flow_mapping(self.value(field))
    }

    /// The lines of a field as they stand, where it is a field at the margin.
    pub fn lines_of(&self, key: &str) -> Option<&str> {
        let field = self.front.field(key)?;
        (!key.contains('.')).then(|| self.slice(&field.block))
    }

    /// The value of a field as it stands, with the comment behind it; `None` where it stands on several lines.
    pub fn raw(&self, key: &str) -> Option<&str> {
        let value = match self.front.field(key) {
            Some(field) => self.value(field),
            None => self.in_mapping(key)?,
        };
        Some(value.trim()).filter(|value| !value.contains('\n'))
    }

    /// The comment behind the value of a field, on its line.
    pub fn remark_of(&self, key: &str) -> Option<&str> {
        let field = self.front.field(key)?;
        let rest = self.slice(&(field.value.end..field.block.end));
        let rest = rest.lines().next()?.trim();
        rest.starts_with('#').then_some(rest)
    }

    /// Lines of the frontmatter that belong to no field that is read: comments, keys in quotes or with blanks in them, and all but the last
    /// of several fields with one name.
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

    /// Line of a field, from 1.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        Some(self.line_at(self.front.field(key)?.block.start))
    }

    /// The sections in their order.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The first section with this heading, whatever its rank; case does not matter.
    pub fn section(&self, title: &str) -> Option<&Section> {
        let same = |section: &&Section| section.title.eq_ignore_ascii_case(title);
        self.sections.iter().find(same)
    }

    /// What stands below the heading, white space around it removed.
    pub fn body(&self, section: &Section) -> &str {
        self.slice(&section.body).trim()
    }

    /// What somebody wrote in the section called `title`; `None` when it is absent, empty, or holds only a placeholder.
    pub fn prose(&self, title: &str) -> Option<&str> {
        let body = self.body(self.section(title)?);
        (!is_placeholder(body)).then_some(body)
    }

    /// What stands between frontmatter and the first heading.
    pub fn front_prose(&self) -> &str {
        let first = self.sections.first();
        let end = first.map_or(self.text.len(), |section| section.heading.start);
        self.slice(&(self.front.end..end)).trim()
    }

    /// A section without the generated part called `name`.
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

    /// What is between the marker lines of the generated part called `name`.
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

/// Nothing, or the one line that the reference writes where somebody is to write something.
pub fn is_placeholder(body: &str) -> bool {
    let body = body.trim();
    body.is_empty() || body == CONNECTIONS_PLACEHOLDER || PLACEHOLDERS.contains(&body)
}

/// White space collapsed, everything on one line, without the signs that a terminal would obey.
pub fn one_line(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(visible).collect();
    words.join(" ")
}

/// A text without the signs that a terminal would obey.
pub fn visible(text: &str) -> String {
    text.chars().filter(|sign| !is_hidden(*sign)).collect()
}

#[cfg(test)]
mod tests;
