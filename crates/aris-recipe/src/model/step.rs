//! A step.

use std::collections::BTreeSet;

use crate::expression::Namespace;
use crate::model::route::{Capture, OnResult};
use crate::model::{DEFAULT_RETRIES, ESCALATE};
use crate::template::Template;
use aris_yaml::{Node, Text};

/// The tool that starts a headless agent session.
pub const AGENT_TOOL: &str = "run_skill";
/// The tool that runs a shell command.
pub const COMMAND_TOOL: &str = "run_cmd";

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A headless agent session.
    Agent,
    /// A shell command.
    Command,
    /// Another tool.
    Tool(&'a str),
    /// A callable.
    Python(&'a str),
    /// A literal.
    Constant,
    /// Only routing.
    Route,
    /// An end.
    Stop,
    /// A question to a person.
    Confirm,
    /// A placeholder for another recipe.
    SubRecipe(&'a str),
    /// An action that there is none of.
    UnknownAction(&'a str),
    /// Nothing at all.
    Nothing,
}

/// A step. Fields hold what has the right type; whatever else the file says is in `node`.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it was read from.
    pub node: Node,
    /// Its name, unique in the recipe.
    pub name: String,
    /// Line of its name.
    pub line: u32,
    /// The sub-recipe it came from, if it did; lines are that file's then.
    pub origin: Option<String>,
    /// A tool.
    pub tool: Option<Text>,
    /// `route`, `stop` or `confirm`.
    pub action: Option<Text>,
    /// Dotted path of a callable.
    pub python: Option<Text>,
    /// A literal.
    pub constant: Option<Node>,
    /// Name of another recipe.
    pub sub_recipe: Option<Text>,
    /// The input that switches the sub-recipe on.
    pub gate: Option<Text>,
    /// Arguments in the order of the file.
    pub with: Vec<(Text, Node)>,
    /// Captures of texts.
    pub capture: Vec<Capture>,
    /// Captures of lists.
    pub capture_list: Vec<Capture>,
    /// Captures that also count after a full context window.
    pub capture_partial: Vec<Text>,
    /// Route after success.
    pub on_success: Option<Text>,
    /// Route after failure.
    pub on_failure: Option<Text>,
    /// Route after a full context window.
    pub on_context_limit: Option<Text>,
    /// Routing by result.
    pub on_result: Option<OnResult>,
    /// Route after an exhausted budget, where the file says one.
    pub on_exhausted: Option<Text>,
    /// Where an exhausted budget leads when the file does not say, for a step of a sub-recipe: where the sub-recipe's `escalate`
    /// leads.
    pub implied_exhausted: Option<String>,
    /// Route when the step is skipped.
    pub on_skip: Option<Text>,
    /// `inputs.<name>` that must not be false for the step to run.
    pub skip_when_false: Option<Text>,
    /// Documentation flag.
    pub optional: bool,
    /// Variables that may be read before anything captured them.
    pub optional_context_refs: Vec<Text>,
    /// Whether a run that ends at this stop step has failed.
    pub failed: bool,
    /// What is said to a person.
    pub message: Option<Text>,
    /// Never interpreted.
    pub note: Option<Text>,
    /// Never interpreted.
    pub description: Option<Text>,
    /// The agent's model.
    pub model: Option<Text>,
    /// A region with a budget.
    pub block: Option<Text>,
    /// Captures for people and hooks.
    pub observability: Vec<Text>,
    /// Files whose bytes count where an equal result is looked for; `None`: results are not kept for later runs.
    pub cache: Option<Vec<String>>,
}

impl Step {
    /// What it does. Of several discriminators the first of tool, action, python, constant, `sub_recipe` counts.
    pub fn kind(&self) -> Kind<'_> {
        if let Some(tool) = &self.tool {
            return match tool.text.as_str() {
                AGENT_TOOL => Kind::Agent,
                COMMAND_TOOL => Kind::Command,
                other => Kind::Tool(other),
            };
        }
        if let Some(action) = &self.action {
            return match action.text.as_str() {
                "route" => Kind::Route,
                "stop" => Kind::Stop,
                "confirm" => Kind::Confirm,
                other => Kind::UnknownAction(other),
            };
        }
        if let Some(python) = &self.python {
            Kind::Python(&python.text)
        } else if self.constant.is_some() {
            Kind::Constant
        } else if let Some(name) = &self.sub_recipe {
            Kind::SubRecipe(&name.text)
        } else {
            Kind::Nothing
        }
    }

    /// Whether it is a stop step.
    pub fn is_stop(&self) -> bool {
        self.kind() == Kind::Stop
    }

    /// Re-executions of a transient outcome; the default where the file says nothing usable.
    pub fn retries(&self) -> u32 {
        self.declared("retries").unwrap_or(DEFAULT_RETRIES)
    }

    /// Executions per run section, where the file says a usable number.
    pub fn max_visits(&self) -> Option<u32> {
        self.declared("max_visits")
    }

    /// Seconds after which a session counts as stale, where the file says a usable number.
    pub fn stale_threshold(&self) -> Option<u32> {
        self.declared("stale_threshold")
            .filter(|seconds| *seconds > 0)
    }

    /// Seconds without output after which a session is ended; 0 is never.
    pub fn idle_output_timeout(&self) -> Option<u32> {
        self.declared("idle_output_timeout")
    }

    /// Where an exhausted budget leads: `escalate` unless the file says otherwise.
    pub fn exhausted_route(&self) -> &str {
        let declared = self.on_exhausted.as_ref().map(|route| route.text.as_str());
        declared
            .or(self.implied_exhausted.as_deref())
            .unwrap_or(ESCALATE)
    }

    /// The input that decides whether the step is skipped.
    pub fn skip_input(&self) -> Option<&str> {
        self.skip_when_false
            .as_ref()
            .and_then(|text| text.text.trim().strip_prefix("inputs."))
    }

    /// Fields of the result that are collected as lists.
    pub fn list_fields(&self) -> BTreeSet<String> {
        let references = self
            .capture_list
            .iter()
            .flat_map(|capture| capture.template.references());
        references
            .filter(|reference| reference.namespace == Namespace::Result)
            .map(|reference| reference.name().to_owned())
            .collect()
    }

    /// All routes that are written down, each with its field, in a fixed order.
    pub fn routes(&self) -> Vec<(String, &Text)> {
        let mut all: Vec<(String, &Text)> = [
            ("on_success", &self.on_success),
            ("on_failure", &self.on_failure),
            ("on_context_limit", &self.on_context_limit),
            ("on_exhausted", &self.on_exhausted),
            ("on_skip", &self.on_skip),
        ]
        .into_iter()
        .filter_map(|(field, route)| Some((field.to_owned(), route.as_ref()?)))
        .collect();
        match &self.on_result {
            Some(OnResult::List(branches)) => {
                all.extend(branches.iter().enumerate().filter_map(|(at, branch)| {
                    Some((format!("on_result[{at}]"), branch.route.as_ref()?))
                }));
            }
            Some(OnResult::Field { routes, .. }) => {
                all.extend(
                    routes
                        .iter()
                        .map(|(key, route)| (format!("on_result.routes.{}", key.text), route)),
                );
            }
            None => {}
        }
        all
    }

    /// Arguments that are texts, as templates.
    pub fn with_templates(&self) -> impl Iterator<Item = (&Text, Template)> {
        self.with
            .iter()
            .filter_map(|(key, value)| Some((key, Template::parse(value.text()?))))
    }

    fn declared(&self, key: &str) -> Option<u32> {
        self.node
            .get(key)
            .and_then(Node::integer)
            .and_then(|number| u32::try_from(number).ok())
    }

    /// All routes that are written down, each with whether it is taken when the work was not done.
    pub(crate) fn routes_mut(&mut self) -> Vec<(&mut Text, bool)> {
        let fixed = [
            (&mut self.on_success, false),
            (&mut self.on_failure, true),
            (&mut self.on_context_limit, true),
            (&mut self.on_exhausted, true),
            (&mut self.on_skip, false),
        ];
        let written = fixed
            .into_iter()
            .filter_map(|(route, is_failure)| Some((route.as_mut()?, is_failure)));
        let mut all: Vec<(&mut Text, bool)> = written.collect();
        if let Some(on_result) = &mut self.on_result {
            all.extend(
                on_result
                    .routes_mut()
                    .into_iter()
                    .map(|route| (route, false)),
            );
        }
        all
    }
}
