//! The queue has its own copy of the manifest: whatever happens to the user's file, the queue continues, and its changes are reported.

use std::fs;

use serde_json::{Value, json};

use crate::job;
use crate::queue::Place;

/// The output of a call, on both streams.
fn said(output: &std::process::Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}{}", String::from_utf8_lossy(&output.stderr))
}

/// A job that starts and then waits for the file `go`.
fn waits(id: &str) -> Value {
    job(
        id,
        &format!("touch began-{id}; until test -e go; do sleep 0.02; done"),
    )
}

#[test]
fn every_command_works_while_the_manifest_is_broken_or_gone() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "echo hello"), job("b", "exit 3")]}]));
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(10));
    // The reference's skills recognize the end by these words.
    let told = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        told.contains("All jobs done: 1 completed, 1 failed"),
        "{told}"
    );
    for broken in [
        Some("phases: [{"),
        Some("phases: [{name: p, jbos: []}]"),
        None,
    ] {
        match broken {
            Some(text) => fs::write(place.at("m.json"), text).expect("write"),
            None => fs::remove_file(place.at("m.json")).expect("removed"),
        }
        for (args, code, part) in [
            (&["status"][..], 10, "1 completed, 1 failed"),
            (&["watch"], 10, "1 failed"),
            (&["explain", "b"], 0, "exit status 3"),
            (&["logs", "a"], 0, "hello"),
            (&["report"], 10, "exit status 3"),
            (&["hold", "--all"], 0, "nothing to hold"),
            (&["set", "--max-parallel", "3"], 0, "done"),
            (&["adopt"], 0, "1 completed"),
            (&["retry", "b"], 0, "done"),
            (&["preflight"], 0, "2 jobs"),
            (&["run"], 10, "continues with its own copy"),
        ] {
            let output = place.call(&[args, &["--state", "s.json"]].concat());
            assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
            assert!(said(&output).contains(part), "{args:?}: {output:?}");
        }
        let given = place.run();
        let code = if broken.is_some() { 4 } else { 3 };
        assert_eq!(given.status.code(), Some(code), "{given:?}");
        let reload = place.call(&["reload", "--state", "s.json"]);
        assert_eq!(reload.status.code(), Some(code), "{reload:?}");
    }
}

#[test]
fn a_live_queue_takes_a_changed_manifest_up_and_tells_what_is_different() {
    let place = Place::new();
    let write =
        |jobs: Value| place.manifest(&json!([{"name": "p", "max_parallel": 1, "jobs": jobs}]));
    write(json!([
        waits("first"),
        job("second", "echo old > second"),
        job("goes", "touch never")
    ]));
    let mut manager = place.start();
    Place::until("the first runs", || place.at("began-first").exists());
    fs::write(place.at("m.json"), "phases: [{name: p, jobs: [{}]}]").expect("write");
    let refused = place.call(&["reload", "--state", "s.json"]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    write(json!([
        waits("first"),
        job("second", "echo new > second"),
        job("third", "touch third")
    ]));
    let asked = place.data(&["reload", "--state", "s.json"]);
    assert_eq!(
        asked["notes"],
        json!([
            "new: third",
            "removed: goes",
            "changed cmd of second: \"echo old > second\" is now \"echo new > second\"",
        ])
    );
    assert_eq!(asked["done"], true);
    Place::until("the state has the new job", || {
        place.state().contains_key("third")
    });
    let again = place.data(&["reload", "--state", "s.json"]);
    assert!(
        again["notes"][0]
            .as_str()
            .expect("a note")
            .contains("already"),
        "{again}"
    );
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert_eq!(
        fs::read_to_string(place.at("second")).expect("ran"),
        "new\n"
    );
    assert!(place.at("third").exists() && !place.at("never").exists());
    assert_eq!(place.state()["first"]["attempts"], 1, "what ran went on");
}

#[test]
fn a_retry_says_when_it_does_not_run_what_the_file_says() {
    let place = Place::new();
    let write = |text: &str| {
        place.manifest(&json!([{"name": "p", "jobs": [
            job("a", &format!("echo {text} >> said; exit 1")), waits("b")]}]));
    };
    write("one");
    let mut manager = place.start();
    Place::until("the first attempt is over", || {
        place
            .state()
            .get("a")
            .is_some_and(|job| job["state"] == "failed")
    });
    write("two");
    let stale = place.data(&["retry", "a", "--state", "s.json"]);
    let notes = stale["notes"].to_string();
    assert!(
        notes.contains("as they were then") && notes.contains("reload"),
        "{stale}"
    );
    Place::until("it ran again", || {
        place.state()["a"]["attempts"] == 2 && place.state()["a"]["state"] == "failed"
    });
    place.data(&["reload", "--state", "s.json"]);
    let fresh = place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(fresh["notes"], json!([]), "{fresh}");
    Place::until("the new command ran", || {
        fs::read_to_string(place.at("said")).is_ok_and(|text| text == "one\none\ntwo\n")
    });
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
}

#[test]
fn run_and_start_take_a_changed_manifest_up_and_say_what_is_different() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    assert_eq!(place.run().status.code(), Some(0));
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true"), job("b", "true")]}]));
    let ran = place.run();
    assert!(
        said(&ran).contains("the manifest has changed: new: b"),
        "{ran:?}"
    );
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
    let started = place.data(&["start", "--state", "s.json"]);
    assert_eq!(started["changes"], json!(["removed: b"]));
    Place::until("it is gone", || !place.state().contains_key("b"));
}

