//! A wiki: every writing command is aborted before each of its changes, and eight parallel writers are killed now and then.

use std::path::Path;

use aris_testkit::{Helper, Project, crash_at_every_change};

use super::all_whole;

const INGEST: [&str; 11] = [
    "ingest_paper",
    "wiki",
    "--title",
    "Large Models Learn",
    "--authors",
    "Ann Lee",
    "--year",
    "2024",
    "--tags",
    "x",
    "-q",
];

/// Two papers, in the output format of a search.
const RECORDS: &str = concat!(
    r#"{"title":"First of two","authors":[{"name":"Ann Lee"}],"year":2024,"ids":{"arxiv":"2401.00001"},"origins":[]}"#,
    "\n",
    r#"{"title":"Second of two","authors":[{"name":"Bo Chen"}],"year":2024,"ids":{"arxiv":"2401.00002"},"origins":[]}"#,
    "\n",
);

/// A wiki with an idea, an edge, a page with text by a person, and a page that index and pack do not contain yet.
fn wiki(more: &[&str]) -> Project {
    let project = Project::new()
        .file("wiki/papers/old.md", "Somebody's  words.\n")
        .file(
            "traces/run.md",
            "Read arXiv:2401.00001 and arXiv:2401.00002.\n",
        )
        .file("records.jsonl", RECORDS);
    let helper = Helper::named("research_wiki");
    let idea = ["upsert_idea", "wiki", "1", "--based-on", "old", "-q"];
    for args in [&idea[..], more] {
        if !args.is_empty() {
            helper.call(project.path()).args(args).run().expect_code(0);
        }
    }
    project.file(
        "wiki/papers/late.md",
        "---\ntype: paper\nnode_id: paper:late\ntitle: \"Late words\"\n---\n\n# Late words\n",
    )
}

/// Crashes a command on a wiki at every change. The repeated command must leave the same as a run without a crash, except for
/// times and the log.
fn wiki_survives(args: &[&str], more: &[&str]) {
    let binary = Helper::named("research_wiki");
    let prepared = wiki(more);
    let whole = Project::bare().copied(prepared.path());
    let doctor = ["doctor", "wiki"];
    let code = binary.call(whole.path()).args(args).run().code();
    assert!(code == 0 || args[0] == "lint" && code == 10, "{args:?}");
    binary.call(whole.path()).args(doctor).run().expect_code(0);
    let current = std::cell::RefCell::new(None::<Project>);
    let crashes = crash_at_every_change(
        |_| {
            let project = Project::bare().copied(prepared.path());
            let call = binary.call(project.path()).args(args);
            current.replace(Some(project));
            call
        },
        |number, _| {
            let when = format!("research_wiki {}, crash {number}", args[0]);
            let project = current.borrow_mut().take().expect("a project");
            all_whole(&project, &when);
            binary.call(project.path()).args(args).run();
            // `doctor` repairs everything and finishes what was begun.
            binary
                .call(project.path())
                .args(doctor)
                .run()
                .expect_code(0);
            all_whole(&project, &when);
            assert_eq!(contents(&project), contents(&whole), "{when}");
            assert!(!project.read("wiki/log.md").is_empty(), "{when}");
        },
    );
    assert_eq!(crashes.last.code(), code, "{}", crashes.last);
}

/// The content of a wiki, without times.
fn contents(project: &Project) -> Vec<String> {
    let snapshot = project.snapshot();
    let kept = |path: &&str| {
        path.starts_with("wiki/") && !path.contains("/.") && !path.ends_with("log.md")
    };
    let timeless = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("added:"));
        let lines = lines.map(|line| line.split("\"added\"").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    };
    let paths = snapshot.paths();
    let kept = paths.into_iter().filter(kept);
    // A folder has a path and no bytes.
    kept.map(|path| match snapshot.bytes(path) {
        Some(bytes) => format!("{path}\n{}", timeless(&String::from_utf8_lossy(bytes))),
        None => path.to_owned(),
    })
    .collect()
}

#[test]
fn a_wiki_is_whole_whenever_a_writer_is_killed() {
    wiki_survives(&INGEST, &[]);
    let edge = [
        "add_edge",
        "wiki",
        "--from",
        "idea:1",
        "--to",
        "gap:G1",
        "--type",
        "addresses_gap",
        "--allow-missing",
    ];
    wiki_survives(&edge, &[]);
    wiki_survives(
        &[
            "merge",
            "wiki",
            "paper:old",
            "paper:lee2024_large_models_learn",
        ],
        &INGEST,
    );
}

/// Crashes each of these commands at every change.
fn all_survive(commands: &[&[&str]]) {
    for args in commands {
        wiki_survives(args, &[]);
    }
}

#[test]
fn many_papers_at_once_are_whole_whenever_a_sync_is_killed() {
    let source = ["--metadata", "records.jsonl"];
    let ids = [
        &["sync", "wiki", "--arxiv-ids", "2401.00001,2401.00002"],
        &source[..],
    ]
    .concat();
    let traces = [&["sync", "wiki", "--from-traces", "traces"], &source[..]].concat();
    all_survive(&[&ids, &traces]);
}

