//! Reading fields of a data file, each mistake with its line.

use std::collections::BTreeSet;

use aris_yaml::{Node, Text};

/// Why a data file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DataError {
    /// From 1; 0 when there is no place.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl DataError {
    pub(super) fn at(line: u32, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }
}

/// The file as a tree.
pub(super) fn document(text: &str) -> Result<Node, DataError> {
    aris_yaml::read(text)
        .map(Option::unwrap_or_default)
        .map_err(|wrong| DataError::at(wrong.line, wrong.message))
}

/// The entries of a mapping, each key once; null is an empty one.
pub(super) fn entries<'a>(node: &'a Node, what: &str) -> Result<&'a [(Text, Node)], DataError> {
    if !node.is_map() && !node.is_null() {
        return Err(wrong_type(node, what, "a mapping"));
    }
    let mut seen = BTreeSet::new();
    for (key, _) in node.entries() {
        if !seen.insert(key.text.as_str()) {
            let message = format!("{what} has the key `{}` twice", key.text);
            return Err(DataError::at(key.line, message));
        }
    }
    Ok(node.entries())
}

/// The items of a list; null is an empty one.
pub(super) fn items<'a>(node: &'a Node, what: &str) -> Result<&'a [Node], DataError> {
    if node.is_list() || node.is_null() {
        Ok(node.items())
    } else {
        Err(wrong_type(node, what, "a list"))
    }
}

/// A text as written.
pub(super) fn text(node: &Node, what: &str) -> Result<String, DataError> {
    let text = node.text().map(str::to_owned);
    text.ok_or_else(|| wrong_type(node, what, "a text"))
}

/// A list of texts.
pub(super) fn texts<C: FromIterator<String>>(node: &Node, what: &str) -> Result<C, DataError> {
    let part = format!("an item of {what}");
    items(node, what)?
        .iter()
        .map(|item| text(item, &part))
        .collect()
}

/// A truth value.
pub(super) fn truth(node: &Node, what: &str) -> Result<bool, DataError> {
    node.truth()
        .ok_or_else(|| wrong_type(node, what, "true or false"))
}

/// A whole number that is not negative.
pub(super) fn count(node: &Node, what: &str) -> Result<usize, DataError> {
    node.integer()
        .and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| wrong_type(node, what, "a whole number from 0"))
}

fn wrong_type(node: &Node, what: &str, expected: &str) -> DataError {
    let message = format!("{what} is {}, not {expected}", node.noun());
    DataError::at(node.line, message)
}
