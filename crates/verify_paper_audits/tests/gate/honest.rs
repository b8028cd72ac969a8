//! Honest variants of the valid project. None is blocked, and those as good as the original have no warning either.

use std::fs;
use std::path::Path;

use aris_contract::artifact::audit::Verdict;
use aris_contract::artifact::trace::TraceMode;
use serde_json::{Value, json};

use crate::support::{AUDITS, CLAIMS, Damage, Project, Review, call};

type Variant = (&'static str, fn(&Project), &'static [&'static str]);

/// Checks each variant; it may have the listed warnings.
fn check(variants: &[Variant]) {
    for (name, vary, warnings) in variants {
        let project = Project::new();
        vary(&project);
        let ran = project.gate();
        assert_eq!(ran.code, 0, "{name} is blocked: {}", ran.stderr);
        assert_eq!(ran.ids("warn"), *warnings, "{name}: {}", ran.stderr);
        assert_eq!(ran.report["submission_blocking"], false, "{name}");
    }
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in fs::read_dir(from).expect("folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copy");
        }
    }
}

/// A trace in the reference's format: without a chain and marks.
fn by_hand(project: &Project, folder: &str) {
    let at = |name: &str| format!("../{folder}/{name}");
    let time = "2090-11-20T19:00:30+08:00";
    let run = json!({"skill": "paper-claim-audit", "run_id": "2090-11-20_run01", "started_at": time, "project_dir": project.root});
    let request = json!({"call_number": 1, "purpose": "audit", "timestamp": time, "tool": "mcp__codex__codex", "model": "gpt-5.5", "prompt": "Audit."});
    let meta = json!({"call_number": 1, "purpose": "audit", "timestamp": time, "thread_id": "by-hand", "model": "gpt-5.5", "status": "ok"});
    project.write(&at("run.meta.json"), run.to_string());
    project.write(&at("001-audit.request.json"), request.to_string());
    project.write(
        &at("001-audit.response.md"),
        "All numbers match.\n\nOverall verdict: PASS",
    );
    project.write(&at("001-audit.meta.json"), meta.to_string());
    project
        .set(CLAIMS, "trace_path", folder)
        .set(CLAIMS, "thread_id", "by-hand");
}

/// Adds the digests of the claim audit's inputs to a hand-written trace, with paths that begin with `base`.
fn digests(project: &Project, folder: &str, base: &str) {
    let hashes = project.hashes(Project::inputs("paper-claim-audit"));
    let digests = hashes.into_iter();
    let digests = digests.map(|(path, digest)| (format!("{base}{path}"), digest));
    let digests: serde_json::Map<_, _> = digests.collect();
    let digests = format!("\"input_digests\":{},\"prompt\":", json!(digests));
    let request = format!("../{folder}/001-audit.request.json");
    project.edit(&request, "\"prompt\":", &digests);
}

#[test]
fn artifacts_in_every_honest_form() {
    check(&[
        (
            "compact JSON",
            |p| {
                p.write(CLAIMS, p.artifact(CLAIMS).to_string());
            },
            &[],
        ),
        (
            // As large as the audit of a hundred thousand result files (19 MB).
            "large",
            |p| {
                p.write(
                    CLAIMS,
                    format!("{}{}", p.read(CLAIMS), " ".repeat(20 << 20)),
                );
            },
            &[],
        ),
        (
            "no line feed at the end",
            |p| {
                p.write(CLAIMS, p.read(CLAIMS).trim_end());
            },
            &[],
        ),
        (
            "CRLF",
            |p| {
                p.write(CLAIMS, p.read(CLAIMS).replace('\n', "\r\n"));
            },
            &[],
        ),
        (
            "extra fields",
            |p| {
                p.set(CLAIMS, "tool_version", "3")
                    .set(CLAIMS, "notes", json!({"a": [1, null]}));
            },
            &[],
        ),
        (
            "no details",
            |p| {
                let mut artifact = p.artifact(CLAIMS);
                artifact.as_object_mut().expect("object").remove("details");
                p.put(CLAIMS, &artifact);
            },
            &[],
        ),
        (
            "null details",
            |p| {
                p.set(CLAIMS, "details", Value::Null);
            },
            &[],
        ),
        (
            "schema and producer",
            |p| {
                p.set(CLAIMS, "schema", "aris.verify_paper_audits.audit/v1")
                    .set(CLAIMS, "producer", "x@1");
            },
            &[],
        ),
        (
            "escaped key",
            |p| {
                p.edit(CLAIMS, "\"main.tex\"", "\"\\u006dain.tex\"");
            },
            &[],
        ),
        (
            "empty summary",
            |p| {
                p.set(CLAIMS, "summary", "");
            },
            &[],
        ),
        (
            "summary in another script",
            |p| {
                p.set(CLAIMS, "summary", "数字はすべて一致 ✓");
            },
            &[],
        ),
        (
            "WARN",
            |p| {
                p.says(CLAIMS, "WARN");
            },
            &["doubtful_verdict"],
        ),
        (
            "claims NOT_APPLICABLE",
            |p| {
                p.write(
                    "sections/results.tex",
                    "\\section{Results}\nGates close, 100\\% of them, since 1984.\n",
                );
                p.seal().says(CLAIMS, "NOT_APPLICABLE");
            },
            &[],
        ),
        (
            "proofs NOT_APPLICABLE",
            |p| {
                p.says("PROOF_AUDIT.json", "NOT_APPLICABLE");
            },
            &[],
        ),
        (
            "fraction of a second",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T11:01:00.123456Z");
            },
            &[],
        ),
        (
            "+00:00",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T11:01:00+00:00");
            },
            &[],
        ),
        (
            "a clock as fast as the policy lets it be",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T12:05:00Z");
            },
            &[],
        ),
        (
            "artifact by link within the paper",
            |p| {
                fs::create_dir(p.paper.join("audits")).expect("folder");
                fs::rename(p.paper.join(CLAIMS), p.paper.join("audits/claims.json")).expect("move");
                p.link("audits/claims.json", CLAIMS);
            },
            &[],
        ),
        (
            "two megabytes of details",
            |p| {
                p.set(CLAIMS, "details", json!(vec!["x".repeat(1000); 2000]));
            },
            &[],
        ),
    ]);
}

