//! What the rules read: the recipe, and what several rules need, computed once.

use std::collections::{BTreeMap, BTreeSet};

use super::data::SkillContract;
use super::skill_name::Called;
use super::{Data, Profile};
use crate::expression::{Comparison, Expression, Namespace, Reference};
use crate::graph::{Graph, reversed};
use crate::model::{Capture, Kind, Origin, Recipe, Step};
use crate::near::nearest;
use crate::template::Template;
use aris_yaml::{Node, Text};

/// A recipe, and what is known about it.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) data: &'a Data,
    pub(super) profile: Profile,
    pub(super) graph: Graph,
    /// One entry for each step, in order.
    pub(super) facts: Vec<Facts<'a>>,
    /// Names of inputs.
    pub(super) inputs: BTreeSet<&'a str>,
    /// Steps that capture each variable.
    pub(super) producers: BTreeMap<&'a str, Vec<usize>>,
    /// Values of variables that are only ever captured from outputs whose values are known.
    variables: BTreeMap<&'a str, Values<'a>>,
    /// Successors of each step, also around skippable steps.
    pub(super) successors: Vec<Vec<usize>>,
    /// The reverse.
    pub(super) predecessors: Vec<Vec<usize>>,
}

/// Values that a variable or a field can have, where all are known.
pub(super) type Values<'a> = BTreeSet<&'a str>;

/// A step, and what is known about it.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) step: &'a Step,
    /// Arguments that are texts.
    pub(super) with: Vec<(&'a Text, Template)>,
    /// The skill that an agent step calls, when its name is known.
    pub(super) skill: Option<Called<'a>>,
    /// Its contract, where the manifest has one.
    pub(super) contract: Option<&'a SkillContract>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(recipe: &'a Recipe, data: &'a Data, profile: Profile) -> Self {
        let graph = Graph::of(recipe);
        let successors = graph.successors(recipe.steps.len(), true);
        let mut producers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, step) in recipe.steps.iter().enumerate() {
            for capture in step.captures() {
                let list = producers.entry(&capture.variable.text).or_default();
                if list.last() != Some(&at) {
                    list.push(at);
                }
            }
        }
        let inputs = recipe.ingredients.iter();
        let facts = |step| Facts::of(step, data);
        let facts: Vec<Facts<'_>> = recipe.steps.iter().map(facts).collect();
        Self {
            variables: values_of_variables(&facts, &producers),
            facts,
            inputs: inputs.map(|input| input.name.text.as_str()).collect(),
            recipe,
            data,
            profile,
            graph,
            producers,
            predecessors: reversed(&successors),
            successors,
        }
    }

    /// Steps with their places, placeholders included.
    pub(super) fn steps(&self) -> impl Iterator<Item = (usize, &Facts<'a>)> {
        self.facts.iter().enumerate()
    }

    /// A number for each variable that is captured.
    pub(super) fn numbers(&self) -> BTreeMap<&'a str, usize> {
        self.producers.keys().copied().zip(0..).collect()
    }

    pub(super) fn step(&self, at: usize) -> &'a Step {
        self.facts[at].step
    }

    /// Names of steps.
    pub(super) fn names<'s>(&self, steps: impl IntoIterator<Item = &'s usize>) -> Vec<&'a str> {
        let steps = steps.into_iter();
        steps.map(|at| self.step(*at).name.as_str()).collect()
    }

    /// The same in alphabetical order.
    pub(super) fn sorted_names(&self, steps: &[usize]) -> Vec<String> {
        let mut names: Vec<String> = steps.iter().map(|at| self.step(*at).name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// The values that a reference of a step can have, where all are known.
    pub(super) fn values(&self, at: usize, reference: &Reference) -> Option<Values<'a>> {
        match reference.namespace {
            Namespace::Result => self.facts[at].contract?.values(reference.name()),
            Namespace::Context => self.variables.get(reference.name()).cloned(),
            Namespace::Inputs => None,
        }
    }

    /// For a name that is not an input: a suggestion for the end of a message, which may be empty.
    pub(super) fn no_input(&self, name: &str) -> Option<String> {
        (!self.inputs.contains(name)).then(|| nearest(name, self.inputs.iter().copied()))
    }

    /// A suggestion of a captured variable for the end of a message.
    pub(super) fn near_variable(&self, name: &str) -> String {
        nearest(name, self.producers.keys().copied())
    }

    /// A suggestion of a step for the end of a message; `origin` is that of the step which names it.
    pub(super) fn near_step(&self, name: &str, origin: Option<&Origin>) -> String {
        let names = self.recipe.steps.iter().map(|step| {
            let own = origin.and_then(|origin| step.name.strip_prefix(&origin.prefix));
            own.unwrap_or(&step.name)
        });
        nearest(name, names)
    }

    /// The steps that can be reached from some steps, these included; `barrier` steps are reached and not left.
    pub(super) fn reach(&self, from: &[usize], barrier: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        reach(&self.successors, from, barrier)
    }
}

