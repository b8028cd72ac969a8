#![cfg(test)]
//! `citation_audit --live` and `--offline` against servers on this machine.

use aris_testkit::{Answer, Helper, Project, Run, Server};
use serde_json::json;

const TEX: &str =
    "\\documentclass{article}\\begin{document}\\cite{one}\\bibliography{refs}\\end{document}";

fn project(doi: &str, author: &str) -> Project {
    Project::new().file("paper/main.tex", TEX).file(
        "paper/refs.bib",
        format!(
            "@article{{one, title = {{On the numbers of one machine}}, author = {{{author}}}, journal = {{Journal of Tests}}, year = 2016, doi = {{{doi}}}}}\n"
        ),
    )
}

/// Runs the helper against a Crossref that has one work; the other sources are down.
fn run(project: &Project, server: &Server, args: &[&str]) -> Run {
    let mut call = Helper::named("citation_audit")
        .call(project.path())
        .env("ARIS_CACHE_DIR", project.at("cache"));
    for name in ["ARXIV", "CROSSREF", "DATACITE", "DBLP", "OPENALEX", "S2"] {
        call = call.env(format!("ARIS_{name}_BASE_URL"), server.url());
    }
    call.args(["paper"]).args(args).run()
}

fn crossref() -> Server {
    Server::start(|request| {
        if request.path().contains("10.1000") {
            Answer::json(&json!({"status": "ok", "message-type": "work", "message": {
                "DOI": "10.1000/one", "title": ["On the numbers of one machine"], "type": "journal-article",
                "container-title": ["Journal of Tests"], "author": [{"given": "Ada", "family": "Lovelace"}],
                "issued": {"date-parts": [[2016]]}}}))
        } else {
            Answer::status(503)
        }
    })
}

#[test]
fn a_work_that_a_source_shows_is_kept_and_the_answer_serves_offline() {
    let server = crossref();
    let project = project("10.1000/one", "Ada Lovelace");
    let run_live = run(&project, &server, &["--live"]).expect_code(0);
    assert!(
        run_live.stdout().contains("PASS (all_verified)"),
        "{}",
        run_live.stdout()
    );
    let artifact = project.json("paper/CITATION_AUDIT.json");
    let row = &artifact["details"]["per_entry"][0];
    assert_eq!(
        (&row["verdict"], &row["existence"]),
        (&json!("KEEP"), &json!("exists"))
    );
    assert_eq!(artifact["details"]["look_ups"], "live");
    let asked = server.log().len();
    run(&project, &server, &["--offline"]).expect_code(0);
    assert_eq!(server.log().len(), asked);
    assert_eq!(project.json("paper/CITATION_AUDIT.json")["verdict"], "PASS");
}

#[test]
fn invented_authors_are_an_error() {
    let server = crossref();
    let project = project("10.1000/one", "Jane Roe and Richard Miles");
    let run = run(&project, &server, &["--live", "--json"]).expect_code(10);
    let data = run.data();
    assert_eq!(data["verdict"], "FAIL");
    assert_eq!(data["findings"][0]["id"], "authors_invented");
    assert_eq!(data["findings"][0]["file"], "refs.bib");
}

#[test]
fn a_source_that_does_not_answer_is_no_finding() {
    let server = crossref();
    let project = project("10.1000/one", "Ada Lovelace");
    let run = run(&project, &server, &["--offline"]).expect_code(0);
    assert!(
        run.stdout().contains("WARN (existence_unverified)"),
        "{}",
        run.stdout()
    );
    let artifact = project.json("paper/CITATION_AUDIT.json");
    let row = &artifact["details"]["per_entry"][0];
    assert_eq!(
        (&row["existence"], &row["reason"]),
        (&json!("inconclusive"), &json!("no_answer"))
    );
    assert_eq!(artifact["details"]["findings"], json!([]));
    assert_eq!(server.log().len(), 0);
}