#[test]
fn hashes_in_every_honest_form() {
    check(&[
        (
            "without prefix",
            |p| {
                p.set_hash(
                    CLAIMS,
                    "main.tex",
                    p.hash("main.tex").trim_start_matches("sha256:"),
                );
            },
            &[],
        ),
        (
            "upper-case hex",
            |p| {
                p.set_hash(
                    CLAIMS,
                    "main.tex",
                    p.hash("main.tex")
                        .to_uppercase()
                        .replace("SHA256", "sha256"),
                );
            },
            &[],
        ),
        (
            "absolute path",
            |p| {
                let path = p.paper.join("main.tex").display().to_string();
                p.set_hash(CLAIMS, &path, p.hash("main.tex"));
            },
            &[],
        ),
        (
            "absolute path outside the paper",
            |p| {
                let path = p.root.join("results/run_1.json").display().to_string();
                p.set_hash(CLAIMS, &path, p.hash("../results/run_1.json"));
            },
            &[],
        ),
        (
            "dot in front",
            |p| {
                p.set_hash(CLAIMS, "./main.tex", p.hash("main.tex"));
            },
            &[],
        ),
        (
            "detour",
            |p| {
                p.set_hash(CLAIMS, "sections/../main.tex", p.hash("main.tex"));
            },
            &[],
        ),
        (
            "doubled slash",
            |p| {
                p.set_hash(CLAIMS, "sections//intro.tex", p.hash("sections/intro.tex"));
            },
            &[],
        ),
        (
            "the same hash twice",
            |p| {
                p.link("main.tex", "again.tex")
                    .set_hash(CLAIMS, "again.tex", p.hash("main.tex"));
            },
            &[],
        ),
        (
            "empty file",
            |p| {
                p.write("empty.json", "").also(CLAIMS, "empty.json");
            },
            &[],
        ),
        (
            "space and Unicode in a name",
            |p| {
                p.write("données finales/ré sultat.json", "{}")
                    .also(CLAIMS, "données finales/ré sultat.json");
            },
            &[],
        ),
        (
            "hidden file",
            |p| {
                p.write(".aris/citation-audit/contexts.txt", "x")
                    .also("CITATION_AUDIT.json", ".aris/citation-audit/contexts.txt");
            },
            &[],
        ),
        (
            "compiled paper",
            |p| {
                p.write("main.pdf", b"%PDF-1.7 \xff\xfe")
                    .also("PROOF_AUDIT.json", "main.pdf");
            },
            &[],
        ),
        (
            "another artifact as input",
            |p| {
                p.also(CLAIMS, "CITATION_AUDIT.json");
            },
            &[],
        ),
        (
            "results by link within the project",
            |p| {
                p.link("../results", "results").set_hash(
                    CLAIMS,
                    "results/run_1.json",
                    p.hash("results/run_1.json"),
                );
            },
            &[],
        ),
    ]);
}

