#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]
//! The program: on wikis of the reference, on its own, and on arXiv's answers.

use std::fmt::Write as _;
use std::path::Path;

use aris_testkit::{Answer, Helper, Project, Run, Server};

fn helper() -> Helper {
    Helper::at(env!("CARGO_BIN_EXE_research_wiki"))
}

fn call(project: &Project, args: &[&str]) -> Run {
    helper().call(project.path()).args(args).run()
}

/// Runs and expects 0.
fn done(project: &Project, args: &[&str]) -> Run {
    call(project, args).expect_code(0)
}

/// A project with a copy of the wiki that the reference wrote.
fn reference() -> Project {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference_wiki");
    let mut project = Project::new();
    for folder in ["papers", "ideas", "graph", ""] {
        for entry in std::fs::read_dir(from.join(folder)).expect("fixture") {
            let path = entry.expect("entry").path();
            if path.is_file() {
                let name = path
                    .strip_prefix(&from)
                    .expect("inside")
                    .display()
                    .to_string();
                let text = std::fs::read_to_string(&path).expect("text");
                project = project.file(&format!("wiki/{name}"), text);
            }
        }
    }
    project
}

fn wiki() -> Project {
    let project = Project::new();
    done(&project, &["init", "wiki"]);
    project
}

fn ingest<'a>(title: &'a str, authors: &'a str, year: &'a str) -> Vec<&'a str> {
    vec![
        "ingest_paper",
        "wiki",
        "--title",
        title,
        "--authors",
        authors,
        "--year",
        year,
    ]
}

const HE: &str = "wiki/papers/he2016_deep_residual_learning.md";

#[test]
fn a_wiki_of_the_reference_opens_unchanged() {
    let project = reference();
    let before = project.snapshot();
    let stats = done(&project, &["stats", "wiki/"]);
    assert_eq!(
        stats.stdout(),
        "📚 Research Wiki Stats\nPapers:      2\nIdeas:       1 (1 failed, 0 succeeded)\nExperiments: 0\nClaims:      0 (0 supported, 0 \
         invalidated)\nEdges:       1\nWiki root:   wiki\n"
    );
    done(
        &project,
        &["show", "wiki", "paper:he2016_deep_residual_learning"],
    );
    call(&project, &["lint", "wiki"]).expect_code(10);
    before.assert_same(&project.snapshot(), "looking");
}

#[test]
fn a_wiki_of_the_reference_survives_every_command() {
    let project = reference();
    // A person writes on a page.
    let page = project.read(HE).replace(
        "## Method\n_TODO._",
        "## Method\nSkip   connections,\n\n* as I read it.\n",
    );
    project.write(HE, &page);
    let again = done(
        &project,
        &ingest(
            "Deep Residual Learning for Image Recognition",
            "Kaiming He",
            "2016",
        ),
    );
    assert_eq!(
        again.stdout(),
        "Paper already ingested: he2016_deep_residual_learning.md (slug dedup) — skipping.\n"
    );
    assert_eq!(project.read(HE), page);
    let mut update = ingest(
        "Deep Residual Learning for Image Recognition",
        "Kaiming He, Xiangyu Zhang",
        "2016",
    );
    update.extend([
        "--venue",
        "CVPR",
        "--tags",
        "vision",
        "--thesis",
        "Other words.",
        "--update-on-exist",
    ]);
    done(&project, &update);
    let expected = page
        .replace(
            "authors: [\"Kaiming He\"]",
            "authors: [\"Kaiming He\", \"Xiangyu Zhang\"]",
        )
        .replace("venue: \"unknown\"", "venue: \"CVPR\"")
        .replace("tags: []", "tags: [\"vision\"]");
    assert_eq!(
        project.read(HE),
        expected,
        "the thesis is somebody's and stays"
    );
    done(
        &project,
        &[
            "update",
            "wiki",
            "paper:he2016_deep_residual_learning",
            "relevance",
            "core",
        ],
    );
    done(&project, &["doctor", "wiki"]);
    done(&project, &["rebuild_index", "wiki"]);
    done(&project, &["query", "wiki", "residual learning"]);
    done(&project, &["set_status", "wiki", "idea:001", "mixed"]);
    assert!(
        project
            .read("wiki/ideas/001.md")
            .contains("stage: piloted        # or: proposed, archived\noutcome: mixed\n")
    );
    let page = project.read(HE);
    assert!(
        page.contains("Skip   connections,\n\n* as I read it.\n")
            && page.contains("relevance: core\n")
    );
    let pack = project.read("wiki/query_pack.md");
    assert!(
        pack.contains("- **Sparse heads**: No gain beyond 1B parameters."),
        "{pack}"
    );
    let he = pack.find("he2016").expect("a paper");
    assert!(
        he < pack.find("- [paper:vaswani").expect("another"),
        "the topic's paper comes first: {pack}"
    );
    let edges = project.read("wiki/graph/edges.jsonl");
    assert_eq!(edges, reference().read("wiki/graph/edges.jsonl"));
}

