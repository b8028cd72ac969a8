//! The fields of a figure: one table for the reader, the documentation and the JSON Schema.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

/// The parts of a figure and their fields: name, kind of value, and meaning with the default. A field that takes one of several
/// words lists them here and nowhere else.
const TABLE: &str = "\
figure
title         text                       name of the figure; not drawn, kept in SVG and PDF
canvas        object                     the drawing area
style         object                     settings for the whole figure
layout        object                     how nodes without x and y are placed
nodes         list                       boxes
edges         list                       arrows between nodes and groups
groups        list                       frames behind nodes
labels        list                       free text

canvas
width         number > 0                 default 800, or what a layout needs
height        number > 0                 default 400, or what a layout needs

style
font_family   text                       families for viewers of the SVG; default Liberation Sans, Arial, Helvetica, which are equally wide
font_size     number > 0                 default 14; edge labels and sublabels are 3 smaller, group labels 2
bg_color      #RRGGBB                    background, default #FFFFFF
palette       list of #RRGGBB            borders of nodes without stroke, in turn; default one blue, #2563EB, for all

layout
direction     LR | TB                    LR: from left to right (default); TB: from top to bottom
node_gap      number > 0                 room between neighbours in a layer, default 30
layer_gap     number > 0                 room between layers, default 50; more where a label needs it
routing       straight | orthogonal      straight (default), or orthogonal: edges turn at right angles and go around nodes; also holds for nodes with x and y

nodes
id            text or number             required; name for edges and groups; each once
label         text or number             text, bold; \\n breaks the line, $…$ is a formula
x             number                     centre; a node without x and y is placed by the layout
y             number                     centre
width         number > 0                 default 120, or what the text needs if the layout places the node
height        number > 0                 default 50, or what the text needs if the layout places the node
shape         rect | rounded | circle | ellipse | diamond | cylinder | queue | document | person  default rounded; a circle has the longer of width and height as diameter
fill          #RRGGBB                    default: a light tone of the palette's colour
stroke        #RRGGBB                    border, default from the palette
text_color    #RRGGBB                    default #333333
font_size     number > 0                 default: that of the style
sublabel      text or number             smaller text below the label

edges
from          text or number             required; id of a node, or of a group: the edge begins at its frame
to            text or number             required; id of a node or group; the same node as from draws a loop
label         text or number             text beside the middle
style         solid | dashed | dotted    default solid
arrow         end | start | both | none  where arrows stand, default end
color         #RRGGBB                    default #555555
thickness     number > 0                 default 2; the arrow is 8 times as long
curve         true or false              true bends the edge to the right of its direction
routing       straight | orthogonal      straight or orthogonal, default: that of the layout; ignored where curve or points is given
points        list of points             corners on the way, [[x, y], …]

groups
id            text or number             name for edges
label         text or number             text at the top left
node_ids      list of ids                nodes in the frame
fill          #RRGGBB                    default #F5F5F5
stroke        #RRGGBB                    default #E0E0E0
padding       number                     room around the nodes, default 20, or what the label needs

labels
text          text or number             one line
x             number                     where the anchor is, default 0
y             number                     baseline, default 0
font_size     number > 0                 default: that of the style
color         #RRGGBB                    default #555555
anchor        start | middle | end       which part of the text is at x, default middle";

/// One field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The kind of value, as it is documented.
    kind: &'static str,
    required: bool,
    about: &'static str,
}

static PARTS: LazyLock<BTreeMap<&str, Vec<Field>>> = LazyLock::new(|| {
    let parts = TABLE.split("\n\n").filter_map(|part| {
        let (name, lines) = part.split_once('\n')?;
        Some((name, lines.lines().filter_map(Field::read).collect()))
    });
    parts.collect()
});

/// The fields of a part, by the name of the field that holds it; `figure` for the figure itself.
pub(crate) fn fields(part: &str) -> &'static [Field] {
    PARTS.get(part).map_or(&[], Vec::as_slice)
}

