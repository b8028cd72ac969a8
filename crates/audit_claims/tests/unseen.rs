//! What was not looked at is not approved: texts that are no diffs, and reports whose text a diff does not show.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Forge, Helper, Project, Run};
use serde_json::{Value, json};

const URL: &str = "https://github.com/o/r/pull/7";

/// One claim, in the last line but one.
const DIFF: &str = "diff --git a/research/r.md b/research/r.md\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/research/r.md\n\
                    @@ -0,0 +1,5 @@\n+## Introduction\n+\n+Words.\n+It is known that attention scales quadratically.\n+\n";

/// A project that git takes for a repository.
fn repository() -> Project {
    Project::new()
        .file(".git/objects/.keep", "")
        .file(".git/refs/.keep", "")
}

fn run(project: &Project, forge: &Forge, more: &[&str]) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
        .call(project.path())
        .env("GH_TOKEN", "t")
        .env("ARIS_GITHUB_API", forge.url())
        .env(
            "XDG_STATE_HOME",
            project.path().join("state").display().to_string(),
        )
        .args(["--json", "run", ".", "main", URL])
        .args(more)
        .run()
}

/// Verdict, degraded, reason.
fn said(run: &Run) -> (String, bool, String) {
    let data = run.data();
    let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    (text("verdict"), data["degraded"] == true, text("reason"))
}

#[test]
fn a_body_that_is_no_whole_diff_is_not_looked_at() {
    let cut = |bytes: usize| DIFF.as_bytes()[..bytes].to_vec();
    let before_claim = DIFF.find("+It is known").expect("the claim");
    let fewer = String::from_utf8(cut(before_claim)).expect("text");
    for (what, body) in [
        ("nothing", Vec::new()),
        ("HTML", b"<html>login</html>\n".to_vec()),
        ("JSON", b"{\"message\":\"x\"}".to_vec()),
        ("zeros", vec![0; 100]),
        ("a header that is cut", cut(20)),
        ("a hunk that is cut", cut(before_claim)),
        ("a line that is cut", cut(DIFF.len() - 3)),
        (
            "a hunk that says that it is all",
            fewer.replace("+1,5 @@", "+1,3 @@").into_bytes(),
        ),
        (
            "a hunk without a header that can be read",
            DIFF.replace("+1,5 @@", "+1,x @@").into_bytes(),
        ),
    ] {
        for engine in ["rules", "agent", "both"] {
            let (project, forge) = (repository(), Forge::start("b", DIFF));
            forge.pull(|pull| {
                pull.served = Some((200, body.clone()));
                pull.refused.files = true;
            });
            let more = ["--engine", engine, "--degraded-verdict", "needs_human"];
            let run = run(&project, &forge, &more).expect_code(0);
            let (verdict, degraded, reason) = said(&run);
            assert_eq!(
                (verdict.as_str(), degraded),
                ("needs_human", true),
                "{what}: {run}"
            );
            assert!(reason.contains("diff"), "{what}: {reason}");
            assert_eq!(forge.pull(|pull| pull.writes), 0, "{what}");
        }
    }
}

#[test]
fn threads_of_findings_stay_open_where_the_diff_cannot_be_read() {
    let (project, forge) = (repository(), Forge::start("b", DIFF));
    let more = ["--engine", "rules"];
    let first = run(&project, &forge, &more).expect_code(0);
    assert_eq!(first.data()["verdict"], "changes_requested", "{first}");
    forge.pull(|pull| {
        pull.served = Some((200, b"<html>login</html>".to_vec()));
        pull.refused.files = true;
    });
    let (_, degraded, _) = said(&run(&project, &forge, &more).expect_code(0));
    assert!(degraded);
    assert!(forge.pull(|pull| pull.resolved.is_empty()));
    // The finding is gone, and the diff can be read, so its thread is closed.
    forge.pull(|pull| {
        pull.served = None;
        pull.diff = DIFF.replace("It is known that attention scales quadratically.", "Words.");
    });
    let last = run(&project, &forge, &more).expect_code(0);
    assert_eq!(last.data()["verdict"], "approved", "{last}");
    assert!(!forge.pull(|pull| pull.resolved.is_empty()));
}

