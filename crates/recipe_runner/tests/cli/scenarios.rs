//! Runs with scripted outcomes; the whole trace is compared.

use aris_testkit::Project;
use serde_json::{Value, json};

use super::{call, lines, project};

const HEAD: [&str; 4] = [
    "create_worktree executed success run_experiment",
    "run_experiment executed success open_pr",
    "open_pr executed success guard_pr_url",
    "guard_pr_url executed result[0] review_research_pr",
];

fn results(verdicts: [&str; 2]) -> Value {
    json!({
        "create_worktree": [{"status": "success", "result": {"worktree_path": "/w"}}],
        "run_experiment": [{"status": "success", "result": {"results_path": "r.md"}}],
        "open_pr": [{"status": "success", "result": {"pr_url": "https://x/pull/1"}}],
        "review_research_pr": [{"status": "success", "result": {"verdict": verdicts[0]}}],
        "audit_claims": [{"status": "success", "result": {"verdict": verdicts[1]}}],
    })
}

fn run(project: &Project, script: &Value, more: &[&str], code: i32) -> Value {
    project.write("script.json", script.to_string());
    let words = ["run", "gates.yaml", "--inputs", "task=sorting"];
    let words: Vec<&str> = words
        .into_iter()
        .chain(more.iter().copied())
        .chain(["--outcomes", "script.json", "--state", "run.json"])
        .collect();
    call(project, &words).run().expect_code(code).data()
}

/// The trace without its first lines, which all scenarios share.
fn tail(data: &Value) -> Vec<String> {
    let all = lines(data);
    assert_eq!(&all[..4], HEAD);
    all[4..].to_vec()
}

/// The example of the documentation: a program is measured with different arguments, and a failure stops the run.
#[test]
fn the_example_of_the_page_measures_what_it_is_given() {
    let page = include_str!("../../../../skills/research-recipe/references/language.md");
    let example = page.split("## 8. An example").nth(1).expect("a section");
    let example = example.split("```").nth(1).expect("a fence");
    let example = example.strip_prefix("yaml\n").expect("YAML");
    for (program, end) in [("sleep 0.1", "fast"), ("test 1 = 2", "stopped")] {
        let project = Project::bare().file("r.yaml", example);
        let program = format!("program={program}");
        let words = [
            "run", "r.yaml", "--state", "s.json", "--exec", "cmd", "--inputs", &program,
        ];
        let data = call(&project, &words).run().expect_code(0).data();
        assert_eq!(data["terminal"], end, "{data}");
    }
}

#[test]
fn the_happy_path() {
    let data = run(&project(), &results(["approved", "approved"]), &[], 0);
    assert_eq!(
        tail(&data),
        [
            "review_research_pr executed default audit_claims",
            "audit_claims executed default route_review_resolve",
            "route_review_resolve executed default route_claims_resolve",
            "route_claims_resolve executed default merge_escalations",
            "merge_escalations executed default complete",
            "complete stop - -",
        ]
    );
    assert_eq!(
        (&data["status"], &data["terminal"]),
        (&json!("completed"), &json!("complete"))
    );
    assert_eq!(data["message"], "Done: https://x/pull/1");
}

#[test]
fn fixes_are_required() {
    let mut script = results(["changes_requested", "approved"]);
    script["resolve_research_review"] = json!([{"status": "success", "result": {"needs_rerun": false, "records": ["a", "b", "a"]}}]);
    let data = run(&project(), &script, &[], 0);
    assert_eq!(
        tail(&data)[2..],
        [
            "route_review_resolve executed result[0] resolve_research_review",
            "resolve_research_review executed success route_claims_resolve",
            "route_claims_resolve executed default merge_escalations",
            "merge_escalations executed default complete",
            "complete stop - -",
        ]
    );
    assert_eq!(data["context"]["records"], json!(["a", "b"]));
}

