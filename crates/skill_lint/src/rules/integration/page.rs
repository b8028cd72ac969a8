//! One Markdown file under the rules that need nothing but it, and what the others need from it.

use aris_skills::Text;
use aris_skills::markdown::{Document, Fence};

use super::call::calls;
use super::problem::{Problem, Span};
use super::resolver::{
    Anchor, Difference, Line, anchors, blocks, chain_length, difference, indent_of, last_part,
    prelude,
};
use super::v1;
use super::variables::{argument, replaced_directory, unknown_names, unreplaced_directory};

/// What kind of page it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) skill_md: bool,
    /// A page that explains the contract, counter-examples included.
    pub(super) contract: bool,
}

/// A block that finds a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) path: String,
    pub(super) kind: Kind,
    /// Place of its first line, the column in characters.
    pub(super) line: usize,
    pub(super) col: usize,
    pub(super) variable: String,
    /// The helper as it is looked for: the last part of its path.
    pub(super) helper: String,
    /// Code between the block and the next one, or the end of the fence.
    pub(super) code: Vec<String>,
    pub(super) form: Form,
}

/// How a block is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The older template, or something like it.
    Older {
        difference: Option<Difference>,
        /// What to replace by a generated block, and the code in it that stays in front.
        repair: Option<(Span, Vec<String>)>,
        indent: String,
    },
    /// Between markers; the lines between them, without the indentation of the first marker.
    Marked {
        body: Vec<String>,
        /// The bytes between the markers, when they may be replaced.
        span: Option<Span>,
        indent: String,
    },
}

/// What a page says.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) problems: Vec<Problem>,
    pub(super) blocks: Vec<Block>,
    /// Helpers that are called as the installer places them, with line and column.
    pub(super) calls: Vec<(String, usize, usize)>,
}

/// Where the installer places helpers.
const INSTALLED: &str = ".aris/tools/";

/// The helpers that code calls by where the installer places them: byte and name.
fn installed_calls(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices(INSTALLED).filter_map(|(at, _)| {
        let rest = code.get(at + INSTALLED.len()..)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let name = rest.get(..end)?.trim_end_matches('.');
        let whole = !rest.get(end..)?.starts_with(['*', '<', '$', '{', '/']);
        // `NAME` and the like stand for any helper.
        let named = name.contains(|c: char| c.is_ascii_lowercase());
        (whole && named && aris_launch::is_plain(name)).then_some((at, name))
    })
}

/// What the generated block that finds helpers begins with.
const FINDS: &str = "# aris-find:";

/// The helpers that such a block is for: byte and name.
fn sought(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let names = line.trim_start().strip_prefix(FINDS).unwrap_or_default();
    let plain = names
        .split_whitespace()
        .filter(|name| aris_launch::is_plain(name));
    plain.map(move |name| (name.as_ptr().addr() - line.as_ptr().addr(), name))
}

