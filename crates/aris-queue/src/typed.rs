//! Values of Rust types from a tree, by serde, with the place of each mistake.
//!
//! serde stops at the first mistake. Reading therefore goes on without the part that was wrong, until nothing is: one reading tells all
//! mistakes. Keys that no field has are mistakes unless they begin with `x_`.

use std::cell::{Cell, RefCell};
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, Expected, IntoDeserializer as _, MapAccess,
    SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::problem::{Problem, Problems, problem, unknown_key};
use crate::tree::{Key, Kind, Node, Value, made};

/// Keys with this beginning are the user's own.
const OWN: &str = "x_";
/// Keys of one map; more are a mistake that no list helps with.
const MOST_KEYS: usize = 64;
/// Mistakes in one map, after which it is given up.
const MOST_MISTAKES: usize = 40;
/// The name by which [`Many`] says how it wants to be read.
const MANY: &str = "$many";

/// One value, or a list of values, none of them null.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Many<T>(pub(crate) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = Many<T>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a value or a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Many<T>, A::Error> {
                let mut found = Vec::new();
                while let Some(item) = items.next_element()? {
                    found.push(item);
                }
                Ok(Many(found))
            }
        }
        from.deserialize_newtype_struct(MANY, Items(PhantomData))
    }
}

/// Reads a whole map, called `what` in messages. Keys that `T` does not know are left to [`check_keys`]. `None`: it is no map.
pub(crate) fn read<'de, T: Deserialize<'de>>(
    node: &'de Node,
    what: &str,
    problems: &mut Problems,
) -> Option<T> {
    let mut reading = Reading::default();
    loop {
        let mistake = match T::deserialize(reading.of(node, what)) {
            Ok(value) => {
                let unknown = reading.unknown.into_inner().into_iter();
                unknown.for_each(|problem| problems.push(problem));
                return Some(value);
            }
            Err(mistake) => mistake,
        };
        let at = mistake.at.unwrap_or(node);
        let mut children = at.entries().iter().map(|(_, child)| child);
        let known = mistake.missing && children.any(|child| reading.is_wrong(child));
        if !known {
            problems.push(problem(at, mistake.message, mistake.hint.as_deref()));
        }
        if std::ptr::eq(at, node) || reading.wrong.len() >= MOST_MISTAKES {
            return None;
        }
        reading.unknown.take();
        reading.wrong.push(at);
    }
}

/// The keys that a struct is read from.
pub(crate) fn keys<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let (empty, reading) = (
        made(&Node::default(), Value::Map(Vec::new())),
        Reading::default(),
    );
    // It asks for its keys, whatever it makes of a map without any.
    T::deserialize(reading.of(&empty, "")).map_or_else(drop, drop);
    reading.keys.get()
}

/// Reports every key of a map that is none of `known`, with the nearest of them.
pub(crate) fn check_keys(
    node: &Node,
    what: &dyn Display,
    known: &[&[&str]],
    problems: &mut Problems,
) {
    for (key, _) in node.entries() {
        if is_unknown(key, known) {
            problems.push(unknown_key(what, key, known));
        }
    }
}

fn is_unknown(key: &Key, known: &[&[&str]]) -> bool {
    let name = key.text.as_str();
    !name.starts_with(OWN) && !known.iter().any(|keys| keys.contains(&name))
}

/// What is wrong with a value; a second line is the hint.
#[derive(Debug)]
struct Mistake<'de> {
    at: Option<&'de Node>,
    message: String,
    hint: Option<String>,
    /// A field is not there: nothing new when its value was found wrong before.
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

impl Display for Mistake<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Mistake<'_> {}

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
        // What serde calls its own types.
        match expected.to_string().as_str() {
            "u16" | "u32" | "u64" | "i32" => Self::must_be("a whole number", found),
            "a boolean" => Self::must_be("true or false", found),
            "a sequence" => Self::must_be("a list", found),
            expected => Self::must_be(expected, found),
        }
    }

    /// A whole number that its type does not hold.
    fn invalid_value(found: Unexpected<'_>, _: &dyn Expected) -> Self {
        match found {
            Unexpected::Signed(number) if number < 0 => {
                Self::of("must be a whole number from 0 on, not a negative one")
            }
            _ => Self::of("is too large"),
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            missing: true,
            ..Self::of(&format!("needs {field}"))
        }
    }
}

