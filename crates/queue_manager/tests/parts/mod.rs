//! A long journal that an earlier version divided into parts.

use std::fs;

use serde_json::{Value, json};

use crate::queue::Place;

/// A queue of which half is over: ends, failures, a hold, budgets.
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

/// What the jobs have come to, without what is of the moment.
fn jobs(place: &Place) -> Vec<Value> {
    place.state().into_values().collect()
}

#[test]
fn a_journal_in_parts_is_taken_up_as_a_whole() {
    let place = half_done();
    let before = jobs(&place);
    let (whole, part) = (
        place.at(".s.queue/journal.jsonl"),
        place.at(".s.queue/journal.1.jsonl"),
    );
    let text = fs::read_to_string(&whole).expect("journal");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (first, second) = lines.split_at(lines.len() / 2);
    fs::write(part, first.concat()).expect("written");
    fs::write(whole, second.concat()).expect("written");
    // An earlier version kept this beside it.
    fs::write(place.at(".s.queue/checkpoint.json"), "{}").expect("written");
    place.data(&["adopt", "--state", "s.json"]);
    assert_eq!(jobs(&place), before);
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