/// Reads a page.
pub(super) fn read(
    path: &str,
    kind: Kind,
    text: &Text,
    document: &Document,
    developer_tools: &[String],
) -> Page {
    let mut page = Page::default();
    let out = &mut page.problems;
    let has = |part: &str| text.raw().contains(part);
    // Most pages have none of this, and looking for it line by line costs more than anything else here.
    let has_calls = has("tools/") || has("/scripts/");
    let has_directory = has("CLAUDE_SKILL_DIR");
    let has_resolvers = has("=\".aris/") || has("# aris-resolver ");
    let has_names = has("${CLAUDE_");
    let has_arguments = kind.skill_md && has("$");
    let has_installed = has(INSTALLED) || has(FINDS);
    let fences = document.fences.iter();
    let wanted = has_calls || has_directory || has_resolvers || has_arguments || has_installed;
    for fence in fences.filter(|_| wanted) {
        let lines: Vec<Line<'_>> = (fence.content())
            .map(|number| (number, fence.text_of(text.line(number))))
            .collect();
        let place = Place { text };
        if has_calls && fence.is_shell() && !kind.contract {
            hard_coded(&lines, &place, developer_tools, out);
        }
        if has_installed && fence.is_shell() && !kind.contract {
            for line in &lines {
                let resolves = lines
                    .iter()
                    .any(|(_, line)| line.contains("# aris-resolver "))
                    || line.1.contains(&format!("=\"{INSTALLED}"));
                let calls = installed_calls(line.1).filter(|_| !resolves);
                for (byte, name) in calls.chain(sought(line.1)) {
                    let at = place.problem("", *line, byte, String::new());
                    page.calls.push((name.to_owned(), at.line, at.col));
                }
            }
        }
        if has_directory {
            directory(fence, &lines, &place, out);
        }
        if has_arguments && !fence.info.starts_with('!') {
            arguments(&lines, &place, out);
        }
        if has_resolvers {
            resolvers(path, kind, fence, &lines, &place, &mut page.blocks, out);
        }
    }
    for (number, line) in text.lines().filter(|_| has_names) {
        for (byte, name) in unknown_names(line) {
            let message =
                format!("`${{CLAUDE_{name}}}` is not a variable that Claude Code replaces");
            out.push(Problem::at(text, "SR513", number, byte, message));
        }
    }
    for span in document
        .spans
        .iter()
        .filter(|_| has_installed && !kind.contract)
    {
        for (_, name) in installed_calls(&span.text) {
            page.calls.push((name.to_owned(), span.line, span.col));
        }
    }
    page
}

/// Turns bytes of a fence's line into columns of the file.
struct Place<'a> {
    text: &'a Text,
}

impl Place<'_> {
    /// A problem at a byte of a line whose block-quote marks are gone.
    fn problem(&self, rule: &'static str, line: Line<'_>, byte: usize, message: String) -> Problem {
        let marks = self.text.line(line.0).len() - line.1.len();
        Problem::at(self.text, rule, line.0, marks + byte, message)
    }
}

