//! A running step: its status and log can be read, other calls leave it alone, and Ctrl-C does not end it.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aris_testkit::{Helper, Project};
use serde_json::json;

use super::{call, lines};

const RECIPE: &str = "name: r\nkitchen_rules: [a]\nsteps:\n  train:\n    tool: run_cmd\n    with: {cmd: 'echo begun; echo ran >> count; \
    while [ ! -e go ]; do sleep 0.05; done; echo \"x=done\"'}\n    capture: {x: '${{ result.x }}'}\n    on_success: end\n    on_failure: bad\n  \
    end: {action: stop, message: '${{ context.x }}'}\n  bad: {action: stop, message: m}\n";

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A run in the background.
fn started(project: &Project, state: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_recipe_runner"))
        .args(["run", "r.yaml", "--state", state, "--exec", "cmd"])
        .current_dir(project.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::from(
            std::fs::File::create(project.at("said")).expect("file"),
        ))
        .spawn()
        .expect("started")
}

/// A run in the background whose step waits for the file `go`.
fn begun(project: &Project) -> Child {
    let child = started(project, "run.json");
    until("its output can be followed", || {
        std::fs::read_to_string(project.at("run.json.d/1.1/stdout"))
            .is_ok_and(|text| text == "begun\n")
    });
    child
}

#[test]
fn a_run_that_another_call_has_made_meanwhile_is_not_made_again() {
    let project = Project::new().file("r.yaml", RECIPE);
    let mut child = begun(&project);
    let words = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| call(&project, &words).run());
        std::thread::sleep(Duration::from_millis(500));
        project.write("go", "");
        second.join().expect("no panic")
    });
    assert!(child.wait().expect("reaped").success());
    let error = second.expect_code(5).error();
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("--new")),
        "{error}"
    );
    assert_eq!(project.read("count").lines().count(), 1);
    // After the end of the run, a new call starts another run.
    call(&project, &words).run().expect_code(0);
    assert_eq!(project.read("count").lines().count(), 2);
}

