#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]
//! Runs `openalex_fetch` against a local server.

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
    // Only root-level fields of a work can be selected.
    let fields = asked.query("select").expect("fields");
    assert!(
        fields.contains("abstract_inverted_index") && !fields.contains('.'),
        "{fields}"
    );
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

/// **Source**: the answer of `/works/doi:…` for an unknown DOI.
const NO_WORK: &str =
    "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n";

#[test]
fn a_work_that_is_not_there_is_three_and_no_answer_is_seven() {
    let key = "secret-key-of-a-user";
    for (what, answer, code) in [
        ("there", Answer::json(&work(7)), 0),
        (
            "unknown",
            Answer::ok("text/html", NO_WORK).with_status(404),
            3,
        ),
        ("a page in place of it", Answer::html().with_status(404), 7),
        (
            "no list",
            Answer::json(&json!({"meta": {"count": 0}, "results": null})),
            7,
        ),
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

/// A cache that cannot be used causes a warning only.
#[test]
fn an_answer_is_delivered_whatever_lies_in_the_caches_place() {
    use std::process::Command;
    let server = Server::start(|_| list([1], 1));
    let spoil = |what: &str, project: &Project| -> bool {
        let cache = project.at("cache");
        let pipe = |at: &std::path::Path| {
            let made = Command::new("mkfifo").arg(at).status();
            made.is_ok_and(|status| status.success())
        };
        match what {
            "file" => std::fs::write(&cache, "mine").is_ok(),
            "pipe" => pipe(&cache),
            "link" => std::os::unix::fs::symlink("/nowhere/at/all", &cache).is_ok(),
            "locked by a pipe" => std::fs::create_dir(&cache).is_ok() && pipe(&cache.join(".lock")),
            "pace in the way" => {
                std::fs::create_dir(&cache).is_ok()
                    && std::fs::write(cache.join("pace"), "x").is_ok()
            }
            _ => {
                std::fs::create_dir_all(cache.join("http/v1")).is_ok()
                    && pipe(&cache.join("http/v1/openalex"))
            }
        }
    };
    for what in [
        "file",
        "pipe",
        "link",
        "locked by a pipe",
        "pace in the way",
        "answers in a pipe",
    ] {
        let project = Project::new();
        assert!(spoil(what, &project), "{what}");
        let run = run(
            &project,
            &server,
            &["search", "engines", "--deadline", "30"],
        )
        .expect_code(0);
        assert!(run.stdout().contains("Work 1"), "{what}: {run}");
        if what != "answers in a pipe" {
            assert_eq!(
                run.stderr().matches("answers are not kept").count(),
                1,
                "{what}: {run}"
            );
        }
    }
    // Offline without a usable cache.
    let project = Project::new();
    assert!(spoil("file", &project));
    let run = run(&project, &server, &["search", "engines", "--offline"]).expect_code(5);
    assert!(run.stderr().contains("the cache cannot be used"), "{run}");
}

#[test]
fn many_processes_that_want_one_work_send_one_request() {
    let server =
        Server::start(|_| Answer::json(&work(7)).late(std::time::Duration::from_millis(300)));
    let project = Project::new();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let run = run(&project, &server, &["work", "W7"]).expect_code(0);
                assert!(run.stdout().contains("Work 7"), "{run}");
            });
        }
    });
    assert_eq!(server.log().len(), 1);
}

/// A redirect may repeat the query including the key.
#[test]
fn a_key_does_not_follow_a_redirect() {
    let other = Server::start(|_| Answer::json(&work(7)));
    let place = other.url();
    let server =
        Server::start(move |received| Answer::redirect(&format!("{place}{}", received.target)));
    let project = Project::new();
    let run = run(&project, &server, &["work", "W7"]).expect_code(0);
    let log = other.log();
    assert_eq!(log.len(), 1, "{run}");
    assert_eq!(log[0].query("api_key"), None);
    assert!(!log[0].target.contains("secret-key"), "{}", log[0].target);
}

