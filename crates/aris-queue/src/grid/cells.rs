//! The cells of a grid: one combination of axis values each.

use super::template::Cell;
use super::when::{Condition, condition};
use super::{Axis, Scalar, axis_of, yaml11};
use crate::problem::Problems;
use crate::tree::{Kind, Node, Value, made, one_or_many, present, printed, quoted};
use aris_contract::text::counted;
use aris_yaml::Number;

/// Axes whose values are taken in step (`zip`), or a single axis; `count` is the number of values of each.
struct Group {
    axes: Vec<usize>,
    count: usize,
}

/// The cells of a grid.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) axes: Vec<Axis>,
    groups: Vec<Group>,
    /// Each rule lists axes, and which of their values it matches. A cell that matches all axes of a rule is left out.
    excluded: Vec<Vec<(usize, Vec<bool>)>>,
    conditions: Vec<Condition>,
    /// Further cells, each as the index of a value for every axis.
    included: Vec<Vec<usize>>,
}

impl Cells {
    pub(super) fn cell<'a>(&'a self, at: &'a [usize]) -> Cell<'a> {
        Cell {
            axes: &self.axes,
            at,
        }
    }

    /// Reads the grid of a phase. Without any grid key there is one cell without axes.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Self {
        let mut cells = Self::default();
        if let Some(grid) = present(node, "grid") {
            let entries = problems.map(grid, "grid must be a map", Some("grid: {N: [64, 128]}"));
            for (key, values) in entries.unwrap_or_default() {
                let values = list(&key.text, values, problems);
                cells.group(vec![(key.text.clone(), values)], grid, problems);
            }
        }
        let all = |key| present(node, key).map_or(&[][..], one_or_many);
        for item in all("zip") {
            cells.zip(item, problems);
        }
        if let Some(seeds) = present(node, "seeds") {
            let values = match seeds.kind() {
                Some(Kind::Integer(count @ 1..=1_000_000)) => {
                    let values = (0..count).filter_map(|seed| {
                        let text = seed.to_string();
                        let seed = made(seeds, Value::Scalar { text, plain: true });
                        scalar(&seed, "seeds", problems)
                    });
                    Some(values.collect())
                }
                Some(_) => {
                    let must_be =
                        "seeds must be a number of seeds, from 1 to 1000000, or a list of them";
                    let hint = "seeds: 3 gives 0, 1 and 2; seeds: [42] gives 42";
                    problems.at(seeds, must_be, Some(hint));
                    None
                }
                None => Some(list("seeds", seeds, problems)),
            };
            if let Some(values) = values {
                cells.group(vec![(String::from("seed"), values)], seeds, problems);
            }
        }
        for item in all("exclude") {
            cells.exclude(item, problems);
        }
        for item in all("when") {
            let condition = problems.collect(condition(item, &cells.axes));
            cells.conditions.extend(condition);
        }
        // Last, because it may add values to axes, which the product must not have.
        for item in all("include") {
            cells.include(item, problems);
        }
        cells
    }

    fn group(&mut self, group: Vec<(String, Vec<Scalar>)>, node: &Node, problems: &mut Problems) {
        let count = group.first().map_or(0, |(_, values)| values.len());
        if let Some((name, _)) = group.iter().find(|(_, values)| values.is_empty()) {
            let message = format!("{name} has no values: no job would be made");
            problems.at(node, message, Some("give it values, or remove the axis"));
        }
        let mut axes = Vec::new();
        for (name, values) in group {
            let plain = |char: char| char.is_alphanumeric() || "_-.".contains(char);
            if name.is_empty() || name == "GPU" || !name.chars().all(plain) {
                let message = format!("{name:?} cannot be the name of an axis");
                let hint = "use letters, digits, _, - and .; GPU is the card of the job";
                problems.at(node, message, Some(hint));
            }
            if self.axes.iter().any(|axis| axis.name == name) {
                problems.at(node, format!("a second axis {name:?}"), None);
            }
            axes.push(self.axes.len());
            self.axes.push(Axis { name, values });
        }
        self.groups.push(Group { axes, count });
    }

    fn zip(&mut self, node: &Node, problems: &mut Problems) {
        let hint = "zip: [{width: [256, 512], depth: [4, 8]}]";
        let Some(entries) = problems.map(node, "zip must be a map of lists", Some(hint)) else {
            return;
        };
        let entries = entries.iter();
        let group =
            entries.map(|(key, values)| (key.text.clone(), list(&key.text, values, problems)));
        let group: Vec<(String, Vec<Scalar>)> = group.collect();
        if let Some((first, values)) = group.first()
            && let Some((other, more)) = group.iter().find(|(_, more)| more.len() != values.len())
        {
            let (values, more) = (counted(values.len(), "value"), more.len());
            let lengths = format!("{first} has {values} and {other} has {more}");
            let message = lengths + ": axes that go together are equally long";
            problems.at(node, message, None);
            return;
        }
        self.group(group, node, problems);
    }

    fn exclude(&mut self, node: &Node, problems: &mut Problems) {
        let must_be = "exclude must be a list of maps";
        let entries = problems.map(node, must_be, Some(MAPS)).unwrap_or_default();
        let mut rule = Vec::new();
        for (key, values) in entries {
            let Some(axis) = problems.collect(axis_of(&self.axes, &key.text, values)) else {
                continue;
            };
            let known = &self.axes[axis].values;
            let mut hit = vec![false; known.len()];
            for value in list(&key.text, values, problems) {
                if let Some(at) = known.iter().position(|known| same(known, &value)) {
                    hit[at] = true;
                } else {
                    let message = format!("{} is never {}", key.text, value.text);
                    let hint = "exclude only what the grid has, or the exclusion does nothing";
                    problems.at(values, message, Some(hint));
                }
            }
            rule.push((axis, hit));
        }
        if !rule.is_empty() {
            self.excluded.push(rule);
        }
    }

    fn include(&mut self, node: &Node, problems: &mut Problems) {
        let must_be = "include must be a list of maps";
        let Some(entries) = problems.map(node, must_be, Some(MAPS)) else {
            return;
        };
        let mut cell = vec![usize::MAX; self.axes.len()];
        for (key, value) in entries {
            let Some(axis) = problems.collect(axis_of(&self.axes, &key.text, value)) else {
                continue;
            };
            let Some(scalar) = scalar(value, &key.text, problems) else {
                continue;
            };
            let values = &mut self.axes[axis].values;
            let is_same = |known: &Scalar| {
                known.text == scalar.text && known.node.kind() == scalar.node.kind()
            };
            cell[axis] = values.iter().position(is_same).unwrap_or(values.len());
            if cell[axis] == values.len() {
                values.push(scalar);
            }
        }
        if let Some(missing) = cell.iter().position(|at| *at == usize::MAX) {
            let message = format!("the included cell has no {}", self.axes[missing].name);
            problems.at(node, message, Some("an included cell names every axis"));
            return;
        }
        self.included.push(cell);
    }

    /// Number of cells of the product, before any is left out; `None`: more than a `u64` can hold.
    pub(super) fn product(&self) -> Option<u64> {
        let mut counts = self.groups.iter().map(|group| group.count as u64);
        counts.try_fold(1, u64::checked_mul)
    }

    /// Calls `each` for every cell, in order, with the index of each axis's value, until it fails.
    pub(super) fn each<E>(&self, mut each: impl FnMut(&[usize]) -> Result<(), E>) -> Result<(), E> {
        let mut cell = vec![0; self.axes.len()];
        let mut turn = vec![0; self.groups.len()];
        let mut more = self.groups.iter().all(|group| group.count > 0);
        while more {
            if self.holds(&cell) {
                each(&cell)?;
            }
            more = false;
            for (at, group) in self.groups.iter().enumerate().rev() {
                turn[at] += 1;
                let carried = turn[at] == group.count;
                if carried {
                    turn[at] = 0;
                }
                for axis in &group.axes {
                    cell[*axis] = turn[at];
                }
                if !carried {
                    more = true;
                    break;
                }
            }
        }
        self.included.iter().try_for_each(|cell| each(cell))
    }

    fn holds(&self, cell: &[usize]) -> bool {
        let hits = |(axis, hit): &(usize, Vec<bool>)| hit.get(cell[*axis]).is_some_and(|hit| *hit);
        let excluded = self.excluded.iter().any(|rule| rule.iter().all(hits));
        let mut conditions = self.conditions.iter();
        !excluded && conditions.all(|condition| condition.holds(cell, &self.axes))
    }
}

