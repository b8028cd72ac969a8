//! A search for the cheapest way through the grid (A*).

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use super::grid::{Axis, Grid, Wall, cell, shares};
use super::tour::{End, Tour};
use crate::geometry::{Point, Rect, span};
use crate::measures::{
    ARROW_ROOM, KEEP, SQUARE_CORNER, SQUARE_CROSSING, SQUARE_IN_ARROW, SQUARE_ON_EDGE,
    SQUARE_SHARED, SQUARE_STRANGE,
};
use crate::scene::Scene;

/// The cost of reaching each point on each axis, and the state before it. Reused between searches, because a grid can have
/// millions of points.
#[derive(Default)]
pub(super) struct Seen {
    best: Vec<(i64, usize)>,
    changed: Vec<usize>,
}

impl Seen {
    const NEVER: (i64, usize) = (i64::MAX, usize::MAX);

    fn set(&mut self, at: usize, cost: i64, before: usize) {
        self.best[at] = (cost, before);
        self.changed.push(at);
    }

    fn clear(&mut self, count: usize) {
        self.best.resize(count, Self::NEVER);
        for at in self.changed.drain(..) {
            self.best[at] = Self::NEVER;
        }
    }
}

impl Grid {
    /// The cost of a step of this length, which depends on other edges on it.
    fn step_cost(
        &self,
        scene: &Scene<'_>,
        edge: usize,
        (axis, step): (Axis, usize),
        length: f64,
    ) -> f64 {
        match self.used[axis as usize][step].as_slice() {
            [] => length,
            marks if marks.iter().all(|mark| shares(scene, edge, *mark)) => length * SQUARE_SHARED,
            _ => length * SQUARE_ON_EDGE + SQUARE_CROSSING,
        }
    }

    /// The cheapest way from inside one end to inside the other; `None` if there is none.
    pub(super) fn lead(
        &mut self,
        scene: &Scene<'_>,
        edge: usize,
        tour: &Tour,
    ) -> Option<Vec<Point>> {
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear(2 * self.upright.0.len() * self.level.0.len());
        let way = self.search(scene, edge, tour, &mut seen);
        self.seen = seen;
        way
    }

    fn search(
        &mut self,
        scene: &Scene<'_>,
        edge: usize,
        tour: &Tour,
        seen: &mut Seen,
    ) -> Option<Vec<Point>> {
        let [from, to] = &tour.ends;
        let mut open = BinaryHeap::new();
        // A lower bound for the rest of a way: its length, and a corner if it does not lead straight to a gate.
        let gates = |ports: &[(f64, f64)]| span(ports.iter().map(|port| port.0));
        let target = to.outline.bounds();
        let (gates_x, gates_y) = (gates(&to.upright), gates(&to.level));
        let rest = |point: Point, axis: Axis| {
            let beyond = |(low, high): (f64, f64), at: f64| (low - at).max(at - high).max(0.0);
            let length = beyond((target.left, target.right), point.x)
                + beyond((target.top, target.bottom), point.y);
            let aside = match axis {
                Axis::Level => beyond(gates_y, point.y),
                Axis::Upright => beyond(gates_x, point.x),
            };
            let corner = if aside > 0.0 { SQUARE_CORNER } else { 0.0 };
            cell(SQUARE_SHARED * length) + cell(corner)
        };
        let state = |point: usize, axis: Axis| 2 * point + axis as usize;
        for (point, axis, cost) in self.gates(from) {
            seen.set(state(point, axis), cell(cost), usize::MAX);
            open.push(Reverse((
                cell(cost) + rest(self.point(point), axis),
                state(point, axis),
            )));
        }
        let goals: BTreeMap<usize, i64> = self
            .gates(to)
            .into_iter()
            .map(|(point, axis, cost)| (state(point, axis), cell(cost)))
            .collect();
        let mut end: Option<(i64, usize)> = None;
        while let Some(Reverse((guess, here))) = open.pop() {
            if end.is_some_and(|(cost, _)| cost <= guess) {
                break;
            }
            let cost = seen.best[here].0;
            let (point, axis) = (
                here / 2,
                if here % 2 == 0 {
                    Axis::Level
                } else {
                    Axis::Upright
                },
            );
            if guess > cost + rest(self.point(point), axis) {
                continue;
            }
            self.left = self.left.checked_sub(1)?;
            if let Some(last) = goals.get(&here)
                && end.is_none_or(|(known, _)| cost + last < known)
            {
                end = Some((cost + last, here));
            }
            let turn = state(point, axis.other());
            let turned = cost + self.turning(scene, edge, tour, point, axis.other());
            if turned < seen.best[turn].0 {
                seen.set(turn, turned, here);
                open.push(Reverse((
                    turned + rest(self.point(point), axis.other()),
                    turn,
                )));
            }
            for forth in [false, true] {
                let Some((next, step)) = self.next(point, axis, forth) else {
                    continue;
                };
                if !self.may_pass(tour, axis, step) {
                    continue;
                }
                let middle = self.point(point).lerp(self.point(next), 0.5);
                let length = self.point(point).distance(self.point(next));
                let inside = |end: &End| end.outline.bounds().holds_point(middle);
                let cost = if tour.ends.iter().any(inside) {
                    // This part is hidden by the end and not drawn.
                    cost + cell(length)
                } else {
                    let is_strange = tour.strange.iter().any(|frame| frame.holds_point(middle));
                    let strange = if is_strange { SQUARE_STRANGE } else { 1.0 };
                    let is_crossed = self.is_crossed(scene, edge, axis.other(), next);
                    let crossing = if is_crossed { SQUARE_CROSSING } else { 0.0 };
                    let step = self.step_cost(scene, edge, (axis, step), length * strange);
                    cost + cell(step + crossing)
                };
                if cost < seen.best[state(next, axis)].0 {
                    seen.set(state(next, axis), cost, here);
                    open.push(Reverse((
                        cost + rest(self.point(next), axis),
                        state(next, axis),
                    )));
                }
            }
        }
        let mut here = end?.1;
        let mut way = vec![self.point(here / 2)];
        while seen.best[here].1 != usize::MAX {
            let before = seen.best[here].1;
            // A turn is a separate state at the same point.
            if before / 2 == here / 2 {
                way.push(self.point(here / 2));
            }
            here = before;
        }
        way.push(self.point(here / 2));
        way.reverse();
        // The parts inside the ends are not drawn, so they are cut off.
        let last = way.len() - 1;
        (way[0], way[last]) = (
            leaving(from.outline.bounds(), way[0], way[1]),
            leaving(to.outline.bounds(), way[last], way[last - 1]),
        );
        Some(way)
    }

