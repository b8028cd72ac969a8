//! From bytes to tokens, with TeX's three line states (The `TeXbook`, chapter 8).

use memchr::memchr2;

use super::{File, Kind, Names, Token};

/// Which characters count as letters in control words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Letters {
    /// After `\makeatletter`.
    pub(crate) at: bool,
    /// After `\ExplSyntaxOn`.
    pub(crate) expl: bool,
}

/// Whether a byte is part of a word, that is, not [`special`]. A table, because every byte of a text is looked up.
const IS_PLAIN: [bool; 256] = {
    let mut is_plain = [true; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        is_plain[byte as usize] = special(byte).is_none();
        byte += 1;
    }
    is_plain
};

/// Length of the plain bytes at the beginning.
fn plain_run(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| !IS_PLAIN[usize::from(*byte)]);
    end.unwrap_or(bytes.len())
}

/// Length in bytes of the words that follow on the same line, each after one space.
pub(super) fn more_words(text: &str) -> usize {
    let mut rest = text.as_bytes();
    while let Some((b' ', word)) = rest.split_first()
        && let length @ 1.. = plain_run(word)
    {
        rest = word.get(length..).unwrap_or_default();
    }
    text.len() - rest.len()
}

/// The kind of token that a special byte begins; `None` for a byte of a word. [`Kind::Stop`] stands for a comment, `Name(0)` for
/// a control sequence, whose name follows.
const fn special(byte: u8) -> Option<Kind> {
    Some(match byte {
        b' ' | b'\t' | b'\r' | b'\n' => Kind::Space,
        b'%' => Kind::Stop,
        b'\\' => Kind::Name(0),
        b'{' => Kind::Begin,
        b'}' => Kind::End,
        b'$' => Kind::Math,
        b'&' => Kind::Align,
        b'#' => Kind::Hash,
        b'^' => Kind::Super,
        b'_' => Kind::Sub,
        b'~' => Kind::Tie,
        b'[' | b']' => Kind::Word,
        _ => return None,
    })
}

/// The next token of a file; [`Kind::Stop`] at its end.
pub(super) fn next(file: &mut File, letters: Letters, names: &mut Names) -> Token {
    let text = file.text.get(..file.end).unwrap_or_default();
    let bytes = text.as_bytes();
    let token = |kind, start, length| Token::new(kind, file.number, start, length);
    loop {
        if file.fresh {
            file.pos = skip_blanks(bytes, file.pos);
            if is_line_end(bytes, file.pos) {
                let start = file.pos;
                while is_line_end(bytes, file.pos) {
                    file.pos = skip_blanks(bytes, skip_line_end(bytes, file.pos));
                }
                return token(Kind::Par, start, 1);
            }
            file.fresh = false;
        }
        let start = file.pos;
        let Some(byte) = bytes.get(start) else {
            return token(Kind::Stop, bytes.len(), 0);
        };
        let Some(kind) = special(*byte) else {
            let length = plain_run(bytes.get(start..).unwrap_or_default());
            file.pos = start + length;
            return token(Kind::Word, start, length);
        };
        file.pos = start + 1;
        match kind {
            Kind::Space => (file.pos, file.fresh) = skip_line(bytes, start),
            Kind::Stop => {
                let rest = bytes.get(start..).unwrap_or_default();
                let end = start + memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
                file.pos = skip_line_end(bytes, end);
                file.fresh = true;
                continue;
            }
            Kind::Name(_) => {
                let rest = text.get(file.pos..).unwrap_or("");
                let (name, length, is_word) = control(rest, letters);
                file.pos += length;
                file.fresh = rest.starts_with('\n');
                if is_word {
                    (file.pos, file.fresh) = skip_line(bytes, file.pos);
                }
                return token(Kind::Name(names.intern(name)), start, 1 + length);
            }
            _ => {}
        }
        return token(kind, start, 1);
    }
}

/// Longest name of a control sequence, in bytes. A longer one is cut and matches no known name.
const MAX_NAME: usize = 128;

/// The control sequence whose backslash stands before `rest`: its name, the bytes that the name takes, and whether it is a
/// control word.
fn control(rest: &str, letters: Letters) -> (&str, usize, bool) {
    let letter = |b: &u8| {
        b.is_ascii_alphabetic()
            || (*b == b'@' && letters.at)
            || (letters.expl && (*b == b'_' || *b == b':'))
    };
    let length = rest.bytes().take(MAX_NAME).take_while(letter).count();
    if length > 0 {
        return (rest.get(..length).unwrap_or(""), length, true);
    }
    let symbol = rest.chars().next();
    let width = symbol.map_or(0, char::len_utf8);
    let name = match symbol {
        Some('\n' | '\r' | '\t') | None => " ",
        Some(_) => rest.get(..width).unwrap_or(""),
    };
    (name, width, false)
}

/// Skips the blanks at `pos` and one line end after them. Returns the new position, and whether there was a line end.
fn skip_line(bytes: &[u8], pos: usize) -> (usize, bool) {
    let end = skip_blanks(bytes, pos);
    (skip_line_end(bytes, end), is_line_end(bytes, end))
}

fn skip_blanks(bytes: &[u8], mut pos: usize) -> usize {
    while matches!(bytes.get(pos), Some(b' ' | b'\t')) {
        pos += 1;
    }
    pos
}

fn is_line_end(bytes: &[u8], pos: usize) -> bool {
    matches!(bytes.get(pos), Some(b'\r' | b'\n'))
}

fn skip_line_end(bytes: &[u8], pos: usize) -> usize {
    match (bytes.get(pos), bytes.get(pos + 1)) {
        (Some(b'\r'), Some(b'\n')) => pos + 2,
        (Some(b'\r' | b'\n'), _) => pos + 1,
        _ => pos,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceFile;

    fn kinds(text: &str) -> String {
        let mut names = Names::default();
        let mut file = File {
            number: 0,
            pos: 0,
            fresh: true,
            end: text.len(),
            text: text.into(),
            kind: crate::IncludeKind::Input,
            import: None,
            own: false,
            letters: Letters::default(),
            doubt: 0,
        };
        let files = [SourceFile::new("", text.into())];
        let mut out = String::new();
        loop {
            let token = next(&mut file, Letters::default(), &mut names);
            match token.kind {
                Kind::Stop => return out,
                Kind::Word => out.push_str(token.of(&files)),
                Kind::Name(name) => out.extend(["<", names.text(name), ">"]),
                Kind::Space => out.push('·'),
                Kind::Par => out.push('¶'),
                Kind::Begin => out.push('{'),
                Kind::End => out.push('}'),
                _ => out.push('?'),
            }
        }
    }

    #[test]
    fn line_states() {
        for (text, expected) in [
            ("a  b\nc", "a·b·c"),
            ("a\n\n \n b", "a·¶b"),
            ("a%x\n  b", "ab"),
            ("a%x\n\nb", "a¶b"),
            ("\\foo  bar", "<foo>bar"),
            ("\\foo\n\nbar", "<foo>¶bar"),
            ("\\%5\\ x", "<%>5< >x"),
            ("\\\\[2pt]", "<\\>[2pt]"),
            ("a\r\nb\r\n\r\nc", "a·b·¶c"),
            ("\\é\\", "<é>< >"),
            ("{a}", "{a}"),
        ] {
            assert_eq!(kinds(text), expected, "{text:?}");
        }
    }
}
