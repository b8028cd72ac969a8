//! Parses text into entries.

use std::collections::BTreeMap;

use super::scan::{Head, Source};
use super::{Bibliography, Entry, Field, Problem, ProblemKind};
use crate::latex;
use crate::tables::words;

/// Bytes that macros may add, beyond [`EXPANSION_FACTOR`] times the file's length.
///
/// `@string{b = a # a}` doubles; forty such lines would fill any memory.
const EXPANSION_FLOOR: usize = 1 << 20;
/// Times the file's length that macros may add in total.
const EXPANSION_FACTOR: usize = 8;

/// The months, which every BibTeX style defines as macros.
///
/// **Source**: plain.bst
const MONTHS: &str =
    "January February March April May June July August September October November December";

/// Reads a bibliography. Never fails; linear in the length of the text.
pub fn read(text: &str) -> Bibliography {
    read_after(text, &BTreeMap::new())
}

/// Reads a bibliography that follows others. Their `@string` definitions apply here too, because BibTeX carries them from one
/// file of `\bibliography{strings,refs}` to the next.
pub fn read_after<'m>(
    text: &str,
    earlier: impl IntoIterator<Item = (&'m String, &'m String)>,
) -> Bibliography {
    let abbreviated = |name: &str| name.chars().take(3).collect::<String>().to_lowercase();
    let months = MONTHS
        .split(' ')
        .map(|name| (abbreviated(name), name.to_owned()));
    let mut macros: BTreeMap<String, String> = months.collect();
    macros.extend(
        earlier
            .into_iter()
            .map(|(name, text)| (name.clone(), text.clone())),
    );
    let mut reader = Reader {
        source: Source::new(text),
        macros,
        expansion: EXPANSION_FLOOR + EXPANSION_FACTOR * text.len(),
        key: String::new(),
        comment_end: 0,
        out: Bibliography::default(),
    };
    reader.file();
    let problems = &mut reader.out.problems;
    problems.sort_by_key(|problem| problem.place.offset);
    reader.out
}

/// The offset where a construct ends; or, for a malformed one, the offset from which the next entry is searched.
pub(super) type Read = Result<usize, usize>;

pub(super) struct Reader<'a> {
    pub(super) source: Source<'a>,
    /// The text of each macro, by its name in lower case.
    pub(super) macros: BTreeMap<String, String>,
    /// Bytes that macros may still add.
    pub(super) expansion: usize,
    /// Key of the entry that is being read.
    key: String,
    /// Where the last `@comment{…}` ends.
    comment_end: usize,
    out: Bibliography,
}

impl<'a> Reader<'a> {
    fn file(&mut self) {
        let text = self.source.text;
        if text.starts_with('\u{feff}') {
            let message =
                "the file begins with a byte order mark; BibTeX reads it as text, save without it";
            self.problem(ProblemKind::ByteOrderMark, 0, message);
        }
        let last = text.strip_suffix('\n').unwrap_or(text);
        let last = last.strip_suffix('\r').unwrap_or(last);
        let last_line = last.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let mut at = 0;
        while let Some(sign) = text.get(at..).and_then(|rest| rest.find('@')) {
            let before = self.out.entries.len();
            let is_over = at > last_line;
            let sign = at + sign;
            at = match self.source.head(sign) {
                Some(head) => self.block(&head),
                None => sign + 1,
            };
            if let Some(entry) = self.out.entries.get(before).filter(|_| is_over) {
                self.key.clone_from(&entry.key);
                let message = format!(
                    "BibTeX does not find `{}`: it reads no entry behind another on the last line of a file; begin a new line there",
                    entry.key
                );
                self.problem(ProblemKind::LastLine, sign, message);
            }
        }
        self.duplicate_keys();
    }

    /// Reads the construct after one `@`. Returns the offset where reading continues.
    fn block(&mut self, head: &Head<'a>) -> usize {
        self.key.clear();
        let kind = head.kind.to_ascii_lowercase();
        let is_remark = self.source.is_commented(head.at);
        let commented = is_remark || head.at < self.comment_end;
        let Some(open) = head.open else {
            if kind != "comment"
                && !commented
                && self.source.is_entry_position(head.at)
                && words("entry types").contains(&kind.as_str())
            {
                let message = format!("expected `{{` after `@{}`", head.kind);
                self.problem(ProblemKind::NoBracket, head.at, message);
            }
            return head.end;
        };
        let close = self.source.close_of(open);
        let ends_on_line = |close: usize| !self.source.slice(open, close).contains('\n');
        if is_remark && !close.is_some_and(ends_on_line) {
            // `%` comments out only the first line of it.
            return self.source.next_line(head.at).max(head.end);
        }
        let (entries, problems) = (self.out.entries.len(), self.out.problems.len());
        let read = match kind.as_str() {
            "comment" => {
                let end = close.map_or(0, |close| close + 1);
                self.comment_end = self.comment_end.max(end);
                return open + 1;
            }
            "preamble" => self.preamble(open),
            "string" => self.string(open),
            _ => self.entry(head.at, kind, open, commented),
        };
        if commented && self.out.problems.len() > problems {
            // Text after `%` that does not parse as an entry is a remark; BibTeX's complaint about it would not help.
            self.out.problems.truncate(problems);
            self.out.entries.truncate(entries);
            return self.source.next_line(head.at).max(head.end);
        }
        match read {
            Ok(end) => {
                if !commented {
                    self.stray_text(end);
                }
                end
            }
            Err(from) => {
                let length = self.source.text.len();
                let next = self.source.entry_start(from.max(head.end), length);
                next.unwrap_or(length)
            }
        }
    }

