//! Requests of people and files to a running manager: what is impossible is refused, and the manager continues.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::job;
use crate::queue::{Manager, Place};

/// A queue in which `over` is completed, `failed` is not, and `s40_N64` and `s41_N64` run until `go` exists.
fn running() -> (Place, Manager) {
    let place = Place::new();
    let wait = |id: &str| {
        job(
            id,
            &format!("touch began-{id}; until test -e go; do sleep 0.02; done"),
        )
    };
    place.manifest(&json!([{"name": "p", "jobs": [
        job("over", "true"), job("failed", "exit 3"), wait("s40_N64"), wait("s41_N64"),
    ]}]));
    let manager = place.start();
    Place::until("two run, two are over", || {
        let state = place.state();
        let is = |id: &str, word: &str| state.get(id).is_some_and(|row| row["state"] == word);
        let begun = ["began-s40_N64", "began-s41_N64"];
        begun.iter().all(|file| place.at(file).exists())
            && is("over", "completed")
            && is("failed", "failed")
    });
    (place, manager)
}

fn ends_with(place: &Place, manager: &mut Manager, code: i32) {
    fs::write(place.at("go"), "").expect("write");
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    assert_eq!(manager.wait().expect("ended").code(), Some(code));
}

/// Exit code and data of a request.
fn ask(place: &Place, args: &[&str]) -> (Option<i32>, Value) {
    let words = [args, &["--state", "s.json", "--json"]].concat();
    let output = place.command(&words).output().expect("ran");
    let envelope = serde_json::from_slice::<Value>(&output.stdout).expect("envelope");
    (output.status.code(), envelope["data"].clone())
}

#[test]
fn a_job_that_two_patterns_name_is_cancelled_once_and_the_manager_goes_on() {
    let (place, mut manager) = running();
    let (code, asked) = ask(&place, &["cancel", "s4*", "*_N64"]);
    assert_eq!(
        (code, &asked["jobs"], &asked["refused"]),
        (Some(0), &json!(["s40_N64", "s41_N64"]), &json!([]))
    );
    ends_with(&place, &mut manager, 10);
    for id in ["s40_N64", "s41_N64"] {
        assert_eq!(place.state()[id]["state"], "cancelled", "{id}");
    }
}

/// Blocked jobs would run if the job that blocks them is retried.
#[test]
fn blocked_jobs_are_held_and_cancelled_with_a_manager_and_without() {
    for managed in [true, false] {
        let place = Place::new();
        place.manifest(&json!([
            {"name": "p", "jobs": [job("first", "test -e fixed")]},
            {"name": "q", "depends_on": ["p"], "jobs": [
                job("held", "touch ran-held"), job("gone", "touch ran-gone"), job("free", "true"),
            ]},
            {"name": "r", "jobs": [job("other", "until test -e go; do sleep 0.02; done")]},
        ]));
        let is = |id: &str, word: &str| {
            let state = place.state();
            state.get(id).is_some_and(|row| row["state"] == word)
        };
        let mut manager = place.start();
        Place::until("they are blocked", || {
            is("held", "blocked") && is("gone", "blocked")
        });
        if !managed {
            ends_with(&place, &mut manager, 10);
        }
        for words in [["hold", "held"], ["hold", "held"], ["cancel", "gone"]] {
            let (code, asked) = ask(&place, &words);
            assert_eq!(
                (code, &asked["refused"]),
                (Some(0), &json!([])),
                "{words:?} {asked}"
            );
        }
        Place::until("it is cancelled", || is("gone", "cancelled"));
        let (_, explained) = ask(&place, &["explain", "held"]);
        assert!(
            explained.to_string().contains("held by the command hold"),
            "{explained}"
        );
        fs::write(place.at("fixed"), "").expect("write");
        assert_eq!(ask(&place, &["retry", "first"]).0, Some(0));
        if !managed {
            manager = place.start();
        }
        Place::until("the rest of the phase is over", || {
            is("free", "completed") && is("held", "hold")
        });
        assert_eq!(ask(&place, &["release", "held"]).0, Some(0));
        ends_with(&place, &mut manager, 10);
        assert!(place.at("ran-held").exists() && !place.at("ran-gone").exists());
        assert!(is("gone", "cancelled"));
    }
}

