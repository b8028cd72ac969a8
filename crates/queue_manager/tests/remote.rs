//! A queue on a server: deployed, queried and cancelled through a fake ssh, which runs the command line in a shell with another home
//! folder.
#![cfg(test)]
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use aris_testkit::{Helper, Project, Run};

/// Runs its last argument. If there is a file `down` beside it, the connection is broken. A file `fails` holds the number of calls after
/// which it breaks.
const SSH: &str = r#"#!/bin/sh
here=$(dirname "$0")
for line do :; done
case "$(cat "$here/fails" 2>/dev/null)" in 1) touch "$here/down" ;; ?*) expr "$(cat "$here/fails")" - 1 > "$here/fails" ;; esac
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

/// Repeats a command until its answer has `text`, for a limited time.
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
    // A second deploy finds the same manager, and starts no other.
    call(&bed, "deploy", &deploy).expect_code(0);

    until(&bed, &["status", "--jobs"], "completed");
    until(&bed, &["explain", "fails"], "exit status 3");
    until(&bed, &["logs", "fails"], "broken");
    let run = call(&bed, "remote", &["--json", "--run", "r1"]).expect_code(0);
    assert_eq!(run.data()["answer"]["jobs"], 3, "{run}");
    assert_eq!(run.data()["host"], "gpu");

    // A command that fails on the server fails here with the same exit code.
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
fn a_manifest_that_a_run_refuses_is_never_taken_up() {
    let bed = bed();
    let other = r#"{"gpus": [], "cwd": ".", "jobs": [{"id": "other", "cmd": "true"}]}"#;
    bed.write("other.json", other);
    let deploy = |manifest: &str| {
        let words = ["--manifest", manifest, "--run", "r1"];
        call(&bed, "deploy", &words)
    };
    let remote = |words: &[&str]| {
        let words = [&["--run", "r1", "--"], words].concat();
        call(&bed, "remote", &words).expect_code(0)
    };
    deploy("grid one/manifest.json").expect_code(0);
    until(&bed, &["status", "--jobs"], "running\tstays");
    let mut said = Vec::new();
    for _ in 0..2 {
        let run = deploy("other.json").expect_code(5);
        assert!(run.stderr().contains("stays; cancel"), "{run}");
        said.push(run.stderr().to_owned());
    }
    assert_eq!(said[0], said[1]);
    remote(&["cancel", "stays"]);
    until(&bed, &["status"], "ended");
    // `retry --start` and `reload` use the manifest of the run.
    remote(&["retry", "stays", "--start"]);
    remote(&["reload"]);
    let jobs = remote(&["status", "--jobs"]).stdout().to_owned();
    assert!(
        jobs.contains("\tstays\t") && !jobs.contains("other"),
        "{jobs}"
    );
    remote(&["cancel", "stays"]);
    until(&bed, &["status"], "ended");
    deploy("other.json").expect_code(0);
    until(&bed, &["status", "--jobs"], "\tother\t");
    let there = bed.read("home/.aris_queue/runs/r1/manifest.json");
    assert_eq!(there, other);
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

/// Jobs whose outputs are fetched: bytes of every value, a folder, a file outside the run, and two without outputs.
fn with_outputs(bed: &Project) -> Vec<u8> {
    let bytes: Vec<u8> = (0..5_000_000_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    std::fs::write(bed.at("home/source.bin"), &bytes).expect("written");
    let elsewhere = bed.at("home/elsewhere.txt").display().to_string();
    bed.write(
        "outputs/manifest.json",
        serde_json::json!({
            "project": "far", "gpus": [], "max_cpu_jobs": 4, "linger": 0, "cwd": ".", "jobs": [
                {"id": "large", "cmd": "mkdir -p out; cp ~/source.bin 'out/large one.bin'", "expected_output": "out/large one.bin"},
                {"id": "folder", "cmd": "mkdir -p ck/deep; echo a > ck/a; echo b > ck/deep/b", "expected_output": "ck"},
                {"id": "abroad", "cmd": format!("echo abroad > '{elsewhere}'"), "expected_output": elsewhere},
                {"id": "fails", "cmd": "echo partly > fails.txt; exit 1", "expected_output": "fails.txt"},
                {"id": "none", "cmd": "true"},
            ],
        })
        .to_string(),
    );
    call(
        bed,
        "deploy",
        &["--manifest", "outputs/manifest.json", "--run", "r1"],
    )
    .expect_code(0);
    until(bed, &["status"], "ended");
    bytes
}

fn outcomes(run: &Run) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let files = run.data()["files"].as_array().cloned().unwrap_or_default();
    files
        .iter()
        .map(|file| (text(&file["job"]), text(&file["outcome"])))
        .collect()
}

#[test]
fn outputs_of_a_server_are_brought_once_and_nothing_of_ours_is_lost() {
    let bed = bed();
    let bytes = with_outputs(&bed);
    let fetch = |args: &[&str]| {
        call(
            &bed,
            "fetch",
            &[&["--json", "--run", "r1", "--output", "got"], args].concat(),
        )
    };
    let run = fetch(&[]).expect_code(0);
    let at = |path: &str| std::fs::read(bed.at("got").join(path)).unwrap_or_default();
    assert_eq!(at("out/large one.bin"), bytes, "{run}");
    assert_eq!(
        (at("ck/a"), at("ck/deep/b")),
        (b"a\n".to_vec(), b"b\n".to_vec())
    );
    let abroad = run.data()["files"]
        .as_array()
        .expect("files")
        .iter()
        .find(|file| file["job"] == "abroad")
        .cloned()
        .expect("there");
    assert_eq!(
        std::fs::read(abroad["path"].as_str().expect("path")).expect("there"),
        b"abroad\n"
    );
    assert_eq!(outcomes(&run).len(), 4, "{run}");
    assert!(!bed.at("got/fails.txt").exists(), "only completed jobs");

    // Fetched again: nothing is copied twice, and files that were changed here are kept.
    let run = fetch(&[]).expect_code(0);
    assert!(
        outcomes(&run)
            .iter()
            .all(|(_, outcome)| outcome == "unchanged"),
        "{run}"
    );
    bed.write("got/ck/a", "mine");
    let run = fetch(&["folder"]).expect_code(10);
    assert!(
        outcomes(&run).contains(&(String::from("folder"), String::from("kept"))),
        "{run}"
    );
    assert_eq!(at("ck/a"), b"mine");
    fetch(&["--overwrite", "fold*"]).expect_code(0);
    assert_eq!(at("ck/a"), b"a\n");

    // Named jobs are fetched in any state; missing files are reported.
    fetch(&["fails"]).expect_code(0);
    assert_eq!(at("fails.txt"), b"partly\n");
    std::fs::remove_file(bed.at("home/.aris_queue/runs/r1/out/large one.bin")).expect("removed");
    let run = fetch(&["large"]).expect_code(10);
    assert_eq!(run.data()["missing"][0]["job"], "large", "{run}");
    fetch(&["no-such-job"]).expect_code(3);
    let left: Vec<_> = std::fs::read_dir(bed.at("got"))
        .expect("listed")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().starts_with('.')),
        "{left:?}"
    );
}

