//! Conditions on cells: `N >= 128`, `optimizer != sgd`, `width == ${depth}`, `N in [64, 128]`.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use aris_yaml::Number;

use super::{Axis, axis_of};
use crate::problem::{Problem, problem};
use crate::tree::Node;

/// One comparison.
pub(super) struct Condition {
    axis: usize,
    /// The condition is met if the comparison with at least one value of the right side gives one of these orders, or with none if `holds`
    /// is false.
    orders: &'static [Ordering],
    holds: bool,
    right: Right,
}

enum Right {
    Axis(usize),
    Texts(Vec<String>),
}

/// Each operator: its text, its orders, and whether one of them must hold.
const OPERATORS: [(&str, &[Ordering], bool); 8] = [
    ("==", &[Equal], true),
    ("!=", &[Equal], false),
    ("<=", &[Less, Equal], true),
    (">=", &[Greater, Equal], true),
    (NOT_IN, &[Equal], false),
    (IN, &[Equal], true),
    ("<", &[Less], true),
    (">", &[Greater], true),
];
const IN: &str = " in ";
const NOT_IN: &str = " not in ";

const HINT: &str = "write AXIS OPERATOR VALUE, for example \"N >= 128\" or \"lr in [0.1, 0.2]\"; several conditions are a list";

pub(super) fn condition(node: &Node, axes: &[Axis]) -> Result<Condition, Problem> {
    let wrong = |message: String| problem(node, message, Some(HINT));
    let text = node.written();
    let text = text.ok_or_else(|| wrong(String::from("a condition must be a text")))?;
    // The first operator in the text; at the same place the longer one, so that `<=` is not read as `<`.
    let (at, (sign, orders, holds)) = OPERATORS
        .iter()
        .filter_map(|operator| Some((text.find(operator.0)?, *operator)))
        .min_by_key(|(at, (sign, ..))| (*at, std::cmp::Reverse(sign.len())))
        .ok_or_else(|| wrong(format!("{text:?} is no condition")))?;
    let (left, rest) = text.split_at(at);
    let right = rest.strip_prefix(sign).unwrap_or_default().trim();
    let find = |name: &str| axis_of(axes, name.trim(), node);
    let placeholder = |text| str::strip_prefix(text, "${")?.strip_suffix('}');
    let left = left.trim();
    let axis = find(placeholder(left).unwrap_or(left))?;
    let right = match placeholder(right) {
        Some(name) => Right::Axis(find(name)?),
        None if matches!(sign, IN | NOT_IN) => {
            let inner = right.strip_prefix('[');
            let inner = inner.and_then(|list| list.strip_suffix(']'));
            let inner = inner.ok_or_else(|| wrong(format!("{right:?} is no list in [ ]")))?;
            Right::Texts(inner.split(',').map(unquoted).collect())
        }
        None => Right::Texts(vec![unquoted(right)]),
    };
    let condition = Condition {
        axis,
        orders,
        holds,
        right,
    };
    if orders != [Equal] && !condition.has_numbers(axes) {
        let message = format!("{text:?} compares values that are no numbers");
        let hint = "only numbers are smaller or larger; use == or != for texts";
        return Err(problem(node, message, Some(hint)));
    }
    Ok(condition)
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        let rest = text.strip_prefix(quote)?;
        rest.strip_suffix(quote)
    });
    inner.unwrap_or(text).to_owned()
}

impl Condition {
    fn has_numbers(&self, axes: &[Axis]) -> bool {
        let all = |axis: usize| axes[axis].values.iter().all(|value| value.number.is_some());
        all(self.axis)
            && match &self.right {
                Right::Axis(axis) => all(*axis),
                Right::Texts(texts) => texts.iter().all(|text| Number::parse(text).is_some()),
            }
    }

    pub(super) fn holds(&self, cell: &[usize], axes: &[Axis]) -> bool {
        let left = &axes[self.axis].values[cell[self.axis]];
        let compare = |text: &str, number: Option<Number>| -> Option<Ordering> {
            match (left.number, number) {
                (Some(one), Some(other)) => one.partial_cmp(&other),
                // A truth value is `True` in commands and may be written `true` in the condition.
                _ => (left.text == text || left.node.written() == Some(text)).then_some(Equal),
            }
        };
        let named = |text: &str, number: Option<Number>| {
            compare(text, number).is_some_and(|order| self.orders.contains(&order))
        };
        let any = match &self.right {
            Right::Axis(axis) => {
                let right = &axes[*axis].values[cell[*axis]];
                named(&right.text, right.number)
            }
            Right::Texts(texts) => texts.iter().any(|text| named(text, Number::parse(text))),
        };
        any == self.holds
    }
}
