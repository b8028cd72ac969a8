//! Measures how long many papers take when each source answers after 100 ms; `cargo xtask bench literature` prints it.
//!
//! The request rates are those that the sources document; see `aris_sources::hosts`.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use aris_testkit::{Answer, Project, Received, Server};
use serde_json::{Value, json};

use crate::{World, feed, s2, work};

/// Delay of each answer.
const LATE: Duration = Duration::from_millis(100);

const PAPERS: usize = 500;

fn title(n: usize) -> String {
    format!("On the numbers of machine {n} in a large room")
}

/// Entries for the requested identifiers.
fn arxiv(request: &Received) -> Answer {
    let ids = request.query("id_list").unwrap_or_default();
    let mut entries = String::new();
    let mut count = 0;
    for id in ids.split(',') {
        let n: usize = id
            .rsplit('.')
            .next()
            .and_then(|n| n.parse().ok())
            .expect("an identifier");
        count += 1;
        write!(
            entries,
            "<entry><id>http://arxiv.org/abs/{id}v1</id><title>{}</title><published>2016-01-01T00:00:00Z</published>\
             <author><name>Ada Lovelace</name></author><author><name>Grace Hopper</name></author></entry>",
            title(n)
        )
        .expect("written");
    }
    feed(&entries, count).late(LATE)
}

/// Works for the DOIs of a list.
fn crossref(request: &Received) -> Answer {
    let filter = request.query("filter").unwrap_or_default();
    let dois = filter
        .split(',')
        .filter_map(|filter| filter.strip_prefix("doi:"));
    let items: Vec<Value> = dois
        .map(|doi| {
            let n = doi.rsplit('/').next().and_then(|n| n.parse().ok());
            work(doi, &title(n.expect("a DOI")))
        })
        .collect();
    let answer = json!({"status": "ok", "message-type": "work-list", "message": {"items": items}});
    Answer::json(&answer).late(LATE)
}

/// The papers of a batch.
fn batch(request: &Received) -> Answer {
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return s2(request).late(LATE);
    };
    let names = body["ids"].as_array().expect("names");
    let papers: Vec<Value> = names
        .iter()
        .map(|name| {
            let id = name.as_str().and_then(|name| name.strip_prefix("ARXIV:")).expect("a name");
            let n = id.rsplit('.').next().and_then(|n| n.parse().ok()).expect("a number");
            json!({"paperId": format!("{n:040x}"), "title": title(n), "year": 2016, "venue": "Journal of Tests",
                "authors": [{"name": "Ada Lovelace"}, {"name": "Grace Hopper"}], "externalIds": {"ArXiv": id}})
        })
        .collect();
    Answer::json(&json!(papers)).late(LATE)
}

#[test]
#[ignore = "it measures; cargo xtask bench literature runs it"]
fn five_hundred_papers() {
    for (what, arxiv_every, address) in [
        ("500 arXiv papers", 1, None),
        ("250 arXiv papers and 250 DOIs", 2, None),
        (
            "250 arXiv papers and 250 DOIs, with a contact",
            2,
            Some("a@b.org"),
        ),
        ("500 DOIs", PAPERS + 1, None),
        ("500 DOIs, with a contact", PAPERS + 1, Some("a@b.org")),
    ] {
        let mut world = World::new(s2);
        world.arxiv = Server::start(arxiv);
        world.crossref = Server::start(crossref);
        world.s2 = Server::start(batch);
        let rows: Vec<Value> = (1..=PAPERS)
            .map(|n| {
                let mut row = json!({"id": format!("p{n}"), "title": title(n), "authors": ["Ada Lovelace", "Grace Hopper"], "year": 2016});
                if n % arxiv_every == 0 {
                    row["arxiv_id"] = json!(format!("1601.{n:05}"));
                } else {
                    row["doi"] = json!(format!("10.3000/{n}"));
                }
                row
            })
            .collect();
        let project = Project::new().file("papers.json", json!(rows).to_string());
        let helper = aris_testkit::Helper::named("verify_papers");
        let call = world.call_of(&helper, &project);
        let call = address.iter().fold(call, |call, address| {
            call.env("ARIS_CONTACT_EMAIL", address)
        });
        let start = Instant::now();
        let run = call
            .args(["--input", "papers.json", "--deadline", "120"])
            .run()
            .expect_code(0);
        let seconds = start.elapsed().as_secs_f64();
        let report: Value = serde_json::from_str(run.stdout()).expect("JSON");
        let papers = report["papers"].as_array().expect("papers");
        let verified = papers.iter().filter(|paper| paper["status"] == "verified");
        assert_eq!(verified.count(), PAPERS, "{what}");
        let mut asked = String::new();
        for (name, server) in [
            ("arXiv", &world.arxiv),
            ("Crossref", &world.crossref),
            ("Semantic Scholar", &world.s2),
        ] {
            let log = server.log();
            let gap = log
                .windows(2)
                .map(|pair| pair[1].at.abs_diff(pair[0].at))
                .min();
            let gap = gap.map(|gap| format!(" at least {:.2} s apart", gap.as_secs_f64()));
            write!(asked, ", {name} {}{}", log.len(), gap.unwrap_or_default()).expect("written");
        }
        println!("| {what}: {seconds:.1} s (goal 5){asked}");
    }
}
