//! An edge's way from outline to outline, its arrow, its label.

use super::Line;
use crate::colour::Colour;
use crate::geometry::{Outline, Point, Rect};
use crate::measures::{ARROW, ARROW_SHARE, AT_OUTLINE, BEND, LOOP, PLATE, PLATE_SIDE, TURN};
use crate::spec::{Anchor, Edge};
use crate::text::{self, Weight};

/// The grey of labels, where it can be read.
pub(super) const LABEL: Colour = Colour::new(0x77, 0x77, 0x77);

/// How a curved edge keeps off the edges back.
#[derive(Default)]
pub(super) struct Beside {
    /// How far beside a straight edge it begins and ends.
    pub(super) by: f64,
    /// Edges back of right angles at its start: how far it keeps from each, where that one meets the outline, and its next corner.
    pub(super) start: Vec<(f64, Point, Point)>,
    pub(super) end: Vec<(f64, Point, Point)>,
}

/// The place on an outline towards `at` or, where that is too near to an edge back, beside that one, on the side of the `bend`.
fn off(own: &Outline, at: Point, back: &[(f64, Point, Point)], bend: Point) -> Point {
    let mut place = own.edge_towards(at);
    for (room, port, corner) in back {
        let out = port.direction(*corner);
        let along = |at: Point| (at.y - port.y) * out.x - (at.x - port.x) * out.y;
        let by = room.copysign(along(bend));
        if along(place) / by < 1.0 {
            place = own.edge_towards(port.plus(-out.y * by, out.x * by));
        }
    }
    place
}

/// A piece of a way, from where the last one ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    Line(Point),
    /// Control point and end.
    Quad(Point, Point),
    /// Control points and end.
    Cubic(Point, Point, Point),
}

/// Tip, and the two ends of its base.
pub(crate) type Arrow = [Point; 3];

#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) start: Point,
    /// The line as drawn, which ends within the arrow; empty when there is no room for it.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) arrow: Option<Arrow>,
    /// The arrow at the start.
    pub(crate) tail: Option<Arrow>,
    /// The way to the tip as short straight lines, for checking.
    pub(crate) track: Vec<Point>,
    pub(crate) thickness: f64,
    /// How much longer the edge must be to have room for its arrow.
    pub(crate) lacks: Option<f64>,
    /// The label, and the plate that it stands on.
    pub(crate) label: Option<(Line, Rect)>,
}

impl Piece {
    pub(crate) fn end(self) -> Point {
        match self {
            Self::Line(end) | Self::Quad(_, end) | Self::Cubic(_, _, end) => end,
        }
    }

    /// The piece up to `share` of its parameter. **Source**: de Casteljau.
    fn cut(self, start: Point, share: f64) -> Self {
        match self {
            Self::Line(end) => Self::Line(start.towards(end, share)),
            Self::Quad(control, end) => {
                let first = start.towards(control, share);
                let second = control.towards(end, share);
                Self::Quad(first, first.towards(second, share))
            }
            Self::Cubic(one, two, end) => {
                let first = start.towards(one, share);
                let middle = one.towards(two, share);
                let last = two.towards(end, share);
                let second = first.towards(middle, share);
                let third = middle.towards(last, share);
                Self::Cubic(first, second, second.towards(third, share))
            }
        }
    }

    /// The same way from its end to `start`.
    fn reversed(self, start: Point) -> Self {
        match self {
            Self::Line(_) => Self::Line(start),
            Self::Quad(control, _) => Self::Quad(control, start),
            Self::Cubic(one, two, _) => Self::Cubic(two, one, start),
        }
    }

    fn at(self, start: Point, share: f64) -> Point {
        self.cut(start, share).end()
    }

    fn steps(self) -> i32 {
        match self {
            Self::Line(_) => 1,
            Self::Quad(..) | Self::Cubic(..) => 16,
        }
    }