#[test]
fn a_rerun_is_escalated_after_both_gates() {
    let mut script = results(["changes_requested", "changes_requested"]);
    script["resolve_research_review"] =
        json!([{"status": "success", "result": {"needs_rerun": "false", "records": ["a"]}}]);
    script["resolve_claims_review"] = json!([{"status": "stale"}, {"status": "success", "result": {"needs_rerun": true, "records": "b\na\n"}}]);
    script["rerun_experiment"] = json!([{"status": "failure"}]);
    let data = run(&project(), &script, &[], 0);
    assert_eq!(
        tail(&data)[2..],
        [
            "route_review_resolve executed result[0] resolve_research_review",
            "resolve_research_review executed success route_claims_resolve",
            "route_claims_resolve executed result[0] resolve_claims_review",
            "resolve_claims_review executed success merge_escalations x2",
            "merge_escalations executed result[1] rerun_experiment",
            "rerun_experiment executed failure complete",
            "complete stop - -",
        ]
    );
    assert_eq!(data["context"]["records"], json!(["a", "b"]));
    assert_eq!(data["context"]["claims_needs_rerun"], "true");
}

#[test]
fn the_second_gate_runs_whatever_the_first_says() {
    let mut script = results(["changes_requested", "changes_requested"]);
    script["review_research_pr"] = json!([{"status": "failure"}]);
    script["*"] = json!({"status": "success"});
    let data = run(&project(), &script, &[], 0);
    assert_eq!(
        tail(&data),
        [
            "review_research_pr executed failure audit_claims",
            "audit_claims executed default route_review_resolve",
            "route_review_resolve executed default route_claims_resolve",
            "route_claims_resolve executed result[0] resolve_claims_review",
            "resolve_claims_review executed success merge_escalations",
            "merge_escalations executed default complete",
            "complete stop - -",
        ]
    );
    assert_eq!(data["context"].get("review_verdict"), None);
}

#[test]
fn gates_that_do_not_answer_let_the_work_pass() {
    let mut script = results(["approved", "approved"]);
    script["review_research_pr"] = json!([{"status": "failure", "retry_reason": "resume"}]);
    script["audit_claims"] = json!([{"status": "stale"}, {"status": "stale"}]);
    let data = run(&project(), &script, &[], 0);
    assert_eq!(
        tail(&data),
        [
            "review_research_pr executed context_limit audit_claims",
            "audit_claims executed exhausted route_review_resolve x2",
            "route_review_resolve executed default route_claims_resolve",
            "route_claims_resolve executed default merge_escalations",
            "merge_escalations executed default complete",
            "complete stop - -",
        ]
    );
    let data = run(
        &project(),
        &results(["x", "x"]),
        &["review=off", "audit=0"],
        0,
    );
    assert_eq!(
        tail(&data)[..2],
        [
            "review_research_pr skipped skip audit_claims",
            "audit_claims skipped skip route_review_resolve",
        ]
    );
}

#[test]
fn a_hundred_runs_are_the_same_bytes() {
    let project = project();
    project.write(
        "script.json",
        results(["changes_requested", "approved"]).to_string(),
    );
    let words = [
        "run",
        "gates.yaml",
        "--inputs",
        "task=x",
        "--outcomes",
        "script.json",
    ];
    let first = call(&project, &words)
        .run()
        .expect_code(11)
        .stdout()
        .to_owned();
    for _ in 0..99 {
        assert_eq!(call(&project, &words).run().stdout(), first);
    }
}

