//! The shipped recipes: valid, run with scripted outcomes, and with the real helpers where no model is needed.

mod gates;
mod real;
mod research;

use aris_testkit::{Call, Helper, Project, Run, check_golden, workspace_root};
use serde_json::{Value, json};

const ASSETS: &str = "skills/research-recipe/assets";
const GOLDEN: &str = "tests/fixtures/recipes";

/// A project with the shipped recipes in `recipes/`, and the files they are checked against.
fn project() -> Project {
    Project::new().copied(&workspace_root().join(ASSETS))
}

fn runner(project: &Project) -> Call {
    Helper::named("recipe_runner").call(project.path())
}

/// The ends of the shipped recipes that are failures; each has exit code 13.
const FAILURES: [&str; 5] = [
    "gate_blocked",
    "audit_failed",
    "gates_open",
    "design_rejected",
    "escalate_stop",
];

/// A run that has ended, whose exit code matches its end.
#[track_caller]
fn ended(run: Run) -> Run {
    let text = run.stdout();
    let end = if text.starts_with('{') {
        run.data()["terminal"].as_str().map(str::to_owned)
    } else {
        let word = |line: &str| {
            let end = line.strip_prefix("completed: ");
            end.or(line.strip_prefix("failed: ")).map(str::to_owned)
        };
        text.lines().find_map(word)
    };
    let failed = end.is_some_and(|end| FAILURES.contains(&end.as_str()));
    run.expect_code(if failed { 13 } else { 0 })
}

/// Compares the output of a run with the golden file of its scenario.
#[track_caller]
fn check_trace(scenario: &str, printed: &str) {
    let golden = workspace_root()
        .join(GOLDEN)
        .join(format!("{scenario}.txt"));
    let remedy = "UPDATE_TRACES=1 cargo test -p aris-tests recipes";
    check_golden(&golden, printed, "UPDATE_TRACES", remedy);
}

#[test]
fn every_recipe_is_valid_under_the_strict_profile_in_every_composition() {
    let project = project();
    let compositions: [&[&str]; 6] = [
        &["recipes/research.yaml"],
        &["recipes/research.yaml", "--compose"],
        &[
            "recipes/research.yaml",
            "--compose",
            "--set",
            "with_survey=true",
        ],
        &["recipes/paper-gate.yaml"],
        &["recipes/literature-survey.yaml"],
        &["recipes/sub-recipes/literature-prefix.yaml"],
    ];
    for composition in compositions {
        let data = [
            "--profile",
            "strict",
            "--manifest",
            "manifest.yaml",
            "--tools",
            "tools.yaml",
            "--json",
        ];
        let call = runner(&project)
            .args(["validate"])
            .args(composition)
            .args(data);
        let data = call.run().expect_code(0).data();
        let findings = data["findings"].as_array().expect("a list");
        let graver = findings.iter().filter(|one| one["severity"] != "info");
        let graver: Vec<&Value> = graver.collect();
        assert_eq!(
            (&data["valid"], graver),
            (&json!(true), vec![]),
            "{composition:?}"
        );
    }
}