    /// The points inside an end at which ways begin, each with its direction and cost.
    fn gates(&self, end: &End) -> Vec<(usize, Axis, f64)> {
        let centre = end.outline.centre;
        let (x, y) = (self.upright.find(centre.x), self.level.find(centre.y));
        let level = end.level.iter().filter_map(|(at, cost)| {
            Some((self.index(x?, self.level.find(*at)?), Axis::Level, *cost))
        });
        let upright = end.upright.iter().filter_map(|(at, cost)| {
            Some((
                self.index(self.upright.find(*at)?, y?),
                Axis::Upright,
                *cost,
            ))
        });
        level.chain(upright).collect()
    }

    /// Whether a step is allowed: through no node but the ends, and through these only straight out of a side.
    fn may_pass(&self, tour: &Tour, axis: Axis, step: usize) -> bool {
        let at = self.point(step);
        match self.walls[axis as usize][step] {
            Wall::Free => true,
            Wall::Several => false,
            Wall::Node(node) => tour.ends.iter().any(|end| {
                let (ports, at) = match axis {
                    Axis::Level => (&end.level, at.y),
                    Axis::Upright => (&end.upright, at.x),
                };
                end.own.contains(&node) && ports.iter().any(|(port, _)| *port == at)
            }),
        }
    }

    /// The cost of turning at a point into an axis.
    fn turning(
        &self,
        scene: &Scene<'_>,
        edge: usize,
        tour: &Tour,
        point: usize,
        into: Axis,
    ) -> i64 {
        let (x, y) = self.place(point);
        let line = match into {
            Axis::Level => self.level.0[y].1,
            Axis::Upright => self.upright.0[x].1,
        };
        let at = self.point(point);
        let [tail, head] = scene.spec.edges[edge].arrows;
        let near = |end: &End, arrow: bool| {
            let room = if arrow { ARROW_ROOM } else { 2.0 * KEEP };
            end.outline.bounds().grown(room - 0.1).holds_point(at)
        };
        let arrow = if near(&tour.ends[0], tail) || near(&tour.ends[1], head) {
            SQUARE_IN_ARROW
        } else {
            0.0
        };
        let touches = [Axis::Level, Axis::Upright].into_iter().any(|axis| {
            let [back, forth] = self.taken_beside(scene, edge, axis, point);
            back || forth
        });
        let touch = if touches { SQUARE_CROSSING } else { 0.0 };
        cell(SQUARE_CORNER + line + arrow + touch)
    }
}

/// Where a straight way from inside a box towards `next` leaves it.
fn leaving(bounds: Rect, from: Point, next: Point) -> Point {
    let side = |from: f64, next: f64, low: f64, high: f64| match next.total_cmp(&from) {
        Ordering::Less => low.max(next),
        Ordering::Equal => from,
        Ordering::Greater => high.min(next),
    };
    Point::new(
        side(from.x, next.x, bounds.left, bounds.right),
        side(from.y, next.y, bounds.top, bounds.bottom),
    )
}
