//! Traces from a number back to the run that made it, and from a run to the numbers based on it. Each fault on the way is
//! reported.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use aris_testkit::{Helper, Project, Run};
use serde_json::{Value, json};

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

/// A project in git with two results from a queue.
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
        project.git(arguments);
    }
    commit(&project);
    project
}

fn commit(project: &Project) {
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "x"]);
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

/// Ids of the gaps in the trace of a number.
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

/// The records of the runs, each with its path.
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
                // The lines after the first contain long lists of files.
                let first = text.lines().next().expect("a line");
                found.push((path, serde_json::from_str(first).expect("json")));
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
        Some(project.git(&["rev-parse", "HEAD"]).as_str())
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
        text.stdout().contains("the file has changed since run"),
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
    // The second result again: with another seed, in a failed run, from uncommitted code.
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
    // Restore the older file: the ledger's latest output is another one.
    fs::write(project.at("results/two.csv"), old).expect("write");
    assert_eq!(gaps(&project, "other"), ["superseded_run"]);
    // One of the two inputs of the mean comes from another commit.
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
    // Someone who replaces the digest must change the log too, and then the file's time reveals it.
    let log = project.at(".aris/runs/outputs");
    let lines = fs::read_to_string(&log).expect("read");
    let name = path.file_stem().and_then(|stem| stem.to_str());
    for time in ["2001-01-01T00:00:00Z", "2999-01-01T00:00:00Z"] {
        let text = text.replace(record["ended"].as_str().expect("ended"), time);
        let digest = git_sha256(&project, &text);
        fs::write(&log, lines.replace(name.expect("name"), &digest)).expect("write");
        let folder = project.at(&format!(".aris/runs/{}", digest.get(..2).expect("digits")));
        fs::create_dir_all(&folder).expect("folder");
        fs::write(folder.join(format!("{digest}.json")), text).expect("write");
        assert_eq!(gaps(&project, "ours"), ["run_clock"], "{time}");
    }
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
    // Before an audit there is no data.
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
        again.stderr().contains("2 numbers come from its files") && again.stderr().contains("34.2"),
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
    let commit = project.git(&["rev-parse", "HEAD"]);
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
    // Another machine, with the paper, its data and the statement.
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
    for part in ["byproducts", "builder"] {
        assert!(!run["runDetails"][part].is_null(), "{run}");
    }
    assert!(run["byproducts"].is_null() && run["runDetails"]["builder"]["version"].is_null());
    let wrote = run["runDetails"]["byproducts"][0]["name"]
        .as_str()
        .expect("a file");
    assert!(
        !run["buildDefinition"]["resolvedDependencies"]
            .to_string()
            .contains(wrote)
    );
    fs::write(other.at("results/one.csv"), "seed,points\n1,34.3\n").expect("write");
    let checked = call(
        &other,
        "verify_paper_audits",
        &["check-statement", "s.json", "paper"],
    )
    .expect_code(10);
    assert!(
        checked.stdout().contains("results/one.csv: differs")
            && checked.stdout().contains("1 of them written by"),
        "{}",
        checked.stdout()
    );
    let text = fs::read_to_string(other.at("s.json")).expect("read");
    fs::write(other.at("s.json"), text.replace("\"exit 0\"", "\"exit 1\"")).expect("write");
    let checked = call(&other, "verify_paper_audits", &signed).expect_code(10);
    assert!(
        checked
            .stdout()
            .contains("the signature is not valid for this statement and signer"),
        "{}",
        checked.stdout()
    );
    fs::remove_file(other.at("s.json.sig")).expect("remove");
    let checked = call(&other, "verify_paper_audits", &signed).expect_code(10);
    assert!(checked.stdout().contains("there is no signature"));
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
    // A run in the format of MLflow's file store.
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
    let artifact = format!("{run}/artifacts/one.csv");
    project.write(&artifact, data(1, "34.2"));
    set_old(&project, &artifact);
    project.write("results/one.csv", data(1, "34.2"));
    // DVC's lock file. The digest of the second file does not match the file.
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
    // The file has moved, and its commit is from another repository.
    assert_eq!(gaps(&project, "ours"), ["other_path", "no_commit"]);
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
    assert_eq!(gaps(&project, "other"), ["no_commit"]);
    // The same run with another artifact, and a deleted run.
    let refused = |folder: &str, why: &str| {
        let import = ["record", "--import", folder];
        let run = call(&project, "queue_manager", &import).expect_code(10);
        assert!(run.stdout().contains(why), "{}", run.stdout());
    };
    project.write(&artifact, data(1, "35.0"));
    refused("mlruns", "it was changed after the run was over");
    set_old(&project, &artifact);
    refused(
        "mlruns",
        "calm-owl-7 was taken over before, with another content",
    );
    project.write(
        "mlruns/1/abc/meta.yaml",
        "end_time: 1700000100000\nlifecycle_stage: deleted\nrun_id: abc\nstart_time: 1700000000000\nstatus: 3\n",
    );
    refused("mlruns/1", "abc was deleted");
    // These files do not say how the runs ended.
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
    project.write("outputs/2024-01-01/10-00-00/metrics.csv", data(5, "30.7"));
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
    fs::write(project.at("results/two.csv"), data(5, "30.7")).expect("write");
    let found = trace(&project, "other").1.to_string();
    assert!(
        found.contains("end_unknown") && !found.contains("run_failed"),
        "{found}"
    );
    call(&project, "queue_manager", &["record", "--import", "paper"]).expect_code(3);
    call(
        &project,
        "queue_manager",
        &["record", "--import", "nothing"],
    )
    .expect_code(3);
}

