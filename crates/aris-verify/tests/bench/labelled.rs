//! Labelled cases: references with what a database has, and whether the authors were made up.

use aris_contract::artifact::papers::{Author, Identifiers, Origin, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_verify::{Existence, Options, Reference, Severity, Silence, Sources, Status, verify};
use serde_json::Value;

use crate::replay::NOW;

/// A world with one paper, in which everybody answers.
struct World(Vec<Paper>);

impl Sources for World {
    fn arxiv(&self, ids: &[ArxivId]) -> Result<Vec<Paper>, Silence> {
        let named = |paper: &&Paper| paper.ids.arxiv.as_ref().is_some_and(|id| ids.contains(id));
        Ok(self.0.iter().filter(named).cloned().collect())
    }

    fn doi(&self, _: Source, doi: &Doi) -> Result<Option<Paper>, Silence> {
        Ok(self
            .0
            .iter()
            .find(|paper| paper.ids.doi.contains(doi))
            .cloned())
    }

    fn batch(&self, _: &[String]) -> Result<Vec<Option<Paper>>, Silence> {
        Err(Silence {
            why: String::from("never asked when the registries answer"),
        })
    }

    fn title(&self, _: Source, _: &str) -> Result<Vec<Paper>, Silence> {
        Ok(self.0.clone())
    }
}

fn record(title: &str, authors: &str, year: &str, venue: &str, source: Source) -> Paper {
    Paper {
        title: title.to_owned(),
        authors: authors.split(", ").map(Author::named).collect(),
        year: year.parse().ok(),
        venue: (!venue.is_empty()).then(|| venue.to_owned()),
        ids: Identifiers::default(),
        origins: vec![Origin {
            source,
            record: String::from("r"),
            retrieved_at: String::from("2026-11-20T00:00:00Z"),
        }],
        ..Paper::default()
    }
}

#[test]
fn regression_cases() {
    let Some(folder) = aris_testkit::shared("citation_bench") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("labelled/hallucination_regression_refs.json"))
        .expect("cases");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let mut right = 0;
    for case in &cases {
        let entry = &case["error_entry"];
        let get = |name: &str| entry[name].as_str().unwrap_or_default();
        let id = case["id"].as_str().expect("id");
        // Without a list of right authors the cited ones are right.
        let authors = match get("ref_authors_correct") {
            "" => get("ref_authors_cited"),
            correct => correct,
        };
        let year = get("error_details")
            .split("Year mismatch: cited ")
            .nth(1)
            .and_then(|rest| rest.split("actual ").nth(1))
            .and_then(|rest| rest.get(..4))
            .unwrap_or(get("ref_year_cited"));
        let exists = get("error_type") != "unverified";
        let records = if exists {
            vec![record(
                get("ref_title"),
                authors,
                year,
                "",
                Source::SemanticScholar,
            )]
        } else {
            Vec::new()
        };
        let cited = get("ref_authors_cited").replace(", ", " and ");
        let reference = Reference::from_fields(
            id,
            &[
                ("title", get("ref_title")),
                ("author", &cited),
                ("year", get("ref_year_cited")),
                ("booktitle", get("ref_venue_cited")),
            ],
            NOW,
        );
        let checked = verify(
            &[reference],
            &World(records),
            &Options::default(),
            &mut |_| (),
        )
        .remove(0);
        let refused = checked.has(Severity::Error) || checked.existence == Existence::NotFound;
        let wanted = case["expect_should_check"].as_bool().expect("a label");
        assert_eq!(refused, wanted, "{id}: {checked:#?}");
        assert_eq!(checked.status == Status::Verified, !wanted, "{id}");
        right += 1;
    }
    println!(
        "| labelled regression cases: {right} of {} right",
        cases.len()
    );
    assert_eq!(right, 18);
}
