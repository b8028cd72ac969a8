//! Finds records of the same paper and merges them.

use std::collections::BTreeMap;

use aris_contract::artifact::papers::{Kind, Paper, Source};

use super::same::{identities, may_be_one};
use crate::titles;

/// Fewest letters of a title that identifies a paper by itself. "Introduction" is the title of many papers.
const TITLE: usize = 15;

/// Merges the records of the same paper. The papers are in the order of their first records; linear except for sorting.
///
/// Two records are the same paper if they share a DOI, an arXiv identifier, or another identifier of the same source; or if
/// their titles are equal, their first authors can be the same person, and their years differ by at most two. Records whose
/// DOIs or arXiv identifiers show two works are never merged by title.
pub fn merge_all(papers: Vec<Paper>) -> Vec<Paper> {
    let mut groups = Groups::new(papers.len());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (at, paper) in papers.iter().enumerate() {
        for name in identities(paper) {
            match seen.get(&name) {
                Some(earlier) => groups.join(*earlier, at),
                None => {
                    seen.insert(name, at);
                }
            }
        }
    }
    let mut titled: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, paper) in papers.iter().enumerate() {
        let title = titles::key(&paper.title);
        if title.chars().count() >= TITLE {
            titled.entry(title).or_default().push(at);
        }
    }
    for same in titled.into_values() {
        // Compare only with the first record of each group of this title: hundreds of records can share a title.
        let mut heads: Vec<usize> = Vec::new();
        for at in same {
            let Some(paper) = papers.get(at) else {
                continue;
            };
            let found = heads.iter().take(32).copied().find(|head| {
                papers
                    .get(*head)
                    .is_some_and(|head| may_be_one(head, paper))
            });
            match found {
                Some(head) => groups.join(head, at),
                None => heads.push(at),
            }
        }
    }
    // The head of a group is its first record.
    let mut by_head: BTreeMap<usize, Vec<Paper>> = BTreeMap::new();
    for (at, paper) in papers.into_iter().enumerate() {
        by_head.entry(groups.head(at)).or_default().push(paper);
    }
    let merged = by_head.into_values();
    let merged = merged.filter_map(|same| same.into_iter().reduce(merge));
    merged.collect()
}

/// Merges two records of the same paper: each field comes from the more trusted source, or from the only one that has it.
pub fn merge(one: Paper, two: Paper) -> Paper {
    let (mut best, other) = if trust(&two) < trust(&one) {
        (two, one)
    } else {
        (one, two)
    };
    // A published version decides the kind of the paper, whichever source reports it.
    if best.kind.is_none_or(|kind| kind == Kind::Preprint)
        && other.kind.is_some_and(|kind| kind != Kind::Preprint)
    {
        best.kind = other.kind;
        best.venue = other.venue.clone().or(best.venue);
        if other.year.is_some() {
            best.year = other.year;
            best.date.clone_from(&other.date);
        }
    }
    if best.title.is_empty() {
        best.title = other.title;
    }
    let complete = |paper: &[_], cut: bool| (!cut, paper.len());
    if best.authors.is_empty()
        || (best.authors_cut
            && complete(&other.authors, other.authors_cut) > complete(&best.authors, true))
    {
        best.authors = other.authors;
        best.authors_cut = other.authors_cut;
    }
    best.year = best.year.or(other.year);
    best.date = best.date.or(other.date);
    best.venue = best.venue.or(other.venue);
    best.kind = best.kind.or(other.kind);
    best.summary = best.summary.or(other.summary);
    best.note = best.note.or(other.note);
    best.citation_count = best.citation_count.max(other.citation_count);
    best.reference_count = best.reference_count.max(other.reference_count);
    best.retracted = match (best.retracted, other.retracted) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (known, unknown) => known.or(unknown),
    };
    best.links.page = best.links.page.or(other.links.page);
    best.links.pdf = best.links.pdf.or(other.links.pdf);
    let ids = &mut best.ids;
    if ids.arxiv.is_none() {
        ids.arxiv = other.ids.arxiv;
        ids.arxiv_version = other.ids.arxiv_version;
    }
    add_new(&mut ids.doi, other.ids.doi);
    // The published version's DOI comes first.
    ids.doi
        .sort_by_key(|doi| doi.folded().starts_with("10.48550/"));
    ids.openalex = ids.openalex.take().or(other.ids.openalex);
    ids.semantic_scholar = ids.semantic_scholar.take().or(other.ids.semantic_scholar);
    ids.corpus = ids.corpus.or(other.ids.corpus);
    ids.dblp = ids.dblp.take().or(other.ids.dblp);
    ids.pubmed = ids.pubmed.take().or(other.ids.pubmed);
    add_new(&mut best.fields, other.fields);
    add_new(&mut best.origins, other.origins);
    best.origins.sort_by_key(|origin| rank_of(origin.source));
    best
}

