//! One Markdown file: the rules that need only this file, and what other rules need from it.

use std::ops::Range;

use aris_skills::markdown::{Document, Fence};
use aris_skills::{Text, names};

use super::call::calls;
use super::resolver::{self, Line, indent_of};
use super::variables::{argument, given_directory, unknown_names, unreplaced_directory};
use crate::code::shell::Script;
use crate::finding::{Place, Sink};
use crate::fix::Fix;

/// What the rules across pages need from a page.
#[derive(Debug, Default)]
pub struct Page {
    pub(super) path: String,
    pub(super) skill_md: bool,
    /// Whether it explains the contract, and so may contain counter-examples.
    pub(super) explains: bool,
    /// Blocks of the older template.
    pub(super) older: Vec<Older>,
    /// Generated blocks that find helpers.
    pub(super) finds: Vec<Find>,
    /// Helpers that are called at the path where the installer puts them, with line and column.
    pub(super) calls: Vec<(String, Place)>,
}

/// A block of the older template, with its place and its difference from the template.
#[derive(Debug)]
pub(super) struct Older {
    pub(super) place: Place,
    pub(super) helper: String,
    pub(super) fault: Option<String>,
}

/// A generated block: its place, its helpers, and the text between its markers, or what is wrong with the markers.
#[derive(Debug)]
pub(super) struct Find {
    pub(super) place: Place,
    pub(super) helpers: Vec<String>,
    pub(super) body: Result<Body, &'static str>,
}

/// The text between two markers.
#[derive(Debug)]
pub(super) struct Body {
    /// Lines without the indentation of the markers.
    pub(super) lines: Vec<String>,
    pub(super) range: Range<usize>,
    pub(super) indent: String,
    /// Whether it is in a block quote, where nothing is repaired.
    pub(super) quoted: bool,
    /// Line end of the page.
    pub(super) end: &'static str,
}

/// Where the installer puts helpers.
const INSTALLED: &str = ".aris/tools/";

/// First and last line of the generated block that finds helpers.
const FIND: &str = "# aris-find:";
const FIND_END: &str = "# aris-find end";

/// The helpers that code calls at the installer's path: byte and name.
fn installed_calls(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices(INSTALLED).filter_map(|(at, _)| {
        let rest = code.get(at + INSTALLED.len()..)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let name = rest.get(..end)?.trim_end_matches('.');
        let whole = !rest.get(end..)?.starts_with(['*', '<', '$', '{', '/']);
        // Upper-case words such as `NAME` are placeholders.
        let named = name.contains(|c: char| c.is_ascii_lowercase());
        (whole && named && aris_launch::is_plain(name)).then_some((at, name))
    })
}

/// The helpers that the first line of a generated block names: byte and name.
fn sought(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let names = line.trim_start().strip_prefix(FIND).unwrap_or_default();
    let plain = names
        .split_whitespace()
        .filter(|name| aris_launch::is_plain(name));
    plain.map(move |name| (name.as_ptr().addr() - line.as_ptr().addr(), name))
}

