//! Conditions of `when`, and references between `${{` and `}}`: parsed once, evaluated as often as needed.
//!
//! ```text
//! when     = or ;   or = and { "or" and } ;   and = not { "and" not } ;   not = "not" not | cmp
//! cmp      = operand [ ("==" | "!=" | ">" | ">=" | "<" | "<=") operand ] | "(" or ")"
//! operand  = "${{" ref { "|" filter } "}}" | ref | 'text' | "text" | bareword
//! ref      = ("inputs" | "context" | "result") "." path
//! bareword = [A-Za-z0-9_./+-]+   and not  and / or / not
//! ```
//!
//! Numbers, `true` and `false` are barewords, that is, texts: `==` compares texts exactly.

mod evaluate;
mod filter;
mod parse;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};
use strum::{Display, IntoStaticStr, VariantArray};

pub use filter::FILTERS;
pub use filter::quoted;
pub use parse::{parse, parse_reference};

/// Where a reference looks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Namespace {
    /// What the run was started with.
    Inputs,
    /// What steps captured.
    Context,
    /// What the step at hand returned.
    Result,
}

/// One part of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// `.name`
    Name(String),
    /// `[n]`
    Index(usize),
}

/// What can be read while a recipe runs. An absent value is the empty text, at every level.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Inputs by name.
    pub inputs: &'a BTreeMap<String, String>,
    /// Context variables by name: texts and lists of texts.
    pub context: &'a Map<String, Value>,
    /// Result of the step at hand; null where there is none.
    pub result: &'a Value,
}

impl<'a> Scope<'a> {
    /// The value at a path; `None` when it is absent.
    pub(crate) fn find(&self, namespace: Namespace, path: &[Segment]) -> Option<Cow<'a, Value>> {
        let (start, rest) = match namespace {
            Namespace::Result => (self.result, path),
            Namespace::Inputs | Namespace::Context => {
                let (Segment::Name(name), rest) = path.split_first()? else {
                    return None;
                };
                if namespace == Namespace::Inputs {
                    let found = self.inputs.get(name).filter(|_| rest.is_empty())?;
                    return Some(Cow::Owned(Value::from(found.as_str())));
                }
                (self.context.get(name)?, rest)
            }
        };
        rest.iter()
            .try_fold(start, |value, segment| match segment {
                Segment::Name(name) => value.get(name),
                Segment::Index(index) => value.get(*index),
            })
            .map(Cow::Borrowed)
    }
}

/// A filter as written; it may not exist, see [`Filter::is_known`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// The text in its parentheses.
    pub argument: Option<String>,
}

impl Filter {
    /// Whether a filter of this name takes these arguments.
    pub fn is_known(&self) -> bool {
        FILTERS.contains(&self.name.as_str()) && (self.name == "default") == self.argument.is_some()
    }
}

/// A reference with its filters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Where it looks.
    pub namespace: Namespace,
    /// What it looks for; not empty.
    pub path: Vec<Segment>,
    /// What is done with the value, in order.
    pub filters: Vec<Filter>,
}

impl Reference {
    /// A field of the result.
    pub fn of_result(field: &str) -> Self {
        Self {
            namespace: Namespace::Result,
            path: vec![Segment::Name(field.to_owned())],
            filters: Vec::new(),
        }
    }

    /// The first name of the path: the input, the context variable, or the field of the result. Empty for an index.
    pub fn name(&self) -> &str {
        match self.path.first() {
            Some(Segment::Name(name)) => name,
            Some(Segment::Index(_)) | None => "",
        }
    }

    /// Whether it looks for this name, or for something in it.
    pub fn is(&self, namespace: Namespace, name: &str) -> bool {
        self.namespace == namespace && self.name() == name
    }

    /// Whether it takes the whole value, without filters.
    pub fn is_plain(&self) -> bool {
        self.path.len() == 1 && self.filters.is_empty()
    }

    /// The value with all filters applied, as text.
    pub fn text(&self, scope: &Scope<'_>) -> String {
        crate::value::to_text(&self.value(scope)).into_owned()
    }

