use proptest::prelude::*;

use super::*;

const PAGE: &str = "---\ntype: paper\nnode_id: paper:x\ntitle: \"A \\\"B\\\"\"\nauthors: [\"Ann Lee\", \"Bo Cy\"]\nyear: 2024 # guess\nexternal_ids:\n  arxiv: \"2401.00001\"\n  doi: null\ntags:\n  - one\n  - \"two\"\nmine: kept\n---\n\n# A \"B\"\n\n## One-line thesis\n_TODO: fill in after reading._\n\n## Method\nProse.\n\n### Detail\nMore.\n\n## Connections\n_Edges are recorded in `graph/edges.jsonl`; summarize here for human readers._\n";

fn page(text: &str) -> Page {
    Page::parse(text.to_owned())
}

#[test]
fn fields_are_read() {
    let page = page(PAGE);
    assert_eq!(page.scalar("title").as_deref(), Some("A \"B\""));
    assert_eq!(page.scalar("year").as_deref(), Some("2024"));
    assert_eq!(
        page.scalar("external_ids.arxiv").as_deref(),
        Some("2401.00001")
    );
    assert_eq!(page.scalar("external_ids[.]doi"), None);
    assert_eq!(page.list("authors"), ["Ann Lee", "Bo Cy"]);
    assert_eq!(page.list("tags"), ["one", "two"]);
    assert_eq!(page.list("absent"), Vec::<String>::new());
    assert_eq!(page.line_of("year"), Some(6));
}

#[test]
fn keys_in_quotes_are_the_same_keys() {
    let mut page = page("---\n\"external_ids\":\n  'arxiv': '2001.00013'\n\"title\": x\n---\n");
    assert_eq!(
        page.scalar("external_ids.arxiv").as_deref(),
        Some("2001.00013")
    );
    page.set("external_ids.s2", "\"s5\"");
    page.set("title", "y");
    assert_eq!(
        page.text(),
        "---\n\"external_ids\":\n  'arxiv': '2001.00013'\n  s2: \"s5\"\n\"title\": y\n---\n"
    );
}

#[test]
fn fields_are_set_and_nothing_else_changes() {
    let mut changed = page(PAGE);
    changed.set("year", "2025");
    changed.set("external_ids.doi", "\"10.1/x\"");
    changed.set("external_ids.s2", "\"abc\"");
    changed.set("tags", "[\"three\"]");
    changed.set("relevance", "core");
    let expected = PAGE
        .replace("year: 2024 # guess", "year: 2025 # guess")
        .replace("doi: null\n", "doi: \"10.1/x\"\n  s2: \"abc\"\n")
        .replace("tags:\n  - one\n  - \"two\"", "tags: [\"three\"]")
        .replace("mine: kept\n", "mine: kept\nrelevance: core\n");
    assert_eq!(changed.text(), expected);
}

#[test]
fn a_page_without_frontmatter_gets_one_and_crlf_stays() {
    let mut bare = page("# T\r\nx\r\n");
    bare.set("external_ids.doi", "\"d\"");
    assert_eq!(
        bare.text(),
        "---\r\nexternal_ids:\r\n  doi: \"d\"\r\n---\r\n# T\r\nx\r\n"
    );
}

#[test]
fn fields_in_a_row_with_node_id_are_read_where_there_is_no_frontmatter() {
    for text in [
        "node_id: idea:1\noutcome: negative # sure\n# Log\n- outcome: mixed\n## Notes\nstage: no\n",
        "# Title\n\n- node_id: idea:1\n- outcome: \"negative\"\n\nstage: no\n## Notes\n",
        "```yaml\nnode_id: idea:1\noutcome: negative\n```\n## Notes\nstage: no\n",
        "\n---\nnode_id: idea:1\noutcome: negative\n---\n## Notes\nstage: no\n",
    ] {
        let mut page = page(text);
        assert_eq!(
            page.scalar("outcome").as_deref(),
            Some("negative"),
            "{text}"
        );
        assert_eq!(page.scalar("stage"), None, "{text}");
        // The frontmatter is written; the line outside of it stays and is read.
        page.set("relevance", "core");
        assert!(
            page.text().ends_with(text) && page.text().starts_with("---\nrelevance: core\n---\n")
        );
        let again = Page::parse(page.text().to_owned());
        assert_eq!(
            again.scalar("outcome").as_deref(),
            Some("negative"),
            "{text}"
        );
    }
    for text in [
        "outcome: negative\n\nProse.\n",
        "---\nnode_id: idea:1\nids:\n  outcome: negative\n---\n",
    ] {
        assert_eq!(page(text).scalar("outcome"), None, "{text}");
    }
}

#[test]
fn sections_end_where_the_next_of_their_rank_begins() {
    let page = page(PAGE);
    assert_eq!(page.prose("Method"), Some("Prose.\n\n### Detail\nMore."));
    assert_eq!(page.prose("One-line thesis"), None);
    assert_eq!(page.prose("Connections"), None);
    let fenced = Page::parse(String::from("## A\n```\n## no\n```\nx\n## B\n"));
    assert_eq!(fenced.sections().len(), 2);
}

