//! `latex_include.tex`: the figure with its caption and label.

/// Caption until a person writes one.
pub(crate) const CAPTION: &str = "[Replace with a paper-ready caption].";
/// Label until a person writes one.
pub(crate) const LABEL: &str = "fig:replace-me";

/// The whole file; `caption` is LaTeX.
pub(crate) fn text(caption: &str, label: &str) -> String {
    format!(
        "\\begin{{figure*}}[t]\n    \\centering\n    \\includegraphics[width=0.95\\textwidth]{{figures/ai_generated/figure_final.png}}\n    \
         \\caption{{{caption}}}\n    \\label{{{label}}}\n\\end{{figure*}}\n"
    )
}

/// Plain text as LaTeX that prints it: one line, no command, no control character.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.trim().chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(letter);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            letter if letter.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

/// What of a caption in LaTeX would break the document that it stands in.
pub(crate) fn flaw(latex: &str) -> Option<&'static str> {
    let mut depth = 0_usize;
    let mut letters = latex.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // The escaped letter stands for itself.
            '\\' if letters.next().is_none() => return Some("ends with a lone backslash"),
            '%' => return Some("has a comment, which would hide the end of the caption"),
            '{' => depth += 1,
            '}' if depth == 0 => return Some("closes a brace that is not open"),
            '}' => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 {
        return Some("does not close every brace");
    }
    let mut lines = latex.trim().lines();
    if latex.trim().is_empty() || lines.any(|line| line.trim().is_empty()) {
        return Some("is empty, or has a blank line");
    }
    None
}

/// Whether a label needs no escape, which labels do not have.
pub(crate) fn is_label(label: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ":._-/+".contains(letter);
    !label.is_empty() && label.len() <= 200 && label.chars().all(plain)
}

/// Whether LaTeX text includes the final image, comments aside.
pub(crate) fn includes_final(text: &str) -> bool {
    text.lines().any(|line| {
        let mut escaped = false;
        let comment = line.char_indices().find(|(_, letter)| {
            let found = *letter == '%' && !escaped;
            escaped = *letter == '\\' && !escaped;
            found
        });
        let code = comment.map_or(Some(line), |(at, _)| line.get(..at));
        code.is_some_and(|code| code.contains("figure_final.png"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_print_as_they_are_written() {
        for (plain, latex) in [
            ("A & B", "A \\& B"),
            ("50 % of $x_1$ #2 {y}", "50 \\% of \\$x\\_1\\$ \\#2 \\{y\\}"),
            (
                "\\input{/etc/passwd}",
                "\\textbackslash{}input\\{/etc/passwd\\}",
            ),
            ("a~b^c", "a\\textasciitilde{}b\\textasciicircum{}c"),
            (" two\n\n  lines\u{7} ", "two lines"),
            ("größer", "größer"),
        ] {
            assert_eq!(escaped(plain), latex, "{plain}");
        }
        assert!(
            text(&escaped(CAPTION), LABEL)
                .contains("\\caption{[Replace with a paper-ready caption].}\n")
        );
    }

    #[test]
    fn captions_in_latex_must_not_break_the_document() {
        for good in ["A $x_1$ of \\emph{all}", "50\\,\\% and \\{", "two\nlines"] {
            assert_eq!(flaw(good), None, "{good}");
        }
        for bad in ["", " ", "50 %", "{a", "a}", "a}{", "a\\", "a\n\nb"] {
            assert!(flaw(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn labels_and_includes_are_checked() {
        for (label, good) in [
            ("fig:a-b_c.1", true),
            ("fig:é", false),
            ("a}b", false),
            ("", false),
            ("a b", false),
        ] {
            assert_eq!(is_label(label), good, "{label}");
        }
        assert!(includes_final("x \\% \\includegraphics{figure_final.png}"));
        assert!(!includes_final(
            "% \\includegraphics{figure_final.png}\nfigure_v1.png"
        ));
    }

    proptest::proptest! {
        #[test]
        fn braces_of_any_caption_are_balanced(caption in "\\PC{0,40}|[\\\\{}%$&#_^~ a\n]{0,40}") {
            let latex = escaped(&caption).replace("\\{", "").replace("\\}", "");
            let open = latex.matches('{').count();
            proptest::prop_assert_eq!(open, latex.matches('}').count());
            proptest::prop_assert!(!latex.contains('\n'));
        }

        #[test]
        fn no_text_makes_it_panic(text in "(%|\\\\|figure_final.png|é|\n){0,20}") {
            let _ = includes_final(&text);
        }
    }
}