impl Page {
    /// Reads a page and reports SR501, SR512, SR513 and SR515, which need only this page.
    pub(super) fn read(
        mut self,
        text: &Text,
        document: &Document,
        developer_tools: &[String],
        sink: &mut Sink<'_>,
    ) -> Self {
        let has = |part: &str| text.raw().contains(part);
        // Most pages contain none of these, and the search line by line is the most expensive step here.
        let has_calls = has("tools/") || has("/scripts/");
        let has_directory = has("CLAUDE_SKILL_DIR");
        let has_older = has("=\".aris/");
        let has_installed = has(INSTALLED) || has("# aris-find");
        let has_arguments = self.skill_md && has("$");
        let has_names = has("${CLAUDE_");
        let wanted = has_calls || has_directory || has_older || has_installed || has_arguments;
        for fence in document.fences.iter().filter(|_| wanted) {
            let lines: Vec<Line<'_>> = (fence.content())
                .map(|number| (number, fence.text_of(text.line(number))))
                .collect();
            // The place of a byte in a line whose block-quote marks were removed.
            let place = |(number, line): Line<'_>, byte: usize| {
                let marks = text.line(number).len() - line.len();
                text.place(text.start(number) + marks + byte)
            };
            if fence.is_shell() && !self.explains {
                for line in lines.iter().filter(|_| has_calls) {
                    for (byte, path) in calls(line.1, developer_tools) {
                        let message = format!("`{path}` is called by a path of the repository");
                        sink.found("SR501", &self.path, place(*line, byte), message);
                    }
                }
                for line in lines.iter().filter(|_| has_installed) {
                    let resolves = line.1.contains(&format!("=\"{INSTALLED}"));
                    let calls = installed_calls(line.1).filter(|_| !resolves);
                    for (byte, name) in calls.chain(sought(line.1)) {
                        self.calls.push((name.to_owned(), place(*line, byte)));
                    }
                }
            }
            if has_directory {
                self.directory(text, fence, &lines, &place, sink);
            }
            if has_arguments && !fence.info.starts_with('!') {
                for line in &lines {
                    if let Some((byte, digit)) = argument(line.1) {
                        let message = format!(
                            "Claude Code replaces `${digit}` by an argument of the skill before any shell sees it"
                        );
                        sink.found("SR515", &self.path, place(*line, byte), message);
                    }
                }
            }
            let blocks = if has_older {
                resolver::blocks(&lines)
            } else {
                Vec::new()
            };
            self.older.extend(blocks.into_iter().filter_map(|block| {
                let line = *lines.get(block.index)?;
                Some(Older {
                    place: place(line, indent_of(line.1).len()),
                    helper: names::file_name(block.path.trim_end_matches('/')).to_owned(),
                    fault: block.fault,
                })
            }));
            if has_installed && self.skill_md {
                self.finds.extend(finds(text, fence, &lines, &place));
            }
        }
        for (number, line) in text.lines().filter(|_| has_names) {
            for (byte, name) in unknown_names(line) {
                let message =
                    format!("`${{CLAUDE_{name}}}` is not a variable that Claude Code replaces");
                let place = text.place(text.start(number) + byte);
                sink.found("SR513", &self.path, place, message);
            }
        }
        let spans = document.spans.iter();
        for span in spans.filter(|_| has_installed && !self.explains) {
            let calls = installed_calls(&span.text);
            self.calls
                .extend(calls.map(|(_, name)| (name.to_owned(), (span.line, span.col))));
        }
        self
    }

    fn directory(
        &self,
        text: &Text,
        fence: &Fence,
        lines: &[Line<'_>],
        place: &impl Fn(Line<'_>, usize) -> Place,
        sink: &mut Sink<'_>,
    ) {
        let uses: Vec<(Line<'_>, usize)> = (unreplaced_directory(lines).into_iter())
            .filter_map(|(at, byte)| Some((*lines.get(at)?, byte)))
            .collect();
        let Some((line, byte)) = uses.first() else {
            return;
        };
        let message = "`CLAUDE_SKILL_DIR` is read as a shell variable, which no host sets: only the exact text \
                       `${CLAUDE_SKILL_DIR}` is replaced";
        let found = sink.found("SR512", &self.path, place(*line, *byte), message);
        // A use that only an inner shell expands (`sh -c '…'`, a script in a here-document) may run where the variable is not
        // set.
        let from = text.start(fence.open + 1);
        let script = Script::read(text.part(fence.range(text)));
        let is_literal = |((number, line), byte): &(Line<'_>, usize)| {
            script.is_literal(
                text.start(*number) + text.line(*number).len() - line.len() + byte - from,
            )
        };
        // A fence without a language may not be a shell, and a transcript (`console`) has prompts before its commands.
        if !fence.is_script() || uses.iter().any(is_literal) {
            return;
        }
        // Insert at the beginning of the fence, because no command, quote or block is open there.
        let has_shebang = lines
            .first()
            .is_some_and(|(_, line)| line.trim_start().starts_with("#!"));
        let at = text.start(fence.open + 1 + usize::from(has_shebang));
        let filled = lines.iter().find(|(_, line)| !line.trim().is_empty());
        let indent = filled.map_or("", |(_, line)| indent_of(line));
        let end = text.line_end(fence.open);
        let new = given_directory().map(|line| format!("{indent}{line}{end}"));
        found.fix(Fix::replace(&self.path, at..at, new.concat()));
    }
}

/// The generated blocks of a fence.
fn finds(
    text: &Text,
    fence: &Fence,
    lines: &[Line<'_>],
    place: &impl Fn(Line<'_>, usize) -> Place,
) -> Vec<Find> {
    let mut found: Vec<Find> = Vec::new();
    // The line at which the open block begins.
    let mut open: Option<usize> = None;
    for (index, line) in lines.iter().enumerate() {
        let (words, indent) = (line.1.trim(), indent_of(line.1));
        if words == FIND_END {
            let body = open
                .take()
                .and_then(|at| lines.get(at..index)?.split_first());
            let Some(((first, _), inner)) = body else {
                found.push(Find {
                    place: place(*line, indent.len()),
                    helpers: Vec::new(),
                    body: Err("the end of a block without its beginning"),
                });
                continue;
            };
            let range = text.start(first + 1)..text.start(line.0);
            let body = Body {
                lines: (inner.iter())
                    .map(|(_, line)| line.strip_prefix(indent).unwrap_or(line).to_owned())
                    .collect(),
                end: text.line_end(*first),
                range,
                indent: indent.to_owned(),
                quoted: fence.quoted,
            };
            if let Some(find) = found.last_mut() {
                find.body = Ok(body);
            }
        }
        if words.starts_with(FIND) {
            open = Some(index);
            found.push(Find {
                place: place(*line, indent.len()),
                helpers: sought(line.1).map(|(_, name)| name.to_owned()).collect(),
                body: Err("the block has no line `# aris-find end`"),
            });
        }
    }
    found
}