#[test]
fn a_transfer_that_broke_goes_on_where_it_was() {
    let bed = bed();
    let bytes = with_outputs(&bed);
    // The list and two pieces are transferred before the connection breaks.
    bed.write("fails", "4");
    let run = call(&bed, "fetch", &["--run", "r1", "--output", "got", "large"]).expect_code(7);
    assert!(run.stderr().contains("cannot be reached"), "{run}");
    assert!(
        !bed.at("got/out/large one.bin").exists(),
        "nothing half-written has the name"
    );
    let part = std::fs::read_dir(bed.at("got/out"))
        .expect("listed")
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|end| end == "part"));
    let length = part.expect("a part").metadata().expect("there").len();
    assert!(length > 0 && length < bytes.len() as u64, "{length}");
    std::fs::remove_file(bed.at("down")).expect("up again");
    std::fs::remove_file(bed.at("fails")).expect("up again");
    call(&bed, "fetch", &["--run", "r1", "--output", "got", "large"]).expect_code(0);
    assert_eq!(
        std::fs::read(bed.at("got/out/large one.bin")).expect("there"),
        bytes
    );
    assert_eq!(
        std::fs::read_dir(bed.at("got/out"))
            .expect("listed")
            .count(),
        1
    );
}

#[test]
fn a_log_on_a_server_is_followed_until_its_job_is_over() {
    let bed = bed();
    bed.write(
        "talk/manifest.json",
        r#"{"project": "far", "gpus": [], "linger": 0, "output_wait": 0, "cwd": ".", "retry": {"other": 1, "delay": 0}, "jobs": [
            {"id": "talks", "cmd": "echo attempt $ARIS_ATTEMPT; for at in 1 2 3; do echo line $at ü; sleep 0.4; done; printf 'no newline'; [ $ARIS_ATTEMPT = 2 ]"},
            {"id": "quiet", "cmd": "true", "needs": ["talks"]}]}"#,
    );
    call(
        &bed,
        "deploy",
        &["--manifest", "talk/manifest.json", "--run", "r1"],
    )
    .expect_code(0);
    let run = call(
        &bed,
        "remote",
        &["--run", "r1", "--", "logs", "talks", "--follow"],
    )
    .expect_code(0);
    let once = "line 1 ü\nline 2 ü\nline 3 ü\nno newline\n";
    assert_eq!(
        run.stdout(),
        format!("attempt 1\n{once}attempt 2\n{once}"),
        "{run}"
    );
    let run = call(
        &bed,
        "remote",
        &["--run", "r1", "--", "logs", "talks", "-f", "--attempt", "1"],
    )
    .expect_code(0);
    assert_eq!(run.stdout(), format!("attempt 1\n{once}"), "{run}");
    call(
        &bed,
        "remote",
        &["--run", "r1", "--", "logs", "nobody", "--follow"],
    )
    .expect_code(3);
}

