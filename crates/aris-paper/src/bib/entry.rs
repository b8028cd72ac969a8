//! One entry: key and fields, and what to do when they do not read as such.

use std::collections::BTreeMap;

use super::reader::{Next, Reader, closing, short};
use super::scan::Head;
use super::{Entry, Field, Place, ProblemKind, Span};
use crate::latex;

/// Why a field could not be read, and where that became clear.
enum Broken {
    /// The entry may still go on after the next comma.
    Field(usize),
    /// Nothing more of the entry can be told apart.
    Entry(usize),
}

impl<'a> Reader<'a> {
    pub(super) fn entry(
        &mut self,
        head: Head<'a>,
        kind: String,
        open: usize,
        commented: bool,
    ) -> Next {
        let close = closing(self.source.byte(open));
        let kind_span = Span {
            start: head.kind_start,
            end: head.kind_start + head.kind.len(),
        };
        let start = self.source.skip_space(open + 1);
        let mut entry = Entry {
            kind,
            key: String::new(),
            fields: Vec::new(),
            span: Span {
                start: head.at,
                end: start,
            },
            kind_span,
            key_span: Span { start, end: start },
            place: self.positions.place(head.at),
            key_place: self.positions.place(start),
            commented,
            complete: true,
        };
        let at = self.key(&mut entry, start, close);
        let (end, next) = self.fields(&mut entry, at, close);
        entry.span.end = end;
        self.out.entries.push(entry);
        next
    }

    /// Reads the key; answers where the fields begin.
    fn key(&mut self, entry: &mut Entry, start: usize, close: u8) -> usize {
        let end = self.source.key_end(start, close);
        let sign = self.source.skip_space(end);
        let found = self.source.byte(sign);
        if end == start || found == Some(b'=') {
            let message = format!("expected a key after `@{}{{`", entry.kind);
            self.problem(ProblemKind::NoKey, "", start, message);
            return if found == Some(b'=') && end > start {
                start
            } else {
                end
            };
        }
        let mut end = end;
        if !matches!(found, Some(b',' | b'%' | b'@') | None)
            && found != Some(close)
            && !self.source.is_field(sign)
        {
            // A blank in the key: take the rest of it up to the comma, on the same line.
            end = self.source.run(end, |b| {
                !matches!(b, b',' | b'\n' | b'=' | b'{' | b'}' | b'@')
            });
            let written = self.source.slice(start, end).trim_end();
            end = start + written.len();
            let message = format!(
                "key `{}` holds white space; BibTeX and LaTeX stop reading it there",
                short(written)
            );
            self.problem(ProblemKind::BadKey, written, start, message);
        }
        entry.key_span = Span { start, end };
        self.source.slice(start, end).clone_into(&mut entry.key);
        let sign = self.source.skip_space(end);
        if self.source.is_field(sign) {
            let message = format!("expected a comma after key `{}`", entry.key);
            let key = entry.key.clone();
            self.problem(ProblemKind::NoComma, &key, end, message);
        }
        end
    }

    /// Reads fields up to the closing bracket; answers where the entry ends and where to go on.
    fn fields(&mut self, entry: &mut Entry, at: usize, close: u8) -> (usize, Next) {
        let mut at = at;
        let mut seen = BTreeMap::new();
        loop {
            at = self.source.skip_space(at);
            match self.source.byte(at) {
                Some(byte) if byte == close => return (at + 1, Next::At(at + 1)),
                Some(b',') => at += 1,
                Some(b'%') => {
                    let message =
                        "BibTeX knows no comments inside an entry; move this line out of it"
                            .to_owned();
                    self.problem(ProblemKind::CommentInEntry, &entry.key, at, message);
                    at = self.source.next_line(at).max(at + 1);
                }
                None | Some(b'@') => return self.unclosed(entry, at),
                Some(_) => match self.field(entry, &mut seen, at, close) {
                    Ok(end) => at = end,
                    Err(Broken::Entry(from)) => {
                        entry.complete = false;
                        return (from, Next::Recover(from));
                    }
                    Err(Broken::Field(from)) => {
                        entry.complete = false;
                        match self.skip_field(from, close) {
                            Some(end) => at = end,
                            None => return (from, Next::Recover(from)),
                        }
                    }
                },
            }
        }
    }

    fn unclosed(&mut self, entry: &mut Entry, at: usize) -> (usize, Next) {
        entry.complete = false;
        let message = format!(
            "entry `{}` has no closing bracket before this point",
            entry.key
        );
        self.problem(
            ProblemKind::UnclosedEntry,
            &entry.key,
            entry.span.start,
            message,
        );
        // Another `@` directly behind is tried as it stands; it need not begin a line.
        (
            at,
            if self.source.byte(at) == Some(b'@') {
                Next::At(at)
            } else {
                Next::Recover(at)
            },
        )
    }

    /// Reads one `name = value`; answers with its end.
    fn field(
        &mut self,
        entry: &mut Entry,
        seen: &mut BTreeMap<String, Place>,
        at: usize,
        close: u8,
    ) -> Result<usize, Broken> {
        let name_end = self.source.word_end(at);
        let equals = self.source.skip_space(name_end);
        if name_end == at || self.source.byte(equals) != Some(b'=') {
            let found = short(self.source.slice(at, self.source.next_line(at)));
            let message = format!("expected `field = value`, found `{found}`");
            self.problem(ProblemKind::BadField, &entry.key, at, message);
            return Err(Broken::Field(name_end));
        }
        let name = self.source.slice(at, name_end).to_ascii_lowercase();
        let place = self.positions.place(at);
        let value_start = self.source.skip_space(equals + 1);
        let value = self.value(&entry.key, value_start);
        if value.broken {
            return Err(Broken::Entry(value.end));
        }
        if let Some(first) = seen.get(&name).copied() {
            let message = format!(
                "field `{name}` stands twice; BibTeX keeps the first, on line {}",
                first.line
            );
            self.problem(
                ProblemKind::DuplicateField { first },
                &entry.key,
                at,
                message,
            );
        } else {
            seen.insert(name.clone(), place);
        }
        let end = value.end;
        entry.fields.push(Field {
            text: latex::to_text(&value.raw),
            name,
            raw: value.raw,
            span: Span { start: at, end },
            name_span: Span {
                start: at,
                end: name_end,
            },
            value_span: Span {
                start: value_start.min(end),
                end,
            },
            place,
        });
        let sign = self.source.skip_space(end);
        match self.source.byte(sign) {
            Some(byte) if byte == close || matches!(byte, b',' | b'%' | b'@') => Ok(sign),
            None => Ok(sign),
            Some(_) => {
                if self.source.is_field(sign) {
                    let message =
                        "expected a comma before this field; BibTeX drops the rest of the entry"
                            .to_owned();
                    self.problem(ProblemKind::NoComma, &entry.key, sign, message);
                    return Ok(sign);
                }
                let message = "expected a comma or the end of the entry here".to_owned();
                self.problem(ProblemKind::BadField, &entry.key, sign, message);
                Err(Broken::Field(sign))
            }
        }
    }

    /// Skips to the next comma or closing bracket of the entry; nothing when another entry comes first.
    fn skip_field(&self, at: usize, close: u8) -> Option<usize> {
        let mut at = at;
        loop {
            match self.source.byte(at)? {
                b'{' => at = self.braces.close_of(at)? + 1,
                byte if byte == b',' || byte == close => return Some(at),
                b'}' => return None,
                b'@' if self.source.is_entry_position(at) => return None,
                _ => at += 1,
            }
        }
    }
}
