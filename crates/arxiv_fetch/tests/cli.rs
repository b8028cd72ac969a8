#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]
//! Runs `arxiv_fetch` against a local server.

use std::path::Path;

use aris_testkit::{Answer, Helper, Project, Received, Run, Server};
use serde_json::Value;

const FEED: &str = include_str!("fixtures/feed.xml");

fn run(project: &Project, server: &Server, args: &[&str]) -> Run {
    Helper::named("arxiv_fetch")
        .call(project.path())
        .env("ARIS_ARXIV_BASE_URL", server.url())
        .env("ARIS_ARXIV_PDF_BASE_URL", server.url())
        .env("ARIS_CACHE_DIR", project.at("cache"))
        .args(args)
        .run()
}

fn feed(total: usize, ids: &[&str]) -> Answer {
    let entry = |id: &&str| {
        format!("<entry><id>http://arxiv.org/abs/{id}</id><title>T {id}</title></entry>")
    };
    let entries = ids.iter().map(entry).collect::<Vec<_>>().concat();
    let text = format!(
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:totalResults>{total}</o:totalResults>{entries}</feed>"
    );
    Answer::ok("application/atom+xml", text)
}

#[test]
fn a_search_prints_what_the_reference_prints() {
    let server = Server::start(|_| Answer::ok("application/atom+xml", FEED));
    let project = Project::new();
    let run = run(
        &project,
        &server,
        &["search", "attention mechanism", "--max", "2"],
    )
    .expect_code(0);
    let list: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(list[0]["id"], "1706.03762");
    assert_eq!(list[0]["updated"], "2023-08-02");
    assert_eq!(list[0]["authors"][1], "Noam Shazeer");
    assert_eq!(list[0]["pdf_url"], "https://arxiv.org/pdf/1706.03762.pdf");
    let keys: Vec<&String> = list[0].as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "title",
            "authors",
            "abstract",
            "published",
            "updated",
            "categories",
            "pdf_url",
            "abs_url"
        ]
    );
    let asked = &server.log()[0];
    assert_eq!(
        asked.query("search_query").as_deref(),
        Some("attention mechanism")
    );
    assert_eq!(asked.query("max_results").as_deref(), Some("2"));
    assert_eq!(asked.query("sortBy").as_deref(), Some("relevance"));
}

#[test]
fn records_have_three_more_forms_and_the_cache_answers_offline() {
    let server = Server::start(|_| Answer::ok("application/atom+xml", FEED));
    let project = Project::new();
    let first = run(&project, &server, &["search", "q", "--json"]).expect_code(0);
    assert_eq!(first.data()[0]["ids"]["arxiv"], "1706.03762");
    let lines = run(&project, &server, &["search", "q", "--jsonl", "--offline"]).expect_code(0);
    let record: Value =
        serde_json::from_str(lines.stdout().lines().next().expect("a line")).expect("JSON");
    assert_eq!(record, first.data()[0]);
    let entry = run(&project, &server, &["search", "q", "--bibtex", "--offline"]).expect_code(0);
    assert!(
        entry.stdout().starts_with("@misc{vaswani2017attention,"),
        "{entry}"
    );
    assert_eq!(server.log().len(), 1);
}

#[test]
fn identifiers_are_asked_for_in_one_request_and_an_absent_one_is_no_error() {
    let server = Server::start(|_| feed(1, &["2104.12255v1"]));
    let project = Project::new();
    let run = run(&project, &server, &["search", "id:2104.12255,2104.12256"]).expect_code(0);
    let list: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(
        server.log()[0].query("id_list").as_deref(),
        Some("2104.12255,2104.12256")
    );
}

#[test]
fn no_answer_is_seven_and_never_an_empty_list() {
    for (what, answer) in [
        ("429", Answer::status(429).header("retry-after", "100")),
        ("503", Answer::status(503).header("retry-after", "100")),
        ("a page", Answer::html()),
        ("an empty page", feed(7, &[])),
        (
            "half an answer",
            Answer::ok("application/atom+xml", FEED).cut(100),
        ),
        ("silence", Answer::stall()),
    ] {
        let server = Server::start(move |_| answer.clone());
        let project = Project::new();
        let run = run(
            &project,
            &server,
            &["search", "q", "--deadline", "2", "--json"],
        )
        .expect_code(7);
        assert_eq!(run.error()["code"], "UNAVAILABLE", "{what}: {run}");
    }
}

