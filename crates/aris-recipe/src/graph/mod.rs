//! Where control can go: the routing graph of a recipe, its cycles, the bounds on them, and where skipped steps lead.

mod components;
mod draw;
mod skip;

use std::collections::{BTreeMap, BTreeSet};

pub use components::Components;
pub use draw::{dot, mermaid};
pub use skip::{Skip, SkipReason};

use crate::model::{Kind, Recipe, Step, Via};

/// One edge between two steps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Place of the step it leaves, in the order of the file, from 0.
    pub from: usize,
    /// Place of the step it leads to.
    pub to: usize,
    /// How control takes it.
    pub via: Via,
}

/// The routing graph of a recipe. Nodes are places of steps in the order of the file.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Routes that lead to a step, in the order of the file. Every step but actions and placeholders has an `on_exhausted` route, written
    /// or implied.
    pub routes: Vec<Edge>,
    /// Edges around steps that may not run: from each predecessor of a skippable step to where that may lead (only to `on_skip`, where it
    /// is given), and around placeholders to the next step.
    pub bypasses: Vec<Edge>,
    /// Strongly connected components of the routes, without bypasses.
    pub components: Components,
    /// Where each skippable step leads when it is skipped.
    pub skips: BTreeMap<usize, Skip>,
    /// How often each bounded step may be executed in one section of a run.
    pub bounds: BTreeMap<usize, u32>,
}

impl Graph {
    /// The graph of a recipe.
    pub fn of(recipe: &Recipe) -> Self {
        let routes = routes(recipe);
        let components = Components::of(&adjacency(recipe.steps.len(), routes.iter()));
        let steps = recipe.steps.iter().enumerate();
        let bounds =
            steps.filter_map(|(at, step)| Some((at, bound(step, components.is_cyclic(at))?)));
        Self {
            bounds: bounds.collect(),
            bypasses: bypasses(recipe, &routes),
            skips: skip::all(recipe),
            routes,
            components,
        }
    }

    /// Successors of each step, ascending and each once; with bypasses when asked for.
    pub fn successors(&self, steps: usize, with_bypasses: bool) -> Vec<Vec<usize>> {
        let more = self.bypasses.iter().filter(|_| with_bypasses);
        adjacency(steps, self.routes.iter().chain(more))
    }
}

/// How often a step may be executed: its `max_visits`, else one more than its `retries`, if it is on a cycle and has `on_exhausted`.
fn bound(step: &Step, on_cycle: bool) -> Option<u32> {
    if let Some(visits) = step.max_visits {
        return Some(visits);
    }
    let declared = step.retries.is_some() && step.on_exhausted.is_some();
    (declared && on_cycle && step.retries() > 0).then(|| step.retries().saturating_add(1))
}

fn adjacency<'a>(steps: usize, edges: impl Iterator<Item = &'a Edge>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); steps];
    for edge in edges {
        if let Some(list) = all.get_mut(edge.from) {
            list.push(edge.to);
        }
    }
    for list in &mut all {
        list.sort_unstable();
        list.dedup();
    }
    all
}

/// Predecessors of each node, ascending.
pub(crate) fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, all) in successors.iter().enumerate() {
        for to in all {
            predecessors[*to].push(from);
        }
    }
    predecessors
}

fn routes(recipe: &Recipe) -> Vec<Edge> {
    let mut all = Vec::new();
    for (from, step) in recipe.steps.iter().enumerate() {
        let mut add = |via: Via, route: &str| {
            if let Some(to) = recipe.position(route) {
                all.push(Edge { from, to, via });
            }
        };
        let written = step.routes().into_iter();
        let written = written.filter(|way| !matches!(way.via, Via::Exhausted | Via::Skip));
        written.for_each(|way| add(way.via, way.to));
        if step.action.is_none() && !matches!(step.kind(), Kind::SubRecipe(_)) {
            add(Via::Exhausted, step.exhausted_route());
        }
        if let Some(route) = &step.on_skip {
            add(Via::Skip, route);
        }
    }
    all
}