fn hard_coded(
    lines: &[Line<'_>],
    place: &Place<'_>,
    developer_tools: &[String],
    out: &mut Vec<Problem>,
) {
    for line in lines {
        for call in calls(line.1, developer_tools) {
            let message = format!("`{}` is called by a path of the repository", call.path);
            out.push(place.problem("SR501", *line, call.byte, message));
        }
    }
}

fn directory(fence: &Fence, lines: &[Line<'_>], place: &Place<'_>, out: &mut Vec<Problem>) {
    let Some((index, byte)) = unreplaced_directory(lines).first().copied() else {
        return;
    };
    let Some(line) = lines.get(index) else {
        return;
    };
    let message = "`CLAUDE_SKILL_DIR` is read as a shell variable, which no host sets: only the exact text \
                   `${CLAUDE_SKILL_DIR}` is replaced";
    let mut problem = place.problem("SR512", *line, byte, message.to_owned());
    if fence.is_shell() && !fence.quoted {
        problem.repair = replaced_directory(lines).and_then(|(first, last, new)| {
            let span = Span::of(place.text, lines.get(first)?.0, lines.get(last)?.0);
            Some((span, new))
        });
    }
    out.push(problem);
}

fn arguments(lines: &[Line<'_>], place: &Place<'_>, out: &mut Vec<Problem>) {
    for line in lines {
        if let Some((byte, digit)) = argument(line.1) {
            let message = format!(
                "Claude Code replaces `${digit}` by an argument of the skill before any shell sees it"
            );
            out.push(place.problem("SR515", *line, byte, message));
        }
    }
}

fn resolvers(
    path: &str,
    kind: Kind,
    fence: &Fence,
    lines: &[Line<'_>],
    place: &Place<'_>,
    found: &mut Vec<Block>,
    out: &mut Vec<Problem>,
) {
    let anchors = anchors(lines);
    let marked = blocks(lines);
    let begins =
        (anchors.iter().map(|anchor| anchor.index)).chain(marked.iter().map(|block| block.index));
    let mut begins: Vec<usize> = begins.collect();
    begins.sort_unstable();
    let code_after = |from: usize| -> Vec<String> {
        let next = begins.partition_point(|begin| *begin < from);
        let until = begins.get(next).copied();
        let code = lines.get(from..until.unwrap_or(lines.len()));
        (code.unwrap_or_default().iter())
            .map(|(_, line)| line.trim())
            .filter(|line| *line != v1::PRELUDE[0])
            .map(str::to_owned)
            .collect()
    };
    let block = |index: usize, variable: &str, helper: &str, end: usize, form: Form| {
        let (line, text) = lines.get(index).copied().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        let at = place.problem("", (line, text), indent, String::new());
        Block {
            path: path.to_owned(),
            kind,
            line,
            col: at.col,
            variable: variable.to_owned(),
            helper: last_part(helper).to_owned(),
            code: code_after(end),
            form,
        }
    };
    let prelude = prelude(lines);
    for anchor in &anchors {
        let end = anchor.index + chain_length(lines, anchor).max(1);
        let may_repair = fence.is_shell() && !fence.quoted;
        let repair = may_repair
            .then(|| repair(lines, anchor, anchors.len() == 1))
            .flatten();
        let form = Form::Older {
            difference: difference(lines, anchor, prelude),
            repair: repair.map(|(first, last, kept)| (Span::of(place.text, first, last), kept)),
            indent: lines
                .get(anchor.index)
                .map_or("", |(_, line)| indent_of(line))
                .to_owned(),
        };
        found.push(block(anchor.index, anchor.variable, anchor.path, end, form));
    }
    for candidate in &marked {
        let marked = match &candidate.marked {
            Ok(marked) => marked,
            Err(message) => {
                if let Some(line) = lines.get(candidate.index) {
                    out.push(place.problem("SR518", *line, 0, (*message).to_owned()));
                }
                continue;
            }
        };
        let indent = lines
            .get(candidate.index)
            .map_or("", |(_, line)| indent_of(line));
        let body = lines
            .get(candidate.index + 1..marked.end)
            .unwrap_or_default();
        let first = lines
            .get(candidate.index)
            .map_or(0, |(number, _)| number + 1);
        let last = lines.get(marked.end).map_or(0, |(number, _)| number - 1);
        let form = Form::Marked {
            body: (body.iter())
                .map(|(_, line)| line.strip_prefix(indent).unwrap_or(line).to_owned())
                .collect(),
            span: (!fence.quoted).then(|| Span::of(place.text, first, last)),
            indent: indent.to_owned(),
        };
        found.push(block(
            candidate.index,
            marked.variable,
            marked.helper,
            marked.end + 1,
            form,
        ));
    }
}

/// What to replace by a generated block: the chain, and the manifest lookup before it, which the generated block does itself. Only
/// for helpers directly in `tools/`, the only folder that it looks into; only when the first three lines are the template's; and
/// the lookup stays where other blocks of the fence rest on it.
fn repair(
    lines: &[Line<'_>],
    anchor: &Anchor<'_>,
    only_one: bool,
) -> Option<(usize, usize, Vec<String>)> {
    let name = anchor.path.strip_prefix("tools/")?;
    let length = chain_length(lines, anchor);
    if length < 3 || !aris_launch::is_plain(name) {
        return None;
    }
    let before = lines.get(..anchor.index)?;
    let last = lines.get(anchor.index + length - 1)?.0;
    let Some((at, length)) = only_one.then(|| lookup(before)).flatten() else {
        return Some((lines.get(anchor.index)?.0, last, Vec::new()));
    };
    let kept = before.get(at + length..)?.iter();
    let kept = kept.map(|(_, line)| (*line).to_owned()).collect();
    Some((lines.get(at)?.0, last, kept))
}

/// The last lookup of the repository in the installer's manifest, and how many lines it has: those of the template, or one line
/// that does the same.
fn lookup(lines: &[Line<'_>]) -> Option<(usize, usize)> {
    let three = v1::PRELUDE.iter().skip(1);
    (0..lines.len()).rev().find_map(|at| {
        let here = lines.get(at..)?.iter().map(|(_, line)| line.trim());
        let is_three = here.len() >= 3
            && here
                .clone()
                .zip(three.clone())
                .all(|(line, of)| line == *of);
        let is_one = here.clone().next().is_some_and(v1::is_short_lookup);
        is_three.then_some((at, 3)).or(is_one.then_some((at, 1)))
    })
}
