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
        rows.push(json::read(
            line,
            u32::try_from(index + 1).unwrap_or(u32::MAX),
        )?);
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

/// The role of one column, from its name and all its fields.
pub(crate) fn role(name: &str, fields: &[&str]) -> Role {
    let filled: Vec<&str> = fields
        .iter()
        .copied()
        .filter(|field| !field.is_empty())
        .collect();
    if names::is_replicate_key(name) {
        // Names that never repeat (one row per annotator) are what the rows are about.
        let different: BTreeSet<&str> = filled.iter().copied().collect();
        let named = filled.iter().all(|field| Decimal::parse(field).is_none());
        return if named && different.len() == filled.len() && filled.len() > 1 {
            Role::Label
        } else {
            Role::Replicate
        };
    }
    let numbers: Vec<Decimal> = filled
        .iter()
        .filter_map(|field| Decimal::parse(field))
        .collect();
    // The same number of steps in every record is a result of the run, not its progress.
    let steps: BTreeSet<&str> = filled.iter().copied().collect();
    if names::is_progress_key(name) && !numbers.is_empty() && (steps.len() > 1 || filled.len() == 1)
    {
        return Role::Progress;
    }
    if numbers.len() * 2 < filled.len() {
        let measured = filled
            .iter()
            .filter(|field| names::measured_text(field).is_some())
            .count();
        if measured * 2 >= filled.len() {
            return Role::Value;
        }
        return if names::is_label_key(name)
            && filled.iter().any(|field| names::is_label_text(field))
        {
            Role::Label
        } else {
            Role::Ignored
        };
    }
    if filled.is_empty() {
        return Role::Ignored;
    }
    let distinct: BTreeSet<&str> = filled.iter().copied().collect();
    if names::is_axis_key(name) && distinct.len() > 1 {
        return Role::Axis;
    }
    Role::Value
}

/// Takes a column with the name of an axis for a measurement when it changes with the repetition, as no setting does: a
/// `miss_rate` of every seed, where label, seed and the like already tell the records apart.
fn measured_after_all(columns: &mut [(String, Role, Vec<String>)]) {
    if !columns.iter().any(|(_, role, _)| *role == Role::Replicate) {
        return;
    }
    for at in 0..columns.len() {
        let Some((_, Role::Axis, fields)) = columns.get(at) else {
            continue;
        };
        let distinct: BTreeSet<&str> = fields.iter().map(String::as_str).collect();
        let broken = fields
            .iter()
            .any(|field| Decimal::parse(field).is_some_and(|value| !value.is_integer()));
        if !broken || distinct.len() * 2 <= fields.len() {
            continue;
        }
        let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
        let apart = (0..fields.len()).all(|row| {
            let others = columns
                .iter()
                .enumerate()
                .filter(|(other, (_, role, _))| {
                    *other != at
                        && matches!(
                            role,
                            Role::Label | Role::Replicate | Role::Progress | Role::Axis
                        )
                })
                .map(|(_, (_, _, fields))| fields.get(row).map_or("", String::as_str));
            seen.insert(others.collect())
        });
        if apart && let Some((_, role, _)) = columns.get_mut(at) {
            *role = Role::Value;
        }
    }
}

/// Finds the column that tells records apart when labels, replicates and axes do not: the first one of whole numbers (or
/// with the name of an axis) that does. Without it the records would look like repeated runs.
pub(crate) fn separate(columns: &mut [(String, Role, Vec<String>)]) {
    measured_after_all(columns);
    let rows = columns
        .iter()
        .map(|(_, _, fields)| fields.len())
        .max()
        .unwrap_or(0);
    let unique = |columns: &[(String, Role, Vec<String>)], extra: Option<usize>| {
        let mut seen: BTreeSet<Vec<&str>> = BTreeSet::new();
        (0..rows).all(|row| {
            let key: Vec<&str> = columns
                .iter()
                .enumerate()
                .filter(|(at, (_, role, _))| {
                    extra == Some(*at)
                        || matches!(
                            role,
                            Role::Label | Role::Replicate | Role::Progress | Role::Axis
                        )
                })
                .map(|(_, (_, _, fields))| fields.get(row).map_or("", String::as_str))
                .collect();
            !key.is_empty() && seen.insert(key)
        })
    };
    if rows < 2 || unique(columns, None) {
        return;
    }
    let found = (0..columns.len()).find(|at| {
        let Some((name, role, fields)) = columns.get(*at) else {
            return false;
        };
        let whole = fields.iter().all(|field| {
            field.is_empty() || Decimal::parse(field).is_some_and(Decimal::is_integer)
        });
        *role == Role::Value && (whole || names::is_axis_key(name)) && unique(columns, Some(*at))
    });
    if let Some((_, role, _)) = found.and_then(|at| columns.get_mut(at)) {
        *role = Role::Axis;
    }
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
    fn what_changes_with_the_repetition_is_measured() {
        let column = |name: &str, role: Role, fields: &[&str]| {
            let fields = fields.iter().map(|field| (*field).to_owned()).collect();
            (name.to_owned(), role, fields)
        };
        let seeds = ["0", "1", "0", "1"];
        for (rates, expected) in [
            // Every run has its own.
            (["7.1", "7.3", "2.4", "2.2"], Role::Value),
            // The same for all runs of a row: it was set.
            (["0.1", "0.1", "0.2", "0.2"], Role::Axis),
            (["1", "2", "3", "4"], Role::Axis),
        ] {
            let mut columns = [
                column("system", Role::Label, &["a", "a", "b", "b"]),
                column("seed", Role::Replicate, &seeds),
                column("failure_rate", Role::Axis, &rates),
            ];
            separate(&mut columns);
            assert_eq!(columns[2].1, expected, "{rates:?}");
        }
        // Without it two records are the same.
        let mut columns = [
            column("seed", Role::Replicate, &["0", "0", "1", "1"]),
            column("rate", Role::Axis, &["0.1", "0.2", "0.3", "0.4"]),
        ];
        separate(&mut columns);
        assert_eq!(columns[1].1, Role::Axis);
    }

    #[test]
    fn columns_get_their_roles() {
        for (name, fields, expected) in [
            ("method", vec!["ours", "base"], Role::Label),
            ("seed", vec!["0", "1"], Role::Replicate),
            ("epoch", vec!["1", "2"], Role::Progress),
            ("threads", vec!["1", "8"], Role::Axis),
            ("nodes", vec!["4", "8"], Role::Axis),
            ("acc", vec!["84.1", "83.2"], Role::Value),
            ("count", vec!["84", "83"], Role::Value),
            ("date", vec!["2024-01-02", "2024-01-03"], Role::Ignored),
            ("latency", vec!["12 ms", "13 ms"], Role::Value),
        ] {
            assert_eq!(role(name, &fields), expected, "{name}");
        }
    }
}
