//! Nested groups: each is laid out by itself, from the innermost outwards.

use std::collections::BTreeMap;

use super::layers::{Item, Link, layered};
use crate::geometry::Point;
use crate::measures::{ARROW_EASE, LOOP_BESIDE, PADDING, PLATE, PLATE_SIDE};
use crate::scene::{Size, label_room};
use crate::spec::{Direction, Edge, Owners, Spec};
use crate::text::{self, Weight};

/// The result of a layout; positions are relative to its top left corner.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Nodes and their centres.
    pub(crate) nodes: Vec<(usize, Point)>,
    /// Edges and their corners.
    pub(crate) points: Vec<(usize, Vec<Point>)>,
}

/// The figure itself, or a group in it.
type Owner = Option<usize>;

/// A member of an owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Node(usize),
    Group(usize),
}

struct Work<'a> {
    spec: &'a Spec,
    sizes: &'a [Size],
    parts: BTreeMap<Owner, Vec<Part>>,
    edges: BTreeMap<Owner, Vec<(Part, Part, usize)>>,
    /// Room that loops take above a node, or beside it if the layers run from top to bottom.
    loops: BTreeMap<usize, f64>,
    /// Groups that are laid out but not yet part of their owner.
    drawings: BTreeMap<usize, Drawing>,
}

/// Lays out the nodes without a position.
pub(crate) fn arrange(spec: &Spec, sizes: &[Size]) -> Drawing {
    let owners = spec.owners();
    let mut parts: BTreeMap<Owner, Vec<Part>> = BTreeMap::new();
    for (group, owner) in owners.groups.iter().enumerate() {
        let mut members = spec.groups[group].members.iter();
        if members.any(|node| spec.nodes[*node].centre.is_none()) {
            parts.entry(*owner).or_default().push(Part::Group(group));
        }
    }
    for (node, owner) in owners.nodes.iter().enumerate() {
        if spec.nodes[node].centre.is_none() {
            parts.entry(*owner).or_default().push(Part::Node(node));
        }
    }
    // In the order of the file: a group takes the position of its first node.
    let first = |part: &Part| match part {
        Part::Node(node) => (*node, 0),
        Part::Group(group) => (spec.groups[*group].members[0], group + 1),
    };
    for parts in parts.values_mut() {
        parts.sort_by_key(first);
    }
    let mut edges: BTreeMap<Owner, Vec<(Part, Part, usize)>> = BTreeMap::new();
    for (index, edge) in spec.edges.iter().enumerate() {
        if edge.from != edge.to && spec.is_laid_out(edge) {
            let (owner, from, to) = owners.meet(edge.from, edge.to);
            edges.entry(owner).or_default().push((from, to, index));
        }
    }
    let mut loops: BTreeMap<usize, f64> = BTreeMap::new();
    for edge in spec.edges.iter().filter(|edge| edge.from == edge.to) {
        let label = edge.label.as_ref().map_or(0.0, |label| {
            text::width(label, spec.style.edge_label(), Weight::Regular)
        });
        let needs = match (spec.layout.direction, &edge.label) {
            (Direction::TopBottom, _) => LOOP_BESIDE + label + 12.0,
            (Direction::LeftRight, Some(_)) => 50.0,
            (Direction::LeftRight, None) => 30.0,
        };
        let room = loops.entry(edge.from).or_default();
        *room = room.max(needs);
    }
    let mut work = Work {
        spec,
        sizes,
        parts,
        edges,
        loops,
        drawings: BTreeMap::new(),
    };
    for group in owners.order {
        let drawing = work.lay_out(Some(group));
        let given = &spec.groups[group];
        let padding = given.padding.unwrap_or(PADDING).max(0.0);
        let framed = drawing.framed(padding, label_room(spec, given));
        work.drawings.insert(group, framed);
    }
    work.lay_out(None)
}

