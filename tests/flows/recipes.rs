//! The recipes that ship: valid, run through scripted outcomes, and where no model is needed through the real helpers.

use aris_testkit::{Answer, Call, Helper, Project, Run, Server, check_golden, workspace_root};
use serde_json::{Value, json};

const ASSETS: &str = "skills/research-recipe/assets";
const EXAMPLE: &str = "skills/paper-writing/assets/example";
const GOLDEN: &str = "tests/fixtures/recipes";

/// The shipped recipes in `recipes/`, with what they are checked against.
fn project() -> Project {
    Project::new().copied(&workspace_root().join(ASSETS))
}

fn runner(project: &Project) -> Call {
    Helper::named("recipe_runner").call(project.path())
}

/// Compares what a run printed with the file of its scenario.
#[track_caller]
fn check_trace(scenario: &str, run: &Run) {
    let golden = workspace_root()
        .join(GOLDEN)
        .join(format!("{scenario}.txt"));
    let remedy = "UPDATE_TRACES=1 cargo test -p aris-tests recipes";
    check_golden(&golden, run.stdout(), "UPDATE_TRACES", remedy);
}

#[test]
fn every_recipe_is_valid_under_the_strict_profile_in_every_composition() {
    let project = project();
    let compositions: [&[&str]; 6] = [
        &["recipes/research.yaml"],
        &["recipes/research.yaml", "--compose"],
        &["recipes/research.yaml", "--compose", "--set", "with_survey=true"],
        &["recipes/paper-gate.yaml"],
        &["recipes/literature-survey.yaml"],
        &["recipes/sub-recipes/literature-prefix.yaml"],
    ];
    for composition in compositions {
        let data = ["--profile", "strict", "--manifest", "manifest.yaml", "--tools", "tools.yaml", "--json"];
        let call = runner(&project).args(["validate"]).args(composition).args(data);
        let data = call.run().expect_code(0).data();
        let found = (&data["valid"], &data["findings"]);
        assert_eq!(found, (&json!(true), &json!([])), "{composition:?}");
    }
}

/// Outcomes of a research run; a step that is not named succeeds with an empty result.
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

fn resolved(needs_rerun: bool, escalations: &str) -> Value {
    let result = json!({"needs_rerun": needs_rerun, "verdict": "real_fix", "fixes_applied": 1, "escalations": escalations});
    json!([{"status": "success", "result": result}])
}

const PULL_REQUEST: [&str; 3] = ["output_mode=pr", "review_pr=true", "audit_claims=true"];

/// Runs the research recipe with a script, and compares its trace.
#[track_caller]
fn research(scenario: &str, inputs: &[&str], outcomes: &[(&str, Value)]) -> Value {
    let project = project();
    project.write("script.json", script(outcomes));
    let call = |more: &[&str]| {
        let args = ["run", "recipes/research.yaml", "--outcomes", "script.json", "--inputs", "task=Does it help?"];
        runner(&project).args(args).args(inputs).args(more).run().expect_code(0)
    };
    check_trace(&format!("research-{scenario}"), &call(&[]));
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
        &[("review_research_pr", verdict("approved")), ("audit_claims", verdict("approved"))],
    );
    assert_eq!(run["terminal"], "research_complete");
    let steps = executed(&run);
    assert!(steps.contains(&"close_experiment_pr") && !steps.iter().any(|step| step.starts_with("resolve_")));
}

#[test]
fn required_fixes_are_made_without_a_second_experiment() {
    let run = research(
        "fixes-required",
        &PULL_REQUEST,
        &[
            ("review_research_pr", verdict("needs_human")),
            ("audit_claims", verdict("changes_requested")),
            ("resolve_claims_review", resolved(false, "")),
        ],
    );
    let steps = executed(&run);
    assert!(steps.contains(&"resolve_claims_review") && !steps.contains(&"resolve_research_review"));
    assert!(!steps.contains(&"re_run_experiment") && steps.contains(&"re_push"));
}

#[test]
fn an_escalation_runs_the_experiment_again_once() {
    let run = research(
        "rerun-escalation",
        &PULL_REQUEST,
        &[
            ("review_research_pr", verdict("approved")),
            ("audit_claims", verdict("changes_requested")),
            ("resolve_claims_review", resolved(true, "/w/claims.json")),
            ("re_run_experiment", json!([{"status": "success", "result": {"results_path": "/w/results-2.json"}}])),
            ("re_write_report", json!([{"status": "success", "result": {"report_path": "/w/research/r/report.md"}}])),
        ],
    );
    assert_eq!(run["context"]["results_path"], "/w/results-2.json");
    assert_eq!(executed(&run).iter().filter(|step| **step == "re_run_experiment").count(), 1);
}

