//! PowerShell as code with everything else blanked: strings, here-strings and comments become spaces of the same length, so that
//! a place in the result is the place in the source.
//!
//! **Source**: PowerShell 7, help topics `about_Quoting_Rules`, `about_Comments` and `about_Special_Characters`.

/// The code of a script; every byte of a comment is a space, of a string too but for its quotes.
///
/// Line feeds stay. The result has as many bytes as `source`.
pub(crate) fn code(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let start = at;
        let (string, end) = match (byte, next) {
            (b'<', b'#') => (false, find(bytes, at + 2, b"#>").map(|end| end + 2)),
            (b'#', _) if at == 0 || is_comment_start(bytes.get(at - 1).copied()) => {
                (false, find(bytes, at, b"\n"))
            }
            (b'@', quote @ (b'\'' | b'"')) if ends_line(bytes, at + 2) => {
                let close = [b'\n', quote, b'@'];
                (true, find(bytes, at + 2, &close).map(|end| end + 3))
            }
            (b'\'', _) => (true, string_end(bytes, at, b'\'', false)),
            (b'"', _) => (true, string_end(bytes, at, b'"', true)),
            (b'`', _) => {
                at += 2;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        at = end.unwrap_or(bytes.len());
        let inner = match (string, end) {
            (true, Some(end)) => start + 1..end - 1,
            (true, None) => start + 1..at,
            (false, _) => start..at,
        };
        if let Some(blank) = out.get_mut(inner) {
            for byte in blank.iter_mut().filter(|byte| **byte != b'\n') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A `#` inside a word is part of it.
fn is_comment_start(before: Option<u8>) -> bool {
    before.is_none_or(|byte| byte.is_ascii_whitespace() || b"(){};,|&".contains(&byte))
}

fn ends_line(bytes: &[u8], from: usize) -> bool {
    bytes
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| **byte != b'\n')
        .all(u8::is_ascii_whitespace)
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes
        .get(from..)?
        .windows(what.len())
        .position(|window| window == what)
        .map(|place| from + place)
}

/// The place after the string that starts at `at`, if it ends. A doubled quote stands for itself.
fn string_end(bytes: &[u8], at: usize, quote: u8, escapes: bool) -> Option<usize> {
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        if escapes && byte == b'`' {
            at += 1;
        } else if byte == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return Some(at + 1);
            }
            at += 1;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_code_is_left() {
        for (source, expected) in [
            ("iex $x # iex $y\niex", "iex $x         \niex"),
            ("<# iex\n #> a", "      \n    a"),
            ("'iex' \"iex `\" iex\" b", "'   ' \"          \" b"),
            ("'it''s' c", "'     ' c"),
            ("@'\niex\n'@ d", "@ \n   \n @ d"),
            ("a#b `# c", "a#b `# c"),
        ] {
            assert_eq!(code(source), expected, "{source}");
        }
    }

    #[test]
    fn openings_without_end_take_linear_time() {
        for part in ["<#", "@'\n", "@\"", "'", "`", "#"] {
            assert_eq!(code(&part.repeat(50_000)).len(), part.len() * 50_000);
        }
    }

    proptest! {
        #[test]
        fn places_are_kept(source in "\\PC{0,80}|[a-z#<>@'\"`\n ]{0,120}") {
            let code = code(&source);
            prop_assert_eq!(code.len(), source.len());
            prop_assert_eq!(code.matches('\n').count(), source.matches('\n').count());
        }
    }
}
