//! Points, boxes and shapes. Uses only the four operations and square roots, which give the same bits on every machine.

mod outline;

pub(crate) use kurbo::Point;
pub(crate) use outline::{Outline, Shape};

/// The unit vector from one point to another; (1, 0) if they are equal. (kurbo's unit vectors are rounded differently.)
pub(crate) fn direction(one: Point, two: Point) -> Point {
    let length = one.distance(two);
    if length > 0.0 {
        Point::new((two.x - one.x) / length, (two.y - one.y) / length)
    } else {
        Point::new(1.0, 0.0)
    }
}

/// The smallest and the largest of some lengths.
pub(crate) fn span(lengths: impl Iterator<Item = f64>) -> (f64, f64) {
    lengths.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
        (low.min(at), high.max(at))
    })
}

/// A rectangle with sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Rect {
    pub(crate) const NOTHING: Self = Self {
        left: f64::INFINITY,
        top: f64::INFINITY,
        right: f64::NEG_INFINITY,
        bottom: f64::NEG_INFINITY,
    };

    pub(crate) fn around(centre: Point, width: f64, height: f64) -> Self {
        Self {
            left: centre.x - width / 2.0,
            top: centre.y - height / 2.0,
            right: centre.x + width / 2.0,
            bottom: centre.y + height / 2.0,
        }
    }

    pub(crate) fn between(one: Point, two: Point) -> Self {
        Self {
            left: one.x.min(two.x),
            top: one.y.min(two.y),
            right: one.x.max(two.x),
            bottom: one.y.max(two.y),
        }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(crate) fn grown(self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    pub(crate) fn shifted(self, x: f64, y: f64) -> Self {
        Self {
            left: self.left + x,
            top: self.top + y,
            right: self.right + x,
            bottom: self.bottom + y,
        }
    }

    /// Clockwise from the top left.
    pub(crate) fn corners(self) -> [Point; 4] {
        [
            Point::new(self.left, self.top),
            Point::new(self.right, self.top),
            Point::new(self.right, self.bottom),
            Point::new(self.left, self.bottom),
        ]
    }

    /// The four lines of its border.
    pub(crate) fn sides(self) -> [(Point, Point); 4] {
        let [one, two, three, four] = self.corners();
        [(one, two), (two, three), (three, four), (four, one)]
    }

    pub(crate) fn width(self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn centre(self) -> Point {
        Point::new(
            f64::midpoint(self.left, self.right),
            f64::midpoint(self.top, self.bottom),
        )
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub(crate) fn holds(self, other: Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }

    pub(crate) fn holds_point(self, point: Point) -> bool {
        self.left <= point.x
            && point.x <= self.right
            && self.top <= point.y
            && point.y <= self.bottom
    }

    /// Whether the line from `one` to `two` runs partly inside. **Source**: the slab method.
    pub(crate) fn is_crossed(self, one: Point, two: Point) -> bool {
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        for (from, to, low, high) in [
            (one.x, two.x, self.left, self.right),
            (one.y, two.y, self.top, self.bottom),
        ] {
            let step = to - from;
            if step == 0.0 {
                if from <= low || from >= high {
                    return false;
                }
            } else {
                let (enter, leave) = ((low - from) / step, (high - from) / step);
                first = first.max(enter.min(leave));
                last = last.min(enter.max(leave));
            }
        }
        first < last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_crosses_a_box_or_passes_it() {
        let rect = Rect::around(Point::new(0.0, 0.0), 10.0, 10.0);
        let at = Point::new;
        assert!(rect.is_crossed(at(-9.0, 0.0), at(9.0, 1.0)));
        assert!(rect.is_crossed(at(0.0, 0.0), at(1.0, 0.0)));
        assert!(!rect.is_crossed(at(-9.0, 0.0), at(-6.0, 0.0)));
        assert!(!rect.is_crossed(at(-9.0, 5.0), at(9.0, 5.0)));
        assert!(!rect.is_crossed(at(-9.0, 0.0), at(0.0, 12.0)));
    }
}
