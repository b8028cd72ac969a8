//! Jobs of higher priority start first, whatever resources each job asks for.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{alone, manifest};
use crate::queue::Place;

/// The output of a shell script, trimmed.
fn shell(script: &str) -> String {
    let done = Command::new("sh").args(["-c", script]).output();
    let done = done.expect("a shell");
    assert!(done.status.success(), "{script}: {done:?}");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// A job that takes the whole test bed; different `minutes` make different classes.
fn whole(id: &str, minutes: u32, priority: i32) -> Value {
    json!({
        "id": id, "cmd": format!("echo {id} >> order"), "priority": priority,
        "slurm": {"nodes": 2, "time": minutes.to_string(), "extra": ["--exclusive"]},
    })
}

#[test]
fn a_job_of_higher_priority_goes_before_others_that_ask_for_something_else() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let block = format!(
        "sbatch --parsable -N2 --exclusive -o /dev/null --wrap 'until test -e {}; do sleep 0.1; done'",
        place.at("go").display()
    );
    let number = shell(&block);
    Place::until("the bed is taken", || {
        shell(&format!("squeue -h -o %T -j {number}")) == "RUNNING"
    });
    let jobs = [
        whole("low1", 5, 0),
        whole("low2", 5, 0),
        whole("top", 5, 9),
        whole("middle", 6, 5),
    ];
    manifest(&place, &json!([{"name": "p", "jobs": jobs}]));
    let mut manager = place.start();
    let has = |id: &str| place.engine_ref(id).is_some();
    Place::until("Slurm has them", || has("low2") && has("middle"));
    // An urgent job of a third class that is added last.
    fs::write(
        place.at("more.json"),
        json!({"phases": [{"name": "p", "jobs": [whole("urgent", 7, 20)]}]}).to_string(),
    )
    .expect("write");
    place.data(&["add", "--from", "more.json", "--state", "s.json"]);
    Place::until("Slurm has it, too", || has("urgent"));
    // Slurm applies a changed priority a moment later.
    let nice = |id: &str| {
        let token = place.engine_ref(id).expect("submitted");
        let token = token.split('#').next().expect("a token").to_owned();
        shell(&format!("squeue -h -o %y --name={token}"))
    };
    Place::until("the others have made way", || nice("low1") == "300");
    assert_eq!(
        [nice("urgent"), nice("top"), nice("middle")],
        ["0", "100", "200"]
    );
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    let order = fs::read_to_string(place.at("order")).expect("ran");
    assert_eq!(order, "urgent\ntop\nmiddle\nlow1\nlow2\n");
}

#[test]
fn jobs_that_ask_for_the_same_keep_their_place_before_other_peoples_jobs() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let ask = |id: &str, priority: i32| {
        let cmd = format!("echo $(squeue -h -o %y -j $SLURM_JOB_ID) >> nice; echo {id} >> order");
        json!({"id": id, "cmd": cmd, "priority": priority})
    };
    let mut own = ask("own", -3);
    own["slurm"] = json!({"extra": ["--nice=7"], "time": "9"});
    manifest(
        &place,
        &json!([
            {"name": "p", "max_parallel": 1, "jobs": [ask("low", 0), ask("high", 5)]},
            {"name": "q", "depends_on": "p", "jobs": [own, ask("other", 1)]},
        ]),
    );
    assert_eq!(place.run().status.code(), Some(0));
    let read = |name: &str| fs::read_to_string(place.at(name)).expect("ran");
    assert!(read("order").starts_with("high\nlow\n"));
    let mut nice: Vec<String> = read("nice").lines().map(String::from).collect();
    nice.sort_unstable();
    assert_eq!(nice, ["0", "0", "0", "7"]);
}