#[test]
fn a_step_at_work_is_seen_and_neither_handed_out_nor_overtaken() {
    let project = Project::new().file("r.yaml", RECIPE);
    let mut child = begun(&project);
    let status = || call(&project, &["status", "--state", "run.json"]).run();
    let data = status().expect_code(11).data();
    assert_eq!(
        (&data["status"], &data["step"], &data["attempt"]),
        (&json!("running"), &json!("train"), &json!(1))
    );
    let log = data["at_work"]["log"].as_str().expect("a log");
    assert!(log.ends_with("run.json.d/1.1/stdout"), "{data}");
    child.kill().expect("killed");
    child.wait().expect("reaped");
    // The engine has ended, its step still runs.
    assert_eq!(status().expect_code(11).data()["status"], "running");
    // A new run would do the same work at the same time.
    let words = [
        "run", "r.yaml", "--state", "run.json", "--new", "--exec", "cmd",
    ];
    let run = call(&project, &words).run().expect_code(5);
    assert!(
        run.error()["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("cancel")),
        "{run}"
    );
    let state = project.read("run.json");
    for words in [
        &["next", "--state", "run.json"][..],
        &[
            "complete", "--state", "run.json", "--step", "train", "--status", "success",
        ],
    ] {
        let error = call(&project, words).run().expect_code(5).error();
        assert!(
            error["message"].as_str().unwrap().contains("is running"),
            "{words:?}: {error}"
        );
        assert_eq!(project.read("run.json"), state);
    }
    project.write("go", "");
    until("its end is recorded", || {
        project.at("run.json.d/1.1/outcome.json").exists()
    });
    // The next call takes the outcome of the ended engine's step, even without executors.
    let data = call(&project, &["next", "--state", "run.json"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(
        (&data["terminal"], &data["message"]),
        (&json!("end"), &json!("done"))
    );
    assert_eq!(project.read("count"), "ran\n");
    assert_eq!(status().expect_code(0).data()["terminal"], "end");
}

#[test]
fn control_c_ends_the_engine_and_says_what_goes_on() {
    for signal in ["INT", "TERM"] {
        let project = Project::new().file("r.yaml", RECIPE);
        let mut child = begun(&project);
        let kill = ["-s", signal, &child.id().to_string()].map(str::to_owned);
        Helper::at("/bin/kill")
            .call(project.path())
            .args(kill)
            .run()
            .expect_code(0);
        let ended = child.wait().expect("reaped");
        assert!(!ended.success(), "{ended}");
        let said = project.read("said");
        assert!(
            said.contains("train (process ") && said.contains("recipe_runner resume --state"),
            "{said}"
        );
        project.write("go", "");
        let words = ["resume", "--state", "run.json", "--exec", "cmd"];
        let data = call(&project, &words).run().expect_code(0).data();
        assert_eq!(
            lines(&data),
            ["train executed success end", "end stop - -"],
            "{signal}"
        );
        assert_eq!(project.read("count"), "ran\n", "{signal}");
    }
}

#[test]
fn a_run_says_when_a_step_begins_and_ends() {
    let project = Project::new().file("r.yaml", RECIPE).file("go", "");
    let words = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
    let run = call(&project, &words).run().expect_code(0);
    let said: Vec<&str> = run.stderr().lines().collect();
    assert!(
        said[0].contains("train: started, attempt 1; its output is in")
            && said[1].contains("train: success, then end"),
        "{run}"
    );
}

/// Keys of other workflow languages are reported with the key to use here.
#[test]
fn a_first_recipe_is_told_what_to_write() {
    let text = "name: x\nkitchen_rules: [a]\nsteps:\n  a: {cmd: ls, next: b}\n  b: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", text);
    let report = call(&project, &["validate", "r.yaml"])
        .run()
        .expect_code(10)
        .data();
    let findings = report["findings"].to_string();
    for hint in ["tool: run_cmd", "on_success: STEP"] {
        assert!(findings.contains(hint), "{findings}");
    }
}

#[test]
fn the_example_runs() {
    let project = Project::new();
    let run = Helper::at(env!("CARGO_BIN_EXE_recipe_runner"))
        .call(project.path())
        .args(["--example"])
        .run()
        .expect_code(0);
    project.write("first.yaml", run.stdout());
    let report = call(&project, &["validate", "first.yaml", "--profile", "strict"])
        .run()
        .expect_code(0)
        .data();
    assert_eq!(report["findings"], json!([]));
    let words = [
        "run",
        "first.yaml",
        "--state",
        "first.json",
        "--exec",
        "cmd",
        "--inputs",
        "program=true",
    ];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["terminal"], "fast");
}

#[test]
fn a_step_that_is_cancelled_ends_with_its_children_and_starts_again() {
    let text = RECIPE.replace(
        "echo begun;",
        "(trap \"echo saved > saved; exit\" TERM; while :; do sleep 0.02; done) & echo begun;",
    );
    let project = Project::new().file("r.yaml", text);
    let mut child = begun(&project);
    let cancel = || call(&project, &["cancel", "--state", "run.json"]).run();
    assert_eq!(cancel().expect_code(0).data()["step"], "train");
    // The engine reports the cancellation, and waits for the user to go on.
    assert_eq!(child.wait().expect("reaped").code(), Some(11));
    let said = project.read("said");
    assert!(said.contains("train: cancelled"), "{said}");
    until("its child was told", || project.at("saved").exists());
    let data = call(&project, &["status", "--state", "run.json"])
        .run()
        .expect_code(11)
        .data();
    assert_eq!(
        (&data["status"], &data["cancelled"]),
        (&json!("waiting"), &json!(true))
    );
    // No step runs any more.
    assert_eq!(cancel().expect_code(0).data()["step"], json!(null));
    project.write("go", "");
    let words = ["resume", "--state", "run.json", "--exec", "cmd"];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(lines(&data), ["train executed success end", "end stop - -"]);
    assert_eq!(project.read("count"), "ran\nran\n");
    assert!(project.at("run.json.d/1.1.cancelled-1/stdout").exists());
}

#[test]
fn a_log_is_followed_to_its_end_and_found_again() {
    let project = Project::new().file("r.yaml", RECIPE);
    call(&project, &["run", "r.yaml", "--state", "run.json"])
        .run()
        .expect_code(11);
    let none = call(&project, &["logs", "--state", "run.json"]).run();
    none.expect_code(3);
    std::fs::remove_file(project.at("run.json")).expect("removed");
    let mut child = begun(&project);
    let follower = Command::new(env!("CARGO_BIN_EXE_recipe_runner"))
        .args(["logs", "-f", "--state", "run.json"])
        .current_dir(project.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    project.write("go", "");
    assert!(child.wait().expect("reaped").success());
    let output = follower.wait_with_output().expect("ended");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "begun\nx=done\n");
    let data = call(
        &project,
        &["logs", "--state", "run.json", "--step", "train"],
    )
    .run()
    .expect_code(0)
    .data();
    assert_eq!(
        (&data["text"], &data["ticket"], &data["at_work"]),
        (&json!("begun\nx=done\n"), &json!("1.1"), &json!(false))
    );
    call(
        &project,
        &["logs", "--state", "run.json", "--step", "other"],
    )
    .run()
    .expect_code(3);
}

#[test]
fn an_end_that_stands_for_a_failure_is_told_by_every_command() {
    let recipe = "name: r\nkitchen_rules: [a]\nsteps:\n  a: {tool: run_cmd, with: {cmd: 'false'}, on_success: end, on_failure: bad}\n  \
        end: {action: stop, message: good}\n  bad: {action: stop, failed: true, message: bad}\n";
    let project = Project::new().file("r.yaml", recipe);
    let words = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
    let data = call(&project, &words).run().expect_code(13).data();
    assert_eq!(
        (&data["status"], &data["failed"]),
        (&json!("completed"), &json!(true))
    );
    for command in ["resume", "next", "status"] {
        call(&project, &[command, "--state", "run.json"])
            .run()
            .expect_code(13);
    }
    let words = ["run", "r.yaml", "--state", "two.json"];
    call(&project, &words).run().expect_code(11);
    for (state, code) in [("success", 0), ("failure", 13)] {
        std::fs::copy(project.at("two.json"), project.at("three.json")).expect("copied");
        let words = [
            "complete",
            "--state",
            "three.json",
            "--step",
            "a",
            "--status",
            state,
        ];
        call(&project, &words).run().expect_code(code);
    }
}

/// Steps are attempts like those of queues. Killing the runner does not end the work; killing the processes around a command does not end
/// the command; if all were killed, the outcome is unknown.
#[test]
fn a_runner_that_is_killed_costs_nothing_and_work_that_is_killed_is_interrupted() {
    let kill = |process: &str| {
        let status = Command::new("/bin/kill").args(["-9", process]).status();
        assert!(status.expect("kill").success());
    };
    let status = |project: &Project| {
        call(project, &["status", "--state", "run.json"])
            .run()
            .data()
    };
    let resume = |project: &Project| {
        call(project, &["resume", "--state", "run.json", "--exec", "cmd"]).run()
    };

    // The work ends without an engine: nobody goes on, and the run does not look as if somebody did.
    let project = Project::new().file("r.yaml", RECIPE);
    let mut child = begun(&project);
    child.kill().expect("killed");
    child.wait().expect("reaped");
    assert_eq!(status(&project)["status"], "running");
    project.write("go", "");
    until("nothing is at work", || {
        status(&project)["at_work"].is_null()
    });
    assert_eq!(status(&project)["status"], "waiting");
    let timeline = call(&project, &["timeline", "--state", "run.json"]).run();
    assert_eq!(timeline.data()["status"], "waiting");
    resume(&project).expect_code(0);

    let project = Project::new().file("r.yaml", RECIPE);
    let mut child = begun(&project);
    child.kill().expect("killed");
    child.wait().expect("reaped");
    kill(&status(&project)["at_work"]["process"].to_string());
    assert_eq!(status(&project)["status"], "running");
    project.write("go", "");
    let data = resume(&project).expect_code(0).data();
    assert_eq!(
        (&data["message"], project.read("count").as_str()),
        (&json!("done"), "ran\n")
    );

    for with_runner in [true, false] {
        let project = Project::new().file("r.yaml", RECIPE);
        let mut child = begun(&project);
        child.kill().expect("killed");
        child.wait().expect("reaped");
        let worker = project.json("run.json.d/1.1/start.json")["process"]["pid"].to_string();
        if with_runner {
            kill(&status(&project)["at_work"]["process"].to_string());
        }
        kill(&worker);
        // The command still runs, so no other call may start it.
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(status(&project)["status"], "running");
        call(&project, &["next", "--state", "run.json"])
            .run()
            .expect_code(5);
        project.write("go", "");
        until("nothing is at work", || {
            status(&project)["at_work"].is_null()
        });
        assert_eq!(status(&project)["interrupted"], true);
        // A user who goes on by hand also sees the interruption, and may complete the step.
        let next = call(&project, &["next", "--state", "run.json"])
            .run()
            .expect_code(0);
        let folder = project.at("run.json.d/1.1").display().to_string();
        assert_eq!(next.data()["interrupted"], json!([folder]));
        let resumed = call(&project, &["resume", "--state", "run.json"]).run();
        assert!(resumed.stderr().contains("was interrupted"), "{resumed}");
        let stopped = resume(&project).expect_code(11);
        assert!(stopped.stderr().contains("was interrupted"), "{stopped}");
        assert_eq!(project.read("count"), "ran\n");
    }
}

/// A step may start a server or a queue, which goes on after the step has ended.
#[test]
fn what_a_step_leaves_running_goes_on_after_its_end() {
    let text = RECIPE.replace(
        "echo begun;",
        "setsid sh -c \"until [ -e stop ]; do sleep 0.02; done; echo over > over\" > server.log 2>&1 < /dev/null & echo begun;",
    );
    let project = Project::new().file("r.yaml", text).file("go", "");
    let words = ["run", "r.yaml", "--state", "run.json", "--exec", "cmd"];
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["message"], "done");
    assert!(!project.at("over").exists());
    project.write("stop", "");
    until("the server ends by itself", || project.at("over").exists());
}

