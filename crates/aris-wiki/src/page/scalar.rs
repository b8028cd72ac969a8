//! Values of frontmatter: reads what people and the reference write, writes what both can read.

use aris_contract::text::is_hidden;

/// The meaning of a value: quotes and escapes are resolved; `null`, `~` and nothing are `None`.
pub(crate) fn read(raw: &str) -> Option<String> {
    let raw = raw.trim();
    let text = match raw.chars().next() {
        Some('"') => double(raw),
        Some('\'') => inner(raw, '\'').replace("''", "'"),
        _ => match plain(raw) {
            "null" | "Null" | "NULL" | "~" => return None,
            plain => plain.to_owned(),
        },
    };
    (!text.is_empty()).then_some(text)
}

/// An unquoted value without its comment.
pub(crate) fn plain(raw: &str) -> &str {
    if raw.starts_with('#') {
        return "";
    }
    let value = raw.split_once(" #").or_else(|| raw.split_once("\t#"));
    value.map_or(raw, |(value, _)| value).trim_end()
}

/// Length in bytes of the value at the start of `raw` (one line), without a comment after it.
pub(crate) fn length(raw: &str) -> usize {
    let close = match raw.chars().next() {
        Some(quote @ ('"' | '\'')) => closing(raw, quote),
        Some('[') => raw.rfind(']'),
        Some('{') => raw.rfind('}'),
        _ => return plain(raw).len(),
    };
    close.map_or(raw.trim_end().len(), |at| at + 1)
}

/// Length in bytes of a bracketed list or mapping at the start of `text`, which may span several lines. `None` if it is not closed before
/// the frontmatter ends, or if something other than a comment follows on its last line.
pub(crate) fn flow_length(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut before) = (0_u32, None, ' ');
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        match (quote, sign) {
            (Some('"'), '\\') => {
                signs.next();
            }
            (Some(open), sign) if sign == open => quote = None,
            (_, '\n') => {
                let line = text.get(at + 1..)?.lines().next()?;
                if matches!(line.trim_end(), "---" | "...") {
                    return None;
                }
            }
            (Some(_), _) => {}
            // A quote inside a word is an apostrophe.
            (None, '"' | '\'') if "[{,:".contains(before) => quote = Some(sign),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => {
                depth = depth.checked_sub(1)?;
                let rest = text.get(at + 1..)?.lines().next().unwrap_or_default();
                if depth == 0 {
                    return plain(rest.trim_start()).is_empty().then_some(at + 1);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
        if !sign.is_whitespace() {
            before = sign;
        }
    }
    None
}

/// Whether a value (which `rest` begins with) opens a bracket or quote that is never closed. A quoted text may span several lines.
pub(crate) fn is_open(value: &str, rest: &str) -> bool {
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => closing(rest, quote).is_none(),
        Some('[') => !value.ends_with(']') && flow_length(rest).is_none(),
        Some('{') => !value.ends_with('}') && flow_length(rest).is_none(),
        _ => false,
    }
}

/// Byte offset of the quote that closes the one at the start of `raw`.
fn closing(raw: &str, quote: char) -> Option<usize> {
    let mut rest = raw.char_indices().skip(1).peekable();
    while let Some((at, character)) = rest.next() {
        if character == '\\' && quote == '"' {
            rest.next();
        } else if character == quote {
            if quote == '\'' && rest.peek().is_some_and(|(_, next)| *next == '\'') {
                rest.next();
            } else {
                return Some(at);
            }
        }
    }
    None
}

fn inner(raw: &str, quote: char) -> &str {
    let end = closing(raw, quote).unwrap_or(raw.len());
    raw.get(1..end).unwrap_or_default()
}