/// Somebody added a parameter to a finished run and imported it again.
#[test]
fn a_run_that_is_taken_over_again_does_not_contest_its_file() {
    let project = project();
    let run = "mlruns/0/0123456789abcdef0123456789abcdef";
    project.write(
        &format!("{run}/meta.yaml"),
        "artifact_uri: x\nend_time: 1700000100000\nlifecycle_stage: active\nrun_id: 0123456789abcdef0123456789abcdef\nrun_name: calm-owl-7\nstart_time: 1700000000000\nstatus: 3\n",
    );
    let artifact = format!("{run}/artifacts/one.csv");
    project.write(&artifact, "seed,points\n1,34.2\n");
    set_old(&project, &artifact);
    let claims = CLAIMS.replace("results/one.csv", &artifact);
    project.write("paper/claims.toml", claims);
    for lr in ["0.1", "0.2"] {
        project.write(&format!("{run}/params/lr"), lr);
        let import = ["record", "--import", "mlruns"];
        call(&project, "queue_manager", &import).expect_code(0);
        assert_eq!(gaps(&project, "ours"), ["no_commit"], "{lr}");
    }
}

/// `results/` in `.gitignore` does not cover the link, so git lists the folder as a file that lay there.
#[test]
fn an_output_folder_behind_a_link_is_no_code() {
    let project = project();
    fs::remove_dir_all(project.at("results")).expect("removed");
    fs::create_dir(project.at(".disk")).expect("folder");
    std::os::unix::fs::symlink(".disk", project.at("results")).expect("link");
    project.write(".gitignore", "results/\n.disk/\nqueue/\n.aris/\n");
    project.git(&["commit", "-q", "-a", "-m", "linked"]);
    run_queue(&project).expect_code(0);
    for number in ["ours", "other", "mean"] {
        assert_eq!(gaps(&project, number), [""; 0], "{number}");
    }
    // Places as other programs print them.
    let (code, numbers) = trace(&project, "main.tex:3");
    assert_eq!((code, numbers.as_array().map(Vec::len)), (0, Some(3)));
    for place in [
        "paper/main.tex:3",
        "./paper/main.tex:*",
        &project.at("paper/main.tex:3").display().to_string(),
    ] {
        assert_eq!(trace(&project, place), (0, numbers.clone()), "{place}");
    }
}

/// Sets the file's time to November 2023.
fn set_old(project: &Project, file: &str) {
    Helper::at("/usr/bin/env")
        .call(project.path())
        .args(["touch", "-d", "@1700000050", file])
        .run()
        .expect_code(0);
}

