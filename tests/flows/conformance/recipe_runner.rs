//! Cases of `recipe_runner`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const RECIPE: &str = "\
name: sample
kitchen_rules: [do as it says]
steps:
  work: {tool: run_skill, with: {skill_command: /sample work}, on_success: end, on_failure: stop}
  end: {action: stop, message: good}
  stop: {action: stop, message: bad}
";

const ROUND: &str = "\
name: round
kitchen_rules: [do as it says]
steps:
  a: {tool: run_skill, with: {skill_command: /sample a}, on_success: b, on_failure: end}
  b: {tool: run_skill, with: {skill_command: /sample b}, on_success: a, on_failure: end}
  end: {action: stop, message: good}
";

const FAILED: &str = "\
name: failed
kitchen_rules: [do as it says]
steps:
  bad: {action: stop, failed: true, message: bad}
";

pub(crate) const CASES: Cases = Cases {
    helper: "recipe_runner",
    project: || {
        Project::new()
            .file("recipe.yaml", RECIPE)
            .file("bad.yaml", "steps: {}\n")
            .file("none.yaml", "- a list\n")
            .file("round.yaml", ROUND)
            .file("failed.yaml", FAILED)
            .file("all.json", r#"{"*": {"status": "success"}}"#)
            .file("tier.json", r#"{"recipe": {"path": "recipe.yaml"}}"#)
    },
    calls: &[
        Call {
            what: "a recipe without errors",
            args: &["validate", "recipe.yaml"],
            code: 0,
        },
        Call {
            what: "a recipe with errors",
            args: &["validate", "bad.yaml"],
            code: 10,
        },
        Call {
            what: "a file that is no recipe",
            args: &["validate", "none.yaml"],
            code: 4,
        },
        Call {
            what: "a run that waits",
            args: &["run", "recipe.yaml"],
            code: 11,
        },
        Call {
            what: "a run that goes round",
            args: &["run", "round.yaml", "--outcomes", "all.json"],
            code: 12,
        },
        Call {
            what: "where a run is taken up",
            args: &["resume", "--state", "tier.json"],
            code: 0,
        },
        Call {
            what: "an absent state",
            args: &["next", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "how a run stands",
            args: &["status", "--state", "tier.json"],
            code: 11,
        },
        Call {
            what: "a run that ends at a failure",
            args: &["run", "failed.yaml"],
            code: 13,
        },
        Call {
            what: "the log of a step that has none",
            args: &["logs", "--state", "tier.json"],
            code: 3,
        },
        Call {
            what: "the page of a run",
            args: &["timeline", "tier.json"],
            code: 0,
        },
        Call {
            what: "an end for what is not at work",
            args: &["cancel", "--state", "tier.json"],
            code: 0,
        },
        Call {
            what: "a recipe to begin with",
            args: &["--example"],
            code: 0,
        },
        Call {
            what: "the schema of recipes",
            args: &["--schema"],
            code: 0,
        },
        Call {
            what: "a step that is not the next",
            args: &[
                "complete",
                "--state",
                "tier.json",
                "--step",
                "end",
                "--status",
                "success",
            ],
            code: 4,
        },
        Call {
            what: "a result that is cut off",
            args: &[
                "complete",
                "--state",
                "tier.json",
                "--step",
                "work",
                "--status",
                "success",
                "--result",
                "{\"seconds\": 3",
            ],
            code: 4,
        },
        Call {
            what: "an absent recipe",
            args: &["graph", "absent.yaml"],
            code: 3,
        },
    ],
    incomplete: &[
        &[],
        &["validate"],
        &["graph"],
        &["validate", "recipe.yaml", "--set", "a=b"],
        &["run"],
        &["run", "recipe.yaml", "--exec", "cmd"],
        &["resume"],
        &["next"],
        &["status"],
        &["logs"],
        &["cancel"],
        &["timeline"],
        &["complete", "--state", "tier.json", "--step", "work"],
    ],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a state below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["run", "recipe.yaml", "--state", "file/run.json"],
        },
        Unwritable {
            what: "a folder where the lock goes",
            prepare: |project| project.write("run.json.lock/x", "in the way"),
            args: &["run", "recipe.yaml", "--state", "run.json"],
        },
    ],
    hostile: &[
        Hostile {
            path: "recipe.yaml",
            args: &["validate", "recipe.yaml"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "tier.json",
            args: &["next", "--state", "tier.json"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "all.json",
            args: &["run", "round.yaml", "--outcomes", "all.json"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