#[test]
fn an_engine_is_not_changed_under_running_jobs() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [waits("a")]}]));
    let mut manager = place.start();
    Place::until("it runs", || place.at("began-a").exists());
    let text = fs::read_to_string(place.at("m.json")).expect("read");
    let text = text.replacen('{', "{\"engine\": \"slurm\", ", 1);
    fs::write(place.at("m.json"), text).expect("write");
    let output = place.call(&["reload", "--state", "s.json"]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    assert!(
        said(&output).contains("engine cannot be changed"),
        "{output:?}"
    );
    // The next manager cannot change the engine either, because it would not find the job.
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    for words in [
        &["run", "--state", "s.json", "--engine", "hq"][..],
        &["run", "--state", "s.json"],
    ] {
        let output = place.call(words);
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("\"a\" is under way"), "{output:?}");
    }
    let text = fs::read_to_string(place.at("m.json")).expect("read");
    fs::write(place.at("m.json"), text.replace("\"slurm\"", "\"local\"")).expect("write");
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(place.run().status.code(), Some(0));
}

#[test]
fn a_retry_without_a_manager_names_the_command_or_starts_one() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "test -e go")]}]));
    assert_eq!(place.run().status.code(), Some(10));
    let told = place.call(&["retry", "a", "--state", "s.json"]);
    assert!(
        said(&told).contains("queue_manager start --state"),
        "{told:?}"
    );
    assert_eq!(place.run().status.code(), Some(10));
    fs::write(place.at("go"), "").expect("write");
    let started = place.call(&["retry", "--failed", "--start", "--state", "s.json"]);
    assert!(said(&started).contains("was started"), "{started:?}");
    Place::until("it is over", || place.state()["a"]["state"] == "completed");
}