#[test]
fn a_ledger_that_cannot_be_written_holds_no_run_back() {
    if rustix_is_root() {
        // Root can write everywhere. A file in place of the ledger stops it too.
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

#[test]
fn no_secret_of_a_command_or_a_variable_is_recorded() {
    let project = project();
    let commands: [(&[&str], &[&str]); 10] = [
        (
            &["env", "PGPASSWORD=pw78", "true", "x"],
            &["env PGPASSWORD=(not recorded) true x"],
        ),
        (
            &["sh", "-c", "PGPASSWORD=\"pw78 pw78\"; MYPASS=pw78; true x"],
            &["PGPASSWORD=(not recorded); MYPASS=(not recorded); true x"],
        ),
        (
            &["true", "--password", "pw78 pw78", "x"],
            &["true --password (not recorded) x"],
        ),
        (
            &["true", "--password=pw78 pw78", "x"],
            &["true --password=(not recorded) x"],
        ),
        (
            &["true", "--export=WANDB_API_KEY=pw78", "x"],
            &["WANDB_API_KEY=(not recorded) x"],
        ),
        (
            &["true", "-H", "Authorization: Bearer pw78", "x"],
            &["-H Authorization:(not recorded)", " x"],
        ),
        (
            &["true", "--user", "joe:pw78", "x"],
            &["true --user joe:(not recorded) x"],
        ),
        (
            &["true", "http://joe:pw78@host/a", "x"],
            &["http://(not recorded)@host/a x"],
        ),
        (
            &[
                "true",
                "sk-pw78abcdefgh",
                "ghp_pw78abcdefgh",
                "AKIApw78ABCDEFGH",
            ],
            &["true (not recorded) (not recorded) (not recorded)"],
        ),
        (
            &["sh", "-c", "echo 'pw 78'; true --lr 1 --max-tokens=5"],
            &["--lr 1 --max-tokens=5"],
        ),
    ];
    for (at, (command, shown)) in commands.iter().enumerate() {
        let name = format!("run-{at}");
        let record = [&["record", "--name", &name, "--"], *command].concat();
        call(&project, "queue_manager", &record).expect_code(0);
        let (_, record) = record_of(&project, &name);
        let text = record["command"].as_str().expect("a command");
        assert!(shown.iter().all(|part| text.contains(part)), "{text}");
        assert!(!record.to_string().contains("pw78"), "{record}");
    }
    let jobs = json!([{"id": "one", "cmd": "true", "gpus": 0, "env": {"MY_URL": "https://u:pw78@host", "DBPASS": "pw78"}}]);
    let manifest = json!({"project": "p", "conda": "none", "setup": ["export TOKEN=pw78"], "gpus": [], "jobs": jobs});
    project.write("queue/m.json", manifest.to_string());
    fs::write(project.at("train.sh"), "# changed\n").expect("write");
    run_queue(&project).expect_code(0);
    let (_, record) = record_of(&project, "one");
    assert_eq!(record["env"]["MY_URL"], "https://(not recorded)@host");
    assert!(!record.to_string().contains("pw78"), "{record}");
    // The patch contains the changes of the edited files.
    let patch = record["source"]["patch"].as_str().expect("a patch");
    let patch = format!(
        ".aris/runs/{}/{patch}.patch",
        patch.get(..2).expect("digits")
    );
    let mode = fs::metadata(project.at(&patch))
        .expect("a patch")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Records a run of `sh` with these words, which writes `output`.
fn record(project: &Project, name: &str, output: &str, words: &[&str]) -> Run {
    let first = ["record", "--name", name, "--expected-output", output, "--"];
    call(project, "queue_manager", &[&first[..], words].concat())
}

fn train(project: &Project, seed: &str) -> Run {
    let words = ["sh", "train.sh", seed, "34.2", "results/one.csv"];
    record(project, "one", "results/one.csv", &words)
}

fn messages(project: &Project, number: &str) -> String {
    let (_, numbers) = trace(project, number);
    numbers[0]["gaps"].to_string()
}

#[test]
fn code_that_a_run_once_wrote_and_a_person_edited_is_uncommitted() {
    let project = project();
    let text = fs::read_to_string(project.at("train.sh")).expect("read");
    project.write("template", format!("{text}# made\n"));
    commit(&project);
    record(
        &project,
        "code",
        "train.sh",
        &["sh", "-c", "sed '' template > train.sh"],
    )
    .expect_code(0);
    train(&project, "1").expect_code(0);
    assert!(!gaps(&project, "ours").contains(&String::from("uncommitted_source")));
    fs::write(project.at("train.sh"), format!("{text}# by hand\n")).expect("write");
    train(&project, "2").expect_code(0);
    let found = gaps(&project, "ours");
    assert!(
        found.contains(&String::from("uncommitted_source")),
        "{found:?}"
    );
}

#[test]
fn a_run_that_only_touched_or_copied_a_file_did_not_make_it() {
    let project = project();
    let data = "seed,points\n1,34.2\n";
    project.write("results/one.csv", data);
    record(
        &project,
        "one",
        "results/one.csv",
        &["touch", "results/one.csv"],
    )
    .expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
    fs::remove_file(project.at("results/one.csv")).expect("remove");
    project.write("mine.csv", data);
    record(
        &project,
        "one",
        "results/one.csv",
        &["cp", "mine.csv", "results/one.csv"],
    )
    .expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
    assert!(messages(&project, "ours").contains("found it in"));
    // A run that makes the file also explains the copy.
    fs::remove_file(project.at("results/one.csv")).expect("remove");
    train(&project, "1").expect_code(0);
    assert_eq!(gaps(&project, "ours"), [""; 0]);
    train(&project, "1").expect_code(0);
    assert_eq!(gaps(&project, "ours"), [""; 0]);
}

#[test]
fn swapped_files_are_told_from_a_later_run() {
    let project = project();
    run_queue(&project).expect_code(0);
    let (one, two) = (project.at("results/one.csv"), project.at("results/two.csv"));
    fs::rename(&one, project.at("t")).expect("rename");
    fs::rename(&two, &one).expect("rename");
    fs::rename(project.at("t"), &two).expect("rename");
    for number in ["ours", "other"] {
        assert_eq!(gaps(&project, number), ["other_path"]);
    }
    assert!(messages(&project, "ours").contains("wrote it as results/two.csv"));
}

#[test]
fn what_a_run_read_is_traced_in_turn() {
    let project = project();
    project.write(".gitignore", "queue/\n.aris/\nraw/\n");
    project.write("raw/.keep", "");
    commit(&project);
    let make = |exit: &str| {
        let script = format!("sh train.sh 1 34.2 raw/one.csv; exit {exit}");
        record(&project, "raw", "raw/one.csv", &["sh", "-c", &script])
    };
    let copy = ["sh", "-c", "sed s/1,/2,/ raw/one.csv > results/one.csv"];
    make("0").expect_code(0);
    record(&project, "one", "results/one.csv", &copy).expect_code(0);
    assert_eq!(gaps(&project, "ours"), [""; 0]);
    make("3").expect_code(10);
    assert_eq!(gaps(&project, "ours"), ["run_failed"]);
    make("0").expect_code(0);
    fs::write(project.at("raw/one.csv"), "seed,points\n1,34.20\n").expect("write");
    assert_eq!(gaps(&project, "ours"), ["input_changed"]);
    record(&project, "one", "results/one.csv", &copy).expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
    assert!(messages(&project, "ours").contains("raw/one.csv"));
}

#[test]
fn code_that_is_in_no_commit_is_named() {
    let project = project();
    let text = fs::read_to_string(project.at("train.sh")).expect("read");
    project.write(".gitignore", "queue/\n.aris/\nlocal/\n");
    commit(&project);
    for path in ["gen2.sh", "local/gen2.sh", "sub/gen2.sh"] {
        project.write(path, &text);
        if path.starts_with("sub") {
            for arguments in [
                &["init", "-q", "sub"] as &[&str],
                &["-C", "sub", "add", "gen2.sh"],
                &[
                    "-C",
                    "sub",
                    "-c",
                    "user.name=T",
                    "-c",
                    "user.email=t@example.org",
                    "commit",
                    "-q",
                    "-m",
                    "x",
                ],
            ] {
                project.git(arguments);
            }
            let words = ["sh", path, "8", "34.2", "results/one.csv"];
            record(&project, "one", "results/one.csv", &words).expect_code(0);
            assert_eq!(gaps(&project, "ours"), [""; 0]);
            project.write(path, format!("{text}# changed\n"));
        }
        let script = format!("sh {path} 1 34.2 results/one.csv");
        record(&project, "one", "results/one.csv", &["sh", "-c", &script]).expect_code(0);
        assert_eq!(gaps(&project, "ours"), ["uncommitted_source"], "{path}");
        assert!(messages(&project, "ours").contains(path));
        if !path.starts_with("sub") {
            fs::remove_file(project.at(path)).expect("remove");
        }
    }
    fs::remove_dir_all(project.at(".git")).expect("remove");
    fs::remove_dir_all(project.at("sub")).expect("remove");
    train(&project, "9").expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["no_commit"]);
}

#[test]
fn what_the_gate_says_of_runs_stands_in_its_text_and_in_that_of_the_statement() {
    let project = project();
    fs::write(
        project.at("train.sh"),
        fs::read_to_string(project.at("train.sh")).expect("read") + "#\n",
    )
    .expect("write");
    run_queue(&project).expect_code(0);
    call(&project, "paper_claim_audit", &["paper"]).expect_code(0);
    let attest = |name: &str| {
        call(
            &project,
            "verify_paper_audits",
            &["paper", "--attest", name],
        )
    };
    let text = attest("s.json").expect_code(0);
    assert!(
        text.stdout().contains("uncommitted_source"),
        "{}",
        text.stdout()
    );
    attest("s.json").expect_code(0);
    let check = ["check-statement", "s.json", "paper"];
    let text = call(&project, "verify_paper_audits", &check).expect_code(0);
    assert!(
        text.stdout().contains("uncommitted_source (info)"),
        "{}",
        text.stdout()
    );
    // A file that somebody else wrote is not overwritten.
    project.write("notes.md", "mine");
    for option in ["--attest", "--html", "--output"] {
        call(
            &project,
            "verify_paper_audits",
            &["paper", option, "notes.md"],
        )
        .expect_code(2);
    }
    assert_eq!(
        fs::read_to_string(project.at("notes.md")).expect("read"),
        "mine"
    );
}

#[test]
fn a_command_that_does_not_write_its_output_has_not_completed() {
    let project = project();
    project.write("results/one.csv", "seed,points\n1,34.2\n");
    for output in ["results/one.csv", "results/none.csv"] {
        let run = record(&project, "one", output, &["true"]).expect_code(10);
        let why = format!("failed (exit 0, but did not write {output}");
        assert!(run.stderr().contains(&why), "{}", run.stderr());
    }
}

#[test]
fn a_job_whose_output_is_missing_is_recorded_as_failed() {
    let project = project();
    let job = json!({"id": "one", "cmd": "true", "expected_output": "results/none.csv", "gpus": 0, "output_wait": 0});
    project.write(
        "queue/m.json",
        json!({"project": "p", "conda": "none", "gpus": [], "jobs": [job]}).to_string(),
    );
    run_queue(&project).expect_code(10);
    let (_, record) = record_of(&project, "one");
    assert_eq!(record["end"], "failed", "{record:#}");
    assert_eq!(record["how"], "exit 0, but did not write results/none.csv");
}

#[test]
fn used_by_tells_equal_files_of_two_jobs_apart_and_names_an_old_audit() {
    let project = project();
    let text = fs::read_to_string(project.at("paper/claims.toml")).expect("read");
    project.write(
        "paper/claims.toml",
        text.replace("results/two.csv", "results/one.csv"),
    );
    let jobs = json!([
        {"id": "one", "cmd": "sh train.sh 1 34.2 results/one.csv", "expected_output": "results/one.csv", "gpus": 0},
        {"id": "two", "cmd": "sh train.sh 1 34.2 other.csv", "expected_output": "other.csv", "gpus": 0},
    ]);
    let manifest = json!({"project": "p", "conda": "none", "gpus": [], "jobs": jobs});
    project.write("queue/m.json", manifest.to_string());
    run_queue(&project).expect_code(0);
    call(&project, "paper_claim_audit", &["paper"]);
    let numbers = |job: &str| {
        let used = call(&project, "queue_manager", &["used-by", job, "--json"]).expect_code(0);
        used.envelope()["data"]["numbers"].as_array().map(Vec::len)
    };
    assert_eq!(numbers("two"), Some(0));
    assert!(numbers("one") > Some(0));
    let text = fs::read_to_string(project.at("paper/claims.toml")).expect("read");
    fs::write(project.at("paper/claims.toml"), text + "# later\n").expect("write");
    let used = call(&project, "queue_manager", &["used-by", "one"]).expect_code(0);
    assert!(used.stderr().contains("changed since"), "{}", used.stderr());
}

#[test]
fn a_queue_says_which_runs_have_no_record() {
    let project = project();
    project.write(".aris/runs", "in the way");
    let run = run_queue(&project).expect_code(0);
    let why = "the record of the run cannot be kept";
    assert!(run.stderr().contains(why), "{}", run.stderr());
    let state = ["--state", "queue/s.json"];
    for command in [&["status"] as &[&str], &["explain", "one"]] {
        let said = call(&project, "queue_manager", &[command, &state].concat());
        assert!(said.stdout().contains(why), "{}", said.stdout());
    }
    let summary = fs::read_to_string(project.at("queue/summary.md")).expect("a summary");
    assert!(summary.contains(why), "{summary}");
}

#[test]
fn an_attempt_whose_runner_is_killed_leaves_a_record_without_an_end() {
    // The second start comes before the runner has recorded that the command runs; a quick command may have ended by then.
    for unsaid in [
        "",
        "until rm \"$ARIS_RUN_DIR/../1/start.json\"; do sleep 0.01; done;",
    ] {
        let project = project();
        let cmd = format!("sh train.sh 1 34.2 results/one.csv; {unsaid} kill -9 $PPID");
        let job = json!({"id": "one", "cmd": cmd, "expected_output": "results/one.csv", "gpus": 0});
        let manifest = json!({"project": "p", "conda": "none", "gpus": [], "retry": {"lost": 0}, "jobs": [job]});
        project.write("queue/m.json", manifest.to_string());
        run_queue(&project).expect_code(10);
        let (_, record) = record_of(&project, "one");
        assert_eq!(record["end"], "unknown", "{record:#}");
        assert_eq!(
            record["started"].is_null(),
            !unsaid.is_empty(),
            "{record:#}"
        );
        assert_eq!(record["outputs"][0]["path"], "results/one.csv");
        assert!(gaps(&project, "ours").contains(&String::from("end_unknown")));
    }
}

#[test]
fn an_output_that_is_no_file_is_named_and_the_run_has_not_completed() {
    let project = project();
    for (output, words) in [
        ("results/f", &["mkfifo", "results/f"] as &[&str]),
        ("results/g", &["ln", "-s", "nowhere", "results/g"]),
    ] {
        let run = record(&project, output, output, words).expect_code(10);
        let why = format!("but did not write {output}");
        assert!(run.stderr().contains(&why), "{}", run.stderr());
        let (_, record) = record_of(&project, output);
        assert_ne!(record["end"], "completed", "{record:#}");
    }
}

#[test]
fn one_file_has_one_name_whatever_links_and_dots_lead_to_it() {
    let project = project();
    project.write("exp/.keep", "");
    let output = "exp/../results/one.csv";
    let words = ["sh", "train.sh", "1", "34.2", "results/one.csv"];
    record(&project, "one", output, &words).expect_code(0);
    assert_eq!(gaps(&project, "ours"), [""; 0]);
    fs::remove_dir_all(project.at("results")).expect("remove");
    project.write("scratch/.keep", "");
    std::os::unix::fs::symlink("scratch", project.at("results")).expect("link");
    let words = ["sh", "train.sh", "2", "34.2", "results/one.csv"];
    record(&project, "one", "results/one.csv", &words).expect_code(0);
    assert!(!gaps(&project, "ours").contains(&String::from("other_path")));
}

#[test]
fn the_latest_run_is_named_where_the_log_lost_earlier_ones() {
    let project = project();
    train(&project, "1").expect_code(0);
    project.write(".aris/runs/outputs", "");
    let words = ["sh", "train.sh", "1", "34.2", "results/one.csv"];
    record(&project, "later", "results/one.csv", &words).expect_code(0);
    let (_, numbers) = trace(&project, "ours");
    assert_eq!(numbers[0]["files"][0]["run"]["job"], "later", "{numbers:#}");
}

#[test]
fn what_damaged_logs_of_the_ledger_lack_is_taken_from_the_records() {
    let project = project();
    train(&project, "1").expect_code(0);
    let log = project.at(".aris/runs/outputs");
    let text = fs::read_to_string(&log).expect("read");
    let first = text.trim_start().get(..64).expect("a digest").to_owned();
    let other = "0".repeat(64);
    for damaged in [text.replace(&first, &other), String::from("x\n")] {
        fs::write(&log, damaged).expect("write");
        assert_eq!(gaps(&project, "ours"), [""; 0]);
    }
    fs::remove_file(&log).expect("remove");
    assert_eq!(gaps(&project, "ours"), [""; 0]);
}

#[test]
fn a_fifo_in_the_place_of_a_file_is_refused() {
    let project = project();
    let fifo = |name: &str| {
        let words = ["mkfifo", name];
        let made = Helper::at("/usr/bin/env").call(project.path());
        made.args(words).run().expect_code(0);
    };
    train(&project, "1").expect_code(0);
    call(&project, "paper_claim_audit", &["paper"]).expect_code(10);
    fifo("pipe");
    for option in ["--attest", "--html", "--output"] {
        let arguments = ["paper", option, "pipe"];
        call(&project, "verify_paper_audits", &arguments).expect_code(4);
    }
    fs::remove_file(project.at(".aris/runs/outputs")).expect("remove");
    fifo(".aris/runs/outputs");
    let run = train(&project, "2");
    assert!(run.code() != 0, "{}", run.stderr());
}

#[test]
fn numbers_that_stand_on_what_a_run_led_to_are_told() {
    let project = project();
    project.write("raw/.keep", "");
    let raw = ["sh", "train.sh", "1", "34.2", "raw/one.csv"];
    record(&project, "raw", "raw/one.csv", &raw).expect_code(0);
    let copy = ["sh", "-c", "sed s/1,/2,/ raw/one.csv > results/one.csv"];
    record(&project, "copy", "results/one.csv", &copy).expect_code(0);
    call(&project, "paper_claim_audit", &["paper"]);
    let used = call(&project, "queue_manager", &["used-by", "raw"]).expect_code(0);
    assert!(used.stdout().contains("34.2 [ours]"), "{}", used.stdout());
    assert!(
        used.stderr().contains("not fully known"),
        "{}",
        used.stderr()
    );
    let path = project.at("paper/PAPER_CLAIM_AUDIT.json");
    fs::write(&path, "{").expect("write");
    let used = call(&project, "queue_manager", &["used-by", "raw"]).expect_code(0);
    assert!(
        used.stderr().contains("cannot be read"),
        "{}",
        used.stderr()
    );
}

#[test]
fn a_statement_is_compared_with_every_file_that_it_names() {
    let project = project();
    run_queue(&project).expect_code(0);
    call(&project, "paper_claim_audit", &["paper"]).expect_code(0);
    let attest = ["paper", "--attest", "s.json"];
    call(&project, "verify_paper_audits", &attest).expect_code(0);
    let check = ["check-statement", "s.json", "paper"];
    call(&project, "verify_paper_audits", &check).expect_code(0);
    let text = fs::read_to_string(project.at("train.sh")).expect("read");
    fs::write(project.at("train.sh"), text + "# changed\n").expect("write");
    let checked = call(&project, "verify_paper_audits", &check).expect_code(10);
    let said = "train.sh: differs";
    assert!(checked.stdout().contains(said), "{}", checked.stdout());
    let text = fs::read_to_string(project.at("s.json")).expect("read");
    let mut statement: Value = serde_json::from_str(&text).expect("json");
    statement["subject"] = json!([]);
    statement["predicate"]["inputs"] =
        json!([{"name": "x\nall is well", "digest": {"sha256": "0"}}]);
    project.write("s.json", statement.to_string());
    let checked = call(&project, "verify_paper_audits", &check).expect_code(10);
    assert!(!checked.stdout().contains("\nall is well"));
    statement["predicate"]["inputs"] = json!([]);
    project.write("s.json", statement.to_string());
    call(&project, "verify_paper_audits", &check).expect_code(4);
}

/// Name of the case, preparation before the run, command, and the resulting gaps of the number.
type Case = (
    &'static str,
    fn(&Project),
    &'static [&'static str],
    &'static [&'static str],
);

