//! Steps that executors carry out.

use aris_testkit::{Helper, Project, workspace_root};
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
    // Processes that left the command's process group are ended, too.
    let project = recipe(
        "  a: {tool: run_cmd, with: {cmd: 'setsid sh -c \"echo \\$\\$ > stray; exec sleep 60\" & sleep 60', timeout: 1}, on_success: bad, on_failure: end}\n",
    );
    run(&project, &["--exec", "cmd"]).expect_code(0);
    let stray = project.read("stray");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", stray.trim()));
    assert!(stat.map_or(true, |stat| stat.contains(") Z ")), "{stray}");
}

/// A program that carries out tools gets the values of templates, also those in lists and mappings.
#[test]
fn templates_in_lists_and_mappings_are_filled_in() {
    let project = recipe(
        "  a: {tool: look, with: {list: [1, '${{ inputs.task }}', {deep: 'x ${{ inputs.task }}'}]}, on_success: end, on_failure: bad}\n",
    );
    project.write("tool", "#!/bin/sh\ncat > told\necho x=1\n");
    project.mode("tool", 0o755);
    let words = ["--exec", "cmd", "--exec-tools", "./tool"];
    run(&project, &words).expect_code(0);
    assert_eq!(
        project.json("told")["with"]["list"],
        json!([1, "it's", {"deep": "x it's"}])
    );
    let text = project.read("r.yaml").replace(
        "deep: 'x ${{ inputs.task }}'",
        "deep: 'x ${{ inputs.tsk }}'",
    );
    project.write("r.yaml", text);
    let found = call(&project, &["validate", "r.yaml"])
        .run()
        .expect_code(10);
    assert!(
        found.data().to_string().contains("undeclared-input-ref"),
        "{found}"
    );
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
    let told = run(&project, &["--agent", "./agent"]).expect_code(0);
    let data = told.data();
    assert_eq!(lines(&data)[0], "a executed success end x2");
    assert_eq!(data["trace"][0]["note"], "silent for 1 s");
    assert!(told.stderr().contains("a: success, then end"), "{told}");
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

/// The engine died between the end of a step and its entry in the journal, or while the step was at work, or before it began it.
#[test]
fn what_an_engine_left_behind_is_found() {
    let steps = "  a: {tool: run_cmd, with: {cmd: 'echo again >> ran; echo x=old'}, capture: {x: '${{ result.x }}'}, on_success: end, on_failure: bad}\n";
    let begun = || {
        let project = recipe(steps);
        run(&project, &["--exec", "cmd"]).expect_code(0);
        // The beginning, and that the attempt is about to be started.
        let lines = project.read("run.json");
        let lines: Vec<&str> = lines.split_inclusive('\n').take(2).collect();
        project.write("run.json", lines.concat());
        project
    };
    let gone = |project: &Project, names: &[&str]| {
        for name in names {
            std::fs::remove_file(project.at("run.json.d/1.1").join(name)).expect("removed");
        }
    };
    let words = ["resume", "--state", "run.json", "--exec", "cmd"];

    // Its outcome is there: it is not run again.
    let project = begun();
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(data["message"], "old");
    assert_eq!(project.read("ran"), "again\n");

    // Nobody knows how far it came: it waits.
    let project = begun();
    gone(&project, &["outcome.json", "exit.json"]);
    let stopped = call(&project, &words).run().expect_code(11);
    assert!(stopped.stderr().contains("interrupted"), "{stopped}");
    assert_eq!(project.read("ran"), "again\n");
    let words: Vec<&str> = words.into_iter().chain(["--rerun-interrupted"]).collect();
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(lines(&data)[0], "a executed success end x2");
    assert_eq!(data["trace"][0]["note"], "interrupted");
    assert_eq!(project.read("ran"), "again\nagain\n");

    // Nothing was begun.
    let project = begun();
    std::fs::remove_dir_all(project.at("run.json.d")).expect("removed");
    let data = call(&project, &words).run().expect_code(0).data();
    assert_eq!(lines(&data)[0], "a executed success end");
    assert_eq!(project.read("ran"), "again\nagain\n");
}

/// An agent's step that leaves what looks like the attempt of the next one.
const FORGER: &str = "#!/bin/sh\ncat > asked\ncp -r run.json.d/1.1 run.json.d/2.1\ncd run.json.d/2.1\nrm -f alive tree\n: > alive; : > tree\n\
    echo x=forged > stdout\nsed -i 's/\"step\": *\"a\"/\"step\": \"b\"/; s/\"command\": *\\[[^]]*\\]/\"command\": [\"true\"]/' request.json\n\
    echo '{\"schema\":\"aris.queue_attempt.exit/v1\",\"ending\":{\"code\":0},\"ended_by_us\":\"none\",\"outputs\":[],\"left_behind\":0,\"started\":\"2026-11-30T16:41:36Z\",\"ended\":\"2026-11-30T16:41:38Z\",\"ran_ms\":1,\"log_offset\":0}' > exit.json\n\
    echo '{\"outcome\":{\"status\":\"success\",\"result\":{\"x\":\"forged\"}},\"not_started\":null,\"end\":\"exit 0\",\"started\":\"\",\"ended\":\"\",\"dropped\":[0,0]}' > outcome.json\n\
    LEAVE\necho done\n";

/// An attempt counts only if the journal says that this run started it, for this work.
#[test]
fn what_this_run_did_not_start_is_no_outcome() {
    let steps = "  a: {tool: run_skill, with: {skill_command: '/x do'}, on_success: b, on_failure: bad, on_context_limit: bad}\n  \
        b: {tool: run_cmd, LENSES with: {cmd: 'echo ran >> ran; echo x=true'}, capture: {x: '${{ result.x }}'}, on_success: end, on_failure: bad}\n";
    let resume = ["resume", "--state", "run.json", "--exec", "cmd"];
    for (lenses, leave) in [
        // A whole attempt; one that was only asked for; one that somebody is to continue; those of lenses.
        ("", ":"),
        ("", "rm -f claim.json start.json exit.json outcome.json"),
        ("", "rm -f exit.json outcome.json"),
        (
            "lenses: {n: [1]},",
            "mkdir 1; mv request.json claim.json start.json exit.json outcome.json stdout spec.json 1; echo '[\"1\"]' > lenses.json",
        ),
    ] {
        let project = recipe(&steps.replace("LENSES", lenses));
        project.write("agent", FORGER.replace("LEAVE", leave));
        project.mode("agent", 0o755);
        let words = ["--exec", "cmd", "--agent", "./agent"];
        let stopped = run(&project, &words).expect_code(11);
        let said = "its journal does not say that it started what lies in";
        assert!(stopped.stderr().contains(said), "{leave}: {stopped}");
        for command in ["next", "status", "resume"] {
            let told = Helper::at(env!("CARGO_BIN_EXE_recipe_runner"));
            let told = told
                .call(project.path())
                .args([command, "--state", "run.json"]);
            let told = told.run();
            let said_here = told.stdout().contains(said) || told.stderr().contains(said);
            assert!(said_here, "{leave}: {told}");
        }
        call(&project, &resume).run().expect_code(11);
        assert!(!project.at("ran").exists(), "{leave}");
        let again: Vec<&str> = resume.into_iter().chain(["--rerun-interrupted"]).collect();
        let data = call(&project, &again).run().expect_code(0).data();
        assert_eq!(
            (&data["message"], project.read("ran").as_str()),
            (&json!("true"), "ran\n")
        );
        assert_eq!(lines(&data)[1], "b executed success end");
    }

    // What a lost run left is none of the run that a new state begins, whatever step it was.
    let project = recipe(&steps.replace("LENSES", ""));
    let agent = ["--exec", "cmd", "--agent", "echo done"];
    run(&project, &agent).expect_code(0);
    for (state, ran) in [("a", 2), ("b", 3)] {
        project.write(
            "run.json",
            r#"{"recipe": {"path": "r.yaml"}, "inputs": {}, "context": {}}"#,
        );
        if state == "b" {
            // Nor is it when the step at hand is the same, and nothing is carried out yet.
            let next = call(&project, &["next", "--state", "run.json"])
                .run()
                .expect_code(0);
            assert_eq!(
                (&next.data()["step"], &next.data()["interrupted"]),
                (&json!("a"), &json!([]))
            );
        }
        let words: Vec<&str> = resume.into_iter().chain(["--agent", "echo done"]).collect();
        let data = call(&project, &words).run().expect_code(0);
        assert!(
            data.stderr().contains("were moved to") || state == "b",
            "{data}"
        );
        assert_eq!(project.read("ran").lines().count(), ran);
    }
    assert!(project.at("run.json.1.d/1.1").exists() && project.at("run.json.2.d/1.1").exists());
}

/// A shell script that carries out tools with the commands in `body`; it adds its requests to the file `told`.
fn tools(project: &Project, body: &str) {
    project.write(
        "tools",
        format!("#!/bin/sh\nsaid=$(cat); echo \"$said\" >> told\n{body}\n"),
    );
    project.mode("tools", 0o755);
}

#[test]
fn tools_and_callables_are_carried_out_by_a_program() {
    let project = recipe(
        "  a:\n    tool: fetch_data\n    with: {query: '${{ inputs.task }}', n: 3}\n    capture: {x: '${{ result.rows }}'}\n    on_success: b\n    on_failure: bad\n  \
         b:\n    python: lab.tools.train\n    with: {seed: '${{ context.x }}'}\n    capture: {x: '${{ result.path }}'}\n    on_success: c\n    on_failure: bad\n  \
         c:\n    tool: broken\n    on_success: bad\n    on_failure: end\n",
    );
    tools(
        &project,
        "case \"$said\" in *fetch_data*) echo '{\"rows\": 42}';; *lab.tools.train*) echo path=model.pt;; *) echo no such tool >&2; exit 4;; esac",
    );
    let data = run(&project, &["--exec-tools", "./tools"])
        .expect_code(0)
        .data();
    assert_eq!(
        lines(&data),
        [
            "a executed success b",
            "b executed success c",
            "c executed failure end",
            "end stop - -"
        ]
    );
    assert_eq!(data["message"], "model.pt");
    let told = project.read("told");
    let told: Vec<Value> = told
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(
        told[0],
        json!({"schema": "aris.recipe_runner.call/v1", "step": "a", "tool": "fetch_data", "with": {"query": "it's", "n": 3}})
    );
    assert_eq!(
        (&told[1]["python"], &told[1]["with"]["seed"]),
        (&json!("lab.tools.train"), &json!("42"))
    );
    // Without a program for tools, such steps wait for an outcome from outside.
    let other = recipe("  a: {tool: fetch_data, on_success: end, on_failure: bad}\n");
    run(&other, &["--exec", "cmd"]).expect_code(11);
}

#[test]
fn an_equal_step_is_not_done_again_where_the_recipe_says_cache() {
    let steps = "  a:\n    tool: run_cmd\n    cache: [data.csv]\n    with: {cmd: 'echo ran >> count; echo \"x=$(cat data.csv)-$RECIPE_CTX_TASK\"'}\n    \
        capture: {x: '${{ result.x }}'}\n    on_success: b\n    on_failure: bad\n  \
        b: {tool: run_cmd, cache: true, with: {cmd: 'echo failed >> count; exit 1'}, on_success: bad, on_failure: end}\n";
    let project = recipe(steps).file("data.csv", "1");
    let ran = |more: &[&str]| -> (Value, usize, usize) {
        let data = run(&project, &[&["--exec", "cmd", "--new"], more].concat())
            .expect_code(0)
            .data();
        let count = project.read("count");
        let of = |word: &str| count.lines().filter(|line| *line == word).count();
        (data, of("ran"), of("failed"))
    };
    let (data, runs, failures) = ran(&[]);
    assert_eq!(
        (data["message"].as_str(), runs, failures),
        (Some("1-it's"), 1, 1)
    );
    let (data, runs, failures) = ran(&[]);
    // A failure is never kept.
    assert_eq!(
        (data["message"].as_str(), runs, failures),
        (Some("1-it's"), 1, 2)
    );
    assert!(
        data["trace"][0]["note"]
            .as_str()
            .is_some_and(|note| note.starts_with("reused from 20")),
        "{data}"
    );
    // With another file, with another input, or without the cache, the work is done again.
    project.write("data.csv", "2");
    let (data, runs, _) = ran(&[]);
    assert_eq!((data["message"].as_str(), runs), (Some("2-it's"), 2));
    let (data, runs, _) = ran(&["--inputs", "task=other"]);
    assert_eq!((data["message"].as_str(), runs), (Some("2-other"), 3));
    assert_eq!(ran(&["--no-cache"]).1, 4);
    assert_eq!(ran(&[]).1, 4);
    // A damaged result is not used.
    for entry in std::fs::read_dir(project.at(".recipe-cache"))
        .expect("kept")
        .flatten()
    {
        project.write(
            &format!(".recipe-cache/{}", entry.file_name().to_string_lossy()),
            "{\"step\":",
        );
    }
    let (data, runs, _) = ran(&[]);
    assert_eq!((data["message"].as_str(), runs), (Some("2-it's"), 5));
    // If a named file is absent, nothing is kept, and a note says so.
    std::fs::remove_file(project.at("data.csv")).expect("removed");
    let run = run(&project, &["--exec", "cmd", "--new"]);
    assert!(run.stderr().contains("cache names data.csv"), "{run}");
}

/// A folder counts with all files in it. Files behind a link to a folder could change unnoticed, so with such a link nothing is reused.
#[cfg(unix)]
#[test]
fn a_cached_folder_counts_with_all_that_is_below_it() {
    let steps = "  a:\n    tool: run_cmd\n    cache: [data]\n    with: {cmd: 'echo ran >> count'}\n    on_success: end\n    on_failure: bad\n";
    let project = recipe(steps)
        .file("data/a/b/deep.csv", "1")
        .file("elsewhere/far.csv", "1");
    let ran = || {
        let run = run(&project, &["--exec", "cmd", "--new"]).expect_code(0);
        (project.read("count").lines().count(), run)
    };
    assert_eq!(ran().0, 1);
    assert_eq!(ran().0, 1);
    project.write("data/a/b/deep.csv", "2");
    assert_eq!(ran().0, 2);
    std::os::unix::fs::symlink(project.at("elsewhere"), project.at("data/a/link")).expect("linked");
    assert_eq!(ran().0, 3);
    project.write("elsewhere/far.csv", "2");
    let (count, run) = ran();
    assert_eq!(count, 4);
    assert!(
        run.stderr().contains("data/a/link is a link to a folder"),
        "{run}"
    );
}

/// If a secret that each step gets is absent, the run does not start.
#[test]
fn a_secret_that_is_not_there_is_refused_before_the_run() {
    let recipe = "name: r\nkitchen_rules: [a]\ningredients:\n  key: {description: d, required: true, secret: true}\nsteps:\n  \
        a:\n    tool: run_cmd\n    with: {cmd: 'true'}\n    on_success: end\n    on_failure: end\n  end: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", recipe);
    for (given, code) in [("key=file:absent", 3), ("key=env:NO_SUCH_KEY", 2)] {
        let words = ["run", "r.yaml", "--state", "run.json", "--inputs", given];
        let run = call(&project, &[&words[..], &["--exec", "cmd"]].concat()).run();
        let error = run.expect_code(code).error();
        assert!(!project.at("run.json").exists(), "{error}");
        let driven = call(&project, &[&words[..], &["--new"]].concat()).run();
        let warned = driven.expect_code(11);
        assert!(warned.stderr().contains("has no value"), "{warned}");
        // One that is not there when the run is continued takes nothing from the run.
        let resume = ["resume", "--state", "run.json", "--exec", "cmd"];
        let before = project.read("run.json");
        call(&project, &resume).run().expect_code(code);
        assert_eq!(project.read("run.json"), before);
        project.write("absent", "a secret that came later");
        let resumed = call(&project, &resume).env("NO_SUCH_KEY", "a secret that came later");
        let resumed = resumed.run().expect_code(0);
        assert_eq!(lines(&resumed.data())[0], "a executed success end");
        std::fs::remove_file(project.at("absent")).expect("removed");
        std::fs::remove_file(project.at("run.json")).expect("removed");
    }
}

