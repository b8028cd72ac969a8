//! `search` and `export` as commands.

use aris_testkit::{Helper, Project, Run, Snapshot, crash_at_every_change};
use serde_json::{Value, json};

fn project() -> Project {
    let page = |title: &str, more: &str, body: &str| {
        format!("---\ntitle: \"{title}\"\n{more}---\n# {title}\n\n## Method\n{body}\n")
    };
    let edge = json!({"from": "paper:lee2024_sparse", "to": "claim:C1", "type": "supports", "evidence": "a < b", "added": ""});
    let more = "authors: [\"Ann Lee\", \"Bo {x} Müller\"]\nyear: 2024\nvenue: \"NeurIPS\"\nexternal_ids:\n  arxiv: \"2501.12345\"\n  doi: \"10.1000/x_1\"\n";
    Project::new()
        .file(
            "wiki/papers/lee2024_sparse.md",
            page("Sparse & 50% dense attention", more, "Blocks attend."),
        )
        .file(
            "wiki/papers/王2024_图.md",
            page(
                "图注意力网络",
                "authors: [\"王 伟\"]\nyear: 2024\n",
                "注意力机制",
            ),
        )
        .file(
            "wiki/claims/C1.md",
            page("Faster", "status: supported\n", "It is."),
        )
        .file("wiki/graph/edges.jsonl", format!("{edge}\n"))
}

fn call(project: &Project, args: &[&str]) -> Run {
    Helper::at(env!("CARGO_BIN_EXE_research_wiki"))
        .call(project.path())
        .env("ARIS_CACHE_DIR", project.at("cache"))
        .args(args)
        .run()
}

fn data(run: &Run) -> Value {
    assert_eq!(run.code(), 0, "{run}");
    run.envelope()["data"].clone()
}

#[test]
fn a_search_tells_what_it_found_and_how() {
    let project = project();
    let found = data(&call(
        &project,
        &["--json", "search", "wiki", "sparse", "attention"],
    ));
    assert_eq!(
        (&found["matched"], &found["total"], &found["index"]),
        (&json!("all"), &json!(1), &json!(true))
    );
    assert_eq!(found["hits"][0]["node"], "paper:lee2024_sparse");
    let scanned = data(&call(
        &project,
        &["--json", "search", "wiki", "sparse attention", "--no-index"],
    ));
    assert_eq!(scanned["index"], false);
    assert_eq!(scanned["hits"][0]["path"], found["hits"][0]["path"]);
    let text = call(&project, &["search", "wiki", "注意力", "--kind", "papers"]);
    assert!(
        text.stdout()
            .starts_with("paper:王2024_图  图注意力网络 (2024)\n"),
        "{text}"
    );
    let none = data(&call(
        &project,
        &["--json", "search", "wiki", "sparse", "--kind", "claim"],
    ));
    assert_eq!(
        (&none["matched"], &none["hits"]),
        (&json!("none"), &json!([]))
    );
    assert_eq!(
        call(&project, &["search", "wiki", "x", "--kind", "gap"]).code(),
        2
    );
    assert_eq!(call(&project, &["search", "nowhere", "x"]).code(), 3);
}

#[test]
fn without_a_place_for_the_index_all_pages_are_read() {
    let project = project();
    let kept = project.at("wiki/.wiki");
    let _absent = std::fs::remove_dir_all(&kept);
    std::fs::write(&kept, "a file").expect("in the way");
    let run = call(&project, &["--json", "search", "wiki", "sparse"]);
    let found = data(&run);
    assert_eq!(
        (&found["total"], &found["index"]),
        (&json!(1), &json!(false))
    );
    assert!(
        run.stderr().contains("all pages were read instead"),
        "{run}"
    );
}

#[test]
fn a_bibliography_has_every_paper() {
    let project = project();
    let run = call(&project, &["export", "wiki", "--bibtex"]);
    assert_eq!(
        run.stdout(),
        "@inproceedings{lee2024_sparse,
  author = {Ann Lee and Bo \\textbraceleft{}x\\textbraceright{} Müller},
  title = {{Sparse \\& 50\\% dense attention}},
  booktitle = {NeurIPS},
  year = {2024},
  doi = {10.1000/x_1},
  eprint = {2501.12345},
  archiveprefix = {arXiv},
}

@misc{paper2024,
  author = {王 伟},
  title = {{图注意力网络}},
  year = {2024},
}
",
        "{run}"
    );
    call(
        &project,
        &["export", "wiki", "--bibtex", "--output", "refs.bib"],
    );
    assert_eq!(project.read("refs.bib"), run.stdout());
    let dash = call(&project, &["export", "wiki", "--bibtex", "--output", "-"]);
    assert_eq!(dash.stdout(), run.stdout());
    assert!(!project.at("-").exists());
}

#[test]
fn a_long_title_is_exported_whole() {
    let (project, title) = (project(), "A title of many words ".repeat(20));
    let words = [
        "ingest_paper",
        "wiki",
        "--title",
        &title,
        "--authors",
        "A B",
        "--year",
        "2020",
    ];
    call(&project, &words).expect_code(0);
    for format in ["--graphml", "--json"] {
        let run = call(&project, &["export", "wiki", format]);
        assert!(run.stdout().contains(title.trim()), "{run}");
    }
}

