//! A wiki that the reference wrote.

use crate::{HE, call, done, ingest, reference, wiki};

#[test]
fn a_wiki_of_the_reference_opens_unchanged() {
    let project = reference();
    let before = project.snapshot();
    let stats = done(&project, &["stats", "wiki/"]);
    assert_eq!(
        stats.stdout(),
        "📚 Research Wiki Stats\nPapers:      2\nIdeas:       1 (1 failed, 0 succeeded)\nExperiments: 0\nClaims:      0 (0 supported, 0 \
         invalidated)\nEdges:       1\nWiki root:   wiki\n"
    );
    done(
        &project,
        &["show", "wiki", "paper:he2016_deep_residual_learning"],
    );
    call(&project, &["lint", "wiki"]).expect_code(10);
    before.assert_same(&project.snapshot(), "looking");
}

#[test]
fn a_wiki_of_the_reference_survives_every_command() {
    let project = reference();
    // A person writes on a page.
    let page = project.read(HE).replace(
        "## Method\n_TODO._",
        "## Method\nSkip   connections,\n\n* as I read it.\n",
    );
    project.write(HE, &page);
    let again = done(
        &project,
        &ingest(
            "Deep Residual Learning for Image Recognition",
            "Kaiming He",
            "2016",
        ),
    );
    assert_eq!(
        again.stdout(),
        "Paper already ingested: he2016_deep_residual_learning.md (slug dedup) — skipping.\n"
    );
    assert_eq!(project.read(HE), page);
    let mut update = ingest(
        "Deep Residual Learning for Image Recognition",
        "Kaiming He, Xiangyu Zhang",
        "2016",
    );
    update.extend([
        "--venue",
        "CVPR",
        "--tags",
        "vision",
        "--thesis",
        "Other words.",
        "--update-on-exist",
    ]);
    done(&project, &update);
    let expected = page
        .replace(
            "authors: [\"Kaiming He\"]",
            "authors: [\"Kaiming He\", \"Xiangyu Zhang\"]",
        )
        .replace("venue: \"unknown\"", "venue: \"CVPR\"")
        .replace("tags: []", "tags: [\"vision\"]");
    assert_eq!(
        project.read(HE),
        expected,
        "the thesis is somebody's and stays"
    );
    done(
        &project,
        &[
            "update",
            "wiki",
            "paper:he2016_deep_residual_learning",
            "relevance",
            "core",
        ],
    );
    done(&project, &["doctor", "wiki"]);
    done(&project, &["rebuild_index", "wiki"]);
    done(&project, &["query", "wiki", "residual learning"]);
    done(&project, &["set_status", "wiki", "idea:001", "mixed"]);
    assert!(
        project
            .read("wiki/ideas/001.md")
            .contains("stage: piloted        # or: proposed, archived\noutcome: mixed\n")
    );
    let page = project.read(HE);
    assert!(
        page.contains("Skip   connections,\n\n* as I read it.\n")
            && page.contains("relevance: core\n")
    );
    let pack = project.read("wiki/query_pack.md");
    assert!(
        pack.contains("- **Sparse heads**: No gain beyond 1B parameters."),
        "{pack}"
    );
    let he = pack.find("he2016").expect("a paper");
    assert!(
        he < pack.find("- [paper:vaswani").expect("another"),
        "the topic's paper comes first: {pack}"
    );
    let edges = project.read("wiki/graph/edges.jsonl");
    assert_eq!(edges, reference().read("wiki/graph/edges.jsonl"));
}

#[test]
fn a_new_page_has_the_references_bytes() {
    let project = wiki();
    done(
        &project,
        &[
            "ingest_paper",
            "wiki",
            "--title",
            "Deep Residual Learning for Image Recognition",
            "--authors",
            "Kaiming He",
            "--year",
            "2016",
            "--thesis",
            "Residuals help.",
        ],
    );
    let added = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("added:"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(added(&project.read(HE)), added(&reference().read(HE)));
}
