#![cfg(test)]
//! Runs `literature_search` against local servers.

use std::time::{Duration, Instant};

use aris_testkit::{Answer, Helper, Project, Received, Run, Server};
use serde_json::{Value, json};

/// Runs the helper with one server for all sources; their paths differ.
fn run(project: &Project, server: &Server, args: &[&str]) -> Run {
    let mut call = Helper::named("literature_search").call(project.path());
    for source in ["ARXIV", "S2", "OPENALEX", "CROSSREF", "DBLP", "EXA"] {
        call = call.env(format!("ARIS_{source}_BASE_URL"), server.url());
    }
    call.env("ARIS_CACHE_DIR", project.at("cache"))
        .args(args)
        .run()
}

fn s2(from: u64, count: u64) -> Answer {
    let data: Vec<Value> = (from..from + count)
        .map(|number| {
            json!({"paperId": format!("{number:040x}"), "title": format!("Study number {number} of semantic communication"),
                "year": 2020, "authors": [{"name": "Grace Hopper"}], "externalIds": {"DOI": format!("10.1000/{number}")}})
        })
        .collect();
    Answer::json(&json!({"total": count, "offset": 0, "data": data}))
}

fn openalex(from: u64, count: u64) -> Answer {
    let results: Vec<Value> = (from..from + count)
        .map(|number| {
            json!({"id": format!("https://openalex.org/W{number}"), "doi": format!("https://doi.org/10.1000/{number}"),
                "title": format!("Study number {number} of semantic communication"), "publication_year": 2020, "type": "article",
                "authorships": [{"author": {"display_name": "Grace Hopper"}}]})
        })
        .collect();
    Answer::json(&json!({"meta": {"count": count, "page": 1}, "results": results}))
}

fn crossref(from: u64, count: u64) -> Answer {
    let items: Vec<Value> = (from..from + count)
        .map(|number| {
            json!({"DOI": format!("10.1000/{number}"), "title": [format!("Study number {number} of semantic communication")],
                "type": "journal-article", "author": [{"given": "Grace", "family": "Hopper"}], "issued": {"date-parts": [[2020]]}})
        })
        .collect();
    Answer::json(
        &json!({"status": "ok", "message-type": "work-list", "message": {"total-results": count, "items": items}}),
    )
}

fn arxiv(from: u64, count: u64) -> Answer {
    let entries: Vec<String> = (from..from + count)
        .map(|number| {
            format!("<entry><id>http://arxiv.org/abs/2001.{:05}v1</id><title>Study number {number} of semantic communication</title>\
                <published>2020-01-01T00:00:00Z</published><author><name>Grace Hopper</name></author></entry>", number + 1)
        })
        .collect();
    Answer::ok(
        "application/atom+xml",
        format!(
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:totalResults>{count}</o:totalResults>{}</feed>",
            entries.concat()
        ),
    )
}

fn dblp(count: u64) -> Answer {
    Answer::json(
        &json!({"result": {"status": {"@code": "200"}, "hits": {"@total": count.to_string(), "@sent": "0"}}}),
    )
}

/// Answers like all the sources, each with `count` records starting at `from`.
fn all(asked: &Received, from: u64, count: u64) -> Answer {
    match asked.path() {
        "/api/query" => arxiv(from, count),
        "/graph/v1/paper/search" => s2(from, count),
        "/works" if asked.query("search").is_some() => openalex(from, count),
        "/works" => crossref(from, count),
        _ => dblp(0),
    }
}

