//! `run`: every policy with every kind of end, and what is passed through unchanged.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use aris_testkit::{Helper, Project, crash_at_every_change};
use serde_json::json;

use super::{call, program};

/// A helper of each policy: the policy to ask for, its outcome, and the exit codes when the helper is missing and when it exits
/// with 7.
const POLICIES: [(&str, &str, &str, i32, i32); 6] = [
    ("verify_paper_audits", "A", "blocked", 1, 7),
    ("research_wiki", "B", "without_side_effect", 0, 0),
    ("save_trace", "C", "record_owed", 20, 20),
    ("arxiv_fetch", "D1", "next_source", 21, 21),
    ("arxiv_fetch", "D2", "source_skipped", 22, 22),
    ("overleaf_audit", "E", "noted", 0, 0),
];

#[test]
fn every_policy_has_its_outcome_for_every_end_and_never_in_silence() {
    for (helper, policy, word, missing, failed) in POLICIES {
        let tool = format!("tools/{helper}");
        let place = Project::new;
        let folder_in_the_way = || Project::new().file(&format!("{tool}/x"), "");
        let not_executable = || Project::new().file(&tool, "\u{7f}ELF");
        let fails = || Project::new().file(&tool, "#!/bin/sh\nexit 7\n");
        for (end, project, code, reason) in [
            ("missing", place(), missing, "helper not found: not in "),
            (
                "a folder",
                folder_in_the_way(),
                missing,
                "is there and cannot be used: is a directory",
            ),
            (
                "not executable",
                not_executable(),
                missing,
                "is not executable",
            ),
            ("fails", fails(), failed, "helper exited with 7"),
        ] {
            let what = format!("{helper} {policy} {end}");
            let args = ["run", helper, "--policy", policy, "--quiet"];
            let run = call(&project, &args).expect_code(code);
            assert_eq!(run.stdout(), "", "{what}");
            assert!(
                run.stderr().starts_with("warning: ") && run.stderr().contains(reason),
                "{what}: {run}"
            );
            let mut json = args.to_vec();
            json.push("--json");
            let data = call(&project, &json).expect_code(code).data();
            assert_eq!(data["outcome"], word, "{what}");
            assert_eq!(data["policy"], policy, "{what}");
        }
        let works = Project::new().file(&tool, "#!/bin/sh\necho done\n");
        let run = call(&works, &["run", helper, "--policy", policy]).expect_code(0);
        assert_eq!(
            (run.stdout(), run.stderr()),
            ("done\n", ""),
            "{helper} {policy}"
        );
        let run = call(&works, &["run", helper, "--policy", policy, "--json"]).expect_code(0);
        assert_eq!(
            (run.data()["outcome"].clone(), run.stderr()),
            (json!("done"), "done\n")
        );
    }
}

#[test]
fn a_helper_that_found_something_did_its_work() {
    for (helper, policy, ..) in POLICIES {
        for code in [10, 20, 125, 126, 139] {
            let script = format!("#!/bin/sh\necho findings\nexit {code}\n");
            let project = Project::new().file(&format!("tools/{helper}"), &script);
            let args = ["run", helper, "--policy", policy, "--json"];
            let run = call(&project, &args);
            let (data, what) = (run.data(), format!("{helper} {policy} {code}: {run}"));
            assert_eq!(data["helper_exit"], code, "{what}");
            let (left, outcome) = (run.code(), data["outcome"].as_str().expect("word"));
            match (policy, code) {
                ("A", _) => assert_eq!((left, outcome), (code, "blocked"), "{what}"),
                // The shell's own codes: the helper did not run to its end.
                (_, 126..) => assert_ne!(outcome, "found", "{what}"),
                ("B" | "E", _) => assert_eq!((left, outcome), (code, "found"), "{what}"),
                // Its record exists and its answer counts: the caller neither overwrites it nor asks another source.
                _ => assert_eq!((left, outcome), (0, "found"), "{what}"),
            }
            let said = ["exited with", "exit code"].map(|words| format!("{words} {code}"));
            assert!(
                said.iter().any(|said| run.stderr().contains(said)),
                "{what}"
            );
        }
    }
}

#[test]
fn legacy_names_choose_the_interpreter_and_arguments_pass_as_they_are() {
    let python = "import sys\nprint('py', sys.argv[1:], sys.stdin.read())\n";
    let bash = "[[ a == a ]] && printf '<%s>' \"$@\"; cat\n";
    let awkward = ["a  b", "*", "$HOME", "", "--json", "-x", "--", "'\"\\"];
    let project = Project::new()
        .file("tools/research_wiki.py", python)
        .file(".aris/tools/save_trace.sh", bash)
        .file(
            "tools/experiment_queue/queue_manager.py",
            "import sys\nsys.exit(3)\n",
        );
    let run = |helper: &str| {
        let args: Vec<&str> = ["run", helper, "--"]
            .iter()
            .chain(&awkward)
            .copied()
            .collect();
        program().call(project.path()).args(args).stdin("in").run()
    };
    assert_eq!(
        run("research_wiki").expect_code(0).stdout(),
        "py ['a  b', '*', '$HOME', '', '--json', '-x', '--', '\\'\"\\\\'] in\n"
    );
    assert_eq!(
        run("save_trace").expect_code(0).stdout(),
        "<a  b><*><$HOME><><--json><-x><--><'\"\\>in"
    );
    assert_eq!(call(&project, &["run", "queue_manager.py"]).code(), 3);
    project.write("file", "");
    for (folder, code) in [("none", 3), ("file", 4)] {
        assert_eq!(
            call(&project, &["doctor", "--project", folder]).code(),
            code
        );
    }
}

