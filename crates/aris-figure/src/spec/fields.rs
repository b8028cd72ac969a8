//! The fields of a figure: one table for the reader, the documentation and the JSON schema.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Anchor, Dash, Direction};
use crate::geometry::Shape;

/// What a field may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A text or a number: names may be either.
    Name,
    Number,
    Positive,
    Colour,
    Colours,
    Names,
    Flag,
    OneOf(&'static [&'static str]),
    Points,
    Object(&'static [Field]),
    List(&'static [Field]),
}

/// One field.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// What it means and what holds when it is absent.
    pub(crate) about: &'static str,
}

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        name,
        kind,
        required: false,
        about,
    }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field {
        required: true,
        ..field(name, kind, about)
    }
}

/// The words of a field, each with what it means.
pub(crate) type Words<T, const N: usize> = [(&'static str, T); N];

/// Where arrows stand: at the start, and at the end.
pub(crate) const ARROWS: Words<(bool, bool), 4> = [
    ("end", (false, true)),
    ("start", (true, false)),
    ("both", (true, true)),
    ("none", (false, false)),
];
pub(crate) const STYLES: Words<Dash, 3> = [
    ("solid", Dash::Solid),
    ("dashed", Dash::Dashed),
    ("dotted", Dash::Dotted),
];
pub(crate) const ANCHORS: Words<Anchor, 3> = [
    ("start", Anchor::Start),
    ("middle", Anchor::Middle),
    ("end", Anchor::End),
];
/// Whether edges run in right angles.
pub(crate) const ROUTINGS: Words<bool, 2> = [("straight", false), ("orthogonal", true)];
pub(crate) const DIRECTIONS: Words<Direction, 2> =
    [("LR", Direction::LeftRight), ("TB", Direction::TopBottom)];

const fn names<T: Copy, const N: usize>(words: &Words<T, N>) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = words[at].0;
        at += 1;
    }
    names
}

pub(crate) const FIGURE: &[Field] = &[
    field(
        "title",
        Kind::Text,
        "name of the figure; not drawn, kept in SVG and PDF",
    ),
    field("canvas", Kind::Object(CANVAS), "the drawing area"),
    field(
        "style",
        Kind::Object(STYLE),
        "what holds for the whole figure",
    ),
    field(
        "layout",
        Kind::Object(LAYOUT),
        "how nodes without x and y are placed",
    ),
    field("nodes", Kind::List(NODE), "boxes"),
    field("edges", Kind::List(EDGE), "arrows between nodes and groups"),
    field("groups", Kind::List(GROUP), "frames behind nodes"),
    field("labels", Kind::List(LABEL), "free text"),
];

pub(crate) const CANVAS: &[Field] = &[
    field(
        "width",
        Kind::Positive,
        "default 800, or what a layout needs",
    ),
    field(
        "height",
        Kind::Positive,
        "default 400, or what a layout needs",
    ),
];

pub(crate) const STYLE: &[Field] = &[
    field(
        "font_family",
        Kind::Text,
        "families for viewers of the SVG; default Liberation Sans, Arial, Helvetica, which are equally wide",
    ),
    field(
        "font_size",
        Kind::Positive,
        "default 14; edge labels and sublabels are 3 smaller, group labels 2",
    ),
    field("bg_color", Kind::Colour, "background, default #FFFFFF"),
    field(
        "palette",
        Kind::Colours,
        "borders of nodes without stroke, in turn; default one blue, #2563EB, for all",
    ),
];

pub(crate) const LAYOUT: &[Field] = &[
    field(
        "direction",
        Kind::OneOf(&names(&DIRECTIONS)),
        "LR: from left to right (default); TB: from top to bottom",
    ),
    field(
        "node_gap",
        Kind::Positive,
        "room between neighbours in a layer, default 30",
    ),
    field(
        "layer_gap",
        Kind::Positive,
        "room between layers, default 50; more where a label needs it",
    ),
    field(
        "routing",
        Kind::OneOf(&names(&ROUTINGS)),
        "straight (default), or orthogonal: edges run in right angles, round nodes; also where the file places the nodes",
    ),
];

pub(crate) const NODE: &[Field] = &[
    required("id", Kind::Name, "name for edges and groups; each once"),
    field(
        "label",
        Kind::Name,
        "text, bold; \\n breaks the line, $…$ is a formula",
    ),
    field(
        "x",
        Kind::Number,
        "centre; a node without x and y is placed by the layout",
    ),
    field("y", Kind::Number, "centre"),
    field(
        "width",
        Kind::Positive,
        "default 120; what the text needs where the layout places the node",
    ),
    field(
        "height",
        Kind::Positive,
        "default 50; what the text needs where the layout places the node",
    ),
    field(
        "shape",
        Kind::OneOf(&names(&Shape::ALL)),
        "default rounded; a circle has the longer of width and height as diameter",
    ),
    field(
        "fill",
        Kind::Colour,
        "default: a light tone of the palette's colour",
    ),
    field("stroke", Kind::Colour, "border, default from the palette"),
    field("text_color", Kind::Colour, "default #333333"),
    field("font_size", Kind::Positive, "default: that of the style"),
    field("sublabel", Kind::Name, "smaller text below the label"),
];

