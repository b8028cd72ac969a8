//! Wrong numbers that an outside tester got to pass, and files that this tester lost.

use std::os::unix::fs::symlink;

use crate::support::{Audit, Paper, status, text};

const DATA: &str = "a,b\n42.7,n/a\n";

fn bound(preamble: &str, body: &str, text: &str) -> String {
    let binding = format!(
        "[[claim]]\nid = \"c\"\nin = \"main.tex\"\ntext = '{text}'\nvalue = \"select a from \\\"results/d.csv\\\"\"\n"
    );
    let body = format!("{preamble}\n\n{body}");
    let paper = Paper::new(&body).with("results/d.csv", DATA);
    let audit = paper.claims(&binding).audit();
    status(audit.of("c")[0]).to_owned()
}

#[test]
fn a_number_is_all_of_what_readers_see_of_it() {
    let marked = "\\textbf{[[42.7]]} points";
    for (body, expected) in [
        ("It has \\textbf{42.7} points.", "exact_match"),
        ("It has -\\textbf{42.7} points.", "number_mismatch"),
        ("It has $-$\\textbf{42.7} points.", "number_mismatch"),
        ("It has 1\\textbf{42.7} points.", "number_mismatch"),
        ("It has 1,0\\textbf{42.7} points.", "number_mismatch"),
        ("It has 10--\\textbf{42.7} points.", "exact_match"),
    ] {
        assert_eq!(bound("", body, marked), expected, "{body}");
    }
    for body in [
        "$\\mathbf{42.7}$5",
        "$\\mathbf{42.7}$$\\times10^{3}$",
        "$-\\mathbf{42.7}$",
    ] {
        let status = bound("", body, "\\mathbf{[[42.7]]}");
        assert_eq!(status, "number_mismatch", "{body}");
    }
    // Also if the anchor's own words contain a part of the number.
    for (body, text, expected) in [
        ("has -42.7 points", "has -[[42.7]]", "number_mismatch"),
        ("has $-$42.7 points", "has $-$[[42.7]]", "number_mismatch"),
        ("has $-42.7$ points", "has $-[[42.7]]$", "number_mismatch"),
        ("has 142.7 points", "has 1[[42.7]]", "number_mismatch"),
        ("has 42.75 points", "has [[42.7]]5", "number_mismatch"),
        ("has 42.7e3 points", "has [[42.7]]e3", "number_mismatch"),
        ("has 10--42.7 points", "has 10--[[42.7]]", "exact_match"),
        ("has $^1$42.7 points", "has $^1$[[42.7]]", "exact_match"),
        ("has +42.7 points", "has +[[42.7]]", "exact_match"),
        (
            "has 42.7\\% points",
            "has [[42.7]]\\% points",
            "exact_match",
        ),
    ] {
        assert_eq!(bound("", body, text), expected, "{text}");
    }
    for number in ["42.7 \\pm 0.3", "42.7 +- 0.3", "42.7(3)"] {
        let (body, text) = (
            format!("has \\num{{{number}}} points"),
            format!("has \\num{{{number}}}").replace("42.7", "[[42.7]]"),
        );
        let status = bound("\\usepackage{siunitx}", &body, &text);
        assert_eq!(status, "exact_match", "{body}");
    }
    for definition in ["$-$#1", "9#1", "#1e5", "#1$\\times 10^{3}$"] {
        let preamble = format!("\\newcommand{{\\loss}}[1]{{{definition}}}");
        let status = bound(&preamble, "Gain of \\loss{42.7} points", "\\loss{[[42.7]]}");
        assert_eq!(status, "number_mismatch", "{definition}");
    }
}

