//! Ways round nodes for edges that a layout would lead over them: those between a group's inside and what is outside.
//!
//! **Source**: the shortest way among the corners of the boxes, each a little larger (a visibility graph, Dijkstra's algorithm).

use crate::geometry::{Outline, Point, Rect};
use crate::measures::{CLEAR, DETOUR_CORNER, DETOUR_NODES};
use crate::scene::Scene;
use crate::tree::Tree;

/// Edges without corners from the file that lie over strangers, with corners that lead round these.
pub(crate) fn detours(scene: &Scene<'_>) -> Vec<(usize, Vec<Point>)> {
    let Some(mut ways) = Ways::new(scene) else {
        return Vec::new();
    };
    let blocks = scene.block_tree();
    let edges = scene.spec.edges.iter().enumerate();
    edges
        .filter_map(|(index, edge)| {
            if edge.from == edge.to
                || edge.frames != (None, None)
                || edge.curve
                || edge.is_orthogonal
                || !edge.points.is_empty()
                || !scene.spec.is_laid_out(edge)
            {
                return None;
            }
            let is_over = !scene.under(index, &blocks).is_empty();
            let way = is_over.then(|| ways.shortest(edge.from, edge.to))??;
            Some((index, way))
        })
        .collect()
}

/// Ways round the nodes of a figure. Which nodes a line between two corners passes is found once, for all ways.
pub(crate) struct Ways<'s> {
    outlines: Vec<&'s Outline>,
    walls: Tree,
    corners: Vec<Point>,
    /// The nodes between each two corners, and between each node and each corner.
    between: Vec<Option<Vec<usize>>>,
    from_node: Vec<Option<Vec<usize>>>,
}

impl<'s> Ways<'s> {
    /// `None`: the figure is too large to look for ways.
    pub(crate) fn new(scene: &'s Scene<'_>) -> Option<Self> {
        if scene.blocks.len() > DETOUR_NODES {
            return None;
        }
        let outlines: Vec<&Outline> = scene.blocks.iter().map(|block| &block.outline).collect();
        let grown = |by: f64| {
            outlines
                .iter()
                .map(move |outline| outline.bounds().grown(by))
        };
        let corners: Vec<Point> = grown(CLEAR)
            .flat_map(Rect::corners)
            .filter(|corner| corner.x > 0.0 && corner.y > 0.0)
            .collect();
        Some(Self {
            walls: Tree::new(grown(CLEAR - 1.0).collect()),
            between: vec![None; corners.len() * corners.len()],
            from_node: vec![None; corners.len() * outlines.len()],
            corners,
            outlines,
        })
    }

    /// The corners of the shortest way from node to node that touches no other.
    pub(crate) fn shortest(&mut self, from: usize, to: usize) -> Option<Vec<Point>> {
        let (start, target) = (self.outlines[from].centre, self.outlines[to].centre);
        // A way leaves a node straight where it can, so its line is not that from the centre.
        let leaves = self.outlines[from].port(target);
        let direct = (leaves, self.outlines[to].port(leaves));
        let others = |node: &usize| *node != from && *node != to;
        if !self.walls.along(direct.0, direct.1).iter().any(others) {
            return Some(Vec::new());
        }
        let count = self.corners.len();
        // What the rest of a way costs at least (A*).
        let rest: Vec<f64> = self
            .corners
            .iter()
            .map(|corner| corner.distance(target) + DETOUR_CORNER)
            .collect();
        let mut best: Vec<(f64, Option<usize>)> = vec![(f64::INFINITY, None); count];
        let mut done = vec![false; count];
        for (next, cost) in best.iter_mut().enumerate() {
            if self.leads_out(from, next, to) {
                cost.0 = start.distance(self.corners[next]) + DETOUR_CORNER;
            }
        }
        let mut end = (f64::INFINITY, None);
        loop {
            let open = (0..count).filter(|at| !done[*at] && best[*at].0.is_finite());
            let least = open.map(|at| (best[at].0 + rest[at], at));
            let least = least.min_by(|one, two| one.0.total_cmp(&two.0));
            let Some((cost, here)) = least.filter(|(cost, _)| *cost < end.0) else {
                break;
            };
            done[here] = true;
            if self.leads_out(to, here, from) {
                end = (cost, Some(here));
            }
            for next in 0..count {
                let cost =
                    best[here].0 + self.corners[here].distance(self.corners[next]) + DETOUR_CORNER;
                if !done[next] && cost < best[next].0 && self.is_clear(here, next, from, to) {
                    best[next] = (cost, Some(here));
                }
            }
        }
        let mut way = Vec::new();
        let mut here = Some(end.1?);
        while let Some(at) = here {
            let corner = self.corners[at];
            way.push(Point::new(corner.x.round(), corner.y.round()));
            here = best[at].1;
        }
        way.reverse();
        Some(way)
    }

    /// Whether a line from a node to a corner passes no node but, where it may, the other end.
    fn leads_out(&mut self, node: usize, corner: usize, other: usize) -> bool {
        let two = self.corners[corner];
        let one = self.outlines[node].port(two);
        let known = &mut self.from_node[node * self.corners.len() + corner];
        let passed = known.get_or_insert_with(|| self.walls.along(one, two));
        let mut others = passed.iter().filter(|wall| **wall != node);
        others.all(|wall| *wall == other && may_pass(self.outlines[other], one, two))
    }

    /// Whether a line between two corners passes no node but, where it may, the ends of the way.
    fn is_clear(&mut self, here: usize, next: usize, from: usize, to: usize) -> bool {
        let (one, two) = (self.corners[here], self.corners[next]);
        let pair = here.min(next) * self.corners.len() + here.max(next);
        let passed = self.between[pair].get_or_insert_with(|| self.walls.along(one, two));
        passed
            .iter()
            .all(|wall| (*wall == from || *wall == to) && may_pass(self.outlines[*wall], one, two))
    }
}

/// A way may touch its ends, and leave them where it likes.
fn may_pass(end: &Outline, one: Point, two: Point) -> bool {
    !end.bounds().grown(-1.0).is_crossed(one, two)
}
