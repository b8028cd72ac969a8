//! Detours round nodes for edges that would run over them: those between the inside and the outside of a group.
//!
//! **Source**: shortest paths among the corners of slightly enlarged boxes (a visibility graph, Dijkstra's algorithm).

use crate::geometry::{Outline, Point, Rect};
use crate::measures::{CLEAR, DETOUR_CORNER, DETOUR_NODES};
use crate::scene::Scene;
use crate::tree::Tree;

/// The laid-out edges that run over other nodes, each with the corners of a way round these.
pub(crate) fn detours(scene: &Scene<'_>) -> Vec<(usize, Vec<Point>)> {
    let Some(mut ways) = Ways::new(scene) else {
        return Vec::new();
    };
    let blocks = scene.block_tree();
    let edges = scene.spec.edges.iter().enumerate();
    edges
        .filter_map(|(index, edge)| {
            if edge.from == edge.to
                || edge.curve
                || edge.is_orthogonal
                || !edge.points.is_empty()
                || !scene.spec.is_laid_out(edge)
            {
                return None;
            }
            let is_over = !scene.under(index, &blocks).is_empty();
            let way = is_over.then(|| ways.shortest(scene, index))??;
            Some((index, way))
        })
        .collect()
}

/// An end of a way.
struct Stop {
    outline: Outline,
    /// The node, or the nodes in the frame.
    own: Vec<usize>,
    is_frame: bool,
}

impl Stop {
    /// Whether a line between two corners does not run through this end.
    fn is_passed(&self, one: Point, two: Point) -> bool {
        !self.outline.bounds().grown(-1.0).is_crossed(one, two)
    }
}

/// Ways round the nodes of a figure. Which nodes a line between two corners crosses is computed once, for all ways.
pub(crate) struct Ways {
    walls: Tree,
    corners: Vec<Point>,
    /// The nodes crossed between each pair of corners, and between each node and corner.
    between: Vec<Option<Vec<usize>>>,
    from_node: Vec<Option<Vec<usize>>>,
}

impl Ways {
    /// `None` if the figure is too large.
    pub(crate) fn new(scene: &Scene<'_>) -> Option<Self> {
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
        })
    }

    /// The corners of the shortest way for an edge that crosses no node but its ends; empty if the direct line does.
    pub(crate) fn shortest(&mut self, scene: &Scene<'_>, edge: usize) -> Option<Vec<Point>> {
        let (from, to) = scene.ends(edge);
        let edge = &scene.spec.edges[edge];
        let stop = |outline, (node, group): (usize, Option<usize>)| Stop {
            outline,
            own: group.map_or(vec![node], |group| scene.spec.groups[group].members.clone()),
            is_frame: group.is_some(),
        };
        let (from, to) = (&stop(from, edge.start()), &stop(to, edge.end()));
        // An edge between a frame and a node in it gets no detour.
        if from.own.iter().any(|node| to.own.contains(node)) {
            return None;
        }
        let (start, target) = (from.outline.centre, to.outline.centre);
        // A way leaves a node at a right angle if possible, so the line does not begin at the centre.
        let leaves = from.outline.port(target);
        let direct = (leaves, to.outline.port(leaves));
        let others = |node: &usize| !from.own.contains(node) && !to.own.contains(node);
        if !self.walls.along(direct.0, direct.1).iter().any(others) {
            return Some(Vec::new());
        }
        let count = self.corners.len();
        // Lower bounds for the rest of each way (A*).
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

    /// Whether the line from an end to a corner crosses no node, except that it may pass the other end's bounds.
    fn leads_out(&mut self, end: &Stop, corner: usize, other: &Stop) -> bool {
        let two = self.corners[corner];
        let one = end.outline.port(two);
        let search = || self.walls.along(one, two);
        let passed = match end.own.as_slice() {
            [node] if !end.is_frame => {
                let known = &mut self.from_node[node * self.corners.len() + corner];
                known.get_or_insert_with(search)
            }
            _ => &search(),
        };
        let mut others = passed.iter().filter(|wall| !end.own.contains(wall));
        others.all(|wall| other.own.contains(wall))
            && other.is_passed(one, two)
            && (!end.is_frame || end.is_passed(one, two))
    }

    /// Whether the line between two corners crosses no node and neither end.
    fn is_clear(&mut self, here: usize, next: usize, from: &Stop, to: &Stop) -> bool {
        let (one, two) = (self.corners[here], self.corners[next]);
        let pair = here.min(next) * self.corners.len() + here.max(next);
        let passed = self.between[pair].get_or_insert_with(|| self.walls.along(one, two));
        let may_pass = |wall: &usize| from.own.contains(wall) || to.own.contains(wall);
        passed.iter().all(may_pass) && from.is_passed(one, two) && to.is_passed(one, two)
    }
}