/// One that goes away while a run is at work keeps the next step from being started, and nothing else.
#[test]
fn a_secret_that_goes_away_ends_no_run() {
    let recipe = "name: r\nkitchen_rules: [a]\ningredients:\n  key: {description: d, required: true, secret: true}\nsteps:\n  \
        a: {tool: run_cmd, with: {cmd: 'mv key gone'}, on_success: b, on_failure: bad}\n  \
        b: {tool: run_cmd, with: {cmd: 'test -n \"$RECIPE_CTX_KEY\"'}, on_success: end, on_failure: bad}\n  \
        end: {action: stop, message: m}\n  bad: {action: stop, failed: true, message: m}\n";
    let project = Project::new()
        .file("r.yaml", recipe)
        .file("key", "hunter2-hunter2");
    let error = run(&project, &["--exec", "cmd", "--inputs", "key=file:key"])
        .expect_code(5)
        .error();
    assert!(
        error["message"].as_str().is_some_and(
            |text| text.contains("step b could not be started: RECIPE_CTX_KEY has no value")
        ),
        "{error}"
    );
    project.write("key", "hunter2-hunter2");
    let resume = ["resume", "--state", "run.json", "--exec", "cmd"];
    call(&project, &resume).run().expect_code(0);
}

#[test]
fn a_secret_input_is_nowhere_in_clear() {
    let recipe = "name: r\nkitchen_rules: [a]\ningredients:\n  key: {description: d, required: true, secret: true}\nsteps:\n  \
        a:\n    tool: run_cmd\n    with: {cmd: 'echo \"got $RECIPE_CTX_KEY\"; echo \"err $RECIPE_CTX_KEY\" >&2; echo x=$RECIPE_CTX_KEY; printf %s \"$RECIPE_CTX_KEY\" | wc -c'}\n    \
        capture: {x: '${{ result.x }}'}\n    on_success: end\n    on_failure: bad\n  \
        end: {action: stop, message: '${{ context.x }} ${{ inputs.key }}'}\n  bad: {action: stop, message: bad}\n";
    let project = Project::new()
        .file("r.yaml", recipe)
        .file("key.txt", "hunter2-hunter2\n");
    for (given, from) in [
        ("key=env:LAB_KEY", "env:LAB_KEY"),
        ("key=file:key.txt", "file:key.txt"),
    ] {
        let run = call(
            &project,
            &[
                "run", "r.yaml", "--state", "run.json", "--exec", "cmd", "--new", "--inputs", given,
            ],
        )
        .env("LAB_KEY", "hunter2-hunter2")
        .run()
        .expect_code(0);
        assert_eq!(run.data()["message"], format!("[secret] {from}"), "{run}");
        let stdout = project.read("run.json.d/1.1/stdout");
        assert!(
            stdout.starts_with("got [secret]\n") && stdout.trim_end().ends_with("15"),
            "{stdout}"
        );
        assert_eq!(project.read("run.json.d/1.1/stderr"), "err [secret]\n");
        assert!(
            !run.stdout().contains("hunter2") && !run.stderr().contains("hunter2"),
            "{run}"
        );
        std::fs::remove_file(project.at("key.txt")).unwrap_or_default();
        let held = std::process::Command::new("grep")
            .args(["-rl", "hunter2", "."])
            .current_dir(project.path())
            .output()
            .expect("grep");
        let held = String::from_utf8_lossy(&held.stdout).into_owned();
        assert!(held.is_empty(), "{held}");
        project.write("key.txt", "hunter2-hunter2\n");
    }
    // A secret value that is given itself is refused, and not printed.
    let run = call(
        &project,
        &[
            "run",
            "r.yaml",
            "--state",
            "other.json",
            "--exec",
            "cmd",
            "--inputs",
            "key=hunter2-hunter2",
        ],
    )
    .run();
    assert!(
        !run.stderr().contains("hunter2") && run.stderr().contains("env:VARIABLE"),
        "{run}"
    );
    run.expect_code(2);
}

