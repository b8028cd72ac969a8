//! Ways round nodes for edges that a layout would lead over them: those between a group's inside and what is outside.
//!
//! **Source**: the shortest way among the corners of the boxes, each a little larger (a visibility graph, Dijkstra's algorithm).

use crate::geometry::{Outline, Point, Rect};
use crate::scene::{Block, Scene};
use crate::tree::Tree;

/// How far a way keeps from the nodes that it goes round.
const CLEAR: f64 = 14.0;
/// What a corner costs. **Unit**: that of the canvas.
const CORNER: f64 = 20.0;
/// In larger figures, edges stay where they are: the corners of all boxes are looked at for each.
const NODES: usize = 120;

/// An edge that enters a node by less only touches it, as in the checks.
const TOUCH: f64 = 1.5;

/// Edges without corners from the file that lie over strangers, with corners that lead round these.
pub(crate) fn detours(scene: &Scene<'_>) -> Vec<(usize, Vec<Point>)> {
    if scene.blocks.len() > NODES {
        return Vec::new();
    }
    let blocks = Tree::new(scene.blocks.iter().map(Block::bounds).collect());
    let edges = scene.spec.edges.iter().zip(&scene.routes).enumerate();
    edges
        .filter_map(|(index, (edge, route))| {
            let free = |node: usize| scene.spec.nodes[node].centre.is_none();
            if edge.from == edge.to
                || edge.curve
                || !edge.points.is_empty()
                || !(free(edge.from) && free(edge.to))
            {
                return None;
            }
            let is_over = route.track.windows(2).any(|pair| {
                blocks.along(pair[0], pair[1]).into_iter().any(|node| {
                    node != edge.from
                        && node != edge.to
                        && scene.blocks[node]
                            .outline
                            .is_crossed(pair[0], pair[1], TOUCH)
                })
            });
            let way = is_over.then(|| way(scene, edge.from, edge.to))??;
            Some((index, way))
        })
        .collect()
}

/// The corners of the shortest way from node to node that touches no other, where the figure is small enough to look for one.
pub(crate) fn way(scene: &Scene<'_>, from: usize, to: usize) -> Option<Vec<Point>> {
    if scene.blocks.len() > NODES {
        return None;
    }
    let outline = |node: usize| &scene.blocks[node].outline;
    let walls: Vec<Rect> = (0..scene.blocks.len())
        .map(|node| {
            let bounds = outline(node).bounds();
            // Its ends it may touch, and leave where it likes.
            if node == from || node == to {
                bounds.grown(-1.0)
            } else {
                bounds.grown(CLEAR - 1.0)
            }
        })
        .collect();
    let mut points = vec![outline(from).centre, outline(to).centre];
    for bounds in scene.blocks.iter().map(|block| block.outline.bounds()) {
        let corners = bounds.grown(CLEAR).corners();
        points.extend(
            corners
                .into_iter()
                .filter(|corner| corner.x > 0.0 && corner.y > 0.0),
        );
    }
    let walls = Walls {
        tree: Tree::new(walls.clone()),
        walls,
    };
    let mut best = vec![(f64::INFINITY, 0); points.len()];
    let mut done = vec![false; points.len()];
    best[0].0 = 0.0;
    loop {
        let open = (0..points.len()).filter(|at| !done[*at] && best[*at].0.is_finite());
        let here = open.min_by(|one, two| best[*one].0.total_cmp(&best[*two].0))?;
        if here == 1 {
            break;
        }
        done[here] = true;
        for next in 1..points.len() {
            let cost = best[here].0 + points[here].distance(points[next]) + CORNER;
            if !done[next] && cost < best[next].0 {
                let ends = [(here, from, 0), (next, to, 1)];
                let own: Vec<(usize, &Outline)> = ends
                    .into_iter()
                    .filter(|(point, _, end)| point == end)
                    .map(|(_, node, _)| (node, outline(node)))
                    .collect();
                if walls.are_clear(points[here], points[next], &own) {
                    best[next] = (cost, here);
                }
            }
        }
    }
    let mut way = Vec::new();
    let mut here = best[1].1;
    while here != 0 {
        way.push(Point::new(points[here].x.round(), points[here].y.round()));
        here = best[here].1;
    }
    way.reverse();
    Some(way)
}

struct Walls {
    walls: Vec<Rect>,
    tree: Tree,
}

impl Walls {
    /// Whether the line meets no wall but those of the nodes `own`, at which it ends.
    fn are_clear(&self, one: Point, two: Point, own: &[(usize, &Outline)]) -> bool {
        // A way leaves a node straight where it can, so its line is not that from the centre.
        let mut ends = [one, two];
        for (_, outline) in own {
            for at in 0..2 {
                if ends[at] == outline.centre {
                    ends[at] = outline.port(ends[1 - at]);
                }
            }
        }
        self.tree.along(ends[0], ends[1]).into_iter().all(|wall| {
            own.iter().any(|(node, _)| *node == wall)
                || !self.walls[wall].is_crossed(ends[0], ends[1])
        })
    }
}
