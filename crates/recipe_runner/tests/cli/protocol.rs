//! `next` and `complete`.

use std::thread;

use serde_json::{Value, json};

use super::{call, project};

fn begun() -> aris_testkit::Project {
    let project = project();
    let words = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=a b",
        "--state",
        "run.json",
    ];
    call(&project, &words).run().expect_code(11);
    project
}

const COMPLETE: [&str; 7] = [
    "complete",
    "--state",
    "run.json",
    "--step",
    "create_worktree",
    "--status",
    "success",
];

#[test]
fn an_agent_only_ever_sees_work() {
    let project = begun();
    let next = || {
        call(&project, &["next", "--state", "run.json"])
            .run()
            .expect_code(0)
            .data()
    };
    let first = next();
    assert_eq!(
        first,
        json!({"status": "waiting", "step": "create_worktree", "kind": "run_skill", "with": {"skill_command": "/gates:worktree a b"},
            "attempt": 1, "ticket": "1.1", "interrupted": [], "terminal": null}).as_object().map(|expected| {
            let mut expected = expected.clone();
            expected.remove("terminal");
            Value::Object(expected)
        }).unwrap()
    );
    let state = project.read("run.json");
    assert_eq!(next(), first);
    assert_eq!(project.read("run.json"), state);

    let with_result = |step: &str, result: &str| {
        let words = [
            "complete", "--state", "run.json", "--step", step, "--status", "success", "--result",
            result,
        ];
        call(&project, &words).run().expect_code(0).data()
    };
    with_result("create_worktree", "All done.\n**worktree_path** = /w\n");
    with_result("run_experiment", r#"{"results_path": "r.md"}"#);
    let data = with_result("open_pr", "no pull request was possible");
    assert_eq!(data["next"]["status"], "completed");
    assert_eq!(data["next"]["terminal"], "complete");
    assert_eq!(
        call(&project, &["resume", "--state", "run.json"])
            .run()
            .expect_code(0)
            .data()["context"],
        json!({"worktree_path": "/w", "results": "r.md"})
    );
}

#[test]
fn an_outcome_counts_once() {
    let project = begun();
    let words: Vec<&str> = COMPLETE.into_iter().chain(["--result", "-"]).collect();
    let complete = |text: &str| call(&project, &words).stdin(text).run();
    assert_eq!(
        complete("worktree_path = /w").expect_code(0).data()["recorded"],
        true
    );
    let state = project.read("run.json");
    assert_eq!(
        complete("worktree_path = /w").expect_code(0).data()["recorded"],
        false
    );
    let error = complete("worktree_path = /other").expect_code(4).error();
    assert_eq!(error["details"]["cursor"], "run_experiment");
    assert_eq!(project.read("run.json"), state);
}

#[test]
fn a_ticket_tells_a_repetition_from_the_next_try() {
    let project = begun();
    let stale = |ticket: &str| {
        let words = [
            "complete",
            "--state",
            "run.json",
            "--step",
            "create_worktree",
            "--status",
            "stale",
            "--ticket",
            ticket,
        ];
        call(&project, &words).run()
    };
    assert_eq!(stale("1.1").expect_code(0).data()["next"]["ticket"], "1.2");
    assert_eq!(stale("1.1").expect_code(0).data()["recorded"], false);
    assert_eq!(stale("1.2").expect_code(0).data()["next"]["attempt"], 3);
    for wrong in ["1.9", "2.1", "x", "0.1"] {
        stale(wrong).expect_code(4);
    }
}

#[test]
fn of_many_at_once_one_counts() {
    let project = begun();
    let codes: Vec<(i32, bool)> = thread::scope(|scope| {
        let calls: Vec<_> = (0..12)
            .map(|number| {
                let result = format!("{{\"worktree_path\": \"/w{}\"}}", number % 3);
                let words: Vec<String> = COMPLETE
                    .into_iter()
                    .map(str::to_owned)
                    .chain([String::from("--result"), result])
                    .collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let call = call(&project, &words);
                scope.spawn(move || {
                    let run = call.run();
                    (
                        run.code(),
                        run.code() == 0 && run.data()["recorded"] == true,
                    )
                })
            })
            .collect();
        calls
            .into_iter()
            .map(|call| call.join().expect("no panic"))
            .collect()
    });
    assert_eq!(
        codes.iter().filter(|(_, recorded)| *recorded).count(),
        1,
        "{codes:?}"
    );
    assert_eq!(
        codes.iter().filter(|(code, _)| *code == 0).count(),
        4,
        "{codes:?}"
    );
    assert!(
        codes.iter().all(|(code, _)| matches!(code, 0 | 4)),
        "{codes:?}"
    );
    assert_eq!(
        project.read("run.json").matches("\"step\":\"").count(),
        2,
        "the start and one entry"
    );
}

#[test]
fn who_uses_a_run_is_named() {
    let project = begun();
    let lock = aris_fs::Lock::acquire(&project.at("run.json.lock")).expect("free");
    project.write("run.json.lock", "recipe_runner run, process 7");
    let words = ["next", "--state", "run.json", "--wait", "0"];
    let error = call(&project, &words).run().expect_code(5).error();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.ends_with("is in use by recipe_runner run, process 7"),
        "{message}"
    );
    drop(lock);
    // Another test may be starting a program at this moment, which then still has the lock file open.
    call(&project, &words[..3]).run().expect_code(0);
}