#[test]
fn sources_in_every_honest_form() {
    check(&[
        (
            "CRLF sources",
            |p| {
                p.write("main.tex", p.read("main.tex").replace('\n', "\r\n"))
                    .seal();
            },
            &[],
        ),
        (
            "Latin-1 section",
            |p| {
                p.write("sections/intro.tex", b"Caf\xe9 \\cite{knuth1984}.")
                    .seal();
            },
            &[],
        ),
        (
            "a draft that nobody asks for, beside a file that is missing",
            |p| {
                p.write("old/draft.tex", "We reach 99.9.");
                p.edit("main.tex", "\\input{", "\\input{absent}\n\\input{")
                    .seal();
            },
            &[],
        ),
        (
            "a folder with the name of a figure",
            |p| {
                p.write("plot/data.txt", "1").write("plot.pdf", "%PDF");
                p.edit(
                    "main.tex",
                    "\\end{document}",
                    "\\includegraphics{plot}\n\\end{document}",
                );
                p.seal();
            },
            &[],
        ),
        (
            "extension written out",
            |p| {
                p.edit(
                    "main.tex",
                    "\\input{sections/intro}",
                    "\\input{sections/intro.tex}",
                )
                .seal();
            },
            &[],
        ),
        (
            "section in a comment",
            |p| {
                p.edit(
                    "main.tex",
                    "\\bibliographystyle",
                    "% \\input{sections/old}\n\\bibliographystyle",
                )
                .seal();
            },
            &[],
        ),
        (
            "verbatim include",
            |p| {
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\verb|\\input{x}| Our gate",
                )
                .seal();
            },
            &[],
        ),
        (
            "excluded section",
            |p| {
                p.write("sections/old.tex", "old");
                p.edit(
                    "main.tex",
                    "\\begin{document}",
                    "\\includeonly{sections/results}\n\\begin{document}\n\\include{sections/old}",
                )
                .seal();
            },
            &[],
        ),
        (
            "file of the TeX distribution",
            |p| {
                p.edit(
                    "main.tex",
                    "\\begin{document}",
                    "\\input{glyphtounicode}\n\\begin{document}",
                )
                .seal();
            },
            &[],
        ),
        (
            "figure that no audit hashes",
            |p| {
                p.write("plot.pdf", "%PDF")
                    .edit(
                        "sections/results.tex",
                        "Our gate",
                        "\\includegraphics{plot} Our gate",
                    )
                    .seal();
            },
            &[],
        ),
        (
            "two bibliographies",
            |p| {
                p.write("more.bib", "@misc{x, title={X}}")
                    .edit("main.tex", "{refs}", "{refs,more}")
                    .seal();
                p.set_hash("CITATION_AUDIT.json", "more.bib", p.hash("more.bib"));
            },
            &[],
        ),
        (
            "subfiles",
            |p| {
                p.write(
                    "sections/sub.tex",
                    "\\documentclass[../main.tex]{subfiles}\\begin{document}Text.\\end{document}",
                );
                p.edit(
                    "main.tex",
                    "\\bibliographystyle",
                    "\\subfile{sections/sub}\n\\bibliographystyle",
                )
                .seal();
                for (artifact, _) in AUDITS {
                    p.set_hash(artifact, "sections/sub.tex", p.hash("sections/sub.tex"));
                }
            },
            &[],
        ),
        (
            "name through a macro",
            |p| {
                p.edit(
                    "main.tex",
                    "\\input{sections/intro}",
                    "\\newcommand{\\dir}{sections}\\input{\\dir/intro}",
                )
                .seal();
            },
            &[],
        ),
        (
            "root named otherwise",
            |p| {
                fs::rename(p.paper.join("main.tex"), p.paper.join("neurips_2026.tex"))
                    .expect("move");
                for (artifact, skill) in AUDITS {
                    let inputs: Vec<&str> = Project::inputs(skill)
                        .iter()
                        .map(|path| {
                            if *path == "main.tex" {
                                "neurips_2026.tex"
                            } else {
                                path
                            }
                        })
                        .collect();
                    p.audit(artifact, skill, &inputs);
                }
            },
            &[],
        ),
        (
            "drafts beside the paper",
            |p| {
                p.write("old/v1.tex", "\\section{Old}")
                    .write("notes.tex", "todo");
            },
            &[],
        ),
        (
            "a theorem and a proof audit",
            |p| {
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\begin{theorem}Gates close.\\end{theorem} Our gate",
                )
                .seal();
            },
            &[],
        ),
    ]);
}

/// Inserts a line before `\begin{document}`.
fn preamble(p: &Project, line: &str) {
    let found = "\\begin{document}";
    p.edit("main.tex", found, &format!("{line}\n{found}"));
}

