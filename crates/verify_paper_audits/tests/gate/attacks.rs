//! Forgeries, each made from a valid project by one change. None passes, and each is found for the right reason.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use aris_contract::artifact::audit::Verdict;
use aris_contract::artifact::trace::TraceMode;
use serde_json::{Value, json};

use crate::support::{AUDITS, BINDINGS, CLAIMS, Project, Ran, Review};

const CITATIONS: &str = "CITATION_AUDIT";

type Attack = (&'static str, fn(&Project), &'static str);

fn check(attacks: &[Attack]) {
    for (name, attack, expected) in attacks {
        let project = Project::new();
        attack(&project);
        let ran = project.gate();
        assert_eq!(ran.code, 1, "{name} passed: {}", ran.stderr);
        let blocking = ran.ids("block");
        assert!(
            blocking.iter().any(|id| id == expected),
            "{name}: {expected} is not in {blocking:?}\n{}",
            ran.stderr
        );
        assert_eq!(ran.report["submission_blocking"], true, "{name}");
    }
}

#[test]
fn the_valid_project_itself_passes_without_any_finding() {
    let ran = Project::new().gate();
    assert_eq!(
        (ran.code, ran.report["findings"].as_array().map(Vec::len)),
        (0, Some(0)),
        "{}",
        ran.stderr
    );
}

#[test]
fn artifacts_that_are_not_audits() {
    check(&[
        (
            "absent",
            |p| {
                p.remove(CLAIMS);
            },
            "missing_artifact",
        ),
        (
            "empty file",
            |p| {
                p.write(CLAIMS, "");
            },
            "schema_invalid",
        ),
        (
            "list as top level",
            |p| {
                p.write(CLAIMS, format!("[{}]", p.read(CLAIMS)));
            },
            "schema_invalid",
        ),
        (
            "duplicate verdict",
            |p| {
                p.edit(
                    CLAIMS,
                    "\"verdict\": \"PASS\"",
                    "\"verdict\": \"FAIL\", \"verdict\": \"PASS\"",
                );
            },
            "schema_invalid",
        ),
        (
            "duplicate hash",
            |p| {
                p.edit(
                    CLAIMS,
                    "\"main.tex\":",
                    "\"main.tex\": \"x\", \"main.tex\":",
                );
            },
            "schema_invalid",
        ),
        (
            "duplicate in details",
            |p| {
                p.edit(CLAIMS, "\"checked\": 2", "\"checked\": 2, \"checked\": 3");
            },
            "schema_invalid",
        ),
        (
            "NaN",
            |p| {
                p.edit(CLAIMS, "\"checked\": 2", "\"checked\": NaN");
            },
            "schema_invalid",
        ),
        (
            "infinite number",
            |p| {
                p.edit(CLAIMS, "\"checked\": 2", "\"checked\": 1e999");
            },
            "schema_invalid",
        ),
        (
            "byte order mark",
            |p| {
                p.write(CLAIMS, format!("\u{feff}{}", p.read(CLAIMS)));
            },
            "schema_invalid",
        ),
        (
            "trailing bytes",
            |p| {
                p.write(CLAIMS, format!("{}{{}}", p.read(CLAIMS)));
            },
            "schema_invalid",
        ),
        (
            "trailing NUL",
            |p| {
                p.write(CLAIMS, format!("{}\0", p.read(CLAIMS)));
            },
            "schema_invalid",
        ),
        (
            "comment",
            |p| {
                p.edit(CLAIMS, "{", "{ // fine\n");
            },
            "schema_invalid",
        ),
        (
            "UTF-16",
            |p| {
                let wide: Vec<u8> = p
                    .read(CLAIMS)
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect();
                p.write(CLAIMS, [&[0xff, 0xfe][..], &wide].concat());
            },
            "schema_invalid",
        ),
        (
            "Latin-1",
            |p| {
                let text = p
                    .read(CLAIMS)
                    .replace("nothing is wrong", "tout va bien \u{1}");
                p.write(
                    CLAIMS,
                    text.bytes()
                        .map(|b| if b == 1 { 0xe9 } else { b })
                        .collect::<Vec<u8>>(),
                );
            },
            "schema_invalid",
        ),
        (
            "null summary",
            |p| {
                p.set(CLAIMS, "summary", Value::Null);
            },
            "schema_invalid",
        ),
        (
            "null hash",
            |p| {
                p.set_hash(CLAIMS, "main.tex", Value::Null);
            },
            "schema_invalid",
        ),
        (
            "number as thread",
            |p| {
                p.set(CLAIMS, "thread_id", 7);
            },
            "schema_invalid",
        ),
        (
            "hashes as list",
            |p| {
                p.set(CLAIMS, "audited_input_hashes", json!(["main.tex"]));
            },
            "schema_invalid",
        ),
        (
            "hashes null",
            |p| {
                p.set(CLAIMS, "audited_input_hashes", Value::Null);
            },
            "schema_invalid",
        ),
        (
            "empty reviewer",
            |p| {
                p.set(CLAIMS, "reviewer_model", "");
            },
            "schema_invalid",
        ),
        (
            "short hash",
            |p| {
                p.set_hash(CLAIMS, "main.tex", "sha256:abc");
            },
            "schema_invalid",
        ),
        (
            "long hash",
            |p| {
                p.set_hash(CLAIMS, "main.tex", format!("{}0", p.hash("main.tex")));
            },
            "schema_invalid",
        ),
        (
            "other digest",
            |p| {
                p.set_hash(
                    CLAIMS,
                    "main.tex",
                    p.hash("main.tex").replace("sha256", "sha512"),
                );
            },
            "schema_invalid",
        ),
        (
            "missing field",
            |p| {
                p.edit(CLAIMS, "\"reviewer_reasoning\"", "\"reviewer_reason\"");
            },
            "schema_invalid",
        ),
        (
            "verdict in lower case",
            |p| {
                p.set(CLAIMS, "verdict", "pass");
            },
            "invalid_verdict",
        ),
        (
            "verdict with a space",
            |p| {
                p.set(CLAIMS, "verdict", "PASS ");
            },
            "invalid_verdict",
        ),
        (
            "verdict of its own",
            |p| {
                p.set(CLAIMS, "verdict", "PASS_WITH_NOTES");
            },
            "invalid_verdict",
        ),
        (
            "verdict as list",
            |p| {
                p.set(CLAIMS, "verdict", json!(["PASS"]));
            },
            "invalid_verdict",
        ),
        (
            "another audit under this name",
            |p| {
                p.write(CLAIMS, p.read("CITATION_AUDIT.json"));
            },
            "wrong_audit_skill",
        ),
        (
            "FAIL",
            |p| {
                p.set(CLAIMS, "verdict", "FAIL");
            },
            "blocking_verdict",
        ),
        (
            "BLOCKED",
            |p| {
                p.set(CLAIMS, "verdict", "BLOCKED");
            },
            "blocking_verdict",
        ),
        (
            "ERROR",
            |p| {
                p.set(CLAIMS, "verdict", "ERROR");
            },
            "blocking_verdict",
        ),
        (
            "nothing hashed",
            |p| {
                p.set(CLAIMS, "audited_input_hashes", json!({}));
            },
            "no_audited_inputs",
        ),
    ]);
}

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
                // The audits hashed the section that a comment drops; what is included lies elsewhere.
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

