//! The outlines of nodes: where lines leave them and what crosses them.

use std::f64::consts::FRAC_1_SQRT_2;

use strum::VariantArray;

use super::{Point, Rect, direction, span};
use crate::measures::{CAP, CORNER, HEAD};

/// The shape of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub(crate) enum Shape {
    /// A box.
    Rect,
    /// A box with round corners.
    Rounded,
    /// A circle whose diameter is the longer of width and height.
    Circle,
    /// An ellipse in its box.
    Ellipse,
    /// A rhombus in its box.
    Diamond,
    /// A store: round at the top and the bottom.
    Cylinder,
    /// A cylinder on its side.
    Queue,
    /// A sheet of paper with a wavy lower edge.
    Document,
    /// A head above a box with round corners.
    Person,
}

impl Shape {
    /// The room that its ends take from the text, in total, and how far they shift the text.
    pub(crate) const fn ends(self) -> (Point, Point) {
        match self {
            Self::Cylinder => (Point::new(0.0, 1.5 * CAP), Point::new(0.0, CAP / 2.0)),
            Self::Queue => (Point::new(1.5 * CAP, 0.0), Point::new(-CAP / 2.0, 0.0)),
            Self::Document => (Point::new(0.0, CAP), Point::new(0.0, -CAP)),
            Self::Person => (Point::new(0.0, HEAD), Point::new(0.0, HEAD)),
            _ => (Point::new(0.0, 0.0), Point::new(0.0, 0.0)),
        }
    }

    /// Whether its width varies with height, so that it grows in proportion.
    pub(crate) const fn is_tapered(self) -> bool {
        matches!(self, Self::Circle | Self::Ellipse | Self::Diamond)
    }
}

/// A node's outline: a shape and its box, which is square for a circle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline {
    pub(crate) shape: Shape,
    pub(crate) centre: Point,
    /// Half of width and height.
    pub(crate) half: Point,
}

impl Outline {
    pub(crate) fn new(shape: Shape, centre: Point, width: f64, height: f64) -> Self {
        let half = match shape {
            Shape::Circle => Point::new(width.max(height) / 2.0, width.max(height) / 2.0),
            _ => Point::new(width / 2.0, height / 2.0),
        };
        Self {
            shape,
            centre,
            half,
        }
    }

    pub(crate) fn bounds(&self) -> Rect {
        Rect::around(self.centre, self.half.x * 2.0, self.half.y * 2.0)
    }

    /// Half the height of a cylinder's ends; also the height of a document's wave.
    pub(crate) fn cap(&self) -> f64 {
        CAP.min(self.half.x / 2.0).min(self.half.y / 2.0)
    }

    /// Radius of a person's head, which sits on the body.
    pub(crate) fn head(&self) -> f64 {
        HEAD.min(self.half.x).min(self.half.y / 2.0)
    }

    /// A person's body.
    pub(crate) fn body(&self) -> Rect {
        let head = self.head();
        let (width, height) = (self.half.x * 2.0, (self.half.y - head) * 2.0);
        Rect::around(self.centre + (0.0, head), width, height)
    }

    /// The centre of a person's head.
    pub(crate) fn face(&self) -> Point {
        self.centre + (0.0, self.head() - self.half.y)
    }

    pub(crate) fn corner(&self) -> f64 {
        match self.shape {
            Shape::Rounded | Shape::Person => CORNER.min(self.half.x).min(self.half.y),
            _ => 0.0,
        }
    }

