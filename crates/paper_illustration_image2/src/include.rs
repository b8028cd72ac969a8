//! `latex_include.tex`: the LaTeX of the figure with its caption and label.

use std::path::Path;

use aris_latex::{
    Block, BlockKind, Document, Include, IncludeKind, IncludeOutcome, Loaded, MarkKind, Place,
    Problem, ProblemKind,
};

use crate::workspace::{FOLDER, IMAGE, INCLUDE, TEXT_LIMIT, Workspace};

/// The placeholder for the caption.
pub(crate) const CAPTION: &str = "[Replace with a paper-ready caption].";
/// The placeholder for the label.
pub(crate) const LABEL: &str = "fig:replace-me";

/// Commands whose argument is text, in which a bare `_` or `^` is an error in LaTeX.
const TEXT: [&str; 10] = [
    "emph",
    "mbox",
    "textbf",
    "textit",
    "textmd",
    "textrm",
    "textsc",
    "textsf",
    "texttt",
    "underline",
];

/// Environments in which a caption may hold what it cannot hold itself: a box, and lists of paralist within a line.
const WITHIN: [&str; 3] = ["minipage", "inparaenum", "inparaitem"];

/// The content of the file; `caption` is LaTeX.
pub(crate) fn text(caption: &str, label: &str) -> String {
    format!(
        "\\begin{{figure*}}[t]\n    \\centering\n    \\includegraphics[width=0.95\\textwidth]{{figures/ai_generated/figure_final.png}}\n    \
         \\caption{{{caption}}}\n    \\label{{{label}}}\n\\end{{figure*}}\n"
    )
}

/// Plain text as LaTeX that prints it: on one line, without commands and control characters.
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