    fn preamble(&mut self, open: usize) -> Read {
        let (_, end) = self.value(open + 1)?;
        self.end_of("preamble", open, self.source.space(end), end)
    }

    fn string(&mut self, open: usize) -> Read {
        let start = self.source.space(open + 1);
        let Some((name, value)) = self.source.named(start) else {
            let message = "expected `name = value` in @string";
            self.problem(ProblemKind::BadField, start, message);
            return Err(self.source.word_end(start));
        };
        let (raw, end) = self.value(value)?;
        let name = name.to_ascii_lowercase();
        self.macros.insert(name.clone(), raw.clone());
        self.out.macros.insert(name, raw);
        let mut close = self.source.space(end);
        if self.source.byte(close) == Some(b',') {
            close = self.source.space(close + 1);
        }
        self.end_of("string", open, close, end)
    }

    /// Reads the closing bracket for `open`, which must be at `close`. If it is not there, the next entry is searched after the
    /// value.
    fn end_of(&mut self, kind: &str, open: usize, close: usize, value_end: usize) -> Read {
        if self.source.byte(close) == Some(self.source.closing(open)) {
            return Ok(close + 1);
        }
        let message = format!("expected the end of @{kind} here");
        self.problem(ProblemKind::UnclosedEntry, close, message);
        Err(value_end)
    }

    fn entry(&mut self, at: usize, kind: String, open: usize, commented: bool) -> Read {
        let close = self.source.closing(open);
        let start = self.source.space(open + 1);
        let mut entry = Entry {
            kind,
            place: self.source.place(at),
            key_place: self.source.place(start),
            commented,
            complete: true,
            ..Entry::default()
        };
        let fields = self.entry_key(&mut entry, start, close);
        let read = self.fields(&mut entry, fields, close);
        entry.complete &= read.is_ok();
        self.out.entries.push(entry);
        read
    }

    /// Reads the key. Returns the offset where the fields begin.
    fn entry_key(&mut self, entry: &mut Entry, start: usize, close: u8) -> usize {
        let mut end = self.source.key_end(start, close);
        let sign = self.source.space(end);
        let found = self.source.byte(sign);
        if end == start || found == Some(b'=') {
            let message = format!("expected a key after `@{}{{`", entry.kind);
            self.problem(ProblemKind::NoKey, start, message);
            return if found == Some(b'=') { start } else { end };
        }
        let is_followed = found.is_none_or(|byte| b",%@".contains(&byte) || byte == close);
        let has_blank = !is_followed && self.source.named(sign).is_none();
        if has_blank {
            // Take the rest of the key up to the comma, on the same line.
            end = self.source.run(end, |byte| !b",\n={}@".contains(&byte));
            end = start + self.source.slice(start, end).trim_end().len();
        }
        self.source.slice(start, end).clone_into(&mut self.key);
        entry.key.clone_from(&self.key);
        if has_blank {
            let message = format!(
                "key `{}` holds white space; BibTeX and LaTeX stop reading it there",
                short(&entry.key)
            );
            self.problem(ProblemKind::BadKey, start, message);
        }
        if self.source.named(self.source.space(end)).is_some() {
            let message = format!("expected a comma after key `{}`", entry.key);
            self.problem(ProblemKind::NoComma, end, message);
        }
        end
    }

    /// Reads fields up to the closing bracket.
    fn fields(&mut self, entry: &mut Entry, at: usize, close: u8) -> Read {
        let mut at = at;
        // The line of each field name.
        let mut seen = BTreeMap::new();
        loop {
            at = self.source.space(at);
            match self.source.byte(at) {
                Some(byte) if byte == close => return Ok(at + 1),
                Some(b',') => at += 1,
                Some(b'%') => {
                    let message =
                        "BibTeX knows no comments inside an entry; move this line out of it";
                    self.problem(ProblemKind::CommentInEntry, at, message);
                    at = self.source.next_line(at).max(at + 1);
                }
                found @ (None | Some(b'@')) => {
                    entry.complete = false;
                    let message = format!(
                        "entry `{}` has no closing bracket before this point",
                        entry.key
                    );
                    self.problem(ProblemKind::UnclosedEntry, entry.place.offset, message);
                    // Another `@` here is tried as an entry, even if it does not begin a line.
                    return found.map(|_| at).ok_or(at);
                }
                Some(_) => at = self.field(entry, &mut seen, at, close)?,
            }
        }
    }