    /// Where the ray from the centre to `target` leaves the shape; the top if `target` is the centre.
    pub(crate) fn edge_towards(&self, target: Point) -> Point {
        let (x, y) = (target.x - self.centre.x, target.y - self.centre.y);
        if x == 0.0 && y == 0.0 {
            return self.centre + (0.0, -self.half.y);
        }
        let (right, down) = (x.abs() / self.half.x, y.abs() / self.half.y);
        let share = match self.shape {
            Shape::Circle | Shape::Ellipse => 1.0 / (right * right + down * down).sqrt(),
            Shape::Diamond => 1.0 / (right + down),
            Shape::Rect | Shape::Rounded | Shape::Cylinder | Shape::Queue | Shape::Document => {
                let share = 1.0 / right.max(down);
                self.round_corner(x.abs(), y.abs()).unwrap_or(share)
            }
            Shape::Person if y < 0.0 => {
                let head = self.head();
                let shoulders = 1.0 / right.max(y.abs() / (self.half.y - 2.0 * head));
                // Where the ray leaves the head, if it meets it: |s·(x, y) - face|² = head².
                let up = self.half.y - head;
                let (square, along) = (x * x + y * y, y.abs() * up);
                let root = along * along - square * (up * up - head * head);
                let top = (along + root.max(0.0).sqrt()) / square;
                if root < 0.0 {
                    shoulders
                } else {
                    shoulders.max(top)
                }
            }
            Shape::Person => 1.0 / right.max(down),
        };
        self.centre + (x * share, y * share)
    }

    /// The factor by which (`x`, `y`), both positive, meets the corner's arc; `None` if the ray meets a side instead.
    fn round_corner(&self, x: f64, y: f64) -> Option<f64> {
        let radius = self.corner();
        let (middle_x, middle_y) = (self.half.x - radius, self.half.y - radius);
        // |s·(x, y) - middle|² = radius², the larger solution.
        let square = x * x + y * y;
        let along = x * middle_x + y * middle_y;
        let rest = middle_x * middle_x + middle_y * middle_y - radius * radius;
        let root = along * along - square * rest;
        if radius == 0.0 || root < 0.0 {
            return None;
        }
        let share = (along + root.sqrt()) / square;
        (share * x > middle_x && share * y > middle_y).then_some(share)
    }

    /// Height of the outline above the centre at a horizontal distance `x` from it.
    pub(crate) fn height_at(&self, x: f64) -> f64 {
        let share = (x.abs() / self.half.x).min(1.0);
        match self.shape {
            Shape::Rect | Shape::Rounded | Shape::Cylinder | Shape::Queue | Shape::Document => {
                self.half.y
            }
            Shape::Circle | Shape::Ellipse => self.half.y * (1.0 - share * share).sqrt(),
            Shape::Diamond => self.half.y * (1.0 - share),
            Shape::Person => {
                let head = self.head();
                let beside = (x / head).abs().min(1.0);
                let neck = if beside < 1.0 { 1.0 } else { 2.0 };
                self.half.y - neck * head + head * (1.0 - beside * beside).sqrt()
            }
        }
    }

    /// Width of the outline beside the centre at a vertical distance `y` from it.
    fn width_at(&self, y: f64) -> f64 {
        if self.shape == Shape::Person {
            return self.half.x;
        }
        let turned = Self {
            half: Point::new(self.half.y, self.half.x),
            ..*self
        };
        turned.height_at(y)
    }

    /// Distance of the outline from the centre on the side that `out` points to, at a distance `beside` from the side's middle.
    pub(crate) fn out_at(&self, out: Point, beside: f64) -> f64 {
        match out {
            Point { x, .. } if x != 0.0 => self.width_at(beside),
            // The lower edge of a person is flat.
            Point { y, .. } if y > 0.0 && self.shape == Shape::Person => self.half.y,
            _ => self.height_at(beside),
        }
    }

    /// Half the width and height of the range in which a line straight out of a side meets it at a large enough angle.
    pub(crate) fn sides(&self) -> (f64, f64) {
        match self.shape {
            Shape::Rect | Shape::Rounded | Shape::Cylinder | Shape::Queue | Shape::Document => {
                (self.half.x - self.corner(), self.half.y - self.corner())
            }
            Shape::Person => (self.half.x, self.half.y - 2.0 * self.head()),
            // Up to where the outline runs at 45° if width and height are equal.
            Shape::Circle | Shape::Ellipse | Shape::Diamond => {
                (self.half.x * FRAC_1_SQRT_2, self.half.y * FRAC_1_SQRT_2)
            }
        }
    }

