//! Positions for nodes without any: in layers along the edges, groups kept together.
//!
//! **Source**: Sugiyama's method: break cycles, layers by the longest path, order by barycentres, positions as near to the
//! neighbours as the order allows. A group is laid out by itself and then counts as one box, so no frame covers a node of others.
//! The same figure gives the same positions on every machine.

mod cluster;
mod coordinates;
mod detour;
mod layers;
mod order;
mod orthogonal;
mod sides;

pub(crate) use detour::{Ways, detours};
pub(crate) use orthogonal::{Squared, orthogonal};

use crate::geometry::{Point, Rect};
use crate::measures::MARGIN;
use crate::scene::{Placed, Size};
use crate::spec::Spec;

/// The positions of the file, completed by the layout.
pub(crate) fn place(spec: &Spec, sizes: &[Size]) -> Placed {
    let mut placed = Placed {
        centres: spec
            .nodes
            .iter()
            .map(|node| node.centre.unwrap_or(Point::new(0.0, 0.0)))
            .collect(),
        points: spec.edges.iter().map(|edge| edge.points.clone()).collect(),
        laid_out: false,
        movable: false,
    };
    if spec.nodes.iter().all(|node| node.centre.is_some()) {
        return placed;
    }
    let drawing = cluster::arrange(spec, sizes);
    let fixed = spec
        .nodes
        .iter()
        .zip(sizes)
        .filter_map(|(node, size)| Some(Rect::around(node.centre?, size.width, size.height)))
        .fold(Rect::NOTHING, Rect::union);
    let free = fixed.right < fixed.left;
    placed.laid_out = true;
    placed.movable =
        free && spec.labels.is_empty() && spec.edges.iter().all(|edge| edge.points.is_empty());
    let shift = if free {
        let start = |canvas: Option<f64>, length: f64| {
            canvas.map_or(MARGIN, |canvas| ((canvas - length) / 2.0).max(MARGIN))
        };
        Point::new(
            start(spec.canvas.width, drawing.width),
            start(spec.canvas.height, drawing.height),
        )
    } else {
        // Below the nodes with positions in the file.
        Point::new(fixed.left, fixed.bottom + 2.0 * MARGIN)
    };
    let moved = |at: Point| Point::new((at.x + shift.x).round(), (at.y + shift.y).round());
    for (index, at) in drawing.nodes {
        placed.centres[index] = moved(at);
    }
    for (index, points) in drawing.points {
        if placed.points[index].is_empty() && !spec.edges[index].is_squared() {
            placed.points[index] = points.into_iter().map(moved).collect();
        }
    }
    placed
}
