//! Whether a paper states a measured number beyond doubt.
//!
//! Only unambiguous cases count: a percentage in running text, and a table row with two decimal numbers. Years, sizes, section
//! numbers and maths are ignored. This does not audit numbers; it only distinguishes an audit that found nothing to audit from
//! one that did not look.

use aris_latex::{Block, BlockKind, Document, Place};

/// The first measured number and its place.
pub(crate) fn first(document: &Document) -> Option<(String, Place)> {
    let mut prose = document.blocks.iter().filter(|block| is_prose(block));
    let in_text = prose.find_map(|block| {
        let (at, text) = percentage(&block.text)?;
        Some((text, block.place(at)))
    });
    let mut tables = document.tables.iter();
    in_text.or_else(|| tables.find_map(|table| in_table(document, &table.rows)))
}

fn is_prose(block: &Block) -> bool {
    matches!(
        block.kind,
        BlockKind::Abstract
            | BlockKind::Paragraph
            | BlockKind::ListItem
            | BlockKind::Caption { .. }
            | BlockKind::Footnote
    )
}

/// The first percentage in `text`: digits before a percent sign. 0 and 100 do not count, because they are often figures of
/// speech.
fn percentage(text: &str) -> Option<(usize, String)> {
    text.match_indices('%').find_map(|(sign, _)| {
        let before = text.get(..sign)?;
        let before = before.trim_end_matches(|c: char| c.is_whitespace() || c == '\\');
        let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let start = start.len();
        let digits = before.get(start..)?;
        let value: f64 = digits.parse().ok()?;
        (value > 0.0 && value < 100.0).then(|| (start, format!("{digits} %")))
    })
}

fn in_table(document: &Document, rows: &[aris_latex::Row]) -> Option<(String, Place)> {
    rows.iter().filter(|row| !row.header).find_map(|row| {
        let cells = row.cells.iter();
        let cells = cells.filter_map(|cell| document.blocks.get(*cell));
        let mut decimals = cells.filter(|block| is_decimal(block.text.trim()));
        let (first, _second) = (decimals.next()?, decimals.next()?);
        Some((first.text.trim().to_owned(), first.place(0)))
    })
}

/// Whether the text is a decimal number, possibly with a spread: `84.7`, `84.7 ± 0.3`.
fn is_decimal(text: &str) -> bool {
    let number = text.split(['±', '(']).next().unwrap_or("").trim();
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    number
        .split_once('.')
        .is_some_and(|(whole, fraction)| plain(whole) && plain(fraction))
}

#[cfg(test)]
mod tests {
    use aris_latex::Loaded;

    use super::*;

    fn found(body: &str) -> Option<String> {
        let text = format!("\\documentclass{{article}}\\begin{{document}}{body}\\end{{document}}");
        let document = Document::read("m.tex", &mut |path: &str| match path {
            "m.tex" => Loaded::Text(text.as_str().into()),
            _ => Loaded::Absent,
        });
        first(&document.expect("read")).map(|(text, _)| text)
    }

    #[test]
    fn only_measured_numbers_count() {
        for (body, expected) in [
            (r"We reach 84.7\,\% here.", Some("84.7 %")),
            (r"We reach 84\% here.", Some("84 %")),
            (
                r"\begin{tabular}{lcc}\toprule a & b & c\\\midrule x & 84.7 & 82.4\\\bottomrule\end{tabular}",
                Some("84.7"),
            ),
            (
                r"\begin{tabular}{lc}\toprule a & b\\\midrule Python & 3.10\\\bottomrule\end{tabular}",
                None,
            ),
            (
                r"This is 100\% sure, in 2024, in Section 3.1, for $p < 0.05$.",
                None,
            ),
            (
                r"Let $n \geq 4$. The year was 1984; version 3.10 of 2 of them.",
                None,
            ),
            ("% 50\\% in a comment\nNothing here.", None),
            (r"Loss of 0\% and of 0.0\%.", None),
            (r"\section{How to save 50\%}Words.", None),
            (
                r"\begin{tabular}{lcc}\toprule a & b & c\\\midrule x & 84. & .7\\y & v.2 & 3.x\\\bottomrule\end{tabular}",
                None,
            ),
            (r"A percent sign (\%) alone.", None),
        ] {
            assert_eq!(found(body).as_deref(), expected, "{body}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9.% ±é\\\\]{0,40}") {
            drop(percentage(&text));
            let _decimal = is_decimal(&text);
        }
    }
}
