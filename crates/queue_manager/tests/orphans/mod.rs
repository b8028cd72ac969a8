//! Runners and managers that are killed while the commands continue with their cards.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::job;
use crate::queue::Place;

const RUN: [&str; 5] = ["retry", "a", "--state", "s.json", "--json"];

/// Kills only the runner of the first attempt of `a`.
fn kill_runner(place: &Place) {
    let folder = aris_attempt::format::folder(&place.at(".s.queue"), "a", 1);
    let claim = fs::read(folder.join("claim.json")).expect("claimed");
    let claim: Value = serde_json::from_slice(&claim).expect("json");
    let pid = claim["runner"]["pid"].to_string();
    let killed = Command::new("kill").args(["-KILL", &pid]).status();
    assert!(killed.expect("run").success());
}

fn lines(place: &Place, file: &str) -> usize {
    let text = fs::read_to_string(place.at(file)).unwrap_or_default();
    text.lines().count()
}

/// `a` runs until `go` exists, and then writes a line; its shell starts a child for that.
fn writes() -> Value {
    let cmd = "echo x >> ran-a; (until test -e go || ! test -e \"$PWD\"; do sleep 0.02; done; echo x >> end-a) & wait";
    json!([{"name": "p", "jobs": [job("a", cmd)]}])
}

/// `a` sleeps for ten minutes, with a time limit of two seconds.
fn limited() -> Value {
    let mut limited = job("a", "echo x >> ran-a; exec sleep 600");
    limited["time_limit"] = json!(2);
    json!([{"name": "p", "jobs": [limited]}])
}

/// The time limit is enforced by the runner; if the runner is dead, by the manager.
#[test]
fn a_time_limit_holds_although_the_runner_was_killed() {
    let place = Place::new();
    place.manifest(&limited());
    let mut manager = place.start();
    Place::until("it runs", || lines(&place, "ran-a") == 1);
    kill_runner(&place);
    assert_eq!(manager.wait().expect("over").code(), Some(10));
    let row = place.state()["a"].clone();
    assert_eq!(
        (&row["state"], &row["reason"]),
        (&json!("failed"), &json!("time_limit"))
    );
}

/// A runner that is killed after it has started the command and before it has written the start record.
#[test]
fn a_time_limit_holds_although_the_runner_left_no_record_of_the_start() {
    let place = Place::new();
    place.manifest(&limited());
    let mut manager = place.start();
    let start = aris_attempt::format::folder(&place.at(".s.queue"), "a", 1).join("start.json");
    Place::until("it runs", || lines(&place, "ran-a") == 1 && start.exists());
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    kill_runner(&place);
    fs::remove_file(start).expect("removed");
    let mut manager = place.start();
    assert_eq!(manager.wait().expect("over").code(), Some(10));
    let row = place.state()["a"].clone();
    assert_eq!(
        (&row["state"], &row["reason"]),
        (&json!("failed"), &json!("time_limit"))
    );
}

#[test]
fn a_job_whose_runner_alone_was_killed_runs_and_gets_no_second_writer() {
    // The manager sees it die, or the next manager finds it dead.
    for managed in [true, false] {
        let place = Place::new();
        place.manifest(&writes());
        let mut manager = place.start();
        Place::until("it runs", || {
            place
                .state()
                .get("a")
                .is_some_and(|row| row["state"] == "running")
        });
        if !managed {
            manager.kill().expect("killed");
            manager.wait().expect("gone");
        }
        kill_runner(&place);
        let refused = |words: &[&str]| {
            let output = place.command(words).output().expect("ran");
            let envelope: Value = serde_json::from_slice(&output.stdout).expect("envelope");
            assert_eq!(output.status.code(), Some(10), "{managed}: {envelope}");
            let line = envelope["data"]["refused"][0].as_str().expect("refused");
            assert!(line.contains("running"), "{line}");
        };
        if managed {
            Place::until("the manager knows", || {
                let status = place.data(&["explain", "a", "--state", "s.json"]);
                status["state"] == "running"
            });
        }
        refused(&RUN);
        place.data(&["retry", "--failed", "--state", "s.json"]);
        if !managed {
            manager = place.start();
            Place::until("it is taken up", || {
                place.data(&["status", "--state", "s.json"])["manager"] != Value::Null
            });
            refused(&RUN);
        }
        assert_eq!((lines(&place, "ran-a"), lines(&place, "end-a")), (1, 0));
        fs::write(place.at("go"), "").expect("write");
        assert_eq!(manager.wait().expect("ended").code(), Some(10));
        let row = &place.state()["a"];
        assert_eq!(row["state"], "lost", "{managed}: nobody saw how it ended");
        assert_eq!((lines(&place, "ran-a"), lines(&place, "end-a")), (1, 1));
        // Now the job may be retried.
        place.data(&["retry", "--failed", "--state", "s.json"]);
        assert_eq!(place.run().status.code(), Some(0));
        assert_eq!((lines(&place, "ran-a"), lines(&place, "end-a")), (2, 2));
    }
}

