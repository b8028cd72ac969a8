//! The research recipe with scripted outcomes: the scenarios and the tiers of resume, as exact traces.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{check_trace, ended, project, runner};

/// Outcomes of a research run. A step without an entry succeeds with an empty result.
fn script(outcomes: &[(&str, Value)]) -> String {
    let success = |result: Value| json!([{"status": "success", "result": result}]);
    let mut script = json!({
        "*": {"status": "success", "result": {}},
        "plan_experiment": success(json!({"experiment_plan": "/p/plan.md"})),
        "review_design": success(json!({"verdict": "GO"})),
        "create_worktree": success(json!({"branch": "b", "research_dir": "/w/research/r", "worktree_path": "/w"})),
        "run_experiment": success(json!({"results_path": "/w/results.json"})),
        "write_report": success(json!({"report_path": "/w/research/r/report.md"})),
        "open_pr": success(json!({"pr_url": "https://forge/o/r/pull/1"})),
        "create_artifact_branch": success(json!({"artifact_branch": "artifacts-b"})),
        "open_artifact_pr": success(json!({"artifact_pr_url": "https://forge/o/r/pull/2"})),
        "tag_experiment": success(json!({"archive_tag": "archive/research/b"})),
    });
    for (step, outcome) in outcomes {
        script[*step] = outcome.clone();
    }
    script.to_string()
}

fn verdict(verdict: &str) -> Value {
    json!([{"status": "success", "result": {"verdict": verdict}}])
}

fn resolved(needs_rerun: bool, verdict: &str) -> Value {
    let result = json!({"needs_rerun": needs_rerun, "verdict": verdict, "fixes_applied": 1});
    json!([{"status": "success", "result": result}])
}

const PULL_REQUEST: [&str; 3] = ["output_mode=pr", "review_pr=true", "audit_claims=true"];

/// Runs the research recipe with a script, and compares its trace.
#[track_caller]
fn research(scenario: &str, inputs: &[&str], outcomes: &[(&str, Value)]) -> Value {
    let project = project();
    project.write("script.json", script(outcomes));
    let call = |more: &[&str]| {
        let args = [
            "run",
            "recipes/research.yaml",
            "--outcomes",
            "script.json",
            "--inputs",
            "task=Does it help?",
        ];
        ended(runner(&project).args(args).args(inputs).args(more).run())
    };
    check_trace(&format!("research-{scenario}"), call(&[]).stdout());
    call(&["--json"]).data()
}

/// Steps that were executed, in order.
fn executed(run: &Value) -> Vec<&str> {
    let entries = run["trace"].as_array().expect("a trace");
    entries
        .iter()
        .filter(|entry| entry["event"] == "executed")
        .map(|entry| entry["step"].as_str().expect("a step"))
        .collect()
}

#[test]
fn the_happy_path_changes_nothing_and_archives() {
    let run = research(
        "happy-path",
        &PULL_REQUEST,
        &[
            ("judge_research", verdict("approved")),
            ("judge_claims", verdict("approved")),
        ],
    );
    assert_eq!(run["terminal"], "research_complete");
    let steps = executed(&run);
    assert!(
        steps.contains(&"close_experiment_pr")
            && !steps.iter().any(|step| step.starts_with("resolve_"))
    );
}

#[test]
fn required_fixes_are_made_without_a_second_experiment() {
    let run = research(
        "fixes-required",
        &PULL_REQUEST,
        &[
            ("judge_research", verdict("needs_human")),
            ("judge_claims", verdict("changes_requested")),
            ("resolve_claims_review", resolved(false, "real_fix")),
        ],
    );
    let steps = executed(&run);
    assert!(
        steps.contains(&"resolve_claims_review") && !steps.contains(&"resolve_research_review")
    );
    assert!(!steps.contains(&"re_run_experiment") && steps.contains(&"re_push"));
}

