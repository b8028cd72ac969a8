//! What a recipe is started with.

use serde_json::Value as Json;

use aris_yaml::{Node, Text};

/// One input of a recipe. All values are texts.
#[derive(Clone, Debug)]
pub struct Ingredient {
    /// What it was read from.
    pub node: Node,
    /// Its name.
    pub name: Text,
    /// What it is for, trimmed.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
    /// What it is when it is not given, trimmed. A default that is no text in the file has its text here.
    pub default: Option<String>,
    /// Whether it is not offered to the user.
    pub hidden: bool,
    /// Whether its value is secret: then it is given as the place where it is.
    pub secret: bool,
    /// The only values it may have; empty for any.
    pub values: Vec<String>,
}

impl Ingredient {
    pub(super) fn read(name: &Text, node: &Node) -> Self {
        let truth = |key| node.get(key).and_then(Node::truth).unwrap_or(false);
        let text = |key| {
            node.get(key)
                .and_then(Node::text)
                .map(|text| text.trim().to_owned())
        };
        Self {
            name: name.clone(),
            description: text("description").unwrap_or_default(),
            required: truth("required"),
            default: node.get("default").and_then(|value| match value.to_json() {
                Json::Bool(truth) => Some(truth.to_string()),
                Json::Null | Json::Array(_) | Json::Object(_) => None,
                Json::Number(_) | Json::String(_) => {
                    value.text().map(|text| text.trim().to_owned())
                }
            }),
            hidden: truth("hidden"),
            secret: truth("secret"),
            values: node
                .get("enum")
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .filter_map(Node::text)
                .map(str::to_owned)
                .collect(),
            node: node.clone(),
        }
    }
}
