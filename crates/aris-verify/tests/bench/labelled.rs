//! Labelled cases: references, the contents of a database, and whether the authors were invented.

use aris_contract::artifact::papers::{Author, Identifiers, Origin, Paper, Source};
use aris_contract::ids::{ArxivId, Doi};
use aris_paper::bib;
use aris_verify::{Existence, Options, Reference, Severity, Silence, Sources, Status, verify};
use serde_json::Value;

use crate::replay::NOW;

/// Sources that all answer and know only these papers.
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
        // Without a list of correct authors the cited ones are correct.
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
        "\n| labelled regression cases: {right} of {} right",
        cases.len()
    );
    assert_eq!(right, 18);
}

/// The records of the real works that the labelled bibliographies cite, correctly or not.
fn real_works() -> Vec<Paper> {
    let attention = "Ashish Vaswani, Noam Shazeer, Niki Parmar, Jakob Uszkoreit, Llion Jones, Aidan N. Gomez, Lukasz Kaiser, Illia Polosukhin";
    let gan = "Ian J. Goodfellow, Jean Pouget-Abadie, Mehdi Mirza, Bing Xu, David Warde-Farley, Sherjil Ozair, Aaron C. Courville, Yoshua Bengio";
    let mattern = "Justus Mattern, Fatemehsadat Mireshghallah, Zhijing Jin, Bernhard Schölkopf, Mrinmaya Sachan, Taylor Berg-Kirkpatrick";
    [
        ("Attention is All you Need", attention, "2017", "Neural Information Processing Systems", "1706.03762"),
        (
            "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
            "Jacob Devlin, Ming-Wei Chang, Kenton Lee, Kristina Toutanova",
            "2018",
            "North American Chapter of the Association for Computational Linguistics",
            "1810.04805",
        ),
        (
            "Deep Residual Learning for Image Recognition",
            "Kaiming He, Xiangyu Zhang, Shaoqing Ren, Jian Sun",
            "2015",
            "Computer Vision and Pattern Recognition",
            "1512.03385",
        ),
        ("Generative Adversarial Nets", gan, "2014", "Neural Information Processing Systems", "1406.2661"),
        (
            "Membership Inference Attacks against Language Models via Neighbourhood Comparison",
            mattern,
            "2023",
            "Annual Meeting of the Association for Computational Linguistics",
            "",
        ),
        (
            "Prophet Inequalities for Independent Random Variables from an Unknown Distribution",
            "José Correa, Paul Dütting, Felix Fischer, Kevin Schewior",
            "2018",
            "",
            "1811.06114",
        ),
        (
            "OpenAlex: A fully-open index of scholarly works, authors, venues, institutions, and concepts",
            "Jason Priem, Heather Piwowar, Richard Orr",
            "2022",
            "",
            "2205.01833",
        ),
    ]
    .map(|(title, authors, year, venue, arxiv)| Paper {
        ids: Identifiers {
            arxiv: ArxivId::parse(arxiv).ok(),
            ..Identifiers::default()
        },
        ..record(title, authors, year, venue, Source::SemanticScholar)
    })
    .to_vec()
}

/// The two labelled bibliographies; the labels come from the comments in them.
#[test]
fn bibliographies() {
    let Some(folder) = aris_testkit::shared("citation_bench") else {
        return;
    };
    // Sound: no findings. Slip: a real work with a wrong description. Fake: no such work, or by other people.
    let labels = [
        ("vaswani2017attention", "sound"),
        ("devlin2018bert", "sound"),
        ("priem2022openalex", "sound"),
        ("totally_fake_2025", "fake"),
        // One year of difference, as between preprint and publication.
        ("devlin2019bert_yearoff", "sound"),
        ("he2016resnet_wrongauthor", "slip"),
        ("goodfellow2014gan_wrongvenue", "slip"),
        ("mattern2023membership_refcheck_required", "sound"),
        ("li2019pruning_fake", "fake"),
        ("goodfellow2017rl_fake", "fake"),
        ("kumar2019sot_fake", "fake"),
        ("correa2019prophet_wrongauthors", "fake"),
        ("correa2022posted_pricing_fake", "fake"),
    ];
    let mut right = 0;
    for name in [
        "hallucination_7ref_sample.bib",
        "hallucination_mixed_sample.bib",
    ] {
        let text = std::fs::read_to_string(folder.join("labelled").join(name)).expect("entries");
        let read = bib::read(&text);
        assert!(read.problems.is_empty(), "{name}: {:?}", read.problems);
        let index = bib::Index::new([&read]);
        for entry in &read.entries {
            let reference = Reference::of(&index.resolve(entry), NOW);
            let world = World(real_works());
            let checked = verify(&[reference], &world, &Options::default(), &mut |_| ()).remove(0);
            let refused = checked.has(Severity::Error) || checked.existence == Existence::NotFound;
            let said = match (refused, checked.has(Severity::Doubt)) {
                (true, _) => "fake",
                (false, true) => "slip",
                (false, false) => "sound",
            };
            let label = labels.iter().find(|(key, _)| *key == entry.key);
            assert_eq!(
                Some(said),
                label.map(|(_, label)| *label),
                "{}: {checked:#?}",
                entry.key
            );
            assert_eq!(
                checked.status == Status::Verified,
                said != "fake",
                "{}",
                entry.key
            );
            right += 1;
        }
    }
    println!("\n| labelled bibliographies: {right} of 14 entries right");
    assert_eq!(right, 14);
}
