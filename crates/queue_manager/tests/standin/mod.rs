//! A queue on a fake Slurm, written from the documentation (sbatch(1), squeue(1), scontrol(1)) and the messages of Slurm 22.05.8. It starts
//! every task at once, and refuses what a test wants refused.

use std::fs;

use serde_json::{Value, json};

use crate::queue::Place;

const FAILED: &str = "sbatch: error: Batch job submission failed";

/// A fake Slurm whose `sbatch` first runs these lines; `$count` is the number of tasks, and `$words` are its arguments.
fn slurm(place: &Place, first: &str) {
    let here = place.at("").display().to_string();
    let body = format!(
        r#"cd '{here}'; words=$*; script=$(cat)
case "$words" in *--test-only*) kind=test;; *) kind=batch; printf '%s\n' "$words" >>asked;; esac
for word; do case $word in --array=*) last=${{word#--array=0-}}; last=${{last%%%*}};; esac; done
count=$((last + 1))
{first}
test $kind = test && {{ echo 'sbatch: Job 1 to start at 2026-01-01T00:00:00' >&2; exit 0; }}
id=$(($(cat last 2>/dev/null || echo 100) + 1)); echo $id >last; printf '%s\n' "$script" >script.$id
test -n "$cluster" || for at in $(seq 0 $last); do SLURM_ARRAY_TASK_ID=$at setsid sh script.$id >/dev/null 2>&1 </dev/null & done
echo $id$cluster"#
    );
    place.program("sbatch", &body);
    // `squeue` lists nothing, so the records decide.
    place.program("squeue", "true");
    place.program(
        "sacct",
        "echo 'Slurm accounting storage is disabled' >&2; exit 1",
    );
    place.program(
        "scontrol",
        &format!(
            "cd '{here}'; case \"$*\" in 'show config') echo 'ClusterName             = here'; echo 'MaxArraySize            = 10001';; \
             'show federation') cat federation 2>/dev/null || true;; *) echo \"scontrol $*\" >>asked;; esac"
        ),
    );
    place.program("scancel", &format!("echo \"scancel $*\" >>'{here}/asked'"));
}

fn manifest(place: &Place, jobs: &Value, more: &Value) {
    let mut manifest = json!({
        "project": "test", "cwd": place.at(""), "engine": "slurm", "gpus_per_job": 0, "linger": 0, "output_wait": 0,
        "jobs": jobs,
    });
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

fn jobs(count: usize) -> Value {
    let jobs =
        (0..count).map(|at| json!({"id": format!("j{at}"), "cmd": format!("echo x >> ran-j{at}")}));
    jobs.collect()
}

fn asked(place: &Place, what: &str) -> Vec<String> {
    let asked = fs::read_to_string(place.at("asked")).unwrap_or_default();
    let lines = asked.lines().filter(|line| line.contains(what));
    lines.map(str::to_owned).collect()
}

/// Number of attempts' folders.
fn folders(place: &Place) -> usize {
    let list = |path: std::path::PathBuf| -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten();
        entries.map(|entry| entry.expect("entry").path()).collect()
    };
    let spread = list(place.at(".s.queue/a"));
    let jobs = spread.into_iter().flat_map(list);
    let numbers = jobs.flat_map(list).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.parse::<u32>().is_ok()
    });
    numbers.count()
}

