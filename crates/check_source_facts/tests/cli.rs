#![cfg(test)]
//! `check_source_facts` on recordings, and against a server on this machine.

use aris_testkit::{Answer, Helper, Project, Run, Server};
use serde_json::Value;

fn run(project: &Project, server: &Server, args: &[&str]) -> Run {
    let mut call = Helper::named("check_source_facts").call(project.path());
    for source in ["ARXIV", "S2", "OPENALEX", "CROSSREF", "DBLP", "DATACITE"] {
        call = call.env(format!("ARIS_{source}_BASE_URL"), server.url());
    }
    call.env("ARIS_CACHE_DIR", project.at("cache"))
        .args(args)
        .run()
}

/// The answers of the sources, which are the recordings.
fn answer(path: &str) -> Answer {
    let json = |text: &str| Answer::ok("application/json", text);
    match path {
        "/api/query" => Answer::ok(
            "application/atom+xml",
            include_str!("../assets/arxiv_batch.xml"),
        ),
        "/works/10.1038/nature14539" => json(include_str!("../assets/crossref_record.json")),
        "/dois/10.48550/arxiv.1706.03762" => json(include_str!("../assets/datacite_record.json")),
        "/search/publ/api" => json(include_str!("../assets/dblp_search.json")),
        "/works/doi:10.7717/peerj.4375" => json(include_str!("../assets/openalex_record.json")),
        "/graph/v1/paper/batch" => json(include_str!("../assets/semantic_scholar_batch.json")),
        _ => Answer::ok("text/plain", "Resource not found.").with_status(404),
    }
}

fn fates(value: &Value) -> Vec<&str> {
    let facts = value.as_array().expect("facts");
    facts
        .iter()
        .filter_map(|fact| fact["outcome"].as_str())
        .collect()
}

#[test]
fn the_recordings_hold_and_nobody_is_asked() {
    let server = Server::start(|_| Answer::status(500));
    let project = Project::new();
    let run = run(&project, &server, &["--offline", "--json"]).expect_code(0);
    assert_eq!(fates(&run.data()["facts"]), ["holds"; 7]);
    assert!(server.log().is_empty());
}

#[test]
fn the_sources_hold_when_they_answer_like_their_recordings() {
    let server = Server::start(|asked| answer(asked.path()));
    let project = Project::new();
    let run = run(&project, &server, &["--live", "--json"]).expect_code(0);
    assert_eq!(fates(&run.data()["facts"]), ["holds"; 7], "{run}");
}

#[test]
fn another_answer_is_drift_and_silence_is_not() {
    let server = Server::start(|asked| match asked.path() {
        "/works/10.1038/nature14539" => Answer::ok(
            "application/json",
            include_str!("../assets/crossref_record.json")
                .replace("Deep learning", "Shallow learning"),
        ),
        "/api/query" => Answer::status(503),
        path => answer(path),
    });
    let project = Project::new();
    let drifted = run(&project, &server, &["--live", "--deadline", "3", "--json"]).expect_code(10);
    let data = drifted.data();
    assert_eq!(fates(&data["facts"])[..2], ["not_answered", "drifted"]);
    assert!(
        data["facts"][1]["why"]
            .as_str()
            .is_some_and(|why| why.contains("Shallow")),
        "{drifted}"
    );
    let server = Server::start(|asked| match asked.path() {
        "/api/query" => Answer::status(503),
        path => answer(path),
    });
    let project = Project::new();
    let silent = run(&project, &server, &["--live", "--deadline", "3", "--json"]).expect_code(7);
    assert_eq!(
        fates(&silent.error()["details"]["facts"])[0],
        "not_answered"
    );
}

#[test]
fn a_newer_recording_takes_the_place_of_the_old_one() {
    let server = Server::start(|_| Answer::status(500));
    let project = Project::new().file("new/semantic_scholar_batch.json", "[null, null]");
    let run = run(&project, &server, &["--answers", "new"]).expect_code(10);
    assert!(
        run.stdout().contains("DRIFTED    semantic_scholar_batch"),
        "{run}"
    );
}
