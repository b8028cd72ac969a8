//! The resources that phases and jobs ask Slurm for.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::{alone, job, manifest, manifest_with};
use crate::queue::Place;

#[test]
fn each_phase_and_job_gets_what_it_asks_slurm_for() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let told = "echo \"$SLURM_JOB_NUM_NODES $SLURM_NTASKS ${SLURM_CPUS_PER_TASK:-1} ${CUDA_VISIBLE_DEVICES:-none}\"";
    let job = |id: &str| json!({"id": id, "cmd": format!("{told} > told-{id}")});
    let mut own = job("own");
    own["slurm"] = json!({"cpus": 2});
    let mut wide = json!({
        "id": "wide",
        "cmd": format!("{told} > told-wide; srun sh -c 'echo $SLURMD_NODENAME >> nodes'; echo x >> ran-wide"),
    });
    wide["slurm"] = json!({"nodes": 2});
    manifest(
        &place,
        &json!([
            {"name": "plain", "jobs": [job("plain"), own]},
            {"name": "cards", "slurm": {"gres": "gpu:fake:2", "cpus": 1}, "jobs": [job("cards")]},
            {"name": "cpus", "cpus": 2, "mem": "100 MiB", "jobs": [job("cpus")]},
            {"name": "wide", "slurm": {"mem": "200"}, "jobs": [wide]},
        ]),
    );
    let output = place.run();
    let text = |name: &str| fs::read_to_string(place.at(name)).unwrap_or_default();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for (id, expected) in [
        ("plain", "1 1 1 none\n"),
        ("own", "1 1 2 none\n"),
        ("cpus", "1 1 2 none\n"),
        ("wide", "2 2 1 none\n"),
    ] {
        assert_eq!(text(&format!("told-{id}")), expected, "{id}");
    }
    let cards = text("told-cards");
    let words: Vec<&str> = cards.split_whitespace().collect();
    assert_eq!(words[..3], ["1", "1", "1"], "{cards}");
    assert_eq!(words[3].split(',').count(), 2, "{cards}");
    // The command itself ran once, and its `srun` on both nodes.
    assert_eq!(text("ran-wide"), "x\n");
    let text = text("nodes");
    let mut nodes: Vec<&str> = text.lines().collect();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), 2, "{nodes:?}");
}

#[test]
fn what_slurm_takes_and_will_not_start_is_told() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    // The test bed has two nodes.
    let wide = json!({"id": "wide", "cmd": "true", "slurm": {"nodes": 7}});
    manifest(&place, &json!([{"name": "p", "jobs": [wide]}]));
    let mut manager = place.start();
    Place::until("the state says so", || {
        place
            .notices()
            .concat()
            .contains("does not start it as it is")
    });
    place.data(&["cancel", "wide", "--state", "s.json"]);
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    assert!(place.notices().is_empty(), "{:?}", place.notices());
}

#[test]
fn what_no_partition_can_hold_is_said_to_be_stuck() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let vast = json!({"id": "vast", "cmd": "true", "slurm": {"nodes": 55}});
    manifest(&place, &json!([{"name": "p", "jobs": [vast]}]));
    let mut manager = place.start();
    Place::until("the state says so", || {
        place.notices().concat().contains("PartitionConfig")
    });
    let status = place.call(&["status", "--state", "s.json"]);
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(text.contains("does not start it as it is"), "{text}");
    place.data(&["cancel", "vast", "--state", "s.json"]);
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    assert!(place.notices().is_empty(), "{:?}", place.notices());
}

#[test]
fn what_was_held_and_has_run_is_not_stuck() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let held = json!({"id": "held", "cmd": "true", "slurm": {"extra": ["--hold"]}});
    manifest(&place, &json!([{"name": "p", "jobs": [held]}]));
    let mut manager = place.start();
    Place::until("the state says so", || {
        place.notices().concat().contains("JobHeld")
    });
    let token = place.engine_ref("held").expect("submitted");
    let token = token.split('#').next().expect("a token");
    let released = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "scontrol release $(squeue -h -o %i --name={token})"
        ))
        .status();
    assert!(released.expect("scontrol").success());
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert!(place.notices().is_empty(), "{:?}", place.notices());
}

#[test]
fn what_slurm_ends_for_its_memory_is_tried_again_as_out_of_memory() {
    let Some(_alone) = alone() else {
        return;
    };
    let counts = Command::new("scontrol").args(["show", "config"]).output();
    let counts = String::from_utf8_lossy(&counts.expect("scontrol").stdout).into_owned();
    if !counts.contains("OverMemoryKill") {
        println!("skipped: this Slurm does not end jobs for their memory");
        return;
    }
    let place = Place::new();
    let greedy = "exec python3 -c 'x = bytearray(300_000_000); import time; time.sleep(60)'";
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": [job("greedy", greedy)]}]),
        &json!({"oom_retry": {"delay": 0.1, "max_attempts": 2}}),
    );
    assert_eq!(place.run().status.code(), Some(10));
    let row = &place.state()["greedy"];
    assert_eq!(
        (&row["reason"], &row["attempts"]),
        (&json!("host_oom"), &json!(2))
    );
    let error = row["error"].as_str().expect("why");
    assert!(error.contains("exceeded memory limit"), "{error}");
}

#[test]
fn preflight_names_the_jobs_that_slurm_refuses_and_what_they_ask_for() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let plain = |id: &str| json!({"id": id, "cmd": "true"});
    let greedy = json!({"id": "greedy", "cmd": "true", "gpus": 9});
    manifest(
        &place,
        &json!([{"name": "early", "jobs": [plain("good1"), plain("good2")]},
            {"name": "late", "jobs": [greedy, plain("good3")]}]),
    );
    let mut preflight = place.command(&["preflight", "--manifest", "m.json"]);
    let output = preflight.output().expect("run");
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |verdict: &str| text.lines().find(|line| line.starts_with(verdict));
    let good = line("ok\tslurm").expect("a good class");
    assert!(good.contains("good1, good2, good3 (--ntasks=1 "), "{good}");
    assert!(good.ends_with(')'), "{good}");
    let bad = line("problem\tslurm").expect("a refused one");
    assert!(bad.contains("greedy (--ntasks=1 "), "{bad}");
    assert!(bad.contains("--gres=gpu:9): refused"), "{bad}");
}