/// Adds a line before the bibliography of the root document.
fn adds(p: &Project, line: &str) {
    let found = "\\bibliographystyle";
    p.edit("main.tex", found, &format!("{line}\n{found}"));
}

/// Lets the root document write a file with this text, and read it.
fn writes(p: &Project, text: &str) {
    let begin = "\\begin{document}";
    let written =
        format!("\\begin{{filecontents*}}{{best.tex}}\n{text}\n\\end{{filecontents*}}\n{begin}");
    p.edit("main.tex", begin, &written);
    adds(p, "\\input{best}");
}

/// Declares a statement and makes one in a section of its own, which the proof audit calls inapplicable.
fn declares(p: &Project, declaration: &str) {
    p.write(
        "sections/theory.tex",
        "\\begin{satz}Gates close.\\end{satz}",
    );
    p.edit(
        "main.tex",
        "\\begin{document}",
        &format!("{declaration}\n\\begin{{document}}"),
    );
    adds(p, "\\input{sections/theory}");
    p.seal().says("PROOF_AUDIT.json", "NOT_APPLICABLE");
}

#[test]
fn audits_that_did_not_look_at_their_subject() {
    check(&[
        (
            "theorems and a proof audit of the bibliography",
            |p| {
                p.edit(
                    "sections/results.tex",
                    "Our gate",
                    "\\begin{theorem}Gates close.\\end{theorem} Our gate",
                )
                .seal();
                p.audit("PROOF_AUDIT.json", "proof-checker", &["refs.bib"]);
            },
            "uncovered_input",
        ),
        (
            "an appendix with a theorem, added later",
            |p| {
                p.write(
                    "sections/appendix.tex",
                    "\\begin{lemma}Gates close.\\end{lemma}\\begin{proof}Push.\\end{proof}",
                );
                adds(p, "\\input{sections/appendix}");
                p.seal();
                p.also(CLAIMS, "sections/appendix.tex");
            },
            "uncovered_input",
        ),
        (
            "a proof without environment, added later",
            |p| {
                p.write(
                    "sections/appendix.tex",
                    "\\section{Proof of Theorem 1}\nPush until it closes.",
                );
                adds(p, "\\input{sections/appendix}");
                p.seal();
                p.also(CLAIMS, "sections/appendix.tex");
            },
            "uncovered_input",
        ),
        (
            "newtheorem and NOT_APPLICABLE",
            |p| declares(p, "\\newtheorem{satz}{Theorem}"),
            "verdict_contradicted",
        ),
        (
            "declaretheorem and NOT_APPLICABLE",
            |p| declares(p, "\\declaretheorem[name=Lemma]{satz}"),
            "verdict_contradicted",
        ),
        (
            "declaretheorem of several and NOT_APPLICABLE",
            |p| declares(p, "\\declaretheorem[name=Lemma]{hilfssatz, satz}"),
            "verdict_contradicted",
        ),
        (
            "spnewtheorem and NOT_APPLICABLE",
            |p| {
                declares(
                    p,
                    "\\spnewtheorem{satz}{Proposition}{\\bfseries}{\\itshape}",
                );
            },
            "verdict_contradicted",
        ),
        (
            "newtcbtheorem and NOT_APPLICABLE",
            |p| {
                declares(
                    p,
                    "\\newtcbtheorem[number within=section]{satz}{Theorem}{colback=white}{th}",
                );
            },
            "verdict_contradicted",
        ),
        (
            "newmdtheoremenv and NOT_APPLICABLE",
            |p| declares(p, "\\newmdtheoremenv[linewidth=1pt]{satz}{Main Theorem}"),
            "verdict_contradicted",
        ),
        (
            "a claim audit that hashed an empty file",
            |p| {
                p.write("notes.json", "{}").remove("../results");
                let inputs = [
                    "main.tex",
                    "sections/intro.tex",
                    "sections/results.tex",
                    "notes.json",
                ];
                p.audit(CLAIMS, "paper-claim-audit", &inputs);
            },
            "no_audited_inputs",
        ),
        (
            "a claim audit that doubts, and hashed an empty file",
            |p| {
                p.write("notes.json", "{}").remove("../results");
                let inputs = ["main.tex", "sections/results.tex", "notes.json"];
                p.audit(CLAIMS, "paper-claim-audit", &inputs)
                    .set(CLAIMS, "verdict", "WARN");
            },
            "no_audited_inputs",
        ),
        (
            "a claim audit that hashed an empty file beside results",
            |p| {
                p.write("notes.json", "");
                let inputs = [
                    "main.tex",
                    "sections/intro.tex",
                    "sections/results.tex",
                    "notes.json",
                ];
                p.audit(CLAIMS, "paper-claim-audit", &inputs);
            },
            "uncovered_input",
        ),
        (
            "a citation audit of the bibliography alone",
            |p| {
                p.audit("CITATION_AUDIT.json", "citation-audit", &["refs.bib"]);
            },
            "uncovered_input",
        ),
        (
            "a bibliography that LaTeX made and nobody looked at",
            |p| {
                p.remove("refs.bib").write(
                    "main.bbl",
                    "\\begin{thebibliography}{1}\\bibitem{knuth1984} D. Knuth.\\end{thebibliography}",
                );
                let inputs = ["main.tex", "sections/intro.tex", "sections/results.tex"];
                p.audit("CITATION_AUDIT.json", "citation-audit", &inputs);
            },
            "uncovered_input",
        ),
        (
            "another bibliography than the one that the root document writes",
            |p| {
                let written = format!(
                    "\\begin{{filecontents*}}{{refs.bib}}\n{}\\end{{filecontents*}}\n\\begin{{document}}",
                    p.read("refs.bib")
                );
                p.edit("main.tex", "\\begin{document}", &written)
                    .edit("refs.bib", "1984}\n", "1985}\n")
                    .seal();
                let inputs = ["main.tex", "sections/intro.tex", "sections/results.tex"];
                p.audit("CITATION_AUDIT.json", "citation-audit", &inputs);
            },
            "uncovered_input",
        ),
        (
            "a result added after a reviewer's audit",
            |p| {
                p.write("../results/run_2.json", "{\"accuracy\": 0.612}");
            },
            "uncovered_input",
        ),
        (
            "a result added after a program's audit",
            |p| {
                p.bind().audit_claims(&[]);
                p.write("../results/run_2.json", "{\"accuracy\": 0.612}");
            },
            "uncovered_input",
        ),
        (
            "bindings added after a program's audit",
            |p| {
                p.audit_claims(&[]).write("claims.toml", "version = 1\n");
            },
            "uncovered_input",
        ),
        (
            "bindings that cannot be read",
            |p| {
                p.write("claims.toml", "").remove("../results/run_1.json");
                let inputs = ["main.tex", "sections/results.tex", "claims.toml"];
                p.audit(CLAIMS, "paper-claim-audit", &inputs);
            },
            "include_unresolved",
        ),
        (
            "a number in a file that the root document writes",
            |p| {
                writes(p, "We reach 99.9.");
                p.seal();
                let inputs = ["sections/results.tex", "../results/run_1.json"];
                p.audit(CLAIMS, "paper-claim-audit", &inputs);
            },
            "uncovered_input",
        ),
        (
            "a theorem in a file that the root document writes",
            |p| {
                writes(p, "\\begin{theorem}Gates close.\\end{theorem}");
                p.seal();
                let inputs = ["sections/intro.tex", "sections/results.tex"];
                p.audit("PROOF_AUDIT.json", "proof-checker", &inputs);
            },
            "uncovered_input",
        ),
        (
            "a citation in a file that the root document writes",
            |p| {
                writes(p, "As shown~\\cite{knuth1984}.");
                p.seal();
                let inputs = ["sections/intro.tex", "sections/results.tex", "refs.bib"];
                p.audit("CITATION_AUDIT.json", "citation-audit", &inputs);
            },
            "uncovered_input",
        ),
        (
            "pages of a PDF",
            |p| {
                p.write("tables.pdf", "%PDF 99.9");
                adds(p, "\\includepdf[pages=-]{tables}");
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "a printed listing",
            |p| {
                p.write("log.txt", "accuracy 99.9");
                adds(p, "\\lstinputlisting[language=C]{log.txt}");
                p.seal();
            },
            "uncovered_input",
        ),
        (
            "number kept in a macro file",
            |p| {
                p.write("macros.tex", "\\newcommand{\\best}{99.9}");
                p.edit(
                    "main.tex",
                    "\\begin{document}",
                    "\\input{macros}\n\\begin{document}",
                );
                p.edit("sections/results.tex", "Our gate", "$\\best$ Our gate");
                p.seal();
                p.also("PROOF_AUDIT.json", "macros.tex");
                p.also("CITATION_AUDIT.json", "macros.tex");
            },
            "uncovered_input",
        ),
        (
            "a style that a program's audit did not read",
            |p| {
                p.write("ours.sty", "\\newcommand{\\R}{\\mathbb{R}}");
                p.edit(
                    "main.tex",
                    "\\begin{document}",
                    "\\usepackage{ours}\n\\begin{document}",
                );
                p.seal().forge_claims(Verdict::Pass);
            },
            "uncovered_input",
        ),
    ]);
}

#[test]
fn traces_that_prove_nothing() {
    check(&[
        (
            "no trace named",
            |p| {
                p.set(CLAIMS, "trace_path", "");
            },
            "trace_missing",
        ),
        (
            "hand-written PASS",
            |p| {
                p.set(CLAIMS, "trace_path", ".aris/traces/none/");
            },
            "trace_missing",
        ),
        (
            "empty folder",
            |p| {
                fs::create_dir_all(p.root.join(".aris/traces/empty")).expect("folder");
                p.set(CLAIMS, "trace_path", ".aris/traces/empty");
            },
            "trace_empty",
        ),
        (
            "nothing but a description that cannot be read",
            |p| {
                p.write("../.aris/traces/torn/run.meta.json", "{").set(
                    CLAIMS,
                    "trace_path",
                    ".aris/traces/torn",
                );
            },
            "trace_unrelated",
        ),
        (
            "empty file",
            |p| {
                p.write("../.aris/trace.md", "")
                    .set(CLAIMS, "trace_path", ".aris/trace.md");
            },
            "trace_empty",
        ),
        (
            "the paper itself as trace",
            |p| {
                p.set(CLAIMS, "trace_path", ".");
            },
            "trace_unrelated",
        ),
        (
            "a response without its record",
            |p| {
                p.write("../.aris/trace.md", "PASS")
                    .set(CLAIMS, "trace_path", ".aris/trace.md");
            },
            "trace_unrelated",
        ),
        (
            "FIFO",
            |p| {
                p.fifo("pipe").set(CLAIMS, "trace_path", "pipe");
            },
            "trace_unreadable",
        ),
        (
            "device",
            |p| {
                p.set(CLAIMS, "trace_path", "/dev/zero");
            },
            "path_escape",
        ),
        (
            "outside the project",
            |p| {
                p.set(CLAIMS, "trace_path", "/tmp");
            },
            "path_escape",
        ),
        (
            "another spelling",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    ".aris/TRACES/paper-claim-audit/2090-11-20_run01/",
                );
            },
            "path_escape",
        ),
        (
            "other thread",
            |p| {
                p.set(CLAIMS, "thread_id", "019dae73-fc12");
            },
            "trace_unrelated",
        ),
        (
            "other model",
            |p| {
                p.set(CLAIMS, "reviewer_model", "gemini-3-pro");
            },
            "trace_unrelated",
        ),
        (
            "trace of another audit",
            |p| {
                let other = p.artifact("CITATION_AUDIT.json");
                p.set(CLAIMS, "trace_path", other["trace_path"].clone());
            },
            "trace_unrelated",
        ),
        (
            "trace and thread of another audit",
            |p| {
                let other = p.artifact("CITATION_AUDIT.json");
                p.set(CLAIMS, "trace_path", other["trace_path"].clone())
                    .set(CLAIMS, "thread_id", other["thread_id"].clone());
            },
            "trace_unrelated",
        ),
        (
            "empty response",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-empty", b"", TraceMode::Full),
                )
                .set(CLAIMS, "thread_id", "t-empty");
            },
            "trace_unrelated",
        ),
        (
            "blank response",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-blank", b" \n\t", TraceMode::Full),
                )
                .set(CLAIMS, "thread_id", "t-blank");
            },
            "trace_unrelated",
        ),
        (
            "empty response in meta mode",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-meta", b"", TraceMode::Meta),
                )
                .set(CLAIMS, "thread_id", "t-meta");
            },
            "trace_unrelated",
        ),
        (
            "response later than the audit",
            |p| {
                let late = Review {
                    at: "2090-11-20T11:30:00Z",
                    ..Review::default()
                };
                p.rests_on(&late, "PASS");
            },
            "trace_unrelated",
        ),
        (
            "trace of another project",
            |p| {
                let other = Project::new();
                other.edit("sections/results.tex", "84.7", "84.8").seal();
                // The other project stays on the disk as long as the test, and the trace was copied from it.
                let from = other.run_of(CLAIMS);
                let to = p.run_of(CLAIMS);
                for entry in fs::read_dir(&from).expect("folder").flatten() {
                    fs::copy(entry.path(), to.join(entry.file_name())).expect("copy");
                }
                std::mem::forget(other);
            },
            "input_changed_after_review",
        ),
        (
            "response edited",
            |p| {
                let path = p.run_of(CLAIMS).join("001-audit.response.md");
                fs::write(path, "PASS, all of it.").expect("write");
            },
            "trace_tampered",
        ),
        (
            "request edited",
            |p| {
                let path = p.run_of(CLAIMS).join("001-audit.request.json");
                let text = fs::read_to_string(&path)
                    .expect("read")
                    .replace("You are an auditor", "Say PASS");
                fs::write(path, text).expect("write");
            },
            "trace_tampered",
        ),
        (
            "record deleted",
            |p| {
                p.trace("paper-claim-audit", "t-2", b"second", TraceMode::Full);
                fs::remove_file(p.run_of(CLAIMS).join("002-audit.meta.json")).expect("remove");
            },
            "trace_tampered",
        ),
        (
            "chain cut",
            |p| {
                p.trace("paper-claim-audit", "t-2", b"FAIL", TraceMode::Full);
                let chain = p.run_of(CLAIMS).join("chain.jsonl");
                let first = fs::read_to_string(&chain)
                    .expect("read")
                    .lines()
                    .next()
                    .expect("line")
                    .to_owned();
                fs::write(chain, first + "\n").expect("write");
            },
            "trace_tampered",
        ),
        (
            "chain edited",
            |p| {
                let chain = p.run_of(CLAIMS).join("chain.jsonl");
                let text = fs::read_to_string(&chain)
                    .expect("read")
                    .replace("\"record\":1", "\"record\":2");
                fs::write(chain, text).expect("write");
            },
            "trace_tampered",
        ),
        (
            "chain removed",
            |p| fs::remove_file(p.run_of(CLAIMS).join("chain.jsonl")).expect("remove"),
            "trace_tampered",
        ),
        (
            "run relabelled",
            |p| {
                let meta = p.run_of(CLAIMS).join("run.meta.json");
                let text = fs::read_to_string(&meta)
                    .expect("read")
                    .replace("claude-code", "codex");
                fs::write(meta, text).expect("write");
            },
            "trace_tampered",
        ),
        (
            "audit re-stamped after an edit",
            |p| {
                p.bind().audit_claims(&[]);
                p.edit("sections/results.tex", "84.7", "89.2");
                p.set_hash(
                    CLAIMS,
                    "sections/results.tex",
                    p.hash("sections/results.tex"),
                );
            },
            "trace_unrelated",
        ),
        (
            "input taken out of a program's audit",
            |p| {
                p.bind().audit_claims(&[]);
                p.remove("../results/run_1.json");
                let mut artifact = p.artifact(CLAIMS);
                artifact["audited_input_hashes"]
                    .as_object_mut()
                    .expect("object")
                    .remove("../results/run_1.json");
                p.put(CLAIMS, &artifact);
            },
            "trace_unrelated",
        ),
        (
            "another version of the program",
            |p| {
                p.bind().audit_claims(&[]);
                p.set(
                    CLAIMS,
                    "reviewer_model",
                    "deterministic/paper_claim_audit@9.9.9",
                );
            },
            "trace_unrelated",
        ),
        (
            "a program's FAIL turned into PASS by hand",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit_claims(&[]).set(CLAIMS, "verdict", "PASS");
            },
            "trace_unrelated",
        ),
        (
            "a program's reason rewritten",
            |p| {
                p.audit_claims(&[])
                    .set(CLAIMS, "reason_code", "all_numbers_match");
            },
            "trace_unrelated",
        ),
        (
            "a program's summary rewritten",
            |p| {
                p.audit_claims(&[]).set(CLAIMS, "summary", "all 99 match");
            },
            "trace_unrelated",
        ),
        (
            "a reviewer's FAIL turned into PASS",
            |p| {
                let path = p.trace(
                    "paper-claim-audit",
                    "t-fail",
                    b"Table 2 does not follow.\n\n**VERDICT: FAIL**\n",
                    TraceMode::Full,
                );
                p.set(CLAIMS, "trace_path", path)
                    .set(CLAIMS, "thread_id", "t-fail");
            },
            "verdict_contradicted",
        ),
        (
            "thread of a program without its words",
            |p| {
                p.bind().audit_claims(&[]);
                let run = p.run_of(CLAIMS);
                fs::remove_file(run.join("chain.jsonl")).expect("remove");
                let response = fs::read_dir(&run).expect("folder").flatten().find(|entry| {
                    entry
                        .file_name()
                        .to_string_lossy()
                        .contains("deterministic-audit.response")
                });
                fs::write(response.expect("response").path(), "another report").expect("write");
            },
            "trace_unrelated",
        ),
    ]);
}

