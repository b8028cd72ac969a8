//! The page of the graph.

use askama::Template;

use super::Frame;
use crate::site::graph::most_connected;
use crate::site::model::{Model, Node};

#[derive(Template)]
#[template(path = "graph.html")]
struct GraphPage<'a> {
    frame: Frame<'a>,
    starts: Vec<&'a Node>,
    shapes: [(&'static str, &'static str); 6],
}

/// The page of the graph.
pub(crate) fn graph(site: &str, model: &Model) -> askama::Result<String> {
    GraphPage {
        frame: Frame {
            site,
            root: "",
            heading: String::from("Graph"),
            current: "Graph",
            scripts: &["search.js", "graph.js"],
        },
        starts: most_connected(model, 20).map(|(_, node)| node).collect(),
        // Must equal `SHAPES` in `graph.js`.
        shapes: [
            ("Paper", "M-7-7h14v14h-14z"),
            ("Idea", "M0-9 9 0 0 9-9 0z"),
            ("Experiment", "M0-8.5 8.5 7h-17z"),
            ("Claim", "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"),
            ("Gap", "M-4.5-8h9l4.5 8-4.5 8h-9l-4.5-8z"),
            ("Other", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"),
        ],
    }
    .render()
}
