//! The program from outside: flags, many writers, killed writers.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start processes directly"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use aris_audit::trace::{self, Chain, Trace};
use serde_json::Value;

fn command(project: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_save_trace"));
    command
        .current_dir(project)
        .env_remove("ARIS_TRACE_MODE")
        .stdin(Stdio::null());
    command
}

fn call(project: &Path, args: &[&str]) -> Output {
    command(project)
        .args(["--skill", "s", "--purpose", "p"])
        .args(args)
        .output()
        .expect("started")
}

fn saved(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice::<Value>(&output.stdout).expect("envelope")["data"].clone()
}

fn the_run(project: &Path) -> Trace {
    let traces = project.join(".aris/traces/s");
    let run = fs::read_dir(&traces)
        .expect("traces")
        .map(|entry| entry.expect("entry").path())
        .find(|path| path.is_dir())
        .expect("run");
    let trace = trace::read(&run, Some(project)).expect("readable");
    assert!(
        matches!(trace.chain, Chain::Valid { .. }),
        "{:?}",
        trace.chain
    );
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    trace
}

#[test]
fn every_flag_of_the_reference_and_of_ours_reaches_the_record() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join("prompt"), b"bytes \xFF").expect("write");
    let output = call(
        temp.path(),
        &[
            "--model",
            "gpt-5.5",
            "--thread-id",
            "019d",
            "--prompt-file",
            "prompt",
            "--response",
            "-starts with a dash",
            "--trace-mode",
            "full",
            "--files",
            "a b.tex",
            "c.csv",
            "--tool",
            "codex exec",
            "--executor",
            "claude-code",
            "--duration-ms",
            "142000",
            "--status",
            "partial",
            "--config",
            r#"{"effort":"xhigh"}"#,
            "--run-id",
            "camera-ready",
            "--json",
        ],
    );
    let data = saved(&output);
    assert_eq!(data["trace_path"], ".aris/traces/s/camera-ready/");
    let trace = the_run(temp.path());
    let record = &trace.records[0];
    let (request, meta) = (
        record.request.as_ref().expect("request"),
        record.meta.as_ref().expect("meta"),
    );
    assert_eq!(request.files_referenced, ["a b.tex", "c.csv"]);
    assert_eq!(request.config["effort"], "xhigh");
    assert_eq!(
        (request.tool.as_str(), request.model.as_str()),
        ("codex exec", "gpt-5.5")
    );
    assert_eq!(
        (
            meta.duration_ms,
            meta.status.as_str(),
            meta.thread_id.as_str()
        ),
        (Some(142_000), "partial", "019d")
    );
    assert_eq!(
        trace.run.expect("run").executor.as_deref(),
        Some("claude-code")
    );
    let prefix = data["prefix"].as_str().expect("prefix");
    let response = temp
        .path()
        .join(".aris/traces/s/camera-ready")
        .join(format!("{prefix}.response.md"));
    assert_eq!(
        fs::read(response).expect("response"),
        b"-starts with a dash"
    );
}

#[test]
fn standard_input_and_arguments_carry_any_bytes() {
    let temp = tempfile::tempdir().expect("temp");
    let mut child = command(temp.path())
        .args(["--skill", "s", "--purpose", "p", "--prompt"])
        .arg(std::ffi::OsStr::from_bytes(b"\xFE\xFF"))
        .args(["--response-file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    child
        .stdin
        .take()
        .expect("stdin")
        .write_all(b"\0\x80\n")
        .expect("written");
    assert!(child.wait_with_output().expect("ended").status.success());
    let trace = the_run(temp.path());
    assert_eq!(trace.records[0].response_length, 3);
    let request = trace.records[0].request.as_ref().expect("request");
    assert_eq!(
        (request.prompt.as_deref(), request.prompt_base64.as_deref()),
        (None, Some("/v8="))
    );
}

#[test]
fn bad_input_is_refused_with_its_code_and_leaves_nothing() {
    let temp = tempfile::tempdir().expect("temp");
    fs::create_dir(temp.path().join("folder")).expect("folder");
    let cases: [(&[&str], i32, &str); 12] = [
        (&["--skill", "x"], 2, "cannot be used multiple times"),
        (&["--prompt-file", "none"], 3, "none does not exist"),
        (&["--prompt-file", "folder"], 4, "is a directory"),
        (&["--response-file", "/dev/zero"], 4, "is a device"),
        (
            &["--prompt", "a", "--prompt-file", "b"],
            2,
            "cannot be used with",
        ),
        (
            &["--prompt-file", "-", "--response-file", "-"],
            2,
            "standard input",
        ),
        (&["--config", "[1]"], 2, "not a JSON object"),
        (&["--trace-mode", "loud"], 2, "not a trace mode"),
        (&["--run-id", "../../etc"], 2, "not a safe name"),
        (&["--run-id", "a", "--new-run"], 2, "cannot be used with"),
        (&["--duration-ms", "soon"], 2, "invalid digit"),
        (&["--project", "none"], 3, "does not exist"),
    ];
    for (args, code, text) in cases {
        let output = call(temp.path(), args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(text), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty());
    }
    for skill in ["..", "a/b", ".hidden", "", "a\nb"] {
        let output = command(temp.path())
            .args(["--skill", skill, "--purpose", "p"])
            .output()
            .expect("started");
        assert_eq!(output.status.code(), Some(2), "{skill:?}");
    }
    assert!(!temp.path().join(".aris").exists());
}

#[test]
fn off_keeps_nothing_and_the_environment_sets_the_mode() {
    let temp = tempfile::tempdir().expect("temp");
    assert!(
        call(temp.path(), &["--trace-mode", "off", "--response", "r"])
            .status
            .success()
    );
    assert!(!temp.path().join(".aris").exists());
    let output = command(temp.path())
        .args([
            "--skill",
            "s",
            "--purpose",
            "p",
            "--prompt",
            "hush",
            "--response",
            "r",
            "--json",
        ])
        .env("ARIS_TRACE_MODE", "meta")
        .output()
        .expect("started");
    assert_eq!(saved(&output)["mode"], "meta");
    let request = the_run(temp.path()).records[0]
        .request
        .clone()
        .expect("request");
    assert_eq!((request.prompt, request.prompt_length), (None, Some(4)));
}

#[test]
fn a_second_call_adds_and_changes_nothing_that_was_there() {
    let temp = tempfile::tempdir().expect("temp");
    fs::write(temp.path().join(".gitignore"), "target").expect("write");
    call(temp.path(), &["--response", "r"]);
    let before = files(temp.path());
    call(temp.path(), &["--response", "r"]);
    for (path, bytes) in &before {
        let after = fs::read(path).expect("still there");
        assert!(after.starts_with(bytes), "{path}");
        assert!(
            after.len() == bytes.len() || Path::new(path).extension() == Some("jsonl".as_ref()),
            "{path}"
        );
    }
    assert_eq!(
        fs::read_to_string(temp.path().join(".gitignore")).expect("read"),
        "target\n.aris/traces/\n"
    );
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)
        .expect("folder")
        .map(|entry| entry.expect("entry").path())
    {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            found.push((entry.display().to_string(), fs::read(&entry).expect("read")));
        }
    }
    found
}

