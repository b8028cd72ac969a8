//! The audited files are not those that are submitted, or submitted files were not audited.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use aris_contract::artifact::trace::TraceMode;

use super::check;
use crate::support::{AUDITS, CLAIMS, Project, Review};

#[test]
fn inputs_that_are_not_what_was_audited() {
    check(&[
        (
            "edited section",
            |p| {
                p.edit("sections/results.tex", "84.7", "89.2");
            },
            "stale_input",
        ),
        (
            "edited result",
            |p| {
                p.edit("../results/run_1.json", "0.847", "0.892");
            },
            "stale_input",
        ),
        (
            "one bit",
            |p| {
                p.edit("refs.bib", "1984}", "1985}");
            },
            "stale_input",
        ),
        (
            "white space",
            |p| {
                p.write("main.tex", p.read("main.tex") + "\n");
            },
            "stale_input",
        ),
        (
            "deleted result",
            |p| {
                p.remove("../results/run_1.json");
            },
            "input_gone",
        ),
        (
            "invented input",
            |p| {
                p.set_hash(CLAIMS, "results/none.json", "0".repeat(64));
            },
            "input_gone",
        ),
        (
            "a link that leads nowhere",
            |p| {
                p.link("nowhere.json", "none.json");
                p.set_hash(CLAIMS, "none.json", "0".repeat(64));
            },
            "input_gone",
        ),
        (
            "a way out behind a folder that is not there",
            |p| {
                let name = format!("none{}etc/none.json", "/..".repeat(30) + "/");
                p.set_hash(CLAIMS, &name, "0".repeat(64));
            },
            "path_escape",
        ),
        (
            "a source that is a link to data elsewhere",
            |p| {
                let outside = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
                p.link(outside, "sections/extra.tex");
                p.set_hash(CLAIMS, "sections/extra.tex", "0".repeat(64));
            },
            "path_escape",
        ),
        (
            "folder as input",
            |p| {
                p.set_hash(CLAIMS, "sections", "0".repeat(64));
            },
            "input_unreadable",
        ),
        (
            "FIFO as input",
            |p| {
                p.fifo("pipe").set_hash(CLAIMS, "pipe", "0".repeat(64));
            },
            "input_unreadable",
        ),
        (
            "FIFO in place of a section",
            |p| {
                p.remove("sections/intro.tex").fifo("sections/intro.tex");
            },
            "input_unreadable",
        ),
        (
            "link in a circle",
            |p| {
                p.link("circle", "circle")
                    .set_hash(CLAIMS, "circle", "0".repeat(64));
            },
            "input_unreadable",
        ),
        (
            "NUL in a path",
            |p| {
                p.set_hash(CLAIMS, "main.tex\0", "0".repeat(64));
            },
            "input_unreadable",
        ),
        (
            "very long path",
            |p| {
                p.set_hash(CLAIMS, &"a/".repeat(5000), "0".repeat(64));
            },
            "input_unreadable",
        ),
        (
            "device as input",
            |p| {
                p.set_hash(CLAIMS, "/dev/zero", "0".repeat(64));
            },
            "path_escape",
        ),
        (
            "link to a device",
            |p| {
                p.link("/dev/zero", "zero")
                    .set_hash(CLAIMS, "zero", "0".repeat(64));
            },
            "path_escape",
        ),
        (
            "file of the system",
            |p| {
                p.set_hash(CLAIMS, "/etc/hostname", "0".repeat(64));
            },
            "path_escape",
        ),
        (
            "dots beyond the project",
            |p| {
                p.write("../../outside.json", "{}");
                p.set_hash(CLAIMS, "../../outside.json", p.hash("../../outside.json"));
            },
            "path_escape",
        ),
        (
            "link out of the project",
            |p| {
                p.write("../../outside.tex", "x");
                p.link(
                    p.root.parent().expect("above").join("outside.tex"),
                    "inside.tex",
                );
                p.set_hash(CLAIMS, "inside.tex", p.hash("inside.tex"));
            },
            "path_escape",
        ),
        (
            "a source outside the project that a link calls data",
            |p| {
                p.write("../../outside.tex", "x");
                let outside = p.root.parent().expect("above").join("outside.tex");
                p.link(outside, "inside.json");
                p.set_hash(CLAIMS, "inside.json", p.hash("inside.json"));
            },
            "path_escape",
        ),
        (
            "folder linked out of the project",
            |p| {
                fs::rename(
                    p.paper.join("sections"),
                    p.root.parent().expect("above").join("sections"),
                )
                .expect("move");
                p.link(p.root.parent().expect("above").join("sections"), "sections");
            },
            "path_escape",
        ),
        (
            "another spelling",
            |p| {
                p.set_hash(CLAIMS, "Main.tex", p.hash("main.tex"));
            },
            "path_escape",
        ),
        (
            "another spelling by link",
            |p| {
                p.link("main.tex", "MAIN.tex")
                    .set_hash(CLAIMS, "MAIN.tex", p.hash("main.tex"));
            },
            "path_escape",
        ),
        (
            "two hashes for one file",
            |p| {
                p.set_hash(CLAIMS, "./main.tex", "0".repeat(64));
            },
            "duplicate_input",
        ),
        (
            "two hashes through a link",
            |p| {
                p.link("sections", "parts")
                    .set_hash(CLAIMS, "parts/intro.tex", "0".repeat(64));
            },
            "duplicate_input",
        ),
    ]);
}

