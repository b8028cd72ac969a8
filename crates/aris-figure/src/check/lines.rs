//! Checks edges: room for the arrow, nothing in the way, no two on the same line.

use std::collections::{BTreeMap, BTreeSet};

use super::units;
use crate::geometry::{Point, Rect, direction};
use crate::layout::Ways;
use crate::measures::{CROSSED_PIECES, EDGE_ALONG, EDGE_APART, EDGE_LEANS};
use crate::notes::Notes;
use crate::problem::Code;
use crate::scene::{Arrow, Route, Scene};
use crate::spec::Direction;
use crate::svg;
use crate::tree::{Segment, Segments, Tree};

pub(super) fn check(scene: &Scene<'_>, notes: &Notes) {
    arrows(scene, notes);
    let mut said = same_line(scene, notes);
    let blocks = scene.block_tree();
    let mut ways = None;
    let mut over = BTreeSet::new();
    for index in 0..scene.routes.len() {
        let under = scene.under(index, &blocks);
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
    // An edge over a node is already reported.
    let apart = |(edge, ..): &Piece| !over.contains(edge);
    let pieces: Vec<Piece> = scene.pieces().filter(apart).collect();
    partly_same_line(scene, &pieces, &mut said, notes);
    through_loops(scene, &pieces, &mut said, notes);
    arrows_on_edges(scene, &pieces, &said, notes);
}

/// The advice for an edge over a node: with corners that lead round it, if there is such a way within the canvas.
fn round(scene: &Scene<'_>, index: usize, ways: Option<&mut Ways>) -> String {
    let edge = &scene.spec.edges[index];
    let way = ways.and_then(|ways| ways.shortest(scene, index));
    let way = way.filter(|way| {
        let fits = |point: &Point| point.x < scene.width && point.y < scene.height;
        !way.is_empty() && way.iter().all(fits)
    });
    let points = way.map_or_else(|| String::from("[x, y]"), |way| svg::list(&way));
    let bend = if edge.curve {
        ""
    } else {
        " set \"curve\": true,"
    };
    format!("move the node,{bend} or lead the edge round it with \"points\": [{points}]")
}

/// The setting for the direction that the layout does not use.
fn other_direction(scene: &Scene<'_>) -> &'static str {
    match scene.spec.layout.direction {
        Direction::LeftRight => "\"direction\": \"TB\"",
        Direction::TopBottom => "\"direction\": \"LR\"",
    }
}

/// The advice for an edge on another one. In laid-out figures another direction helps most often, then right angles, and rarely
/// more room.
fn elsewhere(scene: &Scene<'_>, index: usize) -> String {
    let place = if scene.spec.is_laid_out(&scene.spec.edges[index]) {
        let routing = if scene.spec.layout.is_orthogonal {
            ""
        } else {
            ", \"routing\": \"orthogonal\""
        };
        let direction = other_direction(scene);
        format!("choose {direction}{routing} or a greater node_gap in layout")
    } else {
        String::from("move its nodes")
    };
    format!("lead one of them elsewhere with \"points\": [[x, y]], or {place}")
}

fn arrows(scene: &Scene<'_>, notes: &Notes) {
    for (index, route) in scene.routes.iter().enumerate() {
        let Some(lacks) = route.lacks else { continue };
        let edge = &scene.spec.edges[index];
        let fix = if edge.from == edge.to {
            String::from("choose a smaller thickness")
        } else {
            let room = if scene.spec.is_laid_out(&scene.spec.edges[index]) {
                let direction = other_direction(scene);
                format!("choose a greater node_gap or layer_gap, or {direction}, in layout")
            } else {
                format!("move its nodes apart by {}", units(lacks))
            };
            format!("{room}, or choose a smaller thickness")
        };
        notes.push(
            Code::EdgeTooShort,
            scene.edge_place(index).field(&["thickness", "from"]),
            format!("{} has no room for its arrow", scene.edge(index)),
            fix,
        );
    }
}

/// Reports pairs of edges that run along the same line between the same nodes, in either direction. Returns the pairs.
fn same_line(scene: &Scene<'_>, notes: &Notes) -> BTreeSet<(usize, usize)> {
    let mut first = BTreeMap::new();
    let mut said = BTreeSet::new();
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
            said.insert((other, index));
            let fix = if edge.from == edge.to {
                "draw both as one, or lead one of them elsewhere with \"points\": [[x, y]]"
            } else if edge.from == scene.spec.edges[other].to {
                "set \"curve\": true for both, or draw both as one"
            } else {
                "set \"curve\": true for one of them, or draw both as one"
            };
            let place = scene.edge_place(index).field(&["from"]);
            let what = format!("{} overlaps {}", scene.edge(index), named(scene, other));
            notes.push(Code::EdgeOverEdge, place, what, fix);
        }
    }
    said
}