#[test]
fn lines_may_end_with_carriage_returns_and_large_diffs_are_read_file_by_file() {
    let binary = "diff --git a/x.png b/x.png\nnew file mode 100644\nindex 0000000..2222222\nBinary files /dev/null and b/x.png differ\n";
    let whole = format!(
        "{binary}{DIFF}diff --git a/old.md b/old.md\ndeleted file mode 100644\nindex 1..0\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
    );
    let crlf = whole.replace('\n', "\r\n").into_bytes();
    for (what, served, files) in [
        ("as it is", None, false),
        ("CR LF", Some((200, crlf)), false),
        ("too large", Some((406, Vec::new())), true),
        (
            "cut, and the list of files is whole",
            Some((200, b"diff".to_vec())),
            true,
        ),
    ] {
        let (project, forge) = (repository(), Forge::start("b", &whole));
        forge.pull(|pull| {
            pull.served = served;
            pull.refused.files = !files;
        });
        let data = run(&project, &forge, &["--engine", "rules"])
            .expect_code(0)
            .data();
        assert_eq!(
            (
                &data["verdict"],
                &data["degraded"],
                &data["findings"][0]["line"]
            ),
            (&json!("changes_requested"), &json!(false), &json!(4)),
            "{what}: {data}"
        );
    }
}

#[test]
fn a_report_whose_text_the_diff_hides_is_for_a_person() {
    let hidden = |path: &str| {
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/{path} differ\n"
        )
    };
    let link = "diff --git a/docs/r.md b/docs/r.md\nnew file mode 120000\nindex 0000000..1111111\n--- /dev/null\n+++ b/docs/r.md\n@@ -0,0 +1 @@\n+../secret.txt\n\\ No newline at end of file\n";
    let renamed = "diff --git a/data.bin b/paper.tex\nsimilarity index 100%\nrename from data.bin\nrename to paper.tex\n";
    let moved = "diff --git a/old.md b/new.md\nsimilarity index 100%\nrename from old.md\nrename to new.md\n";
    let none: Value = json!([]);
    for (diff, name) in [
        (hidden("research/report.md"), Some("research/report.md")),
        (hidden("research/report.txt"), Some("research/report.txt")),
        (hidden("docs/report.MD"), Some("docs/report.MD")),
        (hidden("docs/report.markdown"), Some("docs/report.markdown")),
        (hidden("a.TEX"), Some("a.TEX")),
        (link.to_owned(), Some("docs/r.md")),
        (renamed.to_owned(), Some("paper.tex")),
        (moved.to_owned(), None),
        (hidden("x.png"), None),
    ] {
        for engine in ["rules", "agent", "both"] {
            let (project, forge) = (repository(), Forge::start("b", &diff));
            let run = run(&project, &forge, &["--engine", engine]).expect_code(0);
            let data = run.data();
            let Some(name) = name else {
                assert_eq!(
                    (&data["verdict"], &data["findings"]),
                    (&json!("approved"), &none),
                    "{diff}"
                );
                continue;
            };
            assert_eq!(
                (
                    &data["verdict"],
                    &data["degraded"],
                    &data["findings"][0]["file"]
                ),
                (&json!("needs_human"), &json!(true), &json!(name)),
                "{engine}: {run}"
            );
            let review = forge.pull(|pull| pull.reviews[0].clone());
            assert_eq!(review["state"], "COMMENTED");
            assert!(
                review["body"].as_str().expect("text").contains(name),
                "{review}"
            );
        }
    }
}

/// Nothing that was looked at is no reason to approve, and a citation that nobody can follow is no evidence that was seen.
#[test]
fn a_pull_request_of_which_nothing_was_looked_at_is_not_approved() {
    let one = |path: &str| {
        format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+Words.\n"
        )
    };
    let gone = "diff --git a/r.md b/r.md\ndeleted file mode 100644\nindex 1..0\n--- a/r.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
    let glob = ["--report-glob", "reserch/**"];
    for (diff, more, degraded) in [
        (one("research/r.md"), &glob[..], true),
        (one("report.rst"), &[], true),
        (one("report.Rmd"), &[], true),
        (one("research/report"), &[], true),
        (one("src/a.py"), &["--gate", "review"], true),
        (one("research/r.md"), &["--report-glob", "*.md"], false),
        (one("r.md") + &one("report.rst"), &[], false),
        (gone.to_owned(), &[], false),
    ] {
        let (project, forge) = (repository(), Forge::start("b", &diff));
        let verdict = |verdict: &str| {
            let more = [&["--degraded-verdict", verdict], more].concat();
            said(&run(&project, &forge, &more).expect_code(0))
        };
        let (first, is, why) = verdict("approved");
        let posted = forge.pull(|pull| pull.reviews.len());
        assert_eq!(
            (&*first, is, posted),
            ("approved", degraded, usize::from(!degraded)),
            "{diff}: {why}"
        );
        if degraded {
            assert!(why.contains("nothing was looked at"), "{why}");
            assert_eq!(verdict("needs_human").0, "needs_human");
            let body = forge.pull(|pull| pull.reviews[0]["body"].to_string());
            assert!(body.contains("nothing was looked at"), "{body}");
        }
    }
}

