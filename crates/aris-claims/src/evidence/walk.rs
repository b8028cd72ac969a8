//! From trees and records to values with labels.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::csv::Record;
use super::names;
use super::records::{Role, role, scalar, separate};
use super::tree::{Node, Value};
use super::{Leaf, Unusable};
use crate::decimal::Decimal;
use crate::units::{self, Unit};
use crate::words;

/// Where a label comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SlotKind {
    /// Directory or file name.
    Path,
    /// Key or column head; the last one of a value says what is measured.
    Key,
    /// Text of a record's column or of a sibling key.
    Column,
    /// A number that is varied.
    Axis,
}

/// One label of a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) kind: SlotKind,
    /// Name of the column or parent key; empty for paths and keys.
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

/// What is known on the way down to a value.
#[derive(Debug, Clone)]
struct Trail {
    slots: Vec<Slot>,
    replicate: String,
    progress: Option<Decimal>,
    pointer: String,
    unit: Option<Unit>,
    config: bool,
    axis: bool,
}

/// Receives the values of one file.
pub(crate) struct Sink<'n> {
    file: u32,
    path: String,
    root: Trail,
    leaves: Vec<Leaf>,
    unusable: Vec<Unusable>,
    names: BTreeMap<String, Arc<str>>,
    keys: BTreeMap<String, Arc<Key>>,
    /// Further names of repetitions, in lower case.
    repeated_by: &'n BTreeSet<String>,
    /// Names of repetitions that were seen, in lower case.
    repetitions: BTreeSet<String>,
}

/// A key: its label, its replicate part, its unit.
struct Key {
    slot: Option<Slot>,
    replicate: String,
    unit: Option<Unit>,
}

impl<'n> Sink<'n> {
    pub(crate) fn new(file: u32, path: &str, repeated_by: &'n BTreeSet<String>) -> Self {
        let mut sink = Self {
            file,
            path: path.to_owned(),
            root: Trail {
                slots: Vec::new(),
                replicate: String::new(),
                progress: None,
                pointer: String::new(),
                unit: None,
                config: false,
                axis: false,
            },
            leaves: Vec::new(),
            unusable: Vec::new(),
            names: BTreeMap::new(),
            keys: BTreeMap::new(),
            repeated_by,
            repetitions: BTreeSet::new(),
        };
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let mut trail = sink.root.clone();
        for component in stem
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
        {
            let (label, replicate) = names::split_replicate(component);
            if !replicate.is_empty() {
                join(&mut trail.replicate, &replicate);
                let noun = replicate.trim_end_matches(|c: char| !c.is_alphabetic());
                if !noun.is_empty() {
                    sink.repetitions.insert(noun.to_lowercase());
                }
            }
            if !label.is_empty() {
                trail.config |= names::is_config_name(&label);
                let text = sink.intern(&label);
                trail.slots.push(Slot {
                    kind: SlotKind::Path,
                    name: Arc::from(""),
                    text,
                });
            }
        }
        sink.root = trail;
        sink
    }

    pub(crate) fn finish(self) -> (Vec<Leaf>, Vec<Unusable>, BTreeSet<String>) {
        (self.leaves, self.unusable, self.repetitions)
    }

    /// Whether a column or key tells repetitions apart.
    fn is_replicate(&self, name: &str) -> bool {
        names::is_replicate_key(name) || self.repeated_by.contains(&name.to_lowercase())
    }

    /// A JSON or YAML document.
    pub(crate) fn tree(&mut self, node: &Node) {
        let trail = self.root.clone();
        self.node(node, &trail, "");
    }

    /// The lines of a JSONL file.
    pub(crate) fn list(&mut self, rows: &[Node]) {
        let trail = self.root.clone();
        self.records(rows, &trail, &|_, node| format!("line={}", node.line), true);
    }

