//! From a number back to the run that made it, and from a run to the numbers that stand on it: each fault on the way is named.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use aris_testkit::{Helper, Project, Run};
use serde_json::{Value, json};

use crate::review::git;

const PAPER: &str = "\\documentclass{article}\n\\begin{document}\nOurs reaches 34.2 points, the other 30.7, on average 32.45.\n\\end{document}\n";

const CLAIMS: &str = r#"version = 1

[data]
root = ".."

[[claim]]
id = "ours"
in = "main.tex"
text = "Ours reaches [[34.2]] points"
value = "select points from \"results/one.csv\""

[[claim]]
id = "other"
in = "main.tex"
text = "the other [[30.7]]"
value = "select points from \"results/two.csv\""

[[claim]]
id = "mean"
in = "main.tex"
text = "on average [[32.45]]"
value = "select avg(points) from \"results/*.csv\" where seed > 0"
"#;

/// A project under git whose two results come from a queue.
fn project() -> Project {
    let project = Project::bare()
        .file("paper/main.tex", PAPER)
        .file("paper/claims.toml", CLAIMS)
        .file(
            "train.sh",
            "printf 'seed,points\\n%s,%s\\n' \"$1\" \"$2\" > \"$3\"\n",
        )
        .file("results/.keep", "")
        .file(".gitignore", "queue/\n.aris/\n");
    let jobs = json!([
        {"id": "one", "cmd": "sh train.sh 1 34.2 results/one.csv", "expected_output": "results/one.csv", "gpus": 0},
        {"id": "two", "cmd": "sh train.sh 2 30.7 results/two.csv", "expected_output": "results/two.csv", "gpus": 0,
         "env": {"HF_TOKEN": "hf_abc", "SEED": "2"}},
    ]);
    project.write(
        "queue/m.json",
        json!({"project": "p", "conda": "none", "gpus": [], "jobs": jobs}).to_string(),
    );
    for arguments in [
        &["init", "-q", "-b", "main"] as &[&str],
        &["config", "user.name", "T"],
        &["config", "user.email", "t@example.org"],
    ] {
        git(&project, arguments);
    }
    commit(&project);
    project
}

fn commit(project: &Project) {
    git(project, &["add", "."]);
    git(project, &["commit", "-q", "-m", "x"]);
}

fn call(project: &Project, helper: &str, arguments: &[&str]) -> Run {
    Helper::named(helper)
        .call(project.path())
        .args(arguments)
        .run()
}

fn run_queue(project: &Project) -> Run {
    let state = ["--manifest", "queue/m.json", "--state", "queue/s.json"];
    call(project, "queue_manager", &[&["run"], &state[..]].concat())
}

fn trace(project: &Project, number: &str) -> (i32, Value) {
    let run = call(
        project,
        "paper_claim_audit",
        &["trace-back", number, "paper", "--json"],
    );
    (run.code(), run.envelope()["data"]["numbers"].clone())
}

/// The ids of what is wrong with the way from a number.
fn gaps(project: &Project, number: &str) -> Vec<String> {
    let (code, numbers) = trace(project, number);
    let gaps = numbers
        .as_array()
        .expect("numbers")
        .iter()
        .flat_map(|number| number["gaps"].as_array().expect("gaps"));
    let ids: Vec<String> = gaps
        .map(|gap| gap["id"].as_str().expect("id").to_owned())
        .collect();
    assert_eq!(code, if ids.is_empty() { 0 } else { 10 }, "{numbers:#}");
    ids
}

/// The records of runs, each with its path.
fn records(project: &Project) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    for folder in fs::read_dir(project.at(".aris/runs")).expect("a ledger") {
        let folder = folder.expect("entry").path();
        for file in folder
            .is_dir()
            .then(|| fs::read_dir(&folder).expect("folder"))
            .into_iter()
            .flatten()
        {
            let path = file.expect("entry").path();
            if path.extension().is_some_and(|ending| ending == "json") {
                let text = fs::read_to_string(&path).expect("read");
                found.push((path, serde_json::from_str(&text).expect("json")));
            }
        }
    }
    found
}

fn record_of(project: &Project, job: &str) -> (PathBuf, Value) {
    let found = records(project)
        .into_iter()
        .find(|(_, record)| record["job"] == job);
    found.expect("a record")
}

