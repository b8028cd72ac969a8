//! An edge's way between two outlines, its arrows and its label.

use kurbo::{CubicBez, ParamCurve, PathSeg, QuadBez};

use super::Line;
use crate::colour::Colour;
use crate::geometry::{Outline, Point, Rect, direction};
use crate::measures::{ARROW, ARROW_SHARE, AT_OUTLINE, BEND, LOOP, PLATE, PLATE_SIDE, TURN};
use crate::spec::{Anchor, Edge};
use crate::text::{self, Weight};

/// The grey of labels, if it is legible there.
pub(super) const LABEL: Colour = Colour::new(0x77, 0x77, 0x77);

/// How a curved edge keeps away from opposite edges.
#[derive(Default)]
pub(super) struct Beside {
    /// Distance of its ends from those of a straight edge.
    pub(super) by: f64,
    /// Opposite orthogonal edges at its start: the distance to keep, where the other edge meets the outline, and its next corner.
    pub(super) start: Vec<(f64, Point, Point)>,
    pub(super) end: Vec<(f64, Point, Point)>,
}

/// The point on an outline towards `at`. If that is too near to an opposite edge, the point beside it, on the side of the `bend`.
fn off(own: &Outline, at: Point, back: &[(f64, Point, Point)], bend: Point) -> Point {
    let mut place = own.edge_towards(at);
    for (room, port, corner) in back {
        let out = direction(*port, *corner);
        let along = |at: Point| (at.y - port.y) * out.x - (at.x - port.x) * out.y;
        let by = room.copysign(along(bend));
        if along(place) / by < 1.0 {
            place = own.edge_towards(*port + (-out.y * by, out.x * by));
        }
    }
    place
}

/// The tip, and the two ends of the base.
pub(crate) type Arrow = [Point; 3];

#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) start: Point,
    /// The drawn line, which ends inside the arrow; empty if there is no room for it.
    pub(crate) pieces: Vec<PathSeg>,
    /// At the start, and at the end.
    pub(crate) arrows: [Option<Arrow>; 2],
    /// The way to the tip as short straight lines, for checks.
    pub(crate) track: Vec<Point>,
    pub(crate) thickness: f64,
    /// How much longer the edge would have to be for its arrow.
    pub(crate) lacks: Option<f64>,
    /// The label and the plate behind it.
    pub(crate) label: Option<(Line, Rect)>,
}

/// A piece from its start up to a parameter. **Source**: de Casteljau, which gives the same points in both directions; kurbo's
/// own `subsegment` is rounded differently.
fn cut(piece: PathSeg, share: f64) -> PathSeg {
    match piece {
        PathSeg::Line(line) => kurbo::Line::new(line.p0, line.p0.lerp(line.p1, share)).into(),
        PathSeg::Quad(QuadBez { p0, p1, p2 }) => {
            let (first, second) = (p0.lerp(p1, share), p1.lerp(p2, share));
            QuadBez::new(p0, first, first.lerp(second, share)).into()
        }
        PathSeg::Cubic(CubicBez { p0, p1, p2, p3 }) => {
            let (first, middle) = (p0.lerp(p1, share), p1.lerp(p2, share));
            let (second, third) = (
                first.lerp(middle, share),
                middle.lerp(p2.lerp(p3, share), share),
            );
            CubicBez::new(p0, first, second, second.lerp(third, share)).into()
        }
    }
}

fn at(piece: PathSeg, share: f64) -> Point {
    cut(piece, share).end()
}