#[test]
fn sixty_four_writers_at_once_make_records_one_to_sixty_four() {
    let temp = tempfile::tempdir().expect("temp");
    let children: Vec<_> = (0..64)
        .map(|n| {
            command(temp.path())
                .args([
                    "--skill",
                    "s",
                    "--purpose",
                    "p",
                    "--prompt",
                    &format!("prompt {n}"),
                    "--response",
                    &format!("{n}"),
                ])
                .args(["--thread-id", &format!("t{n}"), "--json", "-q"])
                .stdout(Stdio::piped())
                .spawn()
                .expect("started")
        })
        .collect();
    let mut numbers = BTreeSet::new();
    for child in children {
        let data = saved(&child.wait_with_output().expect("ended"));
        numbers.insert(data["call_number"].as_u64().expect("number"));
    }
    assert_eq!(numbers, (1..=64).collect());
    let trace = the_run(temp.path());
    let threads: BTreeSet<&str> = trace
        .records
        .iter()
        .filter_map(|record| record.thread_id())
        .collect();
    assert_eq!((trace.records.len(), threads.len()), (64, 64));
    let events = fs::read_to_string(temp.path().join(".aris/meta/events.jsonl")).expect("events");
    assert_eq!(
        events
            .lines()
            .filter(|line| serde_json::from_str::<Value>(line).is_ok())
            .count(),
        64
    );
}

#[test]
fn writers_killed_at_random_lose_nobody_elses_record() {
    let temp = tempfile::tempdir().expect("temp");
    // xorshift: different moments for each child, the same on every machine.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut finished = BTreeSet::new();
    let mut killed = 0;
    for round in 0..4 {
        let mut children: Vec<_> = (0..16)
            .map(|n| {
                let thread = format!("t{round}-{n}");
                let child = command(temp.path())
                    .args([
                        "--skill",
                        "s",
                        "--purpose",
                        "p",
                        "--response",
                        "r",
                        "-q",
                        "--thread-id",
                        &thread,
                    ])
                    .stdout(Stdio::null())
                    .spawn()
                    .expect("started");
                (
                    thread,
                    child,
                    (n % 2 == 0).then(|| Duration::from_micros(random() % 30_000)),
                )
            })
            .collect();
        let start = Instant::now();
        let mut victims: Vec<_> = children
            .iter_mut()
            .filter_map(|(_, child, at)| at.map(|at| (at, child)))
            .collect();
        victims.sort_by_key(|(at, _)| *at);
        for (at, child) in victims {
            std::thread::sleep(at.saturating_sub(start.elapsed()));
            child.kill().expect("killed");
        }
        for (thread, mut child, _) in children {
            if child.wait().expect("ended").success() {
                finished.insert(thread);
            } else {
                killed += 1;
            }
        }
    }
    // One more writer clears what the last victim may have left.
    assert!(
        call(temp.path(), &["--response", "r", "--thread-id", "last"])
            .status
            .success()
    );
    finished.insert(String::from("last"));
    let trace = the_run(temp.path());
    let kept: BTreeSet<String> = trace
        .records
        .iter()
        .filter_map(|record| record.thread_id().map(ToOwned::to_owned))
        .collect();
    assert!(
        kept.is_superset(&finished),
        "lost: {:?}",
        finished.difference(&kept)
    );
    assert_eq!(
        kept.len(),
        trace.records.len(),
        "a record was written twice"
    );
    assert!(killed > 0, "no writer was killed: the test shows nothing");
    // Every file of the run belongs to a record of the chain.
    let run = fs::read_dir(temp.path().join(".aris/traces/s"))
        .expect("traces")
        .map(|entry| entry.expect("entry").path())
        .find(|path| path.is_dir())
        .expect("run");
    let prefixes: BTreeSet<&str> = trace
        .records
        .iter()
        .map(|record| record.prefix.as_str())
        .collect();
    for (path, _) in files(&run) {
        let name = path.rsplit('/').next().expect("name").to_owned();
        let known = ["chain.jsonl", "run.meta.json"].contains(&name.as_str())
            || name
                .split_once('.')
                .is_some_and(|(prefix, _)| prefixes.contains(prefix));
        assert!(known, "{path} belongs to no record");
    }
}
