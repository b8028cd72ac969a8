//! Samples that a script declares in its header: `Lint-sample: --json scripts/count.sh`.

/// A declared sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Line of the declaration, from 1.
    pub(super) line: usize,
    /// Its arguments, or what is wrong with the declaration.
    pub(super) args: Result<Vec<String>, &'static str>,
}

const MARK: &str = "lint-sample:";

/// The samples that header lines (number, text) declare, in order.
pub(super) fn samples<'a>(header: impl Iterator<Item = (usize, &'a str)>) -> Vec<Sample> {
    header
        .filter_map(|(line, text)| {
            let text = text.trim_start_matches(|character: char| !character.is_alphanumeric());
            let mark = text.get(..MARK.len())?;
            let rest = text.get(MARK.len()..)?;
            mark.eq_ignore_ascii_case(MARK).then(|| Sample {
                line,
                args: words(rest),
            })
        })
        .collect()
}

/// Splits a line at white space. Quotes and backslashes work as in a shell; nothing is expanded.
///
/// **Errors**: a quote that does not end, and what a shell would expand or do more than pass on: guessing what was meant is how
/// scanners delete things.
fn words(line: &str) -> Result<Vec<String>, &'static str> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => found.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(inner) => word.push(inner),
                        None => return Err("a quote does not end"),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('"') => break,
                        Some('\\') => word.extend(characters.next()),
                        Some('$' | '`') => return Err("it would need a shell to expand it"),
                        Some(inner) => word.push(inner),
                        None => return Err("a quote does not end"),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            '$' | '`' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '*' | '?' => {
                return Err("it would need a shell to expand it");
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    found.extend(word);
    Ok(found)
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
            assert_eq!(words(line), expected, "{line}");
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
            "é",
        ];
        let found = samples(header.into_iter().enumerate());
        let found: Vec<_> = found
            .into_iter()
            .map(|sample| (sample.line, sample.args.expect("words").join("|")))
            .collect();
        assert_eq!(
            found,
            [
                (1, "--json|a".to_owned()),
                (2, "b".to_owned()),
                (3, String::new())
            ]
        );
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,80}") {
            samples([(1, line.as_str()), (2, &format!("# Lint-sample:{line}"))].into_iter());
        }

        #[test]
        fn quoted_words_come_back(list in proptest::collection::vec("[^'\n]{0,12}", 0..6)) {
            let line = list.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(words(&line), Ok(list));
        }
    }
}