#[test]
fn a_job_without_a_runner_is_ended_when_a_person_asks_for_it() {
    let place = Place::new();
    let cmd = "echo x >> ran-a; trap '' TERM; (trap '' TERM; setsid sleep 600) & until test -e go; do sleep 0.02; done";
    place.manifest(&json!([{"name": "p", "jobs": [job("a", cmd)]}]));
    let mut manager = place.start();
    Place::until("it runs", || {
        place
            .state()
            .get("a")
            .is_some_and(|row| row["state"] == "running")
    });
    kill_runner(&place);
    assert_eq!(
        place.data(&["cancel", "a", "--state", "s.json"])["done"],
        true
    );
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    assert_eq!(place.state()["a"]["state"], "cancelled");
    let folder = aris_attempt::format::folder(&place.at(".s.queue"), "a", 1);
    let lock = fs::File::open(folder.join("tree")).expect("open");
    lock.try_lock().expect("nothing of it is left");
}

#[test]
fn jobs_that_share_a_card_do_so_after_the_manager_was_killed() {
    let place = Place::new();
    place.nvidia_smi("echo '0, GPU-0, 3, 24576, [N/A]'");
    let cmd = |id: &str| format!("touch began-{id}; until test -e go-{id}; do sleep 0.02; done");
    let share = |id: &str| json!({"id": id, "cmd": cmd(id), "gpus": 1, "gpu_mem_mib": 10000});
    let manifest = json!({
        "project": "share", "cwd": place.at(""), "linger": 0, "output_wait": 0, "jobs": [share("a"), share("b"), share("c")],
    });
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
    let mut manager = place.start();
    Place::until("two share the card", || {
        place.at("began-a").exists() && place.at("began-b").exists()
    });
    assert!(!place.at("began-c").exists());
    let why = place
        .data(&["explain", "c", "--state", "s.json"])
        .to_string();
    assert!(
        why.contains("it needs 1 card, 0 can be given")
            && why
                .contains(r#"card 0 has 24576 MiB, of which 20000 are given to \"a\" and 1 more"#),
        "{why}"
    );
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    let mut manager = place.start();
    fs::write(place.at("go-a"), "").expect("write");
    Place::until("the third joins the second", || {
        place.at("began-c").exists()
    });
    fs::write(place.at("go-b"), "").expect("write");
    Place::until("the second is over", || {
        place.state()["b"]["state"] == "completed"
    });
    // Another queue, with or without sharing, finds the card in use.
    for more in [json!({}), json!({"gpu_mem_mib": 1000})] {
        let other = Place::new();
        other.nvidia_smi("echo '0, GPU-0, 3, 24576, [N/A]'");
        let mut job = json!({"id": "x", "cmd": "touch ran", "gpus": 1});
        for (key, value) in more.as_object().expect("settings") {
            job[key] = value.clone();
        }
        let manifest = json!({"cwd": other.at(""), "jobs": [job]});
        fs::write(other.at("m.json"), manifest.to_string()).expect("write");
        let output = other
            .command(&[
                "run",
                "--manifest",
                "m.json",
                "--state",
                "s.json",
                "--max-wait",
                "2",
            ])
            .env("ARIS_QUEUE_LEASES", place.at("leases"))
            .output()
            .expect("ran");
        assert_eq!(output.status.code(), Some(6), "{output:?}");
        assert!(!other.at("ran").exists());
    }
    fs::write(place.at("go-c"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
}
