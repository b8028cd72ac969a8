//! How the keys of a recipe's file are declared: one declaration gives the reader, the list of known keys and the JSON Schema.

use std::collections::BTreeSet;
use std::fmt::Display;

use aris_yaml::{Node, Text, Value};

use crate::finding::Finding;
use crate::near::nearest;
use crate::rules::Id;

/// A fault in the shape of a file, with the rule that reports it.
pub(crate) type Fault = (Id, Finding);

/// Collects faults while a tree is read.
pub(crate) struct Reader<'f> {
    faults: &'f mut Vec<Fault>,
    /// Keys from the top of the file down to this place.
    path: Vec<String>,
}

impl<'f> Reader<'f> {
    pub(crate) fn new(faults: &'f mut Vec<Fault>) -> Self {
        Self {
            faults,
            path: Vec::new(),
        }
    }

    /// The reader of the value under a key.
    pub(crate) fn below(&mut self, key: impl Display) -> Reader<'_> {
        let mut path = self.path.clone();
        path.push(key.to_string());
        Reader {
            faults: self.faults,
            path,
        }
    }

    /// The last two keys, joined by a dot, as in `capture.VARIABLE`.
    pub(crate) fn field(&self) -> String {
        let last = self.path.len().saturating_sub(2);
        self.path.get(last..).unwrap_or_default().join(".")
    }

    pub(crate) fn tell(&mut self, rule: Id, (line, column): (u32, u32), message: String) {
        let mut finding = Finding::about_file(rule.name(), rule.rule().severity, message).at(line);
        finding.column = (column > 0).then_some(column);
        let field = match self.path.as_slice() {
            [top, step, field @ ..] if top == "steps" => {
                finding.step.clone_from(step);
                field
            }
            path => path,
        };
        let field = field.join(".").replace(".[", "[");
        finding.field = (!field.is_empty()).then_some(field);
        self.faults.push((rule, finding));
    }

    /// Notes a value that is not what it must be.
    pub(crate) fn refuse(&mut self, node: &Node, message: impl Into<String>) {
        self.tell(Id::Schema, (node.line, node.column), message.into());
    }

    /// Notes a value of the wrong type; `what` is the right one.
    pub(crate) fn expect(&mut self, node: &Node, what: &str) {
        let key = self.path.last().map_or("the value", String::as_str);
        let found = match node.text() {
            Some(text) => format!("`{text}`"),
            None => node.noun().to_owned(),
        };
        let message = format!("{key} is {found}; it must be {what}");
        self.refuse(node, message);
    }

    /// Reads the value under a key; null counts as absent.
    pub(crate) fn key<K: Kind>(&mut self, node: &Node, key: &str) -> K::Value {
        match node.get(key).filter(|value| !value.is_null()) {
            Some(value) => K::read(value, &mut self.below(key)),
            None => K::Value::default(),
        }
    }

    /// Notes keys that nothing reads. `elsewhere` are keys of other languages, with what to write here instead.
    pub(crate) fn unknown(&mut self, node: &Node, known: &[&str], elsewhere: &[(&[&str], &str)]) {
        for (key, _) in node.entries() {
            if known.contains(&key.text.as_str()) {
                continue;
            }
            let mut elsewhere = elsewhere.iter();
            let hint = match elsewhere.find(|(keys, _)| keys.contains(&key.text.as_str())) {
                Some((_, hint)) => format!("; {hint}"),
                None => nearest(&key.text, known.iter().copied()),
            };
            let message = format!("nothing reads the key `{}`{hint}", key.text);
            self.below(&key.text)
                .tell(Id::UnknownKey, (key.line, key.column), message);
        }
    }

    /// Notes keys that are given twice in one mapping, anywhere below a node. The reader of YAML limits how deep this recursion goes.
    pub(crate) fn twice(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar { .. } => {}
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.below(format!("[{at}]")).twice(item);
                }
            }
            Value::Map(entries) => {
                let mut seen = BTreeSet::new();
                for (key, value) in entries {
                    let mut below = self.below(&key.text);
                    below.twice(value);
                    if !seen.insert(&key.text) {
                        let key_text = &key.text;
                        let message = format!(
                            "the key `{key_text}` is given twice; only the last one counts"
                        );
                        below.tell(Id::DuplicateKey, (key.line, key.column), message);
                    }
                }
            }
        }
    }
}

/// What a key may hold, and how it is read.
pub(crate) trait Kind {
    /// The type that it is read as; its default is the value of an absent key.
    type Value: Default;

    fn read(node: &Node, reader: &mut Reader<'_>) -> Self::Value;
}

/// Declares the keys of a mapping, each with what it may hold and what it is read as. Editors show the documentation.
///
/// Makes the struct that a mapping is read into, `read_keys`, which reads all of it, and a type for the JSON Schema of the mapping.
macro_rules! keys {
    (
        $(#[$doc:meta])* $vis:vis $name:ident, schema $file_vis:vis $file:ident refined by $refine:expr, keys of others $elsewhere:expr;
        $($(#[$key_doc:meta])* $key:ident: $kind:ty => $value:ty,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        $vis struct $name {
            $($(#[$key_doc])* $vis $key: $value,)*
        }

        impl $name {
            pub(crate) fn read_keys(
                node: &aris_yaml::Node,
                reader: &mut $crate::model::keys::Reader<'_>,
            ) -> Self {
                const KNOWN: &[&str] = &[$($crate::model::keys::plain(stringify!($key))),*];
                reader.unknown(node, KNOWN, $elsewhere);
                Self {
                    $($key: reader.key::<$kind>(node, $crate::model::keys::plain(stringify!($key))),)*
                }
            }
        }

        $(#[$doc])*
        #[derive(Debug, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields, transform = $refine)]
        #[expect(dead_code, reason = "only its schema is wanted")]
        $file_vis struct $file {
            $($(#[$key_doc])* $key: $kind,)*
        }
    };
}

pub(crate) use keys;

/// Declares kinds of keys: what each is read as, its JSON Schema, and how it is read. The schema is written out, or made of other types
/// under a title.
macro_rules! kinds {
    (@schema $name:ident ($title:literal, |$generator:ident| $made:expr)) => {
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn json_schema($generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $made
            }
        }
    };
    (@schema $name:ident $schema:tt) => {
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
    ($($(#[$doc:meta])* $name:ident: $value:ty, $schema:tt, |$node:ident, $reader:ident| $read:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl $crate::model::keys::Kind for $name {
            type Value = $value;

            fn read($node: &aris_yaml::Node, $reader: &mut $crate::model::keys::Reader<'_>) -> $value {
                $read
            }
        }

        $crate::model::keys::kinds!(@schema $name $schema);
    )*};
}

pub(crate) use kinds;

/// Sets the required keys of a mapping's schema, with blanks between their names: for the reader all declared keys are optional.
pub(crate) fn demand(required: &str) -> impl FnMut(&mut schemars::Schema) {
    let required: Vec<&str> = required.split_whitespace().collect();
    move |schema| {
        schema.remove("required");
        if !required.is_empty() {
            schema.insert(String::from("required"), serde_json::json!(required));
        }
    }
}

/// A text with its place.
pub(crate) fn as_text(node: &Node) -> Option<Text> {
    node.text().map(|text| Text {
        text: text.to_owned(),
        line: node.line,
        column: node.column,
    })
}

/// The name of a key without `r#`, which Rust demands for its own words.
pub(crate) const fn plain(name: &'static str) -> &'static str {
    match name.as_bytes() {
        b"r#enum" => "enum",
        _ => name,
    }
}