#[test]
fn a_citation_that_nobody_can_follow_is_said() {
    let claim = "Earlier systems reach 90 points on the benchmark";
    let listed = "\n\n## References\n\n1. Lee, J. Gains. Journal, 2020.\n";
    for (path, text, mark) in [
        ("r.md", format!("{claim} [1].\n"), Some("r.md:1 [1]")),
        (
            "r.md",
            format!("{claim} [^1].\n"),
            Some("r.md:1 a footnote"),
        ),
        (
            "r.md",
            format!("{claim} [@smith2020].\n"),
            Some("smith2020"),
        ),
        (
            "r.md",
            "We build on @smith2020.\n".to_owned(),
            Some("smith2020"),
        ),
        (
            "r.tex",
            format!("{claim}~\\cite{{nokey}}.\n"),
            Some("nokey"),
        ),
        ("r.md", format!("{claim} [1].{listed}"), None),
        (
            "r.md",
            format!("{claim} [^1].\n\n[^1]: Lee, J. Gains. 2020.\n"),
            None,
        ),
        ("r.md", format!("{claim} [@lee2024].\n"), None),
        ("r.tex", format!("{claim}~\\cite{{lee2024}}.\n"), None),
        ("r.tex", format!("{claim}~\\cite{{old}}.\n"), None),
        // A number in brackets may be none.
        (
            "r.md",
            "The first element is a[0], and the second [1].\n".to_owned(),
            None,
        ),
    ] {
        let project = Project::bare()
            .file(path, &text)
            .file("paper/refs.bib", "@misc{lee2024, title = {Gains}}\n")
            .file("paper/main.tex", "\\bibitem[L]{old} Old.\n");
        project.git(&["init", "-q", "-b", "b"]);
        project.git(&["add", "."]);
        let forge = Forge::start("b", &new(path, &text));
        let more = ["--engine", "rules", "--degraded-verdict", "needs_human"];
        let run = run(&project, &forge, &more).expect_code(0);
        let (verdict, degraded, why) = said(&run);
        let wanted = if mark.is_some() {
            "needs_human"
        } else {
            "approved"
        };
        assert_eq!(
            (&*verdict, degraded),
            (wanted, mark.is_some()),
            "{text}: {run}"
        );
        let body = forge.pull(|pull| pull.reviews[0]["body"].to_string());
        for said in [&why, &body] {
            assert!(
                mark.is_none_or(|mark| said.contains(mark)),
                "{text}: {said}"
            );
        }
        let skipped = run.data()["skipped"].to_string();
        assert!(skipped.contains("no results were given"), "{skipped}");
    }
}

#[test]
fn reports_in_upper_case_and_plain_text_are_looked_at() {
    for path in [
        "docs/report.MD",
        "docs/report.markdown",
        "research/report.txt",
        "Research/r.Md",
        "research/a\\b.md",
    ] {
        let forge = Forge::start("b", &DIFF.replace("research/r.md", path));
        let report =
            "## Introduction\n\nWords.\nIt is known that attention scales quadratically.\n\n";
        let data = run(
            &repository().file(path, report),
            &forge,
            &["--engine", "rules"],
        )
        .expect_code(0)
        .data();
        assert_eq!(data["verdict"], "changes_requested", "{path}: {data}");
    }
    let tex = "diff --git a/a.TEX b/a.TEX\nnew file mode 100644\n--- /dev/null\n+++ b/a.TEX\n@@ -0,0 +1,2 @@\n+\\section{Introduction}\n+It is known that attention scales quadratically.\n";
    let forge = Forge::start("b", tex);
    let data = run(&repository(), &forge, &["--engine", "rules"])
        .expect_code(0)
        .data();
    assert_eq!(data["verdict"], "changes_requested", "{data}");
}

