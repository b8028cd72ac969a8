#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]
//! `verify_papers` against servers on this machine, one for each source.

#[path = "cli/pace.rs"]
mod pace;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aris_testkit::{Answer, Call, Helper, Project, Received, Run, Server};
use serde_json::{Value, json};

const VASWANI: &str = "<entry><id>http://arxiv.org/abs/1706.03762v7</id><title>Attention Is All You Need</title><published>2017-06-12T17:57:34Z</published><author><name>Ashish Vaswani</name></author><author><name>Noam Shazeer</name></author></entry>";

/// A small world: arXiv has one paper, Crossref one, Semantic Scholar's search one; DataCite, DBLP and OpenAlex have none.
struct World {
    arxiv: Server,
    crossref: Server,
    datacite: Server,
    dblp: Server,
    openalex: Server,
    s2: Server,
}

fn feed(entries: &str, total: usize) -> Answer {
    Answer::ok(
        "application/atom+xml",
        format!(
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:totalResults>{total}</o:totalResults>{entries}</feed>"
        ),
    )
}

fn work(doi: &str, title: &str) -> Value {
    json!({"DOI": doi, "title": [title], "type": "journal-article", "container-title": ["Journal of Tests"],
        "author": [{"given": "Ada", "family": "Lovelace"}, {"given": "Grace", "family": "Hopper"}],
        "issued": {"date-parts": [[2016]]}})
}

/// An answer of a source that is unavailable for longer than a run waits.
fn away() -> Answer {
    Answer::status(503).header("retry-after", "300")
}

/// Fields that a query for a list of works can select.
///
/// **Source**: Crossref's error `select-not-available` for any other field: CrossRef/rest-api-doc, issue 302, and newer copies
/// of it, which have `published` and `resource` too.
const SELECTS: &str = "abstract,URL,resource,member,posted,score,created,degree,update-policy,short-title,license,ISSN,container-title,issued,update-to,issue,prefix,approved,indexed,article-number,clinical-trial-number,accepted,author,group-title,DOI,is-referenced-by-count,updated-by,event,chair,standards-body,original-title,funder,translator,published,archive,published-print,alternative-id,subject,subtitle,published-online,publisher-location,content-domain,reference,title,link,type,publisher,volume,references-count,ISBN,issn-type,assertion,deposited,page,content-created,short-container-title,relation,editor";

/// A list of works with the selected fields.
fn selected(request: &Received, works: Vec<Value>) -> Answer {
    let select = request.query("select").expect("fields are named");
    let fields: Vec<&str> = select.split(',').collect();
    assert!(!fields.contains(&"reference"), "{select}");
    if let Some(unknown) = fields
        .iter()
        .find(|field| !SELECTS.split(',').any(|known| known == **field))
    {
        let why = format!("Select {unknown} specified but there is no such select for this route.");
        let message = json!([{"type": "select-not-available", "value": unknown, "message": why}]);
        let answer =
            json!({"status": "failed", "message-type": "validation-failure", "message": message});
        return Answer::json(&answer).with_status(400);
    }
    let items: Vec<Value> = works
        .into_iter()
        .map(|mut work| {
            let known = work.as_object_mut().expect("a work");
            known.retain(|field, _| fields.contains(&field.as_str()));
            work
        })
        .collect();
    Answer::json(
        &json!({"status": "ok", "message-type": "work-list", "message": {"total-results": items.len(), "items": items}}),
    )
}

fn crossref(request: &Received) -> Answer {
    if request.path().contains("10.1000") {
        let message = work("10.1000/one", "On the numbers of one machine");
        Answer::json(&json!({"status": "ok", "message-type": "work", "message": message}))
    } else if request.path().ends_with("/works") {
        let filter = request.query("filter").unwrap_or_default();
        // All works 10.2000/… exist, except the seventh, which only a direct look-up finds.
        let items: Vec<Value> = filter
            .split(',')
            .filter_map(|filter| filter.strip_prefix("doi:"))
            .filter(|doi| doi.starts_with("10.2000/") && *doi != "10.2000/7")
            .map(|doi| work(doi, "On the numbers of many machines"))
            .collect();
        selected(request, items)
    } else if request.path().ends_with("10.2000/7") {
        let message = work("10.2000/7", "On the numbers of many machines");
        Answer::json(&json!({"status": "ok", "message-type": "work", "message": message}))
    } else {
        Answer::status(404)
            .header("content-type", "text/plain")
            .body("Resource not found.")
    }
}

fn s2(request: &Received) -> Answer {
    let title = request.query("query").unwrap_or_default();
    if title.starts_with("A thing that is searched for") {
        Answer::json(
            &json!({"data": [{"paperId": "204e3073870fae3d05bcbc2f6a8e263d9b72e776", "title": title,
            "year": 2020, "venue": "ICML", "authors": [{"name": "Ada Lovelace"}], "externalIds": {}}]}),
        )
    } else {
        Answer::json(&json!({"error": "Title match not found"})).with_status(404)
    }
}

impl World {
    fn new(s2: fn(&Received) -> Answer) -> Self {
        Self {
            arxiv: Server::start(|request| {
                let ids = request.query("id_list").unwrap_or_default();
                if ids.contains("1706.03762") {
                    feed(VASWANI, 1)
                } else {
                    feed("", 0)
                }
            }),
            crossref: Server::start(crossref),
            datacite: Server::start(|_| {
                Answer::json(&json!({"errors": [{"status": "404"}]})).with_status(404)
            }),
            dblp: Server::start(|_| {
                Answer::json(&json!({"result": {"hits": {"@total": "0", "@sent": "0"}}}))
            }),
            openalex: Server::start(|_| {
                Answer::json(&json!({"meta": {"count": 0}, "results": []}))
            }),
            s2: Server::start(s2),
        }
    }

