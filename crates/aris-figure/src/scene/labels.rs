//! Labels of edges and frames, which are moved if they would lie on something else.

use super::edge::LABEL;
use super::{Frame, Line, Route, Scene};
use crate::geometry::{Point, Rect};
use crate::measures::{FARTHER, FRAME_BORDER, HIDDEN, LABEL_TOUCH, LABELS, SHARES};
use crate::spec::Canvas;
use crate::tree::{Segment, Segments, Tree};

/// What labels must not cover: lines with the edge that each belongs to, boxes, and other labels.
struct Taken {
    lines: Segments<Option<usize>>,
    /// Two for each route; an empty box for a missing arrow.
    arrows: Tree,
    blocks: Tree,
    written: Vec<Rect>,
}

impl Taken {
    /// `is_near`: whether a line is near enough to matter for some label.
    fn new(scene: &Scene<'_>, is_near: impl Fn(Point, Point) -> bool) -> Self {
        let edges = scene
            .pieces()
            .filter(|(_, one, two)| is_near(*one, *two))
            .map(|(edge, one, two)| (Some(edge), one, two));
        let frames = scene.frames.iter().flatten();
        let borders = frames.flat_map(|frame| frame.rect.sides());
        let lines = edges.chain(borders.map(|(one, two)| (None, one, two)));
        Self {
            lines: Segments::new(lines.collect(), scene.thickest() / 2.0),
            arrows: Tree::new(scene.routes.iter().flat_map(Route::arrow_bounds).collect()),
            blocks: scene.block_tree(),
            written: scene.labels.iter().map(|line| line.bounds).collect(),
        }
    }

    /// Whether `whole` contains nothing but the line of `own`. Things on the rim of an edge's label only touch it, except borders
    /// of frames.
    fn is_free(&self, scene: &Scene<'_>, whole: Rect, own: Option<usize>) -> bool {
        let rect = own.map_or(whole, |_| whole.grown(-LABEL_TOUCH));
        let crosses = |(of, one, two): Segment<Option<usize>>| {
            let rect = of.map_or(whole.grown(FRAME_BORDER), |edge| {
                rect.grown(scene.routes[edge].thickness / 2.0)
            });
            (own.is_none() || of != own) && rect.is_crossed(one, two)
        };
        let holds = |node: &usize| scene.blocks[*node].outline.meets_rect(rect);
        let mut arrows = self.arrows.meeting(rect).into_iter();
        let mut lines = self.lines.meeting(whole.grown(FRAME_BORDER));
        !lines.any(crosses)
            && arrows.all(|arrow| Some(arrow / 2) == own)
            && !self.blocks.meeting(rect).iter().any(holds)
            && !self.written.iter().any(|other| other.meets(rect))
    }
}

/// Moves labels to the first free position; a label without one stays.
///
/// With `movable`, a label may leave the left and top sides of a canvas that follows the figure.
pub(super) fn settle(scene: &mut Scene<'_>, canvas: &Canvas, movable: bool) {
    let labels = scene
        .routes
        .iter()
        .filter(|route| route.label.is_some())
        .count();
    let to_settle = labels + scene.frames.len();
    if to_settle == 0 || to_settle + scene.labels.len() > LABELS {
        return;
    }
    // If no edge has a label, only lines in the corners of frames matter.
    let places = scene.frames.iter().flatten().filter_map(corners);
    let places = places.flat_map(|(bounds, places)| {
        places.map(|(x, y)| bounds.shifted(x, y).grown(2.0 * FRAME_BORDER))
    });
    let places = Tree::new(places.collect());
    let is_near = |one, two| labels > 0 || !places.along(one, two).is_empty();
    let mut taken = Taken::new(scene, is_near);
    for index in 0..scene.frames.len() {
        let frame = scene.frames[index].as_ref();
        let Some((bounds, places)) = frame.and_then(corners) else {
            continue;
        };
        let is_free = |(x, y): &(f64, f64)| {
            let rect = bounds.shifted(*x, *y);
            taken.is_free(scene, rect, None) && scene.frame_under(index, rect).is_none()
        };
        let (x, y) = places.into_iter().find(is_free).unwrap_or((0.0, 0.0));
        taken.written.push(bounds.shifted(x, y));
        if let Some(frame) = &mut scene.frames[index]
            && let Some(line) = &mut frame.label
        {
            line.shift(x, y);
        }
    }
    for index in 0..scene.routes.len() {
        let route = &scene.routes[index];
        let Some((_, plate)) = &route.label else {
            continue;
        };
        let is_free =
            |rect: Rect| within(canvas, movable, rect) && taken.is_free(scene, rect, Some(index));
        let by = better(route, *plate, is_free);
        let at = plate.centre() + (by.x, by.y);
        let mut frames = scene.order.iter().rev();
        let top = frames.find(|group| {
            let frame = scene.frames[**group].as_ref();
            frame.is_some_and(|frame| frame.rect.holds_point(at))
        });
        let ground = top.map_or(scene.spec.style.background, |group| {
            scene.spec.groups[*group].fill
        });
        if let Some((line, plate)) = &mut scene.routes[index].label {
            line.shift(by.x, by.y);
            if (by.x, by.y) != (0.0, 0.0) {
                line.ground = ground;
                line.colour = LABEL.legible_on(ground);
            }
            *plate = plate.shifted(by.x, by.y);
            taken.written.push(plate.grown(-LABEL_TOUCH));
        }
    }
}

