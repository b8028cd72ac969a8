//! Checks labels: they must not cover anything that has to be seen.

use std::collections::BTreeSet;

use super::quoted;
use crate::geometry::Rect;
use crate::measures::{FRAME_BORDER, LABEL_TOUCH};
use crate::notes::{Notes, Place};
use crate::problem::Code;
use crate::scene::{Line, Scene};
use crate::tree::Tree;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Edge(usize),
    Group(usize),
    Free,
}

pub(super) struct Label<'a> {
    of: Of,
    pub(super) line: &'a Line,
    rect: Rect,
    /// The whole plate; its rim may touch other things.
    whole: Rect,
    pub(super) place: &'a Place,
    /// The fields that decide its position; the last one holds its text.
    pub(super) fields: &'static [&'static str],
}

impl Label<'_> {
    fn fix(&self) -> &'static str {
        match self.of {
            Of::Edge(_) => {
                "no place along the edge is free: give the edge more room, lead it elsewhere with \"points\": [[x, y]], or shorten the label"
            }
            Of::Group(_) => "give the group more padding, or move what is there",
            Of::Free => "move the label with x and y",
        }
    }
}

pub(super) fn check(scene: &Scene<'_>, notes: &Notes) {
    let labels = labels(scene);
    on_nodes(scene, &labels, notes);
    let tree = Tree::new(labels.iter().map(|label| label.rect).collect());
    on_labels(&labels, &tree, notes);
    on_edges(scene, &labels, notes);
    on_frames(scene, &labels, notes);
}

fn report(label: &Label<'_>, on: &str, notes: &Notes) {
    notes.push(
        Code::LabelOverlap,
        label.place.field(label.fields),
        format!("the label {} overlaps {on}", quoted(&label.line.text)),
        label.fix(),
    );
}

/// All labels: those of edges, of groups, and free ones.
pub(super) fn labels<'a>(scene: &'a Scene<'_>) -> Vec<Label<'a>> {
    let routes = scene.routes.iter().zip(&scene.spec.edges).enumerate();
    let plain = |of, line: &'a Line, place, fields| Label {
        of,
        line,
        rect: line.bounds,
        whole: line.bounds,
        place,
        fields,
    };
    let edges = routes.filter_map(move |(index, (route, edge))| {
        let (line, plate) = route.label.as_ref()?;
        Some(Label {
            rect: plate.grown(-LABEL_TOUCH),
            whole: *plate,
            ..plain(Of::Edge(index), line, &edge.place, &["label"])
        })
    });
    let groups = scene.framed().filter_map(move |(index, group, frame)| {
        let line = frame.label.as_ref()?;
        Some(plain(Of::Group(index), line, &group.place, &["label"]))
    });
    let free = scene.labels.iter().zip(&scene.spec.labels);
    let free = free.map(|(line, label)| plain(Of::Free, line, &label.place, &["x", "y", "text"]));
    edges.chain(groups).chain(free).collect()
}

fn on_nodes(scene: &Scene<'_>, labels: &[Label<'_>], notes: &Notes) {
    let blocks = scene.block_tree();
    for label in notes.until_full(Code::LabelOverlap, labels) {
        for node in blocks.meeting(label.rect) {
            let block = &scene.blocks[node];
            // A free label may serve as the text of a node without text.
            let its_text = label.of == Of::Free
                && block.lines.is_empty()
                && block.outline.bounds().holds(label.rect);
            if !its_text && block.outline.meets_rect(label.rect) {
                report(label, &scene.node(node), notes);
            }
        }
    }
}

fn on_labels(labels: &[Label<'_>], tree: &Tree, notes: &Notes) {
    let numbered = labels.iter().enumerate();
    for (index, label) in notes.until_full(Code::LabelOverlap, numbered) {
        for other in tree.meeting(label.rect) {
            if other > index {
                let on = format!("the label {}", quoted(&label.line.text));
                report(&labels[other], &on, notes);
            }
        }
    }
}

fn on_edges(scene: &Scene<'_>, labels: &[Label<'_>], notes: &Notes) {
    let room = scene.thickest() / 2.0;
    let tree = Tree::new(labels.iter().map(|label| label.rect.grown(room)).collect());
    let routes = scene.routes.iter().enumerate();
    for (index, route) in notes.until_full(Code::LabelOverlap, routes) {
        let pairs = route.track.windows(2);
        let under: BTreeSet<usize> = pairs
            .flat_map(|pair| {
                let near = tree.along(pair[0], pair[1]).into_iter();
                near.filter(|label| {
                    let area = labels[*label].rect.grown(route.thickness / 2.0);
                    area.is_crossed(pair[0], pair[1])
                })
            })
            .filter(|label| labels[*label].of != Of::Edge(index))
            .collect();
        for label in under {
            report(&labels[label], &scene.edge(index), notes);
        }
    }
}

/// Reports labels on the border of a frame, which would be broken there, and group labels under another frame.
fn on_frames(scene: &Scene<'_>, labels: &[Label<'_>], notes: &Notes) {
    let wholes = labels.iter().map(|label| label.whole.grown(FRAME_BORDER));
    let tree = Tree::new(wholes.collect());
    for (index, _, frame) in notes.until_full(Code::LabelOverlap, scene.framed()) {
        let sides = frame.rect.sides().into_iter();
        let on: BTreeSet<usize> = sides.flat_map(|(one, two)| tree.along(one, two)).collect();
        for label in on {
            // A label that is too long for its own frame is reported as a text overflow.
            if labels[label].of != Of::Group(index) {
                let border = format!("the border of {}", scene.group(index));
                report(&labels[label], &border, notes);
            }
        }
    }
    for label in labels {
        if let Of::Group(group) = label.of
            && let Some(under) = scene.frame_under(group, label.rect)
            && scene.frames[under]
                .as_ref()
                .is_some_and(|frame| frame.rect.holds(label.whole))
        {
            let frame = format!("the frame of {}", scene.group(under));
            report(label, &frame, notes);
        }
    }
}
