//! Suppressions: findings that the author knows and accepts, with the reason.
//!
//! In Markdown, `<!-- skill-lint: allow SR110 reason="made at run time" -->` covers the next line that is not blank,
//! `allow-file` the whole file. Inside a fence or a code span it has no effect. In other text files `# skill-lint: allow SR404
//! reason="…"` (or `//`) covers its own line and the next. In the configuration there are `[[allow]]` entries.

use std::collections::BTreeMap;
use std::path::Path;

use aris_skills::markdown::Document;
use aris_skills::text::{Text, column};
use aris_skills::tree::patterns;

use crate::catalogue;
use crate::config::{Allow, Config};
use crate::finding::{Finding, Place, Sink};
use crate::profile::Profile;
use crate::selection::Selection;

const MARK: &str = "skill-lint:";

/// The lines that an inline suppression covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    File,
    /// First and last line.
    Lines(usize, usize),
}

/// An inline suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    place: Place,
    rules: Vec<String>,
    scope: Scope,
    reason: String,
}

/// Inline suppressions by file.
pub type Directives = BTreeMap<String, Vec<Directive>>;

/// The suppressions in a file.
pub fn directives(path: &str, text: &Text, markdown: Option<&Document>) -> Vec<Directive> {
    if !text.raw().contains(MARK) {
        return Vec::new();
    }
    let parsed;
    let markdown = match markdown {
        None if aris_skills::names::extension(path) == "md" => {
            parsed = Document::parse(text);
            Some(&parsed)
        }
        given => given,
    };
    let lines = text.lines().filter(|(_, line)| line.contains(MARK));
    lines
        .filter_map(|(number, line)| match markdown {
            Some(document) => in_markdown(number, line, text, document),
            None => in_script(number, line),
        })
        .collect()
}

fn in_markdown(number: usize, line: &str, text: &Text, document: &Document) -> Option<Directive> {
    let (before, after) = line.split_once("<!--")?;
    let inside = after.split_once("-->").map_or(after, |(inside, _)| inside);
    let body = inside.trim_start().strip_prefix(MARK)?;
    let at = text.start(number) + before.len();
    if document.in_fence(number) || document.span_at(at).is_some() {
        return None;
    }
    let mut next = text.lines_from(number + 1);
    let next = next.find(|(_, line)| !line.trim().is_empty());
    let covered = next.map_or(number, |(number, _)| number);
    let place = (number, column(line, before.len()));
    Some(directive(body, place, (covered, covered)))
}

fn in_script(number: usize, line: &str) -> Option<Directive> {
    let at = line.find(MARK)?;
    let before = line.get(..at)?.trim_end();
    let hash = before.strip_suffix('#');
    let comment = hash.or_else(|| before.strip_suffix("//"))?;
    let alone = comment.is_empty() || comment.ends_with([' ', '\t', '#', ';']);
    let body = line.get(at + MARK.len()..)?;
    let place = (number, column(line, comment.len()));
    alone.then(|| directive(body, place, (number, number + 1)))
}

/// Parses `allow SR110,SR111 reason="…"` or `allow-file …`.
fn directive(body: &str, place: Place, lines: (usize, usize)) -> Directive {
    let (head, reason) = match body.split_once("reason=\"") {
        Some((head, rest)) => (head, rest.split('"').next().unwrap_or_default()),
        None => (body, ""),
    };
    let mut words = head.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let scope = match words.next() {
        Some("allow-file") => Scope::File,
        _ => Scope::Lines(lines.0, lines.1),
    };
    Directive {
        place,
        rules: words.map(str::to_owned).collect(),
        scope,
        reason: reason.trim().to_owned(),
    }
}

/// How a finding is hidden.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Suppressed {
    /// By what.
    pub by: By,
    /// Why, in the author's words.
    pub reason: String,
}

/// What hides a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A comment in the file.
    Inline,
    /// An `[[allow]]` entry.
    Config,
    /// The baseline.
    Baseline,
}

