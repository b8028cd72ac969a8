//! What Slurm does to jobs of its own accord, and what becomes of its daemons meanwhile.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{answers, job, manifest, manifest_with};
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

/// Slurm's number of a job's only task.
fn task_of(place: &Place, job: &str) -> Option<String> {
    let token = place.engine_ref(job)?;
    let token = token.split('#').next()?;
    let rows = slurm(&format!("squeue -h -r -t RUNNING --name={token} -o %i"));
    rows.lines().next().map(str::to_owned)
}

#[test]
fn a_preempted_job_is_tried_again_and_one_that_somebody_cancelled_is_not() {
    if !answers() {
        return;
    }
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
    // On both nodes, so that it needs the place wherever that is.
    slurm("sbatch --parsable -p high -N2 --mem=3900 -o /dev/null --wrap true");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    let state = place.state();
    assert_eq!(
        (&state["low"]["state"], &state["low"]["attempts"]),
        (&json!("completed"), &json!(2))
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
