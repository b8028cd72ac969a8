//! A step.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

use super::keys::{Reader, demand, keys, kinds};
use super::kinds::{
    Anything, Arguments, Cache, Capture, Captures, Dotted, Lenses, Route, Truth, Whole, Word, Words,
};
use super::route::{Branch, OnResult, Results, Via, Written};
use crate::expression::{Expression, Namespace, Reference};
use crate::model::{DEFAULT_RETRIES, ESCALATE};
use crate::near::nearest;
use crate::rules::Id;
use crate::template::Template;
use aris_yaml::{Node, Text};
use indexmap::IndexMap;

/// The tool that starts a headless agent session.
pub const AGENT_TOOL: &str = "run_skill";
/// The tool that runs a shell command.
pub const COMMAND_TOOL: &str = "run_cmd";

/// Keys that say what a step does.
const DISCRIMINATORS: [&str; 5] = ["tool", "action", "python", "constant", "sub_recipe"];
/// Steps that call nothing.
const ACTIONS: [&str; 3] = ["route", "stop", "confirm"];

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
    /// An action that does not exist.
    UnknownAction(&'a str),
    /// Nothing at all.
    Nothing,
}

keys! {
    /// A step. It says by exactly one of `tool`, `action`, `python`, `constant` and `sub_recipe` what it does.
    pub StepKeys, schema StepFile refined by refine_step, keys of others ELSEWHERE;
    /// A tool: `run_skill` is an agent's session, `run_cmd` a shell command.
    tool: Word => Option<Text>,
    /// `route` does nothing but routing, `stop` ends the run, `confirm` asks a person.
    action: Word => Option<Text>,
    /// A callable, as `module.function`.
    python: Dotted => Option<Text>,
    /// A literal: no call is made, and it is the `value` of the result.
    constant: Anything => Option<Node>,
    /// Another recipe, whose steps take the place of this one when `gate` is on.
    sub_recipe: Word => Option<Text>,
    /// The input that switches the sub-recipe on.
    gate: Word => Option<Text>,
    /// Arguments. Texts are templates: `${{ inputs.x }}`, `${{ context.x }}`.
    with: Arguments => Vec<(Text, Node)>,
    /// Calls of the tool at the same time: each name with the values that it has in turn, a list or a template for one. `{name}` in `with`
    /// stands for the value. The step succeeds when all calls do.
    lenses: Lenses => Vec<(Text, Node)>,
    /// What is kept of the result: variable to template, as in `verdict: "${{ result.verdict }}"`.
    capture: Captures => Vec<Capture>,
    /// The same for lists, over all results of one visit.
    capture_list: Captures => Vec<Capture>,
    /// Captures that also count when the agent's context was full, or some lenses failed.
    capture_partial: Words => Vec<Text>,
    /// Where success leads.
    on_success: Route => Option<Text>,
    /// Where failure leads.
    on_failure: Route => Option<Text>,
    /// Where it leads when the agent's context is full; without it, where failure leads.
    on_context_limit: Route => Option<Text>,
    /// Where the result leads, instead of `on_success`.
    on_result: Results => Option<OnResult>,
    /// Tries after an outcome that another try may mend; 3 where nothing is said.
    retries: Whole<0> => Option<u32>,
    /// Where it leads when nothing more can be tried; `escalate` where nothing is said.
    on_exhausted: Route => Option<Text>,
    /// Where it leads when the step is skipped.
    on_skip: Route => Option<Text>,
    /// `inputs.NAME`: the step is skipped when that input is false.
    skip_when_false: Word => Option<Text>,
    /// Says to readers that the run can do without the step.
    optional: Truth => bool,
    /// Variables that may be empty when the step reads them.
    optional_context_refs: Words => Vec<Text>,
    /// How often the step may be executed in one section of a run.
    max_visits: Whole<1> => Option<u32>,
    /// Whether a run that ends at this stop step has failed.
    failed: Truth => bool,
    /// What a person is told or asked; a template.
    message: Word => Option<Text>,
    /// For people; never interpreted.
    note: Word => Option<Text>,
    /// For people; never interpreted.
    description: Word => Option<Text>,
    /// The agent's model.
    model: Word => Option<Text>,
    /// Seconds after which an agent's session counts as stale.
    stale_threshold: Whole<1> => Option<u32>,
    /// Seconds without output after which an agent's session is ended; 0 is never.
    idle_output_timeout: Whole<0> => Option<u32>,
    /// A group of steps with a budget.
    block: Word => Option<Text>,
    /// Captures for people and hooks, which no step has to read.
    observability: Words => Vec<Text>,
    /// Whether an equal step of an earlier run is not done again; a list names files whose bytes count, too.
    cache: Cache => Option<Vec<String>>,
}