#[test]
fn what_lies_above_the_queue_or_behind_a_link_here_keeps_no_other_output_back() {
    let bed = bed();
    bed.write(
        "outputs/manifest.json",
        serde_json::json!({
            "project": "far", "gpus": [], "max_cpu_jobs": 4, "linger": 0, "cwd": ".", "jobs": [
                {"id": "above", "cmd": "echo up > ../up.txt", "expected_output": "../up.txt"},
                {"id": "odd", "cmd": "printf 'x' > \"$(printf 'a\\nb')\"", "expected_output": "a*b"},
                {"id": "linked", "cmd": "mkdir -p d; echo d > d/x", "expected_output": "d/x"},
                {"id": "plain", "cmd": "echo p > plain.txt", "expected_output": "plain.txt"},
            ],
        })
        .to_string(),
    );
    let deploy = ["--manifest", "outputs/manifest.json", "--run", "r1"];
    call(&bed, "deploy", &deploy).expect_code(0);
    until(&bed, &["status"], "ended");
    for folder in ["got", "elsewhere"] {
        std::fs::create_dir(bed.at(folder)).expect("folder");
    }
    std::os::unix::fs::symlink("../elsewhere", bed.at("got/d")).expect("link");
    let run = call(&bed, "fetch", &["--json", "--run", "r1", "--output", "got"]).expect_code(10);
    let mut found = outcomes(&run);
    found.sort();
    let wanted = [
        ("above", "fetched"),
        ("linked", "failed"),
        ("odd", "fetched"),
        ("plain", "fetched"),
    ];
    let wanted = wanted.map(|(job, outcome)| (job.to_owned(), outcome.to_owned()));
    assert_eq!(found, wanted, "{run}");
    assert_eq!(
        std::fs::read_dir(bed.at("elsewhere"))
            .expect("listed")
            .count(),
        0,
        "nothing goes through a link"
    );
    // A name with a line break is printed on one line.
    let listed = until(&bed, &["outputs"], "4 files");
    assert!(listed.stdout().contains("a\\nb"), "{listed}");
    // Asking for a run that does not exist creates nothing on the server.
    call(&bed, "fetch", &["--run", "nope", "--output", "got"]).expect_code(3);
    assert!(!bed.at("home/.aris_queue/runs/nope").exists());
    assert!(!bed.at("home/.aris_queue/runs/probe").exists());
    // A log that does not exist is reported as on this machine.
    let logs = ["--run", "r1", "--", "logs", "plain", "-f", "--attempt", "9"];
    call(&bed, "remote", &logs).expect_code(3);
    let run = call(
        &bed,
        "remote",
        &["--run", "r1", "--json", "--", "logs", "plain", "-f"],
    )
    .expect_code(0);
    assert_eq!(run.data()["answer"]["id"], "plain", "{run}");
    let run = call(
        &bed,
        "remote",
        &["--run", "r1", "--", "retry", "--nonsense"],
    )
    .expect_code(2);
    let said = run.stderr().matches("--nonsense").count();
    assert!(
        run.stderr().contains("unexpected argument") && said <= 3,
        "{run}"
    );
}

