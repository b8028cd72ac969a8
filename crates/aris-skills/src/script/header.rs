//! The comment at the top of a script that says how to use it.

use super::ScriptKind;
use crate::text::Text;

/// Lines of a PowerShell file in which its comment block may begin.
const PS1_LINES: usize = 40;

/// The header of a script.
///
/// For sh, Ruby and Perl the `#` lines after the shebang and blank lines; for Python the module docstring and that block; for
/// JavaScript and TypeScript a leading `/* */` or `//` block; for PowerShell the first `<# #>` that begins in the first 40
/// lines, or `#` lines. Directive comments do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Line numbers and texts, comment marks removed.
    pub lines: Vec<(usize, String)>,
}

/// What a header can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// `Usage`, `Synopsis`
    Usage,
    /// `Example`, `Examples`
    Example,
    /// `Exit`, `Exits`, `Exit code`, `Exit codes`, `Exit status`
    Exit,
    /// `Input`, `Inputs`
    Input,
    /// `Output`, `Outputs`
    Output,
    /// `Stderr`
    Stderr,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 6] = [
        Self::Usage,
        Self::Example,
        Self::Exit,
        Self::Input,
        Self::Output,
        Self::Stderr,
    ];

    /// Its forms in lower case, the longest first.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Usage => &["usage", "synopsis"],
            Self::Example => &["examples", "example"],
            Self::Exit => &["exit status", "exit codes", "exit code", "exits", "exit"],
            Self::Input => &["inputs", "input"],
            Self::Output => &["outputs", "output"],
            Self::Stderr => &["stderr"],
        }
    }
}

/// Characters of a header line in which fields are looked for: longer ones are data.
const LONGEST: usize = 1_000;

impl Header {
    /// The header of a script.
    pub fn of(kind: ScriptKind, text: &Text) -> Self {
        let first = if text.line(1).starts_with("#!") { 2 } else { 1 };
        let mut lines = match kind {
            ScriptKind::Sh | ScriptKind::Rb | ScriptKind::Pl => marked(text, first, "#").0,
            ScriptKind::Py => python(text, first),
            ScriptKind::Js | ScriptKind::Ts => slashed(text, first),
            ScriptKind::Ps1 => powershell(text, first),
        };
        lines.retain(|(_, line)| !line.trim().is_empty() && !is_directive(line));
        Self { lines }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether it has a field.
    pub fn has(&self, field: Field) -> bool {
        self.line_of(field).is_some()
    }

    /// The line of a field: its word stands at the start of a header line or after a sentence end inside it (case-insensitive,
    /// leading punctuation ignored), then optionally `(…)`, then `:` or the line end.
    pub fn line_of(&self, field: Field) -> Option<usize> {
        let found = self.lines.iter().find(|(_, line)| {
            let end = line
                .char_indices()
                .nth(LONGEST)
                .map_or(line.len(), |(at, _)| at);
            let lower = line.get(..end).unwrap_or(line).to_lowercase();
            starts(&lower).any(|start| begins_with(start, field))
        });
        found.map(|(number, _)| *number)
    }
}

/// The places in a line where a field can begin.
fn starts(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(ends)
        .filter_map(|at| line.get(at..))
        .enumerate()
        .filter(|(at, rest)| *at == 0 || rest.starts_with(char::is_whitespace))
        .map(|(_, rest)| rest)
}

fn begins_with(start: &str, field: Field) -> bool {
    let start = start.trim_start_matches(|c: char| !c.is_alphanumeric());
    field.words().iter().any(|word| {
        let Some(rest) = start.strip_prefix(word) else {
            return false;
        };
        let rest = rest.trim_start();
        let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((_, behind)) => behind.trim_start(),
            None => rest,
        };
        rest.is_empty() || rest.starts_with(':')
    })
}

/// Comments for programs and not for people.
fn is_directive(line: &str) -> bool {
    const WORDS: [&str; 19] = [
        "shellcheck",
        "-*-",
        "vim:",
        "vi:",
        "ex:",
        "coding:",
        "coding=",
        "skill-lint:",
        "pylint:",
        "flake8:",
        "ruff:",
        "noqa",
        "mypy:",
        "pyright:",
        "type:",
        "eslint",
        "@ts-",
        "prettier-ignore",
        "rubocop:",
    ];
    let line = line.trim().trim_start_matches(['#', '*', '/', ' ']);
    WORDS.iter().any(|word| line.starts_with(word))
}

type Lines = Vec<(usize, String)>;

/// Lines from `first` on that start with `mark`, blank lines between them passed over; and the first line behind.
fn marked(text: &Text, first: usize, mark: &str) -> (Lines, usize) {
    let mut found = Vec::new();
    for (number, line) in text.lines_from(first) {
        let line = line.trim_start();
        match line.strip_prefix(mark) {
            Some(rest) => found.push((number, rest.to_owned())),
            None if line.is_empty() => {}
            None => return (found, number),
        }
    }
    (found, text.len() + 1)
}

fn python(text: &Text, first: usize) -> Lines {
    let (mut found, next) = marked(text, first, "#");
    let line = text.line(next).trim_start();
    let body = line.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| body.starts_with(quote));
    let (Some(quote), true) = (quote, line.len() - body.len() <= 1) else {
        return found;
    };
    let start = body.strip_prefix(quote).unwrap_or_default();
    if let Some((inside, _)) = start.split_once(quote) {
        found.push((next, inside.to_owned()));
        return found;
    }
    if quote.len() == 1 {
        return found;
    }
    found.push((next, start.to_owned()));
    for (number, line) in text.lines_from(next + 1) {
        match line.split_once(quote) {
            Some((inside, _)) => {
                found.push((number, inside.to_owned()));
                break;
            }
            None => found.push((number, line.to_owned())),
        }
    }
    found
}

fn slashed(text: &Text, first: usize) -> Lines {
    let start = text
        .lines_from(first)
        .find(|(_, line)| !line.trim().is_empty());
    let Some((number, line)) = start else {
        return Vec::new();
    };
    if !line.trim_start().starts_with("/*") {
        return marked(text, number, "//").0;
    }
    let mut found = block(text, number, "/*", "*/");
    for (_, line) in &mut found {
        let inner = line.trim_start().trim_start_matches('*').to_owned();
        *line = inner;
    }
    found
}

fn powershell(text: &Text, first: usize) -> Lines {
    let start = text
        .lines_from(first)
        .take_while(|(number, _)| *number <= PS1_LINES)
        .find(|(_, line)| line.contains("<#"));
    match start {
        Some((number, _)) => block(text, number, "<#", "#>"),
        None => marked(text, first, "#").0,
    }
}

/// The lines between `open` on line `first` and `close`.
fn block(text: &Text, first: usize, open: &str, close: &str) -> Lines {
    let mut found = Vec::new();
    for (number, line) in text.lines_from(first) {
        let line = match line.split_once(open) {
            Some((_, inside)) if number == first => inside,
            _ => line,
        };
        match line.split_once(close) {
            Some((inside, _)) => {
                found.push((number, inside.to_owned()));
                break;
            }
            None => found.push((number, line.to_owned())),
        }
    }
    found
}
