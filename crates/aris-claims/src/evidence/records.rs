//! Records: the rows of CSV, JSONL and lists of maps, and what their columns are for.

use std::collections::BTreeSet;

use super::json;
use super::names;
use super::tree::{Malformed, Node, Value};
use crate::decimal::Decimal;

/// One JSON document per line; blank lines are skipped.
pub(crate) fn json_lines(text: &str) -> Result<Vec<Node>, Malformed> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        rows.push(json::read(line, u32::try_from(index + 1).unwrap_or(u32::MAX))?);
    }
    Ok(rows)
}

/// What a column of records is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Text that says what the record is about.
    Label,
    /// Seed, run, fold.
    Replicate,
    /// Epoch, step, iteration.
    Progress,
    /// A number that is varied: threads, batch size of a sweep.
    Axis,
    /// Anything else.
    Value,
    /// Neither a number nor a usable label: dates, hashes, paths, long text.
    Ignored,
}

/// The role of one column, from its name and all its fields; `before_values` says that no measured column precedes it.
pub(crate) fn role(name: &str, fields: &[&str], before_values: bool) -> Role {
    if names::is_replicate_key(name) {
        return Role::Replicate;
    }
    let filled: Vec<&str> = fields.iter().copied().filter(|field| !field.is_empty()).collect();
    let numbers: Vec<Decimal> = filled.iter().filter_map(|field| Decimal::parse(field)).collect();
    if names::is_progress_key(name) && !numbers.is_empty() {
        return Role::Progress;
    }
    if numbers.len() * 2 < filled.len() {
        let measured = filled.iter().filter(|field| names::measured_text(field).is_some()).count();
        if measured * 2 >= filled.len() {
            return Role::Value;
        }
        return if names::is_label_key(name) && filled.iter().any(|field| names::is_label_text(field)) {
            Role::Label
        } else {
            Role::Ignored
        };
    }
    if filled.is_empty() {
        return Role::Ignored;
    }
    let distinct: BTreeSet<&str> = filled.iter().copied().collect();
    let integers = numbers.iter().all(|number| number.is_integer());
    if names::is_axis_key(name) && distinct.len() > 1 {
        return Role::Axis;
    }
    // A leading column of different whole numbers enumerates the records.
    if before_values && integers && fields.len() > 1 && distinct.len() == filled.len() && !names::is_measure_key(name) {
        return Role::Axis;
    }
    Role::Value
}

/// The scalar text of a node, quotes removed; `None` for collections.
pub(crate) fn scalar(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Plain(text) | Value::Text(text) => Some(text),
        Value::Map(_) | Value::List(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_get_their_roles() {
        for (name, fields, first, expected) in [
            ("method", vec!["ours", "base"], true, Role::Label),
            ("seed", vec!["0", "1"], true, Role::Replicate),
            ("epoch", vec!["1", "2"], true, Role::Progress),
            ("threads", vec!["1", "8"], true, Role::Axis),
            ("nodes", vec!["4", "8"], false, Role::Axis),
            ("acc", vec!["84.1", "83.2"], true, Role::Value),
            ("count", vec!["84", "83"], false, Role::Value),
            ("date", vec!["2024-01-02", "2024-01-03"], false, Role::Ignored),
            ("latency", vec!["12 ms", "13 ms"], false, Role::Value),
        ] {
            assert_eq!(role(name, &fields, first), expected, "{name}");
        }
    }
}
