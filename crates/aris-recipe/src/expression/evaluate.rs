//! Evaluates conditions.

use std::borrow::Cow;

use aris_yaml::Number;

use super::{Comparison, Expression, Operand};
use crate::expression::Scope;
use crate::value::is_truthy;

impl Operand {
    pub(crate) fn text(&self, scope: &Scope<'_>) -> Cow<'_, str> {
        match self {
            Self::Reference(reference) => Cow::Owned(reference.text(scope)),
            Self::Literal(text) => Cow::Borrowed(text),
        }
    }
}

impl Expression {
    /// Whether it holds. `notes` gets a line for each comparison by size of something that is not a number; such a comparison does not
    /// hold.
    pub fn holds(&self, scope: &Scope<'_>, notes: &mut Vec<String>) -> bool {
        let mut text = |operand: &Operand| Some(operand.text(scope).into_owned());
        self.outcome(&mut text, notes) == Some(true)
    }

    /// The same as far as the texts of operands are known; `None` where the result depends on the others.
    pub(crate) fn outcome(
        &self,
        text: &mut impl FnMut(&Operand) -> Option<String>,
        notes: &mut Vec<String>,
    ) -> Option<bool> {
        let (parts, decisive) = match self {
            Self::Or(parts) => (parts, true),
            Self::And(parts) => (parts, false),
            Self::Not(inner) => return inner.outcome(text, notes).map(|held| !held),
            Self::Truth(operand) => return text(operand).map(|text| is_truthy(&text)),
            Self::Compare {
                left,
                comparison,
                right,
            } => return Some(comparison.holds(&text(left)?, &text(right)?, notes)),
        };
        let mut all_known = true;
        for part in parts {
            match part.outcome(text, notes) {
                Some(held) if held == decisive => return Some(held),
                held => all_known &= held.is_some(),
            }
        }
        all_known.then_some(!decisive)
    }
}

impl Comparison {
    /// Whether two texts compare like this. `notes` as in [`Expression::holds`].
    pub(crate) fn holds(self, left: &str, right: &str, notes: &mut Vec<String>) -> bool {
        let mut number = |text: &str| {
            let number = Number::parse(text);
            if number.is_none() {
                notes.push(format!("not_a_number: {text:?}"));
            }
            number
        };
        let mut ordered = |fits: fn(&Number, &Number) -> bool| {
            let numbers = (number(left), number(right));
            matches!(numbers, (Some(left), Some(right)) if fits(&left, &right))
        };
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Greater => ordered(PartialOrd::gt),
            Self::GreaterOrEqual => ordered(PartialOrd::ge),
            Self::Less => ordered(PartialOrd::lt),
            Self::LessOrEqual => ordered(PartialOrd::le),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::expression::parse;

    #[test]
    fn conditions_hold_as_documented() {
        let inputs = BTreeMap::from([(String::from("auto"), String::from("true"))]);
        let context = json!({"v": "1.10", "list": ["a", "b"], "n": "12"});
        let result = json!({"verdict": "GO", "stdout": " clean \nx", "nested": {"a": [1, {"b": 2}]}, "no": false});
        let scope = Scope {
            inputs: &inputs,
            context: context.as_object().unwrap(),
            result: &result,
        };
        for (text, expected) in [
            ("${{ result.verdict }} == GO", true),
            ("${{ result.verdict }} == go", false),
            ("${{ result.verdict | lower }} == 'go'", true),
            ("${{ context.v }} == 1.1", false),
            ("${{ context.v }} >= 1.1", true),
            ("${{ context.absent }} == true", false),
            ("${{ context.absent }} == ''", true),
            ("${{ context.absent }} > 0", false),
            ("result.error", false),
            ("result.nested.a[1].b == 2", true),
            ("${{ inputs.auto }} != 'true'", false),
            ("not result.no and (inputs.auto or result.error)", true),
            ("not (result.no or inputs.auto)", false),
            ("9007199254740993 > 9007199254740992", true),
            ("true", true),
            ("off", false),
            ("${{ context.list | last }} == b", true),
            ("context.list == a,b", false),
            ("context.list == 'a,b'", true),
            ("${{ result.stdout | first | trim }} == clean", true),
            ("${{ context.absent | default('x y') }} == 'x y'", true),
            ("${{ context.n | shq }} == \"'12'\"", true),
        ] {
            let held = parse(text).map(|condition| condition.holds(&scope, &mut Vec::new()));
            assert_eq!(
                held.ok(),
                if text.ends_with("a,b") {
                    None
                } else {
                    Some(expected)
                },
                "{text}"
            );
        }
        let mut notes = Vec::new();
        assert!(!parse("context.v > x").unwrap().holds(&scope, &mut notes));
        assert_eq!(notes, ["not_a_number: \"x\""]);
    }
}
