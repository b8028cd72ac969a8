//! The stored index notices every change: it answers as a new one does.

#![expect(clippy::disallowed_methods, reason = "tests prepare pages directly")]

use std::fs;

use super::*;
use aris_contract::{ErrorKind, Failure as _};

struct Sample {
    _folder: tempfile::TempDir,
    root: std::path::PathBuf,
}

fn sample(pages: &[(&str, &str, &str)]) -> Sample {
    let folder = tempfile::tempdir().expect("temp");
    let root = folder.path().join("wiki");
    fs::create_dir_all(root.join("papers")).expect("folder");
    fs::create_dir_all(root.join("ideas")).expect("folder");
    for (path, title, body) in pages {
        write(&root, path, title, body);
    }
    Sample {
        _folder: folder,
        root,
    }
}

fn write(root: &Path, path: &str, title: &str, body: &str) {
    let text =
        format!("---\ntitle: \"{title}\"\nyear: 2024\n---\n# {title}\n\n## Method\n{body}\n");
    fs::write(root.join(path), text).expect("page");
}

fn ask(sample: &Sample, text: &str, keep: bool) -> Searched {
    let question = Question {
        text,
        kind: None,
        limit: 10,
    };
    find(&sample.root, question, keep).expect("an answer")
}

fn found(sample: &Sample, text: &str) -> Vec<String> {
    let (indexed, scanned) = (ask(sample, text, true), ask(sample, text, false));
    assert_eq!(indexed.without_index, None);
    assert_eq!(indexed.total, scanned.total, "{text}");
    assert_eq!(indexed.matched, scanned.matched, "{text}");
    for (one, two) in indexed.hits.iter().zip(&scanned.hits) {
        assert!((one.score - two.score).abs() < 1e-9, "{one:?} {two:?}");
        assert_eq!((&one.path, &one.snippet), (&two.path, &two.snippet));
    }
    indexed.hits.into_iter().map(|hit| hit.path).collect()
}

const PAGES: [(&str, &str, &str); 6] = [
    (
        "papers/a.md",
        "Sparse attention",
        "Attention over blocks, arXiv:2501.12345.",
    ),
    (
        "papers/b.md",
        "Dense retrieval",
        "We retrieve. It uses attention once.",
    ),
    ("papers/c.md", "图注意力网络", "注意力机制用于图。"),
    ("papers/d.md", "Müller's theorem", "arXiv:2501.1234"),
    ("ideas/e.md", "Try sparse experts", "Experts with a gate."),
    (
        "papers/f.md",
        "\\\"quoted\\\" AND NOT ( * ^ : title",
        "columns: title : body",
    ),
];

#[test]
fn the_kept_index_and_the_one_in_memory_answer_alike() {
    let sample = sample(&PAGES);
    assert_eq!(found(&sample, "attention"), ["papers/a.md", "papers/b.md"]);
    assert_eq!(found(&sample, "sparse"), ["ideas/e.md", "papers/a.md"]);
    assert_eq!(found(&sample, "2501.1234"), ["papers/d.md"]);
    assert_eq!(found(&sample, "arXiv:2501.12345"), ["papers/a.md"]);
    assert_eq!(found(&sample, "MULLER"), ["papers/d.md"]);
    assert_eq!(found(&sample, "注意力"), ["papers/c.md"]);
    assert_eq!(found(&sample, "力注"), [] as [&str; 0]);
    assert_eq!(
        found(&sample, "\"quoted\" AND NOT (* ^: title"),
        ["papers/f.md"]
    );
    assert_eq!(found(&sample, "  --  "), [] as [&str; 0]);
    // No page has both words: the answer has pages with one of them and says so.
    assert_eq!(ask(&sample, "gate theorem", true).matched, Matched::Any);
    assert_eq!(found(&sample, "gate theorem").len(), 2);
}

#[test]
fn every_change_of_the_pages_is_noticed() {
    let sample = sample(&PAGES);
    assert_eq!(found(&sample, "zebra").len(), 0);
    write(&sample.root, "papers/g.md", "Zebra", "stripes");
    assert_eq!(found(&sample, "zebra"), ["papers/g.md"]);
    write(&sample.root, "papers/g.md", "Horse", "none at all");
    assert_eq!(found(&sample, "zebra").len(), 0);
    assert_eq!(found(&sample, "horse"), ["papers/g.md"]);
    fs::rename(
        sample.root.join("papers/g.md"),
        sample.root.join("papers/h.md"),
    )
    .expect("rename");
    assert_eq!(found(&sample, "horse"), ["papers/h.md"]);
    fs::remove_file(sample.root.join("papers/h.md")).expect("remove");
    assert_eq!(found(&sample, "horse").len(), 0);
}

