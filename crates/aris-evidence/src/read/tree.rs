//! JSON lists of objects and JSON Lines as rows; other JSON, YAML and TOML as one row with a document.

use std::collections::{BTreeMap, BTreeSet};

use aris_yaml::{JsonReader, Node, Text, Value};
use toml_edit::Document;

use super::cell::{Cell, after, is_long, text_of};
use super::{Each, Layout, check_columns};
use crate::QueryError;
use crate::settings::{Format, VALUE_BYTES};

/// The column that holds a whole file.
const DOCUMENT: &str = "doc";

/// The columns of a file of JSON, JSON Lines, YAML or TOML. **Errors**: syntax errors in the part that must be read for that; two
/// keys that are one name in SQL.
pub(crate) fn layout(format: Format, bytes: &[u8]) -> Result<Layout, QueryError> {
    let text = text_of(bytes)?;
    let mut columns = Columns::default();
    let rows = match format {
        Format::JsonLines => {
            objects(text, |node| {
                columns.add(&node);
                Ok(())
            })?;
            true
        }
        Format::Json => {
            let mut reader = JsonReader::new(text, 1);
            let mut rows = reader.enter_list()?;
            while rows && let Some(node) = reader.item()? {
                rows = node.is_map();
                columns.add(&node);
            }
            rows
        }
        _ => false,
    };
    let columns = if rows {
        columns.names
    } else {
        vec![DOCUMENT.to_owned()]
    };
    check_columns(&columns)?;
    Ok(Layout {
        format,
        separator: 0,
        columns,
        document: !rows,
    })
}

/// Passes the rows of such a file to `each`, with the columns whose indexes are in `wanted`.
pub(crate) fn rows(
    layout: &Layout,
    bytes: &[u8],
    wanted: &[usize],
    each: Each<'_>,
) -> Result<(), QueryError> {
    let text = text_of(bytes)?;
    if layout.document {
        let (mut json, mut root) = (String::new(), tree(layout.format, text)?);
        keep_long(&mut root);
        root.write_json(&mut json);
        if json.len() > VALUE_BYTES {
            let message = format!(
                "the file is one value of more than {VALUE_BYTES} bytes; make it a list of objects, or JSON Lines"
            );
            return Err(QueryError::too_large(message));
        }
        return each(1, &vec![Cell::Text(json.as_str().into()); wanted.len()]);
    }
    let names = wanted.iter().enumerate();
    let names = names.filter_map(|(at, column)| Some((layout.columns.get(*column)?.as_str(), at)));
    let names: BTreeMap<&str, usize> = names.collect();
    let row = |mut node: Node| {
        keep_long(&mut node);
        let mut cells = vec![Cell::Null; wanted.len()];
        for (key, value) in node.entries() {
            let place = names.get(key.text.as_str());
            if let Some(cell) = place.and_then(|at| cells.get_mut(*at)) {
                *cell = Cell::of_node(value);
            }
        }
        each(node.line, &cells)
    };
    objects_of(layout.format, text, row)
}

/// Makes texts of the whole numbers that an `i64` cannot hold, as in CSV.
fn keep_long(node: &mut Node) {
    match &mut node.value {
        Value::Scalar { text, plain } => *plain &= !is_long(text),
        Value::List(items) => items.iter_mut().for_each(keep_long),
        Value::Map(entries) => entries.iter_mut().for_each(|(_, node)| keep_long(node)),
    }
}

/// The tree of one document. **Errors**: wrong syntax, or a repeated key.
pub(crate) fn tree(format: Format, text: &str) -> Result<Node, QueryError> {
    match format {
        Format::Yaml => {
            let node = aris_yaml::read(text)?.unwrap_or_default();
            node.check_keys()?;
            Ok(node)
        }
        Format::Toml => toml(text),
        _ => Ok(aris_yaml::read_json(text)?),
    }
}

fn objects_of(
    format: Format,
    text: &str,
    mut each: impl FnMut(Node) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    if format == Format::JsonLines {
        return objects(text, each);
    }
    let mut reader = JsonReader::new(text, 1);
    reader.enter_list()?;
    while let Some(node) = reader.item()? {
        each(node)?;
    }
    Ok(reader.end()?)
}

/// The objects of JSON Lines. **Errors**: a line with something else.
fn objects(
    text: &str,
    mut each: impl FnMut(Node) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    let mut line = 0;
    for written in text.lines() {
        line += 1;
        if written.trim().is_empty() {
            continue;
        }
        let mut reader = JsonReader::new(written, line);
        let node = reader.value()?;
        reader.end()?;
        if !node.is_map() {
            let noun = node.noun();
            let message = format!("{noun} where JSON Lines have an object in each line");
            return Err(QueryError::malformed(message).at(line, node.column));
        }
        each(node)?;
    }
    Ok(())
}

/// The keys of many objects, in the order of their first use.
#[derive(Default)]
struct Columns {
    names: Vec<String>,
    known: BTreeSet<String>,
}

impl Columns {
    fn add(&mut self, node: &Node) {
        for (key, _) in node.entries() {
            if !self.known.contains(&key.text) {
                self.known.insert(key.text.clone());
                self.names.push(key.text.clone());
            }
        }
    }
}

/// TOML as the same tree as the other formats, so that all are written as JSON in one way. Its nodes have no lines and columns.
fn toml(text: &str) -> Result<Node, QueryError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let (line, column) = after(text.get(..at).unwrap_or_default());
        QueryError::malformed(error.message().replace('\n', ", ")).at(line, column)
    })?;
    // All forms of tables become inline tables.
    let value = document.as_item().clone().into_value();
    Ok(value.map(|value| node(&value)).unwrap_or_default())
}

fn node(value: &toml_edit::Value) -> Node {
    let scalar = |text: String, plain| Value::Scalar { text, plain };
    let value = match value {
        toml_edit::Value::String(text) => scalar(text.value().clone(), false),
        toml_edit::Value::Integer(number) => scalar(number.value().to_string(), true),
        toml_edit::Value::Float(number) => scalar(format!("{:?}", number.value()), true),
        toml_edit::Value::Boolean(truth) => scalar(truth.value().to_string(), true),
        toml_edit::Value::Datetime(date) => scalar(date.value().to_string(), false),
        toml_edit::Value::Array(items) => Value::List(items.iter().map(node).collect()),
        toml_edit::Value::InlineTable(table) => {
            let key = |key: &str| Text {
                text: key.to_owned(),
                line: 0,
                column: 0,
            };
            let entries = table.iter().map(|(name, value)| (key(name), node(value)));
            Value::Map(entries.collect())
        }
    };
    Node {
        line: 0,
        column: 0,
        value,
    }
}
