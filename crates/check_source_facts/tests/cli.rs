#![cfg(test)]
//! `check_source_facts` on recordings, and against a server on this machine.

use aris_testkit::{Answer, Helper, Project, Received, Run, Server};
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

macro_rules! recorded {
    ($name:literal) => {
        Answer::ok(
            "application/json",
            include_str!(concat!("../assets/", $name)),
        )
    };
}

/// The answers of the sources: the recordings.
fn answer(asked: &Received) -> Answer {
    let is = |name: &str, value: &str| asked.query(name).as_deref() == Some(value);
    let has = |name: &str| asked.query(name).is_some();
    let body = String::from_utf8_lossy(&asked.body);
    match asked.path() {
        "/api/query" if is("id_list", "1234.12345") => {
            recorded!("arxiv_refusal.xml").with_status(400)
        }
        "/api/query" if has("id_list") => recorded!("arxiv_batch.xml"),
        "/api/query" => recorded!("arxiv_search.xml"),
        "/works/10.1038/nature14539" => recorded!("crossref_record.json"),
        "/works" if is("rows", "1001") => recorded!("crossref_limit.json").with_status(400),
        "/works" if has("query.bibliographic") => recorded!("crossref_search.json"),
        "/works" if has("filter") => recorded!("crossref_list.json"),
        "/works" if is("per_page", "201") => recorded!("openalex_limit.json").with_status(400),
        "/works" => recorded!("openalex_search.json"),
        "/works/doi:10.7717/peerj.4375" => recorded!("openalex_record.json"),
        "/works/W2741809807" => include_str!("../assets/openalex_allowance.txt")
            .lines()
            .filter_map(|line| line.split_once(": "))
            .fold(
                recorded!("openalex_record.json"),
                |answer, (name, value)| answer.header(name, value),
            ),
        "/works/doi:10.9999/nobody.made.this" => {
            Answer::ok("text/html", include_str!("../assets/openalex_absence.html"))
                .with_status(404)
        }
        "/dois/10.48550/arxiv.1706.03762" => recorded!("datacite_record.json"),
        path if path.starts_with("/dois/") => recorded!("datacite_absence.json").with_status(404),
        "/search/publ/api" if asked.target.contains("Vaswani") => recorded!("dblp_search.json"),
        "/search/publ/api" => recorded!("dblp_absence.json"),
        "/graph/v1/paper/batch" if body.contains("1706.03762") => {
            recorded!("semantic_scholar_batch.json")
        }
        "/graph/v1/paper/batch" => recorded!("semantic_scholar_batch_none.json").with_status(400),
        "/graph/v1/paper/search" => recorded!("semantic_scholar_search.json"),
        "/graph/v1/paper/search/match" if asked.target.contains("Attention") => {
            recorded!("semantic_scholar_match.json")
        }
        "/graph/v1/paper/search/match" => {
            recorded!("semantic_scholar_match_absence.json").with_status(404)
        }
        path if path.starts_with("/graph/v1/paper/") => {
            recorded!("semantic_scholar_refusal.json").with_status(400)
        }
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
    assert_eq!(fates(&run.data()["facts"]), ["holds"; 23]);
    assert!(server.log().is_empty());
}

#[test]
fn the_sources_hold_when_they_answer_like_their_recordings() {
    let server = Server::start(answer);
    let project = Project::new();
    for turn in 1..=2 {
        let run = run(&project, &server, &["--live", "--json"]).expect_code(0);
        assert_eq!(fates(&run.data()["facts"]), ["holds"; 23], "{run}");
        // After the first run the cache has all answers, but it is not used.
        assert_eq!(server.log().len(), turn * 23);
        let facts = run.data()["facts"].clone();
        for fact in facts.as_array().expect("facts") {
            let address = fact["documented"].as_str().expect("an address");
            assert!(address.starts_with("https://"), "{fact}");
        }
    }
}

#[test]
fn another_answer_is_drift_and_silence_is_not() {
    let server = Server::start(|asked| match asked.path() {
        "/works/10.1038/nature14539" => Answer::ok(
            "application/json",
            include_str!("../assets/crossref_record.json")
                .replace("Deep learning", "Shallow learning"),
        ),
        "/api/query" => Answer::status(503).header("Retry-After", "3600"),
        _ => answer(asked),
    });
    let project = Project::new();
    let drifted = run(&project, &server, &["--live", "--json"]).expect_code(10);
    let data = drifted.data();
    assert_eq!(
        [fates(&data["facts"])[0], fates(&data["facts"])[3]],
        ["not_answered", "drifted"]
    );
    assert!(
        data["facts"][3]["why"]
            .as_str()
            .is_some_and(|why| why.contains("Shallow")),
        "{drifted}"
    );
    let server = Server::start(|asked| match asked.path() {
        "/api/query" => Answer::status(503).header("Retry-After", "3600"),
        _ => answer(asked),
    });
    let project = Project::new();
    let silent = run(&project, &server, &["--live", "--json"]).expect_code(7);
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

#[test]
fn a_batch_of_unknown_papers_that_is_answered_with_nulls_has_drifted() {
    let server = Server::start(|asked| {
        if asked.path() == "/graph/v1/paper/batch"
            && !String::from_utf8_lossy(&asked.body).contains("1706.03762")
        {
            return Answer::ok("application/json", "[null]");
        }
        answer(asked)
    });
    let run = run(&Project::new(), &server, &["--live", "--json"]);
    let facts = run.data()["facts"].clone();
    let drifted: Vec<&Value> = facts
        .as_array()
        .expect("facts")
        .iter()
        .filter(|fact| fact["outcome"] != "holds")
        .collect();
    assert_eq!(drifted.len(), 1, "{run}");
    assert_eq!(drifted[0]["name"], "semantic_scholar_batch_none", "{run}");
    assert_eq!(drifted[0]["outcome"], "drifted", "{run}");
}