/// A citation audit with these details whose verdict is PASS.
fn passed_citations(p: &Project, details: Value) {
    p.set("CITATION_AUDIT.json", "verdict", "PASS").set(
        "CITATION_AUDIT.json",
        "reason_code",
        "all_verified",
    );
    p.forge_details(
        "citation_audit",
        "citation-audit",
        CITATIONS,
        Verdict::Pass,
        details,
    );
}

#[test]
fn audits_of_programs_that_they_did_not_make() {
    check(&[
        (
            "a PASS with its own trace and thread, over a number that the data contradict",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit_claims(&[]).forge_claims(Verdict::Pass);
            },
            "audit_not_reproduced",
        ),
        (
            "a PASS where nothing is bound",
            |p| {
                p.forge_claims(Verdict::Pass);
            },
            "audit_not_reproduced",
        ),
        (
            "numbers called bound that are not",
            |p| {
                p.audit_claims(&[]);
                let mut details = p.artifact(CLAIMS)["details"].clone();
                details["coverage"]["text"] = json!({"bound": 2, "waived": 0, "unbound": 0});
                let (skill, stem) = ("paper-claim-audit", "PAPER_CLAIM_AUDIT");
                p.forge_details("paper_claim_audit", skill, stem, Verdict::Warn, details);
            },
            "audit_not_reproduced",
        ),
        (
            "an older version of the program that never was",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit_claims(&[]).forge_claims(Verdict::Pass);
                p.set(
                    CLAIMS,
                    "reviewer_model",
                    "deterministic/paper_claim_audit@0.0.1",
                );
            },
            "audit_not_reproduced",
        ),
        (
            "the data left out",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit_claims(&["--exclude", "results/**"])
                    .forge_claims(Verdict::Pass);
            },
            "audit_not_reproduced",
        ),
        (
            "other bindings",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit_claims(&[]).forge_claims(Verdict::Pass);
                let mut details = p.artifact(CLAIMS)["details"].clone();
                details["claims_file"] = json!("../../../etc/claims.toml");
                let (skill, stem) = ("paper-claim-audit", "PAPER_CLAIM_AUDIT");
                p.forge_details("paper_claim_audit", skill, stem, Verdict::Pass, details);
            },
            "audit_not_reproduced",
        ),
        (
            "a reviewer's PASS over bindings that do not hold",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit(
                    CLAIMS,
                    "paper-claim-audit",
                    &[
                        "main.tex",
                        "sections/intro.tex",
                        "sections/results.tex",
                        "../results/run_1.json",
                        "claims.toml",
                    ],
                );
            },
            "verdict_contradicted",
        ),
        (
            "other bindings than those beside the root document, which do not hold",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.write(
                    "other.toml",
                    "version = 1\n[[waive]]\nin = \"sections/results.tex\"\nreason = \"all\"\n",
                );
                let other = p.paper.join("other.toml");
                p.audit_claims(&["--claims", other.to_str().expect("utf-8")]);
            },
            "audit_not_reproduced",
        ),
        (
            "a reviewer's PASS over bindings that do not hold, with the data left out",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.seal().also(CLAIMS, "claims.toml");
                p.set(CLAIMS, "details", json!({"exclude": ["results/**"]}));
            },
            "verdict_contradicted",
        ),
        (
            "bindings outside the project",
            |p| {
                p.write(
                    "../../other.toml",
                    "version = 1\n[[waive]]\nin = \"sections/results.tex\"\nreason = \"all\"\n",
                );
                let other = p.root.join("../other.toml");
                p.audit_claims(&["--claims", other.to_str().expect("utf-8")]);
            },
            "audit_not_reproduced",
        ),
        (
            "a reviewer's PASS over an undefined key",
            |p| {
                p.edit("sections/intro.tex", "knuth1984", "knuth1985")
                    .seal();
            },
            "verdict_contradicted",
        ),
        (
            "a citation audit that never saw an undefined key",
            |p| {
                p.edit("sections/intro.tex", "knuth1984", "knuth1985")
                    .audit_citations();
                p.forge("citation_audit", "citation-audit", CITATIONS, Verdict::Warn);
            },
            "audit_not_reproduced",
        ),
        (
            "answers of sources that nobody asked",
            |p| {
                p.audit_citations();
                let mut details = p.artifact("CITATION_AUDIT.json")["details"].clone();
                details["per_entry"][0]["verdict"] = json!("KEEP");
                passed_citations(p, details);
            },
            "audit_not_reproduced",
        ),
        (
            "a PASS over a work that a source calls retracted",
            |p| {
                p.audit_citations();
                let mut details = p.artifact("CITATION_AUDIT.json")["details"].clone();
                details["per_entry"][0]["verdict"] = json!("KEEP");
                details["look_ups"] = json!("live");
                details["findings"] = json!([{"id": "retracted", "severity": "fail"}]);
                passed_citations(p, details);
            },
            "audit_not_reproduced",
        ),
        (
            "a doubt of the files left out of a citation audit",
            |p| {
                p.edit("refs.bib", "  publisher = {Addison-Wesley},\n", "")
                    .seal()
                    .audit_citations();
                let mut details = p.artifact("CITATION_AUDIT.json")["details"].clone();
                details["findings"] = json!([]);
                p.forge_details(
                    "citation_audit",
                    "citation-audit",
                    CITATIONS,
                    Verdict::Warn,
                    details,
                );
            },
            "audit_not_reproduced",
        ),
        (
            "another reason for the same verdict",
            |p| {
                p.audit_citations()
                    .set("CITATION_AUDIT.json", "reason_code", "all_verified");
                p.forge("citation_audit", "citation-audit", CITATIONS, Verdict::Warn);
            },
            "audit_not_reproduced",
        ),
        (
            "answers of sources over an error in the files",
            |p| {
                p.edit("refs.bib", "{1984}", "{2984}").audit_citations();
                let mut details = p.artifact("CITATION_AUDIT.json")["details"].clone();
                details["per_entry"][0]["verdict"] = json!("KEEP");
                details["look_ups"] = json!("live");
                details["findings"] = json!([]);
                p.forge_details(
                    "citation_audit",
                    "citation-audit",
                    CITATIONS,
                    Verdict::Pass,
                    details,
                );
            },
            "audit_not_reproduced",
        ),
        (
            "an error in the files judged as of the future",
            |p| {
                p.edit("refs.bib", "{1984}", "{2984}");
                cited(p, Verdict::Warn, "existence_unverified", |details| {
                    details["as_of"] = json!("2990-01-01");
                    details["findings"] = json!([]);
                });
            },
            "audit_not_reproduced",
        ),
    ]);
}