/// Keys of other languages, and what to write here instead.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["cmd", "command", "run", "script", "shell", "bash"],
        "write `tool: run_cmd` and `with: {cmd: ...}`",
    ),
    (
        &["prompt", "skill", "agent", "uses"],
        "write `tool: run_skill` and `with: {skill_command: ...}`",
    ),
    (
        &["next", "then", "goto", "depends_on", "needs"],
        "write `on_success: STEP`, and `on_failure: STEP`",
    ),
    (
        &["if", "when", "condition"],
        "write `on_result: [{when: ..., route: STEP}, {route: STEP}]`",
    ),
];

/// Whether an unknown key may be meant as the route after success.
pub(crate) fn may_be_route(key: &str) -> bool {
    let mut elsewhere = ELSEWHERE.iter();
    let routes = ["on_success", "on_result"];
    elsewhere.any(|(keys, hint)| keys.contains(&key) && hint.starts_with("write `on_"))
        || !nearest(key, routes.into_iter()).is_empty()
}

/// The sub-recipe that a step came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its file; its name where the file is not known.
    pub file: String,
    /// What precedes the names of its steps here.
    pub prefix: String,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name, unique in the recipe.
    pub name: String,
    /// Line of its name.
    pub line: u32,
    /// Where it came from, for a step of a sub-recipe; then lines are those of that file.
    pub origin: Option<Origin>,
    /// For a step of a sub-recipe: where an exhausted budget leads when the file does not say, which is where the sub-recipe's `escalate`
    /// leads.
    pub implied_exhausted: Option<String>,
    keys: StepKeys,
}

impl Deref for Step {
    type Target = StepKeys;

    fn deref(&self) -> &StepKeys {
        &self.keys
    }
}

impl DerefMut for Step {
    fn deref_mut(&mut self) -> &mut StepKeys {
        &mut self.keys
    }
}