#[test]
fn a_gate_that_could_not_look_is_seen_in_the_trace() {
    let project = recipe(
        "  a: {tool: run_cmd, with: {cmd: 'echo \"degraded: GitHub is away\"; echo \"verdict=needs_human\"'}, capture: {x: '${{ result.verdict }}'}, on_success: end, on_failure: bad}\n",
    );
    let run = run(&project, &["--exec", "cmd"]).expect_code(0);
    assert_eq!(run.data()["trace"][0]["note"], "degraded: GitHub is away");
    assert!(run.stderr().contains("degraded: GitHub is away"), "{run}");
    let words = ["status", "--state", "run.json"];
    let data = call(&project, &words).run().data();
    assert_eq!(data["degraded"], json!({"a": "degraded: GitHub is away"}));
    let lines = Helper::at(env!("CARGO_BIN_EXE_recipe_runner"));
    let lines = lines.call(project.path()).args(words).run();
    assert!(
        lines.stdout().contains("a\tdegraded: GitHub is away"),
        "{lines}"
    );
}

/// The research recipe passes on the notes of gates that could not look at something.
#[test]
fn a_gate_of_the_research_recipe_that_could_not_look_is_seen() {
    let path = workspace_root().join("skills/research-recipe/assets/recipes/research.yaml");
    let research = std::fs::read_to_string(path).expect("our recipe");
    for (gate, next, variable) in [
        ("judge_research", "audit_claims", "review_verdict"),
        ("judge_claims", "route_review_resolve", "audit_verdict"),
    ] {
        let (_, step) = research
            .split_once(&format!("\n  {gate}:\n"))
            .expect("the step");
        let (step, _) = step.split_once("\n\n").expect("its end");
        let inputs = ["tools_dir", "base_branch", "source_dir"];
        let inputs = inputs.map(|name| format!("  {name}: {{description: d, default: .}}\n"));
        let inputs = inputs.concat();
        let project = Project::new().file(
            "r.yaml",
            format!(
                "name: r\nkitchen_rules: [a]\ningredients:\n{inputs}steps:\n  begin: {{tool: run_cmd, with: {{cmd: 'echo pr_url=u; echo worktree_path=.'}}, \
                 capture: {{pr_url: '${{{{ result.pr_url }}}}', worktree_path: '${{{{ result.worktree_path }}}}'}}, on_success: {gate}, on_failure: bad}}\n  \
                 {gate}:\n{step}\n  {next}: {{action: stop, message: m}}\n  bad: {{action: stop, message: m}}\n"
            ),
        );
        project.write(
            "audit_claims",
            "echo 'degraded: GitHub is away'; echo 'verdict = needs_human'",
        );
        let data = run(&project, &["--exec", "cmd", "--allow-invalid"])
            .expect_code(0)
            .data();
        assert_eq!(
            data["trace"][1]["note"], "degraded: GitHub is away",
            "{data}"
        );
        assert_eq!(data["context"][variable], "needs_human");
    }
}

