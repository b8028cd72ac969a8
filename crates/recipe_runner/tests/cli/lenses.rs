//! Steps with lenses: several calls at the same time, each with its own log and outcome.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aris_testkit::Project;
use serde_json::{Value, json};

use super::{call, lines};

/// A recipe with one step whose lenses run a command; `{lens}` in the command is the lens.
fn recipe(lenses: &str, command: &str, more: &str) -> Project {
    let text = format!(
        "name: r\nkitchen_rules: [a]\nsteps:\n  look:\n    tool: run_cmd\n    lenses: {lenses}\n    with:\n      cmd: |\n        {command}\n    \
         capture: {{verdict: '${{{{ result.verdict }}}}'}}\n    capture_list: {{paths: '${{{{ result.path }}}}'}}\n{more}    \
         on_success: end\n    on_failure: bad\n  end: {{action: stop, message: \"${{{{ context.verdict }}}} ${{{{ context.paths }}}}\"}}\n  \
         bad: {{action: stop, failed: true, message: \"bad ${{{{ context.paths }}}}\"}}\n"
    );
    Project::new().file("r.yaml", text)
}

const RUN: [&str; 6] = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
const RESUME: [&str; 5] = ["resume", "--state", "run.json", "--exec", "cmd"];

fn run(project: &Project, jobs: &str) -> aris_testkit::Run {
    call(project, &RUN).args(["--jobs", jobs]).run()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn begun(project: &Project, jobs: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_recipe_runner"))
        .args(RUN)
        .args(["--jobs", jobs])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(
            std::fs::File::create(project.at("said")).expect("file"),
        ))
        .spawn()
        .expect("started")
}

/// Each lens waits for a file of the other, so they would never end if they ran one after the other.
const MEETING: &str = "touch here-$RECIPE_LENS_LENS; until [ -e here-a ] && [ -e here-b ]; do sleep 0.02; done; \
    echo verdict=GO; echo path={lens}.md";