const TRAIN: &[&str] = &["sh", "train.sh", "1", "34.2", "results/one.csv"];
const DATA: &str = "seed,points\n1,33.2\n";

#[test]
fn what_no_commit_holds_is_named_however_the_command_reaches_it() {
    let outside = Project::bare().file("job.sh", "printf 'seed,points\n1,34.2\n' > \"$1\"\n");
    let script = outside.at("job.sh").display().to_string();
    let cases: [Case; 9] = [
        (
            "a script outside the project",
            |_| {},
            &["sh", "{outside}", "results/one.csv"],
            &["uncommitted_source"],
        ),
        (
            "data by a redirection",
            |project| project.write("in.csv", DATA),
            &["sh", "-c", "sed s/33/34/<in.csv>results/one.csv"],
            &["uncommitted_source"],
        ),
        (
            "data by a glob after cd",
            |project| project.write("data/in.csv", DATA),
            &["sh", "-c", "(cd data&&sed s/33/34/ *.csv)>results/one.csv"],
            &["uncommitted_source"],
        ),
        (
            "a log that is only written",
            |project| project.write("logs/one.log", "old"),
            &[
                "sh",
                "-c",
                "sh train.sh 1 34.2 results/one.csv > logs/one.log 2>&1",
            ],
            &[],
        ),
        (
            "code that the command does not name",
            |project| project.write("helper.py", "x = 1"),
            TRAIN,
            &["uncommitted_source"],
        ),
        (
            "notes",
            |project| project.write("notes.md", "x"),
            TRAIN,
            &[],
        ),
        (
            "a table made by hand and added to",
            |project| project.write("results/one.csv", "seed,points\n"),
            &["sh", "-c", "echo 1,34.2 >> results/one.csv"],
            &["uncommitted_source"],
        ),
        (
            "an edit that git was told not to see",
            |project| {
                project.git(&["update-index", "--assume-unchanged", "train.sh"]);
                let text = fs::read_to_string(project.at("train.sh")).expect("read");
                project.write("train.sh", format!("{text}# edited\n"));
            },
            TRAIN,
            &["uncommitted_source"],
        ),
        (
            "an edit while it runs",
            |_| {},
            &[
                "sh",
                "-c",
                "sleep 0.1; echo '# edited' >> train.sh; sh train.sh 1 34.2 results/one.csv",
            ],
            &["input_changed"],
        ),
    ];
    for (what, prepare, command, expected) in cases {
        let project = project();
        prepare(&project);
        let words: Vec<&str> = command
            .iter()
            .map(|word| if *word == "{outside}" { &script } else { *word })
            .collect();
        record(&project, "one", "results/one.csv", &words).expect_code(0);
        let messages = messages(&project, "ours");
        assert_eq!(gaps(&project, "ours"), expected, "{what}: {messages}");
    }
}

