#![cfg(test)]
//! `openalex_fetch` against a server on this machine.

use aris_testkit::{Answer, Helper, Project, Received, Run, Server};
use serde_json::{Value, json};

fn run(project: &Project, server: &Server, args: &[&str]) -> Run {
    Helper::named("openalex_fetch")
        .call(project.path())
        .env("ARIS_OPENALEX_BASE_URL", server.url())
        .env("ARIS_CACHE_DIR", project.at("cache"))
        .env("OPENALEX_API_KEY", "secret-key-of-a-user")
        .args(args)
        .run()
}

fn work(number: u64) -> Value {
    json!({
        "id": format!("https://openalex.org/W{number}"),
        "doi": format!("https://doi.org/10.1000/{number}"),
        "display_name": format!("Work {number}"),
        "publication_year": 2021,
        "publication_date": "2021-05-01",
        "type": "article",
        "cited_by_count": number,
        "open_access": {"is_oa": true, "oa_status": "gold", "oa_url": "https://example.org/a.pdf"},
        "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
        "primary_location": {"source": null},
        "abstract_inverted_index": {"words": [1], "Two": [0]},
        "topics": [{"display_name": "Engines"}],
        "keywords": [],
        "language": "en",
        "referenced_works_count": 3,
    })
}

fn list(numbers: impl IntoIterator<Item = u64>, total: usize) -> Answer {
    let results: Vec<Value> = numbers.into_iter().map(work).collect();
    Answer::json(&json!({"meta": {"count": total, "page": 1}, "results": results}))
}

#[test]
fn a_search_sends_its_filters_and_prints_what_the_reference_prints() {
    let server = Server::start(|_| list([1, 2], 2));
    let project = Project::new();
    let args = [
        "search",
        "engines",
        "--year",
        "2020-2023",
        "--type",
        "article",
        "--open-access",
        "--min-citations",
        "20",
        "--sort",
        "citations",
        "--compat",
    ];
    let run1 = run(&project, &server, &args).expect_code(0);
    let works: Value = serde_json::from_str(run1.stdout()).expect("JSON");
    let first = &works[0];
    for (key, value) in [
        ("openalex_id", json!("W1")),
        ("doi", json!("10.1000/1")),
        ("authors", json!(["Ada Lovelace"])),
        ("venue", json!("Unknown")),
        ("abstract", json!("Two words")),
        ("is_oa", json!(true)),
        ("topics", json!(["Engines"])),
    ] {
        assert_eq!(first[key], value, "{key}");
    }
    let log = server.log();
    let asked = &log[0];
    for (name, value) in [
        ("search", "engines"),
        ("per_page", "10"),
        ("sort", "cited_by_count:desc"),
        (
            "filter",
            "publication_year:2020-2023,type:article,is_oa:true,cited_by_count:>19",
        ),
        ("api_key", "secret-key-of-a-user"),
    ] {
        assert_eq!(asked.query(name).as_deref(), Some(value), "{name}");
    }
    let mut people = args.to_vec();
    people.retain(|arg| *arg != "--compat");
    people.push("--offline");
    let text = run(&project, &server, &people).expect_code(0);
    assert!(
        text.stdout()
            .starts_with("Found 2 papers:\n\n1. Work 1\n   Authors: Ada Lovelace\n"),
        "{text}"
    );
}

#[test]
fn more_than_a_page_is_asked_for_page_by_page() {
    // **Source**: OpenAlex, "Page through results": `per_page` is between 1 and 100.
    let server = Server::start(|asked: &Received| {
        if asked.query("per_page").as_deref() != Some("100") {
            return Answer::json(
                &json!({"error": "Invalid query parameters error.", "message": "per_page"}),
            )
            .with_status(400);
        }
        match asked.query("page").as_deref() {
            None => list(0..100, 250),
            Some("2") => list(100..200, 250),
            Some("3") => list(200..250, 250),
            _ => Answer::status(500),
        }
    });
    let project = Project::new();
    let run = run(
        &project,
        &server,
        &["search", "q", "--max", "230", "--json"],
    )
    .expect_code(0);
    assert_eq!(run.data().as_array().map(Vec::len), Some(230));
    assert_eq!(run.envelope()["meta"]["total"], 250);
}

#[test]
fn a_work_that_is_not_there_is_three_and_no_answer_is_seven() {
    let key = "secret-key-of-a-user";
    for (what, answer, code) in [
        ("there", Answer::json(&work(7)), 0),
        ("unknown", Answer::html().with_status(404), 3),
        ("a page", Answer::html(), 7),
        ("429", Answer::status(429).header("retry-after", "100"), 7),
        ("503", Answer::status(503), 7),
        ("silence", Answer::stall(), 7),
        (
            "another object",
            Answer::json(&json!({"id": "https://openalex.org/A1"})),
            7,
        ),
        (
            "a refusal",
            Answer::json(&json!({"error": "Invalid", "message": "bad id"})).with_status(400),
            4,
        ),
        ("no key", Answer::status(401), 5),
    ] {
        let server = Server::start(move |_| answer.clone());
        let project = Project::new();
        let run = run(
            &project,
            &server,
            &["work", "10.1000/7", "--deadline", "1.5", "--json"],
        )
        .expect_code(code);
        assert!(!format!("{run}").contains(key), "{what}: {run}");
        assert_eq!(server.log()[0].path(), "/works/doi:10.1000/7");
    }
}

/// **Source**: OpenAlex, "Rate limits and authentication": 403 and 429 both say that the allowance is used up; a key raises it.
#[test]
fn a_used_up_allowance_is_no_wrong_key_and_names_the_key_that_is_missing() {
    let server = Server::start(|_| {
        Answer::json(&json!({"error": "Forbidden", "message": "rate limit exceeded"}))
            .with_status(403)
    });
    let project = Project::new();
    let run = Helper::named("openalex_fetch")
        .call(project.path())
        .env("ARIS_OPENALEX_BASE_URL", server.url())
        .env("ARIS_CACHE_DIR", project.at("cache"))
        .args(["search", "engines", "--deadline", "6"])
        .run()
        .expect_code(7);
    assert!(
        run.stderr().contains("OPENALEX_API_KEY is not set"),
        "{run}"
    );
    let run = run_with_key(&project, &server);
    assert!(
        !run.stderr().contains("OPENALEX_API_KEY is not set")
            && !run.stderr().contains("secret-key"),
        "{run}"
    );
}

fn run_with_key(project: &Project, server: &Server) -> Run {
    run(project, server, &["search", "engines", "--deadline", "6"]).expect_code(7)
}
