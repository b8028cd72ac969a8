//! Killed at any point: every helper is aborted before its first, second, … change of the disk, in a project of its own each
//! time. What was there before is whole, nothing half-written can be taken for an answer, and the next run repairs.

use std::path::Path;

use aris_testkit::{Helper, Project, crash_at_every_change};
use serde_json::Value;

/// Ends of file names that a reader may take for an answer.
const ANSWERS: [&str; 3] = [".json", ".md", ".jsonl"];

const PAPER: &str = "\\documentclass{article}\n\\begin{document}\nWe reach 84.7\\% accuracy, as in~\\cite{k}.\n\\bibliography{refs}\n\\end{document}\n";
const BIB: &str = "@book{k, author = {Leslie Lamport}, title = {LaTeX}, publisher = {Addison-Wesley}, year = 1986}\n";

fn project() -> Project {
    Project::new()
        .file("paper/main.tex", PAPER)
        .file("paper/refs.bib", BIB)
        .file("results/run_1.json", "{\"accuracy\": 0.847}\n")
}

/// Every JSON file of the project is whole; nothing is left that no reader ignores.
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
            // A torn last line has no line feed, and the next writer cuts it off; all others are whole.
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

/// Crashes `helper` everywhere; after each crash the uninterrupted call must give `code` and leave what a run without any crash
/// leaves, by name.
fn survives(
    helper: &str,
    args: &[&str],
    prepare: impl Fn() -> Project,
    code: i32,
    leaves: &[&str],
) {
    let binary = Helper::with_faults(helper);
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
    let binary = Helper::with_faults("skill_lint");
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

const INGEST: [&str; 11] = [
    "ingest_paper",
    "wiki",
    "--title",
    "Large Models Learn",
    "--authors",
    "Ann Lee",
    "--year",
    "2024",
    "--tags",
    "x",
    "-q",
];

/// A wiki with an idea, an edge, and a page that somebody writes on.
fn wiki(more: &[&str]) -> Project {
    let project = Project::new().file("wiki/papers/old.md", "Somebody's  words.\n");
    let helper = Helper::named("research_wiki");
    let idea = ["upsert_idea", "wiki", "1", "--based-on", "old", "-q"];
    for args in [&idea[..], more] {
        if !args.is_empty() {
            helper.call(project.path()).args(args).run().expect_code(0);
        }
    }
    project
}

/// Crashes a command on a wiki everywhere; the same command again must leave what a run without a crash leaves, but for times and log.
fn wiki_survives(args: &[&str], more: &[&str]) {
    let binary = Helper::with_faults("research_wiki");
    let whole = wiki(more);
    let doctor = ["doctor", "wiki"];
    for args in [args, &doctor] {
        let helper = Helper::named("research_wiki");
        helper.call(whole.path()).args(args).run().expect_code(0);
    }
    let current = std::cell::RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = wiki(more);
            let call = binary.call(project.path()).args(args);
            current.replace(Some(project));
            call
        },
        |number, _| {
            let when = format!("research_wiki {}, crash {number}", args[0]);
            let project = current.borrow_mut().take().expect("a project");
            all_whole(&project, &when);
            binary.call(project.path()).args(args).run();
            // What repairs everything, and ends what was begun.
            binary
                .call(project.path())
                .args(doctor)
                .run()
                .expect_code(0);
            all_whole(&project, &when);
            assert_eq!(contents(&project), contents(&whole), "{when}");
            assert!(!project.read("wiki/log.md").is_empty(), "{when}");
        },
    );
    assert_eq!(crashes.last.code(), 0, "{}", crashes.last);
}

/// What a wiki says, without times.
fn contents(project: &Project) -> Vec<String> {
    let snapshot = project.snapshot();
    let kept = |path: &&str| {
        path.starts_with("wiki/") && !path.contains("/.") && !path.ends_with("log.md")
    };
    let timeless = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("added:"));
        let lines = lines.map(|line| line.split("\"added\"").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    };
    let paths = snapshot.paths();
    let kept = paths.into_iter().filter(kept);
    // A folder has a path and no bytes.
    kept.map(|path| match snapshot.bytes(path) {
        Some(bytes) => format!("{path}\n{}", timeless(&String::from_utf8_lossy(bytes))),
        None => path.to_owned(),
    })
    .collect()
}

#[test]
fn a_wiki_is_whole_whenever_a_writer_is_killed() {
    wiki_survives(&INGEST, &[]);
    let edge = [
        "add_edge",
        "wiki",
        "--from",
        "idea:1",
        "--to",
        "gap:G1",
        "--type",
        "addresses_gap",
    ];
    wiki_survives(&edge, &[]);
    wiki_survives(
        &[
            "merge",
            "wiki",
            "paper:old",
            "paper:lee2024_large_models_learn",
        ],
        &INGEST,
    );
}

#[test]
fn eight_writers_of_a_wiki_that_are_killed_now_and_then_lose_nothing() {
    const PAPERS: u64 = 5;
    let (faulty, helper) = (
        Helper::with_faults("research_wiki"),
        Helper::named("research_wiki"),
    );
    let project = Project::new();
    helper
        .call(project.path())
        .args(["init", "wiki"])
        .run()
        .expect_code(0);
    std::thread::scope(|scope| {
        for writer in 0..8_u64 {
            let (faulty, helper, project) = (&faulty, &helper, &project);
            scope.spawn(move || {
                for paper in 0..PAPERS {
                    let title = format!("Writer {writer} reads paper number {paper}");
                    let doi = format!("10.1234/{writer}.{paper}");
                    let args = [
                        "ingest_paper",
                        "wiki",
                        "--title",
                        &title,
                        "--authors",
                        "Ann Lee",
                        "--year",
                        "2024",
                        "--external-id-doi",
                        &doi,
                    ];
                    let node = format!("idea:{writer}.{paper}");
                    let edge = [
                        "add_edge",
                        "wiki",
                        "--from",
                        &node,
                        "--to",
                        "gap:G1",
                        "--type",
                        "addresses_gap",
                    ];
                    for (number, args) in [&args[..], &edge[..]].into_iter().enumerate() {
                        // Killed somewhere, if it makes so many changes; then again until it gets through.
                        let at = 1 + (writer * 7 + paper * 5 + number as u64 * 3) % 19;
                        faulty
                            .call(project.path())
                            .args(args)
                            .env("ARIS_FAULT_AT", at.to_string())
                            .run();
                        helper.call(project.path()).args(args).run().expect_code(0);
                    }
                }
            });
        }
    });
    all_whole(&project, "eight writers");
    let count = usize::try_from(8 * PAPERS).expect("small");
    let snapshot = project.snapshot();
    let pages = snapshot.paths().into_iter().filter(|path| {
        let is_page = Path::new(path).extension().is_some_and(|name| name == "md");
        path.starts_with("wiki/papers/") && is_page
    });
    assert_eq!(pages.count(), count);
    let index = project.read("wiki/index.md");
    assert_eq!(index.matches("- `paper:").count(), count, "{index}");
    let edges = project.read("wiki/graph/edges.jsonl");
    assert_eq!(edges.lines().count(), count, "{edges}");
}
