//! `.claude-plugin/plugin.json`: SR602 to SR604, and SR607 for its skills.
//!
//! **Source**: Claude Code documentation of plugins (manifest fields, path rules) and the JSON schema published for the manifest.

use super::json::{Json, Value};
use super::places::{Places, resolve};
use super::problem::Problem;

/// Types that a field may have.
#[derive(Clone, Copy)]
struct Types {
    string: bool,
    array: bool,
    object: bool,
}

const STRING: Types = Types {
    string: true,
    array: false,
    object: false,
};
const ARRAY: Types = Types {
    string: false,
    array: true,
    object: false,
};
const OBJECT: Types = Types {
    string: false,
    array: false,
    object: true,
};
const STRING_OR_ARRAY: Types = Types {
    array: true,
    ..STRING
};
const ANY_OF_THREE: Types = Types {
    object: true,
    ..STRING_OR_ARRAY
};

impl Types {
    fn allow(self, value: &Json) -> bool {
        match value.value {
            Value::String(_) => self.string,
            Value::Array(_) => self.array,
            Value::Object(_) => self.object,
            Value::Null | Value::Bool | Value::Number => false,
        }
    }

    fn says(self) -> String {
        let names = [
            (self.string, "a string"),
            (self.array, "an array"),
            (self.object, "an object"),
        ];
        let names: Vec<&str> = (names.iter())
            .filter_map(|(allowed, name)| allowed.then_some(*name))
            .collect();
        names.join(" or ")
    }
}

/// The fields whose type a host checks when it loads the plugin. `name` has its own rule.
const FIELDS: &[(&str, Types)] = &[
    ("version", STRING),
    ("description", STRING),
    ("homepage", STRING),
    ("repository", STRING),
    ("license", STRING),
    ("author", OBJECT),
    ("settings", OBJECT),
    ("userConfig", OBJECT),
    ("keywords", ARRAY),
    ("dependencies", ARRAY),
    ("channels", ARRAY),
    ("skills", STRING_OR_ARRAY),
    ("agents", STRING_OR_ARRAY),
    ("outputStyles", STRING_OR_ARRAY),
    ("monitors", STRING_OR_ARRAY),
    ("themes", STRING_OR_ARRAY),
    ("commands", ANY_OF_THREE),
    ("hooks", ANY_OF_THREE),
    ("mcpServers", ANY_OF_THREE),
    ("lspServers", ANY_OF_THREE),
];

/// Fields that name files or folders of the plugin; `skills` has its own rule.
const PATHS: &[&str] = &[
    "agents",
    "commands",
    "hooks",
    "lspServers",
    "mcpServers",
    "monitors",
    "outputStyles",
    "themes",
];

/// Arrays whose items are strings only.
const STRING_ITEMS: &[&str] = &["keywords", "skills", "agents", "outputStyles"];

/// Whether a name is of lower-case words and digits joined by single hyphens.
pub(super) fn is_kebab(name: &str) -> bool {
    name.split('-').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    })
}

/// Checks the manifest of the plugin at `root`.
pub(super) fn check(manifest: &Json, root: &str, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    name(manifest, &mut problems);
    types(manifest, &mut problems);
    paths(manifest, root, places, &mut problems);
    skills(manifest, root, places, &mut problems);
    problems
}

fn name(manifest: &Json, problems: &mut Vec<Problem>) {
    const RULE: &str = "SR602";
    let Some(name) = manifest.get("name") else {
        problems.push(Problem::new(
            RULE,
            manifest.offset,
            "the plugin has no name",
        ));
        return;
    };
    match name.as_name() {
        None => {
            let message = match name.as_str() {
                Some(_) => "the plugin's name is blank".to_owned(),
                None => format!("the plugin's name is {}", name.kind()),
            };
            problems.push(Problem::new(RULE, name.offset, message));
        }
        Some(text) if text.contains(char::is_whitespace) => {
            let message = format!("the plugin's name `{text}` has white space");
            problems.push(Problem::new(RULE, name.offset, message));
        }
        Some(text) if !is_kebab(text) => problems.push(Problem {
            mild: true,
            ..Problem::new(
                RULE,
                name.offset,
                format!("the plugin's name `{text}` is not kebab-case"),
            )
        }),
        Some(_) => {}
    }
}

