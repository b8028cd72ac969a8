#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests read recorded answers directly"
)]
//! Every recorded answer becomes the right record, absence or doubt.

use std::collections::BTreeMap;
use std::path::Path;

use aris_contract::artifact::papers::Paper;
use aris_contract::ids::Doi;
use aris_http::{Doubt, Response};
use aris_sources::{Answer, arxiv, crossref, dblp, openalex, semantic_scholar};
use serde_json::Value;

/// A recorded exchange.
struct Recorded {
    url: String,
    response: Response,
}

fn recorded(source: &str) -> Option<Vec<Recorded>> {
    let folder = aris_testkit::shared(source)?;
    let index: Value =
        serde_json::from_slice(&std::fs::read(folder.join("index.json")).expect("index"))
            .expect("JSON");
    let rows = index.as_array().expect("rows").iter();
    // A few large bodies are listed in the index but not stored in the folder.
    Some(rows.filter_map(|row| exchange(&folder, row)).collect())
}

fn exchange(folder: &Path, row: &Value) -> Option<Recorded> {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let body = std::fs::read(folder.join(text("file"))).ok()?;
    let response = Response {
        status: row["status"]
            .as_u64()
            .and_then(|status| status.try_into().ok())
            .expect("status"),
        media_type: text("content_type"),
        body,
        url: text("url"),
        ..Response::default()
    };
    Some(Recorded {
        url: text("url"),
        response,
    })
}

/// The outcome of parsing a recording, as a short label that can be counted.
fn outcome<T>(read: Result<T, Doubt>, papers: impl Fn(&T) -> Vec<&Paper>) -> &'static str {
    match read {
        Ok(value) => {
            let papers = papers(&value);
            for paper in &papers {
                assert!(
                    !paper.title.contains('<') || paper.title.contains("< "),
                    "{}",
                    paper.title
                );
                assert!(!paper.origins.is_empty());
                assert!(
                    paper
                        .authors
                        .iter()
                        .all(|author| !author.name.trim().is_empty())
                );
            }
            if papers.is_empty() { "none" } else { "papers" }
        }
        Err(Doubt::NotAnAnswer(_)) => "no answer",
        Err(Doubt::Malformed(_)) => "refused",
    }
}

fn counted(outcomes: impl Iterator<Item = &'static str>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for outcome in outcomes {
        *counts.entry(outcome).or_default() += 1;
    }
    counts
}

#[test]
fn arxiv_feeds() {
    let Some(all) = recorded("arxiv") else { return };
    let feed = |name: &str| {
        let found = all.iter().find(|one| one.url.contains(name)).expect(name);
        arxiv::parse(&found.response).expect(name)
    };
    let one = feed("2104.12255v1");
    assert_eq!((one.total, one.items.len()), (Some(1), 1));
    assert_eq!(one.papers()[0].ids.arxiv_version, Some(1));
    // Two identifiers, one paper in the answer: it is matched by its identifier.
    let two = feed("0808.05394%2C1707.08567").papers();
    assert_eq!(two.len(), 1);
    assert_eq!(
        two[0]
            .ids
            .arxiv
            .as_ref()
            .map(ToString::to_string)
            .as_deref(),
        Some("1707.08567")
    );
    assert!(two[0].authors.len() > 10);
    let old = feed("astro-ph%2F0601001").papers();
    assert_eq!(
        old[0]
            .ids
            .arxiv
            .as_ref()
            .map(ToString::to_string)
            .as_deref(),
        Some("astro-ph/0601001")
    );
    assert_eq!(old[0].year, Some(2006));
    let pages: usize = all
        .iter()
        .filter(|one| one.url.contains("search_query=testing"))
        .map(|one| {
            let feed = arxiv::parse(&one.response).expect("a page");
            assert!(feed.total > Some(100) && !feed.items.is_empty());
            feed.items.len()
        })
        .sum();
    assert_eq!(pages, 190);
}

#[test]
fn crossref_answers() {
    let Some(all) = recorded("crossref") else {
        return;
    };
    let works: Vec<_> = all
        .iter()
        .filter(|one| one.url.contains("/works/10.") && !one.url.contains("transform"))
        .collect();
    for one in &works {
        let read = crossref::parse_one(&one.response)
            .unwrap_or_else(|doubt| panic!("{}: {doubt:?}", one.url));
        match read {
            Some(paper) => {
                let doi = one
                    .url
                    .split("/works/")
                    .nth(1)
                    .expect("doi")
                    .split('?')
                    .next()
                    .expect("doi")
                    .replace("%2F", "/");
                assert_eq!(
                    paper.ids.doi,
                    [Doi::parse(&doi).expect("doi")],
                    "{}",
                    one.url
                );
                assert!(
                    !paper.title.is_empty() && paper.year.is_some(),
                    "{}",
                    one.url
                );
            }
            None => assert_eq!(one.response.status, 404, "{}", one.url),
        }
    }
    assert!(works.len() >= 20, "{}", works.len());
    let lists: Vec<_> = all
        .iter()
        .filter(|one| one.url.contains("/works?") && !one.url.contains("rows=0"))
        .collect();
    let counts = counted(lists.iter().map(|one| {
        outcome(crossref::parse_list(&one.response), |papers| {
            papers.iter().collect()
        })
    }));
    assert_eq!(counts.get("no answer"), None, "{counts:?}");
    assert!(counts["papers"] >= 15, "{counts:?}");
    // An answer that is not a list of works is never read as an empty list.
    for one in all.iter().filter(|one| !one.url.contains("/works")) {
        assert!(crossref::parse_list(&one.response).is_err(), "{}", one.url);
    }
    let ordinary = works
        .iter()
        .find(|one| one.url.contains("acs.jctc.2c01235"))
        .expect("a work");
    let paper = crossref::parse_one(&ordinary.response)
        .expect("read")
        .expect("there");
    assert_eq!(
        paper.title,
        "A Perspective on Explanations of Molecular Prediction Models"
    );
    assert_eq!(
        (paper.year, paper.date.as_deref()),
        (Some(2023), Some("2023-03-27"))
    );
    assert_eq!(paper.authors[0].family.as_deref(), Some("Wellawatte"));
    assert_eq!(
        paper.authors[0].orcid.as_deref(),
        Some("0000-0002-3772-6927")
    );
}

