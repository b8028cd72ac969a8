//! What of a page is searched, and how much each part of it counts.

use crate::node::Kind;
use crate::page::Page;
use crate::search::words::words;
use crate::summary::Summary;

/// How much a word counts in the title, in names (authors, identifiers, tags, venue), in the thesis, in the rest.
pub const WEIGHTS: [f64; 4] = [8.0, 4.0, 4.0, 1.0];

/// A page as the search sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// What it describes.
    pub kind: Kind,
    /// Relative to the wiki: `papers/x.md`.
    pub path: String,
    /// Name of the node.
    pub node: String,
    /// Title.
    pub title: String,
    /// Year; 0 when unknown.
    pub year: u32,
    /// Words of the parts that [`WEIGHTS`] names.
    pub columns: [Vec<String>; 4],
}

impl Document {
    /// The page called `file`.
    pub fn of(kind: Kind, file: &str, page: &Page) -> Self {
        let summary = Summary::of(kind, file, page);
        let names = [
            summary.node.as_str(),
            &summary.arxiv,
            &summary.doi,
            &summary.venue,
            &summary.status,
            &summary.stage,
            &summary.outcome,
        ];
        let mut named: Vec<String> = names.iter().flat_map(|text| words(text)).collect();
        named.extend(summary.authors.iter().flat_map(|name| words(name)));
        named.extend(summary.tags.iter().flat_map(|tag| words(tag)));
        if summary.year > 0 {
            named.push(summary.year.to_string());
        }
        Self {
            kind,
            path: format!("{}/{file}", kind.folder()),
            columns: [
                words(&summary.title),
                named,
                words(&summary.thesis),
                words(body(page)),
            ],
            node: summary.node,
            title: summary.title,
            year: summary.year,
        }
    }

    /// Number of words, the `D` of BM25.
    pub fn length(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }
}

/// The text below the frontmatter.
pub(crate) fn body(page: &Page) -> &str {
    let text = page.text();
    if !page.has_front() {
        return text;
    }
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        at += line.len();
        if number > 0 && line.trim_end() == "---" {
            break;
        }
    }
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_page_are_told_apart() {
        let page = Page::parse(String::from(
            "---\nnode_id: paper:a\ntitle: \"Deep Nets\"\nauthors: [\"Ada Müller\"]\nyear: 2020\ntags: [\"vision\"]\n---\n# Deep Nets\n\n## One-line thesis\nThey work.\n\n## Method\nWe try.\n",
        ));
        let document = Document::of(Kind::Paper, "a.md", &page);
        let [title, names, thesis, body] = &document.columns;
        assert_eq!(title, &["deep", "nets"]);
        assert_eq!(names, &["paper", "a", "ada", "muller", "vision", "2020"]);
        assert_eq!(thesis, &["they", "work"]);
        assert_eq!(
            body,
            &[
                "deep", "nets", "one", "line", "thesis", "they", "work", "method", "we", "try"
            ]
        );
        assert_eq!(document.length(), 20);
    }
}