fn types(manifest: &Json, problems: &mut Vec<Problem>) {
    const RULE: &str = "SR603";
    for (field, types) in FIELDS {
        let Some(value) = manifest.get(field) else {
            continue;
        };
        if !types.allow(value) {
            let message = format!("`{field}` is {}, not {}", value.kind(), types.says());
            problems.push(Problem::new(RULE, value.offset, message));
        }
        let only_strings = STRING_ITEMS.contains(field);
        for item in value.items() {
            if only_strings && item.as_str().is_none() {
                let message = format!("`{field}` holds {}, not only strings", item.kind());
                problems.push(Problem::new(RULE, item.offset, message));
            }
        }
    }
    if let Some(author) = manifest.get("author").filter(|author| author.is_object())
        && author.get("name").and_then(Json::as_name).is_none()
    {
        let message = "`author` has no string `name`";
        problems.push(Problem::new(RULE, author.offset, message));
    }
}

/// The strings of a field that name paths: the field itself, its items, and for commands the `source` of each entry.
fn path_values<'a>(field: &str, value: &'a Json) -> Vec<(&'a Json, &'a str)> {
    let mut found: Vec<(&Json, &str)> = (std::iter::once(value).chain(value.items()))
        .filter_map(|value| Some((value, value.as_str()?)))
        .collect();
    if field == "commands" {
        for (_, member) in value.members() {
            found.extend((member.get("source")).and_then(|path| Some((path, path.as_str()?))));
        }
    }
    found
}

fn paths(manifest: &Json, root: &str, places: &Places, problems: &mut Vec<Problem>) {
    const RULE: &str = "SR604";
    let experimental = manifest.get("experimental");
    let nested = ["themes", "monitors"]
        .into_iter()
        .filter_map(|field| Some((field, experimental?.get(field)?)));
    let fields = PATHS
        .iter()
        .filter_map(|field| Some((*field, manifest.get(field)?)));
    for (field, value) in fields.chain(nested) {
        for (value, path) in path_values(field, value) {
            // Servers may also be a bundle on the network.
            if path.starts_with("https://") && field == "mcpServers" {
                continue;
            }
            let says = match resolve(root, path) {
                Err(fault) => fault.says(),
                Ok(found) if !places.exists(&found) => "does not exist",
                Ok(_) => continue,
            };
            let message = format!("`{field}` path `{path}` {says}");
            problems.push(Problem::new(RULE, value.offset, message));
        }
    }
}