#[test]
fn audits_need_no_more_than_their_subject() {
    check(&[
        (
            "a macro file that prints no numbers",
            |p| {
                p.write(
                    "macros.tex",
                    "\\newcommand{\\R}{\\mathbb{R}}\n\\newcommand{\\norm}[1]{\\|#1\\|_2}\n\\newcommand{\\us}{GateNet}",
                );
                preamble(p, "\\input{macros}");
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "In $\\R$, $\\norm{x}$, \\us{}: Our gate",
                );
                p.seal();
                p.also("PROOF_AUDIT.json", "macros.tex");
                p.also("CITATION_AUDIT.json", "macros.tex");
            },
            &[],
        ),
        (
            "a macro file that nobody hashed",
            |p| {
                p.write("macros.tex", "\\newcommand{\\R}{\\mathbb{R}}");
                preamble(p, "\\input{macros}");
                p.seal();
            },
            &["uncovered_support"],
        ),
        (
            "a style that a reviewer did not hash",
            |p| {
                p.write("ours.sty", "\\newcommand{\\R}{\\mathbb{R}}");
                preamble(p, "\\usepackage{ours}");
                p.seal();
            },
            &["uncovered_support"],
        ),
        (
            "a style that all audits hashed",
            |p| {
                p.write("ours.sty", "\\newcommand{\\R}{\\mathbb{R}}");
                preamble(p, "\\usepackage{ours}");
                p.seal();
                for (artifact, _) in AUDITS {
                    p.also(artifact, "ours.sty");
                }
            },
            &[],
        ),
        (
            "each audit on its own files",
            |p| {
                p.write(
                    "sections/theory.tex",
                    "\\begin{satz}Gates close.\\end{satz}",
                );
                preamble(p, "\\newtheorem{satz}{Theorem}");
                p.edit(
                    "main.tex",
                    "\\bibliographystyle",
                    "\\input{sections/theory}\n\\bibliographystyle",
                );
                p.audit(
                    "PROOF_AUDIT.json",
                    "proof-checker",
                    &["main.tex", "sections/theory.tex"],
                );
                p.audit(
                    "CITATION_AUDIT.json",
                    "citation-audit",
                    &["refs.bib", "sections/intro.tex"],
                );
                p.audit(
                    CLAIMS,
                    "paper-claim-audit",
                    &["sections/results.tex", "../results/run_1.json"],
                );
            },
            &[],
        ),
        (
            "boxes and definitions, and proofs NOT_APPLICABLE",
            |p| {
                preamble(
                    p,
                    "\\newtcbtheorem{prompt}{Prompt}{}{p}\\newtheorem{defn}{Definition}",
                );
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\begin{prompt}{A}{b}Close.\\end{prompt}\\begin{defn}A gate.\\end{defn} Our gate",
                );
                p.seal().says("PROOF_AUDIT.json", "NOT_APPLICABLE");
            },
            &[],
        ),
        (
            "only a .bbl",
            |p| {
                p.remove("refs.bib").write(
                    "main.bbl",
                    "\\begin{thebibliography}{1}\\bibitem{knuth1984} D. Knuth, 1984.\\end{thebibliography}",
                );
                p.audit(
                    "CITATION_AUDIT.json",
                    "citation-audit",
                    &["main.tex", "sections/intro.tex", "main.bbl"],
                );
            },
            &[],
        ),
        (
            "a .bbl beside its bibliography",
            |p| {
                p.write(
                    "main.bbl",
                    "\\begin{thebibliography}{1}\\end{thebibliography}",
                );
            },
            &[],
        ),
        (
            "a bibliography in the root document",
            |p| {
                let bib = p.read("refs.bib");
                p.remove("refs.bib");
                preamble(
                    p,
                    &format!("\\begin{{filecontents*}}{{refs.bib}}\n{bib}\\end{{filecontents*}}"),
                );
                p.audit("PROOF_AUDIT.json", "proof-checker", &["main.tex"]);
                p.audit(
                    CLAIMS,
                    "paper-claim-audit",
                    Project::inputs("paper-claim-audit"),
                );
                let inputs = ["main.tex", "sections/intro.tex"];
                p.audit("CITATION_AUDIT.json", "citation-audit", &inputs);
            },
            &[],
        ),
        (
            "the same after LaTeX wrote the file",
            |p| {
                let bib = p.read("refs.bib");
                preamble(
                    p,
                    &format!(
                        "\\begin{{filecontents}}[overwrite]{{refs.bib}}\n{bib}\\end{{filecontents}}"
                    ),
                );
                p.write("refs.bib", format!("%% LaTeX2e file `refs.bib'\n%% generated by the `filecontents' environment\n{bib}"));
                p.audit("PROOF_AUDIT.json", "proof-checker", &["main.tex"]);
                p.audit(
                    CLAIMS,
                    "paper-claim-audit",
                    Project::inputs("paper-claim-audit"),
                );
                let inputs = ["main.tex", "sections/intro.tex"];
                p.audit("CITATION_AUDIT.json", "citation-audit", &inputs);
            },
            &[],
        ),
        (
            "results that the bindings leave out",
            |p| {
                p.write("../results/old/run_0.json", "{\"accuracy\": 0.1}")
                    .write("../results/plot.png", "PNG")
                    .write(
                        "claims.toml",
                        "version = 1\n[data]\nexclude = [\"../results/old/**\"]\n",
                    );
            },
            &["uncovered_support"],
        ),
    ]);
}