#[test]
fn inputs_are_checked() {
    let project = project();
    for (words, part) in [
        (vec!["run", "gates.yaml"], "task is required"),
        (
            vec!["run", "gates.yaml", "--inputs", "task=x", "tsak=y"],
            "no input tsak",
        ),
    ] {
        let error = call(&project, &words).run().expect_code(2).error();
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    project.write("bad.yaml", "name: x\nkitchen_rules: [a]\nsteps:\n  a: {tool: run_cmd, with: {cmd: x}, on_success: nowhere, on_failure: done}\n");
    let error = call(&project, &["run", "bad.yaml"])
        .run()
        .expect_code(4)
        .error();
    assert_eq!(
        error["details"]["findings"][0]["rule"],
        "unknown-route-target"
    );
}

#[test]
fn loops_are_bounded_and_guarded() {
    let recipe = "name: loops\nkitchen_rules: [a]\nsteps:\n  \
        plan: {tool: run_skill, with: {skill_command: /x:plan}, on_success: review, on_failure: end}\n  \
        review: {tool: run_skill, with: {skill_command: /x:review}, retries: 2, on_exhausted: next, on_failure: end, on_context_limit: end, \
        on_result: [{when: \"${{ result.v }} == GO\", route: next}, {route: plan}]}\n  \
        next: {action: route, on_result: [{when: \"${{ result.next }} == more\", route: plan}, {route: end}]}\n  \
        end: {action: stop, message: m}\n";
    let project = Project::new().file("r.yaml", recipe);
    project.write(
        "s.json",
        r#"{"*": {"status": "success"}, "next": [{"status": "success", "result": {"next": "more"}}]}"#,
    );
    let words = ["run", "r.yaml", "--outcomes", "s.json", "--state", "s"];
    let data = call(&project, &words).run().expect_code(0).data();
    let steps: Vec<String> = lines(&data)
        .iter()
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let round = ["plan executed", "review executed"];
    let section: Vec<&str> = round
        .into_iter()
        .cycle()
        .take(7)
        .chain(["review exhausted", "next executed"])
        .collect();
    let twice: Vec<&str> = [section.clone(), section, vec!["end stop"]].concat();
    assert_eq!(steps, twice);

    let words = ["run", "r.yaml", "--outcomes", "s.json", "--max-steps", "3"];
    let data = call(&project, &words).run().expect_code(12).data();
    assert_eq!(
        (&data["status"], lines(&data).len()),
        (&json!("loop_guard"), 3)
    );
}

#[test]
fn a_sub_recipe_runs_in_its_place_and_must_be_there() {
    let recipe = "name: r\nkitchen_rules: [a]\ningredients:\n  extra: {description: d, default: \"false\", hidden: true}\nsteps:\n  \
        a: {tool: run_skill, with: {skill_command: /x:a}, on_success: more, on_failure: end}\n  \
        more: {sub_recipe: more, gate: extra, on_success: end, on_failure: end}\n  end: {action: stop, message: m}\n";
    let sub = "name: more\nkitchen_rules: [b]\nsteps:\n  w: {tool: run_skill, with: {skill_command: /x:w}, on_success: done, on_failure: escalate}\n";
    let project = Project::new()
        .file("r.yaml", recipe)
        .file("sub-recipes/more.yaml", sub)
        .file("s.json", r#"{"*": {"status": "success"}}"#);
    let run = |gate: &str| {
        let words = ["run", "r.yaml", "--inputs", gate, "--outcomes", "s.json"];
        lines(&call(&project, &words).run().expect_code(0).data())
    };
    assert_eq!(run("extra=no"), ["a executed success end", "end stop - -"]);
    assert_eq!(
        run("extra=YES"),
        [
            "a executed success more_w",
            "more_w executed success end",
            "end stop - -"
        ]
    );
    project.write(
        "r.yaml",
        recipe.replace("sub_recipe: more", "sub_recipe: absent"),
    );
    let words = ["validate", "r.yaml", "--compose", "--set", "extra=1"];
    let data = call(&project, &words).run().expect_code(10).data();
    let rules: Vec<&str> = data["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .filter(|rule| *rule == "unknown-sub-recipe")
        .collect();
    assert_eq!(rules.len(), 1, "{data}");
    call(&project, &["run", "r.yaml", "--inputs", "extra=1"])
        .run()
        .expect_code(4);
}