#[test]
fn sources_that_no_audit_saw() {
    check(&[
        (
            "section added",
            |p| {
                p.write("sections/more.tex", "We reach 99.9.");
                p.edit(
                    "main.tex",
                    "\\bibliographystyle",
                    "\\input{sections/more}\n\\bibliographystyle",
                );
                p.set_hash("PROOF_AUDIT.json", "main.tex", p.hash("main.tex"));
                p.set_hash(CLAIMS, "main.tex", p.hash("main.tex"));
                p.set_hash("CITATION_AUDIT.json", "main.tex", p.hash("main.tex"));
            },
            "uncovered_input",
        ),
        (
            "section hidden in an audited section's place",
            |p| {
                // The audits hashed the commented-out section; the included file is another one.
                p.write("sections/dropped.tex", "x");
                p.set(
                    CLAIMS,
                    "audited_input_hashes",
                    p.hashes(&["main.tex", "sections/intro.tex", "sections/dropped.tex"]),
                );
            },
            "uncovered_input",
        ),
        (
            "hash in the wrong audit",
            |p| {
                let hashes = p.hashes(&["main.tex", "sections/intro.tex"]);
                p.set(CLAIMS, "audited_input_hashes", hashes);
            },
            "uncovered_input",
        ),
        (
            "bibliography never seen",
            |p| {
                p.set(
                    "CITATION_AUDIT.json",
                    "audited_input_hashes",
                    p.hashes(&["main.tex"]),
                );
            },
            "uncovered_input",
        ),
        (
            "data never seen",
            |p| {
                p.write("table.csv", "a,b\n1,2\n");
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\csvautotabular{table.csv} Our gate",
                );
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "number kept in a local style",
            |p| {
                p.write("styles/numbers.sty", "\\newcommand{\\best}{99.9}");
                p.edit(
                    "main.tex",
                    "\\begin{document}",
                    "\\usepackage{styles/numbers}\n\\begin{document}",
                );
                p.edit("sections/results.tex", "Our gate", "\\best{} Our gate");
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "included by another spelling",
            |p| {
                p.write("hidden.tex", "We reach 99.9.")
                    .link("hidden.tex", "HIDDEN.tex");
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\input{HIDDEN} Our gate",
                );
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "found on a search path",
            |p| {
                p.write("deep/hidden.tex", "We reach 99.9.");
                p.edit(
                    "main.tex",
                    "\\begin{document}",
                    "\\makeatletter\\def\\input@path{{deep/}}\\makeatother\n\\begin{document}",
                );
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\input{hidden} Our gate",
                );
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "that a search path of the shell may find",
            |p| {
                p.write("deep/hidden.tex", "We reach 99.9.");
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\input{hidden} Our gate",
                );
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "included through an unknown macro",
            |p| {
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\input{\\nosuchmacro} Our gate",
                );
                p.seal();
            },
            "include_unresolved",
        ),
        (
            "included by a name that a loop makes",
            |p| {
                let looped = "\\foreach\\k in {intro}{\\input{sections/\\k}} Our gate";
                p.edit("sections/results.tex", "Our gate", looped);
                p.seal();
            },
            "include_unresolved",
        ),
        (
            "included behind a conditional that its file does not end",
            |p| {
                p.edit("sections/results.tex", "Our gate", "\\iffalse Our gate");
                p.seal();
            },
            "include_unresolved",
        ),
        (
            "a section that the audits cannot read",
            |p| {
                let wide = "We reach 99.9 here.".encode_utf16();
                p.write(
                    "sections/intro.tex",
                    wide.flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
                )
                .seal();
            },
            "include_unresolved",
        ),
        (
            "no root document",
            |p| {
                p.edit("main.tex", "\\begin{document}", "");
                p.seal();
            },
            "no_root_document",
        ),
        (
            "two root documents",
            |p| {
                fs::rename(p.paper.join("main.tex"), p.paper.join("a.tex")).expect("move");
                fs::copy(p.paper.join("a.tex"), p.paper.join("b.tex")).expect("copy");
            },
            "no_root_document",
        ),
        (
            "citations and NOT_APPLICABLE",
            |p| {
                p.says("CITATION_AUDIT.json", "NOT_APPLICABLE");
            },
            "verdict_contradicted",
        ),
        (
            "numbers compared with nothing",
            |p| {
                let sources = ["main.tex", "sections/intro.tex", "sections/results.tex"];
                p.audit(CLAIMS, "paper-claim-audit", &sources);
            },
            "no_audited_inputs",
        ),
        (
            "numbers and NOT_APPLICABLE",
            |p| {
                p.says(CLAIMS, "NOT_APPLICABLE");
            },
            "verdict_contradicted",
        ),
        (
            "theorems and NOT_APPLICABLE",
            |p| {
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\begin{theorem}Gates close.\\end{theorem} Our gate",
                );
                p.seal();
                p.set("PROOF_AUDIT.json", "verdict", "NOT_APPLICABLE");
            },
            "verdict_contradicted",
        ),
    ]);
}

