//! Black-box tests: flags, many writers, killed writers.
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
    assert_eq!(record.executor(), Some("claude-code"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    for name in ["a b.tex", "c.csv"] {
        assert!(stderr.contains(&format!("{name} is not there")), "{stderr}");
    }
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
fn pipes_are_read_like_files() {
    let temp = tempfile::tempdir().expect("temp");
    let script = r#""$0" --skill s --purpose p --prompt-file <(printf prompt) --response-file <(printf answer) &&
        printf 'second answer' | "$0" --skill s --purpose p --prompt x --response-file /dev/stdin"#;
    let output = Command::new("bash")
        .current_dir(temp.path())
        .args(["-c", script, env!("CARGO_BIN_EXE_save_trace")])
        .output()
        .expect("started");
    assert!(output.status.success(), "{output:?}");
    let records = the_run(temp.path()).records;
    let prompt = records[0].request.as_ref().expect("request").prompt.clone();
    assert_eq!(prompt.as_deref(), Some("prompt"));
    let lengths: Vec<u64> = records.iter().map(|it| it.response_length).collect();
    assert_eq!(lengths, [6, 13]);
}

#[test]
fn what_the_reviewer_was_given_is_recorded_as_it_was() {
    let temp = tempfile::tempdir().expect("temp");
    let write = |name: &str, text: &str| {
        let path = temp.path().join(name);
        fs::create_dir_all(path.parent().expect("folder")).expect("folder");
        fs::write(path, text).expect("write");
    };
    write(
        "paper/main.tex",
        "\\documentclass{a}\\begin{document}\\input{s}\\end{document}",
    );
    write("paper/s.tex", "a section");
    write("results/x.json", "{}");
    let digests = |args: &[&str]| {
        assert!(call(temp.path(), args).status.success());
        let record = the_run(temp.path()).records.pop().expect("record");
        record
            .request
            .expect("request")
            .input_digests
            .expect("digests")
    };
    let section = |text: &str| aris_audit::Digest::of(text.as_bytes()).to_string();
    let first = digests(&["--prompt", "Audit paper/", "--files", "results/x.json"]);
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        ["paper/main.tex", "paper/s.tex", "results/x.json"]
    );
    write("paper/s.tex", "edited");
    let second = digests(&["--prompt", "Audit paper/main.tex", "--trace-mode", "meta"]);
    assert_eq!(first["paper/s.tex"], section("a section"));
    assert_eq!(second["paper/s.tex"], section("edited"));
    assert!(digests(&["--prompt", "Audit the paper"]).is_empty());
}

#[test]
fn each_record_keeps_its_own_executor_and_meta_mode_the_verdict() {
    let temp = tempfile::tempdir().expect("temp");
    call(
        temp.path(),
        &["--executor", "claude-code", "--response", "VERDICT: PASS"],
    );
    call(
        temp.path(),
        &[
            "--executor",
            "codex",
            "--response",
            "VERDICT: FAIL",
            "--trace-mode",
            "meta",
        ],
    );
    let records = the_run(temp.path()).records;
    let executors: Vec<_> = records.iter().map(|it| it.executor()).collect();
    assert_eq!(executors, [Some("claude-code"), Some("codex")]);
    let verdicts: Vec<_> = records
        .iter()
        .filter_map(|it| it.verdict)
        .map(aris_contract::artifact::audit::Verdict::word)
        .collect();
    assert_eq!(verdicts, ["PASS", "FAIL"]);
}

/// Name of today's run.
fn today(project: &Path, number: u32) -> String {
    let skill = project.join(".aris/traces/s");
    let run = fs::read_dir(skill)
        .expect("runs")
        .flatten()
        .find(|it| it.path().is_dir());
    let name = run.expect("run").file_name().into_string().expect("name");
    let day = name.split('_').next().expect("day");
    format!("{day}_run{number:02}")
}

#[test]
fn it_goes_on_behind_the_records_of_other_programs() {
    let temp = tempfile::tempdir().expect("temp");
    let first = saved(&call(temp.path(), &["--response", "r", "--json"]));
    let run = temp
        .path()
        .join(first["trace_path"].as_str().expect("path"));
    // Records as the reference writes them, without a chain.
    let foreign = |number: u64| {
        let meta = format!(
            r#"{{"call_number":{number},"purpose":"q","timestamp":"2026-04-15T14:33:00Z","thread_id":"f{number}","model":"m","status":"ok"}}"#
        );
        fs::write(run.join(format!("{number:03}-q.meta.json")), meta).expect("write");
        fs::write(run.join(format!("{number:03}-q.response.md")), "fine").expect("write");
    };
    foreign(2);
    foreign(3);
    let next = saved(&call(
        temp.path(),
        &["--response", "r", "--thread-id", "ours", "--json"],
    ));
    assert_eq!(next["call_number"], 4);
    let trace = the_run(temp.path());
    let threads: Vec<_> = trace
        .records
        .iter()
        .filter_map(|it| it.thread_id())
        .collect();
    assert_eq!(threads, ["", "ours", "f2", "f3"]);
    assert_eq!(trace.records.iter().filter(|it| it.chained).count(), 2);
    // A whole run as the reference writes it, without a chain.
    let day = today(temp.path(), 9);
    let other = temp.path().join(".aris/traces/s").join(&day);
    fs::create_dir(&other).expect("folder");
    let described = format!(
        r#"{{"skill":"s","run_id":"{day}","started_at":"2026-04-15T14:33:00Z","project_dir":"/p"}}"#
    );
    fs::write(other.join("run.meta.json"), described).expect("write");
    fs::copy(run.join("002-q.meta.json"), other.join("001-q.meta.json")).expect("copy");
    let next = saved(&call(temp.path(), &["--response", "r", "--json"]));
    assert_eq!(
        (&next["run_id"], &next["call_number"]),
        (&Value::from(day), &Value::from(2))
    );
    let trace = trace::read(&other, Some(temp.path())).expect("readable");
    assert!(
        matches!(trace.chain, Chain::Valid { .. }),
        "{:?}",
        trace.chain
    );
    assert_eq!(trace.records.len(), 2);
}

#[test]
fn a_run_that_the_log_knows_and_that_is_gone_is_not_begun_again() {
    let temp = tempfile::tempdir().expect("temp");
    for args in [
        &["--response", "r", "--json"][..],
        &["--response", "r", "--json", "--run-id", "camera-ready"],
    ] {
        let first = saved(&call(temp.path(), args));
        call(temp.path(), args);
        // As in a fresh clone of a project that commits its event log and not its traces.
        fs::remove_dir_all(temp.path().join(".aris/traces")).expect("removed");
        let again = saved(&call(temp.path(), args));
        assert_ne!(first["run_id"], again["run_id"]);
        assert_eq!(again["call_number"], 1);
        the_run(temp.path());
        let more = saved(&call(temp.path(), args));
        assert_eq!(
            (&more["run_id"], &more["call_number"]),
            (&again["run_id"], &Value::from(2))
        );
    }
}

#[test]
fn what_is_accepted_can_be_read_back() {
    let temp = tempfile::tempdir().expect("temp");
    // JSON escapes each of these bytes with six characters.
    fs::write(temp.path().join("prompt"), vec![1_u8; 12 << 20]).expect("write");
    let nested = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    for (args, code) in [
        (["--prompt-file", "prompt"], 0),
        (["--config", &nested(50)], 0),
        (["--config", &nested(70)], 2),
        (["--config", r#"{"a":1,"a":2}"#], 2),
    ] {
        let output = call(temp.path(), &args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{:?}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(the_run(temp.path()).records.len(), 2);
}

#[test]
fn bad_input_is_refused_with_its_code_and_leaves_nothing() {
    let temp = tempfile::tempdir().expect("temp");
    fs::create_dir(temp.path().join("folder")).expect("folder");
    fs::write(temp.path().join("file"), "").expect("file");
    let cases: [(&[&str], i32, &str); 13] = [
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
        (&["--project", "file"], 4, "is a file, not a folder"),
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

/// Which conversation said it is not known, so that `record` refuses the run.
#[test]
fn an_answer_without_a_thread_is_warned_of() {
    let temp = tempfile::tempdir().expect("temp");
    let answer = ["--response", "VERDICT: FAIL"];
    for (more, warned) in [
        (&[][..], true),
        (&["--thread-id", " "], true),
        (&["--thread-id", "t-1"], false),
        (&["--status", "error"], false),
        (&["--trace-mode", "off"], false),
    ] {
        let output = call(temp.path(), &[&answer[..], more].concat());
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).contains("no --thread-id: no audit");
        assert_eq!(said, warned, "{more:?}: {output:?}");
    }
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
fn a_last_line_that_only_lacks_its_line_feed_stays() {
    let temp = tempfile::tempdir().expect("temp");
    call(temp.path(), &["--response", "r"]);
    let chain = || {
        let mut all = files(temp.path()).into_iter();
        let (path, _) = all
            .find(|(path, _)| path.ends_with("chain.jsonl"))
            .expect("a chain");
        path
    };
    let events = temp.path().join(".aris/meta/events.jsonl");
    for path in [chain().into(), events] {
        let text = fs::read_to_string(&path).expect("read");
        fs::write(&path, text.trim_end()).expect("write");
        call(temp.path(), &["--response", "r"]);
        let after = fs::read_to_string(&path).expect("read");
        assert!(
            after.starts_with(&text) && after.len() > text.len(),
            "{after}"
        );
    }
    assert!(!the_run(temp.path()).records.is_empty());
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
    // xorshift: another moment for each child, the same on every machine.
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
    // One more writer removes what the last killed one may have left.
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
