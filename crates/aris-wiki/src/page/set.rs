//! Changes a page: only the bytes of the fields and parts that are set.

use std::ops::Range;

use super::{DamagedMarkers, Field, Filled, Page, begin, finish, is_placeholder, one_line, scalar};

impl Page {
    /// Appends the lines of another page's field to the frontmatter.
    pub fn add_lines(&mut self, lines: &str) {
        let text: String = lines.lines().flat_map(|line| [line, "\n"]).collect();
        let (at, text) = if self.has_front() {
            (self.front.close, text)
        } else {
            (0, format!("---\n{text}---\n"))
        };
        self.replace(at..at, &text);
    }

    /// Sets a field to `value`, which is written without quoting. A comment after the old value stays.
    ///
    /// A new field goes to the end of the frontmatter, a new nested field to the end of its parent.
    pub fn set(&mut self, key: &str, value: &str) {
        let Some((parent, child)) = key.split_once('.') else {
            return match self.front.field(key) {
                Some(field) => self.replace_value(&field.clone(), value),
                None => self.add_lines(&format!("{key}: {value}")),
            };
        };
        self.unfold(parent);
        match (self.front.field(key), self.front.field(parent)) {
            (Some(field), _) => self.replace_value(&field.clone(), value),
            (None, Some(above)) => {
                let end = above.block.end;
                self.replace(end..end, &format!("  {child}: {value}\n"));
            }
            (None, None) => self.add_lines(&format!("{parent}:\n  {child}: {value}")),
        }
    }

    /// Rewrites a mapping on one line as one line per field, so that a field can be set.
    fn unfold(&mut self, key: &str) {
        let Some(field) = self.front.field(key) else {
            return;
        };
        let Some(pairs) = self.mapping(field) else {
            return;
        };
        let lines = pairs
            .iter()
            .map(|(name, value)| format!("  {name}: {value}\n"));
        // Keep the comment after the mapping.
        let whole = self.value(field);
        let after = scalar::flow_length(whole).and_then(|length| whole.get(length..));
        let comment = after.map(str::trim).filter(|text| text.starts_with('#'));
        let comment = comment.map(|text| format!(" {text}")).unwrap_or_default();
        let text = format!("{key}:{comment}\n{}", lines.collect::<String>());
        let block = field.block.clone();
        self.replace(block, &text);
    }

    /// Replaces a field's value by `value`, with a space before it where needed.
    fn replace_value(&mut self, field: &Field, value: &str) {
        let start = field.value.start;
        let has_blank = self.slice(&(0..start)).ends_with([' ', '\t']);
        let blank = if has_blank { "" } else { " " };
        let whole = self.value(field);
        let below = whole.split_once('\n').map_or("", |(_, below)| below);
        let end = if below.trim().is_empty() {
            field.value.end
        } else {
            // A value on several lines is replaced as a whole, except for its last line feed.
            start + whole.trim_end().len()
        };
        self.replace(start..end, &format!("{blank}{value}"));
    }

    /// Adds the missing items to a list.
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

    /// Writes `text` into a section that is empty. An absent section is added at the end of the page.
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
        match self.body(section) {
            body if body == text => Filled::Same,
            body if !is_placeholder(body) => Filled::Kept,
            _ => {
                self.replace_body(section.body.clone(), text);
                Filled::Written
            }
        }
    }

    /// Writes `text` into a section, replacing any text. An absent section is added.
    pub fn overwrite(&mut self, title: &str, text: &str) {
        if let Some(section) = self.section(title) {
            self.replace_body(section.body.clone(), text.trim());
        } else {
            self.fill(title, text);
        }
    }

    /// Replaces the body of a section by `text`.
    fn replace_body(&mut self, range: Range<usize>, text: &str) {
        let body = self.slice(&range);
        if body.trim().is_empty() {
            let open = !self.slice(&(0..range.start)).ends_with('\n');
            let feed = if open { "\n" } else { "" };
            self.replace(range.start..range.start, &format!("{feed}{text}\n"));
        } else {
            let start = range.start + (body.len() - body.trim_start().len());
            let stop = start + body.trim().len();
            self.replace(start..stop, text);
        }
    }

    /// Writes the generated part called `name` into the section `title`; markers and section are added if absent. The rest of the
    /// section stays. An empty `content` empties an existing part and adds none.
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
        if self.fill(title, &block) == Filled::Kept
            && let Some(section) = self.section(title)
        {
            let at = section.body.start;
            self.replace(at..at, &format!("{block}\n\n"));
        }
        Ok(())
    }

    /// Replaces the title line (`# …`) if it is still `old`.
    pub fn retitle(&mut self, old: &str, new: &str) {
        let heading = self.sections.iter().find(|section| section.level == 1);
        if let Some(section) = heading.filter(|section| section.title == old.trim()) {
            let range = section.heading.clone();
            self.replace(range, &format!("# {}", one_line(new)));
        }
    }

    /// `\r\n` if the page's first line ends with it.
    fn line_end(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
            _ => "\n",
        }
    }

    /// `text` with the line ends of this page.
    fn with_line_end(&self, text: &str) -> String {
        text.replace("\r\n", "\n").replace('\n', self.line_end())
    }

    /// This page with the line ends of `other`, so that parts can be compared and copied.
    #[must_use]
    pub fn with_line_ends_of(&self, other: &Self) -> Self {
        Self::parse(other.with_line_end(&self.text))
    }

    /// Replaces `range` by `new`, with the line ends of the page.
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
