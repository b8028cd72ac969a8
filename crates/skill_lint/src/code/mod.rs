//! Scripts as the rules read them: a small lexer for each language, and a syntax tree for Python.

pub(crate) mod download;
pub(crate) mod javascript;
pub(crate) mod powershell;
pub(crate) mod python;
pub(crate) mod shell;

use aris_skills::Text;
use aris_skills::script::ScriptKind;

use crate::finding::Sink;

/// Most findings of one rule that are reported for one line. Lines with more are generated text, and each column needs a scan
/// of its line.
pub(crate) const MOST_ON_A_LINE: usize = 20;

/// A script, read once for all rules.
#[derive(Debug)]
pub(crate) enum Code<'a> {
    Shell(shell::Script<'a>),
    Python(Box<python::Python>),
    JavaScript(javascript::Script<'a>),
    PowerShell(String),
    /// Ruby and Perl: no rule looks into their code.
    Other,
}

impl<'a> Code<'a> {
    /// Reads a script.
    pub(crate) fn read(kind: ScriptKind, source: &'a str) -> Self {
        match kind {
            ScriptKind::Sh => Self::Shell(shell::Script::read(source)),
            ScriptKind::Py => Self::Python(Box::new(python::Python::read(source, |command| {
                let in_line = |line| download::in_line(line).is_some();
                command.lines().any(in_line)
                    || !download::in_script(&shell::Script::read(command)).is_empty()
            }))),
            ScriptKind::Js | ScriptKind::Ts => Self::JavaScript(javascript::Script::read(source)),
            ScriptKind::Ps1 => Self::PowerShell(powershell::code(source)),
            ScriptKind::Rb | ScriptKind::Pl => Self::Other,
        }
    }
}

/// What a rule found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) rule: &'static str,
    /// Byte offset in the text.
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Hit {
    pub(crate) fn new(rule: &'static str, at: usize, message: impl Into<String>) -> Self {
        Self {
            rule,
            at,
            message: message.into(),
        }
    }
}

/// Reports hits with their lines and columns.
pub(crate) fn report(mut hits: Vec<Hit>, path: &str, text: &Text, sink: &mut Sink<'_>) {
    hits.sort_by_key(|hit| (hit.rule, hit.at));
    let (mut rule, mut line_end, mut on_line) = ("", 0, 0);
    for hit in hits {
        if hit.rule != rule || hit.at >= line_end {
            on_line = 0;
        }
        if on_line == MOST_ON_A_LINE {
            continue;
        }
        let (line, col) = text.place(hit.at);
        (rule, line_end, on_line) = (hit.rule, text.start(line + 1), on_line + 1);
        sink.found(hit.rule, path, (line, col), hit.message);
    }
}
