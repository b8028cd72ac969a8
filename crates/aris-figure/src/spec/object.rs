//! Reads a JSON object according to its table of fields.

use super::fields::Field;
use crate::colour::Colour;
use crate::formula;
use crate::geometry::Point;
use crate::notes::{At, Notes, Place};
use crate::problem::Code;
use crate::text;
use aris_yaml::{Kind as Scalar, Node as Json, Text, Value};

/// The largest number of any kind. Larger pictures cannot be drawn, and sums of smaller numbers stay exact enough.
pub(crate) const LARGEST: f64 = 1_000_000.0;

/// An object with its known fields; `null` counts as absent. Problems go to `notes`.
pub(crate) struct Object<'a> {
    pub(crate) place: Place,
    pub(crate) notes: &'a Notes,
    table: &'static [Field],
    values: Vec<(&'static str, &'a Json)>,
}

impl<'a> Object<'a> {
    /// `None`, with a problem, if `json` is not an object.
    pub(crate) fn open(
        json: &'a Json,
        pointer: String,
        table: &'static [Field],
        notes: &'a Notes,
    ) -> Option<Self> {
        let Value::Map(members) = &json.value else {
            notes.push(
                Code::Invalid,
                (at(json), pointer),
                format!("an object is expected, this is {}", json.noun()),
                "write { … }",
            );
            return None;
        };
        let mut object = Self::empty(Place::new(at(json), pointer), table, notes);
        for (key, value) in members {
            if value.is_null() {
                continue;
            }
            let Text { text, line, column } = key;
            let Some(field) = table.iter().find(|field| field.name == *text) else {
                let names: Vec<&str> = table.iter().map(|field| field.name).collect();
                let key: String = text.chars().take(40).collect();
                notes.push(
                    Code::UnknownField,
                    ((*line, *column), object.place.pointer.clone()),
                    format!("there is no field {key:?} here"),
                    match similar(&key, table) {
                        Some(name) => format!("did you mean {name}?"),
                        None => format!("remove it, or use one of {}", names.join(", ")),
                    },
                );
                continue;
            };
            let mut known = object.values.iter();
            if let Some(old) = known.position(|(name, _)| *name == field.name) {
                notes.push(
                    Code::DuplicateField,
                    ((*line, *column), object.pointer(field.name)),
                    format!("{:?} is there twice; the last counts", field.name),
                    "remove one of them",
                );
                object.values.remove(old);
            }
            object.values.push((field.name, value));
            object.place.add(field.name, at(value));
        }
        Some(object)
    }

    /// An object without fields, at the place of its owner.
    pub(crate) fn empty(place: Place, table: &'static [Field], notes: &'a Notes) -> Self {
        Self {
            place,
            notes,
            table,
            values: Vec::new(),
        }
    }