#[test]
fn a_number_leads_to_its_query_rows_file_run_and_commit() {
    let project = project();
    run_queue(&project).expect_code(0);
    assert_eq!(gaps(&project, "*"), [""; 0]);
    let (_, numbers) = trace(&project, "main.tex:3");
    assert_eq!(numbers.as_array().map(Vec::len), Some(3));
    let (_, numbers) = trace(&project, "other");
    let number = &numbers[0];
    assert_eq!(
        (number["shown"].as_str(), number["value"].as_str()),
        (Some("30.7"), Some("30.7"))
    );
    assert_eq!(
        (
            number["rows"]["total"].as_u64(),
            &number["rows"]["first"][0][1]
        ),
        (Some(1), &json!("30.7"))
    );
    let run = &number["files"][0]["run"];
    assert_eq!(run["job"], "two");
    assert_eq!(
        (
            run["attempt"].as_u64(),
            run["end"].as_str(),
            run["how"].as_str()
        ),
        (Some(1), Some("completed"), Some("exit 0"))
    );
    assert_eq!(
        run["source"]["commit"].as_str(),
        Some(git(&project, &["rev-parse", "HEAD"]).as_str())
    );
    assert_eq!(run["inputs"][0]["path"], "train.sh");
    assert_eq!(
        run["env"],
        json!({"HF_TOKEN": "(not recorded)", "SEED": "2"})
    );
    let text = call(
        &project,
        "paper_claim_audit",
        &["trace-back", "mean", "paper"],
    )
    .expect_code(0);
    for part in [
        "main.tex:3",
        "results/one.csv",
        "results/two.csv",
        "one attempt 1 (queue): completed",
        "sh train.sh 2 30.7",
    ] {
        assert!(text.stdout().contains(part), "{part}: {}", text.stdout());
    }
    call(
        &project,
        "paper_claim_audit",
        &["show", "paper", "--html", "page.html"],
    )
    .expect_code(0);
    let page = fs::read_to_string(project.at("page.html")).expect("page");
    assert!(page.contains("Made by") && page.contains("one attempt 1 (queue): completed"));
    call(
        &project,
        "paper_claim_audit",
        &["trace-back", "nowhere", "paper"],
    )
    .expect_code(3);
}

#[test]
fn a_file_that_was_changed_after_its_run_is_unexplained() {
    let project = project();
    run_queue(&project).expect_code(0);
    fs::write(project.at("results/one.csv"), "seed,points\n1,34.20\n").expect("write");
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
    assert_eq!(gaps(&project, "other"), [""; 0]);
    let text = call(
        &project,
        "paper_claim_audit",
        &["trace-back", "ours", "paper"],
    )
    .expect_code(10);
    assert!(
        text.stdout().contains("it was changed since"),
        "{}",
        text.stdout()
    );
}

#[test]
fn without_a_ledger_nothing_is_explained_and_the_gate_minds_only_when_asked() {
    let project = project();
    for name in ["one", "two"] {
        let points = if name == "one" { "1,34.2" } else { "2,30.7" };
        project.write(
            &format!("results/{name}.csv"),
            format!("seed,points\n{points}\n"),
        );
    }
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let run = call(
            &project,
            "verify_paper_audits",
            &[arguments, &["paper", "--json"]].concat(),
        );
        let findings = run.envelope()["data"]["findings"].clone();
        let ids = findings.as_array().expect("findings").iter();
        ids.filter_map(|finding| finding["id"].as_str().map(str::to_owned))
            .collect()
    };
    call(&project, "paper_claim_audit", &["paper"]).expect_code(0);
    assert!(!ids(&[]).contains(&String::from("unexplained_evidence")));
    project.write("policy.json", r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"unexplained_evidence": "block"}}"#);
    assert!(ids(&["--policy", "policy.json"]).contains(&String::from("unexplained_evidence")));
}

