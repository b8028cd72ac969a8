//! Templates: texts with `${{ … }}` in them.
//!
//! An expression ends at the first `}}`. One that is not a reference stays as it is, because shells use similar signs and no text may be
//! lost; it is listed in [`Template::problems`].

use serde_json::Value;

use crate::expression::Scope;
use crate::expression::{ExpressionError, Reference, parse_reference};

/// A text with references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    /// Expressions that cannot be read, with their signs, and why.
    pub problems: Vec<(String, ExpressionError)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Reference(Reference),
}

impl Template {
    /// Reads a template; every text is one.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut problems = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${{") {
            let Some((inside, behind)) = after.split_once("}}") else {
                let message = String::from("no }} closes it");
                let column = 1;
                let raw = format!("${{{{{}", after.lines().next().unwrap_or_default());
                problems.push((raw, ExpressionError { column, message }));
                break;
            };
            plain.push_str(before);
            match parse_reference(inside) {
                Ok(reference) => {
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(Part::Reference(reference));
                }
                Err(error) => {
                    let raw = format!("${{{{{inside}}}}}");
                    plain.push_str(&raw);
                    problems.push((raw, error));
                }
            }
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Self { parts, problems }
    }

    /// All references in order.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.parts.iter().filter_map(|part| match part {
            Part::Reference(reference) => Some(reference),
            Part::Text(_) => None,
        })
    }

    /// All references, each with the text before it; every reference in this text is the word `x`.
    pub(crate) fn places(&self) -> impl Iterator<Item = (String, &Reference)> {
        let mut before = String::new();
        self.parts.iter().filter_map(move |part| match part {
            Part::Text(text) => {
                before.push_str(text);
                None
            }
            Part::Reference(reference) => {
                let there = before.clone();
                before.push('x');
                Some((there, reference))
            }
        })
    }

    /// The reference, when the template is nothing but this reference and blanks around it.
    pub fn sole(&self) -> Option<&Reference> {
        let mut sole = None;
        for part in &self.parts {
            match part {
                Part::Reference(reference) if sole.is_none() => sole = Some(reference),
                Part::Text(text) if text.trim().is_empty() => {}
                Part::Reference(_) | Part::Text(_) => return None,
            }
        }
        sole
    }

    /// The text with every reference replaced.
    pub fn render(&self, scope: &Scope<'_>) -> String {
        self.render_with(scope, &str::to_owned)
    }

    /// The same; `plain` changes the text between references.
    pub(crate) fn render_with(&self, scope: &Scope<'_>, plain: &dyn Fn(&str) -> String) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => plain(text),
            Part::Reference(reference) => reference.text(scope),
        });
        parts.collect()
    }

    /// The value of a sole reference; every other template as text.
    pub fn value(&self, scope: &Scope<'_>) -> Value {
        self.sole()
            .map_or_else(|| Value::from(self.render(scope)), |sole| sole.value(scope))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Map, json};

    use super::*;

    fn rendered(text: &str) -> String {
        let context = json!({"x": "X", "l": ["a", "b"]});
        Template::parse(text).render(&Scope {
            inputs: &BTreeMap::new(),
            context: context.as_object().unwrap(),
            result: &Value::Null,
        })
    }

    #[test]
    fn references_are_replaced_and_nothing_else() {
        for (text, expected) in [
            ("a ${{ context.x }}b${{context.l}}", "a Xba,b"),
            ("${HOME} ${{ context.absent }}|", "${HOME} |"),
            ("${{ github.sha }} ${{ context.x }}", "${{ github.sha }} X"),
            ("${{ context.x", "${{ context.x"),
            ("${{ context.x | lower }}", "x"),
        ] {
            assert_eq!(rendered(text), expected);
        }
        assert_eq!(Template::parse("${{ github.sha }}").problems.len(), 1);
        assert!(Template::parse(" ${{ result.a }}\n").sole().is_some());
        assert!(Template::parse("x ${{ result.a }}").sole().is_none());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_plain_text_stays(text in "(\\$\\{\\{|\\}\\}|context\\.x|[a-z'| ]|\\PC){0,40}") {
            let template = Template::parse(&text);
            if template.references().next().is_none() {
                let scope = Scope { inputs: &BTreeMap::new(), context: &Map::new(), result: &Value::Null };
                prop_assert_eq!(template.render(&scope), text);
            }
        }
    }
}
