//! What says that a queue is completed or can run: it holds for the jobs of the manifest as they are now.

use std::fs;
use std::process::Output;

use serde_json::json;

use crate::job;
use crate::queue::Place;

const STATE: &[&str] = &["--state", "s.json"];

fn call(place: &Place, words: &[&str]) -> (Option<i32>, String) {
    said(&place.call(&[words, STATE].concat()))
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn an_old_state_file_does_not_say_that_a_queue_is_completed() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "test ! -e bad")]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let old = fs::read(place.at("s.json")).expect("read");
    fs::write(place.at("bad"), "").expect("write");
    call(&place, &["retry", "a", "--again"]);
    assert_eq!(place.run().status.code(), Some(10));
    let written = place.data(&["status", "--state", "s.json"])["updated"].clone();
    fs::write(place.at("s.json"), &old).expect("write");
    for command in ["status", "watch", "report"] {
        let (code, text) = call(&place, &[command]);
        assert_eq!(code, Some(10), "{command}: {text}");
    }
    let status = place.data(&["status", "--state", "s.json"]);
    assert_eq!(status["counts"], json!({"failed": 1}));
    assert!(status["updated"].as_str() <= written.as_str() && !status["updated"].is_null());
}

#[test]
fn a_second_manifest_does_not_take_the_jobs_of_the_first_for_its_own() {
    let place = Place::new();
    let manifest = |cmd: &str, output: &str| {
        let job = json!({"id": "s0", "cmd": cmd, "expected_output": output});
        place.manifest(&json!([{"name": "p", "jobs": [job]}]));
    };
    let run = |file: &str| call(&place, &["run", "--manifest", file]);
    manifest("echo 1 | tee o1 > o2", "o1");
    assert_eq!(run("m.json").0, Some(0));
    for (cmd, output) in [("echo 2 > o3", "o3"), ("echo 1 | tee o1 > o2", "o2")] {
        fs::rename(place.at("m.json"), place.at("first.json")).expect("renamed");
        manifest(cmd, output);
        fs::rename(place.at("m.json"), place.at("other.json")).expect("renamed");
        fs::rename(place.at("first.json"), place.at("m.json")).expect("renamed");
        for verb in ["run", "start", "preflight"] {
            let (code, text) = call(&place, &[verb, "--manifest", "other.json"]);
            assert!(code == Some(5) && text.contains("\"s0\""), "{verb}: {text}");
        }
    }
    // The first one under another name is the first one.
    fs::copy(place.at("m.json"), place.at("copy.json")).expect("copied");
    assert_eq!(run("copy.json").0, Some(0));
    assert_eq!(run("m.json").0, Some(0));
    // A person may say that the second one is the queue's from now on.
    manifest("echo 2 > o3", "o3");
    fs::rename(place.at("m.json"), place.at("other.json")).expect("renamed");
    assert_eq!(
        call(&place, &["reload", "--manifest", "other.json"]).0,
        Some(0)
    );
    assert_eq!(run("other.json").0, Some(0));
    for words in [&["status"][..], &["explain", "s0"], &["report"]] {
        let (code, text) = call(&place, words);
        assert!(
            code == Some(0) && text.contains("another command"),
            "{text}"
        );
    }
    call(&place, &["retry", "s0", "--again"]);
    assert_eq!(run("other.json").0, Some(0));
    assert!(place.at("o3").exists());
    assert!(!call(&place, &["status"]).1.contains("another command"));
}

