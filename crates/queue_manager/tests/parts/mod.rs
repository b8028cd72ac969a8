//! A journal that has become long: its parts, and a manager that dies while it begins one.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::queue::Place;

/// A queue of which half is over; in it are all that a checkpoint keeps: ends, failures, a hold, budgets.
fn half_done() -> Place {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "good", "cmd": "echo x >>ran; true"},
        {"id": "bad", "cmd": "exit 3"},
        {"id": "twice", "cmd": "[ -e again ] || { touch again; exit 1; }", "retry": {"other": 1, "delay": 0}},
        {"id": "held", "cmd": "echo x >>ran"},
        {"id": "after", "cmd": "echo x >>ran", "needs": ["held"]},
    ]}]));
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    place.data(&["hold", "held", "--state", "s.json"]);
    let mut manager = place.start();
    Place::until("the others are over", || {
        let state = place.state();
        let is = |id: &str, word: &str| state.get(id).is_some_and(|job| job["state"] == word);
        is("good", "completed") && is("bad", "failed") && is("twice", "completed")
    });
    manager.kill().expect("killed");
    manager.wait().expect("ended");
    place
}

/// Begins a part and leaves at once.
fn begin_part(place: &Place, fault: Option<u32>) -> Output {
    let mut command = place.command(&["run", "--manifest", "m.json", "--state", "s.json"]);
    command.args(["--part", "1", "--max-wait", "0"]);
    if let Some(fault) = fault {
        command.env("ARIS_FAULT_AT", fault.to_string());
    }
    command.output().expect("ran")
}

/// What the jobs have come to, without what is of the moment.
fn jobs(place: &Place) -> Vec<Value> {
    place.state().into_values().collect()
}

#[test]
fn a_part_is_begun_and_everything_is_as_before() {
    let place = half_done();
    let before = jobs(&place);
    for parts in 1..3 {
        assert_eq!(begin_part(&place, None).status.code(), Some(6));
        assert_eq!(jobs(&place), before);
        assert!(
            place
                .at(&format!(".s.queue/journal.{parts}.jsonl"))
                .exists()
        );
        // Something new for the next part.
        place.data(&["pause", "--state", "s.json"]);
        place.data(&["resume", "--state", "s.json"]);
    }
    place.data(&["release", "held", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(10));
    assert_eq!(
        fs::read_to_string(place.at("ran")).expect("ran"),
        "x\nx\nx\n"
    );
    let report = place.data(&["report", "--state", "s.json"]);
    // Of an attempt that only the first part tells of.
    assert_eq!(report["counts"]["completed_after_retry"], 1, "{report}");
}

#[test]
fn a_manager_that_dies_at_any_change_while_it_begins_a_part_loses_nothing() {
    let place = half_done();
    let before = jobs(&place);
    for fault in 1.. {
        let output = begin_part(&place, Some(fault));
        if output.status.code().is_some() {
            assert!(fault > 5, "crash points are not compiled in: {output:?}");
            break;
        }
        let found = place.data(&["status", "--jobs", "--state", "s.json"]);
        assert_eq!(
            found["counts"],
            json!({"completed": 2, "failed": 1, "hold": 1, "waiting": 1}),
            "crash {fault}"
        );
        let facts = place.data(&["explain", "twice", "--state", "s.json"]);
        assert_eq!(facts["state"], "completed", "crash {fault}");
        // Takes the queue up, writes its state, and leaves.
        place.data(&["adopt", "--state", "s.json"]);
        assert_eq!(jobs(&place), before, "crash {fault}");
    }
    place.data(&["release", "held", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(10));
    assert_eq!(
        fs::read_to_string(place.at("ran")).expect("ran"),
        "x\nx\nx\n"
    );
}
