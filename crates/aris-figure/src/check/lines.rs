//! Edges: room for the arrow, nothing in the way, nothing on the same line.

use std::collections::{BTreeMap, BTreeSet};

use super::units;
use crate::notes::Notes;
use crate::problem::Code;
use crate::scene::{Block, Scene};
use crate::tree::Tree;

/// An edge that enters a node by less only touches it.
const TOUCH: f64 = 1.5;

pub(super) fn check(scene: &Scene<'_>, notes: &mut Notes) {
    arrows(scene, notes);
    same_line(scene, notes);
    let blocks = Tree::new(scene.blocks.iter().map(Block::bounds).collect());
    for (index, route) in scene.routes.iter().enumerate() {
        let edge = &scene.spec.edges[index];
        let mut under = BTreeSet::new();
        for pair in route.track.windows(2) {
            for node in blocks.along(pair[0], pair[1]) {
                if node != edge.from
                    && node != edge.to
                    && scene.blocks[node]
                        .outline
                        .is_crossed(pair[0], pair[1], TOUCH)
                {
                    under.insert(node);
                }
            }
        }
        for node in under {
            notes.push(
                Code::EdgeOverNode,
                scene.edge_place(index).field(&["from"]),
                format!("{} runs under {}", scene.edge(index), scene.node(node)),
                "move the node, set \"curve\": true, or lead the edge round it with \"points\": [[x, y]]",
            );
        }
        if notes.full(Code::EdgeOverNode) {
            return;
        }
    }
}

fn arrows(scene: &Scene<'_>, notes: &mut Notes) {
    for (index, route) in scene.routes.iter().enumerate() {
        let Some(lacks) = route.lacks else { continue };
        let edge = &scene.spec.edges[index];
        let fix = if edge.from == edge.to {
            String::from("choose a smaller thickness")
        } else {
            format!(
                "move its nodes apart by {}, or choose a smaller thickness",
                units(lacks)
            )
        };
        notes.push(
            Code::EdgeTooShort,
            scene.edge_place(index).field(&["thickness", "from"]),
            format!("{} has no room for its arrow", scene.edge(index)),
            fix,
        );
    }
}

/// Two edges between the same nodes that are both straight, or both bent to the same side.
fn same_line(scene: &Scene<'_>, notes: &mut Notes) {
    let mut first = BTreeMap::new();
    for (index, edge) in scene.spec.edges.iter().enumerate() {
        let same_points = edge
            .points
            .iter()
            .map(|point| (point.x.to_bits(), point.y.to_bits()))
            .collect::<Vec<_>>();
        let ends = if edge.curve || !edge.points.is_empty() {
            (edge.from, edge.to)
        } else {
            (edge.from.min(edge.to), edge.from.max(edge.to))
        };
        let key = (ends, edge.curve, same_points);
        let other = *first.entry(key).or_insert(index);
        if other != index {
            notes.push(
                Code::EdgeOverEdge,
                scene.edge_place(index).field(&["from"]),
                format!(
                    "{} lies on {} (/edges/{other})",
                    scene.edge(index),
                    scene.edge(other)
                ),
                "set \"curve\": true for one of them, or draw both as one",
            );
        }
    }
}
