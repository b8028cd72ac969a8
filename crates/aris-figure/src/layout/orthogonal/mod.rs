//! Orthogonal ways: ways with right angles only.
//!
//! **Source**: the cheapest way (A*) on the lines through the ends of edges and the gaps between boxes, an orthogonal visibility
//! graph. Edges are led one after the other, short ones first. Each pays for its length and corners, and for crossing or covering
//! earlier ones. Edges that share an end and look alike may share a line.

#![expect(
    clippy::float_cmp,
    reason = "points on one line carry the same number, copied and never computed again"
)]

mod grid;
mod search;
mod tour;

use std::collections::BTreeMap;

use crate::geometry::Point;
use crate::measures::{LABEL_GAP, LANE, PLATE, SQUARE_NODES, SQUARE_ROUNDS};
use crate::scene::Scene;

use grid::Grid;
use tour::Tour;

/// The ways found for the orthogonal edges without corners in the file.
#[derive(Default)]
pub(crate) struct Squared {
    /// The corners of each.
    pub(crate) corners: Vec<(usize, Vec<Point>)>,
    /// How many of them got a plain way with at most two corners, which ignores what lies on it.
    pub(crate) plain: usize,
}

/// Finds ways for the orthogonal edges.
pub(crate) fn orthogonal(scene: &Scene<'_>) -> Squared {
    let mut edges: Vec<usize> = (0..scene.spec.edges.len())
        .filter(|edge| {
            let edge = &scene.spec.edges[*edge];
            edge.is_squared() && edge.points.is_empty()
        })
        .collect();
    if edges.is_empty() {
        return Squared::default();
    }
    let bundles = bundles(scene, &edges);
    let tours: BTreeMap<usize, Tour> = edges
        .iter()
        .map(|edge| (*edge, Tour::new(scene, *edge, bundles[edge])))
        .collect();
    if scene.blocks.len() > SQUARE_NODES {
        return Squared {
            plain: tours.len(),
            corners: tours
                .into_iter()
                .map(|(edge, tour)| (edge, tour.plain()))
                .collect(),
        };
    }
    edges.sort_by_key(|edge| (tours[edge].reach(), *edge));
    let mut grid = Grid::new(scene, &tours);
    let mut ways: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
    for round in 0..SQUARE_ROUNDS {
        for edge in &edges {
            // An edge is led again if a later one came too near.
            if let Some(way) = ways.get(edge)
                && (grid.is_alone(scene, *edge, way) || grid.left == 0)
            {
                continue;
            }
            if round > 0 && !ways.contains_key(edge) {
                continue;
            }
            if let Some(way) = ways.remove(edge) {
                grid.mark(scene, Some(*edge), &way, false);
            }
            if let Some(way) = grid.lead(scene, *edge, &tours[edge]) {
                grid.mark(scene, Some(*edge), &way, true);
                ways.insert(*edge, way);
            }
        }
    }
    Squared {
        plain: edges.len() - ways.len(),
        corners: edges
            .into_iter()
            .map(|edge| (edge, tours[&edge].corners(ways.get(&edge))))
            .collect(),
    }
}
/// How far each of several edges between the same two ends is moved from the middle, horizontally and vertically.
fn bundles(scene: &Scene<'_>, edges: &[usize]) -> BTreeMap<usize, Point> {
    let mut bundles: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for index in edges {
        let edge = &scene.spec.edges[*index];
        let (one, two) = (edge.start(), edge.end());
        bundles
            .entry((one.min(two), one.max(two)))
            .or_default()
            .push(*index);
    }
    let mut beside = BTreeMap::new();
    for bundle in bundles.into_values() {
        let has_label = bundle
            .iter()
            .any(|edge| scene.spec.edges[*edge].label.is_some());
        let label = scene.spec.style.edge_label() * PLATE + LABEL_GAP;
        let step = if has_label { LANE.max(label) } else { LANE };
        let ends = bundle.first().map(|edge| scene.ends(*edge));
        let room = ends.map_or((0.0, 0.0), |(from, to)| {
            let ((x, y), (width, height)) = (from.sides(), to.sides());
            (x.min(width), y.min(height))
        });
        let mut at = -0.5 * bundle[1..].iter().map(|_| 1.0).sum::<f64>();
        let share = 1.0 / (-2.0 * at).max(1.0);
        for edge in bundle {
            let place = |room: f64| (at * step.min(2.0 * (room - 2.0).max(0.0) * share)).round();
            beside.insert(edge, Point::new(place(room.0), place(room.1)));
            at += 1.0;
        }
    }
    beside
}
fn rounded(point: Point) -> Point {
    let round = |length: f64| (length * 100.0).round() / 100.0;
    Point::new(round(point.x), round(point.y))
}