#[test]
fn an_empty_section_is_filled_and_a_written_one_is_kept() {
    let mut page = page(PAGE);
    assert_eq!(page.fill("One-line thesis", "It works."), Filled::Written);
    assert_eq!(page.fill("One-line thesis", "It works."), Filled::Same);
    assert_eq!(page.fill("Method", "Other."), Filled::Kept);
    assert_eq!(page.fill("New", "n"), Filled::Written);
    let expected = PAGE.replace("_TODO: fill in after reading._", "It works.") + "\n## New\nn\n";
    assert_eq!(page.text(), expected);
}

#[test]
fn generated_parts_are_between_markers_and_prose_around_them_stays() {
    let mut page = page(&PAGE.replace(CONNECTIONS_PLACEHOLDER, "My words."));
    page.set_generated(CONNECTIONS, "connections", "- a\n- b")
        .expect("set");
    assert_eq!(page.generated("connections"), Ok(Some("- a\n- b")));
    page.set_generated(CONNECTIONS, "connections", "- c")
        .expect("set");
    assert_eq!(page.generated("connections"), Ok(Some("- c")));
    assert!(
        page.text().ends_with("end -->\n\nMy words.\n"),
        "{}",
        page.text()
    );
    let damaged = Page::parse(page.text().replace("<!-- aris:connections end -->", ""));
    assert!(damaged.generated("connections").is_err());
    assert!(
        damaged
            .clone()
            .set_generated(CONNECTIONS, "connections", "x")
            .is_err()
    );
}

#[test]
fn the_title_line_follows_only_while_it_says_the_same() {
    let mut one = page("# Old\n");
    one.retitle("Old", "New");
    assert_eq!(one.text(), "# New\n");
    one.retitle("Old", "Newer");
    assert_eq!(one.text(), "# New\n");
}

/// Pages as people may write them.
fn any_page() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("---"),
        Just("# T"),
        Just("## Connections"),
        Just("## Method"),
        Just("```"),
        Just("title: x"),
        Just("  arxiv: 1"),
        Just("external_ids:"),
        Just("tags: [a"),
        Just("- item"),
        Just("words"),
        Just(""),
        Just("_TODO._"),
        Just("year: 1 # c"),
        Just("<!-- aris:connections end -->"),
        Just("title: 'open"),
        Just("# comment"),
        Just("\u{feff}---"),
        Just("é: ü"),
    ];
    (
        proptest::collection::vec(line, 0..24),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, crlf, front)| {
            let text = lines.join(if crlf { "\r\n" } else { "\n" });
            if front { format!("---\n{text}") } else { text }
        })
}

/// Whether the lines `small` occur in `large` in the same order.
fn is_subsequence(small: &[&str], large: &[&str]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|line| rest.any(|other| other == line))
}

proptest! {
    #[test]
    fn no_text_is_refused_and_nothing_is_lost_in_reading(text in "\\PC{0,80}|(?s).{0,80}") {
        let page = page(&text);
        prop_assert_eq!(page.text(), text);
    }

    #[test]
    fn a_value_that_was_set_is_read_again_and_prose_stays(text in any_page(), key in "title|year|mine|external_ids[.]doi") {
        let before = page(&text);
        let mut after = before.clone();
        after.set(&key, "\"new value\"");
        prop_assert_eq!(after.scalar(&key), Some(String::from("new value")));
        let body = |page: &Page| page.below_front().to_owned();
        prop_assert_eq!(body(&before), body(&after));
        let again = after.clone();
        after.set(&key, "\"new value\"");
        prop_assert_eq!(after, again);
    }

    #[test]
    fn a_generated_part_costs_no_line_of_prose(text in any_page(), content in "[a-z]{1,5}(\n[a-z]{1,5}){0,2}") {
        let before = page(&text);
        let mut after = before.clone();
        if after.set_generated(CONNECTIONS, "connections", &content).is_ok() {
            let lines: Vec<&str> = before.text().lines().filter(|line| !is_placeholder(line)).collect();
            let kept: Vec<&str> = after.text().lines().collect();
            prop_assert!(is_subsequence(&lines, &kept), "{:?} in {:?}", before.text(), after.text());
            let again = after.clone();
            after.set_generated(CONNECTIONS, "connections", &content).expect("twice");
            prop_assert_eq!(after, again);
        } else {
            prop_assert_eq!(before, after);
        }
    }

    #[test]
    fn filling_costs_no_line_of_prose(text in any_page(), title in "Method|Other") {
        let before = page(&text);
        let mut after = before.clone();
        after.fill(&title, "Filled words.");
        let lines: Vec<&str> = before.text().lines().filter(|line| !is_placeholder(line)).collect();
        let kept: Vec<&str> = after.text().lines().collect();
        prop_assert!(is_subsequence(&lines, &kept), "{:?} in {:?}", before.text(), after.text());
    }
}
