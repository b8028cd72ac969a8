//! `queue_manager` as a program, with real jobs.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

mod cluster;
mod continued;
mod divided;
mod explained;
mod faults;
mod following;
mod gates;
mod hooks;
mod hostile;
mod hq;
mod impossible;
mod kills;
mod live;
mod metrics;
mod moved;
mod orphans;
mod owned;
mod queue;
mod reference;
mod requests;
mod server;
mod standin;
mod stories;

use std::fs;

use queue::Place;
use serde_json::json;

/// A job without cards.
fn job(id: &str, cmd: &str) -> serde_json::Value {
    json!({"id": id, "cmd": cmd})
}

#[test]
fn the_references_call_runs_a_queue_and_tells_what_failed() {
    let place = Place::new();
    place.manifest(&json!([
        {"name": "t", "jobs": [
            {"id": "good", "cmd": "echo hello; echo x > out.txt", "expected_output": "out.*"},
            job("bad", "echo no; exit 7"),
        ]},
        {"name": "s", "depends_on": "t", "jobs": [job("student", "touch never")]},
    ]));
    let output = place
        .command(&[
            "--manifest",
            "m.json",
            "--state",
            "s.json",
            "--log-dir",
            "logs",
            "--poll",
            "1",
        ])
        .output()
        .expect("ran");
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let state = place.state();
    assert_eq!(state["good"]["status"], "completed");
    assert_eq!(
        (
            &state["bad"]["status"],
            &state["bad"]["exit_code"],
            &state["bad"]["reason"]
        ),
        (&json!("stuck"), &json!(7), &json!("exit"))
    );
    assert_eq!(state["student"]["state"], "blocked");
    assert!(
        state["student"]["error"]
            .as_str()
            .expect("cause")
            .contains("\"bad\"")
    );
    assert!(!place.at("never").exists());
    assert_eq!(
        fs::read_to_string(place.at("logs/good.log")).expect("log"),
        "hello\n"
    );
    assert!(
        fs::read_to_string(place.at("summary.md"))
            .expect("summary")
            .contains("`bad`")
    );
}

#[test]
fn a_failed_job_is_tried_again_on_request_and_frees_its_students() {
    let place = Place::new();
    place.manifest(&json!([
        {"name": "t", "jobs": [job("a", "test -e go")]},
        {"name": "s", "depends_on": "t", "jobs": [job("b", "true")]},
    ]));
    assert_eq!(place.run().status.code(), Some(10));
    let why = place.data(&["explain", "b", "--state", "s.json"]);
    assert_eq!(why["state"], "blocked");
    assert!(
        why["facts"][0]["text"]
            .as_str()
            .expect("fact")
            .contains("\"a\""),
        "{why}"
    );
    fs::write(place.at("go"), "").expect("write");
    let asked = place.data(&["retry", "--failed", "--state", "s.json"]);
    assert_eq!(
        (&asked["jobs"], &asked["done"]),
        (&json!(["a"]), &json!(true))
    );
    assert_eq!(place.run().status.code(), Some(0));
    let state = place.state();
    assert_eq!(
        (&state["a"]["attempts"], &state["b"]["status"]),
        (&json!(2), &json!("completed"))
    );
}

#[test]
fn a_running_queue_answers_and_a_second_manager_is_refused() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        job("long", "touch began; while ! test -e stop; do sleep 0.05; done"),
        job("hung", "touch hung; sleep 600"),
    ]}]));
    let mut manager = place.start();
    Place::until("the jobs run", || {
        place.at("began").exists() && place.at("hung").exists()
    });
    let second = place.run();
    assert_eq!(second.status.code(), Some(5), "{second:?}");
    assert!(String::from_utf8_lossy(&second.stderr).contains("is run by process"));
    let asked = place.data(&["cancel", "hung", "--state", "s.json"]);
    assert_eq!(asked["done"], true);
    Place::until("it is cancelled", || {
        place.state()["hung"]["state"] == "cancelled"
    });
    let status = place.data(&["status", "--state", "s.json"]);
    assert_eq!(status["running"][0]["id"], "long");
    fs::write(place.at("stop"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    assert_eq!(place.state()["long"]["status"], "completed");
}

#[test]
fn a_killed_manager_finds_its_jobs_again_and_runs_none_twice() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        job("on", "echo x >> runs-on; while ! test -e stop; do sleep 0.05; done"),
        job("over", "echo x >> runs-over; exit 3"),
        {"id": "later", "cmd": "echo x >> runs-later", "needs": ["on"]},
    ]}]));
    let mut manager = place.start();
    Place::until("both have begun", || {
        place.at("runs-on").exists() && place.at("runs-over").exists()
    });
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    fs::write(place.at("stop"), "").expect("write");
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    assert_eq!(state["over"]["exit_code"], 3);
    for job in ["on", "over", "later"] {
        let runs = fs::read_to_string(place.at(&format!("runs-{job}"))).expect("ran");
        assert_eq!(
            (job, runs.as_str(), &state[job]["attempts"]),
            (job, "x\n", &json!(1))
        );
    }
}

