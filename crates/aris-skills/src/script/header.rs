//! The comment at the top of a script that says how to use it.

use super::ScriptKind;
use crate::text::Text;

/// Lines of a PowerShell file in which its comment block may begin.
const PS1_LINES: usize = 40;

/// Line numbers and texts of a header.
pub type Lines = Vec<(usize, String)>;

/// The header of a script, comment marks removed.
///
/// For sh, Ruby and Perl the `#` lines after the shebang and blank lines; for Python the module docstring and that block; for
/// JavaScript and TypeScript a leading `/* */` or `//` block; for PowerShell the first `<# #>` that begins in the first 40
/// lines, or `#` lines.
pub fn header(kind: ScriptKind, text: &Text) -> Lines {
    let first = if text.line(1).starts_with("#!") { 2 } else { 1 };
    match kind {
        ScriptKind::Sh | ScriptKind::Rb | ScriptKind::Pl => marked(text, first, "#").0,
        ScriptKind::Py => python(text, first),
        ScriptKind::Js | ScriptKind::Ts => slashed(text, first),
        ScriptKind::Ps1 => powershell(text, first),
    }
}

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
