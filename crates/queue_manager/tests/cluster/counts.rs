//! Number of calls of Slurm's programs.

use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

use serde_json::{Value, json};

use super::{alone, manifest_with};
use crate::queue::Place;

#[test]
fn a_thousand_tasks_are_one_submission_and_few_questions() {
    const TASKS: usize = 1000;
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    for program in ["sbatch", "squeue", "sacct", "scancel", "scontrol"] {
        let here = place.at("").display().to_string();
        // Runs the next program of this name on the PATH.
        let body =
            format!("echo {program} >>'{here}/asked'; PATH=${{PATH#*:}} exec {program} \"$@\"");
        place.program(program, &body);
    }
    let jobs: Vec<Value> = (0..TASKS)
        .map(|at| json!({"id": format!("j{at}"), "cmd": format!("echo {at} >> ran")}))
        .collect();
    manifest_with(
        &place,
        &json!([{"name": "many", "jobs": jobs},
            {"name": "after", "depends_on": "many", "jobs": [{"id": "last", "cmd": "cp ran seen"}]}]),
        &json!({"linger": 0}),
    );
    let began = Instant::now();
    let mut manager = place.start();
    let code = manager.wait().expect("ended").code();
    let seconds = began.elapsed().as_secs();
    assert_eq!(code, Some(0));
    let asked = fs::read_to_string(place.at("asked")).expect("asked");
    let count = |program: &str| asked.lines().filter(|line| *line == program).count();
    let state = place.state();
    let jobs = (0..TASKS).map(|at| &state[&format!("j{at}")]);
    let again: Vec<&Value> = jobs.filter(|job| job["attempts"] != 1).collect();
    assert_eq!(count("sbatch"), 2, "one for each phase; again: {again:?}");
    assert_eq!(count("scancel"), 0);
    // One list for all tasks, at most every 15 s, and one after each submission or end.
    let most = usize::try_from(seconds / 15).expect("small") + 4;
    for program in ["squeue", "sacct", "scontrol"] {
        assert!(
            count(program) <= most,
            "{program}: {} of {most}",
            count(program)
        );
    }
    let ran = fs::read_to_string(place.at("seen")).expect("ran");
    let numbers: BTreeSet<&str> = ran.lines().collect();
    assert_eq!((ran.lines().count(), numbers.len()), (TASKS, TASKS));
}