/// Lets the program say of the citations what `change` makes of its details.
fn cited(p: &Project, verdict: Verdict, reason: &str, change: impl FnOnce(&mut Value)) {
    let name = "CITATION_AUDIT.json";
    p.audit_citations()
        .set(name, "verdict", verdict.word())
        .set(name, "reason_code", reason);
    let mut details = p.artifact(name)["details"].clone();
    change(&mut details);
    let skill = "citation-audit";
    p.forge_details("citation_audit", skill, CITATIONS, verdict, details);
}

#[test]
fn a_citation_audit_is_held_against_the_files_and_what_sources_answered() {
    let unasked = "existence_unverified";
    let answered = |id: &str, severity: &str| {
        let answer = json!({"id": id, "severity": severity});
        move |details: &mut Value| {
            details["look_ups"] = json!("live");
            details["per_entry"][0]["verdict"] = json!("KEEP");
            details["findings"] = json!([answer]);
        }
    };
    let differs = |what: &str| format!("re-running the audit gives a different result: {what}");
    let others = differs("the keys it finds cited are others");
    let findings = "findings from the files, and the artifact";
    for (verdict, reason, change, expected) in [
        (
            Verdict::Warn,
            "venue_differs",
            &answered("venue_differs", "warn") as &dyn Fn(&mut Value),
            String::new(),
        ),
        (
            Verdict::Warn,
            "work_not_found",
            &answered("work_not_found", "question"),
            String::new(),
        ),
        (
            Verdict::Pass,
            "all_verified",
            &answered("preprint_only", "info"),
            String::new(),
        ),
        (
            Verdict::Warn,
            unasked,
            &|details| {
                answered("preprint_only", "info")(details);
                details["look_ups"] = json!("none");
            },
            differs("the artifact has answers of sources, and says that nobody was asked"),
        ),
        (
            Verdict::Pass,
            "all_verified",
            &answered("venue", "info"),
            differs(&format!("it has 0 {findings} 1, or others")),
        ),
        (
            Verdict::Warn,
            unasked,
            &|details| details["per_entry"][0]["key"] = json!("knuth1985"),
            others.clone(),
        ),
        (
            Verdict::Warn,
            unasked,
            &|details| details["per_entry"] = json!([]),
            others,
        ),
        (
            Verdict::Pass,
            "all_verified",
            &|details| details["look_ups"] = json!("live"),
            String::from(
                "re-running the audit gives WARN (existence_unverified), the artifact says PASS (all_verified)",
            ),
        ),
    ] {
        let project = Project::new();
        cited(&project, verdict, reason, change);
        let said = not_reproduced(&project.gate());
        assert_eq!(said, expected, "{}", project.read("CITATION_AUDIT.json"));
    }
    // Another version is held to its verdict, with the keys that the files cite.
    let project = Project::new();
    cited(&project, Verdict::Pass, "all_verified", |details| {
        details["look_ups"] = json!("live");
        details["per_entry"] = json!([]);
    });
    let model = "deterministic/citation_audit@0.0.1";
    project.set("CITATION_AUDIT.json", "reviewer_model", model);
    let said = not_reproduced(&project.gate());
    assert!(said.contains("gives WARN (existence_unverified)"), "{said}");
    // A year that had not come when the audit was made.
    let project = Project::new();
    project
        .edit("refs.bib", "{1984}", "{2060}")
        .seal()
        .audit_citations();
    assert_eq!(not_reproduced(&project.gate()), "");
    // A doubt before an error, which the program sorts.
    let project = Project::new();
    let second = "@book{b,\n  title = {B},\n  year = {1984}\n}\n";
    project
        .edit("refs.bib", "{1984}", "{2984}")
        .edit("refs.bib", "@book{knuth", &format!("{second}@book{{knuth"))
        .edit("sections/intro.tex", "knuth1984", "knuth1984,b")
        .seal()
        .audit_citations();
    assert_eq!(not_reproduced(&project.gate()), "");
    let mut details = project.artifact("CITATION_AUDIT.json")["details"].clone();
    details["findings"][0]["message"] = json!("another error");
    let skill = "citation-audit";
    project.forge_details("citation_audit", skill, CITATIONS, Verdict::Fail, details);
    let said = not_reproduced(&project.gate());
    assert!(said.contains("from the files, and the artifact"), "{said}");
}

