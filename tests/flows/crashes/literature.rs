//! Helpers that look up papers write results, patches, downloads and a shared cache: killed at any point, and many in parallel.

use std::sync::atomic::{AtomicBool, Ordering};

use aris_testkit::{
    Answer, Call, Helper, Project, Received, Run, Server, crash_at_every_change_at_once,
};
use serde_json::{Value, json};

use super::all_whole;

const TEX: &str =
    "\\documentclass{article}\\begin{document}\\cite{one}\\bibliography{refs}\\end{document}";
const BIB: &str = "@article{one,\n  title = {On the numbers of one machine},\n  author = {Ada Lovelace},\n  \
                   journal = {Journal of Tests},\n  year = 2011,\n  doi = {10.1000/one},\n}\n";
const OLD_RESULT: &str = "{\"verdict\": \"an older one\", \"papers\": []}\n";
const OLD_PATCH: &str = "--- a/an/older/patch\n";

/// Every service has one paper; the download consists of several pieces.
fn answer(asked: &Received) -> Answer {
    let path = asked.path();
    if path.starts_with("/pdf/") {
        return Answer::ok("application/pdf", pdf());
    }
    if path.starts_with("/works/10.1000") {
        return Answer::json(&json!({"status": "ok", "message-type": "work", "message": {
            "DOI": "10.1000/one", "title": ["On the numbers of one machine"], "type": "journal-article",
            "container-title": ["Journal of Tests"], "issued": {"date-parts": [[2016]]},
            "author": [{"given": "Ada", "family": "Lovelace"}, {"given": "Grace", "family": "Hopper"}]}}));
    }
    if path == "/works" {
        return Answer::json(&json!({"meta": {"count": 1}, "results": [
            {"id": "https://openalex.org/W1", "title": "On the numbers of one machine", "publication_year": 2016}]}));
    }
    Answer::status(404)
}

fn pdf() -> Vec<u8> {
    let mut bytes = b"%PDF-1.5\n".to_vec();
    bytes.resize(300_000, b'x');
    bytes
}

/// A call that uses `server` in place of every service, and a cache in the project. A second download gets another cache, so
/// that it does not wait for the pace of the first.
fn call(helper: &Helper, project: &Project, server: &Server, args: &[&str]) -> Call {
    let again = args.first() == Some(&"download") && project.at("cache").exists();
    let cache = if again { "another cache" } else { "cache" };
    let mut call = helper
        .call(project.path())
        .env("ARIS_CACHE_DIR", project.at(cache));
    for name in [
        "ARXIV",
        "ARXIV_PDF",
        "CROSSREF",
        "DATACITE",
        "DBLP",
        "OPENALEX",
        "S2",
    ] {
        call = call.env(format!("ARIS_{name}_BASE_URL"), server.url());
    }
    call.args(args)
}

fn project() -> Project {
    Project::new()
        .file("paper/main.tex", TEX)
        .file("paper/refs.bib", BIB)
        .file("out.json", OLD_RESULT)
        .file("fixes.patch", OLD_PATCH)
}

/// Aborts `helper` before each change of the disk, each time in a fresh project. `check` examines the files then, and after the
/// next run, which must exit with `code`.
fn survives(
    helper: &str,
    args: &[&str],
    code: i32,
    check: impl Fn(&Project, Option<&Run>, &str) + Sync,
) {
    let server = Server::start(answer);
    let binary = Helper::named(helper);
    let crashes = crash_at_every_change_at_once(
        |_| {
            let project = project();
            let call = call(&binary, &project, &server, args);
            (project, call)
        },
        |number, project, _| {
            let when = format!("{helper}, crash {number}");
            all_whole(&project, &when);
            check(&project, None, &when);
            let again = call(&binary, &project, &server, args).run();
            assert_eq!(again.code(), code, "{when}: the next run: {again}");
            all_whole(&project, &when);
            check(&project, Some(&again), &when);
            assert_eq!(project.read("paper/refs.bib"), BIB, "{when}");
        },
    );
    assert_eq!(crashes.last.code(), code, "{}", crashes.last);
}

const VERIFY: [&str; 6] = [
    "--bib",
    "paper/refs.bib",
    "--output",
    "out.json",
    "--fix-bib",
    "fixes.patch",
];