impl Field {
    /// Reads a line of the table. Columns are separated by at least two spaces.
    fn read(line: &'static str) -> Option<Self> {
        let (name, rest) = line.split_once("  ")?;
        let (kind, about) = rest.trim_start().split_once("  ")?;
        let about = about.trim_start();
        let required = about.strip_prefix(REQUIRED);
        Some(Self {
            name,
            kind,
            required: required.is_some(),
            about: required.unwrap_or(about),
        })
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.kind == "number > 0"
    }

    /// The fields of the object that it holds; empty if it does not hold one.
    pub(crate) fn inner(&self) -> &'static [Self] {
        match self.kind {
            "object" => fields(self.name),
            _ => &[],
        }
    }

    /// The words of which it takes one.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.kind.split(" | ")
    }

    fn schema(&self) -> Value {
        let colour = json!({"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"});
        let number = json!({"type": "number"});
        let list = |items: Value| json!({"type": "array", "items": items});
        match self.kind {
            "text" => json!({"type": "string"}),
            "text or number" => json!({"type": ["string", "number"]}),
            "number" => number,
            "number > 0" => json!({"type": "number", "exclusiveMinimum": 0}),
            "#RRGGBB" => colour,
            "list of #RRGGBB" => json!({"type": "array", "minItems": 1, "items": colour}),
            "list of ids" => list(json!({"type": ["string", "number"]})),
            "true or false" => json!({"type": "boolean"}),
            "list of points" => {
                let two = json!({"type": "array", "items": number, "minItems": 2, "maxItems": 2});
                list(two)
            }
            "object" => object(self.name),
            "list" => list(object(self.name)),
            _ => json!({"enum": self.words().collect::<Vec<_>>()}),
        }
    }
}

const REQUIRED: &str = "required; ";

fn object(part: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields(part) {
        let mut schema = field.schema();
        schema["description"] = Value::from(field.about);
        properties.insert(String::from(field.name), schema);
        required.extend(field.required.then_some(field.name));
    }
    let mut schema =
        json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        schema["required"] = Value::from(required);
    }
    schema
}

/// The JSON Schema of a figure. A file that it accepts may still have problems: unknown ids, text without room.
pub fn json_schema() -> Value {
    let mut schema = object("figure");
    schema["$schema"] = Value::from("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = Value::from("FigureSpec");
    schema
}

/// The fields of a figure as text for people.
pub fn field_table() -> String {
    let mut out = String::from("figure\n");
    table(&mut out, "figure");
    for field in fields("figure") {
        let ending = match field.kind {
            "object" => "",
            "list" => "[]",
            _ => continue,
        };
        // Writing to a String does not fail.
        let _ = writeln!(out, "\n{}{ending}", field.name);
        table(&mut out, field.name);
    }
    out
}

fn table(out: &mut String, part: &str) {
    for Field {
        name,
        kind,
        required,
        about,
    } in fields(part)
    {
        let required = if *required { REQUIRED } else { "" };
        let _ = writeln!(out, "  {name:<12} {kind:<44} {required}{about}");
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::super::{Anchor, Dash, Direction};
    use super::*;
    use crate::geometry::Shape;

    #[test]
    fn a_field_holds_what_is_known_or_one_of_some_words() {
        for field in PARTS.values().flatten() {
            let is_word = field.schema()["enum"].is_array();
            assert_eq!(is_word, field.words().count() > 1, "{field:?}");
        }
        for (part, name, count) in [
            ("layout", "direction", Direction::VARIANTS.len()),
            ("nodes", "shape", Shape::VARIANTS.len()),
            ("edges", "style", Dash::VARIANTS.len()),
            ("labels", "anchor", Anchor::VARIANTS.len()),
        ] {
            let mut fields = fields(part).iter();
            let field = fields.find(|field| field.name == name).expect(name);
            assert_eq!(field.words().count(), count, "{name}");
        }
    }
}