    /// Reads one `name = value`.
    fn field(
        &mut self,
        entry: &mut Entry,
        seen: &mut BTreeMap<String, usize>,
        at: usize,
        close: u8,
    ) -> Read {
        let Some((name, value)) = self.source.named(at) else {
            let found = short(self.source.text.get(at..).unwrap_or_default());
            let message = format!("expected `field = value`, found `{found}`");
            self.problem(ProblemKind::BadField, at, message);
            entry.complete = false;
            return self.skip_field(self.source.word_end(at), close);
        };
        let name = name.to_ascii_lowercase();
        let place = self.source.place(at);
        let start = self.source.space(value);
        let (raw, end) = self.value(start)?;
        if let Some(line) = seen.get(&name) {
            let message =
                format!("field `{name}` is given twice; BibTeX keeps the first, on line {line}");
            self.problem(ProblemKind::DuplicateField, at, message);
        } else {
            seen.insert(name.clone(), place.line);
        }
        entry.fields.push(Field {
            text: latex::to_text(&raw),
            name,
            raw,
            value_span: start..end,
            place,
        });
        let sign = self.source.space(end);
        let found = self.source.byte(sign);
        if found.is_none_or(|byte| b",%@".contains(&byte) || byte == close) {
            return Ok(sign);
        }
        if self.source.named(sign).is_some() {
            let message = "expected a comma before this field; BibTeX drops the rest of the entry";
            self.problem(ProblemKind::NoComma, sign, message);
            return Ok(sign);
        }
        let message = "expected a comma or the end of the entry here";
        self.problem(ProblemKind::BadField, sign, message);
        entry.complete = false;
        self.skip_field(sign, close)
    }

    /// Skips to the next comma or closing bracket of the entry, unless another entry comes first.
    fn skip_field(&self, from: usize, close: u8) -> Read {
        let mut at = from;
        loop {
            match self.source.byte(at).ok_or(from)? {
                b'{' => at = self.source.close_of(at).ok_or(from)? + 1,
                byte if byte == b',' || byte == close => return Ok(at),
                b'}' => return Err(from),
                b'@' if self.source.is_entry_position(at) => return Err(from),
                _ => at += 1,
            }
        }
    }

    /// Reports fields that a premature closing bracket cut off.
    fn stray_text(&mut self, end: usize) {
        let next = self.source.space(end);
        let is_stray = match self.source.byte(next) {
            Some(b',') => self.source.named(self.source.space(next + 1)).is_some(),
            Some(b'}') => true,
            _ => false,
        };
        if is_stray {
            let last = self.out.entries.last();
            self.key = last.map_or_else(String::new, |entry| entry.key.clone());
            let message =
                "text after the entry looks like a part of it; look for a closing brace too many";
            self.problem(ProblemKind::StrayText, next, message);
        }
    }

    fn duplicate_keys(&mut self) {
        let mut seen: BTreeMap<String, &Entry> = BTreeMap::new();
        let mut found = Vec::new();
        let live = |entry: &&Entry| !entry.commented && !entry.key.is_empty();
        for entry in self.out.entries.iter().filter(live) {
            let first = *seen.entry(entry.key.to_ascii_lowercase()).or_insert(entry);
            let (key, line) = (&first.key, first.key_place.line);
            if std::ptr::eq(first, entry) {
                continue;
            }
            found.push(Problem {
                kind: ProblemKind::DuplicateKey,
                key: entry.key.clone(),
                place: entry.key_place,
                message: if *key == entry.key {
                    format!("key `{key}` is used before, on line {line}")
                } else {
                    let own = &entry.key;
                    format!("key `{own}` differs from `{key}` on line {line} only in case")
                },
            });
        }
        self.out.problems.append(&mut found);
    }

    /// Reports a problem of the current entry.
    pub(super) fn problem(&mut self, kind: ProblemKind, at: usize, message: impl Into<String>) {
        self.out.problems.push(Problem {
            kind,
            key: self.key.clone(),
            place: self.source.place(at),
            message: message.into(),
        });
    }
}

/// The beginning of a line, as long as a message shows it.
fn short(text: &str) -> String {
    let line = text.chars().take_while(|c| *c != '\n');
    let cut: String = line.take(60).collect();
    cut.trim_end().to_owned()
}
