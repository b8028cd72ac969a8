//! Metrics of jobs against the parameters of their grid.

use std::fs;

use aris_queue::journal::Journal;
use aris_queue::state::Event;
use serde_json::{Value, json};

use crate::queue::Place;

/// A report must not replace the only records of what ran.
#[test]
fn a_report_replaces_no_file_of_the_queue_or_of_its_jobs() {
    let place = Place::new();
    let cmd = "mkdir out; echo 1 > out/a; echo 2 > b";
    let job = json!({"id": "a", "cmd": cmd, "expected_output": ["out", "b"]});
    place.manifest(&json!([{"name": "p", "jobs": [job]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let journal = ".s.queue/journal.jsonl";
    std::os::unix::fs::symlink(place.at("s.json"), place.at("link")).expect("link");
    let files = ["m.json", "s.json", journal, "b", "out/a", "logs/a.log"];
    let kept = files.map(|file| fs::read(place.at(file)).expect("read"));
    let (queue, job) = ("a file of the queue", "a file of job \"a\"");
    for (target, what) in [
        ("m.json", queue),
        ("s.json", queue),
        (journal, queue),
        ("link", queue),
        (".s.queue/new.md", queue),
        ("./.s.queue/../s.json", queue),
        ("b", job),
        ("out/a", job),
        ("logs/a.log", job),
    ] {
        for flag in ["--output", "--html"] {
            let refused = place.call(&["report", "--state", "s.json", flag, target]);
            let said = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert_eq!(refused.status.code(), Some(2), "{flag} {target}: {said}");
            assert!(said.contains(what), "{said}");
        }
    }
    let twice = ["report", "--state", "s.json", "-o", "t", "--html", "./t"];
    let refused = place.call(&twice);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(kept == files.map(|file| fs::read(place.at(file)).expect("read")));
    assert!(!place.at("t").exists());
    for target in ["t.md", "t.md", "out/new.md", "logs/t.md", "made/for/t.md"] {
        let done = place.call(&["report", "--state", "s.json", "--output", target]);
        assert_eq!(done.status.code(), Some(0), "{target}: {done:?}");
    }
    fs::write(place.at("notes.tex"), "mine").expect("written");
    for target in ["notes.tex", "t.md"] {
        for flag in [
            &["--output"][..],
            &["--html"],
            &["--metrics", "b#x", "--csv"],
        ] {
            if (target, flag[0]) == ("t.md", "--output") {
                continue;
            }
            let before = fs::read(place.at(target)).expect("read");
            let call = [&["report", "--state", "s.json"], flag, &[target]].concat();
            let refused = place.call(&call);
            assert_eq!(refused.status.code(), Some(2), "{call:?}: {refused:?}");
            assert_eq!(before, fs::read(place.at(target)).expect("read"));
        }
    }
}

#[test]
fn results_of_one_name_in_a_folder_each_are_one_line() {
    let place = Place::new();
    let job = |at: usize| {
        let file = format!("out/lr{}/seed{}/eval.json", at / 4, at % 4);
        json!({"id": format!("j{at}"), "cmd": format!("mkdir -p $(dirname {file}); echo 1 > {file}"), "expected_output": file})
    };
    let jobs: Vec<_> = (0..12).map(job).collect();
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    assert_eq!(place.run().status.code(), Some(0));
    let report = place.call(&["report", "--state", "s.json"]);
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(
        text.contains("- 12 files in `out/*/*/eval.json`\n"),
        "{text}"
    );
    assert!(!text.contains("1 file in"), "{text}");
}

#[test]
fn metrics_of_declared_outputs_stand_against_the_parameters_of_the_grid() {
    let place = Place::new();
    let grid = format!(
        r#"cwd: {}
gpus: []
output_wait: 0
phases:
- name: p
  grid: {{N: [64, 128], opt: [adam, "s,gd"]}}
  template:
    id: "r${{N}}_${{opt}}"
    cmd: |
      mkdir -p "out/${{N}}_${{opt}}"
      test ${{N}}${{opt}} = 128adam && exit 3
      echo '{{"acc": 0.${{N}}, "loss": [{{"last": 1}}, {{"last": ${{N}}}}], "x": NaN}}' > "out/${{N}}_${{opt}}/eval.json"
      printf 'step,f1\n1,0.1\n2,0.${{N}}5\n' > "out/${{N}}_${{opt}}/log.csv"
    expected_output: ["out/${{N}}_${{opt}}/*.json", "out/${{N}}_${{opt}}/log.csv"]
"#,
        place.at("").display()
    );
    let grid = grid.replace("test ${N}${opt} =", "test \"${N}${opt}\" =");
    fs::write(place.at("m.json"), grid).expect("write");
    assert_eq!(place.run().status.code(), Some(10));
    let data = place.data(&[
        "report",
        "--state",
        "s.json",
        "--metrics",
        "eval.json#acc",
        "--metrics",
        "*.json#loss.1.last",
        "--metrics",
        "log.csv#f1",
        "--metrics",
        "eval.json#nothing",
        "--csv",
        "t.csv",
        "--html",
        "t.html",
        "--md",
        "t.md",
    ]);
    let metrics = &data["metrics"];
    assert_eq!(metrics["parameters"], json!(["N", "opt"]));
    let values: Vec<_> = metrics["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| &row["values"])
        .collect();
    assert_eq!(
        values,
        [
            &json!([0.64, 64, 0.645, null]),
            &json!([0.64, 64, 0.645, null]),
            &json!([null, null, null, null]),
            &json!([0.128, 128, 0.1285, null]),
        ]
    );
    let missing = metrics["missing"].to_string();
    assert!(
        missing.contains("it has no nothing") && missing.contains("the job is failed"),
        "{missing}"
    );
    let csv = fs::read_to_string(place.at("t.csv")).expect("written");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "id,phase,state,N,opt,eval.json#acc,*.json#loss.1.last,log.csv#f1,eval.json#nothing"
    );
    assert_eq!(
        lines[4],
        "\"r128_s,gd\",p,completed,128,\"s,gd\",0.128,128,0.1285,"
    );
    let page = fs::read_to_string(place.at("t.html")).expect("written");
    for part in [
        "<svg class=\"plot\"",
        "each job, and the line of their means",
        "id=\"down1\"",
        "--k0:",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script"));
    let text = fs::read_to_string(place.at("t.md")).expect("written");
    assert!(
        text.contains("| r64\\_adam | 64 | adam | 0.64 | 64 | 0.645 |  |"),
        "{text}"
    );
    let wrong = place.call(&["report", "--state", "s.json", "--metrics", "acc"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

#[test]
fn no_field_of_the_csv_is_computed_by_a_spreadsheet() {
    let place = Place::new();
    let cmd = r#"echo '{"m": "=1+2", "n": -1.5}' > out.json"#;
    let jobs = json!([{"id": "-a", "cmd": cmd, "expected_output": "out.json",
        "params": {"p": "@SUM(A1)", "q": "-1e-3", "r": "+x"}}]);
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    assert_eq!(place.run().status.code(), Some(0));
    let metrics = ["--metrics", "out.json#m", "--metrics", "out.json#n"];
    place.data(
        &[
            &["report", "--state", "s.json", "--csv", "t.csv"],
            &metrics[..],
        ]
        .concat(),
    );
    let csv = fs::read_to_string(place.at("t.csv")).expect("written");
    let line = csv.lines().nth(1).expect("a job");
    assert_eq!(line, "'-a,p,completed,'@SUM(A1),-1e-3,'+x,'=1+2,-1.5");
}

#[test]
fn of_two_columns_of_one_name_neither_is_taken() {
    let place = Place::new();
    let cmd = "printf 'epoch,acc,acc\\n1,0.1234,0.9876\\n' > m.csv";
    let job = json!({"id": "a", "cmd": cmd, "expected_output": "m.csv"});
    place.manifest(&json!([{"name": "p", "jobs": [job]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let report = |metric| place.call(&["report", "--state", "s.json", "--metrics", metric]);
    let text = |metric| String::from_utf8_lossy(&report(metric).stdout).into_owned();
    let twice = text("m.csv#acc");
    assert!(twice.contains("the column acc is given twice"), "{twice}");
    assert!(
        !twice.contains("0.1234") && !twice.contains("0.9876"),
        "{twice}"
    );
    assert!(text("m.csv#epoch").contains("| a | 1 |"));
}

/// Three jobs that write one file, one after the other. Gives the rows of the table, and what it says is missing.
fn one_file_of_three() -> (Place, Vec<Value>, String) {
    let place = Place::new();
    let job = |at: usize| {
        let cmd = format!("echo '{{\"acc\": 0.{at}}}' > eval.json");
        json!({"id": format!("j{at}"), "cmd": cmd, "expected_output": "eval.json"})
    };
    let mut jobs = [1, 2, 3].map(job);
    for at in [1, 2] {
        jobs[at]["needs"] = json!([format!("j{at}")]);
    }
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    let ran = place.run();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let report = ["report", "--state", "s.json", "--metrics", "eval.json#acc"];
    let metrics = place.data(&report)["metrics"].clone();
    let rows = metrics["rows"].as_array().expect("rows").iter();
    let rows = rows.map(|row| json!([row["id"], row["values"][0]]));
    (place, rows.collect(), metrics["missing"].to_string())
}

#[test]
fn a_file_that_a_later_job_wrote_again_is_no_result_of_the_earlier_one() {
    let (place, rows, missing) = one_file_of_three();
    assert_eq!(rows, [json!(["j3", 0.3])]);
    assert!(missing.contains("wrote the same file"), "{missing}");
    // The first job is retried, so now the file is its own.
    place.data(&["retry", "j1", "--again", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    let report = ["report", "--state", "s.json", "--metrics", "eval.json#acc"];
    let rows = place.data(&report)["metrics"]["rows"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    assert_eq!(
        (&rows[0]["id"], &rows[0]["values"]),
        (&json!("j1"), &json!([0.1]))
    );
    // Without records of runs, the times of the attempts decide.
    fs::remove_dir_all(place.at(".aris")).expect("removed");
    let rows = place.data(&report)["metrics"]["rows"].clone();
    assert_eq!(
        (rows.as_array().map(Vec::len), &rows[0]["id"]),
        (Some(1), &json!("j1"))
    );
}

#[test]
fn a_file_of_two_jobs_that_ran_at_the_same_time_is_the_result_of_neither() {
    for provenance in [true, false] {
        let place = Place::new();
        let job = |id: &str, wait: &str| {
            let cmd = format!(
                "touch {id}; until test -e {wait}; do sleep 0.1; done; echo '{{\"acc\": \"{id}\"}}' > eval.json"
            );
            json!({"id": id, "cmd": cmd, "expected_output": "eval.json"})
        };
        let more = json!({"cwd": place.at(""), "gpus": [], "max_cpu_jobs": 2, "provenance": provenance, "linger": 0, "output_wait": 0,
            "jobs": [job("a", "b"), job("b", "a")]});
        fs::write(place.at("m.json"), more.to_string()).expect("write");
        assert_eq!(place.run().status.code(), Some(0));
        let report = ["report", "--state", "s.json", "--metrics", "eval.json#acc"];
        let metrics = place.data(&report)["metrics"].clone();
        assert_eq!(metrics["rows"], json!([]), "{metrics}");
    }
}

#[test]
fn jobs_of_one_output_are_named_before_they_run_unless_one_waits_for_the_other() {
    let said = |jobs: Value| {
        let place = Place::new();
        place.manifest(&jobs);
        let preflight = place.call(&["preflight", "--manifest", "m.json"]);
        let text = String::from_utf8_lossy(&preflight.stdout).into_owned();
        let line = text.lines().find(|line| line.contains("same output"));
        let line = line.map(str::to_owned);
        let ran = String::from_utf8_lossy(&place.run().stderr).contains("same output");
        assert_eq!(line.is_some(), ran, "{line:?}");
        line
    };
    let job = |id: &str, output: &str| json!({"id": id, "cmd": format!("touch x.txt; echo {id} > out-{id}; mkdir -p o; touch o/{id}"), "expected_output": output});
    let two = |a, b| json!([{"name": "p", "jobs": [a, b]}]);
    let line = said(two(job("a", "x.txt"), job("b", "./x.txt"))).expect("a warning");
    assert!(line.contains("\"a\" and \"b\""), "{line}");
    let mut after = job("b", "x.txt");
    after["needs"] = json!(["a"]);
    assert_eq!(said(two(job("a", "x.txt"), after)), None);
    let (mut both, last) = (job("b", "x.txt"), job("c", "x.txt"));
    both["needs"] = json!(["a", "c"]);
    let line = said(json!([{"name": "p", "jobs": [job("a", "x.txt"), both, last]}]));
    let line = line.expect("a warning of two that are no neighbours");
    assert!(line.contains("\"a\" and \"c\""), "{line}");
    let phases = json!([{"name": "p", "jobs": [job("a", "x.txt")]}, {"name": "q", "depends_on": "p", "jobs": [job("b", "x.txt")]}]);
    assert_eq!(said(phases), None);
    assert_eq!(said(two(job("a", "out-*"), job("b", "out-*"))), None);
    assert_eq!(said(two(job("a", "o/"), job("b", "o/"))), None);
}

#[test]
fn what_an_attempt_measured_stands_beside_the_parameters_that_it_had() {
    let place = Place::new();
    let cell = |lr: &str| {
        let cmd = format!("echo '{{\"used\": {lr}}}' > e.json");
        let job = json!({"id": "a", "cmd": cmd, "expected_output": "e.json", "params": {"lr": lr}});
        place.manifest(&json!([{"name": "p", "jobs": [job]}]));
    };
    let row = || {
        let words = ["report", "--state", "s.json", "--metrics", "e.json#used"];
        let metrics = &place.data(&words)["metrics"];
        let row = &metrics["rows"][0];
        json!([
            row["parameters"][0],
            row["values"][0],
            metrics["missing"][0]["why"]
        ])
    };
    cell("0.5");
    assert_eq!(place.run().status.code(), Some(0));
    cell("0.25");
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(row(), json!(["0.5", 0.5, null]));
    place.data(&["edit", "a", "--set", "params={lr: 4}", "--state", "s.json"]);
    assert_eq!(row(), json!(["0.5", 0.5, null]));
    // A version that did not keep them knows only that the command was another one.
    let folder = place.at(".s.queue");
    let entries = Journal::read(&folder).expect("journal");
    fs::remove_file(folder.join("journal.jsonl")).expect("removed");
    let mut journal = Journal::open(&folder).expect("new").journal;
    for mut entry in entries {
        if let Event::Start { terms, .. } = &mut entry.event {
            *terms = None;
        }
        journal.push(&entry.event, entry.time);
    }
    journal.sync().expect("written");
    let unknown = row();
    assert_eq!(unknown[1], json!(null));
    assert!(
        unknown[2]
            .as_str()
            .is_some_and(|why| why.contains("another command")),
        "{unknown}"
    );
    place.data(&["retry", "a", "--state", "s.json"]);
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(row(), json!(["4", 0.25, null]));
}

/// The cells of the table of `acc` in any JSON file: for each job its value, or nothing.
fn values(place: &Place) -> Value {
    let words = ["report", "--state", "s.json", "--metrics", "*.json#acc"];
    let metrics = place.data(&words)["metrics"].clone();
    let rows = metrics["rows"].as_array().expect("rows").iter();
    let rows = rows.map(|row| json!([row["id"], row["values"][0]]));
    rows.collect()
}

/// A job that writes `acc` to a file, which it declares.
fn writes(id: &str, acc: u32, file: &str) -> Value {
    let cmd = format!("echo '{{\"acc\": {acc}}}' > {file}");
    json!({"id": id, "params": {"at": acc}, "cmd": cmd, "expected_output": file})
}

#[test]
fn what_an_attempt_declared_is_what_counts_until_the_next() {
    let place = Place::new();
    let jobs = |second: &str| {
        let mut other = writes("b", 2, "b.json");
        other["expected_output"] = json!(second);
        place.manifest(&json!([{"name": "p", "jobs": [writes("a", 1, "a.json"), other]}]));
    };
    jobs("b.json");
    for old in ["a_old.json", "b_old.json", "in/a.json"] {
        fs::create_dir_all(place.at("in")).expect("folder");
        fs::write(place.at(old), "{\"acc\": 99}").expect("written");
    }
    assert_eq!(place.run().status.code(), Some(0));
    let set = ["edit", "a", "--state", "s.json", "--set"];
    place.data(&[&set[..], &["expected_output=a_old.json"]].concat());
    jobs("b_old.json");
    place.data(&["reload", "--state", "s.json"]);
    assert_eq!(values(&place), json!([["a", 1], ["b", 2]]));
    let outputs = place.data(&["outputs", "--state", "s.json"]);
    assert_eq!(
        (
            &outputs["missing"],
            outputs["files"].as_array().map(Vec::len)
        ),
        (&json!([]), Some(2))
    );
    place.data(&[&set[..], &["cwd=in"]].concat());
    assert_eq!(values(&place), json!([["a", 1], ["b", 2]]));
    // The next attempt has what the manifest says then.
    place.data(&["retry", "a", "--again", "--state", "s.json"]);
    let again = place.run();
    assert_eq!(again.status.code(), Some(10), "{again:?}");
    assert_eq!(values(&place)[0], json!(["a", null]));
}

#[test]
fn a_file_that_holds_something_else_than_the_job_left_is_not_its_result() {
    for provenance in [true, false] {
        let place = Place::new();
        let run = |jobs: Value| {
            place.manifest(&json!([{"name": "p", "jobs": jobs}]));
            let text = fs::read_to_string(place.at("m.json")).expect("read");
            let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
            manifest["provenance"] = json!(provenance);
            fs::write(place.at("m.json"), manifest.to_string()).expect("written");
            place.run()
        };
        let mut later = writes("b", 77, "r.json");
        later["needs"] = json!(["a"]);
        let jobs = [writes("a", 1, "r.json"), later, writes("c", 3, "c.json")];
        assert_eq!(run(json!(jobs)).status.code(), Some(0));
        assert_eq!(values(&place), json!([["a", null], ["b", 77], ["c", 3]]));
        let set = [
            "edit",
            "b",
            "--state",
            "s.json",
            "--set",
            "expected_output=x",
        ];
        place.data(&set);
        assert_eq!(values(&place), json!([["a", null], ["b", 77], ["c", 3]]));
        place.data(&["remove", "b", "--state", "s.json"]);
        assert_eq!(values(&place), json!([["a", null], ["c", 3]]));
        fs::write(place.at("c.json"), "{\"acc\": 99}").expect("written");
        assert_eq!(values(&place), json!([["a", null], ["c", null]]));
    }
}

#[test]
fn outputs_from_before_the_start_are_told_whatever_the_exit_status() {
    let place = Place::new();
    fs::write(place.at("old.json"), "{\"acc\": 55}").expect("written");
    let job = |id: &str, cmd: &str, outputs: Value| json!({"id": id, "cmd": cmd, "expected_output": outputs, "done_when": "output"});
    let two = json!(["old.json", "new.json"]);
    place.manifest(&json!([{"name": "p", "jobs": [
        job("a", "exit 5", json!("old.json")), job("b", "echo > new.json; exit 5", two),
    ]}]));
    assert_eq!(place.run().status.code(), Some(0));
    let state = place.state();
    let warning = |id: &str| state[id]["warning"].as_str().unwrap_or_default().to_owned();
    let (one, other) = (warning("a"), warning("b"));
    assert!(
        one.contains("status 5") && one.contains("no declared output is newer"),
        "{one}"
    );
    assert!(
        other.contains("from before the start of this attempt: old.json"),
        "{other}"
    );
}

#[test]
fn parameters_of_any_name_and_form_have_a_column_and_equal_numbers_one_place() {
    let place = Place::new();
    let job = |id: &str, lr: &str, acc: u32| {
        let mut job = writes(id, acc, &format!("{id}.json"));
        job["params"] = json!({"phase": "x", "lr": lr, "Job": acc, "layers": [2, acc]});
        job
    };
    let jobs = [
        job("a", "1e-3", 1),
        job("b", "0.001", 3),
        job("c", "0.01", 5),
    ];
    place.manifest(&json!([{"name": "p", "jobs": jobs}]));
    assert_eq!(place.run().status.code(), Some(0));
    let words = [
        "report",
        "--state",
        "s.json",
        "--metrics",
        "*.json#acc",
        "--csv",
        "r.csv",
    ];
    place.data(&words);
    let table = fs::read_to_string(place.at("r.csv")).expect("CSV");
    let mut names: Vec<&str> = table.lines().next().expect("names").split(',').collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "{table}");
    assert!(
        table.contains("phase (parameter)") && table.contains("\"[2, 3]\""),
        "{table}"
    );
    let mut one = json!([
        job("a", "1e-3", 1),
        job("b", "0.001", 3),
        job("c", "0.01", 5)
    ]);
    for job in one.as_array_mut().expect("jobs") {
        job["params"] = json!({"lr": job["params"]["lr"]});
    }
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": one}]));
    assert_eq!(place.run().status.code(), Some(0));
    place.data(&[
        "report",
        "--state",
        "s.json",
        "--metrics",
        "*.json#acc",
        "--html",
        "r.html",
    ]);
    let page = fs::read_to_string(place.at("r.html")).expect("page");
    let line = page.split_once("<polyline points=\"").expect("a line").1;
    let line = line.split_once('"').expect("an end").0;
    assert_eq!(line.split(' ').count(), 2, "{line}");
}