#[test]
fn bytes_pass_in_both_directions() {
    let project = Project::new().file("tools/save_trace", "#!/bin/sh\nexec cat\n");
    let bytes: Vec<u8> = (0..200_000_u32)
        .map(|n| n.to_le_bytes()[0] ^ 0x5a)
        .collect();
    let mut child = Command::new(program().path())
        .args(["run", "save_trace"])
        .current_dir(project.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("stdin");
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&sent));
    let output = child.wait_with_output().expect("ended");
    writer.join().expect("joined").expect("written");
    assert!(output.status.success());
    assert_eq!(output.stdout, bytes);
}

#[test]
fn a_signal_that_ends_the_helper_is_128_and_its_number() {
    for (signal, code) in [("KILL", 137), ("TERM", 143), ("SEGV", 139)] {
        let script = format!("#!/bin/sh\nkill -{signal} $$\n");
        let project = Project::new().file("tools/verify_paper_audits", &script);
        call(&project, &["run", "verify_paper_audits"]).expect_code(code);
    }
}

#[test]
fn a_signal_for_the_runner_is_for_the_helper() {
    let script = "#!/bin/sh\ntrap 'echo asked to end; exit 9' TERM\necho ready\nwhile :; do sleep 0.05; done\n";
    let project = Project::new().file("tools/verify_paper_audits", script);
    let mut child = Command::new(program().path())
        .args(["run", "verify_paper_audits"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("stdout")).lines();
    assert_eq!(lines.next().expect("a line").expect("text"), "ready");
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    assert_eq!(lines.next().expect("a line").expect("text"), "asked to end");
    assert_eq!(child.wait().expect("ended").code(), Some(9));
}

#[test]
fn a_helper_that_hangs_is_ended_with_everything_it_started() {
    let script = "#!/bin/sh\ntrap '' TERM\nsleep 300 &\necho $!\nwait\nsleep 300\n";
    let project = Project::new().file("tools/verify_paper_audits", script);
    let run = program()
        .call(project.path())
        .args(["run", "verify_paper_audits", "--timeout", "4"])
        .deadline(Duration::from_secs(30))
        .run()
        .expect_code(1);
    assert!(run.stderr().contains("no end within 4 s"), "{run}");
    let pid = run.stdout().trim();
    // After SIGKILL a process exists until the system schedules it once more.
    let began = std::time::Instant::now();
    loop {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            break;
        }
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "{pid} still runs: {state}"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_closed_stdout_is_the_helpers_matter() {
    let script = "#!/bin/sh\ntrap '' PIPE\necho x 2>/dev/null || exit 6\n";
    let project = Project::new().file("tools/verify_paper_audits", script);
    let (reader, writer) = std::io::pipe().expect("pipe");
    drop(reader);
    let status = Command::new(program().path())
        .args(["run", "verify_paper_audits"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(Stdio::null())
        .status()
        .expect("started");
    assert_eq!(status.code(), Some(6));
}

#[test]
fn names_that_are_no_helpers_and_policies_that_are_not_allowed_run_nothing() {
    let project = Project::new()
        .file("x", "#!/bin/sh\necho ran\n")
        .file("tools/verify_paper_audits", "#!/bin/sh\necho ran\n");
    for args in [
        &["run", "../x"][..],
        &["run", "x"],
        &["run", ""],
        &["run", "tools/verify_paper_audits"],
        &["run", "verify_paper_audits", "--policy", "B"],
        &["run", "verify_paper_audits", "--policy", "E"],
        &["run", "verify_paper_audits", "--policy", "F"],
        &["run", "verify_paper_audits", "--timeout", "0"],
        &["run", "verify_paper_audits", "argument"],
    ] {
        let run = call(&project, args).expect_code(2);
        assert!(!run.stdout().contains("ran"), "{args:?}");
    }
    let error = call(
        &project,
        &["run", "verify_paper_audits", "--policy", "B", "--json"],
    )
    .error();
    assert_eq!(
        error["message"],
        "the contract does not allow policy B for verify_paper_audits"
    );
}

#[test]
fn many_writers_record_every_outcome_in_a_line_of_its_own() {
    let project = Project::new().file("tools/save_trace", "#!/bin/sh\nexit 4\n");
    let args = ["run", "save_trace", "--record", "outcomes.jsonl"];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    call(&project, &args).expect_code(20);
                }
            });
        }
    });
    let text = project.read("outcomes.jsonl");
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a whole line"))
        .collect();
    assert_eq!(lines.len(), 40);
    assert!(
        lines
            .iter()
            .all(|line| line["helper_exit"] == 4 && line["outcome"] == "record_owed")
    );
}

#[test]
fn a_killed_runner_leaves_whole_lines() {
    let project = Project::new()
        .file("tools/save_trace", "#!/bin/sh\nexit 4\n")
        .file("outcomes.jsonl", "{\"before\":1}\n");
    let helper = Helper::named("contract_check");
    let crashes = crash_at_every_change(
        |_| {
            helper
                .call(project.path())
                .args(["run", "save_trace", "--record", "outcomes.jsonl"])
        },
        |_, _| {
            let text = project.read("outcomes.jsonl");
            assert!(text.starts_with("{\"before\":1}\n"), "{text}");
            for line in text.lines() {
                serde_json::from_str::<serde_json::Value>(line).expect("a whole line");
            }
        },
    );
    assert_eq!(crashes.last.code(), 20);
}