    fn run(&self, project: &Project, args: &[&str]) -> Run {
        let helper = Helper::named("verify_papers");
        self.call_of(&helper, project).args(args).run()
    }

    fn call_of(&self, program: &Helper, project: &Project) -> Call {
        program
            .call(project.path())
            .env("ARIS_ARXIV_BASE_URL", self.arxiv.url())
            .env("ARIS_CROSSREF_BASE_URL", self.crossref.url())
            .env("ARIS_DATACITE_BASE_URL", self.datacite.url())
            .env("ARIS_DBLP_BASE_URL", self.dblp.url())
            .env("ARIS_OPENALEX_BASE_URL", self.openalex.url())
            .env("ARIS_S2_BASE_URL", self.s2.url())
            .env("ARIS_CACHE_DIR", project.at("cache"))
    }

    fn requests(&self) -> usize {
        [
            &self.arxiv,
            &self.crossref,
            &self.datacite,
            &self.dblp,
            &self.openalex,
            &self.s2,
        ]
        .iter()
        .map(|server| server.log().len())
        .sum()
    }
}

const CANDIDATES: &str = r#"[
  {"id": "p1", "arxiv_id": "1706.03762", "doi": null, "title": "Attention is all you need"},
  {"id": "p2", "arxiv_id": null, "doi": "10.1000/one", "title": "On the numbers of one machine"},
  {"id": "p3", "arxiv_id": null, "doi": null, "title": "A thing that is searched for by its title"},
  {"id": "p4", "arxiv_id": "1706.03762v2", "doi": null, "title": "A thing that is searched for under a wrong number"},
  {"id": "p5", "arxiv_id": null, "doi": null, "title": null},
  {"id": "p6", "arxiv_id": null, "doi": "10.9999/made.up", "title": "What nobody has ever written in any place"},
  {"id": "p7", "arxiv_id": "1706.03762", "doi": "10.1000/one", "title": "Attention is all you need"}
]"#;

fn by_id<'a>(report: &'a Value, id: &str) -> &'a Value {
    report["papers"]
        .as_array()
        .expect("papers")
        .iter()
        .find(|paper| paper["id"] == id)
        .expect(id)
}

/// Five sources say that there is no such work, and one gives an undocumented answer: nothing is proved.
#[test]
fn what_is_no_answer_of_a_source_proves_no_absence() {
    let list =
        |message: Value| json!({"status": "ok", "message-type": "work-list", "message": message});
    let page = json!({"meta": {"count": 0}, "results": null});
    let hits =
        json!({"result": {"status": {"@code": "500"}, "hits": {"@total": "0", "@sent": "0"}}});
    for (source, status, body) in [
        (
            "s2",
            404,
            json!({"message": "no Route matched with those values"}),
        ),
        ("s2", 404, json!({"error": "no route"})),
        ("openalex", 200, page),
        ("openalex", 200, json!({"results": []})),
        ("openalex", 200, json!({"error": "x", "results": []})),
        (
            "crossref",
            200,
            list(json!({"total-results": 500, "items": []})),
        ),
        (
            "crossref",
            200,
            list(json!({"total-results": 0, "items": null})),
        ),
        ("dblp", 200, hits),
        ("dblp", 200, json!({"result": {"hits": {}}})),
        ("none", 200, Value::Null),
    ] {
        let mut world = World::new(s2);
        world.crossref = Server::start(|request| match request.path() {
            "/works" => selected(request, Vec::new()),
            _ => Answer::ok("text/plain", "Resource not found.").with_status(404),
        });
        let answer = Answer::json(&body).with_status(status);
        let server = match source {
            "s2" => Some(&mut world.s2),
            "openalex" => Some(&mut world.openalex),
            "crossref" => Some(&mut world.crossref),
            "dblp" => Some(&mut world.dblp),
            _ => None,
        };
        if let Some(server) = server {
            *server = Server::start(move |_| answer.clone());
        }
        let papers = json!([{"id": "a", "title": "What nobody has ever written in any place", "authors": ["Ada Nobody"], "year": 2015}]);
        let project = Project::new().file("in.json", papers.to_string());
        let args = ["--input", "in.json", "--deadline", "20", "--json"];
        let run = world.run(&project, &args).expect_code(0);
        let paper = by_id(&run.data(), "a").clone();
        let is_proved = paper["existence"] == "not_found";
        assert_eq!(is_proved, source == "none", "{source} {body}: {paper:#}");
    }
}