#[test]
fn hidden_characters_of_a_source_reach_nobody() {
    let server = Server::start(|_| {
        let mut hostile = work(7);
        hostile["display_name"] = json!("Cats \u{1b}]0;owned\u{7}and \u{202e}dogs\u{9b}2J");
        hostile["authorships"][0]["author"]["display_name"] =
            json!("Ada\u{202e} Love\u{1b}[8mlace");
        Answer::json(&json!({"meta": {"count": 1, "page": 1}, "results": [hostile]}))
    });
    let project = Project::new();
    for form in [
        &["--json"][..],
        &["--bibtex"],
        &["--compat"],
        &["--jsonl"],
        &[],
    ] {
        let run = run(
            &project,
            &server,
            &[&["search", "engines"][..], form].concat(),
        )
        .expect_code(0);
        let odd = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'];
        assert!(!run.stdout().contains(odd), "{run}");
        // The reference's format has the records as JSON, in which the character is escaped.
        let escaped = run.stdout().contains("\\u202e");
        assert!(form.contains(&"--compat") || !escaped, "{run}");
        assert!(
            run.stdout().contains("Cats") && run.stdout().contains("dogs"),
            "{run}"
        );
    }
}

/// **Source**: developers.openalex.org, "Authentication & Pricing": a search costs 0.001 dollars, a single work nothing; each answer
/// states the remaining daily allowance and the seconds to midnight UTC.
#[test]
fn a_used_up_allowance_stops_searches_and_leaves_single_works() {
    let server = Server::start(|received| {
        let single = received.path().ends_with("/W7");
        let answer = if single {
            Answer::json(&work(7))
        } else {
            list([1], 1)
        };
        answer
            .header("x-ratelimit-limit-usd", "0.1")
            .header("x-ratelimit-remaining-usd", "0.0005")
            .header("x-ratelimit-cost-usd", if single { "0" } else { "0.001" })
            .header("x-ratelimit-reset", "40000")
    });
    let project = Project::new();
    let call = |args: &[&str]| {
        Helper::named("openalex_fetch")
            .call(project.path())
            .env("ARIS_OPENALEX_BASE_URL", server.url())
            .env("ARIS_CACHE_DIR", project.at("cache"))
            .args(args)
            .run()
    };
    call(&["work", "W7"]).expect_code(0);
    call(&["search", "engines"]).expect_code(0);
    let refused = call(&["search", "other engines"]).expect_code(7);
    for words in [
        "its allowance for today is used up",
        "OPENALEX_API_KEY is not set",
    ] {
        assert!(refused.stderr().contains(words), "{refused}");
    }
    assert_eq!(server.log().len(), 2);
    call(&["work", "W7", "--refresh"]).expect_code(0);
    assert_eq!(server.log().len(), 3);
}

#[test]
fn a_deadline_that_passes_is_named() {
    let server = Server::start(|_| Answer::json(&work(7)).late(std::time::Duration::from_secs(3)));
    let project = Project::new();
    let run = run(&project, &server, &["work", "W7", "--deadline", "0.5"]).expect_code(7);
    assert!(
        run.stderr().contains("the deadline of 0.5 s passed"),
        "{run}"
    );
    assert!(!run.stderr().contains("HTTPS_PROXY"), "{run}");
}

#[test]
fn an_error_that_repeats_the_key_and_an_empty_list_are_told() {
    let server = Server::start(|request| {
        if request.path().contains("refused") {
            let said =
                json!({"error": "Bad Request", "message": "invalid api key secret-key-of-a-user"});
            return Answer::json(&said).with_status(400);
        }
        list([], 0)
    });
    let project = Project::new();
    let refused = run(&project, &server, &["work", "10.1000/refused", "--json"]).expect_code(4);
    let all = format!("{}{}", refused.stdout(), refused.stderr());
    assert!(
        all.contains("invalid api key ***") && !all.contains("secret-key"),
        "{all}"
    );
    run(
        &project,
        &server,
        &["work", "10.1000/empty", "--deadline", "20"],
    )
    .expect_code(7);
}

#[test]
fn a_key_that_cannot_be_one_is_named_and_nothing_is_asked() {
    let server = Server::start(|_| list([1], 1));
    let project = Project::new();
    let run = Helper::named("openalex_fetch")
        .call(project.path())
        .env("ARIS_OPENALEX_BASE_URL", server.url())
        .env("OPENALEX_API_KEY", "two words")
        .args(["search", "engines"])
        .run()
        .expect_code(2);
    assert!(
        run.stderr().contains("OPENALEX_API_KEY cannot be a key"),
        "{run}"
    );
    assert!(server.log().is_empty());
}