#[test]
fn a_paper_that_several_sources_have_is_one() {
    let server = Server::start(|asked| all(asked, 1, 3));
    let project = Project::new();
    let run = run(
        &project,
        &server,
        &["aggregate", "semantic communication", "--json"],
    )
    .expect_code(0);
    let data = run.data();
    assert_eq!(
        (&data["records"], &data["found"]),
        (&json!(12), &json!(3)),
        "{run}"
    );
    let paper = &data["papers"][0];
    assert!(
        paper["ids"]["arxiv"].is_string() && paper["ids"]["doi"][0].is_string(),
        "{paper}"
    );
    assert_eq!(paper["origins"].as_array().map(Vec::len), Some(4));
    assert_eq!(
        data["sources_used"],
        json!(["arxiv", "semantic_scholar", "openalex", "crossref"])
    );
    assert_eq!(data["sources"][4]["outcome"], "empty");
}

#[test]
fn a_silent_source_is_named_and_the_others_count() {
    let server = Server::start(|asked| match asked.path() {
        "/graph/v1/paper/search" => Answer::status(429).header("retry-after", "1000"),
        "/api/query" => Answer::html(),
        _ => all(asked, 1, 2),
    });
    let project = Project::new();
    let args = ["aggregate", "semantic communication", "--deadline", "20"];
    let run1 = run(&project, &server, &args).expect_code(0);
    assert!(
        run1.stdout().contains("semantic_scholar DID NOT ANSWER"),
        "{run1}"
    );
    let run2 = run(&project, &server, &[&args[..], &["--json"]].concat()).expect_code(0);
    assert_eq!(run2.data()["sources"][1]["outcome"], "not_answered");
    assert_eq!(run2.data()["sources_used"], json!(["openalex", "crossref"]));
}

#[test]
fn nothing_found_is_an_answer_only_when_all_have_answered() {
    let server = Server::start(|asked| all(asked, 1, 0));
    let project = Project::new();
    let run1 = run(&project, &server, &["aggregate", "q", "--json"]).expect_code(0);
    assert_eq!(run1.data()["papers"], json!([]));
    let server = Server::start(|asked| match asked.path() {
        "/works" if asked.query("search").is_some() => Answer::status(503),
        _ => all(asked, 1, 0),
    });
    let project = Project::new();
    let run2 = run(
        &project,
        &server,
        &["aggregate", "q", "--deadline", "2", "--json"],
    )
    .expect_code(7);
    assert_eq!(
        run2.error()["details"]["sources"][2]["outcome"],
        "not_answered"
    );
    assert!(run2.stderr().contains("openalex"), "{run2}");
    let without = run(&project, &server, &["cascade", "q", "--sources", "exa"]).expect_code(7);
    assert!(without.stderr().contains("EXA_API_KEY"), "{without}");
}

#[test]
fn a_cascade_stops_at_the_first_that_has_something_and_survives_a_stall() {
    let server = Server::start(|asked| match asked.path() {
        "/graph/v1/paper/search" => Answer::stall(),
        _ => all(asked, 1, 1),
    });
    let project = Project::new();
    let args = [
        "cascade",
        "semantic communication",
        "--sources",
        "semantic-scholar,openalex,crossref",
        "--deadline",
        "6",
        "--json",
    ];
    let run = run(&project, &server, &args).expect_code(0);
    let fates: Vec<Value> = run.data()["sources"]
        .as_array()
        .expect("list")
        .iter()
        .map(|asked| asked["outcome"].clone())
        .collect();
    assert_eq!(fates, ["not_answered", "contributed", "not_asked"]);
}

#[test]
fn five_hundred_candidates_take_no_longer_than_their_answers() {
    let server = Server::start(|asked| {
        let answer = match asked.path() {
            "/api/query" => arxiv(0, 100),
            "/graph/v1/paper/search" => s2(50, 100),
            "/works" if asked.query("search").is_some() => openalex(100, 100),
            "/works" => crossref(150, 100),
            _ => Answer::json(&json!({"result": {"hits": {"@total": "0"}}})),
        };
        answer.late(Duration::from_millis(100))
    });
    let project = Project::new();
    let start = Instant::now();
    let args = [
        "aggregate",
        "semantic communication",
        "--per-source",
        "100",
        "--max",
        "500",
        "--json",
    ];
    let run = run(&project, &server, &args).expect_code(0);
    let data = run.data();
    assert_eq!(
        (&data["records"], &data["found"]),
        (&json!(400), &json!(250))
    );
    // The time is printed, not asserted, because machines differ.
    println!("400 records merged in {:?}", start.elapsed());
}

