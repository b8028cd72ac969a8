//! Queues under crashes: the manifest, and the import of a state file. The queue's own crate tests a manager that is killed
//! while jobs run, because here the jobs' runners would die too.

use aris_testkit::Project;

use super::{project, survives};

const GRID: &str = "project: p\ngrid: {N: [1, 2]}\ntemplate: {id: \"j${N}\", cmd: \"echo ${N}\"}\n";

const MANIFEST: &str =
    r#"{"cwd": ".", "gpus": [], "jobs": [{"id": "a", "cmd": "true"}, {"id": "b", "cmd": "true"}]}"#;

/// A state file of the reference's manager.
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