/// Naming fewer files in the artifact does not make a review valid: all files that the reviewer was given are compared.
#[test]
fn a_reviewed_source_that_the_artifact_leaves_out_is_still_compared() {
    const LEFT_OUT: &str = "sections/results.tex";
    for changed in [false, true] {
        let project = Project::new();
        if changed {
            project.edit(LEFT_OUT, "Our gate", "Our proven gate");
            for (artifact, skill) in AUDITS {
                if skill != "proof-checker" {
                    project.audit(artifact, skill, Project::inputs(skill));
                }
            }
        }
        let mut artifact = project.artifact("PROOF_AUDIT.json");
        let hashes = artifact["audited_input_hashes"].as_object_mut();
        hashes
            .expect("hashes")
            .remove(LEFT_OUT)
            .expect("it was there");
        project.put("PROOF_AUDIT.json", &artifact);
        let ran = project.gate();
        let expected = ["input_changed_after_review"];
        let expected = expected.iter().take(usize::from(changed));
        let expected: Vec<String> = expected.map(ToString::to_string).collect();
        let found = (ran.code, ran.ids("block"));
        assert_eq!(found, (u8::from(changed), expected), "{}", ran.stderr);
    }
}

#[test]
fn bytes_that_nobody_reviewed() {
    check(&[
        (
            "edited after the review, the hash corrected",
            |p| {
                p.edit("sections/results.tex", "84.7", "89.2");
                for (artifact, _) in AUDITS {
                    p.set_hash(
                        artifact,
                        "sections/results.tex",
                        p.hash("sections/results.tex"),
                    );
                }
            },
            "input_changed_after_review",
        ),
        (
            "the same where only the prompt names the paper",
            |p| {
                let review = Review {
                    files: &[],
                    ..Review::default()
                };
                p.rests_on(&review, "PASS")
                    .edit("sections/results.tex", "84.7", "89.2");
                p.set_hash(
                    CLAIMS,
                    "sections/results.tex",
                    p.hash("sections/results.tex"),
                );
            },
            "input_changed_after_review",
        ),
        (
            "the same where the answer was not kept",
            |p| {
                let review = Review {
                    mode: TraceMode::Meta,
                    ..Review::default()
                };
                p.rests_on(&review, "PASS")
                    .edit("sections/results.tex", "84.7", "89.2");
                p.set_hash(
                    CLAIMS,
                    "sections/results.tex",
                    p.hash("sections/results.tex"),
                );
            },
            "input_changed_after_review",
        ),
        (
            "a file that the reviewer was not given",
            |p| {
                p.write("more.json", "{}")
                    .set_hash(CLAIMS, "more.json", p.hash("more.json"));
            },
            "input_not_reviewed",
        ),
        (
            "brought back after a second look, before a follow-up that does not show it",
            |p| {
                let look = Review {
                    files: Project::inputs("paper-claim-audit"),
                    ..Review::default()
                };
                p.review(&look);
                p.edit("sections/results.tex", "84.7", "89.2");
                p.review(&look);
                p.edit("sections/results.tex", "89.2", "84.7");
                let again = Review {
                    prompt: "Is it fine now?",
                    files: &["sections/intro.tex"],
                    ..Review::default()
                };
                p.rests_on(&again, "PASS");
            },
            "input_not_reviewed",
        ),
        (
            "edited before a follow-up that does not show it",
            |p| {
                p.edit("sections/results.tex", "84.7", "89.2");
                let hash = p.hash("sections/results.tex");
                let again = Review {
                    thread: "thread-paper-claim-audit",
                    prompt: "Is it fine now?",
                    files: &["sections/intro.tex"],
                    ..Review::default()
                };
                p.rests_on(&again, "PASS");
                p.set_hash(CLAIMS, "sections/results.tex", hash);
            },
            "input_not_reviewed",
        ),
    ]);
}

