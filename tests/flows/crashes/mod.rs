//! Every helper is aborted before its first, second, … change of the disk, each time in a fresh project. Earlier content is
//! intact, no incomplete file can be taken for an answer, and the next run repairs the state.

mod figures;
mod literature;
mod queue;
mod recipe;
mod review;
mod surface;
mod wiki;

use std::path::Path;

use aris_testkit::{Helper, Project, crash_at_every_change};
use serde_json::Value;

/// Extensions of files that a reader may take for an answer.
const ANSWERS: [&str; 3] = [".json", ".md", ".jsonl"];

const PAPER: &str = "\\documentclass{article}\n\\begin{document}\nWe reach 84.7\\% accuracy, as in~\\cite{k}.\n\\bibliography{refs}\n\\end{document}\n";
const CLAIMS: &str = r#"version = 1

[data]
root = ".."

[[claim]]
in = "main.tex"
text = "We reach [[84.7]]\\% accuracy"
value = "select 100 * (doc ->> '$.accuracy') from \"results/run_1.json\""
"#;
const BIB: &str = "@book{k, author = {Leslie Lamport}, title = {LaTeX}, publisher = {Addison-Wesley}, year = 1986}\n";

fn project() -> Project {
    Project::new()
        .file("paper/main.tex", PAPER)
        .file("paper/refs.bib", BIB)
        .file("paper/claims.toml", CLAIMS)
        .file("results/run_1.json", "{\"accuracy\": 0.847}\n")
}

/// Checks that every JSON file of the project is complete, and that no file is left that readers do not ignore.
fn all_whole(project: &Project, when: &str) {
    let snapshot = project.snapshot();
    for path in snapshot.paths() {
        let bytes = snapshot.bytes(path).unwrap_or_default();
        let pending = path.ends_with(".aris-tmp") || path.ends_with(".pending");
        if pending || !ANSWERS.iter().any(|end| path.ends_with(end)) {
            continue;
        }
        let text =
            std::str::from_utf8(bytes).unwrap_or_else(|_| panic!("{when}: {path} is not text"));
        let extension = Path::new(path)
            .extension()
            .and_then(|extension| extension.to_str());
        if extension == Some("json") {
            assert!(
                serde_json::from_str::<Value>(text).is_ok(),
                "{when}: {path} is half-written: {text}"
            );
        }
        if extension == Some("jsonl") {
            // Only the last line may be torn. It has no line feed, and the next writer removes it.
            for line in text
                .split_inclusive('\n')
                .filter(|line| line.ends_with('\n'))
            {
                assert!(
                    serde_json::from_str::<Value>(line).is_ok(),
                    "{when}: {path} has a broken line: {line}"
                );
            }
        }
    }
}

/// Crashes `helper` at every change. After each crash, the same call without a crash must give `code` and leave the same file
/// names as a run without any crash.
fn survives(
    helper: &str,
    args: &[&str],
    prepare: impl Fn() -> Project,
    code: i32,
    leaves: &[&str],
) {
    let binary = Helper::named(helper);
    let current = std::cell::RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = prepare();
            let call = binary.call(project.path()).args(args);
            current.replace(Some(project));
            call
        },
        |number, _| {
            let when = format!("{helper}, crash {number}");
            let project = current
                .borrow_mut()
                .take()
                .expect("the crash happened in a project");
            all_whole(&project, &when);
            let again = binary.call(project.path()).args(args).run();
            assert_eq!(
                again.code(),
                code,
                "{when}: the next run does not repair: {again}"
            );
            all_whole(&project, &format!("{when}, repaired"));
            let snapshot = project.snapshot();
            for name in leaves {
                assert!(
                    snapshot.paths().iter().any(|path| path.ends_with(name)),
                    "{when}: no {name} after the repair"
                );
            }
            assert_eq!(
                project.read("paper/main.tex"),
                PAPER,
                "{when}: the paper was touched"
            );
        },
    );
    assert_eq!(crashes.last.code(), code, "{}", crashes.last);
}

#[test]
fn a_trace_record_is_whole_or_not_there() {
    let args = [
        "--skill",
        "s",
        "--purpose",
        "p",
        "--prompt",
        "q",
        "--response",
        "r",
    ];
    survives(
        "save_trace",
        &args,
        || project().file(".gitignore", "x\n"),
        0,
        &["chain.jsonl", "events.jsonl", "run.meta.json"],
    );
}

#[test]
fn a_claim_audit_is_whole_or_not_there() {
    survives(
        "paper_claim_audit",
        &["paper"],
        project,
        0,
        &[
            "PAPER_CLAIM_AUDIT.json",
            "PAPER_CLAIM_AUDIT.md",
            "chain.jsonl",
        ],
    );
}

#[test]
fn a_citation_audit_is_whole_or_not_there() {
    survives(
        "citation_audit",
        &["paper"],
        project,
        0,
        &["CITATION_AUDIT.json", "CITATION_AUDIT.md", "chain.jsonl"],
    );
}

#[test]
fn the_gate_s_report_is_whole_or_not_there() {
    let args = [
        "paper",
        "--assurance",
        "submission",
        "--html",
        "gate.html",
        "--attest",
        "attest.json",
    ];
    survives(
        "verify_paper_audits",
        &args,
        project,
        1,
        &["audit-verifier-report.json", "gate.html", "attest.json"],
    );
}

#[test]
fn a_repair_is_whole_or_not_there() {
    const MARKED: &str = "\u{FEFF}---\nname: a\ndescription: Counts words. Use when asked.\n---\n";
    let binary = Helper::named("skill_lint");
    let args = [
        "skills",
        "--rule",
        "SR019",
        "--fix",
        "--output",
        "report.json",
        "--write-baseline",
        "base.json",
    ];
    let current = std::cell::RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = Project::new()
                .file("skills/a/SKILL.md", MARKED)
                .file("skills/b/SKILL.md", MARKED);
            let call = binary.call(project.path()).args(args);
            current.replace(Some(project));
            call
        },
        |number, _| {
            let when = format!("skill_lint, crash {number}");
            let project = current.borrow_mut().take().expect("a project");
            all_whole(&project, &when);
            let clean = MARKED.trim_start_matches('\u{FEFF}');
            for skill in ["a", "b"] {
                let text = project.read(&format!("skills/{skill}/SKILL.md"));
                assert!(text == MARKED || text == clean, "{when}: {text:?}");
            }
            binary.call(project.path()).args(args).run().expect_code(0);
            for skill in ["a", "b"] {
                assert_eq!(
                    project.read(&format!("skills/{skill}/SKILL.md")),
                    clean,
                    "{when}"
                );
            }
        },
    );
    assert_eq!(crashes.last.code(), 0, "{}", crashes.last);
}

#[test]
fn a_coverage_report_is_whole_or_not_there() {
    let prepare = || {
        project()
            .file("research-wiki/papers/a.md", "---\narxiv: 1706.03762\n---\n")
            .file("PAPER_PLAN.md", "arXiv:2310.01362\n")
    };
    survives(
        "verify_wiki_coverage",
        &["research-wiki"],
        prepare,
        0,
        &[".wiki-coverage-report.json"],
    );
}