fn double(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = inner(raw, '"').chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next() {
            Some('n' | 'r' | 't') => out.push(' '),
            Some(kind @ ('u' | 'x')) => {
                let digits = if kind == 'u' { 4 } else { 2 };
                let code: String = rest.by_ref().take(digits).collect();
                let known = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                out.push(known.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

/// Whether the value says that a block of text follows on the lines below: `|` or `>`, possibly with indicators.
pub(crate) fn is_block(value: &str) -> bool {
    let mut signs = value.chars();
    matches!(signs.next(), Some('|' | '>'))
        && value.len() <= 3
        && signs.all(|sign| matches!(sign, '+' | '-' | '1'..='9'))
}

/// The text of such a block, from the lines `below`; `None` when it is empty.
pub(crate) fn block(value: &str, below: &str) -> Option<String> {
    let written = below.lines().filter(|line| !line.trim().is_empty());
    let indent = written.map(|line| line.len() - line.trim_start_matches(' ').len());
    let indent = indent.min()?;
    let lines = below.lines();
    let lines = lines.map(|line| line.get(indent..).unwrap_or_default());
    let text = if value.starts_with('|') {
        lines.collect::<Vec<_>>().join("\n")
    } else {
        lines.map(str::trim).collect::<Vec<_>>().join(" ")
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether the text can be a key: ASCII letters, digits, `_` and `-` only.
pub(crate) fn is_word(text: &str) -> bool {
    let may_be = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    text.bytes().all(may_be)
}

/// The pairs of a mapping on one line, as written; `None` when it is not one.
pub(crate) fn flow_mapping(raw: &str) -> Option<Vec<(&str, &str)>> {
    let inside = raw.trim().strip_prefix('{')?;
    let inside = inside.get(..inside.rfind('}')?)?;
    let mut pairs = Vec::new();
    let mut rest = inside.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once(':')?;
        let after = after.trim_start();
        let length = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => closing(after, quote)? + 1,
            Some('[') => after.find(']')? + 1,
            _ => after.find(',').unwrap_or(after.len()),
        };
        let (value, left) = after.split_at_checked(length)?;
        let name = name.trim().trim_matches(['"', '\'']);
        if name.is_empty() || !is_word(name) {
            return None;
        }
        let value = value.trim();
        pairs.push((name, if value.is_empty() { "null" } else { value }));
        rest = left.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(pairs)
}

/// The items of a list on one line, `[a, "b, c"]`; `None` when it is not one.
pub(crate) fn flow_list(raw: &str) -> Option<Vec<String>> {
    let inside = raw.trim().strip_prefix('[')?;
    let mut items = Vec::new();
    let mut rest = inside.trim_start();
    loop {
        rest = rest.trim_start();
        let length = match rest.chars().next() {
            None | Some(']') => return Some(items),
            Some(quote @ ('"' | '\'')) => closing(rest, quote).map_or(rest.len(), |at| at + 1),
            Some(_) => rest.find([',', ']']).unwrap_or(rest.len()),
        };
        items.extend(read(rest.get(..length).unwrap_or_default()));
        rest = rest.get(length..).unwrap_or_default().trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest.starts_with(']') || rest.is_empty() => return Some(items),
            // Text between a closing quote and the next comma belongs to no item.
            None => {
                let next = rest.find([',', ']']).unwrap_or(rest.len());
                rest = rest.get(next..).unwrap_or_default();
                rest = rest.strip_prefix(',').unwrap_or(rest);
            }
        }
    }
}

/// `text` on one line in double quotes, byte for byte as the reference writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '\r' => {}
            '\t' | '\n' => out.push(' '),
            '\\' | '"' => {
                out.push('\\');
                out.push(character);
            }
            // YAML does not allow these unescaped, and treats some of them as line ends.
            other
                if other.is_control()
                    || is_hidden(other)
                    || matches!(other, '\u{2028}' | '\u{2029}' | '\u{feff}') =>
            {
                let code = format!("{:04x}", u32::from(other));
                out.push_str("\\u");
                out.push_str(&code);
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// `text` as a value: unquoted where that is unambiguous, else in quotes.
pub fn bare(text: &str) -> String {
    let safe =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '+' | ' ');
    let word = text.starts_with(|c: char| c.is_alphanumeric())
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && text.chars().all(safe)
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "null" | "true" | "false" | "yes" | "no"
        );
    if word { text.to_owned() } else { quoted(text) }
}

/// A list on one line with quoted items, byte for byte as the reference writes it.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_people_write_them() {
        for (raw, expected) in [
            ("core", Some("core")),
            (" \"A \\\"B\\\" C\\\\\" # note", Some("A \"B\" C\\")),
            ("'it''s'", Some("it's")),
            ("proposed  # or: piloted", Some("proposed")),
            ("C# in Depth", Some("C# in Depth")),
            ("null", None),
            ("~", None),
            ("\"\"", None),
            ("", None),
            ("\"open", Some("open")),
            ("\"\\u00fc\"", Some("ü")),
        ] {
            assert_eq!(read(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn lists_on_a_line() {
        let list = |raw| flow_list(raw).expect("a list");
        assert_eq!(list("[]"), Vec::<String>::new());
        assert_eq!(list("[a, \"b, c\", 'd']"), ["a", "b, c", "d"]);
        assert_eq!(list("[a, b"), ["a", "b"]);
        assert_eq!(list("[\"a\" x, b]"), ["a", "b"]);
        assert_eq!(flow_list("a, b"), None);
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_again(text in "[^\\p{C}]{1,30}") {
            let text = text.trim();
            proptest::prop_assume!(!text.is_empty());
            for written in [quoted(text), bare(text)] {
                proptest::prop_assert_eq!(read(&written), Some(text.to_owned()));
                proptest::prop_assert_eq!(length(&written), written.len());
            }
            proptest::prop_assert_eq!(flow_list(&list(&[text, text])), Some(vec![text.to_owned(), text.to_owned()]));
        }

        #[test]
        fn no_text_makes_it_panic_or_hang(text in "[\\[\\]\"', #\\\\a-c]{0,60}") {
            let _read = (read(&text), flow_list(&text), length(&text));
        }
    }
}
