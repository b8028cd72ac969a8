//! Runs that are resumed.

use aris_testkit::Project;
use serde_json::{Value, json};

use super::{call, lines, project};

const SCRIPT: &str = r#"{"*": {"status": "success", "result": {"verdict": "changes_requested", "worktree_path": "/w", "pr_url": "u",
    "results_path": "r", "needs_rerun": true, "records": ["x"]}}}"#;

fn resumed(project: &Project, more: &[&str], code: i32) -> Value {
    let words: Vec<&str> = ["resume", "--state", "run.json"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    call(project, &words).run().expect_code(code).data()
}

#[test]
fn without_a_journal_the_highest_tier_counts() {
    for (context, tier, step) in [
        (
            json!({"worktree_path": "/w", "pr_url": "u", "audit_verdict": "x", "claims_needs_rerun": "false"}),
            json!(4),
            "merge_escalations",
        ),
        (
            json!({"worktree_path": "/w", "pr_url": "u", "audit_verdict": "x", "claims_needs_rerun": " "}),
            json!(3),
            "route_claims_resolve",
        ),
        (
            json!({"worktree_path": "/w", "pr_url": "u"}),
            json!(2),
            "guard_pr_url",
        ),
        (json!({"worktree_path": "/w"}), json!(1), "run_experiment"),
        (json!({}), json!(null), "create_worktree"),
    ] {
        let project = project();
        let state = json!({"recipe": {"path": "gates.yaml"}, "context": context});
        project.write("run.json", state.to_string());
        let data = resumed(&project, &[], 0);
        assert_eq!(
            (&data["resume"]["tier"], &data["resume"]["step"]),
            (&tier, &json!(step))
        );
        let basis = if tier.is_null() { "entry" } else { "tier" };
        assert_eq!(data["resume"]["basis"], basis);
        project.write("script.json", SCRIPT);
        let data = resumed(&project, &["--outcomes", "script.json"], 0);
        assert_eq!(data["resume"]["basis"], basis);
        assert!(lines(&data)[0].starts_with(step), "{data}");
        assert_eq!(data["terminal"], "complete");
        assert_eq!(
            resumed(&project, &[], 0)["resume"],
            json!({"basis": "terminal", "tier": null, "step": null})
        );
    }
}

#[test]
fn a_recipe_may_state_its_tiers() {
    let project = project();
    let text = super::GATES.replace(
        "steps:\n  create",
        "resume: [{tier: 7, present: results, start: open_pr}]\nsteps:\n  create",
    );
    project.write("gates.yaml", text);
    let state = json!({"recipe": {"path": "gates.yaml"}, "context": {"results": "r", "claims_needs_rerun": "true"}});
    project.write("run.json", state.to_string());
    let mut data = resumed(&project, &[], 0)["resume"].take();
    // What decides, and the run comes to again, is asked again.
    let notes = data["notes"].take().to_string();
    assert!(notes.contains("claims_needs_rerun is not used"), "{notes}");
    assert_eq!(
        data,
        json!({"basis": "tier", "tier": 7, "step": "open_pr", "notes": null})
    );
}

/// A run that waits after each step and is resumed gives the same result as a run that never waited.
#[test]
fn an_interrupted_run_is_the_uninterrupted_one() {
    let whole = project();
    whole.write("script.json", SCRIPT);
    let words = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=x",
        "--state",
        "run.json",
        "--outcomes",
        "script.json",
    ];
    let expected = call(&whole, &words).run().expect_code(0).data();

    let pieces = project();
    let words = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=x",
        "--state",
        "run.json",
    ];
    let mut data = call(&pieces, &words).run().expect_code(11).data();
    let outcome: Value = serde_json::from_str(SCRIPT).unwrap();
    while data["status"] == "waiting" {
        let step = data["waiting_for"].as_str().unwrap().to_owned();
        pieces.write(
            "script.json",
            json!({step: [outcome["*"].clone()]}).to_string(),
        );
        let words = ["resume", "--state", "run.json", "--outcomes", "script.json"];
        data = call(&pieces, &words).run().data();
    }
    for part in [
        "trace", "context", "inputs", "status", "terminal", "message",
    ] {
        assert_eq!(data[part], expected[part], "{part}");
    }
}

