//! The ends of an edge, and where it may leave them.

use super::rounded;
use crate::geometry::{Outline, Point, Rect};
use crate::measures::{LANE, SQUARE_ACROSS, SQUARE_BESIDE};
use crate::scene::Scene;
use crate::spec::Direction;

/// An end of an edge.
pub(super) struct End {
    pub(super) outline: Outline,
    /// Lines on which an edge may leave, each with its cost: vertical ones, then horizontal ones.
    pub(super) upright: Vec<(f64, f64)>,
    pub(super) level: Vec<(f64, f64)>,
    /// The nodes that are not in its way: the end itself, or the nodes in the frame.
    pub(super) own: Vec<usize>,
}

/// The two ends of an edge, and the frames that are not theirs.
pub(super) struct Tour {
    pub(super) ends: [End; 2],
    /// Frames that hold neither end.
    pub(super) strange: Vec<Rect>,
}

impl Tour {
    pub(super) fn new(scene: &Scene<'_>, index: usize, beside: Point) -> Self {
        let edge = &scene.spec.edges[index];
        let (from, to) = scene.ends(index);
        let members = |node: usize, group: Option<usize>| match group {
            Some(group) => scene.spec.groups[group].members.clone(),
            None => vec![node],
        };
        let layered = scene.spec.is_laid_out(edge);
        // Between layers edges leave forwards; backwards they leave at the sides.
        let (along, is_upright) = match scene.spec.layout.direction {
            Direction::LeftRight => (to.centre.x - from.centre.x, false),
            Direction::TopBottom => (to.centre.y - from.centre.y, true),
        };
        let across = match (layered, is_upright == (along > 0.0)) {
            (false, _) => (0.0, 0.0),
            (true, false) => (SQUARE_ACROSS, 0.0),
            (true, true) => (0.0, SQUARE_ACROSS),
        };
        let x = facing((from.centre.x, from.sides().0), (to.centre.x, to.sides().0));
        let y = facing((from.centre.y, from.sides().1), (to.centre.y, to.sides().1));
        let end = |outline: Outline, own| {
            let (wide, high) = outline.sides();
            End {
                upright: ports((outline.centre.x, wide), x, beside.x, across.0),
                level: ports((outline.centre.y, high), y, beside.y, across.1),
                outline,
                own,
            }
        };
        let own = [
            members(edge.from, edge.frames.0),
            members(edge.to, edge.frames.1),
        ];
        let frames = scene.frames.iter().zip(&scene.spec.groups);
        let strange = frames.filter_map(|(frame, group)| {
            let holds = |node: &usize| group.members.binary_search(node).is_ok();
            let is_strange = !own.iter().flatten().any(holds);
            Some(frame.as_ref()?.rect).filter(|_| is_strange)
        });
        Self {
            strange: strange.collect(),
            ends: {
                let [one, two] = own;
                [end(from, one), end(to, two)]
            },
        }
    }

    /// The distance between the ends, which decides the order in which edges are led.
    #[expect(clippy::cast_possible_truncation, reason = "lengths on a canvas")]
    pub(super) fn reach(&self) -> i64 {
        let [from, to] = self.ends.each_ref().map(|end| end.outline.centre);
        ((to.x - from.x).abs() + (to.y - from.y).abs()) as i64
    }

    /// A way with at most two corners, which ignores what lies on it.
    pub(super) fn plain(&self) -> Vec<Point> {
        let [from, to] = self.ends.each_ref().map(|end| end.outline.bounds());
        let [one, two] = self
            .ends
            .each_ref()
            .map(|end| Point::new(end.upright[0].0, end.level[0].0));
        // Turns where the gap between the ends is larger.
        let room = |one: (f64, f64), two: (f64, f64)| (two.0 - one.1).max(one.0 - two.1);
        let wide = room((from.left, from.right), (to.left, to.right));
        let high = room((from.top, from.bottom), (to.top, to.bottom));
        let corners = if wide >= high {
            let x = middle((from.left, from.right), (to.left, to.right));
            [Point::new(x, one.y), Point::new(x, two.y)]
        } else {
            let y = middle((from.top, from.bottom), (to.top, to.bottom));
            [Point::new(one.x, y), Point::new(two.x, y)]
        };
        corners.map(rounded).to_vec()
    }

    /// The corners of a way; of a plain one if there is none.
    pub(super) fn corners(&self, way: Option<&Vec<Point>>) -> Vec<Point> {
        match way.map(Vec::as_slice) {
            None => self.plain(),
            Some([one, two]) => self.straight(*one, *two),
            Some(way) => way[1..way.len() - 1].iter().copied().map(rounded).collect(),
        }
    }

    /// A straight way. Between the middles of two sides it needs no corner; elsewhere one corner on the line fixes its position.
    pub(super) fn straight(&self, one: Point, two: Point) -> Vec<Point> {
        let [from, to] = self.ends.each_ref().map(|end| end.outline);
        let on = |end: &Outline| {
            one.x == two.x && end.centre.x == one.x || one.y == two.y && end.centre.y == one.y
        };
        if on(&from) && on(&to) {
            return Vec::new();
        }
        let (from, to) = (from.bounds(), to.bounds());
        vec![rounded(if one.y == two.y {
            Point::new(middle((from.left, from.right), (to.left, to.right)), one.y)
        } else {
            Point::new(one.x, middle((from.top, from.bottom), (to.top, to.bottom)))
        })]
    }
}

/// The middle of the gap between two spans.
pub(super) fn middle(one: (f64, f64), two: (f64, f64)) -> f64 {
    if one.1 <= two.0 {
        f64::midpoint(one.1, two.0)
    } else {
        f64::midpoint(one.0, two.1)
    }
}

/// The line that meets the facing sides of both ends, in the middle of the smaller one if possible. A side is given by its middle
/// and half length.
pub(super) fn facing(one: (f64, f64), two: (f64, f64)) -> Option<f64> {
    let low = (one.0 - one.1).max(two.0 - two.1);
    let high = (one.0 + one.1).min(two.0 + two.1);
    let wanted = if one.1 < two.1 { one.0 } else { two.0 };
    (low <= high).then(|| wanted.clamp(low, high))
}

/// The lines on which an edge may leave a side, each with its cost, the preferred one first.
pub(super) fn ports(
    (middle, half): (f64, f64),
    facing: Option<f64>,
    beside: f64,
    across: f64,
) -> Vec<(f64, f64)> {
    let own = middle + beside;
    let mut ports = vec![(own, across)];
    let others = [
        facing.map(|at| (at + beside, 1.0)),
        Some((own - LANE, SQUARE_BESIDE)),
        Some((own + LANE, SQUARE_BESIDE)),
    ];
    for (at, cost) in others.into_iter().flatten() {
        let is_new = ports.iter().all(|(port, _)| *port != at);
        if is_new && (at - middle).abs() <= half - 1.0 {
            ports.push((at, cost + across));
        }
    }
    ports
}