/// A log of more than 16 MiB is printed whole and can be followed; an envelope has the end of it, and the page of the run is made.
#[test]
fn a_long_log_has_its_end() {
    let project = Project::bare().file(
        "r.yaml",
        "name: r\nkitchen_rules: [x]\nsteps:\n  a: {tool: run_cmd, with: {cmd: echo}, on_success: done, on_failure: done}\n  \
         done: {action: stop, message: m}\n",
    );
    let words = ["run", "r.yaml", "--state", "s.json", "--exec", "cmd"];
    call(&project, &words).run().expect_code(0);
    // The same log as the step would print, without the time that it takes to store its outcome.
    let long = [&*b"y\n".repeat(8_500_000), b"THE-END"].concat();
    project.write("s.json.d/1.1/stdout", long);
    // The log is longer than the output that the test helper keeps.
    let logs = |more: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recipe_runner"));
        let command = command.args(["logs", "--state", "s.json", more]);
        let output = command.current_dir(project.path()).output();
        output.expect("started").stdout
    };
    for (more, end) in [("--quiet", "y\nTHE-END"), ("--follow", "y\nTHE-END\n")] {
        let printed = logs(more);
        assert_eq!(printed.len(), 16_999_998 + end.len(), "{more}");
        assert!(printed.ends_with(end.as_bytes()), "{more}");
    }
    let data = String::from_utf8(logs("--json")).expect("text");
    let end = format!("y\\nTHE-END\",\"left_out\":{}}}", 17_000_007 - (16 << 20));
    assert!(data.contains(&end), "{:?}", data.get(data.len() - 300..));
    call(&project, &["timeline", "s.json"]).run().expect_code(0);
}

