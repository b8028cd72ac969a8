//! Checks positions: on the canvas, beside each other, in the right frame.

use super::units;
use crate::geometry::{Point, Rect};
use crate::measures::NODE_TOUCH;
use crate::notes::Notes;
use crate::problem::Code;
use crate::scene::Scene;
use crate::tree::Tree;

pub(super) fn check(scene: &Scene<'_>, notes: &Notes) {
    canvas(scene, notes);
    let blocks = scene.block_tree();
    nodes(scene, &blocks, notes);
    frames(scene, &blocks, notes);
    frames_on_frames(scene, notes);
}

fn canvas(scene: &Scene<'_>, notes: &Notes) {
    let (start, end) = (Point::new(0.0, 0.0), Point::new(scene.width, scene.height));
    let canvas = Rect::between(start, end).grown(0.01);
    let all = scene.bounds();
    let (x, y) = ((-all.left).ceil().max(0.0), (-all.top).ceil().max(0.0));
    let size = format!(
        "a canvas of {} x {}",
        units((all.right + x).max(scene.width)),
        units((all.bottom + y).max(scene.height))
    );
    let fix = if x > 0.0 || y > 0.0 {
        format!(
            "to fit all, move everything by {x:.0} to the right and {y:.0} down; that takes {size}"
        )
    } else {
        format!("everything fits into {size}")
    };
    let nodes = scene.blocks.iter().enumerate().map(|(index, block)| {
        let (node, place) = (scene.node(index), scene.node_place(index));
        (node, block.bounds(), place, &["x", "y"][..])
    });
    // Of an edge without a label or points of its own, the nodes are reported.
    let edges = scene.routes.iter().enumerate().map(|(index, route)| {
        let (edge, place) = (scene.edge(index), scene.edge_place(index));
        (edge, route.bounds(), place, &["label", "points"][..])
    });
    let groups = scene.framed().map(|(index, group, frame)| {
        let rect = frame.rect.grown(0.5);
        (scene.group(index), rect, &group.place, &["padding"][..])
    });
    let labels = scene.labels.iter().zip(&scene.spec.labels);
    let labels = labels.map(|(line, label)| {
        let what = String::from("the label");
        (what, line.bounds, &label.place, &["x", "y"][..])
    });
    for (what, bounds, place, fields) in nodes.chain(edges).chain(groups).chain(labels) {
        if canvas.holds(bounds) || bounds.left > bounds.right {
            continue;
        }
        let sides = [
            ("left", -bounds.left),
            ("top", -bounds.top),
            ("right", bounds.right - scene.width),
            ("bottom", bounds.bottom - scene.height),
        ];
        let beyond = sides.iter().filter(|(_, by)| *by > 0.01);
        let sides: Vec<String> = beyond
            .map(|(side, by)| format!("{} at the {side}", units(*by)))
            .collect();
        notes.push(
            Code::OutOfCanvas,
            place.field(fields),
            format!("{what} lies beyond the canvas: {}", sides.join(", ")),
            fix.clone(),
        );
    }
}

fn nodes(scene: &Scene<'_>, blocks: &Tree, notes: &Notes) {
    let nodes = scene.blocks.iter().enumerate();
    for (index, block) in notes.until_full(Code::NodeOverlap, nodes) {
        for other in blocks.meeting(block.outline.bounds()) {
            if other <= index {
                continue;
            }
            if let Some(depth) = block.outline.overlap(&scene.blocks[other].outline)
                && depth > NODE_TOUCH
            {
                let (one, two) = (scene.node(index), scene.node(other));
                let [depth, apart] = [depth, depth + 20.0].map(units);
                notes.push(
                    Code::NodeOverlap,
                    scene.node_place(other).field(&["x", "y"]),
                    format!("{one} and {two} overlap by {depth}"),
                    format!("move one of them by {apart} or more"),
                );
            }
        }
    }
}

fn frames(scene: &Scene<'_>, blocks: &Tree, notes: &Notes) {
    for (index, group, frame) in notes.until_full(Code::GroupOverlap, scene.framed()) {
        let inside = frame.rect.grown(-NODE_TOUCH);
        for node in blocks.meeting(inside) {
            if group.members.binary_search(&node).is_err()
                && scene.blocks[node].outline.meets_rect(inside)
            {
                let (frame, node) = (scene.group(index), scene.node(node));
                notes.push(
                    Code::GroupOverlap,
                    group.place.field(&["node_ids"]),
                    format!("the frame of {frame} covers {node}, which is not in it"),
                    "move the node out of the frame, or add it to node_ids",
                );
            }
        }
    }
}

fn frames_on_frames(scene: &Scene<'_>, notes: &Notes) {
    let framed: Vec<_> = scene.framed().collect();
    let tree = Tree::new(framed.iter().map(|(.., frame)| frame.rect).collect());
    let frames = framed.iter().enumerate();
    for (at, (index, _, frame)) in notes.until_full(Code::GroupOverlap, frames) {
        let one = frame.rect;
        for other_at in tree.meeting(one.grown(-NODE_TOUCH)) {
            let (other, group, frame) = framed[other_at];
            let two = frame.rect;
            if other_at <= at || one.grown(-2.0).holds(two) || two.grown(-2.0).holds(one) {
                continue;
            }
            let (first, second) = (scene.group(*index), scene.group(other));
            notes.push(
                Code::GroupOverlap,
                group.place.field(&["padding", "node_ids"]),
                format!("the frames of {first} and {second} overlap"),
                "move their nodes apart, or give one of them another padding",
            );
        }
    }
}
