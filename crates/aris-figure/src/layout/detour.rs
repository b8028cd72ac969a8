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

/// What a way begins or ends at.
struct Stop {
    outline: Outline,
    /// The node, or those in the frame.
    own: Vec<usize>,
    is_frame: bool,
}

impl Stop {
    /// Whether a line between two corners of a way does not lead through it.
    fn is_passed(&self, one: Point, two: Point) -> bool {
        !self.outline.bounds().grown(-1.0).is_crossed(one, two)
    }
}

/// Ways round the nodes of a figure. Which nodes a line between two corners passes is found once, for all ways.
pub(crate) struct Ways {
    walls: Tree,
    corners: Vec<Point>,
    /// The nodes between each two corners, and between each node and each corner.
    between: Vec<Option<Vec<usize>>>,
    from_node: Vec<Option<Vec<usize>>>,
}

impl Ways {
    /// `None`: the figure is too large to look for ways.
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

    /// The corners of the shortest way for an edge that touches no node but its ends.
    pub(crate) fn shortest(&mut self, scene: &Scene<'_>, edge: usize) -> Option<Vec<Point>> {
        let (from, to) = scene.ends(edge);
        let edge = &scene.spec.edges[edge];
        let stop = |outline, (node, group): (usize, Option<usize>)| Stop {
            outline,
            own: group.map_or(vec![node], |group| scene.spec.groups[group].members.clone()),
            is_frame: group.is_some(),
        };
        let (from, to) = (&stop(from, edge.start()), &stop(to, edge.end()));
        // A way from a frame to what is in it stays there.
        if from.own.iter().any(|node| to.own.contains(node)) {
            return None;
        }
        let (start, target) = (from.outline.centre, to.outline.centre);
        // A way leaves a node straight where it can, so its line is not that from the centre.
        let leaves = from.outline.port(target);
        let direct = (leaves, to.outline.port(leaves));
        let others = |node: &usize| !from.own.contains(node) && !to.own.contains(node);
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

    /// Whether a line from an end to a corner passes no node but, where it may, the other end.
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

    /// Whether a line between two corners passes no node but, where it may, the ends of the way.
    fn is_clear(&mut self, here: usize, next: usize, from: &Stop, to: &Stop) -> bool {
        let (one, two) = (self.corners[here], self.corners[next]);
        let pair = here.min(next) * self.corners.len() + here.max(next);
        let passed = self.between[pair].get_or_insert_with(|| self.walls.along(one, two));
        let may_pass = |wall: &usize| from.own.contains(wall) || to.own.contains(wall);
        passed.iter().all(may_pass) && from.is_passed(one, two) && to.is_passed(one, two)
    }
}