#[test]
fn both_gates_are_done_before_either_is_acted_upon() {
    let run = research(
        "dual-gates",
        &PULL_REQUEST,
        &[
            ("review_research_pr", verdict("changes_requested")),
            ("audit_claims", verdict("changes_requested")),
            ("resolve_research_review", resolved(true, "/w/review.json")),
            ("resolve_claims_review", resolved(true, "/w/claims.json")),
        ],
    );
    let steps = executed(&run);
    let at = |wanted: &str| steps.iter().position(|step| *step == wanted).expect(wanted);
    assert!(at("audit_claims") < at("resolve_research_review"));
    assert!(at("resolve_research_review") < at("resolve_claims_review"));
    assert_eq!(steps.iter().filter(|step| **step == "re_run_experiment").count(), 1, "one re-run for both");
    assert_eq!(run["context"]["escalations"], json!(["/w/review.json", "/w/claims.json"]));
}

#[test]
fn gates_and_archive_that_fail_do_not_stop_the_research() {
    let run = research(
        "degradation",
        &PULL_REQUEST,
        &[
            ("review_research_pr", json!([{"status": "context_limit"}])),
            ("audit_claims", json!([{"status": "stale"}, {"status": "stale"}])),
            ("re_push", json!([{"status": "success", "result": {}}])),
            ("tag_experiment", json!([{"status": "failure"}])),
        ],
    );
    assert_eq!(run["terminal"], "research_complete");
    let context = run["context"].as_object().expect("context");
    assert!(!context.contains_key("review_verdict") && !context.contains_key("audit_verdict"), "nobody gave a verdict");
    assert!(!executed(&run).contains(&"close_experiment_pr"));
}

#[test]
fn a_design_that_is_never_good_enough_goes_on_after_three_reviews() {
    let plan = |number: usize| json!({"status": "success", "result": {"experiment_plan": format!("/p/plan-{number}.md")}});
    let run = research(
        "design-loop",
        &["output_mode=local"],
        &[
            ("plan_experiment", json!([plan(1), plan(2), plan(3), plan(4)])),
            (
                "review_design",
                json!(vec![json!({"status": "success", "result": {"verdict": "REVISE", "revision_guidance": "/p/g.md"}}); 5]),
            ),
            ("export_local", json!([{"status": "success", "result": {"bundle_path": "research-bundles/r"}}])),
        ],
    );
    assert_eq!(executed(&run).iter().filter(|step| **step == "review_design").count(), 3);
    assert_eq!(run["context"]["experiment_plan"], "/p/plan-4.md");
}

#[test]
fn a_survey_goes_before_the_plan_when_it_is_switched_on() {
    let run = research(
        "with-survey",
        &["with_survey=true", "review_design=false"],
        &[("literature_prefix_read", json!([{"status": "success", "result": {"survey_path": "/p/survey.md"}}]))],
    );
    assert_eq!(executed(&run).get(..4).expect("four"), ["literature_prefix_search", "literature_prefix_check", "literature_prefix_read", "plan_experiment"]);
    assert_eq!(run["context"]["survey_path"], "/p/survey.md");
}

#[test]
fn four_tiers_say_where_a_lost_run_goes_on() {
    let both = ("worktree_path", json!("/w"));
    let url = ("pr_url", json!("https://forge/o/r/pull/1"));
    let audit = ("audit_verdict", json!("changes_requested"));
    let rerun = ("claims_needs_rerun", json!("false"));
    let tiers: [(i64, &str, Vec<(&str, Value)>); 4] = [
        (1, "implement", vec![both.clone()]),
        (2, "guard_pr_url", vec![both.clone(), url.clone()]),
        (3, "route_claims_resolve", vec![both.clone(), url.clone(), audit.clone()]),
        (4, "merge_escalations", vec![both, url, audit, rerun]),
    ];
    for (tier, start, context) in tiers {
        let project = project();
        project.write("script.json", script(&[("resolve_claims_review", resolved(true, "/w/claims.json"))]));
        let context: serde_json::Map<_, _> = context.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let state = json!({
            "schema": "aris.recipe_runner.state/v1",
            "recipe": {"path": project.at("recipes/research.yaml")},
            "inputs": {"task": "Does it help?", "output_mode": "pr", "review_pr": "true", "audit_claims": "true"},
            "context": context,
        });
        project.write("state.json", state.to_string());
        let resume = |more: &[&str]| {
            let args = ["resume", "--state", "state.json"];
            runner(&project).args(args).args(more).run().expect_code(0)
        };
        let data = resume(&["--json"]).data();
        assert_eq!(data["resume"], json!({"basis": "tier", "tier": tier, "step": start}));
        let run = resume(&["--outcomes", "script.json"]);
        check_trace(&format!("research-tier-{tier}"), &run);
    }
}

/// A project with the helpers where recipes look for them.
fn with_helpers(project: &Project, helpers: &[&str]) {
    for name in helpers {
        let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", Helper::named(name).path().display());
        project.write(&format!(".aris/tools/{name}"), script);
    }
}

const GATE_HELPERS: [&str; 3] = ["paper_claim_audit", "citation_audit", "verify_paper_audits"];

