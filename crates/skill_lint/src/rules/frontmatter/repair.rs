//! Mechanical repairs of frontmatter. Each is offered only if the repaired text, parsed again, has the intended value.

use std::ops::Range;

use aris_skills::Text;
use aris_skills::frontmatter::{Frontmatter, Style, Value, Yaml};

use super::name;

/// Byte range in [`Text::raw`], and the new text.
pub(super) type Edit = (Range<usize>, String);

/// Keys whose value is text for a reader: brackets there are part of the text.
const TEXT_KEYS: &str = "argument-hint compatibility description license model name when_to_use";

/// The repair of a missing, null or blank `name`: the directory's name, where it is a valid one.
pub(super) fn missing_name(
    text: &Text,
    frontmatter: &Frontmatter,
    directory: &str,
) -> Option<Edit> {
    if name::fault(directory).is_some() {
        return None;
    }
    let mapping = frontmatter.mapping()?;
    let line = format!("name: {directory}");
    let edit = match mapping.entry("name") {
        Some((key, _)) => {
            let start = text.start(key.line);
            (start..start + text.line(key.line).len(), line)
        }
        None if mapping.style == Style::Block => {
            let start = text.start(2);
            (start..start, line + text.line_end(1))
        }
        None => return None,
    };
    let repaired = read_again(text, frontmatter, &edit)?;
    let others = |yaml: &Yaml| {
        let mut rest = yaml.clone();
        if let Value::Map(entries) = &mut rest.value {
            entries.retain(|(key, _)| key.as_str() != Some("name"));
        }
        rest
    };
    let kept = says_same(&others(&repaired), &others(mapping));
    (kept && repaired.get("name")?.as_str() == Some(directory)).then_some(edit)
}

/// The repair of a scalar that should be a string: quotes around the source text.
pub(super) fn quoted_scalar(text: &Text, frontmatter: &Frontmatter, value: &Yaml) -> Option<Edit> {
    let numeric = matches!(value.value, Value::Bool(_) | Value::Int | Value::Float);
    if !numeric || text.raw().get(value.range.clone())? != value.text {
        return None;
    }
    let edit = (value.range.clone(), format!("\"{}\"", value.text));
    let repaired = read_again(text, frontmatter, &edit)?;
    let changed = repaired
        .nodes()
        .into_iter()
        .find(|node| node.range.start == value.range.start && node.style == Style::Quoted)?;
    (changed.as_str() == Some(&value.text)).then_some(edit)
}

/// The repair of an outermost flow collection: quotes where the key takes text, block style elsewhere.
///
/// `None` for empty collections, which have no block style, and where a comment, an anchor or a tag inside would be lost.
pub(super) fn without_flow(
    text: &Text,
    frontmatter: &Frontmatter,
    path: &FlowPlace<'_>,
) -> Option<Edit> {
    let node = path.node;
    let source = text.raw().get(node.range.clone())?;
    let before = frontmatter.mapping()?;
    if let Some(key) = path.key.filter(|key| {
        path.depth == 1 && TEXT_KEYS.split(' ').any(|text| key.as_str() == Some(text))
    }) {
        if source.contains('\n') {
            return None;
        }
        let quoted = serde_json::to_string(source).ok()?;
        let edit = (node.range.clone(), quoted);
        let repaired = read_again(text, frontmatter, &edit)?;
        let written = repaired.get(key.as_str()?)?;
        return (written.as_str() == Some(source)).then_some(edit);
    }
    let mut block = String::new();
    let start = match (path.key, path.in_sequence) {
        (Some(key), _) => {
            let indent = key.col.checked_sub(1)? + 2;
            write_block(text.raw(), node, indent, true, &mut block)?;
            let spaces = text.raw().get(..node.range.start)?;
            spaces.trim_end_matches([' ', '\t']).len()
        }
        (None, true) => {
            let indent = node.col.checked_sub(1)?;
            write_block(text.raw(), node, indent, false, &mut block)?;
            node.range.start
        }
        (None, false) => return None,
    };
    let block = block.replace('\n', text.line_end(1));
    let edit = (start..node.range.end, block);
    let repaired = read_again(text, frontmatter, &edit)?;
    says_same(&repaired, before).then_some(edit)
}