pub(crate) const EDGE: &[Field] = &[
    required(
        "from",
        Kind::Name,
        "id of a node, or of a group: the edge begins at its frame",
    ),
    required(
        "to",
        Kind::Name,
        "id of a node or group; the same node as from draws a loop",
    ),
    field("label", Kind::Name, "text beside the middle"),
    field("style", Kind::OneOf(&names(&STYLES)), "default solid"),
    field(
        "arrow",
        Kind::OneOf(&names(&ARROWS)),
        "where arrows stand, default end",
    ),
    field("color", Kind::Colour, "default #555555"),
    field(
        "thickness",
        Kind::Positive,
        "default 2; the arrow is 8 times as long",
    ),
    field(
        "curve",
        Kind::Flag,
        "true bends the edge to the right of its direction",
    ),
    field(
        "routing",
        Kind::OneOf(&names(&ROUTINGS)),
        "straight or orthogonal, default: that of the layout; curve and points come before it",
    ),
    field("points", Kind::Points, "corners on the way, [[x, y], …]"),
];

pub(crate) const GROUP: &[Field] = &[
    field("id", Kind::Name, "name for edges"),
    field("label", Kind::Name, "text at the top left"),
    field("node_ids", Kind::Names, "nodes in the frame"),
    field("fill", Kind::Colour, "default #F5F5F5"),
    field("stroke", Kind::Colour, "default #E0E0E0"),
    field(
        "padding",
        Kind::Number,
        "room around the nodes, default 20, or what the label needs",
    ),
];

pub(crate) const LABEL: &[Field] = &[
    field("text", Kind::Name, "one line"),
    field("x", Kind::Number, "where the anchor is, default 0"),
    field("y", Kind::Number, "baseline, default 0"),
    field("font_size", Kind::Positive, "default: that of the style"),
    field("color", Kind::Colour, "default #555555"),
    field(
        "anchor",
        Kind::OneOf(&names(&ANCHORS)),
        "which part of the text is at x, default middle",
    ),
];

impl Kind {
    fn words(self) -> String {
        match self {
            Self::Text => String::from("text"),
            Self::Name => String::from("text or number"),
            Self::Number => String::from("number"),
            Self::Positive => String::from("number > 0"),
            Self::Colour => String::from("#RRGGBB"),
            Self::Colours => String::from("list of #RRGGBB"),
            Self::Names => String::from("list of ids"),
            Self::Flag => String::from("true or false"),
            Self::OneOf(words) => words.join(" | "),
            Self::Points => String::from("list of points"),
            Self::Object(_) => String::from("object"),
            Self::List(_) => String::from("list"),
        }
    }

    fn schema(self) -> Value {
        const COLOUR: &str = "^#[0-9a-fA-F]{6}$";
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Name => json!({"type": ["string", "number"]}),
            Self::Number => json!({"type": "number"}),
            Self::Positive => json!({"type": "number", "exclusiveMinimum": 0}),
            Self::Colour => json!({"type": "string", "pattern": COLOUR}),
            Self::Colours => {
                json!({"type": "array", "minItems": 1, "items": {"type": "string", "pattern": COLOUR}})
            }
            Self::Names => json!({"type": "array", "items": {"type": ["string", "number"]}}),
            Self::Flag => json!({"type": "boolean"}),
            Self::OneOf(words) => json!({"enum": words}),
            Self::Points => json!({
                "type": "array",
                "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
            }),
            Self::Object(fields) => object(fields),
            Self::List(fields) => json!({"type": "array", "items": object(fields)}),
        }
    }
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = field.kind.schema();
            if let Value::Object(members) = &mut schema {
                members.insert(String::from("description"), Value::from(field.about));
            }
            (String::from(field.name), schema)
        })
        .collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    let mut schema =
        json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::from(required);
    }
    schema
}

/// The JSON schema of a figure. A file it accepts may still have problems: ids that are not there, text without room.
pub fn json_schema() -> Value {
    let mut schema = object(FIGURE);
    schema["$schema"] = Value::from("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = Value::from("FigureSpec");
    schema
}

/// The fields of a figure as a text for people.
pub fn field_table() -> String {
    let mut out = String::new();
    table(&mut out, "figure", FIGURE);
    for field in FIGURE {
        match field.kind {
            Kind::Object(fields) => table(&mut out, field.name, fields),
            Kind::List(fields) => table(&mut out, &format!("{}[]", field.name), fields),
            _ => {}
        }
    }
    out
}

fn table(out: &mut String, name: &str, fields: &[Field]) {
    let space = if out.is_empty() { "" } else { "\n" };
    // Writing to a String does not fail.
    let _ = writeln!(out, "{space}{name}");
    for field in fields {
        let required = if field.required { "required; " } else { "" };
        let _ = writeln!(
            out,
            "  {:<12} {:<44} {required}{}",
            field.name,
            field.kind.words(),
            field.about
        );
    }
}