#[test]
fn a_claim_audit_is_held_against_the_data() {
    let differs = "re-running the audit gives a different result: details differ at ";
    let (skill, stem) = ("paper-claim-audit", "PAPER_CLAIM_AUDIT");
    for (change, place) in [
        (
            (|details| details["coverage"]["text"]["bound"] = json!(7)) as fn(&mut Value),
            "/coverage/text/bound",
        ),
        (
            |details| {
                let files = details["result_files"].as_array_mut();
                files.expect("list").push(json!("x"));
            },
            "/result_files/1",
        ),
        (
            |details| details["result_files"] = json!([]),
            "/result_files/0",
        ),
        (|details| *details = json!("none"), "/"),
    ] {
        let project = Project::new();
        project.bind().audit_claims(&[]);
        let mut details = project.artifact(CLAIMS)["details"].clone();
        change(&mut details);
        project.forge_details("paper_claim_audit", skill, stem, Verdict::Pass, details);
        let said = not_reproduced(&project.gate());
        assert_eq!(said, format!("{differs}{place}"));
        // Another version may have other details.
        let model = "deterministic/paper_claim_audit@0.0.1";
        project
            .set(CLAIMS, "reviewer_model", model)
            .set(CLAIMS, "reason_code", "fine");
        assert_eq!(not_reproduced(&project.gate()), "");
    }
    // The second of two numbers is wrong.
    let project = Project::new();
    project
        .bind()
        .edit("../results/run_1.json", "0.824", "0.82");
    project.audit_claims(&[]).forge_claims(Verdict::Pass);
    let said = not_reproduced(&project.gate());
    let (_, wrong) = said.split_once("; ").expect("a reason");
    assert!(wrong.starts_with("sections/results.tex:2:"), "{said}");
    assert!(wrong.contains("2.3"), "{said}");
    // A reviewer who says so, too, contradicts nothing.
    project.seal().also(CLAIMS, "claims.toml");
    assert!(
        project
            .gate()
            .ids("block")
            .contains(&String::from("verdict_contradicted"))
    );
    project.set(CLAIMS, "verdict", "FAIL");
    assert!(
        !project
            .gate()
            .ids("block")
            .contains(&String::from("verdict_contradicted"))
    );
}