#[test]
fn characters_by_their_number_and_counters_belong_to_the_number_that_readers_see() {
    for printed in [
        "\\char45 ",
        "\\char\"2D",
        "\\char'55",
        "\\char`\\-",
        "\\char`-",
        "\\char49",
        "\\symbol{45}",
        "\\symbol{\"31}",
        "\\number1",
    ] {
        let body = format!("It is ${printed}{{}}42.7\\times$ more");
        let status = bound("", &body, "[[42.7]]\\times");
        assert_eq!(status, "number_mismatch", "{printed}");
    }
    for printed in [
        "\\arabic{page}",
        "\\thesection",
        "\\the\\year",
        "\\number\\month",
        "\\ref{a}",
        "\\char3",
    ] {
        let status = bound(
            "",
            &format!("It is {printed}{{}}42.7 more"),
            "[[42.7]] more",
        );
        assert_eq!(status, "binding_lost", "{printed}");
        let status = bound(
            "",
            &format!("It is {printed}{{}} 42.7 more"),
            "[[42.7]] more",
        );
        assert_eq!(status, "exact_match", "{printed}");
        let status = bound("", &format!("It is 42.7{printed}"), "is [[42.7]]");
        assert_eq!(status, "binding_lost", "{printed}");
    }
    let status = bound("", "It is 42.7\\char57 {} more", "is [[42.7]]");
    assert_eq!(status, "number_mismatch");
}

#[test]
fn a_minus_sign_apart_from_its_number_in_a_formula_counts() {
    for (formula, expected) in [
        ("- 42.7", "number_mismatch"),
        ("-\\, 42.7", "number_mismatch"),
        ("{-} \\mathbf{42.7}", "number_mismatch"),
        ("x = - 42.7", "number_mismatch"),
        ("+ 42.7", "exact_match"),
        ("x - 42.7", "exact_match"),
        ("(x) - 42.7", "exact_match"),
        ("2 - 42.7", "exact_match"),
    ] {
        let body = format!("It is ${formula}$ points");
        let mark = if formula.contains("mathbf") {
            "\\mathbf{[[42.7]]}"
        } else {
            "[[42.7]]$ points"
        };
        assert_eq!(bound("", &body, mark), expected, "{formula}");
    }
    let status = bound("", "Three -- 42.7 -- points", "[[42.7]] -- points");
    assert_eq!(status, "exact_match");
}

#[test]
fn numbers_of_a_report_in_markdown_are_listed() {
    let paper = Paper::new("").with("results/d.csv", DATA);
    std::fs::remove_file(paper.project.at("paper/main.tex")).expect("removed");
    let paper = paper.with("paper.md", "We get 42.7 points, but 99.9% fail.\n");
    let audit = paper
        .claims("[[claim]]\nid = \"c\"\nin = \"paper.md\"\ntext = 'get [[42.7]] points'\nvalue = \"select a from \\\"results/d.csv\\\"\"\n")
        .audit();
    assert_eq!(status(audit.of("c")[0]), "exact_match");
    assert_eq!(audit.verdict(), "WARN", "{audit}");
}

#[test]
fn a_paper_and_its_reports_are_no_evidence() {
    let table = "
        own | 7 | select count(*) from \"claims.toml\" | binding_error
        report | 7 | select doc ->> '$.details.total_claims' from \"PAPER_CLAIM_AUDIT.json\" | binding_error
    ";
    let paper = Paper::cases(&[("results/d.csv", DATA.as_bytes())], "", table);
    paper.expect_all(table);
    paper.expect_all(table);
}

#[test]
fn nothing_is_written_through_a_link() {
    let paper = Paper::new("It has 42.7 points.").with("results/d.csv", DATA);
    paper.project.write("mine.txt", "mine\n");
    let link = paper.project.at("paper/PAPER_CLAIM_AUDIT.md");
    symlink(paper.project.at("mine.txt"), &link).expect("a link");
    let run = paper.call(&["paper"]).run().expect_code(5);
    assert!(run.stderr().contains("is a link"), "{run}");
    assert_eq!(paper.project.read("mine.txt"), "mine\n");
}