    /// Where a way to `corner` begins: straight out of a side if the corner lies in front of it, else as for any target.
    pub(crate) fn port(&self, corner: Point) -> Point {
        let (x, y) = (corner.x - self.centre.x, corner.y - self.centre.y);
        let (side_x, side_y) = self.sides();
        if x.abs() < side_x && y.abs() > self.half.y {
            let away = self.out_at(Point::new(0.0, y), x);
            self.centre + (x, away.copysign(y))
        } else if y.abs() < side_y && x.abs() > self.half.x {
            self.centre + (self.width_at(y).copysign(x), y)
        } else {
            self.edge_towards(corner)
        }
    }

    /// Whether the line from `one` to `two` runs partly inside the shape shrunk by `margin`.
    pub(crate) fn is_crossed(&self, one: Point, two: Point, margin: f64) -> bool {
        let half = Point::new(
            (self.half.x - margin).max(0.0),
            (self.half.y - margin).max(0.0),
        );
        if half.x <= 0.0 || half.y <= 0.0 {
            return false;
        }
        let unit = |point: Point| {
            Point::new(
                (point.x - self.centre.x) / half.x,
                (point.y - self.centre.y) / half.y,
            )
        };
        let (one, two) = (unit(one), unit(two));
        let square = Rect::around(Point::new(0.0, 0.0), 2.0, 2.0);
        match self.shape {
            Shape::Rect | Shape::Rounded | Shape::Cylinder | Shape::Queue | Shape::Document => {
                square.is_crossed(one, two)
            }
            // |u + v| <= 1 and |u - v| <= 1: a square turned by 45°.
            Shape::Diamond => {
                let turned = |point: Point| Point::new(point.x + point.y, point.x - point.y);
                square.is_crossed(turned(one), turned(two))
            }
            Shape::Circle | Shape::Ellipse => from_origin(one, two) < 1.0,
            Shape::Person => {
                let real = |point: Point| Point::new(point.x * half.x, point.y * half.y);
                let (one, two) = (real(one), real(two));
                let here = Self {
                    centre: Point::new(0.0, 0.0),
                    ..*self
                };
                let face = here.face();
                let head = |point: Point| point + (-face.x, -face.y);
                here.body().grown(-margin).is_crossed(one, two)
                    || from_origin(head(one), head(two)) < here.head() - margin
            }
        }
    }

    /// Whether a box and the shape overlap.
    pub(crate) fn meets_rect(&self, rect: Rect) -> bool {
        if !self.bounds().meets(rect) {
            return false;
        }
        let crosses = |(one, two): (Point, Point)| self.is_crossed(one, two, 0.0);
        rect.holds_point(self.centre) || rect.sides().into_iter().any(crosses)
    }

