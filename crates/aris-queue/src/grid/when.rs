//! Conditions on cells: `N >= 128`, `optimizer != sgd`, `width == ${depth}`, `N in [64, 128]`.

use std::cmp::Ordering;

use super::{Axis, axis_of};
use crate::problem::{Problem, problem};
use crate::tree::Node;

/// One comparison.
pub(super) struct Condition {
    axis: usize,
    operator: Operator,
    right: Right,
}

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}

enum Right {
    Axis(usize),
    Texts(Vec<String>),
}

/// Longer ones first, so that `<=` is not read as `<`.
const OPERATORS: [(&str, Operator); 8] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    (" not in ", Operator::NotIn),
    (" in ", Operator::In),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

const HINT: &str = "write AXIS OPERATOR VALUE, for example \"N >= 128\" or \"lr in [0.1, 0.2]\"; several conditions are a list";

pub(super) fn condition(node: &Node, axes: &[Axis]) -> Result<Condition, Problem> {
    let text = node
        .written()
        .ok_or_else(|| problem(node, "a condition must be a text", Some(HINT)))?;
    let (at, sign, operator) = OPERATORS
        .iter()
        .filter_map(|(sign, operator)| Some((text.find(sign)?, *sign, *operator)))
        .min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len())))
        .ok_or_else(|| problem(node, format!("{text:?} is no condition"), Some(HINT)))?;
    let (left, rest) = text.split_at(at);
    let right = rest.strip_prefix(sign).unwrap_or_default().trim();
    let find = |name: &str| axis_of(axes, name.trim(), node);
    let placeholder = |text| str::strip_prefix(text, "${")?.strip_suffix('}');
    let left = left.trim();
    let axis = find(placeholder(left).unwrap_or(left))?;
    let right = match placeholder(right) {
        Some(name) => Right::Axis(find(name)?),
        None if matches!(operator, Operator::In | Operator::NotIn) => {
            let inner = right
                .strip_prefix('[')
                .and_then(|list| list.strip_suffix(']'))
                .ok_or_else(|| problem(node, format!("{right:?} is no list in [ ]"), Some(HINT)))?;
            Right::Texts(inner.split(',').map(unquoted).collect())
        }
        None => Right::Texts(vec![unquoted(right)]),
    };
    let condition = Condition {
        axis,
        operator,
        right,
    };
    if condition.is_order() && !condition.has_numbers(axes) {
        return Err(problem(
            node,
            format!("{text:?} compares values that are no numbers"),
            Some("only numbers are smaller or larger; use == or != for texts"),
        ));
    }
    Ok(condition)
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote))
        {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

impl Condition {
    fn is_order(&self) -> bool {
        use Operator::{Greater, GreaterOrEqual, Less, LessOrEqual};
        matches!(self.operator, Less | LessOrEqual | Greater | GreaterOrEqual)
    }

    fn has_numbers(&self, axes: &[Axis]) -> bool {
        let all = |axis: usize| axes[axis].values.iter().all(|value| value.number.is_some());
        all(self.axis)
            && match &self.right {
                Right::Axis(axis) => all(*axis),
                Right::Texts(texts) => texts.iter().all(|text| text.parse::<f64>().is_ok()),
            }
    }

    pub(super) fn holds(&self, cell: &[usize], axes: &[Axis]) -> bool {
        let left = &axes[self.axis].values[cell[self.axis]];
        let compare = |text: &str, number: Option<f64>| -> Option<Ordering> {
            match (left.number, number) {
                (Some(one), Some(other)) => one.partial_cmp(&other),
                // A truth value is `True` in a command and may be `true` here.
                _ => (left.text == text || left.node.written() == Some(text))
                    .then_some(Ordering::Equal),
            }
        };
        let orders: Vec<Option<Ordering>> = match &self.right {
            Right::Axis(axis) => {
                let right = &axes[*axis].values[cell[*axis]];
                vec![compare(&right.text, right.number)]
            }
            Right::Texts(texts) => texts
                .iter()
                .map(|text| compare(text, text.parse().ok()))
                .collect(),
        };
        let any = |wanted: &[Ordering]| {
            orders
                .iter()
                .any(|order| order.is_some_and(|order| wanted.contains(&order)))
        };
        match self.operator {
            Operator::Equal | Operator::In => any(&[Ordering::Equal]),
            Operator::NotEqual | Operator::NotIn => !any(&[Ordering::Equal]),
            Operator::Less => any(&[Ordering::Less]),
            Operator::LessOrEqual => any(&[Ordering::Less, Ordering::Equal]),
            Operator::Greater => any(&[Ordering::Greater]),
            Operator::GreaterOrEqual => any(&[Ordering::Greater, Ordering::Equal]),
        }
    }
}