    /// The value with all filters applied; null when it is absent. An unknown filter changes nothing.
    pub fn value(&self, scope: &Scope<'_>) -> Value {
        let found = scope
            .find(self.namespace, &self.path)
            .map_or(Value::Null, Cow::into_owned);
        self.filters.iter().fold(found, filter::apply)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.namespace)?;
        for segment in &self.path {
            match segment {
                Segment::Name(name) => write!(out, ".{name}")?,
                Segment::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// Looked up.
    Reference(Reference),
    /// A text as written.
    Literal(String),
}

/// How two texts are compared. `>=` and `<=` come before `>` and `<`, because the parser takes the first sign that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
pub enum Comparison {
    /// The same text.
    #[strum(serialize = "==")]
    Equal,
    /// Another text.
    #[strum(serialize = "!=")]
    NotEqual,
    /// Compares numbers only, as do the next three.
    #[strum(serialize = ">=")]
    GreaterOrEqual,
    /// See above.
    #[strum(serialize = "<=")]
    LessOrEqual,
    /// See above.
    #[strum(serialize = ">")]
    Greater,
    /// See above.
    #[strum(serialize = "<")]
    Less,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expression {
    /// One of them holds.
    Or(Vec<Self>),
    /// All of them hold.
    And(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// Two sides compare like this.
    Compare {
        /// Left side.
        left: Operand,
        /// How.
        comparison: Comparison,
        /// Right side.
        right: Operand,
    },
    /// The text counts as true.
    Truth(Operand),
}

impl Expression {
    /// Its comparisons and tests for truth, in the order they are written.
    pub(crate) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Or(parts) | Self::And(parts) => parts.iter().flat_map(Self::leaves).collect(),
            Self::Not(inner) => inner.leaves(),
            Self::Compare { .. } | Self::Truth(_) => vec![self],
        }
    }

    /// The reference and the text of `reference == text`.
    pub(crate) fn equality(&self) -> Option<(&Reference, &str)> {
        match self {
            Self::Compare {
                left: Operand::Reference(reference),
                comparison: Comparison::Equal,
                right: Operand::Literal(text),
            } => Some((reference, text)),
            _ => None,
        }
    }

    /// The sides of a comparison between a reference and a text.
    pub(crate) fn comparison(&self) -> Option<(&Reference, Comparison, &str)> {
        match self {
            Self::Compare {
                left: Operand::Reference(reference),
                comparison,
                right: Operand::Literal(literal),
            }
            | Self::Compare {
                left: Operand::Literal(literal),
                comparison,
                right: Operand::Reference(reference),
            } => Some((reference, *comparison, literal)),
            _ => None,
        }
    }

    /// Whether it is `==` between a whole field of the result and a text, or such comparisons joined by `and` and `or`.
    pub(crate) fn is_choice(&self) -> bool {
        match (self, self.comparison()) {
            (Self::Or(parts) | Self::And(parts), _) => parts.iter().all(Self::is_choice),
            (_, Some((field, Comparison::Equal, _))) => {
                field.namespace == Namespace::Result && field.is_plain()
            }
            _ => false,
        }
    }

    /// All references, in the order they are written.
    pub fn references(&self) -> Vec<&Reference> {
        let operands = self.leaves().into_iter().flat_map(|leaf| match leaf {
            Self::Compare { left, right, .. } => vec![left, right],
            Self::Truth(operand) => vec![operand],
            Self::Or(_) | Self::And(_) | Self::Not(_) => Vec::new(),
        });
        let references = operands.filter_map(|operand| match operand {
            Operand::Reference(reference) => Some(reference),
            Operand::Literal(_) => None,
        });
        references.collect()
    }

    /// Whether it is the literal `true`, which makes a branch the default.
    pub fn is_always(&self) -> bool {
        matches!(self, Self::Truth(Operand::Literal(text)) if text == "true")
    }
}

/// Why a text is not a condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ExpressionError {
    /// Where, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}
