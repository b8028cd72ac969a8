//! Loops: moved to a side of their node where no other edge comes in.

use super::{Block, Frame, Placed, Route, labels};
use crate::geometry::{Point, Rect};
use crate::measures::{ARROW, CANVAS};
use crate::spec::{Canvas, Spec};
use crate::tree::{Segments, Tree};

/// The default side of loops. **Source**: the original renderer.
pub(super) const UP: Point = Point::new(0.0, -1.0);
/// The other sides, in the order in which they are tried.
const ELSEWHERE: [Point; 3] = [
    Point::new(0.0, 1.0),
    Point::new(1.0, 0.0),
    Point::new(-1.0, 0.0),
];

/// The routes; a loop that another edge runs through is moved to a free side of its node, if there is one.
pub(super) fn turned(
    spec: &Spec,
    placed: &Placed,
    mut routes: Vec<Route>,
    (blocks, frames): (&[Block], &[Option<Frame>]),
    route: impl Fn(usize, Point) -> Route,
) -> Vec<Route> {
    let is_loop = |index: &usize| spec.edges[*index].is_loop(&placed.points[*index]);
    let (loops, others): (Vec<usize>, Vec<usize>) = (0..routes.len()).partition(is_loop);
    if loops.is_empty() {
        return routes;
    }
    let pieces = others.iter().flat_map(|index| {
        let pairs = routes[*index].track.windows(2);
        pairs.map(move |pair| (*index, pair[0], pair[1]))
    });
    let borders = frames.iter().flatten().flat_map(|frame| frame.rect.sides());
    let lines = Segments::new(pieces.collect(), 0.01);
    let borders = Segments::new(borders.map(|(one, two)| ((), one, two)).collect(), 0.01);
    let boxes = Tree::new(blocks.iter().map(Block::bounds).collect());
    let given = |given: Option<f64>, usual| given.or((!placed.laid_out).then_some(usual));
    let canvas = Canvas {
        width: given(spec.canvas.width, CANVAS.0),
        height: given(spec.canvas.height, CANVAS.1),
        ..Canvas::default()
    };
    for index in loops {
        let edge = &spec.edges[index];
        let area = |route: &Route| {
            let track = route.track.iter().map(|at| Rect::between(*at, *at));
            let track = track.fold(Rect::NOTHING, Rect::union);
            track.grown(edge.thickness * ARROW / 2.0)
        };
        let comes_in = |other: usize| {
            let other = &spec.edges[other];
            [other.start(), other.end()].contains(&edge.start())
        };
        let crossing = |area: Rect| {
            let near = lines.meeting(area);
            near.filter(move |(_, one, two)| area.is_crossed(*one, *two))
        };
        if !crossing(area(&routes[index])).any(|(other, ..)| comes_in(other)) {
            continue;
        }
        let free = ELSEWHERE
            .map(|out| route(index, out))
            .into_iter()
            .find(|route| {
                let (area, all) = (area(route), route.bounds());
                let mut strangers = boxes.meeting(all).into_iter();
                let mut borders = borders.meeting(all);
                crossing(area).next().is_none()
                    && !borders.any(|((), one, two)| all.is_crossed(one, two))
                    && strangers.all(|node| node == edge.from && edge.frames.0.is_none())
                    && labels::within(&canvas, placed.movable, all)
            });
        if let Some(free) = free {
            routes[index] = free;
        }
    }
    routes
}
