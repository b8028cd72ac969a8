//! Deserializes Rust types from a tree with serde, with the place of each mistake.
//!
//! serde stops at the first mistake. After each mistake, reading is therefore repeated without the wrong part, until nothing is
//! wrong, so that one run reports all mistakes. A text is taken as written, whatever it means in YAML; null is an empty list or
//! mapping.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Display;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Expected,
    IntoDeserializer as _, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::problem::{Problem, Problems, problem, unknown_key};
use crate::{Kind, Node, Text, Value, read as tree};

/// Prefix of keys that belong to the user.
const OWN: &str = "x_";
/// Most edit steps by which an unknown key still counts as a misspelling of a known one, with [`Keys::Open`].
const SLIPS: usize = 2;
/// Most keys of one map. Beyond that, a list of them helps nobody.
const MOST_KEYS: usize = 64;
/// Most mistakes in one map; after that, reading stops.
const MOST_MISTAKES: usize = 40;
/// The serde name that marks [`Many`].
const MANY: &str = "$many";
/// The serde name that marks [`Written`].
const WRITTEN: &str = "$written";

/// Which keys a mapping may have beyond those of its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// None, except the user's own with the prefix `x_`.
    #[default]
    Known,
    /// Any, except misspellings of the type's keys: other programs read the file too. Here `yes`, `on` and similar words in
    /// quotes are truth values too.
    Open,
}

/// A text; null becomes its text as written.
#[derive(Debug, serde::Deserialize)]
#[serde(rename = "$written")]
pub struct Written(pub String);

/// One value, or a list of values.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(rename = "$many")]
pub struct Many<T>(pub Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: JsonSchema> JsonSchema for Many<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Many_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({"anyOf": [one, {"type": "array", "items": one}]})
    }
}

/// Deserializes a document. **Errors**: invalid YAML, or everything that the type does not accept, in file order.
pub fn typed<T: DeserializeOwned>(text: &str, keys: Keys) -> Result<T, Vec<Problem>> {
    match tree(text) {
        Ok(node) => typed_node(&node.unwrap_or_default(), keys),
        Err(problem) => Err(vec![problem]),
    }
}

/// The same for a tree.
pub fn typed_node<T: DeserializeOwned>(node: &Node, keys: Keys) -> Result<T, Vec<Problem>> {
    node.check_keys().map_err(|problem| vec![problem])?;
    let mut problems = Problems::default();
    let value = read(node, "the file", keys, &mut problems);
    let mut problems = problems.0;
    problems.sort_by_key(|problem| (problem.line, problem.column));
    value.filter(|_| problems.is_empty()).ok_or(problems)
}

/// Deserializes a whole map; messages call it `what`. `None` when it is not a map. With [`Keys::Known`], the map's own unknown
/// keys are left to [`check_keys`], because the caller may read other types from the same map.
pub fn read<'de, T: Deserialize<'de>>(
    node: &'de Node,
    what: &str,
    keys: Keys,
    problems: &mut Problems,
) -> Option<T> {
    let mut reading = Reading {
        open: keys == Keys::Open,
        ..Reading::default()
    };
    loop {
        let read = T::deserialize(reading.of(node, what));
        let unknown = reading.unknown.take().into_iter();
        unknown.for_each(|problem| problems.push(problem));
        let mistake = match read {
            Ok(value) => return Some(value),
            Err(mistake) => mistake,
        };
        let at = mistake.at.unwrap_or(node);
        let mut children = at.children();
        let known = mistake.missing && children.any(|child| reading.is_wrong(child));
        if !known {
            problems.push(problem(at, mistake.message, mistake.hint.as_deref()));
        }
        if std::ptr::eq(at, node) || reading.wrong.len() >= MOST_MISTAKES {
            return None;
        }
        reading.wrong.push(at);
    }
}

/// The keys that a struct is deserialized from.
pub fn keys<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let empty = Node {
        value: Value::Map(Vec::new()),
        ..Node::default()
    };
    let reading = Reading::default();
    // The struct asks for its keys even though the map is empty; the result does not matter.
    T::deserialize(reading.of(&empty, "")).map_or_else(drop, drop);
    reading.keys.get()
}