#[test]
fn ideas_experiments_and_claims_are_whole_whenever_a_writer_is_killed() {
    all_survive(&[
        &[
            "upsert_idea",
            "wiki",
            "2",
            "--based-on",
            "old",
            "--hypothesis",
            "It helps.",
        ],
        &[
            "upsert_experiment",
            "wiki",
            "E1",
            "--idea",
            "1",
            "--verdict",
            "yes",
            "--supports",
            "idea:1",
        ],
        &[
            "upsert_claim",
            "wiki",
            "C1",
            "--statement",
            "It helps.",
            "--source",
            "traces/run.md:1",
        ],
        &["set_status", "wiki", "idea:1", "positive"],
        &["update", "wiki", "idea:1", "tags", "one,two"],
    ]);
}

#[test]
fn what_is_made_from_pages_is_whole_whenever_it_is_made_anew() {
    all_survive(&[
        &["init", "wiki"],
        &["query", "wiki", "words"],
        &["rebuild_query_pack", "wiki"],
        &["rebuild_index", "wiki"],
        &["lint", "wiki", "--report"],
        &["log", "wiki", "a line"],
    ]);
    // An update changes an existing page.
    let again = [&INGEST[..], &["--venue", "ICML", "--update-on-exist"]].concat();
    wiki_survives(&again, &INGEST);
}

#[test]
fn an_exported_file_is_the_old_one_or_the_new_one() {
    const GRAPHML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n</graphml>\n";
    let binary = Helper::named("research_wiki");
    for (form, old) in [
        (
            &["--bibtex"][..],
            "@misc{a,\n  title = {{An older export}},\n}\n",
        ),
        (&["--graphml"], GRAPHML),
        (&[], "{\"nodes\": [], \"edges\": []}\n"),
    ] {
        let args = [&["export", "wiki", "--output", "out/export"], form].concat();
        // All runs start from the same wiki, because its pages contain times.
        let prepared = wiki(&INGEST).file("out/export", old);
        let whole = Project::bare().copied(prepared.path());
        binary.call(whole.path()).args(&args).run().expect_code(0);
        let new = whole.read("out/export");
        assert_ne!(new, old);
        let current = std::cell::RefCell::new(None::<Project>);
        let crashes = crash_at_every_change(
            |_| {
                let project = Project::bare().copied(prepared.path());
                let call = binary.call(project.path()).args(&args);
                current.replace(Some(project));
                call
            },
            |number, _| {
                let project = current.borrow_mut().take().expect("a project");
                let text = project.read("out/export");
                assert!(
                    text == old || text == new,
                    "{args:?}, crash {number}: {text}"
                );
            },
        );
        assert_eq!(crashes.last.code(), 0, "{}", crashes.last);
    }
}

#[test]
fn eight_writers_of_a_wiki_that_are_killed_now_and_then_lose_nothing() {
    const PAPERS: u64 = 5;
    let (faulty, helper) = (
        Helper::named("research_wiki"),
        Helper::named("research_wiki"),
    );
    let project = Project::new();
    helper
        .call(project.path())
        .args(["init", "wiki"])
        .run()
        .expect_code(0);
    std::thread::scope(|scope| {
        for writer in 0..8_u64 {
            let (faulty, helper, project) = (&faulty, &helper, &project);
            scope.spawn(move || {
                for paper in 0..PAPERS {
                    let title = format!("Writer {writer} reads paper number {paper}");
                    let doi = format!("10.1234/{writer}.{paper}");
                    let args = [
                        "ingest_paper",
                        "wiki",
                        "--title",
                        &title,
                        "--authors",
                        "Ann Lee",
                        "--year",
                        "2024",
                        "--external-id-doi",
                        &doi,
                    ];
                    let node = format!("idea:{writer}.{paper}");
                    let edge = [
                        "add_edge",
                        "wiki",
                        "--from",
                        &node,
                        "--to",
                        "gap:G1",
                        "--type",
                        "addresses_gap",
                        "--allow-missing",
                    ];
                    for (number, args) in [&args[..], &edge[..]].into_iter().enumerate() {
                        // Crash at some change, if the call makes that many; then repeat until it completes.
                        let at = 1 + (writer * 7 + paper * 5 + number as u64 * 3) % 19;
                        faulty
                            .call(project.path())
                            .args(args)
                            .env("ARIS_FAULT_AT", at.to_string())
                            .run();
                        helper.call(project.path()).args(args).run().expect_code(0);
                    }
                }
            });
        }
    });
    all_whole(&project, "eight writers");
    let count = usize::try_from(8 * PAPERS).expect("small");
    let snapshot = project.snapshot();
    let pages = snapshot.paths().into_iter().filter(|path| {
        let is_page = Path::new(path).extension().is_some_and(|name| name == "md");
        path.starts_with("wiki/papers/") && is_page
    });
    assert_eq!(pages.count(), count);
    let index = project.read("wiki/index.md");
    assert_eq!(index.matches("- `paper:").count(), count, "{index}");
    let edges = project.read("wiki/graph/edges.jsonl");
    assert_eq!(edges.lines().count(), count, "{edges}");
}
