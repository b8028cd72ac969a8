//! Merging two pages about the same thing.

use super::{done, ingest, wiki};
use aris_testkit::Project;

const ONE: &str = "wiki/papers/lee2024_big_models.md";
const TWO: &str = "wiki/papers/lee2025_big_models_learn.md";
const NODES: [&str; 2] = ["paper:lee2024_big_models", "paper:lee2025_big_models_learn"];

fn two_pages() -> Project {
    let project = wiki();
    done(&project, &ingest("Big Models", "Ann Lee", "2024"));
    done(&project, &ingest("Big Models Learn", "Ann Lee", "2025"));
    project
}

fn edge(project: &Project, from: &str, to: &str, kind: &str, evidence: &str) {
    let ends = ["add-edge", "wiki", "--from", from, "--to", to];
    let says = ["--type", kind, "--evidence", evidence];
    done(project, &[&ends[..], &says].concat());
}

#[test]
fn what_edges_between_the_two_pages_say_stands_on_the_page_that_stays() {
    let [one, two] = NODES;
    let project = two_pages();
    edge(
        &project,
        two,
        one,
        "contradicts",
        "Table 3 says 71.2, not 74",
    );
    edge(&project, one, two, "extends", "");
    let other = project.read(TWO);
    done(&project, &["merge", "wiki", one, two]);
    let page = project.read(ONE);
    let told = format!(
        "\n- {two} --contradicts--> {one}: Table 3 says 71.2, not 74\n- {one} --extends--> {two}\n"
    );
    assert!(page.contains(&told), "{page}");
    assert_eq!(project.read("wiki/graph/edges.jsonl"), "");
    // An interrupted merge, and an edge that somebody added before it was completed.
    project.write(TWO, other);
    project.write(
        "wiki/graph/edges.jsonl",
        format!(r#"{{"from": "{one}", "to": "{two}", "type": "supersedes", "evidence": "The later one is final"}}"#),
    );
    done(&project, &["doctor", "wiki"]);
    let page = project.read(ONE);
    let late = format!("- {one} --supersedes--> {two}: The later one is final\n");
    assert!(page.contains(&told) && page.contains(&late), "{page}");
    assert_eq!(page.matches("71.2").count(), 1, "{page}");
}

#[test]
fn a_merged_page_has_the_line_ends_of_the_page_that_stays() {
    let own = "\n## Own\nfirst\n\nsecond\n\nthird\n\n## Method\nOther method.\n\nIn two parts.\n";
    for (crlf, other) in [(TWO, ONE), (ONE, TWO)] {
        let project = two_pages();
        let page = project.read(TWO).replace("## Method\n_TODO._\n", "");
        let page = page.replace("tags: []", "note: |\n  a\n  b\ntags: []");
        project.write(TWO, format!("{page}{own}"));
        let page = project.read(ONE);
        project.write(ONE, page.replace("## Method\n_TODO._", "## Method\nMine."));
        let page = project.read(crlf);
        project.write(crlf, page.replace('\n', "\r\n"));
        done(&project, &["merge", "wiki", NODES[0], NODES[1]]);
        let page = project.read(ONE);
        let ends = page.matches("\r\n").count();
        let lines = if other == TWO {
            page.lines().count()
        } else {
            0
        };
        assert_eq!(ends, lines, "{page:?}");
        let page = page.replace("\r\n", "\n");
        for words in [
            "## Own\nfirst\n\nsecond\n\nthird\n",
            "note: |\n  a\n  b\n",
            "In two parts.",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        // Text that both pages have appears once.
        assert_eq!(page.matches("## Key Results").count(), 1, "{page}");
    }
}