/// Whether the text is the patch that corrects [`BIB`].
fn is_patch(text: &str) -> bool {
    text.starts_with("--- a/paper/refs.bib\n")
        && text.ends_with('\n')
        && text.contains("+  year = {2016},\n")
        && text.contains("+  author = {Lovelace, Ada and Hopper, Grace},\n")
}

/// Whether the text is a complete result.
fn is_result(text: &str) -> bool {
    serde_json::from_str::<Value>(text)
        .is_ok_and(|value| value["verdict"] == "PASS" && value["papers"][0]["status"] == "verified")
}

#[test]
fn a_checked_bibliography_s_result_and_patch_are_old_or_new() {
    survives("verify_papers", &VERIFY, 0, |project, after, when| {
        let (result, patch) = (project.read("out.json"), project.read("fixes.patch"));
        let old = after.is_none();
        assert!(
            old && result == OLD_RESULT || is_result(&result),
            "{when}: {result}"
        );
        assert!(
            old && patch == OLD_PATCH || is_patch(&patch),
            "{when}: {patch}"
        );
    });
}

#[test]
fn many_checks_into_the_same_files_leave_whole_files() {
    let server = Server::start(answer);
    let helper = Helper::named("verify_papers");
    let project = project();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..2 {
                        call(&helper, &project, &server, &VERIFY)
                            .run()
                            .expect_code(0);
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                let (result, patch) = (project.read("out.json"), project.read("fixes.patch"));
                assert!(result == OLD_RESULT || is_result(&result), "{result}");
                assert!(patch == OLD_PATCH || is_patch(&patch), "{patch}");
            }
        });
        let ends: Vec<_> = writers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::SeqCst);
        reader.join().expect("whole at every moment");
        assert!(ends.iter().all(Result::is_ok));
    });
    assert!(is_result(&project.read("out.json")) && is_patch(&project.read("fixes.patch")));
    let left = project.snapshot();
    let pending = left
        .paths()
        .into_iter()
        .filter(|path| path.contains("aris-tmp"));
    assert_eq!(pending.count(), 0);
}

#[test]
fn a_download_is_whole_or_not_there() {
    let args = ["download", "2301.07041", "--dir", "papers"];
    survives(
        "arxiv_fetch",
        &args,
        0,
        |project, after, when| match std::fs::read(project.at("papers/2301.07041.pdf")) {
            Ok(bytes) => assert!(bytes == pdf(), "{when}: {} bytes", bytes.len()),
            Err(_) => assert!(after.is_none(), "{when}: nothing after the next run"),
        },
    );
}

#[test]
fn many_downloads_of_one_paper_leave_one_whole_file() {
    let server = Server::start(answer);
    let helper = Helper::named("arxiv_fetch");
    let project = project();
    let args = ["download", "2301.07041", "--dir", "papers"];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| call(&helper, &project, &server, &args).run().expect_code(0));
        }
    });
    assert_eq!(
        std::fs::read(project.at("papers/2301.07041.pdf")).expect("a file"),
        pdf()
    );
    let list = std::fs::read_dir(project.at("papers")).expect("a folder");
    assert_eq!(list.count(), 1, "nothing is left beside it");
    assert_eq!(server.log().len(), 1, "it is brought once");
}

#[test]
fn an_audit_that_looks_up_citations_is_whole_or_not_there() {
    // The cited year and authors differ from the record.
    survives(
        "citation_audit",
        &["paper", "--live"],
        10,
        |project, after, when| {
            if after.is_some() {
                let audit = project.json("paper/CITATION_AUDIT.json");
                let row = &audit["details"]["per_entry"][0];
                assert_eq!(row["existence"], "exists", "{when}: {row}");
            }
        },
    );
}

#[test]
fn a_killed_search_leaves_a_cache_that_answers_right() {
    let args = ["search", "numbers of machines", "--json"];
    survives("openalex_fetch", &args, 0, |_, after, when| {
        if let Some(run) = after {
            assert_eq!(
                run.data()[0]["title"],
                "On the numbers of one machine",
                "{when}"
            );
        }
    });
    let args = [
        "aggregate",
        "numbers of machines",
        "--sources",
        "openalex",
        "--json",
    ];
    survives("literature_search", &args, 0, |_, after, when| {
        if let Some(run) = after {
            assert_eq!(
                run.data()["papers"][0]["title"],
                "On the numbers of one machine",
                "{when}"
            );
        }
    });
}