#[test]
fn openalex_answers() {
    let Some(all) = recorded("openalex") else {
        return;
    };
    let named = |part: &str| all.iter().find(|one| one.url.contains(part)).expect(part);
    let found = openalex::read(&named("W2741809807").response);
    let work = found.expect("read").expect("there").papers().remove(0);
    assert_eq!(work.ids.doi[0].as_str(), "10.7717/peerj.4375");
    assert_eq!(
        (work.year, work.retracted, work.ids.pubmed.as_deref()),
        (Some(2018), Some(false), Some("29456894"))
    );
    assert!(
        work.summary
            .as_deref()
            .is_some_and(|text| text.starts_with("Despite growing interest in Open Access")),
        "{:?}",
        work.summary
    );
    assert_eq!(work.authors.len(), 9);
    let gone = named("2699.2003");
    assert_eq!(openalex::read(&gone.response).expect("an absence"), None);
    for other in ["I136199984", "P4310319965", "domains/3"] {
        assert!(openalex::read(&named(other).response).is_err(), "{other}");
    }
    for list in all.iter().filter(|one| one.url.contains("filter=")) {
        assert!(
            !openalex::read(&list.response)
                .expect("read")
                .expect("a list")
                .papers()
                .is_empty()
        );
    }
}

#[test]
fn semantic_scholar_answers() {
    let Some(all) = recorded("semantic_scholar") else {
        return;
    };
    let counts = counted(all.iter().filter_map(|one| {
        let path = one.url.split("/graph/v1").nth(1)?;
        let other = ["/authors", "/citations", "/references"]
            .iter()
            .any(|end| path.contains(end));
        if !path.starts_with("/paper/") || other {
            return None;
        }
        let read = semantic_scholar::read(&one.response);
        let read = read.map(|found| found.map(Answer::papers).unwrap_or_default());
        Some(outcome(read, |papers| papers.iter().collect()))
    }));
    // One empty search, one unknown paper; one field that does not exist.
    assert_eq!(
        (counts["none"], counts.get("no answer")),
        (2, None),
        "{counts:?}"
    );
    assert_eq!(counts["refused"], 1, "{counts:?}");
    assert!(counts["papers"] >= 40, "{counts:?}");
}

#[test]
fn search_results_of_the_citation_bench() {
    let Some(folder) = aris_testkit::shared("citation_bench/raw") else {
        return;
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for source in ["crossref", "dblp", "openalex", "semantic_scholar"] {
        for entry in aris_fs::list_sorted(&folder.join(source)).expect("folder") {
            let value: Value =
                serde_json::from_slice(&std::fs::read(&entry.path).expect("file")).expect("JSON");
            let response = Response {
                status: 200,
                media_type: String::from("application/json"),
                body: Vec::new(),
                ..Response::default()
            };
            let read = match source {
                "crossref" => crossref::paper,
                "dblp" => dblp::paper,
                "openalex" => openalex::paper,
                _ => semantic_scholar::paper,
            };
            let items = value.as_array().cloned().unwrap_or_else(|| vec![value]);
            for item in items {
                let paper = read(&item, &response)
                    .unwrap_or_else(|| panic!("{}: {item}", entry.path.display()));
                assert!(!paper.title.is_empty(), "{}", entry.path.display());
                *counts.entry(source.to_owned()).or_default() += 1;
            }
        }
    }
    assert!(counts.values().sum::<usize>() > 200, "{counts:?}");
}

proptest::proptest! {
    /// Recorded answers in which bytes are changed, removed and inserted.
    #[test]
    fn no_mutation_makes_a_reader_panic(at in 0.0..1.0_f64, byte in 0_u8.., cut in 0.0..1.0_f64, which in 0..4_usize) {
        let body: &[u8] = match which {
            0 => br#"<feed xmlns="http://www.w3.org/2005/Atom"><totalResults>1</totalResults><entry><id>http://arxiv.org/abs/1707.08567v1</id><title>T</title></entry></feed>"#,
            1 => br#"{"status":"ok","message-type":"work","message":{"DOI":"10.1/x","title":["T"],"author":[{"family":"F"}],"issued":{"date-parts":[[2020,1]]}}}"#,
            2 => br#"{"id":"https://openalex.org/W1","title":"T","abstract_inverted_index":{"a":[0,2],"b":[1]},"publication_year":2020}"#,
            _ => br#"{"paperId":"ab","title":"T","year":2020,"externalIds":{"ArXiv":"2301.00001","DOI":"10.1/x"},"authors":[{"name":"N"}]}"#,
        };
        let mut body = body.to_vec();
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a place in a short body")]
        let place = |share: f64| (share * body.len() as f64) as usize;
        let (at, end) = (place(at), place(cut));
        body[at] = byte;
        if cut < 0.3 {
            body.truncate(end);
        }
        let response = Response { status: 200, body, ..Response::default() };
        drop(arxiv::parse(&response));
        drop(crossref::parse_one(&response));
        drop(crossref::parse_list(&response));
        drop(openalex::read(&response));
        drop(semantic_scholar::read(&response));
        drop(dblp::parse(&response));
    }
}
