//! Suppressions: findings that the author knows and accepts, with the reason.
//!
//! Inline in Markdown, `<!-- skill-lint: allow SR110 reason="made at run time" -->` covers the next line that is not blank,
//! `allow-file` the file; in other text files `# skill-lint: allow SR404 reason="…"` (or `//`) covers its line and the one below.
//! Inside a fence or a code span of Markdown it is text. In the configuration, `[[allow]]` entries.

use std::collections::BTreeMap;
use std::path::Path;

use aris_skills::markdown::Document;
use aris_skills::text::{Text, column};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::catalogue;
use crate::config::{Allow, Config};
use crate::finding::{Finding, Sink};
use crate::profile::Profile;
use crate::selection::Selection;

const MARK: &str = "skill-lint:";

/// Where an inline suppression holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    File,
    /// First and last line.
    Lines(usize, usize),
}

/// An inline suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    line: usize,
    col: usize,
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
    if document.in_fence(number)
        || document
            .span_at(text.start(number) + before.len())
            .is_some()
    {
        return None;
    }
    let next = text
        .lines_from(number + 1)
        .find(|(_, line)| !line.trim().is_empty());
    let covered = next.map_or(number, |(number, _)| number);
    Some(directive(
        body,
        (number, column(line, before.len())),
        (covered, covered),
    ))
}

fn in_script(number: usize, line: &str) -> Option<Directive> {
    let at = line.find(MARK)?;
    let before = line.get(..at)?.trim_end();
    let comment = before
        .strip_suffix('#')
        .or_else(|| before.strip_suffix("//"))?;
    let alone = comment.is_empty() || comment.ends_with([' ', '\t', '#', ';']);
    let body = line.get(at + MARK.len()..)?;
    alone.then(|| {
        directive(
            body,
            (number, column(line, comment.len())),
            (number, number + 1),
        )
    })
}

/// `allow SR110,SR111 reason="…"`, or `allow-file …`.
fn directive(body: &str, place: (usize, usize), lines: (usize, usize)) -> Directive {
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
        line: place.0,
        col: place.1,
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

/// Applies all suppressions of a tree to its findings: what hides each, in their order. Faults of the suppressions themselves go
/// to `sink`.
pub fn apply(
    findings: &[Finding],
    directives: &Directives,
    config: &Config,
    root: &Path,
    today: jiff::civil::Date,
    sink: &mut Sink<'_>,
    selection: &Selection,
) -> Vec<Option<Suppressed>> {
    let mut hidden: Vec<Option<Suppressed>> = vec![None; findings.len()];
    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate() {
        by_path.entry(&finding.path).or_default().push(at);
    }
    for (path, directives) in directives {
        let here = by_path.get(path.as_str()).map_or(&[][..], Vec::as_slice);
        for directive in directives {
            inline(
                path,
                directive,
                findings,
                here,
                &mut hidden,
                sink,
                selection,
            );
        }
    }
    if config.profile == Profile::Portable {
        // The tree is somebody else's: its own word does not decide whether it is dangerous.
        let findings = findings.iter().zip(&mut hidden);
        for (_, slot) in findings.filter(|(finding, _)| finding.rule.family() == "security") {
            *slot = None;
        }
    }
    let file = config_path(config, root);
    for allow in &config.allow {
        allowed(allow, &file, findings, &mut hidden, today, sink, selection);
    }
    hidden
}

fn inline(
    path: &str,
    directive: &Directive,
    findings: &[Finding],
    here: &[usize],
    hidden: &mut [Option<Suppressed>],
    sink: &mut Sink<'_>,
    selection: &Selection,
) {
    let (line, col) = (directive.line, directive.col);
    if directive.rules.is_empty() {
        sink.found("SR903", path, (line, col), "the suppression names no rule");
    }
    if directive.reason.is_empty() {
        sink.found(
            "SR901",
            path,
            (line, col),
            "the suppression gives no reason and hides nothing",
        );
        return;
    }
    for name in &directive.rules {
        if !catalogue::is_known(name) {
            sink.found("SR903", path, (line, col), catalogue::unknown(name));
            continue;
        }
        let mut used = false;
        for at in here {
            let Some(finding) = findings.get(*at) else {
                continue;
            };
            let covered = match directive.scope {
                Scope::File => true,
                Scope::Lines(first, last) => (first..=last).contains(&finding.line),
            };
            if covered && finding.rule.is_named(name) {
                used = true;
                hide(hidden, *at, By::Inline, &directive.reason);
            }
        }
        if !used && ran(selection, name) {
            sink.found(
                "SR902",
                path,
                (line, col),
                format!("there is no finding of {name} here to hide"),
            );
        }
    }
}

fn allowed(
    allow: &Allow,
    file: &str,
    findings: &[Finding],
    hidden: &mut [Option<Suppressed>],
    today: jiff::civil::Date,
    sink: &mut Sink<'_>,
    selection: &Selection,
) {
    let what = format!("[[allow]] of {} for {}", allow.rule, allow.path);
    if allow.reason.is_empty() {
        sink.found(
            "SR901",
            file,
            (allow.line, 1),
            format!("{what} gives no reason and hides nothing"),
        );
        return;
    }
    if let Some(until) = allow.until.filter(|until| *until < today) {
        sink.found(
            "SR904",
            file,
            (allow.line, 1),
            format!("{what} held until {until}"),
        );
        return;
    }
    let pattern = pattern(&allow.path);
    let mut used = false;
    for (at, finding) in findings.iter().enumerate() {
        let fits = finding.path == allow.path
            || pattern
                .matched_path_or_any_parents(&finding.path, false)
                .is_ignore();
        if fits && finding.rule.is_named(&allow.rule) {
            used = true;
            hide(hidden, at, By::Config, &allow.reason);
        }
    }
    if !used && ran(selection, &allow.rule) {
        sink.found(
            "SR902",
            file,
            (allow.line, 1),
            format!("{what} hides nothing"),
        );
    }
}

fn hide(hidden: &mut [Option<Suppressed>], at: usize, by: By, reason: &str) {
    if let Some(slot) = hidden.get_mut(at)
        && slot.is_none()
    {
        *slot = Some(Suppressed {
            by,
            reason: reason.to_owned(),
        });
    }
}

/// Whether all rules of a name ran: else nobody knows whether a suppression of it is needed.
fn ran(selection: &Selection, name: &str) -> bool {
    let mut named = catalogue::all().iter().filter(|rule| rule.is_named(name));
    named.all(|rule| selection.severity(rule.id).is_some())
}

fn pattern(path: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    // The configuration's reader has tried it.
    builder.add_line(None, path).map(|_| ()).unwrap_or_default();
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The configuration file as findings name it: relative to the root, with `..` when it lies above.
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