/// The fields that decide where an edge runs.
const WAY: &[&str] = &["points", "from"];

/// An edge as messages name it, with its JSON pointer.
fn named(scene: &Scene<'_>, edge: usize) -> String {
    format!("{} (/edges/{edge})", scene.edge(edge))
}

/// A straight piece of an edge's track.
type Piece = Segment<usize>;

/// Reports edges that have neither their start nor their end in common and lie partly on one line. In figures with very many
/// pieces only horizontal and vertical ones are compared.
fn partly_same_line(
    scene: &Scene<'_>,
    pieces: &[Piece],
    said: &mut BTreeSet<(usize, usize)>,
    notes: &Notes,
) {
    let is_square = |(_, one, two): &&Piece| {
        one.x.to_bits() == two.x.to_bits() || one.y.to_bits() == two.y.to_bits()
    };
    let is_small = pieces.len() <= CROSSED_PIECES;
    let pieces: Vec<Piece> = pieces
        .iter()
        .filter(|piece| is_small || is_square(piece))
        .copied()
        .collect();
    let near = Segments::new(pieces.clone(), EDGE_APART + scene.thickest());
    let mut shared: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (edge, one, two) in &pieces {
        for (other, from, to) in near.along(*one, *two) {
            if other > *edge {
                let strokes = scene.routes[*edge].thickness + scene.routes[other].thickness;
                let apart = EDGE_APART + strokes / 2.0;
                let length = together((*one, *two), (from, to), apart);
                if length > 0.0 {
                    *shared.entry((*edge, other)).or_default() += length;
                }
            }
        }
    }
    for (pair, length) in notes.until_full(Code::EdgeOverEdge, shared) {
        let (one, two) = (&scene.spec.edges[pair.0], &scene.spec.edges[pair.1]);
        let apart = one.start() != two.start() && one.end() != two.end();
        if apart && length > EDGE_ALONG && said.insert(pair) {
            let place = scene.edge_place(pair.1).field(WAY);
            let (edge, other) = (scene.edge(pair.1), named(scene, pair.0));
            let what = format!("{edge} overlaps a part of {other}");
            notes.push(Code::EdgeOverEdge, place, what, elsewhere(scene, pair.1));
        }
    }
}

/// The length over which two almost parallel pieces are at most `apart`.
fn together(one: (Point, Point), two: (Point, Point), apart: f64) -> f64 {
    let along = direction(one.0, one.1);
    // Coordinates along the first piece and beside it.
    let place = |point: Point| {
        let (x, y) = (point.x - one.0.x, point.y - one.0.y);
        (x * along.x + y * along.y, y * along.x - x * along.y)
    };
    let (from, to) = (place(two.0), place(two.1));
    let lean = (to.1 - from.1) / (to.0 - from.0);
    // NaN if the second piece has no length.
    if lean.is_nan() || lean.abs() > EDGE_LEANS {
        return 0.0;
    }
    let mut low = from.0.min(to.0).max(0.0);
    let mut high = from.0.max(to.0).min(one.0.distance(one.1));
    if lean.abs() > 1e-9 {
        let middle = from.0 - from.1 / lean;
        let reach = apart / lean.abs();
        low = low.max(middle - reach);
        high = high.min(middle + reach);
    } else if from.1.abs() > apart {
        return 0.0;
    }
    (high - low).max(0.0)
}