impl Work<'_> {
    fn lay_out(&mut self, owner: Owner) -> Drawing {
        let (spec, parts) = (self.spec, self.parts.remove(&owner).unwrap_or_default());
        let turn = |width: f64, height: f64| match spec.layout.direction {
            Direction::LeftRight => Point::new(width, height),
            Direction::TopBottom => Point::new(height, width),
        };
        let items: Vec<Item> = parts
            .iter()
            .map(|part| {
                let size = match part {
                    // A loop's room is added on both sides, so that the box stays in the middle.
                    Part::Node(node) => {
                        turn(self.sizes[*node].width, self.sizes[*node].height)
                            + (0.0, 2.0 * self.loops.get(node).unwrap_or(&0.0))
                    }
                    Part::Group(group) => self
                        .drawings
                        .get(group)
                        .map_or(Point::new(0.0, 0.0), |inner| {
                            turn(inner.width, inner.height)
                        }),
                };
                Item {
                    is_node: matches!(part, Part::Node(_)),
                    along: size.x,
                    across: size.y,
                }
            })
            .collect();
        let index: BTreeMap<Part, usize> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| (*part, at))
            .collect();
        let size = spec.style.edge_label();
        let links: Vec<Link> = self
            .edges
            .get(&owner)
            .into_iter()
            .flatten()
            .filter_map(|(from, to, edge)| {
                let label = spec.edges[*edge].label.as_ref().map(|label| {
                    turn(
                        text::width(label, size, Weight::Regular) + 2.0 * PLATE_SIDE,
                        size * PLATE,
                    )
                });
                let eased = |room: f64| if room > 0.0 { room + ARROW_EASE } else { 0.0 };
                Some(Link {
                    from: *index.get(from)?,
                    to: *index.get(to)?,
                    label: label.unwrap_or(Point::new(0.0, 0.0)),
                    arrows: spec.edges[*edge].arrow_rooms().map(eased),
                    edge: *edge,
                    is_straight: !spec.edges[*edge].curve && spec.edges[*edge].points.is_empty(),
                })
            })
            .collect();
        // In a frame, edges that pass a box must stay off the border, which is one padding away.
        let beside = if owner.is_some() {
            PADDING * 0.6
        } else {
            PADDING
        };
        let flat = layered(&items, &links, spec.layout, beside);
        let mut drawing = Drawing::default();
        let size = turn(flat.along, flat.across);
        (drawing.width, drawing.height) = (size.x, size.y);
        for (part, centre) in parts.iter().zip(flat.centres) {
            let centre = turn(centre.x, centre.y);
            match part {
                Part::Node(node) => {
                    drawing.nodes.push((*node, centre));
                    if self.loops.contains_key(node)
                        && spec.layout.direction == Direction::TopBottom
                    {
                        let corners = loop_corners(&self.sizes[*node], centre);
                        let is_loop = |edge: &Edge| edge.from == *node && edge.to == *node;
                        let edges = spec.edges.iter().enumerate();
                        let loops = edges.filter(|(_, edge)| is_loop(edge));
                        drawing
                            .points
                            .extend(loops.map(|(edge, _)| (edge, corners.clone())));
                    }
                }
                Part::Group(group) => {
                    let inner = self.drawings.remove(group).unwrap_or_default();
                    let (x, y) = (centre.x - inner.width / 2.0, centre.y - inner.height / 2.0);
                    drawing.take(inner, x, y);
                }
            }
        }
        for (edge, points) in flat.points {
            let points = points.into_iter().map(|point| turn(point.x, point.y));
            drawing.points.push((edge, points.collect()));
        }
        drawing
    }
}

/// The corners of a loop to the right of a node, because edges come in from above, where loops usually are.
fn loop_corners(size: &Size, centre: Point) -> Vec<Point> {
    let (x, y) = (
        size.width / 2.0 + LOOP_BESIDE,
        (size.height / 4.0).min(11.0),
    );
    vec![centre + (x, -y), centre + (x, y)]
}

impl Drawing {
    fn take(&mut self, inner: Self, x: f64, y: f64) {
        let nodes = inner.nodes.into_iter();
        self.nodes
            .extend(nodes.map(|(node, at)| (node, at + (x, y))));
        for (edge, points) in inner.points {
            let points = points.into_iter().map(|at| at + (x, y)).collect();
            self.points.push((edge, points));
        }
    }

    /// Adds a frame with padding; its label needs at least this width, and this room above the nodes.
    fn framed(self, padding: f64, (width, above): (f64, f64)) -> Self {
        let top = padding.max(above);
        let mut framed = Self {
            width: width.max(self.width + 2.0 * padding),
            height: self.height + padding + top,
            ..Self::default()
        };
        let left = (framed.width - self.width) / 2.0;
        framed.take(self, left, top);
        framed
    }
}

impl Owners {
    /// The owners of a node from the innermost out, each with its member that contains the node.
    fn chain(&self, node: usize) -> Vec<(Owner, Part)> {
        let mut part = Part::Node(node);
        let mut owner = self.nodes[node];
        let mut chain = vec![(owner, part)];
        while let Some(group) = owner {
            part = Part::Group(group);
            owner = self.groups[group];
            chain.push((owner, part));
        }
        chain
    }

    /// The innermost common owner of two nodes, and its members that contain them.
    fn meet(&self, one: usize, two: usize) -> (Owner, Part, Part) {
        let other: BTreeMap<Owner, Part> = self.chain(two).into_iter().collect();
        self.chain(one)
            .into_iter()
            .find_map(|(owner, part)| other.get(&owner).map(|found| (owner, part, *found)))
            .unwrap_or((None, Part::Node(one), Part::Node(two)))
    }
}
