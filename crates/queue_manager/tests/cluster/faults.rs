//! What Slurm does to jobs by itself, and failures of its daemons.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::{alone, job, manifest, manifest_with};
use crate::queue::Place;

/// Runs one of Slurm's programs.
fn slurm(line: &str) -> String {
    let mut words = line.split(' ');
    let done = Command::new(words.next().expect("a program"))
        .args(words)
        .output()
        .expect("run");
    assert!(done.status.success(), "{line}: {done:?}");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// Slurm's id of a job's only task.
fn task_of(place: &Place, job: &str) -> Option<String> {
    let token = place.engine_ref(job)?;
    let token = token.split('#').next()?;
    let rows = slurm(&format!("squeue -h -r -t RUNNING --name={token} -o %i"));
    rows.lines().next().map(str::to_owned)
}

#[test]
fn a_preempted_job_is_tried_again_and_one_that_somebody_cancelled_is_not() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let wait = "if test $(wc -l < ran-low) -lt 2; then sleep 600; fi";
    let mem = json!({"slurm": {"partition": "lowcancel", "mem": "3900"}});
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": [job("low", wait)]}]),
        &mem,
    );
    let mut manager = place.start();
    Place::until("it runs", || place.at("ran-low").exists());
    // On both nodes, so that it needs the place of the other job.
    slurm("sbatch --parsable -p high -N2 --mem=3900 -o /dev/null --wrap true");
    let code = manager.wait().expect("ended").code();
    let state = place.state();
    assert_eq!(
        (code, &state["low"]["state"], &state["low"]["attempts"]),
        (Some(0), &json!("completed"), &json!(2)),
        "{state:?}"
    );
    let journal = fs::read_to_string(place.at(".s.queue/journal.jsonl")).expect("journal");
    assert!(journal.contains("\"reason\":\"preempted\""), "{journal}");

    let place = Place::new();
    manifest(
        &place,
        &json!([{"name": "p", "jobs": [job("hand", "sleep 600")]}]),
    );
    let mut manager = place.start();
    Place::until("it runs", || {
        place.at("ran-hand").exists() && task_of(&place, "hand").is_some()
    });
    slurm(&format!(
        "scancel {}",
        task_of(&place, "hand").expect("running")
    ));
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    let state = place.state();
    assert_eq!(
        (
            &state["hand"]["state"],
            &state["hand"]["reason"],
            &state["hand"]["attempts"]
        ),
        (&json!("cancelled"), &json!("cancelled"), &json!(1))
    );
    assert!(
        state["hand"]["error"]
            .as_str()
            .expect("why")
            .contains("Slurm says CANCELLED")
    );
}

/// The script that controls the daemons.
fn control() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/slurm/ctl.sh")
}

/// A fault of Slurm until this is dropped.
struct Fault {
    undo: [String; 2],
}

impl Fault {
    fn new(words: [&str; 2], undo: &str) -> Self {
        act(words);
        Self {
            undo: [undo.to_owned(), words[1].to_owned()],
        }
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        act([&self.undo[0], &self.undo[1]]);
    }
}

fn act(words: [&str; 2]) {
    let bed = std::env::var_os("SLURM_TESTBED_DIR").expect("a test bed");
    let done = Command::new(control()).arg(bed).args(words).output();
    let done = done.expect("run");
    assert!(done.status.success(), "{words:?}: {done:?}");
}

pub(super) fn real(program: &str) -> String {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    let found = found.expect("run");
    String::from_utf8_lossy(&found.stdout).trim().to_owned()
}

#[test]
fn a_submission_whose_answer_is_lost_runs_every_job_once() {
    let Some(_alone) = alone() else {
        return;
    };
    let (sbatch, control) = (real("sbatch"), control());
    let act = |words: &str| format!("'{}' \"$SLURM_TESTBED_DIR\" {words}", control.display());
    // Slurm's controller hangs before it can answer, or is killed right after it has answered.
    let hangs = format!(
        "test -e once && exec {sbatch} \"$@\"; touch once; {}; {sbatch} \"$@\"; code=$?; {}; exit $code",
        act("pause ctld"),
        act("resume ctld"),
    );
    let dies = format!(
        "test -e once && exec {sbatch} \"$@\"; touch once; {sbatch} \"$@\" >said; code=$?; {}; {} >&2; exit 1",
        act("kill ctld"),
        act("start ctld"),
    );
    for body in [hangs, dies] {
        let place = Place::new();
        place.program(
            "sbatch",
            &format!("cd '{}'; {body}", place.at("").display()),
        );
        let jobs: Vec<_> = (0..3).map(|at| job(&format!("j{at}"), "sleep 1")).collect();
        manifest(&place, &json!([{"name": "p", "jobs": jobs}]));
        let mut manager = place.start();
        Place::until("the queue is over", || {
            manager.try_wait().expect("asked").is_some()
        });
        assert_eq!(manager.wait().expect("ended").code(), Some(0), "{body}");
        for (id, row) in place.state() {
            let ran = fs::read_to_string(place.at(&format!("ran-{id}"))).expect("ran");
            assert_eq!(
                (row["state"].as_str(), ran.as_str()),
                (Some("completed"), "x\n"),
                "{body}"
            );
        }
    }
}

