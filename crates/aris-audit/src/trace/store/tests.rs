#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare and damage files directly"
)]

use std::fs;

use aris_contract::artifact::audit::Verdict;

use super::*;
use crate::trace::{self, Chain};

fn slug(text: &str) -> Slug {
    text.parse().expect("slug")
}

fn now() -> Timestamp {
    "2026-04-21T14:23:01Z".parse().expect("time")
}

struct Call {
    skill: Slug,
    purpose: Slug,
}

impl Call {
    fn new() -> Self {
        Self {
            skill: slug("auto-review"),
            purpose: slug("round-1"),
        }
    }

    fn record<'a>(&'a self, prompt: &'a [u8], response: &'a [u8]) -> NewRecord<'a> {
        NewRecord {
            skill: &self.skill,
            purpose: &self.purpose,
            model: "m-1",
            thread_id: "t-1",
            tool: "cli",
            executor: Some("claude-code"),
            config: Map::new(),
            files: vec![String::from("paper/main.tex")],
            input_digests: None,
            duration_ms: Some(5),
            status: "ok",
            prompt,
            response,
            mode: TraceMode::Full,
            run: RunChoice::Latest,
        }
    }
}

fn valid(project: &Path, saved: &Saved) -> trace::Trace {
    let trace = trace::read(&project.join(&saved.trace_path), Some(project)).expect("readable");
    assert!(
        matches!(trace.chain, Chain::Valid { .. }),
        "{:?}",
        trace.chain
    );
    trace
}

#[test]
fn any_bytes_survive_a_record() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    for (prompt, response) in [
        (&b"say \"hi\"\n\\'''$(rm)"[..], &b"**ok**\r\n\0"[..]),
        (b"\xFF\xFE not utf-8", b"\x80"),
        (b"", b""),
    ] {
        let saved = record(temp.path(), &call.record(prompt, response), now()).expect("saved");
        let run = temp.path().join(&saved.trace_path);
        assert_eq!(
            fs::read(run.join(format!("{}.response.md", saved.prefix))).expect("response"),
            response
        );
        let trace = valid(temp.path(), &saved);
        let request = trace
            .records
            .last()
            .and_then(|record| record.request.clone())
            .expect("request");
        let kept = request.prompt.map(String::into_bytes).or_else(|| {
            request
                .prompt_base64
                .map(|text| STANDARD.decode(text).expect("base64"))
        });
        assert_eq!(kept.as_deref(), Some(prompt));
    }
}

#[test]
fn runs_are_reused_started_and_named() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let named = slug("camera-ready");
    let at = |run| {
        let new = NewRecord {
            run,
            ..call.record(b"p", b"r")
        };
        let saved = record(temp.path(), &new, now()).expect("saved");
        valid(temp.path(), &saved);
        (saved.run_id, saved.call_number)
    };
    assert_eq!(at(RunChoice::Latest), ("2026-04-21_run01".to_owned(), 1));
    assert_eq!(at(RunChoice::Latest), ("2026-04-21_run01".to_owned(), 2));
    assert_eq!(at(RunChoice::New), ("2026-04-21_run02".to_owned(), 1));
    assert_eq!(at(RunChoice::Latest), ("2026-04-21_run02".to_owned(), 2));
    assert_eq!(at(RunChoice::Named(&named)), ("camera-ready".to_owned(), 1));
}

#[test]
fn meta_mode_keeps_digests_and_no_words() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let new = NewRecord {
        mode: TraceMode::Meta,
        ..call.record(b"secret prompt", b"secret answer")
    };
    let saved = record(temp.path(), &new, now()).expect("saved");
    let trace = valid(temp.path(), &saved);
    assert!(trace.records[0].answered);
    for entry in aris_fs::list_sorted(&temp.path().join(&saved.trace_path)).expect("list") {
        let text = fs::read_to_string(&entry.path).expect("text");
        assert!(!text.contains("secret"), "{}", entry.path.display());
    }
}

