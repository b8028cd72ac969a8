//! Cases of `recipe_runner`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile};

const RECIPE: &str = "\
name: sample
kitchen_rules: [do as it says]
steps:
  work: {tool: run_skill, with: {skill_command: /sample work}, on_success: end, on_failure: stop}
  end: {action: stop, message: good}
  stop: {action: stop, message: bad}
";

pub(crate) const CASES: Cases = Cases {
    helper: "recipe_runner",
    project: || {
        Project::new()
            .file("recipe.yaml", RECIPE)
            .file("bad.yaml", "steps: {}\n")
            .file("none.yaml", "- a list\n")
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
    ],
    open_ended: false,
    unwritable: &[],
    hostile: &[Hostile {
        path: "recipe.yaml",
        args: &["validate", "recipe.yaml"],
        huge: 4,
        fifo: 3,
    }],
    repeat_adds: None,
};
