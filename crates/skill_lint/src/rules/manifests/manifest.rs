//! A manifest: its value, the place of each part, and its faults by the JSON schema of its kind.

use std::sync::LazyLock;

use aris_skills::text::{Text, column};
use aris_yaml::{Node, Problem as Fault};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// Line and column from 1.
pub(super) type Place = (usize, usize);

/// A fault in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) rule: &'static str,
    pub(super) place: Place,
    pub(super) message: String,
    /// Whether the finding is lowered to a warning.
    pub(super) mild: bool,
}

/// The JSON schema of one kind of manifest.
pub(super) struct Schema {
    text: Value,
    validator: Validator,
}

macro_rules! schema {
    ($name:ident, $file:literal) => {
        pub(super) static $name: LazyLock<Schema> =
            LazyLock::new(|| Schema::of(include_str!(concat!("schemas/", $file))));
    };
}
schema!(PLUGIN, "plugin.json");
schema!(MARKETPLACE, "marketplace.json");
schema!(HOOKS, "hooks.json");
schema!(CODEX, "codex.json");

impl Schema {
    #[expect(
        clippy::expect_used,
        reason = "a part of the program, read by the tests"
    )]
    fn of(text: &str) -> Self {
        let text = serde_json::from_str(text).expect("a schema is JSON");
        let validator = jsonschema::draft202012::options()
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .build(&text)
            .expect("a schema is one");
        Self { text, validator }
    }
}

/// A manifest.
pub(super) struct Manifest {
    pub(super) value: Value,
    /// `None` where a key occurs twice. Hosts accept that: the values are known, their places are not.
    places: Option<Node>,
}

impl Manifest {
    /// Reads JSON as strictly as RFC 8259, and so as strictly as the hosts do. **Errors**: place and message.
    pub(super) fn of_json(text: &Text) -> Result<Self, (Place, String)> {
        let value = serde_json::from_str(text.raw()).map_err(|error| {
            let said = error.to_string();
            let message = said.split(" at line ").next().unwrap_or_default();
            // serde_json gives the column of the byte it read last.
            let col = column(text.line(error.line()), error.column().saturating_sub(1));
            ((error.line().max(1), col), message.to_owned())
        })?;
        Ok(Self {
            value,
            places: aris_yaml::read_json(text.raw()).ok(),
        })
    }

    /// Reads YAML; `None` for an empty document. Runs of white space in texts become one blank. **Errors**: place and message.
    pub(super) fn of_yaml(text: &Text) -> Result<Option<Self>, (Place, String)> {
        let places = aris_yaml::read(text.raw())
            .map_err(|fault: Fault| (place(fault.line, fault.column), fault.message))?;
        Ok(places.map(|places| {
            let mut value = places.to_json();
            collapse(&mut value);
            Self {
                value,
                places: Some(places),
            }
        }))
    }

    /// Where the value at a JSON pointer begins.
    pub(super) fn place(&self, pointer: &str) -> Place {
        let parts = pointer.split('/').skip(1);
        let node = parts.fold(self.places.as_ref(), |node, part| {
            let node = node?;
            match part.parse::<usize>() {
                Ok(at) if node.is_list() => node.items().get(at),
                _ => node.get(&part.replace("~1", "/").replace("~0", "~")),
            }
        });
        node.map_or((1, 1), |node| place(node.line, node.column))
    }

    /// A problem at a JSON pointer.
    pub(super) fn problem(&self, rule: &'static str, at: &str, message: String) -> Problem {
        Problem {
            rule,
            place: self.place(at),
            message,
            mild: false,
        }
    }