#[test]
fn lenses_are_at_work_at_the_same_time() {
    let project = recipe("{lens: [a, b]}", MEETING, "");
    let data = run(&project, "2").expect_code(0).data();
    assert_eq!(lines(&data), ["look executed success end", "end stop - -"]);
    assert_eq!(data["message"], "GO a.md,b.md");
    for (at, log) in [
        ("1", "verdict=GO\npath=a.md\n"),
        ("2", "verdict=GO\npath=b.md\n"),
    ] {
        assert_eq!(project.read(&format!("run.json.d/1.1/{at}/stdout")), log);
    }
    let words = ["logs", "--state", "run.json", "--step", "look"];
    let error = call(&project, &words).run().expect_code(2).error();
    assert!(error["hint"].as_str().unwrap().contains("a, b"), "{error}");
    let data = call(&project, &words)
        .args(["--lens", "b"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(data["text"], "verdict=GO\npath=b.md\n");
}

#[test]
fn no_more_are_at_work_than_asked_for() {
    let one_by_one = "mkdir busy && sleep 0.1 && rmdir busy && echo verdict=GO && echo path={lens}";
    let project = recipe("{lens: [a, b, c]}", one_by_one, "");
    assert_eq!(
        run(&project, "1").expect_code(0).data()["message"],
        "GO a,b,c"
    );
}

#[test]
fn lists_come_from_what_was_captured_and_values_are_one_word_each() {
    let text = "name: r\nkitchen_rules: [a]\nsteps:\n  choose:\n    tool: run_cmd\n    with: {cmd: \"echo \\\"slugs=x's y, z\\\"; echo notes=1,2\"}\n    \
        capture: {slugs: '${{ result.slugs }}', notes: '${{ result.notes }}'}\n    on_success: look\n    on_failure: bad\n  \
        look:\n    tool: run_skill\n    lenses: {slug: '${{ context.slugs }}', note: '${{ context.notes }}'}\n    \
        with: {skill_command: '/lens-{slug} {note} ${slug}'}\n    capture_list: {all: '${{ result.text }}'}\n    on_success: end\n    \
        on_failure: bad\n    on_context_limit: bad\n  \
        end: {action: stop, message: '${{ context.all }}'}\n  bad: {action: stop, failed: true, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    let agent = ["--agent", "sh -c 'read -r line; echo \"text = $line\"'"];
    let data = call(&project, &RUN).args(agent).run().expect_code(0).data();
    assert_eq!(data["message"], "/lens-x's y 1 ${slug},/lens-z 2 ${slug}");

    // A person or agent that drives the run gets the calls, too, and answers with a list.
    let words = ["run", "r.yaml", "--state", "two.json", "--exec", "cmd"];
    call(&project, &words).run().expect_code(11);
    let next = call(&project, &["next", "--state", "two.json"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(
        next["lenses"][1],
        json!({"lens": "z 2", "with": {"skill_command": "/lens-z 2 ${slug}"}})
    );
    let results = r#"[{"text": "one"}, {"text": "two"}]"#;
    let words = [
        "complete", "--state", "two.json", "--step", "look", "--status", "success", "--result",
        results,
    ];
    assert_eq!(
        call(&project, &words).run().expect_code(0).data()["next"]["message"],
        "one,two"
    );
}

#[test]
fn one_that_fails_does_not_end_the_others_and_fails_the_step() {
    let command = "touch here-$RECIPE_LENS_LENS; until [ -e here-a ] && [ -e here-b ]; do sleep 0.02; done; \
        [ {lens} != a ] || exit 3; echo verdict=GO; echo path={lens}";
    let project = recipe("{lens: [a, b]}", command, "    capture_partial: [paths]\n");
    let data = run(&project, "2").expect_code(13).data();
    assert_eq!(lines(&data)[0], "look executed failure bad");
    assert_eq!(
        data["trace"][0]["note"],
        "1 of 2 lenses succeeded; a: failure (exit 3)"
    );
    // The results of the other lenses are kept where the recipe says so; the verdict is not.
    assert_eq!(data["context"], json!({"paths": ["b"]}));
}

#[test]
fn a_verdict_on_which_they_do_not_agree_is_none_of_them() {
    let command = "[ {lens} = a ] && echo verdict=GO || echo verdict=NO; echo path=x";
    let project = recipe("{lens: [a, b]}", command, "");
    let data = run(&project, "2").expect_code(0).data();
    assert_eq!(data["context"]["verdict"], "GO,NO");
}

#[test]
fn a_step_that_has_nothing_to_look_with_has_failed() {
    for (lenses, why) in [
        ("{lens: ''}", "lens has no values"),
        (
            "{lens: [a], other: [b, c]}",
            "lens has 1 values and other has 2",
        ),
    ] {
        let project = recipe(lenses, "echo verdict=GO; echo path=x", "");
        let data = run(&project, "2").expect_code(13).data();
        assert!(
            data["trace"][0]["note"].as_str().unwrap().contains(why),
            "{data}"
        );
    }
}

/// `a` ends at once, `b` waits for the file `go`, and `c` starts when one of them has ended.
const SLOW: &str = "echo {lens} >> count; echo begun; [ {lens} != b ] || until [ -e go ]; do sleep 0.02; done; echo verdict=GO; echo path={lens}";

fn counted(project: &Project) -> Vec<String> {
    let text = std::fs::read_to_string(project.at("count")).unwrap_or_default();
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    all.sort();
    all
}

fn lens_states(project: &Project) -> Vec<(String, String)> {
    if !project.at("run.json").exists() {
        return Vec::new();
    }
    let status = call(project, &["status", "--state", "run.json"])
        .run()
        .data();
    let lenses = status["lenses"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    lenses
        .iter()
        .map(|lens| (text(&lens["lens"]), text(&lens["status"])))
        .collect()
}

fn states(of: [(&str, &str); 3]) -> Vec<(String, String)> {
    of.map(|(lens, state)| (lens.to_owned(), state.to_owned()))
        .to_vec()
}

#[test]
fn after_a_kill_in_the_middle_nothing_is_done_twice() {
    let project = recipe("{lens: [a, b, c]}", SLOW, "");
    let mut child = begun(&project, "2");
    until("a and c have ended and b is at work", || {
        lens_states(&project) == states([("a", "success"), ("b", "running"), ("c", "success")])
    });
    child.kill().expect("killed");
    child.wait().expect("reaped");
    // The engine has ended, the lens still runs.
    assert_eq!(lens_states(&project)[1].1, "running");
    let words = ["next", "--state", "run.json"];
    let error = call(&project, &words).run().expect_code(5).error();
    assert!(
        error["message"].as_str().unwrap().contains("is running"),
        "{error}"
    );
    project.write("go", "");
    let data = call(&project, &RESUME).run().expect_code(0).data();
    assert_eq!(lines(&data)[0], "look executed success end");
    assert_eq!(data["message"], "GO a,b,c");
    assert_eq!(counted(&project), ["a", "b", "c"]);
}

#[test]
fn control_c_leaves_the_lenses_at_work_and_begins_no_other() {
    let project = recipe("{lens: [b, a, c]}", SLOW, "");
    let mut child = begun(&project, "1");
    until("b is at work", || {
        lens_states(&project)
            .first()
            .is_some_and(|(_, state)| state == "running")
            && counted(&project) == ["b"]
    });
    let kill = ["-s", "INT", &child.id().to_string()].map(str::to_owned);
    assert!(
        Command::new("/bin/kill")
            .args(kill)
            .status()
            .expect("kill")
            .success()
    );
    assert!(!child.wait().expect("reaped").success());
    let said = project.read("said");
    assert!(
        said.contains("the lenses of look that still run go on"),
        "{said}"
    );
    assert_eq!(
        lens_states(&project),
        states([("b", "running"), ("a", "waiting"), ("c", "waiting")])
    );
    project.write("go", "");
    let data = call(&project, &RESUME).run().expect_code(0).data();
    assert_eq!(data["message"], "GO b,a,c");
    assert_eq!(counted(&project), ["a", "b", "c"]);
}

#[test]
fn cancel_ends_each_lens_at_work_and_resume_starts_only_these_again() {
    let project = recipe(
        "{lens: [a, b, c]}",
        &SLOW.replace("[ {lens} != b ]", "[ {lens} = a ]"),
        "",
    );
    let mut child = begun(&project, "3");
    until("b and c are at work", || {
        lens_states(&project) == states([("a", "success"), ("b", "running"), ("c", "running")])
            && counted(&project).len() == 3
    });
    let data = call(&project, &["cancel", "--state", "run.json"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(
        (&data["step"], &data["lenses"]),
        (&json!("look"), &json!(["b", "c"]))
    );
    assert_eq!(child.wait().expect("reaped").code(), Some(11));
    assert_eq!(
        lens_states(&project),
        states([("a", "success"), ("b", "cancelled"), ("c", "cancelled")])
    );
    // Whoever goes on by hand gets the result of the one that is done.
    let next = call(&project, &["next", "--state", "run.json"]).run();
    let next = next.expect_code(0).data();
    assert_eq!(
        (
            &next["lenses"][0]["result"]["path"],
            &next["lenses"][1]["result"]
        ),
        (&json!("a"), &json!(null))
    );
    project.write("go", "");
    let data = call(&project, &RESUME).run().expect_code(0).data();
    assert_eq!(data["message"], "GO a,b,c");
    assert_eq!(counted(&project), ["a", "b", "b", "c", "c"]);
}

#[test]
fn a_lens_that_hangs_is_tried_again_and_the_others_are_not() {
    let agent = "#!/bin/sh\nread -r name\necho $name >> count\nif [ $name = /b ] && [ ! -e tried ]; then touch tried; sleep 60; fi\necho \"path = $name\"\n";
    let text = "name: r\nkitchen_rules: [a]\nsteps:\n  look:\n    tool: run_skill\n    lenses: {lens: [a, b]}\n    idle_output_timeout: 1\n    retries: 1\n    \
        with: {skill_command: '/{lens}'}\n    capture_list: {paths: '${{ result.path }}'}\n    on_success: end\n    on_failure: bad\n    on_context_limit: bad\n  \
        end: {action: stop, message: '${{ context.paths }}'}\n  bad: {action: stop, failed: true, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    project.write("agent", agent);
    project.mode("agent", 0o755);
    let data = call(&project, &RUN)
        .args(["--agent", "./agent"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(lines(&data)[0], "look executed success end x2");
    assert_eq!(data["message"], "/a,/b");
    assert_eq!(counted(&project), ["/a", "/b", "/b"]);
    // A lens that succeeded in the first attempt has its log there, and one bar.
    let words = [
        "logs", "--state", "run.json", "--step", "look", "--lens", "a",
    ];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["text"], "path = /a\n");
    let data = call(&project, &["timeline", "run.json"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(
        data["steps"][0]["attempts"].as_array().expect("bars").len(),
        3
    );
}

#[test]
fn a_success_by_hand_needs_one_result_for_each_lens() {
    let project = recipe("{n: [a, b, c]}", "true", "");
    call(&project, &["run", "r.yaml", "--state", "run.json"])
        .run()
        .expect_code(11);
    let complete = |more: &[&str]| {
        let words = [
            "complete", "--state", "run.json", "--step", "look", "--status", "success",
        ];
        call(&project, &words).args(more).run()
    };
    for result in [
        r#"[{"verdict": "GO"}]"#,
        "verdict = GO",
        "[]",
        r#"[{"verdict": "GO"}, {"verdict": "GO"}, {"verdict": "GO"}, {"verdict": "GO"}]"#,
    ] {
        let run = complete(&["--result", result]).expect_code(4);
        assert!(
            run.error()["message"]
                .as_str()
                .is_some_and(|text| text.contains("3 lenses")),
            "{run}"
        );
    }
    complete(&[]).expect_code(4);
    let all = r#"[{"verdict": "GO"}, {"verdict": "GO"}, {"verdict": "GO"}]"#;
    complete(&["--result", all]).expect_code(0);
}