fn paper() -> Project {
    let project = project().copied(&workspace_root().join(EXAMPLE));
    with_helpers(&project, &GATE_HELPERS);
    project
}

fn gate(project: &Project, more: &[&str]) -> Run {
    let args = ["run", "recipes/paper-gate.yaml", "--exec", "cmd", "--state", "gate.json"];
    runner(project).args(args).args(more).run().expect_code(0)
}

#[test]
fn the_paper_gate_runs_the_real_audits() {
    let project = paper();
    // Nobody has reviewed the proofs, and at `submission` that blocks.
    check_trace("paper-gate-blocked", &gate(&project, &[]));
    let report = project.json("paper/.aris/audit-verifier-report.json");
    assert!(report.to_string().contains("missing_artifact"), "{report}");
    assert_eq!(project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"], "PASS");
    // At `draft` the gate tells and does not block.
    check_trace("paper-gate-open", &gate(&project, &["--new", "--inputs", "assurance=draft"]));
}

#[test]
fn the_paper_gate_says_nothing_about_a_paper_that_is_not_there() {
    let project = paper();
    let run = gate(&project, &["--inputs", "paper_dir=no paper's here"]);
    check_trace("paper-gate-no-paper", &run);
}

/// An agent that takes the faults out of the paper; what it is asked goes to `asked-N.txt`.
const REPAIRER: &str = "#!/bin/sh\nn=1\nwhile [ -e asked-$n.txt ]; do n=$((n + 1)); done\ncat > asked-$n.txt\n\
                        cp -R ../good/paper/. paper/\nprintf 'Repaired.\\n'\n";

#[test]
fn the_paper_gate_lets_an_agent_repair_twice() {
    let project = paper();
    let good = Project::bare().copied(&workspace_root().join(EXAMPLE));
    project.write("agent.sh", REPAIRER.replace("../good", &good.path().display().to_string().replace(' ', "\\ ")));
    for section in ["abstract", "introduction", "results"] {
        let path = format!("sections/{section}.tex");
        let faulty = project.read(&format!("faulty/{path}"));
        project.write(&format!("paper/{path}"), faulty);
    }
    let run = gate(&project, &["--agent", "sh agent.sh", "--inputs", "fix=true"]);
    check_trace("paper-gate-repaired", &run);
    assert_eq!(project.json("paper/PAPER_CLAIM_AUDIT.json")["verdict"], "PASS", "the second audit saw the repaired paper");
    assert!(project.read("asked-1.txt").starts_with("/paper-writing Clear the findings that block paper:"));
    assert!(project.at("asked-2.txt").exists() && !project.at("asked-3.txt").exists());
}

fn library(asked: &aris_testkit::Received) -> Answer {
    if asked.path() == "/works" {
        return Answer::json(&json!({"meta": {"count": 1}, "results": [{
            "id": "https://openalex.org/W1", "title": "On the numbers of one machine", "publication_year": 2020,
            "doi": "https://doi.org/10.48550/arxiv.2001.00001", "ids": {"openalex": "https://openalex.org/W1"},
            "authorships": [{"author": {"display_name": "Ada Lovelace"}}],
        }]}));
    }
    Answer::status(404)
}

#[test]
fn the_survey_searches_verifies_and_keeps_with_the_real_helpers() {
    let project = project();
    with_helpers(&project, &["literature_search", "verify_papers", "research_wiki"]);
    let server = Server::start(library);
    let survey = |state: &str, more: &[&str]| {
        let mut call = runner(&project).env("ARIS_CACHE_DIR", project.at("cache"));
        for name in ["ARXIV", "ARXIV_PDF", "CROSSREF", "DATACITE", "DBLP", "OPENALEX", "S2"] {
            call = call.env(format!("ARIS_{name}_BASE_URL"), server.url());
        }
        let args = ["run", "recipes/literature-survey.yaml", "--exec", "cmd", "--state", state, "--inputs"];
        let inputs = ["topic=one machine's numbers", "sources=openalex", "write_survey=false"];
        call.args(args).args(inputs).args(more).run().expect_code(0)
    };
    let run = survey("survey.json", &[]);
    let root = project.path().display().to_string();
    let shown = run.stdout().replace(&root, "ROOT");
    let golden = workspace_root().join(GOLDEN).join("literature-survey.txt");
    check_golden(&golden, &shown, "UPDATE_TRACES", "UPDATE_TRACES=1 cargo test -p aris-tests recipes");
    let state = project.json("survey.json");
    assert_eq!(state["context"]["papers"], "1");
    assert!(project.read("survey/papers.bib").contains("On the numbers of one machine"));
    assert_eq!(project.json("survey/verified.json")["papers"].as_array().map(Vec::len), Some(1));
    let pages = std::fs::read_dir(project.at("research-wiki/papers")).expect("a wiki");
    assert_eq!(pages.count(), 1, "the paper has a page");
}
