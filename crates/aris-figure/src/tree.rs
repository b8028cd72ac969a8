//! Finds the boxes near a place among many, without looking at all of them.
//!
//! A tree of bounding boxes, split at the median of the longer side. Building takes n log n; a search visits only branches that
//! it meets, however unevenly the boxes are distributed.

use crate::geometry::{Point, Rect};

/// Most boxes in a leaf.
const LEAF: usize = 8;

pub(crate) struct Tree {
    rects: Vec<Rect>,
    /// Indices into `rects`; a branch covers a range of this list.
    order: Vec<usize>,
    root: Option<Branch>,
}

struct Branch {
    bounds: Rect,
    from: usize,
    to: usize,
    parts: Option<Box<(Self, Self)>>,
}

impl Tree {
    pub(crate) fn new(rects: Vec<Rect>) -> Self {
        let centres = rects.iter().map(|rect| rect.centre()).enumerate();
        let mut order: Vec<(usize, Point)> = centres.collect();
        let root = (!rects.is_empty()).then(|| branch(&rects, &mut order, 0));
        let order = order.into_iter().map(|(index, _)| index).collect();
        Self { rects, order, root }
    }

    /// Indices of the boxes that meet `area`, in ascending order.
    pub(crate) fn meeting(&self, area: Rect) -> Vec<usize> {
        self.search(|rect| rect.meets(area))
    }

    /// Indices of the boxes that the line from `one` to `two` crosses, in ascending order.
    pub(crate) fn along(&self, one: Point, two: Point) -> Vec<usize> {
        let area = Rect::between(one, two).grown(1e-9);
        self.search(|rect| rect.meets(area) && rect.is_crossed(one, two))
    }

    fn search(&self, wanted: impl Fn(&Rect) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        let mut open: Vec<&Branch> = self.root.iter().collect();
        while let Some(branch) = open.pop() {
            if !wanted(&branch.bounds) {
                continue;
            }
            match &branch.parts {
                Some(parts) => open.extend([&parts.0, &parts.1]),
                None => found.extend(
                    self.order[branch.from..branch.to]
                        .iter()
                        .filter(|index| wanted(&self.rects[**index])),
                ),
            }
        }
        found.sort_unstable();
        found
    }
}

/// Straight lines, each with its owner, in a search tree.
pub(crate) struct Segments<T> {
    segments: Vec<Segment<T>>,
    tree: Tree,
}

pub(crate) type Segment<T> = (T, Point, Point);

impl<T: Copy> Segments<T> {
    /// `room`: distance from a line within which it is found.
    pub(crate) fn new(segments: Vec<Segment<T>>, room: f64) -> Self {
        let bounds = |(_, one, two): &Segment<T>| Rect::between(*one, *two).grown(room);
        let tree = Tree::new(segments.iter().map(bounds).collect());
        Self { segments, tree }
    }

    /// The lines that may run partly in `area`.
    pub(crate) fn meeting(&self, area: Rect) -> impl Iterator<Item = Segment<T>> {
        let found = self.tree.meeting(area).into_iter();
        found.map(|index| self.segments[index])
    }

    /// The lines near which the line from `one` to `two` passes.
    pub(crate) fn along(&self, one: Point, two: Point) -> impl Iterator<Item = Segment<T>> {
        let found = self.tree.along(one, two).into_iter();
        found.map(|index| self.segments[index])
    }
}

/// `order`: indices of boxes with their centres, kept together in memory for speed.
fn branch(rects: &[Rect], order: &mut [(usize, Point)], from: usize) -> Branch {
    let bounds = order
        .iter()
        .fold(Rect::NOTHING, |sum, (index, _)| sum.union(rects[*index]));
    let to = from + order.len();
    let parts = (order.len() > LEAF).then(|| {
        let wide = bounds.width() > bounds.height();
        let place = |(_, centre): &(usize, Point)| if wide { centre.x } else { centre.y };
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |one, two| {
            place(one).total_cmp(&place(two)).then(one.0.cmp(&two.0))
        });
        let (low, high) = order.split_at_mut(middle);
        Box::new((branch(rects, low, from), branch(rects, high, from + middle)))
    });
    Branch {
        bounds,
        from,
        to,
        parts,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_search_finds_what_looking_at_all_finds(
            boxes in prop::collection::vec((-50.0..50.0_f64, -50.0..50.0_f64, 0.1..30.0_f64, 0.1..30.0_f64), 0..60),
            (x, y, width, height) in (-60.0..60.0_f64, -60.0..60.0_f64, 0.1..40.0_f64, 0.1..40.0_f64),
        ) {
            let rects: Vec<Rect> = boxes
                .iter()
                .map(|(x, y, width, height)| Rect::around(Point::new(*x, *y), *width, *height))
                .collect();
            let tree = Tree::new(rects.clone());
            let area = Rect::around(Point::new(x, y), width, height);
            let all: Vec<usize> = (0..rects.len()).filter(|at| rects[*at].meets(area)).collect();
            prop_assert_eq!(tree.meeting(area), all);
            let (one, two) = (Point::new(x, y), Point::new(x + width, y - height));
            let all: Vec<usize> = (0..rects.len()).filter(|at| rects[*at].is_crossed(one, two)).collect();
            prop_assert_eq!(tree.along(one, two), all);
        }
    }
}