/// The output of `arxiv_fetch search` without a flag.
#[test]
fn the_plain_list_of_arxiv_is_merged_as_well() {
    let plain = r#"[{"id":"2001.00001","title":"A study of semantic communication","authors":["Grace Hopper"],"abstract":"Words.",
        "published":"2020-01-02","updated":"2020-02-03","categories":["cs.IT"],"pdf_url":"https://arxiv.org/pdf/2001.00001.pdf",
        "abs_url":"https://arxiv.org/abs/2001.00001"}]"#;
    let other = r#"[{"title":"A Study of Semantic Communication","authors":[{"name":"G. Hopper"}],"year":2021,"kind":"article","ids":{"doi":["10.1000/1"]},"origins":[{"source":"openalex","record":"W1","retrieved_at":"2026-01-01T00:00:00Z"}]}]"#;
    let project = Project::new()
        .file("arxiv.json", plain)
        .file("b.json", other)
        .file("none.json", r#"[{"id":"x","title":"A"}]"#);
    let server = Server::start(|_| Answer::status(500));
    let words = ["merge", "arxiv.json", "b.json", "--json"];
    let data = run(&project, &server, &words).expect_code(0).data();
    let paper = &data["papers"][0];
    assert_eq!(
        (
            data["found"].as_u64(),
            &paper["ids"]["arxiv"],
            &paper["ids"]["doi"][0]
        ),
        (Some(1), &json!("2001.00001"), &json!("10.1000/1")),
        "{data}"
    );
    let origins = paper["origins"].as_array().expect("a list");
    let arxiv = origins.iter().find(|one| one["source"] == "arxiv");
    let arxiv = arxiv.expect("its origin");
    assert_eq!(arxiv["record"], "2001.00001");
    // The list does not say when arXiv answered; the file's time is used instead.
    let time = arxiv["retrieved_at"].as_str().expect("a time");
    assert!(time.ends_with('Z') && !time.starts_with("1970"), "{time}");
    run(&project, &server, &["merge", "none.json"]).expect_code(4);
}

#[test]
fn saved_records_are_merged_without_a_network() {
    let one = r#"{"title":"A study of semantic communication","authors":[{"name":"Grace Hopper"}],"year":2020,"ids":{"arxiv":"2001.00001"},"origins":[{"source":"arxiv","record":"2001.00001v1","retrieved_at":"2026-01-01T00:00:00Z"}]}"#;
    let two = r#"[{"title":"A Study of Semantic Communication","authors":[{"name":"G. Hopper"}],"year":2021,"kind":"article","ids":{"doi":["10.1000/1"]},"origins":[{"source":"openalex","record":"W1","retrieved_at":"2026-01-01T00:00:00Z"}]}]"#;
    let project = Project::new().file("a.jsonl", one).file("b.json", two);
    let server = Server::start(|_| Answer::status(500));
    let run1 = run(
        &project,
        &server,
        &["merge", "a.jsonl", "b.json", "--jsonl"],
    )
    .expect_code(0);
    let paper: Value = serde_json::from_str(run1.stdout()).expect("one line of JSON");
    assert_eq!(
        (&paper["ids"]["arxiv"], &paper["ids"]["doi"][0]),
        (&json!("2001.00001"), &json!("10.1000/1"))
    );
    let bib = run(
        &project,
        &server,
        &["merge", "a.jsonl", "b.json", "--bibtex"],
    )
    .expect_code(0);
    assert!(
        bib.stdout().starts_with("@article{hopper2021study,"),
        "{bib}"
    );
    assert!(server.log().is_empty());
}