#[test]
fn the_one_queue_below_the_working_directory_is_found() {
    let place = Place::new();
    fs::create_dir_all(place.at("work/first")).expect("folder");
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "echo hello")]}]));
    let run = |state: &str| place.call(&["run", "--manifest", "m.json", "--state", state]);
    let none = place.call(&["status"]);
    assert_eq!(none.status.code(), Some(3), "{none:?}");
    assert_eq!(run("work/first/queue_state.json").status.code(), Some(0));
    for args in [
        &["status"][..],
        &["explain", "a"],
        &["logs", "a"],
        &["report"],
    ] {
        let output = place.call(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    }
    assert_eq!(run("work/s2.json").status.code(), Some(0));
    let many = place.call(&["logs", "a"]);
    assert_eq!(many.status.code(), Some(2), "{many:?}");
    let text = said(&many);
    assert!(
        text.contains("work/first/queue_state.json")
            && text.contains("work/s2.json")
            && text.contains("--state"),
        "{text}"
    );
    assert_eq!(run("queue_state.json").status.code(), Some(0));
    assert_eq!(
        place.call(&["logs", "a"]).status.code(),
        Some(0),
        "the one here comes first"
    );
}

/// Jobs run where the queue was started, wherever its manager is started.
#[test]
fn a_queue_goes_on_in_the_folder_where_it_was_begun() {
    let place = Place::new();
    let mut waits = job("a", "pwd > where; test -e go");
    waits["expected_output"] = json!("where");
    place.manifest(&json!([{"name": "p", "jobs": [waits]}]));
    let text = fs::read_to_string(place.at("m.json")).expect("text");
    let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
    manifest["cwd"] = json!(".");
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    assert_eq!(place.run().status.code(), Some(10));
    let first = fs::read_to_string(place.at("where")).expect("it ran");
    fs::write(place.at("go"), "").expect("write");
    fs::create_dir(place.at("other")).expect("folder");
    let other = place.at("other");
    for args in [
        &["retry", "a", "--state", "../s.json"][..],
        &["run", "--state", "../s.json"],
    ] {
        let mut call = place.command(args);
        let output = call.current_dir(&other).output().expect("ran");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    }
    assert_eq!(
        fs::read_to_string(place.at("where")).expect("it ran"),
        first
    );
    assert!(!other.join("where").exists());
}

/// A running job may be hours of work, so a reload that renames it does not end it.
#[test]
fn a_reload_does_not_end_what_runs_under_another_name() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [waits("old")]}]));
    let mut manager = place.start();
    Place::until("it runs", || place.at("began-old").exists());
    place.manifest(&json!([{"name": "p", "jobs": [waits("new")]}]));
    let output = place.call(&["reload", "--state", "s.json"]);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    assert!(
        said(&output).contains("old; cancel them first"),
        "{output:?}"
    );
    Place::until("it runs on", || {
        said(&place.call(&["status", "--state", "s.json"])).contains("1 running")
    });
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("over").code(), Some(0));
}

#[test]
fn a_job_that_runs_is_running_also_while_a_change_is_taken_over() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [waits("one")]}]));
    let mut manager = place.start();
    let word = || place.state().get("one").map(|row| row["state"].clone());
    Place::until("it runs", || word() == Some(json!("running")));
    for more in ["two", "three", "four"] {
        place.data(&[
            "add", more, "--cmd", "true", "--phase", "p", "--state", "s.json",
        ]);
        // The state file that is current when the answer comes.
        assert_eq!(word(), Some(json!("running")), "after {more}");
        assert!(place.state().contains_key(more));
    }
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("over").code(), Some(0));
}