fn bypasses(recipe: &Recipe, routes: &[Edge]) -> Vec<Edge> {
    let predecessors = reversed(&adjacency(recipe.steps.len(), routes.iter()));
    let mut all = BTreeSet::new();
    for ((at, step), mut sources) in recipe.steps.iter().enumerate().zip(predecessors) {
        let targets: BTreeSet<usize> = if step.skip_when_false.is_some() {
            let is_way = |via: &Via| match &step.on_skip {
                Some(_) => *via == Via::Skip,
                None => matches!(via, Via::Success | Via::Default | Via::Result(_)),
            };
            let ways = step.routes().into_iter().filter(|way| is_way(&way.via));
            ways.filter_map(|way| recipe.position(way.to)).collect()
        } else if matches!(step.kind(), Kind::SubRecipe(_)) && at + 1 < recipe.steps.len() {
            sources.push(at);
            BTreeSet::from([at + 1])
        } else {
            continue;
        };
        for from in sources {
            let via = Via::Bypass;
            all.extend(targets.iter().map(|to| Edge {
                from,
                to: *to,
                via: via.clone(),
            }));
        }
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse;

    fn recipe(steps: &str) -> Recipe {
        parse(&format!("name: r\nsteps:\n{steps}")).unwrap()
    }

    #[test]
    fn routes_and_bypasses_have_their_kinds() {
        let recipe = recipe(
            "  a: {tool: run_cmd, on_success: b, on_failure: escalate}\n  \
               b: {tool: t, skip_when_false: inputs.x, on_failure: d, on_result: [{when: result.v == 1, route: c}, {route: a}]}\n  \
               c: {action: route, on_result: {field: v, routes: {GO: d, NO GO: done}}}\n  \
               d: {action: stop, message: m}\n  escalate: {action: stop, message: m}\n",
        );
        let graph = Graph::of(&recipe);
        let name = |at: usize| recipe.steps[at].name.as_str();
        let listed = |edges: &[Edge]| -> Vec<String> {
            edges
                .iter()
                .map(|edge| format!("{} {} {}", name(edge.from), edge.via, name(edge.to)))
                .collect()
        };
        assert_eq!(
            listed(&graph.routes),
            [
                "a success b",
                "a failure escalate",
                "a exhausted escalate",
                "b failure d",
                "b result[0] c",
                "b default a",
                "b exhausted escalate",
                "c result[GO] d"
            ]
        );
        assert_eq!(listed(&graph.bypasses), ["a bypass a", "a bypass c"]);
        assert_eq!(graph.components.cyclic(), [vec![0, 1]]);
    }

    #[test]
    fn a_bound_needs_both_words_and_a_cycle() {
        let recipe = recipe(
            "  a: {tool: t, retries: 2, on_exhausted: d, on_success: b}\n  \
               b: {tool: t, retries: 2, on_success: c}\n  c: {tool: t, on_exhausted: d, on_success: a}\n  \
               d: {tool: t, retries: 1, on_exhausted: e, max_visits: 7}\n  e: {tool: t, retries: 1, on_exhausted: done}\n",
        );
        assert_eq!(Graph::of(&recipe).bounds, BTreeMap::from([(0, 3), (3, 7)]));
    }

    #[test]
    fn a_placeholder_can_be_passed_by() {
        let recipe = recipe(
            "  a: {tool: t, on_success: p}\n  p: {sub_recipe: s, gate: g, on_success: c}\n  b: {action: stop, message: m}\n  \
               c: {action: stop, message: m}\n",
        );
        let graph = Graph::of(&recipe);
        let pairs: Vec<_> = graph
            .bypasses
            .iter()
            .map(|edge| (edge.from, edge.to))
            .collect();
        assert_eq!(pairs, [(0, 2), (1, 2)]);
    }
}
