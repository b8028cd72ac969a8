//! A queue's folder that is moved or removed while its manager runs.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::job;
use crate::queue::Place;

/// A queue whose first job runs until `go` exists, and whose second depends on it; and its manager, whose stderr goes to `told`.
fn running() -> (Place, std::process::Child) {
    let place = Place::within("q");
    // It also ends when the test's folder is removed, so that nothing outlives the test.
    let outside = place.outside().display().to_string();
    let first = format!(
        "touch began; until test -e {outside}/go || ! test -d {outside}; do sleep 0.05; done"
    );
    place.manifest(&json!([
        {"name": "p", "jobs": [job("first", &first)]},
        {"name": "s", "depends_on": "p", "jobs": [job("second", "touch second")]},
    ]));
    let told = fs::File::create(place.outside().join("told")).expect("file");
    let manager = place
        .command(&["run", "--manifest", "m.json", "--state", "s.json"])
        .stderr(told)
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("started");
    Place::until("the first runs", || {
        place
            .state()
            .get("first")
            .is_some_and(|row| row["state"] == "running")
    });
    (place, manager)
}

#[test]
fn a_manager_whose_folder_is_moved_stops_and_the_new_place_tells_and_goes_on() {
    let (place, mut manager) = running();
    let moved = place.outside().join("moved");
    fs::rename(place.at(""), &moved).expect("moved");
    let code = manager.wait().expect("over").code();
    let told = fs::read_to_string(place.outside().join("told")).expect("told");
    assert_eq!(code, Some(5), "{told}");
    assert_eq!(told.matches("was moved or removed").count(), 1, "{told}");
    assert!(
        !place.at("").exists(),
        "nothing is written at the old place"
    );
    let call = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queue_manager"));
        let output = command.args(args).current_dir(&moved).output();
        output.expect("ran")
    };
    let status = call(&["status", "--state", "s.json", "--json"]);
    let status: Value = serde_json::from_slice(&status.stdout).expect("envelope");
    let notices = status["data"]["notices"].to_string();
    assert!(
        notices.contains("moved or copied")
            && notices.contains(&place.at("s.json").display().to_string()),
        "{status}"
    );
    fs::write(place.outside().join("go"), "").expect("write");
    // The running job wrote into a removed folder. Whatever its result, it does not run again unless somebody asks for it.
    let run = call(&["run", "--state", "s.json"]);
    assert!(matches!(run.status.code(), Some(0 | 10)), "{run:?}");
    let status = call(&["status", "--state", "s.json", "--json"]);
    assert!(!String::from_utf8_lossy(&status.stdout).contains("moved or copied"));
    let journal = fs::read_to_string(moved.join(".s.queue/journal.jsonl")).expect("journal");
    assert_eq!(
        journal.matches("\"start\":{\"id\":\"first\"").count(),
        1,
        "{journal}"
    );
}

#[test]
fn a_copy_of_a_queue_that_runs_neither_starts_nor_ends_anything() {
    let (place, mut manager) = running();
    let copy = place.outside().join("copy");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(place.at(""))
        .arg(&copy)
        .status();
    assert!(copied.expect("ran").success());
    let state = copy.join("s.json").display().to_string();
    for args in [&["run"][..], &["start"], &["cancel", "first"]] {
        let refused = place.call(&[args, &["--state", &state]].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(5), "{args:?}: {refused:?}");
        assert!(said.contains("copy of the queue"), "{args:?}: {said}");
    }
    let status = place.data(&["status", "--state", &state])["notices"].to_string();
    assert!(
        status.contains("nothing is started or ended from here"),
        "{status}"
    );
    let explained = place
        .data(&["explain", "first", "--state", &state])
        .to_string();
    assert!(!explained.contains("runner is gone"), "{explained}");
    fs::write(place.outside().join("go"), "").expect("write");
    assert_eq!(manager.wait().expect("over").code(), Some(0));
    let journal = fs::read_to_string(copy.join(".s.queue/journal.jsonl")).expect("journal");
    assert_eq!(journal.matches("\"start\":").count(), 1, "{journal}");
    assert_eq!(place.state()["first"]["state"], "completed");
}