#[test]
fn one_of_several_roots_is_named() {
    let project = Project::new();
    project.write(
        "slides.tex",
        "\\documentclass{beamer}\\begin{document}99.9\\end{document}",
    );
    fs::rename(
        project.paper.join("main.tex"),
        project.paper.join("icml.tex"),
    )
    .expect("move");
    for (artifact, skill) in AUDITS {
        let inputs: Vec<&str> = Project::inputs(skill)
            .iter()
            .map(|path| {
                if *path == "main.tex" {
                    "icml.tex"
                } else {
                    path
                }
            })
            .collect();
        project.audit(artifact, skill, &inputs);
    }
    assert_eq!(project.gate().code, 1, "no root is preferred");
    let named = project.run(&["--assurance", "submission", "--root", "icml.tex"]);
    assert_eq!(
        (named.code, named.ids("warn")),
        (0, vec![]),
        "{}",
        named.stderr
    );
    assert_eq!(named.report["root_document"], "icml.tex");
    let again = named.report["rerun"].as_str().expect("command");
    assert!(
        again.ends_with("--assurance submission --root icml.tex"),
        "{again}"
    );
    let other = project.run(&["--assurance", "submission", "--root", "slides.tex"]);
    assert_eq!(
        (other.code, other.ids("block")),
        (1, vec![String::from("uncovered_input")])
    );
    let none = project.run(&["--assurance", "submission", "--root", "none.tex"]);
    assert!(
        none.code == 3 && none.stderr.contains("none.tex does not exist"),
        "{}",
        none.stderr
    );
}

#[test]
fn traces_in_every_honest_form() {
    check(&[
        (
            "relative to the paper",
            |p| {
                fs::create_dir_all(p.paper.join(".aris")).expect("folder");
                fs::rename(p.root.join(".aris/traces"), p.paper.join(".aris/traces"))
                    .expect("move");
            },
            &[],
        ),
        (
            "absolute",
            |p| {
                p.set(CLAIMS, "trace_path", p.run_of(CLAIMS).display().to_string());
            },
            &[],
        ),
        (
            "without slash",
            |p| {
                let path = p.artifact(CLAIMS)["trace_path"]
                    .as_str()
                    .expect("path")
                    .trim_end_matches('/')
                    .to_owned();
                p.set(CLAIMS, "trace_path", path);
            },
            &[],
        ),
        (
            "a record's file",
            |p| {
                let path = p.artifact(CLAIMS)["trace_path"]
                    .as_str()
                    .expect("path")
                    .to_owned();
                p.set(CLAIMS, "trace_path", path + "001-audit.response.md");
            },
            &[],
        ),
        (
            "several records",
            |p| {
                for call in 0..3 {
                    p.trace(
                        "paper-claim-audit",
                        &format!("other-{call}"),
                        b"x",
                        TraceMode::Full,
                    );
                }
            },
            &[],
        ),
        (
            "meta mode",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-meta", b"PASS", TraceMode::Meta),
                )
                .set(CLAIMS, "thread_id", "t-meta");
            },
            &[],
        ),
        (
            "written by hand",
            |p| by_hand(p, ".aris/traces/paper-claim-audit/2026-11-19_run01"),
            &["input_not_reviewed", "trace_unchained"],
        ),
        (
            "written by hand, with digests of paths that begin at the paper",
            |p| {
                by_hand(p, ".aris/traces/paper-claim-audit/x");
                digests(p, ".aris/traces/paper-claim-audit/x", "");
            },
            &["trace_unchained"],
        ),
        (
            "written by hand in a folder that keeps traces of its own",
            |p| {
                by_hand(p, "code/lib/.aris/traces/paper-claim-audit/x");
                digests(
                    p,
                    "code/lib/.aris/traces/paper-claim-audit/x",
                    "../../paper/",
                );
            },
            &["trace_unchained"],
        ),
        (
            "written by hand, with blanks and in other letters",
            |p| {
                by_hand(p, ".aris/traces/paper-claim-audit/x");
                let meta = "../.aris/traces/paper-claim-audit/x/001-audit.meta.json";
                p.edit(meta, "gpt-5.5", " GPT-5.5 ")
                    .edit(meta, "by-hand", " by-hand ")
                    .edit(meta, "\"ok\"", "\" OK \"")
                    .edit(meta, "+08:00", "+08:00 ")
                    .set(CLAIMS, "thread_id", " by-hand ")
                    .set(CLAIMS, "reviewer_model", " gpt-5.5 ");
            },
            &["input_not_reviewed", "trace_unchained"],
        ),
        (
            "written by hand below the paper",
            |p| by_hand(p, "paper/.aris/traces/paper-claim-audit/x"),
            &["input_not_reviewed", "trace_unchained"],
        ),
        (
            "a torn last line",
            |p| {
                let chain = p.run_of(CLAIMS).join("chain.jsonl");
                let text = fs::read_to_string(&chain).expect("read");
                fs::write(chain, text + "{\"record\":2,\"pre").expect("write");
            },
            &[],
        ),
        (
            "other files in the folder",
            |p| fs::write(p.run_of(CLAIMS).join("notes.txt"), "n").expect("write"),
            &[],
        ),
        (
            "reviewer of the executor's family",
            |p| {
                by_hand(p, ".aris/traces/paper-claim-audit/x");
                p.edit(
                    "../.aris/traces/paper-claim-audit/x/run.meta.json",
                    "\"run_id\"",
                    "\"executor\":\"codex\",\"run_id\"",
                );
            },
            &[
                "input_not_reviewed",
                "same_family_reviewer",
                "trace_unchained",
            ],
        ),
        (
            "claims by the program",
            |p| {
                p.bind().audit_claims(&[]);
            },
            &[],
        ),
        (
            "claims by the program, of a paper whose only number is code",
            |p| {
                p.write(
                    "sections/results.tex",
                    "Call it with \\verb|--keep=84.7%|.\n",
                )
                .seal()
                .audit_claims(&[]);
                assert_eq!(p.artifact(CLAIMS)["verdict"], "NOT_APPLICABLE");
            },
            &[],
        ),
        (
            "citations by the program",
            |p| {
                p.audit_citations();
            },
            &["doubtful_verdict"],
        ),
        (
            "citations by the program, with doubts from the files",
            |p| {
                p.edit("refs.bib", "  publisher = {Addison-Wesley},\n", "")
                    .audit_citations();
                let details = &p.artifact("CITATION_AUDIT.json")["details"];
                assert_ne!(details["findings"], json!([]));
            },
            &["doubtful_verdict"],
        ),
        (
            "citations by the program, which sources confirmed",
            |p| {
                p.audit_citations()
                    .set("CITATION_AUDIT.json", "verdict", "PASS")
                    .set("CITATION_AUDIT.json", "reason_code", "all_verified");
                let mut details = p.artifact("CITATION_AUDIT.json")["details"].clone();
                details["per_entry"][0]["verdict"] = json!("KEEP");
                details["look_ups"] = json!("live");
                let (skill, stem) = ("citation-audit", "CITATION_AUDIT");
                p.forge_details("citation_audit", skill, stem, Verdict::Pass, details);
            },
            &[],
        ),
        (
            "both programs, twice",
            |p| {
                for _ in 0..2 {
                    p.bind().audit_claims(&[]);
                    p.audit_citations();
                }
            },
            &["doubtful_verdict"],
        ),
        (
            "claims by the program, with results left out and others named",
            |p| {
                p.write("../results/old/run_0.json", "{\"accuracy\": 0.1}");
                p.write("../archive/run_2.json", "{\"accuracy\": 0.2}");
                let archive = p.root.join("archive");
                let archive = archive.to_str().expect("utf-8");
                let flags = ["--exclude", "results/old/**", "--results", archive];
                p.bind().audit_claims(&flags);
            },
            &[],
        ),
        (
            "claims by the program, with bindings elsewhere",
            |p| {
                p.bind();
                let text = p
                    .read("claims.toml")
                    .replace("sections/results.tex", "../sections/results.tex");
                let text = text.replace("root = \"..\"", "root = \"../..\"");
                p.write("bindings/numbers.toml", text).remove("claims.toml");
                let bindings = p.paper.join("bindings/numbers.toml");
                p.audit_claims(&["--claims", bindings.to_str().expect("utf-8")]);
            },
            &[],
        ),
        (
            "a prompt with extracts of its own",
            |p| {
                by_hand(p, ".aris/traces/paper-claim-audit/x");
                p.edit(
                    "../.aris/traces/paper-claim-audit/x/001-audit.request.json",
                    "\"prompt\":",
                    "\"files_referenced\":[\"paper/.aris/contexts.txt\"],\"prompt\":",
                );
            },
            &["input_not_reviewed", "trace_unchained"],
        ),
        (
            "kill argument too",
            |p| {
                p.audit("KILL_ARGUMENT.json", "kill-argument", &["main.tex"]);
            },
            &[],
        ),
        (
            "kill argument demanded",
            |p| {
                p.write(".aris/audits.json", r#"{"schema": "aris.verify_paper_audits.manifest/v1", "audits": [{"artifact": "KILL_ARGUMENT.json", "skill": "kill-argument"}]}"#);
                p.audit("KILL_ARGUMENT.json", "kill-argument", &["main.tex"]);
            },
            &[],
        ),
        (
            "an audit of its own",
            |p| {
                p.write(".aris/audits.json", r#"{"schema": "aris.verify_paper_audits.manifest/v1", "audits": [{"artifact": "ETHICS.json", "skill": "ethics-check"}]}"#);
                p.audit("ETHICS.json", "ethics-check", &["main.tex"]);
            },
            &[],
        ),
        (
            "no git",
            |p| {
                p.remove("../.git");
            },
            &[],
        ),
    ]);
}

