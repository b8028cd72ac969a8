//! The searched parts of a page and their weights.

use crate::search::words::words;
use aris_wiki::page::Page;
use aris_wiki::summary::Summary;

/// Weight of a word in the title, in names (authors, identifiers, tags, venue), in the thesis, and elsewhere.
pub const WEIGHTS: [f64; 4] = [8.0, 4.0, 4.0, 1.0];

/// The words of a page, in the parts that [`WEIGHTS`] names.
pub fn columns(summary: &Summary, page: &Page) -> [Vec<String>; 4] {
    let names = [
        summary.node,
        summary.arxiv,
        summary.doi,
        summary.venue,
        summary.status,
        summary.stage,
        summary.outcome,
    ];
    let mut named: Vec<String> = names.iter().flat_map(|text| words(text)).collect();
    named.extend(summary.authors.iter().flat_map(|name| words(name)));
    named.extend(summary.tags.iter().flat_map(|tag| words(tag)));
    if summary.year > 0 {
        named.push(summary.year.to_string());
    }
    [
        words(summary.title),
        named,
        words(summary.thesis),
        words(page.below_front()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_page_are_told_apart() {
        let page = Page::parse(String::from(
            "---\nnode_id: paper:a\ntitle: \"Deep Nets\"\nauthors: [\"Ada Müller\"]\nyear: 2020\ntags: [\"vision\"]\n---\n# Deep Nets\n\n## One-line thesis\nThey work.\n\n## Method\nWe try.\n",
        ));
        let summary = Summary::of(aris_wiki::node::Kind::Paper, "a.md", &page);
        let [title, names, thesis, body] = &columns(&summary, &page);
        assert_eq!(title, &["deep", "nets"]);
        assert_eq!(names, &["paper", "a", "ada", "muller", "vision", "2020"]);
        assert_eq!(thesis, &["they", "work"]);
        assert_eq!(
            body,
            &[
                "deep", "nets", "one", "line", "thesis", "they", "work", "method", "we", "try"
            ]
        );
    }
}
