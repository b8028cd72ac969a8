//! The graph as a drawing in Mermaid and DOT, with the ends `done` and `escalate`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Graph;
use crate::model::{DONE, ESCALATE, Kind, Recipe, Target};

/// An edge of a drawing: the position of the step that it leaves, the node that it leads to, and its kind.
type Line = (usize, String, String);

/// Routes and bypasses between steps, then routes to ends.
fn lines(recipe: &Recipe, graph: &Graph) -> Vec<Line> {
    let edges = graph.routes.iter().chain(&graph.bypasses);
    let edges = edges.map(|edge| (edge.from, format!("s{}", edge.to), edge.via.to_string()));
    let mut all: Vec<Line> = edges.collect();
    for (from, step) in recipe.steps.iter().enumerate() {
        for way in step.routes() {
            let end = match recipe.target(way.to) {
                Some(Target::Done) => DONE,
                Some(Target::Escalate) => ESCALATE,
                Some(Target::Step(_)) | None => continue,
            };
            all.push((from, format!("end_{end}"), way.via.to_string()));
        }
    }
    all
}

/// The brackets around a step's name in Mermaid, and its shape in Graphviz.
fn shape(kind: Kind<'_>) -> (&'static str, &'static str, &'static str) {
    match kind {
        Kind::Stop => ("([", "])", "oval"),
        Kind::Route => ("{", "}", "diamond"),
        Kind::Confirm => ("[/", "/]", "parallelogram"),
        Kind::SubRecipe(_) => ("[[", "]]", "box3d"),
        _ => ("[", "]", "box"),
    }
}

/// The graph in Mermaid's language.
pub fn mermaid(recipe: &Recipe, graph: &Graph) -> String {
    let lines = lines(recipe, graph);
    let mut out = String::from("flowchart TD\n");
    for (at, step) in recipe.steps.iter().enumerate() {
        let name = escaped(&step.name);
        let (begin, end, _) = shape(step.kind());
        // Writing to a text cannot fail.
        writeln!(out, "    s{at}{begin}\"{name}\"{end}").unwrap_or_default();
    }
    for end in used_ends(&lines) {
        writeln!(out, "    end_{end}(((\"{end}\")))").unwrap_or_default();
    }
    for (from, to, kind) in &lines {
        let arrow = if kind == "bypass" { "-.->" } else { "-->" };
        writeln!(out, "    s{from} {arrow}|\"{}\"| {to}", escaped(kind)).unwrap_or_default();
    }
    out
}

/// The graph in the language of Graphviz.
pub fn dot(recipe: &Recipe, graph: &Graph) -> String {
    let lines = lines(recipe, graph);
    let quoted = |text: &str| text.replace('\\', r"\\").replace('"', "\\\"");
    let mut out = String::from("digraph recipe {\n");
    for (at, step) in recipe.steps.iter().enumerate() {
        let (_, _, shape) = shape(step.kind());
        let name = quoted(&step.name);
        writeln!(out, "    s{at} [label=\"{name}\", shape={shape}];").unwrap_or_default();
    }
    for end in used_ends(&lines) {
        writeln!(out, "    end_{end} [label=\"{end}\", shape=doublecircle];").unwrap_or_default();
    }
    for (from, to, kind) in &lines {
        let dashed = ", style=dashed";
        let style = if kind == "bypass" { dashed } else { "" };
        let kind = quoted(kind);
        writeln!(out, "    s{from} -> {to} [label=\"{kind}\"{style}];").unwrap_or_default();
    }
    out.push_str("}\n");
    out
}

fn used_ends(lines: &[Line]) -> BTreeSet<&'static str> {
    let is_used = |end: &&str| lines.iter().any(|(_, to, _)| to == &format!("end_{end}"));
    [DONE, ESCALATE].into_iter().filter(is_used).collect()
}

/// Escapes characters that would end a label in Mermaid; line breaks become blanks.
fn escaped(text: &str) -> String {
    let text = text.replace('#', "#35;").replace('"', "#quot;");
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::parse;

    #[test]
    fn drawings_hold_every_step_and_route() {
        let recipe = parse(
            "steps:\n  a: {tool: t, on_success: 'b \"#', on_failure: done}\n  'b \"#': {action: route, on_result: {field: v, routes: {'N\"O': a}}}\n",
        )
        .unwrap();
        let graph = Graph::of(&recipe);
        assert_eq!(
            mermaid(&recipe, &graph),
            "flowchart TD\n    s0[\"a\"]\n    s1{\"b #quot;#35;\"}\n    end_done(((\"done\")))\n    s0 -->|\"success\"| s1\n    \
             s1 -->|\"result[N#quot;O]\"| s0\n    s0 -->|\"failure\"| end_done\n"
        );
        assert_eq!(
            dot(&recipe, &graph),
            "digraph recipe {\n    s0 [label=\"a\", shape=box];\n    s1 [label=\"b \\\"#\", shape=diamond];\n    \
             end_done [label=\"done\", shape=doublecircle];\n    s0 -> s1 [label=\"success\"];\n    \
             s1 -> s0 [label=\"result[N\\\"O]\"];\n    s0 -> end_done [label=\"failure\"];\n}\n"
        );
    }
}