/// Checks the `skills` field of a manifest or a marketplace entry whose plugin lies at `root` (SR607).
pub(super) fn skills(holder: &Json, root: &str, places: &Places, problems: &mut Vec<Problem>) {
    let Some(field) = holder.get("skills") else {
        return;
    };
    for (value, path) in path_values("skills", field) {
        let says = match resolve(root, path) {
            Err(fault) => fault.says(),
            Ok(found) if places.skills_at(&found).is_empty() => {
                "holds neither SKILL.md nor a directory with one"
            }
            Ok(_) => continue,
        };
        let message = format!("skills path `{path}` {says}");
        problems.push(Problem::new("SR607", value.offset, message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::super::places::sample;
    use super::super::problem::brief;
    use super::*;

    fn checked(text: &str) -> Vec<String> {
        let places = sample(&[
            "p/skills/a/SKILL.md",
            "p/x.md",
            "p/hooks.json",
            "q/SKILL.md",
        ]);
        let manifest = parse(text).unwrap();
        brief(&check(&manifest, "p", &places), text)
    }

    #[test]
    fn names_are_words_with_hyphens() {
        for (text, expected) in [
            (r#"{"name": "a-b2"}"#, None),
            (r"{}", Some("SR602 \"{}\" the plugin has no name")),
            (
                r#"{"name": 1}"#,
                Some("SR602 \"1}\" the plugin's name is a number"),
            ),
            (
                r#"{"name": " "}"#,
                Some("SR602 \"\\\" \\\"}\" the plugin's name is blank"),
            ),
            (
                r#"{"name": "a b"}"#,
                Some("SR602 \"\\\"a b\\\"}\" the plugin's name `a b` has white space"),
            ),
            (
                r#"{"name": "A_b"}"#,
                Some("SR602 \"\\\"A_b\\\"}\" the plugin's name `A_b` is not kebab-case"),
            ),
        ] {
            assert_eq!(
                checked(text).first().map(String::as_str),
                expected,
                "{text}"
            );
        }
        let mild = check(&parse(r#"{"name": "A"}"#).unwrap(), "", &sample(&[]));
        assert!(mild[0].mild);
    }

    #[test]
    fn fields_have_the_types_that_hosts_demand() {
        for (field, problem) in [
            (r#""keywords": ["a"]"#, None),
            (
                r#""keywords": "a""#,
                Some("`keywords` is a string, not an array"),
            ),
            (
                r#""keywords": [1]"#,
                Some("`keywords` holds a number, not only strings"),
            ),
            (r#""author": {"name": "x"}"#, None),
            (
                r#""author": "x""#,
                Some("`author` is a string, not an object"),
            ),
            (r#""author": {}"#, Some("`author` has no string `name`")),
            (
                r#""version": 1.0"#,
                Some("`version` is a number, not a string"),
            ),
            (r#""hooks": {}"#, None),
            (
                r#""hooks": null"#,
                Some("`hooks` is null, not a string or an array or an object"),
            ),
            (r#""newer": 1"#, None),
        ] {
            let text = format!(r#"{{"name": "a", {field}}}"#);
            let found = checked(&text);
            let message = found
                .first()
                .map(|found| found.rsplit("\" ").next().unwrap());
            assert_eq!(message, problem, "{text}");
        }
    }

    #[test]
    fn paths_are_in_the_plugin() {
        for (field, problem) in [
            (r#""commands": "./x.md""#, None),
            (
                r#""commands": ["./x.md", "./y.md"]"#,
                Some("`commands` path `./y.md` does not exist"),
            ),
            (
                r#""commands": {"a": {"source": "x.md"}}"#,
                Some("`commands` path `x.md` does not start with `./`"),
            ),
            (r#""commands": {"a": {"content": "x"}}"#, None),
            (r#""hooks": ["./hooks.json", {}]"#, None),
            (
                r#""agents": "./../x.md""#,
                Some("`agents` path `./../x.md` leaves the plugin"),
            ),
            (r#""mcpServers": "https://example.org/x.mcpb""#, None),
            (
                r#""experimental": {"themes": "./themes"}"#,
                Some("`themes` path `./themes` does not exist"),
            ),
            (r#""skills": "./skills""#, None),
            (
                r#""skills": ["./skills/a", "./"]"#,
                Some("skills path `./` holds neither SKILL.md nor a directory with one"),
            ),
            (
                r#""skills": "skills""#,
                Some("skills path `skills` does not start with `./`"),
            ),
            (
                r#""skills": "./../q""#,
                Some("skills path `./../q` leaves the plugin"),
            ),
        ] {
            let text = format!(r#"{{"name": "a", {field}}}"#);
            let found = checked(&text);
            let message = found
                .first()
                .map(|found| found.rsplit("\" ").next().unwrap());
            assert_eq!(message, problem, "{text}");
            assert!(found.len() <= 1, "{found:?}");
        }
    }
}
