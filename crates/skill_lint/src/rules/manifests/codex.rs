//! `agents/openai.yaml` of a skill: what Codex ignores silently when it is wrong (SR614).
//!
//! **Source**: the skill loader of Codex CLI: fields, limits in characters after white space is collapsed, icons below `assets/`.

use aris_skills::frontmatter::{Value, Yaml, document};

/// A fault: line and column from 1, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) col: usize,
    pub(super) message: String,
}

/// Characters of a name; also of a dependency's `type` and `transport`.
const NAME_LIMIT: usize = 64;

/// Characters of any other text.
const TEXT_LIMIT: usize = 1024;

const INTERFACE: &[(&str, usize)] = &[
    ("display_name", NAME_LIMIT),
    ("short_description", TEXT_LIMIT),
    ("default_prompt", TEXT_LIMIT),
];

const TOOL: &[(&str, usize)] = &[
    ("type", NAME_LIMIT),
    ("transport", NAME_LIMIT),
    ("value", TEXT_LIMIT),
    ("description", TEXT_LIMIT),
    ("command", TEXT_LIMIT),
    ("url", TEXT_LIMIT),
];

/// Checks the text of the file.
pub(super) fn check(text: &str) -> Vec<Fault> {
    let yaml = match document(text, 0, 0) {
        Ok(Some(yaml)) => yaml,
        Ok(None) => return Vec::new(),
        Err(fault) => {
            return vec![Fault {
                line: fault.line,
                col: fault.col,
                message: format!("not YAML: {}", fault.message),
            }];
        }
    };
    let mut faults = Vec::new();
    if !matches!(yaml.value, Value::Map(_)) {
        faults.push(fault(
            &yaml,
            format!("the file is {}, not a mapping", yaml.value.kind()),
        ));
    }
    if let Some(interface) = mapping(&yaml, "interface", &mut faults) {
        for (field, limit) in INTERFACE {
            text_field(interface, field, *limit, &mut faults);
        }
        for field in ["icon_small", "icon_large"] {
            if let Some((node, path)) = string(interface, field, &mut faults)
                && !is_asset(path)
            {
                let message = format!("`{field}` `{path}` is not a relative path under `assets/`");
                faults.push(fault(node, message));
            }
        }
        if let Some((node, colour)) = string(interface, "brand_color", &mut faults)
            && !is_colour(colour.trim())
        {
            faults.push(fault(
                node,
                format!("`brand_color` `{colour}` is not `#RRGGBB`"),
            ));
        }
    }
    if let Some(dependencies) = mapping(&yaml, "dependencies", &mut faults)
        && let Some(tools) = dependencies.get("tools")
    {
        match &tools.value {
            Value::Seq(tools) => {
                for tool in tools {
                    for (field, limit) in TOOL {
                        text_field(tool, field, *limit, &mut faults);
                    }
                }
            }
            other => {
                let message = format!("`tools` is {}, not a list", other.kind());
                faults.push(fault(tools, message));
            }
        }
    }
    faults
}

fn fault(node: &Yaml, message: String) -> Fault {
    Fault {
        line: node.line,
        col: node.col,
        message,
    }
}

fn mapping<'a>(yaml: &'a Yaml, field: &str, faults: &mut Vec<Fault>) -> Option<&'a Yaml> {
    let node = yaml.get(field)?;
    match &node.value {
        Value::Map(_) => Some(node),
        Value::Null => None,
        other => {
            let message = format!("`{field}` is {}, not a mapping", other.kind());
            faults.push(fault(node, message));
            None
        }
    }
}

/// A field that must be a string: anything else makes Codex pass over the whole file.
fn string<'a>(
    holder: &'a Yaml,
    field: &str,
    faults: &mut Vec<Fault>,
) -> Option<(&'a Yaml, &'a str)> {
    let node = holder.get(field)?;
    match &node.value {
        Value::Str(text) => Some((node, text)),
        Value::Null => None,
        other => {
            let message = format!("`{field}` is {}, not a string", other.kind());
            faults.push(fault(node, message));
            None
        }
    }
}

fn text_field(holder: &Yaml, field: &str, limit: usize, faults: &mut Vec<Fault>) {
    let Some((node, text)) = string(holder, field, faults) else {
        return;
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let count = words.join(" ").chars().count();
    if count > limit {
        let message = format!("`{field}` has {count} characters, more than {limit}");
        faults.push(fault(node, message));
    }
}

/// Whether a path begins with `assets/` once `.` parts are gone, and has no `..`.
fn is_asset(path: &str) -> bool {
    let mut parts = path
        .split('/')
        .filter(|part| *part != "." && !part.is_empty());
    !path.starts_with('/')
        && !path.split('/').any(|part| part == "..")
        && parts.next() == Some("assets")
        && parts.next().is_some()
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codex_would_drop_is_named() {
        let long = format!("interface:\n  display_name: {}\n", "x".repeat(65));
        for (text, expected) in [
            (
                "interface:\n  display_name: \"A\"\n  icon_small: ./assets/a.png\n  brand_color: \"#0a0B0c\"\n",
                None,
            ),
            ("", None),
            ("interface:\n", None),
            ("- a\n", Some((1, 1, "the file is a list, not a mapping"))),
            (
                "interface: x\n",
                Some((1, 12, "`interface` is a string, not a mapping")),
            ),
            (
                "interface:\n  display_name: 3\n",
                Some((2, 17, "`display_name` is an integer, not a string")),
            ),
            (
                &long,
                Some((2, 17, "`display_name` has 65 characters, more than 64")),
            ),
            (
                "interface:\n  icon_small: a.png\n",
                Some((
                    2,
                    15,
                    "`icon_small` `a.png` is not a relative path under `assets/`",
                )),
            ),
            (
                "interface:\n  icon_large: ../assets/a.png\n",
                Some((
                    2,
                    15,
                    "`icon_large` `../assets/a.png` is not a relative path under `assets/`",
                )),
            ),
            (
                "interface:\n  brand_color: red\n",
                Some((2, 16, "`brand_color` `red` is not `#RRGGBB`")),
            ),
            (
                "dependencies:\n  tools: x\n",
                Some((2, 10, "`tools` is a string, not a list")),
            ),
            (
                "dependencies:\n  tools:\n    - type: mcp\n      value: true\n",
                Some((4, 14, "`value` is a boolean, not a string")),
            ),
        ] {
            let found = check(text);
            let found = found
                .first()
                .map(|fault| (fault.line, fault.col, fault.message.as_str()));
            assert_eq!(found, expected, "{text}");
        }
        assert!(check("a: [")[0].message.starts_with("not YAML: "));
    }
}
