//! From bytes to tokens, with TeX's three line states (The `TeXbook`, chapter 8).

use super::{
    names::Names,
    token::{Kind, Token},
};

/// Where lexing of one file stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    pub(crate) pos: usize,
    /// At the beginning of a line: spaces are skipped, a line end is a blank line.
    pub(crate) fresh: bool,
}

/// Which characters count as letters in control words.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Letters {
    /// After `\makeatletter`.
    pub(crate) at: bool,
    /// After `\ExplSyntaxOn`.
    pub(crate) expl: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Blank,
    Line,
    Escape,
    One(Kind),
    Bracket,
    Comment,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Plain; 256];
    table[b' ' as usize] = Class::Blank;
    table[b'\t' as usize] = Class::Blank;
    table[b'\r' as usize] = Class::Line;
    table[b'\n' as usize] = Class::Line;
    table[b'\\' as usize] = Class::Escape;
    table[b'{' as usize] = Class::One(Kind::Begin);
    table[b'}' as usize] = Class::One(Kind::End);
    table[b'$' as usize] = Class::One(Kind::Math);
    table[b'&' as usize] = Class::One(Kind::Align);
    table[b'#' as usize] = Class::One(Kind::Hash);
    table[b'^' as usize] = Class::One(Kind::Super);
    table[b'_' as usize] = Class::One(Kind::Sub);
    table[b'~' as usize] = Class::One(Kind::Tie);
    table[b'[' as usize] = Class::Bracket;
    table[b']' as usize] = Class::Bracket;
    table[b'%' as usize] = Class::Comment;
    table
}

/// Length of the run of plain bytes at `from`.
fn plain_run(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter()
        .position(|b| !matches!(class(*b), Class::Plain))
        .unwrap_or(rest.len())
}

fn class(byte: u8) -> Class {
    CLASSES
        .get(usize::from(byte))
        .copied()
        .unwrap_or(Class::Plain)
}

/// The next token of a file; [`Kind::Stop`] at its end.
pub(crate) fn next(
    text: &str,
    file: u32,
    cursor: &mut Cursor,
    letters: Letters,
    names: &mut Names,
) -> Token {
    let bytes = text.as_bytes();
    loop {
        if cursor.fresh {
            cursor.pos = skip_blanks(bytes, cursor.pos);
            if is_line_end(bytes, cursor.pos) {
                let start = cursor.pos;
                while is_line_end(bytes, cursor.pos) {
                    cursor.pos = skip_blanks(bytes, skip_line_end(bytes, cursor.pos));
                }
                return Token::new(Kind::Par, file, start, 1);
            }
            cursor.fresh = false;
        }
        let start = cursor.pos;
        let Some(byte) = bytes.get(start) else {
            return Token::new(Kind::Stop, file, bytes.len(), 0);
        };
        match class(*byte) {
            Class::Plain => {
                let length = plain_run(bytes, start);
                cursor.pos = start + length;
                return Token::new(Kind::Word, file, start, length);
            }
            Class::Bracket => {
                cursor.pos = start + 1;
                return Token::new(Kind::Word, file, start, 1);
            }
            Class::One(kind) => {
                cursor.pos = start + 1;
                return Token::new(kind, file, start, 1);
            }
            Class::Blank | Class::Line => {
                cursor.pos = skip_blanks(bytes, start);
                if is_line_end(bytes, cursor.pos) {
                    cursor.pos = skip_line_end(bytes, cursor.pos);
                    cursor.fresh = true;
                }
                return Token::new(Kind::Space, file, start, 1);
            }
            Class::Comment => {
                while bytes
                    .get(cursor.pos)
                    .is_some_and(|b| class(*b) != Class::Line)
                {
                    cursor.pos += 1;
                }
                cursor.pos = skip_line_end(bytes, cursor.pos);
                cursor.fresh = true;
            }
            Class::Escape => return control(text, file, cursor, letters, names),
        }
    }
}

/// Letters of the name of a control sequence; what is longer names nothing.
const MAX_NAME: usize = 128;

fn control(
    text: &str,
    file: u32,
    cursor: &mut Cursor,
    letters: Letters,
    names: &mut Names,
) -> Token {
    let bytes = text.as_bytes();
    let start = cursor.pos;
    let letter = |b: &u8| {
        b.is_ascii_alphabetic()
            || (*b == b'@' && letters.at)
            || (letters.expl && (*b == b'_' || *b == b':'))
    };
    let length = bytes
        .iter()
        .skip(start + 1)
        .take(MAX_NAME)
        .take_while(|b| letter(b))
        .count();
    if length == 0 {
        let symbol = text.get(start + 1..).and_then(|rest| rest.chars().next());
        let width = symbol.map_or(0, char::len_utf8);
        cursor.pos = start + 1 + width;
        let mut buffer = [0; 4];
        let name = match symbol {
            Some('\n' | '\r' | '\t') | None => " ",
            Some(c) => c.encode_utf8(&mut buffer),
        };
        if symbol.is_some_and(|c| c == '\n') {
            cursor.fresh = true;
        }
        return Token::new(Kind::Name(names.intern(name)), file, start, 1 + width);
    }
    let end = start + 1 + length;
    let name = names.intern(text.get(start + 1..end).unwrap_or(""));
    cursor.pos = skip_blanks(bytes, end);
    if is_line_end(bytes, cursor.pos) {
        cursor.pos = skip_line_end(bytes, cursor.pos);
        cursor.fresh = true;
    }
    Token::new(Kind::Name(name), file, start, length + 1)
}

fn skip_blanks(bytes: &[u8], mut pos: usize) -> usize {
    while bytes.get(pos).is_some_and(|b| class(*b) == Class::Blank) {
        pos += 1;
    }
    pos
}

fn is_line_end(bytes: &[u8], pos: usize) -> bool {
    bytes.get(pos).is_some_and(|b| class(*b) == Class::Line)
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

    fn kinds(text: &str) -> String {
        let (mut cursor, mut names) = (
            Cursor {
                pos: 0,
                fresh: true,
            },
            Names::default(),
        );
        let mut out = String::new();
        loop {
            let token = next(text, 0, &mut cursor, Letters::default(), &mut names);
            match token.kind {
                Kind::Stop => return out,
                Kind::Word => {
                    let (from, to) = (token.at as usize, (token.at + token.len) as usize);
                    out.push_str(text.get(from..to).expect("in bounds"));
                }
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