#[test]
fn what_a_person_holds_or_pauses_does_not_start() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true"), job("b", "true")]}]));
    // `adopt` creates the queue.
    let adopted = place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    assert_eq!(adopted["done"], true);
    assert_eq!(
        place.data(&["hold", "b", "--state", "s.json"])["done"],
        true
    );
    let mut manager = place.start();
    Place::until("a is done", || place.state()["a"]["status"] == "completed");
    assert_eq!(place.state()["b"]["state"], "hold");
    assert_eq!(
        place.data(&["release", "--all", "--state", "s.json"])["jobs"],
        json!(["b"])
    );
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
}

#[test]
fn a_manifest_with_mistakes_starts_nothing() {
    let place = Place::new();
    for (manifest, code, part) in [
        (
            json!({"phases": [{"name": "s", "depends_on": "t", "jobs": []}]}),
            4,
            "no phase",
        ),
        (
            json!({"gpus": [0], "jobs": [{"id": "a", "cmd": "true", "gpus": 2}]}),
            5,
            "needs 2 cards",
        ),
        (
            json!({"jobs": [{"id": "a", "cmd": "true"}, {"id": "a", "cmd": "true"}]}),
            4,
            "taken by",
        ),
    ] {
        fs::write(place.at("m.json"), manifest.to_string()).expect("write");
        let output = place.run();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(part), "{said}");
        assert!(!place.at("s.json").exists());
    }
}

#[test]
fn twenty_mistakes_before_the_first_job_are_told_and_nothing_panics() {
    let place = Place::new();
    let mut phase = json!({"name": "t", "depends_on": "s", "jobs": [job("a", "true")]});
    for number in 0..25 {
        phase[format!("unknown_{number}")] = json!(1);
    }
    place.manifest(&json!([phase, {"name": "s", "jobs": [job("b", "true")]}]));
    for command in ["run", "preflight", "start"] {
        let output = place.call(&[command, "--manifest", "m.json", "--json"]);
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("unknown_0"), "{text}");
    }
}

#[test]
fn a_damaged_journal_is_refused_and_left_alone() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true"), job("b", "true")]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let path = place.at(".s.queue/journal.jsonl");
    let mut bytes = fs::read(&path).expect("journal");
    bytes[40] ^= 1;
    fs::write(&path, &bytes).expect("write");
    let output = place.run();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("journal.jsonl:1"));
    assert_eq!(fs::read(&path).expect("journal"), bytes);
}

#[test]
fn a_changed_command_runs_when_the_job_had_not_run_and_needs_a_retry_when_it_had() {
    let place = Place::new();
    let write = |text: &str| {
        place
            .manifest(&json!([{"name": "p", "jobs": [job("a", &format!("echo {text} >> said"))]}]));
    };
    write("one");
    assert_eq!(place.run().status.code(), Some(0));
    write("two");
    let again = place.run();
    assert!(String::from_utf8_lossy(&again.stderr).contains("another command for \"a\""));
    assert_eq!(fs::read_to_string(place.at("said")).expect("ran"), "one\n");
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(place.at("said")).expect("ran"),
        "one\ntwo\n"
    );
}

#[test]
fn a_detached_manager_is_followed_until_its_queue_is_over() {
    let place = Place::new();
    place.manifest(
        &json!([{"name": "p", "jobs": [job("a", "while ! test -e stop; do sleep 0.05; done")]}]),
    );
    let started = place.data(&["start", "--manifest", "m.json", "--state", "s.json"]);
    assert!(started["pid"].as_u64().expect("pid") > 1);
    assert!(place.data(&["status", "--state", "s.json"])["manager"].is_string());
    fs::write(place.at("stop"), "").expect("write");
    let watched = place.data(&["watch", "--state", "s.json", "--interval", "0.1"]);
    assert_eq!(watched["counts"], json!({"completed": 1}));
    assert_eq!(
        place.data(&["logs", "a", "--state", "s.json"])["attempt"],
        1
    );
}

