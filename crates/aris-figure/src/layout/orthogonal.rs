//! Ways of right angles.
//!
//! **Source**: the cheapest way (A*) on the lines through the ends of edges and through the gaps between boxes, an orthogonal visibility
//! graph. The edges are led one after the other, short ones first; each pays for its length and corners, and for crossing or lying on those
//! before it. Edges that share an end, and look alike, may share a line.

#![expect(
    clippy::float_cmp,
    reason = "points on one line carry the same number, copied and never computed again"
)]

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::geometry::{Outline, Point, Rect};
use crate::measures::{
    ARROW_ROOM, CLEAR, KEEP, LABEL_GAP, LANE, LINES, PLATE, SAME_LINE, SQUARE_ACROSS,
    SQUARE_BESIDE, SQUARE_CORNER, SQUARE_CROSSING, SQUARE_IN_ARROW, SQUARE_NODES, SQUARE_ON_EDGE,
    SQUARE_POINTS, SQUARE_ROUNDS, SQUARE_SHARED, SQUARE_STRANGE, TRACK,
};
use crate::scene::Scene;
use crate::spec::Direction;

/// Corners for the edges that are to run in right angles and have none in the file.
pub(crate) fn orthogonal(scene: &Scene<'_>) -> Vec<(usize, Vec<Point>)> {
    let mut edges: Vec<usize> = (0..scene.spec.edges.len())
        .filter(|edge| {
            let edge = &scene.spec.edges[*edge];
            edge.is_squared() && edge.points.is_empty()
        })
        .collect();
    if edges.is_empty() {
        return Vec::new();
    }
    let bundles = bundles(scene, &edges);
    let tours: BTreeMap<usize, Tour> = edges
        .iter()
        .map(|edge| (*edge, Tour::new(scene, *edge, bundles[edge])))
        .collect();
    if scene.blocks.len() > SQUARE_NODES {
        return tours
            .into_iter()
            .map(|(edge, tour)| (edge, tour.plain()))
            .collect();
    }
    edges.sort_by_key(|edge| (tours[edge].reach(), *edge));
    let mut grid = Grid::new(scene, &tours);
    let mut ways: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
    for round in 0..SQUARE_ROUNDS {
        for edge in &edges {
            // Led again where one after it has come too near.
            if let Some(way) = ways.get(edge)
                && (grid.is_alone(scene, *edge, way) || grid.left == 0)
            {
                continue;
            }
            if round > 0 && !ways.contains_key(edge) {
                continue;
            }
            if let Some(way) = ways.remove(edge) {
                grid.mark(Some(*edge), &way, false);
            }
            if let Some(way) = grid.lead(scene, *edge, &tours[edge]) {
                grid.mark(Some(*edge), &way, true);
                ways.insert(*edge, way);
            }
        }
    }
    edges
        .into_iter()
        .map(|edge| (edge, tours[&edge].corners(ways.get(&edge))))
        .collect()
}

/// Sideways and downwards: how far each of several edges between the same two ends stands beside the middle.
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
        let label = (scene.spec.style.font_size - 3.0).max(1.0) * PLATE + LABEL_GAP;
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

/// An end of an edge.
struct End {
    outline: Outline,
    /// Lines on which an edge may leave, upright and level, with what each costs.
    upright: Vec<(f64, f64)>,
    level: Vec<(f64, f64)>,
    /// The nodes that are not in the way: itself, or those in the frame.
    own: Vec<usize>,
}

/// What an edge connects.
struct Tour {
    ends: [End; 2],
    /// Frames that hold neither end.
    strange: Vec<Rect>,
}

