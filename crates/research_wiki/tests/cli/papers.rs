//! Which descriptions are one paper.

use crate::{done, ingest, wiki};

#[test]
fn papers_are_one_or_two_whatever_comes_first() {
    let papers: [&[&str]; 4] = [
        &[
            "--title",
            "Large Models Learn Many Things",
            "--authors",
            "Ann Lee",
            "--year",
            "2024",
            "--external-id-doi",
            "10.48550/arXiv.2401.00001",
        ],
        &[
            "--title",
            "Large models learn many things",
            "--authors",
            "A. Lee",
            "--year",
            "2025",
            "--external-id-doi",
            "10.1234/AB.5",
        ],
        &[
            "--title",
            "Large Models Learn Many Things Again",
            "--authors",
            "Ann Lee",
            "--year",
            "2024",
        ],
        &[
            "--title",
            "Large Models Learn Many Things!",
            "--authors",
            "Ann Lee",
            "--year",
            "2025",
            "--external-id-doi",
            "10.1234/ab.5",
        ],
    ];
    let mut seen = std::collections::BTreeSet::new();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let project = wiki();
        for at in order.into_iter().chain(order) {
            let mut args = vec!["ingest_paper", "wiki"];
            args.extend(papers[at]);
            done(&project, &args);
        }
        let mut ids: Vec<String> = Vec::new();
        for path in project.snapshot().paths() {
            if path.starts_with("wiki/papers/") {
                let text = project.read(path);
                let field = |key: &str| {
                    text.lines()
                        .find(|line| line.trim_start().starts_with(key))
                        .unwrap_or_default()
                        .to_lowercase()
                };
                ids.push(format!("{}{}", field("arxiv:"), field("doi:")));
            }
        }
        ids.sort();
        seen.insert(ids);
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    let ids = seen.into_iter().next().expect("one");
    assert_eq!(
        ids,
        [
            "  arxiv: \"2401.00001\"  doi: \"10.1234/ab.5\"",
            "  arxiv: null  doi: null"
        ]
    );
}

#[test]
fn two_papers_with_one_slug_get_two_pages() {
    let project = wiki();
    for doi in ["10.1234/one", "10.1234/two"] {
        let mut args = ingest("Learning from Data", "Ann Lee", "2024");
        args.extend(["--external-id-doi", doi]);
        done(&project, &args);
    }
    let snapshot = project.snapshot();
    let pages: Vec<&str> = snapshot
        .paths()
        .into_iter()
        .filter(|path| path.starts_with("wiki/papers/"))
        .collect();
    assert_eq!(
        pages,
        [
            "wiki/papers/lee2024_learning_from_data.md",
            "wiki/papers/lee2024_learning_from_data_10_1234_two.md"
        ]
    );
}