#[test]
fn the_answer_names_each_job_that_does_not_fit_and_the_rest_is_done() {
    let (place, mut manager) = running();
    let (code, asked) = ask(&place, &["retry", "failed", "failed", "s40_N64"]);
    assert_eq!(
        (code, &asked["jobs"], &asked["done"]),
        (Some(10), &json!(["failed", "s40_N64"]), &json!(true))
    );
    let refused = asked["refused"].as_array().expect("refused");
    assert_eq!(refused.len(), 1, "{asked}");
    let line = refused[0].as_str().expect("a line");
    assert!(
        line.contains("s40_N64") && line.contains("running"),
        "{line}"
    );
    let (code, asked) = ask(&place, &["cancel", "over"]);
    assert_eq!(code, Some(10));
    assert!(
        asked["refused"][0]
            .as_str()
            .expect("a line")
            .contains("completed")
    );
    Place::until("it was tried again", || {
        place.state()["failed"]["attempts"] == 2
    });
    ends_with(&place, &mut manager, 10);
    // The answers are the same when no manager runs.
    let (code, asked) = ask(&place, &["cancel", "over"]);
    assert_eq!(code, Some(10));
    assert!(
        asked["refused"][0]
            .as_str()
            .expect("a line")
            .contains("completed")
    );
    assert!(place.data(&["retry", "failed", "failed", "--state", "s.json"])["done"] == true);
    let left: Vec<_> = fs::read_dir(place.at(".s.queue/ctl"))
        .expect("folder")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn no_request_file_ends_a_manager() {
    let (place, mut manager) = running();
    let ctl = place.at(".s.queue/ctl");
    let bodies: [&[u8]; 10] = [
        b"",
        b"nonsense",
        b"\xff\xfe\x00",
        br#"{"cancel":["over","no such job","s40_N64\u0000"]}"#,
        br#"{"retry":["s40_N64","s40_N64","failed","failed"]}"#,
        br#"{"hold":["over","over"]}"#,
        br#"{"release":["over"]}"#,
        br#"{"max_parallel":-1}"#,
        br#"{"dance":[]}"#,
        br#"["cancel"]"#,
    ];
    for (at, body) in bodies.iter().enumerate() {
        fs::write(ctl.join("part"), body).expect("write");
        fs::rename(ctl.join("part"), ctl.join(format!("{at:020}-1.json"))).expect("renamed");
    }
    // Entries that are no regular files, and cannot be removed like one.
    fs::create_dir_all(ctl.join("00000000000000000020-1.json/full")).expect("folder");
    let made = Command::new("mkfifo")
        .arg(ctl.join("00000000000000000021-1.json"))
        .status();
    assert!(made.expect("run").success());
    std::os::unix::fs::symlink("nowhere", ctl.join("00000000000000000022-1.json")).expect("link");
    let (code, asked) = ask(&place, &["set", "--max-parallel", "3"]);
    assert_eq!((code, &asked["done"]), (Some(0), &json!(true)));
    Place::until("the one good request among them was carried out", || {
        place.state()["failed"]["attempts"] == 2
    });
    assert!(manager.try_wait().expect("asked").is_none());
    ends_with(&place, &mut manager, 10);
    assert_eq!(place.state()["s40_N64"]["state"], "completed");
}

#[test]
fn a_managers_fatal_error_is_in_its_log() {
    let place = Place::new();
    // The test's folder may be removed before the next check.
    let wait = "touch began; until test -e go || ! test -e \"$PWD\"; do sleep 0.02; done";
    place.manifest(&json!([{"name": "p", "jobs": [job("a", wait)]}]));
    place.data(&[
        "start",
        "--manifest",
        "m.json",
        "--state",
        "s.json",
        "--max-wait",
        "1",
    ]);
    let log = || fs::read_to_string(place.at("queue_manager.log")).expect("log");
    Place::until("its log says why it left", || {
        log().contains("after 1 s 1 job had not ended")
    });
    assert!(log().contains("a #1 started"), "{}", log());
    fs::write(place.at("go"), "").expect("write");
    // The same for a manager that is not detached.
    let words = [
        "--manifest",
        "absent.json",
        "--state",
        "s.json",
        "--log",
        "own.log",
    ];
    let output = place.command(&words).output().expect("ran");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let log = fs::read_to_string(place.at("own.log")).expect("log");
    assert!(log.contains("absent.json"), "{log}");
}

/// The first line of an answer says what was done, and never "done" if everything was refused.
#[test]
fn the_first_line_says_how_much_was_done() {
    let (place, mut manager) = running();
    for (args, first) in [
        (&["retry", "s40_N64"][..], "retry: refused"),
        (&["hold", "over", "s40_N64"], "hold: refused"),
        (
            &["cancel", "s40_N64", "over"],
            "cancel: 1 of 2 jobs, done; 1 refused",
        ),
        (&["retry", "failed"], "retry: 1 job, done"),
        (&["reload"], "reload: done"),
    ] {
        let output = place.call(&[args, &["--state", "s.json"]].concat());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.lines().next(), Some(first), "{output:?}");
    }
    ends_with(&place, &mut manager, 10);
}

