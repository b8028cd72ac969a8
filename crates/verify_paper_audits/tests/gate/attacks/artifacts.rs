//! Artifacts that are no audits, that did not examine their subject, or whose content is wrong.

use aris_contract::artifact::audit::Verdict;
use serde_json::{Value, json};

use super::{adds, check, declares, writes};
use crate::support::{CLAIMS, Project, Ran};

const CITATIONS: &str = "CITATION_AUDIT";

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

/// A citation audit with the verdict PASS and these details.
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

/// Makes the citation audit as the program does, with details changed by `change`.
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
    // For another version only the verdict is compared, with the keys in the files.
    let project = Project::new();
    cited(&project, Verdict::Pass, "all_verified", |details| {
        details["look_ups"] = json!("live");
        details["per_entry"] = json!([]);
    });
    let model = "deterministic/citation_audit@0.0.1";
    project.set("CITATION_AUDIT.json", "reviewer_model", model);
    let said = not_reproduced(&project.gate());
    assert!(said.contains("gives WARN (existence_unverified)"), "{said}");
    // The year was in the future when the audit was made.
    let project = Project::new();
    project
        .edit("refs.bib", "{1984}", "{2060}")
        .seal()
        .audit_citations();
    assert_eq!(not_reproduced(&project.gate()), "");
    // A doubt listed before an error; the program would sort them.
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
    // A reviewer who also finds the fault does not contradict the files.
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

/// The message of the finding that the gate's repetition differs from a program's audit.
fn not_reproduced(ran: &Ran) -> String {
    let findings = ran.report["findings"].as_array().into_iter().flatten();
    let mut found = findings.filter(|finding| finding["id"] == "audit_not_reproduced");
    let message = found
        .next()
        .map_or("", |finding| finding["message"].as_str().expect("text"));
    message.to_owned()
}