    /// The faults that the schema finds. `rule` chooses the rule from the JSON pointer and the location in the schema. An
    /// unknown key that resembles a known one is a fault; other unknown keys are not, because hosts add new ones.
    pub(super) fn faults(
        &self,
        schema: &Schema,
        rule: impl Fn(&str, &str) -> &'static str,
    ) -> Vec<Problem> {
        let mut found = Vec::new();
        for error in schema.validator.iter_errors(&self.value) {
            let (at, by) = (error.instance_path().as_str(), error.schema_path().as_str());
            found.push(self.problem(rule(at, by), at, said(&error, &schema.text)));
        }
        let mut open = vec![(&schema.text, &self.value, String::new())];
        while let Some((schema, value, at)) = open.pop() {
            let keys = |value: &'_ Value| -> Vec<String> {
                let keys = value.as_object().into_iter().flatten();
                keys.map(|(key, _)| key.clone()).collect()
            };
            let words = |value: Option<&Value>| -> Vec<String> {
                let words = value.and_then(Value::as_array).into_iter().flatten();
                words.filter_map(Value::as_str).map(str::to_owned).collect()
            };
            if let Some(word) = value.as_str()
                && let Some(meant) = near(word, &words(schema.get("examples")))
            {
                let message = format!("{} is `{word}`; did you mean `{meant}`?", name_of(&at));
                found.push(self.problem(rule(&at, ""), &at, message));
            }
            let properties = schema.get("properties");
            let others = schema.get("additionalProperties");
            let events = words(schema.pointer("/propertyNames/examples"));
            let known = [properties.map_or_else(Vec::new, keys), events.clone()].concat();
            for (key, inner) in value.as_object().into_iter().flatten() {
                let below = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                if let Some(meant) = near(key, &known) {
                    let message = format!("`{key}` is not known; did you mean `{meant}`?");
                    found.push(Problem {
                        mild: events.is_empty(),
                        ..self.problem(rule(&below, ""), &below, message)
                    });
                }
                let own = properties.and_then(|properties| properties.get(key));
                open.extend(own.or(others).map(|schema| (schema, inner, below)));
            }
            for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
                let items = schema.get("items");
                open.extend(items.map(|schema| (schema, inner, format!("{at}/{index}"))));
            }
        }
        found.sort_by(|a, b| (a.place, &a.message).cmp(&(b.place, &b.message)));
        found
    }
}

fn place(line: u32, column: u32) -> Place {
    let number = |number: u32| usize::try_from(number).unwrap_or(1).max(1);
    (number(line), number(column))
}

/// Replaces runs of white space in texts by one blank, because Codex counts characters that way.
fn collapse(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(items) => items.iter_mut().for_each(collapse),
        Value::Object(members) => members.values_mut().for_each(collapse),
        _ => {}
    }
}

/// The known word that an unknown one closely resembles.
fn near<'k>(word: &str, known: &'k [String]) -> Option<&'k str> {
    if word.len() < 4 || known.iter().any(|other| other == word) {
        return None;
    }
    let distance = |other: &&String| strsim::damerau_levenshtein(word, other);
    let best = known.iter().min_by_key(distance)?;
    (distance(&best) <= 2 && best.len() > 3).then_some(best)
}

/// A JSON pointer as messages show it.
fn name_of(pointer: &str) -> String {
    match pointer.strip_prefix('/') {
        Some(path) => format!("`{}`", path.replace('/', ".")),
        None => String::from("the file"),
    }
}

/// The message for an error of the validator: the schema's description where it has one, else our own words.
fn said(error: &ValidationError<'_>, schema: &Value) -> String {
    let name = name_of(error.instance_path().as_str());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("{name} has no `{}`", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::Type { kind } => {
            let wanted: Vec<String> = match kind {
                TypeKind::Single(kind) => vec![noun(*kind)],
                TypeKind::Multiple(kinds) => kinds.iter().map(noun).collect(),
            };
            let is = noun(JsonType::from(error.instance().as_ref()));
            format!("{name} is {is}, not {}", wanted.join(" or "))
        }
        _ => {
            let by = error.schema_path().as_str();
            let around = by.rsplit_once('/').map(|(around, _)| around);
            let around = around.and_then(|around| schema.pointer(around));
            match around.and_then(|around| around.get("description")?.as_str()) {
                Some(wanted) => format!("{name} is not {wanted}"),
                None => format!("{name}: {}", error.masked()),
            }
        }
    }
}