    /// The records of a CSV or TSV file; the first one holds the heads.
    pub(crate) fn csv(&mut self, records: &[Record]) {
        let Some((head, body)) = records.split_first() else {
            return;
        };
        let no_head = head
            .fields
            .iter()
            .all(|field| Decimal::parse(field).is_some());
        let (head_fields, body) = if no_head {
            (
                (1..=head.fields.len())
                    .map(|at| format!("col{at}"))
                    .collect(),
                records,
            )
        } else {
            (head.fields.clone(), body)
        };
        let column = |at: usize| -> Vec<&str> {
            body.iter()
                .map(|record| record.fields.get(at).map_or("", String::as_str))
                .collect()
        };
        let mut columns = Vec::new();
        for (at, name) in head_fields.iter().enumerate() {
            let fields = column(at);
            let mut found = if self.repeated_by.contains(&name.to_lowercase()) {
                Role::Replicate
            } else {
                role(name, &fields)
            };
            // A first column without a head names the rows.
            if at == 0 && name.is_empty() && found == Role::Ignored {
                found = Role::Label;
            }
            columns.push((
                name.clone(),
                found,
                fields.into_iter().map(str::to_owned).collect(),
            ));
        }
        separate(&mut columns);
        let roles: Vec<Role> = columns.into_iter().map(|(_, role, _)| role).collect();
        for (index, record) in body.iter().enumerate() {
            let mut trail = self.root.clone();
            for ((name, role), field) in head_fields.iter().zip(&roles).zip(&record.fields) {
                self.apply(&mut trail, *role, name, field);
            }
            for ((name, role), field) in head_fields.iter().zip(&roles).zip(&record.fields) {
                if matches!(role, Role::Label | Role::Ignored | Role::Replicate) || field.is_empty()
                {
                    continue;
                }
                let mut own = trail.clone();
                own.pointer = format!("row={},col={name}", index + 1);
                own.axis = matches!(role, Role::Axis | Role::Progress);
                if *role == Role::Axis {
                    own.slots.retain(|slot| *slot.name != **name);
                }
                let node = Node {
                    line: record.line,
                    value: Value::Plain(field.clone()),
                };
                self.keyed(&node, &own, name, true);
            }
        }
    }

    fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = Arc::from(text);
        self.names.insert(text.to_owned(), Arc::clone(&shared));
        shared
    }

    fn slot(&mut self, kind: SlotKind, name: &str, text: &str) -> Slot {
        Slot {
            kind,
            name: self.intern(name),
            text: self.intern(text),
        }
    }

    /// What a field of a record says about the other fields.
    fn apply(&mut self, trail: &mut Trail, role: Role, name: &str, field: &str) {
        match role {
            Role::Label if names::is_label_text(field) => {
                let slot = self.slot(SlotKind::Column, name, field);
                trail.slots.push(slot);
            }
            Role::Replicate if !field.is_empty() => {
                self.repetitions.insert(name.to_lowercase());
                let part = format!("{}{field}", name.to_lowercase());
                join(&mut trail.replicate, &part);
            }
            Role::Progress => trail.progress = Decimal::parse(field).or(trail.progress),
            Role::Axis if !field.is_empty() => {
                let slot = self.slot(SlotKind::Axis, name, field);
                trail.slots.push(slot);
            }
            // A long table: one value to a record, and its unit beside it.
            Role::Ignored if matches!(name.to_lowercase().as_str(), "unit" | "units") => {
                trail.unit = units::from_word(field);
            }
            _ => {}
        }
    }

    fn node(&mut self, node: &Node, trail: &Trail, parent: &str) {
        match &node.value {
            Value::Map(entries) => self.map(entries, trail, parent),
            Value::List(items) => self.items(node, items, trail, parent),
            Value::Plain(_) | Value::Text(_) => self.scalar(node, trail),
        }
    }

    fn map(&mut self, entries: &[(String, Node)], trail: &Trail, parent: &str) {
        let mut trail = trail.clone();
        for (key, node) in entries {
            let Some(text) = scalar(node) else { continue };
            let number = Decimal::parse(text).is_some();
            if self.is_replicate(key)
                && !matches!(
                    key.as_str(),
                    "seeds" | "runs" | "folds" | "trials" | "repeats"
                )
            {
                // A configuration's seed is a setting; a result's seed tells replicates apart.
                if !trail.config && !text.is_empty() {
                    let part = format!("{}{text}", key.to_lowercase());
                    self.repetitions.insert(key.to_lowercase());
                    join(&mut trail.replicate, &part);
                }
            } else if matches!(key.as_str(), "unit" | "units") {
                trail.unit = units::from_word(text);
            } else if !number
                && is_text(node)
                && names::is_label_key(key)
                && names::is_label_text(text)
            {
                let names_subject = [
                    "method",
                    "dataset",
                    "task",
                    "split",
                    "variant",
                    "algorithm",
                    "system",
                    "benchmark",
                ]
                .iter()
                .any(|known| words::compact(key).contains(known));
                if !trail.config || names_subject {
                    let slot = self.slot(SlotKind::Column, key, text);
                    trail.slots.push(slot);
                }
            }
        }
        let numbered =
            entries.len() > 1 && entries.iter().all(|(key, _)| Decimal::parse(key).is_some());
        for (key, node) in entries {
            if !trail.config && scalar(node).is_some() && self.is_replicate(key) {
                continue;
            }
            let mut own = trail.clone();
            own.pointer = format!(
                "{}/{}",
                trail.pointer,
                key.replace('~', "~0").replace('/', "~1")
            );
            if names::groups_replicates(parent) {
                self.repetitions
                    .extend(parent.split(['_', '-', ' ']).nth(1).map(str::to_lowercase));
                join(&mut own.replicate, &format!("{parent}{key}"));
                self.node(node, &own, key);
            } else if numbered {
                if names::is_replicate_key(parent) || parent.is_empty() {
                    let part = format!("{parent}{key}");
                    join(&mut own.replicate, &part);
                } else {
                    let slot = self.slot(SlotKind::Axis, parent, key);
                    own.slots.push(slot);
                }
                self.node(node, &own, key);
            } else {
                self.keyed(node, &own, key, false);
            }
        }
    }

    /// A node under a key: the key becomes a label, its replicate part does not.
    fn keyed(&mut self, node: &Node, trail: &Trail, key: &str, column: bool) {
        let mut own = trail.clone();
        let known = self.key(key);
        if !known.replicate.is_empty() {
            join(&mut own.replicate, &known.replicate);
        }
        // What is measured is named by the key above.
        if !(names::groups_replicates(key) && matches!(node.value, Value::Map(_))) {
            own.slots.extend(known.slot.clone());
        }
        if !column && matches!(node.value, Value::Map(_)) && names::is_config_name(key) {
            own.config = true;
        }
        own.unit = known.unit.or(own.unit);
        self.node(node, &own, key);
    }

    /// What a key says, worked out once for all its values.
    fn key(&mut self, key: &str) -> Arc<Key> {
        if let Some(known) = self.keys.get(key) {
            return Arc::clone(known);
        }
        let (label, replicate) = names::split_replicate(key);
        let bare_digits =
            !replicate.is_empty() && label.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
        let words = words::words(key);
        let plain: Vec<&str> = words.iter().map(|word| word.raw.as_str()).collect();
        let unit = units::from_key(&plain).map(|(unit, _)| unit);
        let known = if replicate.is_empty() || bare_digits {
            Key {
                slot: Some(self.slot(SlotKind::Key, "", key)),
                replicate: String::new(),
                unit,
            }
        } else {
            let slot = (!label.is_empty()).then(|| self.slot(SlotKind::Key, "", &label));
            Key {
                slot,
                replicate,
                unit,
            }
        };
        let known = Arc::new(known);
        self.keys.insert(key.to_owned(), Arc::clone(&known));
        known
    }

    fn items(&mut self, node: &Node, items: &[Node], trail: &Trail, key: &str) {
        let maps = items
            .iter()
            .filter(|item| matches!(item.value, Value::Map(_)))
            .count();
        if !items.is_empty() {
            self.push_count(node.line, items.len(), trail);
        }
        if maps > 0 && maps == items.len() {
            self.records(
                items,
                trail,
                &|row, _| format!("{}/{row}", trail.pointer),
                false,
            );
            return;
        }
        if names::is_replicate_key(key) && items.iter().all(|item| scalar(item).is_some()) {
            return;
        }
        // Repeated measurements and short lists of runs are replicates; long ones are histories.
        let per_run = items.len() <= 20
            || names::is_replicate_key(key)
            || key.to_lowercase().contains("seed");
        for (index, item) in items.iter().enumerate() {
            let mut own = trail.clone();
            own.pointer = format!("{}/{index}", trail.pointer);
            if per_run {
                join(&mut own.replicate, &format!("#{index}"));
            } else {
                own.progress = Some(Decimal::from_count(index));
            }
            self.node(item, &own, key);
        }
    }

    /// A list of maps: columns get roles over all records.
    fn records(
        &mut self,
        rows: &[Node],
        trail: &Trail,
        pointer: &dyn Fn(usize, &Node) -> String,
        lines: bool,
    ) {
        let mut order: Vec<&str> = Vec::new();
        let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in rows {
            let Value::Map(entries) = &row.value else {
                continue;
            };
            for (key, node) in entries {
                if let Some(text) = scalar(node) {
                    let column = columns.entry(key).or_insert_with(|| {
                        order.push(key);
                        Vec::new()
                    });
                    column.push(text);
                }
            }
        }
        let mut table = Vec::new();
        for name in order {
            let fields = columns.get(name).map_or(&[][..], Vec::as_slice);
            let found = if self.repeated_by.contains(&name.to_lowercase()) {
                Role::Replicate
            } else {
                role(name, fields)
            };
            // Only complete columns can tell records apart.
            let fields = if fields.len() == rows.len() {
                fields.iter().map(|field| (*field).to_owned()).collect()
            } else {
                Vec::new()
            };
            table.push((name.to_owned(), found, fields));
        }
        separate(&mut table);
        let roles: BTreeMap<String, Role> = table
            .into_iter()
            .map(|(name, role, _)| (name, role))
            .collect();
        for (index, row) in rows.iter().enumerate() {
            let Value::Map(entries) = &row.value else {
                let mut own = trail.clone();
                own.pointer = pointer(index, row);
                self.node(row, &own, "");
                continue;
            };
            let mut own = trail.clone();
            let base = if lines {
                format!("line={},", row.line)
            } else {
                pointer(index, row)
            };
            for (key, node) in entries {
                if let (Some(role), Some(text)) = (roles.get(key.as_str()), scalar(node)) {
                    self.apply(&mut own, *role, key, text);
                }
            }
            for (key, node) in entries {
                let role = roles.get(key.as_str()).copied();
                if matches!(role, Some(Role::Label | Role::Ignored | Role::Replicate)) {
                    continue;
                }
                let mut field = own.clone();
                field.pointer = format!("{base}/{}", key.replace('~', "~0").replace('/', "~1"));
                field.axis = matches!(role, Some(Role::Axis | Role::Progress));
                if role == Some(Role::Axis) {
                    field.slots.retain(|slot| *slot.name != **key);
                }
                self.keyed(node, &field, key, false);
            }
        }
    }

    fn scalar(&mut self, node: &Node, trail: &Trail) {
        let (text, quoted) = match &node.value {
            Value::Plain(text) => (text.trim(), false),
            Value::Text(text) => (text.trim(), true),
            Value::Map(_) | Value::List(_) => return,
        };
        let measured = if quoted || Decimal::parse(text).is_none() {
            names::measured_text(text)
        } else {
            Decimal::parse(text).map(|value| (value, None))
        };
        match measured {
            Some((value, unit)) => {
                self.push(node.line, value, text, unit.or(trail.unit), trail, false);
            }
            None if is_not_finite(text) => self.unusable.push(Unusable {
                path: format!("{}#{}", self.path, trail.pointer),
                line: node.line,
                text: text.to_owned(),
            }),
            None => {}
        }
    }

    fn push_count(&mut self, line: u32, count: usize, trail: &Trail) {
        let mut own = trail.clone();
        own.pointer.push_str(" (length)");
        self.push(
            line,
            Decimal::from_count(count),
            &count.to_string(),
            None,
            &own,
            true,
        );
    }

    fn push(
        &mut self,
        line: u32,
        value: Decimal,
        text: &str,
        unit: Option<Unit>,
        trail: &Trail,
        count: bool,
    ) {
        self.leaves.push(Leaf {
            file: self.file,
            pointer: trail.pointer.clone(),
            line,
            value,
            text: Box::from(text),
            unit,
            replicate: Box::from(trail.replicate.as_str()),
            progress: trail.progress,
            slots: trail.slots.clone().into_boxed_slice(),
            config: trail.config,
            count,
            axis: trail.axis,
        });
    }
}

fn join(replicate: &mut String, part: &str) {
    if !replicate.is_empty() {
        replicate.push('/');
    }
    replicate.push_str(part);
}

fn is_text(node: &Node) -> bool {
    match &node.value {
        Value::Text(_) => true,
        Value::Plain(text) => {
            !matches!(
                text.to_ascii_lowercase().as_str(),
                "true" | "false" | "null" | "~" | "yes" | "no" | "none" | ""
            ) && !is_not_finite(text)
        }
        Value::Map(_) | Value::List(_) => false,
    }
}

fn is_not_finite(text: &str) -> bool {
    matches!(
        text.to_ascii_lowercase().as_str(),
        "nan" | "inf" | "-inf" | "+inf" | "infinity" | "-infinity" | ".nan" | ".inf" | "-.inf"
    )
}
