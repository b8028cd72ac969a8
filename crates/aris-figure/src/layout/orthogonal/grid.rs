//! The grid for orthogonal ways: its lines, and what lies on them: nodes, frames and the ways found so far.

use std::collections::{BTreeMap, BTreeSet};

use super::search::Seen;
use super::tour::{End, Tour};
use crate::geometry::{Point, Rect};
use crate::measures::{ARROW, ARROW_ROOM, CLEAR, KEEP, LINES, SAME_LINE, SQUARE_POINTS, TRACK};
use crate::scene::Scene;

/// Lines on one axis on which ways may run: position, and the cost of turning into the line.
pub(super) struct Lines(pub(super) Vec<(f64, f64)>);

impl Lines {
    /// `sides`: where boxes and frames begin and end. `ports`: lines that are always included. `within`: the allowed range.
    pub(super) fn new(
        mut sides: Vec<f64>,
        ports: impl Iterator<Item = f64>,
        within: (f64, f64),
    ) -> Self {
        sides.sort_by(f64::total_cmp);
        sides.dedup();
        let mut lines: Vec<(f64, f64)> = ports.map(|at| (at, 2.0)).collect();
        lines.sort_by(|one, two| one.0.total_cmp(&two.0));
        lines.dedup();
        let mut more: Vec<(f64, f64)> = Vec::new();
        for gap in sides.windows(2) {
            let (middle, room) = (f64::midpoint(gap[0], gap[1]), (gap[1] - gap[0]) / 2.0);
            if room > KEEP {
                more.push((middle, 0.0));
            }
            let mut step = TRACK;
            while step <= room - ARROW_ROOM {
                more.extend([(middle - step, step / 4.0), (middle + step, step / 4.0)]);
                step += TRACK;
            }
        }
        more.extend(
            sides
                .iter()
                .flat_map(|side| [(side - CLEAR, 8.0), (side + CLEAR, 8.0)]),
        );
        if let (Some(first), Some(last)) = (sides.first(), sides.last()) {
            let outside = [1.0, 2.0, 3.0].into_iter();
            more.extend(outside.flat_map(|step| {
                let by = CLEAR + step * TRACK;
                [(first - by, 8.0), (last + by, 8.0)]
            }));
        }
        more.retain(|(at, _)| (within.0..=within.1).contains(at));
        more.sort_by(|one, two| one.1.total_cmp(&two.1).then(one.0.total_cmp(&two.0)));
        // A line close to one that is already taken is left out.
        let mut taken: BTreeSet<i64> = lines.iter().map(|(at, _)| cell(*at)).collect();
        for (at, cost) in more {
            let near = taken.range(cell(at) - cell(LINES)..=cell(at) + cell(LINES));
            if near.count() == 0 {
                taken.insert(cell(at));
                lines.push((at, cost));
            }
        }
        lines.sort_by(|one, two| one.0.total_cmp(&two.0));
        Self(lines)
    }

    pub(super) fn at(&self, index: usize) -> f64 {
        self.0[index].0
    }

    pub(super) fn find(&self, at: f64) -> Option<usize> {
        let index = self.0.partition_point(|(line, _)| *line < at);
        (self.0.get(index)?.0 == at).then_some(index)
    }

    /// Indices of the lines strictly between two positions.
    pub(super) fn between(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        let first = self.0.partition_point(|(line, _)| *line <= low);
        first..self.0.partition_point(|(line, _)| *line < high).max(first)
    }
}

/// A cost as an integer, so that costs can be ordered.
#[expect(clippy::cast_possible_truncation, reason = "lengths on a canvas")]
pub(super) fn cell(length: f64) -> i64 {
    (length * 16.0).round() as i64
}

/// What blocks a step of the grid.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wall {
    Free,
    Node(usize),
    Several,
}

/// A level piece lies on a line of `level`, between two lines of `upright`; an upright one vice versa.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Level,
    Upright,
}

impl Axis {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Level => Self::Upright,
            Self::Upright => Self::Level,
        }
    }
}

pub(super) struct Grid {
    pub(super) upright: Lines,
    pub(super) level: Lines,
    /// For each axis and point, what blocks the step from it to the next point.
    pub(super) walls: [Vec<Wall>; 2],
    /// For each axis and point, the edges and frames on or near that step.
    pub(super) used: [Vec<Vec<Mark>>; 2],
    pub(super) seen: Seen,
    /// How many more points may be visited.
    pub(super) left: usize,
}

/// An edge, or a frame (`None`), on a step or near it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) edge: Option<usize>,
    is_on: bool,
    /// Whether the arrow at the edge's start, and that at its end, lies there.
    arrows: [bool; 2],
}