#[test]
fn a_binding_that_is_there_is_said_to_be_there() {
    let paper = Paper::new("It has 42.7 points.").with("results/d.csv", DATA);
    let value = "select a from \"results/d.csv\"";
    let args = [
        "--in",
        "main.tex",
        "--text",
        "has [[42.7]] points",
        "--value",
        value,
    ];
    let first = paper.run("bind", &args).expect_code(0);
    assert!(first.stdout().contains("bound in"), "{first}");
    let second = paper.run("bind", &args).expect_code(0);
    assert!(second.stdout().contains("bound already in"), "{second}");
}

#[test]
fn what_an_installed_package_defines_is_no_unread_text() {
    for (preamble, expected) in [
        ("", 0),
        ("\\FPeval{\\total}{40+2}", 1),
        ("\\input{numbers}", 2),
    ] {
        let main = format!(
            "\\documentclass{{article}}\\usepackage{{lettrine}}{preamble}\n\\begin{{document}}\n\
             \\lettrine{{O}}{{f}} \\total{{}} gadgets, 42.7 wobble.\n\\end{{document}}\n"
        );
        let paper = Paper::new("").with("main.tex", main);
        let audit = paper.with("results/d.csv", DATA).audit();
        let findings = audit.artifact["details"]["findings"].as_array();
        let unread = findings.expect("findings").iter();
        let unread = unread.filter(|finding| finding["id"] == "text_not_read");
        assert_eq!(unread.count(), expected, "{preamble}: {audit}");
    }
}

#[test]
fn no_number_hides_in_options_titles_and_lists() {
    let findings = |audit: &Audit, id: &str| {
        let findings = audit.artifact["details"]["findings"].as_array();
        let found = findings.into_iter().flatten();
        found.filter(|finding| finding["id"] == id).count()
    };
    let paper = |case: &str| {
        let (packages, body) = case.split_once('|').expect("a bar");
        let (title, body) = body.split_once('|').unwrap_or(("", body));
        let main = format!(
            "\\documentclass{{article}}\\usepackage{{{packages}}}\n{title}\n\\begin{{document}}\nText.\n{body}\n\\end{{document}}\n"
        );
        Paper::new("").with("main.tex", main)
    };
    // In the list of numbers, or as text that the audit did not see.
    for case in [
        r"ctable|\ctable[caption={We reach 66.6 \% here}]{ll}{}{a & b}",
        r"tabularray|\begin{longtblr}[caption={We reach 66.6 \%}]{ll} a & b \end{longtblr}",
        r"tabularray|\begin{talltblr}[caption={x},note{a}={We reach 66.6 \%}]{ll} a & b \end{talltblr}",
        r"mdframed|\begin{mdframed}[frametitle={We reach 66.6 \%}] text \end{mdframed}",
        r"tcolorbox|\tcbox[title={We reach 66.6 \%}]{x}",
        r"tcolorbox|\begin{ourbox}[above={We reach 66.6 \%}] text \end{ourbox}",
        r"thmtools|\begin{restatable}[We reach 66.6 \%]{thm}{foo} x \end{restatable}",
        r"lettrine|\title{Model\thanks{It reaches 66.6 \%.}}|\maketitle",
        r"tikz|Here \tikz{\node{We reach 66.6 \%};} is.",
        r"tikz|Here \tikz[x=2cm] \draw (0,0) node{We reach 66.6 \%}; is.",
        r"pgffor|\foreach \x in {We reach 66.6 \%,b} {\x, }",
        r"pgffor|\newcommand\all{We reach 66.6 \%,b}\foreach \x [count=\i] in \all {\x, }",
        r"pgffor|\foreach \x/\y in {a/We reach 66.6 \%,b/c} {\y, }",
        r"beamerarticle|\begin{columns}\column{0.5\textwidth}66.6 \% of all\end{columns}",
        r"beamerarticle|\begin{column}{0.5\textwidth}66.6 \% of all\end{column}",
        r"paracol|\oddcommand{0.5\textwidth}66.6 \% of all",
    ] {
        let audit = paper(case).audit();
        let mut listed = audit.entries().iter();
        let is_listed = listed.any(|entry| entry.to_string().contains("66.6"));
        let told = findings(&audit, "text_not_read");
        assert!(is_listed || told > 0, "{case}: {audit}");
        assert!(
            !text(&audit.artifact, "summary").is_empty(),
            "{case}: {audit}"
        );
    }
    // Settings, lengths and addresses.
    for case in [
        r"tikz|\begin{tikzpicture}[x=2cm,every node/.style={inner sep=3pt}]\node[label={[align=left]above:a}]{b};\end{tikzpicture}",
        r"tikz|Here \tikz[x=2cm] \draw[line width=1.5pt] (0,0.25) -- (1.5,2.75); and \tikz{\fill (0,1.5) circle (2.5pt);} is.",
        r"ctable|\ctable[pos=t,width=12.5cm,framerule=1pt plus 1.5pt]{ll}{}{a & b}",
        r"tabularray|\begin{longtblr}[caption={All},rowsep=2.5pt]{ll} a & b \end{longtblr}",
        r"tcolorbox|\begin{ourbox}[width=12.5cm,colback=red!25] text \end{ourbox}",
        r"lettrine|\title{Model\thanks{Grant 4711/2-1, 10x Genomics, 12345 Town, 2017.4.}}|\maketitle",
        r"tikz|Step \tikz[baseline]{\node[circle,inner sep=1.5pt]{\textbf{12}};} is.",
        r"pgffor|\foreach \x in {1,...,20} {a, }",
        r"pgffor|\foreach \x in {1.5,20} {\includegraphics[width=\x cm]{a}}",
    ] {
        let audit = paper(case).audit();
        assert_eq!(audit.verdict(), "NOT_APPLICABLE", "{case}: {audit}");
    }
    let audit = paper(r"lettrine|\ours{} is \input{absent} good.").audit();
    let summary = text(&audit.artifact, "summary").to_owned();
    assert!(
        summary.contains("`\\ours`") && summary.contains("1 more finding"),
        "{summary}"
    );
}

