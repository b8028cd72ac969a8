//! Which descriptions belong to the same paper.

use aris_testkit::Project;

use crate::{call, done, helper, ingest, wiki};

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

/// A frontmatter field of a page.
fn field(project: &Project, page: &str, key: &str) -> String {
    let text = project.read(&format!("wiki/papers/{page}.md"));
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with(&format!("{key}:")));
    line.map_or_else(String::new, |line| line.trim().to_owned())
}

#[test]
fn a_file_without_the_record_says_nothing_about_arxiv() {
    let project = wiki();
    let other = "{\"title\": \"T\", \"authors\": [{\"name\": \"Ann Lee\"}], \"year\": 2023, \
        \"ids\": {\"arxiv\": \"2310.06770\"}, \"links\": {}, \"fields\": [], \
        \"origins\": [{\"source\": \"arxiv\", \"record\": \"2310.06770\", \"retrieved_at\": \"2026-01-01T00:00:00Z\"}]}";
    project.write("other.jsonl", other);
    project.write("empty", "");
    for (file, args) in [
        (
            "other.jsonl",
            &["ingest-paper", "wiki", "--arxiv-id", "1706.03762"][..],
        ),
        ("empty", &["sync", "wiki", "--arxiv-ids", "1706.03762"]),
        (
            "other.jsonl",
            &["sync", "wiki", "--arxiv-ids", "1706.03762,2310.06770"],
        ),
    ] {
        let run = call(&project, &[args, &["--metadata", file]].concat()).expect_code(4);
        let said = run.stderr();
        assert!(said.contains(&format!("{file} has no record")), "{run}");
        assert!(
            !said.contains("no such paper") && !said.contains("arXiv has no"),
            "{run}"
        );
    }
    // What the file describes is added.
    let page = done(&project, &["search", "wiki", "T"]);
    assert!(page.stdout().contains("lee2023"), "{page}");
}

#[test]
fn an_institution_stays_one_in_the_bibliography_and_is_shown_without_braces() {
    let project = wiki();
    let authors = "{World Health Organization} and Lee, Ann and {OpenAI}";
    let entry = format!("@techreport{{w, title={{Report on X}}, author={{{authors}}}, year=2021}}");
    project.write("w.bib", &entry);
    done(&project, &["ingest-paper", "wiki", "--bib", "w.bib"]);
    let run = done(&project, &["export", "wiki", "--bibtex"]);
    let field = "author = {{World Health Organization} and Ann Lee and OpenAI}";
    assert!(run.stdout().contains(field), "{run}");
    let run = done(&project, &["export", "wiki"]);
    assert!(
        run.stdout().contains("\"World Health Organization\""),
        "{run}"
    );
    let again = done(&project, &["ingest-paper", "wiki", "--bib", "w.bib"]);
    assert!(again.stdout().contains("already ingested"), "{again}");
}

#[test]
fn an_exported_bibliography_keeps_venues_and_types_in_another_wiki() {
    let project = wiki();
    done(&project, &["init", "other"]);
    let entries = [
        ("article", "journal", "JAMA"),
        ("article", "journal", "NeurIPS"),
        ("inproceedings", "booktitle", "Foo"),
        ("inproceedings", "booktitle", "Journal of Foo"),
        ("book", "publisher", "Bar"),
        ("incollection", "booktitle", "Baz"),
        ("phdthesis", "school", "ETH"),
        ("techreport", "institution", "WHO"),
        ("misc", "howpublished", "OpenAI blog"),
    ];
    let written = entries.iter().enumerate().map(|(at, (kind, field, venue))| {
        format!("@{kind}{{k{at}, title={{Paper number {at}}}, author={{Lee, Ann}}, {field}={{{venue}}}, year=2021}}\n")
    });
    project.write("a.bib", written.collect::<String>());
    done(&project, &["ingest-paper", "wiki", "--bib", "a.bib"]);
    let export = |wiki: &str| {
        done(&project, &["export", wiki, "--bibtex"])
            .stdout()
            .to_owned()
    };
    let first = export("wiki");
    for (kind, field, venue) in entries {
        assert!(first.contains(&format!("@{kind}{{")), "{kind}: {first}");
        assert!(
            first.contains(&format!("  {field} = {{{venue}}},")),
            "{venue}: {first}"
        );
    }
    project.write("b.bib", &first);
    done(&project, &["ingest-paper", "other", "--bib", "b.bib"]);
    assert_eq!(export("other"), first);
}

