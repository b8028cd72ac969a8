//! Dangerous calls in PowerShell: SR404 (`Invoke-Expression`), SR405 (of a download).

use crate::code::{Hit, download};

/// What the commands of a script do; `code` is without strings and comments.
pub(crate) fn hits(code: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = download::in_powershell(code)
        .into_iter()
        .map(|at| Hit::new("SR405", at, "a download is evaluated"))
        .collect();
    for (rule, word, message) in [
        ("SR404", "iex", "iex runs a text as code"),
        (
            "SR404",
            "invoke-expression",
            "Invoke-Expression runs a text as code",
        ),
    ] {
        hits.extend(words(code, word).map(|at| Hit::new(rule, at, message)));
    }
    hits
}

/// Places of a word, in any case.
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    let part = |at: Option<&u8>| {
        at.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'$'))
    };
    bytes
        .windows(word.len())
        .enumerate()
        .filter(move |(at, window)| {
            window.first().map(u8::to_ascii_lowercase) == word.bytes().next()
                && window.eq_ignore_ascii_case(word.as_bytes())
                && !part(at.checked_sub(1).and_then(|before| bytes.get(before)))
                && !part(bytes.get(at + word.len()))
        })
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_count() {
        for (source, expected) in [
            ("iex $x", vec![("SR404", 0)]),
            ("a | Invoke-Expression", vec![("SR404", 4)]),
            ("iex (irm $u)", vec![("SR405", 0), ("SR404", 0)]),
            ("# iex $x\n<# iex #> 'iex' \"iex\"", vec![]),
            ("$iex = 1; Get-iex; iexample", vec![]),
        ] {
            let found: Vec<(&str, usize)> = hits(&crate::code::powershell::code(source))
                .iter()
                .map(|hit| (hit.rule, hit.at))
                .collect();
            assert_eq!(found, expected, "{source}");
        }
    }
}