/// A number in a local paper may rest on a file of a server, so the record of its run is copied with it.
#[test]
fn the_records_of_runs_come_with_the_files_they_wrote() {
    let bed = bed();
    with_outputs(&bed);
    let fetch = || call(&bed, "fetch", &["--json", "--run", "r1", "--output", "got"]);
    let run = fetch().expect_code(0);
    assert_eq!(run.data()["runs"], 3, "{run}");
    // In the local ledger, a file has its local path.
    let log = std::fs::read_to_string(bed.at(".aris/runs/outputs")).expect("a ledger");
    let paths: std::collections::BTreeSet<&str> = log
        .lines()
        .filter_map(|line| line.splitn(3, ' ').nth(2))
        .collect();
    let paths: Vec<&str> = paths
        .into_iter()
        .filter(|path| !path.contains("elsewhere"))
        .collect();
    assert_eq!(
        paths,
        ["got/ck/a", "got/ck/deep/b", "got/out/large one.bin"]
    );
    assert_eq!(fetch().expect_code(0).data()["runs"], 3);
    assert_eq!(
        std::fs::read_to_string(bed.at(".aris/runs/outputs")).expect("read"),
        log,
        "nothing twice"
    );

    // A file that was changed on the server after its run is not what the run wrote, and a record that was edited there is not accepted.
    for folder in ["got", ".aris"] {
        std::fs::remove_dir_all(bed.at(folder)).expect("removed");
    }
    std::fs::write(bed.at("home/.aris_queue/runs/r1/ck/a"), "other").expect("written");
    let there = bed.at("home/.aris_queue/runs/r1/.aris/runs");
    let record = run.data()["files"].as_array().expect("files").len();
    assert_eq!(record, 4);
    for folder in std::fs::read_dir(&there)
        .expect("listed")
        .flatten()
        .filter(|entry| entry.path().is_dir())
    {
        for file in std::fs::read_dir(folder.path()).expect("listed").flatten() {
            let text = std::fs::read_to_string(file.path()).expect("read");
            if text.contains("large one.bin") {
                std::fs::write(file.path(), text.replace("exit 0", "exit 9")).expect("written");
            }
        }
    }
    let run = fetch().expect_code(0);
    assert_eq!(run.data()["runs"], 2, "{run}");
    assert!(run.stderr().contains("edited"), "{run}");
    let log = std::fs::read_to_string(bed.at(".aris/runs/outputs")).expect("a ledger");
    assert!(
        log.contains(" got/ck/deep/b") && !log.contains(" got/ck/a") && !log.contains("large one"),
        "{log}"
    );
}

/// Each server has its own home folder, unless both names belong to one machine (file `twins`). A file `down-HOST` breaks the connection to
/// that server.
const SERVERS: &str = r#"#!/bin/sh
here=$(dirname "$0")
for word do case "$word" in gpu-a|gpu-b) host=$word ;; esac; line=$word; done
if [ -e "$here/down-$host" ]; then echo "ssh: connect to host $host port 22: Connection refused" >&2; exit 255; fi
test -e "$here/twins" && host=gpu-a
mkdir -p "$here/$host"
export HOME="$here/$host"
exec sh -c "$line"
"#;

const SHARED: &str = r#"{"project": "far", "gpus": [], "gpus_per_job": 0, "max_cpu_jobs": 3, "linger": 0, "cwd": ".", "phases": [
    {"name": "teachers", "jobs": [
        {"id": "t1", "cmd": "echo 1 > t1.txt", "expected_output": "t1.txt", "params": {"N": 1}},
        {"id": "t2", "cmd": "echo 2 > t2.txt", "expected_output": "t2.txt", "params": {"N": 2}}]},
    {"name": "students", "depends_on": {"phase": "teachers", "match": ["N"]}, "jobs": [
        {"id": "s1", "cmd": "cat t1.txt > s1.txt", "expected_output": "s1.txt", "params": {"N": 1}},
        {"id": "s2", "cmd": "cat t2.txt > s2.txt", "expected_output": "s2.txt", "params": {"N": 2}}]}]}"#;

