//! `explain` gives a cause and its source for every job that is not running: for all reasons, and for all states without a reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::queue::Place;

/// All words of [`Reason`](aris_queue::state::Reason). **Source**: the published schema, which is generated from the type.
fn reasons() -> BTreeSet<String> {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../schemas/aris.queue_manager.state.v1.json");
    let schema = fs::read_to_string(schema).expect("schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let words = schema["$defs"]["Reason"]["oneOf"]
        .as_array()
        .expect("words");
    let words = words
        .iter()
        .map(|word| word["const"].as_str().expect("a word"));
    words.map(str::to_owned).collect()
}

/// Calls `explain` for a job, and checks that the answer contains `text` with this `evidence`.
fn why(place: &Place, job: &str, state: &str, reason: Option<&str>, text: &str, evidence: &str) {
    let why = place.data(&["explain", job, "--state", "s.json"]);
    assert_eq!(
        (why["state"].as_str(), why["reason"].as_str()),
        (Some(state), reason),
        "{why}"
    );
    let facts = why["facts"].as_array().expect("facts");
    let fits = |fact: &&Value| {
        let part = |key: &str, part: &str| fact[key].as_str().unwrap_or_default().contains(part);
        part("text", text) && part("evidence", evidence)
    };
    let fact = facts.iter().find(fits);
    assert!(
        fact.is_some(),
        "{job}: no {text:?} by {evidence:?} in {why:#}"
    );
    if evidence.ends_with("exit.json of the attempt") {
        let records = Path::new(why["records"].as_str().expect("records"));
        assert_eq!(
            records.join("exit.json").exists(),
            !evidence.starts_with("no "),
            "{job}"
        );
    }
}

/// Jobs that end on this machine without a cluster: command and further keys, state, reason, text and evidence.
const HERE: [(&str, &str, &str, &str, &str, &str, &str); 11] = [
    (
        "exit 3",
        "{}",
        "failed",
        "exit",
        "exit status 3",
        "exit.json of the attempt",
        "exit",
    ),
    (
        "kill -SEGV $$",
        "{}",
        "failed",
        "signal",
        "signal 11",
        "exit.json of the attempt",
        "signal",
    ),
    (
        "true",
        r#"{"expected_output": "no*"}"#,
        "failed",
        "no_output",
        "no file matches no*",
        "exit.json of the attempt",
        "noout",
    ),
    (
        "true",
        r#"{"expected_output": "old"}"#,
        "failed",
        "output_unchanged",
        "before the start",
        "exit.json of the attempt",
        "unchanged",
    ),
    (
        "echo CUDA out of memory; exit 1",
        r#"{"retry": {"oom": 0}}"#,
        "failed",
        "gpu_oom",
        "at byte 0",
        "exit.json of the attempt",
        "gpuoom",
    ),
    (
        "kill -KILL $$",
        r#"{"retry": {"oom": 0}}"#,
        "failed",
        "host_oom",
        "memory ran out",
        "exit.json of the attempt",
        "hostoom",
    ),
    (
        "sleep 600",
        r#"{"time_limit": 0.2}"#,
        "failed",
        "time_limit",
        "time limit passed",
        "exit.json of the attempt",
        "limit",
    ),
    (
        "kill -KILL $PPID; exec sleep 1",
        "{}",
        "lost",
        "lost",
        "left no exit record",
        "no exit.json of the attempt",
        "gone",
    ),
    (
        "true",
        r#"{"cwd": "nowhere"}"#,
        "failed",
        "start_failed",
        "nowhere is not a directory",
        "exit.json of the attempt",
        "nostart",
    ),
    (
        "true",
        r#"{"preconditions": [{"type": "file_exists", "path": "data.bin"}]}"#,
        "failed",
        "precondition",
        "data.bin is missing",
        "the disk",
        "nodata",
    ),
    (
        "true",
        r#"{"needs": ["exit"]}"#,
        "blocked",
        "dependency",
        "because of \"exit\" (failed): exit status 3",
        "job exit",
        "orphan",
    ),
];

#[test]
fn every_reason_of_the_list_is_explained_with_its_evidence() {
    let mut seen: BTreeSet<String> = HERE.iter().map(|row| row.3.to_owned()).collect();
    let place = Place::new();
    fs::write(place.at("old"), "").expect("write");
    let mut jobs: Vec<Value> = HERE
        .iter()
        .map(|(cmd, more, .., id)| {
            let mut job: Value = serde_json::from_str(more).expect("JSON");
            (job["id"], job["cmd"]) = (json!(id), json!(cmd));
            job
        })
        .collect();
    jobs.extend(["early", "late", "taken"].map(|id| json!({"id": id, "cmd": "exec sleep 600"})));
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    // A state file of the reference.
    let old = json!({"meta": {}, "phases": [], "jobs": [{"id": "taken", "status": "stuck", "attempts": 3}]});
    fs::write(place.at("s.json"), old.to_string()).expect("write");
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    place.data(&["cancel", "early", "--state", "s.json"]);
    let mut manager = place.start();
    Place::until("the last one runs", || {
        place
            .state()
            .get("late")
            .is_some_and(|row| row["state"] == "running")
    });
    place.data(&["cancel", "late", "--state", "s.json"]);
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    for (_, _, state, reason, text, evidence, id) in HERE {
        why(&place, id, state, Some(reason), text, evidence);
    }
    why(
        &place,
        "early",
        "cancelled",
        Some("cancelled"),
        "before it ran",
        "journal",
    );
    why(
        &place,
        "late",
        "cancelled",
        Some("cancelled"),
        "cancelled; ended by signal 15",
        "exit.json of the attempt",
    );
    why(
        &place,
        "taken",
        "failed",
        Some("imported"),
        "not completed in the state file",
        "state file",
    );
    seen.extend(["cancelled", "imported"].map(str::to_owned));

    // What only a cluster does, with programs that answer like Slurm's.
    let cluster = |sbatch: &str, word: &str| {
        let place = Place::new();
        let here = place.at("").display().to_string();
        place.program("scontrol", "echo 'MaxArraySize = 1001'");
        place.program("sbatch", &format!("cat >/dev/null; for word; do case $word in --job-name=*) echo \"${{word#*=}}\" >'{here}/token';; esac; done; {sbatch}"));
        place.program(
            "squeue",
            &format!("echo \"7_0|8|7|0|{word}|None|n1|x|y|$(cat '{here}/token')\""),
        );
        place.program("sacct", "true");
        let manifest = json!({"cwd": here, "engine": "slurm", "gpus_per_job": 0, "retry": {"infra": 0}, "jobs": [{"id": "far", "cmd": "true"}]});
        fs::write(place.at("m.json"), manifest.to_string()).expect("write");
        place
    };
    let places = [
        ("echo 7", "NODE_FAIL", "node_fail", "Slurm says NODE_FAIL"),
        ("echo 7", "PREEMPTED", "preempted", "Slurm says PREEMPTED"),
        (
            "echo 'sbatch: error: invalid partition specified: x' >&2; exit 1",
            "",
            "engine_rejected",
            "invalid partition",
        ),
    ]
    .map(|(sbatch, word, reason, text)| (cluster(sbatch, word), reason, text));
    let mut managers: Vec<_> = places.iter().map(|(place, ..)| place.start()).collect();
    for ((place, reason, text), manager) in places.iter().zip(&mut managers) {
        assert_eq!(manager.wait().expect("ended").code(), Some(10));
        // A job that was never accepted has no name in Slurm.
        let evidence = match *reason {
            "engine_rejected" => "the engine's answer",
            _ => "Slurm, aq-",
        };
        why(place, "far", "failed", Some(reason), text, evidence);
        seen.insert((*reason).to_owned());
    }
    assert_eq!(seen, reasons(), "every reason there is");
}

#[test]
fn what_waits_says_for_what() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "on", "cmd": "touch on; until test -e go; do sleep 0.02; done"},
        {"id": "again", "cmd": "test -e go", "retry": {"other": 9, "delay": 30}},
        {"id": "child", "cmd": "true", "needs": ["on"]},
        {"id": "held", "cmd": "true"},
        {"id": "ready", "cmd": "true"},
    ]}]));
    let ask = |args: &[&str]| {
        let asked = place.data(&[args, &["--state", "s.json"]].concat());
        assert_eq!(asked["done"], true);
    };
    place.data(&["adopt", "--manifest", "m.json", "--state", "s.json"]);
    why(
        &place,
        "ready",
        "ready",
        None,
        "no manager is running",
        "lock",
    );
    ask(&["hold", "held"]);
    ask(&["hold", "ready"]);
    let _manager = place.start();
    Place::until("one runs, one waits", || {
        let state = place.state();
        let is = |id: &str, word: &str| state.get(id).is_some_and(|row| row["state"] == word);
        is("on", "running") && is("again", "backoff")
    });
    ask(&["pause"]);
    ask(&["release", "ready"]);
    why(
        &place,
        "on",
        "running",
        None,
        "attempt 1 is under way",
        "start.json",
    );
    why(
        &place,
        "again",
        "backoff",
        Some("exit"),
        "attempt 2 follows in",
        "journal",
    );
    why(
        &place,
        "again",
        "backoff",
        Some("exit"),
        "attempt 1: exit status 1",
        "exit.json of the attempt",
    );
    why(
        &place,
        "child",
        "waiting",
        None,
        "waits for \"on\" (running)",
        "job on",
    );
    why(
        &place,
        "held",
        "hold",
        None,
        "held by the command hold; release lets it go",
        "journal",
    );
    why(
        &place,
        "ready",
        "ready",
        None,
        "the queue is paused",
        "journal",
    );
    fs::write(place.at("go"), "").expect("write");
    // A command that polls in a removed folder would run for ever.
    Place::until("it has ended", || {
        place.state()["on"]["state"] == "completed"
    });
}
