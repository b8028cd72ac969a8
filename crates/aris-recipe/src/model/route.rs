//! Where control goes after a step.

use schemars::json_schema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{Display, EnumString};

use super::keys::{as_text, demand, keys, kinds};
use super::kinds::{Anything, Route, Word};
use crate::expression::{self, Comparison, Expression, ExpressionError, Operand, Reference};
use aris_yaml::{Node, Text};

keys! {
    /// One branch of `on_result`: the first whose condition holds is taken.
    pub(super) BranchKeys, schema BranchFile refined by demand("route"), keys of others &[];
    /// The condition, for instance `${{ result.verdict }} == GO`; without it the branch is the default.
    when: Anything => Option<Node>,
    /// Where it leads.
    route: Route => Option<Text>,
}

keys! {
    /// Routing by the text of one field of the result.
    pub(super) ByField, schema ByFieldFile refined by demand("field routes"), keys of others &[];
    /// The field.
    field: Word => Option<Text>,
    /// Values of the field, each with where it leads.
    routes: Routes => Vec<(Text, Text)>,
}

kinds! {
    /// A mapping from values to routes.
    Routes: Vec<(Text, Text)>, {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string", "pattern": "\\S"}},
    |node, reader| {
        if node.entries().is_empty() {
            reader.expect(node, "a mapping from values to steps, and not empty");
        }
        let routes = node.entries().iter().filter_map(|(key, route)| {
            let route = Route::read(route, &mut reader.below(&key.text))?;
            Some((key.clone(), route))
        });
        routes.collect()
    };

    /// A list of branches, or routing by one field.
    Results: Option<OnResult>,
    ("Results", |generator| {
        let branch = generator.subschema_for::<BranchFile>();
        let by_field = generator.subschema_for::<ByFieldFile>();
        json_schema!({"anyOf": [{"type": "array", "minItems": 1, "items": branch}, by_field]})
    }),
    |node, reader| {
        if node.is_map() {
            let keys = ByField::read_keys(node, reader);
            if keys.field.as_deref().unwrap_or_default().trim().is_empty() {
                let message = "on_result does not name the `field` of the result that decides";
                reader.refuse(node, message);
            }
            if node.get("routes").is_none_or(Node::is_null) {
                reader.refuse(node, "on_result has no `routes`");
            }
            let field = keys.field.unwrap_or_else(|| Text {
                text: String::new(),
                line: node.line,
                column: node.column,
            });
            let routes = keys.routes.into_iter();
            let branches = routes.map(|(value, route)| Branch::of_value(&field, value, route));
            let branches = branches.collect();
            return Some(OnResult { field: Some(field), branches });
        }
        if node.items().is_empty() {
            reader.expect(node, "a list of branches, or `field` with `routes`");
        }
        let branches = node.items().iter().enumerate().map(|(at, item)| {
            let mut below = reader.below(format!("[{at}]"));
            let keys = BranchKeys::read_keys(item, &mut below);
            if item.get("route").is_none_or(Node::is_null) {
                below.refuse(item, "the branch has no `route`: where does it lead?");
            }
            if let Some(when) = keys.when.as_ref().filter(|when| when.text().is_none()) {
                let mut below = below.below("when");
                below.expect(when, "a condition, which is a text");
            }
            let condition = |text: Text| Condition {
                parsed: expression::parse(&text.text),
                text,
            };
            Branch {
                is_open: keys.when.is_none(),
                when: keys.when.as_ref().and_then(as_text).map(condition),
                route: keys.route,
                line: item.line,
                value: None,
            }
        });
        let branches = branches.collect();
        node.is_list().then_some(OnResult { field: None, branches })
    };
}

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

/// How control leaves a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Via {
    /// By `on_success`, or to `done` where no route is given.
    Success,
    /// By `on_failure`.
    Failure,
    /// By `on_context_limit`.
    ContextLimit,
    /// By `on_exhausted`, or because nothing is written down.
    Exhausted,
    /// By `on_skip`, or by the route that is chosen for a skipped step.
    Skip,
    /// By the branch without a condition.
    Default,
    /// By the branch of this number, or by this value of the field, depending on the form of `on_result`.
    #[strum(to_string = "result[{0}]")]
    Result(String),
    /// By `on_failure`, because no branch or value fits.
    NoMatch,
    /// Around a step that may not run.
    Bypass,
}

impl Serialize for Via {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Via {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let key = text.strip_prefix("result[");
        if let Some(key) = key.and_then(|key| key.strip_suffix(']')) {
            return Ok(Self::Result(key.to_owned()));
        }
        let via = text.parse().ok();
        via.ok_or_else(|| D::Error::custom(format_args!("there is no edge {text:?}")))
    }
}

/// A route that is written down.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// How control takes it.
    pub via: Via,
    /// Its key in the step: `on_success`, `on_result[0]`, `on_result.routes.VALUE`.
    pub field: String,
    /// Where it leads.
    pub to: &'a Text,
}

/// Routing by result: the first branch whose condition holds.
#[derive(Clone, Debug)]
pub struct OnResult {
    /// The field whose text decides, where the file gives routes by value; an empty text where `field` is missing.
    pub field: Option<Text>,
    /// In the order of the file.
    pub branches: Vec<Branch>,
}

/// One branch, or one value of the field with its route.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Whether the file gives no condition for it.
    pub is_open: bool,
    /// When it is taken; without a condition it is the default.
    pub when: Option<Condition>,
    /// Where it leads; `None` when it is missing.
    pub route: Option<Text>,
    /// Its line.
    pub line: u32,
    /// The value of the field, where the file gives routes by value; the condition is that the field has it.
    pub value: Option<Text>,
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
    fn of_value(field: &Text, value: Text, route: Text) -> Self {
        let parsed = Expression::Compare {
            left: Operand::Reference(Reference::of_result(field.trim())),
            comparison: Comparison::Equal,
            right: Operand::Literal(value.text.clone()),
        };
        Self {
            is_open: false,
            when: Some(Condition {
                text: value.clone(),
                parsed: Ok(parsed),
            }),
            route: Some(route),
            line: value.line,
            value: Some(value),
        }
    }

    /// Whether it needs no condition: it has none, or `true`.
    pub fn is_default(&self) -> bool {
        self.is_open || self.condition().is_some_and(Expression::is_always)
    }

    /// Its condition, where it has one that can be read.
    pub fn condition(&self) -> Option<&Expression> {
        self.when.as_ref()?.parsed.as_ref().ok()
    }

    /// How control leaves by this branch; `at` is its number.
    pub(crate) fn via(&self, at: usize) -> Via {
        match &self.value {
            Some(value) => Via::Result(value.text.clone()),
            None if self.is_default() => Via::Default,
            None => Via::Result(at.to_string()),
        }
    }

    /// Its key in the step; `at` is its number.
    pub(crate) fn field(&self, at: usize) -> String {
        match &self.value {
            Some(value) => format!("on_result.routes.{}", value.text),
            None => format!("on_result[{at}]"),
        }
    }
}

impl OnResult {
    /// All routes in order.
    pub fn routes(&self) -> Vec<Written<'_>> {
        let branches = self.branches.iter().enumerate();
        let written = branches.filter_map(|(at, branch)| {
            Some(Written {
                via: branch.via(at),
                field: branch.field(at),
                to: branch.route.as_ref()?,
            })
        });
        written.collect()
    }

    /// The first default route.
    pub fn default_route(&self) -> Option<&Text> {
        let mut branches = self.branches.iter();
        branches.find(|branch| branch.is_default())?.route.as_ref()
    }
}