fn servers(manifest: &str) -> Project {
    let bed = Project::bare()
        .file("ssh", SERVERS)
        .file("grid/manifest.json", manifest);
    bed.mode("ssh", 0o755);
    bed
}

fn both(bed: &Project, verb: &str, args: &[&str]) -> Run {
    let ssh = bed.at("ssh").display().to_string();
    Helper::at(env!("CARGO_BIN_EXE_queue_manager"))
        .call(bed.path())
        .args([verb, "--ssh", &ssh, "gpu-a,gpu-b", "--run", "r1"])
        .args(args)
        .run()
}

/// The names of the outputs on a server.
fn outputs(bed: &Project, host: &str) -> Vec<String> {
    let folder = bed.at(&format!("{host}/.aris_queue/runs/r1"));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.contains(".txt")).collect();
    names.sort();
    names
}

fn until_over(bed: &Project) {
    for _ in 0..600 {
        let run = both(bed, "remote", &["--json"]);
        let answer = &run.data()["answer"];
        if ["gpu-a", "gpu-b"]
            .iter()
            .all(|host| answer[host]["over"] == true)
        {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("the queue is never over");
}

#[test]
fn two_servers_share_a_queue_and_a_job_stays_where_it_is() {
    let bed = servers(SHARED);
    let deploy = ["--manifest", "grid/manifest.json"];
    let run = both(&bed, "deploy", &deploy).expect_code(0);
    assert!(
        run.stdout()
            .contains("run r1 on gpu-b: a manager was started"),
        "{run}"
    );
    // Each server would run the job.
    let refused = both(&bed, "remote", &["--", "add", "more", "--cmd", "true"]).expect_code(2);
    assert!(
        refused.stderr().contains("name the one"),
        "{}",
        refused.stderr()
    );
    until_over(&bed);
    // A job is on the same server as the job that it depends on.
    let (mut on_a, mut on_b) = (outputs(&bed, "gpu-a"), outputs(&bed, "gpu-b"));
    on_a.sort();
    assert_eq!(on_a, ["s1.txt", "t1.txt"]);
    assert_eq!(on_b, ["s2.txt", "t2.txt"]);

    let run = both(&bed, "remote", &[]).expect_code(0);
    assert!(
        run.stdout().contains("gpu-a:\n") && run.stdout().contains("gpu-b:\n"),
        "{run}"
    );
    let run = both(&bed, "remote", &["--", "explain", "t2"]).expect_code(0);
    assert!(
        run.stdout().contains("t2") && !run.stdout().contains("gpu-a:"),
        "{run}"
    );
    both(&bed, "remote", &["--", "explain", "t3"]).expect_code(3);
    both(&bed, "remote", &["--", "logs", "t2", "--follow"]).expect_code(2);

    let run = both(&bed, "fetch", &["--output", "here"]).expect_code(0);
    assert!(run.stdout().contains("4 fetched"), "{run}");
    assert_eq!(bed.read("here/s2.txt"), "2\n");

    // Several names: each server is asked only for its own jobs.
    let run = both(&bed, "fetch", &["--output", "named", "t1", "s*2", "t2"]).expect_code(0);
    assert!(run.stdout().contains("3 fetched"), "{run}");
    let run = both(&bed, "remote", &["--", "outputs", "t1", "t2"]).expect_code(0);
    for file in ["t1.txt", "t2.txt"] {
        assert_eq!(run.stdout().matches(file).count(), 1, "{run}");
    }
    for (verb, words) in [
        ("fetch", &["--output", "none", "t1", "t3"][..]),
        ("remote", &["--", "outputs", "t1", "t3"]),
    ] {
        both(&bed, verb, words).expect_code(3);
    }

    // A server that cannot be reached does not hide the other's answer.
    bed.write("down-gpu-a", "");
    let run = both(&bed, "remote", &[]).expect_code(7);
    assert!(
        run.stdout().contains("gpu-b:\n") && run.stderr().contains("gpu-a"),
        "{run}"
    );
    both(&bed, "fetch", &["--output", "there"]).expect_code(7);
    assert_eq!(bed.read("there/s2.txt"), "2\n");
    std::fs::remove_file(bed.at("down-gpu-a")).expect("up again");

    // More jobs: those that a server has stay there, although the order has changed.
    let more = SHARED.replace(
        r#"{"name": "teachers", "jobs": ["#,
        r#"{"name": "teachers", "jobs": [
        {"id": "t0", "cmd": "echo 0 > t0.txt", "expected_output": "t0.txt", "params": {"N": 0}},
        {"id": "t9", "cmd": "echo 9 > t9.txt", "expected_output": "t9.txt", "params": {"N": 9}},"#,
    );
    bed.write("grid/manifest.json", &more);
    both(&bed, "deploy", &deploy).expect_code(0);
    until_over(&bed);
    on_a = outputs(&bed, "gpu-a");
    on_b = outputs(&bed, "gpu-b");
    assert_eq!(on_a, ["s1.txt", "t0.txt", "t1.txt"]);
    assert_eq!(on_b, ["s2.txt", "t2.txt", "t9.txt"]);
}

#[test]
fn a_queue_that_cannot_be_shared_is_started_nowhere() {
    let bed = servers(&SHARED.replace(r#"{"phase": "teachers", "match": ["N"]}"#, r#""teachers""#));
    let deploy = ["--manifest", "grid/manifest.json"];
    let run = both(&bed, "deploy", &deploy).expect_code(5);
    assert!(run.stderr().contains("gpu-b would get no job"), "{run}");
    bed.write("grid/manifest.json", SHARED);
    bed.write("down-gpu-b", "");
    both(&bed, "deploy", &deploy).expect_code(7);
    std::fs::remove_file(bed.at("down-gpu-b")).expect("up again");
    bed.write("twins", "");
    let twins = both(&bed, "deploy", &deploy).expect_code(5);
    assert!(twins.stderr().contains("one machine"), "{twins}");
    let config = ["--ssh-config", "absent"];
    both(&bed, "deploy", &[&deploy[..], &config].concat()).expect_code(3);
    let ssh = bed.at("ssh").display().to_string();
    for hosts in ["gpu-a,gpu-a", "gpu-a,", "", ","] {
        for verb in ["deploy", "remote", "fetch"] {
            let manifest = ["--manifest", "grid/manifest.json"];
            let more: &[&str] = if verb == "deploy" { &manifest } else { &[] };
            Helper::at(env!("CARGO_BIN_EXE_queue_manager"))
                .call(bed.path())
                .args([verb, "--ssh", &ssh, hosts, "--run", "r1"])
                .args(more)
                .run()
                .expect_code(2);
        }
    }
    for host in ["gpu-a", "gpu-b"] {
        assert!(
            !bed.at(&format!("{host}/.aris_queue/runs/r1")).exists(),
            "{host}"
        );
    }
}

/// The default name of a run is that of the manifest's folder, which several projects may have.
#[test]
fn a_run_is_not_given_to_another_manifest_unless_it_is_named() {
    let bed = bed();
    let manifest = |of: &str| {
        let job = format!(r#"{{"id": "s0", "cmd": "echo {of} > {of}.txt"}}"#);
        let path = format!("{of}/exp/m.json");
        bed.write(
            &path,
            format!(r#"{{"gpus": [], "cwd": ".", "linger": 0, "jobs": [{job}]}}"#),
        );
        path
    };
    let (one, other) = (manifest("one"), manifest("other"));
    let deploy = |words: &[&str]| call(&bed, "deploy", &[&["--manifest"], words].concat());
    let over = || {
        let ended = |run: &Run| run.stdout().contains("ended");
        let status = || {
            call(
                &bed,
                "remote",
                &["--run", "exp-dd7a946de80a", "--", "status"],
            )
        };
        (0..600).any(|_| ended(&status()))
    };
    deploy(&[&one]).expect_code(0);
    assert!(over());
    let run = deploy(&[&other]).expect_code(5);
    assert!(
        run.stderr().contains("one/exp/m.json") && run.stderr().contains("--run"),
        "{run}"
    );
    deploy(&[&one]).expect_code(0);
    deploy(&[&other, "--run", "exp2"]).expect_code(0);
    // A person may give the run to the other one.
    deploy(&[&other, "--run", "exp-dd7a946de80a"]).expect_code(0);
    deploy(&[&one]).expect_code(5);
    assert!(over());
    assert!(
        bed.at("home/.aris_queue/runs/exp-dd7a946de80a/one.txt")
            .exists()
    );
}