#[test]
fn a_pause_that_arxiv_asks_for_is_told_as_it_was_said() {
    let server = Server::start(|_| Answer::status(429).header("retry-after", "7200"));
    let project = Project::new();
    let args = ["search", "id:2301.07041", "--deadline", "9"];
    let first = run(&project, &server, &args).expect_code(7);
    assert!(first.stderr().contains("for 7200 s"), "{first}");
    let second = run(&project, &server, &args).expect_code(7);
    assert!(
        second.stderr().contains("it refused 1 time in a row"),
        "{second}"
    );
    assert!(!second.stderr().contains("another 3"), "{second}");
}

#[test]
fn an_error_that_arxiv_reports_is_no_answer_either() {
    let text = "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:totalResults>1</o:totalResults><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>incorrect id format</summary></entry></feed>";
    let server = Server::start(move |_| Answer::ok("application/atom+xml", text).with_status(400));
    let project = Project::new();
    let run = run(&project, &server, &["search", "q:q:q"]).expect_code(4);
    assert!(run.stderr().contains("incorrect id format"), "{run}");
}

fn pdf() -> Vec<u8> {
    let mut bytes = b"%PDF-1.5\n".to_vec();
    bytes.resize(50_000, b'x');
    bytes
}

#[test]
fn a_pdf_is_brought_once_and_described_as_before() {
    let server = Server::start(|_| Answer::ok("application/pdf", pdf()));
    let project = Project::new();
    let args = ["download", "cs/0601001", "--dir", "papers", "--delay", "1"];
    let first: Value =
        serde_json::from_str(run(&project, &server, &args).expect_code(0).stdout()).expect("JSON");
    assert_eq!(first["path"], "papers/cs_0601001.pdf");
    assert_eq!(
        (&first["skipped"], &first["size_kb"]),
        (&false.into(), &48.into())
    );
    assert_eq!(
        std::fs::read(project.at("papers/cs_0601001.pdf")).expect("file"),
        pdf()
    );
    let again: Value =
        serde_json::from_str(run(&project, &server, &args).expect_code(0).stdout()).expect("JSON");
    assert_eq!(again["message"], "already exists, skipped");
    assert_eq!(server.log().len(), 1);
    assert_eq!(server.log()[0].target, "/pdf/cs/0601001");
}

#[test]
fn a_version_is_brought_as_that_version_and_under_its_own_name() {
    let server = Server::start(|_| Answer::ok("application/pdf", pdf()));
    let project = Project::new();
    for id in ["2301.07041v1", "2301.07041v2", "2301.07041"] {
        let run = run(
            &project,
            &server,
            &["download", id, "--dir", "papers", "--delay", "1"],
        )
        .expect_code(0);
        let told: Value = serde_json::from_str(run.stdout()).expect("JSON");
        assert_eq!(told["path"], format!("papers/{id}.pdf"), "{run}");
    }
    let asked: Vec<String> = server
        .log()
        .into_iter()
        .map(|request| request.target)
        .collect();
    assert_eq!(
        asked,
        ["/pdf/2301.07041v1", "/pdf/2301.07041v2", "/pdf/2301.07041"]
    );
}

