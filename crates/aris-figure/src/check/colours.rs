//! Checks colours: enough contrast, and differences that every reader can see.

use std::collections::BTreeMap;

use super::quoted;
use crate::colour::{Colour, LINE_CONTRAST, Sight, TEXT_CONTRAST};
use crate::geometry::Shape;
use crate::notes::{Notes, Place};
use crate::problem::Code;
use crate::scene::{Line, Scene};
use crate::spec::Dash;

/// Colours at least this far apart are meant to differ. **Unit**: CIE 1976 colour difference.
const MEANT: f64 = 20.0;
/// Colours nearer than this look the same in print. **Unit**: the same.
const TOLD: f64 = 6.0;
/// Most colours of one kind that are compared. No reader remembers the meaning of more.
const COLOURS: usize = 24;

pub(super) fn check(scene: &Scene<'_>, notes: &Notes) {
    contrast(scene, notes);
    collapse(scene, notes);
}

fn contrast(scene: &Scene<'_>, notes: &Notes) {
    let text = |line: &Line, place: &Place, field: &str| {
        let found = line.colour.contrast(line.ground);
        if found < TEXT_CONTRAST {
            let (text, colour, ground) = (quoted(&line.text), line.colour, line.ground);
            notes.push(
                Code::LowContrast,
                place.field(&[field, "fill"]),
                format!(
                    "{text} in {colour} on {ground} has a contrast of {found:.1}, text needs {TEXT_CONTRAST}"
                ),
                format!("set \"{field}\": \"{}\"", ground.ink()),
            );
        }
    };
    for (block, node) in scene.blocks.iter().zip(&scene.spec.nodes) {
        // The first line stands for the label. Sublabels get a legible grey when the scene is built.
        if let Some(line) = block.lines.first()
            && !node.label.is_empty()
        {
            text(line, &node.place, "text_color");
        }
    }
    for (line, label) in scene.labels.iter().zip(&scene.spec.labels) {
        text(line, &label.place, "color");
    }
    for (index, edge) in scene.spec.edges.iter().enumerate() {
        let ground = scene.spec.style.background;
        let (colour, found) = (edge.colour, edge.colour.contrast(ground));
        if found < LINE_CONTRAST {
            let (what, legible) = (scene.edge(index), colour.legible_on(ground));
            notes.push(
                Code::LowContrast,
                edge.place.field(&["color"]),
                format!(
                    "{what} in {colour} on {ground} has a contrast of {found:.1}, lines need {LINE_CONTRAST}"
                ),
                format!("set \"color\": \"{legible}\""),
            );
        }
    }
}

/// Things between which only the colour makes a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Node(Shape),
    Edge(Dash),
}

/// The colours of one kind of thing, each with its first place and field.
type Colours<'a> = BTreeMap<[Option<[u8; 3]>; 2], ([Option<Colour>; 2], &'a Place, &'static str)>;

/// Reports chosen colours that look the same to some readers, for nodes of one shape and edges of one style.
fn collapse(scene: &Scene<'_>, notes: &Notes) {
    // Colours from the palette carry no meaning.
    let nodes = scene.spec.nodes.iter().filter_map(|node| {
        let field = match (node.fill, node.stroke) {
            (None, None) => return None,
            (None, Some(_)) => "stroke",
            (Some(_), _) => "fill",
        };
        let kind = Kind::Node(node.shape);
        Some((kind, [node.fill, node.stroke], &node.place, field))
    });
    let edges = scene.spec.edges.iter().map(|edge| {
        let kind = Kind::Edge(edge.dash);
        (kind, [Some(edge.colour), None], &edge.place, "color")
    });
    let mut kinds: BTreeMap<Kind, Colours<'_>> = BTreeMap::new();
    for (kind, colours, place, field) in nodes.chain(edges) {
        let key = colours.map(|colour| colour.map(|colour| colour.rgb));
        let colours_of = kinds.entry(kind).or_default();
        colours_of.entry(key).or_insert((colours, place, field));
    }
    for (kind, colours) in kinds {
        let (what, other) = match kind {
            Kind::Node(_) => ("nodes", "another shape"),
            Kind::Edge(_) => ("edges", "another style"),
        };
        compare(&colours, what, other, notes);
    }
}

fn compare(kinds: &Colours<'_>, what: &str, other: &str, notes: &Notes) {
    // In the order of the file, so that the later one of two is reported.
    let mut kinds: Vec<_> = kinds.values().collect();
    kinds.sort_by_key(|(_, place, _)| place.at);
    if let Some((_, place, field)) = kinds.get(COLOURS) {
        let count = kinds.len();
        notes.push(
            Code::ColoursCollapse,
            place.field(&[field]),
            format!("{what} have {count} colours, nobody tells so many apart"),
            format!("use {COLOURS} at most; they were not compared"),
        );
        return;
    }
    for (index, (two, place, field)) in kinds.iter().enumerate() {
        for (one, _, _) in kinds.iter().take(index) {
            let apart = |sight: Sight| {
                let pairs = one.iter().zip(two);
                pairs
                    .filter_map(|(one, two)| Some((*one)?.distance((*two)?, sight)))
                    .fold(0.0, f64::max)
            };
            if apart(Sight::Full) < MEANT {
                continue;
            }
            let lost = Sight::REDUCED
                .into_iter()
                .filter(|sight| apart(*sight) < TOLD);
            let lost: Vec<&str> = lost.map(Sight::words).collect();
            let name = |colours: &[Option<Colour>]| {
                let names: Vec<String> = colours.iter().flatten().map(Colour::to_string).collect();
                names.join(" with ")
            };
            if !lost.is_empty() {
                let (one, two, lost) = (name(one), name(two), lost.join(" and "));
                notes.push(
                    Code::ColoursCollapse,
                    place.field(&[field]),
                    format!("{what} in {one} and in {two} look the same {lost}"),
                    format!("make one of them darker, or give it {other}"),
                );
            }
        }
    }
}
