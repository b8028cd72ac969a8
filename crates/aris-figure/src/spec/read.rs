//! Reads a figure from JSON. What cannot be drawn is [`Code::Invalid`]; what is drawn differently from the file is reported.

use std::collections::BTreeMap;

use super::fields::fields;
use super::object::{Object, at, read_name, text_of};
use super::{Anchor, Canvas, Dash, Direction, Edge, Group, Label, Layout, Node, Spec, Style};
use crate::colour::Colour;
use crate::geometry::{Point, Shape};
use crate::measures::{LAYER_GAP, NODE_GAP};
use crate::notes::Notes;
use crate::problem::Code;
use aris_yaml::{Kind, Node as Json};
use strum::VariantArray as _;

/// Most nodes, edges, groups and labels of a figure together.
const PARTS: usize = 50_000;

/// Default borders of nodes: one accent colour; everything else is grey. The original renderer cycles through ten colours without
/// a meaning.
const PALETTE: [Colour; 1] = [Colour::capital(0x25, 0x63, 0xEB)];

/// The default background.
const WHITE: Colour = Colour::capital(0xFF, 0xFF, 0xFF);

/// The default colour of node labels.
const INK: Colour = Colour::new(0x33, 0x33, 0x33);

/// The default colour of edges and free labels.
const GREY: Colour = Colour::new(0x55, 0x55, 0x55);

/// Arrows at the start and at the end, for the words end, start, both, none.
const ARROWS: [[bool; 2]; 4] = [[false, true], [true, false], [true, true], [false, false]];

/// Whether edges are orthogonal, for the words straight, orthogonal.
const IS_ORTHOGONAL: [bool; 2] = [false, true];

/// The default fill and border of groups.
const FRAME: (Colour, Colour) = (
    Colour::capital(0xF5, 0xF5, 0xF5),
    Colour::capital(0xE0, 0xE0, 0xE0),
);

/// Reads a figure; `None` if it cannot be drawn, as the notes then say.
pub(crate) fn read(text: &str, notes: &Notes) -> Option<Spec> {
    let root = match aris_yaml::read_repeating_json(text) {
        Ok(root) => root,
        Err(error) => {
            let place = ((error.line, error.column), String::new());
            let fix = "write JSON, as figure_renderer --example does";
            notes.push(Code::Invalid, place, error.message, fix);
            return None;
        }
    };
    let figure = Object::open(&root, String::new(), fields("figure"), notes)?;
    if figure
        .get("nodes")
        .or_else(|| figure.get("labels"))
        .is_none()
    {
        notes.push(
            Code::Invalid,
            (at(&root), String::new()),
            "this is not a figure: it has no \"nodes\"",
            "write \"nodes\": [{\"id\": \"a\", \"label\": \"A\"}]",
        );
    }
    let lists = ["nodes", "edges", "groups", "labels"].map(|name| figure.list(name));
    let parts: usize = lists.iter().map(|list| list.len()).sum();
    if parts > PARTS {
        notes.push(
            Code::Invalid,
            (at(&root), String::new()),
            format!("the figure has {parts} parts, {PARTS} are the limit"),
            "draw it as several figures",
        );
        return None;
    }
    let style = style(&figure);
    let [nodes, edges, groups, labels] = lists;
    let mut names = BTreeMap::new();
    let nodes = objects(&figure, nodes, "nodes")
        .filter_map(|object| node(&object, &style, &mut names))
        .collect();
    let groups: Vec<Group> = objects(&figure, groups, "groups")
        .map(|object| group(&object, &names))
        .collect();
    let ends = Ends::new(names, &groups);
    let layout = layout(&figure);
    let spec = Spec {
        title: figure.line("title"),
        place: figure.place.clone(),
        canvas: canvas(&figure),
        layout,
        nodes,
        edges: objects(&figure, edges, "edges")
            .filter_map(|object| edge(&object, &ends, layout.is_orthogonal))
            .collect(),
        groups,
        labels: objects(&figure, labels, "labels")
            .filter_map(|object| label(&object, &style))
            .collect(),
        style,
    };
    if spec.nodes.is_empty() && !notes.has(Code::Invalid) {
        let place = figure.place.field(&["nodes"]);
        notes.push(
            Code::NothingDrawn,
            place,
            "the figure has no nodes",
            "add some to \"nodes\", or leave the figure out",
        );
    }
    (!notes.has(Code::Invalid)).then_some(spec)
}

fn objects<'a>(
    figure: &Object<'a>,
    list: &'a [Json],
    name: &'a str,
) -> impl Iterator<Item = Object<'a>> {
    let numbered = list.iter().enumerate();
    numbered.filter_map(move |(index, json)| {
        Object::open(json, format!("/{name}/{index}"), fields(name), figure.notes)
    })
}