#[test]
fn what_was_edited_is_refused_and_a_torn_end_is_dropped() {
    let project = project();
    project.write("script.json", SCRIPT);
    let words = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=x",
        "--state",
        "run.json",
        "--outcomes",
        "script.json",
    ];
    call(&project, &words).run().expect_code(0);
    let whole = project.read("run.json");
    let rows: Vec<&str> = whole.split_inclusive('\n').collect();
    let resume = ["resume", "--state", "run.json"];
    for at in 0..rows.len() {
        let mut edited: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        edited[at] = edited[at].replacen("\"step\":\"", "\"step\":\"x", 1);
        assert_ne!(edited[at], rows[at], "line {}", at + 1);
        project.write("run.json", edited.concat());
        let run = call(&project, &resume).run().expect_code(4);
        if at > 0 {
            let message = run.error()["message"].to_string();
            assert!(message.contains(&format!("line {}: ", at + 1)), "{message}");
        }
        if at + 1 < rows.len() {
            edited.remove(at);
            project.write("run.json", edited.concat());
            call(&project, &resume).run().expect_code(4);
        }
    }
    // For each point at which a writer can be killed, the run goes on from the line before, and ends in the same way.
    for (at, row) in rows.iter().enumerate().skip(1) {
        let half: String = row.chars().take(row.chars().count() / 2).collect();
        let torn = rows[..at].concat() + &half;
        project.write("run.json", &torn);
        let words = ["resume", "--state", "run.json", "--outcomes", "script.json"];
        let run = call(&project, &words).run().expect_code(0);
        assert!(run.stderr().contains("is incomplete"), "{run}");
        assert_eq!(run.data()["terminal"], "complete");
        let again = project.read("run.json");
        assert!(again.starts_with(&rows[..at].concat()), "line {}", at + 1);
        assert_eq!(call(&project, &resume).run().expect_code(0).stderr(), "");
    }
    for text in [
        "",
        "[]",
        "{}",
        "{\"recipe\": {\"path\": \"gates.yaml\"}, \"contxt\": {}}",
    ] {
        project.write("run.json", text);
        call(&project, &["next", "--state", "run.json"])
            .run()
            .expect_code(4);
    }
    call(&project, &["next", "--state", "absent.json"])
        .run()
        .expect_code(3);
}

#[test]
fn a_changed_recipe_is_accepted_only_when_told() {
    let project = project();
    let words = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=x",
        "--state",
        "run.json",
    ];
    call(&project, &words).run().expect_code(11);
    project.write("gates.yaml", format!("{}\n# changed\n", super::GATES));
    call(&project, &["resume", "--state", "run.json"])
        .run()
        .expect_code(4);
    call(&project, &["next", "--state", "run.json"])
        .run()
        .expect_code(4);
    let data = resumed(&project, &["--accept-changed"], 0);
    assert_eq!(data["resume"]["step"], "create_worktree");
    call(&project, &["next", "--state", "run.json"])
        .run()
        .expect_code(0);
}

#[test]
fn a_halted_run_goes_on_once_there_is_a_route() {
    let recipe = "name: r\nkitchen_rules: [a]\nsteps:\n  a: {tool: t, on_success: end}\n  end: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", recipe);
    project.write("s.json", r#"{"a": [{"status": "failure"}]}"#);
    let words = [
        "run",
        "r.yaml",
        "--outcomes",
        "s.json",
        "--state",
        "run.json",
    ];
    let data = call(&project, &words).run().expect_code(10).data();
    assert_eq!(
        (&data["status"], &data["halt"]),
        (&json!("halted"), &json!("missing_route"))
    );
    assert_eq!(data["terminal"], json!(null));
    project.write(
        "r.yaml",
        recipe.replace("on_success: end", "on_success: end, on_failure: end"),
    );
    let data = resumed(&project, &["--accept-changed", "--outcomes", "s.json"], 0);
    assert_eq!(
        lines(&data),
        [
            "a executed failure -",
            "a executed failure end",
            "end stop - -"
        ]
    );
}

#[test]
fn an_unfinished_run_is_not_overwritten_and_a_finished_one_is_kept() {
    let project = project();
    project.write("script.json", SCRIPT);
    let begin = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=x",
        "--state",
        "run.json",
    ];
    call(&project, &begin).run().expect_code(11);
    let before = project.read("run.json");
    call(&project, &begin).run().expect_code(5);
    assert_eq!(project.read("run.json"), before);
    let words: Vec<&str> = begin
        .into_iter()
        .chain(["--new", "--outcomes", "script.json"])
        .collect();
    call(&project, &words).run().expect_code(0);
    assert_eq!(project.read("run.json.1"), before);
    let finished = project.read("run.json");
    call(&project, &begin).run().expect_code(11);
    assert_eq!(project.read("run.json.2"), finished);
}