#[test]
fn a_report_that_the_diff_hides_is_read_from_the_commit_that_is_here() {
    let project = Project::bare().file(
        "research/report.md",
        "## Introduction\n\nIt is known that attention scales quadratically.\n",
    );
    let git = |arguments: &[&str]| project.git(arguments);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "start"]);
    let path = "research/report.md";
    let diff = format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/{path} differ\n"
    );
    let forge = Forge::start("b", &diff);
    forge.pull(|pull| pull.head = git(&["rev-parse", "HEAD"]));
    let data = run(&project, &forge, &["--engine", "rules"])
        .expect_code(0)
        .data();
    assert_eq!(
        (
            &data["verdict"],
            &data["degraded"],
            &data["findings"][0]["line"]
        ),
        (&json!("changes_requested"), &json!(false), &json!(3)),
        "{data}"
    );
}

/// The name of the case, files with their text (`None`: deleted), the verdict, the rule, and where its finding is: file, words.
type Case<'a> = (
    &'a str,
    &'a [(&'a str, Option<String>)],
    &'a str,
    &'a str,
    [&'a str; 2],
);

/// The sources of a sentence can change while the sentence stays the same: the work that its key names, and the data of its numbers.
#[test]
fn sentences_whose_sources_change_are_looked_at() {
    let entry = |key: &str, title: &str| {
        format!(
            "@article{{{key},\n  title = {{{title}}},\n  author = {{A, B}},\n  journal = {{J}},\n  year = {{2017}},\n}}\n"
        )
    };
    let report = "---\nbibliography: refs.bib\n---\n# Introduction\n\nIt is known that attention\nscales quadratically [@vas].\nOurs reaches 34.2 points.\n";
    let paper = "\\documentclass{article}\\begin{document}\n\\input{sections/one}\n\\bibliography{refs}\n\\end{document}\n";
    let section = "It is known that attention scales quadratically~\\cite{vas}.\n";
    let bib = [entry("vas", "Attention is all"), entry("other", "Birds")].concat();
    let claims = "version = 1\n[[claim]]\nin = \"main.tex\"\ntext = \"points [[34.2]]\"\nvalue = \"select acc from \\\"results.csv\\\"\"\n";
    let bound =
        "\\documentclass{article}\\begin{document}\nIt has\npoints 34.2 here.\n\\end{document}\n";
    let listed = "# Introduction\n\nIt is known that attention scales quadratically [1].\nEarlier systems reach 90 points on it.[^n]\nIt is known that [birds][def] fly far.\n\n\
                  [^n]: Smith, J. On points. Journal, 2020.\n\n[def]: https://arxiv.org/abs/2401.00001v1\n\n## References\n\n1. Vas, A. Attention is all. Journal, 2017.\n";
    let other = |one: &str, other: &str| Some(listed.replace(one, other));
    let cases: [Case<'_>; 23] = [
        (
            "broken bindings",
            &[(
                "c/claims.toml",
                Some(String::from("version = 1\n[[claims]]\n")),
            )],
            "changes_requested",
            "numeric-binding",
            ["c/claims.toml", "c/claims.toml:2"],
        ),
        (
            "a waiver in place of a binding",
            &[(
                "c/claims.toml",
                Some(String::from(
                    "version = 1\n[[waive]]\nin = \"main.tex\"\ntext = \"points [[34.2]]\"\nreason = \"x\"\n",
                )),
            )],
            "needs_human",
            "not-checked",
            ["c/claims.toml", "bindings"],
        ),
        (
            "a bibliography that the diff hides",
            &[
                (
                    "a/refs.bib",
                    Some(bib.replace("Attention is all", "Fishing with nets")),
                ),
                (".gitattributes", Some(String::from("*.bib binary\n"))),
            ],
            "needs_human",
            "",
            ["", ""],
        ),
        (
            "a renamed bibliography",
            &[("a/refs.bib", None), ("a/other.bib", Some(bib.clone()))],
            "needs_human",
            "",
            ["", ""],
        ),
        (
            "a style file",
            &[(
                "f/my.sty",
                Some(String::from(
                    "\\newcommand{\\ours}{Earlier systems reach 90 points.}\n",
                )),
            )],
            "needs_human",
            "not-checked",
            ["f/my.sty", "includes this file"],
        ),
        (
            "bindings are gone",
            &[("c/claims.toml", None)],
            "needs_human",
            "not-checked",
            ["c/claims.toml", "bindings"],
        ),
        (
            "a binding is gone",
            &[("c/claims.toml", Some(String::from("version = 1\n")))],
            "needs_human",
            "not-checked",
            ["c/claims.toml", "bindings"],
        ),
        (
            "what a report reads",
            &[(
                "e/n.dat",
                Some(String::from("Earlier systems reach 90 points.\n")),
            )],
            "needs_human",
            "not-checked",
            ["e/n.dat", "includes this file"],
        ),
        (
            "another format",
            &[("research/r.ipynb", Some(String::from("{}\n")))],
            "needs_human",
            "not-checked",
            ["research/r.ipynb", "format"],
        ),
        (
            "a listed entry",
            &[("d/r.md", other("Attention is all", "Fishing with nets"))],
            "needs_human",
            "cited-source-changed",
            ["d/r.md", "It is known that attention"],
        ),
        (
            "a footnote",
            &[("d/r.md", other("On points", "Cooking at home"))],
            "needs_human",
            "cited-source-changed",
            ["d/r.md", "Earlier systems"],
        ),
        (
            "a link",
            &[("d/r.md", other("2401.00001v1", "2401.00002v1"))],
            "needs_human",
            "cited-source-changed",
            ["d/r.md", "birds"],
        ),
        (
            "a version",
            &[("d/r.md", other("00001v1", "00001v2"))],
            "approved",
            "",
            ["", ""],
        ),
        (
            "a comma",
            &[("d/r.md", other("Attention is all.", "Attention is all,"))],
            "approved",
            "",
            ["", ""],
        ),
        (
            "an entry is gone",
            &[("a/refs.bib", Some(entry("other", "Birds")))],
            "changes_requested",
            "cite-key-missing",
            ["a/r.md", "It is known"],
        ),
        (
            "another work",
            &[(
                "a/refs.bib",
                Some(bib.replace("Attention is all", "Fishing with nets")),
            )],
            "needs_human",
            "cited-source-changed",
            ["a/r.md", "It is known"],
        ),
        (
            "a misprint",
            &[(
                "a/refs.bib",
                Some(bib.replace("Attention is all", "{A}ttention Is All")),
            )],
            "approved",
            "",
            ["", ""],
        ),
        (
            "one that nobody cites",
            &[("a/refs.bib", Some(entry("vas", "Attention is all")))],
            "approved",
            "",
            ["", ""],
        ),
        (
            "all are gone",
            &[("a/refs.bib", None)],
            "needs_human",
            "",
            ["", ""],
        ),
        (
            "in a part",
            &[(
                "b/refs.bib",
                Some(bib.replace("Attention is all", "Fishing with nets")),
            )],
            "needs_human",
            "cited-source-changed",
            ["b/sections/one.tex", "It is known"],
        ),
        (
            "data",
            &[("c/results.csv", Some(String::from("acc\n33.1\n")))],
            "changes_requested",
            "numeric-mismatch",
            ["c/main.tex", "34.2"],
        ),
        (
            "bindings",
            &[(
                "c/claims.toml",
                Some(claims.replace("acc from", "acc + 1 from")),
            )],
            "changes_requested",
            "numeric-mismatch",
            ["c/main.tex", "34.2"],
        ),
        (
            "other data",
            &[("c/notes.csv", Some(String::from("x\n2\n")))],
            "approved",
            "",
            ["", ""],
        ),
    ];
    for (what, files, verdict, rule, [file, words]) in cases {
        let project = Project::bare()
            .file("a/r.md", report)
            .file("a/refs.bib", &bib)
            .file("b/main.tex", paper)
            .file("b/sections/one.tex", section)
            .file("b/refs.bib", &bib)
            .file("c/main.tex", bound)
            .file("c/claims.toml", claims)
            .file("c/results.csv", "acc\n34.2\n")
            .file("c/notes.csv", "x\n1\n")
            .file("d/r.md", listed)
            .file(
                "d/paper.tex",
                "\\begin{document}\nSo.\n\\input{../e/n.dat}\n\\end{document}\n",
            )
            .file("e/n.dat", "So.\n")
            .file("f/paper.tex", "\\documentclass{article}\n% \\input{n}\n\\usepackage{my}\n\\begin{document}\nSo. \\ours\n\\end{document}\n")
            .file("f/my.sty", "\\newcommand{\\ours}{So.}\n");
        let git = |arguments: &[&str]| project.git(arguments);
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "."]);
        git(&["commit", "-q", "-m", "start"]);
        for (path, text) in files {
            match text {
                Some(text) => project.write(path, text),
                None => std::fs::remove_file(project.path().join(path)).expect("there"),
            }
        }
        git(&["add", "."]);
        git(&["commit", "-q", "-m", "change"]);
        let diff = git(&["diff", "HEAD~1", "HEAD"]) + "\n";
        let forge = Forge::start("b", &diff);
        forge.pull(|pull| pull.head = git(&["rev-parse", "HEAD"]));
        let run = run(&project, &forge, &["--engine", "rules"]).expect_code(0);
        let data = run.data();
        assert_eq!(data["verdict"], verdict, "{what}: {data}");
        let findings = data["findings"].as_array().expect("a list");
        let found = findings.iter().filter(|one| one["rule"] == rule);
        let found: Vec<_> = found
            .map(|one| one["file"].as_str().expect("a file"))
            .collect();
        assert_eq!(found.concat(), file, "{what}: {data}");
        // Where no line of the diff belongs to them, the text of the review names the sentences.
        if !file.is_empty() {
            let body = forge.pull(|pull| format!("{:?} {:?}", pull.reviews, pull.comments));
            assert!(
                body.contains(file) && body.contains(words),
                "{what}: {body}"
            );
            let place = project.path().display().to_string();
            assert!(!body.contains(&place), "{what}: {body}");
        }
    }
}