impl Tour {
    fn new(scene: &Scene<'_>, index: usize, beside: Point) -> Self {
        let edge = &scene.spec.edges[index];
        let (from, to) = scene.ends(index);
        let members = |node: usize, group: Option<usize>| match group {
            Some(group) => scene.spec.groups[group].members.clone(),
            None => vec![node],
        };
        let layered = scene.spec.nodes[edge.from].centre.is_none()
            && scene.spec.nodes[edge.to].centre.is_none();
        // In layers edges leave forth, and back beside the layers.
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

    /// How far apart the ends are, for the order.
    #[expect(clippy::cast_possible_truncation, reason = "lengths on a canvas")]
    fn reach(&self) -> i64 {
        let [from, to] = self.ends.each_ref().map(|end| end.outline.centre);
        ((to.x - from.x).abs() + (to.y - from.y).abs()) as i64
    }

    /// The way with two corners at most, whatever lies on it.
    fn plain(&self) -> Vec<Point> {
        let [from, to] = self.ends.each_ref().map(|end| end.outline.bounds());
        let [one, two] = self
            .ends
            .each_ref()
            .map(|end| Point::new(end.upright[0].0, end.level[0].0));
        // The way that leaves most room in its middle.
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
}

/// The middle of the gap between two spans.
fn middle(one: (f64, f64), two: (f64, f64)) -> f64 {
    if one.1 <= two.0 {
        f64::midpoint(one.1, two.0)
    } else {
        f64::midpoint(one.0, two.1)
    }
}

fn rounded(point: Point) -> Point {
    let round = |length: f64| (length * 100.0).round() / 100.0;
    Point::new(round(point.x), round(point.y))
}

/// Where a straight line meets the sides of both ends: in the middle of the smaller one if it can. Sides are given by middle and half.
fn facing(one: (f64, f64), two: (f64, f64)) -> Option<f64> {
    let low = (one.0 - one.1).max(two.0 - two.1);
    let high = (one.0 + one.1).min(two.0 + two.1);
    let wanted = if one.1 < two.1 { one.0 } else { two.0 };
    (low <= high).then(|| wanted.clamp(low, high))
}

/// Lines on which an edge may leave a side, the cheapest first.
fn ports(
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

/// Lines on one axis that ways may run on, and what turning into each costs.
struct Lines(Vec<(f64, f64)>);

impl Lines {
    /// `sides`: where boxes and frames begin and end. `ports`: lines that must be there. `within`: where lines may be.
    fn new(mut sides: Vec<f64>, ports: impl Iterator<Item = f64>, within: (f64, f64)) -> Self {
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
        // What is near to a line that is there already is left out.
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

    fn at(&self, index: usize) -> f64 {
        self.0[index].0
    }

    fn find(&self, at: f64) -> Option<usize> {
        let index = self.0.partition_point(|(line, _)| *line < at);
        (self.0.get(index)?.0 == at).then_some(index)
    }

    /// The lines strictly between two places.
    fn between(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        let first = self.0.partition_point(|(line, _)| *line <= low);
        first..self.0.partition_point(|(line, _)| *line < high).max(first)
    }
}

/// Costs as whole numbers, which have an order.
#[expect(clippy::cast_possible_truncation, reason = "lengths on a canvas")]
fn cell(length: f64) -> i64 {
    (length * 16.0).round() as i64
}

/// What lies on a step of the grid.
#[derive(Clone, Copy, PartialEq)]
enum Wall {
    Free,
    Node(usize),
    Several,
}

/// Level pieces lie on a line of `level` between two lines of `upright`; upright ones the other way round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Level,
    Upright,
}

impl Axis {
    fn other(self) -> Self {
        match self {
            Self::Level => Self::Upright,
            Self::Upright => Self::Level,
        }
    }
}

struct Grid {
    upright: Lines,
    level: Lines,
    /// For each axis and point, what lies on the step from it to the next.
    walls: [Vec<Wall>; 2],
    /// For each axis and point, what lies on that step.
    used: [Vec<Vec<Mark>>; 2],
    /// How many points may still be looked at.
    left: usize,
}

/// An edge, or a frame, on a step or near to it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    edge: Option<usize>,
    is_on: bool,
}

impl Grid {
    fn new(scene: &Scene<'_>, tours: &BTreeMap<usize, Tour>) -> Self {
        let rects: Vec<Rect> = scene
            .blocks
            .iter()
            .map(|block| block.outline.bounds())
            .chain(scene.frames.iter().flatten().map(|frame| frame.rect))
            .collect();
        let ends = || tours.values().flat_map(|tour| &tour.ends);
        let inside = |length: f64, follows: bool| {
            // A canvas that follows the figure grows to the right and to the bottom, and all moves right and down.
            if follows {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else {
                (2.0, length - 2.0)
            }
        };
        let canvas = &scene.spec.canvas;
        let free = scene.spec.nodes.iter().all(|node| node.centre.is_none());
        let upright = Lines::new(
            rects
                .iter()
                .flat_map(|rect| [rect.left, rect.right])
                .collect(),
            ends().flat_map(|end| {
                end.upright
                    .iter()
                    .map(|port| port.0)
                    .chain([end.outline.centre.x])
            }),
            inside(scene.width, free && canvas.width.is_none()),
        );
        let level = Lines::new(
            rects
                .iter()
                .flat_map(|rect| [rect.top, rect.bottom])
                .collect(),
            ends().flat_map(|end| {
                end.level
                    .iter()
                    .map(|port| port.0)
                    .chain([end.outline.centre.y])
            }),
            inside(scene.height, free && canvas.height.is_none()),
        );
        let points = upright.0.len() * level.0.len();
        let mut grid = Self {
            walls: [vec![Wall::Free; points], vec![Wall::Free; points]],
            used: [vec![Vec::new(); points], vec![Vec::new(); points]],
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
            grid.mark(None, &[one, two, three, four, one], true);
        }
        grid
    }

    fn index(&self, x: usize, y: usize) -> usize {
        y * self.upright.0.len() + x
    }

    fn place(&self, index: usize) -> (usize, usize) {
        (index % self.upright.0.len(), index / self.upright.0.len())
    }

    fn point(&self, index: usize) -> Point {
        let (x, y) = self.place(index);
        Point::new(self.upright.at(x), self.level.at(y))
    }

    /// The steps of an axis that have a part inside a box.
    fn steps_in(&self, axis: Axis, rect: Rect) -> Vec<usize> {
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

    /// Notes an edge on its way, or that it is there no more.
    fn mark(&mut self, edge: Option<usize>, way: &[Point], is_there: bool) {
        for pair in way.windows(2) {
            self.mark_piece(edge, (pair[0], pair[1]), is_there);
        }
    }

    /// Lines that are so near to a piece that they look the same are marked, too.
    fn mark_piece(&mut self, edge: Option<usize>, (one, two): (Point, Point), is_there: bool) {
        let (axis, near) = strip(one, two, SAME_LINE);
        for step in self.steps_in(axis, near) {
            let at = self.point(step);
            let is_on = match axis {
                Axis::Level => at.y == one.y,
                Axis::Upright => at.x == one.x,
            };
            let used = &mut self.used[axis as usize][step];
            let mark = Mark { edge, is_on };
            match used.iter().position(|known| *known == mark) {
                Some(known) if !is_there => drop(used.swap_remove(known)),
                _ if is_there => used.push(mark),
                _ => {}
            }
        }
    }

    /// The next point in a direction, with the step between.
    fn next(&self, here: usize, axis: Axis, forth: bool) -> Option<(usize, usize)> {
        let (x, y) = self.place(here);
        let stride = match axis {
            Axis::Level => 1,
            Axis::Upright => self.upright.0.len(),
        };
        let (at, count) = match axis {
            Axis::Level => (x, self.upright.0.len()),
            Axis::Upright => (y, self.level.0.len()),
        };
        if forth {
            (at + 1 < count).then_some((here + stride, here))
        } else {
            (at > 0).then(|| (here - stride, here - stride))
        }
    }

    /// Whether another edge than `edge` and those that may share its line lies on a step.
    fn is_taken(&self, scene: &Scene<'_>, edge: usize, axis: Axis, step: usize) -> bool {
        let used = &self.used[axis as usize][step];
        used.iter().any(|mark| !shares(scene, edge, *mark))
    }

    /// Whether no other edge that may not lies on a way or touches it.
    fn is_alone(&self, scene: &Scene<'_>, edge: usize, way: &[Point]) -> bool {
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

    /// What it costs to take a step of a length, beside or on other edges.
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

    /// The cheapest way, from within one end to within the other; `None` where there is none.
    fn lead(&mut self, scene: &Scene<'_>, edge: usize, tour: &Tour) -> Option<Vec<Point>> {
        let [from, to] = &tour.ends;
        let count = 2 * self.upright.0.len() * self.level.0.len();
        let mut best: Vec<(i64, usize)> = vec![(i64::MAX, usize::MAX); count];
        let mut open = BinaryHeap::new();
        // What the rest of a way costs at least: its length, and a corner where it does not lead to a gate.
        let span = |ports: &[(f64, f64)]| {
            let places = ports.iter().map(|port| port.0);
            places.fold((f64::MAX, f64::MIN), |(low, high), at| {
                (low.min(at), high.max(at))
            })
        };
        let target = to.outline.bounds();
        let (gates_x, gates_y) = (span(&to.upright), span(&to.level));
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
            best[state(point, axis)] = (cell(cost), usize::MAX);
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
            let cost = best[here].0;
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
            if turned < best[turn].0 {
                best[turn] = (turned, here);
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
                let middle = self.point(point).towards(self.point(next), 0.5);
                let length = self.point(point).distance(self.point(next));
                let inside = |end: &End| end.outline.bounds().holds_point(middle);
                let cost = if tour.ends.iter().any(inside) {
                    // Nothing of it is drawn.
                    cost + cell(length)
                } else {
                    let is_strange = tour.strange.iter().any(|frame| frame.holds_point(middle));
                    let strange = if is_strange { SQUARE_STRANGE } else { 1.0 };
                    let is_crossed = self.is_crossed(scene, edge, axis.other(), next);
                    let crossing = if is_crossed { SQUARE_CROSSING } else { 0.0 };
                    let step = self.step_cost(scene, edge, (axis, step), length * strange);
                    cost + cell(step + crossing)
                };
                if cost < best[state(next, axis)].0 {
                    best[state(next, axis)] = (cost, here);
                    open.push(Reverse((
                        cost + rest(self.point(next), axis),
                        state(next, axis),
                    )));
                }
            }
        }
        let mut here = end?.1;
        let mut way = vec![self.point(here / 2)];
        while best[here].1 != usize::MAX {
            let before = best[here].1;
            // A turn is a state of its own at the same point.
            if before / 2 == here / 2 {
                way.push(self.point(here / 2));
            }
            here = before;
        }
        way.push(self.point(here / 2));
        way.reverse();
        // Within its ends nothing of it is drawn.
        let last = way.len() - 1;
        (way[0], way[last]) = (
            leaving(from.outline.bounds(), way[0], way[1]),
            leaving(to.outline.bounds(), way[last], way[last - 1]),
        );
        Some(way)
    }

    /// Points within an end at which ways begin, their direction and what leaving there costs.
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

    /// Nothing is passed but the ends, and these straight out of a side.
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

    fn is_crossed(&self, scene: &Scene<'_>, edge: usize, axis: Axis, point: usize) -> bool {
        [false, true].into_iter().all(|forth| {
            self.next(point, axis, forth)
                .is_some_and(|(_, step)| self.is_taken(scene, edge, axis, step))
        })
    }

    /// What it costs to turn at a point into an axis.
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
        let (tail, head) = scene.spec.edges[edge].arrows;
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
            [false, true].into_iter().any(|forth| {
                self.next(point, axis, forth)
                    .is_some_and(|(_, step)| self.is_taken(scene, edge, axis, step))
            })
        });
        let touch = if touches { SQUARE_CROSSING } else { 0.0 };
        cell(SQUARE_CORNER + line + arrow + touch)
    }
}

impl Tour {
    /// The corners of a way.
    fn corners(&self, way: Option<&Vec<Point>>) -> Vec<Point> {
        match way.map(Vec::as_slice) {
            None => self.plain(),
            Some([one, two]) => self.straight(*one, *two),
            Some(way) => way[1..way.len() - 1].iter().copied().map(rounded).collect(),
        }
    }

