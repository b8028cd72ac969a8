//! The checks of one skill's frontmatter, from text to findings.

#[cfg(test)]
mod tests;

use aris_skills::Text;
use aris_skills::frontmatter::{Frontmatter, Value, Yaml};

use super::repair::{self, Edit};
use super::{keys, name};
use crate::finding::{FILE, Finding, Place, Sink};
use crate::fix::Fix;

/// Longest `description`, in code points. Source: Agent Skills specification. Codex drops a skill whose description is longer.
const LONGEST_DESCRIPTION: usize = 1024;

/// Longest `compatibility`, in code points. Source: Agent Skills specification.
const LONGEST_COMPATIBILITY: usize = 500;

/// Code points of `description` and `when_to_use` together that Claude Code's listing shows. Source: its documentation of skills.
const LISTED: usize = 1536;

/// What the frontmatter has to agree with.
pub(super) struct Surroundings<'a> {
    /// Name of the skill's directory.
    pub(super) directory: &'a str,
    /// Whether that directory is a git clone, whose name says nothing.
    pub(super) is_clone: bool,
    /// Keys that the configuration allows beside the known ones.
    pub(super) extra_keys: &'a [String],
}

/// The checks of one file.
struct Checks<'a, 's> {
    path: &'a str,
    text: &'a Text,
    around: &'a Surroundings<'a>,
    sink: &'a mut Sink<'s>,
}

/// Checks the frontmatter of the SKILL.md at `path`.
pub(super) fn check(
    path: &str,
    text: &Text,
    frontmatter: Option<&Frontmatter>,
    around: &Surroundings<'_>,
    sink: &mut Sink<'_>,
) {
    let mut checks = Checks {
        path,
        text,
        around,
        sink,
    };
    match frontmatter {
        None => {
            let opened = text.line(1).trim_end() == "---";
            let message = if opened {
                "the frontmatter opened on line 1 is never closed by a line `---`"
            } else {
                "line 1 is not `---`: the file has no frontmatter"
            };
            checks.add("SR001", FILE, message);
        }
        Some(frontmatter) => match &frontmatter.yaml {
            Err(fault) if fault.disputed => {
                let (line, message) = (fault.line, &fault.message);
                let message = format!("line {line}: parsers do not agree: {message}");
                checks.sink.skipped("SR003", path, message);
            }
            Err(fault) => {
                checks.add("SR003", (fault.line, fault.col), fault.message.clone());
            }
            Ok(mapping) => checks.mapping(frontmatter, mapping),
        },
    }
}

/// The trimmed `name` and its place, when it is a string and not blank.
pub(super) fn declared_name(frontmatter: &Frontmatter) -> Option<(&str, Place)> {
    let value = frontmatter.get("name")?;
    let name = value.as_str()?.trim();
    (!name.is_empty()).then_some((name, place(value)))
}