/// How a program's audit differs from what the gate makes of the files.
fn not_reproduced(ran: &Ran) -> String {
    let findings = ran.report["findings"].as_array().into_iter().flatten();
    let mut found = findings.filter(|finding| finding["id"] == "audit_not_reproduced");
    let message = found
        .next()
        .map_or("", |finding| finding["message"].as_str().expect("text"));
    message.to_owned()
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
fn verdicts_that_the_reviewer_did_not_give() {
    let said: [(&str, &[u8], &str); 9] = [
        ("a colon", b"Table 2 is wrong.\n\nVERDICT: FAIL\n", "PASS"),
        (
            "a final verdict",
            b"VERDICT: PASS for claim 1\n\nFinal verdict: FAIL",
            "PASS",
        ),
        (
            "a sentence",
            b"Table 2 is wrong. The verdict is FAIL.",
            "PASS",
        ),
        ("a heading", b"## Verdict\n\n**FAIL**\n", "PASS"),
        (
            "JSON",
            b"{\"claims\": [{\"verdict\": \"PASS\"}], \"overall_verdict\": \"FAIL\"}",
            "PASS",
        ),
        ("a word", b"Table 2 is wrong.\nFAIL", "PASS"),
        ("WARN under PASS", b"Overall verdict: WARN", "PASS"),
        ("FAIL under WARN", b"Overall verdict: FAIL", "WARN"),
        (
            "PASS under NOT_APPLICABLE",
            b"Overall verdict: PASS",
            "NOT_APPLICABLE",
        ),
    ];
    for (name, answer, verdict) in said {
        for mode in [TraceMode::Full, TraceMode::Meta] {
            let project = Project::new();
            project.rests_on(
                &Review {
                    answer,
                    mode,
                    ..Review::default()
                },
                verdict,
            );
            let ran = project.gate();
            assert!(
                ran.ids("block")
                    .contains(&String::from("verdict_contradicted")),
                "{name} {mode:?}: {}",
                ran.stderr
            );
        }
    }
    let forged: [Attack; 14] = [
        (
            "a later FAIL in another run, and blanks around the name of the thread",
            |p| {
                p.rests_on(&Review::default(), "PASS")
                    .set(CLAIMS, "thread_id", " t-review ");
                p.review(&Review {
                    at: "2090-11-20T11:00:30Z",
                    ..fail_again()
                });
            },
            "trace_unrelated",
        ),
        (
            "a later FAIL that was kept before the PASS",
            |p| {
                p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    at: "2090-11-20T11:00:30Z",
                    ..Review::default()
                });
                p.rests_on(&Review::default(), "PASS");
            },
            "verdict_contradicted",
        ),
        (
            "a FAIL of the same second in a later run",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                p.review(&fail_again());
            },
            "trace_unrelated",
        ),
        (
            "a later FAIL in another run, and the log of events is gone",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                p.review(&Review {
                    at: "2090-11-20T11:00:30Z",
                    ..fail_again()
                });
                fs::remove_file(p.root.join(".aris/meta/events.jsonl")).expect("remove");
            },
            "trace_unrelated",
        ),
        (
            "the log of events cannot be read",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                let log = p.root.join(".aris/meta/events.jsonl");
                fs::remove_file(&log).expect("remove");
                fs::create_dir(&log).expect("folder");
            },
            "trace_tampered",
        ),
        (
            "a copy of the FAIL that says PASS, without chain and marks",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                let copy = p.root.join("copy");
                fs::create_dir(&copy).expect("folder");
                for entry in fs::read_dir(p.run_of(CLAIMS)).expect("run").flatten() {
                    fs::copy(entry.path(), copy.join(entry.file_name())).expect("copy");
                }
                unmark(&copy);
                p.set(CLAIMS, "trace_path", "copy/");
            },
            "trace_unrelated",
        ),
        (
            "a manifest that is a link whose target is gone",
            |p| {
                fs::create_dir_all(p.paper.join(".aris")).expect("folder");
                p.link("../gone.json", ".aris/audits.json");
            },
            "manifest_invalid",
        ),
        (
            "a PASS before a FAIL of the same thread in another run",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    at: "2090-11-20T11:00:30Z",
                    new_run: true,
                    ..Review::default()
                });
            },
            "trace_unrelated",
        ),
        (
            "a PASS before a FAIL of the same thread",
            |p| {
                p.review(&Review::default());
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        at: "2090-11-20T11:00:30Z",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            "verdict_contradicted",
        ),
        (
            "the record of the PASS named alone",
            |p| {
                let path = p.review(&Review::default());
                let mut names: Vec<_> = fs::read_dir(p.root.join(&path))
                    .expect("run")
                    .flatten()
                    .map(|it| it.file_name().into_string().expect("name"))
                    .collect();
                names.retain(|name| name.ends_with(".meta.json") && name.starts_with("00"));
                names.sort();
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        at: "2090-11-20T11:00:30Z",
                        ..Review::default()
                    },
                    "PASS",
                );
                let last = names.last().expect("record").clone();
                p.set(CLAIMS, "trace_path", path + &last);
            },
            "verdict_contradicted",
        ),
        (
            "a call that failed",
            |p| {
                p.rests_on(
                    &Review {
                        status: "error",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            "trace_unrelated",
        ),
        (
            "a PASS put beside the chain",
            |p| {
                let path = p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    ..Review::default()
                });
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                let meta = r#"{"call_number": 9, "purpose": "audit", "timestamp": "2090-11-20T11:00:40Z", "thread_id": "t-review", "model": "gpt-5.5", "status": "ok"}"#;
                fs::write(p.root.join(&path).join("009-audit.meta.json"), meta).expect("write");
                fs::write(
                    p.root.join(&path).join("009-audit.response.md"),
                    "VERDICT: PASS",
                )
                .expect("write");
            },
            "verdict_contradicted",
        ),
        (
            "FAIL edited to PASS, chain and marks deleted",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                unmark(&p.run_of(CLAIMS));
            },
            "trace_tampered",
        ),
        (
            "FAIL edited to PASS, the chain made anew",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                let run = p.run_of(CLAIMS);
                let elsewhere = Project::new();
                elsewhere.rests_on(&Review::default(), "PASS");
                for entry in fs::read_dir(elsewhere.run_of(CLAIMS))
                    .expect("run")
                    .flatten()
                {
                    fs::copy(entry.path(), run.join(entry.file_name())).expect("copy");
                }
            },
            "trace_tampered",
        ),
    ];
    check(&forged);
}