#[test]
fn strict_takes_the_manifest_of_the_last_run_and_no_other() {
    let place = Place::new();
    let write = |ids: &[&str]| {
        let jobs: Vec<_> = ids.iter().map(|id| job(id, "true")).collect();
        place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    };
    let strict = || {
        place.call(&[
            "run",
            "--strict",
            "--manifest",
            "m.json",
            "--state",
            "s.json",
        ])
    };
    write(&["a", "b"]);
    assert_eq!(place.run().status.code(), Some(0));
    write(&["a"]);
    assert_eq!(strict().status.code(), Some(4));
    assert_eq!(place.run().status.code(), Some(0));
    let output = strict();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn logs_whose_folder_was_removed_are_written_anew() {
    let place = Place::new();
    place.manifest(&json!([
        {"name": "p", "jobs": [waits("a")]},
        {"name": "q", "depends_on": "p", "jobs": [job("b", "echo here")]},
    ]));
    let mut manager = place.start();
    Place::until("it runs", || place.at("began-a").exists());
    fs::remove_dir_all(place.at("logs")).expect("removed");
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    let log = place.call(&["logs", "b", "--state", "s.json"]);
    assert!(said(&log).contains("here"), "{log:?}");
}

#[test]
fn what_a_manifest_says_in_vain_is_refused_or_told() {
    let place = Place::new();
    let call = |more: &str| {
        let text = format!("gpus: []\nconda: none\n{more}\n");
        fs::write(place.at("v.yaml"), text).expect("write");
        let output = place.call(&["preflight", "--manifest", "v.yaml", "--state", "v.json"]);
        let all = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&all).into_owned(),
        )
    };
    for (more, code, words) in [
        (
            "time_limit: 0\njobs: [{id: a, cmd: x}]",
            4,
            "v.yaml:3:13: the manifest: time_limit: 0",
        ),
        (
            "jobs: [{id: a, cmd: x, notice: {signal: USR1, before: 5}}]",
            10,
            "no time_limit",
        ),
        ("jobs: []", 10, "no jobs"),
        (
            "jobs: [{id: a, cmd: x, expected_output: \"${HOME}/x\"}]",
            4,
            "no shell reads expected_output",
        ),
        (
            "jobs: [{id: a, cmd: x, expected_output: \"~/x\"}]",
            4,
            "no shell reads expected_output",
        ),
        (
            "jobs: [{id: a, cmd: x, expected_output: \"$HOME/x\"}]",
            4,
            "no shell reads expected_output",
        ),
    ] {
        let (left, said) = call(more);
        assert_eq!(left, Some(code), "{more}: {said}");
        assert!(said.contains(words), "{more}: {said}");
    }
}

#[test]
fn a_file_of_the_users_is_never_replaced_whatever_the_manifest_is_called() {
    let place = Place::new();
    for (sent, other) in [
        ("grid.json.sent", "grid.json"),
        ("manifest.json.sent", "manifest.json"),
    ] {
        fs::write(place.at(other), "mine").expect("write");
        place.manifest(&json!([{"name": "p", "jobs": [job("a", "true")]}]));
        fs::rename(place.at("m.json"), place.at(sent)).expect("renamed");
        let ran = place.call(&["run", "--manifest", sent, "--state", "s.json"]);
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        assert_eq!(fs::read_to_string(place.at(other)).expect("there"), "mine");
    }
}

#[test]
fn what_is_asked_of_a_job_that_it_has_not_is_told_in_its_own_words() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [job("a", "echo hi")]}]));
    assert_eq!(place.run().status.code(), Some(0));
    for (words, code, said) in [
        (
            &["logs", "a", "--attempt", "0"][..],
            3,
            "has no log of attempt 0",
        ),
        (
            &["logs", "a", "--attempt", "2"],
            3,
            "has no log of attempt 2",
        ),
        (&["edit", "a", "--set", "cmd="], 2, "--set cmd has no value"),
    ] {
        let told = place.call(&[words, &["--state", "s.json"]].concat());
        assert_eq!(told.status.code(), Some(code), "{told:?}");
        let text = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn a_parameter_prints_in_a_precondition_as_in_a_command() {
    let place = Place::new();
    let grid = format!(
        "cwd: {}\ngpus: []\noutput_wait: 0\ngrid: {{n: [.5, +3, true, null, 1e-3]}}\n\
         template: {{id: 'j_${{n}}', cmd: 'test -e \"p_${{n}}\"', preconditions: [{{type: file_exists, path: 'p_{{n}}'}}]}}\n",
        place.at("").display()
    );
    fs::write(place.at("m.json"), grid).expect("written");
    for name in [".5", "+3", "True", "None", "1e-3"] {
        fs::write(place.at(&format!("p_{name}")), "").expect("written");
    }
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
}