#[test]
fn a_failed_run_a_repeated_one_and_one_of_another_commit_are_named() {
    let project = project();
    run_queue(&project).expect_code(0);
    // The second result again: another seed, in a run that failed, on code that nobody committed.
    let old = fs::read(project.at("results/two.csv")).expect("read");
    fs::write(
        project.at("train.sh"),
        "printf 'seed,points\\n%s,%s\\n' \"$1\" \"$2\" > \"$3\" # changed\n",
    )
    .expect("write");
    let again = [
        "record",
        "--name",
        "two",
        "--expected-output",
        "results/two.csv",
        "--",
        "sh",
        "-c",
        "sh train.sh 9 30.7 results/two.csv; exit 3",
    ];
    call(&project, "queue_manager", &again).expect_code(10);
    assert_eq!(
        gaps(&project, "other"),
        ["run_failed", "uncommitted_source"]
    );
    let (_, record) = records(&project)
        .into_iter()
        .find(|(_, record)| record["origin"] == "record")
        .expect("record");
    assert_eq!(
        (record["how"].as_str(), &record["source"]["changed"]),
        (Some("exit 3"), &json!(["train.sh"]))
    );
    // The older file brought back: what the ledger knows last is another one.
    fs::write(project.at("results/two.csv"), old).expect("write");
    assert_eq!(gaps(&project, "other"), ["superseded_run"]);
    // One of the two files of the mean by another commit.
    commit(&project);
    let again = [
        "record",
        "--name",
        "two",
        "--expected-output",
        "results/two.csv",
        "--",
        "sh",
        "train.sh",
        "2",
        "30.7",
        "results/two.csv",
    ];
    call(&project, "queue_manager", &again).expect_code(0);
    assert_eq!(gaps(&project, "mean"), ["mixed_commits"]);
    assert_eq!(gaps(&project, "other"), [""; 0]);
}

#[test]
fn results_under_git_that_runs_rewrite_are_no_uncommitted_code() {
    let project = project();
    run_queue(&project).expect_code(0);
    commit(&project);
    let again = [
        "record",
        "--name",
        "two",
        "--expected-output",
        "results/two.csv",
        "--",
        "sh",
        "train.sh",
        "3",
        "30.7",
        "results/two.csv",
    ];
    call(&project, "queue_manager", &again).expect_code(0);
    let again = [
        "record",
        "--name",
        "one",
        "--expected-output",
        "results/one.csv",
        "--",
        "sh",
        "train.sh",
        "4",
        "34.2",
        "results/one.csv",
    ];
    call(&project, "queue_manager", &again).expect_code(0);
    let changed = record_of_origin(&project, "one");
    assert_eq!(changed["source"]["changed"], json!(["results/two.csv"]));
    assert_eq!(gaps(&project, "ours"), [""; 0]);
}

fn record_of_origin(project: &Project, job: &str) -> Value {
    let found = records(project)
        .into_iter()
        .find(|(_, record)| record["job"] == job && record["origin"] == "record");
    found.expect("a record").1
}

#[test]
fn an_edited_an_absent_and_an_impossible_record_are_named() {
    let project = project();
    run_queue(&project).expect_code(0);
    let (path, record) = record_of(&project, "one");
    let text = fs::read_to_string(&path).expect("read");
    fs::write(&path, text.replace("sh train.sh 1", "sh train.sh 7")).expect("write");
    assert_eq!(gaps(&project, "ours"), ["record_damaged"]);
    fs::remove_file(&path).expect("remove");
    assert_eq!(gaps(&project, "ours"), ["record_damaged"]);
    // Whoever re-stamps the digest must change the log as well, and then the clock gives it away.
    let text = text.replace(
        record["ended"].as_str().expect("ended"),
        "2001-01-01T00:00:00Z",
    );
    let digest = git_sha256(&project, &text);
    let old = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .expect("name");
    let log = project.at(".aris/runs/outputs");
    let lines = fs::read_to_string(&log)
        .expect("read")
        .replace(old, &digest);
    fs::write(&log, lines).expect("write");
    let folder = project.at(&format!(".aris/runs/{}", digest.get(..2).expect("digits")));
    fs::create_dir_all(&folder).expect("folder");
    fs::write(folder.join(format!("{digest}.json")), text).expect("write");
    assert_eq!(gaps(&project, "ours"), ["record_damaged"]);
}

fn git_sha256(project: &Project, text: &str) -> String {
    project.write("t", text);
    let run = Helper::at("/usr/bin/env")
        .call(project.path())
        .args(["sha256sum", "t"])
        .run()
        .expect_code(0);
    run.stdout().split(' ').next().expect("a digest").to_owned()
}