#[test]
fn the_log_goes_into_no_file_of_the_queue_or_its_jobs() {
    let place = Place::new();
    let outputs = json!({"id": "a", "cmd": "mkdir -p out/deep; echo 1 | tee o.json > out/deep/x", "expected_output": ["o.js*", "out"]});
    place.manifest(&json!([{"name": "p", "jobs": [outputs]}]));
    let log = |verb: &str, file: &str| {
        let words = [verb, "--manifest", "m.json", "--log", file];
        call(&place, &words)
    };
    let manifest = fs::read(place.at("m.json")).expect("read");
    let files = [
        "m.json",
        "s.json",
        ".s.queue/journal.jsonl",
        "o.json",
        "./o.jsonl",
        "out/log",
    ];
    for file in files {
        for verb in ["run", "start", "preflight"] {
            let (code, text) = log(verb, file);
            assert!(
                code == Some(2) && text.contains("--log"),
                "{verb} {file}: {text}"
            );
        }
        assert!(file == "m.json" || !place.at(file).exists(), "{file}");
    }
    assert_eq!(log("run", "run.log").0, Some(0));
    let journal = fs::read(place.at(".s.queue/journal.jsonl")).expect("read");
    for file in [&files[..], &["logs/a.log", "out/deep/x"]].concat() {
        assert_eq!(log("run", file).0, Some(2), "{file}");
    }
    assert_eq!(
        fs::read(place.at(".s.queue/journal.jsonl")).expect("read"),
        journal
    );
    assert_eq!(fs::read(place.at("m.json")).expect("read"), manifest);
    assert_eq!(log("run", "run.log").0, Some(0));
    // A report does not become an output before there is one.
    fs::remove_file(place.at("o.json")).expect("removed");
    assert_eq!(call(&place, &["report", "-o", "o.json"]).0, Some(2));
}

#[test]
fn what_a_person_keeps_back_is_said_before_and_while_nothing_starts() {
    let place = Place::new();
    let held = json!({"id": "held", "cmd": "true", "needs": "a"});
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true"), held, json!({"id": "last", "cmd": "true", "needs": "held"})]}]));
    assert_eq!(
        call(&place, &["preflight", "--manifest", "m.json"]).0,
        Some(0)
    );
    call(&place, &["adopt", "--manifest", "m.json"]);
    for (verb, words) in [("pause", "paused"), ("hold", "held jobs: held")] {
        let ask: &[&str] = if verb == "pause" {
            &["pause"]
        } else {
            &["hold", "held"]
        };
        assert_eq!(call(&place, ask).0, Some(0), "{verb}");
        let (code, text) = call(&place, &["run", "--deadline", "1"]);
        assert!(code == Some(6) && text.contains(words), "{text}");
        let (code, text) = call(&place, &["preflight"]);
        assert!(code == Some(10) && text.contains(words), "{text}");
        let (code, text) = call(&place, &["start"]);
        assert!(code == Some(0) && text.contains(words), "{text}");
        let end: &[&str] = if verb == "pause" {
            &["resume"]
        } else {
            &["release", "held"]
        };
        if verb == "pause" {
            // While it is paused, nothing ran.
            assert_eq!(call(&place, &["hold", "held"]).0, Some(0));
        }
        assert_eq!(call(&place, end).0, Some(0), "{verb}");
        if verb == "pause" {
            Place::until("only the held one is left", || {
                place.state()["a"]["state"] == "completed"
            });
            let pid = place.data(&["status", "--state", "s.json"])["manager"].clone();
            let pid = pid
                .as_str()
                .and_then(|text| text.split(' ').nth(1))
                .map(str::to_owned);
            let done = std::process::Command::new("kill")
                .args(&pid)
                .output()
                .expect("ran");
            assert!(done.status.success(), "{pid:?}");
            Place::until("the manager left", || {
                place.data(&["status", "--state", "s.json"])["manager"].is_null()
            });
        }
    }
    Place::until("the queue is over", || {
        place.state()["last"]["state"] == "completed"
    });
}

#[test]
fn an_output_with_an_old_time_and_other_content_is_a_new_one() {
    let place = Place::new();
    let cmd = "cat in > o; touch -d 2001-01-01 o";
    let unpacked = json!({"id": "a", "cmd": cmd, "expected_output": "o"});
    place.manifest(&json!([{"name": "p", "jobs": [unpacked]}]));
    for text in ["1", "2"] {
        fs::write(place.at("in"), text).expect("write");
        assert_eq!(place.run().status.code(), Some(0), "{text}");
        assert_eq!(fs::read_to_string(place.at("o")).expect("read"), text);
        call(&place, &["retry", "a", "--again"]);
    }
}
