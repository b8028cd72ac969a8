//! `extract_paper_style` from the outside.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

mod pdf;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use aris_testkit::{Answer, Helper, Project, Run, Server, Snapshot, assert_valid, shared};
use serde_json::{Value, json};

const PAPER: &str = "\\documentclass{article}\\newtheorem{thm}{Theorem}\n\\begin{document}\n\\title{Purple gadgets considered}\\author{Zaphod B.}\n\
    \\begin{abstract}Purple gadgets are measured here for the first time. We find 42 of them.\\end{abstract}\n\
    \\section{Introduction}\nPurple gadgets were long thought to be green~\\cite{a}. \\input{parts/more}\n\
    \\section{The quantum wobble machine}\n\\begin{thm}Every gadget wobbles.\\end{thm}\nIts wobble is $w=0.1234$. % a secret remark about reviewers\n\
    \\end{document}\n";

fn helper() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_extract_paper_style"))
}

fn project() -> Project {
    Project::new().file("ref/main.tex", PAPER).file(
        "ref/parts/more.tex",
        "Nobody has looked at them in the dark of the night before us.",
    )
}

fn call(project: &Project, source: &str) -> Run {
    helper()
        .call(project.path())
        .env("HOME", project.path())
        .env("ARIS_STYLE_REF_CACHE", "styles")
        .args(["--source", source, "--json"])
        .run()
}

/// The profile that a call wrote. Checks both JSON files against their schemas.
fn profile(run: &Run) -> Value {
    let data = run.data();
    let read = |name: &str| -> Value {
        let path = data[name].as_str().expect("a path");
        serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
    };
    assert_valid(
        "aris.extract_paper_style.manifest/v1",
        &read("manifest"),
        "the manifest",
    );
    let profile = read("profile_json");
    assert_valid(
        "aris.extract_paper_style.profile/v1",
        &profile,
        "the profile",
    );
    profile
}

#[test]
fn a_full_disk_keeps_no_part_of_a_profile() {
    let project = project();
    // There is room for two files of one memory page each, and none for the third.
    let line = "mkdir styles && mount -t tmpfs -o size=8k small styles && { \"$@\"; code=$?; ls styles/*; exit $code; }";
    let may = Command::new("unshare")
        .args(["--mount", "true"])
        .stderr(Stdio::null())
        .status();
    if !may.is_ok_and(|status| status.success()) {
        println!("skipped: this user may not mount a small file system");
        return;
    }
    let run = Helper::at("unshare")
        .call(project.path())
        .env("HOME", project.path())
        .env("ARIS_STYLE_REF_CACHE", "styles")
        .args(["--mount", "sh", "-c", line, "sh"])
        .args([env!("CARGO_BIN_EXE_extract_paper_style"), "--source", "ref"])
        .run()
        .expect_code(5);
    for name in [
        "style_profile.md",
        "style_profile.json",
        "source_manifest.json",
    ] {
        assert!(!run.stdout().contains(name), "{run}");
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Fails if five consecutive words of `source` are consecutive in anything that the call wrote, or if one of
/// `names` occurs there.
fn assert_no_leak(run: &Run, source: &str, names: &[&str]) {
    let data = run.data();
    let mut written = String::new();
    for name in ["profile", "profile_json"] {
        let path = data[name].as_str().expect("a path");
        written.push_str(&std::fs::read_to_string(path).expect("a file"));
    }
    written.push_str(run.stderr());
    let of_source = words(source);
    let known: BTreeSet<&[String]> = of_source.windows(5).collect();
    assert!(known.len() > 10, "a source to compare with");
    let out = words(&written);
    for five in out.windows(5) {
        assert!(!known.contains(five), "{five:?} is of the source");
    }
    for name in names {
        assert!(!written.contains(name), "{name} is of the source");
    }
}

/// Role, words, sentences, subsections, run-in headings, figures, algorithms, displayed formulas, footnotes, in the appendix.
fn table(profile: &Value) -> Vec<Value> {
    let sections = profile["sections"].as_array().expect("sections");
    let row = |section: &Value| {
        json!([
            section["role"],
            section["conventional"],
            section["sentences"]["count"],
            section["subsections"],
            section["run_in_headings"],
            section["figures"],
            section["algorithms"],
            section["displayed_formulas"],
            section["citations"],
            section["footnotes"],
            section["appendix"]
        ])
    };
    sections.iter().map(row).collect()
}

#[test]
fn the_folder_is_the_last_line_and_holds_three_files() {
    let project = project();
    let run = helper()
        .call(project.path())
        .args(["--source", "ref", "--out", "styles"])
        .run()
        .expect_code(0);
    let folder = run.stdout().lines().last().expect("a line").to_owned();
    assert!(
        folder.starts_with(&project.at("styles").display().to_string()),
        "{folder}"
    );
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            ".lock",
            "source_manifest.json",
            "style_profile.json",
            "style_profile.md"
        ]
    );
    let manifest: Value = serde_json::from_slice(
        &std::fs::read(Path::new(&folder).join("source_manifest.json")).expect("a file"),
    )
    .expect("JSON");
    assert_eq!(
        (&manifest["source_input"], &manifest["source_type"]),
        (&json!("ref"), &json!("local_dir"))
    );
    assert_eq!(
        (&manifest["files"], &manifest["missing_files"]),
        (&json!(2), &json!(0))
    );
    let markdown =
        std::fs::read_to_string(Path::new(&folder).join("style_profile.md")).expect("a file");
    assert!(markdown.contains("| 3 | (Body) | "), "{markdown}");
}