    /// A straight way from side to side. One between the middles has no corner, another has one on its line, which says where it lies.
    fn straight(&self, one: Point, two: Point) -> Vec<Point> {
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

/// The axis of a straight piece, and what lies beside it.
fn strip(one: Point, two: Point, by: f64) -> (Axis, Rect) {
    let rect = Rect::between(one, two);
    if one.y == two.y {
        let (top, bottom) = (rect.top - by, rect.bottom + by);
        (
            Axis::Level,
            Rect {
                top,
                bottom,
                ..rect
            },
        )
    } else {
        let (left, right) = (rect.left - by, rect.right + by);
        (
            Axis::Upright,
            Rect {
                left,
                right,
                ..rect
            },
        )
    }
}

/// Where a straight way from within a box towards `next` leaves it.
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

/// Whether two edges may lie on one line: they begin or end at the same place, and look alike.
fn shares(scene: &Scene<'_>, edge: usize, mark: Mark) -> bool {
    let Some(other) = mark.edge.filter(|_| mark.is_on) else {
        return false;
    };
    let (one, two) = (&scene.spec.edges[edge], &scene.spec.edges[other]);
    let alike = one.dash == two.dash && one.colour.rgb == two.colour.rgb;
    // Both ends the same: two edges that look like one.
    alike && ((one.start() == two.start()) != (one.end() == two.end()))
}