/// A new report as a diff shows it.
fn new(path: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("+{line}\n")).collect();
    let count = lines.len();
    let lines = lines.concat();
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{count} @@\n{lines}"
    )
}

/// Text that readers see is checked, whatever markup it is in; `run` and `check` find the same.
#[test]
fn text_in_html_tables_captions_headings_and_notes_is_looked_at() {
    let claim = "Earlier systems reach 90 points on the benchmark.";
    let tex = |body: &str| format!("\\begin{{document}}\n{body}\n\\end{{document}}\n");
    for (path, text, verdict, line) in [
        ("a.md", format!("# R\n\n{claim}\n"), "changes_requested", 3),
        (
            "a.md",
            format!("# R\n\n<p>{claim}</p>\n"),
            "changes_requested",
            3,
        ),
        (
            "a.md",
            format!("# R\n\n<div>\n<!-- x\n-->\n{claim}\n</div>\n"),
            "changes_requested",
            6,
        ),
        (
            "a.md",
            format!("# R\n\n<p>{claim} <a href=\"https://example.org/p\">1</a></p>\n"),
            "approved",
            0,
        ),
        (
            "a.md",
            format!("# R\n\nSo.\n\n<!-- {claim} -->\n"),
            "approved",
            0,
        ),
        (
            "a.md",
            format!("# R\n\n| a |\n|---|\n| {claim} |\n"),
            "changes_requested",
            5,
        ),
        (
            "a.md",
            format!("# R\n\n> [!NOTE]\n> {claim}\n"),
            "changes_requested",
            4,
        ),
        (
            "a.md",
            format!("# R\n\nNote: {claim}\n"),
            "changes_requested",
            3,
        ),
        ("a.md", format!("# {claim}\n"), "changes_requested", 1),
        // What others have reached is not a result of this work.
        (
            "a.md",
            format!("# R\n\n## Results\n\n{claim}\n"),
            "changes_requested",
            5,
        ),
        (
            "a.tex",
            format!("\\begin{{abstract}}\n{claim}\n\\end{{abstract}}\n"),
            "changes_requested",
            2,
        ),
        (
            "a.tex",
            tex("Earlier systems reach 90 points on the benchmark~\\cite{}."),
            "changes_requested",
            2,
        ),
        (
            "a.tex",
            tex("Earlier systems reach 90 points on the benchmark~\\citep[see][]{*}."),
            "changes_requested",
            2,
        ),
        (
            "a.md",
            format!("# R\n\nSo.\n\n![{claim}](a.png)\n"),
            "changes_requested",
            5,
        ),
        // Not an entry of the list.
        (
            "a.md",
            format!("# R\n\nSo.\n\n## References\n\n{claim}\n"),
            "changes_requested",
            7,
        ),
        (
            "research/a.txt",
            format!("R\n\nSo.\n\n    {claim}\n"),
            "changes_requested",
            5,
        ),
        (
            "a.md",
            format!("# R\n\nSo.\n\n    {claim}\n"),
            "approved",
            0,
        ),
        // It may be only a title.
        (
            "a.md",
            String::from("# Earlier systems reach 90 points on the benchmark\n"),
            "needs_human",
            1,
        ),
        (
            "a.tex",
            tex(&format!(
                "\\begin{{figure}}\\caption{{{claim}}}\\end{{figure}}"
            )),
            "changes_requested",
            2,
        ),
        // It contains no text to look at.
        (
            "a.md",
            String::from("# R\n\n| 1 |\n|---|\n| 2 |\n"),
            "needs_human",
            0,
        ),
        (
            "a.md",
            format!("# R\n\n{}\n", "so and so on, ".repeat(400)),
            "needs_human",
            0,
        ),
        ("a.tex", tex("Words. \\nobodyknows{x}"), "needs_human", 0),
    ] {
        let project = repository().file(path, &text);
        let forge = Forge::start("b", &new(path, &text));
        let ran = run(&project, &forge, &["--engine", "rules"]).expect_code(0);
        let data = ran.data();
        let found = data["findings"][0]["line"].as_u64().unwrap_or_default();
        assert_eq!(
            (&data["verdict"], found),
            (&json!(verdict), line),
            "{text}{data}"
        );
        let call = |words: &[&str]| {
            let helper = Helper::at(env!("CARGO_BIN_EXE_audit_claims"));
            helper.call(project.path()).args(words).run().expect_code(0)
        };
        let checked = call(&["--json", "check", "--doc", path]);
        project.write("checked.json", checked.stdout());
        let said = call(&["verdict", "--findings", "checked.json"]);
        let said = said.stdout().trim_end().to_owned();
        assert!(
            said.ends_with(&format!("verdict = {verdict}")),
            "{text}{said}"
        );
    }
}