fn values_of_variables<'a>(
    facts: &[Facts<'a>],
    producers: &BTreeMap<&'a str, Vec<usize>>,
) -> BTreeMap<&'a str, Values<'a>> {
    let known = producers.iter().filter_map(|(variable, steps)| {
        let mut values = Values::new();
        for facts in steps.iter().map(|at| &facts[*at]) {
            let captures = facts.step.captures();
            for capture in captures.filter(|capture| capture.variable.text == *variable) {
                values.extend(facts.contract?.values(captured_field(capture)?)?);
            }
        }
        Some((*variable, values))
    });
    known.collect()
}

/// The steps that can be reached over `edges`; see [`Scope::reach`].
pub(super) fn reach(
    edges: &[Vec<usize>],
    from: &[usize],
    barrier: impl Fn(usize) -> bool,
) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = from.to_vec();
    while let Some(at) = open.pop() {
        if let Some(next) = edges.get(at)
            && seen.insert(at)
            && !barrier(at)
        {
            open.extend(next);
        }
    }
    seen
}

/// The nearest wanted step over `edges`, at most `hops` steps away.
pub(super) fn nearest_step(
    edges: &[Vec<usize>],
    from: usize,
    hops: Option<usize>,
    wanted: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut front: BTreeSet<usize> = edges[from].iter().copied().collect();
    let mut hops = hops.unwrap_or(usize::MAX);
    while !front.is_empty() && hops > 0 {
        hops -= 1;
        if let Some(found) = front.iter().find(|at| wanted(**at)) {
            return Some(*found);
        }
        seen.extend(&front);
        let next = front.iter().flat_map(|at| &edges[*at]);
        front = next.copied().filter(|at| !seen.contains(at)).collect();
    }
    None
}

impl<'a> Facts<'a> {
    fn of(step: &'a Step, data: &'a Data) -> Self {
        let command = argument(step, "skill_command").filter(|_| step.kind() == Kind::Agent);
        let skill = command.and_then(Called::read);
        let known = data.manifest.as_ref().zip(skill);
        Self {
            step,
            with: step.with_templates().collect(),
            skill,
            contract: known.and_then(|(manifest, skill)| manifest.skills.get(skill.name)),
        }
    }

    /// References of one namespace in arguments, each with the argument.
    pub(super) fn reads(
        &self,
        namespace: Namespace,
    ) -> impl Iterator<Item = (&'a Text, &Reference)> {
        self.with.iter().flat_map(move |(key, template)| {
            let references = template.references();
            let own = references.filter(move |reference| reference.namespace == namespace);
            own.map(|reference| (*key, reference))
        })
    }
}

fn argument_node<'a>(step: &'a Step, key: &str) -> Option<&'a Node> {
    let mut arguments = step.with.iter().rev();
    let found = arguments.find(|(name, _)| name.text == key)?;
    Some(&found.1)
}

/// An argument's text.
pub(super) fn argument<'a>(step: &'a Step, key: &str) -> Option<&'a str> {
    argument_node(step, key)?.text()
}

/// An argument's line; the step's when it is absent.
pub(super) fn argument_line(step: &Step, key: &str) -> u32 {
    argument_node(step, key).map_or(step.line, |node| node.line)
}

/// Whether a step calls a tool, an agent, a command or a callable.
pub(super) fn is_call(step: &Step) -> bool {
    step.tool.is_some() || step.python.is_some()
}

/// The field of the result that a capture takes whole and unfiltered, if it takes one.
pub(super) fn captured_field(capture: &Capture) -> Option<&str> {
    let reference = capture.template.references().next()?;
    let is_field = reference.namespace == Namespace::Result && reference.is_plain();
    is_field.then(|| reference.name())
}

/// Comparisons between a reference and a literal.
pub(super) fn comparisons(expression: &Expression) -> Vec<(&Reference, Comparison, &str)> {
    let leaves = expression.leaves().into_iter();
    leaves.filter_map(Expression::comparison).collect()
}