/// What one reading of a map has come to.
#[derive(Default)]
struct Reading<'de> {
    /// Nodes that were found wrong before, as if they were not there.
    wrong: Vec<&'de Node>,
    unknown: RefCell<Vec<Problem>>,
    /// Keys that the type of the whole map is read from.
    keys: Cell<&'static [&'static str]>,
}

impl<'de> Reading<'de> {
    fn of<'a>(&'a self, node: &'de Node, what: &'a str) -> Reader<'a, 'de> {
        Reader {
            node,
            what,
            at_root: true,
            reading: self,
        }
    }

    fn is_wrong(&self, node: &Node) -> bool {
        self.wrong.iter().any(|wrong| std::ptr::eq(*wrong, node))
    }
}

/// A node that is being read.
#[derive(Clone, Copy)]
struct Reader<'a, 'de> {
    node: &'de Node,
    /// The key it stands under.
    what: &'a str,
    at_root: bool,
    reading: &'a Reading<'de>,
}

impl<'a, 'de> Reader<'a, 'de> {
    /// Says of a mistake without a place that it is here.
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

    fn no<T>(self, expected: &str) -> Result<T, Mistake<'de>> {
        self.placed(Err(Mistake::must_be(expected, self.node.noun())))
    }

    fn items(self, items: &'de [Node], many: bool) -> Items<'a, 'de> {
        Items {
            reader: self,
            rest: items.iter(),
            many,
        }
    }

    fn map<V: Visitor<'de>>(
        self,
        entries: &'de [(Key, Node)],
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        self.placed(visitor.visit_map(Entries {
            reader: self,
            rest: entries.iter(),
            value: None,
        }))
    }
}

impl<'de> Deserializer<'de> for Reader<'_, 'de> {
    type Error = Mistake<'de>;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake<'de>> {
        let read = match (&self.node.value, self.node.kind()) {
            (Value::List(items), _) => visitor.visit_seq(self.items(items, false)),
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
        match self.node.written() {
            Some(text) => self.placed(visitor.visit_str(text)),
            None => self.no("a text"),
        }
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
        match (name, &self.node.value) {
            (MANY, Value::List(items)) => self.placed(visitor.visit_seq(self.items(items, true))),
            (MANY, _) => {
                let one = std::slice::from_ref(self.node);
                self.placed(visitor.visit_seq(self.items(one, true)))
            }
            _ => self.placed(visitor.visit_newtype_struct(self)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake<'de>> {
        let entries = match &self.node.value {
            Value::Map(entries) => entries,
            // Visitors of structs would take the items of a list for the fields.
            Value::List(_) => {
                let found = Unexpected::Seq;
                let read = Err(de::Error::invalid_type(found, &visitor));
                return self.placed(read);
            }
            // The visitor knows what it would like to see.
            Value::Scalar { .. } => return self.deserialize_any(visitor),
        };
        if entries.len() > MOST_KEYS {
            return self.placed(Err(Mistake::of(&format!(
                "has more than {MOST_KEYS} keys\nsee the skill experiment-queue for the keys there are"
            ))));
        }
        if self.at_root {
            self.reading.keys.set(fields);
        } else {
            for (key, _) in entries.iter().filter(|(key, _)| is_unknown(key, &[fields])) {
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
        match self.node.written() {
            Some(text) if words.contains(&text) => {
                let word: StrDeserializer<'_, Mistake<'de>> = text.into_deserializer();
                self.placed(visitor.visit_enum(word))
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
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
    }
}

struct Items<'a, 'de> {
    reader: Reader<'a, 'de>,
    rest: std::slice::Iter<'de, Node>,
    many: bool,
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
            ..self.reader
        };
        if self.many && node.is_null() {
            return item.no("a text or a list of texts");
        }
        item.placed(seed.deserialize(item)).map(Some)
    }
}

struct Entries<'a, 'de> {
    reader: Reader<'a, 'de>,
    rest: std::slice::Iter<'de, (Key, Node)>,
    value: Option<&'de (Key, Node)>,
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
            ..self.reader
        };
        value.placed(seed.deserialize(value))
    }
}
