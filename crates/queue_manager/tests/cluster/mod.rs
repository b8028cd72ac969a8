//! A queue on a real Slurm. Where there is no test bed, the tests print that they are skipped.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::queue::Place;

mod counts;
mod faults;
mod order;
mod resources;
mod stops;

/// One test after the other, because faults of Slurm's daemons affect all jobs.
static ALONE: Mutex<()> = Mutex::new(());

/// Only on a test bed, so that no real cluster is used by accident.
pub(crate) fn alone() -> Option<MutexGuard<'static, ()>> {
    let asked = Command::new("sinfo")
        .arg("-h")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let bed = std::env::var_os("SLURM_TESTBED_DIR").is_some();
    if bed && asked.is_ok_and(|status| status.success()) {
        // A failed test has undone its fault.
        return Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    }
    println!("skipped: SLURM_TESTBED_DIR names no Slurm that answers");
    None
}

fn manifest(place: &Place, phases: &Value) {
    manifest_with(place, phases, &json!({}));
}

/// With further settings. Jobs get several times the memory that a runner needs, because this Slurm measures it every two seconds, and
/// counts it twice while a program starts another.
fn manifest_with(place: &Place, phases: &Value, more: &Value) {
    let mut manifest = json!({
        "project": "test", "cwd": place.at(""), "engine": "slurm", "gpus_per_job": 0, "linger": 1, "output_wait": 1,
        "kill_grace": 1, "retry": {"delay": 0.1}, "slurm": {"mem": "64"}, "phases": phases,
    });
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

fn job(id: &str, cmd: &str) -> Value {
    json!({"id": id, "cmd": format!("echo x >> ran-{id}; {cmd}")})
}

#[test]
fn phases_run_on_slurm_and_a_killed_manager_finds_its_jobs_again() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let teachers = [
        job("t1", "while ! test -e stop; do sleep 0.1; done"),
        job("t2", "exit 3"),
    ];
    manifest(
        &place,
        &json!([
            {"name": "t", "jobs": teachers},
            {"name": "s", "jobs": [
                {"id": "s1", "cmd": "echo x >> ran-s1", "needs": ["t1"]},
                {"id": "s2", "cmd": "echo x >> ran-s2", "needs": ["t2"]},
            ]},
        ]),
    );
    let mut manager = place.start();
    Place::until("both run on the cluster", || {
        place.at("ran-t1").exists() && place.at("ran-t2").exists()
    });
    manager.kill().expect("killed");
    manager.wait().expect("gone");
    fs::write(place.at("stop"), "").expect("write");
    assert_eq!(place.run().status.code(), Some(10));
    let state = place.state();
    for (id, expected) in [
        ("t1", "completed"),
        ("t2", "failed"),
        ("s1", "completed"),
        ("s2", "blocked"),
    ] {
        assert_eq!(state[id]["state"], expected, "{id}");
    }
    assert_eq!(state["t2"]["exit_code"], 3);
    for id in ["t1", "t2", "s1"] {
        let ran = fs::read_to_string(place.at(&format!("ran-{id}"))).expect("ran");
        assert_eq!(ran, "x\n", "{id}");
    }
    assert!(!place.at("ran-s2").exists());
}