#[test]
fn a_percentage_of_something_else_is_no_wrong_arithmetic() {
    for (body, is_wrong) in [
        (
            "Relapse occurred in 12 of 64 (95\\,\\% CI 10--30) patients.",
            false,
        ),
        ("Funding rose from 2010 to 2020 (35\\,\\%).", false),
        (
            "The wait grows from 5 to 10 minutes (20\\% of cases).",
            false,
        ),
        ("We prune 12 of 64 layers (50\\% sparsity).", false),
        ("Relapse occurred in 12 of 64 (20\\,\\%) patients.", true),
        (
            "Relapse occurred in 12 of 64 (20\\,\\%, 95\\,\\% CI 10--30) patients.",
            true,
        ),
        ("It grows from 5 to 10 (20\\%).", true),
    ] {
        let paper = Paper::new(body).with("results/d.csv", DATA);
        let said = paper.audit().said();
        assert_eq!(said.contains("text_arithmetic"), is_wrong, "{body}: {said}");
    }
}

#[test]
fn a_power_of_ten_in_a_macro_that_nobody_uses_is_one_number() {
    let body = "\\newcommand{\\loss}{4.27\\times 10^{1}}\n\nNo number.";
    let binding =
        "[[claim]]\nid = \"c\"\nmacro = \"loss\"\nvalue = 'select a from \"results/d.csv\"'\n";
    let paper = Paper::new(body).with("results/d.csv", DATA);
    paper.claims(binding).audit().expect("c", "exact_match");
}

