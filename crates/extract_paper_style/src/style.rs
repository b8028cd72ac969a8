//! The citation style of a LaTeX paper, from the bibliography style, the options of packages and the citation commands.

use aris_latex::{Block, Document, MarkKind};

use crate::profile::{CitationStyle, Textual};

/// Bibliography styles by the beginning of their name, in lower case; the longest match counts.
///
/// **Source**: the documentation of natbib, of biblatex (section 3.3) and of the classes and templates that carry the style.
const STYLES: &[(CitationStyle, &str)] = &[
    (
        CitationStyle::AuthorYear,
        "plainnat|abbrvnat|unsrtnat|apa|agsm|chicago|authoryear|aasjournal|apj|mnras|aa.bst|acl|iclr|icml|jmlr|tmlr|rlc",
    ),
    (CitationStyle::AuthorYear, "elsarticle-harv"),
    (CitationStyle::Labels, "alpha"),
    (
        CitationStyle::Numeric,
        "plain|unsrt|abbrv|numeric|ieee|acm|siam|splncs|nature|naturemag|vancouver|elsarticle-num|apsrev|ieeenat",
    ),
];

/// The citation style of a paper; `textual` counts its textual citations.
pub(crate) fn of(document: &Document, textual: Option<Textual>) -> CitationStyle {
    let mut named = CitationStyle::Unknown;
    let mut option = CitationStyle::Unknown;
    for file in &document.files {
        for (command, options, argument) in commands(&file.text) {
            let mut options = options.split(',').map(str::trim);
            match (command, argument) {
                ("bibliographystyle", name) => named = by_name(name),
                (_, "natbib") => {
                    for word in options {
                        match word {
                            "numbers" | "super" => option = CitationStyle::Numeric,
                            "authoryear" | "round" => option = CitationStyle::AuthorYear,
                            _ => {}
                        }
                    }
                }
                (_, "biblatex") => {
                    let is_style = |word: &str| {
                        let (key, value) = word.split_once('=')?;
                        matches!(key.trim(), "style" | "citestyle").then(|| by_name(value))
                    };
                    // biblatex's default style is numeric.
                    option = options.find_map(is_style).unwrap_or(CitationStyle::Numeric);
                }
                _ => {}
            }
        }
    }
    if option != CitationStyle::Unknown {
        return option;
    }
    if named != CitationStyle::Unknown {
        return named;
    }
    // Only author-year styles print the two kinds of commands differently.
    match textual {
        Some(Textual { textual, all }) if textual > 0 && textual < all => CitationStyle::AuthorYear,
        _ => CitationStyle::Unknown,
    }
}

fn by_name(name: &str) -> CitationStyle {
    let folded = name.trim().trim_matches(['{', '}']).to_ascii_lowercase();
    let starts = STYLES
        .iter()
        .flat_map(|(style, starts)| starts.split('|').map(move |start| (*style, start)));
    let longest = starts
        .filter(|(_, start)| folded.starts_with(start))
        .max_by_key(|(_, start)| start.len());
    longest.map_or(CitationStyle::Unknown, |(style, _)| style)
}

/// The command of each citation of a block.
pub(crate) fn citations(block: &Block) -> impl Iterator<Item = &str> {
    let mut last = 0;
    block.marks.iter().filter_map(move |mark| match &mark.kind {
        MarkKind::Cite {
            command, number, ..
        } if *number > last => {
            last = *number;
            Some(command.as_str())
        }
        _ => None,
    })
}

/// Whether a command cites within the sentence: `\citet`, `\textcite`.
fn is_textual(command: &str) -> bool {
    begins(command, "citet") && !begins(command, "citetitle") || begins(command, "textcite")
}

/// Whether a command prints the names of authors as part of the sentence.
pub(crate) fn names_authors(command: &str) -> bool {
    is_textual(command) || begins(command, "citeauthor") || begins(command, "newcite")
}

