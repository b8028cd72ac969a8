//! A queue: the manifest, and the taking over of a state file. That a manager may be killed while jobs run is a test of its own crate: the
//! runners of jobs would die here as well.

use aris_testkit::Project;

use super::{project, survives};

const GRID: &str = "project: p\ngrid: {N: [1, 2]}\ntemplate: {id: \"j${N}\", cmd: \"echo ${N}\"}\n";

const MANIFEST: &str =
    r#"{"cwd": ".", "gpus": [], "jobs": [{"id": "a", "cmd": "true"}, {"id": "b", "cmd": "true"}]}"#;

/// As the reference's manager leaves it.
const STATE: &str = r#"{"meta": {}, "phases": [], "jobs": [{"id": "a", "status": "completed", "attempts": 1}, {"id": "b", "status": "running", "attempts": 1}]}"#;

fn queue() -> Project {
    project().file("m.json", MANIFEST).file("s.json", STATE)
}

#[test]
fn a_manifest_is_whole_or_not_there() {
    survives(
        "build_manifest",
        &["--config", "g.yaml", "--output", "m.json"],
        || project().file("g.yaml", GRID),
        0,
        &["m.json"],
    );
}

#[test]
fn a_state_file_is_taken_over_once() {
    survives(
        "queue_manager",
        &["adopt", "--manifest", "m.json", "--state", "s.json"],
        queue,
        0,
        &["s.json", "journal.jsonl", "queue.json"],
    );
}

#[test]
fn a_request_is_carried_out_or_was_never_made() {
    survives(
        "queue_manager",
        &["cancel", "b", "--state", "s.json"],
        || {
            let project = queue();
            project.write(
                "s.json",
                r#"{"meta": {"manifest_path": "m.json"}, "phases": [], "jobs": []}"#,
            );
            project
        },
        0,
        &["s.json", "journal.jsonl"],
    );
}
