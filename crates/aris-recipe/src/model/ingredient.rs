//! The inputs that a recipe is started with.

use std::collections::BTreeMap;

use aris_yaml::{Kind as Scalar, Node, Text};
use indexmap::IndexMap;

use super::keys::{demand, keys, kinds};
use super::kinds::{Anything, Truth, Word, Words};

keys! {
    /// An input. All values are texts.
    pub(super) Declared, schema IngredientFile refined by demand(""), keys of others &[];
    /// What it is for.
    description: Word => Option<Text>,
    /// Whether it must be given.
    required: Truth => bool,
    /// What it is when it is not given: a text, so put numbers and truth values in quotes.
    default: Anything => Option<Node>,
    /// Whether it is not offered to the user.
    hidden: Truth => bool,
    /// Whether its value is secret: then it is given as `env:VARIABLE` or `file:PATH`.
    secret: Truth => bool,
    /// The only values it may have.
    r#enum: Words => Vec<Text>,
}

/// One input of a recipe. All values are texts.
#[derive(Clone, Debug)]
pub struct Ingredient {
    /// Its name.
    pub name: Text,
    /// What it is for, trimmed.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
    /// Its value when it is not given, trimmed. A default that is not a text in the file has its text here.
    pub default: Option<String>,
    /// The default as it is written in the file.
    pub written: Option<Node>,
    /// Whether it is not offered to the user.
    pub hidden: bool,
    /// Whether its value is secret: then the given value names the place of the secret.
    pub secret: bool,
    /// The only values it may have; empty for any.
    pub values: Vec<String>,
}

kinds! {
    /// All inputs, by name.
    Inputs: Vec<Ingredient>, ("Ingredients", |generator| <BTreeMap<String, IngredientFile>>::json_schema(generator)),
    |node, reader| {
        if !node.is_map() {
            reader.expect(node, "a mapping from names to inputs");
        }
        // Of two inputs with one name the later one counts, in the place of the earlier.
        let mut all: IndexMap<&str, Ingredient> = IndexMap::new();
        for (name, value) in node.entries() {
            let mut below = reader.below(&name.text);
            if !(value.is_map() || value.is_null()) {
                below.expect(value, "a mapping");
            }
            let input = Ingredient::of(name, Declared::read_keys(value, &mut below));
            all.insert(name, input);
        }
        all.into_values().collect()
    };
}

/// Whether the value of a secret input names a place: `env:VARIABLE` or `file:PATH`.
pub fn is_place(value: &str) -> bool {
    let place = value.strip_prefix("env:");
    let place = place.or_else(|| value.strip_prefix("file:"));
    place.is_some_and(|place| !place.trim().is_empty())
}

impl Ingredient {
    fn of(name: &Text, declared: Declared) -> Self {
        let trimmed = |text: &str| text.trim().to_owned();
        let default = declared.default.as_ref();
        let default = default.and_then(|value| match value.kind()? {
            Scalar::Bool(truth) => Some(truth.to_string()),
            _ => value.text().map(trimmed),
        });
        let description = declared.description.as_deref();
        let values = declared.r#enum.into_iter();
        Self {
            name: name.clone(),
            description: trimmed(description.unwrap_or_default()),
            required: declared.required,
            default,
            written: declared.default,
            hidden: declared.hidden,
            secret: declared.secret,
            values: values.map(|value| value.text).collect(),
        }
    }
}