kinds! {
    /// All steps, by name, in order.
    Steps: Vec<Step>,
    ("Steps", |generator| {
        let mut steps = <BTreeMap<String, StepFile>>::json_schema(generator);
        steps.insert(String::from("minProperties"), serde_json::json!(1));
        steps
    }),
    |node, reader| {
        if !node.is_map() {
            reader.expect(node, "a mapping from names to steps");
        }
        // Of two steps with one name the later one counts, in the place of the earlier.
        let mut steps: IndexMap<&str, Step> = IndexMap::new();
        for (name, value) in node.entries() {
            let mut below = reader.below(&name.text);
            if !value.is_map() {
                below.expect(value, "a mapping");
                continue;
            }
            let step = Step {
                name: name.text.clone(),
                line: name.line,
                origin: None,
                implied_exhausted: None,
                keys: StepKeys::read_keys(value, &mut below),
            };
            step.check(value, (name.line, name.column), &mut below);
            steps.insert(name, step);
        }
        steps.into_values().collect()
    };
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

    /// Re-executions of a transient outcome; the default where the file gives no valid number.
    pub fn retries(&self) -> u32 {
        self.keys.retries.unwrap_or(DEFAULT_RETRIES)
    }

    /// Checks what the keys of one step demand of each other; the schema demands the same.
    fn check(&self, node: &Node, place: (u32, u32), reader: &mut Reader<'_>) {
        let mut tell = |message: &str| reader.tell(Id::Schema, place, message.to_owned());
        let is_blank = |text: &Option<Text>| text.as_deref().unwrap_or_default().trim().is_empty();
        let given = |key: &&str| node.get(key).is_some_and(|value| !value.is_null());
        let kinds: Vec<&str> = DISCRIMINATORS.into_iter().filter(given).collect();
        match kinds.as_slice() {
            [] => tell(&format!(
                "the step does nothing; it needs one of {}",
                DISCRIMINATORS.join(", ")
            )),
            [_] => {}
            several => tell(&format!(
                "the step has {}; it can do one thing only",
                several.join(" and ")
            )),
        }
        let mut demand = |what: &str, demanded: &[(&str, bool)]| {
            for (key, _) in demanded.iter().filter(|(_, is_there)| !is_there) {
                tell(&format!("{what} has no `{key}`"));
            }
        };
        let success = ("on_success", self.on_success.is_some());
        match self.kind() {
            Kind::Stop if is_blank(&self.message) => {
                tell("the stop step has no `message` that says why the run ends here");
            }
            Kind::Confirm => {
                let message = ("message", !is_blank(&self.message));
                let failure = ("on_failure", self.on_failure.is_some());
                demand("the confirm step", &[message, success, failure]);
            }
            Kind::SubRecipe(_) => {
                let gate = ("gate", self.gate.is_some());
                demand("the step places a sub-recipe and", &[gate, success]);
            }
            Kind::UnknownAction(action) => {
                let near = nearest(action, ACTIONS.into_iter());
                tell(&format!(
                    "there is no action `{action}`, only route, stop and confirm{near}"
                ));
            }
            _ => {}
        }
        if self.on_result.is_some() && self.on_success.is_some() {
            tell(
                "the step has `on_result` and `on_success`; after a success only one of them can decide",
            );
        }
        if self.constant.is_some() && !self.with.is_empty() {
            tell("a constant makes no call and takes no arguments; remove `with`");
        }
        if !self.lenses.is_empty() && self.tool.is_none() && self.python.is_none() {
            tell(
                "the step has `lenses` and calls nothing; they are for steps with `tool` or `python`",
            );
        }
        if self.optional && self.skip_when_false.is_none() {
            tell("the step is optional and has no `skip_when_false` that says when it is left out");
        }
    }

    /// Whether a capture also counts when the session did not finish.
    pub fn captures_partly(&self, capture: &Capture) -> bool {
        let mut named = self.capture_partial.iter();
        named.any(|name| name.text == capture.variable.text)
    }

    /// Where an exhausted budget leads: `escalate` unless the file says otherwise.
    pub fn exhausted_route(&self) -> &str {
        let declared = self.on_exhausted.as_deref();
        declared
            .or(self.implied_exhausted.as_deref())
            .unwrap_or(ESCALATE)
    }

    /// The input that decides whether the step is skipped.
    pub fn skip_input(&self) -> Option<&str> {
        let input = self.skip_when_false.as_deref()?;
        input.trim().strip_prefix("inputs.")
    }

    /// All captures, of texts and of lists.
    pub fn captures(&self) -> impl Iterator<Item = &Capture> {
        self.capture.iter().chain(&self.capture_list)
    }

    /// Whether it captures a variable.
    pub fn captures_as(&self, variable: &str) -> bool {
        self.captures().any(|one| one.variable.text == variable)
    }

    /// Whether a variable may be empty when the step reads it.
    pub fn may_lack(&self, variable: &str) -> bool {
        let mut optional = self.optional_context_refs.iter();
        optional.any(|name| name.text == variable)
    }

    /// The branches by result.
    pub fn branches(&self) -> &[Branch] {
        let on_result = self.on_result.as_ref();
        on_result.map_or(&[], |on_result| &on_result.branches)
    }

    /// The branch by which control leaves, and its number.
    pub(crate) fn branch(&self, via: &Via) -> Option<(usize, &Branch)> {
        let Via::Result(key) = via else {
            return None;
        };
        let mut branches = self.branches().iter();
        let of_value = |branch: &Branch| branch.value.as_deref() == Some(key);
        let at = match self.by_field() {
            Some(_) => branches.position(of_value),
            None => key.parse().ok(),
        }?;
        Some((at, self.branches().get(at)?))
    }

    /// The field whose text decides, where the file gives routes by value.
    pub fn by_field(&self) -> Option<&Text> {
        self.on_result.as_ref()?.field.as_ref()
    }

    /// The readable conditions of the branches: number, text, meaning.
    pub fn conditions(&self) -> impl Iterator<Item = (usize, &Text, &Expression)> {
        let branches = self.branches().iter().enumerate();
        branches
            .filter_map(|(at, branch)| Some((at, &branch.when.as_ref()?.text, branch.condition()?)))
    }

    /// What these conditions read.
    pub fn asks(&self) -> impl Iterator<Item = &Reference> {
        let conditions = self.conditions();
        conditions.flat_map(|(_, _, condition)| condition.references())
    }

    /// Fields of the result that are collected as lists.
    pub fn list_fields(&self) -> BTreeSet<String> {
        let captures = self.capture_list.iter();
        let references = captures.flat_map(|capture| capture.template.references());
        let own = references.filter(|reference| reference.namespace == Namespace::Result);
        own.map(|reference| reference.name().to_owned()).collect()
    }

    /// Fields of the result by which the step is routed or which it captures.
    pub fn result_fields(&self) -> impl Iterator<Item = String> {
        let captures = self.capture.iter().chain(&self.capture_list);
        let captured = captures.flat_map(|capture| capture.template.references());
        let conditions = self.conditions();
        let routed = conditions.flat_map(|(_, _, condition)| condition.references());
        let read = captured.chain(routed);
        let own = read.filter(|reference| reference.namespace == Namespace::Result);
        own.map(|reference| reference.name().to_owned())
    }

    /// All routes that are written down, in a fixed order.
    pub fn routes(&self) -> Vec<Written<'_>> {
        let own = [
            (Via::Success, &self.on_success),
            (Via::Failure, &self.on_failure),
            (Via::ContextLimit, &self.on_context_limit),
            (Via::Exhausted, &self.on_exhausted),
            (Via::Skip, &self.on_skip),
        ];
        let own = own.into_iter().filter_map(|(via, route)| {
            Some(Written {
                field: format!("on_{via}"),
                to: route.as_ref()?,
                via,
            })
        });
        own.chain(self.on_result.iter().flat_map(OnResult::routes))
            .collect()
    }

    /// The texts in arguments and in lenses as templates, those in lists and mappings too.
    pub fn with_templates(&self) -> impl Iterator<Item = (&Text, Template)> {
        let texts = self.with.iter().chain(&self.lenses);
        texts.flat_map(|(key, value)| {
            let mut found = Vec::new();
            let mut open = vec![value];
            while let Some(node) = open.pop() {
                found.extend(node.text().map(|text| (key, Template::parse(text))));
                open.extend(node.items().iter().rev());
                open.extend(node.entries().iter().rev().map(|(_, value)| value));
            }
            found
        })
    }

    pub(crate) fn branches_mut(&mut self) -> impl Iterator<Item = &mut Branch> {
        let on_result = self.keys.on_result.iter_mut();
        on_result.flat_map(|on_result| &mut on_result.branches)
    }

    /// All routes that are written down, each with whether it is taken when the step's work was not done.
    pub(crate) fn routes_mut(&mut self) -> Vec<(&mut Text, bool)> {
        let keys = &mut self.keys;
        let fixed = [
            (&mut keys.on_success, false),
            (&mut keys.on_failure, true),
            (&mut keys.on_context_limit, true),
            (&mut keys.on_exhausted, true),
            (&mut keys.on_skip, false),
        ];
        let written = fixed
            .into_iter()
            .filter_map(|(route, is_failure)| Some((route.as_mut()?, is_failure)));
        let mut all: Vec<(&mut Text, bool)> = written.collect();
        let results = keys.on_result.iter_mut();
        let results = results.flat_map(|on_result| &mut on_result.branches);
        all.extend(results.filter_map(|branch| Some((branch.route.as_mut()?, false))));
        all
    }
}

