//! Edges: room for the arrow, nothing in the way, nothing on the same line.

use std::collections::{BTreeMap, BTreeSet};

use super::units;
use crate::geometry::Point;
use crate::layout::Ways;
use crate::notes::Notes;
use crate::problem::Code;
use crate::scene::{Block, Scene};
use crate::svg::Number;
use crate::tree::Tree;

/// An edge that enters a node by less only touches it.
const TOUCH: f64 = 1.5;

pub(super) fn check(scene: &Scene<'_>, notes: &mut Notes) {
    arrows(scene, notes);
    same_line(scene, notes);
    let blocks = Tree::new(scene.blocks.iter().map(Block::bounds).collect());
    let mut ways = None;
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
        if under.is_empty() {
            continue;
        }
        let fix = round(
            scene,
            index,
            ways.get_or_insert_with(|| Ways::new(scene)).as_mut(),
        );
        for node in under {
            notes.push(
                Code::EdgeOverNode,
                scene.edge_place(index).field(&["from"]),
                format!("{} runs under {}", scene.edge(index), scene.node(node)),
                fix.clone(),
            );
        }
        if notes.full(Code::EdgeOverNode) {
            return;
        }
    }
}

/// What leads an edge round the nodes in its way: corners that do, where there are some within the canvas.
fn round(scene: &Scene<'_>, index: usize, ways: Option<&mut Ways<'_>>) -> String {
    let edge = &scene.spec.edges[index];
    let way = ways.and_then(|ways| ways.shortest(edge.from, edge.to));
    let way = way.filter(|way| {
        let fits = |point: &Point| point.x < scene.width && point.y < scene.height;
        !way.is_empty() && way.iter().all(fits)
    });
    let points = way.map_or_else(
        || String::from("[x, y]"),
        |way| {
            let corner = |point: &Point| format!("[{}, {}]", Number(point.x), Number(point.y));
            way.iter().map(corner).collect::<Vec<_>>().join(", ")
        },
    );
    let bend = if edge.curve {
        ""
    } else {
        " set \"curve\": true,"
    };
    format!("move the node,{bend} or lead the edge round it with \"points\": [{points}]")
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

/// Two edges that run along the same line between the same nodes, in whichever direction.
fn same_line(scene: &Scene<'_>, notes: &mut Notes) {
    let mut first = BTreeMap::new();
    for (index, (edge, route)) in scene.spec.edges.iter().zip(&scene.routes).enumerate() {
        let mut track: Vec<(u64, u64)> = route
            .track
            .iter()
            .map(|point| (point.x.to_bits(), point.y.to_bits()))
            .collect();
        if edge.from > edge.to {
            track.reverse();
        }
        let key = (edge.from.min(edge.to), edge.from.max(edge.to), track);
        let other = *first.entry(key).or_insert(index);
        if other != index {
            let fix = if edge.from == edge.to {
                "draw both as one, or lead one of them elsewhere with \"points\": [[x, y]]"
            } else if edge.from == scene.spec.edges[other].to {
                "set \"curve\": true for both, or draw both as one"
            } else {
                "set \"curve\": true for one of them, or draw both as one"
            };
            notes.push(
                Code::EdgeOverEdge,
                scene.edge_place(index).field(&["from"]),
                format!(
                    "{} lies on {} (/edges/{other})",
                    scene.edge(index),
                    scene.edge(other)
                ),
                fix,
            );
        }
    }
}