/// The first thing in a LaTeX caption that would break its document: line and column, from 1, and the reason.
pub(crate) fn flaw(latex: &str) -> Option<(usize, usize, String)> {
    let mut lines = latex.trim().lines();
    if latex.trim().is_empty() || lines.any(|line| line.trim().is_empty()) {
        return Some((1, 1, String::from("is empty, or has a blank line")));
    }
    let found = |at: usize, why: &str| {
        let before = latex.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|letter| *letter != '\n');
        Some((line, column.count() + 1, why.to_owned()))
    };
    let mut letters = latex.char_indices().peekable();
    // Byte offset of each open brace, and whether it holds text rather than a name, as that of `\ref` does.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut maths = None;
    // The command to which the next argument belongs, and whether its optional argument is open.
    let (mut command, mut option) = (String::new(), false);
    let (mut conditionals, mut delimiters) = (0_usize, Vec::new());
    // Alignment characters are allowed in tables and addresses.
    let aligning = ["\\begin", "\\url", "\\href"];
    let may_align = aligning.iter().any(|name| latex.contains(name));
    while let Some((at, letter)) = letters.next() {
        if !option && !"\\*[]{ ".contains(letter) {
            command.clear();
        }
        let holds_text = open.last().is_none_or(|(_, text)| *text);
        match letter {
            '\\' => {
                let mut name = String::new();
                let letter = |(_, letter): &(usize, char)| letter.is_ascii_alphabetic();
                while let Some((_, letter)) = letters.next_if(letter) {
                    name.push(letter);
                }
                match name.as_str() {
                    "" => match letters.next() {
                        None => return found(at, "ends with a lone backslash"),
                        Some((_, '(' | '[')) => maths = Some(at),
                        Some((_, ')' | ']')) if maths.take().is_none() => {
                            return found(at, "closes maths that is not open");
                        }
                        // An escaped character stands for itself.
                        _ => {}
                    },
                    "verb" | "par" | "caption" => {
                        return found(
                            at,
                            "has \\verb, \\par or \\caption, which no caption may have",
                        );
                    }
                    "item" if !latex.contains("\\begin") => {
                        return found(at, "has \\item outside of a list");
                    }
                    "fi" | "else" | "or" if conditionals == 0 => {
                        return found(at, "has \\fi, \\else or \\or without a conditional");
                    }
                    "csname" | "expandafter" => {
                        return found(at, "makes a command, and nobody can see which");
                    }
                    "fi" => conditionals -= 1,
                    "left" => delimiters.push(at),
                    "right" if delimiters.pop().is_none() => {
                        return found(at, "has \\right without \\left");
                    }
                    "iff" => {}
                    name if name.starts_with("if") => conditionals += 1,
                    _ => {}
                }
                command = name;
            }
            '%' => return found(at, "has a comment, which would hide the end of the caption"),
            '#' => return found(at, "has # without a backslash"),
            '&' if !may_align => return found(at, "has & without a backslash"),
            '_' | '^' if maths.is_none() && holds_text && !option && !may_align => {
                return found(at, "has _ or ^ outside of maths, without a backslash");
            }
            '$' => maths = if maths.is_none() { Some(at) } else { None },
            '[' => option = !command.is_empty(),
            ']' => option = false,
            '{' => {
                let text = command.is_empty() || TEXT.contains(&command.as_str());
                open.push((at, holds_text && text));
                command.clear();
            }
            '}' if open.pop().is_none() => return found(at, "closes a brace that is not open"),
            _ => {}
        }
    }
    if let Some((at, _)) = open.pop() {
        return found(at, "opens a brace that is not closed");
    }
    if let Some(at) = maths {
        return found(at, "opens maths that is not closed");
    }
    if let Some(at) = delimiters.pop() {
        return found(at, "has \\left without \\right");
    }
    if let Some(at) = latex.find("\\end{document}") {
        return found(at, "ends the document");
    }
    // The reader then checks the caption inside an environment whose name no caption contains.
    let source = format!(
        "\\documentclass{{article}}\\begin{{document}}\\begin{{arisprobe}}\n{latex}\n\\end{{arisprobe}}\\end{{document}}"
    );
    let mut files = |path: &str| match path {
        "caption.tex" => Loaded::Text(source.clone().into()),
        _ => Loaded::Absent,
    };
    let document = match Document::read("caption.tex", &mut files) {
        Ok(document) => document,
        Err(error) => return Some((1, 1, error.to_string())),
    };
    // LaTeX sets a caption in a box first, where no paragraph, list or displayed formula can stand.
    let displayed = |block: &Block| -> Option<Place> {
        let mut around = block.environments.iter();
        if around.any(|name| WITHIN.contains(&&**name)) {
            return None;
        }
        if matches!(block.kind, BlockKind::DisplayMath | BlockKind::ListItem) {
            return Some(block.start);
        }
        let mut marks = block.marks.iter();
        let mark = marks.find(|mark| mark.kind == MarkKind::DisplayMath)?;
        Some(block.place(mark.range.start))
    };
    if let Some(place) = document.blocks.iter().find_map(displayed) {
        let at = document.position(place);
        let why = String::from("has a displayed formula or a list, which no caption may have");
        return Some((at.line.saturating_sub(1), at.column, why));
    }
    document
        .problems
        .iter()
        .find_map(|problem| match problem.kind {
            ProblemKind::UnclosedGroup
            | ProblemKind::ExtraBrace
            | ProblemKind::UnclosedEnvironment
            | ProblemKind::ExtraEnd
            | ProblemKind::UnclosedMath
            | ProblemKind::UnclosedConditional => {
                let at = document.position(problem.place);
                // A command at the end took the end of the environment as its argument.
                let (lines, last) = latex
                    .lines()
                    .fold((0, ""), |(count, _), line| (count + 1, line));
                if at.line > lines + 1 {
                    let why = String::from("ends with a command whose argument is missing");
                    return Some((lines, last.chars().count() + 1, why));
                }
                Some((
                    at.line.saturating_sub(1),
                    at.column,
                    problem.message.clone(),
                ))
            }
            // Braces are checked above; the paper's own definitions and files are not known here.
            ProblemKind::MissingInclude
            | ProblemKind::IncludeCycle
            | ProblemKind::Expansion
            | ProblemKind::UndefinedMacro
            | ProblemKind::UnreadText(_)
            | ProblemKind::Undecided(_)
            | ProblemKind::NoDocument => None,
        })
}