#[test]
fn a_new_page_has_the_references_bytes() {
    let project = wiki();
    done(
        &project,
        &[
            "ingest_paper",
            "wiki",
            "--title",
            "Deep Residual Learning for Image Recognition",
            "--authors",
            "Kaiming He",
            "--year",
            "2016",
            "--thesis",
            "Residuals help.",
        ],
    );
    let added = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("added:"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(added(&project.read(HE)), added(&reference().read(HE)));
}

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

/// arXiv's answer for the identifiers that exist here: those that end in an even digit.
fn feed(ids: &str) -> String {
    let mut entries = String::new();
    let mut count = 0;
    for id in ids
        .split(',')
        .filter(|id| id.ends_with(['0', '2', '4', '6', '8']))
    {
        count += 1;
        write!(
            entries,
            "<entry><id>http://arxiv.org/abs/{id}v2</id><title>Paper number {id}</title><published>2024-01-02T00:00:00Z</published>\
             <summary>About\n {id}.</summary><author><name>Ann Lee{id}</name></author></entry>"
        )
        .expect("text");
    }
    format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\">\
         <opensearch:totalResults>{count}</opensearch:totalResults><opensearch:startIndex>0</opensearch:startIndex>{entries}</feed>"
    )
}

fn arxiv() -> Server {
    Server::start(|asked| {
        Answer::ok(
            "application/atom+xml",
            feed(&asked.query("id_list").unwrap_or_default()),
        )
    })
}

fn online(project: &Project, server: &Server, args: &[&str]) -> Run {
    let cache = project.path().join("cache");
    helper()
        .call(project.path())
        .args(args)
        .env("ARIS_ARXIV_BASE_URL", server.url())
        .env("XDG_CACHE_HOME", &cache)
        .env("ARIS_CACHE_DIR", &cache)
        .run()
}

#[test]
fn a_paper_on_arxiv_is_described_by_arxiv() {
    let (project, server) = (wiki(), arxiv());
    let args = ["ingest_paper", "wiki", "--arxiv-id", "arXiv:2401.00002v3"];
    online(&project, &server, &args).expect_code(0);
    let pages: Vec<String> = project
        .snapshot()
        .paths()
        .iter()
        .filter(|path| path.contains("papers/"))
        .map(|path| (*path).to_owned())
        .collect();
    let page = project.read(&pages[0]);
    assert!(
        page.contains("  arxiv: \"2401.00002\"\n")
            && page.contains("## Abstract (original)\n\n> About 2401.00002.\n"),
        "{page}"
    );
    let again = online(&project, &server, &args).expect_code(0);
    assert!(
        again.stdout().contains("(arxiv:2401.00002) — skipping."),
        "{again}"
    );
    assert_eq!(server.log().len(), 1, "a known paper is not asked for");
    let absent = online(
        &project,
        &server,
        &["ingest_paper", "wiki", "--arxiv-id", "2401.00003"],
    );
    assert_eq!(absent.code(), 3, "{absent}");
}

#[test]
fn a_sync_asks_once_for_a_hundred_and_tells_what_does_not_exist() {
    let (project, server) = (wiki(), arxiv());
    let ids: Vec<String> = (1..=60).map(|n| format!("2401.{n:05}")).collect();
    project.write(
        "ids.txt",
        format!(
            "# read\n{}\n2401.00002v4 # again\nnonsense\n",
            ids.join("\n")
        ),
    );
    let run = online(
        &project,
        &server,
        &["sync", "wiki", "--from-file", "ids.txt", "--json"],
    )
    .expect_code(10);
    let data = run.data();
    assert_eq!(data["pages"].as_array().expect("list").len(), 30);
    assert_eq!(data["unknown"].as_array().expect("list").len(), 31);
    assert_eq!(server.log().len(), 1);
    assert_eq!(
        project
            .read("wiki/log.md")
            .matches("ingest_paper: ingested")
            .count(),
        30
    );
    assert_eq!(
        project.read("wiki/index.md").matches("- `paper:").count(),
        30
    );
    let again = online(
        &project,
        &server,
        &["sync", "wiki", "--arxiv-ids", "2401.00002,2401.00004"],
    )
    .expect_code(0);
    assert!(
        again
            .stdout()
            .starts_with("sync: 2 unique arxiv id(s)\nPaper already ingested: "),
        "{again}"
    );
}