/// The output of a step is in a file of its own, which must not be changed.
#[test]
fn what_was_captured_is_checked_when_it_is_read() {
    let recipe = "name: r\nkitchen_rules: [a]\nsteps:\n  a: {tool: t, capture: {long: '${{ result.long }}', short: '${{ result.short }}'}, observability: [short], on_success: b, on_failure: b}\n  \
                  b: {tool: u, on_success: end, on_failure: end}\n  end: {action: stop, message: '${{ context.long }}'}\n";
    let project = Project::new().file("r.yaml", recipe);
    let long = "precious ".repeat(1000);
    let script = json!({"a": [{"status": "success", "result": {"long": long, "short": "GO"}}]});
    project.write("s.json", script.to_string());
    let words = [
        "run",
        "r.yaml",
        "--outcomes",
        "s.json",
        "--state",
        "run.json",
    ];
    call(&project, &words).run().expect_code(11);
    let state = project.read("run.json");
    assert!(
        !state.contains("precious") && state.contains("GO"),
        "{state}"
    );
    let files: Vec<_> = std::fs::read_dir(project.at("run.json.d/captured"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    let resume = ["resume", "--state", "run.json"];
    assert_eq!(resumed(&project, &[], 0)["context"]["long"], long);
    std::fs::write(&files[0], "other").unwrap();
    for why in ["was changed", "is missing"] {
        let error = call(&project, &resume).run().expect_code(4).error();
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(why) && message.contains("step a"),
            "{message}"
        );
        // The status of the run can be read without the file.
        call(&project, &["status", "--state", "run.json"])
            .run()
            .expect_code(11);
        std::fs::remove_file(&files[0]).unwrap_or_default();
    }
    std::fs::write(&files[0], &long).unwrap();
    project.write("s.json", r#"{"b": [{"status": "success"}]}"#);
    assert_eq!(
        resumed(&project, &["--outcomes", "s.json"], 0)["message"],
        long
    );
}

/// What a program said counts only with the record of its attempt; what decides and is still to be said is not taken from a state.
#[test]
fn a_state_that_was_written_by_hand_says_no_verdict() {
    let gate = |tool: &str| {
        format!(
            "name: r\nkitchen_rules: [a]\nresume:\n  - {{tier: 3, present: verdict, start: decide}}\n  - {{tier: 2, present: place, start: gate}}\nsteps:\n  \
             make: {{tool: run_cmd, with: {{cmd: 'echo place=p'}}, capture: {{place: '${{{{ result.place }}}}'}}, on_success: gate, on_failure: bad}}\n  \
             gate: {{tool: {tool}, with: {{cmd: 'echo ran >> ran; echo verdict=NO', skill_command: /x}}, capture: {{verdict: '${{{{ result.verdict }}}}'}}, on_success: decide, on_failure: decide, on_context_limit: decide}}\n  \
             decide:\n    action: route\n    on_result:\n      - {{when: 'context.verdict == GO and context.place', route: end}}\n      - {{route: bad}}\n  \
             end: {{action: stop, message: m}}\n  bad: {{action: stop, failed: true, message: m}}\n"
        )
    };
    let written = |tool: &str, context: Value| {
        let project = Project::new().file("r.yaml", gate(tool));
        let state = json!({"recipe": {"path": "r.yaml"}, "context": context});
        project.write("run.json", state.to_string());
        project
    };
    let resume = ["resume", "--state", "run.json", "--exec", "cmd"];

    let project = written("run_cmd", json!({"place": "p", "verdict": "GO"}));
    let run = call(&project, &resume).run().expect_code(13);
    assert_eq!(run.data()["resume"]["step"], "gate");
    for said in [
        "(tier 3): verdict decides from there on, and only step gate,",
        "what the state says of verdict is not used",
    ] {
        assert!(run.stderr().contains(said), "{run}");
    }
    assert_eq!(project.read("ran"), "ran\n");
    // Whoever drives the run by hand is told the same.
    let project = written("run_cmd", json!({"place": "p", "verdict": "GO"}));
    let next = call(&project, &["next", "--state", "run.json"]).run();
    assert!(next.stderr().contains("verdict is not used"), "{next}");
    assert_eq!(next.expect_code(0).data()["step"], "gate");

    // What an agent said whoever continues may write down; a tier that is not reached takes nothing from it.
    let project = written("run_skill", json!({"place": "p", "verdict": "GO"}));
    let run = call(&project, &resume).run().expect_code(0);
    assert_eq!(
        (
            &run.data()["resume"]["step"],
            run.stderr().contains("not used")
        ),
        (&json!("decide"), false)
    );
    // Not where the agent is still to be asked.
    let project = written("run_skill", json!({"place": "p", "verdict": " "}));
    let data = call(&project, &resume).run().expect_code(11).data();
    assert_eq!(
        data["resume"]["notes"].as_array().map(Vec::len),
        Some(1),
        "{data}"
    );

    for more in [
        json!({"status": "completed"}),
        json!({"cursor": "end"}),
        json!({"visits": {"gate": 1}}),
        json!({"start": {"step": "decide"}}),
        json!({"journal": [], "failed": true}),
    ] {
        let mut state = json!({"recipe": {"path": "r.yaml"}, "context": {}});
        let fields = more.as_object().expect("an object").clone();
        state.as_object_mut().expect("an object").extend(fields);
        project.write("run.json", state.to_string());
        let error = call(&project, &resume).run().expect_code(4).error();
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains("written by hand")),
            "{error}"
        );
    }
}