#[test]
fn a_stricter_policy_wants_every_input_reviewed() {
    let policy = r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"input_not_reviewed": "block", "verdict_unstated": "block"}}"#;
    for (review, expected) in [
        (
            Review {
                older: true,
                ..Review::default()
            },
            "input_not_reviewed",
        ),
        (
            Review {
                files: &[],
                prompt: "Audit it.",
                ..Review::default()
            },
            "input_not_reviewed",
        ),
        (
            Review {
                answer: b"Looks right.",
                ..Review::default()
            },
            "verdict_unstated",
        ),
    ] {
        let project = Project::new();
        project
            .write("../policy.json", policy)
            .rests_on(&review, "PASS");
        let usual = project.gate();
        assert_eq!(
            (usual.code, usual.ids("warn")),
            (0, vec![expected.to_owned()]),
            "{}",
            usual.stderr
        );
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        assert_eq!(
            (ran.code, ran.ids("block")),
            (1, vec![expected.to_owned()]),
            "{}",
            ran.stderr
        );
    }
    let lax = r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"input_not_reviewed": "info"}}"#;
    let project = Project::new();
    project
        .write("../policy.json", lax)
        .write("more.json", "{}");
    project.set_hash(CLAIMS, "more.json", project.hash("more.json"));
    let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
    assert_eq!(
        ran.ids("block"),
        ["input_not_reviewed"],
        "no policy excuses what the caller declared"
    );
}