#[test]
fn what_no_job_answers_to_is_named_and_the_rest_is_done() {
    let (place, mut manager) = running();
    let (code, asked) = ask(&place, &["cancel", "s40*", "*_N63", "nope", "ov*"]);
    assert_eq!(
        (code, &asked["jobs"]),
        (Some(10), &json!(["s40_N64"])),
        "{asked}"
    );
    let refused = asked["refused"].as_array().expect("refused");
    assert_eq!(refused.len(), 3, "{asked}");
    for (line, name) in refused.iter().zip(["*_N63", "nope", "ov*"]) {
        assert!(line.as_str().expect("a line").contains(name), "{line}");
    }
    // A call that names no existing job is an error.
    let (code, _) = ask(&place, &["cancel", "nope", "*_N63"]);
    assert_eq!(code, Some(3));
    ends_with(&place, &mut manager, 10);
}

#[test]
fn a_completed_job_is_repeated_only_on_purpose_and_no_job_has_an_empty_command() {
    let place = Place::new();
    place
        .manifest(&json!([{"name": "p", "jobs": [job("a", "echo x >> ran"), job("b", "exit 3")]}]));
    assert_eq!(place.run().status.code(), Some(10));
    let (code, asked) = ask(&place, &["retry", "a"]);
    assert_eq!(code, Some(10));
    let line = asked["refused"][0].as_str().expect("a line");
    assert!(
        line.contains("completed") && line.contains("--again"),
        "{line}"
    );
    for words in [
        &["edit", "b", "--cmd", ""][..],
        &["edit", "b", "--cmd", " \n"],
        &["add", "c", "--cmd", ""],
    ] {
        let output = place
            .command(&[words, &["--state", "s.json"]].concat())
            .output()
            .expect("ran");
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert_ne!(output.status.code(), Some(0), "{words:?}");
        assert!(said.contains("has no cmd"), "{words:?}: {said}");
    }
    let (code, asked) = ask(&place, &["retry", "a", "--again"]);
    assert_eq!((code, &asked["jobs"]), (Some(0), &json!(["a"])), "{asked}");
    assert_eq!(place.run().status.code(), Some(10));
    let ran = fs::read_to_string(place.at("ran")).expect("ran");
    assert_eq!(ran, "x\nx\n");
}

#[test]
fn a_job_that_completes_after_somebody_asked_to_retry_it_is_not_repeated() {
    let place = Place::new();
    let waits = "echo x >> ran; touch began; until test -e go; do sleep 0.02; done";
    place.manifest(&json!([{"name": "p", "jobs": [job("a", waits)]}]));
    let mut manager = place.start();
    Place::until("it runs", || place.at("began").exists());
    let signal = |name: &str| {
        let pid = manager.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.expect("sent").success());
    };
    signal("-STOP");
    let asker = place
        .command(&["retry", "a", "--state", "s.json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    Place::until("it is asked for", || {
        fs::read_dir(place.at(".s.queue/ctl")).is_ok_and(|mut all| all.next().is_some())
    });
    fs::write(place.at("go"), "").expect("write");
    let attempt = aris_attempt::format::folder(&place.at(".s.queue"), "a", 1);
    Place::until("it is over", || {
        attempt.join(aris_attempt::format::EXIT).exists()
    });
    signal("-CONT");
    let told = asker.wait_with_output().expect("ended");
    let text = String::from_utf8_lossy(&told.stdout);
    assert_eq!(told.status.code(), Some(10), "{text}");
    assert!(text.contains("--again"), "{text}");
    ends_with(&place, &mut manager, 0);
    assert_eq!(fs::read_to_string(place.at("ran")).expect("ran"), "x\n");
}