    /// The parameter at which the piece is `length` away from its end, in a straight line.
    fn before_end(self, start: Point, length: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if self.at(start, middle).distance(self.end()) > length {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }
}

/// The way of `edge`, by way of `points`; a loop lies at the side of its node that `out` points to, a curve begins and ends `beside`
/// where a straight edge would.
pub(super) fn route(
    edge: &Edge,
    (from, to): &(Outline, Outline),
    points: &[Point],
    (out, beside): (Point, &Beside),
    size: f64,
    ground: &dyn Fn(Point) -> Colour,
) -> Route {
    let loops = edge.is_loop(points);
    let (start, mut pieces) = if loops {
        around(from, out)
    } else {
        way(edge, (from, to), points, beside)
    };
    let mut track = vec![start];
    let mut here = start;
    for piece in &pieces {
        let steps = piece.steps();
        track.extend((1..=steps).map(|step| piece.at(here, f64::from(step) / f64::from(steps))));
        here = piece.end();
    }
    let place = |text: &str, track: &[Point]| match (loops, points.is_empty()) {
        (true, _) => {
            let (room, away) = (1.0 + edge.thickness / 2.0, LOOP * 1.125);
            let half = text::width(text, size, Weight::Regular) / 2.0 + PLATE_SIDE;
            from.centre.plus(
                out.x * (from.half.x + away + half + room),
                out.y * (from.half.y + away) + (1.0 + out.y) * (size * PLATE / 2.0 + room),
            )
        }
        (false, true) => pieces.first().map_or(start, |piece| piece.at(start, 0.5)),
        (false, false) => along(track, 0.5),
    };
    let label = edge
        .label
        .as_ref()
        .map(|text| label(text, place(text, &track), edge.thickness, size, ground));
    // Shapes that touch or overlap leave no way between them: the ends lie in the wrong order.
    let backwards = points.is_empty()
        && !loops
        && (here.x - start.x) * (to.centre.x - from.centre.x)
            + (here.y - start.y) * (to.centre.y - from.centre.y)
            <= 0.0;
    let mut route = Route {
        start,
        pieces: Vec::new(),
        arrow: None,
        tail: None,
        track: Vec::new(),
        thickness: edge.thickness,
        lacks: None,
        label,
    };
    let wanted = ARROW * edge.thickness;
    if backwards {
        route.lacks = Some(wanted / ARROW_SHARE + start.distance(here));
        return route;
    }
    let before = match pieces.len() {
        0 | 1 => start,
        count => pieces[count - 2].end(),
    };
    // A straight edge is shared by its two arrows.
    let share = if pieces.len() == 1 && edge.arrows == (true, true) {
        ARROW_SHARE / 2.0
    } else {
        ARROW_SHARE
    };
    let room = |piece: &Piece, start: Point| match piece {
        Piece::Cubic(..) => f64::INFINITY,
        _ => start.distance(piece.end()),
    };
    let first_room = pieces.first().map_or(0.0, |first| room(first, start));
    if let Some(last) = pieces.last_mut()
        && edge.arrows.1
    {
        let room = room(last, before);
        route.arrow = Some(route.head(last, before, (wanted, share, room)));
    }
    if let Some(first) = pieces.first_mut()
        && edge.arrows.0
    {
        let end = first.end();
        let mut turned = first.reversed(start);
        route.tail = Some(route.head(&mut turned, end, (wanted, share, first_room)));
        *first = turned.reversed(end);
        route.start = turned.end();
    }
    route.pieces = pieces;
    route.track = track;
    route.clear_arrow();
    route
}

/// A loop at the side of a node that `out` points to, from outline to outline.
fn around(node: &Outline, out: Point) -> (Point, Vec<Piece>) {
    let (wide, far) = if out.x == 0.0 {
        (node.half.x, node.half.y)
    } else {
        (node.sides().1, node.half.x)
    };
    let side = (wide * 0.6).min(10.0);
    let near = node.out_at(out, side);
    let at = |along: f64, away: f64| {
        let (x, y) = (out.x * away - out.y * along, out.y * away + out.x * along);
        node.centre.plus(x, y)
    };
    let top = far + LOOP * 1.5;
    let piece = Piece::Cubic(at(-LOOP, top), at(LOOP, top), at(side, near));
    (at(-side, near), vec![piece])
}

/// The way between two outlines: straight, bent, or with corners that are round.
fn way(
    edge: &Edge,
    (from, to): (&Outline, &Outline),
    points: &[Point],
    beside: &Beside,
) -> (Point, Vec<Piece>) {
    let ends = |own: &Outline, corner: Option<&Point>, other: &Outline| {
        corner.map_or_else(
            || own.edge_towards(other.centre),
            |corner| own.port(*corner),
        )
    };
    let start = ends(from, points.first(), to);
    let end = ends(to, points.last(), from);
    if points.is_empty() && edge.curve {
        let along = start.direction(end);
        let aside = |at: Point, by: f64| at.plus(-along.y * by, along.x * by);
        let bend = aside(start.towards(end, 0.5), BEND);
        let start = off(from, aside(start, beside.by), &beside.start, bend);
        let end = off(to, aside(end, beside.by), &beside.end, bend);
        let control = aside(start.towards(end, 0.5), BEND);
        return (start, vec![Piece::Quad(control, end)]);
    }
    if points.is_empty() {
        return (start, vec![Piece::Line(end)]);
    }
    let mut pieces = Vec::new();
    let mut here = start;
    let arrows = edge.arrow_rooms();
    // A corner leaves the last piece to its arrow.
    let room = |length: f64, is_last: bool, arrow: f64| {
        let rest = if is_last { length - arrow } else { length };
        rest.min(length / 2.0).max((length / 2.0).min(1.0))
    };
    for (index, corner) in points.iter().enumerate() {
        let next = points.get(index + 1);
        let (before, after) = (
            here.distance(*corner),
            corner.distance(*next.unwrap_or(&end)),
        );
        let turn =
            TURN.min(room(before, index == 0, arrows.0))
                .min(room(after, next.is_none(), arrows.1));
        let next = *next.unwrap_or(&end);
        // A corner at the outline is no corner: the edge begins or ends there.
        if turn > 0.0 && before.min(after) > AT_OUTLINE {
            pieces.push(Piece::Line(corner.towards(here, turn / before)));
            here = corner.towards(next, turn / after);
            pieces.push(Piece::Quad(*corner, here));
        }
    }
    pieces.push(Piece::Line(end));
    (start, pieces)
}

/// The point after a share of a track's length.
fn along(track: &[Point], share: f64) -> Point {
    let length = |pair: &[Point]| pair[0].distance(pair[1]);
    let mut rest = track.windows(2).map(length).sum::<f64>() * share;
    for pair in track.windows(2) {
        let step = length(pair);
        if step > 0.0 && rest <= step {
            return pair[0].towards(pair[1], rest / step);
        }
        rest -= step;
    }
    track.first().copied().unwrap_or(Point::new(0.0, 0.0))
}

/// A label whose plate stands just above `at`. **Source**: the reference's renderer, at size 11 the plate is 16 high.
fn label(
    text: &str,
    at: Point,
    thickness: f64,
    size: f64,
    ground: &dyn Fn(Point) -> Colour,
) -> (Line, Rect) {
    let high = size * PLATE;
    let bottom = at.y - 1.0 - thickness / 2.0;
    let ground = ground(Point::new(at.x, bottom - high / 2.0));
    let line = Line::new(
        text,
        Point::new(at.x, bottom - high / 4.0),
        Anchor::Middle,
        (size, Weight::Regular),
        LABEL.legible_on(ground),
        ground,
    );
    let plate = Rect {
        left: line.bounds.left - PLATE_SIDE,
        top: bottom - high,
        right: line.bounds.right + PLATE_SIDE,
        bottom,
    };
    (line, plate)
}

impl Route {
    /// An arrow of the length that is wanted at the end of a piece, which then ends within it; at most a share of the room.
    fn head(
        &mut self,
        piece: &mut Piece,
        start: Point,
        (wanted, share, room): (f64, f64, f64),
    ) -> Arrow {
        let length = wanted.min(room * share);
        if length < wanted - 0.01 {
            self.lacks = Some(wanted / share - room);
        }
        let (tip, share) = (piece.end(), piece.before_end(start, length));
        let base = piece.at(start, share);
        let along = base.direction(tip);
        let half = length / 2.0;
        // A little into the arrow, so that no gap shows.
        *piece = piece.cut(start, share + (1.0 - share) * 0.25);
        [
            tip,
            base.plus(-along.y * half, along.x * half),
            base.plus(along.y * half, -along.x * half),
        ]
    }