#[test]
fn one_waiting_task_is_cancelled_and_its_neighbours_are_not() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let wait = "while ! test -e stop; do sleep 0.1; done";
    let jobs: Vec<Value> = (0..4).map(|at| job(&format!("j{at}"), wait)).collect();
    manifest(&place, &json!([{"name": "p", "jobs": jobs}]));
    let text = fs::read_to_string(place.at("m.json")).expect("read");
    let text = text.replace("\"linger\"", "\"max_parallel\":1,\"linger\"");
    fs::write(place.at("m.json"), text).expect("write");
    let mut manager = place.start();
    Place::until("the first runs", || place.at("ran-j0").exists());
    let asked = place.data(&["cancel", "j3", "--state", "s.json"]);
    assert_eq!(asked["done"], true);
    fs::write(place.at("stop"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    let state = place.state();
    assert_eq!(state["j3"]["state"], "cancelled");
    assert!(!place.at("ran-j3").exists());
    for id in ["j0", "j1", "j2"] {
        assert_eq!(
            (id, &state[id]["state"], &state[id]["attempts"]),
            (id, &json!("completed"), &json!(1))
        );
    }
}

/// The largest number of jobs between their `+` and `-` lines at the same time.
fn most_at_once(place: &Place) -> usize {
    let lines = fs::read_to_string(place.at("at-once")).expect("ran");
    let mut now = 0_usize;
    let counts = lines.lines().map(|line| {
        now = if line == "+" { now + 1 } else { now - 1 };
        now
    });
    counts.max().unwrap_or(0)
}

#[test]
fn max_parallel_bounds_the_queue_and_not_each_array_and_can_be_changed() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let cmd = "echo + >> at-once; sleep 0.7; echo - >> at-once";
    // Three classes give three arrays.
    let jobs: Vec<Value> = (0..9)
        .map(|at| json!({"id": format!("j{at}"), "cmd": cmd, "time_limit": 300 + 60 * (at % 3)}))
        .collect();
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": jobs}]),
        &json!({"max_parallel": 2}),
    );
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(most_at_once(&place), 2);
    // An array that Slurm already has follows the queue's new limit.
    let place = Place::new();
    let wait = "echo + >> at-once; until test -e go; do sleep 0.1; done; echo - >> at-once";
    let jobs: Vec<Value> = (0..6)
        .map(|at| json!({"id": format!("j{at}"), "cmd": wait}))
        .collect();
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": jobs}]),
        &json!({"max_parallel": 2}),
    );
    let mut manager = place.start();
    let running = || {
        let lines = fs::read_to_string(place.at("at-once")).unwrap_or_default();
        lines.lines().count()
    };
    Place::until("two run", || running() == 2);
    place.data(&["set", "--max-parallel", "4", "--state", "s.json"]);
    Place::until("four run", || running() == 4);
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    assert!(most_at_once(&place) <= 4);
}

#[test]
fn an_account_with_room_for_few_jobs_runs_all_of_them() {
    let Some(_alone) = alone() else {
        return;
    };
    let config = Command::new("scontrol").args(["show", "config"]).output();
    let config = config.expect("run");
    let enforced = String::from_utf8_lossy(&config.stdout)
        .lines()
        .any(|line| line.starts_with("AccountingStorageEnforce") && line.contains("limits"));
    if !enforced {
        println!(
            "skipped: this Slurm enforces no limits; up.sh --extra AccountingStorageEnforce=limits,qos"
        );
        return;
    }
    let limit = |most: &str| {
        let words = ["-i", "modify", "user", "root", "set", most];
        let done = Command::new("sacctmgr").args(words).output().expect("run");
        assert!(done.status.success(), "{done:?}");
    };
    limit("MaxSubmitJobs=3");
    let place = Place::new();
    let jobs: Vec<Value> = (0..10).map(|at| job(&format!("j{at}"), "true")).collect();
    manifest(&place, &json!([{"name": "p", "jobs": jobs}]));
    let output = place.run();
    limit("MaxSubmitJobs=-1");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for at in 0..10 {
        let ran = fs::read_to_string(place.at(&format!("ran-j{at}"))).expect("ran");
        assert_eq!(ran, "x\n", "j{at}");
    }
    assert!(!String::from_utf8_lossy(&output.stderr).contains("unreachable"));
}