#[test]
fn a_refusal_is_said_once_and_what_is_so_already_is_none() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("done", "true"), job("next", "until test -e go; do sleep 0.05; done")]}]));
    let mut manager = place.start();
    Place::until("one is done and one runs", || {
        let state = place.state();
        let is = |id: &str, word: &str| state.get(id).is_some_and(|row| row["state"] == word);
        is("done", "completed") && is("next", "running")
    });
    // Another release came first, and the job runs by now.
    let again = place.call(&["release", "next", "--state", "s.json"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("over").code(), Some(0));
    // No manager runs the queue, so this process carries the request out.
    for json in [&[][..], &["--json"]] {
        let args = [&["cancel", "done", "--state", "s.json"], json].concat();
        let refused = place.call(&args);
        assert_eq!(refused.status.code(), Some(10), "{refused:?}");
        let said = String::from_utf8_lossy(&refused.stdout).into_owned();
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(said.matches("cannot be cancelled").count(), 1, "{said}");
        assert!(!told.contains("cannot be cancelled"), "{told}");
    }
}

#[test]
fn a_detached_manager_that_does_not_start_says_why_whatever_its_log_takes() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    // This fails only when the manager opens it.
    fs::create_dir_all(place.at(".s.queue/journal.jsonl")).expect("folder");
    let log = place.at("queue_manager.log");
    let start = || place.call(&["start", "--manifest", "m.json", "--state", "s.json"]);
    for full in [true, false] {
        if full {
            // Behaves like a full disk.
            std::os::unix::fs::symlink("/dev/full", &log).expect("link");
        } else {
            fs::remove_file(&log).expect("removed");
            fs::write(&log, "of another manager\n").expect("write");
        }
        let output = start();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains("journal.jsonl"), "{said}");
        assert!(!said.contains("of another manager"), "{said}");
    }
}

#[test]
fn what_is_refused_as_a_whole_is_counted_as_refused_and_told_with_its_reason() {
    let (place, mut manager) = running();
    let first = |args: &[&str]| {
        let output = place.call(&[args, &["--state", "s.json"]].concat());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), said)
    };
    // Three jobs, one line that refuses them.
    for args in [
        &["add", "--from", "m.json"][..],
        &["remove", "s40_N64", "s41_N64"],
    ] {
        let (code, said) = first(args);
        assert_eq!(code, Some(10), "{said}");
        assert!(
            said.starts_with(&format!("{}: refused\n", args[0])),
            "{said}"
        );
        let (_, data) = ask(&place, args);
        assert_eq!(data["done"], false, "{data}");
    }
    let (_, data) = ask(&place, &["hold", "over"]);
    assert_eq!(data["done"], false, "{data}");
    let (_, said) = first(&["cancel", "s40_N64", "nope"]);
    assert!(
        said.starts_with("cancel: 1 job, done; 1 refused\n"),
        "{said}"
    );
    let set = ["add", "v", "--cmd", "true", "--set", "needs=[s41_N64]"];
    assert_eq!(first(&set).0, Some(0));
    let set = ["add", "w", "--cmd", "true", "--set", "needs=v"];
    assert_eq!(first(&set).0, Some(0));
    let (code, said) = first(&["remove", "v"]);
    assert_eq!(code, Some(10), "{said}");
    assert!(said.contains("\"v\" is needed by \"w\""), "{said}");
    assert_eq!(first(&["remove", "v", "w"]).0, Some(0));
    for args in [
        &["add", "y", "--cmd", "true", "--phase", "nope"][..],
        &["hold", "--phase", "nope"],
    ] {
        assert_eq!(first(args).0, Some(3), "{args:?}");
    }
    ends_with(&place, &mut manager, 10);
}

