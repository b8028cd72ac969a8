//! What jobs measured, against the parameters of their grid.

use std::fs;

use serde_json::json;

use crate::queue::Place;

/// What a report would replace is the only record of what ran.
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
    for target in ["t.md", "t.md", "out/new.md", "logs/t.md"] {
        let done = place.call(&["report", "--state", "s.json", "--output", target]);
        assert_eq!(done.status.code(), Some(0), "{target}: {done:?}");
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
