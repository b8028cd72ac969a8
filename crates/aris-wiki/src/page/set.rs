//! Changing a page: only the bytes that are ours.

use std::ops::Range;

use super::{DamagedMarkers, Filled, Page, begin, finish, front, is_placeholder, one_line, scalar};

impl Page {
    /// Adds the lines of a field of another page at the end of the frontmatter.
    pub fn add_lines(&mut self, lines: &str) {
        let text: String = lines.lines().flat_map(|line| [line, "\n"]).collect();
        let (range, text) = match &self.front {
            None => (0..0, format!("---\n{text}---\n")),
            Some(front) => (front.close..front.close, text),
        };
        self.replace(range, &text);
    }

    /// Sets a field to `value`, which is written as it is. A comment behind the old value stays.
    ///
    /// A field that is not there goes to the end of the frontmatter, or of the field above it.
    pub fn set(&mut self, key: &str, value: &str) {
        if let Some((parent, _)) = key.split_once('.') {
            self.unfold(parent);
        }
        let (range, new) = match &self.front {
            None => (0..0, format!("---\n{}---\n", field_lines(key, value))),
            Some(front) => match (front.field(key), key.split_once('.')) {
                (Some(field), _) => self.replacing(field, value),
                (None, Some((parent, child))) => match front.field(parent) {
                    Some(field) => (
                        field.block.end..field.block.end,
                        format!("  {child}: {value}\n"),
                    ),
                    None => (front.close..front.close, field_lines(key, value)),
                },
                (None, None) => (front.close..front.close, field_lines(key, value)),
            },
        };
        self.replace(range, &new);
    }

    /// Writes a mapping that stands on one line as lines below its field, so that one of them can be set.
    fn unfold(&mut self, key: &str) {
        let Some(field) = self.front.as_ref().and_then(|front| front.field(key)) else {
            return;
        };
        let Some(pairs) = self.mapping(field) else {
            return;
        };
        let lines = pairs
            .iter()
            .map(|(name, value)| format!("  {name}: {value}\n"));
        // A comment behind it stays.
        let whole = self.slice(&(field.value.start..field.block.end));
        let after = scalar::flow_length(whole).and_then(|length| whole.get(length..));
        let comment = after.map(str::trim).filter(|text| text.starts_with('#'));
        let comment = comment.map(|text| format!(" {text}")).unwrap_or_default();
        let text = format!("{key}:{comment}\n{}", lines.collect::<String>());
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

    /// Adds to a list the items that it does not have.
    pub fn add_items<T: AsRef<str>>(&mut self, key: &str, items: impl IntoIterator<Item = T>) {
        let mut all = self.list(key);
        let before = all.len();
        for item in items {
            let item = item.as_ref();
            if !all.iter().any(|known| known == item) {
                all.push(item.to_owned());
            }
        }
        if all.len() > before {
            self.set(key, &scalar::list(&all));
        }
    }

    /// Writes `text` into a section that is empty; a section that is absent is added at the end of the page.
    pub fn fill(&mut self, title: &str, text: &str) -> Filled {
        let text = &self.with_line_end(text.trim());
        let Some(section) = self.section(title) else {
            let end = self.line_end();
            let before = if self.text.is_empty() || self.text.ends_with(&format!("{end}{end}")) {
                ""
            } else if self.text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            let new = format!("{before}## {title}\n{text}\n");
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

    /// Replaces what stands in a section by `text`.
    fn replace_body(&mut self, range: Range<usize>, text: &str) {
        let body = self.slice(&range);
        if body.trim().is_empty() {
            let open = self
                .text
                .get(..range.start)
                .is_some_and(|before| !before.ends_with('\n'));
            let new = format!("{}{text}\n", if open { "\n" } else { "" });
            self.replace(range.start..range.start, &new);
        } else {
            let start = range.start + (body.len() - body.trim_start().len());
            let stop = start + body.trim().len();
            self.replace(start..stop, text);
        }
    }

    /// Writes the generated part called `name` into the section `title`, adding markers and section where they are absent. Everything
    /// else in the section stays. An empty `content` removes nothing and adds nothing but empties a part that is there.
    pub fn set_generated(
        &mut self,
        title: &str,
        name: &str,
        content: &str,
    ) -> Result<(), DamagedMarkers> {
        let inside = if content.is_empty() {
            String::new()
        } else {
            format!("{content}\n")
        };
        if let Some(inner) = self.marked(name)? {
            self.replace(inner, &inside);
            return Ok(());
        }
        if content.is_empty() {
            return Ok(());
        }
        let block = format!("{}\n{inside}{}", begin(name), finish(name));
        match self.section(title) {
            None => {
                self.fill(title, &block);
            }
            Some(section) if is_placeholder(self.body(section)) => {
                self.replace_body(section.body.clone(), &block);
            }
            Some(section) => {
                let at = section.body.start;
                self.replace(at..at, &format!("{block}\n\n"));
            }
        }
        Ok(())
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

    /// A text with the line ends of this page.
    fn with_line_end(&self, text: &str) -> String {
        text.replace("\r\n", "\n").replace('\n', self.line_end())
    }

    /// This page with the line ends of another one, for comparing and taking parts of it.
    #[must_use]
    pub fn with_line_ends_of(&self, other: &Self) -> Self {
        Self::parse(other.with_line_end(&self.text))
    }

    /// Puts `new` in the place of `range`, with the line ends of the page.
    fn replace(&mut self, range: Range<usize>, new: &str) {
        let new = self.with_line_end(new);
        if self.slice(&range) == new {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        text.replace_range(range, &new);
        *self = Self {
            origin: self.origin.take(),
            ..Self::parse(text)
        };
    }
}

fn field_lines(key: &str, value: &str) -> String {
    match key.split_once('.') {
        Some((parent, child)) => format!("{parent}:\n  {child}: {value}\n"),
        None => format!("{key}: {value}\n"),
    }
}