#[test]
fn candidates_of_a_search() {
    let world = World::new(s2);
    let project = Project::new().file("in/candidates.json", CANDIDATES);
    let run = world
        .run(
            &project,
            &["--input", "in/candidates.json", "--output", "out.json"],
        )
        .expect_code(0);
    assert_eq!(run.stdout(), "");
    let report: Value = serde_json::from_str(&project.read("out.json")).expect("JSON");
    let expect = |id: &str, status: &str, existence: &str, method: Value, reason: Value| {
        let paper = by_id(&report, id);
        assert_eq!(paper["status"], status, "{paper:#}");
        assert_eq!(paper["existence"], existence, "{paper:#}");
        assert_eq!(paper["method"], method, "{paper:#}");
        assert_eq!(paper["reason"], reason, "{paper:#}");
    };
    expect("p1", "verified", "exists", json!("arxiv"), Value::Null);
    expect("p2", "verified", "exists", json!("crossref"), Value::Null);
    expect("p3", "verified", "exists", json!("s2"), Value::Null);
    // Its title exists, and the identifier belongs to another paper: never verified.
    expect(
        "p4",
        "unverified",
        "exists",
        Value::Null,
        json!("identifier_of_other_work"),
    );
    expect(
        "p5",
        "error",
        "inconclusive",
        Value::Null,
        json!("no_identifier_no_title"),
    );
    expect(
        "p6",
        "unverified",
        "not_found",
        Value::Null,
        json!("no_source_has_it"),
    );
    expect(
        "p7",
        "unverified",
        "exists",
        Value::Null,
        json!("identifier_of_other_work"),
    );
    assert_eq!(report["verdict"], "WARN");
    assert_eq!(
        report["warnings"],
        json!(["high_hallucination_rate", "malformed_inputs_present"])
    );
    assert_eq!(report["hallucination_rate"], 0.5);
    let evidence = by_id(&report, "p6")["evidence"]
        .as_array()
        .expect("evidence");
    assert_eq!(evidence.len(), 7, "{evidence:#?}");
    assert!(evidence.iter().all(|one| one["outcome"] == "absent"));
    // All answers are in the cache.
    let before = world.requests();
    world
        .run(&project, &["--input", "in/candidates.json", "--offline"])
        .expect_code(0);
    assert_eq!(world.requests(), before);
}