#[test]
fn a_precondition_that_does_not_hold_keeps_a_job_from_starting() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "a", "cmd": "touch ran", "params": {"N": 3}, "preconditions": [{"type": "file_exists", "path": "in/{N}*.pt"}]},
    ]}]));
    let found = place
        .command(&["preflight", "--manifest", "m.json", "--json"])
        .output()
        .expect("ran");
    assert_eq!(found.status.code(), Some(10), "{found:?}");
    assert_eq!(place.run().status.code(), Some(10));
    assert_eq!(place.state()["a"]["reason"], "precondition");
    fs::create_dir(place.at("in")).expect("folder");
    fs::write(place.at("in/3_x.pt"), "").expect("write");
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    assert!(place.at("ran").exists());
    // A placeholder that is no parameter is reported, and not only the missing file.
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "a", "cmd": "true", "params": {"n": 3}, "preconditions": [{"type": "file_exists", "path": "in/{N}*.pt"}]},
    ]}]));
    let found = place
        .command(&["preflight", "--manifest", "m.json"])
        .output()
        .expect("ran");
    let said = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(
        said.contains("{N} is no parameter of the job (it has n)"),
        "{said}"
    );
}

#[test]
fn many_people_ask_at_once_and_every_request_is_carried_out() {
    let place = Place::new();
    let jobs: Vec<_> = (0..8).map(|at| job(&format!("j{at}"), "true")).collect();
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    let ids: Vec<String> = (0..8).map(|at| format!("j{at}")).collect();
    let asking: Vec<_> = ids
        .iter()
        .map(|id| {
            place
                .command(&["cancel", id, "--state", "s.json", "--json"])
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("started")
        })
        .collect();
    for one in asking {
        let output = one.wait_with_output().expect("ended");
        assert!(output.status.success(), "{output:?}");
    }
    let state = place.state();
    for id in &ids {
        assert_eq!(state[id]["state"], "cancelled", "{id}");
    }
    assert_eq!(place.run().status.code(), Some(10));
}

#[test]
fn a_copy_of_the_program_under_another_name_starts_its_jobs() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    // Copied by another process, so that no child of this one can have it open for writing.
    let copied = std::process::Command::new("cp")
        .args([env!("CARGO_BIN_EXE_queue_manager"), "qm"])
        .current_dir(place.at(""))
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    let output = std::process::Command::new(place.at("qm"))
        .current_dir(place.at(""))
        .args(["run", "--manifest", "m.json", "--state", "s.json"])
        .output()
        .expect("ran");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_strict_run_refuses_another_manifest_than_the_last_one() {
    let place = Place::new();
    let strict = || {
        let mut command = place.command(&["run", "--strict", "--manifest", "m.json"]);
        command.args(["--state", "s.json"]).output().expect("ran")
    };
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    assert_eq!(strict().status.code(), Some(0));
    assert_eq!(strict().status.code(), Some(0));
    for (jobs, what) in [
        (
            json!([job("a", "true"), job("b", "true")]),
            "only in jobs that have not run",
        ),
        (json!([job("a", "exit 1")]), "another command for \"a\""),
        (json!([job("b", "true")]), "\"a\" ran and is no longer"),
    ] {
        place.manifest(&json!([{"name": "p", "jobs": jobs}]));
        let output = strict();
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(what), "{text}");
        assert!(!place.state().contains_key("b"), "nothing is done");
    }
}

/// All tests that `README.md` beside this file names exist.
#[test]
fn failure_modes_have_their_tests() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(here.join("tests/README.md")).expect("the list");
    let tests: Vec<(&str, &str)> = list
        .split('`')
        .filter_map(|name| name.split_once("::"))
        // Names of tests contain no blanks.
        .filter(|(file, name)| !file.contains(' ') && !name.contains(' '))
        .collect();
    assert!(tests.len() > 60, "{}", tests.len());
    for (file, name) in tests {
        let path = match file.strip_prefix("crates/") {
            Some(file) => here.join("..").join(file),
            None => here.join("tests").join(file),
        };
        let source = fs::read_to_string(&path).expect(file);
        assert!(
            source.contains(&format!("fn {name}(")),
            "{file} has no {name}"
        );
    }
}