#[test]
fn a_key_that_nothing_reads_is_told_and_a_misspelt_route_is_no_end() {
    for (key, code) in [
        ("next: end", 4),
        ("on_succes: end", 4),
        ("on_resutl: end", 4),
        ("color: red", 0),
        ("next: end, on_success: end", 0),
    ] {
        let project = recipe(&format!(
            "  a: {{tool: run_cmd, with: {{cmd: 'true'}}, {key}, on_failure: bad}}\n"
        ));
        let run = run(&project, &["--exec", "cmd"]).expect_code(code);
        let (name, _) = key.split_once(':').expect("a key");
        let told = format!("step a: nothing reads the key `{name}`");
        assert!(run.stderr().contains(&told), "{run}");
    }
}

/// On Linux, an argument of a program has at most 128 KiB.
#[test]
fn a_captured_value_of_any_length_can_be_read_by_a_command() {
    let project = recipe(
        "  a:\n    tool: run_cmd\n    with: {cmd: \"printf 'x='; head -c 300000 /dev/zero | tr '\\\\0' b; echo\"}\n    \
         capture: {x: '${{ result.x }}'}\n    on_success: b\n    on_failure: bad\n  \
         b:\n    tool: run_cmd\n    with: {cmd: 'printf %s ${{ context.x | shq }} | wc -c > long; cat > rest'}\n    on_success: end\n    on_failure: bad\n",
    );
    let data = run(&project, &["--exec", "cmd"]).expect_code(0).data();
    assert_eq!(data["terminal"], "end", "{:?}", lines(&data));
    assert_eq!(project.read("long").trim(), "300000");
    assert_eq!(project.read("rest"), "");
}

#[test]
fn the_example_says_when_its_program_fails() {
    let project = Project::new();
    let example = call(&project, &["--example"]).run().data();
    project.write("first.yaml", example["recipe"].as_str().expect("a recipe"));
    for (state, input, code) in [
        ("f.json", "program=no-such-program", 13),
        ("t.json", "program=true", 0),
    ] {
        let words = [
            "run",
            "first.yaml",
            "--state",
            state,
            "--exec",
            "cmd",
            "--inputs",
            input,
        ];
        call(&project, &words).run().expect_code(code);
    }
}
