//! Tests on the text of the skill that a step calls.

use std::collections::BTreeSet;

use aris_yaml::typed::Many;
use serde::Deserialize;

use super::Pattern;
use crate::rules::scope::{Facts, Scope};

/// Sections in which a skill names its arguments.
const ARGUMENTS: [&str; 4] = ["Arguments", "Ingredients", "Parameters", "Invocation"];

/// A test; all parts that are given must hold.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SkillTest {
    /// `write_behavior` of its contract.
    writes: Option<String>,
    /// Whether its contract must have patterns for the final text.
    #[serde(default)]
    has_patterns: bool,
    /// Its text matches this; the match is reported.
    text: Option<Pattern>,
    /// One line of its commands matches all of these.
    #[serde(default)]
    command: Many<Pattern>,
    /// It has a section of this title, which does not match `says`.
    section: Option<String>,
    says: Option<Pattern>,
    /// Its commands have a `{name}` that is neither declared nor assigned, apart from these names.
    placeholders_but: Option<Vec<String>>,
}

impl SkillTest {
    /// What the test found; `None` where it does not hold.
    pub(super) fn found(&self, scope: &Scope<'_>, at: usize) -> Option<Vec<String>> {
        let Facts {
            skill, contract, ..
        } = scope.facts[at];
        let name = skill?.name;
        let text = scope.data.skills.as_ref()?.get(name)?;
        let writes = contract.and_then(|contract| contract.write_behavior.as_ref());
        let has_patterns = contract.is_some_and(|contract| !contract.output_patterns.is_empty());
        if (self.writes.is_some() && self.writes.as_ref() != writes)
            || (self.has_patterns && !has_patterns)
        {
            return None;
        }
        let mut found = vec![name.to_owned()];
        if let Some(pattern) = &self.text {
            found.push(pattern.0.find(text)?.as_str().to_owned());
        }
        let blocks = bash_blocks(text);
        if !self.command.0.is_empty() {
            let mut lines = blocks.iter().flat_map(|block| block.lines());
            let fits = |line: &&str| self.command.0.iter().all(|one| one.0.is_match(line));
            found.push(lines.find(fits)?.trim().to_owned());
        }
        if let (Some(title), Some(says)) = (&self.section, &self.says) {
            let section = sections(text, title).into_iter().next()?;
            if says.0.is_match(section) {
                return None;
            }
        }
        if let Some(exempt) = &self.placeholders_but {
            let open = undeclared(text, &blocks, exempt);
            if open.is_empty() {
                return None;
            }
            found.extend(open.into_iter().map(|name| format!("{{{name}}}")));
        }
        Some(found)
    }
}

/// The contents of code fences that are marked `bash`.
fn bash_blocks(text: &str) -> Vec<&str> {
    let fences = text.split("```bash\n").skip(1);
    let closed = fences.filter_map(|rest| rest.split_once("```"));
    closed.map(|(block, _)| block).collect()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
        && text.chars().all(in_name)
}

fn in_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-')
}

/// Names directly between `open` and `close`, each with the character before `open`.
fn enclosed(text: &str, open: char, close: char) -> impl Iterator<Item = (Option<char>, &str)> {
    text.match_indices(open).filter_map(move |(at, sign)| {
        let before = text.get(..at)?.chars().next_back();
        let rest = text.get(at + sign.len()..)?;
        let (name, behind) = rest.split_at(rest.find(|sign| !in_name(sign))?);
        (behind.starts_with(close) && is_name(name)).then_some((before, name))
    })
}

/// `{name}` in commands, not `${name}`, not `@{name}`, not in capitals, that is neither declared nor assigned.
fn undeclared<'t>(text: &'t str, blocks: &[&'t str], exempt: &[String]) -> BTreeSet<&'t str> {
    let arguments = ARGUMENTS.iter().flat_map(|title| sections(text, title));
    let named = arguments.flat_map(|body| enclosed(body, '{', '}').chain(enclosed(body, '`', '`')));
    let frontmatter = text.strip_prefix("---\n");
    let frontmatter = frontmatter.and_then(|rest| rest.split_once("\n---"));
    let keys = frontmatter.map_or("", |(lines, _)| lines).lines();
    // Keys below the first level are names of arguments.
    let keys = keys.filter_map(|line| line.split_once(':'));
    let keys = keys.filter(|(key, _)| key.starts_with(char::is_whitespace));
    let lines = blocks.iter().flat_map(|block| block.lines());
    let assigned = lines.filter_map(|line| line.split_once('='));
    let mut known: BTreeSet<&str> = named.map(|(_, name)| name).collect();
    known.extend(keys.map(|(key, _)| key.trim()));
    known.extend(assigned.map(|(name, _)| name.trim_end()));
    known.extend(exempt.iter().map(String::as_str));
    let is_open = |(before, name): &(Option<char>, &str)| {
        !matches!(before, Some('$' | '@'))
            && name.chars().any(char::is_lowercase)
            && !known.contains(name)
            && !known.contains(name.to_uppercase().as_str())
    };
    let used = blocks.iter().flat_map(|block| enclosed(block, '{', '}'));
    used.filter(is_open).map(|(_, name)| name).collect()
}

/// The contents of the sections, of the second level or deeper, whose title begins with `title`.
fn sections<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("##") {
            found.extend(open.take().and_then(|begin| text.get(begin..at)));
            let heading = line.trim_start_matches('#').trim_start();
            let rest = heading.strip_prefix(title);
            if rest.is_some_and(|rest| !rest.starts_with(|sign| in_name(sign) && sign != '-')) {
                open = Some(at + line.len());
            }
        }
        at += line.len();
    }
    found.extend(open.and_then(|begin| text.get(begin..)));
    found
}