/// Adds to the schema what one key demands of others: keys that must be there, and keys that must not.
fn refine_step(schema: &mut schemars::Schema) {
    demand("")(schema);
    let one = DISCRIMINATORS.map(|kind| serde_json::json!({"required": [kind]}));
    schema.insert(String::from("oneOf"), serde_json::json!(one));
    if let Some(action) = schema.pointer_mut("/properties/action") {
        action["enum"] = serde_json::json!(ACTIONS);
    }
    let is = |action: &str| serde_json::json!({"required": ["action"], "properties": {"action": {"const": action}}});
    let said = serde_json::json!({"message": {"pattern": "\\S"}});
    schema.insert(
        String::from("allOf"),
        serde_json::json!([
            {"if": is("stop"), "then": {"required": ["message"], "properties": said}},
            {"if": is("confirm"), "then": {"required": ["message", "on_success", "on_failure"], "properties": said}},
            {"not": {"required": ["on_success", "on_result"]}},
            {"not": {"required": ["constant", "with"]}},
            {"if": {"required": ["lenses"]}, "then": {"anyOf": [{"required": ["tool"]}, {"required": ["python"]}]}},
            {"if": {"required": ["optional"], "properties": {"optional": {"enum": [true, "yes", "on"]}}}, "then": {"required": ["skip_when_false"]}}
        ]),
    );
    schema.insert(
        String::from("dependentRequired"),
        serde_json::json!({"sub_recipe": ["gate", "on_success"]}),
    );
}