#[test]
fn an_input_that_an_audit_left_out_stands_at_that_audit() {
    let project = Project::new();
    let hashes = project.hashes(&["main.tex", "sections/intro.tex"]);
    let ran = project.set(CLAIMS, "audited_input_hashes", hashes).gate();
    let audits = ran.audits("uncovered_input");
    assert!(!audits.is_empty(), "{}", ran.stdout);
    assert!(
        audits.iter().all(|audit| **audit == "paper-claim-audit"),
        "{audits:?}"
    );
}

#[test]
fn an_unreadable_file_blocks() {
    let project = Project::new();
    let path = project.paper.join("../results/run_1.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("mode");
    if fs::read(&path).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    let ran = project.gate();
    assert!(
        ran.code == 1 && ran.ids("block").contains(&String::from("input_unreadable")),
        "{}",
        ran.stderr
    );
}

/// A file that is printed by any command is part of the paper.
#[test]
fn a_file_that_is_printed_in_any_way_is_covered() {
    for printing in [
        "\\VerbatimInput{x.txt}",
        "\\tcbinputlisting{listing only, listing file=x.txt}",
        "\\tcbinputlisting{listing file={x.txt}}",
        "\\CatchFileDef{\\score}{x.txt}{}\\score",
        "\\newread\\f\\openin\\f=x.txt \\read\\f to\\score \\closein\\f \\score",
        "\\pgfplotstableread{x.txt}\\mytable\\pgfplotstabletypeset{\\mytable}",
    ] {
        let project = Project::new();
        project.write("x.txt", "a b\n1 91.3\n");
        let text = format!("{printing}\n\nOur gate");
        project
            .edit("sections/results.tex", "Our gate", &text)
            .bind();
        project.audit_claims(&[]);
        let blocks = || {
            let report = project.gate().report;
            let findings = report["findings"].as_array().cloned().unwrap_or_default();
            let blocking = findings.into_iter().filter(|finding| {
                finding["audit"] == "paper-claim-audit" && finding["severity"] == "block"
            });
            let ids = blocking.map(|finding| finding["id"].to_string());
            ids.collect::<Vec<String>>()
        };
        assert_eq!(blocks(), Vec::<String>::new(), "{printing}");
        project.edit("x.txt", "91.3", "99.9");
        assert_eq!(blocks(), ["\"stale_input\""], "{printing}");
    }
}

/// An environment from a package may be a theorem, so the reviewer of proofs must have been given its file.
#[test]
fn an_unknown_environment_is_for_the_reviewer_of_proofs() {
    for (preamble, begin, end) in [
        ("\\newtheorem{foo}{Theorem}", "\\begin{foo}", "\\end{foo}"),
        (
            "\\newtheoremrep{foo}{Theorem}",
            "\\begin{foorep}",
            "\\end{foorep}",
        ),
        ("", "\\begin{appendixproof}", "\\end{appendixproof}"),
        (
            "\\newtheorem{foo}{Theorem}\\let\\zz\\foo\\let\\endzz\\endfoo",
            "\\begin{zz}",
            "\\end{zz}",
        ),
        (
            "\\newtheorem{foo}{Theorem}\\NewEnviron{zz}{\\begin{foo}\\BODY\\end{foo}}",
            "\\begin{zz}",
            "\\end{zz}",
        ),
    ] {
        let project = Project::new();
        project.edit(
            "main.tex",
            "\\begin{document}",
            &format!("{preamble}\n\\begin{{document}}"),
        );
        project.write(
            "sections/thm.tex",
            format!("{begin}All cats are dogs.{end}\n"),
        );
        project.edit(
            "sections/results.tex",
            "Our gate",
            "\\input{sections/thm} Our gate",
        );
        project.seal();
        let blocking = project.gate().ids("block");
        assert!(
            blocking.contains(&String::from("uncovered_input")),
            "{begin}: {blocking:?}"
        );
    }
}