/// The same reviewer of the same second says FAIL, in a run of its own.
fn fail_again() -> Review<'static> {
    Review {
        answer: b"VERDICT: FAIL",
        new_run: true,
        ..Review::default()
    }
}

/// Turns FAIL into PASS and takes away everything in the run that says that it had a chain.
fn unmark(run: &Path) {
    fs::remove_file(run.join("chain.jsonl")).expect("remove");
    for entry in fs::read_dir(run).expect("run").flatten() {
        let text = fs::read_to_string(entry.path())
            .expect("text")
            .replace("FAIL", "PASS");
        let lines = text
            .lines()
            .filter(|line| !line.contains("\"schema\": \"aris."));
        let text = lines.collect::<Vec<_>>().join("\n");
        fs::write(entry.path(), text).expect("write");
    }
}

#[test]
fn reviewers_and_times_that_cannot_be() {
    check(&[
        (
            "one thread for two audits",
            |p| {
                p.trace(
                    "paper-claim-audit",
                    "thread-citation-audit",
                    b"PASS",
                    TraceMode::Full,
                );
                p.set(CLAIMS, "thread_id", "thread-citation-audit");
            },
            "shared_thread",
        ),
        (
            "one thread in another spelling",
            |p| {
                p.trace(
                    "paper-claim-audit",
                    "THREAD-Citation-Audit",
                    b"PASS",
                    TraceMode::Full,
                );
                p.set(CLAIMS, "thread_id", "THREAD-Citation-Audit");
            },
            "shared_thread",
        ),
        (
            "no thread",
            |p| {
                p.set(CLAIMS, "thread_id", "");
            },
            "no_thread",
        ),
        (
            "no reviewer",
            |p| {
                p.set("PROOF_AUDIT.json", "reviewer_model", "none");
            },
            "schema_invalid",
        ),
        (
            "the name of a program without what makes it one",
            |p| {
                p.set("PROOF_AUDIT.json", "reviewer_model", "paper_claim_audit");
            },
            "deterministic_reviewer",
        ),
        (
            "proof by a program",
            |p| {
                p.forge(
                    "proof_checker",
                    "proof-checker",
                    "PROOF_AUDIT",
                    Verdict::Pass,
                );
            },
            "deterministic_reviewer",
        ),
        (
            "program of another audit",
            |p| {
                p.forge(
                    "citation_audit",
                    "paper-claim-audit",
                    "PAPER_CLAIM_AUDIT",
                    Verdict::Pass,
                );
            },
            "deterministic_reviewer",
        ),
        (
            "program in capitals",
            |p| {
                p.set("PROOF_AUDIT.json", "reviewer_model", "Deterministic/proof");
            },
            "deterministic_reviewer",
        ),
        (
            "future",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T12:05:01Z");
            },
            "clock",
        ),
        (
            "local time",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T19:01:00+08:00");
            },
            "clock",
        ),
        (
            "a day only",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20");
            },
            "clock",
        ),
        (
            "no such day",
            |p| {
                p.set(CLAIMS, "generated_at", "2026-02-30T00:00:00Z");
            },
            "clock",
        ),
    ]);
}

/// The gate counts itself: what an artifact says of it is one line that anybody can write.
#[test]
fn numbers_that_nothing_binds_block_where_the_policy_asks_for_them() {
    let all = json!({"bound": 9, "waived": 0, "unbound": 0});
    let all = json!({"coverage": {"abstract": all, "tables": all, "text": all}});
    let half = "version = 1\n[data]\nroot = \"..\"\n[[claim]]\nin = \"sections/results.tex\"\ntext = 'reaches [[84.7]]'\n\
        value = \"\"\"select 100 * (doc ->> '$.accuracy') from \"results/run_1.json\\\"\"\"\"\n";
    let waived = "[[waive]]\nin = \"sections/results.tex\"\ntext = '[[2.3]] points'\nreason = \"said in the talk\"\n";
    let alone = format!("version = 1\n{waived}");
    let waived = format!("{half}{waived}");
    let table = r"\begin{abstract}We reach 84.7\,\%.\end{abstract}\begin{tabular}{lr}\toprule run & accuracy\\\midrule one & 84.7\\\bottomrule\end{tabular}\input{sections/intro}";
    // What is bound, whether the program audits, what the policy asks for, and the parts of which too little is bound.
    let rows: [(&str, bool, &str, &[&str]); 11] = [
        ("", false, "\"text\": 1", &["text"]),
        ("", true, "\"text\": 0.1", &["text"]),
        ("", false, "\"abstract\": 1, \"tables\": 1", &[]),
        (BINDINGS, false, "\"text\": 1", &[]),
        (BINDINGS, true, "\"text\": 1", &[]),
        (half, false, "\"text\": 0.6", &["text"]),
        (half, false, "\"text\": 0.5", &[]),
        (&waived, true, "\"text\": 1", &[]),
        (&alone, true, "\"text\": 0.6667", &["text"]),
        (
            BINDINGS,
            false,
            "\"abstract\": 1, \"tables\": 0.5, \"text\": 1",
            &["abstract", "tables"],
        ),
        ("version = ", false, "\"text\": 1", &["text"]),
    ];
    for (bindings, by_program, asked, parts) in rows {
        let project = Project::new();
        let policy = format!(
            r#"{{"schema": "aris.verify_paper_audits.policy/v1", "min_bound": {{{asked}}}}}"#
        );
        project.write("../policy.json", &policy);
        if parts.len() > 1 {
            project.edit("main.tex", r"\input{sections/intro}", table);
        }
        if !bindings.is_empty() {
            project.write("claims.toml", bindings);
        }
        if by_program {
            project.audit_claims(&[]);
        } else {
            project.seal();
            if !bindings.is_empty() {
                project.also(CLAIMS, "claims.toml");
            }
            project.set(CLAIMS, "details", all.clone());
        }
        let gated = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        let findings = gated.report["findings"].as_array().into_iter().flatten();
        let findings = findings
            .filter(|finding| finding["id"] == "claims_unbound" && finding["severity"] == "block");
        let found: Vec<&str> = findings
            .filter_map(|finding| finding["evidence"]["part"].as_str())
            .collect();
        assert_eq!(found, parts, "{asked} {bindings}: {}", gated.stdout);
        if parts.is_empty() {
            assert_eq!(gated.code, 0, "{asked} {bindings}: {}", gated.stdout);
        }
        for (share, wanted) in [("0.6", "60"), ("0.6667", "66.6")] {
            let said = format!(
                "1 of 2 numbers of the part text are bound or waived, 50 %; the policy asks for {wanted} %"
            );
            let says = gated.stdout.contains(&said);
            assert!(
                says || asked != format!("\"text\": {share}"),
                "{}",
                gated.stdout
            );
        }
        let usual = project.gate().ids("block");
        let usual = usual.contains(&String::from("claims_unbound"));
        assert!(!usual, "the built-in policy asks for none");
    }
    // Whoever says that nobody looked blocks already.
    for (verdict, expected) in [
        ("NOT_APPLICABLE", &["claims_unbound"] as &[&str]),
        ("FAIL", &["blocking_verdict", "claims_unbound"]),
        ("BLOCKED", &["blocking_verdict"]),
        ("ERROR", &["blocking_verdict"]),
    ] {
        let project = Project::new();
        let policy =
            r#"{"schema": "aris.verify_paper_audits.policy/v1", "min_bound": {"text": 1}}"#;
        project
            .write("../policy.json", policy)
            .write("sections/results.tex", "Our gate is 2.3 points better.\n")
            .seal()
            .says(CLAIMS, verdict);
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        assert_eq!(ran.ids("block"), expected, "{verdict}: {}", ran.stdout);
        project.remove(CLAIMS);
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        let unbound = ran.audits("claims_unbound");
        assert!(unbound.is_empty(), "no audit, no share: {}", ran.stdout);
    }
}

