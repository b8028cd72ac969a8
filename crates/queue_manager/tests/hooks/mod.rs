//! Hooks: commands that a queue runs when jobs fail and when it ends.

use std::fs;

use serde_json::{Value, json};

use crate::job;
use crate::queue::Place;

/// The queue's manifest with further settings at its top.
fn with(place: &Place, jobs: &Value, more: &Value) {
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    let text = fs::read_to_string(place.at("m.json")).expect("read");
    let mut manifest: Value = serde_json::from_str(&text).expect("json");
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

#[test]
fn after_so_many_failures_nothing_new_is_started_and_a_retry_goes_on() {
    let place = Place::new();
    let jobs = json!([
        job("a", "test -e fixed"),
        job("b", "test -e fixed"),
        job("c", "touch ran-c"),
        job("d", "touch ran-d"),
    ]);
    with(
        &place,
        &jobs,
        &json!({"max_parallel": 1, "max_failures": 2}),
    );
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    for id in ["c", "d"] {
        assert!(!place.at(&format!("ran-{id}")).exists());
        let error = state[id]["error"].as_str().expect("why");
        assert!(error.contains("max_failures: 2"), "{error}");
        let why = place.data(&["explain", id, "--state", "s.json"]);
        assert!(why["facts"].to_string().contains("max_failures"), "{why}");
    }
    fs::write(place.at("fixed"), "").expect("write");
    place.data(&["retry", "--failed", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    assert!(place.at("ran-c").exists() && place.at("ran-d").exists());
}

#[test]
fn hooks_are_told_of_each_failure_and_of_the_end() {
    let place = Place::new();
    let jobs = json!([
        job("good", "true"), job("bad", "exit 3"), {"id": "again", "cmd": "test $ARIS_ATTEMPT = 2", "retry": {"other": 1, "delay": 0.05}},
    ]);
    let hooks = json!({
        "on_failure": "echo \"$ARIS_JOB $ARIS_REASON $ARIS_QUEUE_STATE\" >> failed",
        "on_end": "echo \"$ARIS_COMPLETED of $ARIS_JOBS\" >> ended; exit 4",
    });
    with(&place, &jobs, &hooks);
    assert_eq!(
        place.run().status.code(),
        Some(10),
        "a hook changes no result"
    );
    let read = |file: &str| fs::read_to_string(place.at(file)).expect("told");
    let state = place.at("s.json").display().to_string();
    assert_eq!(read("failed"), format!("bad exit {state}\n"));
    assert_eq!(read("ended"), "2 of 3\n");
    assert!(read(".s.queue/hooks.log").contains("on_end"));
    // A queue that had ended before does not end again.
    assert_eq!(place.run().status.code(), Some(10));
    assert_eq!(read("ended"), "2 of 3\n");
}

#[test]
fn a_hook_that_hangs_holds_nothing_up() {
    let place = Place::new();
    let stays = job("stays", "sleep 600");
    let jobs = json!([job("bad", "exit 3"), job("next", "touch ran-next"), stays]);
    with(
        &place,
        &jobs,
        &json!({"max_parallel": 2, "on_failure": "touch told; sleep 600"}),
    );
    let mut manager = place.start();
    Place::until("the job after it runs", || {
        place.at("told").exists() && place.at("ran-next").exists()
    });
    Place::until("the state says so", || {
        place.state()["next"]["state"] == "completed"
    });
    // A changed queue is loaded again; that does not wait for the hook either.
    place.data(&[
        "add",
        "more",
        "--cmd",
        "touch ran-more",
        "--state",
        "s.json",
    ]);
    Place::until("the added job runs", || place.at("ran-more").exists());
    manager.kill().expect("killed");
}

#[test]
fn the_end_is_told_also_where_a_changed_queue_has_nothing_left() {
    let place = Place::new();
    let waits = json!({"id": "waits", "cmd": "exit 1", "retry": {"other": 1, "delay": 600}});
    let more = json!({"on_end": "echo told >> ended"});
    with(&place, &json!([job("a", "true"), waits]), &more);
    let mut manager = place.start();
    Place::until("one has ended, one waits for its next attempt", || {
        let state = place.state();
        let is = |id: &str, word: &str| state.get(id).is_some_and(|row| row["state"] == word);
        is("a", "completed") && is("waits", "backoff")
    });
    place.data(&["remove", "waits", "--state", "s.json"]);
    assert!(manager.wait().expect("ended").success());
    let told = fs::read_to_string(place.at("ended"));
    assert_eq!(told.expect("on_end was called"), "told\n");
}

#[test]
fn a_hook_that_fails_is_logged_with_its_job() {
    let place = Place::new();
    with(
        &place,
        &json!([job("bad", "exit 3")]),
        &json!({"on_failure": "echo no network >&2; exit 4"}),
    );
    assert_eq!(place.run().status.code(), Some(10));
    let log = fs::read_to_string(place.at(".s.queue/hooks.log")).expect("a log");
    assert!(
        log.contains("on_failure of \"bad\": exit status 4: no network"),
        "{log}"
    );
}

#[test]
fn hooks_of_several_jobs_run_at_the_same_time_and_the_end_is_told() {
    let place = Place::new();
    let jobs = json!([job("a", "exit 3"), job("b", "exit 3"), job("c", "exit 3")]);
    // Each hook waits until all three have started.
    let meet = "touch begun-$ARIS_JOB; until test -e begun-a -a -e begun-b -a -e begun-c; do sleep 0.05; done; touch met-$ARIS_JOB";
    with(
        &place,
        &jobs,
        &json!({"on_failure": meet, "on_end": "touch ended"}),
    );
    assert_eq!(place.run().status.code(), Some(10));
    for name in ["met-a", "met-b", "met-c", "ended"] {
        assert!(place.at(name).exists(), "{name}");
    }
    assert!(!place.at(".s.queue/hooks.log").exists());
}
