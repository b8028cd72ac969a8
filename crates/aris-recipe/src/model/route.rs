//! Where control goes after a step.

use crate::expression::{Expression, ExpressionError};
use crate::template::Template;
use aris_yaml::{Node, Text};

/// What a route means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The step of this name.
    Step(String),
    /// The run is completed.
    Done,
    /// The run ends for a person to look at.
    Escalate,
}

impl Target {
    /// As written in a recipe.
    pub fn name(&self) -> &str {
        match self {
            Self::Step(name) => name,
            Self::Done => super::DONE,
            Self::Escalate => super::ESCALATE,
        }
    }

    /// The step, where it is one.
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::Step(name) => Some(name),
            Self::Done | Self::Escalate => None,
        }
    }
}

/// Routing by result.
#[derive(Clone, Debug)]
pub enum OnResult {
    /// The first branch whose condition holds.
    List(Vec<Branch>),
    /// The text of one field of the result.
    Field {
        /// The field; `None` when it is missing.
        field: Option<Text>,
        /// Values and their routes, in the order of the file.
        routes: Vec<(Text, Text)>,
    },
}

/// One branch of the list form.
#[derive(Clone, Debug)]
pub struct Branch {
    /// When it is taken; without a condition it is the default.
    pub when: Option<Condition>,
    /// Where it leads; `None` when it is missing.
    pub route: Option<Text>,
    /// Its line.
    pub line: u32,
}

/// A condition, parsed once.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As written.
    pub text: Text,
    /// What it means.
    pub parsed: Result<Expression, ExpressionError>,
}

impl Branch {
    /// Whether it needs no condition: it has none, or `true`.
    pub fn is_default(&self) -> bool {
        self.when
            .as_ref()
            .is_none_or(|condition| condition.parsed.as_ref().is_ok_and(Expression::is_always))
    }
}

impl OnResult {
    /// All targets in order, each with the kind of edge that leads there: `result[i]`, `default` or `result[key]`.
    pub fn targets(&self) -> Vec<(String, &Text)> {
        match self {
            Self::List(branches) => branches
                .iter()
                .enumerate()
                .filter_map(|(at, branch)| {
                    let kind = if branch.is_default() {
                        String::from("default")
                    } else {
                        format!("result[{at}]")
                    };
                    Some((kind, branch.route.as_ref()?))
                })
                .collect(),
            Self::Field { routes, .. } => routes
                .iter()
                .map(|(key, route)| (format!("result[{}]", key.text), route))
                .collect(),
        }
    }

    /// The first default route of the list form.
    pub fn default_route(&self) -> Option<&Text> {
        match self {
            Self::List(branches) => branches
                .iter()
                .find(|branch| branch.is_default())
                .and_then(|branch| branch.route.as_ref()),
            Self::Field { .. } => None,
        }
    }

    /// All routes, to be changed.
    pub(crate) fn routes_mut(&mut self) -> Vec<&mut Text> {
        match self {
            Self::List(branches) => branches
                .iter_mut()
                .filter_map(|branch| branch.route.as_mut())
                .collect(),
            Self::Field { routes, .. } => routes.iter_mut().map(|(_, route)| route).collect(),
        }
    }
}

/// One capture: a variable and what is put there.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The context variable.
    pub variable: Text,
    /// The template over `result.*`; null when it is no scalar.
    pub value: Node,
    /// The template, parsed.
    pub template: Template,
}