/// An outermost flow collection and its context.
pub(super) struct FlowPlace<'a> {
    /// The collection.
    pub(super) node: &'a Yaml,
    /// The key, when the collection is the value of a block mapping.
    pub(super) key: Option<&'a Yaml>,
    /// Whether it is an item of a block sequence.
    pub(super) in_sequence: bool,
    /// Levels above it: 1 for the value of a top-level key.
    pub(super) depth: usize,
}

/// The outermost flow collections of a document, in document order.
pub(super) fn flow_places(root: &Yaml) -> Vec<FlowPlace<'_>> {
    let place = |node, key, in_sequence, depth| FlowPlace {
        node,
        key,
        in_sequence,
        depth,
    };
    let mut found = Vec::new();
    let mut open = vec![place(root, None, false, 0)];
    while let Some(here) = open.pop() {
        let depth = here.depth + 1;
        match &here.node.value {
            _ if here.node.style == Style::Flow => found.push(here),
            Value::Seq(items) => {
                open.extend(
                    items
                        .iter()
                        .rev()
                        .map(|item| place(item, None, true, depth)),
                );
            }
            Value::Map(entries) => {
                for (key, value) in entries.iter().rev() {
                    open.push(place(value, Some(key), false, depth));
                    open.push(place(key, None, false, depth));
                }
            }
            _ => {}
        }
    }
    found
}

/// Writes a node in block style at an indentation. `own_lines` starts it on a new line.
fn write_block(
    raw: &str,
    node: &Yaml,
    indent: usize,
    own_lines: bool,
    out: &mut String,
) -> Option<()> {
    let begin = |out: &mut String, first: bool| {
        if own_lines || !first {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
        }
    };
    match &node.value {
        Value::Seq(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                begin(out, index == 0);
                out.push_str("- ");
                write_block(raw, item, indent + 2, false, out)?;
            }
        }
        Value::Map(entries) if !entries.is_empty() => {
            for (index, (key, value)) in entries.iter().enumerate() {
                begin(out, index == 0);
                write_scalar(raw, key, out)?;
                out.push(':');
                if matches!(value.value, Value::Seq(_) | Value::Map(_)) {
                    write_block(raw, value, indent + 2, true, out)?;
                } else if !value.range.is_empty() {
                    out.push(' ');
                    write_scalar(raw, value, out)?;
                }
            }
        }
        Value::Seq(_) | Value::Map(_) => return None,
        _ => write_scalar(raw, node, out)?,
    }
    Some(())
}

/// Writes a scalar with its source text; `None` when that needs more than one line.
fn write_scalar(raw: &str, node: &Yaml, out: &mut String) -> Option<()> {
    let source = raw.get(node.range.clone())?;
    if source.contains('\n') || node.style == Style::Plain && source != node.text {
        return None;
    }
    out.push_str(source);
    Some(())
}

/// The mapping of the frontmatter after an edit.
fn read_again(text: &Text, frontmatter: &Frontmatter, (range, new): &Edit) -> Option<Yaml> {
    let raw = text.raw();
    let all = &frontmatter.range;
    if range.start < all.start || range.end > all.end {
        return None;
    }
    let (before, after) = (
        raw.get(all.start..range.start)?,
        raw.get(range.end..all.end)?,
    );
    let source = [before, new, after].concat();
    // A comment inside the range would be lost, and the parser does not report it: refuse the edit.
    let lost = raw.get(range.clone())?;
    if lost.contains(" #") || lost.contains("\t#") || lost.contains("\n#") {
        return None;
    }
    aris_skills::frontmatter::document(&source, 1, all.start).ok()?
}

/// Whether two nodes have the same value, ignoring place and style.
fn says_same(one: &Yaml, other: &Yaml) -> bool {
    match (&one.value, &other.value) {
        (Value::Seq(one), Value::Seq(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| says_same(one, other))
        }
        (Value::Map(one), Value::Map(other)) => {
            let mut pairs = one.iter().zip(other);
            let same = |((a, b), (c, d)): (&(Yaml, Yaml), &(Yaml, Yaml))| {
                says_same(a, c) && says_same(b, d)
            };
            one.len() == other.len() && pairs.all(same)
        }
        (kind, other_kind) => kind.kind() == other_kind.kind() && one.text == other.text,
    }
}
