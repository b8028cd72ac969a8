//! What the keys of a recipe's file may hold: how each is read, and its JSON Schema.

use std::borrow::Cow;

use aris_yaml::{Node, Text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::keys::{Kind, Reader, as_text, kinds};
use crate::expression::Namespace;
use crate::template::Template;

/// One capture: a variable, and the template of its value.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The context variable.
    pub variable: Text,
    /// Its key in the step: `capture.VARIABLE` or `capture_list.VARIABLE`.
    pub field: String,
    /// The value as written in the file; it may be no scalar, which is noted as a fault.
    pub value: Node,
    /// The template over `result.*`, parsed.
    pub template: Template,
}

kinds! {
    /// A scalar that is read as a text.
    Word: Option<Text>, {"type": ["string", "number", "boolean"]},
    |node, reader| scalar(node, reader, "a text", |_| true);

    /// The name of a step, or `done`; in `on_exhausted` also `escalate`.
    Route: Option<Text>, {"type": "string", "pattern": "\\S"},
    |node, reader| scalar(node, reader, "the name of a step", |text| !text.trim().is_empty());

    /// A module and a callable in it, joined by a dot.
    Dotted: Option<Text>, {"type": "string", "pattern": "\\."},
    |node, reader| scalar(node, reader, "a callable as module.function", |text| text.contains('.'));

    /// A list of texts.
    Words: Vec<Text>, {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
    |node, reader| {
        if !node.is_list() {
            reader.expect(node, "a list of texts");
        }
        for item in node.items().iter().filter(|item| item.text().is_none()) {
            let message = format!("an item is {}; it must be a text", item.noun());
            reader.refuse(item, message);
        }
        node.items().iter().filter_map(as_text).collect()
    };

    /// `true` or `false`; `yes`, `no`, `on` and `off` mean the same.
    Truth: bool, {"enum": [true, false, "yes", "no", "on", "off"]},
    |node, reader| {
        let truth = node.truth();
        if truth.is_none() {
            reader.expect(node, "true or false");
        }
        truth.unwrap_or(false)
    };

    /// Any value.
    Anything: Option<Node>, {},
    |node, _reader| Some(node.clone());

    /// A mapping from names to values of any kind; texts are templates.
    Arguments: Vec<(Text, Node)>, {"type": "object"},
    |node, reader| {
        if !node.is_map() {
            reader.expect(node, "a mapping from names to values");
        }
        node.entries().to_vec()
    };

    /// A mapping from context variables to templates over `result.*`.
    Captures: Vec<Capture>, {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
    |node, reader| {
        if !node.is_map() {
            reader.expect(node, "a mapping from variables to templates");
        }
        let captures = node.entries().iter().map(|(variable, value)| {
            let mut below = reader.below(&variable.text);
            if value.text().is_none() {
                below.expect(value, "a text");
            }
            Capture {
                field: below.field(),
                variable: variable.clone(),
                template: Template::parse(value.text().unwrap_or_default()),
                value: value.clone(),
            }
        });
        captures.collect()
    };

    /// `true`, or files and folders whose bytes count.
    Cache: Option<Vec<String>>, {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"type": "string"}}]},
    |node, reader| {
        if node.is_list() {
            let files = Words::read(node, reader);
            return Some(files.into_iter().map(|file| file.text).collect());
        }
        if node.truth().is_none() {
            reader.expect(node, "true, or a list of files");
        }
        node.truth().filter(|wanted| *wanted).map(|_| Vec::new())
    };

    /// A mapping from names to the values that they have in turn: a list, or a template for one.
    Lenses: Vec<(Text, Node)>, {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": ["string", "number", "boolean"]}}]}
    },
    |node, reader| {
        if node.entries().is_empty() {
            reader.expect(node, "a mapping from names to lists, and not empty");
        }
        for (name, value) in node.entries() {
            let mut below = reader.below(&name.text);
            if value.is_list() {
                Words::read(value, &mut below);
            } else if value.text().is_none() {
                below.expect(value, "a list, or a template for one");
            }
        }
        node.entries().to_vec()
    };
}

/// A whole number of at least `LEAST`.
#[derive(Debug)]
pub(crate) struct Whole<const LEAST: u32>;

impl<const LEAST: u32> Kind for Whole<LEAST> {
    type Value = Option<u32>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        let number = node.integer().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| *number >= LEAST);
        if number.is_none() {
            reader.expect(node, &format!("a whole number from {LEAST}"));
        }
        number
    }
}

impl<const LEAST: u32> JsonSchema for Whole<LEAST> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{LEAST}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": LEAST, "maximum": u32::MAX})
    }
}

impl Capture {
    /// Whether it reads this field of the result.
    pub fn reads(&self, field: &str) -> bool {
        let mut references = self.template.references();
        references.any(|reference| reference.is(Namespace::Result, field))
    }
}

/// Reads a scalar as text; notes a fault where it is none or does not fit.
fn scalar(
    node: &Node,
    reader: &mut Reader<'_>,
    what: &str,
    fits: impl Fn(&str) -> bool,
) -> Option<Text> {
    let text = as_text(node);
    if !text.as_deref().is_some_and(fits) {
        reader.expect(node, what);
    }
    text
}