#[test]
fn whatever_is_changed_removed_or_cut_breaks_the_chain() {
    type Damage = (&'static str, fn(&Path));
    let damage: [Damage; 14] = [
        ("the prompt of record 3 is not what was recorded", |run| {
            rewrite(run, |lines| {
                let last = lines.pop().expect("line");
                let digest = Digest::of(b"p").to_string();
                lines.push(last.replace(&digest, &Digest::of(b"q").to_string()));
            });
        }),
        ("record 3 chains no digest for the prompt", |run| {
            rewrite(run, |lines| {
                let line: Value = serde_json::from_str(&lines[2]).expect("a line");
                let prompt = line["prompt"].to_string();
                lines[2] = lines[2].replace(&format!("\"prompt\":{prompt},"), "");
            });
        }),
        ("002-round-1.response.md is not what was recorded", |run| {
            fs::write(run.join("002-round-1.response.md"), "forged").expect("write");
        }),
        ("001-round-1.request.json is missing or unreadable", |run| {
            fs::remove_file(run.join("001-round-1.request.json")).expect("remove");
        }),
        ("003-round-1.meta.json is not what was recorded", |run| {
            let path = run.join("003-round-1.meta.json");
            let text = fs::read_to_string(&path)
                .expect("read")
                .replace("t-1", "t-2");
            fs::write(path, text).expect("write");
        }),
        (
            "line 1 of chain.jsonl does not continue run.meta.json",
            |run| {
                fs::write(run.join("run.meta.json"), "{}").expect("write");
            },
        ),
        ("run.meta.json is missing or unreadable", |run| {
            fs::remove_file(run.join("run.meta.json")).expect("remove");
        }),
        ("line 2 of chain.jsonl is for record 3", |run| {
            rewrite(run, |lines| drop(lines.remove(1)));
        }),
        (
            "line 2 of chain.jsonl does not continue the line before it",
            |run| {
                rewrite(run, |lines| {
                    lines[0] = lines[0].replace("001-round-1", "001-other");
                });
            },
        ),
        ("record 1 is called \"002-round-1\"", |run| {
            rewrite(run, |lines| {
                lines[0] = lines[0].replace("001-round-1", "002-round-1");
            });
        }),
        ("record 1 is called \"001-a/../../1\"", |run| {
            rewrite(run, |lines| {
                lines[0] = lines[0].replace("001-round-1", "001-a/../../1");
            });
        }),
        (
            ".aris/meta/events.jsonl knows record 3, and chain.jsonl ends at 2",
            |run| {
                rewrite(run, |lines| lines.truncate(2));
            },
        ),
        (
            ".aris/meta/events.jsonl knows another record 3 than chain.jsonl",
            |run| {
                rewrite(run, |lines| lines[2].insert(1, ' '));
            },
        ),
        (
            ".aris/meta/events.jsonl knows a chain with record 1, and chain.jsonl is gone",
            |run| fs::remove_file(run.join(CHAIN)).expect("remove"),
        ),
    ];
    for (said, damage) in damage {
        let temp = tempfile::tempdir().expect("temp");
        let call = Call::new();
        let saved: Vec<Saved> = (0..3)
            .map(|_| record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved"))
            .collect();
        valid(temp.path(), &saved[2]);
        let run = temp.path().join(&saved[2].trace_path);
        damage(&run);
        let trace = trace::read(&run, Some(temp.path())).expect("readable");
        let Chain::Broken(problems) = trace.chain else {
            panic!("{said}: {:?}", trace.chain);
        };
        let found = problems.iter().any(|problem| problem.contains(said));
        assert!(found, "{said}: {problems:?}");
    }
}

#[test]
fn the_log_says_where_a_conversation_went_on() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let runs = [
        ("t-1", "ok"),
        ("t-1", "ok"),
        ("t-1", "error"),
        ("t-2", "ok"),
    ];
    let saved = runs.map(|(thread_id, status)| {
        let new = NewRecord {
            thread_id,
            status,
            run: RunChoice::New,
            ..call.record(b"p", b"r")
        };
        record(temp.path(), &new, now()).expect("saved")
    });
    let first = temp.path().join(&saved[0].trace_path);
    let elsewhere = trace::elsewhere(temp.path(), &first, "t-1");
    let elsewhere: Vec<_> = elsewhere
        .into_iter()
        .map(|other| (other.trace_path, other.at))
        .collect();
    assert_eq!(elsewhere, [(saved[1].trace_path.clone(), now())]);
}

fn rewrite(run: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let path = run.join(CHAIN);
    let mut lines: Vec<String> = fs::read_to_string(&path)
        .expect("read")
        .lines()
        .map(ToOwned::to_owned)
        .collect();
    change(&mut lines);
    fs::write(path, lines.join("\n") + "\n").expect("write");
}

#[test]
fn a_torn_chain_line_and_a_pending_record_are_cleared_and_the_number_is_void() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let first = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    let run = temp.path().join(&first.trace_path);
    let mut chain = fs::read_to_string(run.join(CHAIN)).expect("read");
    chain.push_str("{\"record\":2,\"pre");
    fs::write(run.join(CHAIN), chain).expect("write");
    fs::write(run.join(PENDING), "002-round-9").expect("write");
    fs::write(run.join("002-round-9.request.json"), "{half").expect("write");
    let second = record(temp.path(), &call.record(b"p2", b"r2"), now()).expect("saved");
    assert_eq!(second.call_number, 3);
    assert!(!run.join("002-round-9.request.json").exists() && !run.join(PENDING).exists());
    assert_eq!(valid(temp.path(), &second).records.len(), 2);
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("folder");
    for entry in aris_fs::list_sorted(from).expect("list") {
        let target = to.join(&entry.name);
        match entry.kind {
            EntryKind::Folder => copy(&entry.path, &target),
            _ => drop(fs::copy(&entry.path, target).expect("copy")),
        }
    }
}

