//! Declared outputs in the exit record.

use aris_attempt::format::{Ending, OutputSeen};

use crate::place::Place;

fn seen(pattern: &str, matches: u64, fresh: u64) -> OutputSeen {
    OutputSeen {
        pattern: String::from(pattern),
        matches,
        fresh,
    }
}

#[test]
fn old_and_new_outputs_are_told_apart() {
    let place = Place::new();
    std::fs::write(place.at("old.json"), "1").expect("written");
    let mut spec = place.spec("echo 2 >new.json");
    spec.outputs = ["*.json", "old.json", "absent/*"]
        .map(String::from)
        .to_vec();
    let exit = place.run(&spec);
    assert_eq!(exit.ending, Ending::Code(0));
    assert_eq!(
        exit.outputs,
        [
            seen("*.json", 2, 1),
            seen("old.json", 1, 0),
            seen("absent/*", 0, 0)
        ]
    );
}

#[test]
fn a_late_output_is_waited_for() {
    let place = Place::new();
    // Another thread writes the file after the command has ended, as on a network file system.
    let late = place.at("late.json");
    let record = place.attempt();
    let mut spec = place.spec("true");
    spec.outputs = vec![String::from("late.json")];
    spec.output_wait_ms = 100_000;
    let exit = std::thread::scope(|scope| {
        scope.spawn(|| {
            crate::place::until("the start", || record.join("start.json").exists());
            std::fs::write(&late, "1").expect("written");
        });
        place.run(&spec)
    });
    assert_eq!(exit.outputs, [seen("late.json", 1, 1)]);
}

#[test]
fn nothing_is_waited_for_after_a_failure() {
    let place = Place::new();
    let mut spec = place.spec("exit 1");
    spec.outputs = vec![String::from("never.json")];
    spec.output_wait_ms = 3_600_000;
    assert_eq!(place.run(&spec).outputs, [seen("never.json", 0, 0)]);
}