#[test]
fn a_controller_that_is_away_ends_nothing_and_what_ends_meanwhile_is_known() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let wait = |file: &str| format!("until test -e {file}; do sleep 0.1; done");
    manifest(
        &place,
        &json!([{"name": "p", "jobs": [job("one", &wait("go1")), job("two", &wait("go2"))]},
            {"name": "s", "depends_on": "p", "jobs": [job("child", "true")]}]),
    );
    let mut manager = place.start();
    Place::until("both run", || {
        place.at("ran-one").exists() && place.at("ran-two").exists()
    });
    let fault = Fault::new(["stop", "ctld"], "start");
    Place::until("it is noticed", || {
        place
            .notices()
            .iter()
            .any(|notice| notice.contains("unreachable since"))
    });
    fs::write(place.at("go1"), "").expect("write");
    Place::until("one is completed", || {
        place.state()["one"]["state"] == "completed"
    });
    let state = place.state();
    assert_eq!(
        (&state["two"]["state"], &state["child"]["state"]),
        (&json!("running"), &json!("waiting"))
    );
    let why = place.data(&["explain", "two", "--state", "s.json"]);
    assert!(why["facts"].to_string().contains("under way"), "{why}");
    drop(fault);
    fs::write(place.at("go2"), "").expect("write");
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    for id in ["one", "two", "child"] {
        let ran = fs::read_to_string(place.at(&format!("ran-{id}"))).expect("ran");
        assert_eq!(ran, "x\n", "{id}");
    }
}

#[test]
fn a_node_that_dies_costs_its_job_one_retry_and_no_other_job_anything() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let unlucky = "test $(wc -l < ran-unlucky) -gt 1 || sleep 600";
    manifest(
        &place,
        &json!([{"name": "p", "jobs": [job("unlucky", unlucky), job("lucky", "true")]}]),
    );
    let mut manager = place.start();
    Place::until("it runs", || {
        place.at("ran-unlucky").exists() && task_of(&place, "unlucky").is_some()
    });
    let task = task_of(&place, "unlucky").expect("running");
    let node = slurm(&format!("squeue -h -j {task} -o %N"));
    let fault = Fault::new(["crash", &node], "start");
    // A machine that loses power also ends the command; the test bed ends only what Slurm knows.
    let folder = aris_attempt::format::folder(&place.at(".s.queue"), "unlucky", 1);
    let start = fs::read(folder.join("start.json")).expect("started");
    let start: serde_json::Value = serde_json::from_slice(&start).expect("json");
    let group = format!("-{}", start["pgid"]);
    Command::new("kill")
        .args(["-KILL", "--", &group])
        .status()
        .expect("run");
    Place::until("the queue is over", || {
        undrain(&node);
        manager.try_wait().expect("asked").is_some()
    });
    drop(fault);
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    let state = place.state();
    for (id, attempts) in [("unlucky", 2), ("lucky", 1)] {
        assert_eq!(
            (&state[id]["state"], &state[id]["attempts"]),
            (&json!("completed"), &json!(attempts)),
            "{id}"
        );
    }
    let journal = fs::read_to_string(place.at(".s.queue/journal.jsonl")).expect("journal");
    assert!(journal.contains("\"reason\":\"node_fail\""), "{journal}");
    Place::until("the node is back", || {
        undrain(&node);
        !slurm("sinfo -h -N -t idle,mixed,allocated -o %N").is_empty()
            && slurm("sinfo -h -N -t down,drain -o %N").is_empty()
    });
}

/// Resumes a node that Slurm drained because its daemon was given a job twice after a crash, as an administrator would.
fn undrain(node: &str) {
    if slurm(&format!("scontrol show node {node}")).contains("Reason=Duplicate jobid") {
        slurm(&format!("scontrol update nodename={node} state=resume"));
    }
}

#[test]
fn without_accounting_a_queue_goes_on() {
    let Some(_alone) = alone() else {
        return;
    };
    if !slurm("scontrol show config").contains("accounting_storage/slurmdbd") {
        println!("skipped: this Slurm has no accounting that could fall silent");
        return;
    }
    let _fault = Fault::new(["stop", "dbd"], "start");
    let place = Place::new();
    manifest(
        &place,
        &json!([{"name": "p", "jobs": [job("good", "true"), job("bad", "exit 4")]},
            {"name": "s", "depends_on": "p", "jobs": [job("child", "true")]}]),
    );
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    assert_eq!(
        (
            &state["good"]["state"],
            &state["bad"]["exit_code"],
            &state["child"]["state"]
        ),
        (&json!("completed"), &json!(4), &json!("blocked"))
    );
}

#[test]
fn what_is_cancelled_leaves_slurms_queue_and_its_nodes() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let jobs: Vec<_> = (0..6)
        .map(|at| job(&format!("j{at}"), "sleep 600"))
        .collect();
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": jobs}]),
        &json!({"max_parallel": 2}),
    );
    let mut manager = place.start();
    Place::until("two run", || {
        place.at("ran-j0").exists() && place.at("ran-j1").exists()
    });
    Place::until("the state says so", || place.engine_ref("j0").is_some());
    let token = place.engine_ref("j0").expect("submitted");
    let token = token.split('#').next().expect("a token").to_owned();
    assert_eq!(
        place.data(&["cancel", "--all", "--state", "s.json"])["done"],
        true
    );
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    for (id, row) in place.state() {
        assert_eq!(row["state"], "cancelled", "{id}");
        let began = id == "j0" || id == "j1";
        assert_eq!(place.at(&format!("ran-{id}")).exists(), began, "{id}");
    }
    Place::until("nothing of it is left in Slurm", || {
        slurm(&format!("squeue -h -r --name={token}")).is_empty()
    });
}
