//! The values of fields in text files.

use std::borrow::Cow;

use aris_yaml::{Kind, Node};

use crate::{QueryError, Value};

/// A value that may borrow its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
    /// A field that cannot be read, and why: an error of the queries that read it.
    Broken(&'static str),
}

impl<'a> Cell<'a> {
    /// A field of CSV: empty, a number, or else a text. Spaces around numbers are ignored.
    pub(crate) fn of_field(field: &'a [u8], na: &[String]) -> Self {
        let trimmed = field.trim_ascii();
        if trimmed.is_empty() || na.iter().any(|word| word.as_bytes() == trimmed) {
            return Self::Null;
        }
        match std::str::from_utf8(trimmed) {
            Ok(digits) if is_long(digits) => return Self::Text(Cow::Borrowed(digits)),
            Ok(written) => Self::number(written),
            Err(_) => return Self::Broken(NOT_UTF8),
        }
        .unwrap_or_else(|| Self::Text(String::from_utf8_lossy(field)))
    }

    /// A decimal number: sign, digits, point, exponent. `None` for anything else, and for numbers that exceed an `f64`.
    pub(crate) fn number(written: &str) -> Option<Self> {
        if let Ok(integer) = written.parse() {
            return Some(Self::Integer(integer));
        }
        // `nan`, `inf` and `infinity` are not numbers.
        if written.contains(['n', 'N']) {
            return None;
        }
        let real: f64 = written.parse().ok()?;
        real.is_finite().then_some(Self::Real(real))
    }

    /// A value of JSON. Truth values become 1 and 0, as in SQLite; lists and objects become JSON text.
    pub(crate) fn of_node(node: &'a Node) -> Self {
        match node.kind() {
            Some(Kind::Null) => Self::Null,
            Some(Kind::Bool(truth)) => Self::Integer(truth.into()),
            Some(Kind::Integer(number)) => Self::Integer(number),
            Some(Kind::Float(number)) if number.is_finite() => Self::Real(number),
            Some(_) => Self::Text(Cow::Borrowed(node.written().unwrap_or_default())),
            None => {
                let mut json = String::new();
                node.write_json(&mut json);
                Self::Text(Cow::Owned(json))
            }
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null | Self::Broken(_) => Value::Null,
            Self::Integer(number) => Value::Integer(*number),
            Self::Real(number) => Value::Real(*number),
            Self::Text(text) => Value::Text(text.clone().into_owned()),
        }
    }
}

/// Whether a text is a whole number that an [`i64`] cannot hold. Such a number stays a text, because as an [`f64`] it would equal
/// its neighbours: many are identifiers.
pub(crate) fn is_long(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_whole = digits.len() > 18 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && text.parse::<i64>().is_err()
}

/// Whether two texts are such numbers that sort as texts in another order than as numbers.
pub(crate) fn sort_apart(one: &str, other: &str) -> bool {
    let negative = one.starts_with('-') || other.starts_with('-');
    is_long(one) && is_long(other) && (negative || one.len() != other.len())
}

/// Whether a text spells `NaN` or an infinity.
pub(crate) fn is_not_finite(text: &str) -> bool {
    let word = text.trim();
    let word = word.strip_prefix(['+', '-']).unwrap_or(word);
    ["nan", "inf", "infinity"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

pub(crate) const NOT_UTF8: &str =
    "this is not UTF-8; convert the file, for example with iconv -f latin1 -t utf-8";

/// The text of a file. **Errors**: it is not UTF-8, with the line.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, QueryError> {
    check_encoding(bytes)?;
    part_of(bytes)
}

/// Line and column of the first character after `before`.
pub(crate) fn after(before: &str) -> (u32, u32) {
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
    (small(line), small(column))
}

/// A line, column or count in the type that errors use.
pub(crate) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The text of a part of a file. **Errors**: it is not UTF-8, with the line in this part.
pub(crate) fn part_of(bytes: &[u8]) -> Result<&str, QueryError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        QueryError::malformed(NOT_UTF8).at(small(line), 0)
    })
}

/// **Errors**: UTF-16, compressed files and NUL bytes, judged by the first bytes of the file.
pub(crate) fn check_encoding(head: &[u8]) -> Result<(), QueryError> {
    if head.starts_with(&[0x1f, 0x8b]) {
        let message = "the file is compressed; unpack it, for example with gunzip --keep";
        return Err(QueryError::malformed(message).at(1, 1));
    }
    let mark = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    let begin = || head.iter().take(4);
    let message = if head.len() >= 4 && begin().all(|byte| *byte == 0) {
        "the file begins with NUL bytes and is no text"
    } else if mark || begin().any(|byte| *byte == 0) {
        "the file is UTF-16, not UTF-8; convert it, for example with iconv -f utf-16 -t utf-8"
    } else {
        return Ok(());
    };
    Err(QueryError::malformed(message).at(1, 1))
}
