//! Checks a figure that can be drawn.

mod colours;
mod labels;
mod lines;
mod places;
mod texts;

pub(crate) use lines::crossings;

use crate::notes::{Notes, Place};
use crate::scene::Scene;
use crate::text;

/// Runs all checks. Lengths in messages are in units of the canvas.
pub(crate) fn check(scene: &Scene<'_>, column_mm: Option<f64>, notes: &Notes) {
    texts::check(scene, column_mm, notes);
    places::check(scene, notes);
    lines::check(scene, notes);
    labels::check(scene, notes);
    colours::check(scene, notes);
}

/// A length for a message, rounded up to whole units.
fn units(length: f64) -> String {
    format!("{:.0}", length.ceil())
}

/// A name in quotes for a message, cut to 40 characters.
fn quoted(name: &str) -> String {
    let name = text::plain(name);
    let short: String = name.chars().take(40).collect();
    if short.len() < name.len() {
        format!("{:?}", format!("{short}…"))
    } else {
        format!("{short:?}")
    }
}

impl Scene<'_> {
    fn node(&self, index: usize) -> String {
        format!("node {}", quoted(&self.spec.nodes[index].id))
    }

    fn edge(&self, index: usize) -> String {
        let edge = &self.spec.edges[index];
        let name = |node: usize, group: Option<usize>| {
            let group = group.and_then(|group| self.spec.groups[group].id.as_ref());
            quoted(group.unwrap_or(&self.spec.nodes[node].id))
        };
        let (from, to) = edge.frames;
        format!("edge {} -> {}", name(edge.from, from), name(edge.to, to))
    }

    fn group(&self, index: usize) -> String {
        self.spec.groups[index].label.as_ref().map_or_else(
            || format!("group {index}"),
            |label| format!("group {}", quoted(label)),
        )
    }

    fn node_place(&self, index: usize) -> &Place {
        &self.spec.nodes[index].place
    }

    fn edge_place(&self, index: usize) -> &Place {
        &self.spec.edges[index].place
    }
}
