//! A figure with every size and position computed. Drawing and checks use the same numbers.

mod edge;
mod labels;
mod loops;
mod node;

use std::collections::{BTreeMap, BTreeSet};

use crate::colour::Colour;
use crate::geometry::{Outline, Point, Rect, Shape};
use crate::measures::{ARROW, CANVAS, EDGE_TOUCH, MARGIN, PADDING};
use crate::spec::{Anchor, Edge, Group, Owners, Spec};
use crate::text::{self, Weight};
use crate::tree::Tree;

use edge::Beside;
pub(crate) use edge::{Arrow, Route};
pub(crate) use node::{Size, size};

/// The positions of all parts.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The centre of each node.
    pub(crate) centres: Vec<Point>,
    /// The corners of each edge, from the file or from the layout.
    pub(crate) points: Vec<Vec<Point>>,
    /// Whether the layout placed any node. A canvas without a size then follows the drawing.
    pub(crate) laid_out: bool,
    /// Whether the file gives no positions, so that everything can be moved together.
    pub(crate) movable: bool,
}

impl Placed {
    /// Moves everything.
    pub(crate) fn shift(&mut self, x: f64, y: f64) {
        for point in self
            .centres
            .iter_mut()
            .chain(self.points.iter_mut().flatten())
        {
            *point += (x, y);
        }
    }
}

/// A line of text and its position.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Position of the anchor on the baseline.
    pub(crate) base: Point,
    pub(crate) anchor: Anchor,
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
    /// The background colour.
    pub(crate) ground: Colour,
    /// The area of its characters.
    pub(crate) bounds: Rect,
}

impl Line {
    pub(crate) fn new(
        text: &str,
        base: Point,
        anchor: Anchor,
        (size, weight): (f64, Weight),
        colour: Colour,
        ground: Colour,
    ) -> Self {
        let width = text::width(text, size, weight);
        let left = match anchor {
            Anchor::Start => base.x,
            Anchor::Middle => base.x - width / 2.0,
            Anchor::End => base.x - width,
        };
        let (above, below, _) = text::extent(text);
        Self {
            text: String::from(text),
            base,
            anchor,
            size,
            weight,
            colour,
            ground,
            bounds: Rect {
                left,
                top: base.y - above * size,
                right: left + width,
                bottom: base.y + below * size,
            },
        }
    }
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) outline: Outline,
    pub(crate) fill: Colour,
    pub(crate) stroke: Colour,
    pub(crate) lines: Vec<Line>,
    /// Width and height that the text needs, if the box is too small.
    pub(crate) needs: Option<(f64, f64)>,
}

#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) rect: Rect,
    pub(crate) label: Option<Line>,
}