#[test]
fn the_repository_of_a_hook_is_not_that_of_the_run() {
    let project = project();
    let other = Project::bare();
    other.git(&["init", "-q", "-b", "main"]);
    project.write(
        "train.sh",
        "printf 'seed,points\n1,34.2\n' > results/one.csv\n",
    );
    let run = Helper::named("queue_manager").call(project.path()).args([
        "record",
        "--name",
        "one",
        "--expected-output",
        "results/one.csv",
        "--",
        "sh",
        "train.sh",
    ]);
    run.env("GIT_DIR", other.at(".git")).run().expect_code(0);
    assert_eq!(gaps(&project, "ours"), ["uncommitted_source"]);
}

#[test]
fn every_file_of_a_number_is_looked_up() {
    let project = project();
    let make =
        "for n in $(seq 120); do printf 'seed,points\\n%s,32.45\\n' \"$n\" > results/$n.csv; done";
    record(&project, "all", "results/*.csv", &["sh", "-c", make]).expect_code(0);
    assert_eq!(gaps(&project, "mean"), [""; 0]);
    project.write("results/z.csv", "seed,points\n999,32.45\n");
    assert_eq!(gaps(&project, "mean"), ["unexplained_evidence"]);
}

#[test]
fn of_a_run_with_very_many_files_each_is_found_and_an_edited_line_is_named() {
    let project = project();
    let make =
        "for n in $(seq 1200); do printf 'seed,points\\n%s,32.45\\n' \"$n\" > results/$n.csv; done";
    let run = record(&project, "all", "results/*.csv", &["sh", "-c", make]).expect_code(0);
    assert!(
        run.stderr().contains("1200 files written"),
        "{}",
        run.stderr()
    );
    assert_eq!(gaps(&project, "mean"), [""; 0]);
    let (path, record) = record_of(&project, "all");
    assert_eq!(record["outputs"], json!([]));
    let text = fs::read_to_string(&path).expect("read");
    let (first, files) = text.split_once('\n').expect("a line");
    assert_eq!(files.lines().count(), 1200);
    assert_eq!(files.matches("\"path\":\"results/7.csv\"").count(), 1);
    let edited = files.replace("results/7.csv", "results/8.csv");
    for edited in [format!("{first}\n{edited}"), format!("{first}\n")] {
        fs::write(&path, edited).expect("write");
        let found: BTreeSet<String> = gaps(&project, "mean").into_iter().collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["record_damaged"]);
    }
}