/// Reports every key of a map that is not in `known`, with the most similar known key.
pub fn check_keys(node: &Node, what: &dyn Display, known: &[&[&str]], problems: &mut Problems) {
    for (key, _) in node.entries() {
        if is_unknown(key, known) {
            problems.push(unknown_key(what, key, known));
        }
    }
}

fn is_unknown(key: &Text, known: &[&[&str]]) -> bool {
    let name = key.text.as_str();
    !name.starts_with(OWN) && !known.iter().any(|keys| keys.contains(&name))
}

/// Whether a key is a misspelling of a known one.
fn is_slip(key: &str, known: &[&str]) -> bool {
    known.iter().any(|known| {
        let slips = strsim::osa_distance(known, key);
        slips <= SLIPS && slips * 2 < known.len()
    })
}

/// A mistake in a value; a second line of its text becomes the hint.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Mistake<'de> {
    at: Option<&'de Node>,
    message: String,
    hint: Option<String>,
    /// Whether a field is missing. It is not reported if its value has already been reported as wrong.
    missing: bool,
}

impl Mistake<'_> {
    fn of(text: &str) -> Self {
        let (message, hint) = match text.split_once('\n') {
            Some((message, hint)) => (message, Some(hint.to_owned())),
            None => (text, None),
        };
        Self {
            at: None,
            message: message.to_owned(),
            hint,
            missing: false,
        }
    }

    fn must_be(expected: &str, found: &str) -> Self {
        let (expected, hint) = match expected.split_once('\n') {
            Some((expected, hint)) => (expected, format!("\n{hint}")),
            None => (expected, String::new()),
        };
        Self::of(&format!("must be {expected}, not {found}{hint}"))
    }
}

impl de::Error for Mistake<'_> {
    fn custom<T: Display>(text: T) -> Self {
        Self::of(&text.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(_) => "a truth value",
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
            Unexpected::Unit => "null",
            Unexpected::Seq => "a list",
            Unexpected::Map => "a mapping",
            _ => "a text",
        };
        // Replace serde's names for types by plain words.
        match expected.to_string().as_str() {
            "u16" | "u32" | "u64" | "usize" | "i32" => Self::must_be("a whole number", found),
            "a boolean" => Self::must_be("true or false", found),
            "a sequence" => Self::must_be("a list", found),
            "a string" => Self::must_be("a text", found),
            name if name == "a map" || name.starts_with("struct ") => {
                Self::must_be("a mapping", found)
            }
            expected => Self::must_be(expected, found),
        }
    }

    /// A whole number that does not fit its type.
    fn invalid_value(found: Unexpected<'_>, _: &dyn Expected) -> Self {
        match found {
            Unexpected::Signed(number) if number < 0 => {
                Self::of("must be a whole number from 0 on, not a negative one")
            }
            _ => Self::of("is too large"),
        }
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self {
            missing: true,
            ..Self::of(&format!("must be {expected}"))
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            missing: true,
            ..Self::of(&format!("needs {field}"))
        }
    }
}

/// State of one reading of a map.
#[derive(Default)]
struct Reading<'de> {
    /// Nodes that were wrong in an earlier pass and now count as missing.
    wrong: Vec<&'de Node>,
    unknown: RefCell<Vec<Problem>>,
    /// Whether it uses [`Keys::Open`].
    open: bool,
    /// The keys of the type of the whole map.
    keys: Cell<&'static [&'static str]>,
}

impl<'de> Reading<'de> {
    fn of<'a>(&'a self, node: &'de Node, what: &'a str) -> Reader<'a, 'de> {
        Reader {
            node,
            what,
            at_root: true,
            wrapper: "",
            reading: self,
        }
    }

    fn is_wrong(&self, node: &Node) -> bool {
        self.wrong.iter().any(|wrong| std::ptr::eq(*wrong, node))
    }
}

