use aris_latex::Loaded;

use super::*;

fn measure(text: &str) -> Profile {
    let mut files = |path: &str| match path {
        "m.tex" => Loaded::Text(text.into()),
        _ => Loaded::Absent,
    };
    profile(&Document::read("m.tex", &mut files).expect("readable"))
}

const PAPER: &str = r"\documentclass{article}
\newtheorem{satz}{Theorem}
\newtheorem{hyp}{Standing assumption}
\begin{document}
\begin{abstract}One two three. Four five.\end{abstract}
\section{Introduction}
We see \cite{a,b} that $x=1$. % not a word of this
\begin{verbatim}
\section{Not a section} nor words
\end{verbatim}
\begin{itemize}\item First. \item Second one.\end{itemize}
\begin{figure}\includegraphics{x}\caption{A short caption.}\end{figure}
\section{The Zeta Gadget}
\subsection{Parts} As shown by Smith et al.\ \citep{c}, this holds. The value is 3.5 in Fig.~\ref{f}.
We set
\begin{equation} a = b, \end{equation}
where $a$ is left.\footnote{A note.}
\begin{satz} Stated here. \end{satz}\begin{proof} Easy. \end{proof}\begin{hyp} So. \end{hyp}
\begin{table}\begin{longtable}{l} 1 \end{longtable}\caption{Two words}\end{table}
\paragraph{Run in.} And {nested {braces {here}}}.
\section*{Acknowledgments} Thanks.
\appendix
\section{Proofs} Last.
\end{document}";

#[test]
fn a_small_paper_is_measured_right() {
    let profile = measure(PAPER);
    let roles: Vec<_> = profile
        .sections
        .iter()
        .map(|section| {
            (
                section.role,
                section.conventional,
                section.words,
                section.sentences.map_or(0, |spread| spread.count),
            )
        })
        .collect();
    assert_eq!(
        roles,
        [
            (Role::Abstract, true, 5, 2),
            // We see that FORMULA / First / Second one
            (Role::Introduction, true, 7, 3),
            // As … holds (8), The … REF (7), We set FORMULA where FORMULA is left (7), Stated here (2), Easy (1), So (1), And … (4)
            (Role::Body, false, 30, 7),
            (Role::Statements, true, 1, 1),
            (Role::Theory, true, 1, 1),
        ]
    );
    let introduction = profile.sections[1];
    assert_eq!(
        (
            introduction.citations,
            introduction.inline_formulas,
            introduction.lists,
            introduction.figures
        ),
        (Some(1), Some(1), Some(1), Some(1))
    );
    let body = profile.sections[2];
    assert_eq!(
        (
            body.title_words,
            body.subsections,
            body.run_in_headings,
            body.tables,
            body.footnotes,
            body.displayed_formulas,
            body.statements
        ),
        (3, 1, Some(1), Some(1), Some(1), Some(1), Some(3))
    );
    assert_eq!(
        (profile.sections[3].numbered, profile.sections[4].appendix),
        (Some(false), true)
    );
    let statements: Vec<_> = profile
        .statements
        .iter()
        .map(|one| (one.kind, one.count))
        .collect();
    assert_eq!(
        statements,
        [
            (StatementKind::Theorem, 1),
            (StatementKind::Assumption, 1),
            (StatementKind::Proof, 1)
        ]
    );
    assert_eq!(profile.figure_captions.map(|spread| spread.median), Some(3));
    assert_eq!(profile.table_captions.map(|spread| spread.median), Some(2));
    assert_eq!(profile.cited_works, Some(3));
}

#[test]
fn what_is_never_closed_is_measured_all_the_same() {
    for unclosed in [
        "{",
        "\\begin{theorem} ",
        "\\begin{figure} ",
        "$",
        "\\textbf{",
        "\\begin{open}",
    ] {
        let text = format!(
            "\\documentclass{{article}}\\begin{{document}}\\section{{Introduction}} Words here. {}",
            unclosed.repeat(20_000)
        );
        assert_eq!(
            measure(&text).sections[0].role,
            Role::Introduction,
            "{unclosed}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(\\\\begin|\\\\section|\\\\end|\\{figure\\}|\\{theorem\\}|[{}\\[\\]$%&\\\\a-z. \n]|\\\\cite\\{a\\}|é){0,60}") {
        drop(measure(&text));
    }
}