/// Reports edges that run through a loop of their own node: the reader cannot tell which line is the loop.
fn through_loops(
    scene: &Scene<'_>,
    pieces: &[Piece],
    said: &mut BTreeSet<(usize, usize)>,
    notes: &Notes,
) {
    let loops = pieces.iter().filter(|(edge, ..)| is_loop(scene, *edge));
    let loops = Segments::new(loops.copied().collect(), 0.01);
    let others = pieces.iter().filter(|(edge, ..)| !is_loop(scene, *edge));
    for (edge, one, two) in notes.until_full(Code::EdgeOverEdge, others) {
        let own = [
            scene.spec.edges[*edge].start(),
            scene.spec.edges[*edge].end(),
        ];
        for (other, from, to) in loops.along(*one, *two) {
            if own.contains(&scene.spec.edges[other].start())
                && cross((*one, *two), (from, to), 0.0)
                && said.insert((other.min(*edge), other.max(*edge)))
            {
                let place = scene.edge_place(other).field(WAY);
                let what = format!("{} runs through {}", scene.edge(*edge), named(scene, other));
                let fix = "lead the loop or the edge elsewhere with \"points\": [[x, y]], or move the node";
                notes.push(Code::EdgeOverEdge, place, what, fix);
            }
        }
    }
}

fn is_loop(scene: &Scene<'_>, edge: usize) -> bool {
    let edge = &scene.spec.edges[edge];
    edge.start() == edge.end()
}

/// Arrows that are compared with all lines at a time. Once the list of problems is full, the rest is skipped.
const ARROWS_AT_ONCE: usize = 512;

/// Reports arrows that seem to belong to another edge, because its line or arrow lies under them or it begins there. Edges that
/// end side by side, each with an arrow, are fine.
fn arrows_on_edges(
    scene: &Scene<'_>,
    pieces: &[Piece],
    said: &BTreeSet<(usize, usize)>,
    notes: &Notes,
) {
    let all: Vec<[End; 2]> = (0..scene.routes.len())
        .map(|edge| ends(scene, edge))
        .collect();
    let shown: BTreeSet<usize> = pieces.iter().map(|(edge, ..)| *edge).collect();
    let arrows = shown.iter().flat_map(|edge| {
        let own = all[*edge].iter();
        own.filter_map(|(tip, node, arrow)| Some((*edge, *tip, *node, (*arrow)?)))
    });
    let arrows: Vec<(usize, Point, Node, Arrow)> = arrows.collect();
    for arrows in arrows.chunks(ARROWS_AT_ONCE) {
        let areas = arrows.iter().map(|(_, tip, _, arrow)| {
            let [_, one, two] = *arrow;
            let area = Rect::between(*tip, one).union(Rect::between(*tip, two));
            area.grown(length(arrow))
        });
        let tree = Tree::new(areas.collect());
        let mut near: Vec<Vec<&Piece>> = vec![Vec::new(); arrows.len()];
        for piece in pieces {
            for arrow in tree.along(piece.1, piece.2) {
                let (edge, tip, node, head) = &arrows[arrow];
                if piece.0 != *edge
                    && !is_beside(
                        scene,
                        (*edge, piece.0),
                        &all[piece.0],
                        (*tip, *node, length(head)),
                    )
                {
                    near[arrow].push(piece);
                }
            }
        }
        let found = arrows.iter().zip(near);
        for ((index, tip, node, arrow), near) in notes.until_full(Code::ArrowOverEdge, found) {
            let mut on: BTreeMap<usize, f64> = BTreeMap::new();
            for (other, from, to) in near {
                if !said.contains(&(*index.min(other), *index.max(other))) {
                    let room = scene.routes[*other].thickness / 2.0;
                    *on.entry(*other)
                        .or_insert_with(|| heads(&all[*other], *arrow)) +=
                        within(*arrow, room, *from, *to);
                }
            }
            let is_taken = |(other, on): &(usize, f64)| {
                let (own, its) = (&scene.spec.edges[*index], &scene.spec.edges[*other]);
                let mut starts = all[*other].iter();
                let begins = starts.any(|(at, end, head)| {
                    end == node && head.is_none() && at.distance(*tip) <= length(arrow)
                });
                // Two opposite edges run side by side.
                let is_back = own.start() == its.end() && own.end() == its.start();
                *on > if begins && !is_back { 0.0 } else { EDGE_ALONG }
            };
            if let Some((other, _)) = on.into_iter().find(is_taken) {
                let place = scene.edge_place(*index).field(WAY);
                let (edge, other) = (scene.edge(*index), named(scene, other));
                let what = format!("an arrow of {edge} overlaps {other}");
                notes.push(Code::ArrowOverEdge, place, what, elsewhere(scene, *index));
            }
        }
    }
}

