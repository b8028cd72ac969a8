//! A recipe whose steps are commands: the engine or the process that watches a step is killed at any point, and the run is
//! resumed. No finished step runs again, no step is skipped, and the engine asks where it cannot know.

use aris_testkit::{Helper, Project, Run};

use super::{all_whole, project, survives};

/// Each step appends a line, so that a second execution is visible.
const RECIPE: &str = "\
name: r
kitchen_rules: [a]
steps:
  one: {tool: run_cmd, with: {cmd: 'echo one >> log; echo x=1'}, capture: {x: '${{ result.x }}'}, on_success: two, on_failure: bad}
  two: {tool: run_cmd, with: {cmd: 'echo two$RECIPE_CTX_X >> log'}, on_success: three, on_failure: bad}
  three: {action: route, on_result: [{when: '${{ context.x }} == 1', route: four}, {route: bad}]}
  four: {tool: run_cmd, with: {cmd: 'echo four >> log; exit 1'}, on_success: bad, on_failure: end}
  end: {action: stop, message: m}
  bad: {action: stop, message: bad}
";

const RUN: [&str; 7] = [
    "run",
    "r.yaml",
    "--state",
    "run.jsonl",
    "--exec",
    "cmd",
    "--json",
];
const RESUME: [&str; 6] = ["resume", "--state", "run.jsonl", "--exec", "cmd", "--json"];

/// Whether a run ended with this exit code.
fn left_with(run: &Run, code: i32) -> bool {
    format!("{:?}", run.end()) == format!("Exited({code})")
}

/// Only a person can know whether an interrupted step was done. The test looks into the log and answers.
fn decide(binary: &Helper, project: &Project, waiting: &Run, when: &str) -> Run {
    let step = waiting.data()["waiting_for"]
        .as_str()
        .expect("a step")
        .to_owned();
    let done = project.at("log").exists()
        && project
            .read("log")
            .lines()
            .any(|line| line.starts_with(&step));
    let call = |words: &[&str]| binary.call(project.path()).args(words).run();
    if !done {
        let words: Vec<&str> = RESUME.into_iter().chain(["--rerun-interrupted"]).collect();
        return call(&words);
    }
    let status = if step == "four" { "failure" } else { "success" };
    let words = [
        "complete",
        "--state",
        "run.jsonl",
        "--step",
        &step,
        "--status",
        status,
        "--result",
        r#"{"x": "1"}"#,
    ];
    assert_eq!(call(&words).code(), 0, "{when}");
    call(&RESUME)
}

#[test]
fn no_step_is_repeated_or_left_out() {
    let binary = Helper::named("recipe_runner");
    let mut asked = 0;
    for number in 1.. {
        assert!(number < 500, "the run changes the disk without end");
        let project = Project::new().file("r.yaml", RECIPE);
        let fault = number.to_string();
        let crashed = binary
            .call(project.path())
            .args(RUN)
            .env("ARIS_FAULT_AT", &fault)
            .run();
        if left_with(&crashed, 0) {
            assert!(number > 20, "too few changes of the disk: {number}");
            assert!(asked > 0, "no step was ever interrupted");
            return;
        }
        let when = format!("crash {number}");
        all_whole(&project, &when);
        let mut run = crashed;
        // A second crash during the repair of the first, then undisturbed calls.
        let begun = project.at("run.jsonl").exists();
        let words: &[&str] = if begun { &RESUME } else { &RUN };
        let again = binary
            .call(project.path())
            .args(words)
            .env("ARIS_FAULT_AT", &fault)
            .run();
        if left_with(&again, 0) {
            run = again;
        }
        for _ in 0..9 {
            if left_with(&run, 0) {
                break;
            }
            let begun = project.at("run.jsonl").exists();
            let words: &[&str] = if begun { &RESUME } else { &RUN };
            run = binary.call(project.path()).args(words).run();
            if left_with(&run, 11) {
                asked += 1;
                run = decide(&binary, &project, &run, &when);
            }
        }
        assert_eq!(run.code(), 0, "{when}: {run}");
        assert_eq!(run.data()["terminal"], "end", "{when}: {run}");
        assert_eq!(project.read("log"), "one\ntwo1\nfour\n", "{when}");
        all_whole(&project, &format!("{when}, repaired"));
    }
}

#[test]
fn an_outcome_is_recorded_or_was_never_given() {
    survives(
        "recipe_runner",
        &[
            "complete",
            "--state",
            "run.jsonl",
            "--step",
            "one",
            "--status",
            "success",
        ],
        || {
            project()
                .file("r.yaml", RECIPE)
                .file("run.jsonl", r#"{"recipe": {"path": "r.yaml"}}"#)
        },
        0,
        &["run.jsonl"],
    );
}