#[test]
fn a_list_costs_less_than_two_requests_for_each_paper() {
    let world = World::new(s2);
    let mut list: Vec<Value> = Vec::new();
    for at in 0..12 {
        list.push(json!({"id": format!("a{at}"), "arxiv_id": "1706.03762", "title": "Attention is all you need"}));
        list.push(json!({"id": format!("d{at}"), "doi": "10.1000/ONE", "title": "On the numbers of one machine"}));
    }
    for at in 0..4 {
        list.push(json!({"id": format!("t{at}"), "title": format!("A thing that is searched for, number {at}")}));
    }
    list.push(json!({"id": "n", "title": "What nobody has ever written in any place"}));
    let project = Project::new().file("list.json", Value::from(list.clone()).to_string());
    let run = world
        .run(&project, &["--input", "list.json"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(report["pending_rate"], 0.0);
    let requests = world.requests();
    assert!(requests <= 2 * list.len(), "{requests} for {}", list.len());
    // Equal queries are sent once: to arXiv one batch and one search, to Crossref one DOI and one search.
    assert_eq!(world.arxiv.log().len(), 2);
    assert_eq!(world.crossref.log().len(), 2);
}

#[test]
fn many_dois_are_asked_for_in_lists_and_what_a_list_lacks_alone() {
    let world = World::new(s2);
    // Half of the DOIs are so long that a URL with all of them would be too long for a server.
    let doi = |at: usize| format!("10.2000/{at}{}", "-long".repeat(at / 60 * 16));
    let mut list: Vec<Value> = (0..120)
        .map(|at| json!({"id": format!("d{at}"), "doi": doi(at), "title": "On the numbers of many machines"}))
        .collect();
    list.push(json!({"id": "fake", "doi": "10.9999/made.up", "title": "What nobody has ever written in any place"}));
    let project = Project::new().file("list.json", Value::from(list).to_string());
    let run = world
        .run(&project, &["--input", "list.json"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    for at in [0, 7, 119] {
        let paper = by_id(&report, &format!("d{at}"));
        assert_eq!(paper["status"], "verified", "{paper}");
    }
    assert_eq!(by_id(&report, "fake")["status"], "unverified");
    let lists: Vec<usize> = world
        .crossref
        .log()
        .iter()
        .filter_map(|request| {
            request
                .query("filter")
                .map(|filter| filter.split(',').count())
        })
        .collect();
    assert_eq!((lists.len(), lists.iter().sum()), (2, 121), "{lists:?}");
    let addresses = world.crossref.log();
    assert!(addresses.iter().all(|request| request.target.len() < 6_000));
    // Two lists, the seventh DOI alone, and the fake one alone and by its title.
    assert_eq!(addresses.len(), 5);

    // The cache has an answer for each paper of a list.
    let project = project.file(
        "one.json",
        r#"[{"id": "d3", "doi": "10.2000/3", "title": "On the numbers of many machines"}]"#,
    );
    let run = world
        .run(&project, &["--input", "one.json", "--offline"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(by_id(&report, "d3")["status"], "verified", "{run}");
    assert_eq!(world.crossref.log().len(), 5);
}

/// Semantic Scholar's answer to a title match: a longer title.
fn longer(request: &Received) -> Answer {
    let title = request.query("query").unwrap_or_default();
    let theirs = if title.starts_with("BERT") {
        "BERT: Pre-training of Deep Bidirectional Transformers"
    } else {
        "Sparse attention patterns for very long documents in law"
    };
    Answer::json(
        &json!({"data": [{"paperId": "204e3073870fae3d05bcbc2f6a8e263d9b72e776", "title": theirs,
        "year": 2019, "venue": "NAACL", "authors": [{"name": "Jacob Devlin"}], "externalIds": {}}]}),
    )
}

#[test]
fn a_main_title_that_matches_is_never_called_absent() {
    let world = World::new(longer);
    let project = Project::new().file("titles.txt", "BERT\n");
    let run = world.run(&project, &["--json", "--titles-file", "titles.txt"]);
    let report = run.data();
    let paper = &report["papers"][0];
    assert_eq!(paper["existence"], "inconclusive", "{run}");
    assert_eq!(paper["reason"], "only_the_main_title_matches", "{run}");
    assert!(run.stdout().contains("Pre-training of Deep"), "{run}");
    // The same with a threshold for the share of equal words.
    let args = [
        "--json",
        "--titles-file",
        "titles.txt",
        "--s2-fuzzy-threshold",
        "0.9",
    ];
    let run = world.run(&project, &args);
    let paper = &run.data()["papers"][0];
    assert_eq!(paper["existence"], "inconclusive", "{run}");
}

#[test]
fn a_main_title_is_never_called_absent_for_a_threshold_or_another_subtitle() {
    let world = World::new(|_| {
        Answer::json(
            &json!({"data": [{"paperId": "204e3073870fae3d05bcbc2f6a8e263d9b72e776",
            "title": "Widgets in the Wild Today: An Empirical Study of Gadget Behaviour",
            "year": 2019, "venue": "J", "authors": [{"name": "Wanda Widget"}], "externalIds": {}}]}),
        )
    });
    let cited = |title: &str, author: &str| {
        json!([{"id": "w", "title": title, "authors": [author], "year": 2019}]).to_string()
    };
    let short = "Widgets in the Wild Today";
    let other = "Widgets in the Wild Today: A Longitudinal Account of Things";
    for (title, author, more, existence) in [
        (
            short,
            "Wanda Widget",
            &["--s2-fuzzy-threshold", "0.85"][..],
            "inconclusive",
        ),
        (
            short,
            "Carl Somebody",
            &["--s2-fuzzy-threshold", "1"],
            "inconclusive",
        ),
        (short, "Carl Somebody", &[], "inconclusive"),
        (
            other,
            "Wanda Widget",
            &["--s2-fuzzy-threshold", "0.85"],
            "inconclusive",
        ),
        (other, "Wanda Widget", &[], "inconclusive"),
        (other, "Carl Somebody", &[], "not_found"),
    ] {
        let project = Project::new().file("c.json", cited(title, author));
        let args = [&["--json", "--input", "c.json"][..], more].concat();
        let run = world.run(&project, &args);
        let report = run.data();
        assert_eq!(
            report["papers"][0]["existence"], existence,
            "{title}: {run}"
        );
    }
}

#[test]
fn the_fuzzy_threshold_of_older_skills_counts() {
    let world = World::new(longer);
    // Six of nine words are shared.
    let title = "Sparse attention patterns for long documents\n";
    for (threshold, status) in [("0.6", "verified"), ("0.7", "unverified")] {
        let project = Project::new().file("titles.txt", title);
        let args = [
            "--json",
            "--titles-file",
            "titles.txt",
            "--s2-fuzzy-threshold",
            threshold,
        ];
        let run = world.run(&project, &args);
        let report = run.data();
        let paper = &report["papers"][0];
        assert_eq!(paper["status"], status, "{threshold}: {run}");
        if status == "verified" {
            let theirs = "Sparse attention patterns for very long documents in law";
            assert_eq!(paper["identifiers"]["s2_title"], theirs, "{run}");
            assert_eq!(paper["identifiers"]["title"], theirs, "{run}");
        }
    }
    let project = Project::new().file("titles.txt", title);
    let args = ["--titles-file", "titles.txt", "--s2-fuzzy-threshold", "7"];
    world.run(&project, &args).expect_code(2);
}

#[test]
fn a_source_that_does_not_answer_is_no_evidence() {
    let world = World::new(|_| away());
    let project = Project::new();
    project.write("titles.txt", "What nobody has ever written in any place\n");
    let run = world
        .run(
            &project,
            &["--titles-file", "titles.txt", "--deadline", "12"],
        )
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    let paper = &report["papers"][0];
    assert_eq!(paper["id"], "title-0");
    assert_eq!(paper["status"], "verify_pending", "{paper:#}");
    assert_eq!(paper["existence"], "inconclusive");
    assert_eq!(report["warnings"], json!(["transient_failures_present"]));
    assert_eq!(report["hallucination_rate"], 0.0);
    assert_eq!(report["pending_rate"], 1.0);
}

#[test]
fn offline_without_a_cache_nothing_is_known() {
    let world = World::new(s2);
    let project = Project::new();
    let ids = ["--arxiv-ids", "1706.03762, 2401.12345", "--offline"];
    let run = world.run(&project, &ids).expect_code(7);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(report["verdict"], "WARN");
    for paper in report["papers"].as_array().expect("papers") {
        assert_eq!(paper["status"], "verify_pending");
    }
    assert!(run.stderr().contains("2 papers pending"), "{run}");
    let run = world
        .run(&project, &[&ids[..], &["--output", "out.json"]].concat())
        .expect_code(7);
    assert_eq!(run.stdout(), "");
    assert_eq!(project.json("out.json")["pending_rate"], 1.0);
    let run = world
        .run(&project, &[&["--json"], &ids[..]].concat())
        .expect_code(7);
    let error: Value = serde_json::from_str(run.stdout()).expect("an envelope");
    assert_eq!(
        error["error"]["details"]["report"]["pending_rate"], 1.0,
        "{run}"
    );
    assert_eq!(world.requests(), 0);
}

#[test]
fn standard_input_and_standard_output_are_two_things() {
    let world = World::new(s2);
    let project = Project::new();
    let helper = Helper::named("verify_papers");
    let run = world
        .call_of(&helper, &project)
        .args(["--input", "-", "--output", "-"])
        .stdin(r#"[{"id": "p1", "arxiv_id": "1706.03762", "title": "Attention is all you need"}]"#)
        .env("ARIS_VERIFY_EMAIL", "me@example.org")
        .run()
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(report["verdict"], "PASS", "{run}");
    assert!(!project.at("-").exists());
    let agent = world.arxiv.log()[0].headers["user-agent"].clone();
    assert!(agent.contains("mailto:me@example.org"), "{agent}");
}

#[test]
fn an_input_that_is_not_json_is_blocked() {
    let world = World::new(s2);
    let project = Project::new().file("bad.json", "[{\"id\": \"p1\",");
    let run = world.run(&project, &["--input", "bad.json"]).expect_code(4);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(
        (&report["verdict"], &report["papers"]),
        (&json!("BLOCKED"), &json!([])),
        "{run}"
    );
    let run = world
        .run(
            &project,
            &["--input", "absent.json", "--output", "out.json"],
        )
        .expect_code(3);
    assert_eq!(run.stdout(), "");
    assert_eq!(project.json("out.json")["verdict"], "BLOCKED");
}

/// **Source**: arXiv API user's manual §3.1.1: `id_list`; papers that do not exist are left out, and `opensearch:totalResults`
/// has the number of papers.
fn arxiv_of(papers: &'static [&'static str]) -> impl Fn(&Received) -> Answer {
    move |request| {
        let ids = request.query("id_list").unwrap_or_default();
        let there: Vec<String> = papers
            .iter()
            .filter(|id| ids.split(',').any(|wanted| wanted == **id))
            .map(|id| {
                format!(
                    "<entry><id>http://arxiv.org/abs/{id}v1</id><title>The paper called {id} &amp; more</title><published>2024-01-01T00:00:00Z</published>\
                     <author><name>Ada Lovelace</name></author></entry>"
                )
            })
            .collect();
        feed(&there.concat(), there.len())
    }
}

fn listed(ids: &[&str]) -> String {
    let rows: Vec<Value> = ids.iter().map(|id| json!({"id": id, "arxiv_id": id, "title": format!("The paper called {id} & more")})).collect();
    Value::from(rows).to_string()
}

#[test]
fn one_paper_more_asks_for_one_and_an_outage_keeps_what_was_known() {
    let mut world = World::new(s2);
    let outage = Arc::new(AtomicBool::new(false));
    let is_away = Arc::clone(&outage);
    let there = arxiv_of(&["2401.00001", "2401.00002", "2401.00003"]);
    world.arxiv = Server::start(move |request| {
        if is_away.load(Ordering::SeqCst) {
            away()
        } else {
            there(request)
        }
    });
    let project = Project::new();
    project.write("two.json", listed(&["2401.00001", "2401.00002"]));
    project.write(
        "three.json",
        listed(&["2401.00001", "2401.00002", "2401.00003"]),
    );
    project.write(
        "four.json",
        listed(&["2401.00001", "2401.00004", "2401.00003"]),
    );
    world.run(&project, &["--input", "two.json"]).expect_code(0);
    let run = world
        .run(&project, &["--input", "three.json"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(report["verdict"], "PASS", "{run}");
    let asked: Vec<Option<String>> = world
        .arxiv
        .log()
        .iter()
        .map(|request| request.query("id_list"))
        .collect();
    assert_eq!(
        asked,
        [
            Some(String::from("2401.00001,2401.00002")),
            Some(String::from("2401.00003"))
        ]
    );
    // arXiv is unavailable: verified papers stay verified, the others are pending.
    outage.store(true, Ordering::SeqCst);
    world.s2 = Server::start(|_| away());
    let run = world
        .run(&project, &["--input", "four.json", "--deadline", "8"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(by_id(&report, "2401.00001")["status"], "verified", "{run}");
    assert_eq!(by_id(&report, "2401.00003")["status"], "verified", "{run}");
    assert_eq!(
        by_id(&report, "2401.00004")["status"],
        "verify_pending",
        "{run}"
    );
}

#[test]
fn a_page_that_is_too_short_says_nothing_about_what_it_lacks() {
    let mut world = World::new(|_| away());
    world.arxiv = Server::start(|_| {
        feed(
            "<entry><id>http://arxiv.org/abs/2401.00001v1</id><title>The paper called 2401.00001 &amp; more</title></entry>",
            2,
        )
    });
    let project = Project::new();
    project.write("two.json", listed(&["2401.00001", "2401.00002"]));
    let run = world
        .run(&project, &["--input", "two.json", "--deadline", "4"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_ne!(
        by_id(&report, "2401.00002")["existence"],
        "not_found",
        "{run}"
    );
    assert_eq!(
        by_id(&report, "2401.00002")["status"],
        "verify_pending",
        "{run}"
    );
}

/// **Source**: Semantic Scholar Graph API, `/paper/batch`: 400 "No valid paper ids given" when it knows none of the ids;
/// `/paper/search/match`, `query`: hyphenated terms yield no matches.
#[test]
fn semantic_scholar_is_read_as_it_is_documented() {
    let mut world = World::new(|request| {
        if request.path().ends_with("/batch") {
            return Answer::json(&json!({"error": "No valid paper ids given"})).with_status(400);
        }
        let query = request.query("query").unwrap_or_default();
        if query.contains('-') {
            return Answer::json(&json!({"error": "Title match not found"})).with_status(404);
        }
        s2(request)
    });
    world.crossref = Server::start(|_| away());
    let project = Project::new();
    project.write(
        "list.json",
        r#"[{"id": "a", "doi": "10.9999/made.up", "title": "What nobody has ever written in any place"},
            {"id": "b", "title": "A thing that is searched for with a state-of-the-art title"}]"#,
    );
    for _ in 0..2 {
        world
            .run(&project, &["--input", "list.json", "--deadline", "25"])
            .expect_code(0);
    }
    // "None of these ids" is an answer too, and is cached for a day.
    let batches = world.s2.log();
    let batches = batches
        .iter()
        .filter(|request| request.path().ends_with("/batch"));
    assert_eq!(batches.count(), 1);
    let queries: Vec<String> = world
        .s2
        .log()
        .iter()
        .filter_map(|request| request.query("query"))
        .collect();
    assert!(
        !queries.is_empty() && queries.iter().all(|query| !query.contains('-')),
        "{queries:?}"
    );
}

#[test]
fn withdrawn_from_a_conference_is_no_retraction() {
    for (comment, retracted) in [
        ("Withdrawn from ICLR 2021, now at NeurIPS", false),
        ("8 pages, withdrawn submission to ICML", false),
        (
            "This paper has been withdrawn by the author due to an error",
            true,
        ),
        ("Withdrawn; see arXiv:2402.00001", true),
    ] {
        let mut world = World::new(s2);
        world.arxiv = Server::start(move |_| {
            feed(
                &VASWANI.replace("</entry>", &format!("<a:comment xmlns:a='http://arxiv.org/schemas/atom'>{comment}</a:comment></entry>")),
                1,
            )
        });
        let project = Project::new();
        let run = world
            .run(&project, &["--arxiv-ids", "1706.03762"])
            .expect_code(0);
        let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
        assert_eq!(
            report["papers"][0]["retracted"], retracted,
            "{comment}: {run}"
        );
    }
}

#[test]
fn many_processes_that_verify_one_paper_send_one_request() {
    let mut world = World::new(s2);
    let late = std::time::Duration::from_millis(300);
    world.arxiv = Server::start(move |_| feed(VASWANI, 1).late(late));
    let project = Project::new();
    let args = ["--arxiv-ids", "1706.03762", "--deadline", "100"];
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| world.run(&project, &args).expect_code(0));
        }
    });
    assert_eq!(world.arxiv.log().len(), 1);
}

#[test]
fn the_deadline_follows_the_work_and_is_told() {
    let world = World::new(s2);
    let project = Project::new();
    let titles: Vec<String> = (0..100)
        .map(|at| format!("A thing that is searched for, number {at}\n"))
        .collect();
    project.write("titles.txt", titles.concat());
    let run = world
        .run(&project, &["--titles-file", "titles.txt", "--offline"])
        .expect_code(7);
    assert!(!run.stderr().contains("minutes"), "{run}");
    let run = world
        .run(
            &project,
            &["--titles-file", "titles.txt", "--deadline", "1"],
        )
        .expect_code(0);
    assert!(!run.stderr().contains("at most"), "{run}");
}

#[test]
fn what_is_invalid_is_refused_with_4_and_what_is_absent_with_3() {
    let world = World::new(s2);
    let project = Project::new()
        .file("bad.json", "[{\"id\": \"p1\",")
        .file("object.json", "{}");
    for args in [
        ["--input", "absent.json"],
        ["--input", "bad.json"],
        ["--input", "object.json"],
        ["--titles-file", "absent.txt"],
        ["--bib", "absent.bib"],
        ["--paper", "absent"],
    ] {
        let code = if args[1].starts_with("absent") { 3 } else { 4 };
        let run = world.run(&project, &args).expect_code(code);
        assert!(run.stderr().contains(args[1]), "{}", run.stderr());
    }
}

#[test]
fn nothing_to_check_is_said_and_never_passes() {
    let world = World::new(s2);
    let project = Project::new()
        .file("empty.json", "\n")
        .file("none.json", "[]")
        .file("empty.bib", "% nothing yet\n");
    let refused = world
        .run(&project, &["--input", "empty.json"])
        .expect_code(4);
    assert!(refused.stderr().contains("the file is empty"));
    for args in [["--input", "none.json"], ["--bib", "empty.bib"]] {
        let run = world.run(&project, &args);
        let report: Value = serde_json::from_str(run.stdout()).expect("report");
        assert_eq!(report["verdict"], "BLOCKED");
        assert_eq!(report["warnings"], json!(["no_papers_in_input"]));
    }
}

const BIB: &str = "% mine\n@article{one,\n  title = {On the numbers of one machine},\n  author = {Ada Lovelace},\n  journal = {Journal of Tests},\n  year = 2011,\n  doi = {10.1000/one},\n}\n@article{uncited, title = {What nobody has ever written in any place}, journal = {J}}\n";

#[test]
fn a_paper_s_bibliography_gets_a_patch_and_stays_as_it_is() {
    let world = World::new(s2);
    // A part with a bibliography of its own, which has a label; outside it does not count.
    let main = "\\documentclass{article}\\addbibresource{other.bib}\\addsectionbib[label=mine]{refs.bib}\\begin{document}\\cite{uncited}\\begin{refsection}[mine]\\cite{one}\\end{refsection}\\end{document}";
    let project = Project::new()
        .file("paper/main.tex", main)
        .file(
            "paper/other.bib",
            "@book{one, title = {Another work of this name}}",
        )
        .file("paper/refs.bib", BIB);
    let run = world
        .run(&project, &["--paper", "paper", "--fix-bib", "fixes.patch"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(
        report["papers"].as_array().expect("papers").len(),
        1,
        "only what is cited"
    );
    let paper = by_id(&report, "one");
    assert_eq!(paper["status"], "verified");
    let ids: Vec<&str> = paper["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["id"].as_str())
        .collect();
    assert_eq!(ids, ["authors_missing", "year_differs"]);
    assert_eq!(report["patched_entries"], 1);
    let patch = project.read("fixes.patch");
    assert!(
        patch.contains("+  author = {Lovelace, Ada and Hopper, Grace},"),
        "{patch}"
    );
    assert!(patch.contains("+  year = {2016},"), "{patch}");
    assert_eq!(project.read("paper/refs.bib"), BIB);
    // With any path to the file, git and patch accept the patch: in this folder, or in the one that its first line names.
    let elsewhere = Project::new().file("refs.bib", BIB);
    let there = format!(
        "Apply this in {}\n--- a/refs.bib\n",
        elsewhere.path().display()
    );
    for (bib, start) in [
        (project.at("paper/refs.bib"), "--- a/paper/refs.bib\n"),
        (elsewhere.at("refs.bib"), there.as_str()),
    ] {
        let bib = bib.display().to_string();
        let args = ["--bib", bib.as_str(), "--fix-bib", "fixes.patch"];
        world.run(&project, &args).expect_code(0);
        let patch = project.read("fixes.patch");
        assert!(patch.starts_with(start), "{patch}");
    }
}

#[test]
fn of_several_root_documents_one_is_named() {
    let root = |cited: &str| {
        format!(
            "\\documentclass{{article}}\\begin{{document}}\\cite{{{cited}}}\\bibliography{{refs}}\\end{{document}}"
        )
    };
    let world = World::new(s2);
    let project = Project::new()
        .file("paper/a.tex", root("one"))
        .file("paper/b.tex", root("uncited"))
        .file("paper/refs.bib", BIB);
    let run = world.run(&project, &["paper"]).expect_code(2);
    assert!(
        run.stderr().contains("a.tex, b.tex") && run.stderr().contains("--root"),
        "{run}"
    );
    let run = world.run(&project, &["paper/a.tex"]).expect_code(2);
    assert!(
        run.stderr().contains("is a file") && run.stderr().contains("--root"),
        "{run}"
    );
    let run = world
        .run(&project, &["paper", "--root", "a.tex"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    assert_eq!(report["papers"].as_array().map(Vec::len), Some(1), "{run}");
    assert_eq!(by_id(&report, "one")["status"], "verified");
    let run = world
        .run(&project, &["paper", "--root", "c.tex"])
        .expect_code(2);
    assert!(run.stderr().contains("c.tex: no such file"), "{run}");
}

/// Two sources know the work under different DOIs; a person must decide which one is meant.
#[test]
fn a_patch_proposes_the_doi_that_was_found_and_never_one_of_several() {
    const TITLE: &str = "A thing that is searched for by its title";
    let found = |doi: &'static str| {
        move |_: &Received| {
            let mut message = work(doi, TITLE);
            message["author"] = json!([{"given": "Ada", "family": "Lovelace"}]);
            message["issued"] = json!({"date-parts": [[2018]]});
            Answer::json(
                &json!({"status": "ok", "message-type": "work-list", "message": {"items": [message]}}),
            )
        }
    };
    let in_list = |request: &Received, found: &dyn Fn(&Received) -> Answer| {
        if request.path() == "/works" {
            found(request)
        } else {
            crossref(request)
        }
    };
    let s2_with = |doi: &'static str| {
        move |request: &Received| {
            if request.path().ends_with("/match") {
                Answer::json(
                    &json!({"data": [{"paperId": "204e3073870fae3d05bcbc2f6a8e263d9b72e776", "title": TITLE,
                    "year": 2020, "venue": "ICML", "authors": [{"name": "Ada Lovelace"}], "externalIds": {"DOI": doi}}]}),
                )
            } else {
                Answer::json(&json!({"error": "No valid paper ids given"})).with_status(400)
            }
        }
    };
    let sici = "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2";
    for (theirs, other, proposed) in [
        ("10.3000/one", "10.3000/ONE", Some("10.3000/ONE")),
        (sici, sici, Some(sici)),
        ("10.3000/a_b%c", "10.3000/a_b%c", Some("10.3000/a_b%c")),
        ("10.3000/one", "10.3000/other", None),
    ] {
        let other = found(other);
        let world = World {
            s2: Server::start(s2_with(theirs)),
            crossref: Server::start(move |request| in_list(request, &other)),
            ..World::new(s2)
        };
        let bib = format!(
            "@article{{k,\n  title = {{{TITLE}}},\n  author = {{Ada Lovelace}},\n  year = 2012,\n  doi = {{10.9999/made.up}},\n}}\n"
        );
        let project = Project::new().file("refs.bib", &bib);
        let args = ["--bib", "refs.bib", "--fix-bib", "fixes.patch"];
        let run = world.run(&project, &args).expect_code(0);
        let patch = project.read("fixes.patch");
        let line = proposed.map(|doi| format!("+  doi = {{{doi}}},"));
        let lines: Vec<&str> = patch
            .lines()
            .filter(|line| line.contains("doi =") && line.starts_with('+'))
            .collect();
        assert_eq!(
            lines,
            line.iter().map(String::as_str).collect::<Vec<_>>(),
            "{run}"
        );
    }
}

#[test]
fn each_verdict_is_printed_as_soon_as_it_is_known() {
    // The server answers the second title only after the test has read the first verdict.
    let (told, heard) = std::sync::mpsc::channel::<()>();
    let heard = std::sync::Mutex::new(heard);
    let world = World {
        s2: Server::start(move |request| {
            let wait = heard.lock().expect("no panic");
            wait.recv_timeout(std::time::Duration::from_secs(50))
                .expect("the first verdict is printed before the second is known");
            s2(request)
        }),
        ..World::new(s2)
    };
    let project = Project::new().file(
        "list.json",
        r#"[{"id": "a", "arxiv_id": "1706.03762", "title": "Attention is all you need"},
            {"id": "b", "title": "A thing that is searched for by its title"}]"#,
    );
    let script = r#""$0" --input list.json --jsonl | while read -r line; do printf '%s\n' "$line"; : > seen; done"#;
    let call = world.call_of(&Helper::at("/bin/sh"), &project);
    let call = call
        .args(["-c", script])
        .args([Helper::named("verify_papers").path()]);
    let run = std::thread::scope(|scope| {
        let running = scope.spawn(|| call.run());
        while !project.at("seen").exists() && !running.is_finished() {
            std::thread::yield_now();
        }
        told.send(()).expect("the server listens");
        running.join().expect("no panic")
    });
    let ids: Vec<Value> = run
        .stdout()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone())
        .collect();
    assert_eq!(ids, ["a", "b"], "{run}");
    assert!(run.stderr().ends_with("PASS (2 papers)\n"), "{run}");
}

#[test]
fn lines_and_an_envelope_say_the_same() {
    let world = World::new(s2);
    let project = Project::new().file("in/candidates.json", CANDIDATES);
    let args = ["--input", "in/candidates.json", "--jsonl"];
    let lines = world.run(&project, &args).expect_code(0);
    let papers: Vec<Value> = lines
        .stdout()
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let args = [&args[..], &["--json", "--offline"]].concat();
    let envelope = world.run(&project, &args).expect_code(0).data();
    assert_eq!(Value::from(papers), envelope["papers"]);
    project.write(
        "one.json",
        r#"[{"id": "a", "title": "Nobody keeps this one"}]"#,
    );
    let args = ["--input", "one.json", "-o", "r.json"];
    let one = world.run(&project, &args);
    assert!(format!("{one}").contains(" (1 paper): r.json"), "{one}");
}

#[test]
fn a_result_never_takes_the_place_of_what_is_read() {
    let world = World::new(s2);
    let project = Project::new()
        .file("refs.bib", BIB)
        .file("list.json", CANDIDATES)
        .file("notes.tex", "mine")
        .file("paper/main.tex", "\\documentclass{article}\\begin{document}\\cite{one}\\bibliography{refs}\\end{document}")
        .file("paper/refs.bib", BIB);
    let before = project.snapshot();
    for args in [
        &["--bib", "refs.bib", "--output", "refs.bib"][..],
        &["--bib", "refs.bib", "--fix-bib", "./paper/../refs.bib"],
        &["--input", "list.json", "--output", "list.json"],
        &["--paper", "paper", "--fix-bib", "paper/refs.bib"],
        &["--paper", "paper", "--output", "paper/main.tex"],
        &["--bib", "refs.bib", "--output", "one", "--fix-bib", "one"],
        &["--bib", "refs.bib", "--output", "notes.tex"],
        &["--bib", "refs.bib", "--fix-bib", "notes.tex"],
        // Without a name, ./paper is checked.
        &["--output", "paper/main.tex"],
        &["--bib", "refs.bib", "--output", "two", "--fix-bib", "./two"],
    ] {
        let run = world.run(&project, args).expect_code(2);
        assert!(run.stderr().contains("would be overwritten"), "{run}");
    }
    // A patch needs a file; `-` is refused.
    world
        .run(&project, &["--bib", "refs.bib", "--fix-bib", "-"])
        .expect_code(2);
    world.run(&Project::new(), &[]).expect_code(2);
    assert_eq!(project.snapshot(), before);
}

/// **Source**: "`BibTeX`ing", §4 (` and ` separates names; `First von Last`, `von Last, First`, `von Last, Jr, First`).
#[test]
fn names_are_read_as_bibtex_reads_them_and_a_list_that_it_cannot_read_is_not_guessed() {
    let lists = [
        ("Lovelace, Ada and Hopper, Grace", "match"),
        ("Lovelace, Jr., Ada and Hopper, Grace", "match"),
        ("Ada Lovelace, Jr. and Grace Hopper", "match"),
        ("Lovelace, Ada", "differs"),
        ("Lovelace, Ada and Turing, Alan", "differs"),
        ("{OpenAI}", "unknown"),
        ("Lovelace, A., Hopper, G.", "unknown"),
        ("Lovelace, Ada, Hopper, Grace, and Turing, Alan", "unknown"),
        ("Ada Lovelace \\& Grace Hopper", "unknown"),
        ("Lovelace, A.; Hopper, G.", "unknown"),
    ];
    let entry = |(number, (names, _)): (usize, &(&str, &str))| {
        format!(
            "@article{{k{number}, title = {{On the numbers of one machine}}, author = {{{names}}},\n year = 2016, journal = {{Journal of Tests}}, doi = {{10.1000/one}}}}\n"
        )
    };
    let entries: Vec<String> = lists.iter().enumerate().map(entry).collect();
    let project = Project::new().file("a.bib", entries.concat());
    let run = World::new(s2)
        .run(&project, &["--json", "--bib", "a.bib"])
        .expect_code(0);
    let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
    for (number, (names, wanted)) in lists.iter().enumerate() {
        let paper = by_id(&report["data"], &format!("k{number}"));
        let fields = paper["metadata"].as_array().expect("fields");
        let authors = fields
            .iter()
            .find(|field| field["field"] == "authors")
            .expect("authors");
        assert_eq!(authors["verdict"], *wanted, "{names}: {paper}");
    }
}

#[test]
fn a_utf_16_bibliography_is_named_with_what_to_do() {
    let project = Project::new();
    let bytes: Vec<u8> = "\u{feff}@misc{a, title = {x}}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    std::fs::write(project.path().join("a.bib"), bytes).expect("written");
    let run = World::new(s2)
        .run(&project, &["--bib", "a.bib"])
        .expect_code(4);
    assert!(
        run.stderr().contains("UTF-16") && run.stderr().contains("iconv"),
        "{run}"
    );
}