/// A node during deserialization.
#[derive(Clone, Copy)]
struct Reader<'a, 'de> {
    node: &'de Node,
    /// Its key.
    what: &'a str,
    at_root: bool,
    /// Name of the enclosing type.
    wrapper: &'static str,
    reading: &'a Reading<'de>,
}

impl<'a, 'de> Reader<'a, 'de> {
    /// Adds this node's place to a mistake without a place.
    fn placed<T>(self, read: Result<T, Mistake<'de>>) -> Result<T, Mistake<'de>> {
        read.map_err(|mistake| match mistake.at {
            Some(_) => mistake,
            None => Mistake {
                at: Some(self.node),
                message: format!("{} {}", self.what, mistake.message),
                ..mistake
            },
        })
    }

    fn list<V: Visitor<'de>>(
        self,
        items: &'de [Node],
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        let mut items = Items {
            reader: self,
            rest: items.iter(),
        };
        let read = self.placed(visitor.visit_seq(&mut items))?;
        match items.rest.next() {
            None => Ok(read),
            Some(_) => self.placed(Err(Mistake::of("has too many items"))),
        }
    }

    fn map<V: Visitor<'de>>(
        self,
        entries: &'de [(Text, Node)],
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        self.placed(visitor.visit_map(self.entries(entries)))
    }

    fn entries(self, entries: &'de [(Text, Node)]) -> Entries<'a, 'de> {
        Entries {
            reader: self,
            rest: entries.iter(),
            value: None,
        }
    }
}