    /// The point after a share of the way.
    pub(super) fn at(&self, share: f64) -> Point {
        along(&self.track, share)
    }

    /// The boxes of its arrows, at the end and at the start; nothing for one that it does not have.
    pub(super) fn arrow_bounds(&self) -> [Rect; 2] {
        [&self.arrow, &self.tail].map(|arrow| arrow.as_ref().map_or(Rect::NOTHING, bounds))
    }

    /// Moves the label up, or down where an arrow points up, until it hides nothing of the arrow.
    fn clear_arrow(&mut self) {
        let Some((line, plate)) = &mut self.label else {
            return;
        };
        for arrow in self.arrow.iter().chain(&self.tail) {
            let ([tip, one, _], bounds) = (arrow, bounds(arrow));
            if !plate.grown(-0.5).meets(bounds) {
                continue;
            }
            let up = tip.y - one.y < -(tip.x - one.x).abs();
            let by = if up {
                bounds.bottom + 1.0 - plate.top
            } else {
                bounds.top - 1.0 - plate.bottom
            };
            *plate = plate.shifted(0.0, by);
            line.shift(0.0, by);
        }
    }

    /// With thickness, arrow and label.
    pub(crate) fn bounds(&self) -> Rect {
        let track = self.track.iter();
        let track = track.map(|at| Rect::between(*at, *at).grown(self.thickness / 2.0));
        let label = self.label.iter().map(|(_, plate)| *plate);
        track
            .chain(self.arrow_bounds())
            .chain(label)
            .fold(Rect::NOTHING, Rect::union)
    }
}

fn bounds(arrow: &Arrow) -> Rect {
    let points = arrow.iter().map(|at| Rect::between(*at, *at));
    points.fold(Rect::NOTHING, Rect::union)
}
