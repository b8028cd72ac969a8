//! Steps that are carried out.

use aris_testkit::Project;
use serde_json::{Value, json};

use super::{call, lines};

fn recipe(steps: &str) -> Project {
    let text = format!(
        "name: r\nkitchen_rules: [a]\ningredients:\n  task: {{description: d, default: \"it's\"}}\nsteps:\n{steps}  \
         end: {{action: stop, message: \"${{{{ context.x }}}}\"}}\n  bad: {{action: stop, message: bad}}\n"
    );
    Project::new().file("r.yaml", text)
}

fn run(project: &Project, more: &[&str]) -> aris_testkit::Run {
    let words: Vec<&str> = ["run", "r.yaml", "--state", "run.json"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    call(project, &words).run()
}

#[test]
fn commands_return_their_fields() {
    let project = recipe(
        "  a:\n    tool: run_cmd\n    with: {cmd: 'echo x=1; echo \"x=$RECIPE_CTX_TASK-$RECIPE_STEP\"; pwd > where', cwd: sub}\n    \
         capture: {x: '${{ result.x }}'}\n    on_success: b\n    on_failure: bad\n  \
         b:\n    tool: run_cmd\n    with: {cmd: 'echo \"$RECIPE_CTX_X\" >&2; exit 3'}\n    on_success: bad\n    on_failure: end\n",
    );
    project.write("sub/keep", "");
    let data = run(&project, &["--exec", "cmd"]).expect_code(0).data();
    assert_eq!(
        lines(&data),
        [
            "a executed success b",
            "b executed failure end",
            "end stop - -"
        ]
    );
    assert_eq!(data["message"], "it's-a");
    assert!(project.read("sub/where").trim().ends_with("/sub"));
    assert_eq!(project.read("run.json.d/2.1/stderr"), "it's-a\n");
    assert_eq!(project.json("run.json.d/2.1/outcome.json")["end"], "exit 3");
}

#[test]
fn a_command_that_takes_too_long_has_failed() {
    let project = recipe(
        "  a: {tool: run_cmd, with: {cmd: 'sleep 60 & sleep 60', timeout: 1}, on_success: bad, on_failure: end}\n",
    );
    let data = run(&project, &["--exec", "cmd"]).expect_code(0).data();
    assert_eq!(lines(&data)[0], "a executed failure end");
    assert_eq!(data["trace"][0]["note"], "not over after 1 s");
}

const AGENT: &str = "  a:\n    tool: run_skill\n    retries: 1\n    idle_output_timeout: 1\n    with: {skill_command: '/x:y ${{ inputs.task }}', depth: 3}\n    \
    capture: {x: '${{ result.x }}'}\n    on_success: end\n    on_failure: bad\n    on_exhausted: bad\n    on_context_limit: bad\n";

#[test]
fn an_agent_is_told_its_prompt_and_heard() {
    let project = recipe(AGENT);
    let script = "#!/bin/sh\nread -r first\nprintf '{\"type\": \"result\", \"subtype\": \"success\", \"is_error\": false, \"result\": \"x = %s %s\"}' \"$first\" \"$1\"\n";
    project.write("agent", script);
    project.mode("agent", 0o755);
    let data = run(&project, &["--agent", "./agent 'a b'"])
        .expect_code(0)
        .data();
    assert_eq!(data["message"], "/x:y it's a b");

    let project = recipe(AGENT);
    project.write(
        ".aris/config.yaml",
        "recipe_runner:\n  agent: [printf, 'x = %s', '{prompt}']\n",
    );
    let data = run(&project, &["--agent"]).expect_code(0).data();
    assert_eq!(data["message"], "/x:y it's");
    let asked = project.json("run.json.d/1.1/request.json");
    assert_eq!(asked["command"][2], "/x:y it's\n\ndepth = 3");
    assert_eq!(asked["stdin"], Value::Null);
}

#[test]
fn an_agent_that_is_silent_is_tried_again() {
    let project = recipe(AGENT);
    project.write(
        "agent",
        "#!/bin/sh\nif [ -e again ]; then echo 'x = second'; else : > again; sleep 60; fi\n",
    );
    project.mode("agent", 0o755);
    let data = run(&project, &["--agent", "./agent"]).expect_code(0).data();
    assert_eq!(lines(&data)[0], "a executed success end x2");
    assert_eq!(data["trace"][0]["note"], "silent for 1 s");
    assert_eq!(data["message"], "second");
}

#[test]
fn an_agent_that_says_nothing_has_failed() {
    let project = recipe(AGENT);
    let data = run(&project, &["--agent", "true"]).expect_code(0).data();
    assert_eq!(lines(&data)[0], "a executed failure bad");
}

#[test]
fn a_program_that_is_missing_is_no_outcome() {
    let project = recipe(AGENT);
    let error = run(&project, &["--agent", "./no-such-agent"])
        .expect_code(5)
        .error();
    assert!(
        error["message"].as_str().unwrap().contains("no-such-agent"),
        "{error}"
    );
    run(&recipe(AGENT), &["--agent"]).expect_code(2);
    let words = ["resume", "--state", "run.json", "--agent", "echo x = found"];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["message"], "found");
}

/// The engine died between the end of a step and its entry in the journal, or while the step was at work.
#[test]
fn what_an_engine_left_behind_is_found() {
    let steps = "  a: {tool: run_cmd, with: {cmd: 'echo again >> ran; echo x=new'}, capture: {x: '${{ result.x }}'}, on_success: end, on_failure: bad}\n";
    let project = recipe(steps);
    run(&project, &[]).expect_code(11);
    let request = json!({"step": "a", "worker": "command", "command": ["true"], "cwd": project.path(), "env": {}, "stdin": null, "deadline_s": 9, "silence_s": null});
    project.write("run.json.d/1.1/request.json", request.to_string());
    project.write("run.json.d/1.1/started.json", "{}");
    let words = ["resume", "--state", "run.json", "--exec", "cmd"];
    // Nobody knows how far it came: it waits.
    let stopped = call(&project, &words).run().expect_code(11);
    assert!(stopped.stderr().contains("interrupted"), "{stopped}");
    assert!(!project.at("ran").exists());
    // Its outcome is there: it is not run again.
    let outcome = json!({"outcome": {"status": "success", "result": {"x": "old"}}, "not_started": null, "end": "exit 0", "started": "", "ended": "", "dropped": [0, 0]});
    project.write("run.json.d/1.1/outcome.json", outcome.to_string());
    assert_eq!(
        call(&project, &words).run().expect_code(0).data()["message"],
        "old"
    );
    assert!(!project.at("ran").exists());

    let project = recipe(steps);
    run(&project, &[]).expect_code(11);
    project.write("run.json.d/1.1/request.json", request.to_string());
    project.write("run.json.d/1.1/started.json", "{}");
    let words: Vec<&str> = words.into_iter().chain(["--rerun-interrupted"]).collect();
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(lines(&data)[0], "a executed success end x2");
    assert_eq!(data["trace"][0]["note"], "interrupted");
    assert_eq!(project.read("ran"), "again\n");
}