#[test]
fn a_commit_that_the_repository_does_not_hold_is_named() {
    let project = project();
    train(&project, "1").expect_code(0);
    assert_eq!(gaps(&project, "ours"), [""; 0]);
    // Rewrite the history and discard the old one.
    project.git(&["commit", "-q", "--amend", "-m", "other"]);
    project.git(&["reflog", "expire", "--expire=now", "--all"]);
    project.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(gaps(&project, "ours"), ["no_commit"]);
}

#[test]
fn a_file_outside_the_project_whose_ledger_has_the_record_is_named() {
    let project = project();
    project.git(&["init", "-q", "code"]);
    let run = Helper::named("queue_manager").call(project.at("code"));
    let command = ["sh", "-c", "echo 1 > ../results/one.csv"];
    let options = ["record", "--expected-output", "../results/one.csv", "--"];
    let run = run.args(options).args(command).run().expect_code(0);
    assert!(
        run.stderr().contains("/code, whose ledger has the record"),
        "{}",
        run.stderr()
    );
}

#[test]
fn a_number_without_data_is_not_explained() {
    let project = project();
    run_queue(&project).expect_code(0);
    let claims = fs::read_to_string(project.at("paper/claims.toml")).expect("read");
    let (first, _) = claims.split_once("select").expect("a query");
    project.write("paper/claims.toml", format!("{first}select 34.2\"\n"));
    assert_eq!(gaps(&project, "ours"), ["unexplained_evidence"]);
}

#[test]
fn a_later_run_whose_record_is_gone_is_not_forgotten() {
    let project = project();
    train(&project, "1").expect_code(0);
    let text = fs::read_to_string(project.at("results/one.csv")).expect("read");
    let words = [
        "sh",
        "-c",
        "printf 'seed,points\n1,30.0\n' > results/one.csv",
    ];
    record(&project, "two", "results/one.csv", &words).expect_code(0);
    project.write("results/one.csv", text);
    assert_eq!(gaps(&project, "ours"), ["superseded_run"]);
    let (path, _) = record_of(&project, "two");
    fs::remove_file(path).expect("remove");
    assert_eq!(gaps(&project, "ours"), ["record_damaged"]);
}
