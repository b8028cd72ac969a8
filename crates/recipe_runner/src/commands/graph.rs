//! `graph`: the steps of a recipe and the routes between them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aris_cli::{Context, Outcome, Shown};
use aris_recipe::graph::{Edge, Skip, dot, mermaid};
use aris_recipe::{Graph, Recipe};
use serde::Serialize;

use crate::cli::{self, Format, GraphArgs};
use crate::error::Error;
use crate::load;

/// Schema id of [`GraphData`].
pub(crate) const SCHEMA: &str = "aris.recipe_runner.graph/v1";

/// The routing graph of a recipe.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct GraphData {
    /// The step a run begins with; empty when there is none.
    entry: String,
    /// All steps in the order of the file.
    nodes: Vec<String>,
    /// Routes between steps in the order of the file, then ways around steps that may not run.
    edges: Vec<EdgeData>,
    /// Where skippable steps lead when they are skipped.
    skips: BTreeMap<String, SkipData>,
    /// Strongly connected components of the routes that hold a cycle, each sorted.
    sccs: Vec<Vec<String>>,
    /// Executions allowed per run section.
    bounded: BTreeMap<String, u32>,
    /// The drawing in another format.
    #[serde(skip)]
    drawing: Option<String>,
}

/// One edge.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct EdgeData {
    from: String,
    to: String,
    /// `success`, `failure`, `context_limit`, `exhausted`, `skip`, `result[i]`, `default`, `result[key]` or `bypass`.
    kind: String,
}

/// Where a skip leads.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct SkipData {
    /// A step, `done` or `escalate`; null when the run would halt.
    target: Option<String>,
    /// `explicit`, `success`, `single`, `context_limit`, `default`, `first` or `none`.
    how: String,
}

/// Makes the graph of a recipe.
pub(crate) fn run(args: &GraphArgs, context: &Context) -> Result<Shown, Error> {
    let read = load::named(&args.recipe, context)?;
    let recipe = if args.compose.compose {
        let given = cli::map(&args.compose.set)?;
        let (composed, _) = load::composed(&read, &given, &args.recipe.reading, context)?;
        composed.recipe
    } else {
        read.recipe
    };
    let graph = Graph::of(&recipe);
    let mut data = GraphData::of(&recipe, &graph);
    data.drawing = match args.format.unwrap_or(Format::Json) {
        Format::Json => None,
        Format::Mermaid => Some(mermaid(&recipe, &graph)),
        Format::Dot => Some(dot(&recipe, &graph)),
    };
    Ok(Outcome::done(data).shown(SCHEMA, GraphData::render))
}

impl GraphData {
    fn of(recipe: &Recipe, graph: &Graph) -> Self {
        let name = |at: usize| {
            let step = recipe.steps.get(at);
            step.map_or_else(String::new, |step| step.name.clone())
        };
        let edge = |edge: &Edge| EdgeData {
            from: name(edge.from),
            to: name(edge.to),
            kind: edge.via.to_string(),
        };
        let skip = |(at, skip): (&usize, &Skip)| {
            let data = SkipData {
                target: skip.target.as_ref().map(|target| target.name().to_owned()),
                how: skip.how.to_string(),
            };
            (name(*at), data)
        };
        let cyclic = graph.components.cyclic().into_iter();
        let sorted = |members: Vec<usize>| {
            let mut names: Vec<String> = members.into_iter().map(name).collect();
            names.sort();
            names
        };
        let mut sccs: Vec<Vec<String>> = cyclic.map(sorted).collect();
        sccs.sort();
        let edges = graph.routes.iter().chain(&graph.bypasses);
        let bounds = graph.bounds.iter();
        Self {
            entry: name(0),
            nodes: recipe.steps.iter().map(|step| step.name.clone()).collect(),
            edges: edges.map(edge).collect(),
            skips: graph.skips.iter().map(skip).collect(),
            sccs,
            bounded: bounds.map(|(at, bound)| (name(*at), *bound)).collect(),
            drawing: None,
        }
    }

    /// The drawing, or the data as JSON.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.drawing {
            Some(drawing) => out.write_all(drawing.as_bytes()),
            None => writeln!(out, "{}", serde_json::to_string_pretty(self)?),
        }
    }
}
