//! Contents lists of long references.

/// Lines at the start of a file in which a contents list is looked for.
pub(crate) const SEARCHED_LINES: usize = 80;

/// List items or table rows with a link into the same file that make a contents list without a title.
const LINKS: usize = 3;

const TITLES: [&str; 6] = [
    "table of contents",
    "contents",
    "toc",
    "in this document",
    "in this file",
    "in this reference",
];

/// Whether lines, those outside fences among the first 80, hold a contents list.
pub(crate) fn has_contents<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut links = 0;
    for line in lines {
        let line = line.trim();
        if is_title(line) || line.to_ascii_lowercase().contains("[toc]") {
            return true;
        }
        links += usize::from(is_item(line) && line.contains("](#"));
        if links == LINKS {
            return true;
        }
    }
    false
}

/// Whether a line, after optional heading marks or `**`, begins with the title of a contents list.
fn is_title(line: &str) -> bool {
    let text = line.trim_start_matches('#').trim_start();
    let text = text.strip_prefix("**").unwrap_or(text).trim_start();
    TITLES.iter().any(|title| {
        text.get(..title.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(title))
            && !text
                .get(title.len()..)
                .and_then(|rest| rest.chars().next())
                .is_some_and(char::is_alphanumeric)
    })
}

/// Whether a trimmed line is a list item or a table row.
fn is_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    line.starts_with('|')
        || line.starts_with(['-', '*', '+']) && line.chars().nth(1).is_some_and(char::is_whitespace)
        || digits.len() < line.len()
            && digits
                .strip_prefix(['.', ')'])
                .is_some_and(|rest| rest.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::has_contents;

    #[test]
    fn titles_marks_and_three_links_are_a_contents_list() {
        for (text, expected) in [
            ("# Table of Contents", true),
            ("**Contents**", true),
            ("## TOC", true),
            ("In this file: a, b", true),
            ("[TOC]", true),
            ("[[toc]]", true),
            ("- [a](#a)\n* [b](#b)\n1. [c](#c)", true),
            ("| [a](#a) |\n| [b](#b) |\n| [c](#c) |", true),
            ("- [a](#a)\n- [b](#b)", false),
            ("[a](#a) [b](#b)\n[c](#c)\n[d](#d)", false),
            ("# Tocopherol", false),
            ("The contents", false),
            ("", false),
        ] {
            assert_eq!(has_contents(text.lines()), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(text in r"([-*+|#0-9. é]|\]\(#|contents|toc|\n){0,40}") {
            let found = has_contents(text.lines());
            prop_assert!(has_contents(text.lines().chain(["# Contents"])) >= found);
        }
    }
}