fn begins(command: &str, word: &str) -> bool {
    let start = command.as_bytes().get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Counts textual citations, and these together with parenthetical ones; `None` if there are neither.
pub(crate) fn textual(blocks: &[Block]) -> Option<Textual> {
    let (mut textual, mut all) = (0, 0);
    for command in blocks.iter().flat_map(citations) {
        let within = is_textual(command);
        textual += usize::from(within);
        all += usize::from(within || begins(command, "citep") || begins(command, "parencite"));
    }
    (all > 0).then_some(Textual { textual, all })
}

/// Most bytes of an option list or argument that are searched.
const NEAR: usize = 2000;

/// `\name[options]{argument}` outside comments, for the few names that matter here.
fn commands(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    const NAMES: [&str; 3] = ["bibliographystyle", "usepackage", "RequirePackage"];
    text.match_indices('\\').filter_map(move |(at, _)| {
        let after = text.get(at + 1..)?;
        let name = *NAMES.iter().find(|name| after.starts_with(**name))?;
        let before = text.get(text.floor_char_boundary(at.saturating_sub(NEAR))..at)?;
        let near = after.get(name.len()..after.floor_char_boundary(name.len() + NEAR))?;
        let (options, near) = match near.trim_start().strip_prefix('[') {
            Some(near) => near.split_once(']')?,
            None => ("", near),
        };
        let (argument, _) = near.trim_start().strip_prefix('{')?.split_once('}')?;
        let is_comment = before.rsplit('\n').next()?.replace("\\%", "").contains('%');
        (!is_comment).then_some((name, options, argument.trim()))
    })
}

#[cfg(test)]
mod tests {
    use aris_latex::Loaded;

    use super::*;

    #[test]
    fn the_style_is_that_of_options_then_bibliography_then_commands() {
        for (preamble, body, expected) in [
            (
                "\\usepackage[numbers,sort]{natbib}",
                "\\bibliographystyle{plainnat}",
                CitationStyle::Numeric,
            ),
            (
                "\\usepackage{natbib}",
                "\\bibliographystyle{plainnat}",
                CitationStyle::AuthorYear,
            ),
            ("", "\\bibliographystyle{plain}", CitationStyle::Numeric),
            ("", "\\bibliographystyle{IEEEtran}", CitationStyle::Numeric),
            ("", "\\bibliographystyle{alpha}", CitationStyle::Labels),
            ("", "% \\bibliographystyle{alpha}", CitationStyle::Unknown),
            ("", "5\\% \\bibliographystyle{alpha}", CitationStyle::Labels),
            (
                "\\usepackage[style=authoryear]{biblatex}",
                "",
                CitationStyle::AuthorYear,
            ),
            (
                "\\usepackage[backend=biber]{biblatex}",
                "",
                CitationStyle::Numeric,
            ),
            ("", "\\citet{a} and \\citep{b}", CitationStyle::AuthorYear),
            ("", "\\cite{a}", CitationStyle::Unknown),
            (
                "",
                "\\bibliographystyle{elsarticle-harv}",
                CitationStyle::AuthorYear,
            ),
            ("", "\\bibliographystyle{unclosed", CitationStyle::Unknown),
        ] {
            let text = format!(
                "\\documentclass{{article}}{preamble}\n\\begin{{document}}{body}\n\\end{{document}}"
            );
            let mut files = |_: &str| Loaded::Text(text.as_str().into());
            let document = Document::read("m.tex", &mut files).expect("readable");
            assert_eq!(
                of(&document, textual(&document.blocks)),
                expected,
                "{preamble} {body}"
            );
        }
    }

    #[test]
    fn textual_citations_are_counted_by_command() {
        let text = "\\documentclass{article}\\begin{document}\\citet{a} \\citep{b,c} \\citet{d}\\citep{e}\\citetitle{f}\\end{document}";
        let mut files = |_: &str| Loaded::Text(text.into());
        let document = Document::read("m.tex", &mut files).expect("readable");
        assert_eq!(
            textual(&document.blocks),
            Some(Textual { textual: 2, all: 4 })
        );
    }
}