    fn pointer(&self, name: &str) -> String {
        format!("{}/{name}", self.place.pointer)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Json> {
        self.values
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, json)| *json)
    }

    pub(crate) fn report(
        &self,
        code: Code,
        name: &'static str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.notes
            .push(code, self.place.field(&[name]), message, fix);
    }

    /// A finite number of ordinary size, greater than 0 if the table says so. Anything else is reported as `otherwise`.
    /// With [`Code::BadValue`], for which the default would do, a number in quotes is accepted.
    pub(crate) fn number(&self, name: &'static str, otherwise: Code) -> Option<f64> {
        let json = self.get(name)?;
        let positive = |field: &Field| field.name == name && field.is_positive();
        let is_positive = self.table.iter().any(positive);
        let found = match json.kind() {
            Some(Scalar::Text(text)) if otherwise == Code::BadValue => {
                text.parse().ok().filter(|number: &f64| number.is_finite())
            }
            _ => number(json),
        };
        let (message, fix) = match found {
            None => (
                format!("{name} must be a number, this is {}", json.noun()),
                String::from("write a number without quotes"),
            ),
            Some(number) if number.abs() > LARGEST => (
                format!("{name} is too large"),
                String::from("write a number below a million"),
            ),
            Some(number) if is_positive && number <= 0.0 => (
                format!("{name} must be greater than 0"),
                String::from("write a number above 0, or leave it out for the default"),
            ),
            Some(number) => return Some(number),
        };
        self.report(otherwise, name, message, fix);
        None
    }

    /// A text; a number or boolean as it is written.
    pub(crate) fn text(&self, name: &'static str) -> Option<String> {
        let json = self.get(name)?;
        let Some(text) = json.written() else {
            self.report(
                Code::BadValue,
                name,
                format!("{name} must be a text, this is {}", json.noun()),
                "write one text; \\n breaks the line of a node's label",
            );
            return None;
        };
        let forbidden = text::forbidden(text);
        if !forbidden.is_empty() {
            let names = forbidden.into_iter().take(8);
            let names = names.map(|one| format!("U+{:04X}", u32::from(one)));
            let names = names.collect::<Vec<_>>().join(", ");
            self.report(
                Code::MissingGlyph,
                name,
                format!("{name} holds characters that are not drawn: {names}"),
                "remove them, or write what they stand for",
            );
        }
        Some(text.to_owned())
    }

    /// The lines of a drawn text, with formulas converted.
    pub(crate) fn lines(&self, name: &'static str) -> Option<Vec<String>> {
        let text = self.text(name)?;
        let mut wrong = Vec::new();
        let set = |line: &String| formula::set(line, &mut wrong);
        let lines = formula::lines(&text).iter().map(set).collect();
        for (formula, why) in wrong {
            self.report(
                Code::Formula,
                name,
                format!("{formula} is drawn as it is written: {why}"),
                "write it with Greek letters, scripts, accents and operators, or write \\$ for a dollar",
            );
        }
        Some(lines)
    }

    /// A drawn text on one line; `None` if it is empty.
    pub(crate) fn label(&self, name: &'static str) -> Option<String> {
        let label = self.lines(name)?.join(" ");
        (!label.is_empty()).then_some(label)
    }

    /// A text on one line that is not drawn; `None` if it is empty.
    pub(crate) fn line(&self, name: &'static str) -> Option<String> {
        let line = formula::lines(&self.text(name)?).join(" ");
        (!line.is_empty()).then_some(line)
    }

    pub(crate) fn colour(&self, name: &'static str) -> Option<Colour> {
        let colour = match text_of(self.get(name)?) {
            Some("") => return None,
            text => text.and_then(Colour::read),
        };
        if colour.is_none() {
            self.report(
                Code::BadValue,
                name,
                format!("{name} is no colour; the default is drawn"),
                "write it as #RRGGBB, six hexadecimal digits",
            );
        }
        colour
    }

    /// The value for one of the field's words, which are in the order of `values`; the default, with a problem, for any other
    /// word.
    pub(crate) fn word<T: Copy>(&self, name: &'static str, values: &[T], default: T) -> T {
        let Some(json) = self.get(name) else {
            return default;
        };
        let fields = self.table.iter().filter(|field| field.name == name);
        let words: Vec<&str> = fields.flat_map(Field::words).collect();
        let text = text_of(json);
        let mut known = words.iter().zip(values);
        if let Some((_, value)) = known.find(|(word, _)| Some(**word) == text) {
            return *value;
        }
        self.report(
            Code::BadValue,
            name,
            format!("this {name} does not exist; the default is drawn"),
            format!("use one of {}", words.join(", ")),
        );
        default
    }

    /// The id of a node: a text or a number.
    pub(crate) fn name(&self, name: &'static str) -> Option<String> {
        read_name(self.get(name)?)
    }

    /// The elements of a list; none, with a problem, if it is not a list.
    pub(crate) fn list(&self, name: &'static str) -> &'a [Json] {
        let Some(json) = self.get(name) else {
            return &[];
        };
        if !json.is_list() {
            self.report(
                Code::Invalid,
                name,
                format!("{name} must be a list, this is {}", json.noun()),
                "write [ … ]",
            );
        }
        json.items()
    }

    /// Reads each element of a list; an element for which `read` returns `None` is a problem.
    pub(crate) fn each<T>(
        &self,
        name: &'static str,
        read: impl Fn(&Json) -> Option<T>,
        (code, message, fix): (Code, &str, &str),
    ) -> Vec<T> {
        let mut found = Vec::new();
        for (index, json) in self.list(name).iter().enumerate() {
            if let Some(value) = read(json) {
                found.push(value);
            } else {
                let place = (at(json), format!("{}/{index}", self.pointer(name)));
                self.notes.push(code, place, message, fix);
            }
        }
        found
    }

    pub(crate) fn points(&self, name: &'static str) -> Vec<Point> {
        let message = "a point is two numbers below a million";
        self.each(name, read_point, (Code::Invalid, message, "write [x, y]"))
    }
}

/// The field of this table, or of an object in it, most similar to a wrong name: `layout.direction` for `direction`.
fn similar(key: &str, table: &[Field]) -> Option<String> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], "");
    let key = plain(key);
    let own = table.iter().map(|field| (String::new(), field.name));
    let inner = table.iter().flat_map(|field| {
        let inner = field.inner().iter();
        inner.map(|inner| (format!("{}.", field.name), inner.name))
    });
    let named = own.chain(inner).map(|(prefix, name)| {
        let distance = strsim::osa_distance(&key, &plain(name));
        (distance, format!("{prefix}{name}"))
    });
    // One character in three may be wrong.
    let near = named.filter(|(distance, _)| distance * 3 <= key.len());
    near.min().map(|(_, name)| name)
}

pub(crate) fn read_name(json: &Json) -> Option<String> {
    let name = json.written().filter(|name| !name.is_empty())?;
    let is_name = text_of(json).is_some() || number(json).is_some();
    is_name.then(|| name.to_owned())
}

fn read_point(json: &Json) -> Option<Point> {
    let [x, y] = json.items() else {
        return None;
    };
    let (x, y) = (number(x)?, number(y)?);
    (x.abs() <= LARGEST && y.abs() <= LARGEST).then(|| Point::new(x, y))
}

pub(crate) fn at(json: &Json) -> At {
    (json.line, json.column)
}

pub(crate) fn text_of(json: &Json) -> Option<&str> {
    match json.kind() {
        Some(Scalar::Text(text)) => Some(text),
        _ => None,
    }
}

fn number(json: &Json) -> Option<f64> {
    match json.kind() {
        Some(Scalar::Integer(_) | Scalar::Float(_)) => json.written()?.parse().ok(),
        _ => None,
    }
}