#[test]
fn an_escalation_runs_the_experiment_again_once() {
    let run = research(
        "rerun-escalation",
        &PULL_REQUEST,
        &[
            ("judge_research", verdict("approved")),
            ("judge_claims", verdict("changes_requested")),
            ("resolve_claims_review", resolved(true, "real_fix")),
            (
                "re_run_experiment",
                json!([{"status": "success", "result": {"results_path": "/w/results-2.json"}}]),
            ),
            (
                "re_write_report",
                json!([{"status": "success", "result": {"report_path": "/w/research/r/report.md"}}]),
            ),
        ],
    );
    assert_eq!(run["context"]["results_path"], "/w/results-2.json");
    assert_eq!(
        executed(&run)
            .iter()
            .filter(|step| **step == "re_run_experiment")
            .count(),
        1
    );
}

/// If the run that the audit asked for fails, or its threads stay open, nothing is archived and the pull request stays open.
#[test]
fn a_rerun_that_fails_leaves_the_gates_open() {
    for (name, more) in [
        (
            "rerun-failed",
            (
                "re_run_experiment",
                json!([{"status": "failure"}, {"status": "failure"}]),
            ),
        ),
        (
            "threads-open",
            ("close_threads", json!([{"status": "failure"}])),
        ),
    ] {
        let report =
            json!([{"status": "success", "result": {"report_path": "/w/research/r/report.md"}}]);
        let run = research(
            name,
            &PULL_REQUEST,
            &[
                ("judge_research", verdict("approved")),
                ("judge_claims", verdict("changes_requested")),
                ("resolve_claims_review", resolved(true, "real_fix")),
                ("re_write_report", report),
                more,
            ],
        );
        assert_eq!(run["terminal"], "gates_open", "{name}");
        assert!(!executed(&run).contains(&"close_experiment_pr"));
    }
}

#[test]
fn both_gates_are_done_before_either_is_acted_upon() {
    let run = research(
        "dual-gates",
        &PULL_REQUEST,
        &[
            ("judge_research", verdict("changes_requested")),
            ("judge_claims", verdict("changes_requested")),
            ("resolve_research_review", resolved(true, "already_green")),
            ("resolve_claims_review", resolved(true, "real_fix")),
            (
                "re_write_report",
                json!([{"status": "success", "result": {"report_path": "/w/research/r/report.md"}}]),
            ),
        ],
    );
    assert_eq!(run["terminal"], "research_complete");
    let steps = executed(&run);
    let at = |wanted: &str| steps.iter().position(|step| *step == wanted).expect(wanted);
    assert!(at("audit_claims") < at("resolve_research_review"));
    assert!(at("resolve_research_review") < at("resolve_claims_review"));
    assert_eq!(
        steps
            .iter()
            .filter(|step| **step == "re_run_experiment")
            .count(),
        1,
        "one re-run for both"
    );
    assert_eq!(
        run["context"]["resolutions"],
        json!(["already_green", "real_fix"])
    );
}

#[test]
fn gates_without_a_verdict_stay_open() {
    let run = research(
        "degradation",
        &PULL_REQUEST,
        &[
            ("review_research_pr", json!([{"status": "context_limit"}])),
            (
                "audit_claims",
                json!([{"status": "stale"}, {"status": "stale"}]),
            ),
            ("judge_research", json!([{"status": "failure"}])),
            ("judge_claims", json!([{"status": "failure"}])),
            ("re_push", json!([{"status": "success", "result": {}}])),
        ],
    );
    assert_eq!(run["terminal"], "gates_open");
    let context = run["context"].as_object().expect("context");
    assert!(
        !context.contains_key("review_verdict") && !context.contains_key("audit_verdict"),
        "nobody gave a verdict"
    );
    assert!(!executed(&run).contains(&"create_artifact_branch"));
}