impl<'de> Deserializer<'de> for Reader<'_, 'de> {
    type Error = Mistake<'de>;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        let read = match (&self.node.value, self.node.kind()) {
            (Value::List(items), _) => return self.list(items, visitor),
            (Value::Map(entries), _) => return self.map(entries, visitor),
            (_, Some(Kind::Bool(flag))) => visitor.visit_bool(flag),
            (_, Some(Kind::Integer(number))) => visitor.visit_i64(number),
            (_, Some(Kind::Float(number))) => visitor.visit_f64(number),
            (_, Some(Kind::Text(text))) => visitor.visit_str(text),
            (_, Some(Kind::Null) | None) => visitor.visit_unit(),
        };
        self.placed(read)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        let text = if self.wrapper == WRITTEN {
            self.node.written()
        } else {
            self.node.text()
        };
        self.placed(match text {
            Some(text) => visitor.visit_str(text),
            None => Err(Mistake::must_be("a text", self.node.noun())),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        let plain = matches!(self.node.value, Value::Scalar { plain: true, .. });
        match self.node.truth().filter(|_| plain || self.reading.open) {
            Some(truth) => self.placed(visitor.visit_bool(truth)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        if self.wrapper == MANY && !self.node.is_list() {
            self.list(std::slice::from_ref(self.node), visitor)
        } else if self.node.is_null() {
            self.list(&[], visitor)
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        if self.node.is_null() {
            self.map(&[], visitor)
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        if self.node.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        self.placed(visitor.visit_newtype_struct(Reader {
            wrapper: name,
            ..self
        }))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        let entries = match &self.node.value {
            Value::Map(entries) => entries,
            // serde's struct visitors would read a list as the fields in their order.
            Value::List(_) => {
                let found = Unexpected::Seq;
                return self.placed(Err(de::Error::invalid_type(found, &visitor)));
            }
            // Let the visitor report what it expects.
            Value::Scalar { .. } => return self.deserialize_map(visitor),
        };
        if entries.len() > MOST_KEYS && !self.reading.open {
            let message = format!("has more than {MOST_KEYS} keys");
            return self.placed(Err(Mistake::of(&message)));
        }
        if self.at_root {
            self.reading.keys.set(fields);
        }
        let open = self.reading.open;
        let unknown = entries.iter().filter(|(key, _)| is_unknown(key, &[fields]));
        for (key, _) in unknown.filter(|(key, _)| !open || is_slip(key, fields)) {
            // At the root with known keys, the caller checks them itself.
            if open || !self.at_root {
                let problem = unknown_key(&self.what, key, &[fields]);
                self.reading.unknown.borrow_mut().push(problem);
            }
        }
        self.map(entries, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        match (self.node.written(), self.node.entries()) {
            (Some(text), _) if words.contains(&text) => {
                let word: StrDeserializer<'_, Mistake<'de>> = text.into_deserializer();
                self.placed(visitor.visit_enum(word))
            }
            (None, [(word, of)]) if words.contains(&word.text.as_str()) && !of.is_null() => {
                let entries = self.entries(self.node.entries());
                self.placed(visitor.visit_enum(MapAccessDeserializer::new(entries)))
            }
            _ => self.placed(Err(Mistake::of(&format!("must be {}", words.join(" or "))))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple_struct identifier
    }
}

struct Items<'a, 'de> {
    reader: Reader<'a, 'de>,
    rest: std::slice::Iter<'de, Node>,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Mistake<'de>;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake<'de>> {
        let Some(node) = self
            .rest
            .by_ref()
            .find(|item| !self.reader.reading.is_wrong(item))
        else {
            return Ok(None);
        };
        let item = Reader {
            node,
            at_root: false,
            wrapper: "",
            what: if self.reader.at_root {
                "an item"
            } else {
                self.reader.what
            },
            ..self.reader
        };
        item.placed(seed.deserialize(item)).map(Some)
    }
}

struct Entries<'a, 'de> {
    reader: Reader<'a, 'de>,
    rest: std::slice::Iter<'de, (Text, Node)>,
    value: Option<&'de (Text, Node)>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Mistake<'de>;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake<'de>> {
        let reading = self.reader.reading;
        self.value = self.rest.by_ref().find(|(_, node)| !reading.is_wrong(node));
        let Some((key, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::new(&key.text))
            .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, Mistake<'de>> {
        let (key, node) = self
            .value
            .ok_or_else(|| Mistake::of("has a value without a key"))?;
        let value = Reader {
            node,
            what: &key.text,
            at_root: false,
            wrapper: "",
            ..self.reader
        };
        value.placed(seed.deserialize(value))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(default)]
    struct Skill {
        outputs: Vec<String>,
        required: bool,
        retries: Option<u8>,
    }

    #[test]
    fn texts_stay_as_written() {
        let read: BTreeMap<String, Skill> = typed(
            "a: {outputs: [NO, 1.10, true, '']}\nb:\nc: {required: yes, retries: 3, more: [1]}\n",
            Keys::Open,
        )
        .unwrap();
        assert_eq!(read["a"].outputs, ["NO", "1.10", "true", ""]);
        assert_eq!(read["b"], Skill::default());
        assert!(read["c"].required && read["c"].retries == Some(3));
    }

    #[test]
    fn all_mistakes_are_told_each_with_its_place() {
        let text = "a: {outputs: x, required: [], retries: -1}\nb:\n  outptus: [x]\n  own: 1\nc: {outputs: [a, [x]]}";
        for (keys, lines) in [
            (
                Keys::Open,
                &[(1, 14), (1, 27), (1, 40), (3, 3), (5, 18)][..],
            ),
            (
                Keys::Known,
                &[(1, 14), (1, 27), (1, 40), (3, 3), (4, 3), (5, 18)],
            ),
        ] {
            let wrong = typed::<BTreeMap<String, Skill>>(text, keys).unwrap_err();
            let places: Vec<_> = wrong.iter().map(|one| (one.line, one.column)).collect();
            assert_eq!(places, lines, "{wrong:?}");
            assert_eq!(wrong[0].message, "outputs must be a list, not a text");
            let hint = wrong[3].hint.as_deref().unwrap();
            assert!(hint.contains("did you mean \"outputs\"?"), "{hint}");
        }
    }

    #[test]
    fn pairs_have_two_items() {
        let read =
            |text| typed::<Vec<(String, String)>>(text, Keys::Open).map_err(|wrong| wrong.len());
        assert_eq!(
            read("- [a, 1]"),
            Ok(vec![(String::from("a"), String::from("1"))])
        );
        assert_eq!(read("- [a]\n- [a, b, c]\n- [[], b]\n- x"), Err(4));
    }
}