#[test]
fn where_a_paper_declares_decimal_commas_points_and_commas_of_three_digits_are_not_judged() {
    let bound = |preamble: &str, shown: &str| {
        let marked = shown.replacen('9', "[[9", 1).replacen('5', "5]]", 1);
        let binding = format!(
            "[[claim]]\nid = \"c\"\nin = \"main.tex\"\ntext = 'is {marked} in'\nvalue = \"select a from \\\"results/d.csv\\\"\"\n"
        );
        let paper = Paper::new("").with("results/d.csv", "a\n9115\n");
        let text = format!(
            "\\documentclass{{article}}\n{preamble}\n\\usepackage{{siunitx}}\n\\begin{{document}}\nIt is {shown} in all.\n\\end{{document}}\n"
        );
        paper.write("main.tex", text);
        let audit = paper.claims(&binding).audit();
        status(audit.of("c")[0]).to_owned()
    };
    for preamble in [
        "\\usepackage[spanish,es-nodecimaldot]{babel}",
        "\\usepackage[english,ngerman]{babel}",
        "\\setmainlanguage{french}",
        "\\usepackage{ngerman}",
        "\\usepackage{babel}\\babelprovide[main,import]{german}",
        "\\usepackage[main=ngerman,english]{babel}",
        "\\sisetup{locale = DE}",
        "\\sisetup{output-decimal-marker={,}}",
    ] {
        assert_eq!(bound(preamble, "9.115"), "binding_lost", "{preamble}");
        assert_eq!(bound(preamble, "9,115"), "binding_lost", "{preamble}");
        assert_eq!(bound(preamble, "\\num{9115}"), "exact_match", "{preamble}");
    }
    for preamble in [
        "",
        "\\usepackage[ngerman,english]{babel}",
        "\\usepackage[main=english,ngerman]{babel}",
        "% \\sisetup{locale = DE}",
    ] {
        assert_eq!(bound(preamble, "9,115"), "exact_match", "{preamble}");
        assert_eq!(bound(preamble, "9.115"), "number_mismatch", "{preamble}");
    }
}

/// siunitx may print something other than what is written: such a number may be right, but is not confirmed.
#[test]
fn a_number_that_siunitx_prints_otherwise_does_not_pass() {
    for (preamble, number) in [
        ("", "\\num[drop-exponent]{42.7}"),
        (
            "\\sisetup{exponent-mode=fixed, drop-exponent = true}",
            "\\num{42.7}",
        ),
        (
            "\\sisetup{round-mode=figures,round-precision=1}",
            "\\num{42.7}",
        ),
    ] {
        let body = format!("\\usepackage{{siunitx}}{preamble}\n\nIt has {number} points.");
        let paper = Paper::new(&body).with("results/d.csv", DATA);
        let binding = format!(
            "[[claim]]\nid = \"c\"\nin = \"main.tex\"\ntext = 'has [[{number}]] points'\nvalue = \"select a from \\\"results/d.csv\\\"\"\n"
        );
        assert_eq!(paper.claims(&binding).audit().verdict(), "WARN", "{body}");
    }
    // An option in the preamble applies everywhere in the document; a different number is then not a mismatch.
    let rounds = "\\usepackage{siunitx}\\sisetup{round-mode=places,round-precision=0}";
    for part in [
        "It has X points.",
        "\\section{It has X points}",
        "\\caption{It has X points.}",
        "A\\footnote{It has X points.}",
    ] {
        for (number, status) in [("42.7", "exact_match"), ("42.1", "undecided")] {
            let part = part.replace('X', &format!("\\num{{{number}}}"));
            let main = format!(
                "\\documentclass{{article}}{rounds}\\begin{{document}}{part}\\end{{document}}"
            );
            let paper = Paper::new("")
                .with("main.tex", &main)
                .with("results/d.csv", DATA);
            let binding = format!(
                "[[claim]]\nid = \"c\"\nin = \"main.tex\"\ntext = 'has [[\\num{{{number}}}]] points'\nvalue = \"select a from \\\"results/d.csv\\\"\"\n"
            );
            let audit = paper.claims(&binding).audit();
            assert_eq!(
                (audit.verdict(), text(audit.one("c"), "status")),
                ("WARN", status),
                "{part}: {audit}"
            );
        }
    }
}

