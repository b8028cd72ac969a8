//! Edges: room for the arrow, nothing in the way, nothing on the same line.

use std::collections::{BTreeMap, BTreeSet};

use super::units;
use crate::geometry::{Point, Rect};
use crate::layout::Ways;
use crate::measures::{CROSSED_PIECES, EDGE_ALONG, EDGE_TOUCH};
use crate::notes::Notes;
use crate::problem::Code;
use crate::scene::{Block, Scene};
use crate::svg::Number;
use crate::tree::Tree;

pub(super) fn check(scene: &Scene<'_>, notes: &mut Notes) {
    arrows(scene, notes);
    same_line(scene, notes);
    let blocks = Tree::new(scene.blocks.iter().map(Block::bounds).collect());
    let mut ways = None;
    let mut over = BTreeSet::new();
    for (index, route) in scene.routes.iter().enumerate() {
        let edge = &scene.spec.edges[index];
        let mut under = BTreeSet::new();
        for pair in route.track.windows(2) {
            for node in blocks.along(pair[0], pair[1]) {
                if node != edge.from
                    && node != edge.to
                    && scene.blocks[node]
                        .outline
                        .is_crossed(pair[0], pair[1], EDGE_TOUCH)
                {
                    under.insert(node);
                }
            }
        }
        if under.is_empty() {
            continue;
        }
        over.insert(index);
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
    partly_same_line(scene, &over, notes);
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

/// Level and upright pieces of edges that have neither their start nor their end in common, on one line; those that run over a node
/// are reported already.
fn partly_same_line(scene: &Scene<'_>, over: &BTreeSet<usize>, notes: &mut Notes) {
    // By axis and place: from, to and the edge of each piece.
    type Piece = (f64, f64, usize);
    let mut lines: BTreeMap<(bool, u64), Vec<Piece>> = BTreeMap::new();
    let routes = scene.routes.iter().enumerate();
    for (index, route) in routes.filter(|(index, _)| !over.contains(index)) {
        for pair in route.track.windows(2) {
            let (one, two) = (pair[0], pair[1]);
            let same = |one: f64, two: f64| one.to_bits() == two.to_bits();
            let piece = match (same(one.x, two.x), same(one.y, two.y)) {
                (false, true) => (false, one.y, one.x, two.x),
                (true, false) => (true, one.x, one.y, two.y),
                _ => continue,
            };
            let (axis, at, from, to) = piece;
            let pieces = lines.entry((axis, at.to_bits())).or_default();
            pieces.push((from.min(to), from.max(to), index));
        }
    }
    let mut said = BTreeSet::new();
    for pieces in lines.values_mut() {
        pieces.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.2.cmp(&two.2)));
        for (at, (_, end, edge)) in pieces.iter().enumerate() {
            let on = pieces[at + 1..]
                .iter()
                .take_while(|(from, ..)| *from < end - EDGE_ALONG)
                .filter(|(from, to, _)| to - from > EDGE_ALONG);
            for (_, _, other) in on {
                let (one, two) = (&scene.spec.edges[*edge], &scene.spec.edges[*other]);
                let apart = one.start() != two.start() && one.end() != two.end();
                let pair = (*edge.min(other), *edge.max(other));
                if apart && edge != other && said.insert(pair) {
                    notes.push(
                        Code::EdgeOverEdge,
                        scene.edge_place(pair.1).field(&["points", "from"]),
                        format!(
                            "{} lies on a part of {} (/edges/{})",
                            scene.edge(pair.1),
                            scene.edge(pair.0),
                            pair.0
                        ),
                        "lead one of them elsewhere with \"points\": [[x, y]], or move its nodes",
                    );
                }
                if notes.full(Code::EdgeOverEdge) {
                    return;
                }
            }
        }
    }
}

/// How many times edges cross each other; `None` where there are too many pieces to compare.
pub(crate) fn crossings(scene: &Scene<'_>) -> Option<usize> {
    let pieces: Vec<(usize, Point, Point)> = scene
        .routes
        .iter()
        .enumerate()
        .flat_map(|(edge, route)| {
            route
                .track
                .windows(2)
                .map(move |pair| (edge, pair[0], pair[1]))
        })
        .collect();
    if pieces.len() > CROSSED_PIECES {
        return None;
    }
    let tree = Tree::new(
        pieces
            .iter()
            .map(|(_, one, two)| Rect::between(*one, *two).grown(0.01))
            .collect(),
    );
    let crosses = |(edge, one, two): &(usize, Point, Point)| {
        let found = tree
            .along(*one, *two)
            .into_iter()
            .map(|other| &pieces[other]);
        found
            .filter(|(other, from, to)| {
                let side = |at: &Point, one: &Point, two: &Point| {
                    (two.x - one.x) * (at.y - one.y) - (two.y - one.y) * (at.x - one.x)
                };
                other > edge
                    && side(from, one, two) * side(to, one, two) < -1e-6
                    && side(one, from, to) * side(two, from, to) < -1e-6
            })
            .count()
    };
    Some(pieces.iter().map(crosses).sum())
}