    /// Corners of a polygon that approximates the shape.
    fn polygon(&self) -> Vec<Point> {
        let at = |x: f64, y: f64| self.centre + (x * self.half.x, y * self.half.y);
        match self.shape {
            Shape::Rect | Shape::Rounded | Shape::Cylinder | Shape::Queue | Shape::Document => {
                vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]
            }
            Shape::Diamond => vec![at(0.0, -1.0), at(1.0, 0.0), at(0.0, 1.0), at(-1.0, 0.0)],
            Shape::Person => {
                let head = self.head();
                let (x, y) = (head / self.half.x, 2.0 * head / self.half.y - 1.0);
                let (left, right) = ([at(-1.0, 1.0), at(-1.0, y)], [at(1.0, y), at(1.0, 1.0)]);
                left.into_iter()
                    .chain([at(-x, -1.0), at(x, -1.0)])
                    .chain(right)
                    .collect()
            }
            Shape::Circle | Shape::Ellipse => (0..24)
                .map(|step| {
                    let (y, x) = (f64::from(step) * std::f64::consts::TAU / 24.0).sin_cos();
                    at(x, y)
                })
                .collect(),
        }
    }

    /// How deep two shapes overlap; `None` if they do not. **Source**: separating axes of convex polygons.
    pub(crate) fn overlap(&self, other: &Self) -> Option<f64> {
        if !self.bounds().meets(other.bounds()) {
            return None;
        }
        let (one, two) = (self.polygon(), other.polygon());
        let mut least = f64::INFINITY;
        for polygon in [&one, &two] {
            for (at, from) in polygon.iter().enumerate() {
                let along = direction(*from, polygon[(at + 1) % polygon.len()]);
                let beside = |point: &Point| point.x * along.y - point.y * along.x;
                let span = |points: &[Point]| span(points.iter().map(beside));
                let ((low, high), (start, end)) = (span(&one), span(&two));
                least = least.min(high.min(end) - low.max(start));
            }
        }
        (least > 0.0).then_some(least)
    }
}

/// The distance from the origin to the segment between two points.
fn from_origin(one: Point, two: Point) -> f64 {
    let (x, y) = (two.x - one.x, two.y - one.y);
    let square = x * x + y * y;
    let share = if square > 0.0 {
        (-(one.x * x + one.y * y) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    one.lerp(two, share).distance(Point::new(0.0, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(shape: Shape) -> Outline {
        Outline::new(shape, Point::new(0.0, 0.0), 120.0, 50.0)
    }

    #[test]
    fn lines_leave_shapes_on_their_outline() {
        for shape in Shape::VARIANTS {
            let outline = outline(*shape);
            for target in [
                (200.0, 0.0),
                (0.0, -90.0),
                (200.0, 50.0),
                (-70.0, 10.0),
                (3.0, 200.0),
            ] {
                let target = Point::new(target.0, target.1);
                let found = outline.edge_towards(target);
                let beyond = found.lerp(target, 0.02);
                assert!(
                    !outline.is_crossed(beyond, target, 0.0),
                    "{shape:?} {target:?}"
                );
                let within = Point::new(found.x * 0.9, found.y * 0.9);
                assert!(
                    outline.is_crossed(within, target, 0.0),
                    "{shape:?} {target:?}"
                );
                // On the line to the target.
                assert!(
                    (found.x * target.y - found.y * target.x).abs() < 1e-6,
                    "{shape:?}"
                );
            }
        }
    }

    #[test]
    fn a_line_meets_the_round_corner_and_not_the_square_one() {
        let (round, square) = (outline(Shape::Rounded), outline(Shape::Rect));
        let target = Point::new(120.0, 50.0);
        let (found, corner) = (round.edge_towards(target), square.edge_towards(target));
        assert_eq!(corner, Point::new(60.0, 25.0));
        let middle = Point::new(52.0, 17.0);
        assert!((found.distance(middle) - CORNER).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn shapes_overlap_by_their_outlines_and_not_by_their_boxes() {
        let far = |shape, x, y| Outline::new(shape, Point::new(x, y), 100.0, 100.0);
        let diamond = far(Shape::Diamond, 0.0, 0.0);
        assert_eq!(diamond.overlap(&far(Shape::Diamond, 60.0, 60.0)), None);
        assert!(diamond.overlap(&far(Shape::Diamond, 40.0, 40.0)).is_some());
        let circle = far(Shape::Circle, 0.0, 0.0);
        assert_eq!(circle.overlap(&far(Shape::Circle, 75.0, 75.0)), None);
        assert!(circle.overlap(&far(Shape::Circle, 65.0, 65.0)).is_some());
        let rect = far(Shape::Rect, 0.0, 0.0);
        assert_eq!(rect.overlap(&far(Shape::Rect, 100.0, 0.0)), None);
        assert_eq!(rect.overlap(&far(Shape::Rect, 90.0, 0.0)), Some(10.0));
    }
}