/// Applies all suppressions of a tree to its findings. Reports faulty suppressions to `sink`.
pub fn apply(
    findings: &mut [Finding],
    directives: &Directives,
    config: &Config,
    root: &Path,
    today: jiff::civil::Date,
    sink: &mut Sink<'_>,
    selection: &Selection,
) {
    let mut by_path: BTreeMap<String, Vec<&mut Finding>> = BTreeMap::new();
    for finding in findings.iter_mut() {
        let here = by_path.entry(finding.path.clone()).or_default();
        here.push(finding);
    }
    for (path, directives) in directives {
        let here = by_path.entry(path.clone()).or_default();
        for directive in directives {
            inline(path, directive, here, sink, selection);
        }
    }
    if config.profile == Profile::Portable {
        // The tree belongs to somebody else: its own suppressions must not hide security findings.
        for finding in findings.iter_mut() {
            finding
                .suppressed
                .take_if(|_| catalogue::family(finding.rule) == "security");
        }
    }
    let file = config_path(config, root);
    for allow in &config.allow {
        allowed(findings, allow, &file, today, sink, selection);
    }
}

/// Hides the findings of a rule that `covers` accepts. Returns whether there was one.
fn hide<'f>(
    among: impl Iterator<Item = &'f mut Finding>,
    rule: &str,
    covers: impl Fn(&Finding) -> bool,
    by: By,
    reason: &str,
) -> bool {
    let mut used = false;
    for finding in among.filter(|one| catalogue::is_named(one.rule, rule) && covers(one)) {
        used = true;
        let reason = reason.to_owned();
        finding.suppressed.get_or_insert(Suppressed { by, reason });
    }
    used
}

fn inline(
    path: &str,
    directive: &Directive,
    here: &mut [&mut Finding],
    sink: &mut Sink<'_>,
    selection: &Selection,
) {
    let (place, reason) = (directive.place, &directive.reason);
    if directive.rules.is_empty() {
        sink.found("SR903", path, place, "the suppression names no rule");
    }
    if reason.is_empty() {
        let message = "the suppression gives no reason and hides nothing";
        sink.found("SR901", path, place, message);
        return;
    }
    let covers = |finding: &Finding| match directive.scope {
        Scope::File => true,
        Scope::Lines(first, last) => (first..=last).contains(&finding.line),
    };
    for name in &directive.rules {
        let here = here.iter_mut().map(|finding| &mut **finding);
        if !catalogue::is_known(name) {
            sink.found("SR903", path, place, catalogue::unknown(name));
        } else if !hide(here, name, covers, By::Inline, reason) && ran(selection, name) {
            let message = format!("there is no finding of {name} here to hide");
            sink.found("SR902", path, place, message);
        }
    }
}

fn allowed(
    findings: &mut [Finding],
    allow: &Allow,
    file: &str,
    today: jiff::civil::Date,
    sink: &mut Sink<'_>,
    selection: &Selection,
) {
    let (name, reason) = (&allow.rule, &allow.reason);
    let expired = allow.until.filter(|until| *until < today);
    let pattern = patterns(Path::new(""), std::iter::once(allow.path.as_str()));
    let covers = |finding: &Finding| {
        let matched = || pattern.matched_path_or_any_parents(&finding.path, false);
        finding.path == allow.path || matched().is_ignore()
    };
    let all = findings.iter_mut();
    let (rule, fault) = if reason.is_empty() {
        ("SR901", String::from("gives no reason and hides nothing"))
    } else if let Some(until) = expired {
        ("SR904", format!("held until {until}"))
    } else if !hide(all, name, covers, By::Config, reason) && ran(selection, name) {
        ("SR902", String::from("hides nothing"))
    } else {
        return;
    };
    let message = format!("[[allow]] of {name} for {} {fault}", allow.path);
    sink.found(rule, file, (allow.line, 1), message);
}

/// Whether all rules that a name stands for ran. Otherwise a suppression of it may be needed although it hid nothing.
fn ran(selection: &Selection, name: &str) -> bool {
    let mut named = catalogue::all()
        .iter()
        .filter(|rule| catalogue::is_named(rule.id, name));
    named.all(|rule| selection.severity(rule.id).is_some())
}

/// The path of the configuration file in findings: relative to the root, with `..` when it is above the root.
fn config_path(config: &Config, root: &Path) -> String {
    let Some(file) = &config.file else {
        return String::from("skill-lint.toml");
    };
    let file = file.canonicalize().unwrap_or_else(|_| file.clone());
    for (ups, above) in root.ancestors().enumerate() {
        if let Ok(rest) = file.strip_prefix(above) {
            return format!("{}{}", "../".repeat(ups), rest.display());
        }
    }
    file.display().to_string()
}

#[cfg(test)]
mod tests;
