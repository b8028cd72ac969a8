//! Values of Rust types from a tree, through serde. A mistake has its line, and the keys that lead to it.

use std::fmt::Display;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, MapAccess, SeqAccess,
    Unexpected, Visitor,
};

use crate::{Kind, Malformed, Node, Text, Value, read};

/// Slips of the keyboard in a key that is still taken for another one.
const SLIPS: usize = 2;

/// Reads a document into a type. A text is as written, whatever it would mean in YAML; null is an empty list or mapping. Keys that the type
/// does not have are passed over, but not one that is nearly one of its keys, and none may stand twice.
///
/// **Errors**: no YAML, or something that the type does not take.
pub fn typed<T: DeserializeOwned>(text: &str) -> Result<T, Malformed> {
    typed_node(&read(text)?.unwrap_or_default())
}

/// The same of a tree that was read.
///
/// **Errors**: something that the type does not take.
pub fn typed_node<T: DeserializeOwned>(node: &Node) -> Result<T, Malformed> {
    node.check_keys()?;
    T::deserialize(Of(node)).map_err(|wrong| {
        let path = wrong.path.into_iter().rev().collect::<Vec<_>>().join(".");
        let (line, column) = wrong.place.unwrap_or((node.line, node.column));
        Malformed {
            line,
            column,
            message: match path.as_str() {
                "" => wrong.message,
                path => format!("`{path}`: {}", wrong.message),
            },
        }
    })
}

/// What a type does not take, and where: the keys from the innermost outwards.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Wrong {
    place: Option<(u32, u32)>,
    path: Vec<String>,
    message: String,
}

impl Wrong {
    fn at(mut self, place: (u32, u32)) -> Self {
        self.place.get_or_insert(place);
        self
    }

    fn below(mut self, key: &str) -> Self {
        self.path.push(key.to_owned());
        self
    }
}

impl serde::de::Error for Wrong {
    fn custom<M: Display>(message: M) -> Self {
        Self {
            place: None,
            path: Vec::new(),
            message: message.to_string(),
        }
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Map => String::from("a mapping"),
            Unexpected::Seq => String::from("a list"),
            Unexpected::Unit => String::from("null"),
            Unexpected::Str(text) => format!("the text {text:?}"),
            other => other.to_string(),
        };
        let wanted = wanted.to_string();
        let wanted = match wanted.as_str() {
            "a sequence" => "a list",
            "a boolean" => "true or false",
            "a string" => "a text",
            "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
            wanted if wanted.starts_with("struct ") || wanted == "a map" => "a mapping",
            wanted => wanted,
        };
        Self::custom(format_args!("{found} stands where {wanted} is wanted"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format_args!("there is no `{field}` in it"))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let known = known.join(", ");
        Self::custom(format_args!("there is no key `{field}`; there are {known}"))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::invalid_type(found, wanted)
    }
}

impl<'de> Of<'de> {
    fn visit<V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.0.value {
            Value::List(items) => {
                let mut items = Items(items.iter());
                let read = visitor.visit_seq(&mut items)?;
                match items.0.next() {
                    None => Ok(read),
                    Some(_) => Err(Wrong::custom("the list has too many items")),
                }
            }
            Value::Map(entries) => visitor.visit_map(Entries {
                entries: entries.iter(),
                value: None,
            }),
            Value::Scalar { .. } => match self.0.kind() {
                Some(Kind::Bool(truth)) => visitor.visit_bool(truth),
                Some(Kind::Integer(number)) => visitor.visit_i64(number),
                Some(Kind::Float(number)) => visitor.visit_f64(number),
                Some(Kind::Text(text)) => visitor.visit_borrowed_str(text),
                Some(Kind::Null) | None => visitor.visit_unit(),
            },
        }
    }

    fn placed<T>(&self, result: Result<T, Wrong>) -> Result<T, Wrong> {
        result.map_err(|wrong| wrong.at((self.0.line, self.0.column)))
    }
}

/// A node that is read into a type.
struct Of<'de>(&'de Node);

impl<'de> Deserializer<'de> for Of<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.placed(self.visit(visitor))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.placed(match self.0.text() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.visit(visitor),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.placed(match self.0.truth() {
            Some(truth) => visitor.visit_bool(truth),
            None => self.visit(visitor),
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.placed(if self.0.is_null() {
            visitor.visit_seq(Items(self.0.items().iter()))
        } else {
            self.visit(visitor)
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.placed(if self.0.is_null() {
            visitor.visit_map(Entries {
                entries: self.0.entries().iter(),
                value: None,
            })
        } else {
            self.visit(visitor)
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        for (key, _) in self.0.entries() {
            if let Some(near) = nearly(&key.text, fields) {
                let message = format!("there is no key `{}`; did you mean `{near}`?", key.text);
                return Err(Wrong::custom(message).at((key.line, key.column)));
            }
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.placed(match self.0.text() {
            Some(text) => visitor.visit_enum(StrDeserializer::new(text)),
            None => visitor.visit_enum(MapAccessDeserializer::new(Entries {
                entries: self.0.entries().iter(),
                value: None,
            })),
        })
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_str(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple_struct ignored_any
    }
}

/// The key that was most likely meant by one that there is none of.
fn nearly<'f>(key: &str, fields: &[&'f str]) -> Option<&'f str> {
    if fields.contains(&key) {
        return None;
    }
    let distances = fields
        .iter()
        .map(|field| (strsim::osa_distance(field, key), *field));
    let near = distances.filter(|(slips, field)| *slips <= SLIPS && slips * 2 < field.len());
    near.min().map(|(_, field)| field)
}

struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Wrong;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Wrong> {
        self.0
            .next()
            .map(|item| seed.deserialize(Of(item)))
            .transpose()
    }
}

struct Entries<'de> {
    entries: std::slice::Iter<'de, (Text, Node)>,
    value: Option<&'de (Text, Node)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Wrong;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Wrong> {
        self.value = self.entries.next();
        let Some((key, _)) = self.value else {
            return Ok(None);
        };
        let read = seed.deserialize(BorrowedStrDeserializer::new(&key.text));
        read.map(Some)
            .map_err(|wrong: Wrong| wrong.at((key.line, key.column)))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Wrong> {
        let Some((key, value)) = self.value else {
            return Err(Wrong::custom("a value without a key"));
        };
        seed.deserialize(Of(value))
            .map_err(|wrong| wrong.below(&key.text))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
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
        )
        .unwrap();
        assert_eq!(read["a"].outputs, ["NO", "1.10", "true", ""]);
        assert_eq!(read["b"], Skill::default());
        assert!(read["c"].required && read["c"].retries == Some(3));
    }

    #[test]
    fn mistakes_have_their_line_and_their_keys() {
        for (text, line, part) in [
            (
                "a: {outputs: x}",
                1,
                "`a.outputs`: the text \"x\" stands where a list is wanted",
            ),
            (
                "a:\n  outptus: [x]",
                2,
                "`a`: there is no key `outptus`; did you mean `outputs`?",
            ),
            (
                "a:\n  outputs:\n  - [x]",
                3,
                "`a.outputs`: a list stands where a text is wanted",
            ),
            ("a: {}\na: {}", 2, "a"),
            ("a:\n  retries: -1", 2, "a whole number from 0 is wanted"),
            ("a: [x", 1, ""),
        ] {
            let wrong = typed::<BTreeMap<String, Skill>>(text).unwrap_err();
            assert!(
                wrong.line == line && wrong.message.contains(part),
                "{text}: {wrong:?}"
            );
        }
    }
}
