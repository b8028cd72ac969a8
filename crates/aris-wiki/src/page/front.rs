//! Finds the fields of a page's frontmatter.
//!
//! This is not a YAML parser: pages are written by the reference, by agents and by people, and a title with a colon in it must not
//! make a page unreadable. Fields are lines `key: value` at the margin, with one level of indented `key: value` lines below. All other
//! lines belong to the field above and are kept.

use std::ops::Range;

use super::lines::lines;
use super::scalar;

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// `title`, or `external_ids.arxiv` for a nested field.
    pub(crate) key: String,
    /// From the start of its line to the end of its last line, including line feeds.
    pub(crate) block: Range<usize>,
    /// The value on its line, without the comment.
    pub(crate) value: Range<usize>,
}

/// The fields and the position of the frontmatter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Front {
    pub(crate) fields: Vec<Field>,
    /// Start of the closing line.
    pub(crate) close: usize,
    /// Start of the text after the frontmatter; 0 if there is no frontmatter.
    pub(crate) end: usize,
}

impl Front {
    /// Finds the frontmatter at the start of `text`; `None` when there is none or it is not closed.
    pub(crate) fn find(text: &str) -> Option<Self> {
        let mut rows = lines(text);
        let (first, _) = rows.next()?;
        let first = text.get(first)?.trim_start_matches('\u{feff}');
        if first.trim_end() != "---" {
            return None;
        }
        let mut front = Self::default();
        let mut parent = String::new();
        // Start of a run of blank lines that may lie inside a block of text.
        let mut blank: Option<usize> = None;
        // End of a bracketed list or mapping that began on an earlier line.
        let mut flow = 0;
        for (content, whole) in rows {
            let line = text.get(content.clone())?;
            if whole.start < flow {
                front.go_on(&parent, whole);
                continue;
            }
            if matches!(line.trim_end(), "---" | "...") {
                front.close = whole.start;
                front.end = whole.end;
                return Some(front);
            }
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            if line.trim().is_empty() {
                blank.get_or_insert(whole.start);
                continue;
            }
            if let Some(start) = blank.take()
                && indent > 0
                && let Some(field) = front.fields.last_mut()
                && field.block.end == start
                && text.get(field.value.clone()).is_some_and(scalar::is_block)
            {
                field.block.end = whole.start;
            }
            match key_of(line.get(indent..)?) {
                Some((key, length)) if indent == 0 || !parent.is_empty() => {
                    let start = content.start + indent + length + 1;
                    let after = text.get(start..content.end)?;
                    let blank = after.len() - after.trim_start().len();
                    let value = after.trim_start();
                    let length = scalar::flow_length(text.get(start + blank..)?);
                    flow = start + blank + length.unwrap_or(0);
                    let value = start + blank..start + blank + scalar::length(value);
                    let key = if indent > 0 {
                        front.grow(&parent, whole.end);
                        format!("{parent}.{key}")
                    } else {
                        // Only a field without a value can have nested fields.
                        let above = if value.is_empty() { key } else { "" };
                        above.clone_into(&mut parent);
                        key.to_owned()
                    };
                    front.fields.push(Field {
                        key,
                        block: whole,
                        value,
                    });
                }
                // Indented lines and list items continue the field. Comments and blank lines at the margin belong to no field.
                _ if indent > 0 || line.starts_with("- ") => front.go_on(&parent, whole),
                _ => {}
            }
        }
        None
    }

    /// Adds a line to the field before it and to the parent of that field.
    fn go_on(&mut self, parent: &str, line: Range<usize>) {
        for field in self.fields.iter_mut().rev().take(2) {
            if field.block.end == line.start {
                field.block.end = line.end;
            }
        }
        self.grow(parent, line.end);
    }

    /// Extends the block of the field called `key` to `end`.
    fn grow(&mut self, key: &str, end: usize) {
        let mut fields = self.fields.iter_mut();
        if let Some(field) = fields.rfind(|field| field.key == key) {
            field.block.end = end;
        }
    }

    /// The field called `key`; of several with this name the last one, as the reference reads it.
    pub(crate) fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().rfind(|field| field.key == key)
    }
}

/// The value of a field outside of frontmatter. Agents write such pages: consecutive lines `key: value`, among them `node_id`, above
/// the first section, possibly as a list or in a code block. Such fields are only read, never written.
pub(crate) fn loose<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bare = |line: &'t str| {
        line.trim_start()
            .trim_start_matches(['-', '*'])
            .trim_start()
    };
    let field = |line: &'t str| {
        let line = bare(line);
        let (name, length) = key_of(line)?;
        let value = line.get(length + 1..)?.trim_start();
        Some((name, value.get(..scalar::length(value))?))
    };
    let above = text.lines().take_while(|line| !line.starts_with("## "));
    let fields: Vec<Option<(&str, &str)>> = above.map(field).collect();
    let mut runs = fields.split(Option::is_none);
    let run = runs.find(|run| run.iter().flatten().any(|(name, _)| *name == "node_id"))?;
    run.iter()
        .flatten()
        .find(|(name, _)| *name == key)
        .map(|(_, value)| *value)
}

/// The key at the start of `line` and its length in bytes as written; a colon and then a space or the line's end must follow.
fn key_of(line: &str) -> Option<(&str, usize)> {
    let (written, after) = line.split_once(':')?;
    let quoted = |sign| written.strip_prefix(sign)?.strip_suffix(sign);
    let key = quoted('"').or_else(|| quoted('\'')).unwrap_or(written);
    let named = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (named && scalar::is_word(key) && (after.is_empty() || after.starts_with([' ', '\t', '\r'])))
        .then_some((key, written.len()))
}
