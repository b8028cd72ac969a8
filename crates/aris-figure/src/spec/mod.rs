//! A figure as its file describes it. Parts refer to each other by indices, which are always valid.

mod fields;
mod object;
mod read;

use crate::colour::Colour;
use crate::geometry::{Point, Shape};
use crate::measures::{ARROW, ARROW_SHARE};
use crate::notes::Place;
use strum::VariantArray;

pub use fields::{field_table, json_schema};
pub(crate) use read::read;

#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) title: Option<String>,
    pub(crate) place: Place,
    pub(crate) canvas: Canvas,
    pub(crate) style: Style,
    pub(crate) layout: Layout,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) groups: Vec<Group>,
    pub(crate) labels: Vec<Label>,
}

#[derive(Debug, Default)]
pub(crate) struct Canvas {
    pub(crate) width: Option<f64>,
    pub(crate) height: Option<f64>,
    pub(crate) place: Place,
}

#[derive(Debug)]
pub(crate) struct Style {
    pub(crate) font_family: Option<String>,
    pub(crate) font_size: f64,
    pub(crate) background: Colour,
    /// Never empty.
    pub(crate) palette: Vec<Colour>,
    pub(crate) place: Place,
}

impl Style {
    /// Size of the labels of edges.
    pub(crate) fn edge_label(&self) -> f64 {
        (self.font_size - 3.0).max(1.0)
    }

    /// Size of the labels of groups.
    pub(crate) fn group_label(&self) -> f64 {
        (self.font_size - 2.0).max(1.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(crate) enum Direction {
    LeftRight,
    TopBottom,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) direction: Direction,
    pub(crate) node_gap: f64,
    pub(crate) layer_gap: f64,
    pub(crate) is_orthogonal: bool,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) label: Vec<String>,
    pub(crate) sublabel: Vec<String>,
    /// `None` for a node that is to be laid out.
    pub(crate) centre: Option<Point>,
    pub(crate) width: Option<f64>,
    pub(crate) height: Option<f64>,
    pub(crate) shape: Shape,
    pub(crate) fill: Option<Colour>,
    pub(crate) stroke: Option<Colour>,
    pub(crate) text_colour: Colour,
    pub(crate) font_size: f64,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub(crate) enum Dash {
    Solid,
    Dashed,
    Dotted,
}

#[derive(Debug)]
pub(crate) struct Edge {
    /// The node at which it begins. For a group, one of its nodes, which stands for it in the layout.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The groups at whose frames it begins and ends.
    pub(crate) frames: (Option<usize>, Option<usize>),
    pub(crate) label: Option<String>,
    pub(crate) dash: Dash,
    /// Whether an arrow stands at the start, and at the end.
    pub(crate) arrows: [bool; 2],
    pub(crate) colour: Colour,
    pub(crate) thickness: f64,
    pub(crate) curve: bool,
    /// Whether it is orthogonal unless a curve or points are given.
    pub(crate) is_orthogonal: bool,
    pub(crate) points: Vec<Point>,
    pub(crate) place: Place,
}

impl Edge {
    /// Whether it is a loop without corners.
    pub(crate) fn is_loop(&self, points: &[Point]) -> bool {
        self.from == self.to && points.is_empty()
    }

    /// The node, and the group if any, at which it begins.
    pub(crate) fn start(&self) -> (usize, Option<usize>) {
        (self.from, self.frames.0)
    }

    /// The node, and the group if any, at which it ends.
    pub(crate) fn end(&self) -> (usize, Option<usize>) {
        (self.to, self.frames.1)
    }

    /// The length of straight line that its arrows need at the start and at the end; 0 without an arrow.
    pub(crate) fn arrow_rooms(&self) -> [f64; 2] {
        let room = ARROW * self.thickness / ARROW_SHARE;
        self.arrows
            .map(|has_arrow| if has_arrow { room } else { 0.0 })
    }

    /// Whether it gets an orthogonal way.
    pub(crate) fn is_squared(&self) -> bool {
        self.is_orthogonal && !self.curve && self.from != self.to
    }
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) id: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) members: Vec<usize>,
    pub(crate) fill: Colour,
    pub(crate) stroke: Colour,
    pub(crate) padding: Option<f64>,
    pub(crate) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) text: String,
    pub(crate) at: Point,
    pub(crate) size: f64,
    pub(crate) colour: Colour,
    pub(crate) anchor: Anchor,
    pub(crate) place: Place,
}

/// The innermost group of each node, and of each group.
pub(crate) struct Owners {
    pub(crate) nodes: Vec<Option<usize>>,
    pub(crate) groups: Vec<Option<usize>>,
    /// All groups, inner ones first: an owner always has more members.
    pub(crate) order: Vec<usize>,
}

impl Spec {
    /// Whether the layout places both ends of an edge, so that the user cannot move them.
    pub(crate) fn is_laid_out(&self, edge: &Edge) -> bool {
        self.nodes[edge.from].centre.is_none() && self.nodes[edge.to].centre.is_none()
    }

    /// The owner of each group and node: the smallest group that has more members and contains all of its members.
    pub(crate) fn owners(&self) -> Owners {
        let count = |group: &usize| self.groups[*group].members.len();
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (group, given) in self.groups.iter().enumerate() {
            for member in &given.members {
                holders[*member].push(group);
            }
        }
        for holders in &mut holders {
            holders.sort_by_key(|group| (count(group), *group));
        }
        let owner = |given: &Group| {
            let holders = &holders[*given.members.first()?];
            let holds = |group: &&usize| {
                let many = &self.groups[**group].members;
                many.len() > given.members.len()
                    && given
                        .members
                        .iter()
                        .all(|one| many.binary_search(one).is_ok())
            };
            holders.iter().find(holds).copied()
        };
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|group| (count(group), *group));
        Owners {
            order,
            nodes: holders
                .iter()
                .map(|holders| holders.first().copied())
                .collect(),
            groups: self.groups.iter().map(owner).collect(),
        }
    }
}
