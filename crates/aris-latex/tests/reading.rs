//! What an author writes, and what the reader shows.
#![cfg(test)]

use aris_latex::{
    Block, BlockKind, Document, Error, Holds, IncludeKind, IncludeOutcome, Loaded, MarkKind,
    Problem, ProblemKind, find_root,
};

fn tree(files: &[(&str, &str)]) -> Result<Document, Error> {
    let mut loader = |path: &str| match files.iter().find(|(name, _)| *name == path) {
        Some((_, text)) => Loaded::Text((*text).into()),
        None => Loaded::Absent,
    };
    Document::read(files[0].0, &mut loader)
}

fn document(preamble: &str, body: &str) -> Document {
    let text = format!(
        "\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    );
    tree(&[("main.tex", &text)]).expect("a document")
}

/// The problems, except those that only report unread, undecided or undefined text.
fn wrong(document: &Document) -> Vec<&Problem> {
    let is_told = |kind: ProblemKind| {
        use ProblemKind::{Undecided, UndefinedMacro, UnreadText};
        matches!(kind, UndefinedMacro | UnreadText(_) | Undecided(_))
    };
    let problems = document.problems.iter();
    problems.filter(|problem| !is_told(problem.kind)).collect()
}

fn texts(document: &Document) -> Vec<&str> {
    document
        .blocks
        .iter()
        .map(|block| block.text.as_str())
        .collect()
}

fn marked(block: &Block, wanted: impl Fn(&MarkKind) -> bool) -> Vec<&str> {
    block
        .marks
        .iter()
        .filter(|mark| wanted(&mark.kind))
        .map(|mark| block.text.get(mark.range.clone()).expect("in bounds"))
        .collect()
}

#[test]
fn text() {
    let cases: &[(&str, &[&str])] = &[
        ("one\ntwo\n\nthree", &["one two", "three"]),
        ("a% comment 99\nb % 12\n\nc", &["ab", "c"]),
        ("84.7\\% \\& \\_ \\$ \\#", &["84.7% & _ $ #"]),
        ("a~b -- c --- d ``q'' 'x", &["a b – c — d “q” ’x"]),
        (
            "\\'{e}\\\"u\\c{c}\\v{s}\\ss\\o{} \\~n \\^{\\i}",
            &["éüçšßø ñ î"],
        ),
        (
            "1{,}234 and 1\\,234 and 12{.}5 and 1\\,234\\,567",
            &["1,234 and 1,234 and 12.5 and 1,234,567"],
        ),
        ("5\\,ms, 0.123\\,456, et\\,al.", &["5 ms, 0.123456, et al."]),
        (
            "$84.7 \\pm 0.3$ and $84.7\\pm0.3$",
            &["84.7 ± 0.3 and 84.7 ± 0.3"],
        ),
        (
            "3.2$\\times$ faster, $2\\times 3$, $1.2\\times10^{-3}$",
            &["3.2× faster, 2 × 3, 1.2 × 10^{-3}"],
        ),
        (
            "$\\approx 5$ $\\sim$5 $x\\leq y$ $a\\to b$",
            &["≈5 ~5 x ≤ y a → b"],
        ),
        (
            "$\\frac{1}{2}$ $\\frac{a+b}{c}$ $\\frac12$ $\\sqrt{2}$",
            &["1/2 (a+b)/c 1/2 √2"],
        ),
        ("$\\frac\\pi2$ $\\frac{1} 9$ $\\sqrt(2)$", &["π/2 1/9 √(2)"]),
        (
            "$x^2_i$, $10^6$, $5^{th}$, $90^\\circ$, $x^{23}$",
            &["x^2_i, 10^6, 5th, 90°, x^{23}"],
        ),
        (
            "$84.7_{\\pm 0.3}$ $84.7_{\\pm0.3}$",
            &["84.7 ± 0.3 84.7 ± 0.3"],
        ),
        ("84.7\\textsubscript{$\\pm$0.3}", &["84.7 ±0.3"]),
        ("\\textbf{84.7} $\\mathbf{84.7}$ {\\bf 9}", &["84.7 84.7 9"]),
        (
            "\\vspace{2pt}\\hspace*{3em}a\\vskip 0.2in plus 1pt\nb\\setlength{\\x}{5pt}c",
            &["a bc"],
        ),
        (
            "\\textcolor{red}{7} \\color{blue}8 \\href{http://x/99}{link}",
            &["7 8 link"],
        ),
        ("\\unknown[opt=3]{kept 5} \\other word", &["kept 5 word"]),
        ("a\\footnote{note 3} b", &["a b", "note 3"]),
        ("\\begin{verbatim}\n1 2 \\end\n\\end{verbatim}x", &["x"]),
        (
            "\\begin{lstlisting}[a=1]\n5\n\\end{lstlisting}\nafter",
            &["after"],
        ),
        ("\\begin{comment}\n5\n\\end{comment}y", &["y"]),
        ("\\comment\n5 { \\endcomments\n\\endcomment\ny", &["y"]),
        ("\\comment{5} y", &["5 y"]),
        (
            "\\MakeShortVerb{\\|}a|%b|c one|two\nthree",
            &["a%bc one|two three"],
        ),
        (
            "\\verb|a%b{| \\texttt{c--d} \\url{http://x.y/%20#z}",
            &["a%b{ c--d http://x.y/%20#z"],
        ),
        ("\\iffalse 1 \\iftrue 2 \\fi \\else 3 \\fi 4", &["3 4"]),
        ("\\iftrue 1\\else 2\\fi", &["1"]),
        ("\\ifnum\"A=10 1\\else 2\\fi\\ifnum`a='141 3\\fi", &["13"]),
        ("\\ifdefined\\x 1\\else 2\\fi", &["2"]),
        ("\\ifnum\\value{page}>3 a\\else b\\fi", &["a b"]),
        ("shown\\end{document} hidden", &["shown"]),
        (
            "\\begin{itemize}\\item one\\item[L] two\\end{itemize}",
            &["one", "L two"],
        ),
        (
            "before\n\\[ a = 5 \\]\nafter",
            &["before", "a = 5", "after"],
        ),
        (
            "\\begin{align}a &= 1 \\\\ b &= 2\\end{align}",
            &["a = 1 b = 2"],
        ),
        ("x $$y = 3$$ z", &["x", "y = 3", "z"]),
        ("\\begin{foo}in\\end{foo}", &["in"]),
        ("\\ref{a} \\cref{b,c} \\eqref{d}", &["§ref §ref §ref"]),
        (
            "see \\citep[see][Table 2]{a} and \\citet{b,c}",
            &["see [see cite, Table 2] and [cite]"],
        ),
        ("\\cites(x)(y)[1]{a}[2]{b} z", &["[cite] z"]),
        (
            "$\\log n$ $\\max(a,b)$ $O(n\\log n)$",
            &["log n max(a,b) O(n log n)"],
        ),
        (
            "\\begin{tikzpicture}\\draw (0,0) -- (1,2);\\end{tikzpicture}t",
            &["t"],
        ),
        ("\\resizebox{0.5\\linewidth}{!}{wide 3}", &["wide 3"]),
        ("word\\xspace{} \\emph{a}", &["word a"]),
        ("$0.91\\,(\\pm0.02)$", &["0.91 (±0.02)"]),
        ("$x\\in X$", &["x ∈ X"]),
        (
            "\\ifCLASSINFOpdf a\\else b\\fi \\iffalse \\ifCLASSINFOpdf 1\\fi 2\\fi c",
            &["a b2c"],
        ),
        (
            "\\begin{figure}\\subfloat[Part 12]{\\includegraphics{x}}\\caption{Fig 3}\\end{figure}",
            &["Part 12", "Fig 3"],
        ),
        ("a\\index{b!7} b\\hspace{1em}c\\hspace{-1em}d", &["a b cd"]),
    ];
    for (body, expected) in cases {
        let document = document("", body);
        assert_eq!(texts(&document), *expected, "{body}");
        assert_eq!(wrong(&document), [] as [&Problem; 0], "{body}");
    }
}

#[test]
fn siunitx() {
    for (body, expected) in [
        ("\\num{1.2e-3}", "1.2 × 10^{-3}"),
        ("\\num{84.7(3)}", "84.7 ± 0.3"),
        ("\\num{84.7 \\pm 0.3}", "84.7 ± 0.3"),
        ("\\num{1 234}", "1234"),
        ("\\SI{3.2}{\\ms}", "3.2 ms"),
        ("\\qty{3.2}{\\milli\\second}", "3.2 ms"),
        (
            "\\qty[per-mode=symbol]{9.8}{\\metre\\per\\second\\squared}",
            "9.8 m/s^{2}",
        ),
        ("\\SI{5}{kg.m}", "5 kg m"),
        ("\\SI{12}{\\percent}", "12%"),
        ("\\SIrange{1}{5}{\\giga\\byte}", "1 GB to 5 GB"),
        ("\\numrange{1}{5}", "1 to 5"),
        ("\\numlist{1;2;3}", "1, 2 and 3"),
        ("\\ang{45}", "45°"),
        ("\\si{\\kilo\\watt\\hour}", "kW h"),
        ("\\num{\\acc}", "84.7"),
        ("\\qty{2}{\\flop}", "2 FLOP"),
    ] {
        let document = document("\\newcommand{\\acc}{84.7}\\DeclareSIUnit\\flop{FLOP}", body);
        assert_eq!(texts(&document), [expected], "{body}");
    }
    let document = document("", "\\qty{3.2}{\\ms} and \\num{84.7(3)}");
    let block = &document.blocks[0];
    assert_eq!(
        marked(block, |kind| *kind == MarkKind::Number),
        ["3.2", "84.7 ± 0.3"]
    );
    assert_eq!(marked(block, |kind| *kind == MarkKind::Unit), ["ms"]);
}

#[test]
fn macros() {
    let preamble = "\\usepackage{xspace}\n\\newcommand{\\acc}{84.7\\xspace}\\def\\pair#1#2{#1/#2}\
        \\newcommand{\\opt}[2][7]{#1-#2}\\newcommand*\\best[1]{\\textbf{#1}}\
        \\NewDocumentCommand{\\doc}{s O{d} m}{\\IfBooleanTF{#1}{star}{plain} #2 #3}\
        \\newif\\ifdraft\\newcommand{\\todo}[1]{}\\let\\alias\\acc\
        \\newenvironment{note}[1]{Note #1: }{ end}\\renewcommand{\\cite}[1]{(#1)}\
        \\newcommand{\\loopy}{\\loopy\\loopy}\\providecommand{\\acc}{1}";
    for (body, expected) in [
        ("\\acc points, \\acc.", "84.7 points, 84.7."),
        ("\\pair{1}{2} \\pair34", "1/2 3/4"),
        ("\\opt{3} \\opt[5]{3}", "7-3 5-3"),
        ("\\best{9}", "9"),
        ("\\doc{x} \\doc*[o]{y}", "plain d x star o y"),
        ("\\ifdraft hidden\\else shown\\fi", "shown"),
        ("\\drafttrue\\ifdraft shown\\else hidden\\fi", "shown"),
        ("a\\todo{gone 5} b", "a b"),
        ("\\alias!", "84.7!"),
        ("\\begin{note}{3}body\\end{note}", "Note 3: body end"),
        ("{\\def\\acc{1}\\acc} \\acc", "1 84.7"),
        // The document's own definition cites nothing, so its text is read.
        ("\\cite{k}", "(k)"),
    ] {
        let document = document(preamble, body);
        assert_eq!(texts(&document), [expected], "{body}");
        assert_eq!(document.problems, [], "{body}");
    }
    let endless = document(preamble, "a \\loopy b 5");
    assert_eq!(texts(&endless), ["a b 5"]);
    assert!(
        endless
            .problems
            .iter()
            .all(|problem| problem.kind == ProblemKind::Expansion)
    );
    assert!(!endless.problems.is_empty());
}

#[test]
fn places_of_macros_and_arguments() {
    let document = document(
        "\\newcommand{\\acc}{84.7}\\newcommand{\\best}[1]{\\textbf{#1}}",
        "we get \\acc{} or \\best{85.1}",
    );
    let block = &document.blocks[0];
    assert_eq!(block.text, "we get 84.7 or 85.1");
    let place = document.position(block.place(8));
    assert_eq!((place.line, place.column), (4, 8), "the call");
    assert_eq!(
        document.quote(block.place(8), 80),
        "we get \\acc{} or \\best{85.1}"
    );
    let place = document.position(block.place(15));
    assert_eq!((place.line, place.column), (4, 24), "the argument");
    let mark = block
        .marks
        .iter()
        .find(|mark| block.text.get(mark.range.clone()) == Some("84.7"))
        .expect("a mark");
    let MarkKind::Expanded { name, literal } = &mark.kind else {
        panic!("{mark:?}")
    };
    assert_eq!(&**name, "acc");
    let defined = document.definitions.iter().find(|one| one.name == "acc");
    let defined = defined.map(|one| document.position(one.place).to_string());
    assert_eq!(defined.as_deref(), Some("main.tex:2:13"));
    assert_eq!(document.position(*literal).to_string(), "main.tex:2:19");
    assert_eq!(marked(block, |kind| *kind == MarkKind::Bold), ["85.1"]);
}

#[test]
fn a_definition_says_where_its_body_is_written() {
    let preamble = r"\newcommand{\a}{34.2}\newcommand*\b{ 1{,}234 % note
 \% }\def\c{\num{5}}\renewcommand{\a}[1]{#1 9}\providecommand\d 7\newcommand{\e}{}
\DeclareMathOperator{\f}{arg\,max}\NewDocumentCommand{\g}{m}{8 #1}\gdef\h#1.#2{6}
\newcommand{\set}[2]{\newcommand{#1}{#2}}\set{\i}{12.5}\newcommand{\twice}[3]{\newcommand#1{#3#2}}\twice\j{1}{2}
\newcommand{\two}[2]{\newcommand{#1}{#2\%}}\two\k{3}";
    let document = document(preamble, "x");
    let bodies: Vec<(&str, Option<&str>)> = document
        .definitions
        .iter()
        .map(|definition| {
            let text = &document.files[definition.place.file].text;
            let body = definition.body.clone();
            let body = body.map(|range| text.get(range).expect("in bounds"));
            (definition.name.as_str(), body)
        })
        .collect();
    assert_eq!(
        bodies,
        [
            ("a", Some("34.2")),
            ("b", Some(" 1{,}234 % note\n \\% ")),
            ("c", Some("\\num{5}")),
            ("a", Some("#1 9")),
            ("d", Some("7")),
            ("e", None),
            ("f", Some("arg\\,max")),
            ("g", Some("8 #1")),
            ("set", Some("\\newcommand{#1}{#2}")),
            // Defined by another macro: a body that stands in one place has a range.
            ("i", Some("12.5")),
            ("twice", Some("\\newcommand#1{#3#2}")),
            ("j", None),
            ("two", Some("\\newcommand{#1}{#2\\%}")),
            ("k", None),
        ]
    );
}

#[test]
fn tables() {
    let body = r"\begin{table}
\caption{Results in \%.}\label{tab:main}
\begin{tabular}{l*{2}{c}S[table-format=2.1]}
\toprule
\multirow{2}{*}{Method} & \multicolumn{2}{c}{CIFAR} & {Size} \\
\cmidrule(lr){2-3}
 & top-1 & top-5 & {MB} \\
\midrule
\multicolumn{4}{c}{\emph{Small}} \\
\multirow{2}{*}{ResNet} & 76.1 & 92.9 & 97.8 \\[2pt]
 & $\mathbf{77.2} \pm 0.1$ & \makecell{93.4 \\ (best)} & 84.7(3) \\
\bottomrule
\end{tabular}
\end{table}";
    let document = document("", body);
    assert_eq!(document.problems, []);
    let table = &document.tables[0];
    assert_eq!(table.label.as_deref(), Some("tab:main"));
    assert_eq!(
        document.blocks[table.caption.expect("a caption")].text,
        "Results in %."
    );
    assert_eq!(
        document.blocks[table.caption.expect("a caption")].kind,
        BlockKind::Caption {
            float: "table".into()
        }
    );
    let rows: Vec<Vec<&str>> = table
        .rows
        .iter()
        .map(|row| {
            row.cells
                .iter()
                .map(|at| document.blocks[*at].text.as_str())
                .collect()
        })
        .collect();
    assert_eq!(
        rows,
        [
            vec!["Method", "CIFAR", "Size"],
            vec!["", "top-1", "top-5", "MB"],
            vec!["Small"],
            vec!["ResNet", "76.1", "92.9", "97.8"],
            vec!["", "77.2 ± 0.1", "93.4 (best)", "84.7 ± 0.3"],
        ]
    );
    assert_eq!(
        table.rows.iter().map(|row| row.header).collect::<Vec<_>>(),
        [true, true, false, false, false]
    );
    assert_eq!(table.columns, 4);
    assert!(table.rows[2].group);
    let cell = &document.blocks[table.rows[4].cells[3]];
    assert_eq!(
        cell.kind,
        BlockKind::Cell {
            table: 0,
            row: 4,
            top: 4,
            col: 3,
            colspan: 1,
            rowspan: 1,
            header: false
        }
    );
    assert_eq!(&*cell.environments[1], "tabular");
}

#[test]
fn columns_of_tables() {
    for (columns, expected) in [
        ("lcr", "ttt"),
        ("l|c||r", "ttt"),
        ("@{}l*{3}{c}@{}", "tttt"),
        ("lS[table-format=2.1]S", "tss"),
        (">{\\bfseries}p{3cm}X", "tt"),
        ("l*{2}{rS}", "ttsts"),
        ("*{999999}{*{999999}{}}", ""),
        ("*{999}{*{999}{*{999}{*{999}{}}}}", ""),
        ("D{.}{.}{-1}", "t"),
    ] {
        let body = format!("\\begin{{tabular}}{{{columns}}}\\end{{tabular}}");
        let table = &document("", &body).tables[0];
        assert_eq!(table.columns, expected.len(), "{columns}");
        let row = "7&".repeat(expected.len());
        let body = format!("\\begin{{tabular}}{{{columns}}}{row}\\end{{tabular}}");
        let cells = &document("", &body).blocks;
        let cells = cells.iter().filter(|cell| !cell.text.is_empty());
        let kinds = cells.map(
            |cell| match marked(cell, |kind| *kind == MarkKind::Number)[..] {
                [] => 't',
                _ => 's',
            },
        );
        assert_eq!(kinds.collect::<String>(), expected, "{columns}");
    }
}

#[test]
fn other_tables() {
    let cases: &[(&str, &[&[&str]], usize)] = &[
        (
            "\\begin{tabular}{ll}a & b\\\\\\hline 1 & 2\\end{tabular}",
            &[&["a", "b"], &["1", "2"]],
            1,
        ),
        (
            "\\begin{tabular}{|l|}\\hline a\\\\\\hline 1\\\\\\hline\\end{tabular}",
            &[&["a"], &["1"]],
            1,
        ),
        (
            "\\begin{tabularx}{\\textwidth}{lX}a & 1\\tabularnewline b & 2\\end{tabularx}",
            &[&["a", "1"], &["b", "2"]],
            0,
        ),
        (
            "\\begin{tabular*}{5cm}{ll}a & \\\\ & 2\\end{tabular*}",
            &[&["a", ""], &["", "2"]],
            0,
        ),
        (
            "\\begin{longtable}{ll}\\caption{C}\\\\ h & i\\\\\\endfirsthead h & i\\\\\\endhead 1 & 2\\\\\\end{longtable}",
            &[&["h", "i"], &["h", "i"], &["1", "2"]],
            2,
        ),
        (
            "\\begin{tabular}{ll}\\begin{tabular}{c}x\\\\y\\end{tabular} & \\shortstack{p\\\\q}\\end{tabular}",
            &[&["x y", "p q"]],
            0,
        ),
        (
            "\\begin{tabular}{ll}$\\begin{matrix}1&2\\\\3&4\\end{matrix}$ & b\\end{tabular}",
            &[&["1 2 3 4", "b"]],
            0,
        ),
        (
            "\\begin{tabular}{ll}a & {b \\\\ c & d\\end{tabular}",
            &[&["a", "b c", "d"]],
            0,
        ),
        (
            "\\begin{tabular}{l}a \\\\ [0,1]\\end{tabular}",
            &[&["a"], &["[0,1]"]],
            0,
        ),
    ];
    for (body, expected, head) in cases {
        let document = document("", body);
        let rows: Vec<Vec<&str>> = document.tables[0]
            .rows
            .iter()
            .map(|row| {
                row.cells
                    .iter()
                    .map(|at| document.blocks[*at].text.as_str())
                    .collect()
            })
            .collect();
        assert_eq!(rows, *expected, "{body}");
        assert_eq!(
            document.tables[0]
                .rows
                .iter()
                .filter(|row| row.header)
                .count(),
            *head,
            "{body}"
        );
    }
}

#[test]
fn structure() {
    let body = "\\title{A \\textbf{B}}\\author{C 5}\\maketitle\\begin{abstract}Abs 1.\\end{abstract}\\keywords{k}\n\
        \\section{One}\\label{s:1}text\n\n\\subsection*{Two}more\\appendix\\section{Three}x\\label{l}";
    let document = document("", body);
    let kinds: Vec<(&BlockKind, &str)> = document
        .blocks
        .iter()
        .map(|b| (&b.kind, b.text.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [
            (&BlockKind::Title, "A B"),
            (&BlockKind::FrontMatter, "C 5"),
            (&BlockKind::Abstract, "Abs 1."),
            (&BlockKind::Keywords, "k"),
            (&BlockKind::Heading { level: 1 }, "One"),
            (&BlockKind::Paragraph, "text"),
            (&BlockKind::Heading { level: 2 }, "Two"),
            (&BlockKind::Paragraph, "more"),
            (&BlockKind::Heading { level: 1 }, "Three"),
            (&BlockKind::Paragraph, "x"),
        ]
    );
    let headings: Vec<(&str, bool, bool)> = document
        .headings
        .iter()
        .map(|h| (h.title.as_str(), h.starred, h.appendix))
        .collect();
    assert_eq!(
        headings,
        [
            ("One", false, false),
            ("Two", true, false),
            ("Three", false, true)
        ]
    );
    assert_eq!(document.blocks[7].section, Some(1));
    assert_eq!(
        document
            .labels
            .iter()
            .map(|label| label.key.as_str())
            .collect::<Vec<_>>(),
        ["s:1", "l"]
    );
}

#[test]
fn citations() {
    let body = "\\citep[p.~3]{a, b}\n\\textcite{c}\\nocite{*}\\nocite{d}\\mycite{e}\\citeauthor*{f}\\footcite{g} \
        \\begin{thebibliography}{9}\\bibitem[X]{k1} Text 1. \\bibitem{k2} Text.\\end{thebibliography}";
    let document = document("\\newcommand{\\mycite}[1]{\\cite{#1}}", body);
    let found: Vec<(&str, &str, String)> = document
        .citations
        .iter()
        .map(|c| {
            (
                c.key.as_str(),
                c.command.as_str(),
                document.position(c.place).to_string(),
            )
        })
        .collect();
    let place = |line: usize, column: usize| format!("main.tex:{line}:{column}");
    assert_eq!(
        found,
        [
            ("a", "citep", place(4, 14)),
            ("b", "citep", place(4, 17)),
            ("c", "textcite", place(5, 11)),
            ("d", "nocite", place(5, 31)),
            ("e", "cite", place(5, 41)),
            ("f", "citeauthor", place(5, 56)),
            ("g", "footcite", place(5, 68)),
        ]
    );
    assert!(document.nocite_all());
    assert_eq!(document.citations[0].block, Some(0));
    assert_eq!(
        document
            .bibitems
            .iter()
            .map(|item| item.key.as_str())
            .collect::<Vec<_>>(),
        ["k1", "k2"]
    );
    let cite = MarkKind::Cite {
        keys: vec!["a".into(), "b".into()],
        command: "citep".into(),
        number: 1,
    };
    assert_eq!(
        marked(&document.blocks[0], |kind| *kind == cite),
        ["[cite, p. 3]"]
    );
}

#[test]
fn includes() {
    use IncludeKind::{Bibliography, Data, Graphics, Import, Include, Input, Listing, Subfile};
    use IncludeOutcome::{Cycle, Excluded, Missing, NotRead, Read, Unresolved};
    let main = "\\documentclass{article}\\newcommand{\\dir}{sec}\\graphicspath{{fig/}}\\includeonly{only}\n\\begin{document}\n\
        \\input{\\dir/intro}\n\\input sec/prim \\include{only}\\include{not}\n\\import{imp/}{a}\n\\subfile{sub/one}\n\
        \\input{missing}\n\\includegraphics[width=3cm]{plot}\\bibliography{refs, more}\\addbibresource[x]{z.bib}\n\
        \\lstinputlisting{code.py}\\input{\\nope/x}\\pgfplotstableread{data.dat}\\mytable\n\\end{document}";
    let files = [
        ("main.tex", main),
        ("sec/intro.tex", "intro 1 \\input{sec/deep}"),
        ("sec/deep.tex", "deep\\endinput{} same\ngone"),
        ("sec/prim.tex", "prim"),
        ("only.tex", "only"),
        ("not.tex", "not"),
        ("imp/a.tex", "imported \\input{b}"),
        ("imp/b.tex", "below"),
        (
            "sub/one.tex",
            "\\documentclass[../main]{subfiles}\n\\usepackage{x}\n\\begin{document}\nsub 3\\input{two}\n\\end{document}\ngone",
        ),
        ("sub/two.tex", "two \\input{main}"),
    ];
    let document = tree(&files).expect("readable");
    assert_eq!(
        texts(&document),
        ["intro 1 deep same prim", "only", "imported below sub 3two"]
    );
    let found: Vec<(IncludeKind, &str, Option<&str>, &IncludeOutcome)> = document
        .includes
        .iter()
        .map(|i| (i.kind, i.target.as_str(), i.resolved.as_deref(), &i.outcome))
        .collect();
    assert_eq!(
        found,
        [
            (Input, "sec/intro", Some("sec/intro.tex"), &Read { file: 1 }),
            (Input, "sec/deep", Some("sec/deep.tex"), &Read { file: 2 }),
            (Input, "sec/prim", Some("sec/prim.tex"), &Read { file: 3 }),
            (Include, "only", Some("only.tex"), &Read { file: 4 }),
            (Include, "not", None, &Excluded),
            (Import, "a", Some("imp/a.tex"), &Read { file: 5 }),
            (Input, "b", Some("imp/b.tex"), &Read { file: 6 }),
            (Subfile, "sub/one", Some("sub/one.tex"), &Read { file: 7 }),
            (Input, "two", Some("sub/two.tex"), &Read { file: 8 }),
            (Input, "main", Some("main.tex"), &Cycle),
            (Input, "missing", None, &Missing),
            (Graphics, "plot", None, &NotRead),
            (Bibliography, "refs", None, &NotRead),
            (Bibliography, "more", None, &NotRead),
            (Bibliography, "z.bib", None, &NotRead),
            (Listing, "code.py", None, &NotRead),
            (Input, "\\nope /x", None, &Unresolved),
            (Data, "data.dat", None, &NotRead),
        ]
    );
    assert_eq!(document.includes[12].candidates, ["refs.bib"]);
    assert!(
        document.includes[11]
            .candidates
            .contains(&"fig/plot.pdf".to_owned())
    );
    let kinds: Vec<ProblemKind> = document
        .problems
        .iter()
        .map(|problem| problem.kind)
        .collect();
    assert_eq!(
        kinds,
        [
            ProblemKind::IncludeCycle,
            ProblemKind::MissingInclude,
            ProblemKind::UnreadText(Holds::NUMBERS),
            ProblemKind::MissingInclude
        ]
    );
    assert_eq!(document.position(document.problems[1].place).line, 7);
}

#[test]
fn local_styles_and_preambles_are_followed_for_their_definitions() {
    use IncludeKind::{Class, Input, Package};
    let main = r"\input{preamble}
\begin{document}\title{T}\maketitle
\best{} \inner{} \late{} \fromclass{} \num{5} \section{S} \oldsection{O} \hard{7} \gone \ifdraft a\else b\fi
\begin{note}n\end{note}\begin{odd}o\end{odd}
\end{document}";
    let files = [
        ("main.tex", main),
        (
            "preamble.tex",
            r"\documentclass[11pt]{journal}\usepackage{amsmath, styles/numbers ,late}[2020/01/01]
\usepackage{numbers}\RequirePackage{broken}\newcommand{\local}{1}",
        ),
        (
            "journal.cls",
            r"\NeedsTeXFormat{LaTeX2e}\ProvidesClass{journal}\LoadClassWithOptions{article}
\newcommand\fromclass{9}\title{shown by the class}\def\section#1{X}\renewcommand{\num}[1]{Y}
\newif\ifdraft\DeclareOption{draft}{\drafttrue}\ProcessOptions\relax
\newenvironment{note}{Note }{.}\newenvironment{odd}{\@odd 3}{}
\begin{center} } $ visible? \footnote{f} \end{nothing}
\iffalse\newcommand{\best}{0}\fi",
        ),
        (
            "styles/numbers.sty",
            r"\ProvidesPackage{numbers}\RequirePackage{inner}\input{missing}\input{styles/more.def}
\@ifpackageloaded{x}{}{\newcommand{\best}{34.2}}\let\oldsection\section
\AtBeginDocument{\let\x\relax}\def\hard{\@ifnextchar[{\@hard}{\@hard[]}}\def\gone{\@hidden 8.5\hskip 2pt}
\ifx\best\relax\endinput\fi\newcommand{\after}{1}
\endinput
\newcommand{\best}{no}",
        ),
        ("inner.sty", "\\newcommand\\inner{12}{{"),
        ("styles/more.def", "\\newcommand{\\more}{1}"),
        (
            "late.sty",
            "\\ProvidesExplPackage{late}{}{}{}\\cs_new:Npn \\late_x:n #1 { #1 }\\NewDocumentCommand\\late{}{13}",
        ),
    ];
    let mut loader = |path: &str| match files.iter().find(|(name, _)| *name == path) {
        Some((_, text)) => Loaded::Text((*text).into()),
        None if path == "broken.sty" => Loaded::Unreadable("it is not UTF-8".into()),
        None => Loaded::Absent,
    };
    let document = Document::read("main.tex", &mut loader).expect("readable");
    assert_eq!(
        texts(&document),
        ["T", "34.2 12 13 9 5", "S", "O", "7 a bNote n.o"]
    );
    let found: Vec<(IncludeKind, &str, Option<&str>)> = document
        .includes
        .iter()
        .map(|include| {
            (
                include.kind,
                include.target.as_str(),
                include.resolved.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (Input, "preamble", Some("preamble.tex")),
            (Class, "journal", Some("journal.cls")),
            (Package, "styles/numbers", Some("styles/numbers.sty")),
            (Package, "late", Some("late.sty")),
            (Package, "inner", Some("inner.sty")),
            (Package, "styles/more.def", Some("styles/more.def")),
            (Package, "broken", Some("broken.sty")),
        ]
    );
    let defined = |name: &str| {
        let found = document.definitions.iter().filter(|one| one.name == name);
        found
            .map(|one| document.position(one.place).path)
            .collect::<Vec<_>>()
    };
    assert_eq!(defined("best"), ["styles/numbers.sty"]);
    assert_eq!(defined("after"), ["styles/numbers.sty"]);
    assert_eq!(defined("more"), ["styles/more.def"]);
    assert_eq!(defined("local"), ["preamble.tex"]);
    let problems: Vec<(ProblemKind, String)> = document
        .problems
        .iter()
        .map(|problem| {
            (
                problem.kind,
                document.position(problem.place).to_string() + ": " + &problem.message,
            )
        })
        .collect();
    assert_eq!(
        problems,
        [
            (
                ProblemKind::MissingInclude,
                "preamble.tex:2:37: cannot read `broken.sty`: it is not UTF-8".to_owned()
            ),
            (
                ProblemKind::UnreadText(Holds::NUMBERS),
                "main.tex:3:83: `gone` prints text that is not read: its definition in `styles/numbers.sty` holds 1 number and \
                 is not followed"
                    .to_owned()
            ),
            (
                ProblemKind::UnreadText(Holds::NUMBERS),
                "main.tex:4:24: `odd` prints text that is not read: its definition in `journal.cls` holds 1 number and \
                 is not followed"
                    .to_owned()
            ),
            (
                ProblemKind::Undecided(Holds::default()),
                "main.tex:3:89: `\\ifdraft` is not decided here, and its text may not be set; to decide it, write `\\iftrue` or \
                 `\\iffalse`, or test a switch that the paper sets"
                    .to_owned()
            )
        ]
    );
}

#[test]
fn limits() {
    assert!(matches!(
        tree(&[("a.tex", "")]).map(|d| d.blocks.len()),
        Ok(0)
    ));
    let mut nothing = |_: &str| Loaded::Absent;
    assert!(matches!(
        Document::read("x.tex", &mut nothing),
        Err(Error::RootAbsent { .. })
    ));
    let mut unreadable = |_: &str| Loaded::Unreadable("is not UTF-8".into());
    let error = Document::read("x.tex", &mut unreadable).expect_err("unreadable");
    assert_eq!(error.to_string(), "x.tex: is not UTF-8");
    let mut deep = |path: &str| {
        let number: usize = path.trim_end_matches(".tex").parse().unwrap_or(0);
        Loaded::Text(format!("\\input{{{}}}", number + 1).into())
    };
    let error = Document::read("0.tex", &mut deep).expect_err("too deep");
    assert!(
        error
            .to_string()
            .starts_with("49.tex:1:1: includes are nested deeper than 50"),
        "{error}"
    );
    let mut wide = |path: &str| {
        Loaded::Text(if path == "r.tex" {
            "\\input{x}".repeat(20_000).into()
        } else {
            "x".into()
        })
    };
    assert!(matches!(
        Document::read("r.tex", &mut wide),
        Err(Error::TooLarge { .. })
    ));
}

#[test]
fn problems() {
    for (body, kinds) in [
        ("{a", &[ProblemKind::UnclosedGroup][..]),
        ("a}b", &[ProblemKind::ExtraBrace]),
        ("\\begin{itemize}a", &[ProblemKind::UnclosedEnvironment]),
        ("a\\end{itemize}", &[ProblemKind::ExtraEnd]),
        ("$a\n\nb", &[ProblemKind::UnclosedMath]),
        ("\\iftrue a", &[ProblemKind::UnclosedConditional]),
        (
            "\\begin{quote}{a\\end{quote}",
            &[ProblemKind::UnclosedGroup],
        ),
    ] {
        let document = document("", body);
        assert_eq!(
            document.problems.iter().map(|p| p.kind).collect::<Vec<_>>(),
            kinds,
            "{body}"
        );
        assert!(
            document.blocks.iter().any(|block| block.text.contains('a')),
            "{body}"
        );
        assert_eq!(
            document.position(document.problems[0].place).path,
            "main.tex"
        );
    }
    let none = tree(&[("m.tex", "\\documentclass{article} text 5")]).expect("readable");
    assert_eq!(none.problems[0].kind, ProblemKind::NoDocument);
    assert_eq!(none.blocks.len(), 0);
}

#[test]
fn what_is_not_read_is_said() {
    let preamble = r"\unknownsetup{1}\title{T \nowhere}\def\given#1.{2}\let\same\primitive\newlength{\wide}\newcommand{\two}{\deep 2}
\DeclarePairedDelimiter{\abs}{|}{|}\newsavebox\mybox";
    let body = r"\nowhere{5} \given 3. \same \wide=5pt \two \two \abs{4} \ifundefined a\else b\fi \num{\lost} \SI{3}{\metre\oddunit} {\nowhere}

\begin{verbatim}
x = 4 # 12.5%, 1,000 a1 1a 3em .5
\end{verbatim}
\begin{lstlisting}
no number
\end{lstlisting}
\begin{comment} 7 \end{comment}
\begin{tikzpicture}\draw[2pt] (0,1) node {3 of 4}; \begin{axis} \novisible 3 \end{axis}\end{tikzpicture}
\lstinputlisting{a.py}\csvautotabular{b.csv}\pgfplotstableread{c.csv}\mytable
\begin{minted}{c} 7";
    let document = document(preamble, body);
    let found: Vec<String> = document
        .problems
        .iter()
        .map(|problem| {
            let at = document.position(problem.place);
            let kind = format!("{:?}", problem.kind);
            let kind = kind.split('(').next().unwrap_or_default();
            format!("{kind} {}:{} {}", at.line, at.column, problem.message)
        })
        .collect();
    let undefined = |at: &str, name: &str| {
        format!(
            "UndefinedMacro {at} the definition of `\\{name}` was not found; what it prints is not read"
        )
    };
    assert_eq!(
        found,
        [
            undefined("2:26", "nowhere"),
            "UnreadText 5:13 `given` prints text that is not read: its definition in `main.tex` holds 1 number and is not followed".into(),
            undefined("5:39", "deep"),
            undefined("5:57", "ifundefined"),
            undefined("5:87", "lost"),
            undefined("5:107", "oddunit"),
            "UnreadText 7:1 `verbatim` is not read; its source holds 4 numbers".into(),
            "UnreadText 14:1 `tikzpicture` is not read; its source holds 2 numbers".into(),
            "UnreadText 15:1 `a.py` is printed here and not read".into(),
            "UnreadText 15:23 `b.csv` is printed here and not read".into(),
            "UnreadText 16:1 `minted` is not read; its source holds 1 number".into(),
            "UnclosedEnvironment 16:1 `\\begin{minted}` has no `\\end{minted}`; the rest of the file is not read"
                .into(),
        ]
    );
}

#[test]
fn a_command_by_its_spelled_name_is_that_command() {
    let main = "\\documentclass{article}\n\\begin{document}\n\\csname input\\endcsname{hidden} \\csname textbf\\endcsname{b} \
                \\csname x\\y\\endcsname{c} \\csname\\endcsname d\n\\end{document}\n";
    let document = tree(&[("main.tex", main), ("hidden.tex", "99.9 per cent")]).expect("read");
    assert_eq!(texts(&document), ["99.9 per cent b c d"]);
    let main = "\\expandafter\\newcommand\\csname res-a1\\endcsname[1]{8#1.7}\\expandafter\\def\\csname r2\\endcsname{5}%\n\
                \\csname res-a1\\endcsname{4} \\csname r2\\endcsname";
    let defined = tree(&[("main.tex", main)]).expect("read");
    assert_eq!(texts(&defined), ["84.7 5"]);
    let names: Vec<_> = defined
        .definitions
        .iter()
        .map(|d| d.name.as_str())
        .collect();
    assert_eq!(names, ["res-a1", "r2"]);
    assert_eq!(document.includes.len(), 1);
    for endless in [
        "\\csname csname",
        "\\csname a",
        "\\csname \\csname a\\endcsname",
    ] {
        let text = format!(
            "\\documentclass{{article}}\\begin{{document}}{}",
            endless.repeat(2000)
        );
        drop(tree(&[("main.tex", &text)]));
    }
}

#[test]
fn environments_and_declared_statements_are_listed() {
    let preamble = "\\newtheorem{thm}{Theorem}[section]\n\\newtheorem*{lem}[thm]{Lemma}\n\\declaretheorem[style=x, name=Claim]{clm}\n\
                    \\spnewtheorem{cor}{Corollary}{\\bf}{\\it}\\newtcbtheorem[x]{box}{Boxed}{colback=red}{th}\\newmdtheoremenv[y]{md}{Framed}\n\\newenvironment{wide}{\\begin{figure*}}{\\end{figure*}}\n% \\newtheorem{no}{No}";
    let body = "a \\section{One}\n\\begin{thm}[x] b \\begin{equation}c\\end{equation} \\end{thm}\n\\begin{wide}\\end{wide}\n\
                % \\begin{lem}\n\\begin{verbatim}\\begin{lem}\\end{verbatim}\\begin{lem}d\\end{lem} \\begin{open} e";
    let document = document(preamble, body);
    let declared: Vec<_> = document
        .theorems
        .iter()
        .map(|theorem| (theorem.environment.as_str(), theorem.title.as_str()))
        .collect();
    assert_eq!(
        declared,
        [
            ("thm", "Theorem"),
            ("lem", "Lemma"),
            ("clm", "Claim"),
            ("cor", "Corollary"),
            ("box", "Boxed"),
            ("md", "Framed")
        ]
    );
    let entered: Vec<_> = document
        .environments
        .iter()
        .map(|environment| (&*environment.name, environment.section, environment.outer))
        .collect();
    assert_eq!(
        entered,
        [
            ("thm", Some(0), None),
            ("equation", Some(0), Some(0)),
            ("wide", Some(0), None),
            ("figure*", Some(0), Some(2)),
            ("lem", Some(0), None),
            ("open", Some(0), None),
        ]
    );
    assert_eq!(document.position(document.environments[1].place).line, 10);
}

#[test]
fn files_that_the_document_writes_are_read_where_there_are_none() {
    let text = "\\begin{filecontents*}[force]{a.tex}\nWritten.\n\\end{filecontents*}\\begin{filecontents}{./b.tex}no\\end{filecontents}\n\\documentclass{article}\\begin{document}\\input{a} \\input{b}\\end{document}";
    let document = tree(&[("main.tex", text), ("b.tex", "On disk.")]).expect("a document");
    assert_eq!(document.blocks[0].text, "Written. On disk.");
    let names: Vec<_> = document
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(names, ["main.tex", "a.tex", "b.tex"]);
    assert_eq!(document.written_text("a.tex"), Some("Written.\n"));
    assert_eq!(document.written_text("b.tex"), Some("no"));
}

#[test]
fn definitions_behind_hooks_and_names_count() {
    for (preamble, body, shown) in [
        (
            "\\AtBeginDocument{\\newcommand{\\acc}{84.2}}",
            "x \\acc",
            "x 84.2",
        ),
        (
            "\\makeatletter\\@namedef{acc}{84.2}\\makeatother",
            "x \\acc",
            "x 84.2",
        ),
        ("\\AtEndDocument{In all 3 of 5.}", "x", "3 of 5"),
        ("\\let\\iffalse\\iftrue", "x \\iffalse 3 of 5\\fi", "3 of 5"),
        ("", "\\ifthenelse{1=2}{42.7}{99.9}", "99.9"),
        (
            "\\newif\\iflong\\longtrue\\let\\iflong\\iffalse",
            "\\iflong a\\else 9.9\\fi",
            "9.9",
        ),
        ("\\csdef{acc 1}{84.2}", "x \\csuse{acc 1}", "x 84.2"),
        (
            "\\csdef{pair}#1#2{#2 of #1}",
            "\\csuse{pair}{9}{4}",
            "4 of 9",
        ),
        (
            "\\renewenvironment{comment}{}{}",
            "a \\begin{comment}7\\end{comment}",
            "7",
        ),
        (
            "\\includecomment{comment}",
            "a \\begin{comment}7\\end{comment}",
            "7",
        ),
        ("", "\\begin{tabbing}a\\=34 \\' 5\\end{tabbing}", "a 34 5"),
    ] {
        let document = document(preamble, body);
        let all = texts(&document).join("|");
        assert!(all.contains(shown), "{preamble} {body}: {all}");
        assert_eq!(document.problems, [], "{preamble}");
    }
}

#[test]
fn what_is_not_run_is_said_when_it_holds_numbers() {
    for (preamble, count) in [
        ("\\renewcommand{\\cite}[1]{[#1] 84.2}", 1),
        ("\\renewcommand{\\cite}[1]{[#1]}", 0),
        ("\\newcommand{\\val}{42.7}\\apptocmd{\\val}{5}{}{}", 1),
        ("\\newcommand{\\val}{42.7}\\patchcmd{\\val}{.}{}{}{}", 1),
        ("\\apptocmd{\\section}{\\relax}{}{}", 0),
        ("\\sisetup{round-mode = places, round-precision = 0}", 1),
        ("\\sisetup{detect-all}", 0),
    ] {
        let document = document(preamble, "x");
        assert_eq!(document.problems.len(), count, "{preamble}");
    }
}

#[test]
fn what_changes_numbers_where_they_are_printed_is_said() {
    for (body, count) in [
        ("\\num[round-mode=places]{42.7}", 1),
        ("\\num{42.7}", 0),
        ("{\\sisetup{round-mode=places}42.7} \\num{42.7}", 1),
        (
            "\\sisetup{round-mode=places}\\num{42.7} \\qty{3.1}{\\ms}",
            1,
        ),
        (
            "\\begin{tabular}{lS[round-mode=places]}a & {b}\\\\c & 4.19\\end{tabular}",
            1,
        ),
        ("\\begin{tabular}{l>{$-$}r}a & 42.7\\end{tabular}", 1),
        ("\\begin{tabular}{l@{9}r<{\\%}}a & 42.7\\end{tabular}", 1),
        (
            "\\begin{tabular}{@{}l@{\\hspace{2pt}}r@{--}r>{\\raggedright}p{3cm}@{}}a & 4 & 5 & b\\end{tabular}",
            0,
        ),
    ] {
        assert_eq!(document("", body).problems.len(), count, "{body}");
    }
}

#[test]
fn a_fraction_stands_apart_from_the_number_before_it() {
    let document = document(
        "",
        r"$5\frac12$, 5$\frac{1}{2}$, $x\frac{1}{2}$, $56\mspace{3mu}700$",
    );
    assert_eq!(document.blocks[0].text, "5 1/2, 5 1/2, x1/2, 56 700");
}

#[test]
fn a_space_at_the_end_of_a_formula_keeps_numbers_apart() {
    let document = document("", "$a 5 $ $6 $\\num{3} and $7$");
    assert_eq!(document.blocks[0].text, "a 5 6 3 and 7");
}

#[test]
fn the_arguments_of_an_unknown_command_may_be_code_in_parts() {
    let preamble = r"\usepackage{biblatex}
\defbibenvironment{list}{\begin{enumerate}\setcounter{enumi}{5}}{\end{enumerate}}{\item}
\ifsomething{new}{\newcommand{\best}{84.7}}{}";
    let body = r"\begin{itemize}\item One \around{\begin{quote}in}{\end{quote}} \best, $x\wrap{$ 5 $}y$, $x\mathbin{\raisebox{1ex}{$\cdot$}}y$.\end{itemize} Two.";
    let document = document(preamble, body);
    assert_eq!(wrong(&document), Vec::<&Problem>::new());
    let all = texts(&document).join("|");
    assert!(all.contains("84.7") && all.ends_with("|Two."), "{all}");
}

#[test]
fn code_in_environments_that_nobody_here_defines_is_not_read_as_text() {
    let preamble = r"\usepackage{fancyvrb,minted}
\DefineVerbatimEnvironment{shell}{Verbatim}{fontsize=\small}\lstnewenvironment{listed}[1][]{\lstset{#1}}{}\newminted[snake]{python}{}";
    let body = r"\begin{shell}
$ make {
\end{shell}
\begin{listed}[x] } \end{listed}
\begin{snake} }{ \end{snake}
\begin{CodeInput}
class MyModel
{
  double x = 84.7;
\end{CodeInput}
\begin{odd} $ \end{odd}\begin{more} }}}{ \end{more}
\begin{block}{Title} A \verb|{| and $x$ \{ 50\% $\{$. % }
\end{block} End.";
    let document = document(preamble, body);
    assert_eq!(wrong(&document), Vec::<&Problem>::new());
    let all = texts(&document).join("|");
    assert!(!all.contains("make") && !all.contains("double"), "{all}");
    assert!(
        all.contains("A { and x { 50% {.") && all.ends_with("End."),
        "{all}"
    );
    let unread: Vec<_> = document
        .problems
        .iter()
        .map(|p| p.message.as_str())
        .collect();
    assert_eq!(
        unread,
        ["`CodeInput` is not read; its source holds 1 number"]
    );
}

#[test]
fn code_of_a_style_file_that_is_not_understood_opens_nothing() {
    let style = r"\newenvironment{mathpar}[1][]{$$\vbox\bgroup #1\ifmmode $\else\noindent $\displaystyle\fi}{\ifmmode $\fi\egroup $$}
\def\newauthor{\end{tabular}\par\begin{tabular}[t]{l}}
\newenvironment{boxed}[1]{\begin{quote}\textbf{#1}}{\end{quote}}\newenvironment{strange}[1]{\@nowhere{#1}\begin{quote}}{\end{quote}}";
    let main = r"\documentclass{article}\usepackage{mine,other}\begin{document}\author{One\newauthor Two}
\begin{mathpar} x_1 \and \frac{a}{b} \end{mathpar}
\begin{boxed}{Note} A. \end{boxed}\begin{strange}{5} B. \end{strange} \nowhere{C.}\end{document}";
    let document = tree(&[("main.tex", main), ("mine.sty", style)]).expect("read");
    assert_eq!(document.problems, []);
    let all = texts(&document).join("|");
    for part in ["Two", "x_1", "Note A.", "B.", "C."] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

#[test]
fn a_name_without_a_definition_is_told_where_the_paper_could_define_it() {
    let found = |preamble: &str| -> Vec<String> {
        let body = r"Of \total{} and \lettrine{O}{nce}. \vspace{\total}";
        let document = document(preamble, body);
        let of = |problem: &Problem| problem.kind == ProblemKind::UndefinedMacro;
        let problems = document.problems.iter().filter(|problem| of(problem));
        problems.map(|problem| problem.message.clone()).collect()
    };
    // An installed package may define the names that the paper does not.
    assert_eq!(found(r"\usepackage{lettrine}"), Vec::<String>::new());
    assert_eq!(found("").len(), 2);
    assert_eq!(found(r"\usepackage{lettrine}\input{numbers}").len(), 2);
    for code in [
        r"\FPeval{\total}{2+2}",
        r"\readdata{\total}{a.csv}",
        r"\pgfmathsetmacro{\total}{2+2}",
    ] {
        let found = found(&format!(r"\usepackage{{lettrine}}{code}"));
        assert_eq!(found.len(), 1, "{code}");
        assert!(found[0].contains(r"`\total`"), "{found:?}");
    }
}

#[test]
fn what_follows_a_macro_decides() {
    let preamble = r"\makeatletter
\def\prd#1{\@ifnextchar\bgroup{\prd@more{#1}}{\@ifnextchar\sm{\prd@more{#1}}{one #1}}}
\def\prd@more#1{\mathchoice{(#1)}{2}{3}{4}\@ifnextchar\bgroup{\prd@more}{.}}
\def\few{\@ifstar{star}{\@ifnextchar[{options}{none}}}
\newcommand{\diff}{\ifnum\lastnodetype>0\mskip\thinmuskip\fi d}
\newcommand*\dotted{\mathpalette\dotted@{.35}}\newcommand*\dotted@[2]{{<#1#2>}}
\makeatother";
    let document = document(
        preamble,
        r"$\prd{a}{b}{c}$ $\prd{d}$ \few* \few{} \few[x] $\dotted$ $x \diff y$ end",
    );
    assert_eq!(wrong(&document), Vec::<&Problem>::new());
    let all = texts(&document).join("|");
    assert_eq!(all, "(a)(b)(c). one d star none options[x] <.35> x dy end");
}

#[test]
fn text_that_may_not_be_set_is_marked_with_its_cause() {
    let preamble = "\\usepackage{any}\\newcommand{\\x}{1}\n\\ifluatex\\renewcommand{\\x}{2}\\fi";
    let body = "a \\ifluatex b \\cite{k}\\else 3\\fi{} d \\zork{e} \\x";
    let document = document(preamble, body);
    let block = &document.blocks[0];
    assert_eq!(block.text, "a b [cite] 3 d e 1 2");
    let doubtful = marked(block, |kind| matches!(kind, MarkKind::Doubtful { .. }));
    assert_eq!(doubtful, [" b [cite] 3", " e", " 1 2"]);
    let line = |place| document.position(place).line;
    assert_eq!(document.citations[0].doubt.map(line), Some(5));
    assert_eq!(block.doubt(&(18..19)).map(line), Some(3), "the definition");
    assert_eq!(block.doubt(&(0..1)), None);
    let told: Vec<_> = document
        .problems
        .iter()
        .map(|problem| problem.kind)
        .collect();
    assert_eq!(told, [ProblemKind::Undecided(Holds::ALL)]);
}

/// The last definition of an environment counts, also after it was declared as a listing.
#[test]
fn a_listing_that_is_defined_anew_is_text() {
    for declared in [
        "\\lstnewenvironment{remarks}{}{}",
        "\\newtcblisting{remarks}{}",
        "\\DefineVerbatimEnvironment{remarks}{Verbatim}{}",
    ] {
        let preamble = format!(
            "{declared}\n\\renewenvironment{{remarks}}{{\\begin{{quote}}}}{{\\end{{quote}}}}"
        );
        let body = "\\begin{remarks}\nAs shown before \\cite{ghost}.\n\\end{remarks}";
        let document = document(&preamble, body);
        assert_eq!(document.citations.len(), 1, "{declared}");
        assert!(
            texts(&document)
                .iter()
                .any(|text| text.starts_with("As shown before"))
        );
    }
}

/// A character after a backquote is one token, even a brace.
#[test]
fn a_character_by_its_name_takes_nothing_else() {
    let document = document("\\catcode`{=12", "Text 31 \\cite{a}.\n\nMore \\cite{b}.");
    assert_eq!(document.citations.len(), 2);
    for name in ["&", "}", "\\\\", "\\%", "~", "é"] {
        let text = format!("A\\catcode`{name}=12 B \\cite{{a}}");
        let document = self::document("", &text);
        assert_eq!(texts(&document), ["AB [cite]"], "{name}");
    }
}

/// An environment of verbatim text that the document defines anew: by commands that are known it is text, by others of its kind it stays
/// verbatim, and by commands that nobody here knows that is said.
#[test]
fn verbatim_text_that_is_defined_anew_is_text_where_its_code_is_known() {
    for (environment, preamble, is_text, problems) in [
        ("verbatim", "", false, 0),
        (
            "verbatim",
            "\\renewenvironment{verbatim}{\\begin{quote}}{\\end{quote}}",
            true,
            0,
        ),
        (
            "verbatim",
            "\\let\\verbatim\\quote\\let\\endverbatim\\endquote",
            true,
            0,
        ),
        (
            "minted",
            "\\newenvironment{minted}{\\par\\small}{\\par}",
            true,
            0,
        ),
        (
            "alltt",
            "\\let\\old\\alltt\\renewenvironment{alltt}{\\small\\old}{\\endold}",
            false,
            0,
        ),
        (
            "Verbatim",
            "\\renewenvironment{Verbatim}{\\small\\verbatim}{\\endverbatim}",
            false,
            0,
        ),
        (
            "verbatim",
            "\\renewenvironment{verbatim}{\\startcode}{\\stopcode}",
            false,
            1,
        ),
        // By macros of the document, and within a group, which takes it back.
        (
            "verbatim",
            "\\let\\old\\verbatim\\let\\endold\\endverbatim\\newcommand{\\startv}{\\begingroup\\small\\old}\\newcommand{\\stopv}{\\endold\\endgroup}\\renewenvironment{verbatim}{\\startv}{\\stopv}",
            false,
            0,
        ),
        (
            "verbatim",
            "{\\renewenvironment{verbatim}{\\small}{}}",
            false,
            0,
        ),
        (
            "verbatim",
            "{\\let\\verbatim\\quote\\let\\endverbatim\\endquote}",
            false,
            0,
        ),
    ] {
        let body =
            format!("One.\n\\begin{{{environment}}}\nText \\cite{{a}}.\n\\end{{{environment}}}\n");
        let document = document(preamble, &body);
        assert_eq!(document.citations.len(), usize::from(is_text), "{preamble}");
        let unread = document.problems.iter();
        let unread = unread.filter(|problem| problem.kind == ProblemKind::UnreadText(Holds::ALL));
        assert_eq!(unread.count(), problems, "{preamble}");
    }
}

/// Nothing is wrong with the document, and its bibliography was found.
fn assert_whole_with_bibliography(document: &Document) {
    assert_eq!(wrong(document), Vec::<&Problem>::new());
    let kinds: Vec<_> = document
        .includes
        .iter()
        .map(|include| include.kind)
        .collect();
    assert!(kinds.contains(&IncludeKind::Bibliography), "{kinds:?}");
}

/// The root document only asks for its preamble and its text.
#[test]
fn a_preamble_and_a_text_in_files_of_their_own_are_one_document() {
    let files = [
        ("top.tex", "\\input{pre}\n\\input{body}\n"),
        (
            "pre.tex",
            "\\documentclass{article}\\newcommand\\x{5}\\addbibresource{r.bib}\n",
        ),
        (
            "body.tex",
            "\\begin{document}We saw \\x{} of 7 \\cite{a}.\\end{document}",
        ),
    ];
    assert_eq!(
        find_root(&files).map(|root| root.path).as_deref(),
        Ok("top.tex")
    );
    let document = tree(&files).expect("a document");
    assert_eq!(texts(&document), ["We saw 5 of 7 [cite]."]);
    assert_whole_with_bibliography(&document);
    // Without a text in any of them there is none, which is said.
    let none = tree(&files[..2]).expect("readable");
    assert!(
        wrong(&none)
            .iter()
            .any(|problem| problem.kind == ProblemKind::NoDocument)
    );
}

/// A subfile that is read on its own has the preamble of its main document.
#[test]
fn a_subfile_of_its_own_has_the_preamble_of_its_main_document() {
    let files = [
        (
            "ch/one.tex",
            "\\documentclass[../main]{subfiles}\n\\begin{document}\nWe saw \\x{} \\mc{a}.\n\\end{document}\n",
        ),
        (
            "main.tex",
            "\\documentclass{book}\n\\addbibresource{r.bib}\n\\newcommand{\\x}{5}\\newcommand{\\mc}[1]{\\cite{#1}}\n% \\begin{document}\n\
             \\begin{document}\nNot this.\\subfile{ch/one}\n\\end{document}\n",
        ),
    ];
    let document = tree(&files).expect("a document");
    assert_eq!(texts(&document), ["We saw 5 [cite]."]);
    assert_whole_with_bibliography(&document);
    // Where the main document's preamble ends: also with blanks in the command; if that is in another file, it is not read.
    for main in [
        "\\documentclass{book}\n\\begin {document}\nNot this.\\subfile{ch/one}\n\\end{document}\n",
        "\\documentclass{book}\n\\begin%\n{document}\nNot this.\\subfile{ch/one}\n\\end{document}\n",
        "\\documentclass{book}\\input{head}Not this.\\subfile{ch/one}\\end{document}\n",
    ] {
        let files = [
            files[0],
            ("main.tex", main),
            ("head.tex", "\\begin{document}"),
        ];
        let all = texts(&tree(&files).expect("a document")).join(" ");
        assert!(
            all.starts_with("We saw") && !all.contains("Not this"),
            "{main}: {all}"
        );
    }
}
