#![cfg(test)]
//! Runs `semantic_scholar_fetch` against a local server.

use aris_testkit::{Answer, Helper, Project, Received, Run, Server};
use serde_json::{Value, json};

fn run(project: &Project, server: &Server, args: &[&str]) -> Run {
    Helper::named("semantic_scholar_fetch")
        .call(project.path())
        .env("ARIS_S2_BASE_URL", server.url())
        .env("ARIS_CACHE_DIR", project.at("cache"))
        .env("SEMANTIC_SCHOLAR_API_KEY", "secret-key-of-a-user")
        .args(args)
        .run()
}

fn output(run: &Run) -> Value {
    serde_json::from_str(run.stdout()).expect("JSON")
}

fn paper(number: u64) -> Value {
    json!({
        "paperId": format!("{number:040x}"),
        "title": format!(" Paper\n{number}"),
        "authors": [{"authorId": "7", "name": "Grace Hopper"}],
        "year": 2020,
        "venue": "",
        "externalIds": {"DOI": format!("10.1000/{number}"), "CorpusId": number},
        "citationCount": number,
        "tldr": {"model": "m", "text": "short"},
    })
}

#[test]
fn a_search_sends_its_filters_and_prints_what_the_reference_prints() {
    let server = Server::start(|_| {
        Answer::json(&json!({"total": 2, "offset": 0, "data": [paper(1), paper(2)]}))
    });
    let project = Project::new();
    let args = [
        "search",
        "semantic communication",
        "--max",
        "10",
        "--fields-of-study",
        "Computer Science,Engineering",
        "--publication-types",
        "JournalArticle,Conference",
        "--year",
        "-2023",
        "--min-citations",
        "0",
        "--open-access",
    ];
    let answer = output(&run(&project, &server, &args).expect_code(0));
    assert_eq!(answer["mode"], "search");
    assert_eq!(
        (&answer["total"], &answer["offset"], &answer["next_offset"]),
        (&json!(2), &json!(0), &json!(2))
    );
    let first = &answer["data"][0];
    assert_eq!(first["title"], "Paper 1");
    assert_eq!(
        (
            &first["venue"],
            &first["abstract"],
            &first["publicationVenue"]
        ),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(first["tldr"]["text"], "short");
    assert_eq!(
        first["authors"],
        json!([{"authorId": "7", "name": "Grace Hopper"}])
    );
    let log = server.log();
    let asked = &log[0];
    assert_eq!(asked.path(), "/graph/v1/paper/search");
    for (name, value) in [
        ("query", "semantic communication"),
        ("limit", "10"),
        ("fieldsOfStudy", "Computer Science,Engineering"),
        ("publicationTypes", "JournalArticle,Conference"),
        ("year", "-2023"),
        ("minCitationCount", "0"),
        ("openAccessPdf", ""),
    ] {
        assert_eq!(asked.query(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(asked.headers["x-api-key"], "secret-key-of-a-user");
}

#[test]
fn nothing_found_is_an_answer_and_no_answer_is_seven() {
    let key = "secret-key-of-a-user";
    for (what, answer, code) in [
        (
            "nothing found",
            Answer::json(&json!({"total": 0, "offset": 0})),
            0,
        ),
        (
            "an empty page",
            Answer::json(&json!({"total": 9, "offset": 0, "data": []})),
            7,
        ),
        ("no data", Answer::json(&json!({"total": 9})), 7),
        ("a page", Answer::html(), 7),
        ("429", Answer::status(429).header("retry-after", "100"), 7),
        ("500", Answer::status(500), 7),
        ("silence", Answer::stall(), 7),
        (
            "a fragment",
            Answer::ok("application/json", "{\"total\": 1, \"da"),
            7,
        ),
        (
            "a refusal",
            Answer::json(&json!({"error": "Unacceptable query params"})).with_status(400),
            4,
        ),
        ("a bad key", Answer::status(403), 5),
    ] {
        let server = Server::start(move |_| answer.clone());
        let project = Project::new();
        let run = run(
            &project,
            &server,
            &["search", "q", "--deadline", "1.5", "--json"],
        )
        .expect_code(code);
        assert!(!format!("{run}").contains(key), "{what}: {run}");
        if code == 0 {
            assert_eq!(run.data(), json!([]));
        }
    }
}

#[test]
fn a_paper_that_is_not_there_is_three() {
    let server = Server::start(|asked: &Received| {
        if asked.path().contains("10.1000") {
            Answer::json(&paper(7))
        } else {
            Answer::json(&json!({"error": "Paper not found"})).with_status(404)
        }
    });
    let project = Project::new();
    let found = output(&run(&project, &server, &["paper", "10.1000/7"]).expect_code(0));
    assert_eq!(found["citationCount"], 7);
    assert_eq!(server.log()[0].path(), "/graph/v1/paper/DOI:10.1000/7");
    let absent = run(&project, &server, &["paper", "ARXIV:2006.10685", "--json"]).expect_code(3);
    assert_eq!(absent.error()["code"], "NOT_FOUND");
    run(&project, &server, &["match", "No such title"]).expect_code(3);
}

#[test]
fn a_batch_names_what_is_missing() {
    let server = Server::start(|asked: &Received| {
        let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
        assert_eq!(body["ids"], json!(["DOI:10.1000/1", "ARXIV:2006.10685"]));
        Answer::json(&json!([paper(1), null]))
    });
    let project = Project::new().file("ids.txt", "# papers\n10.1000/1\n\n2006.10685v1\n");
    let run = run(
        &project,
        &server,
        &["batch", "--input", "ids.txt", "--json"],
    )
    .expect_code(0);
    assert_eq!(run.data()[0]["ids"]["doi"], json!(["10.1000/1"]));
    assert_eq!(run.envelope()["meta"]["missing"], json!(["2006.10685v1"]));
}

#[test]
fn references_come_page_by_page_and_a_withheld_list_is_not_an_empty_one() {
    let server = Server::start(|asked: &Received| match asked.query("offset").as_deref() {
        Some("0") => Answer::json(&json!({"offset": 0, "next": 2, "data": [
            {"citedPaper": paper(1)}, {"citedPaper": {"paperId": null, "title": "words only"}}]})),
        _ => Answer::json(&json!({"offset": 2, "data": [{"citedPaper": paper(3)}]})),
    });
    let project = Project::new();
    let run1 = run(&project, &server, &["references", "CorpusId:1", "--json"]).expect_code(0);
    assert_eq!(run1.data().as_array().map(Vec::len), Some(2));
    assert_eq!(run1.envelope()["meta"]["without_record"], 1);
    let listed = output(
        &run(
            &project,
            &server,
            &["references", "CorpusId:1", "--offline"],
        )
        .expect_code(0),
    );
    assert_eq!(listed["data"][1]["title"], "words only");
    let server = Server::start(|_| {
        Answer::json(&json!({"data": null, "citingPaperInfo": {"openAccessPdf": null}}))
    });
    let withheld = run(&project, &server, &["references", "CorpusId:2"]).expect_code(0);
    assert_eq!(output(&withheld)["withheld"], true);
    assert!(withheld.stderr().contains("unknown"), "{withheld}");
}

#[test]
fn a_bulk_search_follows_its_token_until_there_are_enough() {
    let server = Server::start(|asked: &Received| {
        let first = asked.query("token").is_none();
        let from = if first { 0 } else { 3 };
        let data: Vec<Value> = (from..from + 3).map(paper).collect();
        let mut page = json!({"total": 6, "data": data});
        if first {
            page["token"] = json!("more");
        }
        Answer::json(&page)
    });
    let project = Project::new();
    let args = [
        "search-bulk",
        "q",
        "--max",
        "5",
        "--sort",
        "citationCount:desc",
    ];
    let run = run(&project, &server, &args).expect_code(0);
    let answer = output(&run);
    assert_eq!(
        (&answer["mode"], &answer["returned"]),
        (&json!("search-bulk"), &json!(5))
    );
    assert_eq!(
        (&answer["sort"], &answer["token"]),
        (&json!("citationCount:desc"), &Value::Null)
    );
    assert!(run.stderr().contains("1 more results"), "{run}");
}

/// **Source**: Graph API, `/paper/search`: "Hyphenated query terms yield no matches (replace it with space to find matches)"; in a bulk search a
/// hyphen excludes the term that follows it.
#[test]
fn hyphens_are_sent_as_each_search_documents_them() {
    let server = Server::start(|asked: &Received| {
        let hyphen = asked
            .query("query")
            .is_some_and(|words| words.contains('-'));
        match asked.path() {
            "/graph/v1/paper/search/bulk" if hyphen => {
                Answer::json(&json!({"total": 1, "data": [paper(1)]}))
            }
            _ if hyphen => Answer::json(&json!({"total": 0, "offset": 0})),
            _ => Answer::json(&json!({"total": 1, "offset": 0, "data": [paper(1)]})),
        }
    });
    let project = Project::new();
    let words = "chain-of-thought prompting";
    for command in ["search", "match", "search-bulk"] {
        let run = run(&project, &server, &[command, words, "--json"]).expect_code(0);
        assert_eq!(run.data().as_array().map(Vec::len), Some(1), "{command}");
    }
}

/// **Source**: Graph API, `/paper/batch`: `null` for each unknown name; 400 "No valid paper ids given" when all are unknown.
#[test]
fn each_paper_of_a_batch_is_kept_for_itself_and_an_absence_for_a_day() {
    let server = Server::start(|asked: &Received| {
        let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
        let ids = body["ids"].as_array().expect("a list");
        let known = |id: &Value| match id.as_str() {
            Some("DOI:10.1000/1") => paper(1),
            Some("DOI:10.1000/3") => paper(3),
            _ => Value::Null,
        };
        let found: Vec<Value> = ids.iter().map(known).collect();
        if found.iter().all(Value::is_null) {
            return Answer::json(&json!({"error": "No valid paper ids given"})).with_status(400);
        }
        Answer::json(&json!(found))
    });
    let project = Project::new();
    let none = run(&project, &server, &["batch", "10.1000/2", "--json"]).expect_code(0);
    assert_eq!(none.envelope()["meta"]["missing"], json!(["10.1000/2"]));
    run(&project, &server, &["batch", "10.1000/1", "10.1000/2"]).expect_code(0);
    let args = ["batch", "10.1000/1", "10.1000/2", "10.1000/3"];
    let all = output(&run(&project, &server, &args).expect_code(0));
    assert_eq!(
        (&all["returned"], &all["missing"]),
        (&json!(2), &json!(["10.1000/2"]))
    );
    let log = server.log();
    let asked: Vec<Value> = log
        .iter()
        .map(|asked| serde_json::from_slice(&asked.body).expect("JSON"))
        .collect();
    assert_eq!(
        asked,
        [
            json!({"ids": ["DOI:10.1000/2"]}),
            json!({"ids": ["DOI:10.1000/1"]}),
            json!({"ids": ["DOI:10.1000/3"]})
        ]
    );
}

#[test]
fn many_processes_that_want_one_paper_of_a_batch_send_one_request() {
    let late = std::time::Duration::from_millis(300);
    let server = Server::start(move |_| Answer::json(&json!([paper(1)])).late(late));
    let project = Project::new();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| run(&project, &server, &["batch", "10.1000/1"]).expect_code(0));
        }
    });
    assert_eq!(server.log().len(), 1);
}