/// Lines on which an edge may leave an end, each with its cost; and the coordinate of the end's centre.
type Ports<'e> = (&'e [(f64, f64)], f64);

impl Grid {
    pub(super) fn new(scene: &Scene<'_>, tours: &BTreeMap<usize, Tour>) -> Self {
        let rects: Vec<Rect> = scene
            .blocks
            .iter()
            .map(|block| block.outline.bounds())
            .chain(scene.frames.iter().flatten().map(|frame| frame.rect))
            .collect();
        let free = scene.spec.nodes.iter().all(|node| node.centre.is_none());
        // `length`: that of the canvas; `given`: the one in the file.
        let lines = |sides: fn(&Rect) -> [f64; 2],
                     ports: fn(&End) -> Ports<'_>,
                     length: f64,
                     given: Option<f64>| {
            // A canvas that follows the figure can grow in every direction, because everything is moved afterwards.
            let within = if free && given.is_none() {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else {
                (2.0, length - 2.0)
            };
            let ends = tours.values().flat_map(|tour| &tour.ends).map(ports);
            let ports = ends.flat_map(|(ports, middle)| {
                let places = ports.iter().map(|port| port.0);
                places.chain([middle])
            });
            Lines::new(rects.iter().flat_map(sides).collect(), ports, within)
        };
        let canvas = &scene.spec.canvas;
        let upright = lines(
            |rect| [rect.left, rect.right],
            |end| (&end.upright, end.outline.centre.x),
            scene.width,
            canvas.width,
        );
        let level = lines(
            |rect| [rect.top, rect.bottom],
            |end| (&end.level, end.outline.centre.y),
            scene.height,
            canvas.height,
        );
        let points = upright.0.len() * level.0.len();
        let mut grid = Self {
            walls: [vec![Wall::Free; points], vec![Wall::Free; points]],
            used: [vec![Vec::new(); points], vec![Vec::new(); points]],
            seen: Seen::default(),
            left: SQUARE_POINTS,
            upright,
            level,
        };
        for (node, block) in scene.blocks.iter().enumerate() {
            let rect = block.outline.bounds().grown(KEEP);
            for axis in [Axis::Level, Axis::Upright] {
                for step in grid.steps_in(axis, rect) {
                    let wall = &mut grid.walls[axis as usize][step];
                    *wall = match wall {
                        Wall::Free => Wall::Node(node),
                        _ => Wall::Several,
                    };
                }
            }
        }
        for frame in scene.frames.iter().flatten() {
            let [one, two, three, four] = frame.rect.corners();
            grid.mark(scene, None, &[one, two, three, four, one], true);
        }
        grid
    }

    pub(super) fn index(&self, x: usize, y: usize) -> usize {
        y * self.upright.0.len() + x
    }

    pub(super) fn place(&self, index: usize) -> (usize, usize) {
        (index % self.upright.0.len(), index / self.upright.0.len())
    }

    pub(super) fn point(&self, index: usize) -> Point {
        let (x, y) = self.place(index);
        Point::new(self.upright.at(x), self.level.at(y))
    }

    /// The steps of an axis that run partly inside a box.
    pub(super) fn steps_in(&self, axis: Axis, rect: Rect) -> Vec<usize> {
        let (mut xs, mut ys) = (
            self.upright.between(rect.left, rect.right),
            self.level.between(rect.top, rect.bottom),
        );
        // The step that leads into the box begins before it.
        match axis {
            Axis::Level => xs.start = xs.start.saturating_sub(1),
            Axis::Upright => ys.start = ys.start.saturating_sub(1),
        }
        ys.flat_map(|y| xs.clone().map(move |x| (x, y)))
            .map(|(x, y)| self.index(x, y))
            .collect()
    }

    /// Marks an edge along its way, or removes its marks.
    pub(super) fn mark(
        &mut self,
        scene: &Scene<'_>,
        edge: Option<usize>,
        way: &[Point],
        is_there: bool,
    ) {
        let arrows = edge.map_or([None; 2], |edge| {
            let edge = &scene.spec.edges[edge];
            let tips = [way.first(), way.last()];
            let around = |tip: &Point| Rect::between(*tip, *tip).grown(ARROW * edge.thickness);
            [0, 1].map(|end| tips[end].filter(|_| edge.arrows[end]).map(around))
        });
        for pair in way.windows(2) {
            self.mark_piece(edge, (pair[0], pair[1]), arrows, is_there);
        }
    }

    /// Marks one piece of a way, also on lines so near to it that they look the same.
    fn mark_piece(
        &mut self,
        edge: Option<usize>,
        (one, two): (Point, Point),
        arrows: [Option<Rect>; 2],
        is_there: bool,
    ) {
        let (axis, near) = strip(one, two, SAME_LINE);
        for step in self.steps_in(axis, near) {
            let at = self.point(step);
            let is_on = match axis {
                Axis::Level => at.y == one.y,
                Axis::Upright => at.x == one.x,
            };
            let end = self
                .next(step, axis, true)
                .map_or(at, |(end, _)| self.point(end));
            let holds =
                |arrow: Option<Rect>| is_on && arrow.is_some_and(|arrow| arrow.is_crossed(at, end));
            let mark = Mark {
                edge,
                is_on,
                arrows: arrows.map(holds),
            };
            let used = &mut self.used[axis as usize][step];
            match used.iter().position(|known| *known == mark) {
                Some(known) if !is_there => drop(used.swap_remove(known)),
                _ if is_there => used.push(mark),
                _ => {}
            }
        }
    }

    /// The next point in a direction, and the step to it.
    pub(super) fn next(&self, here: usize, axis: Axis, forth: bool) -> Option<(usize, usize)> {
        let (x, y) = self.place(here);
        let (at, count, stride) = match axis {
            Axis::Level => (x, self.upright.0.len(), 1),
            Axis::Upright => (y, self.level.0.len(), self.upright.0.len()),
        };
        if forth {
            (at + 1 < count).then_some((here + stride, here))
        } else {
            (at > 0).then(|| (here - stride, here - stride))
        }
    }

    /// Whether a step is taken by an edge that may not share its line with `edge`.
    pub(super) fn is_taken(&self, scene: &Scene<'_>, edge: usize, axis: Axis, step: usize) -> bool {
        let used = &self.used[axis as usize][step];
        used.iter().any(|mark| !shares(scene, edge, *mark))
    }

    /// Whether such an edge runs through a point along an axis.
    pub(super) fn is_crossed(
        &self,
        scene: &Scene<'_>,
        edge: usize,
        axis: Axis,
        point: usize,
    ) -> bool {
        self.taken_beside(scene, edge, axis, point) == [true, true]
    }

    /// Whether such an edge lies on the step before a point, and on the step after it.
    pub(super) fn taken_beside(
        &self,
        scene: &Scene<'_>,
        edge: usize,
        axis: Axis,
        point: usize,
    ) -> [bool; 2] {
        [false, true].map(|forth| {
            self.next(point, axis, forth)
                .is_some_and(|(_, step)| self.is_taken(scene, edge, axis, step))
        })
    }

    /// Whether no edge that may not share a line lies on a way or touches it.
    pub(super) fn is_alone(&self, scene: &Scene<'_>, edge: usize, way: &[Point]) -> bool {
        way.windows(2).all(|pair| {
            let (axis, line) = strip(pair[0], pair[1], 0.1);
            let steps = self.steps_in(axis, line);
            let is_free = |step: &usize| {
                !self.is_taken(scene, edge, axis, *step)
                    && !self.is_crossed(scene, edge, axis.other(), *step)
            };
            steps.iter().all(is_free)
        })
    }
}

/// The axis of a straight piece, and the area within `by` of it.
pub(super) fn strip(one: Point, two: Point, by: f64) -> (Axis, Rect) {
    let rect = Rect::between(one, two);
    let (axis, x, y) = if one.y == two.y {
        (Axis::Level, 0.0, by)
    } else {
        (Axis::Upright, by, 0.0)
    };
    let strip = Rect {
        left: rect.left - x,
        top: rect.top - y,
        right: rect.right + x,
        bottom: rect.bottom + y,
    };
    (axis, strip)
}

/// Whether two edges may share a line: they begin or end at the same place, both with an arrow there or both without, look alike,
/// and the other edge's arrow at its separate end does not lie there.
pub(super) fn shares(scene: &Scene<'_>, edge: usize, mark: Mark) -> bool {
    let Some(other) = mark.edge.filter(|_| mark.is_on) else {
        return false;
    };
    let (one, two) = (&scene.spec.edges[edge], &scene.spec.edges[other]);
    let alike = one.dash == two.dash && one.colour.rgb == two.colour.rgb;
    let from = one.start() == two.start();
    // If both ends are shared, the two edges would look like one.
    if !alike || from == (one.end() == two.end()) {
        return false;
    }
    if from {
        one.arrows[0] == two.arrows[0] && !mark.arrows[1]
    } else {
        one.arrows[1] == two.arrows[1] && !mark.arrows[0]
    }
}