#[test]
fn a_list_has_one_for_each_mark() {
    let query = |column: &str| format!("'select {column} from \"results/d.csv\"'");
    let values = [query("a"), query("b")].join(", ");
    let bound = |more: &str| {
        let paper = Paper::new("The rate is 42.7 and 7.").with("results/d.csv", "a,b\n42.7,8\n");
        let claim = format!(
            "[[claim]]\nin = \"main.tex\"\ntext = 'is [[42.7]] and [[7]]'\nvalue = [{values}]\n{more}\n"
        );
        paper.claims(&claim).call(&["."]).run().code()
    };
    assert_eq!(bound("tolerance = 1"), 0);
    assert_eq!(bound("tolerance = [1, 1]"), 0);
    assert_ne!(bound("tolerance = [1]"), 0);
}

/// A macro that another command may redefine has no certain number: it is a mismatch, or the audit says that it does not know.
#[test]
fn a_macro_that_another_command_may_define_anew_does_not_pass() {
    let other = "\\newcommand\\other{99.9}";
    for (change, differs) in [
        ("", false),
        ("\\RenewDocumentCommand\\best{}{99.9}", true),
        ("\\DeclareExpandableDocumentCommand\\best{}{99.9}", true),
        ("\\DeclareCommandCopy\\best\\other", true),
        ("\\RenewCommandCopy\\best\\other", true),
        ("\\LetLtxMacro{\\best}{\\other}", true),
        (
            "\\IfFileExists{article.cls}{\\renewcommand\\best{99.9}}{}",
            true,
        ),
        ("\\chardef\\best=57 ", false),
        ("\\letcs\\best{other}", false),
        ("\\cslet{best}\\other", false),
        (
            "\\AtBeginEnvironment{abstract}{\\renewcommand\\best{99.9}}",
            false,
        ),
        ("\\AtBeginEnvironment{abstract}{\\csdef{best}{99.9}}", false),
        ("\\somethingnew\\best\\other", false),
        ("\\somethingnew{best}{99.9}", false),
        ("\\pgfmathsetmacro\\best{9*11.1}", false),
        ("\\StrSubstitute{42.7}{42.7}{99.9}[\\best]", false),
        ("\\CatchFileDef{\\best}{x.txt}{}", false),
        ("\\read\\f to\\best", false),
    ] {
        let body =
            format!("\\newcommand\\best{{42.7}}{other}{change}\n\nIt has \\best{{}} points.");
        let paper = Paper::new(&body).with("results/d.csv", DATA);
        let binding = "[[claim]]\nid = \"c\"\nmacro = \"best\"\nvalue = \"select a from \\\"results/d.csv\\\"\"\n";
        let audit = paper.claims(binding).audit();
        let verdict = audit.verdict();
        let expected = match (change, differs) {
            ("", _) => "PASS",
            (_, true) => "FAIL",
            (_, false) => "WARN",
        };
        assert_eq!(verdict, expected, "{change}: {:?}", audit.of("c"));
    }
}

/// It is unknown whether an environment or a loop of a package prints its text.
#[test]
fn text_that_a_package_may_hide_does_not_pass() {
    for (preamble, begin, end) in [
        ("\\RenewEnviron{quote}{}", "\\begin{quote}", "\\end{quote}"),
        ("", "\\whiledo{\\boolean{false}}{", "}"),
    ] {
        let body = format!("{preamble}\n\n{begin}It has 42.7 points.{end}");
        let paper = Paper::new(&body).with("results/d.csv", DATA);
        let binding = "[[claim]]\nid = \"c\"\nin = \"main.tex\"\ntext = 'has [[42.7]] points'\nvalue = \"select a from \\\"results/d.csv\\\"\"\n";
        let audit = paper.claims(binding).audit();
        assert_eq!(audit.verdict(), "WARN", "{begin}: {:?}", audit.of("c"));
    }
}

#[test]
fn a_percentage_behind_the_word_section_is_listed() {
    let paper = Paper::new("As said in this Section 99.9\\,\\% is gained, see Section 12.4.");
    let audit = paper.claims("").audit();
    let unbound = audit
        .entries()
        .iter()
        .filter(|entry| status(entry) == "unbound");
    assert_eq!(unbound.count(), 1, "{audit}");
}
