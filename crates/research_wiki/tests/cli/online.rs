//! Papers described by arXiv, played by a local server.

use std::fmt::Write as _;

use aris_testkit::{Answer, Project, Run, Server};

use crate::{helper, ingest, wiki};

/// arXiv's answer. Identifiers that end in an even digit exist here.
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
    // arXiv is not asked for text that is not an identifier.
    let said = run.stderr();
    assert!(said.contains("`nonsense` is not an arXiv"), "{run}");
    assert!(!said.contains("nonsense: no such"), "{run}");
    assert_eq!(said.matches("no such paper").count(), 30, "{run}");
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
fn the_entry_of_another_paper_does_not_say_that_there_is_none() {
    let project = wiki();
    let server = Server::start(|_| Answer::ok("application/atom+xml", feed("2401.00006")));
    for args in [
        ["ingest_paper", "wiki", "--arxiv-id", "2401.00002"],
        ["sync", "wiki", "--arxiv-ids", "2401.00002"],
    ] {
        let args = [&args[..], &["--deadline", "20"]].concat();
        let run = online(&project, &server, &args).expect_code(7);
        let told = "the entry of 2401.00006, which was not asked for";
        assert!(run.stderr().contains(told), "{run}");
    }
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
    // The command line says enough, as with the reference.
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