#[test]
fn a_gate_is_closed_by_a_verdict_that_was_dealt_with_and_by_nothing_else() {
    let approved = || verdict("approved");
    for (scenario, outcomes) in [
        (
            "person",
            vec![
                ("judge_research", approved()),
                ("judge_claims", verdict("needs_human")),
            ],
        ),
        (
            "odd-verdict",
            vec![
                ("judge_research", approved()),
                ("judge_claims", verdict("Approved")),
            ],
        ),
        (
            "unresolved",
            vec![
                ("judge_research", approved()),
                ("judge_claims", verdict("changes_requested")),
                ("resolve_claims_review", json!([{"status": "failure"}])),
            ],
        ),
        // The requested change was neither made nor rerun: every comment was left to a person, or no person could be asked.
        (
            "nothing-edited",
            vec![
                ("judge_research", approved()),
                ("judge_claims", verdict("changes_requested")),
                ("resolve_claims_review", resolved(false, "already_green")),
            ],
        ),
        (
            "review-nothing-edited",
            vec![
                ("judge_research", verdict("changes_requested")),
                ("judge_claims", verdict("changes_requested")),
                ("resolve_research_review", resolved(false, "already_green")),
                ("resolve_claims_review", resolved(false, "real_fix")),
            ],
        ),
        (
            "odd-resolution",
            vec![
                ("judge_research", approved()),
                ("judge_claims", verdict("changes_requested")),
                ("resolve_claims_review", resolved(false, "unresolved")),
            ],
        ),
        (
            "not-pushed",
            vec![
                ("judge_research", approved()),
                ("judge_claims", approved()),
                ("re_push", json!([{"status": "failure"}])),
            ],
        ),
        (
            "no-pull-request",
            vec![("open_pr", json!([{"status": "failure"}]))],
        ),
    ] {
        let run = research(scenario, &PULL_REQUEST, &outcomes);
        assert_eq!(run["terminal"], "gates_open", "{scenario}");
    }
    // Without a pull request nothing was looked at.
    for (scenario, asked) in [
        ("local-review", "review_pr=true"),
        ("local-audit", "audit_claims=true"),
    ] {
        let run = research(scenario, &[asked], &[]);
        assert_eq!(run["terminal"], "gates_open", "{asked}");
    }
}

/// The helper that closes the threads decides the result, not the session that resolved the comments.
#[test]
fn a_comment_that_is_left_over_keeps_its_gate_open() {
    let said = r#"{"data":{"pr":1,"fixes_applied":1,"counts":{"resolve_failed":0,"replies_failed":0,"held":0,"unclassified":0},"verdicts":{"accept":1,"reject":0,"discuss":0,"strategies":{"rerun_required":0}}}}"#;
    let left = |from: &str, to: &str| said.replace(from, to);
    for (said, end) in [
        (said.to_owned(), "research_complete"),
        (left("discuss\":0", "discuss\":1"), "gates_open"),
        (left("held\":0", "held\":1"), "gates_open"),
        (left("unclassified\":0", "unclassified\":1"), "gates_open"),
        (
            left("unclassified\":0", "unclassified\":null"),
            "gates_open",
        ),
        (
            left("resolve_failed\":0", "resolve_failed\":1"),
            "gates_open",
        ),
        (
            left("replies_failed\":0", "replies_failed\":1"),
            "gates_open",
        ),
        (left("accept\":1", "accept\":2"), "gates_open"),
        // A rerun was required, whatever the session said, and did not happen.
        (
            left("rerun_required\":0", "rerun_required\":1")
                .replace("fixes_applied\":1", "fixes_applied\":0"),
            "gates_open",
        ),
        (
            left("fixes_applied\":1", "fixes_applied\":0").replace("accept\":1", "accept\":0"),
            "gates_open",
        ),
        (String::new(), "gates_open"),
    ] {
        let project = project();
        project.write("said.json", &said);
        project.write(".aris/tools/resolve_claims_review", "cat said.json\n");
        let archive = [
            "re_push",
            "create_artifact_branch",
            "open_artifact_pr",
            "tag_experiment",
            "close_experiment_pr",
        ];
        let done = json!([{"status": "success", "result": {}}]);
        let mut script: BTreeMap<&str, Value> = archive
            .into_iter()
            .map(|step| (step, done.clone()))
            .collect();
        script.insert("audit_claims", done);
        script.insert("judge_claims", verdict("changes_requested"));
        script.insert("resolve_claims_review", resolved(false, "real_fix"));
        project.write("script.json", json!(script).to_string());
        let state = json!({
            "schema": "aris.recipe_runner.state/v1",
            "recipe": {"path": project.at("recipes/research.yaml")},
            "inputs": {"task": "Does it help?", "output_mode": "pr", "audit_claims": "true"},
            "context": {
                "worktree_path": project.path(), "branch": "b", "pr_url": "https://forge/o/r/pull/1",
            },
        });
        project.write("state.json", state.to_string());
        let args = ["resume", "--state", "state.json", "--exec", "cmd"];
        let call = runner(&project).args(args);
        let run = ended(call.args(["--outcomes", "script.json", "--json"]).run());
        assert_eq!(run.data()["terminal"], end, "{said}: {run}");
    }
}

