//! Values: braced, quoted, numbers, macro names, and `#` between them.

use std::collections::BTreeMap;

use super::ProblemKind;
use super::scan::Source;
use crate::braces::Braces;

/// Characters that macros may add beyond a multiple of the file's length; see [`Macros`].
const EXPANSION_FLOOR: usize = 1 << 20;
/// How many times the file's length macros may add in all.
const EXPANSION_FACTOR: usize = 8;

/// The months, which every BibTeX style defines.
///
/// **Source**: plain.bst
const MONTHS: [(&str, &str); 12] = [
    ("jan", "January"),
    ("feb", "February"),
    ("mar", "March"),
    ("apr", "April"),
    ("may", "May"),
    ("jun", "June"),
    ("jul", "July"),
    ("aug", "August"),
    ("sep", "September"),
    ("oct", "October"),
    ("nov", "November"),
    ("dec", "December"),
];

/// Macros and what they may still expand to.
///
/// `@string{b = a # a}` doubles; forty such lines would fill any memory. The sum of all expansions is
/// therefore bounded by [`EXPANSION_FLOOR`] and [`EXPANSION_FACTOR`].
#[derive(Debug)]
pub(super) struct Macros {
    values: BTreeMap<String, String>,
    left: usize,
}

/// What a macro name stands for.
enum Expansion<'a> {
    Known(&'a str),
    Unknown,
    Exhausted,
}

impl Macros {
    pub(super) fn new(length: usize) -> Self {
        let pair = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        let values = MONTHS.into_iter().map(pair).collect();
        Self {
            values,
            left: EXPANSION_FLOOR + EXPANSION_FACTOR * length,
        }
    }

    pub(super) fn define(&mut self, name: String, value: String) {
        self.values.insert(name, value);
    }

    fn expand(&mut self, name: &str) -> Expansion<'_> {
        let Some(value) = self.values.get(&name.to_ascii_lowercase()) else {
            return Expansion::Unknown;
        };
        match self.left.checked_sub(value.len()) {
            Some(left) => {
                self.left = left;
                Expansion::Known(value)
            }
            None => Expansion::Exhausted,
        }
    }
}

/// A value as read, or as far as it could be read.
#[derive(Debug)]
pub(super) struct Value {
    /// White space runs are one blank, none at the ends.
    pub(super) raw: String,
    /// One past the last byte that belongs to it.
    pub(super) end: usize,
    /// What is wrong with it, with the offset and the message.
    pub(super) problems: Vec<(ProblemKind, usize, String)>,
    /// It could not be read to its end; reading goes on at the next entry from `end`.
    pub(super) broken: bool,
}

/// Reads the value that begins at `at`, after blanks.
pub(super) fn read(source: &Source<'_>, braces: &Braces, macros: &mut Macros, at: usize) -> Value {
    let mut value = Value {
        raw: String::new(),
        end: at,
        problems: Vec::new(),
        broken: false,
    };
    let mut at = source.skip_space(at);
    loop {
        let Some(piece) = read_piece(source, braces, macros, at, &mut value) else {
            value.broken = true;
            value.end = at;
            break;
        };
        value.end = piece;
        let sign = source.skip_space(piece);
        if source.byte(sign) != Some(b'#') {
            break;
        }
        at = source.skip_space(sign + 1);
    }
    value.raw = collapse(&value.raw);
    value
}

/// Reads one piece onto the value; answers with its end, or nothing when it has none.
fn read_piece(
    source: &Source<'_>,
    braces: &Braces,
    macros: &mut Macros,
    at: usize,
    value: &mut Value,
) -> Option<usize> {
    match source.byte(at) {
        Some(b'{') => {
            let close = braces.close_of(at);
            delimited(source, at, close, "`{`", value)
        }
        Some(b'"') => {
            let close = closing_quote(source, braces, at);
            delimited(source, at, close, "`\"`", value)
        }
        _ => {
            let end = source.word_end(at);
            if end == at {
                let message = "a value is missing; write it in braces".to_owned();
                value.problems.push((ProblemKind::NoValue, at, message));
                return Some(at);
            }
            word(source.slice(at, end), at, macros, value);
            Some(end)
        }
    }
}

fn delimited(
    source: &Source<'_>,
    at: usize,
    close: Option<usize>,
    sign: &str,
    value: &mut Value,
) -> Option<usize> {
    let Some(close) = close else {
        let message = format!("the {sign} here is never closed");
        value.problems.push((ProblemKind::Unclosed, at, message));
        return None;
    };
    if let Some(swallowed) = source.entry_start(at + 1, close) {
        // Copying is put off until it is clear that the value is kept, or nested damage costs quadratic time.
        if !ends_well(source, close + 1) {
            let message = format!("the {sign} here is not closed before the next entry begins");
            value.problems.push((ProblemKind::Unclosed, at, message));
            return None;
        }
        let message = format!(
            "the value that opens with {sign} runs over what looks like another entry; \
             look for a missing closing sign"
        );
        value
            .problems
            .push((ProblemKind::SwallowedEntry, swallowed, message));
    }
    value.raw.push_str(source.slice(at + 1, close));
    Some(close + 1)
}

fn word(word: &str, at: usize, macros: &mut Macros, value: &mut Value) {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        value.raw.push_str(word);
        return;
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let message = format!("`{word}` is neither a number nor a macro; write it in braces");
        value.problems.push((ProblemKind::BareWord, at, message));
        value.raw.push_str(word);
        return;
    }
    match macros.expand(word) {
        Expansion::Known(text) => value.raw.push_str(text),
        Expansion::Unknown => {
            let message = format!(
                "macro `{word}` is not defined above; add @string{{{word} = …}} or write the value in braces"
            );
            value
                .problems
                .push((ProblemKind::UnknownMacro, at, message));
            value.raw.push_str(word);
        }
        Expansion::Exhausted => {
            let message =
                format!("macro `{word}` is not expanded: macros would fill more than the limit");
            value
                .problems
                .push((ProblemKind::UnknownMacro, at, message));
        }
    }
}

/// The `"` that ends the value opened here: the next one outside braces.
fn closing_quote(source: &Source<'_>, braces: &Braces, open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at = source.run(at, |byte| !matches!(byte, b'"' | b'{' | b'}'));
        match source.byte(at)? {
            b'"' => return Some(at),
            b'{' => at = braces.close_of(at)? + 1,
            _ => return None,
        }
    }
}

/// Tells whether what follows a value is what may follow one.
fn ends_well(source: &Source<'_>, at: usize) -> bool {
    let next = source.skip_space(at);
    match source.byte(next) {
        Some(b',' | b'}' | b')' | b'#' | b'%') => true,
        _ => source.is_field(next),
    }
}

/// Makes each run of white space one blank, and none at the ends, as BibTeX does.
fn collapse(text: &str) -> String {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    words.join(" ")
}