#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// One for each node.
    pub(crate) blocks: Vec<Block>,
    /// One for each edge.
    pub(crate) routes: Vec<Route>,
    /// One for each group; `None` for a group without nodes.
    pub(crate) frames: Vec<Option<Frame>>,
    /// The groups in drawing order.
    pub(crate) order: Vec<usize>,
    /// One for each free label.
    pub(crate) labels: Vec<Line>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(spec: &'a Spec, sizes: &[Size], placed: &Placed) -> Self {
        let background = spec.style.background;
        let owners = spec.owners();
        let frames = frames(spec, &owners, sizes, placed);
        let order = drawing_order(&owners);
        let mut rank = vec![0; order.len()];
        for (place, group) in order.iter().enumerate() {
            rank[*group] = place;
        }
        let frame_tree = Tree::new(
            frames
                .iter()
                .map(|frame| frame.as_ref().map_or(Rect::NOTHING, |frame| frame.rect))
                .collect(),
        );
        let ground = |at: Point| {
            let top = frame_tree.meeting(Rect::around(at, 0.1, 0.1));
            top.iter()
                .max_by_key(|group| rank[**group])
                .map_or(background, |group| spec.groups[*group].fill)
        };
        let blocks: Vec<Block> = spec
            .nodes
            .iter()
            .zip(sizes)
            .zip(&placed.centres)
            .enumerate()
            .map(|(index, ((node, size), centre))| node::block(spec, index, node, size, *centre))
            .collect();
        let besides = besides(spec, placed, |edge| ends(edge, &blocks, &frames));
        let route = |index: usize, out: Point| {
            let edge = &spec.edges[index];
            let (ends, points) = (ends(edge, &blocks, &frames), &placed.points[index]);
            let side = (out, &besides[index]);
            edge::route(edge, &ends, points, side, spec.style.edge_label(), &ground)
        };
        let routes = (0..spec.edges.len())
            .map(|index| route(index, loops::UP))
            .collect();
        let routes = loops::turned(spec, placed, routes, (&blocks, &frames), route);
        let block_tree = Tree::new(blocks.iter().map(|block| block.outline.bounds()).collect());
        let labels = spec
            .labels
            .iter()
            .map(|label| {
                let mut line = Line::new(
                    &label.text,
                    label.at,
                    label.anchor,
                    (label.size, Weight::Regular),
                    label.colour,
                    background,
                );
                let middle = line.bounds.centre();
                let under = block_tree.meeting(Rect::around(middle, 0.1, 0.1));
                line.ground = under
                    .last()
                    .map_or_else(|| ground(middle), |index| blocks[*index].fill);
                line
            })
            .collect();
        let mut scene = Self {
            spec,
            width: 0.0,
            height: 0.0,
            blocks,
            routes,
            frames,
            order,
            labels,
        };
        labels::settle(&mut scene, &spec.canvas, placed.movable);
        let bounds = scene.bounds();
        let needs = |given: Option<f64>, default: f64, edge: f64| match given {
            Some(given) => given,
            None if placed.laid_out => (edge + MARGIN).ceil().max(2.0 * MARGIN),
            None => default,
        };
        scene.width = needs(spec.canvas.width, CANVAS.0, bounds.right);
        scene.height = needs(spec.canvas.height, CANVAS.1, bounds.bottom);
        scene
    }

    /// The outlines at which an edge begins and ends.
    pub(crate) fn ends(&self, edge: usize) -> (Outline, Outline) {
        ends(&self.spec.edges[edge], &self.blocks, &self.frames)
    }

    /// The groups with a frame: index, group, frame.
    pub(crate) fn framed(&self) -> impl Iterator<Item = (usize, &Group, &Frame)> {
        let groups = self.spec.groups.iter().zip(&self.frames).enumerate();
        groups.filter_map(|(index, (group, frame))| Some((index, group, frame.as_ref()?)))
    }

    /// A search tree of the nodes' bounds.
    pub(crate) fn block_tree(&self) -> Tree {
        Tree::new(self.blocks.iter().map(Block::bounds).collect())
    }

    /// The straight pieces of all edges' tracks, each with its edge.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (usize, Point, Point)> {
        let routes = self.routes.iter().enumerate();
        routes.flat_map(|(edge, route)| {
            let pairs = route.track.windows(2);
            pairs.map(move |pair| (edge, pair[0], pair[1]))
        })
    }

    /// The nodes other than its ends that an edge runs over.
    pub(crate) fn under(&self, edge: usize, blocks: &Tree) -> BTreeSet<usize> {
        let mut under = BTreeSet::new();
        for pair in self.routes[edge].track.windows(2) {
            under.extend(blocks.along(pair[0], pair[1]).into_iter().filter(|node| {
                let outline = &self.blocks[*node].outline;
                outline.is_crossed(pair[0], pair[1], EDGE_TOUCH)
            }));
        }
        under.remove(&self.spec.edges[edge].from);
        under.remove(&self.spec.edges[edge].to);
        under
    }

    /// The area of everything drawn, including the thickness of lines.
    pub(crate) fn bounds(&self) -> Rect {
        let frames = self
            .frames
            .iter()
            .flatten()
            .map(|frame| frame.rect.grown(0.5));
        let blocks = self.blocks.iter().map(Block::bounds);
        let routes = self.routes.iter().map(Route::bounds);
        let labels = self.labels.iter().map(|line| line.bounds);
        frames
            .chain(blocks)
            .chain(routes)
            .chain(labels)
            .fold(Rect::NOTHING, Rect::union)
    }
}

fn ends(edge: &Edge, blocks: &[Block], frames: &[Option<Frame>]) -> (Outline, Outline) {
    let end = |node: usize, group: Option<usize>| {
        let frame = group.and_then(|group| frames[group].as_ref());
        frame.map_or_else(|| blocks[node].outline, Frame::outline)
    };
    (end(edge.from, edge.frames.0), end(edge.to, edge.frames.1))
}