#[test]
fn nothing_of_the_text_is_passed_on() {
    let project = project();
    let run = call(&project, "ref").expect_code(0);
    let text = format!("{PAPER} Nobody has looked at them in the dark of the night before us.");
    assert_no_leak(
        &run,
        &text,
        &["Purple", "Zaphod", "wobble", "0.1234", "secret", "gadget"],
    );
    assert_eq!(
        table(&profile(&run)),
        [
            json!(["abstract", true, 2, 0, 0, 0, 0, 0, 0, 0, false]),
            json!(["introduction", true, 2, 0, 0, 0, 0, 0, 1, 0, false]),
            json!(["body", false, 2, 0, 0, 0, 0, 0, 0, 0, false]),
        ]
    );
}

#[test]
fn a_source_is_read_again_when_it_has_changed_and_only_then() {
    let project = project();
    let first = call(&project, "ref").expect_code(0).data();
    let before = project.snapshot();
    let again = call(&project, "ref").expect_code(0).data();
    assert_eq!(
        (&first["unchanged"], &again["unchanged"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(first["cache_dir"], again["cache_dir"]);
    before.assert_same(&project.snapshot(), "a second call");
    // The included file alone changes.
    project.write("ref/parts/more.tex", "Nobody has. Nor had they.");
    let edited = call(&project, "./ref/").expect_code(0).data();
    assert_ne!(first["cache_dir"], edited["cache_dir"]);
    // A file that is not part of the paper does not matter.
    project.write("ref/notes.txt", "notes");
    assert_eq!(
        call(&project, "ref").expect_code(0).data()["unchanged"],
        true
    );
}

#[test]
fn a_damaged_profile_is_written_again() {
    let project = project();
    let data = call(&project, "ref").expect_code(0).data();
    let whole = Snapshot::of(Path::new(data["cache_dir"].as_str().expect("a path")));
    for (name, content) in [("profile", "half"), ("manifest", "{"), ("profile_json", "")] {
        std::fs::write(data[name].as_str().expect("a path"), content).expect("written");
        assert_eq!(
            call(&project, "ref").expect_code(0).data()["unchanged"],
            false,
            "{name}"
        );
        let now = Snapshot::of(Path::new(data["cache_dir"].as_str().expect("a path")));
        let differences = whole.differences(&now);
        assert!(
            differences
                .iter()
                .all(|one| one.contains("source_manifest.json")),
            "{differences:?}"
        );
    }
}

#[test]
fn a_real_paper_has_the_structure_that_was_counted_by_hand() {
    let Some(corpus) = shared("latex/emcee") else {
        return;
    };
    let project = Project::new();
    let path = corpus.join("document/ms.tex");
    let run = call(&project, path.to_str().expect("UTF-8")).expect_code(0);
    let found = profile(&run);
    // Counted by hand in the source: headings, environments and citation commands of each section, sentences of abstract and
    // appendix.
    let counted = [
        json!(["abstract", 0, 0, 0, 0, 0]),
        json!(["opening", 0, 0, 0, 0, 0]),
        json!(["introduction", 0, 0, 3, 1, 0]),
        json!(["method", 3, 3, 7, 0, 0]),
        json!(["experiments", 1, 0, 3, 2, 0]),
        json!(["discussion", 0, 0, 0, 0, 0]),
        json!(["implementation", 0, 0, 0, 2, 1]),
        json!(["contributions", 0, 0, 0, 0, 1]),
        json!(["body", 0, 0, 0, 0, 1]),
    ];
    let sections = found["sections"].as_array().expect("sections");
    let rows: Vec<Value> = sections
        .iter()
        .map(|one| {
            let appendix = usize::from(one["appendix"] == true);
            json!([
                one["role"],
                one["run_in_headings"],
                one["algorithms"],
                one["displayed_formulas"],
                one["footnotes"],
                appendix
            ])
        })
        .collect();
    assert_eq!(rows, counted);
    assert_eq!(sections[0]["sentences"]["count"], 7);
    assert_eq!(found["citation_style"], "author_year");
    let source = std::fs::read_to_string(&path).expect("a file");
    assert_no_leak(
        &run,
        &source,
        &["Foreman", "Hogg", "Goodman", "emcee", "walker", "Hammer"],
    );
}

#[test]
fn another_real_paper_too() {
    let Some(corpus) = shared("latex/emcee") else {
        return;
    };
    let project = Project::new();
    let path = corpus.join("joss/paper.tex");
    let run = call(&project, path.to_str().expect("UTF-8")).expect_code(0);
    let found = profile(&run);
    let sections = found["sections"].as_array().expect("sections");
    let roles: Vec<&Value> = sections.iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["opening", "conclusion", "references"]);
    // 6 + 3 + 4 sentences, 3 items, 3 sentences.
    assert_eq!(
        (&sections[1]["sentences"]["count"], &sections[1]["lists"]),
        (&json!(19), &json!(1))
    );
    let source = std::fs::read_to_string(&path).expect("a file");
    assert_no_leak(
        &run,
        &source,
        &["Foreman", "tqdm", "HDFBackend", "emcee", "Farr"],
    );
}

#[test]
fn a_pdf_is_measured_and_nothing_of_it_is_passed_on() {
    let lines = [
        "Purple Gadgets",
        "Zaphod B.",
        "",
        "Abstract",
        "We measure purple gadgets for the first time.",
        "They are large.",
        "",
        "1 Introduction",
        "Gadgets were long thought to be green, and nobody has looked",
        "at them at night before us.",
        "",
        "2 The Wobble Machine",
        "Every gadget wobbles in the dark as far as we know today.",
        "",
        "Figure 1: A gadget at night",
        "",
        "References",
        "Adams, D. (1979). A guide for those who travel far away.",
    ];
    let project = Project::new().file("ref.pdf", pdf::page(&lines));
    let run = call(&project, "ref.pdf").expect_code(0);
    let found = profile(&run);
    let roles: Vec<&Value> = found["sections"]
        .as_array()
        .expect("sections")
        .iter()
        .map(|one| &one["role"])
        .collect();
    assert_eq!(roles, ["abstract", "introduction", "body", "references"]);
    assert_eq!(
        (&found["basis"], &found["sections"][1]["words"]),
        (&json!("pdf"), &json!(17))
    );
    assert_eq!(found["figure_captions"]["count"], 1);
    assert_no_leak(
        &run,
        &lines.join("\n"),
        &["Purple", "Zaphod", "Wobble", "Adams", "1979"],
    );
    // The kind of a file is decided by its first bytes.
    project.write("ref.tex", pdf::page(&lines));
    assert_eq!(profile(&call(&project, "ref.tex"))["basis"], "pdf");
    project.write("broken.pdf", "%PDF-1.4 and no more");
    assert_eq!(
        call(&project, "broken.pdf").expect_code(4).error()["code"],
        "VALIDATION"
    );
}

#[test]
fn sources_that_cannot_be_used_are_told_apart() {
    let project = project()
        .file("empty/notes.txt", "x")
        .file("binary.tex", b"\x00\x01\x02".as_slice())
        .file("m.md", "# Title\n\n## Abstract\nWe present a thing.\n")
        .file(
            "wordless.tex",
            "\\documentclass{article}\\begin{document}\\end{document}",
        );
    for (source, code, wanted) in [
        ("", 2, "empty"),
        ("ftp://a.org/x.pdf", 2, "ftp:"),
        ("https://user:secret@a.org/x", 2, "password"),
        ("arxiv:2413.00001", 2, "2413"),
        ("absent.tex", 3, "absent.tex"),
        (
            "https://www.overleaf.com/project/0123456789abcdef01234567",
            4,
            "Overleaf",
        ),
        (
            "https://git:olp_SECRETSECRET@git.overleaf.com/0123",
            4,
            "Overleaf",
        ),
        ("0123456789abcdef01234567", 4, "Overleaf"),
        ("empty", 4, "no root document"),
        ("binary.tex", 4, "neither LaTeX nor a PDF"),
        ("wordless.tex", 4, "no sentence"),
        ("m.md", 4, ".md is not read"),
    ] {
        let run = call(&project, source).expect_code(code);
        let error = run.error();
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(wanted), "{source}: {message}");
        assert!(
            !message.contains("ecret") && !message.contains("olp_"),
            "{message}"
        );
        assert!(error["hint"].is_string(), "{source}");
    }
    assert!(!project.at("styles").exists(), "nothing is written");
}

#[test]
fn folders_without_one_clear_root_are_measured_and_the_choice_is_said() {
    let start = "\\documentclass{article}\\begin{document}\\section{Introduction}";
    let project = Project::new()
        // A paper and its supplement.
        .file("two/a.tex", format!("{start} We do it.\\end{{document}}"))
        .file(
            "two/b.tex",
            format!("{start} We do it all. \\input{{c}}\\end{{document}}"),
        )
        .file("two/c.tex", "And so do you.")
        // Parts of a paper without its root document.
        .file(
            "parts/1-intro.tex",
            "\\section{Introduction} We do it. \\input{more/deep}",
        )
        .file("parts/2-method.tex", "\\section{Method} You do it too.")
        .file("parts/more/deep.tex", "They do not.")
        // The whole preamble is in an included file.
        .file(
            "pre/main.tex",
            "\\input{preamble}\\begin{document}\\section{Introduction} We do it.\\end{document}",
        )
        .file(
            "pre/preamble.tex",
            "\\documentclass{article}\\newtheorem{thm}{Theorem}",
        )
        .file("pre/other.tex", "\\section{Notes} Nobody includes this.");
    for (folder, words, sections, files, said) in [
        (
            "two",
            8,
            1,
            2,
            "several root documents (a.tex, b.tex); b.tex has most text",
        ),
        (
            "parts",
            10,
            2,
            3,
            "one after the other: 1-intro.tex, 2-method.tex",
        ),
        ("pre", 3, 1, 2, ""),
    ] {
        let run = call(&project, folder).expect_code(0);
        let found = profile(&run);
        let count = found["sections"].as_array().map_or(0, Vec::len);
        assert_eq!(
            (&found["words"], count),
            (&json!(words), sections),
            "{folder}: {found}"
        );
        assert!(run.stderr().contains(said), "{run}");
        assert_eq!(run.stderr().contains("warning"), !said.is_empty(), "{run}");
        let path = run.data()["manifest"].clone();
        let manifest = std::fs::read(path.as_str().expect("a path")).expect("a file");
        let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
        assert_eq!(manifest["files"], files, "{folder}");
        // An unchanged folder is not measured again.
        assert_eq!(call(&project, folder).data()["unchanged"], true, "{folder}");
    }
}

#[test]
fn files_that_are_missing_or_outside_are_said_and_not_read() {
    let project = Project::new()
        .file("secret.tex", "Secret words. Secret words. Secret words.")
        .file("ref/main.tex", "\\documentclass{article}\\begin{document}Some words here.\\input{gone}\\input{../secret}\\end{document}");
    let run = call(&project, "ref").expect_code(0);
    assert!(
        run.stderr().contains("gone") && run.stderr().contains("../secret"),
        "{run}"
    );
    assert_eq!(profile(&run)["words"], 3);
}

#[test]
fn headings_and_acknowledgements_of_classes_make_sections() {
    let words = |class: &str, body: &str| {
        let text = format!("\\documentclass{{{class}}}\\begin{{document}}{body}\\end{{document}}");
        let project = Project::new().file("ref.tex", text);
        let profile = profile(&call(&project, "ref.tex").expect_code(0));
        let sections = profile["sections"].as_array().expect("sections").iter();
        let section = |section: &Value| {
            let role = section["role"].as_str().expect("a role");
            format!("{role} {}", section["words"])
        };
        sections.map(section).collect::<Vec<_>>().join(", ")
    };
    for (class, body, expected) in [
        (
            "scrbook",
            "\\addchap{Introduction} One two. \\addchap*[Short]{Method} One two. \\addsec{Details} Three. \\minisec{Run in} Four.",
            "introduction 2, method 4",
        ),
        (
            "scrartcl",
            "\\addsec{Introduction} One two. \\section{Results} One.",
            "introduction 2, results 1",
        ),
        (
            "memoir",
            "\\chapter[toc][head]{Introduction} One two. \\section[toc][head]{Details} Three.",
            "introduction 3",
        ),
        (
            "acmart",
            "\\section{Conclusion} One two. \\begin{acks} We thank you all. \\end{acks} \\appendix \\section{More} One.",
            "conclusion 2, statements 4, body 1",
        ),
        (
            "revtex4-2",
            "\\section{Conclusion} One two. \\begin{acknowledgments} Thanks. \\end{acknowledgments} \\subsection{More} Three.",
            "conclusion 3, statements 1",
        ),
        (
            "aa",
            "\\begin{acknowledgements} Thanks. \\end{acknowledgements} \\section{Results} One.",
            "statements 1, results 1",
        ),
    ] {
        assert_eq!(words(class, body), expected, "{class}: {body}");
    }
}

#[test]
fn where_text_may_have_gone_unread_is_said() {
    let project = Project::new().file(
        "ref.tex",
        "\\documentclass{article}\\begin{document}Some words here.\n\\iftrue More of them.\\end{document}",
    );
    let run = call(&project, "ref.tex").expect_code(0);
    assert!(
        run.stderr().contains("ref.tex:2:") && run.stderr().contains("may not be measured"),
        "{run}"
    );
}

#[test]
fn a_saved_page_is_measured_as_a_page() {
    let page = "<html><body><h2>Introduction</h2><div>We do it all day long.</div><br>They do not.<br><br>\
        Bare text that reads like a paragraph of words.<h2>Method</h2><p>You do it, too.</p></body></html>";
    let project = Project::new().file("saved.html", page);
    let run = call(&project, "saved.html");
    assert_eq!(run.data()["source_type"], "local_html");
    let profile = profile(&run);
    assert_eq!(
        (&profile["basis"], &profile["words"]),
        (&json!("html"), &json!(22)),
        "{profile}"
    );
    assert_eq!(profile["sections"].as_array().map(Vec::len), Some(2));
    // Also without an extension, whatever the page begins with.
    for start in [
        "",
        "\n <!-- saved -->",
        "<?xml version=\"1.0\"?>\n",
        "\u{feff}",
    ] {
        let project = Project::new().file("saved", format!("{start}{page}"));
        let run = call(&project, "saved");
        assert_eq!(run.data()["source_type"], "local_html", "{start}");
    }
}

#[test]
fn a_sentence_may_end_with_a_word_that_is_an_abbreviation_before_numbers() {
    let text = "\\section{Method} We use the app. We go on. It is in App. B and in Fig. 2 alone.";
    let project = Project::new().file("a.tex", text);
    let profile = profile(&call(&project, "a.tex"));
    assert_eq!(profile["sections"][0]["sentences"]["count"], 3, "{profile}");
}

/// Sentences, citations of the sections, textual citations and all of a paper with this body.
fn citing(body: &str) -> [Value; 4] {
    let text = format!(
        "\\documentclass{{article}}\\usepackage{{natbib}}\\newcommand{{\\algo}}[1]{{\\textsc{{#1}}}}\n\\begin{{document}}\n\\section{{Introduction}}\nOur method works well here{body}\n\\end{{document}}\n"
    );
    let project = Project::new().file("a.tex", text);
    let profile = profile(&call(&project, "a.tex"));
    let textual = &profile["textual_citations"];
    [
        profile["sentences"]["count"].clone(),
        profile["sections"][0]["citations"].clone(),
        textual["textual"].clone(),
        textual["all"].clone(),
    ]
}

#[test]
fn a_citation_that_prints_names_may_begin_a_sentence_and_each_command_is_one_place() {
    for (body, expected) in [
        (
            ". \\citet{a} show that. \\Citet*{b} found it. \\citet{c} disagree.",
            json!([4, 3, 3, 3]),
        ),
        (
            ". \\textcite{a} show that. \\citeauthor{b} \\citeyear{b} found it.",
            json!([3, 3, 1, 1]),
        ),
        // Not the end of a sentence, or no citation that a sentence begins with.
        (
            ", cf. \\citet{a} and Fig. \\citet{b} and so on.",
            json!([1, 2, 2, 2]),
        ),
        (
            " in the U.S. \\citep{a} and so on. \\citep{b} More.",
            json!([2, 2, 0, 2]),
        ),
        (" \\citep[\\algo{mh};][]{x}.", json!([1, 1, 0, 1])),
        (
            " \\citet[][hereafter \\citetalias{x}]{x} and so on.",
            json!([1, 2, 2, 2]),
        ),
        (
            " \\citep[see \\citealt{y}, and \\citealt{z}, too][]{x}.",
            json!([1, 3, 0, 1]),
        ),
        (" \\citet{d}\\citet{e}.", json!([1, 2, 2, 2])),
    ] {
        assert_eq!(json!(citing(body)), expected, "{body}");
    }
}

#[test]
fn typed_references_are_no_running_text_in_any_format() {
    let intro = "Our method works well here and there.";
    let list = "Farr, B., Farr, W. M. (2015). Kombine: a sampler. Journal of Things, 12, 1-9.";
    let head = "\\documentclass{article}\\begin{document}\\section{Introduction}";
    let latex = |title: &str| {
        format!(
            "{head}{intro}\\section*{{{title}}}{list}\n\n\\appendix\\section{{Proofs}}They hold.\\end{{document}}"
        )
    };
    let html = format!(
        "<html><body><h2>Introduction</h2><p>{intro}</p><h2>References</h2><p>{list}</p><h2>Proofs</h2><p>They hold.</p></body></html>"
    );
    let measured = |name: &str, text: String| {
        let project = Project::new().file(name, text);
        let profile = profile(&call(&project, name));
        [
            profile["words"].clone(),
            profile["sentences"]["count"].clone(),
        ]
    };
    for title in ["References", "Bibliography", "Works Cited"] {
        assert_eq!(
            json!(measured("a.tex", latex(title))),
            json!([9, 2]),
            "{title}"
        );
    }
    assert_eq!(json!(measured("a.html", html)), json!([9, 2]));
    let models = measured("a.tex", latex("Reference models"));
    assert_eq!(models[0], json!(23));
}

#[test]
fn old_encodings_and_fragments_are_read() {
    let project = Project::new()
        .file(
            "latin.tex",
            b"\\section{Introduction} Le caf\xe9 est bon.".as_slice(),
        )
        .file(
            "wide.tex",
            [
                &[0xff, 0xfe][..],
                &"\\section{Introduction} One two."
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect::<Vec<_>>(),
            ]
            .concat(),
        );
    assert_eq!(profile(&call(&project, "latin.tex"))["words"], 4);
    assert_eq!(profile(&call(&project, "wide.tex"))["words"], 2);
}

fn remote(project: &Project, server: &Server, source: &str, more: &[&str]) -> Run {
    helper()
        .call(project.path())
        .env("HOME", project.path())
        .env("XDG_CACHE_HOME", project.at("cache"))
        .env("ARIS_ARXIV_PDF_BASE_URL", server.url())
        .args(["--source", source, "--json"])
        .args(more)
        .run()
}

#[test]
fn arxiv_is_asked_for_the_sources_and_asked_once() {
    let server = Server::start(|received| match received.path() {
        "/src/2301.07041" => Answer::ok("application/x-eprint", PAPER),
        "/src/2301.07042" => {
            Answer::ok("text/html", "<title>arXiv e-print</title>").with_status(404)
        }
        "/src/2301.07044" => Answer::html().with_status(404),
        _ => Answer::status(503),
    });
    let project = Project::new();
    let run = remote(&project, &server, "arxiv:2301.07041", &[]).expect_code(0);
    assert_eq!(run.data()["source_type"], "arxiv");
    assert_eq!(profile(&run)["sections"][0]["role"], "abstract");
    for source in ["2301.07041", "https://arxiv.org/abs/2301.07041"] {
        assert_eq!(
            remote(&project, &server, source, &[]).expect_code(0).data()["unchanged"],
            true
        );
    }
    assert_eq!(server.log().len(), 1);
    assert_eq!(
        remote(&project, &server, "arxiv:2301.07041", &["--offline"])
            .expect_code(0)
            .data()["unchanged"],
        true
    );
    let absent = remote(&project, &server, "arxiv:2301.07042", &[]).expect_code(3);
    assert!(
        absent.error()["message"]
            .as_str()
            .is_some_and(|text| text.contains("no source of arXiv:2301.07042"))
    );
    remote(&project, &server, "arxiv:2301.07044", &["--deadline", "20"]).expect_code(7);
    remote(&project, &server, "arxiv:2301.07099", &["--offline"]).expect_code(7);
    remote(&project, &server, "arxiv:2301.07043", &["--deadline", "1"]).expect_code(7);
}

#[test]
fn an_address_gives_a_page_latex_or_an_error() {
    let page = "<!doctype html><html><body><h2>1 Introduction</h2><p>Purple gadgets wobble. Always.</p><h2>2 Wobbling</h2><p>So.</p></body></html>";
    let server = Server::start(move |received| match received.path() {
        "/page" => Answer::ok("text/html", page),
        "/paper.tex" => Answer::ok("text/plain", PAPER),
        "/zip" => Answer::ok("application/zip", "PK\u{3}\u{4}"),
        "/blank" => Answer::ok("text/html", "<html><body>Please wait</body></html>"),
        _ => Answer::status(404),
    });
    let project = Project::new();
    let at = |path: &str| format!("{}{path}", server.url());
    let run = remote(&project, &server, &at("/page?token=SECRET#top"), &[]).expect_code(0);
    let found = profile(&run);
    assert_eq!(
        (
            &found["basis"],
            &found["words"],
            &found["sections"][0]["figures"]
        ),
        (&json!("html"), &json!(5), &Value::Null)
    );
    let manifest =
        std::fs::read_to_string(run.data()["manifest"].as_str().expect("a path")).expect("a file");
    assert!(
        !manifest.contains("SECRET") && manifest.contains("/page\""),
        "{manifest}"
    );
    assert_eq!(
        profile(&remote(&project, &server, &at("/paper.tex"), &[]))["basis"],
        "latex"
    );
    remote(&project, &server, &at("/zip"), &[]).expect_code(4);
    remote(&project, &server, &at("/blank"), &[]).expect_code(4);
    remote(&project, &server, &at("/gone"), &[]).expect_code(3);
}

#[test]
fn a_profile_of_a_book_is_there_already_the_second_time_and_made_again_when_it_was_changed() {
    let sections = "\\section{Part}It has one sentence.\n".repeat(2500);
    let text = format!("\\documentclass{{article}}\\begin{{document}}{sections}\\end{{document}}");
    let project = Project::new().file("book.tex", &text);
    let first = call(&project, "book.tex");
    let path = first.expect_code(0).data()["profile_json"].clone();
    let path = path.as_str().expect("a path");
    let whole = std::fs::read(path).expect("a file");
    assert!(whole.len() > 1 << 20);
    assert_eq!(call(&project, "book.tex").data()["unchanged"], true);
    for changed in [&whole[1..], &[&whole[..], b" "].concat(), b""] {
        std::fs::write(path, changed).expect("written");
        assert_eq!(call(&project, "book.tex").data()["unchanged"], false);
        assert!(std::fs::read(path).expect("a file") == whole);
    }
}
