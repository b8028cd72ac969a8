//! `build_manifest` as its callers see it.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const GRID: &str = "project: p\ngrid: {N: [64, 128]}\nseeds: 2\ntemplate:\n  id: \"N${N}_s${seed}\"\n  cmd: python x.py --n ${N} --seed ${seed}\n";

fn call(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_build_manifest"))
        .current_dir(folder)
        .args(args)
        .output()
        .expect("started")
}

fn envelope(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one envelope")
}

#[test]
fn the_references_call_writes_a_manifest_and_a_second_one_leaves_it_alone() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID).expect("write");
    let args = ["--config", "g.yaml", "--output", "m.json"];
    let first = call(temp.path(), &args);
    let text = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(
        first.status.success()
            && text.contains("Built manifest with 1 phases, 4 total jobs")
            && text.contains("Saved to m.json"),
        "{text}"
    );
    let manifest: Value =
        serde_json::from_slice(&fs::read(temp.path().join("m.json")).expect("read")).expect("JSON");
    assert_eq!(
        manifest["phases"][0]["jobs"][3],
        serde_json::json!({"id": "N128_s1", "cmd": "python x.py --n 128 --seed 1", "params": {"N": 128, "seed": 1}})
    );
    let before = fs::metadata(temp.path().join("m.json"))
        .expect("there")
        .modified()
        .expect("time");
    let second = call(temp.path(), &[&args[..], &["--json"]].concat());
    assert_eq!(envelope(&second)["data"]["written"], false);
    let after = fs::metadata(temp.path().join("m.json"))
        .expect("there")
        .modified()
        .expect("time");
    assert_eq!(before, after);
    assert_eq!(fs::read_dir(temp.path()).expect("list").count(), 2);
}

#[test]
fn without_output_nothing_is_written() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID).expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--json"]);
    assert_eq!(envelope(&output)["data"]["jobs"], 4);
    assert_eq!(fs::read_dir(temp.path()).expect("list").count(), 1);
}

#[test]
fn nothing_else_is_overwritten() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("g.yaml"), GRID).expect("write");
    fs::write(temp.path().join("notes.txt"), "precious").expect("write");
    for (output, code) in [
        ("notes.txt", 5),
        ("g.yaml", 2),
        ("no/such/folder/m.json", 5),
        (".", 4),
    ] {
        let called = call(temp.path(), &["--config", "g.yaml", "--output", output]);
        assert_eq!(called.status.code(), Some(code), "{output}: {called:?}");
    }
    assert_eq!(
        fs::read(temp.path().join("notes.txt")).expect("read"),
        b"precious"
    );
    assert_eq!(
        fs::read(temp.path().join("g.yaml")).expect("read"),
        GRID.as_bytes()
    );
}

#[test]
fn more_jobs_than_a_slip_should_make_need_a_yes() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(
        temp.path().join("g.yaml"),
        GRID.replace("seeds: 2", "seeds: 60000"),
    )
    .expect("write");
    let args = ["--config", "g.yaml", "--output", "m.json", "--json"];
    let refused = call(temp.path(), &args);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        envelope(&refused)["error"]["hint"]
            .as_str()
            .expect("hint")
            .contains("--yes")
    );
    assert!(!temp.path().join("m.json").exists());
    let written = call(temp.path(), &[&args[..], &["--yes"]].concat());
    assert_eq!(envelope(&written)["data"]["jobs"], 120_000);
    let text = fs::read_to_string(temp.path().join("m.json")).expect("read");
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("{\"id\""))
            .count(),
        120_000
    );
}

#[test]
fn mistakes_have_their_place_in_the_specification() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(
        temp.path().join("g.yaml"),
        GRID.replace("project", "porject"),
    )
    .expect("write");
    let output = call(temp.path(), &["--config", "g.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(4));
    let error = &envelope(&output)["error"];
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .starts_with("g.yaml:1:1: "),
        "{error}"
    );
    assert_eq!(error["details"]["problems"][0]["line"], 1);
    assert!(
        error["hint"]
            .as_str()
            .expect("hint")
            .contains("\"project\""),
        "{error}"
    );
}

#[test]
fn writers_at_the_same_time_leave_one_whole_manifest() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(
        temp.path().join("g.yaml"),
        GRID.replace("seeds: 2", "seeds: 20000"),
    )
    .expect("write");
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(env!("CARGO_BIN_EXE_build_manifest"))
                .current_dir(temp.path())
                .args(["--config", "g.yaml", "--output", "m.json", "--json"])
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("started")
        })
        .collect();
    let mut wrote = 0;
    for child in children {
        let output = child.wait_with_output().expect("ended");
        match output.status.code() {
            Some(0) => wrote += 1,
            // Somebody else is writing it.
            Some(5) => {}
            _ => panic!("{output:?}"),
        }
    }
    assert!(wrote > 0);
    let check = call(
        temp.path(),
        &["--config", "g.yaml", "--output", "m.json", "--json"],
    );
    assert_eq!(envelope(&check)["data"]["written"], false);
}