#[test]
fn a_change_whose_manager_was_killed_before_it_answered_is_done_once_and_not_refused() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    let more = json!({"phases": [{"name": "p", "jobs": [job("b", "true")]}]}).to_string();
    let add = json!({"change": {"add": {"manifest": more}}}).to_string();
    let remove = json!({"change": {"remove": {"ids": ["b"]}}}).to_string();
    for (number, request, jobs) in [(1, add, 2), (2, remove, 1)] {
        let name = |end: &str| place.at(&format!(".s.queue/ctl/{number:020}-1.{end}"));
        // The second time, the request is what remains if a manager is killed after it has written the change.
        for _ in 0..2 {
            fs::write(name("json"), &request).expect("write");
            place.data(&["adopt", "--state", "s.json"]);
            assert!(!name("json").exists());
            let answer = fs::read_to_string(name("answer")).unwrap_or_default();
            assert_eq!((answer.as_str(), place.state().len()), ("", jobs));
        }
        // As if killed between the two files: the change is recorded, and the manifest does not have it.
        let manifest = place.at(".s.queue/manifest.yaml");
        let (with, before) = (
            fs::read(&manifest).expect("read"),
            fs::read(place.at("m.json")),
        );
        if number == 1 {
            fs::write(&manifest, before.expect("read")).expect("write");
            fs::write(name("json"), &request).expect("write");
            place.data(&["adopt", "--state", "s.json"]);
            assert_eq!(fs::read(&manifest).expect("read"), with);
        }
    }
}

#[test]
fn a_queue_whose_last_job_is_removed_says_that_it_has_none() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    let output = place.call(&["remove", "a", "--state", "s.json"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("the queue has no jobs") && !said.contains("queue_manager start"),
        "{said}"
    );
    let run = place.call(&["run", "--state", "s.json"]);
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(said.contains("the queue has no jobs"), "{said}");
}

#[test]
fn a_job_that_ended_after_its_manager_is_explained_and_tried_again() {
    let place = Place::new();
    let cmd = "touch began; until test -e go; do sleep 0.02; done; echo >> ran; exit 3";
    place.manifest(&json!([{"name": "p", "jobs": [job("a", cmd)]}]));
    let mut manager = place.start();
    Place::until("it runs", || place.at("began").exists());
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    let counts = || place.data(&["status", "--state", "s.json"])["counts"].clone();
    assert_eq!(counts(), json!({"running": 1}));
    fs::write(place.at("go"), "").expect("write");
    let explain = || place.data(&["explain", "a", "--state", "s.json"]);
    Place::until("it has failed", || explain()["state"] == "failed");
    assert_eq!(counts(), json!({"failed": 1}));
    let said = explain()["facts"].to_string();
    assert!(said.contains("attempt 1: exit status 3"), "{said}");
    place.data(&["retry", "--failed", "--start", "--state", "s.json"]);
    Place::until("it runs again", || {
        fs::read_to_string(place.at("ran")).is_ok_and(|ran| ran.lines().count() == 2)
    });
}

#[test]
fn a_job_that_waits_for_its_next_attempt_is_held_and_released_as_any_other() {
    let place = Place::new();
    let retry = json!({"other": 1, "delay": 600});
    place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "exit 3", "retry": retry}]}]));
    let mut manager = place.start();
    let is = |word: &str| {
        place
            .state()
            .get("a")
            .is_some_and(|row| row["state"] == word)
    };
    Place::until("it waits", || is("backoff"));
    for (verb, state, told) in [
        ("hold", "hold", "held by the command"),
        ("release", "backoff", "attempt 2 follows in"),
    ] {
        let (code, said) = ask(&place, &[verb, "a"]);
        assert!(code == Some(0) && is(state), "{verb}: {said}");
        let (_, explained) = ask(&place, &["explain", "a"]);
        let explained = explained.to_string();
        assert!(explained.contains(told), "{verb}: {explained}");
    }
    ask(&place, &["cancel", "a"]);
    ends_with(&place, &mut manager, 10);
}