/// An object of the figure; an empty one if it is absent.
fn part<'a>(figure: &Object<'a>, name: &'static str) -> Object<'a> {
    let (given, notes) = (figure.get(name), figure.notes);
    let opened = given.and_then(|json| Object::open(json, format!("/{name}"), fields(name), notes));
    opened.unwrap_or_else(|| Object::empty(figure.place.clone(), fields(name), notes))
}

fn canvas(figure: &Object<'_>) -> Canvas {
    let object = part(figure, "canvas");
    Canvas {
        width: object.number("width", Code::Invalid),
        height: object.number("height", Code::Invalid),
        place: object.place,
    }
}

fn style(figure: &Object<'_>) -> Style {
    let object = part(figure, "style");
    let size = object.number("font_size", Code::Invalid);
    Style {
        font_family: object.line("font_family"),
        font_size: size.unwrap_or(14.0),
        background: object.colour("bg_color").unwrap_or(WHITE),
        palette: palette(&object),
        place: object.place,
    }
}

fn palette(object: &Object<'_>) -> Vec<Colour> {
    if object.get("palette").is_none() {
        return PALETTE.to_vec();
    }
    let read = |json: &Json| text_of(json).and_then(Colour::read);
    let (message, fix) = (
        "this is no colour",
        "write it as #RRGGBB, six hexadecimal digits",
    );
    let mut palette = object.each("palette", read, (Code::Invalid, message, fix));
    if palette.is_empty() && !object.notes.has(Code::Invalid) {
        object.report(
            Code::Invalid,
            "palette",
            "the palette is empty",
            "give it a colour, or leave it out for the default",
        );
    }
    if palette.is_empty() {
        palette.push(GREY);
    }
    palette
}

fn layout(figure: &Object<'_>) -> Layout {
    let object = part(figure, "layout");
    let gap = |name, usual| object.number(name, Code::BadValue).unwrap_or(usual);
    Layout {
        direction: object.word("direction", Direction::VARIANTS, Direction::LeftRight),
        node_gap: gap("node_gap", NODE_GAP),
        layer_gap: gap("layer_gap", LAYER_GAP),
        is_orthogonal: object.word("routing", &IS_ORTHOGONAL, false),
    }
}

fn node(object: &Object<'_>, style: &Style, names: &mut BTreeMap<String, usize>) -> Option<Node> {
    let Some(id) = object.name("id") else {
        object.report(
            Code::Invalid,
            "id",
            "the node has no id",
            "give it \"id\": a text that no other node has",
        );
        return None;
    };
    let index = names.len();
    if names.insert(id.clone(), index).is_some() {
        object.report(
            Code::Invalid,
            "id",
            format!("there is a node {id:?} already"),
            "give each node an id of its own",
        );
        return None;
    }
    let number = |name| object.number(name, Code::Invalid);
    let centre = match (number("x"), number("y")) {
        (Some(x), Some(y)) => Some(Point::new(x, y)),
        (None, None) => None,
        (x, _) => {
            let (there, other) = if x.is_some() { ("x", "y") } else { ("y", "x") };
            if object.get(other).is_none() {
                object.report(
                    Code::Invalid,
                    there,
                    format!("node {id:?} has {there} and no {other}"),
                    "give it both, or neither and let the layout place it",
                );
            }
            None
        }
    };
    let (width, height) = (number("width"), number("height"));
    let size = object.number("font_size", Code::BadValue);
    let label = object.lines("label");
    if label.is_none() {
        object.report(
            Code::NothingDrawn,
            "label",
            format!("node {id:?} has no label"),
            "give it one; \"\" when it is to be empty",
        );
    }
    Some(Node {
        label: label.unwrap_or_default(),
        sublabel: object.lines("sublabel").unwrap_or_default(),
        centre,
        width,
        height,
        shape: object.word("shape", Shape::VARIANTS, Shape::Rounded),
        fill: object.colour("fill"),
        stroke: object.colour("stroke"),
        text_colour: object.colour("text_color").unwrap_or(INK),
        font_size: size.unwrap_or(style.font_size),
        place: object.place.clone(),
        id,
    })
}

/// The nodes and groups at which edges may begin and end, by id.
struct Ends<'a> {
    nodes: BTreeMap<String, usize>,
    /// The first group of each id, and how many have it. A node with the same id has priority.
    frames: BTreeMap<&'a str, (usize, usize)>,
    groups: &'a [Group],
}

/// An end of an edge: a node, or a group.
#[derive(Clone, Copy)]
enum End {
    Node(usize),
    Frame(usize),
}

impl<'a> Ends<'a> {
    fn new(nodes: BTreeMap<String, usize>, groups: &'a [Group]) -> Self {
        let mut frames = BTreeMap::new();
        for (index, group) in groups.iter().enumerate() {
            if let Some(id) = &group.id {
                frames.entry(id.as_str()).or_insert((index, 0)).1 += 1;
            }
        }
        Self {
            nodes,
            frames,
            groups,
        }
    }

