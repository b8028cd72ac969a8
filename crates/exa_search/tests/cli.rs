#![cfg(test)]
//! Runs `exa_search` against a local server.

use aris_testkit::{Answer, Helper, Project, Run, Server};
use serde_json::{Value, json};

const KEY: &str = "secret-key-of-a-user";

fn run(project: &Project, server: &Server, key: Option<&str>, args: &[&str]) -> Run {
    let call = Helper::named("exa_search")
        .call(project.path())
        .env("ARIS_EXA_BASE_URL", server.url())
        .env("ARIS_CACHE_DIR", project.at("cache"));
    let call = match key {
        Some(key) => call.env("EXA_API_KEY", key),
        None => call,
    };
    call.args(args).run()
}

fn answer() -> Answer {
    Answer::json(&json!({"requestId": "r", "results": [
        {"id": "1", "title": "Attention", "url": "https://arxiv.org/abs/1706.03762", "publishedDate": "2017-06-12T00:00:00.000Z",
         "author": "Ashish Vaswani, Noam Shazeer", "highlights": ["a passage"], "highlightScores": [0.5]},
        {"id": "2", "title": null, "url": "https://example.com/", "highlights": []},
    ]}))
}

#[test]
fn a_search_sends_what_was_asked_and_prints_what_the_reference_prints() {
    let server = Server::start(|_| answer());
    let project = Project::new();
    let args = [
        "search",
        "RAG pipeline",
        "--max",
        "3",
        "--include-domains",
        "arxiv.org, huggingface.co",
        "--start-date",
        "2025-01-01",
        "--category",
        "research paper",
        "--location",
        "DE",
        "--exclude-text",
        "casino",
    ];
    let run1 = run(&project, &server, Some(KEY), &args).expect_code(0);
    let printed: Value = serde_json::from_str(run1.stdout()).expect("JSON");
    assert_eq!(
        printed,
        json!({"mode": "search", "query": "RAG pipeline", "type": "auto", "returned": 2, "data": [
            {"title": "Attention", "url": "https://arxiv.org/abs/1706.03762", "published_date": "2017-06-12T00:00:00.000Z",
             "author": "Ashish Vaswani, Noam Shazeer", "highlights": ["a passage"]},
            {"title": "No Title", "url": "https://example.com/"},
        ]})
    );
    let log = server.log();
    let body: Value = serde_json::from_slice(&log[0].body).expect("JSON");
    assert_eq!(
        body,
        json!({"query": "RAG pipeline", "numResults": 3, "type": "auto", "contents": {"highlights": {"maxCharacters": 4000}},
            "includeDomains": ["arxiv.org", "huggingface.co"], "startPublishedDate": "2025-01-01", "category": "research paper",
            "userLocation": "DE", "excludeText": ["casino"]})
    );
    assert_eq!(log[0].headers["authorization"], format!("Bearer {KEY}"));
    let records = run(
        &project,
        &server,
        None,
        &[&args[..], &["--json", "--offline"]].concat(),
    )
    .expect_code(0);
    assert_eq!(records.data()[0]["ids"]["arxiv"], "1706.03762");
    assert_eq!(records.data()[0]["authors"][1]["name"], "Noam Shazeer");
}

#[test]
fn contents_and_similar_pages_have_their_own_bodies() {
    let server = Server::start(|_| answer());
    let project = Project::new();
    run(
        &project,
        &server,
        Some(KEY),
        &[
            "get-contents",
            "https://a.example/",
            "https://b.example/",
            "--content",
            "summary",
        ],
    )
    .expect_code(0);
    run(
        &project,
        &server,
        Some(KEY),
        &["find-similar", "https://a.example/", "--content", "none"],
    )
    .expect_code(0);
    let bodies: Vec<(String, Value)> = server
        .log()
        .iter()
        .map(|asked| {
            (
                asked.target.clone(),
                serde_json::from_slice(&asked.body).expect("JSON"),
            )
        })
        .collect();
    assert_eq!(
        bodies[0],
        (
            "/contents".into(),
            json!({"summary": {}, "ids": ["https://a.example/", "https://b.example/"]})
        )
    );
    assert_eq!(
        bodies[1],
        (
            "/findSimilar".into(),
            json!({"url": "https://a.example/", "numResults": 10})
        )
    );
}

#[test]
fn no_key_is_five_no_answer_is_seven_and_the_key_is_never_shown() {
    let project = Project::new();
    let server = Server::start(|_| answer());
    let without = run(&project, &server, None, &["search", "q"]).expect_code(5);
    assert!(
        without.stderr().contains("EXA_API_KEY") && server.log().is_empty(),
        "{without}"
    );
    for (what, answer, code) in [
        ("429", Answer::status(429).header("retry-after", "100"), 7),
        ("a page", Answer::html(), 7),
        ("silence", Answer::stall(), 7),
        ("a bad key", Answer::status(401).body(KEY), 5),
        (
            "a refusal",
            Answer::json(&json!({"error": "bad category"})).with_status(400),
            4,
        ),
    ] {
        let server = Server::start(move |_| answer.clone());
        let project = Project::new();
        let run = run(
            &project,
            &server,
            Some(KEY),
            &["search", "q", "--deadline", "1.5", "--json"],
        )
        .expect_code(code);
        assert!(!format!("{run}").contains(KEY), "{what}: {run}");
    }
}