/// How far a route's label has to move to a free position; zero if it stays.
fn better(route: &Route, plate: Rect, is_free: impl Fn(Rect) -> bool) -> Point {
    let stays = Point::new(0.0, 0.0);
    if is_free(plate) {
        return stays;
    }
    let (half, high) = (plate.width() / 2.0, plate.height() / 2.0);
    let room = 1.0 + route.thickness / 2.0;
    let centre = plate.centre();
    let arrows = route.arrow_bounds();
    let hides = |rect: Rect| {
        let places = (1..=HIDDEN.1).map(|step| f64::from(step) / f64::from(HIDDEN.1 + 1));
        let hidden = places.filter(|share| rect.holds_point(route.at(*share)));
        hidden.count() > HIDDEN.0
    };
    // Beside its line or a little farther off. Positions that hide much of the line are tried last.
    let places = SHARES
        .into_iter()
        .flat_map(|share| [room, room + FARTHER].map(|room| (share, room)));
    let tries = [false, true]
        .into_iter()
        .flat_map(|hide| places.clone().map(move |place| (hide, place)));
    for (may_hide, (share, room)) in tries {
        let at = route.at(share);
        // Above, below, right, left.
        for (x, y) in [
            (0.0, -high - room),
            (0.0, high + room),
            (half + room, 0.0),
            (-half - room, 0.0),
        ] {
            let by = Point::new(at.x + x - centre.x, at.y + y - centre.y);
            let moved = plate.shifted(by.x, by.y);
            let hides_arrow = arrows.iter().any(|arrow| moved.meets(*arrow));
            if !hides_arrow && is_free(moved) && (may_hide || !hides(moved)) {
                return by;
            }
        }
    }
    stays
}

pub(super) fn within(canvas: &Canvas, movable: bool, rect: Rect) -> bool {
    let fits = |low: f64, high: f64, length: Option<f64>| match length {
        Some(length) => low >= 0.0 && high <= length,
        None => movable || low >= 0.0,
    };
    fits(rect.left, rect.right, canvas.width) && fits(rect.top, rect.bottom, canvas.height)
}

/// The bounds of a frame's label, and its shift into each corner: top left, top right, bottom left, bottom right.
fn corners(frame: &Frame) -> Option<(Rect, [(f64, f64); 4])> {
    let bounds = frame.label.as_ref()?.bounds;
    let right = (frame.rect.right - (bounds.left - frame.rect.left) - bounds.right).max(0.0);
    let down = frame.rect.bottom - 4.0 - bounds.bottom;
    Some((
        bounds,
        [(0.0, 0.0), (right, 0.0), (0.0, down), (right, down)],
    ))
}

impl Scene<'_> {
    /// The greatest thickness of an edge.
    pub(crate) fn thickest(&self) -> f64 {
        let all = self.routes.iter().map(|route| route.thickness);
        all.fold(0.0, f64::max)
    }

    /// The first frame on which `rect` lies, apart from this frame and those around it.
    pub(crate) fn frame_under(&self, index: usize, rect: Rect) -> Option<usize> {
        let own = self.frames[index].as_ref()?.rect;
        self.frames.iter().enumerate().position(|(other, frame)| {
            frame.as_ref().is_some_and(|frame| {
                other != index && frame.rect.meets(rect) && !frame.rect.holds(own)
            })
        })
    }
}

impl Line {
    pub(super) fn shift(&mut self, x: f64, y: f64) {
        self.base += (x, y);
        self.bounds = self.bounds.shifted(x, y);
    }
}