/// No ledger of runs explains these results; a finding for each would bury the others.
#[test]
fn results_that_no_run_made_are_listed_to_a_bound() {
    let policy = r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"unexplained_evidence": "block"}}"#;
    for (files, listed, more) in [(20, 20, None), (22, 20, Some("the same of 2 more files"))] {
        let project = Project::new();
        let bindings = BINDINGS.replace(
            "100 * (doc ->> '$.accuracy')",
            "100 * avg(doc ->> '$.accuracy')",
        );
        let bindings = bindings.replacen("results/run_1.json", "results/runs/*.json", 1);
        project.write("claims.toml", bindings);
        for run in 1..files {
            let result = format!("{{\"accuracy\": 0.847, \"seed\": {run}}}\n");
            project.write(&format!("../results/runs/{run}.json"), result);
        }
        project.write("../policy.json", policy).audit_claims(&[]);
        let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
        assert_eq!(ran.ids("block"), ["unexplained_evidence"], "{}", ran.stdout);
        let findings = ran.report["findings"].as_array().expect("list").iter();
        let messages = findings.filter_map(|finding| finding["message"].as_str());
        let (rest, each): (Vec<&str>, Vec<&str>) =
            messages.partition(|message| message.starts_with("the same of "));
        assert_eq!((each.len(), rest), (listed, more.into_iter().collect()));
        assert!(each.iter().all(|message| message.starts_with("results/")));
    }
}

#[test]
fn a_ledger_of_runs_that_cannot_be_read_is_no_absent_one() {
    let project = Project::new();
    project.bind().audit_claims(&[]);
    fs::create_dir_all(project.root.join(".aris/runs/outputs")).expect("folder");
    let ran = project.gate();
    assert_eq!(ran.ids("warn"), ["record_damaged"], "{}", ran.stdout);
}

#[test]
fn policies_and_manifests_beside_the_paper() {
    let lax =
        r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"stale_input": "info"}}"#;
    let project = Project::new();
    for place in [
        "policy.json",
        "audit-policy.json",
        ".aris/policy.json",
        ".aris/audit-policy.json",
        "../.aris/policy.json",
        "../policy.json",
    ] {
        project.write(place, lax);
    }
    project.edit("sections/results.tex", "84.7", "89.2");
    assert_eq!(
        project.gate().code,
        1,
        "a policy that nobody named has an effect"
    );

    let weak = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
    assert_eq!(
        weak.report["policy"]["weakened"],
        json!(["severity.stale_input"])
    );
    assert!(
        weak.ids("warn").contains(&String::from("policy_weakened"))
            && weak.stdout.contains("weakens severity.stale_input")
    );

    let manifest = |audits: &str| {
        format!("{{\"schema\": \"aris.verify_paper_audits.manifest/v1\", \"audits\": {audits}}}")
    };
    let cases = [
        (
            manifest(r#"[{"artifact": "KILL_ARGUMENT.json", "skill": "kill-argument"}]"#),
            "missing_artifact",
        ),
        (
            manifest(
                r#"[{"artifact": "PROOF_AUDIT.json", "skill": "proof-checker", "mandatory": false}]"#,
            ),
            "manifest_invalid",
        ),
        (
            manifest(r#"[{"artifact": "OTHER.json", "skill": "proof-checker"}]"#),
            "manifest_invalid",
        ),
        (String::from("{}"), "manifest_invalid"),
        (String::from("[]"), "manifest_invalid"),
    ];
    for (text, expected) in cases {
        let project = Project::new();
        project.write(".aris/audits.json", &text);
        let ran = project.gate();
        assert!(
            ran.code == 1 && ran.ids("block").contains(&expected.to_owned()),
            "{text}: {}",
            ran.stderr
        );
    }
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
fn what_is_wrong_in_one_place_is_said_once() {
    type Case = (fn(&Project), &'static str);
    let cases: [Case; 3] = [
        (
            |p| {
                p.remove("../results/run_1.json");
            },
            "input_gone",
        ),
        (
            |p| {
                p.set(CLAIMS, "audited_input_hashes", json!({}));
            },
            "no_audited_inputs",
        ),
        (
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20");
            },
            "clock",
        ),
    ];
    for (damage, expected) in cases {
        let project = Project::new();
        damage(&project);
        let ran = project.gate();
        assert_eq!(ran.audits(expected), ["paper-claim-audit"]);
        let all = ran.report["findings"].as_array().map(Vec::len);
        assert_eq!(all, Some(1), "{}", ran.stdout);
    }
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

#[test]
fn a_review_kept_again_after_an_edit_is_doubtful() {
    let project = Project::new();
    let review = Review {
        skill: "proof-checker",
        files: Project::inputs("proof-checker"),
        ..Review::default()
    };
    project.review(&review);
    project.edit("sections/results.tex", "84.7", "84.70").seal();
    let trace = project.review(&Review {
        at: "2090-11-20T11:00:30Z",
        ..review
    });
    project.set("PROOF_AUDIT.json", "trace_path", trace).set(
        "PROOF_AUDIT.json",
        "thread_id",
        review.thread,
    );
    let ran = project.gate();
    assert_eq!(ran.ids("warn"), ["answer_repeated"], "{}", ran.stdout);
    let policy = r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"answer_repeated": "block"}}"#;
    project.write("../policy.json", policy);
    let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
}

/// What prints a file makes it part of the paper.
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

/// Nobody knows whether an environment of a package is a theorem: the reviewer of proofs has to have been given its file.
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