#[test]
fn an_archive_that_fails_does_not_stop_the_research() {
    let run = research(
        "no-archive",
        &PULL_REQUEST,
        &[
            ("judge_research", verdict("approved")),
            ("judge_claims", verdict("approved")),
            ("tag_experiment", json!([{"status": "failure"}])),
        ],
    );
    assert_eq!(run["terminal"], "research_complete");
    assert!(!executed(&run).contains(&"close_experiment_pr"));
}

#[test]
fn a_design_that_is_never_good_enough_is_not_run() {
    let plan = |number: usize| json!({"status": "success", "result": {"experiment_plan": format!("/p/plan-{number}.md")}});
    let run = research(
        "design-loop",
        &["output_mode=local"],
        &[
            (
                "plan_experiment",
                json!([plan(1), plan(2), plan(3), plan(4)]),
            ),
            (
                "review_design",
                json!(vec![
                    json!({"status": "success", "result": {"verdict": "REVISE", "revision_guidance": "/p/g.md"}});
                    5
                ]),
            ),
            (
                "export_local",
                json!([{"status": "success", "result": {"bundle_path": "research-bundles/r"}}]),
            ),
        ],
    );
    assert_eq!(
        executed(&run)
            .iter()
            .filter(|step| **step == "review_design")
            .count(),
        3
    );
    assert_eq!(run["context"]["experiment_plan"], "/p/plan-4.md");
}

#[test]
fn a_survey_goes_before_the_plan_when_it_is_switched_on() {
    let run = research(
        "with-survey",
        &["with_survey=true", "review_design=false"],
        &[(
            "literature_prefix_read",
            json!([{"status": "success", "result": {"survey_path": "/p/survey.md"}}]),
        )],
    );
    assert_eq!(
        executed(&run).get(..4).expect("four"),
        [
            "literature_prefix_search",
            "literature_prefix_check",
            "literature_prefix_read",
            "plan_experiment"
        ]
    );
    assert_eq!(run["context"]["survey_path"], "/p/survey.md");
}

#[test]
fn a_lost_run_goes_on_at_the_latest_phase_whose_results_can_be_looked_up() {
    let known = [
        ("worktree_path", "/w"),
        ("pr_url", "https://forge/o/r/pull/1"),
        ("audit_verdict", "changes_requested"),
        ("claims_needs_rerun", "false"),
    ];
    // A verdict cannot be looked up: both gates are run again.
    for (count, tier, start) in [
        (1, 1, "implement"),
        (2, 2, "guard_pr_url"),
        (3, 2, "guard_pr_url"),
        (4, 2, "guard_pr_url"),
    ] {
        let context: BTreeMap<&str, &str> = known.iter().take(count).copied().collect();
        let project = project();
        project.write(
            "script.json",
            script(&[("resolve_claims_review", resolved(true, "real_fix"))]),
        );
        let state = json!({
            "schema": "aris.recipe_runner.state/v1",
            "recipe": {"path": project.at("recipes/research.yaml")},
            "inputs": {"task": "Does it help?", "output_mode": "pr", "review_pr": "true", "audit_claims": "true"},
            "context": context,
        });
        project.write("state.json", state.to_string());
        let resume = |more: &[&str]| {
            let args = ["resume", "--state", "state.json"];
            runner(&project).args(args).args(more).run()
        };
        let mut resumed = resume(&["--json"]).expect_code(0).data()["resume"].take();
        let notes = resumed["notes"].take();
        assert_eq!(
            notes.as_array().map_or(0, Vec::len),
            count - tier,
            "{notes}"
        );
        assert_eq!(
            resumed,
            json!({"basis": "tier", "tier": tier, "step": start, "notes": null})
        );
        let run = ended(resume(&["--outcomes", "script.json"]));
        check_trace(&format!("research-tier-{tier}"), run.stdout());
    }
}