fn noun(kind: JsonType) -> String {
    match kind {
        JsonType::Null => String::from("null"),
        JsonType::Array | JsonType::Object | JsonType::Integer => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codex_would_drop_is_named() {
        let long = format!("interface:\n  display_name: {}\n", "x".repeat(65));
        let blanks = format!("interface:\n  display_name: \"a{}b\"\n", " ".repeat(80));
        for (text, expected) in [
            (
                "interface:\n  display_name: \"A\"\n  icon_small: ./assets/a.png\n  brand_color: \"#0a0B0c\"\n",
                None,
            ),
            ("interface:\n  icon_small:\n", None),
            ("interface:\n", None),
            (&blanks, None),
            ("- a\n", Some((1, 1, "the file is an array, not an object"))),
            (
                "interface: x\n",
                Some((1, 12, "`interface` is a string, not null or an object")),
            ),
            (
                "interface:\n  display_name: 3\n",
                Some((
                    2,
                    17,
                    "`interface.display_name` is a number, not null or a string",
                )),
            ),
            (
                &long,
                Some((
                    2,
                    17,
                    "`interface.display_name` is not a text of at most 64 characters",
                )),
            ),
            (
                "interface:\n  icon_small: a.png\n",
                Some((
                    2,
                    15,
                    "`interface.icon_small` is not a relative path under `assets/`",
                )),
            ),
            (
                "interface:\n  icon_large: assets/../a.png\n",
                Some((
                    2,
                    15,
                    "`interface.icon_large` is not a relative path under `assets/`",
                )),
            ),
            (
                "interface:\n  brand_color: red\n",
                Some((2, 16, "`interface.brand_color` is not `#RRGGBB`")),
            ),
            (
                "dependencies:\n  tools: x\n",
                Some((2, 10, "`dependencies.tools` is a string, not an array")),
            ),
            (
                "dependencies:\n  tools:\n    - type: mcp\n      value: true\n",
                Some((
                    4,
                    14,
                    "`dependencies.tools.0.value` is a boolean, not null or a string",
                )),
            ),
        ] {
            let manifest = Manifest::of_yaml(&Text::new(text.as_bytes())).expect("YAML");
            let faults = manifest.expect("a value").faults(&CODEX, |_, _| "SR614");
            let found: Vec<_> = (faults.iter())
                .map(|fault| (fault.place.0, fault.place.1, fault.message.as_str()))
                .collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{text}");
        }
        assert!(
            Manifest::of_yaml(&Text::new(b""))
                .expect("nothing")
                .is_none()
        );
        assert!(Manifest::of_yaml(&Text::new(b"a: [")).is_err());
    }

    #[test]
    fn every_part_has_its_place() {
        let text = Text::new("{\n \"é\": [1, {\"a/b\": \"x\"}]}".as_bytes());
        let manifest = Manifest::of_json(&text).expect("JSON");
        for (pointer, place) in [
            ("", (1, 1)),
            ("/é", (2, 7)),
            ("/é/1", (2, 11)),
            ("/é/1/a~1b", (2, 19)),
            ("/none", (1, 1)),
        ] {
            assert_eq!(manifest.place(pointer), place, "{pointer}");
        }
        let twice = Text::new(b"{\"a\": 1, \"a\": 2}");
        let manifest = Manifest::of_json(&twice).expect("hosts take it");
        assert_eq!(
            (&manifest.value["a"], manifest.place("/a")),
            (&Value::from(2), (1, 1))
        );
    }

    #[test]
    fn only_what_is_nearly_a_known_word_is_a_mistake() {
        let known = ["skills", "name", "x"].map(String::from);
        for (word, meant) in [
            ("skils", Some("skills")),
            ("skills", None),
            ("drills", Some("skills")),
            ("tools", None),
            ("nam", None),
            ("y", None),
        ] {
            assert_eq!(near(word, &known), meant, "{word}");
        }
    }
}
