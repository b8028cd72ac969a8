//! The order in which papers from several sources are shown.

use aris_contract::artifact::papers::Paper;

use crate::titles;

/// Sorts papers by how well they match the searched words. Ties: found by more sources first, then more citations, then newer.
/// The order does not depend on the order of the sources' answers.
pub fn rank(papers: &mut [Paper], words: &str) {
    let wanted = words_of(words);
    papers.sort_by_cached_key(|paper| {
        let fit = fit(paper, &wanted);
        (
            std::cmp::Reverse(fit),
            std::cmp::Reverse(paper.origins.len()),
            std::cmp::Reverse(paper.citation_count.unwrap_or(0)),
            std::cmp::Reverse(paper.year.unwrap_or(0)),
            titles::key(&paper.title),
        )
    });
}

/// How well a paper matches, 0 to 1000: title words count three quarters, abstract words one quarter.
fn fit(paper: &Paper, wanted: &[String]) -> usize {
    if wanted.is_empty() {
        return 0;
    }
    let title = words_of(&paper.title);
    let summary = words_of(paper.summary.as_deref().unwrap_or_default());
    let share = |have: &[String]| {
        let found = wanted.iter().filter(|word| have.contains(word)).count();
        found * 1000 / wanted.len()
    };
    (share(&title) * 3 + share(&summary).max(share(&title))) / 4
}

/// Significant words, folded. Words of one or two Latin letters and the commonest function words are dropped.
fn words_of(text: &str) -> Vec<String> {
    const COMMON: [&str; 12] = [
        "and", "are", "but", "for", "from", "how", "the", "this", "that", "using", "via", "with",
    ];
    titles::normalise(text)
        .split(' ')
        .filter(|word| {
            // One Chinese character can be a word, one Latin letter cannot.
            let short = word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
            !short && !COMMON.contains(word)
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_comes_first_and_ties_are_settled_by_the_papers_alone() {
        let paper = |title: &str, cited: u64| Paper {
            title: title.to_owned(),
            citation_count: Some(cited),
            ..Paper::default()
        };
        let mut papers = vec![
            paper("Cooking with gas", 9000),
            paper("Diffusion models beat GANs", 10),
            paper("A survey of diffusion models", 500),
        ];
        rank(&mut papers, "the diffusion models");
        let titles: Vec<&str> = papers.iter().map(|paper| paper.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "A survey of diffusion models",
                "Diffusion models beat GANs",
                "Cooking with gas"
            ]
        );
        let before = papers.clone();
        papers.reverse();
        rank(&mut papers, "the diffusion models");
        assert_eq!(papers, before);
    }
}
