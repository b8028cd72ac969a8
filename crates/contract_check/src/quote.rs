//! Arguments as a POSIX shell reads them.

/// One command line.
pub(crate) fn line<S: AsRef<str>>(argv: &[S]) -> String {
    argv.iter()
        .map(|word| quoted(word.as_ref()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        assert_eq!(line(&["a/b.c", "--x=1", ""]), "a/b.c --x=1 ''");
        assert_eq!(line(&["a b", "it's", "$x"]), r"'a b' 'it'\''s' '$x'");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_shell_reads_back_what_was_said(words in prop::collection::vec("[^\\x00]{0,8}", 1..4)) {
            let script = format!("printf '%s\\0' {}", line(&words));
            let done = aris_proc::command("sh", "/").args(["-c", &script]).run(Duration::from_secs(20)).expect("ran");
            let expected = words.join("\0") + "\0";
            prop_assert_eq!(done.stdout.bytes, expected.into_bytes());
        }
    }
}