#[test]
fn a_refusal_that_nobody_knows_is_final_the_third_time_with_sbatchs_words() {
    let place = Place::new();
    slurm(
        &place,
        &format!("echo '{FAILED}: The moon is full' >&2; exit 1"),
    );
    manifest(&place, &jobs(3), &json!({}));
    assert_eq!(place.run().status.code(), Some(10));
    for (id, row) in place.state() {
        assert_eq!(
            (&row["state"], &row["reason"]),
            (&json!("failed"), &json!("engine_rejected")),
            "{id}"
        );
        let error = row["error"].as_str().expect("why");
        assert!(error.contains("The moon is full"), "{error}");
    }
    assert_eq!(asked(&place, "--array").len(), 3);
    assert_eq!(folders(&place), 0, "nothing has run");
    // Refused attempts do not count: the first that runs is number 1.
    slurm(&place, "");
    let mut again = jobs(3);
    again[0]["cmd"] = json!("echo $ARIS_ATTEMPT > number");
    manifest(&place, &again, &json!({}));
    place.data(&["retry", "--failed", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    let number = fs::read_to_string(place.at("number")).expect("ran");
    assert_eq!((number.trim(), folders(&place)), ("1", 3));
}

#[test]
fn one_class_of_jobs_that_is_refused_does_not_hold_up_the_others() {
    let place = Place::new();
    slurm(
        &place,
        &format!(
            "case \"$words\" in *--time=7*) echo '{FAILED}: The moon is full' >&2; exit 1;; esac"
        ),
    );
    let jobs = json!([
        {"id": "odd", "cmd": "true", "time_limit": 300, "priority": 5},
        {"id": "good", "cmd": "touch good"},
    ]);
    manifest(&place, &jobs, &json!({}));
    let mut manager = place.start();
    Place::until("the other class runs", || place.at("good").exists());
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    let state = place.state();
    assert_eq!(state["odd"]["reason"], "engine_rejected");
    assert_eq!(state["good"]["state"], "completed");
}

#[test]
fn a_limit_of_the_account_makes_waves_smaller_and_is_not_called_unreachable() {
    let place = Place::new();
    // Messages of Slurm 22.05.8.
    slurm(
        &place,
        &format!(
            "if test $count -gt 2 || test -e full; then echo 'sbatch: error: AssocMaxSubmitJobLimit' >&2; \
             echo \"{FAILED}: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)\" >&2; exit 1; fi"
        ),
    );
    fs::write(place.at("full"), "").expect("write");
    manifest(&place, &jobs(10), &json!({}));
    let mut manager = place.start();
    Place::until("the state says what it waits for", || {
        let notices = place.notices();
        let limit = notices
            .iter()
            .any(|notice| notice.contains("AssocMaxSubmitJobLimit"));
        assert!(!notices.iter().any(|notice| notice.contains("unreachable")));
        limit
    });
    // One job is in the wave that waits, the other comes after it.
    for id in ["j0", "j9"] {
        Place::until("explain tells of the refusal", || {
            let why = place.data(&["explain", id, "--state", "s.json"]);
            let text = why["facts"][0]["text"].as_str().expect("a fact").to_owned();
            ["refused it (try ", "AssocMaxSubmitJobLimit", "next try "]
                .iter()
                .all(|part| text.contains(part))
        });
    }
    let waits = &place.state()["j0"];
    assert_eq!(
        (&waits["state"], &waits["status"]),
        (&json!("submitting"), &json!("pending"))
    );
    assert!(folders(&place) <= 1, "only the wave that waits");
    fs::remove_file(place.at("full")).expect("removed");
    Place::until("the queue is over", || {
        manager.try_wait().expect("asked").is_some()
    });
    assert_eq!(manager.wait().expect("ended").code(), Some(0));
    for at in 0..10 {
        let ran = fs::read_to_string(place.at(&format!("ran-j{at}"))).expect("ran");
        assert_eq!(ran, "x\n", "j{at}");
        assert_eq!(place.state()[&format!("j{at}")]["attempts"], 1);
    }
    assert_eq!(folders(&place), 10, "one for each job");
    assert!(place.notices().is_empty(), "{:?}", place.notices());
}

#[test]
fn a_limit_for_each_single_job_is_final() {
    let place = Place::new();
    slurm(
        &place,
        &format!(
            "echo 'sbatch: error: QOSMaxWallDurationPerJobLimit' >&2; \
             echo \"{FAILED}: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)\" >&2; exit 1"
        ),
    );
    manifest(&place, &jobs(2), &json!({}));
    assert_eq!(place.run().status.code(), Some(10));
    let row = &place.state()["j0"];
    assert_eq!(row["reason"], "engine_rejected");
    let error = row["error"].as_str().expect("why");
    assert!(error.contains("QOSMaxWallDurationPerJobLimit"), "{error}");
    assert_eq!(asked(&place, "--array").len(), 1);
}

#[test]
fn a_partition_that_sounds_like_munge_is_refused_at_once() {
    let place = Place::new();
    slurm(
        &place,
        &format!(
            "echo 'sbatch: error: invalid partition specified: lounge' >&2; echo '{FAILED}: Invalid partition name specified' >&2; exit 1"
        ),
    );
    manifest(&place, &jobs(1), &json!({"slurm": {"partition": "lounge"}}));
    let output = place
        .command(&[
            "preflight",
            "--manifest",
            "m.json",
            "--state",
            "s.json",
            "--json",
        ])
        .output()
        .expect("ran");
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("envelope");
    let checks = found["data"]["checks"].as_array().expect("checks");
    let slurm = checks.iter().find(|check| check["subject"] == "slurm");
    let slurm = slurm.expect("Slurm was asked");
    assert_eq!(slurm["verdict"], "problem");
    assert!(slurm["detail"].as_str().expect("why").contains("lounge"));
    assert_eq!(place.run().status.code(), Some(10));
    assert_eq!(place.state()["j0"]["reason"], "engine_rejected");
}

#[test]
fn preflight_asks_slurm_and_not_nvidia_smi() {
    let place = Place::new();
    slurm(&place, "");
    let here = place.at("nvidia").display().to_string();
    place.program("nvidia-smi", &format!("touch '{here}'; exit 9"));
    manifest(&place, &jobs(2), &json!({"gpus_per_job": 2}));
    let found = place.data(&["preflight", "--manifest", "m.json", "--state", "s.json"]);
    let checks = found["checks"].as_array().expect("checks");
    let subjects: Vec<_> = checks
        .iter()
        .filter_map(|check| check["subject"].as_str())
        .collect();
    assert!(
        subjects.contains(&"slurm") && !subjects.contains(&"card"),
        "{found}"
    );
    assert!(!place.at("nvidia").exists());
    assert!(asked(&place, "--array").is_empty(), "nothing is submitted");
}

#[test]
fn several_clusters_are_refused_before_anything_is_submitted() {
    for extra in ["--clusters=other", "-Mother", "-M=other"] {
        let place = Place::new();
        slurm(&place, "");
        manifest(&place, &jobs(1), &json!({"slurm": {"extra": [extra]}}));
        for command in ["preflight", "run", "start"] {
            let output = place
                .command(&[command, "--manifest", "m.json", "--state", "s.json"])
                .output()
                .expect("ran");
            assert_eq!(output.status.code(), Some(5), "{command}: {output:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("--clusters"), "{said}");
        }
        assert!(asked(&place, "").is_empty());
    }
    let place = Place::new();
    slurm(&place, "");
    // The output of scontrol for two clusters.
    fs::write(
        place.at("federation"),
        "Federation: fed\nSelf:       here:10.0.0.1:6817 ID:1 FedState:ACTIVE Features:\nSibling:    there:10.0.0.2:6817 ID:2 FedState:ACTIVE Features: PersistConnSend/Recv:Yes/Yes Synced:Yes\n",
    )
    .expect("write");
    manifest(&place, &jobs(1), &json!({}));
    let output = place.run();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("federation"));
}

#[test]
fn what_another_cluster_took_is_cancelled_there_and_refused() {
    let place = Place::new();
    // The job waits on the other cluster.
    slurm(&place, "cluster=';there'");
    manifest(&place, &jobs(1), &json!({}));
    assert_eq!(place.run().status.code(), Some(10));
    let row = &place.state()["j0"];
    assert_eq!(row["reason"], "engine_rejected");
    assert!(row["error"].as_str().expect("why").contains("there"));
    let cancelled = asked(&place, "scancel");
    assert!(
        cancelled
            .iter()
            .any(|line| line.contains("--clusters=there") && line.contains("101")),
        "{cancelled:?}"
    );
}

/// slurmdbd is told about the start and the end of a job by the controller, some time later.
#[test]
fn a_job_that_accounting_has_not_heard_the_whole_of_is_no_absent_job() {
    let place = Place::new();
    place.program("squeue", "cat state 2>/dev/null || { echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1; }");
    place.program("sacct", "cat rows 2>/dev/null || true");
    let record = || {
        let mut command = place.command(&["record", "--slurm", "7", "--expected-output", "x"]);
        let done = command.current_dir(place.at("")).output().expect("run");
        done.status.code()
    };
    let write = |name: &str, text: &str| fs::write(place.at(name), text).expect("write");
    assert_eq!(record(), Some(3));
    write("state", "COMPLETED\n");
    assert_eq!(record(), Some(7));
    let row = "7|RUNNING|0:0|n1|2026-01-01T00:00:00|Unknown|name|/tmp|sbatch x\n";
    write("rows", row);
    assert_eq!(record(), Some(7));
    write("state", "RUNNING\n");
    assert_eq!(record(), Some(5));
}

#[test]
fn a_closed_partition_is_waited_for_and_a_log_is_named_when_there_is_one() {
    let place = Place::new();
    // Messages of Slurm 22.05.8. Accepted jobs wait.
    slurm(
        &place,
        &format!(
            "if test -e closed; then echo '{FAILED}: Required partition not available (inactive or drain)' >&2; exit 1; fi; \
             if test $kind = batch; then touch taken; echo 7; exit 0; fi"
        ),
    );
    fs::write(place.at("closed"), "").expect("write");
    manifest(&place, &jobs(2), &json!({}));
    let _manager = place.start();
    Place::until("the state says what it waits for", || {
        let notices = place.notices().concat();
        notices.contains("partition is closed") && notices.contains("inactive or drain")
    });
    let told = place.data(&["explain", "j0", "--state", "s.json"]);
    assert!(told["facts"].to_string().contains("next try at"), "{told}");
    // By now, an unknown refusal would have become final.
    std::thread::park_timeout(std::time::Duration::from_secs(20));
    assert_eq!(place.state()["j0"]["reason"], Value::Null);
    fs::remove_file(place.at("closed")).expect("removed");
    Place::until("it is taken", || place.at("taken").exists());
    Place::until("the state says so", || {
        place.state()["j0"]["state"] == "queued"
    });
    let told = place.data(&["explain", "j0", "--state", "s.json"]);
    assert!(!told["facts"].to_string().contains("the log of"), "{told}");
}

#[test]
fn an_sbatch_that_names_no_job_is_asked_three_times_and_not_for_ever() {
    let place = Place::new();
    // The message differs by a number each time; the search for the name finds nothing.
    let first = "test $kind = test || { echo \"queued at $$\" >&2; exit 0; }";
    slurm(&place, first);
    manifest(&place, &jobs(2), &json!({}));
    place.program("squeue", "echo \"$*\" >>looked; true");
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(10), "{ran:?}");
    for (id, row) in place.state() {
        assert_eq!(row["reason"], "engine_rejected", "{id}");
        let error = row["error"].as_str().expect("why");
        assert!(
            error.contains("named no job, and said: queued at"),
            "{error}"
        );
    }
    assert_eq!(asked(&place, "--array").len(), 3);
    assert_eq!(folders(&place), 0, "nothing has run");
}

#[test]
fn a_refused_option_of_sbatch_is_refused_however_it_is_abbreviated() {
    let place = Place::new();
    slurm(&place, "");
    for (extra, code) in [
        ("--wra=ls", 10),
        ("--arra=0-5", 5),
        ("--tes", 5),
        ("--chd=/tmp", 5),
        ("--job-na=x", 5),
        ("--clu=other", 5),
        ("--vers", 5),
        ("--wait-all=1", 0),
        ("--exclusive", 0),
        ("--verb", 0),
    ] {
        manifest(&place, &jobs(1), &json!({"slurm": {"extra": [extra]}}));
        let preflight = place.call(&["preflight", "--manifest", "m.json"]);
        assert_eq!(
            preflight.status.code(),
            Some(code),
            "{extra}: {preflight:?}"
        );
    }
    assert!(asked(&place, "--array").is_empty());
}

#[test]
fn priorities_make_no_more_waves_than_the_order_needs() {
    for (classes, calls) in [(1, 1), (2, 16)] {
        let place = Place::new();
        slurm(&place, "");
        let job = |at: usize| {
            let time = 3600 * (1 + at % classes);
            json!({"id": format!("j{at}"), "cmd": "true", "priority": at, "time_limit": time})
        };
        let jobs: Vec<Value> = (0..200).map(job).collect();
        manifest(&place, &json!(jobs), &json!({}));
        assert_eq!(place.run().status.code(), Some(0));
        assert_eq!(asked(&place, "--array").len(), calls, "{classes} classes");
        // The job of the highest priority is first.
        let engine_ref = place.engine_ref("j199").expect("submitted");
        assert!(engine_ref.ends_with("#0"), "{engine_ref}");
    }
}
