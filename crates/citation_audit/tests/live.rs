#![cfg(test)]
//! `citation_audit --live` and `--offline` against servers on this machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use aris_testkit::{Answer, Helper, Project, Run, Server};
use serde_json::{Value, json};

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
    call(project, args, &|_| server.url().clone())
}

fn call(project: &Project, args: &[&str], address: &dyn Fn(&str) -> String) -> Run {
    let mut call = Helper::at(env!("CARGO_BIN_EXE_citation_audit"))
        .call(project.path())
        .env("ARIS_CACHE_DIR", project.at("cache"));
    for name in ["ARXIV", "CROSSREF", "DATACITE", "DBLP", "OPENALEX", "S2"] {
        call = call.env(format!("ARIS_{name}_BASE_URL"), address(name));
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

/// What is reported about entries whose DOIs lead to these Crossref records: whether each work exists, severities and ids.
fn found(cases: &[(&str, Value)]) -> Vec<(String, Vec<String>)> {
    let mut records = BTreeMap::new();
    let (mut bib, mut keys) = (String::new(), Vec::new());
    for (number, (entry, record)) in cases.iter().enumerate() {
        let key = format!("k{number}");
        let doi = format!("10.1000/{key}");
        writeln!(
            bib,
            "@article{{{key}, {entry}, journal = {{Journal}}, doi = {{{doi}}}}}"
        )
        .expect("written");
        let mut record = record.clone();
        record["DOI"] = json!(doi);
        record["type"] = json!("journal-article");
        records.insert(key.clone(), record);
        keys.push(key);
    }
    let server = Server::start(move |request| {
        let path = request.path();
        let record = path.rsplit("10.1000").next().and_then(|end| {
            let end = end.get(1..).unwrap_or_default();
            records.get(&end.replace("2F", "").replace("2f", ""))
        });
        match (path.get(..4).unwrap_or_default(), record) {
            ("/CRO", Some(record)) => {
                Answer::json(&json!({"status": "ok", "message-type": "work", "message": record}))
            }
            ("/CRO", None) => Answer::json(
                &json!({"status": "ok", "message-type": "work-list", "message": {"total-results": 0, "items": []}}),
            ),
            ("/ARX", _) => Answer::ok(
                "application/atom+xml",
                "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\"><opensearch:totalResults>0</opensearch:totalResults></feed>",
            ),
            ("/DAT", _) => Answer::json(&json!({"data": [], "meta": {"total": 0}})),
            ("/DBL", _) => Answer::json(
                &json!({"result": {"hits": {"@total": "0", "@computed": "0", "@sent": "0", "@first": "0"}}}),
            ),
            ("/OPE", _) => Answer::json(&json!({"meta": {"count": 0}, "results": []})),
            _ => Answer::json(&json!({"total": 0, "data": []})),
        }
    });
    let tex = TEX.replace("{one}", &format!("{{{}}}", keys.join(",")));
    let project = Project::new()
        .file("paper/main.tex", tex)
        .file("paper/refs.bib", bib);
    let url = server.url();
    let data = call(&project, &["--live", "--json"], &|name| {
        format!("{url}/{name}")
    })
    .data();
    let artifact = project.json("paper/CITATION_AUDIT.json");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |key: &String| {
        let rows = artifact["details"]["per_entry"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["key"] == **key).expect("a row");
        let findings = data["findings"].as_array().expect("a list").iter();
        let own = findings.filter(|one| one["key"] == **key);
        let ids = own.map(|one| format!("{} {}", word(&one["severity"]), word(&one["id"])));
        (word(&row["existence"]), ids.collect())
    };
    keys.iter().map(of).collect()
}

/// What cannot be compared across scripts is neither proved nor refuted, and any year that the record gives is right.
#[test]
fn a_record_in_another_script_or_of_another_year_of_print_is_no_fault() {
    let issued = json!({"date-parts": [[2021]]});
    let english = json!({"title": ["Image Recognition by Deep Learning"], "author": [{"given": "Taro", "family": "Yamada"}], "issued": issued});
    let mut both = english.clone();
    both["original-title"] = json!(["深層学習による画像認識"]);
    let russian = json!({"title": ["Распознавание образов с помощью глубокого обучения"], "author": [{"given": "Иван", "family": "Петров"}], "issued": issued});
    let plain = json!({"title": ["Plain method title for things"], "author": [{"given": "Ada", "family": "Lovelace"}],
        "published": {"date-parts": [[2018]]}, "issued": {"date-parts": [[2018]]},
        "published-online": {"date-parts": [[2018, 11]]}, "published-print": {"date-parts": [[2020, 1]]}});
    let japanese = "title = {深層学習による画像認識}, author = {山田太郎}, year = 2021";
    let cases = [
        (japanese, both, "exists", ""),
        (
            japanese,
            english.clone(),
            "inconclusive",
            "info identifier_in_other_script",
        ),
        (
            "title = {Recognition of patterns with deep learning}, author = {Ivan Petrov}, year = 2021",
            russian,
            "inconclusive",
            "info identifier_in_other_script",
        ),
        (
            "title = {基于Transformer的图像识别}, author = {李明}, year = 2021",
            english.clone(),
            "inconclusive",
            "info identifier_in_other_script",
        ),
        // Authors in one script can be compared: they show another work.
        (
            "title = {深層学習による画像認識}, author = {Maria Schmidt and Paul Weber}, year = 2021",
            english.clone(),
            "inconclusive",
            "fail identifier_of_other_work",
        ),
        (
            "title = {Sorting of large files on tape}, author = {Maria Schmidt}, year = 2021",
            english,
            "inconclusive",
            "fail identifier_of_other_work",
        ),
        (
            "title = {Plain method title for things}, author = {Ada Lovelace}, year = 2018",
            plain.clone(),
            "exists",
            "",
        ),
        (
            "title = {Plain method title for things}, author = {Ada Lovelace}, year = 2020",
            plain.clone(),
            "exists",
            "",
        ),
        (
            "title = {Plain method title for things}, author = {Ada Lovelace}, year = 2009",
            plain,
            "exists",
            "warn year_differs",
        ),
    ];
    let asked: Vec<(&str, Value)> = cases.iter().map(|case| (case.0, case.1.clone())).collect();
    for ((entry, _, existence, finding), found) in cases.iter().zip(found(&asked)) {
        let (exists, mut ids) = found;
        ids.retain(|id| !id.ends_with("duplicate_work") && !id.ends_with("work_not_found"));
        assert_eq!(
            (exists.as_str(), ids.join(", ").as_str()),
            (*existence, *finding),
            "{entry}"
        );
    }
}

/// The reference lists every id that a source's answer can lead to.
#[test]
fn the_reference_lists_the_findings_of_look_ups() {
    let text = include_str!("../../../skills/citation-audit/references/citation-findings.md");
    for (id, _) in aris_citations::LOOKED_UP {
        assert!(text.contains(&format!("| `{id}` |")), "{id}");
    }
}