/// Distance from the tip to the middle of the base.
fn length([tip, one, two]: &Arrow) -> f64 {
    tip.distance(one.lerp(*two, 0.5))
}

/// Whether another edge ends beside an arrow's tip, with an arrow of its own. A loop and an ordinary edge do not count as side by
/// side.
fn is_beside(
    scene: &Scene<'_>,
    (edge, other): (usize, usize),
    ends: &[End; 2],
    (tip, node, length): (Point, Node, f64),
) -> bool {
    is_loop(scene, edge) == is_loop(scene, other)
        && ends
            .iter()
            .any(|(at, end, arrow)| *end == node && arrow.is_some() && at.distance(tip) <= length)
}

/// The length of the other edge's arrow sides within an arrow.
fn heads(ends: &[End; 2], arrow: Arrow) -> f64 {
    // Every corner of an arrow is within this distance of its tip.
    let reach = |arrow: &Arrow| 1.2 * length(arrow);
    let is_near = |head: &Arrow| head[0].distance(arrow[0]) < reach(head) + reach(&arrow);
    let heads = ends.iter().filter_map(|(.., head)| *head).filter(is_near);
    let sides = heads.flat_map(|[tip, one, two]| [(tip, one), (one, two), (two, tip)]);
    sides.map(|(one, two)| within(arrow, 0.0, one, two)).sum()
}

/// A node, and the group for which it stands, if any.
type Node = (usize, Option<usize>);

/// An end of an edge: its point, its node or group, and the arrow there.
type End = (Point, Node, Option<Arrow>);

fn ends(scene: &Scene<'_>, index: usize) -> [End; 2] {
    let edge = &scene.spec.edges[index];
    let Route { start, track, .. } = &scene.routes[index];
    let [tail, head] = scene.routes[index].arrows;
    let first = track.first().unwrap_or(start);
    let last = track.last().unwrap_or(start);
    [(*first, edge.start(), tail), (*last, edge.end(), head)]
}

/// The length of a line that lies within a triangle or at most `room` away from it.
fn within(triangle: Arrow, room: f64, one: Point, two: Point) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let [tip, base, other] = triangle;
    for (from, to, inside) in [(tip, base, other), (base, other, tip), (other, tip, base)] {
        let side = |point: Point| {
            (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
        };
        let sign = side(inside).signum();
        let reach = room * from.distance(to);
        let (start, end) = (side(one) * sign + reach, side(two) * sign + reach);
        if start < 0.0 && end < 0.0 {
            return 0.0;
        }
        if start < 0.0 {
            low = low.max(start / (start - end));
        } else if end < 0.0 {
            high = high.min(start / (start - end));
        }
    }
    (high - low).max(0.0) * one.distance(two)
}

/// How many times edges cross; `None` if there are too many pieces to compare.
pub(crate) fn crossings(scene: &Scene<'_>) -> Option<usize> {
    let pieces: Vec<Piece> = scene.pieces().collect();
    if pieces.len() > CROSSED_PIECES {
        return None;
    }
    let near = Segments::new(pieces.clone(), 0.01);
    let crosses = |(edge, one, two): &Piece| {
        let others = near.along(*one, *two).filter(|(other, ..)| other > edge);
        others
            .filter(|(_, from, to)| cross((*one, *two), (*from, *to), 1e-6))
            .count()
    };
    Some(pieces.iter().map(crosses).sum())
}

/// Whether each of two lines has its ends on opposite sides of the other, by more than `by`; with 0 an end may lie on the line.
fn cross(one: (Point, Point), two: (Point, Point), by: f64) -> bool {
    let side = |at: Point, line: (Point, Point)| {
        (line.1.x - line.0.x) * (at.y - line.0.y) - (line.1.y - line.0.y) * (at.x - line.0.x)
    };
    let parts = |line, (from, to)| side(from, line) * side(to, line) <= -by;
    parts(one, two) && parts(two, one)
}
