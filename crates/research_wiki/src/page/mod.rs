//! A page of the wiki: frontmatter, sections, and the parts that a program wrote between markers.
//!
//! A page is its text. Reading finds places in it, writing replaces the bytes of exactly the places that are ours; every other byte
//! stays, whatever a person wrote there. No text is refused: what is no field or section is prose.

mod front;
mod lines;
pub mod scalar;
mod sections;

use std::ops::Range;

use front::Front;
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
    front: Option<Front>,
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
        let front = Front::find(&text);
        let sections = sections::find(&text, front.as_ref().map_or(0, |front| front.end));
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

    /// Whether there is frontmatter.
    pub fn has_front(&self) -> bool {
        self.front.is_some()
    }

    /// All fields of the frontmatter by name, those below another as `external_ids.arxiv`, also where they stand on one line in braces.
    pub fn keys(&self) -> Vec<String> {
        let fields = self.front.iter().flat_map(|front| front.fields.iter());
        let names = fields.flat_map(|field| {
            let below = self.mapping(field).unwrap_or_default();
            let below = below
                .iter()
                .map(|(name, _)| format!("{}.{name}", field.key));
            std::iter::once(field.key.clone())
                .filter(|_| self.mapping(field).is_none())
                .chain(below.collect::<Vec<_>>())
        });
        names.collect()
    }

    /// A field as text; `None` when it is absent, empty or null.
    pub fn scalar(&self, key: &str) -> Option<String> {
        let front = self.front.as_ref()?;
        let Some(field) = front.field(key) else {
            let (parent, child) = key.split_once('.')?;
            let mapping = self.mapping(front.field(parent)?)?;
            let (_, value) = mapping.into_iter().rfind(|(name, _)| *name == child)?;
            return scalar::read(value);
        };
        let value = self.slice(&field.value);
        if scalar::is_block(value) {
            return scalar::block(value, self.below(field));
        }
        scalar::read(value)
    }

    /// The lines below the first one of a field.
    fn below(&self, field: &front::Field) -> &str {
        let all = self.slice(&(field.value.start..field.block.end));
        all.split_once('\n').map_or("", |(_, rest)| rest)
    }

    /// The pairs of a field that is written as a mapping on a line, `{arxiv: 2401.00001, doi: null}`.
    fn mapping(&self, field: &front::Field) -> Option<Vec<(&str, &str)>> {
        scalar::flow_mapping(self.slice(&(field.value.start..field.block.end)))
    }

    /// The lines of a field as they stand, where it is a field at the margin.
    pub fn lines_of(&self, key: &str) -> Option<&str> {
        let field = self.front.as_ref()?.field(key)?;
        (!key.contains('.')).then(|| self.slice(&field.block))
    }

    /// Adds the lines of a field of another page at the end of the frontmatter.
    pub fn add_lines(&mut self, lines: &str) {
        let end = self.line_end();
        let text: String = lines.lines().flat_map(|line| [line, end]).collect();
        let (range, text) = match &self.front {
            None => (0..0, format!("---{end}{text}---{end}")),
            Some(front) => (front.close..front.close, text),
        };
        self.replace(range, &text);
    }

    /// A field as a list: `[a, b]`, `- a` lines, or one value. Empty when it is absent.
    pub fn list(&self, key: &str) -> Vec<String> {
        let Some(field) = self.front.as_ref().and_then(|front| front.field(key)) else {
            return self.scalar(key).into_iter().collect();
        };
        let from_value = self.slice(&(field.value.start..field.block.end));
        if scalar::is_block(self.slice(&field.value)) {
            return self.scalar(key).into_iter().collect();
        }
        if let Some(items) = scalar::flow_list(from_value) {
            return items;
        }
        if let Some(one) = scalar::read(self.slice(&field.value)) {
            return vec![one];
        }
        from_value
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("- "))
            .filter_map(scalar::read)
            .collect()
    }

    /// Line of a field, from 1.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let field = self.front.as_ref()?.field(key)?;
        Some(self.line_at(field.block.start))
    }

    /// Sets a field to `value`, which is written as it is (see [`scalar`]). A comment behind the old value stays.
    ///
    /// A field that is not there goes to the end of the frontmatter, or of the field above it.
    pub fn set(&mut self, key: &str, value: &str) {
        let end = self.line_end();
        if let Some((parent, _)) = key.split_once('.') {
            self.unfold(parent);
        }
        let (range, new) = match &self.front {
            None => (
                0..0,
                format!("---{end}{}---{end}", field_lines(key, value, end)),
            ),
            Some(front) => match (front.field(key), key.split_once('.')) {
                (Some(field), _) => self.replacing(field, value),
                (None, Some((parent, child))) => match front.field(parent) {
                    Some(field) => (
                        field.block.end..field.block.end,
                        format!("  {child}: {value}{end}"),
                    ),
                    None => (front.close..front.close, field_lines(key, value, end)),
                },
                (None, None) => (front.close..front.close, field_lines(key, value, end)),
            },
        };
        self.replace(range, &new);
    }

    /// Writes a mapping that stands on one line as lines below its field, so that one of them can be set.
    fn unfold(&mut self, key: &str) {
        let end = self.line_end();
        let Some(field) = self.front.as_ref().and_then(|front| front.field(key)) else {
            return;
        };
        let Some(pairs) = self.mapping(field) else {
            return;
        };
        let lines = pairs
            .iter()
            .map(|(name, value)| format!("  {name}: {value}{end}"));
        let text = format!("{key}:{end}{}", lines.collect::<String>());
        let block = field.block.clone();
        self.replace(block, &text);
    }

    /// The place of a field's old value, and the new one with a blank before it where needed.
    fn replacing(&self, field: &front::Field, value: &str) -> (Range<usize>, String) {
        let blank = self
            .text
            .get(..field.value.start)
            .is_some_and(|before| before.ends_with([' ', '\t']));
        let value = if blank {
            value.to_owned()
        } else {
            format!(" {value}")
        };
        let first_line = self
            .slice(&(field.value.start..field.block.end))
            .find('\n')
            .map_or(field.block.end, |at| field.value.start + at);
        let more = self.slice(&(first_line..field.block.end)).trim();
        if more.is_empty() {
            return (field.value.clone(), value);
        }
        // A value on several lines goes as a whole; its line feed stays.
        let whole = self.slice(&(field.value.start..field.block.end));
        (
            field.value.start..field.value.start + whole.trim_end().len(),
            value,
        )
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

    /// Writes `text` into a section that is empty; a section that is absent is added at the end of the page.
    pub fn fill(&mut self, title: &str, text: &str) -> Filled {
        let text = text.trim();
        let Some(section) = self.section(title) else {
            let end = self.line_end();
            let before = if self.text.is_empty() || self.text.ends_with(&format!("{end}{end}")) {
                ""
            } else if self.text.ends_with('\n') {
                end
            } else {
                &format!("{end}{end}")
            };
            let new = format!("{before}## {title}{end}{text}{end}");
            self.replace(self.text.len()..self.text.len(), &new);
            return Filled::Written;
        };
        let (body, range) = (self.body(section), section.body.clone());
        if body == text {
            return Filled::Same;
        }
        if !is_placeholder(body) {
            return Filled::Kept;
        }
        self.replace_body(range, text);
        Filled::Written
    }

    /// Writes `text` into a section whatever stands there; a section that is absent is added.
    pub fn overwrite(&mut self, title: &str, text: &str) {
        match self.section(title) {
            Some(section) => {
                let range = section.body.clone();
                self.replace_body(range, text.trim());
            }
            None => {
                self.fill(title, text);
            }
        }
    }

    /// What stands between frontmatter and the first heading.
    pub fn front_prose(&self) -> &str {
        let start = self.front.as_ref().map_or(0, |front| front.end);
        let end = self
            .sections
            .first()
            .map_or(self.text.len(), |section| section.heading.start);
        self.slice(&(start..end)).trim()
    }

    /// A section without the generated part called `name`.
    pub fn without_generated(&self, section: &Section, name: &str) -> String {
        let own = self.body(section);
        match (own.split_once(&begin(name)), own.split_once(&finish(name))) {
            (Some((before, _)), Some((_, after))) => format!("{}{}", before, after.trim_start()),
            _ => own.to_owned(),
        }
    }

    /// Replaces what stands in a section by `text`.
    fn replace_body(&mut self, range: Range<usize>, text: &str) {
        let end = self.line_end();
        let body = self.slice(&range);
        if body.trim().is_empty() {
            let open = self
                .text
                .get(..range.start)
                .is_some_and(|before| !before.ends_with('\n'));
            let new = format!("{}{text}{end}", if open { end } else { "" });
            self.replace(range.start..range.start, &new);
        } else {
            let start = range.start + (body.len() - body.trim_start().len());
            let stop = start + body.trim().len();
            self.replace(start..stop, text);
        }
    }

    /// The generated part called `name`, without its markers; `None` when there is none.
    pub fn generated(&self, name: &str) -> Result<Option<&str>, DamagedMarkers> {
        Ok(self.marked(name)?.map(|inner| self.slice(&inner).trim()))
    }

    /// Writes the generated part called `name` into the section `title`, adding markers and section where they are absent. Everything
    /// else in the section stays. An empty `content` removes nothing and adds nothing but empties a part that is there.
    pub fn set_generated(
        &mut self,
        title: &str,
        name: &str,
        content: &str,
    ) -> Result<(), DamagedMarkers> {
        let end = self.line_end();
        let inside = if content.is_empty() {
            String::new()
        } else {
            format!("{}{end}", content.replace('\n', end))
        };
        if let Some(inner) = self.marked(name)? {
            self.replace(inner, &inside);
            return Ok(());
        }
        if content.is_empty() {
            return Ok(());
        }
        let block = format!("{}{end}{inside}{}", begin(name), finish(name));
        match self.section(title) {
            None => {
                self.fill(title, &block);
            }
            Some(section) if is_placeholder(self.body(section)) => {
                self.replace_body(section.body.clone(), &block);
            }
            Some(section) => {
                let at = section.body.start;
                self.replace(at..at, &format!("{block}{end}{end}"));
            }
        }
        Ok(())
    }

    /// What is between the marker lines of the generated part called `name`.
    fn marked(&self, name: &str) -> Result<Option<Range<usize>>, DamagedMarkers> {
        let from = self.front.as_ref().map_or(0, |front| front.end);
        let rest = self.text.get(from..).unwrap_or_default();
        let (begin, finish) = (begin(name), finish(name));
        let mut start: Option<Range<usize>> = None;
        let mut found = None;
        for (content, whole) in lines::lines(rest) {
            let line = rest.get(content).unwrap_or_default().trim();
            let damaged = || DamagedMarkers {
                line: self.line_at(from + whole.start),
            };
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
            Some(open) => Err(DamagedMarkers {
                line: self.line_at(from + open.start),
            }),
            None => Ok(found),
        }
    }

    /// Replaces the title line (`# …`) when it still says `old`.
    pub fn retitle(&mut self, old: &str, new: &str) {
        let heading = self.sections.iter().find(|section| section.level == 1);
        if let Some(section) = heading.filter(|section| section.title == old.trim()) {
            let range = section.heading.clone();
            self.replace(range, &format!("# {}", one_line(new)));
        }
    }

    /// `\r\n` where the page's first line ends so.
    fn line_end(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
            _ => "\n",
        }
    }

    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn line_at(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        1 + before.bytes().filter(|byte| *byte == b'\n').count()
    }

    fn replace(&mut self, range: Range<usize>, new: &str) {
        if self.slice(&range) == new {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        text.replace_range(range, new);
        *self = Self {
            origin: self.origin.take(),
            ..Self::parse(text)
        };
    }
}

fn field_lines(key: &str, value: &str, end: &str) -> String {
    match key.split_once('.') {
        Some((parent, child)) => format!("{parent}:{end}  {child}: {value}{end}"),
        None => format!("{key}: {value}{end}"),
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

/// White space collapsed, everything on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