#[test]
fn what_is_no_pdf_leaves_nothing_behind() {
    for (answer, code) in [
        (Answer::html(), 7),
        (Answer::ok("application/pdf", "not a PDF at all"), 7),
        (Answer::ok("application/pdf", "%PDF-1.7\nabc\n"), 7),
        (Answer::html().with_status(404), 7),
        (
            Answer::ok("text/html", "<title>arXiv e-print</title>").with_status(404),
            3,
        ),
    ] {
        let server = Server::start(move |_| answer.clone());
        let project = Project::new();
        run(
            &project,
            &server,
            &["download", "2301.07041", "--deadline", "20"],
        )
        .expect_code(code);
        let left: Vec<_> = std::fs::read_dir(project.at("papers"))
            .expect("folder")
            .map(|entry| entry.expect("entry").file_name())
            .filter(|name| Path::new(name).extension().is_some_and(|end| end == "pdf"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_part_of_a_file_of_another_length_is_not_joined() {
    let whole = pdf();
    let length = whole.len();
    let server = Server::start(move |asked: &Received| {
        let sent = Answer::ok("application/pdf", whole.clone()).header("etag", "\"v1\"");
        let Some(range) = asked.headers.get("range") else {
            return sent.cut(length / 2);
        };
        let from = range.trim_start_matches("bytes=").trim_end_matches('-');
        let from: usize = from.parse().expect("a number");
        let body = [&whole[from..], b"more bytes"].concat();
        let range = format!("bytes {from}-{}/{}", length + 9, length + 10);
        Answer::ok("application/pdf", body)
            .with_status(206)
            .header("etag", "\"v1\"")
            .header("content-range", &range)
    });
    let project = Project::new();
    let args = ["download", "2301.07041", "--deadline", "9"];
    run(&project, &server, &args).expect_code(7);
    assert!(!project.at("papers/2301.07041.pdf").exists());
}

#[test]
fn a_link_to_nothing_stays_and_nobody_is_asked() {
    let server = Server::start(|_| Answer::ok("application/pdf", pdf()));
    let project = Project::new();
    std::fs::create_dir(project.at("papers")).expect("folder");
    let link = project.at("papers/2301.07041.pdf");
    std::os::unix::fs::symlink("elsewhere/mine.pdf", &link).expect("link");
    let run = run(&project, &server, &["download", "2301.07041"]).expect_code(5);
    assert!(run.stderr().contains("dangling link"), "{run}");
    assert!(link.is_symlink() && server.log().is_empty());
}

#[test]
fn a_probe_of_the_cache_is_not_written_through_a_link() {
    let server = Server::start(|_| Answer::ok("application/pdf", pdf()));
    let project = Project::new();
    std::fs::create_dir_all(project.at("cache")).expect("folder");
    project.write("thesis.tex", "years of work");
    std::os::unix::fs::symlink(project.at("thesis.tex"), project.at("cache/.probe")).expect("link");
    run(&project, &server, &["download", "2301.07041"]).expect_code(0);
    assert_eq!(project.read("thesis.tex"), "years of work");
}

fn source() -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in [("main.tex", "\\documentclass{article}"), ("sec/a.tex", "A")] {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder
            .append_data(&mut header, name, text.as_bytes())
            .expect("entry");
    }
    builder.into_inner().expect("archive")
}

#[test]
fn a_source_is_unpacked_and_a_second_call_keeps_what_was_edited() {
    let server = Server::start(|asked: &Received| {
        assert_eq!(asked.path(), "/src/2301.07041");
        Answer::ok("application/gzip", source())
    });
    let project = Project::new();
    let args = ["download", "2301.07041", "--source", "--json"];
    let first = run(&project, &server, &args).expect_code(0);
    assert_eq!(first.data()["files"], 2);
    assert_eq!(project.read("papers/2301.07041/sec/a.tex"), "A");
    project.write("papers/2301.07041/sec/a.tex", "edited");
    run(&project, &server, &args).expect_code(0);
    assert_eq!(project.read("papers/2301.07041/sec/a.tex"), "edited");
    assert_eq!(server.log().len(), 1);
}

#[test]
fn a_crash_while_unpacking_leaves_no_half_source() {
    // All crashes happen in the same project, so that each meets what the previous one left.
    let project = Project::new();
    for _ in 0..2 {
        let crashes = aris_testkit::crash_at_every_change(
            |_| {
                project.write("papers/2301.07041.source", source());
                Helper::named("arxiv_fetch").call(project.path()).args([
                    "download",
                    "2301.07041",
                    "--source",
                    "--offline",
                ])
            },
            |_, _| {
                let target = project.at("papers/2301.07041");
                assert!(!target.exists() || target.join("sec/a.tex").is_file());
            },
        );
        crashes.last.expect_code(0);
        assert_eq!(
            project.read("papers/2301.07041/main.tex"),
            "\\documentclass{article}"
        );
        std::fs::remove_dir_all(project.at("papers/2301.07041")).expect("remove");
    }
}
