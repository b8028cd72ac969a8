//! What the keys of a recipe's file may hold.

use aris_yaml::{Node, Text};

use super::keys::{Kind, Reader, as_text};
use crate::expression::Namespace;
use crate::template::Template;

/// One capture: a variable and what is put there.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The context variable.
    pub variable: Text,
    /// Where it stands in its step: `capture.VARIABLE` or `capture_list.VARIABLE`.
    pub field: String,
    /// The template over `result.*`; null when it is no scalar.
    pub value: Node,
    /// The template, parsed.
    pub template: Template,
}

/// A scalar that is read as a text.
#[derive(Debug)]
pub(crate) struct Word;
/// The name of a step, or `done`; in `on_exhausted` also `escalate`.
#[derive(Debug)]
pub(crate) struct Route;
/// A module and a callable in it, joined by a dot.
#[derive(Debug)]
pub(crate) struct Dotted;
/// A list of texts.
#[derive(Debug)]
pub(crate) struct Words;
/// `true` or `false`; `yes`, `no`, `on` and `off` mean the same.
#[derive(Debug)]
pub(crate) struct Truth;
/// A whole number of at least `LEAST`.
#[derive(Debug)]
pub(crate) struct Whole<const LEAST: u32>;
/// Any value.
#[derive(Debug)]
pub(crate) struct Anything;
/// A mapping from names to values of any kind; texts are templates.
#[derive(Debug)]
pub(crate) struct Arguments;
/// A mapping from context variables to templates over `result.*`.
#[derive(Debug)]
pub(crate) struct Captures;
/// `true`, or files and folders whose bytes count.
#[derive(Debug)]
pub(crate) struct Cache;

/// A mapping from names to the values that they have in turn: a list, or a template for one.
#[derive(Debug)]
pub(crate) struct Lenses;

impl Capture {
    /// Whether it reads a field of the result.
    pub fn reads(&self, field: &str) -> bool {
        let mut references = self.template.references();
        references.any(|reference| reference.is(Namespace::Result, field))
    }
}

impl Kind for Lenses {
    type Value = Vec<(Text, Node)>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
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
    }
}

/// A scalar as text, told where it is none or does not fit.
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

impl Kind for Word {
    type Value = Option<Text>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        scalar(node, reader, "a text", |_| true)
    }
}

impl Kind for Route {
    type Value = Option<Text>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        let is_name = |text: &str| !text.trim().is_empty();
        scalar(node, reader, "the name of a step", is_name)
    }
}

impl Kind for Dotted {
    type Value = Option<Text>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        let is_dotted = |text: &str| text.contains('.');
        scalar(node, reader, "a callable as module.function", is_dotted)
    }
}

impl Kind for Words {
    type Value = Vec<Text>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        if !node.is_list() {
            reader.expect(node, "a list of texts");
        }
        for item in node.items().iter().filter(|item| item.text().is_none()) {
            let message = format!("an item is {}; it must be a text", item.noun());
            reader.refuse(item, message);
        }
        node.items().iter().filter_map(as_text).collect()
    }
}

impl Kind for Truth {
    type Value = bool;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        let truth = node.truth();
        if truth.is_none() {
            reader.expect(node, "true or false");
        }
        truth.unwrap_or(false)
    }
}

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

impl Kind for Anything {
    type Value = Option<Node>;

    fn read(node: &Node, _: &mut Reader<'_>) -> Self::Value {
        Some(node.clone())
    }
}

impl Kind for Arguments {
    type Value = Vec<(Text, Node)>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        if !node.is_map() {
            reader.expect(node, "a mapping from names to values");
        }
        node.entries().to_vec()
    }
}

impl Kind for Captures {
    type Value = Vec<Capture>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
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
    }
}

impl Kind for Cache {
    type Value = Option<Vec<String>>;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value {
        if node.is_list() {
            let files = Words::read(node, reader);
            return Some(files.into_iter().map(|file| file.text).collect());
        }
        if node.truth().is_none() {
            reader.expect(node, "true, or a list of files");
        }
        node.truth().filter(|wanted| *wanted).map(|_| Vec::new())
    }
}
