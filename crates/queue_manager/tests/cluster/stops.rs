//! No new jobs are started, neither by the queue nor by Slurm, which already has the next tasks.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::faults::real;
use super::{alone, job, manifest_with};
use crate::queue::{Manager, Place};

/// Number of tasks that Slurm has for this submission.
fn tasks(token: &str) -> usize {
    let squeue = Command::new("squeue")
        .args(["-h", "-r", &format!("--name={token}")])
        .output()
        .expect("squeue");
    String::from_utf8_lossy(&squeue.stdout).lines().count()
}

fn ran(place: &Place, jobs: usize) -> Vec<usize> {
    let lines = |at| fs::read_to_string(place.at(&format!("ran-j{at}")));
    let lines = (0..jobs).map(|at| lines(at).unwrap_or_default().lines().count());
    lines.collect()
}

/// A manager that lets one job run at a time. The first runs until the file `go` exists, and Slurm has the others.
fn one_of(place: &Place, jobs: usize) -> Manager {
    let wait = "until test -e go; do sleep 0.1; done";
    let jobs = (0..jobs).map(|at| job(&format!("j{at}"), wait));
    manifest_with(
        place,
        &json!([{"name": "p", "jobs": jobs.collect::<Vec<Value>>()}]),
        &json!({"max_parallel": 1}),
    );
    let manager = place.start();
    Place::until("the first runs", || place.at("ran-j0").exists());
    Place::until("the state says so", || place.engine_ref("j0").is_some());
    manager
}

#[test]
fn a_paused_queue_takes_back_what_slurm_has_not_started() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let mut manager = one_of(&place, 5);
    let token = place.engine_ref("j0").expect("submitted");
    let token = token.split('#').next().expect("a token").to_owned();
    assert_eq!(place.data(&["pause", "--state", "s.json"])["done"], true);
    Place::until("Slurm has the first alone", || tasks(&token) == 1);
    fs::write(place.at("go"), "").expect("write");
    Place::until("the first is over", || {
        place.state()["j0"]["state"] == "completed"
    });
    Place::until("Slurm has none", || tasks(&token) == 0);
    assert_eq!(ran(&place, 5), [1, 0, 0, 0, 0]);
    assert_eq!(place.data(&["resume", "--state", "s.json"])["done"], true);
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert_eq!(ran(&place, 5), [1; 5]);
}

/// The next manager recognizes which attempts were taken back, and starts these jobs again.
#[test]
fn a_manager_that_is_killed_while_it_takes_back_loses_no_job() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let once = place.at("once").display().to_string();
    let body = format!(
        "{} \"$@\"; test -e '{once}' || {{ touch '{once}'; kill -9 $PPID; }}",
        real("scancel")
    );
    place.program("scancel", &body);
    let mut manager = one_of(&place, 4);
    place.call(&["pause", "--state", "s.json"]);
    manager.wait().expect("killed");
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(place.data(&["resume", "--state", "s.json"])["done"], true);
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(ran(&place, 4), [1; 4]);
}

/// Jobs that are retried afterwards are started.
#[test]
fn after_as_many_failures_as_may_be_slurm_starts_nothing_more() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let jobs = (0..10).map(|at| job(&format!("j{at}"), "sleep 4; exit 1"));
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": jobs.collect::<Vec<Value>>()}]),
        &json!({"max_parallel": 2, "max_failures": 2}),
    );
    assert_eq!(place.run().status.code(), Some(10));
    // Slurm may start two more before it is told.
    let began: usize = ran(&place, 10).iter().sum();
    assert!((2..=4).contains(&began), "{began} began");
    for (id, row) in place.state() {
        let cancelled = row["error"]
            .as_str()
            .is_some_and(|why| why.contains("max_failures"));
        assert_eq!(row["state"], "failed", "{id}");
        assert_eq!(cancelled, !place.at(&format!("ran-{id}")).exists(), "{id}");
    }
    place.data(&["retry", "j9", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(10));
    assert_eq!(ran(&place, 10).last(), Some(&1));
}

#[test]
fn a_job_that_slurm_tells_of_its_limit_goes_on_in_its_next_attempt() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let first = "test $ARIS_ATTEMPT = 1 || exit 0;";
    let saves = format!("{first} trap 'exit 75' TERM; sleep 300 & wait");
    let mut limited = [
        job("saves", &saves),
        job("plain", &format!("{first} exec sleep 300")),
    ];
    for job in &mut limited {
        job["slurm"] = json!({"time": "1"});
    }
    let [saves, plain] = limited;
    // Whoever ended this one, it was not the time limit.
    let mut told = job("told", &format!("{first} exec sleep 300"));
    told["slurm"] = json!({"time": "1:00:00"});
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": [saves, plain, told]}]),
        &json!({"retry": {"time_limit": 1, "delay": 0.1}}),
    );
    let mut manager = place.start();
    Place::until("the last one runs", || {
        place.at("ran-told").exists() && place.engine_ref("told").is_some()
    });
    let token = place.engine_ref("told").expect("submitted");
    let token = token.split('#').next().expect("a token").to_owned();
    let done = Command::new("scancel")
        .args(["--batch", "--signal=TERM", &format!("--name={token}")])
        .status();
    assert!(done.expect("scancel").success());
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    let state = place.state();
    let row = |id: &str| (state[id]["state"].clone(), state[id]["attempts"].clone());
    for id in ["saves", "plain"] {
        assert_eq!(row(id), (json!("completed"), json!(2)), "{id}");
    }
    assert_eq!(row("told"), (json!("failed"), json!(1)));
    assert_eq!(state["told"]["reason"], "signal");
    let journal = fs::read_to_string(place.at(".s.queue/journal.jsonl")).expect("journal");
    let limits = journal.matches("\"reason\":\"time_limit\"").count();
    assert_eq!(limits, 2, "{journal}");
}