#[test]
fn no_answer_is_not_no_paper() {
    let project = wiki();
    let server = Server::start(|_| Answer::status(503));
    let run = online(
        &project,
        &server,
        &[
            "sync",
            "wiki",
            "--arxiv-ids",
            "2401.00002",
            "--deadline",
            "1",
            "--json",
        ],
    );
    assert_eq!(run.code(), 7, "{run}");
    assert_eq!(run.error()["details"]["unanswered"][0], "2401.00002");
    let run = online(
        &project,
        &server,
        &[
            "ingest_paper",
            "wiki",
            "--arxiv-id",
            "2401.00002",
            "--offline",
        ],
    );
    assert_eq!(run.code(), 7, "{run}");
    // What the caller says is enough, as with the reference.
    let mut args = ingest("Large Models", "Ann Lee", "2024");
    args.extend(["--arxiv-id", "2401.00002", "--offline"]);
    let run = online(&project, &server, &args).expect_code(0);
    assert!(run.stderr().contains("warning"), "{run}");
    assert!(
        project
            .read("wiki/papers/lee2024_large_models.md")
            .contains("arxiv: \"2401.00002\"")
    );
}

#[test]
fn ideas_experiments_and_claims_hang_together() {
    let project = wiki();
    project.write("results/run.json", "{\"a\": 1}\n{\"b\": 2}\n");
    done(&project, &ingest("Large Models Learn", "Ann Lee", "2024"));
    done(
        &project,
        &[
            "upsert_idea",
            "wiki",
            "001",
            "--title",
            "Sparse heads",
            "--based-on",
            "lee2024_large_models_learn",
            "--target-gaps",
            "G1",
            "--hypothesis",
            "Fewer heads suffice.",
        ],
    );
    done(
        &project,
        &[
            "upsert_claim",
            "wiki",
            "C1",
            "--statement",
            "It gains 2 points.",
            "--source",
            "results/run.json:2",
        ],
    );
    done(
        &project,
        &[
            "upsert_experiment",
            "wiki",
            "E1",
            "--idea",
            "001",
            "--verdict",
            "no",
            "--metrics",
            "71 vs 72",
            "--invalidates",
            "C1",
        ],
    );
    done(
        &project,
        &[
            "upsert_idea",
            "wiki",
            "idea:001",
            "--outcome",
            "negative",
            "--failure",
            "No gain.",
        ],
    );
    done(&project, &["set_status", "wiki", "claim:C1", "invalidated"]);
    let log = project.read("wiki/log.md");
    let again = done(
        &project,
        &[
            "upsert_idea",
            "wiki",
            "001",
            "--outcome",
            "negative",
            "--failure",
            "No gain.",
        ],
    );
    assert!(again.stdout().starts_with("idea:001 unchanged"), "{again}");
    assert_eq!(
        project.read("wiki/log.md"),
        log,
        "nothing changed, nothing is logged"
    );
    let edges = project.read("wiki/graph/edges.jsonl");
    for edge in [
        "\"idea:001\", \"to\": \"paper:lee2024_large_models_learn\", \"type\": \"inspired_by\"",
        "\"idea:001\", \"to\": \"gap:G1\", \"type\": \"addresses_gap\"",
        "\"idea:001\", \"to\": \"exp:E1\", \"type\": \"tested_by\"",
        "\"exp:E1\", \"to\": \"claim:C1\", \"type\": \"invalidates\", \"evidence\": \"71 vs 72\"",
    ] {
        assert!(edges.contains(edge), "{edge} in {edges}");
    }
    assert!(
        project
            .read("wiki/claims/C1.md")
            .contains("← invalidates [exp:E1](../experiments/E1.md): 71 vs 72")
    );
    assert!(
        project
            .read("wiki/query_pack.md")
            .contains("- **Sparse heads**: No gain.")
    );
    // The source of the claim changes.
    project.write("results/run.json", "{\"a\": 1}\n{\"b\": 3}\n");
    let lint = call(&project, &["lint", "wiki", "--json", "--report"])
        .expect_code(10)
        .data();
    let rules: Vec<&str> = lint["findings"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    assert!(
        rules.contains(&"source_changed")
            && !rules.contains(&"dead_idea")
            && !rules.contains(&"drifted_connections"),
        "{rules:?}"
    );
    assert!(
        project
            .read("wiki/LINT_REPORT.md")
            .contains("## source changed")
    );
    assert_eq!(
        call(&project, &["set_status", "wiki", "claim:C1", "dunno"]).code(),
        2
    );
    assert_eq!(
        call(&project, &["update", "wiki", "claim:C1", "node_id", "x"]).code(),
        2
    );
    assert_eq!(call(&project, &["upsert_idea", "wiki", "../x"]).code(), 2);
    assert_eq!(
        call(
            &project,
            &["upsert_claim", "wiki", "C2", "--source", "../x"]
        )
        .code(),
        2
    );
}

#[test]
fn merged_pages_lose_nothing_and_an_interrupted_merge_is_ended() {
    let project = wiki();
    done(
        &project,
        &ingest("Large Models Learn Many Things", "Ann Lee", "2024"),
    );
    done(
        &project,
        &ingest("Big Models Learn Many Things", "Ann Lee", "2025"),
    );
    let (keep, other) = (
        "paper:lee2024_large_models_learn",
        "paper:lee2025_big_models_learn",
    );
    let path = "wiki/papers/lee2025_big_models_learn.md";
    let page = project.read(path);
    project.write(
        path,
        page.replace("## Method\n_TODO._", "## Method\nMine.")
            .replace("tags: []", "tags: [\"x\"]"),
    );
    let path = "wiki/papers/lee2024_large_models_learn.md";
    let page = project.read(path);
    project.write(path, page.replace("## Claims\n_TODO._", "## Claims\nKept."));
    done(
        &project,
        &[
            "add_edge",
            "wiki",
            "--from",
            other,
            "--to",
            "gap:G1",
            "--type",
            "addresses_gap",
        ],
    );
    done(&project, &["upsert_idea", "wiki", "1", "--based-on", other]);
    let begun = project
        .read(path)
        .replace("added:", &format!("merged: [\"{other}\"]\nadded:"));
    done(&project, &["merge", "wiki", keep, other]);
    let merged = project.read(path);
    assert!(
        merged.contains("## Method\nMine.")
            && merged.contains("## Claims\nKept.")
            && merged.contains("tags: [\"x\"]"),
        "{merged}"
    );
    assert!(
        !project
            .path()
            .join("wiki/papers/lee2025_big_models_learn.md")
            .exists()
    );
    assert!(!project.read("wiki/graph/edges.jsonl").contains(other));
    assert!(
        project
            .read("wiki/ideas/1.md")
            .contains(&format!("based_on: [\"{keep}\"]"))
    );
    // A merge that was killed after its first step.
    project.write(
        "wiki/papers/lee2025_big_models_learn.md",
        format!("---\nnode_id: {other}\ntitle: \"t\"\n---\n"),
    );
    assert!(begun.contains("merged:"));
    let doctor = done(&project, &["doctor", "wiki"]);
    assert!(doctor.stdout().contains("ended the merge"), "{doctor}");
    assert_eq!(
        done(&project, &["doctor", "wiki"]).stdout(),
        "nothing to repair\n"
    );
}

#[test]
fn damaged_files_are_told_and_kept() {
    let project = reference();
    let edges = project.read("wiki/graph/edges.jsonl");
    // Repeated, broken, and without a line feed at the end.
    project.write(
        "wiki/graph/edges.jsonl",
        format!(
            "{edges}{edges}no edge\n{}",
            edges.trim_end().replace("extends", "supersedes")
        ),
    );
    std::fs::write(
        project.path().join("wiki/papers/bad.md"),
        b"---\ntitle: \xff\n",
    )
    .expect("written");
    let lint = call(&project, &["lint", "wiki", "--json"])
        .expect_code(10)
        .data();
    let rules: Vec<&str> = lint["findings"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    for rule in [
        "unreadable_page",
        "broken_edge",
        "repeated_edge",
        "drifted_connections",
    ] {
        assert!(rules.contains(&rule), "{rule} in {rules:?}");
    }
    done(
        &project,
        &[
            "add_edge",
            "wiki",
            "--from",
            "paper:x",
            "--to",
            "gap:G1",
            "--type",
            "addresses_gap",
        ],
    );
    done(&project, &["doctor", "wiki"]);
    let after = project.read("wiki/graph/edges.jsonl");
    assert_eq!(after.lines().count(), 4, "{after}");
    assert!(
        after.contains("no edge\n") && after.contains("supersedes") && after.contains("gap:G1")
    );
    assert_eq!(
        std::fs::read(project.path().join("wiki/papers/bad.md")).expect("there"),
        b"---\ntitle: \xff\n"
    );
}