#[test]
fn the_graph_is_exported_as_data_and_as_graphml() {
    let project = project();
    let exported = data(&call(&project, &["--json", "export", "wiki"]));
    assert_eq!(
        (&exported["form"], &exported["pages"], &exported["edges"]),
        (&json!("data"), &json!(3), &json!(1))
    );
    assert_eq!(exported["graph"]["edges"][0]["type"], "supports");
    let text: Value =
        serde_json::from_str(call(&project, &["export", "wiki"]).stdout()).expect("JSON");
    assert_eq!(text, exported["graph"]);
    let run = call(&project, &["export", "wiki", "--graphml"]);
    let graphml = run.stdout();
    assert!(
        graphml.contains("<edge source=\"paper:lee2024_sparse\" target=\"claim:C1\">"),
        "{graphml}"
    );
    assert!(
        graphml.contains("<data key=\"evidence\">a &lt; b</data>"),
        "{graphml}"
    );
    for wrong in [
        vec!["--site", "x", "--bibtex"],
        vec!["--bibtex", "--graphml"],
        vec!["--site", "x", "--output", "y"],
    ] {
        let run = call(&project, &[&["export", "wiki"], wrong.as_slice()].concat());
        assert_eq!(run.code(), 2, "{run}");
    }
}

#[test]
fn an_export_never_takes_the_place_of_a_page() {
    let project = project();
    let before = Snapshot::of(&project.at("wiki/papers"));
    for file in [
        "wiki/papers/lee2024_sparse.md",
        "wiki/ideas/../papers/new.md",
        "wiki/graph/edges.jsonl",
        "wiki/index.md",
        "wiki/log.md",
    ] {
        let run = call(&project, &["export", "wiki", "--output", file]);
        assert_eq!(run.code(), 2, "{file}: {run}");
        assert!(run.stderr().contains("is among its pages"), "{run}");
    }
    assert_eq!(Snapshot::of(&project.at("wiki/papers")), before);
    // Nor is a file replaced that is something else; an earlier export is.
    let mine = "@misc{a,\n  title = {Mine},\n}\n";
    for form in [&["--bibtex"][..], &["--graphml"], &[]] {
        project.write("refs.bib", mine);
        for (file, code) in [("refs.bib", 2), ("out/e", 0), ("out/e", 0)] {
            let args = [&["export", "wiki", "--output", file], form].concat();
            let run = call(&project, &args);
            assert_eq!(run.code(), code, "{args:?}: {run}");
        }
        assert_eq!(project.read("refs.bib"), mine);
        std::fs::remove_file(project.at("out/e")).expect("removed");
    }
    let run = call(
        &project,
        &["export", "wiki", "--bibtex", "--output", "wiki/refs.bib"],
    );
    assert_eq!(run.code(), 0, "{run}");
}

#[test]
fn a_site_goes_where_nothing_of_the_users_is() {
    let project = project().file("mine/notes.txt", "mine");
    let refused = call(&project, &["--json", "export", "wiki", "--site", "mine"]);
    assert_eq!(refused.code(), 2, "{refused}");
    assert!(
        refused.envelope()["error"]["message"]
            .as_str()
            .is_some_and(|text| text.ends_with("is not empty, and not an exported site")),
        "{refused}"
    );
    assert_eq!(project.read("mine/notes.txt"), "mine");
    let exported = data(&call(
        &project,
        &[
            "--json",
            "export",
            "wiki",
            "--site",
            "out/site",
            "--title",
            "Mine & more",
        ],
    ));
    assert_eq!(
        (&exported["form"], &exported["pages"], &exported["path"]),
        (&json!("site"), &json!(3), &json!("out/site"))
    );
    assert!(
        project
            .read("out/site/index.html")
            .contains("Mine &#38; more")
    );
}

#[test]
fn a_crash_leaves_the_old_site_or_the_new_one() {
    let binary = Helper::named("research_wiki");
    let project = project();
    let export = |project: &Project| {
        binary
            .call(project.path())
            .env("ARIS_CACHE_DIR", project.at("cache"))
            .args(["export", "wiki", "--site", "site"])
    };
    let site = |project: &Project| {
        project
            .at("site")
            .exists()
            .then(|| Snapshot::of(&project.at("site")))
    };
    // First into an empty place, then over an older site.
    for round in ["first", "second"] {
        let before = site(&project);
        let wanted = {
            let copy = Project::new().copied(&project.at("wiki"));
            binary
                .call(copy.path())
                .env("ARIS_CACHE_DIR", copy.at("cache"))
                .args(["export", ".", "--site", "../site-of-copy"])
                .run();
            let made = copy.path().parent().expect("above").join("site-of-copy");
            let snapshot = Snapshot::of(&made);
            std::fs::remove_dir_all(made).expect("removed");
            snapshot
        };
        let mut seen = 0;
        let crashes = crash_at_every_change(
            |_| export(&project),
            |number, _| {
                let now = site(&project);
                assert!(
                    now == before || now.as_ref() == Some(&wanted),
                    "{round} {number}"
                );
                seen += 1;
            },
        );
        assert_eq!(crashes.last.code(), 0, "{}", crashes.last);
        assert!(seen > 20, "{seen}");
        assert_eq!(site(&project).as_ref(), Some(&wanted));
        assert!(!project.at(".site.aris-part").exists());
        project.write("wiki/papers/new.md", "# New\n");
    }
}