/// A change that keeps size and modification time, as `rsync -t` and `cp -p` do, in place or by replacing the file.
#[test]
fn a_change_that_keeps_size_and_time_is_noticed() {
    let sample = sample(&PAGES);
    write(&sample.root, "papers/g.md", "Zebra", "stripes");
    let page = sample.root.join("papers/g.md");
    // Pages that changed within the clock's tick are read again anyway: wait until the index relies on size and times.
    while !is_settled(&sample.root, "papers/g.md") {
        assert_eq!(found(&sample, "zebra"), ["papers/g.md"]);
    }
    let before = fs::metadata(&page).expect("page");
    for (title, in_place) in [("Horse", true), ("Mouse", false)] {
        let text = fs::read_to_string(&page).expect("page");
        let text = text.replace("Zebra", title).replace("Horse", title);
        let target = if in_place {
            page.clone()
        } else {
            sample.root.join("new")
        };
        fs::write(&target, text).expect("save");
        let file = fs::File::options().write(true).open(&target).expect("open");
        let modified = before.modified().expect("time");
        file.set_modified(modified).expect("time kept");
        fs::rename(&target, &page).expect("rename");
        let after = fs::metadata(&page).expect("page");
        assert_eq!(
            (after.len(), after.modified().expect("time")),
            (before.len(), modified)
        );
        assert_eq!(found(&sample, title), ["papers/g.md"]);
        assert_eq!(found(&sample, "zebra").len(), 0);
    }
}

fn is_settled(root: &Path, path: &str) -> bool {
    let Ok(index) = rusqlite::Connection::open(index_place(root)) else {
        return false;
    };
    let stamp = "SELECT stamp IS NOT NULL FROM page WHERE path = ?1";
    index
        .query_row(stamp, [path], |row| row.get(0))
        .unwrap_or(false)
}

#[test]
fn a_damaged_index_is_made_again() {
    let sample = sample(&PAGES);
    assert_eq!(found(&sample, "attention").len(), 2);
    let folder = sample.root.join(".wiki");
    let file = |suffix: &str| {
        fs::read_dir(&folder)
            .expect("folder")
            .map(|entry| entry.expect("entry").path())
            .find(|path| path.to_string_lossy().ends_with(suffix))
            .expect("the index")
    };
    let whole = fs::read(file(".sqlite")).expect("index");
    for damaged in [
        b"not a database".to_vec(),
        whole[..whole.len() / 2].to_vec(),
        Vec::new(),
    ] {
        fs::write(file(".sqlite"), damaged).expect("damage");
        assert_eq!(found(&sample, "attention").len(), 2);
    }
    let other = rusqlite::Connection::open(file(".sqlite")).expect("open");
    other
        .pragma_update(None, "user_version", 99)
        .expect("another version");
    drop(other);
    assert_eq!(found(&sample, "attention").len(), 2);
}

#[test]
fn where_no_index_can_be_kept_one_in_memory_answers_and_the_reason_is_told() {
    let sample = sample(&PAGES);
    fs::write(sample.root.join(".wiki"), "a file").expect("in the way");
    let answer = ask(&sample, "attention", true);
    assert_eq!(answer.total, 2);
    assert!(answer.without_index.expect("a reason").contains(".wiki"));
}

#[test]
fn many_askers_and_writers_see_a_whole_index() {
    let sample = sample(&PAGES);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let root = &sample.root;
            let sample = &sample;
            scope.spawn(move || {
                for round in 0..6 {
                    write(
                        root,
                        &format!("papers/w{writer}-{round}.md"),
                        "Walrus",
                        "tusks",
                    );
                    let answer = ask(sample, "walrus tusks", true);
                    assert_eq!(answer.without_index, None);
                    assert!(answer.total > round, "{answer:?}");
                    assert_eq!(answer.matched, Matched::All);
                }
            });
        }
    });
    assert_eq!(ask(&sample, "walrus", true).total, 24);
}

#[test]
fn a_kind_narrows_and_the_total_counts_what_is_not_shown() {
    let sample = sample(&PAGES);
    for keep in [true, false] {
        let question = Question {
            text: "sparse",
            kind: Some(Kind::Idea),
            limit: 10,
        };
        let answer = find(&sample.root, question, keep).expect("an answer");
        assert_eq!((answer.total, answer.hits[0].node.as_str()), (1, "idea:e"));
        let question = Question {
            text: "attention",
            kind: None,
            limit: 1,
        };
        let answer = find(&sample.root, question, keep).expect("an answer");
        assert_eq!((answer.total, answer.hits.len()), (2, 1));
        assert_eq!(
            answer.hits[0].snippet,
            "Attention over blocks, arXiv:2501.12345."
        );
    }
}

#[test]
fn no_wiki_is_an_error() {
    let folder = tempfile::tempdir().expect("temp");
    let question = Question {
        text: "x",
        kind: None,
        limit: 1,
    };
    for keep in [true, false] {
        let error = find(&folder.path().join("none"), question, keep);
        let error = error.expect_err("no wiki");
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]
    #[test]
    fn any_query_is_answered_alike(query in "\\PC{0,24}|[a-e注力 \"*^:()-]{0,12}|(sparse|attention|AND|OR|NOT|NEAR| |\"){1,6}") {
        let sample = sample(&PAGES);
        found(&sample, &query);
    }
}