/// Whether a label consists of characters that need no escape, and has at most 200 of them.
pub(crate) fn is_label(label: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ":._-/+".contains(letter);
    !label.is_empty() && label.len() <= 200 && label.chars().all(plain)
}

/// What the file shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// The final image.
    Final,
    /// Another picture, or none.
    Other,
    /// Not decided; the place and the reason.
    Undecided(String),
}

/// What `latex_include.tex` shows, as the reader of LaTeX says: text that LaTeX does not set shows nothing.
///
/// The folder in which LaTeX runs, and its `\graphicspath`, are not known: a picture's name counts as that of the final image
/// if the absolute path of the final image ends with it.
pub(crate) fn shows(latex: &str, workspace: &Workspace) -> Shows {
    // The packages and definitions of the paper are not known.
    const ROOT: &str = "main.tex";
    const PREAMBLE: &str = "the preamble.tex";
    let file = format!("{FOLDER}/{INCLUDE}");
    let source = format!(
        "\\documentclass{{unknown}}\\input{{{PREAMBLE}}}\\begin{{document}}\\input{{{file}}}\\end{{document}}"
    );
    let mut files = |path: &str| match path {
        ROOT => Loaded::Text(source.as_str().into()),
        PREAMBLE | "unknown.cls" => Loaded::Absent,
        _ if path == file => Loaded::Text(latex.into()),
        _ => match workspace.inside.read(Path::new(path), TEXT_LIMIT) {
            Ok(Some(bytes)) => Loaded::Text(String::from_utf8_lossy(&bytes).into()),
            Ok(None) => Loaded::Absent,
            Err(error) => Loaded::Unreadable(error.to_string()),
        },
    };
    let document = match Document::read(ROOT, &mut files) {
        Ok(document) => document,
        Err(error) => return Shows::Undecided(error.to_string()),
    };
    let output = workspace.output();
    let is_final = |picture: &&Include| {
        let mut names = picture.candidates.iter().filter_map(|path| {
            let path = path.trim_start_matches("../");
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            output.ends_with(folder).then_some(name)
        });
        names.find(|name| *name == IMAGE || output.join(name).exists()) == Some(IMAGE)
    };
    let pictures = document.includes.iter();
    let pictures = pictures.filter(|include| include.kind == IncludeKind::Graphics);
    let is_known = |picture: &&Include| picture.outcome != IncludeOutcome::Unresolved;
    let (certain, doubtful): (Vec<_>, Vec<_>) =
        pictures.partition(|picture| picture.doubt.is_none() && is_known(picture));
    if certain.iter().any(is_final) {
        return Shows::Final;
    }
    let undecided = |place: Place, why: &str| {
        let at = document.position(place);
        Shows::Undecided(format!("{at}: {why}"))
    };
    let mut doubtful = doubtful.iter();
    if let Some(picture) = doubtful.find(|picture| is_final(picture) || !is_known(picture)) {
        let place = picture.doubt.unwrap_or(picture.place);
        let mut problems = document.problems.iter();
        let problem = problems.find(|problem| problem.place == place);
        let quote = document.quote(place, 80);
        let unknown = format!("the paper decides what is set here: `{quote}`");
        return undecided(place, problem.map_or(&unknown, |problem| &problem.message));
    }
    // What is not known here may set the picture, unless another one is set.
    let mut problems = document.problems.iter().filter(|_| certain.is_empty());
    let hides = |problem: &&Problem| {
        use ProblemKind::{Expansion, MissingInclude, UndefinedMacro};
        let is_own = document.position(problem.place).path != ROOT;
        is_own && matches!(problem.kind, MissingInclude | Expansion | UndefinedMacro)
    };
    let problem = problems.find(hides);
    problem.map_or(Shows::Other, |problem| {
        undecided(problem.place, &problem.message)
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
        for good in [
            "A $x_1$ of \\emph{all}",
            "50\\,\\% and \\{",
            "two\nlines",
            "\\#1 \\& \\ours{} in~\\ref{fig:a_b}",
            "\\begin{tabular}{ll}a & b\\end{tabular}",
            "\\(x\\) \\url{https://example.org/?a=1&b=2}",
            "\\input{caption}",
            "$\\left(x^2\\right)_1 \\iff y$ \\ifx a b\\else c\\fi",
            "\\(x_1\\) a\\_b\\\\[2pt] c",
            "\\begin{minipage}{3cm}\\begin{itemize}\\item a\\end{itemize}\\[x\\]\\end{minipage}",
            "$\\begin{aligned}x\\end{aligned}$",
            "\\emph{all of~\\ref{fig:a_b} and $x_1$} \\ensuremath{x_1}",
            "\\cite[p.~2]{a_b} \\hyperref[sec:a_b]{there} \\ref {a_b}",
        ] {
            assert_eq!(flaw(good), None, "{good}");
        }
        for (bad, place) in [
            ("", (1, 1)),
            ("One\nand \\text", (2, 10)),
            (" ", (1, 1)),
            ("50 %", (1, 4)),
            ("50 \\\\%", (1, 6)),
            ("{a", (1, 1)),
            ("a}", (1, 2)),
            ("a}{", (1, 2)),
            ("a\\", (1, 2)),
            ("a\n\nb", (1, 1)),
            ("a\nno 1 & 2", (2, 6)),
            ("a #1", (1, 3)),
            ("a\\end{figure} b \\begin{figure}", (1, 2)),
            ("a \\end{document}", (1, 3)),
            ("a\nb $x", (2, 3)),
            ("\\verb|x|", (1, 1)),
            ("model a_b", (1, 8)),
            ("x^2", (1, 2)),
            ("a \\fi", (1, 3)),
            ("\\else x", (1, 1)),
            ("$\\left( x$", (1, 2)),
            ("$\\right) x$", (1, 2)),
            ("a \\] b", (1, 3)),
            ("a \\item b", (1, 3)),
            ("\\textbf{a_b}", (1, 10)),
            ("{a^b}", (1, 3)),
            ("a \\or b", (1, 3)),
            ("\\csname fi\\endcsname", (1, 1)),
            ("a \\[x\\]", (1, 5)),
            ("a $$x$$ b", (1, 5)),
            ("a\n\\begin{itemize}\\item a\\end{itemize}", (2, 22)),
            ("\\begin{equation}x\\end{equation}", (1, 17)),
        ] {
            let found = flaw(bad).map(|(line, column, _)| (line, column));
            assert_eq!(found, Some(place), "{bad}: {:?}", flaw(bad));
        }
    }

    #[test]
    fn labels_are_checked() {
        for (label, good) in [
            ("fig:a-b_c.1", true),
            ("fig:é", false),
            ("a}b", false),
            ("", false),
            ("a b", false),
        ] {
            assert_eq!(is_label(label), good, "{label}");
        }
    }

    proptest::proptest! {
        #[test]
        fn braces_of_any_caption_are_balanced(caption in "\\PC{0,40}|[\\\\{}%$&#_^~ a\n]{0,40}") {
            let latex = escaped(&caption).replace("\\{", "").replace("\\}", "");
            let open = latex.matches('{').count();
            proptest::prop_assert_eq!(open, latex.matches('}').count());
            proptest::prop_assert!(!latex.contains('\n'));
        }
    }
}
