//! The part of a page that the site shows: all text except the title, empty sections and the generated list of edges.

use crate::text::without_generated;
use aris_wiki::page::{self, CONNECTIONS, Page};

/// The text to show, and the headings of sections that are still empty.
pub(crate) fn shown(page: &Page) -> (String, Vec<String>) {
    let text = page.text();
    let start = text.len() - page.below_front().len();
    let mut left_out: Vec<std::ops::Range<usize>> = Vec::new();
    let mut empty = Vec::new();
    let mut title_seen = false;
    for section in page.sections() {
        if section.level == 1 && !title_seen {
            title_seen = true;
            left_out.push(section.heading.clone());
            continue;
        }
        let body = text.get(section.body.clone()).unwrap_or_default();
        let whole = section.heading.start..section.body.end;
        if section.title == CONNECTIONS {
            if page::is_placeholder(&without_generated(body)) {
                left_out.push(whole);
            }
        } else if page::is_placeholder(body) {
            if section.level == 2 {
                empty.push(section.title.clone());
            }
            left_out.push(whole);
        }
    }
    let (mut out, mut at) = (String::new(), start);
    for range in left_out {
        if range.start >= at {
            out.push_str(text.get(at..range.start).unwrap_or_default());
            at = range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    (out, empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_sections_and_generated_edges_are_left_out() {
        let text = "---\ntitle: \"T\"\n---\n\n# T\n\nIntro.\n\n## Method\n\n## Results\nGood.\n### Detail\n\n## Connections\n<!-- aris:connections (generated, do not edit) -->\n- x\n<!-- aris:connections end -->\n\n## Note\nMine.\n";
        let (shown, empty) = shown(&Page::parse(text.to_owned()));
        assert_eq!(empty, ["Method"]);
        for kept in ["Intro.", "## Results\nGood.", "## Note\nMine."] {
            assert!(shown.contains(kept), "{shown}");
        }
        for gone in [
            "# T\n",
            "## Method",
            "### Detail",
            "Connections",
            "- x",
            "title:",
        ] {
            assert!(!shown.contains(gone), "{shown}");
        }
    }

    #[test]
    fn prose_below_connections_stays() {
        let page = Page::parse(String::from("# T\n## Connections\nI wrote this.\n"));
        assert!(shown(&page).0.contains("I wrote this."));
    }
}