#[test]
fn a_copied_project_passes_whatever_becomes_of_its_original() {
    let afterwards: [Damage; 4] = [
        |_| {},
        |p| {
            p.remove("..");
        },
        |p| {
            p.edit("sections/results.tex", "84.7", "84.8").seal();
        },
        |p| {
            p.bind().audit_claims(&[]);
        },
    ];
    for (number, then) in afterwards.into_iter().enumerate() {
        let original = Project::new();
        let copied = Project::bare();
        if number == 3 {
            then(&original);
        }
        copy(&original.root, &copied.root);
        then(&original);
        let ran = copied.gate();
        assert_eq!(ran.code, 0, "{number}: {}", ran.stderr);
        assert_eq!(
            (ran.ids("warn"), ran.ids("info")),
            (vec![], vec![String::from("trace_moved")])
        );
    }
}

#[test]
fn reviews_in_every_honest_form() {
    check(&[
        (
            "a prompt that quotes 64 hex digits",
            |p| {
                let prompt = format!(
                    "Read paper/main.tex and results/ of commit {}.",
                    "ab".repeat(32)
                );
                p.rests_on(
                    &Review {
                        prompt: &prompt,
                        files: &[],
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &[],
        ),
        (
            "a prompt that names the files, as public skills do",
            |p| {
                let prompt = "Working directory: paper\n\nPaper files to read:\n- paper/main.tex\nResult files to read:\n- results/run_1.json";
                p.rests_on(
                    &Review {
                        prompt,
                        files: &[],
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &[],
        ),
        (
            "a prompt that names nothing",
            |p| {
                p.rests_on(
                    &Review {
                        prompt: "Audit the paper.",
                        files: &[],
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &["input_not_reviewed"],
        ),
        (
            "a record without digests",
            |p| {
                p.rests_on(
                    &Review {
                        older: true,
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &["input_not_reviewed"],
        ),
        (
            "an answer without a verdict, as public skills ask for it",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"1. Table 2: exact_match",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &["verdict_unstated"],
        ),
        (
            "an answer of which only the digest was kept, without a verdict",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"fine",
                        mode: TraceMode::Meta,
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &["verdict_unstated"],
        ),
        (
            "a FAIL, a repair, and a follow-up on what was repaired",
            |p| {
                p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    ..Review::default()
                });
                p.edit("sections/results.tex", "84.7", "84.70").seal();
                p.rests_on(
                    &Review {
                        files: &["sections/results.tex"],
                        prompt: "Look again.",
                        at: "2090-11-20T11:00:30Z",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &[],
        ),
        (
            "a failed call after the answer",
            |p| {
                p.review(&Review::default());
                p.rests_on(
                    &Review {
                        status: "error",
                        answer: b"time-out",
                        at: "2090-11-20T11:00:30Z",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &[],
        ),
        (
            "a talk that went on after the audit",
            |p| {
                p.review(&Review::default());
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        at: "2090-11-20T11:40:00Z",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &[],
        ),
        (
            "an answer as much later than the audit as clocks may differ",
            |p| {
                p.rests_on(
                    &Review {
                        at: "2090-11-20T11:05:59Z",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &[],
        ),
        (
            "a FAIL, and the follow-up in another run",
            |p| {
                p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    ..Review::default()
                });
                let again = Review {
                    at: "2090-11-20T11:00:30Z",
                    new_run: true,
                    ..Review::default()
                };
                p.rests_on(&again, "PASS");
            },
            &[],
        ),
        (
            "another executor in the same run",
            |p| {
                p.review(&Review {
                    executor: "codex",
                    thread: "t-other",
                    ..Review::default()
                });
                p.rests_on(&Review::default(), "PASS");
            },
            &[],
        ),
        (
            "the executor of the reviewer's family, in a run that another began",
            |p| {
                p.rests_on(
                    &Review {
                        executor: "codex",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            &["same_family_reviewer"],
        ),
        (
            "a record of another program in a run with a chain",
            |p| {
                let path = p.review(&Review::default());
                let meta = r#"{"call_number": 3, "purpose": "audit", "timestamp": "2090-11-20T11:00:40Z", "thread_id": "t-hand", "model": "gpt-5.5", "status": "ok"}"#;
                p.write(&format!("../{path}003-audit.meta.json"), meta)
                    .write(&format!("../{path}003-audit.response.md"), "VERDICT: PASS")
                    .set(CLAIMS, "thread_id", "t-hand");
            },
            &["input_not_reviewed", "trace_unchained"],
        ),
        (
            "audited again on the day when the traces were deleted",
            |p| {
                p.remove("../.aris/traces").seal();
            },
            &[],
        ),
    ]);
}

#[test]
fn results_may_lie_on_another_disk() {
    check(&[
        (
            "by a link",
            |p| {
                let disk = p.root.parent().expect("above").join("scratch");
                fs::rename(p.root.join("results"), &disk).expect("move");
                p.link(disk, "../results").seal();
            },
            &[],
        ),
        (
            "each file by a link",
            |p| {
                let disk = p.root.parent().expect("above").join("cache.json");
                fs::rename(p.root.join("results/run_1.json"), &disk).expect("move");
                p.link(disk, "../results/run_1.json").seal();
            },
            &[],
        ),
        (
            "by a link, and the program makes the audit",
            |p| {
                let disk = p.root.parent().expect("above").join("scratch");
                fs::rename(p.root.join("results"), &disk).expect("move");
                p.link(disk, "../results").seal().bind().audit_claims(&[]);
            },
            &[],
        ),
        (
            "under an absolute key",
            |p| {
                let file = p.root.parent().expect("above").join("scratch.json");
                fs::rename(p.root.join("results/run_1.json"), &file).expect("move");
                let file = file.display().to_string();
                let inputs = [
                    "main.tex",
                    "sections/intro.tex",
                    "sections/results.tex",
                    &file,
                ];
                p.audit(CLAIMS, "paper-claim-audit", &inputs);
            },
            &[],
        ),
    ]);
}

#[test]
fn a_kill_argument_that_does_not_apply_needs_no_reviewer() {
    // The artifact that the public skill paper-writing writes for a paper that is neither theory nor about scope.
    let bare = json!({"audit_skill": "kill-argument", "verdict": "NOT_APPLICABLE", "reason_code": "not_theory_or_scope_paper"});
    let whole = |reviewer: Value, thread: Value| {
        json!({
            "audit_skill": "kill-argument", "verdict": "NOT_APPLICABLE", "reason_code": "not_theory_or_scope_paper",
            "summary": "", "audited_input_hashes": {}, "trace_path": thread, "thread_id": thread, "reviewer_model": reviewer,
            "reviewer_reasoning": thread, "generated_at": "2090-11-20T11:01:00Z", "details": {}
        })
    };
    for artifact in [
        bare,
        whole(json!(""), json!("")),
        whole(Value::Null, Value::Null),
        whole(json!("none"), json!("none")),
        whole(json!("N/A"), json!("")),
    ] {
        let project = Project::new();
        project.put("KILL_ARGUMENT.json", &artifact);
        let ran = project.gate();
        assert_eq!(
            (ran.code, ran.ids("warn")),
            (0, vec![]),
            "{artifact}: {}",
            ran.stderr
        );
        project.write(".aris/audits.json", r#"{"schema": "aris.verify_paper_audits.manifest/v1", "audits": [{"artifact": "KILL_ARGUMENT.json", "skill": "kill-argument"}]}"#);
        assert_eq!(
            project.gate().code,
            1,
            "demanded, and nobody looked: {artifact}"
        );
        let mut passes = artifact.clone();
        passes["verdict"] = json!("PASS");
        let project = Project::new();
        project.put("KILL_ARGUMENT.json", &passes);
        assert_eq!(project.gate().code, 1, "a PASS has a reviewer: {artifact}");
    }
    let project = Project::new();
    project.put("KILL_ARGUMENT.json", &whole(json!("gpt-5.5"), json!("")));
    assert_eq!(project.gate().code, 1, "a named reviewer left no trace");
}

#[test]
fn the_paper_is_found_however_it_is_named() {
    let project = Project::new();
    let outside = project.root.parent().expect("above");
    std::os::unix::fs::symlink(&project.paper, outside.join("link to paper")).expect("link");
    for (cwd, path) in [
        (&project.root, "paper"),
        (&project.root, "./paper/"),
        (&project.root, "paper/../paper"),
        (&project.paper, "."),
        (&outside.to_path_buf(), "link to paper"),
    ] {
        let ran = call(cwd, &[path, "--assurance", "submission"], &[]);
        assert_eq!(ran.code, 0, "{path}: {}", ran.stderr);
    }
    // Recorded through the link and judged through the link.
    let through = outside.join("link to paper/main.tex").display().to_string();
    project.set_hash(CLAIMS, &through, project.hash("main.tex"));
    assert_eq!(
        call(
            outside,
            &["link to paper", "--assurance", "submission"],
            &[]
        )
        .code,
        0
    );
}

#[test]
fn drafts_are_reported_and_never_blocked() {
    let breaks: [(&str, Damage); 6] = [
        ("nothing audited", |p| {
            for (artifact, _) in AUDITS {
                p.remove(artifact);
            }
        }),
        ("stale", |p| {
            p.edit("main.tex", "gates", "doors");
        }),
        ("FAIL", |p| {
            p.set(CLAIMS, "verdict", "FAIL");
        }),
        ("no JSON", |p| {
            p.write(CLAIMS, "{");
        }),
        ("no trace", |p| {
            p.remove("../.aris");
        }),
        ("no root", |p| {
            p.remove("main.tex");
        }),
    ];
    for (name, damage) in breaks {
        for draft in [&["--assurance", "draft"][..], &[]] {
            let project = Project::new();
            damage(&project);
            let ran = project.run(draft);
            assert_eq!(
                (ran.code, &ran.report["submission_blocking"]),
                (0, &json!(false)),
                "{name}"
            );
            if name == "nothing audited" {
                let statuses: Vec<&str> = ran.report["audits"]
                    .as_array()
                    .expect("list")
                    .iter()
                    .filter_map(|row| row["status"].as_str())
                    .collect();
                assert_eq!(statuses, ["MISSING_DRAFT_OK"; 4]);
                // Nothing was checked, and the report must not suggest otherwise.
                assert_eq!(
                    (&ran.report["result"], &ran.report["not_run"]),
                    (&json!("draft_incomplete"), &json!(3))
                );
                assert!(
                    ran.stdout.contains("3 mandatory audits not run yet"),
                    "{}",
                    ran.stderr
                );
                assert_eq!(ran.report["any_problem"], false, "{}", ran.stderr);
            } else {
                assert_eq!(ran.report["any_problem"], true, "{name}");
                assert!(
                    ran.stdout.contains("would block a submission"),
                    "{}",
                    ran.stderr
                );
            }
        }
    }
}