    fn read(&self, object: &Object<'_>, name: &'static str) -> Option<End> {
        let refuse = |message: String, fix: &'static str| {
            object.report(Code::Invalid, name, message, fix);
            None
        };
        let Some(id) = object.name(name) else {
            return refuse(
                format!("the edge has no {name:?}"),
                "give it the id of a node or group",
            );
        };
        let node = self.nodes.get(&id).copied().map(End::Node);
        let frame = self.frames.get(id.as_str()).copied();
        if frame.is_some_and(|(_, count)| count + usize::from(node.is_some()) > 1) {
            let message = format!(
                "several nodes or groups have the id {id:?}; the edge is drawn to one of them"
            );
            object.report(Code::BadValue, name, message, "give each an id of its own");
        }
        match node.or_else(|| frame.map(|(group, _)| End::Frame(group))) {
            None => refuse(
                format!("there is no node {id:?}, and no group"),
                "name a node of \"nodes\", or a group of \"groups\", by its id",
            ),
            Some(End::Frame(group)) if self.members(&End::Frame(group)).is_empty() => refuse(
                format!("group {id:?} has no nodes, so it has no frame"),
                "list its nodes in \"node_ids\", or name a node",
            ),
            found => found,
        }
    }

    fn members<'e>(&'e self, end: &'e End) -> &'e [usize] {
        match end {
            End::Node(node) => std::slice::from_ref(node),
            End::Frame(group) => &self.groups[*group].members,
        }
    }

    /// A member of `end` that is not a member of `other`.
    fn own(&self, end: End, other: End) -> Option<usize> {
        let others = self.members(&other);
        let is_own = |node: &&usize| others.binary_search(node).is_err();
        self.members(&end).iter().find(is_own).copied()
    }
}

fn edge(object: &Object<'_>, ends: &Ends<'_>, is_orthogonal: bool) -> Option<Edge> {
    let (from, to) = (ends.read(object, "from"), ends.read(object, "to"));
    let nodes = match (from?, to?) {
        (End::Node(from), End::Node(to)) => Some((from, to)),
        (from, to) => ends.own(from, to).zip(ends.own(to, from)),
    };
    if nodes.is_none() {
        object.report(
            Code::Invalid,
            "to",
            "one end of the edge is inside the other",
            "let it begin or end at a node, or at a separate group",
        );
    }
    let frame = |end| match end {
        Some(End::Frame(group)) => Some(group),
        _ => None,
    };
    let curve = object.get("curve").is_some_and(|json| match json.kind() {
        Some(Kind::Bool(curve)) => curve,
        other => {
            object.report(
                Code::BadValue,
                "curve",
                format!("curve must be true or false, this is {}", json.noun()),
                "write true or false",
            );
            other != Some(Kind::Integer(0))
        }
    });
    let (start, end) = nodes?;
    Some(Edge {
        from: start,
        to: end,
        frames: (frame(from), frame(to)),
        label: object.label("label"),
        dash: object.word("style", Dash::VARIANTS, Dash::Solid),
        arrows: object.word("arrow", &ARROWS, ARROWS[0]),
        colour: object.colour("color").unwrap_or(GREY),
        thickness: object.number("thickness", Code::BadValue).unwrap_or(2.0),
        curve,
        is_orthogonal: object.word("routing", &IS_ORTHOGONAL, is_orthogonal),
        points: object.points("points"),
        place: object.place.clone(),
    })
}

fn group(object: &Object<'_>, names: &BTreeMap<String, usize>) -> Group {
    let (message, fix) = (
        "there is no such node",
        "name a node of \"nodes\" by its id",
    );
    let read = |json: &Json| names.get(&read_name(json)?).copied();
    let mut members = object.each("node_ids", read, (Code::UnknownNode, message, fix));
    members.sort_unstable();
    members.dedup();
    if members.is_empty() {
        object.report(
            Code::NothingDrawn,
            "node_ids",
            "the group has no nodes and is not drawn",
            "list the ids of its nodes in \"node_ids\"",
        );
    }
    Group {
        id: object.name("id"),
        label: object.label("label"),
        members,
        fill: object.colour("fill").unwrap_or(FRAME.0),
        stroke: object.colour("stroke").unwrap_or(FRAME.1),
        padding: object.number("padding", Code::BadValue),
        place: object.place.clone(),
    }
}

fn label(object: &Object<'_>, style: &Style) -> Option<Label> {
    let Some(text) = object.label("text") else {
        object.report(
            Code::NothingDrawn,
            "text",
            "the label has no text",
            "give it \"text\", or remove it",
        );
        return None;
    };
    let number = |name| object.number(name, Code::BadValue);
    let at = Point::new(number("x").unwrap_or(0.0), number("y").unwrap_or(0.0));
    let size = number("font_size").unwrap_or(style.font_size);
    Some(Label {
        text,
        at,
        size,
        colour: object.colour("color").unwrap_or(GREY),
        anchor: object.word("anchor", Anchor::VARIANTS, Anchor::Middle),
        place: object.place.clone(),
    })
}