/// A small file system in a project, removed on drop.
struct Small<'a>(&'a Project);

impl Small<'_> {
    fn system(&self, program: &str, words: &[&str]) -> bool {
        let mut command = Command::new(program);
        let command = command.args(words).arg(self.0.at("small"));
        let status = command.stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        self.system("umount", &["--lazy"]);
    }
}

/// A step that fills the disk has its outcome all the same; what could not be kept is said, and fails the step.
#[test]
fn a_full_disk_takes_no_outcome_and_is_named() {
    for (command, note) in [
        ("cat /dev/zero > fill; echo x=1", ""),
        (
            "head -c 400000 /dev/zero | tr '\\\\0' x",
            "its result could not be kept: ",
        ),
    ] {
        let project = Project::bare().file(
            "r.yaml",
            format!(
                "name: r\nkitchen_rules: [x]\nsteps:\n  a: {{tool: run_cmd, with: {{cmd: \"{command}\", cwd: small}}, on_success: done, on_failure: bad}}\n  \
                 done: {{action: stop, message: m}}\n  bad: {{action: stop, failed: true, message: m}}\n"
            ),
        );
        std::fs::create_dir(project.at("small")).expect("created");
        let small = Small(&project);
        if !small.system("mount", &["-t", "tmpfs", "-o", "size=256k", "small"]) {
            println!("skipped: this user may not mount a small file system");
            return;
        }
        let words = ["run", "r.yaml", "--state", "small/s.json", "--exec", "cmd"];
        let run = call(&project, &words).run();
        let run = run.expect_code(if note.is_empty() { 0 } else { 13 });
        let entry = &run.data()["trace"][0];
        let said = entry["note"].as_str().unwrap_or_default();
        assert!(said.contains(note), "{run}");
        assert_eq!(said.contains("No space left"), !note.is_empty(), "{run}");
    }
}