#[test]
fn whoever_repeats_or_removes_a_run_is_told_which_numbers_stand_on_it() {
    let project = project();
    run_queue(&project).expect_code(0);
    // Before an audit nothing is known.
    call(&project, "queue_manager", &["used-by", "one"]).expect_code(5);
    call(&project, "paper_claim_audit", &["paper"]).expect_code(0);
    let used = call(&project, "queue_manager", &["used-by", "one", "--json"]).expect_code(0);
    let ids: Vec<Value> = used.envelope()["data"]["numbers"]
        .as_array()
        .expect("numbers")
        .iter()
        .map(|number| number["id"].clone())
        .collect();
    assert_eq!(ids, [json!("ours"), json!("mean")]);
    let again = call(
        &project,
        "queue_manager",
        &["retry", "one", "--again", "--state", "queue/s.json"],
    )
    .expect_code(0);
    assert!(
        again.stderr().contains("2 numbers stand on its files") && again.stderr().contains("34.2"),
        "{}",
        again.stderr()
    );
    let removed = call(
        &project,
        "queue_manager",
        &["remove", "two", "--state", "queue/s.json"],
    )
    .expect_code(0);
    assert!(
        removed.stderr().contains("removing two: 2 numbers"),
        "{}",
        removed.stderr()
    );
    call(&project, "queue_manager", &["used-by", "nobody"]).expect_code(3);
}

#[test]
fn the_statement_holds_the_chain_and_is_checked_elsewhere_with_nothing_but_the_files() {
    let project = project();
    run_queue(&project).expect_code(0);
    call(&project, "paper_claim_audit", &["paper"]).expect_code(0);
    let key = project.at("key");
    let key = key.to_str().expect("path");
    let made = Helper::at("/usr/bin/env")
        .call(project.path())
        .args(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key])
        .run();
    if made.code() != 0 {
        eprintln!("skipped: ssh-keygen cannot make a key");
        return;
    }
    call(
        &project,
        "verify_paper_audits",
        &["paper", "--attest", "s.json", "--sign-key", key],
    )
    .expect_code(0);
    let statement: Value =
        serde_json::from_slice(&fs::read(project.at("s.json")).expect("read")).expect("json");
    let predicate = &statement["predicate"];
    let commit = git(&project, &["rev-parse", "HEAD"]);
    let resolved = predicate["resolvedDependencies"].to_string();
    let (path, _) = record_of(&project, "one");
    let record = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .expect("name");
    assert!(
        resolved.contains(&commit) && resolved.contains(record),
        "{resolved}"
    );
    let run = &predicate["runs"][0];
    assert_eq!(run["runDetails"]["metadata"]["end"], "exit 0");
    assert!(!statement.to_string().contains("hf_abc"));
    // Another machine: the paper, its data, the statement.
    let other = Project::bare();
    for name in [
        "paper/main.tex",
        "paper/claims.toml",
        "paper/PAPER_CLAIM_AUDIT.json",
        "paper/PAPER_CLAIM_AUDIT.md",
        "results/one.csv",
        "results/two.csv",
        "s.json",
        "s.json.sig",
    ] {
        other.write(name, fs::read_to_string(project.at(name)).expect(name));
    }
    let inputs = predicate["inputs"].as_array().expect("inputs");
    for name in inputs.iter().filter_map(|input| input["name"].as_str()) {
        let from = project.at("paper").join(name);
        let to = other.at("paper").join(name);
        fs::create_dir_all(to.parent().expect("folder")).expect("folder");
        fs::copy(from, to).expect(name);
    }
    let public = fs::read_to_string(project.at("key.pub")).expect("key");
    other.write("signers", format!("me@example.org {public}"));
    let signed = [
        "check-statement",
        "s.json",
        "paper",
        "--allowed-signers",
        "signers",
        "--signer",
        "me@example.org",
    ];
    let checked = call(&other, "verify_paper_audits", &signed).expect_code(0);
    assert!(
        checked.stdout().contains("signed by the named signer"),
        "{}",
        checked.stdout()
    );
    let data = call(
        &other,
        "verify_paper_audits",
        &["check-statement", "s.json", "paper", "--json"],
    )
    .expect_code(0);
    let data = data.envelope()["data"].clone();
    assert_eq!(
        (
            data["signature"].as_str(),
            data["explained"].as_u64(),
            data["runs"].as_u64()
        ),
        (Some("intact"), Some(2), Some(2))
    );
    fs::write(other.at("results/one.csv"), "seed,points\n1,34.3\n").expect("write");
    let checked = call(
        &other,
        "verify_paper_audits",
        &["check-statement", "s.json", "paper"],
    )
    .expect_code(10);
    assert!(
        checked.stdout().contains("results/one.csv: differs"),
        "{}",
        checked.stdout()
    );
    let text = fs::read_to_string(other.at("s.json")).expect("read");
    fs::write(other.at("s.json"), text.replace("\"exit 0\"", "\"exit 1\"")).expect("write");
    let checked = call(&other, "verify_paper_audits", &signed).expect_code(10);
    assert!(
        checked.stdout().contains("the signature does not fit"),
        "{}",
        checked.stdout()
    );
    call(
        &other,
        "verify_paper_audits",
        &["check-statement", "signers", "paper"],
    )
    .expect_code(4);
    call(
        &other,
        "verify_paper_audits",
        &["check-statement", "nothing", "paper"],
    )
    .expect_code(3);
}