/// Relative folders, and files of secrets, are those of the folder where the run was started.
#[test]
fn a_run_is_continued_in_its_own_folder() {
    let recipe = "name: r\nkitchen_rules: [a]\ningredients:\n  dir: {description: d, default: .}\n  key: {description: d, secret: true}\nsteps:\n  \
        ask: {action: confirm, message: go, on_success: gate, on_failure: bad}\n  \
        gate:\n    tool: run_cmd\n    with: {cmd: 'cat verdict; echo \"key=$RECIPE_CTX_KEY\" > told', cwd: '${{ inputs.dir }}'}\n    capture: {g: '${{ result.gate }}'}\n    \
        on_result: [{when: '${{ result.gate }} == open', route: end}, {route: bad}]\n    on_failure: bad\n  \
        end: {action: stop, message: m}\n  bad: {action: stop, failed: true, message: m}\n";
    let project = Project::new()
        .file("a/r.yaml", recipe)
        .file("a/verdict", "gate=blocked\n")
        .file("a/key", "mine")
        .file("b/verdict", "gate=open\n")
        .file("b/key", "other");
    let at = |folder: &str, words: &[&str]| {
        aris_testkit::Helper::at(env!("CARGO_BIN_EXE_recipe_runner"))
            .call(project.at(folder))
            .args(words)
            .args(["--json"])
            .run()
    };
    at(
        "a",
        &[
            "run",
            "r.yaml",
            "--state",
            "run.json",
            "--inputs",
            "key=file:key",
        ],
    )
    .expect_code(11);
    let begun = project.read("a/run.json");
    let asked = [
        "complete", "--state", "run.json", "--step", "ask", "--status", "success",
    ];
    at("a", &asked).expect_code(0);
    let run = project.at("a/run.json").display().to_string();
    let next = at("b", &["next", "--state", &run]).expect_code(0).data();
    let own = project.at("a/.").display().to_string();
    assert_eq!(next["with"]["cwd"], own);
    assert_eq!(
        at("a", &["next", "--state", &run]).data()["with"]["cwd"],
        "."
    );
    at("b", &["resume", "--state", &run, "--exec", "cmd"]).expect_code(13);
    assert_eq!(project.read("a/told"), "key=mine\n");
    assert!(!project.at("b/told").exists());

    // A project that was moved: nobody guesses where it is now.
    project.write("a/run.json", begun);
    std::fs::remove_dir_all(project.at("a/run.json.d")).expect("removed");
    std::fs::rename(project.at("a"), project.at("c")).expect("moved");
    let run = project.at("c/run.json").display().to_string();
    at("c", &["next", "--state", &run]).expect_code(3);
    let moved = ["resume", "--state", &run, "--recipe", "r.yaml"];
    at("c", &moved).expect_code(0);
    at("c", &asked).expect_code(0);
    at("b", &["resume", "--state", &run, "--exec", "cmd"]).expect_code(13);
    assert!(project.at("c/told").exists() && !project.at("b/told").exists());
}

/// How a run stands is the same for every command, also where it came to the same end before.
#[test]
fn a_run_with_too_many_steps_says_so_every_time() {
    let recipe = "name: r\nkitchen_rules: [a]\nsteps:\n  a: {constant: tick, max_visits: 500, on_success: b, on_exhausted: done}\n  \
        b: {constant: tock, max_visits: 500, on_success: a, on_exhausted: done}\n";
    let project = Project::new().file("r.yaml", recipe);
    let words = ["run", "r.yaml", "--state", "run.json", "--max-steps", "10"];
    call(&project, &words).run().expect_code(12);
    let words = [
        "resume",
        "--state",
        "run.json",
        "--max-steps",
        "20",
        "--exec",
        "cmd",
    ];
    call(&project, &words).run().expect_code(12);
    for command in ["status", "next"] {
        let run = call(&project, &[command, "--state", "run.json"]).run();
        assert_eq!(run.expect_code(12).data()["status"], "loop_guard");
    }
    let timeline = call(&project, &["timeline", "run.json"]).run();
    assert_eq!(timeline.data()["status"], "loop_guard");
}
