//! From text to entries.

use std::collections::BTreeMap;

use super::position::Positions;
use super::scan::{Head, Source};
use super::value::{self, Macros};
use super::{Bibliography, MacroDefinition, Place, Problem, ProblemKind, Span};
use crate::braces::Braces;
use crate::tables::words;

/// Reads a file of references. Never fails; linear in the length of the text.
pub fn read(text: &str) -> Bibliography {
    read_after(text, &[])
}

/// Reads a file of references that stands behind others: their `@string` definitions hold here too, as BibTeX
/// carries them from one file of `\\bibliography{strings,refs}` to the next.
pub fn read_after(text: &str, earlier: &[MacroDefinition]) -> Bibliography {
    let mut macros = Macros::new(text.len());
    for definition in earlier {
        macros.define(definition.name.clone(), definition.raw.clone());
    }
    let mut reader = Reader {
        source: Source::new(text),
        braces: Braces::new(text),
        positions: Positions::new(text),
        macros,
        comment_end: 0,
        out: Bibliography::default(),
    };
    reader.file();
    reader
        .out
        .problems
        .sort_by_key(|problem| problem.place.offset);
    reader.out
}

pub(super) struct Reader<'a> {
    pub(super) source: Source<'a>,
    pub(super) braces: Braces,
    pub(super) positions: Positions<'a>,
    macros: Macros,
    /// Where the last `@comment{…}` ends.
    comment_end: usize,
    pub(super) out: Bibliography,
}

/// Where reading goes on after an entry.
pub(super) enum Next {
    /// Right here: the entry is over.
    At(usize),
    /// At the first thing from here on that can only be an entry.
    Recover(usize),
}