#[test]
fn a_copy_does_not_end_the_jobs_of_its_original_whose_manager_is_gone() {
    let (place, mut manager) = running();
    manager.kill().expect("killed");
    manager.wait().expect("over");
    let copy = place.outside().join("copy");
    let copied = Command::new("cp")
        .arg("-a")
        .arg(place.at(""))
        .arg(&copy)
        .status();
    assert!(copied.expect("ran").success());
    let state = copy.join("s.json").display().to_string();
    for args in [&["cancel", "first"][..], &["run"]] {
        let refused = place.call(&[args, &["--state", &state]].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(5), "{args:?}: {refused:?}");
        assert!(said.contains("copy of the queue"), "{args:?}: {said}");
    }
    fs::write(place.outside().join("go"), "").expect("write");
    let run = place.call(&["run", "--state", "s.json"]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert_eq!(place.state()["first"]["state"], "completed");
    // Nothing runs in the original any more, so the copy is a queue of its own.
    let run = place.call(&["run", "--state", &state]);
    assert!(matches!(run.status.code(), Some(0 | 10)), "{run:?}");
}

#[test]
fn a_queue_that_was_moved_with_its_manifest_reads_it_there() {
    let place = Place::within("q");
    let manifest = |command: &str| {
        place.manifest(&json!([{"name": "p", "jobs": [job("first", command)]}]));
    };
    manifest("true");
    let run = place.call(&["run", "--manifest", "m.json", "--state", "s.json"]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    manifest("echo other");
    let moved = place.outside().join("moved");
    fs::rename(place.at(""), &moved).expect("moved");
    let reload = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queue_manager"));
        let state = moved.join("s.json");
        command.args(["reload", "--json", "--state"]).arg(state);
        let output = command.current_dir(place.outside()).output().expect("ran");
        let said: Value = serde_json::from_slice(&output.stdout).expect("envelope");
        (output.status.code(), said)
    };
    let (code, said) = reload();
    assert_eq!(code, Some(0), "{said}");
    let notes = said["data"]["notes"].to_string();
    assert!(notes.contains("changed cmd of first"), "{said}");
    let kept = fs::read_to_string(moved.join(".s.queue/queue.json")).expect("kept");
    let path = moved.join("m.json").display().to_string();
    assert!(kept.contains(&path), "{kept}");
    fs::remove_file(moved.join("m.json")).expect("removed");
    let (code, said) = reload();
    assert_eq!(code, Some(3), "{said}");
    let hint = said["error"]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("--manifest FILE"), "{said}");
}

#[test]
fn a_manager_whose_queue_is_removed_writes_no_second_state() {
    let (place, mut manager) = running();
    fs::rename(place.at(".s.queue"), place.outside().join("away")).expect("moved");
    fs::remove_file(place.at("s.json")).expect("removed");
    assert_eq!(manager.wait().expect("over").code(), Some(5));
    assert!(!place.at("s.json").exists() && !place.at(".s.queue").exists());
    assert!(!place.at("second").exists());
    fs::write(place.outside().join("go"), "").expect("write");
}

#[test]
fn a_link_to_a_state_file_names_its_queue_and_no_second_one() {
    let (place, manager) = running();
    let mut manager = crate::queue::Manager(manager);
    std::os::unix::fs::symlink(place.at("s.json"), place.outside().join("l.json")).expect("link");
    std::os::unix::fs::symlink("l.json", place.outside().join("m.json")).expect("link");
    for link in ["l.json", "m.json"] {
        let link = place.outside().join(link).display().to_string();
        let started = place.call(&["start", "--state", &link]);
        assert_eq!(started.status.code(), Some(5), "{started:?}");
        let status = place.data(&["status", "--state", &link]);
        assert_ne!(status["manager"], Value::Null, "{status}");
    }
    assert!(!place.outside().join(".l.queue").exists());
    place.data(&["cancel", "--all", "--state", "s.json"]);
    manager.wait().expect("ended");
}