fn place(node: &Yaml) -> Place {
    (node.line, node.col)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

impl Checks<'_, '_> {
    fn add(
        &mut self,
        rule: &'static str,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.sink.found(rule, self.path, place, message)
    }

    /// Adds a finding with a repair, where there is one.
    fn mend(&mut self, rule: &'static str, place: Place, message: String, edit: Option<Edit>) {
        let path = self.path;
        let fix = edit.map(|(range, new)| Fix::replace(path, range, new));
        self.add(rule, place, message).fix(fix);
    }

    fn mapping(&mut self, frontmatter: &Frontmatter, mapping: &Yaml) {
        self.name(frontmatter, mapping);
        self.description(mapping);
        self.compatibility(mapping);
        for (key, value) in mapping.entries() {
            self.key(key, value);
        }
        self.metadata(frontmatter, mapping);
        for flow in repair::flow_places(mapping) {
            let kind = if matches!(flow.node.value, Value::Seq(_)) {
                "[…]"
            } else {
                "{…}"
            };
            // A program may read the line with a pattern instead of a YAML parser.
            let before = |(key, _): &&(Yaml, Yaml)| place(key) <= place(flow.node);
            let top = mapping.entries().iter().rev().find(before);
            let word = top.and_then(|(key, _)| key.as_str());
            let edit = word
                .filter(|word| {
                    keys::is_in(keys::SPECIFIED, word) || keys::is_in(keys::CLAUDE_CODE, word)
                })
                .and_then(|_| repair::without_flow(self.text, frontmatter, &flow));
            let message = format!("flow collection `{kind}`: the reference validator refuses it");
            self.mend("SR020", place(flow.node), message, edit);
        }
    }

    fn name(&mut self, frontmatter: &Frontmatter, mapping: &Yaml) {
        let entry = mapping.entry("name");
        let missing = match entry.map(|(_, value)| &value.value) {
            None => Some("there is no `name`"),
            Some(Value::Null) => Some("`name` is empty"),
            Some(Value::Str(text)) if text.trim().is_empty() => Some("`name` is blank"),
            Some(_) => None,
        };
        if let Some(message) = missing {
            let at = entry.map_or(FILE, |(key, _)| place(key));
            let edit = repair::missing_name(self.text, frontmatter, self.around.directory);
            self.mend("SR004", at, message.to_owned(), edit);
            return;
        }
        let Some((_, value)) = entry else { return };
        let Some(text) = value.as_str() else {
            let message = format!("`name` is {}, not a string", value.value.kind());
            self.add("SR005", place(value), message);
            return;
        };
        let text = text.trim();
        if let Some(fault) = name::fault(text) {
            self.add("SR005", place(value), format!("`name` {fault}"));
        }
        if !self.around.is_clone && !name::same(text, self.around.directory) {
            let message = format!(
                "`name` is `{text}`, its directory is `{}`",
                self.around.directory
            );
            self.add("SR006", place(value), message);
        }
        if let Some(word) = name::reserved_word(text) {
            let message = format!("`name` holds `{word}`, which upload refuses");
            self.add("SR015", place(value), message);
        }
    }

    fn description(&mut self, mapping: &Yaml) {
        let entry = mapping.entry("description");
        let Some((key, value)) = entry else {
            self.add("SR007", FILE, "there is no `description`");
            return;
        };
        let Some(text) = value.as_str().map(str::trim) else {
            let message = format!("`description` is {}, not a string", value.value.kind());
            self.add("SR007", place(key), message);
            return;
        };
        if text.is_empty() {
            self.add("SR007", place(key), "`description` is blank");
            return;
        }
        let length = characters(text);
        if length > LONGEST_DESCRIPTION {
            let message =
                format!("`description` has {length} characters, {LONGEST_DESCRIPTION} are allowed");
            self.add("SR008", place(key), message);
        }
        let when = mapping.get("when_to_use").and_then(Yaml::as_str);
        let listed = length + when.map_or(0, |when| characters(when.trim()));
        if listed > LISTED {
            let message = format!(
                "`description` and `when_to_use` have {listed} characters, the listing is cut at {LISTED}"
            );
            self.add("SR009", place(key), message);
        }
        if text.contains(['<', '>']) {
            let message = "`description` holds `<` or `>`, which upload refuses";
            self.add("SR014", place(key), message);
        }
    }

    fn compatibility(&mut self, mapping: &Yaml) {
        let Some((key, value)) = mapping.entry("compatibility") else {
            return;
        };
        let fault = match value.as_str().map(|text| characters(text.trim())) {
            None => format!("is {}, not a string", value.value.kind()),
            Some(0) => "is blank".to_owned(),
            Some(length) if length > LONGEST_COMPATIBILITY => {
                format!("has {length} characters, {LONGEST_COMPATIBILITY} are allowed")
            }
            Some(_) => return,
        };
        self.add("SR010", place(key), format!("`compatibility` {fault}"));
    }

    /// Checks whether any host reads a top-level key, and whether its value is allowed.
    fn key(&mut self, key: &Yaml, value: &Yaml) {
        let Some(word) = key.as_str() else {
            let message = format!("a key is {}, not a string", key.value.kind());
            self.add("SR011", place(key), message);
            return;
        };
        let specified = keys::is_in(keys::SPECIFIED, word);
        let claude_code = keys::is_in(keys::CLAUDE_CODE, word);
        let own = self.around.extra_keys.iter().any(|extra| extra == word);
        if claude_code {
            let message = format!("only Claude Code reads `{word}`");
            self.add("SR012", place(key), message);
        } else if !specified && !own {
            let message = match keys::similar(word) {
                Some(meant) => format!("no host reads `{word}`; `{meant}` is meant?"),
                None => format!("no host reads `{word}`"),
            };
            self.add("SR011", place(key), message);
        }
        if let Some(allowed) = keys::allowed_values(word) {
            let written = value.text.to_lowercase();
            if !allowed.contains(&written.as_str()) {
                let message = format!("`{word}` is not one of: {}", allowed.join(", "));
                self.add("SR013", place(key), message);
            }
        }
        if word == "metadata" && !matches!(value.value, Value::Map(_)) {
            let message = format!("`metadata` is {}, not a mapping", value.value.kind());
            self.add("SR013", place(key), message);
        }
    }

    fn metadata(&mut self, frontmatter: &Frontmatter, mapping: &Yaml) {
        let entries = mapping.get("metadata").map_or(&[][..], Yaml::entries);
        for (key, value) in entries {
            if value.as_str().is_none() {
                let message = format!(
                    "`metadata.{}` is {}, not a string",
                    key.text,
                    value.value.kind()
                );
                let edit = repair::quoted_scalar(self.text, frontmatter, value);
                self.mend("SR021", place(key), message, edit);
            }
        }
    }
}
