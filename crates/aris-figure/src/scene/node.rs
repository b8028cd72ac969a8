//! A node's size and its text.

use super::{Block, Line};
use crate::colour::Colour;
use crate::geometry::{Outline, Point, Shape};
use crate::measures::{BOX, EASE, TEXT_ROOM};
use crate::spec::{Anchor, Node, Spec};
use crate::text::{self, Weight};

/// The box of a node, square for a circle; and the size that its text needs if the given one is too small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) needs: Option<(f64, f64)>,
}

/// The lines of a node: text, size, weight, and distance of the baseline below the centre.
fn lines(node: &Node) -> impl Iterator<Item = (&str, f64, Weight, f64)> {
    let size = node.font_size;
    let count = node.label.len() + node.sublabel.len();
    let step = size + 2.0;
    #[expect(clippy::cast_precision_loss, reason = "lines of one label")]
    let baseline = move |row: usize| {
        row as f64 * step - (count.saturating_sub(1)) as f64 * step / 2.0 + size * 0.35
    };
    let label = node
        .label
        .iter()
        .map(move |text| (text, size, Weight::Bold));
    let small = (size - 3.0).max(1.0);
    let sublabel = node
        .sublabel
        .iter()
        .map(move |text| (text, small, Weight::Regular));
    label
        .chain(sublabel)
        .enumerate()
        .map(move |(row, (text, size, weight))| (text.as_str(), size, weight, baseline(row)))
}

/// The size of a node: that of the file, else the default or what its text needs.
pub(crate) fn size(node: &Node) -> Size {
    let (ends, _) = node.shape.ends();
    // For each line, half the width and half the height that it needs around the centre.
    let corners: Vec<Point> = lines(node)
        .map(|(line, size, weight, base)| {
            let (above, below, _) = text::extent(line);
            let (up, down) = (above * size - base, base + below * size);
            Point::new(
                text::width(line, size, weight) / 2.0 + TEXT_ROOM.x + ends.x,
                up.max(down) + TEXT_ROOM.y + ends.y,
            )
        })
        .collect();
    // The head comes on top of the default box, so that lines to the centre meet the body.
    let head = if node.shape == Shape::Person {
        ends.y
    } else {
        0.0
    };
    let (width, height) = (
        node.width.unwrap_or(BOX.0),
        node.height.unwrap_or(BOX.1 + 2.0 * head),
    );
    let (width, height) = match node.shape {
        Shape::Circle => (width.max(height), width.max(height)),
        _ => (width, height),
    };
    let wants = wants(node.shape, &corners, width, height);
    // A box with a position in the file keeps the size that the original renderer draws; a laid-out box may grow.
    let grows = node.centre.is_none();
    let (wide, high) = (
        grows && node.width.is_none(),
        grows && node.height.is_none(),
    );
    let (width, height) = match (node.shape.is_tapered(), wide && high) {
        (false, _) => (
            if wide { grown(width, wants.0) } else { width },
            if high { grown(height, wants.1) } else { height },
        ),
        (true, true) => wants,
        (true, false) => (width, height),
    };
    let enough = wants.0 <= width + 0.01 && wants.1 <= height + 0.01;
    Size {
        width,
        height,
        needs: (!enough).then_some(wants),
    }
}

/// The size of a box that may grow: with a little more room than the text needs.
fn grown(usual: f64, wants: f64) -> f64 {
    if wants > usual { wants + EASE } else { usual }
}

/// The smallest size, at least `width` and `height` and in whole units, that holds the corners. Round shapes keep their
/// proportions.
fn wants(shape: Shape, corners: &[Point], width: f64, height: f64) -> (f64, f64) {
    let (a, b) = (width / 2.0, height / 2.0);
    let largest = |measure: &dyn Fn(&Point) -> f64| corners.iter().map(measure).fold(0.0, f64::max);
    if !shape.is_tapered() {
        return (
            width.max((2.0 * largest(&|corner| corner.x)).ceil()),
            height.max((2.0 * largest(&|corner| corner.y)).ceil()),
        );
    }
    let scale = largest(&|corner| {
        let (x, y) = (corner.x / a, corner.y / b);
        if shape == Shape::Diamond {
            x + y
        } else {
            (x * x + y * y).sqrt()
        }
    });
    if scale <= 1.0 {
        (width, height)
    } else {
        ((width * scale).ceil(), (height * scale).ceil())
    }
}

/// The grey of sublabels. **Source**: the original renderer; made darker if it is not legible.
const GREY: Colour = Colour::new(0x88, 0x88, 0x88);

pub(super) fn block(spec: &Spec, index: usize, node: &Node, size: &Size, centre: Point) -> Block {
    let palette = &spec.style.palette;
    let own = palette[index % palette.len()];
    let fill = node.fill.unwrap_or_else(|| own.lighter());
    let (_, shift) = node.shape.ends();
    let lines = lines(node)
        .map(|(text, size, weight, base)| {
            let colour = match weight {
                Weight::Bold => node.text_colour,
                Weight::Regular => GREY.legible_on(fill),
            };
            let base = centre + (shift.x, shift.y + base);
            Line::new(text, base, Anchor::Middle, (size, weight), colour, fill)
        })
        .collect();
    Block {
        outline: Outline::new(node.shape, centre, size.width, size.height),
        fill,
        stroke: node.stroke.unwrap_or(own),
        lines,
        needs: size.needs,
    }
}
