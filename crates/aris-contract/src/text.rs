//! Text from outside, and text for a shell.

/// Whether terminals, editors or browsers interpret this character instead of showing it: control characters except line feed and tab,
/// and the marks, embeddings, overrides and isolates of the bidirectional algorithm (**Source**: Unicode UAX #9).
pub fn is_hidden(sign: char) -> bool {
    (sign.is_control() && !matches!(sign, '\n' | '\t'))
        || matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `1 file`, `2 files`.
pub fn counted(count: impl ToString, what: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Whether a text is a single shell word that needs no quotes.
pub fn is_plain_word(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

/// Words as one line of POSIX shell: in single quotes unless they need none.
pub fn shell_line<S: AsRef<str>>(words: &[S]) -> String {
    let quoted = words.iter().map(AsRef::as_ref).map(|word| {
        if is_plain_word(word) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        assert_eq!(shell_line(&["a/b.c", "--x=1", ""]), "a/b.c --x=1 ''");
        assert_eq!(shell_line(&["a b", "it's", "$x"]), r"'a b' 'it'\''s' '$x'");
    }

    #[test]
    fn what_is_obeyed_and_not_shown_is_hidden() {
        for hidden in
            "\0\u{7}\r\u{1b}\u{7f}\u{9b}\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}"
                .chars()
        {
            assert!(is_hidden(hidden), "{hidden:?}");
        }
        for shown in "a \n\tä\u{200d}\u{2029}\u{202f}\u{2065}\u{206a}𝔸".chars() {
            assert!(!is_hidden(shown), "{shown:?}");
        }
    }

    #[test]
    fn words_cannot_leave_their_place() {
        for (text, expected) in [
            ("a", "a"),
            ("", "''"),
            ("a b", "'a b'"),
            ("$(x)", "'$(x)'"),
            ("it's", "'it'\\''s'"),
            ("~", "'~'"),
            ("ckpt/N=64_lr:0.1.pt", "ckpt/N=64_lr:0.1.pt"),
        ] {
            assert_eq!(shell_line(&[text]), expected);
        }
    }
}
