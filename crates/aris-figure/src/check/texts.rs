//! Checks text: it must fit, be drawable and be readable in print.

use super::labels::labels;
use super::{quoted, units};
use crate::measures::PADDING;
use crate::notes::{Notes, Place};
use crate::problem::Code;
use crate::scene::{Line, Scene};
use crate::spec::Direction;
use crate::text;

/// The smallest text that journals accept. **Unit**: points. **Source**: Nature's guide to final artwork.
const SMALLEST_PT: f64 = 5.0;
const POINTS_PER_MM: f64 = 72.0 / 25.4;

/// Families with the same character widths as the measured font.
const SAME_WIDTH: [&str; 6] = [
    "arial",
    "helvetica",
    "helvetica neue",
    "liberation sans",
    "arimo",
    "nimbus sans",
];

pub(super) fn check(scene: &Scene<'_>, column_mm: Option<f64>, notes: &Notes) {
    overflow(scene, notes);
    glyphs(scene, notes);
    if let Some(column_mm) = column_mm {
        print_size(scene, column_mm, notes);
    }
    let family = scene.spec.style.font_family.as_deref().unwrap_or("arial");
    let first = family.split(',').next().unwrap_or_default();
    let first = first.trim().trim_matches(['\'', '"']).to_lowercase();
    if !SAME_WIDTH.contains(&first.as_str()) {
        notes.push(
            Code::OtherFont,
            scene.spec.style.place.field(&["font_family"]),
            format!(
                "text is measured, and drawn in PNG and PDF, in Liberation Sans; {} may be wider",
                quoted(&first)
            ),
            "leave font_family out, or begin it with Arial or Helvetica",
        );
    }
}

fn overflow(scene: &Scene<'_>, notes: &Notes) {
    for (index, block) in scene.blocks.iter().enumerate() {
        if let Some((width, height)) = block.needs {
            let (node, bounds) = (scene.node(index), block.outline.bounds());
            let [width, height, box_width, box_height] =
                [width, height, bounds.width(), bounds.height()].map(units);
            notes.push(
                Code::TextOverflow,
                scene.node_place(index).field(&["width", "height", "label"]),
                format!(
                    "the text of {node} needs {width} x {height}, its box is {box_width} x {box_height}"
                ),
                format!(
                    "set \"width\": {width}, \"height\": {height}, break the line with \\n, or choose a smaller font_size"
                ),
            );
        }
    }
    for (index, group, frame) in scene.framed() {
        let Some(label) = &frame.label else { continue };
        let beyond = label.bounds.right + 4.0 - frame.rect.right;
        if beyond > 0.0 {
            let padding = group.padding.unwrap_or(PADDING) + beyond / 2.0;
            let widths = [label.bounds.width(), frame.rect.width(), padding];
            let ([width, wide, padding], group_of) = (widths.map(units), scene.group(index));
            notes.push(
                Code::TextOverflow,
                group.place.field(&["label"]),
                format!("the label of {group_of} is {width} wide, its frame {wide}"),
                format!("set \"padding\": {padding}, or shorten the label"),
            );
        }
    }
}

fn glyphs(scene: &Scene<'_>, notes: &Notes) {
    for (line, place, field) in all(scene) {
        let missing = text::missing(&line.text);
        if let Some(first) = missing.first() {
            let name = |one: &char| format!("{one} (U+{:04X})", u32::from(*one));
            let names: Vec<String> = missing.iter().take(8).map(name).collect();
            notes.push(
                Code::MissingGlyph,
                place.field(&[field]),
                format!("the fonts of this program do not have {}", names.join(", ")),
                format!("write it in words: {first} would be an empty box in PNG and PDF"),
            );
        }
    }
}

/// Every line of text, with the place of its owner and the field that holds it.
fn all<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = (&'a Line, &'a Place, &'static str)> {
    let nodes = scene.blocks.iter().zip(&scene.spec.nodes);
    let nodes = nodes.flat_map(|(block, node)| {
        block.lines.iter().enumerate().map(|(row, line)| {
            let is_label = row < node.label.len();
            let field = if is_label { "label" } else { "sublabel" };
            (line, &node.place, field)
        })
    });
    let labels = labels(scene).into_iter();
    nodes.chain(labels.filter_map(|label| Some((label.line, label.place, *label.fields.last()?))))
}

/// Reports the smallest text of the figure, once, if it is too small in print.
fn print_size(scene: &Scene<'_>, column_mm: f64, notes: &Notes) {
    let points = |size: f64| size * column_mm * POINTS_PER_MM / scene.width;
    let sizes = all(scene).map(|(line, place, field)| {
        let (_, _, smallest) = text::extent(&line.text);
        (line.size * smallest, place, field)
    });
    let small: Vec<_> = sizes
        .filter(|(size, ..)| points(*size) < SMALLEST_PT - 0.05)
        .collect();
    let Some((size, place, field)) = small.iter().min_by(|one, two| one.0.total_cmp(&two.0)) else {
        return;
    };
    let widest = (size * column_mm * POINTS_PER_MM / SMALLEST_PT).floor();
    notes.push(
        Code::SmallPrint,
        place.field(&[field]),
        format!(
            "too small in print: {:.1} pt in a column of {column_mm} mm (texts below {SMALLEST_PT} pt: {})",
            points(*size),
            small.len()
        ),
        format!(
            "make the canvas at most {widest:.0} wide (it is {:.0}){}, or the text larger by {:.1}; for another column pass --column-width",
            scene.width,
            narrower(scene),
            (SMALLEST_PT / points(1.0) - size).max(0.1)
        ),
    );
}

/// Advice on how to make a laid-out figure narrower.
fn narrower(scene: &Scene<'_>) -> &'static str {
    let spec = scene.spec;
    if spec.canvas.width.is_some() || spec.nodes.iter().any(|node| node.centre.is_some()) {
        return "";
    }
    match spec.layout.direction {
        Direction::LeftRight => {
            " (\"direction\": \"TB\" in layout, smaller nodes, or less layer_gap)"
        }
        Direction::TopBottom => " (smaller nodes, or less node_gap)",
    }
}