const MAPS: &str = "for example [{N: 128, seed: 3}]";

fn list(name: &str, node: &Node, problems: &mut Problems) -> Vec<Scalar> {
    let items = one_or_many(node).iter();
    items
        .filter_map(|item| scalar(item, name, problems))
        .collect()
}

fn scalar(node: &Node, name: &str, problems: &mut Problems) -> Option<Scalar> {
    let kind = node.kind();
    let is_usable = |node: &Node| !holds_map(node) && node.items().is_empty() != node.is_list();
    let Some(text) = is_usable(node).then(|| printed(node)) else {
        let message = if node.items().is_empty() {
            format!("a value of {name} must be a scalar, not {}", node.noun())
        } else {
            format!("a value of {name} is a list that holds more than scalars")
        };
        problems.at(node, message, None);
        return None;
    };
    if let Some(Kind::Null | Kind::Bool(_)) = kind {
        problems.warn(
            node,
            format!("{name}: commands get {text}, as Python prints it; put it in quotes to pass it as written"),
        );
    }
    let scalars = std::iter::once(node).chain(node.items());
    for node in scalars {
        yaml11::warn(name, node, problems);
    }
    if node.written().is_some_and(|text| text.contains('\0')) {
        let message = format!("a value of {name} holds a null character");
        problems.at(node, message, None);
    }
    let differs = match kind {
        Some(Kind::Integer(number)) => text.trim_start_matches('+') != number.to_string(),
        _ => false,
    };
    Some(Scalar {
        number: match kind.filter(|_| !differs) {
            Some(Kind::Integer(number)) => Some(Number::Whole(number.into())),
            // An integer with too many digits for `Kind::Integer` is read as a `Kind::Float`.
            Some(Kind::Float(number)) => Number::parse(&text).or(Some(Number::Float(number))),
            _ => None,
        },
        // A list is replaced by the text that Python prints. A number that is not written in its usual form, such as `007`, stays text.
        node: if node.is_list() || differs {
            quoted(node, &text)
        } else {
            node.clone()
        },
        text,
    })
}

fn holds_map(node: &Node) -> bool {
    matches!(node.value, Value::Map(_)) || node.items().iter().any(holds_map)
}

/// Whether two values have the same text or are equal numbers.
fn same(one: &Scalar, other: &Scalar) -> bool {
    one.text == other.text || (one.number.is_some() && one.number == other.number)
}
