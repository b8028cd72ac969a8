//! A queue on a server: deployed, asked, cancelled, through a stand-in for ssh that gives the line to a shell with another home folder.
#![cfg(test)]
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Helper, Project, Run};

/// Runs the last argument; a file `down` beside it is a line that is down.
const SSH: &str = r#"#!/bin/sh
here=$(dirname "$0")
for line do :; done
if [ -e "$here/down" ]; then echo "ssh: connect to host gpu port 22: Connection refused" >&2; exit 255; fi
echo "Welcome to gpu"
export HOME="$here/home"
exec sh -c "$line"
"#;

const MANIFEST: &str = r#"{"project": "far", "gpus": [], "phases": [{"name": "a", "jobs": [
    {"id": "writes", "cmd": "echo done > out.txt", "expected_output": "out.txt"},
    {"id": "fails", "cmd": "echo broken; exit 3"},
    {"id": "stays", "cmd": "exec sleep 600"}]}],
    "gpus_per_job": 0, "max_cpu_jobs": 3, "kill_grace": 1, "linger": 0, "cwd": "."}"#;

fn bed() -> Project {
    let bed = Project::bare()
        .file("ssh", SSH)
        .file("grid one/manifest.json", MANIFEST);
    bed.mode("ssh", 0o755);
    std::fs::create_dir(bed.at("home")).expect("home");
    bed
}

fn call(bed: &Project, verb: &str, args: &[&str]) -> Run {
    let ssh = bed.at("ssh").display().to_string();
    Helper::at(env!("CARGO_BIN_EXE_queue_manager"))
        .call(bed.path())
        .args([verb, "--ssh", &ssh, "gpu"])
        .args(args)
        .run()
}

/// Asks until the answer has `text`; the testkit's limit ends it otherwise.
fn until(bed: &Project, args: &[&str], text: &str) -> Run {
    for _ in 0..600 {
        let run = call(bed, "remote", &[&["--run", "r1", "--"], args].concat());
        if run.stdout().contains(text) {
            return run;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{args:?} never says {text:?}");
}

#[test]
fn a_queue_on_a_server_is_started_asked_and_cancelled() {
    let bed = bed();
    let deploy = ["--manifest", "grid one/manifest.json", "--run", "r1"];
    let run = call(&bed, "deploy", &deploy).expect_code(0);
    assert!(
        run.stdout().contains("queue_manager remote gpu --run r1"),
        "{run}"
    );
    // Again: the same manager, not a second one.
    call(&bed, "deploy", &deploy).expect_code(0);

    until(&bed, &["status", "--jobs"], "completed");
    until(&bed, &["explain", "fails"], "exit status 3");
    until(&bed, &["logs", "fails"], "broken");
    let run = call(&bed, "remote", &["--json", "--run", "r1"]).expect_code(0);
    assert_eq!(run.data()["answer"]["jobs"], 3, "{run}");
    assert_eq!(run.data()["host"], "gpu");

    // A command that fails there fails here, in the same class.
    let run = call(
        &bed,
        "remote",
        &["--run", "r1", "--", "explain", "no such job"],
    )
    .expect_code(3);
    assert!(run.stderr().contains("on gpu"), "{run}");
    let run = call(
        &bed,
        "remote",
        &["--run", "r1", "--", "run", "--manifest", "manifest.json"],
    )
    .expect_code(2);
    assert!(run.stderr().contains("use start"), "{run}");

    bed.write("down", "");
    let run = call(&bed, "remote", &["--run", "r1"]).expect_code(7);
    assert!(
        run.stderr().contains("go on without this connection"),
        "{run}"
    );
    std::fs::remove_file(bed.at("down")).expect("up again");

    call(&bed, "remote", &["--run", "r1", "--", "cancel", "stays"]).expect_code(0);
    until(&bed, &["explain", "stays"], "cancelled");
    until(&bed, &["report"], "# Experiment ");
    let there = bed.at("home/.aris_queue/runs/r1");
    assert!(there.join("out.txt").exists() && there.join("queue_state.json").exists());
}

#[test]
fn what_cannot_be_run_is_said_before_anybody_is_asked() {
    let bed = bed();
    bed.write(
        "bad/manifest.json",
        "{\"phases\": [{\"name\": \"a\", \"jobs\": [{\"id\": \"x\"}]}]}",
    );
    call(&bed, "deploy", &["--manifest", "bad/manifest.json"]).expect_code(4);
    call(&bed, "deploy", &["--manifest", "gone.json"]).expect_code(3);
    let run = call(&bed, "remote", &["--run", "../r"]).expect_code(2);
    assert!(run.stderr().contains("not usable"), "{run}");
    assert!(!bed.at("home/.aris_queue").exists(), "nobody was asked");
    let run = call(&bed, "remote", &["--run", "r1"]).expect_code(5);
    assert!(run.stderr().contains("deploy"), "{run}");
}