/// How each curved edge keeps away from opposite edges, so that no arrow of one lies on the other.
fn besides(
    spec: &Spec,
    placed: &Placed,
    ends: impl Fn(&Edge) -> (Outline, Outline),
) -> Vec<Beside> {
    let mut ways: BTreeMap<_, Vec<(&Edge, &Vec<Point>)>> = BTreeMap::new();
    for (edge, points) in spec.edges.iter().zip(&placed.points) {
        let way = ways.entry((edge.start(), edge.end()));
        way.or_default().push((edge, points));
    }
    let half = |edge: &Edge, has_arrow| edge.thickness * if has_arrow { ARROW / 2.0 } else { 0.5 };
    let beside = |edge: &Edge| {
        let mut beside = Beside::default();
        let back = ways.get(&(edge.end(), edge.start())).into_iter().flatten();
        for (back, points) in back.filter(|_| edge.curve) {
            let first = half(edge, edge.arrows[0]) + half(back, back.arrows[1]);
            let last = half(edge, edge.arrows[1]) + half(back, back.arrows[0]);
            let room = first.max(last);
            match (points.first(), points.last()) {
                (Some(first), Some(last)) if back.is_squared() => {
                    let (from, to) = ends(edge);
                    beside.start.push((room, from.port(*last), *last));
                    beside.end.push((room, to.port(*first), *first));
                }
                // Two curves bend away from each other, so each needs half.
                _ if back.curve => beside.by = beside.by.max(room / 2.0),
                _ => beside.by = beside.by.max(room),
            }
        }
        beside
    };
    spec.edges.iter().map(beside).collect()
}

impl Frame {
    /// The outline including the border, which is 1 wide.
    fn outline(&self) -> Outline {
        let rect = self.rect.grown(0.5);
        let (width, height) = (rect.right - rect.left, rect.bottom - rect.top);
        Outline::new(Shape::Rect, rect.centre(), width, height)
    }
}

impl Block {
    /// The bounds including the border, which is 2 wide.
    pub(crate) fn bounds(&self) -> Rect {
        self.outline.bounds().grown(1.0)
    }
}

/// The least width of the frame, and the least room above its nodes, for the label of a group without its own padding.
pub(crate) fn label_room(spec: &Spec, group: &Group) -> (f64, f64) {
    let size = spec.style.group_label();
    match (&group.label, group.padding) {
        (Some(label), None) => (text::width(label, size, Weight::Bold) + 16.0, size + 8.0),
        _ => (f64::NEG_INFINITY, f64::NEG_INFINITY),
    }
}

/// The groups in the order of the file, but nested ones after those around them.
fn drawing_order(owners: &Owners) -> Vec<usize> {
    let mut order = owners.order.clone();
    let mut depth = vec![0; order.len()];
    for group in order.iter().rev() {
        depth[*group] = owners.groups[*group].map_or(0, |owner| depth[owner] + 1);
    }
    order.sort_by_key(|group| (depth[*group], *group));
    order
}

/// The frames of the groups. A frame without its own padding also makes room for the frames in it.
fn frames(spec: &Spec, owners: &Owners, sizes: &[Size], placed: &Placed) -> Vec<Option<Frame>> {
    let mut inner: Vec<Rect> = spec
        .groups
        .iter()
        .map(|group| {
            let nodes = group.members.iter().map(|index| {
                let size = &sizes[*index];
                Rect::around(placed.centres[*index], size.width, size.height)
            });
            nodes.fold(Rect::NOTHING, Rect::union)
        })
        .collect();
    let mut frames: Vec<Option<Frame>> = spec.groups.iter().map(|_| None).collect();
    for index in owners.order.iter().copied() {
        if spec.groups[index].members.is_empty() {
            continue;
        }
        let frame = frame(spec, &spec.groups[index], inner[index]);
        if let Some(owner) = owners.groups[index]
            && spec.groups[owner].padding.is_none()
        {
            inner[owner] = inner[owner].union(frame.rect);
        }
        frames[index] = Some(frame);
    }
    frames
}

fn frame(spec: &Spec, group: &Group, inner: Rect) -> Frame {
    let size = spec.style.group_label();
    let mut rect = inner.grown(group.padding.unwrap_or(PADDING));
    let (width, above) = label_room(spec, group);
    rect.top = rect.top.min(inner.top - above);
    let beside = ((width - rect.width()) / 2.0).max(0.0);
    (rect.left, rect.right) = (rect.left - beside, rect.right + beside);
    // A negative padding may leave nothing.
    rect.right = rect.right.max(rect.left);
    rect.bottom = rect.bottom.max(rect.top);
    let label = group.label.as_ref().map(|text| {
        Line::new(
            text,
            Point::new(rect.left + 8.0, rect.top + 4.0 + size),
            Anchor::Start,
            (size, Weight::Bold),
            Colour::new(0x99, 0x99, 0x99).legible_on(group.fill),
            group.fill,
        )
    });
    Frame { rect, label }
}