fn add_new<T: PartialEq>(to: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !to.contains(&one) {
            to.push(one);
        }
    }
}

fn trust(paper: &Paper) -> u8 {
    paper
        .origins
        .iter()
        .map(|origin| rank_of(origin.source))
        .min()
        .unwrap_or(u8::MAX)
}

/// Trust in a source, best first: registries of publishers, then curated bibliographies, then crawled collections.
const fn rank_of(source: Source) -> u8 {
    match source {
        Source::Crossref => 0,
        Source::Datacite => 1,
        Source::Dblp => 2,
        Source::Arxiv => 3,
        Source::SemanticScholar => 4,
        Source::Openalex => 5,
        Source::Deepxiv => 6,
        Source::Exa => 7,
    }
}

/// Disjoint sets of records; each set is one paper.
struct Groups {
    above: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Self {
            above: (0..count).collect(),
        }
    }

    /// The first record of the group.
    fn head(&mut self, mut at: usize) -> usize {
        while let Some(&above) = self.above.get(at) {
            if above == at {
                break;
            }
            let further = self.above.get(above).copied().unwrap_or(above);
            if let Some(slot) = self.above.get_mut(at) {
                *slot = further;
            }
            at = above;
        }
        at
    }

    fn join(&mut self, one: usize, two: usize) {
        let (one, two) = (self.head(one), self.head(two));
        let (low, high) = (one.min(two), one.max(two));
        if let Some(slot) = self.above.get_mut(high) {
            *slot = low;
        }
    }
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::papers::{Author, Origin};
    use aris_contract::ids::{ArxivId, Doi};

    use super::*;

    fn paper(
        title: &str,
        author: &str,
        year: u16,
        arxiv: &str,
        doi: &str,
        source: Source,
    ) -> Paper {
        Paper {
            title: title.to_owned(),
            authors: vec![Author::named(author)],
            year: Some(year),
            kind: (source == Source::Arxiv).then_some(Kind::Preprint),
            ids: aris_contract::artifact::papers::Identifiers {
                arxiv: ArxivId::parse(arxiv).ok(),
                doi: Doi::parse(doi).into_iter().collect(),
                ..Default::default()
            },
            origins: vec![Origin {
                source,
                record: format!("{title}{arxiv}{doi}"),
                retrieved_at: String::new(),
            }],
            ..Paper::default()
        }
    }

    const TITLE_A: &str = "Attention Is All You Need";

    #[test]
    fn a_preprint_and_its_published_form_are_one() {
        let merged = merge_all(vec![
            paper(
                TITLE_A,
                "Ashish Vaswani",
                2017,
                "1706.03762v5",
                "",
                Source::Arxiv,
            ),
            paper(
                "Deep Residual Learning for Image Recognition",
                "Kaiming He",
                2016,
                "",
                "10.1109/cvpr.2016.90",
                Source::Crossref,
            ),
            paper(
                "Attention is all you need.",
                "A. Vaswani",
                2017,
                "",
                "10.5555/3295222.3295349",
                Source::Crossref,
            ),
            paper(
                "Attention…",
                "Vaswani",
                2023,
                "1706.03762",
                "10.48550/arXiv.1706.03762",
                Source::Openalex,
            ),
        ]);
        assert_eq!(merged.len(), 2);
        let one = &merged[0];
        assert_eq!(one.origins.len(), 3);
        assert_eq!(
            one.ids.doi.iter().map(Doi::folded).collect::<Vec<_>>(),
            ["10.5555/3295222.3295349", "10.48550/arxiv.1706.03762"]
        );
        assert_eq!(
            one.ids
                .arxiv
                .as_ref()
                .map(|id| id.without_version().to_string())
                .as_deref(),
            Some("1706.03762")
        );
        assert_eq!(
            (one.title.as_str(), one.year),
            ("Attention is all you need.", Some(2017))
        );
    }

    #[test]
    fn what_is_two_works_stays_two() {
        let pairs = [
            // Different arXiv identifiers.
            (
                paper(
                    TITLE_A,
                    "Ashish Vaswani",
                    2017,
                    "1706.03762",
                    "",
                    Source::Arxiv,
                ),
                paper(
                    TITLE_A,
                    "Ashish Vaswani",
                    2018,
                    "1801.00001",
                    "",
                    Source::Arxiv,
                ),
            ),
            // Different first authors.
            (
                paper(TITLE_A, "Ashish Vaswani", 2017, "", "", Source::Dblp),
                paper(TITLE_A, "Maria Rossi", 2017, "", "", Source::Dblp),
            ),
            // Ten years apart.
            (
                paper(TITLE_A, "Ashish Vaswani", 2017, "", "", Source::Dblp),
                paper(TITLE_A, "Ashish Vaswani", 2027, "", "", Source::Openalex),
            ),
            // A title that many papers have.
            (
                paper("Introduction", "A. Li", 2017, "", "", Source::Dblp),
                paper("Introduction", "A. Li", 2017, "", "", Source::Openalex),
            ),
            // Different numbers mean different works.
            (
                paper(
                    "GPT-3 and what it can do for us",
                    "A. Li",
                    2020,
                    "",
                    "",
                    Source::Dblp,
                ),
                paper(
                    "GPT-4 and what it can do for us",
                    "A. Li",
                    2020,
                    "",
                    "",
                    Source::Dblp,
                ),
            ),
            // Different published DOIs.
            (
                paper(TITLE_A, "A. Li", 2020, "", "10.1000/a", Source::Crossref),
                paper(TITLE_A, "A. Li", 2020, "", "10.1000/b", Source::Crossref),
            ),
        ];
        for (one, two) in pairs {
            assert_eq!(
                merge_all(vec![one.clone(), two.clone()]).len(),
                2,
                "{one:?} {two:?}"
            );
        }
    }

    #[test]
    fn a_retraction_is_kept_whoever_tells_of_it() {
        let mut told = paper(TITLE_A, "A. Li", 2020, "", "10.1000/a", Source::Openalex);
        told.retracted = Some(true);
        let mut silent = paper(TITLE_A, "A. Li", 2020, "", "10.1000/a", Source::Crossref);
        silent.retracted = Some(false);
        assert_eq!(merge(silent, told).retracted, Some(true));
    }

    #[test]
    fn the_order_of_answers_does_not_decide_what_is_one() {
        let all = vec![
            paper(
                TITLE_A,
                "Ashish Vaswani",
                2017,
                "1706.03762",
                "",
                Source::Arxiv,
            ),
            paper(
                TITLE_A,
                "A. Vaswani",
                2017,
                "",
                "10.5555/3295222.3295349",
                Source::Crossref,
            ),
            paper(
                "x",
                "y",
                2017,
                "1706.03762",
                "10.5555/3295222.3295349",
                Source::Openalex,
            ),
        ];
        for turn in 0..3 {
            let mut turned = all.clone();
            turned.rotate_left(turn);
            assert_eq!(merge_all(turned).len(), 1, "{turn}");
        }
    }
}
