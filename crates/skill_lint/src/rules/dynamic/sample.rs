//! Samples that a script declares in a comment: `Lint-sample: --json scripts/count.sh`.

use crate::code::shell::literal_words;

const MARK: &str = "lint-sample:";

/// Ends of comments, which are cut off a sample.
const CLOSES: [&str; 4] = ["*/", "#>", "\"\"\"", "'''"];

/// The declared samples, in order, each with its line. Comment marks before and after are ignored.
///
/// A malformed declaration gives an error message in place of the arguments.
pub(super) fn declared<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> impl Iterator<Item = (usize, Result<Vec<String>, &'static str>)> {
    lines.filter_map(|(line, text)| {
        let text = text.trim_start_matches(|character: char| !character.is_alphanumeric());
        let (mark, rest) = text.split_at_checked(MARK.len())?;
        let close = CLOSES
            .iter()
            .find_map(|close| rest.trim_end().strip_suffix(close));
        let args = || literal_words(close.unwrap_or(rest));
        mark.eq_ignore_ascii_case(MARK).then(|| (line, args()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_those_of_a_shell_that_expands_nothing() {
        for (line, expected) in [
            ("", Ok(&[][..])),
            (" --json  a.sh\t", Ok(&["--json", "a.sh"])),
            (
                r#" 'a b' "c d"e f\ g '' "\"" "#,
                Ok(&["a b", "c de", "f g", "", "\""]),
            ),
            ("'$x' \\$y", Ok(&["$x", "$y"])),
            ("'open", Err("a quote does not end")),
            ("\"open", Err("a quote does not end")),
            ("$HOME", Err("it would need a shell to expand it")),
            ("\"`x`\"", Err("it would need a shell to expand it")),
            ("a > b", Err("it would need a shell to expand it")),
        ] {
            let expected = expected
                .map(|words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect());
            assert_eq!(literal_words(line), expected, "{line}");
        }
    }

    #[test]
    fn only_lines_that_begin_with_the_mark_declare() {
        let header = [
            "# Usage: x",
            "# Lint-sample: --json a",
            "  LINT-SAMPLE: b",
            "// lint-sample:",
            "not a Lint-sample: c",
            "\"\"\"Lint-sample: d\"\"\"",
            "é",
        ];
        let found: Vec<_> = declared(header.into_iter().enumerate())
            .map(|(line, args)| (line, args.expect("words").join("|")))
            .collect();
        assert_eq!(
            found,
            [
                (1, "--json|a".to_owned()),
                (2, "b".to_owned()),
                (3, String::new()),
                (5, "d".to_owned())
            ]
        );
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,80}") {
            let text = format!("# Lint-sample:{line}");
            declared([(1, &*line), (2, &text)].into_iter()).for_each(drop);
        }

        #[test]
        fn quoted_words_come_back(list in proptest::collection::vec("[^'\n]{0,12}", 0..6)) {
            let line = list.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(literal_words(&line), Ok(list));
        }
    }
}
