//! Whether two records describe the same paper.

use std::collections::BTreeSet;

use aris_contract::artifact::papers::{Kind, Paper};

use crate::names;

/// Most years between two records of one paper: its preprint, conference and journal versions.
const YEARS: u16 = 2;

/// Identifiers that each identify the paper on their own.
pub(super) fn identities(paper: &Paper) -> Vec<String> {
    let ids = &paper.ids;
    let mut names: Vec<String> = Vec::new();
    for doi in &ids.doi {
        names.push(match doi.folded().strip_prefix("10.48550/arxiv.") {
            Some(arxiv) => format!("arxiv:{arxiv}"),
            None => format!("doi:{}", doi.folded()),
        });
    }
    let arxiv = ids.arxiv.as_ref();
    let arxiv = arxiv.map(|id| id.without_version().as_str().to_lowercase());
    names.extend(arxiv.map(|id| format!("arxiv:{id}")));
    names.extend(ids.openalex.iter().map(|id| format!("openalex:{id}")));
    names.extend(ids.semantic_scholar.iter().map(|id| format!("s2:{id}")));
    names.extend(ids.corpus.iter().map(|id| format!("corpus:{id}")));
    names.extend(ids.dblp.iter().map(|id| format!("dblp:{id}")));
    names.extend(ids.pubmed.iter().map(|id| format!("pubmed:{id}")));
    names
}

/// Whether two records with the same title may describe one paper.
pub(super) fn may_be_one(one: &Paper, two: &Paper) -> bool {
    let apart = match (one.year, two.year) {
        (Some(a), Some(b)) => a.abs_diff(b),
        _ => 0,
    };
    apart <= YEARS && !say_two(one, two) && same_first_author(one, two)
}

/// Whether their identifiers show two works: two arXiv identifiers, or two DOIs of published works.
fn say_two(one: &Paper, two: &Paper) -> bool {
    let published = |paper: &Paper| -> BTreeSet<String> {
        let dois = paper.ids.doi.iter().map(|doi| doi.folded().to_owned());
        dois.filter(|doi| !doi.starts_with("10.48550/")).collect()
    };
    let arxiv = |paper: &Paper| -> BTreeSet<String> {
        let id = paper.ids.arxiv.iter();
        id.map(|id| id.without_version().to_string()).collect()
    };
    let differ = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        !a.is_empty() && !b.is_empty() && a.is_disjoint(b)
    };
    let preprint = |paper: &Paper| paper.kind == Some(Kind::Preprint);
    // A preprint server's DOI and a publisher's DOI can belong to one work.
    differ(&arxiv(one), &arxiv(two))
        || (!preprint(one) && !preprint(two) && differ(&published(one), &published(two)))
}

/// Whether the first authors can be the same person; an unknown author can be anybody.
fn same_first_author(one: &Paper, two: &Paper) -> bool {
    match (one.authors.first(), two.authors.first()) {
        (Some(a), Some(b)) => {
            let (a, b) = (names::parse(&a.name), names::parse(&b.name));
            names::compare(&a, &b) <= names::NameMatch::Swapped
        }
        _ => true,
    }
}
