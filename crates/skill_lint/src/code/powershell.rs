//! PowerShell code with strings, here-strings and comments blanked: they become spaces of the same length, so that a byte
//! offset in the result is one in the source.
//!
//! **Source**: PowerShell 7, help topics `about_Quoting_Rules`, `about_Comments` and `about_Special_Characters`.

use aris_skills::pattern::{Pattern, compiled};

/// An escaped character; a comment or a `#` that may start one; a here-string or string, which may lack its end.
static PART: Pattern = Pattern::new(|| {
    compiled(
        r#"(?s)`.|<#.*?(?:#>|\z)|#|@'[^\S\n]*(?:\n(?:.*?\n)?'@|\n.*\z|\z)|@"[^\S\n]*(?:\n(?:.*?\n)?"@|\n.*\z|\z)|'(?:[^']|'')*(?:'|\z)|"(?:[^"`]|`.|"")*(?:"|.?\z)"#,
    )
});

/// The code of a script. Comments become spaces, and strings too except for their quotes.
///
/// Line feeds stay. The result has as many bytes as `source`.
pub(crate) fn code(source: &str) -> String {
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while let Some(part) = PART.find_at(source, at) {
        let before = source.get(..part.start()).unwrap_or_default();
        out.push_str(before.get(at..).unwrap_or_default());
        let text = part.as_str();
        at = part.end();
        if text == "#" {
            let rest = source.get(part.start()..).unwrap_or_default();
            // A `#` inside a word belongs to the word.
            if before.is_empty() || before.ends_with(starts_comment) {
                let line = rest.split('\n').next().unwrap_or_default();
                at = part.start() + line.len();
                out.extend(line.bytes().map(blank));
            } else {
                out.push('#');
            }
        } else if text.starts_with("<#") {
            out.extend(text.bytes().map(blank));
        } else if text.starts_with('`') {
            out.push_str(text);
        } else {
            let quote = text.starts_with('@').then_some('@').or(text.chars().next());
            let closed = text.len() > 1 && text.ends_with(['\'', '"', '@']);
            let last = text.len() - usize::from(closed);
            out.extend(quote);
            out.extend(text.get(1..last).unwrap_or_default().bytes().map(blank));
            out.push_str(text.get(last..).unwrap_or_default());
        }
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

fn starts_comment(sign: char) -> bool {
    sign.is_ascii_whitespace() || "(){};,|&".contains(sign)
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