/// Answers about tasks that have ended, or that somebody cancelled in Slurm, do not make Slurm count as unreachable.
#[test]
fn a_live_array_takes_a_new_limit_and_a_task_taken_out_by_hand_is_cancelled() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let wait = "until test -e go; do sleep 0.1; done";
    let command = |at: u32| if at == 0 { "true" } else { wait };
    let jobs = (0..6).map(|at| job(&format!("j{at}"), command(at)));
    let jobs: Vec<Value> = jobs.collect();
    manifest_with(
        &place,
        &json!([{"name": "p", "jobs": jobs}]),
        &json!({"max_parallel": 2}),
    );
    let mut manager = place.start();
    Place::until("the first is over and two run", || {
        let state = place.state();
        let over = state
            .get("j0")
            .is_some_and(|row| row["state"] == "completed");
        over && place.at("ran-j2").exists()
    });
    place.data(&["set", "--max-parallel", "3", "--state", "s.json"]);
    Place::until("three run", || place.at("ran-j3").exists());
    let name = place.engine_ref("j5").expect("submitted");
    let (token, index) = name.split_once('#').expect("a name");
    let number = Command::new("squeue")
        .args(["-h", "-t", "all", "-o", "%F", &format!("--name={token}")])
        .output()
        .expect("asked");
    let number = String::from_utf8_lossy(&number.stdout);
    let task = format!("{}_{index}", number.lines().next().expect("listed"));
    let ended = Command::new("scancel").arg(&task).status().expect("told");
    assert!(ended.success(), "{task}");
    Place::until("the queue knows", || {
        place.state()["j5"]["state"] == "cancelled"
    });
    fs::write(place.at("go"), "").expect("write");
    assert_eq!(manager.wait().expect("ended").code(), Some(10));
    let log = fs::read_to_string(place.at("queue_manager.log")).unwrap_or_default();
    assert!(!log.contains("unreachable"), "{log}");
    let status = place.data(&["status", "--state", "s.json"]);
    assert_eq!(status["notices"], json!([]), "{status}");
}

/// A job that ran without a queue: accounting says how it ended, and the user which files it wrote.
#[test]
fn a_job_without_a_queue_is_recorded_from_accounting() {
    let Some(_alone) = alone() else {
        return;
    };
    let place = Place::new();
    let shell = |script: &str| -> String {
        let done = Command::new("/bin/sh")
            .args(["-c", script])
            .current_dir(place.at(""))
            .output();
        let text = String::from_utf8(done.expect("a shell").stdout).expect("text");
        text.lines().next().unwrap_or_default().to_owned()
    };
    let record = |args: &[&str]| -> (Option<i32>, Value) {
        loop {
            let mut command = place.command(&["record", "--json", "--slurm"]);
            let done = command
                .args(args)
                .current_dir(place.at(""))
                .output()
                .expect("run");
            // Accounting is told about a job some time after its end.
            if done.status.code() != Some(7) {
                return (
                    done.status.code(),
                    serde_json::from_slice(&done.stdout).expect("an envelope"),
                );
            }
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    };
    let job = shell(
        "echo before > old.csv; sleep 1.1; sbatch --parsable --wait -o log --wrap 'echo 34.2 > one.csv; sleep 1'",
    );
    let (code, answer) = record(&[&job, "--expected-output", "*.csv"]);
    let (run, refused) = (&answer["data"]["runs"][0], &answer["data"]["refused"]);
    assert_eq!(
        (code, &run["outputs"], &run["end"]),
        (Some(10), &json!(1), &json!("completed")),
        "{answer}"
    );
    assert!(
        refused[0]
            .as_str()
            .is_some_and(|why| why.contains("old.csv"))
            && refused[1].is_null(),
        "{answer}"
    );
    // Recording it again gives the same record.
    let (code, again) = record(&[&job, "--expected-output", "one.csv"]);
    assert_eq!(
        (code, &again["data"]["runs"][0]["id"]),
        (Some(0), &run["id"])
    );
    let failed = shell("sbatch --parsable --wait -o log --wrap 'echo 1 > two.csv; exit 3'");
    let (code, answer) = record(&[&failed, "--expected-output", "two.csv"]);
    assert_eq!(
        (code, &answer["data"]["runs"][0]["how"]),
        (Some(0), &json!("FAILED, exit 3"))
    );
    let array = shell("sbatch --parsable --wait --array=0-1 -o log --wrap true");
    for (args, code) in [
        (&[&array, "--expected-output", "x"][..], 2),
        (&["99999999", "--expected-output", "x"], 3),
        (&["7; rm x", "--expected-output", "x"], 2),
        (&[&job], 2),
    ] {
        assert_eq!(record(args).0, Some(code), "{args:?}");
    }
}
