#![cfg(test)]
//! Runs `deepxiv_fetch` with a scripted program `deepxiv`.

use aris_testkit::{Helper, Project, Run};
use serde_json::{Value, json};

fn run(project: &Project, args: &[&str]) -> Run {
    let path = format!("{}:/usr/bin:/bin", project.at("bin").display());
    Helper::named("deepxiv_fetch")
        .call(project.path())
        .env("PATH", path)
        .args(args)
        .run()
}

/// A program that writes its arguments to the file `call`, one per line, and then runs `rest`.
fn program(rest: &str) -> Project {
    let project = Project::new().file(
        "bin/deepxiv",
        format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > call\n{rest}\n"),
    );
    project.mode("bin/deepxiv", 0o755);
    project
}

#[test]
fn each_command_calls_the_program_as_the_reference_does() {
    for (args, call) in [
        (
            &[
                "search",
                "agent memory",
                "--max",
                "3",
                "--categories",
                "cs.AI",
                "--min-citations",
                "5",
                "--date-from",
                "2025-01-01",
            ][..],
            "search|agent memory|--limit|3|--mode|hybrid|--format|json|--categories|cs.AI|--min-citations|5|--date-from|2025-01-01|",
        ),
        (
            &["paper-brief", "2409.05591"],
            "paper|2409.05591|--brief|--format|json|",
        ),
        (
            &["paper-head", "2409.05591"],
            "paper|2409.05591|--head|--format|json|",
        ),
        (
            &["paper-section", "2409.05591", "Main results"],
            "paper|2409.05591|--section|Main results|--format|json|",
        ),
        (
            &["trending", "--days", "14"],
            "trending|--days|14|--limit|10|--output|json|",
        ),
        (&["wsearch", "agents"], "wsearch|agents|--output|json|"),
        (&["sc", "204e"], "sc|204e|--output|json|"),
    ] {
        let project = program("echo '{\"title\": \"A\", \"arxiv_id\": \"2409.05591\"}'");
        let run = run(&project, args).expect_code(0);
        assert_eq!(project.read("call").replace('\n', "|"), call);
        let printed: Value = serde_json::from_str(run.stdout()).expect("JSON");
        assert_eq!(printed, json!({"title": "A", "arxiv_id": "2409.05591"}));
    }
    let project = program("echo all is well");
    assert_eq!(
        run(&project, &["health"]).expect_code(0).stdout(),
        "all is well\n"
    );
    let wrapped = run(&project, &["health", "--json"]).expect_code(0);
    assert_eq!(
        wrapped.data()["answer"],
        json!({"ok": true, "output": "all is well"})
    );
}

#[test]
fn results_become_records() {
    let project = program(
        r#"echo '{"total": 2, "results": [{"arxiv_id": "2409.05591v1", "title": "Memo", "authors": [{"name": "H. Qian"}], "citation": 4, "publish_at": "2024-09-09T00:00:00"}, {"score": 1}]}'"#,
    );
    let run = run(&project, &["search", "memory", "--json"]).expect_code(0);
    let papers = &run.data()["papers"];
    assert_eq!(papers.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&papers[0]["ids"]["arxiv"], &papers[0]["year"]),
        (&json!("2409.05591"), &json!(2024))
    );
    assert_eq!(papers[0]["authors"][0]["name"], "H. Qian");
    let lines = self::run(&project, &["trending", "--format", "jsonl"]).expect_code(0);
    let record: Value = serde_json::from_str(lines.stdout()).expect("one record");
    assert_eq!(record["title"], "Memo");
}

#[test]
fn what_goes_wrong_has_its_own_code() {
    for (rest, code, said) in [
        ("echo 'no token' >&2; exit 1", 7, "no token"),
        ("echo '<html>'", 7, "no JSON"),
        ("true", 7, "no JSON"),
        ("kill -9 $$", 7, "signal"),
    ] {
        let project = program(rest);
        let run = run(&project, &["search", "q"]);
        let expected = if said == "signal" { run.code() } else { code };
        assert!(expected != 0, "{run}");
        let run = run.expect_code(expected);
        assert!(run.stderr().contains(said), "{run}");
        assert_eq!(run.stdout(), "");
    }
    let project = program("exec tail -f /dev/null");
    run(&project, &["search", "q", "--deadline", "1"]).expect_code(6);
    let project = Project::new();
    let absent = run(&project, &["search", "q"]).expect_code(5);
    assert!(
        absent.stderr().contains("pip install deepxiv-sdk"),
        "{absent}"
    );
    let project = program("true");
    run(&project, &["search", "--", "--token=x"]).expect_code(2);
}