#[test]
fn runs_of_the_first_version_are_read_and_go_on() {
    let temp = tempfile::tempdir().expect("temp");
    let kept = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/compat/aris.save_trace.v1"
    );
    copy(Path::new(kept), temp.path());
    let run = ".aris/traces/paper-claim-audit/2026-11-22_run01/";
    let trace = trace::read(&temp.path().join(run), Some(temp.path())).expect("readable");
    assert!(
        matches!(trace.chain, Chain::Valid { lines: 3, .. }),
        "{:?}",
        trace.chain
    );
    let said: Vec<_> = trace
        .records
        .iter()
        .map(|it| it.verdict.map(Verdict::word))
        .collect();
    assert_eq!(said, [Some("FAIL"), Some("PASS"), None]);
    let mut requests = trace.records.iter().filter_map(|it| it.request.as_ref());
    assert!(requests.all(|request| request.input_digests.is_none()));
    let (skill, run) = (slug("paper-claim-audit"), slug("2026-11-22_run01"));
    let call = Call::new();
    let new = NewRecord {
        skill: &skill,
        run: RunChoice::Named(&run),
        ..call.record(b"p", b"r")
    };
    let saved = record(temp.path(), &new, now()).expect("saved");
    assert_eq!(
        (saved.call_number, valid(temp.path(), &saved).records.len()),
        (4, 4)
    );
}

#[test]
fn a_record_that_a_killed_writer_never_chained_breaks_nothing() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let saved = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    let run = temp.path().join(&saved.trace_path);
    for suffix in FILES {
        let name = |number: u32| run.join(format!("{number:03}-round-1{suffix}"));
        fs::copy(name(1), name(2)).expect("copy");
    }
    let read = || trace::read(&run, Some(temp.path())).expect("readable");
    assert!(
        matches!(read().chain, Chain::Broken(_)),
        "taken out of the chain"
    );
    fs::write(run.join(PENDING), "002-round-1").expect("write");
    assert!(
        matches!(read().chain, Chain::Valid { .. }),
        "{:?}",
        read().chain
    );
    assert_eq!(read().records.len(), 1);
}

#[test]
fn what_a_killed_writer_left_goes_even_while_the_system_still_ends_it() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let run = temp
        .path()
        .join(".aris/traces/auto-review/2026-04-21_run01");
    fs::create_dir_all(&run).expect("folder");
    // Killed before the first line of the chain, then in the middle of the second record. The lock of a killed writer on its
    // temporary file may outlive its lock on the folder.
    let left = |name: &str| {
        let file = fs::File::create(run.join(name)).expect("created");
        file.lock().expect("locked");
        file
    };
    let dying = [
        left(".run.meta.json.aaa.aris-tmp"),
        left(".chain.jsonl.bbb.aris-tmp"),
    ];
    let first = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    assert_eq!(temporary(&run), Vec::<String>::new());
    drop(dying);
    fs::write(run.join(PENDING), "002-round-9").expect("write");
    let dying = left(".002-round-9.request.json.ccc.aris-tmp");
    let second = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    assert_eq!(temporary(&run), Vec::<String>::new());
    drop(dying);
    assert_eq!((first.call_number, second.call_number), (1, 2));
    valid(temp.path(), &second);
}

/// Names of the temporary files in a run.
fn temporary(run: &Path) -> Vec<String> {
    aris_fs::list_sorted(run)
        .expect("list")
        .iter()
        .filter_map(|entry| entry.name.to_str().map(ToOwned::to_owned))
        .filter(|name| name.ends_with("aris-tmp"))
        .collect()
}

#[test]
fn a_file_in_the_way_is_kept_and_its_number_is_void() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let first = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    let run = temp.path().join(&first.trace_path);
    fs::write(run.join("002-round-1.response.md"), "mine").expect("write");
    let second = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    assert_eq!(second.call_number, 3);
    assert_eq!(
        fs::read_to_string(run.join("002-round-1.response.md")).expect("read"),
        "mine"
    );
    assert!(!run.join("002-round-1.request.json").exists());
    valid(temp.path(), &second);
}

#[test]
fn a_damaged_chain_takes_no_more_records() {
    let temp = tempfile::tempdir().expect("temp");
    let call = Call::new();
    let first = record(temp.path(), &call.record(b"p", b"r"), now()).expect("saved");
    let path = temp.path().join(&first.trace_path).join(CHAIN);
    fs::write(&path, "not json\n").expect("write");
    let error = record(temp.path(), &call.record(b"p", b"r"), now()).expect_err("refused");
    assert!(matches!(error, TraceError::Damaged { .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("read"), "not json\n");
}

#[test]
fn traces_of_other_programs_are_read_without_a_chain() {
    let temp = tempfile::tempdir().expect("temp");
    let run = temp.path().join("run");
    fs::create_dir(&run).expect("folder");
    fs::write(
        run.join("001-audit.meta.json"),
        r#"{"call_number":1,"purpose":"audit","timestamp":"2026-04-15T14:33:00+08:00","thread_id":"t","model":"m","status":"ok"}"#,
    )
    .expect("write");
    fs::write(run.join("001-audit.response.md"), "fine").expect("write");
    fs::write(run.join("smith2020.md"), " \n").expect("write");
    let trace = trace::read(&run, None).expect("readable");
    assert_eq!(trace.chain, Chain::Absent);
    let answered: Vec<(Option<&str>, bool)> = trace
        .records
        .iter()
        .map(|record| (record.thread_id(), record.answered))
        .collect();
    assert_eq!(answered, [(Some("t"), true), (None, false)]);
}