#[test]
fn the_logs_of_a_queue_that_was_moved_are_found() {
    for logs in ["logs", "other"] {
        let place = Place::within("q");
        place.manifest(&json!([{"name": "p", "jobs": [job("a", "echo told; exit 1")]}]));
        let run = [
            "run",
            "--manifest",
            "m.json",
            "--state",
            "s.json",
            "--log-dir",
            logs,
        ];
        assert_eq!(place.call(&run).status.code(), Some(10));
        let moved = place.outside().join("moved");
        fs::rename(place.at(""), &moved).expect("moved");
        let call = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_queue_manager"));
            command.args(args).args(["--state", "s.json"]);
            let output = command.current_dir(&moved).output().expect("ran");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        // With and without a run of a manager in the new place.
        for taken_up in [false, true] {
            for args in [&["logs", "a"][..], &["report"]] {
                let said = call(args);
                assert!(said.contains("told"), "{logs} {taken_up} {args:?}: {said}");
            }
            assert!(call(&["explain", "a"]).contains("the log of attempt 1"));
            call(&["run"]);
        }
    }
}

/// A queue in `base/q`, begun in `base` where its jobs run, one of which has failed there.
fn begun_above(within: &str) -> Place {
    let place = Place::within(within);
    fs::create_dir(place.at("q")).expect("folder");
    let text = "gpus: []\nlinger: 0\noutput_wait: 0\njobs: [{id: a, cmd: pwd >> where; exit 3}]\n";
    fs::write(place.at("q/m.yaml"), text).expect("write");
    let run = place.call(&["run", "--manifest", "q/m.yaml"]);
    assert_eq!(run.status.code(), Some(10), "{run:?}");
    place
}

/// A call from a folder that has nothing to do with the queue, in which no job may run.
fn from_elsewhere(place: &Place, args: &[&str]) -> (Option<i32>, String) {
    let elsewhere = place.outside().join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("folder");
    let mut command = place.command(args);
    let output = command.current_dir(&elsewhere).output().expect("ran");
    assert!(!elsewhere.join("where").exists(), "{args:?}: {output:?}");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn jobs_of_a_queue_that_was_moved_run_where_their_folder_is_now() {
    // The queue's own folder, and one above it.
    let inside = Place::within("base");
    let text = "gpus: []\nlinger: 0\noutput_wait: 0\njobs: [{id: a, cmd: pwd >> where; exit 3}]\n";
    fs::write(inside.at("m.yaml"), text).expect("write");
    let run = inside.call(&["run", "--manifest", "m.yaml"]);
    assert_eq!(run.status.code(), Some(10), "{run:?}");
    for (place, queue) in [(inside, ""), (begun_above("base"), "q")] {
        let moved = place.outside().join("moved");
        fs::rename(place.at(""), &moved).expect("moved");
        let state = moved
            .join(queue)
            .join("queue_state.json")
            .display()
            .to_string();
        for (args, code) in [(&["retry", "a"][..], 0), (&["run"], 10)] {
            let words = [args, &["--state", &state]].concat();
            let (found, said) = from_elsewhere(&place, &words);
            assert_eq!(found, Some(code), "{args:?}: {said}");
        }
        let said = fs::read_to_string(moved.join("where")).expect("ran");
        assert_eq!(said.lines().last(), moved.to_str(), "{said}");
    }
}

#[test]
fn nothing_starts_while_the_folder_is_away_where_the_queue_was_begun() {
    let place = begun_above("base");
    // The queue lies outside that folder now, and so is there when the folder is not.
    fs::rename(place.at("q"), place.outside().join("q")).expect("moved");
    let away = place.outside().join("away");
    let state = place
        .outside()
        .join("q/queue_state.json")
        .display()
        .to_string();
    let call = |args: &[&str]| from_elsewhere(&place, &[args, &["--state", &state]].concat());
    assert_eq!(call(&["retry", "a"]).0, Some(0));
    fs::rename(place.at(""), &away).expect("moved");
    for args in [&["run"][..], &["start"], &["retry", "a", "--start"]] {
        let (code, said) = call(args);
        assert_eq!(code, Some(5), "{args:?}: {said}");
        assert!(
            said.contains("is not there, where the queue was begun"),
            "{said}"
        );
    }
    for args in [&["status"][..], &["explain", "a"]] {
        let (code, said) = call(args);
        assert_eq!(code, Some(0), "{args:?}: {said}");
    }
    fs::rename(&away, place.at("")).expect("back");
    assert_eq!(call(&["run"]).0, Some(10));
    let said = fs::read_to_string(place.at("where")).expect("ran");
    assert_eq!(said.lines().count(), 2, "{said}");
}