#[test]
fn lists_of_authors_may_be_cut_short() {
    let project = wiki();
    for (number, authors, expected) in [
        (1, "Ann Lee, Bo Cy and others", r#"["Ann Lee", "Bo Cy"]"#),
        (2, "Ann Lee, et al.", r#"["Ann Lee"]"#),
        (3, "Ann Lee et al.", r#"["Ann Lee"]"#),
        (
            4,
            "Lee, Paul and Levy, Omer and",
            r#"["Paul Lee", "Omer Levy"]"#,
        ),
        (5, "王小明、李华", r#"["王小明", "李华"]"#),
        (
            6,
            "{World Health Organization}, Ann Lee",
            r#"["{World Health Organization}", "Ann Lee"]"#,
        ),
    ] {
        let title = format!("Heads number {number}");
        let args = ["--title", &title, "--authors", authors, "--year", "2008"];
        done(&project, &[&["ingest-paper", "wiki"], &args[..]].concat());
        let snapshot = project.snapshot();
        let page = snapshot
            .paths()
            .into_iter()
            .find(|path| {
                path.ends_with(&format!("_heads_number_{number}.md"))
                    || path.ends_with("_heads_number.md")
            })
            .map(|path| {
                path.trim_start_matches("wiki/papers/")
                    .trim_end_matches(".md")
                    .to_owned()
            })
            .expect("a page");
        assert_eq!(
            field(&project, &page, "authors"),
            format!("authors: {expected}")
        );
        std::fs::remove_file(project.at(&format!("wiki/papers/{page}.md"))).expect("removed");
    }
}

#[test]
fn a_bibliography_may_be_taken_again_and_again() {
    let project = wiki();
    let two = "@misc{a, title={Bad year}, author={E F}}\n@misc{z, title={Later one}, author={Z Z}, year=2001}\n";
    project.write("two.bib", two);
    project.write(
        "three.bib",
        format!("{two}@misc{{n, title={{New one}}, author={{N N}}, year=2003}}\n"),
    );
    for bib in ["two.bib", "two.bib", "three.bib"] {
        done(&project, &["ingest-paper", "wiki", "--bib", bib]);
    }
    let snapshot = project.snapshot();
    let pages = snapshot
        .paths()
        .into_iter()
        .filter(|path| path.starts_with("wiki/papers/"));
    assert_eq!(pages.count(), 3);
}

#[test]
fn an_update_loses_no_identifier_and_takes_none_of_another_paper() {
    let project = wiki();
    let (one, two) = ("1".repeat(40), "2".repeat(40));
    let first = [
        "ingest-paper",
        "wiki",
        "--title",
        "Aaa first",
        "--authors",
        "Ann Lee",
        "--year",
        "2020",
        "--external-id-doi",
        "10.1234/a",
    ];
    let second = [
        "ingest-paper",
        "wiki",
        "--title",
        "Bbb second",
        "--authors",
        "Bo Li",
        "--year",
        "2021",
        "--external-id-doi",
        "10.1234/b",
        "--external-id-s2",
        &two,
    ];
    done(
        &project,
        &[&first[..], &["--external-id-s2", &one]].concat(),
    );
    done(&project, &second);
    let before = project.snapshot();
    let refused = |args: &[&str]| {
        let run = helper()
            .call(project.path())
            .args(args)
            .run()
            .expect_code(4);
        assert!(run.stderr().contains("check"), "{run}");
        assert_eq!(project.snapshot(), before);
    };
    refused(&[&first[..], &["--external-id-s2", &two, "--update-on-exist"]].concat());
    let mut other = second;
    (other[3], other[5]) = ("A Completely Other Work", "Zed Zorn");
    refused(&[&other[..], &["--update-on-exist"]].concat());
    let three = "3".repeat(40);
    done(
        &project,
        &[
            &first[..],
            &["--external-id-s2", &three, "--update-on-exist"],
        ]
        .concat(),
    );
    assert_eq!(
        field(&project, "lee2020_aaa_first", "s2"),
        format!("s2: \"{three}\"")
    );
    let aliases = field(&project, "lee2020_aaa_first", "aliases");
    assert!(aliases.contains(&format!("s2:{one}")), "{aliases}");
}

#[test]
fn edges_have_two_ends_that_can_be_pages() {
    let project = wiki();
    for (from, to) in [("claim:C1", "claim:C1"), ("exp:../x", "claim:C1")] {
        let args = [
            "add-edge",
            "wiki",
            "--from",
            from,
            "--to",
            to,
            "--type",
            "supports",
            "--allow-missing",
        ];
        helper()
            .call(project.path())
            .args(args)
            .run()
            .expect_code(2);
    }
}