/// A sentence that the base does not have is new, even where the diff adds nothing.
#[test]
fn a_deletion_inside_a_sentence_changes_it() {
    let far = "and\n".repeat(6);
    let sentence =
        format!("Earlier systems reach 90 points\n{far}more on the benchmark\nin most cases.\n");
    let now = format!("# R\n\nOthers say that 7 is best.\n\n{sentence}");
    let diff = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -10,5 +10,4 @@\n and\n and\n more on the benchmark\n-[@lee2024]\n in most cases.\n";
    let paragraph = "diff --git a/r.md b/r.md\n--- a/r.md\n+++ b/r.md\n@@ -1,7 +1,5 @@\n # R\n \n-Gone.\n-\n Others say that 7 is best.\n \n Earlier systems reach 90 points\n";
    for (diff, verdict, line) in [
        (diff, "changes_requested", Some(10)),
        // The text around a deleted paragraph is unchanged.
        (paragraph, "approved", None),
    ] {
        let (project, forge) = (repository().file("r.md", &now), Forge::start("b", diff));
        let data = run(&project, &forge, &["--engine", "rules"]).data();
        let found = data["findings"][0]["line"].as_u64();
        assert_eq!((&data["verdict"], found), (&json!(verdict), line), "{data}");
        // Agents are asked about the lines around the gap.
        let data = run(&project, &forge, &["--engine", "agent"]).data();
        assert_eq!(data["verdict"] == "needs_human", line.is_some(), "{data}");
        project.write("d.diff", diff);
        let extracted = Helper::at(env!("CARGO_BIN_EXE_audit_claims"))
            .call(project.path())
            .args(["--json", "extract", "--diff", "d.diff"])
            .run();
        let sentences = extracted.expect_code(0).data()["sentences"].clone();
        assert_eq!(sentences, u64::from(line.is_some()));
    }
}