/// The parameter at which a piece is at a straight-line distance of `length` from its end.
fn before_end(piece: PathSeg, length: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if at(piece, middle).distance(piece.end()) > length {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The route of `edge` through the corners `points`. A loop is drawn at the side of its node that `out` points to; a curve begins
/// and ends `beside` where a straight edge would.
pub(super) fn route(
    edge: &Edge,
    (from, to): &(Outline, Outline),
    points: &[Point],
    (out, beside): (Point, &Beside),
    size: f64,
    ground: &dyn Fn(Point) -> Colour,
) -> Route {
    let loops = edge.is_loop(points);
    let mut pieces = if loops {
        vec![around(from, out)]
    } else {
        way(edge, (from, to), points, beside)
    };
    let start = pieces.first().map_or(from.centre, ParamCurve::start);
    let here = pieces.last().map_or(start, ParamCurve::end);
    let mut track = vec![start];
    for piece in &pieces {
        let steps = if matches!(piece, PathSeg::Line(_)) {
            1
        } else {
            16
        };
        track.extend((1..=steps).map(|step| at(*piece, f64::from(step) / f64::from(steps))));
    }
    let place = |text: &str, track: &[Point]| match (loops, points.is_empty()) {
        (true, _) => {
            let (room, away) = (1.0 + edge.thickness / 2.0, LOOP * 1.125);
            let half = text::width(text, size, Weight::Regular) / 2.0 + PLATE_SIDE;
            from.centre
                + (
                    out.x * (from.half.x + away + half + room),
                    out.y * (from.half.y + away) + (1.0 + out.y) * (size * PLATE / 2.0 + room),
                )
        }
        (false, true) => pieces.first().map_or(start, |piece| at(*piece, 0.5)),
        (false, false) => along(track, 0.5),
    };
    let label = edge
        .label
        .as_ref()
        .map(|text| label(text, place(text, &track), edge.thickness, size, ground));
    // If shapes touch or overlap, there is no way between them, and the ends come in the wrong order.
    let backwards = points.is_empty()
        && !loops
        && (here.x - start.x) * (to.centre.x - from.centre.x)
            + (here.y - start.y) * (to.centre.y - from.centre.y)
            <= 0.0;
    let mut route = Route {
        start,
        pieces: Vec::new(),
        arrows: [None; 2],
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
    // On an edge of a single piece two arrows share the length.
    let share = if pieces.len() == 1 && edge.arrows == [true, true] {
        ARROW_SHARE / 2.0
    } else {
        ARROW_SHARE
    };
    let room = |piece: &PathSeg| match piece {
        PathSeg::Cubic(_) => f64::INFINITY,
        _ => piece.start().distance(piece.end()),
    };
    let first_room = pieces.first().map_or(0.0, room);
    if let Some(last) = pieces.last_mut()
        && edge.arrows[1]
    {
        let room = room(last);
        route.arrows[1] = Some(route.head(last, (wanted, share, room)));
    }
    if let Some(first) = pieces.first_mut()
        && edge.arrows[0]
    {
        let mut turned = first.reverse();
        route.arrows[0] = Some(route.head(&mut turned, (wanted, share, first_room)));
        *first = turned.reverse();
        route.start = first.start();
    }
    route.pieces = pieces;
    route.track = track;
    route.clear_arrow();
    route
}

/// A loop at the side of a node that `out` points to.
fn around(node: &Outline, out: Point) -> PathSeg {
    let (wide, far) = if out.x == 0.0 {
        (node.half.x, node.half.y)
    } else {
        (node.sides().1, node.half.x)
    };
    let side = (wide * 0.6).min(10.0);
    let near = node.out_at(out, side);
    let at = |along: f64, away: f64| {
        let (x, y) = (out.x * away - out.y * along, out.y * away + out.x * along);
        node.centre + (x, y)
    };
    let top = far + LOOP * 1.5;
    let (one, two) = (at(-LOOP, top), at(LOOP, top));
    CubicBez::new(at(-side, near), one, two, at(side, near)).into()
}

/// The way between two outlines: straight, curved, or with rounded corners.
fn way(
    edge: &Edge,
    (from, to): (&Outline, &Outline),
    points: &[Point],
    beside: &Beside,
) -> Vec<PathSeg> {
    let ends = |own: &Outline, corner: Option<&Point>, other: &Outline| {
        corner.map_or_else(
            || own.edge_towards(other.centre),
            |corner| own.port(*corner),
        )
    };
    let start = ends(from, points.first(), to);
    let end = ends(to, points.last(), from);
    let straight = |one: Point, two: Point| kurbo::Line::new(one, two).into();
    if points.is_empty() && edge.curve {
        let along = direction(start, end);
        let aside = |at: Point, by: f64| at + (-along.y * by, along.x * by);
        let bend = aside(start.lerp(end, 0.5), BEND);
        let start = off(from, aside(start, beside.by), &beside.start, bend);
        let end = off(to, aside(end, beside.by), &beside.end, bend);
        let control = aside(start.lerp(end, 0.5), BEND);
        return vec![QuadBez::new(start, control, end).into()];
    }
    if points.is_empty() {
        return vec![straight(start, end)];
    }
    let mut pieces = Vec::new();
    let mut here = start;
    let arrows = edge.arrow_rooms();
    // A corner leaves room for the arrow on the last piece.
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
        let turn = TURN.min(room(before, index == 0, arrows[0])).min(room(
            after,
            next.is_none(),
            arrows[1],
        ));
        // A corner at the outline is left out: the edge begins or ends there.
        let at_start = index == 0 && before <= AT_OUTLINE;
        let at_end = next.is_none() && after <= AT_OUTLINE;
        let next = *next.unwrap_or(&end);
        if turn > 0.0 && !at_start && !at_end {
            let (one, two) = (
                corner.lerp(here, turn / before),
                corner.lerp(next, turn / after),
            );
            pieces.push(straight(here, one));
            pieces.push(QuadBez::new(one, *corner, two).into());
            here = two;
        }
    }
    pieces.push(straight(here, end));
    pieces
}

/// The point at a share of a track's length.
fn along(track: &[Point], share: f64) -> Point {
    let length = |pair: &[Point]| pair[0].distance(pair[1]);
    let mut rest = track.windows(2).map(length).sum::<f64>() * share;
    for pair in track.windows(2) {
        let step = length(pair);
        if step > 0.0 && rest <= step {
            return pair[0].lerp(pair[1], rest / step);
        }
        rest -= step;
    }
    track.first().copied().unwrap_or(Point::new(0.0, 0.0))
}

/// A label whose plate ends just above `at`. **Source**: the original renderer; at size 11 the plate is 16 high.
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
    /// Makes an arrow at the end of a piece and cuts the piece so that it ends inside. The arrow takes at most `share` of the
    /// room.
    fn head(&mut self, piece: &mut PathSeg, (wanted, share, room): (f64, f64, f64)) -> Arrow {
        let length = wanted.min(room * share);
        if length < wanted - 0.01 {
            self.lacks = Some(wanted / share - room);
        }
        let (tip, share) = (piece.end(), before_end(*piece, length));
        let base = at(*piece, share);
        let along = direction(base, tip);
        let half = length / 2.0;
        // A little inside the arrow, so that no gap shows.
        *piece = cut(*piece, share + (1.0 - share) * 0.25);
        [
            tip,
            base + (-along.y * half, along.x * half),
            base + (along.y * half, -along.x * half),
        ]
    }

    /// The point at a share of the way's length.
    pub(super) fn at(&self, share: f64) -> Point {
        along(&self.track, share)
    }

    /// The boxes of the arrows at the start and at the end; empty for a missing one.
    pub(super) fn arrow_bounds(&self) -> [Rect; 2] {
        self.arrows.map(|arrow| arrow.map_or(Rect::NOTHING, bounds))
    }

    /// Moves the label up, or down from an arrow that points up, until it covers no arrow.
    fn clear_arrow(&mut self) {
        let Some((line, plate)) = &mut self.label else {
            return;
        };
        for arrow in self.arrows.into_iter().rev().flatten() {
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

    /// The area of the line with its thickness, arrows and label.
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

fn bounds(arrow: Arrow) -> Rect {
    let points = arrow.iter().map(|at| Rect::between(*at, *at));
    points.fold(Rect::NOTHING, Rect::union)
}