#[test]
fn runs_that_other_tools_recorded_are_taken_over() {
    let project = project();
    let data = |seed, points| format!("seed,points\n{seed},{points}\n");
    // As MLflow's file store lays a run down.
    let run = "mlruns/0/0123456789abcdef0123456789abcdef";
    project.write(
        "mlruns/0/meta.yaml",
        "experiment_id: '0'\nname: Default\nlifecycle_stage: active\n",
    );
    project.write(
        &format!("{run}/meta.yaml"),
        "artifact_uri: x\nend_time: 1700000100000\nlifecycle_stage: active\nrun_id: 0123456789abcdef0123456789abcdef\nrun_name: calm-owl-7\nstart_time: 1700000000000\nstatus: 3\n",
    );
    project.write(&format!("{run}/tags/mlflow.source.name"), "train.py");
    project.write(
        &format!("{run}/tags/mlflow.source.git.commit"),
        "0123456789012345678901234567890123456789",
    );
    project.write(&format!("{run}/params/lr"), "0.1");
    project.write(&format!("{run}/artifacts/one.csv"), data(1, "34.2"));
    project.write("results/one.csv", data(1, "34.2"));
    // DVC's lock; the digest of the second file is not that of what lies there.
    project.write("results/two.csv", data(2, "30.7"));
    let md5 = Helper::at("/usr/bin/env")
        .call(project.path())
        .args(["md5sum", "results/two.csv"])
        .run()
        .expect_code(0);
    let md5 = md5.stdout().split(' ').next().expect("digest").to_owned();
    project.write(
        "dvc.lock",
        format!("schema: '2.0'\nstages:\n  two:\n    cmd: python two.py\n    deps:\n    - path: two.py\n      md5: 00000000000000000000000000000000\n    outs:\n    - path: results/two.csv\n      hash: md5\n      md5: {md5}\n      size: 19\n    - path: train.sh\n      md5: 00000000000000000000000000000000\n"),
    );
    let imported = call(
        &project,
        "queue_manager",
        &["record", "--import", "mlruns", "--json"],
    )
    .expect_code(0);
    assert_eq!(
        imported.envelope()["data"]["runs"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(gaps(&project, "ours"), [""; 0]);
    let (_, record) = record_of(&project, "calm-owl-7");
    assert_eq!(
        (record["command"].as_str(), record["end"].as_str()),
        (Some("train.py lr=0.1"), Some("completed"))
    );
    let imported = call(
        &project,
        "queue_manager",
        &["record", "--import", "dvc.lock"],
    )
    .expect_code(10);
    assert!(
        imported
            .stdout()
            .contains("train.sh is not what the stage wrote"),
        "{}",
        imported.stdout()
    );
    assert_eq!(gaps(&project, "other"), [""; 0]);
    // How a run of these two ended is not in their files.
    project.write("wandb/run-20240101_000000-abc/files/wandb-metadata.json", r#"{"program": "/p/train.py", "args": ["--lr", "0.1"], "host": "h", "git": {"commit": "ab"}, "startedAt": "2024-01-01T00:00:00"}"#);
    project.write("wandb/run-20240101_000000-abc/files/eval.csv", "x\n1\n");
    project.write(
        "outputs/2024-01-01/10-00-00/.hydra/overrides.yaml",
        "- seed=1\n- lr=0.1\n",
    );
    project.write(
        "outputs/2024-01-01/10-00-00/.hydra/hydra.yaml",
        "hydra:\n  job:\n    name: train\n",
    );
    project.write("outputs/2024-01-01/10-00-00/metrics.csv", "y\n2\n");
    for (folder, job, command) in [
        ("wandb", "run-20240101_000000-abc", "/p/train.py --lr 0.1"),
        ("outputs", "train", "train.py seed=1 lr=0.1"),
    ] {
        call(&project, "queue_manager", &["record", "--import", folder]).expect_code(0);
        let (_, record) = record_of(&project, job);
        assert_eq!(
            (record["command"].as_str(), record["end"].as_str()),
            (Some(command), Some("unknown"))
        );
        assert_eq!(
            record["outputs"].as_array().map(Vec::len),
            Some(1),
            "{record}"
        );
    }
    call(&project, "queue_manager", &["record", "--import", "paper"]).expect_code(3);
    call(
        &project,
        "queue_manager",
        &["record", "--import", "nothing"],
    )
    .expect_code(3);
}

#[test]
fn a_ledger_that_cannot_be_written_holds_no_run_back() {
    if rustix_is_root() {
        // Root writes everywhere; a file in the ledger's place stops it, too.
        let project = project();
        project.write(".aris/runs", "");
        run_queue(&project).expect_code(0);
        assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
        return;
    }
    let project = project();
    fs::create_dir_all(project.at(".aris")).expect("folder");
    fs::set_permissions(project.at(".aris"), fs::Permissions::from_mode(0o555)).expect("mode");
    run_queue(&project).expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
    fs::set_permissions(project.at(".aris"), fs::Permissions::from_mode(0o755)).expect("mode");
}

fn rustix_is_root() -> bool {
    let run = Helper::at("/usr/bin/env")
        .call(std::path::Path::new("/"))
        .args(["id", "-u"])
        .run();
    run.stdout().trim() == "0"
}

#[test]
fn which_of_two_runs_at_once_wrote_a_file_is_not_known() {
    let project = project();
    let jobs = json!([
        {"id": "one", "cmd": "sh train.sh 1 34.1 results/one.csv; sleep 2", "expected_output": "results/one.csv", "gpus": 0},
        {"id": "two", "cmd": "sleep 1; sh train.sh 1 34.2 results/one.csv", "expected_output": "results/one.csv", "gpus": 0},
    ]);
    let manifest =
        json!({"project": "p", "conda": "none", "gpus": [], "max_cpu_jobs": 2, "jobs": jobs});
    project.write("queue/m.json", manifest.to_string());
    run_queue(&project).expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["contested_file"]);
}

#[test]
fn the_interpreter_that_setup_lines_choose_is_the_one_recorded() {
    let project = project();
    project.write(
        "env/bin/python",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo Python 9.8.7\nexit 0\n",
    );
    project.mode("env/bin/python", 0o755);
    let path = project.at("env/bin").display().to_string();
    let jobs = json!([{"id": "one", "cmd": "python train.py", "gpus": 0}]);
    let manifest = json!({"project": "p", "conda": "none", "setup": [format!("export PATH='{path}':$PATH")], "gpus": [], "jobs": jobs});
    project.write("queue/m.json", manifest.to_string());
    run_queue(&project).expect_code(0);
    let runs = fs::read_to_string(project.at(".aris/runs/runs")).expect("runs");
    let id = runs
        .lines()
        .find(|line| line.len() > 64)
        .and_then(|line| line.split(' ').next())
        .expect("an id");
    let record = fs::read_to_string(project.at(&format!(
        ".aris/runs/{}/{id}.json",
        id.get(..2).expect("digits")
    )))
    .expect("record");
    let record: Value = serde_json::from_str(&record).expect("json");
    assert_eq!(record["versions"]["python"], "Python 9.8.7", "{record}");
}

#[test]
fn a_command_whose_record_cannot_be_kept_is_not_run() {
    let project = project();
    project.write(".aris/runs", "in the way");
    let record = ["record", "--expected-output", "x", "--", "touch", "x"];
    call(&project, "queue_manager", &record).expect_code(5);
    assert!(!project.at("x").exists());
}

#[test]
fn a_manifest_may_want_no_records() {
    let project = project();
    let text = fs::read_to_string(project.at("queue/m.json")).expect("read");
    let mut manifest: Value = serde_json::from_str(&text).expect("json");
    manifest["provenance"] = json!(false);
    project.write("queue/m.json", manifest.to_string());
    run_queue(&project).expect_code(0);
    assert!(!project.at(".aris/runs").exists());
}