impl<'a> Reader<'a> {
    fn file(&mut self) {
        let mut at = 0;
        if self.source.text.starts_with('\u{feff}') {
            at = '\u{feff}'.len_utf8();
            let message =
                "the file begins with a byte order mark; BibTeX reads it as text, save without it";
            self.problem(ProblemKind::ByteOrderMark, "", 0, message.to_owned());
        }
        let text = self
            .source
            .text
            .strip_suffix('\n')
            .unwrap_or(self.source.text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let last_line = text.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let mut is_over = false;
        while let Some(sign) = self.source.next_at(at) {
            let before = self.out.entries.len();
            at = match self.source.head(sign) {
                Some(head) => self.block(head),
                None => sign + 1,
            };
            if let Some(entry) = self.out.entries.get(before)
                && is_over
            {
                let message = format!(
                    "BibTeX does not find `{}`: it reads no entry behind another on the last line of a file; begin a new line there",
                    entry.key
                );
                let (key, at) = (entry.key.clone(), entry.span.start);
                self.problem(ProblemKind::LastLine, &key, at, message);
            }
            is_over = at > last_line;
        }
        self.duplicate_keys();
    }

    /// Reads what stands behind one `@`; answers where to go on.
    fn block(&mut self, head: Head<'a>) -> usize {
        let after_kind = head.kind_start + head.kind.len();
        let is_remark = self.source.is_commented(head.at);
        let commented = is_remark || head.at < self.comment_end;
        let kind = head.kind.to_ascii_lowercase();
        let Some(open) = head.open else {
            if kind != "comment"
                && !commented
                && self.source.is_entry_position(head.at)
                && words("entry types").contains(&kind.as_str())
            {
                let message = format!("expected `{{` after `@{}`", head.kind);
                self.problem(ProblemKind::NoBracket, "", head.at, message);
            }
            return after_kind;
        };
        if is_remark && !self.closes_on_line(open) {
            return self.source.next_line(head.at).max(after_kind);
        }
        let problems = self.out.problems.len();
        let next = match kind.as_str() {
            "comment" => {
                self.comment(head.at, open);
                return open + 1;
            }
            "preamble" => self.preamble(head.at, open),
            "string" => self.string(head.at, open),
            _ => self.entry(head, kind, open, commented),
        };
        if commented && self.out.problems.len() > problems {
            // What does not read as an entry behind `%` is a remark; BibTeX's complaint is not worth one here.
            self.out.problems.truncate(problems);
            if let Some(last) = self.out.entries.last()
                && last.span.start == head.at
            {
                self.out.entries.pop();
            }
            return self.source.next_line(head.at).max(after_kind);
        }
        match next {
            Next::At(end) => {
                if !commented {
                    self.stray_text(end);
                }
                end
            }
            Next::Recover(from) => {
                let length = self.source.text.len();
                self.source
                    .entry_start(from.max(after_kind), length)
                    .unwrap_or(length)
            }
        }
    }

    fn comment(&mut self, at: usize, open: usize) {
        if let Some(close) = self.close_of(open) {
            let (start, end) = (at, close + 1);
            self.out.comments.push(Span { start, end });
            self.comment_end = self.comment_end.max(end);
        }
    }

    fn preamble(&mut self, at: usize, open: usize) -> Next {
        let value = self.value("", open + 1);
        let close = self.source.skip_space(value.end);
        if value.broken || self.source.byte(close) != Some(closing(self.source.byte(open))) {
            if !value.broken {
                let message = "expected the end of @preamble here".to_owned();
                self.problem(ProblemKind::UnclosedEntry, "", close, message);
            }
            return Next::Recover(value.end);
        }
        self.out.preambles.push(Span {
            start: at,
            end: close + 1,
        });
        Next::At(close + 1)
    }

    fn string(&mut self, at: usize, open: usize) -> Next {
        let start = self.source.skip_space(open + 1);
        let end = self.source.word_end(start);
        let equals = self.source.skip_space(end);
        if end == start || self.source.byte(equals) != Some(b'=') {
            let message = "expected `name = value` in @string".to_owned();
            self.problem(ProblemKind::BadField, "", start, message);
            return Next::Recover(end);
        }
        let name = self.source.slice(start, end).to_ascii_lowercase();
        let value = self.value("", equals + 1);
        if value.broken {
            return Next::Recover(value.end);
        }
        self.macros.define(name.clone(), value.raw.clone());
        let place = self.positions.place(at);
        self.out.macros.push(MacroDefinition {
            name,
            raw: value.raw,
            place,
        });
        let mut close = self.source.skip_space(value.end);
        if self.source.byte(close) == Some(b',') {
            close = self.source.skip_space(close + 1);
        }
        if self.source.byte(close) != Some(closing(self.source.byte(open))) {
            let message = "expected the end of @string here".to_owned();
            self.problem(ProblemKind::UnclosedEntry, "", close, message);
            return Next::Recover(value.end);
        }
        Next::At(close + 1)
    }

    pub(super) fn value(&mut self, key: &str, at: usize) -> value::Value {
        let mut value = value::read(&self.source, &self.braces, &mut self.macros, at);
        for (kind, offset, message) in value.problems.drain(..) {
            self.problem(kind, key, offset, message);
        }
        value
    }

    /// Reports fields that an early closing bracket cut off.
    fn stray_text(&mut self, end: usize) {
        let next = self.source.skip_space(end);
        if !matches!(self.source.byte(next), Some(b',' | b'}')) {
            return;
        }
        let is_field = self.source.is_field(self.source.skip_space(next + 1));
        if is_field || self.source.byte(next) == Some(b'}') {
            let message =
                "text after the entry looks like a part of it; look for a closing brace too many"
                    .to_owned();
            let key = self
                .out
                .entries
                .last()
                .map(|entry| entry.key.clone())
                .unwrap_or_default();
            self.problem(ProblemKind::StrayText, &key, next, message);
        }
    }

    fn duplicate_keys(&mut self) {
        let mut seen: BTreeMap<String, (Place, String)> = BTreeMap::new();
        let mut found = Vec::new();
        for entry in self
            .out
            .entries
            .iter()
            .filter(|entry| !entry.commented && !entry.key.is_empty())
        {
            match seen.get(&entry.key.to_ascii_lowercase()) {
                None => {
                    seen.insert(
                        entry.key.to_ascii_lowercase(),
                        (entry.key_place, entry.key.clone()),
                    );
                }
                Some((first, key)) => found.push(Problem {
                    kind: ProblemKind::DuplicateKey { first: *first },
                    key: entry.key.clone(),
                    place: entry.key_place,
                    message: if *key == entry.key {
                        format!("key `{key}` is used before, on line {}", first.line)
                    } else {
                        format!(
                            "key `{}` differs from `{key}` on line {} only in case",
                            entry.key, first.line
                        )
                    },
                }),
            }
        }
        self.out.problems.append(&mut found);
    }

    /// Tells whether an entry behind `%` ends on its line; one that does not is a remark, for only its first
    /// line would be commented out.
    fn closes_on_line(&self, open: usize) -> bool {
        let next = self.source.next_line(open);
        self.close_of(open).is_some_and(|close| close < next)
    }

    fn close_of(&self, open: usize) -> Option<usize> {
        if self.source.byte(open) == Some(b'{') {
            return self.braces.close_of(open);
        }
        let end = self
            .source
            .run(open + 1, |byte| byte != b')' && byte != b'@');
        (self.source.byte(end) == Some(b')')).then_some(end)
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, key: &str, offset: usize, message: String) {
        let place = self.positions.place(offset);
        self.out.problems.push(Problem {
            kind,
            key: key.to_owned(),
            place,
            message,
        });
    }
}

/// As much of a text as fits a message.
pub(super) fn short(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    cut.trim_end().to_owned()
}

pub(super) fn closing(open: Option<u8>) -> u8 {
    if open == Some(b'(') { b')' } else { b'}' }
}
